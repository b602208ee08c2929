// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results and selected elements that are pointers to objects.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Frame {
  virtual ~Frame() = default;
  int colour = 0;
};

struct Shape : Frame {
  virtual int area() const = 0;
  const Shape* larger(const Shape* other) const {
    return other && other->area() > area() ? other : this;
  }
  Shape* next = nullptr;
  std::vector<Shape*> near;
  int number = 0;
};
struct Square final : Shape {
  int side = 2;
  int area() const override { return side * side; }
};
struct Other {
  virtual ~Other() = default;
  long padding = 1;
};
struct Strip final : Other, Shape {
  int length = 9;
  int area() const override { return length; }
};

std::vector<std::unique_ptr<Shape>> make(int n) {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 0) {
      auto s = std::make_unique<Strip>();
      s->length = i % 17;
      shapes.push_back(std::move(s));
    } else {
      auto s = std::make_unique<Square>();
      s->side = i % 5;
      shapes.push_back(std::move(s));
    }
    shapes.back()->number = i;
  }
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int k) { return shapes[static_cast<std::size_t>(k % n)].get(); };
    at(i)->next = i % 7 == 6 ? nullptr : at(i * 5 + 1);
    for (int k = 0; k < i % 4; ++k)
      at(i)->near.push_back(at(i + 3 * k));
  }
  return shapes;
}

template <class Pointer> long sum(const ikra::array<Pointer, 1>& pointers) {
  long total = 0;
  for (const Pointer p : pointers)
    total = (total * 31 + (p ? p->number + 1 : 0)) % 1000003;
  return total * 10000 + static_cast<long>(pointers.size());
}

} // namespace

int main() {
  const auto shapes = make(3000);
  const ikra::array all{shapes};

  const auto next = all.pmap([](Shape* s) { return s->next; });
  std::printf("next %ld\n", sum(next));
  // Its elements are elements again, null ones among them.
  const auto later = next.pmap([](Shape* s) { return s ? s->next : nullptr; });
  std::printf("later %ld\n", sum(later));
  std::printf("larger %ld\n", sum(all.pmap([](const Shape* s) { return s->larger(s->next); })));
  std::printf("near %ld\n", sum(all.pmap([](const Shape* s) -> const Shape* {
                return s->near.empty() ? nullptr : s->near.back();
              })));
  // To a base class, and to a derived class's other base.
  long colours = 0;
  for (Frame* f : all.pmap([](Shape* s) -> Frame* { return s->next; }))
    colours = colours * 3 % 1000003 + (f ? dynamic_cast<Shape*>(f)->number : -1);
  std::printf("frames %ld\n", colours);

  const auto even = all.pselect([](const Shape* s) { return s->area() % 2 == 0; });
  std::printf("even %ld\n", sum(even));
  std::printf("even next %ld\n",
              sum(even.pmap([](Shape* s) { return s->next; }).pselect([](Shape* s) {
                return s != nullptr;
              })));
  std::printf("by index %ld\n", sum(all.with_index().pselect([](const Shape* s, std::int64_t i) {
                return s->area() > i % 10;
              })));
  std::printf("indexed %ld\n", sum(all.with_index().pmap([](Shape* s, std::int64_t i) {
                return i % 2 == 0 ? s : s->next;
              })));
  std::printf("none %ld\n", sum(all.pselect([](const Shape* s) { return s->number < 0; })));

  // From numbers, through a captured object.
  Shape* start = shapes[1234].get();
  const ikra::array numbers{std::vector<int>{0, 1, 2, 1, 5}};
  std::printf("captured %ld\n", sum(numbers.pmap([start](int n) {
                Shape* s = start;
                for (int i = 0; i < n && s; ++i)
                  s = s->next;
                return s;
              })));
  std::printf("new %ld\n",
              sum(ikra::pnew(4, [start](std::int64_t i) { return i % 2 ? start : start->next; })));

  // What was selected can be worked on.
  even.peach([](Shape* s) { s->colour += s->number; });
  long total = 0;
  for (const auto& s : shapes)
    total += s->colour;
  std::printf("colours %ld\n", total);

#ifndef IKRA_TEST_SANITIZED // it ends the plain program here
  try {
    const auto bad = later.pselect([](const Shape* s) { return s->number > 3; });
    std::printf("%zu\n", static_cast<std::size_t>(bad.size()));
  } catch (const ikra::error& e) {
    std::printf("null %d\n", e.kind() == ikra::error_kind::null_element);
  }
#endif
}
