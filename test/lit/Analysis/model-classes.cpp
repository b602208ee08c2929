// Which classes the model holds, which of them objects can have, and whose columns they share.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Shape {
  float size = 1;
  virtual ~Shape() = default;
  virtual float area() const = 0;
};
struct Named {
  int name = 0;
  virtual ~Named() = default;
};
struct Square : Shape {
  float area() const override { return size * size; }
};
struct Circle : Shape, Named {
  float area() const override { return size * static_cast<float>(name); }
};
struct NeverMade : Shape {
  float area() const override { return 0; }
};
struct Unrelated {
  int value = 0;
};
template <class T> struct Boxed {
  T content{};
  T get() const { return content; }
};

void sections(std::vector<Boxed<double>>& boxes, std::vector<Unrelated>& others) {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>());
  shapes.push_back(std::make_unique<Circle>());
  ikra::array{shapes}.pmap([](const Shape* s) { return s->area(); });
  ikra::objects(boxes).pmap([](const Boxed<double>* b) { return b->get(); });
  ikra::objects(others).peach([](Unrelated* u) { u->value = 1; });
}
