// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sections may meet objects of classes that other files define, and what they have for these.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o - %s -- %ikra_flags | grep -v '// EMIT' | FileCheck %s --check-prefix=EMIT
#include <ikra/ikra.hpp>

#include <utility>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const { return 0; }
  int seen = 0;
};
struct Square final : Shape {
  int corners() const override { return 4; }
};
struct Plain {
  int value = 0;
};

inline ikra::array<int> corners(const std::vector<Shape*>& shapes, int k) {
  return ikra::array{shapes}.pmap([k](const Shape* s) { return k * s->corners(); });
  // CHECK: section corners_0 at
  // CHECK: objects of classes of other files: their drivers of the section, the user's code
  // EMIT: .pmap(::ikra::make_section_with_code<{{.*}}corners_0, int(::Shape *)>([k](const Shape* s) { return k * s->corners(); }, k));
}
void look(const std::vector<Shape*>& shapes, std::vector<int> factors) {
  ikra::array{shapes}.peach(2, [&](Shape* s) { s->seen += factors[0]; });
  // CHECK: section look_1 at
  // CHECK: objects of classes of other files: the user's code
  // EMIT: .peach(2, ::ikra::make_section_with_code<{{.*}}look_1, void(::Shape *)>(::ikra::later{[&] { return [&](Shape* s) { s->seen += factors[0]; }; }}, ::ikra::late{[&]() -> decltype(auto) { return (factors); }}));
  ikra::array{shapes}.peach([by = std::move(factors)](Shape* s) { s->seen += by[0]; });
  // CHECK: section look_2 at
  // CHECK: objects of classes of other files: an error
  // EMIT: .peach(::ikra::make_section<{{.*}}look_2, void(::Shape *)>(std::move(factors)));
}
void light(const std::vector<Shape*>& shapes, std::vector<Plain*> plain, std::vector<std::vector<int>> rows) {
  ikra::array{shapes}.peach([=](Shape* s) { s->seen += plain[0]->value + rows[1][2]; });
  // EMIT: .peach(::ikra::make_section_with_code<{{.*}}light_3, void(::Shape *)>({{.*}}, ::ikra::late{[&]() -> decltype(auto) { return (plain); }}, ::ikra::late{[&]() -> decltype(auto) { return (rows); }}));
}
template <class T> ikra::array<T> scaled(const std::vector<Shape*>& shapes, T by) {
  return ikra::array{shapes}.pmap([n = by](const Shape* s) { return n * T(s->corners()); });
  // EMIT: .pmap(::ikra::make_section_like_with_code<{{.*}}scaled_4_in_template<T>>([n = by](const Shape* s) {{.*}}, by));
}
ikra::array<int> trips(const Shape* shape) {
  return ikra::pnew(10, [shape](std::int64_t i) { return int(i) * shape->corners(); });
  // CHECK: section scaled_4 at
  // CHECK: objects of classes of other files: their drivers of the section, the user's code
  // CHECK: section trips_5 at
  // CHECK: objects of classes of other files: the user's code
}
// Of a class that nobody can derive from, and of one whose objects are not told apart, all are known.
ikra::array<int> known(const std::vector<Plain*>& plain) {
  return ikra::array{plain}.pmap([](const Plain* p) { return p->value; }).pmap([](int x) { return x + 1; });
  // CHECK: section known_6 at
  // CHECK-NOT: other files
}
void use(const std::vector<Shape*>& shapes) {
  Square square;
  Plain plain;
  (void)scaled(shapes, 2.0f);
  (void)known({&plain});
  (void)trips(&square);
}
