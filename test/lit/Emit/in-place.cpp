// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections that run on the objects as they are do with objects: whether classes have to be looked at, and whether a null
// pointer can be met that is no element.
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac -o %t.cu %s -- %ikra_flags && FileCheck %s --input-file=%t.cu
#include <cmath>
#include <ikra/ikra.hpp>
#include <vector>

float gravity = 9.81f;

struct Grain {
  float height = 1, speed = 0;
  int drops[2] = {};
  std::vector<float> past;
  Grain* next = nullptr;
  void fall(float by) {
    speed += by * gravity;
    height = height > 0 ? height - speed : std::sqrt(speed);
  }
};

class Shape {
public:
  virtual ~Shape() = default;
  virtual float area() const { return 0; }
  float scale = 1;
};
class Square final : public Shape {
public:
  float area() const override { return 4; }
};

namespace {
class Insect {
public:
  virtual ~Insect() = default;
  virtual void walk() = 0;
  float at = 0;
};
class Ant final : public Insect {
public:
  void walk() override { at += 1; }
};
} // namespace

float of_grains(std::vector<Grain>& grains, float by) {
  // Numbers that it captures, or that are global, are no pointers.
  // MODEL: section of_grains_0
  // MODEL: may run in place: {{[0-9]+}} operations, elements alone
  // CHECK: of_grains_0>::run
  // CHECK: if (s.runs_in_place(call, {{[0-9]+}}, ikra::rt::elements_alone)) return;
  ikra::objects(grains).peach([by](Grain& g) { g.fall(by); });
  // MODEL: section of_grains_1
  // MODEL: may run in place: {{[0-9]+}} operations, of any class
  // CHECK: of_grains_1>::run
  // CHECK: if (s.runs_in_place(call, {{[0-9]+}}, ikra::rt::of_any_class)) return;
  ikra::objects(grains).peach([](Grain& g) { g.speed += g.next->height; });
  // Containers are empty somewhere.
  // MODEL: section of_grains_2
  // MODEL: may run in place: {{[0-9]+}} operations, of any class
  ikra::objects(grains).peach([](Grain& g) { g.speed += g.past[0]; });
  // MODEL: section of_grains_3
  // MODEL: may run in place: {{[0-9]+}} operations, of any class
  const float* const heights = &grains[0].height;
  const Grain& first = grains[0];
  ikra::objects(grains).peach([&first](Grain& g) { g.speed += first.height; });
  // The greater of two is one of them; what comes after it is not.
  // MODEL: section of_grains_4
  // MODEL: may run in place: {{[0-9]+}} operations, elements alone
  const ikra::array all = ikra::objects(grains);
  const Grain* const highest = all.preduce([](Grain* a, Grain* b) { return a->height < b->height ? b : a; })[0];
  // MODEL: section of_grains_5
  // MODEL: may run in place: {{[0-9]+}} operations, of any class
  const Grain* const last = all.preduce([](Grain* a, Grain* b) { return b->next != nullptr ? b->next : a; })[0];
  // MODEL: section of_grains_6
  // MODEL: may run in place: {{[0-9]+}} operations, of any class
  const float next = all.pcombine(all, [](const Grain* a, const Grain* b) {
                          const Grain* c = a->next;
                          a = c;
                          return a->height + b->height;
                        })[0];
  // MODEL: section of_grains_7
  // MODEL: may run in place: {{[0-9]+}} operations, elements alone
  const float both = all.pcombine(all, [](const Grain* a, const Grain* b) { return a->height + b->height; })[0];
  // MODEL: section of_grains_8
  // MODEL: may run in place: {{[0-9]+}} operations, elements alone
  return next + both + highest->height + last->height + *heights + ikra::objects(grains).pmap([](const Grain& g) { return g.height * 2 + g.speed; }).sum();
}

float of_shapes(const std::vector<Shape*>& shapes, std::vector<Ant>& ants) {
  // Another file may define shapes.
  // MODEL: section of_shapes_{{[0-9]+}}
  // MODEL: may run in place: {{[0-9]+}} operations{{$}}
  // CHECK: of_shapes_{{[0-9]+}}>::run
  // CHECK: if (s.runs_in_place(call, {{[0-9]+}})) return;
  const float area = ikra::array{shapes}.pmap([](const Shape* s) { return s->area(); }).sum();
  // What they have in common needs no look at the class.
  // MODEL: section of_shapes_{{[0-9]+}}
  // MODEL: may run in place: {{[0-9]+}} operations, elements alone
  const float scale = ikra::array{shapes}.pmap([](const Shape* s) { return s->scale; }).sum();
  // Of insects all are known.
  // MODEL: section of_shapes_{{[0-9]+}}
  // MODEL: may run in place: {{[0-9]+}} operations, elements alone
  std::vector<Insect*> insects;
  for (Ant& a : ants)
    insects.push_back(&a);
  ikra::array{insects}.peach([](Insect* i) { i->walk(); });
  // A comparison reads two objects, of which it is given pointers.
  // MODEL: section of_shapes_{{[0-9]+}}
  // MODEL: may run in place: {{[0-9]+}} operations, elements alone
  // CHECK: // of_shapes_{{[0-9]+}}: a stable sort
  // CHECK-NOT: trace()
  // CHECK: if (s.runs_in_place(call, {{[0-9]+}}, ikra::rt::elements_alone)) return;
  // CHECK: s.sort_values<
  const auto sorted =
      ikra::array{shapes}.psort([](const Shape* a, const Shape* b) { return a->scale < b->scale; });
  // Who asks for null may name it.
  // MODEL: section of_shapes_{{[0-9]+}}
  // MODEL: may run in place: {{[0-9]+}} operations, of any class
  return area + scale + sorted[0]->scale + ikra::array{shapes}.pmap([](const Shape* s) { return s ? s->scale : 0.0f; }).sum();
}

int main() {
  std::vector<Grain> grains(1);
  std::vector<Ant> ants(1);
  Square square;
  return of_grains(grains, 1) > of_shapes({&square}, ants) ? 1 : 0;
}
