// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual methods: several levels, overloads of one name, const and not, calls through bases and
// through other objects, methods that are not overridden, final ones, calls of the base's version.

#include <ikra/ikra.hpp>

#include <iostream>
#include <memory>
#include <vector>

namespace {

class Shape {
  IKRA_OBJECT
public:
  explicit Shape(int id) : id_(id) {}
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual int weigh(int x) const { return x + 1; }
  virtual int weigh(double x) const { return static_cast<int>(x * 10); }
  virtual int touch() { return ++touched_; }
  virtual int touch() const { return touched_ * 100; }
  virtual void grow(double by) { scale_ *= by; }
  virtual int sides() const { return 0; }
  int twice_sides() const { return 2 * sides(); }
  void meet(Shape* other) { other_ = other; }
  Shape* other() const { return other_; }
  double scale() const { return scale_; }
  int id() const { return id_; }

protected:
  double scale_ = 1;
  int touched_ = 0;

private:
  int id_;
  Shape* other_ = nullptr;
};

class Square : public Shape {
  IKRA_OBJECT
public:
  Square(int id, double side) : Shape(id), side_(side) {}
  double area() const override { return side_ * side_ * scale_; }
  int sides() const override { return 4; }
  int weigh(double x) const override { return static_cast<int>(x * 20); }
  using Shape::weigh;

protected:
  double side_;
};

class Cube final : public Square {
  IKRA_OBJECT
public:
  Cube(int id, double side) : Square(id, side) {}
  double area() const override { return 6 * Square::area(); }
  int sides() const final { return Square::sides() * 3; }
  void grow(double by) override {
    Square::grow(by);
    grown_ += 1;
  }
  int grown() const { return grown_; }

private:
  int grown_ = 0;
};

class Disc : public Shape {
  IKRA_OBJECT
public:
  Disc(int id, float radius) : Shape(id), radius_(radius) {}
  double area() const override { return 3.0 * radius_ * radius_ * scale_; }
  using Shape::touch;
  int touch() override { return touched_ += 2; }
  int weigh(int x) const override { return x - 1; }
  int weigh(double x) const override { return static_cast<int>(x); }

private:
  float radius_;
};

class Never : public Shape { // no object can be made
public:
  double area() const override = 0;
};

int weigh_both(const Shape& s) { return s.weigh(3) * 1000 + s.weigh(2.5); }
int sides_of(const Shape* s) { return s ? s->sides() : -1; }

struct Visitor {
  int seen = 0;
  double total = 0;
  void visit(const Shape& s, double factor) {
    ++seen;
    total += s.area() * factor;
  }
  virtual ~Visitor() = default;
  virtual double rate(const Shape* s) const { return s->area(); }
};
struct Doubling : Visitor {
  double rate(const Shape* s) const override { return 2 * s->area(); }
};

template <class T> void show(const char* name, const ikra::array<T>& a) {
  std::cout << name << ':';
  for (const T e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}

} // namespace

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 40; ++i)
    switch (i * 7 % 4) {
    case 0:
      shapes.push_back(std::make_unique<Square>(i, i + 1));
      break;
    case 1:
      shapes.push_back(std::make_unique<Cube>(i, i));
      break;
    default:
      shapes.push_back(std::make_unique<Disc>(i, static_cast<float>(i)));
    }
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (i % 5 != 0)
      shapes[i]->meet(shapes[(i * 3 + 1) % shapes.size()].get());

  const ikra::array all{shapes};
  show("area", all.pmap([](const Shape* s) { return s->area(); }));
  show("overloads", all.pmap([](const Shape* s) { return s->weigh(1) * 1000 + s->weigh(1.55); }));
  show("by reference", all.pmap([](const Shape* s) { return weigh_both(*s); }));
  show("of others", all.pmap([](const Shape* s) { return s->other() ? s->other()->area() : -1; }));
  show("overloads of others",
       all.pmap([](const Shape* s) { return s->other() ? weigh_both(*s->other()) : 0; }));
  show("through base", all.pmap([](const Shape* s) { return s->twice_sides(); }));
  show("null in a function", all.pmap([](const Shape* s) { return sides_of(s->other()); }));

  // What calls methods of others runs in two ways, and each is tried.
  for (int round = 0; round < 4; ++round) {
    std::cout
        << all.count([](const Shape* s) { return s->other() && s->other()->area() > 9; }) << ' '
        << all.pselect([](const Shape* s) { return s->other() && s->other()->sides() == 4; }).size()
        << ' '
        << all.pcombine(all,
                        [](const Shape* s, const Shape* t) {
                          return t->other() ? s->sides() * t->other()->sides() : 1;
                        })
               .sum()
        << ' '
        << all.preduce([](Shape* s, Shape* t) { return weigh_both(*s) < weigh_both(*t) ? t : s; })
               .value()
               ->id()
        << '\n';
    shapes[static_cast<std::size_t>(round)]->grow(1.5);
  }

  all.peach(3, [](Shape* s) {
    s->touch();
    s->grow(1.5);
    if (s->area() > 100)
      s->grow(0.25);
  });
  show("touched", all.pmap([](const Shape* s) { return s->touch(); }));
  show("scale", all.pmap([](Shape* s) { return s->scale(); }));
  show("indexed",
       all.with_index().pmap([](const Shape* s, std::int64_t i) { return s->id() == i; }));

  std::vector<Visitor*> visitors;
  Visitor a;
  Doubling b;
  for (int i = 0; i < 6; ++i)
    visitors.push_back(i % 3 == 0 ? &a : &b);
  visitors.resize(2);
  Shape* first = shapes[3].get();
  Shape& second = *shapes[6];
  ikra::array{visitors}.peach(2, [first, &second](Visitor* v) {
    v->visit(*first, 0.5);
    v->visit(second, 2);
    v->total += v->rate(first);
  });
  std::cout << a.seen << ' ' << a.total << ' ' << b.seen << ' ' << b.total << '\n';

  std::vector<Cube*> cubes;
  for (auto& s : shapes)
    if (auto* c = dynamic_cast<Cube*>(s.get()))
      cubes.push_back(c);
  ikra::array{cubes}.peach([](Cube* c) { c->grow(2); });
  show("cubes",
       ikra::array{cubes}.pmap([](const Cube* c) { return c->area() * c->grown() + c->sides(); }));
}
