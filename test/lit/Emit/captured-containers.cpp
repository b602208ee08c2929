// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the user's code stays beside a lazy section, its copy refers to the containers that the
// section captured: there is one copy of them, as in the plain build. What the section holds in
// another form stays a copy of the lambda's own.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck --check-prefix=MODEL %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <functional>
#include <memory>
#include <vector>

struct Car {
  float v = 1;
};

template <class T> auto in_template(const ikra::array<Car*>& cars, const std::vector<T>& table) {
  // CHECK: cars.pmap(::ikra::make_section_like_with_code<{{.*}}>(::ikra::over_captures{[](const ::std::decay_t<decltype(table)>& ikra_0) { return [&table = ikra_0](const Car* c) { return c->v * table[0]; }; }}, table));
  auto a = cars.pmap([table](const Car* c) { return c->v * table[0]; });
  // CHECK: .pmap(::ikra::make_section_like<{{.*}}>(::ikra::later{[&] { return [table](T x) { return x + table[1]; }; }}, table));
  auto b = ikra::array<T>({1, 2}).pmap([table](T x) { return x + table[1]; });
  return a.sum() + b.sum();
}

int main() {
  std::vector<std::unique_ptr<Car>> owned(2);
  for (auto& each : owned)
    each = std::make_unique<Car>();
  const ikra::array cars{owned};
  const std::vector<float> table{1, 2};
  const float k = 2;
  const auto counted = std::make_shared<int>(1);
  const std::function<float()> next = [n = 0.0f]() mutable { return ++n; };
  // What leaves an owner or a container as it is may be asked for twice; a function may not.
  // MODEL: section main_{{[0-9]+}} at {{.*}}:[[@LINE+2]]:
  // MODEL: may run in place
  cars.peach([front = owned.front().get(), n = table.size()](Car* c) { c->v = front->v + n; });
  // MODEL: section main_{{[0-9]+}} at {{.*}}:[[@LINE+4]]:
  // MODEL-NOT: may run
  // MODEL: section main_{{[0-9]+}} at {{.*}}:[[@LINE+3]]:
  // MODEL-NOT: may run
  cars.peach([by = next()](Car* c) { c->v = by; });
  cars.peach([n = counted.use_count()](Car* c) { c->v = float(n); });
  // MODEL: section main_{{[0-9]+}} at {{.*}}:[[@LINE+4]]:
  // MODEL: may run in place
  // MODEL-NEXT: the user's code refers to what the section captured
  // CHECK: cars.pmap(::ikra::make_section_with_code<{{.*}}>(::ikra::over_captures{[](const ::std::decay_t<decltype(table)>& ikra_0, const ::std::decay_t<decltype(k)>& ikra_1) { return [&table = ikra_0, k = ikra_1](const Car* c) { return c->v * table[1] + k; }; }}, table, k));
  auto a = cars.pmap([table, k](const Car* c) { return c->v * table[1] + k; });
  // CHECK: cars.pmap({{.*}}over_captures{[](const ::std::decay_t<decltype(table)>& ikra_0) { return [&t = ikra_0](const Car* c) { return c->v * t[1]; }; }}, table));
  a = cars.pmap([t = table](const Car* c) { return c->v * t[1]; });
  // Small captures, and names whose type the lambda asks for.
  // CHECK: cars.pmap({{.*}}>([k](const Car* c) { return c->v + k; }, k));
  a = cars.pmap([k](const Car* c) { return c->v + k; });
  // CHECK: cars.pmap({{.*}}>([table](const Car* c) { return decltype(table)::value_type(c->v) + table[0]; }, table));
  a = cars.pmap([table](const Car* c) { return decltype(table)::value_type(c->v) + table[0]; });
  return int(a.sum() + in_template(cars, table));
}
