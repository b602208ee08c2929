// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that are no lambdas: pointers to methods and members, of objects and of values, which
// sections may follow, too; and function objects with members, with bases, generic, and in
// templates.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>

class Cell {
public:
  explicit Cell(int n) : n_(n) {}
  virtual ~Cell() = default;
  virtual int weight() const { return n_; }
  virtual void grow() { n_ += 1; }
  void add_tick(std::int64_t tick) { n_ += static_cast<int>(tick); }
  int twice() const noexcept { return n_ * 2; }
  int plus(std::int64_t i) const { return n_ + static_cast<int>(i); }
  bool even() const { return n_ % 2 == 0; }
  int n_;
};
class Heavy : public Cell {
public:
  using Cell::Cell;
  int weight() const override { return lead_ * 10; }
  void grow() override { lead_ += n_; }
  int lead_ = 3;
};

struct Point {
  float x, y;
  float norm() const { return x * x + y * y; }
  Point plus(const Point& o) const { return {x + o.x, y + o.y}; }
  bool isRight() const { return x > 1; }
};

struct Polynomial {
  float c[3];
  float operator()(float x) const { return c[0] + x * (c[1] + x * c[2]); }
};
struct Between {
  int low, high;
  template <class T> bool operator()(T x) const { return x >= low && x < high; }
};
struct Weighted {
  float k;
  float operator()(float a, float b) const { return a * k + b; }
};
struct Factor {
  int k;
};
struct TimesPlusIndex : Factor {
  int operator()(int x, std::int64_t i) const { return x * k + static_cast<int>(i); }
};
struct Nothing {};
struct Negate : Nothing {
  int operator()(int x) const { return -x; }
};
template <class T> struct Times {
  T k;
  T operator()(T x) const { return k * x; }
};
template <class T> struct Twofold {
  T operator()(T a, T b) const { return 2 * a + b; }
};
template <class T, template <class> class Op> struct Applied {
  Op<T> op;
  T with;
  T operator()(T x) const { return op(x, with); }
};
template <class T> ikra::array<T> scaled(const ikra::array<T>& a, T k) {
  return a.pmap(Times<T>{k});
}
template <class T, class F> ikra::array<T> mapped(const ikra::array<T>& a, F f) {
  return a.pmap(f);
}

static void print(const char* name, const auto& values) {
  std::printf("%s:", name);
  for (const auto& v : values)
    std::printf(" %g", static_cast<double>(v));
  std::printf("\n");
}

static void objects() {
  std::vector<std::unique_ptr<Cell>> store;
  for (int i = 0; i < 10; ++i)
    if (i % 2 == 0)
      store.push_back(std::make_unique<Cell>(i));
    else
      store.push_back(std::make_unique<Heavy>(i));
  ikra::array cells{store};
  cells.peach(&Cell::grow);
  cells.peach(3, &Cell::grow);
  cells.peach(4, &Cell::add_tick);
  print("virtual method", cells.pmap(&Cell::weight));
  print("method", cells.pmap(&Cell::twice));
  print("member", cells.pmap(&Cell::n_));
  print("with index", cells.with_index().pmap(&Cell::plus));
  print("count", std::vector<std::int64_t>{cells.count(&Cell::even)});
  print("select", cells.pselect(&Cell::even).pmap(&Cell::n_));

  std::vector<Heavy> more(5, Heavy(2));
  auto heavy = ikra::objects(more);
  heavy.peach(&Heavy::grow);
  print("own method", heavy.pmap(&Heavy::weight));
  print("a base's method", heavy.pmap(&Heavy::twice));
  print("a base's member", heavy.pmap(&Heavy::n_));
  print("own member", heavy.pmap(&Heavy::lead_));
}

/// Lambdas that variables hold, and which may stand for ones at the call.
static void held(int k) {
  std::vector<Cell> store(4, Cell(1));
  auto cells = ikra::objects(store);
  const std::vector<int> more{10, 20};
  const auto grow = [k, &more](Cell* c) { c->n_ += k + more[1]; };
  cells.peach(grow);
  cells.peach(2, grow);
  const auto heavy = [=](const Cell* c) { return c->n_ > k; };
  print("held", cells.pselect(heavy).pmap(&Cell::n_));
}

/// What it captured is no longer what its name means.
static void changed() {
  auto numbers = ikra::pnew(5, [](std::int64_t i) { return static_cast<int>(i); });
  int k = 1;
  const auto early = [k](int x) { return x + k; };
  k = 100;
  print("held, and changed", numbers.pmap(early));
}
static void hidden(int k) {
  auto numbers = ikra::pnew(5, [](std::int64_t i) { return static_cast<int>(i); });
  const auto outer = [k](int x) { return x * k; };
  {
    const int k = 1000;
    print("held, and hidden", numbers.pmap(outer).pmap([k](int x) { return x + k; }));
  }
}

static void values() {
  auto points = ikra::pnew(6, [](std::int64_t i) { return Point{float(i), float(i) / 2}; });
  print("member of a value", points.pmap(&Point::x));
  print("method of a value", points.pmap(&Point::norm));
  const Point all = points.preduce(&Point::plus)[0];
  print("method that combines", std::vector<float>{all.x, all.y});
  print("predicate", points.pselect(&Point::isRight).pmap(&Point::y));

  auto x = points.pmap(&Point::x);
  print("object", x.pmap(Polynomial{{1, 2, 3}}));
  const Polynomial half{{0, 1, 0.5f}};
  print("variable", x.pmap(half));
  print("of two", x.pcombine(points.pmap(&Point::y), Weighted{3}));
  auto n = ikra::pnew(9, [](std::int64_t i) { return int(i); });
  print("generic", n.pselect(Between{2, 6}));
  print("with a base", n.with_index().pmap(TimesPlusIndex{{4}}));
  print("without members", n.pmap(Negate{}));
  print("template", scaled(n, 3));
  print("template of another type", scaled(x, 3.0f));
  print("parameter of a template", mapped(n, Times<int>{5}));
  print("template as a parameter", mapped(n, Applied<int, Twofold>{{}, 3}));
  print("template of std as a parameter", mapped(n, Applied<int, std::multiplies>{{}, 3}));
}

/// Pointers to members that sections follow: captured, constants, of constant arrays, of bases.
class Body {
public:
  explicit Body(float k) : x_(k), y_(2 * k), mass_(k + 1) {}
  virtual ~Body() = default;
  virtual float weight() const { return mass_; }
  float height() const { return y_; }
  void push(float by) { x_ += by; }
  void lift(float by) { y_ += by; }
  float along(std::size_t axis) const { return this->*axes[axis]; }
  float most() const {
    float out = 0;
    for (const auto axis : axes)
      out = std::max(out, this->*axis);
    return out;
  }
  void move(float Body::* axis, float by) { this->*axis += by; }
  void act(int which, float by) { (this->*actions[which])(by); }
  static float Body::* byName(char name) { return name == 'x' ? &Body::x_ : &Body::y_; }

private:
  float x_, y_;
  int hits_ = 0;
  static constexpr float Body::* axes[] = {&Body::x_, &Body::y_};
  static constexpr std::array<void (Body::*)(float), 2> actions{&Body::push, &Body::lift};

public:
  float mass_;
};
class Star : public Body {
public:
  explicit Star(float k) : Body(k), heat(k * 3) {}
  float weight() const override { return mass_ * 100; }
  float heat;
};

template <auto Member, class T> static auto total(const ikra::array<T>& of) {
  return of.pmap([](const auto& x) { return x.*Member; }).sum();
}

static void followed() {
  std::vector<std::unique_ptr<Body>> bodies;
  std::vector<Star> stars;
  for (int i = 0; i < 20; ++i) {
    bodies.push_back(i % 3 == 0 ? std::make_unique<Star>(float(i))
                                : std::make_unique<Body>(float(i)));
    stars.emplace_back(float(i));
  }
  const ikra::array all{bodies};
  print("by index",
        all.with_index().pmap([](const Body* b, std::int64_t i) { return b->along(i % 2); }));
  print("all in turn", all.pmap([](const Body* b) { return b->most(); }));
  for (const char name : {'x', 'y'}) {
    const auto axis = Body::byName(name);
    all.peach([axis](Body* b) { b->move(axis, 0.5f); });
    print("captured", all.pmap([axis](const Body* b) { return b->*axis; }));
  }
  for (int which = 0; which < 2; ++which)
    all.peach(3, [=](Body* b, std::int64_t tick) { b->act((which + int(tick)) % 2, 2); });
  constexpr auto mass = &Body::mass_;
  constexpr auto weight = &Body::weight;
  print("constants", all.pmap([=](const Body* b) { return b->*mass + (b->*weight)(); }));

  // Of a derived class, where the member may be the base's.
  const ikra::array hot = ikra::objects(stars);
  for (float Star::* which : {&Star::heat, static_cast<float Star::*>(&Body::mass_)}) {
    hot.peach([which](Star* s) { s->*which = s->*which * 2 + 1; });
    print("of a class with a base", hot.pmap([=](const Star* s) { return s->*which; }));
  }

  auto points = ikra::pnew(6, [](std::int64_t i) { return Point{float(i), float(i) / 2}; });
  std::printf("template: %g %g\n", double(total<&Point::x>(points)),
              double(total<&Point::y>(points)));
  for (const auto which : {&Point::x, &Point::y})
    print("of values", points.pmap([which](Point p) {
      p.*which += 1;
      return p.x * 100 + p.y + (which == &Point::x ? 0.25f : 0.5f);
    }));
  constexpr float Point::* local[] = {&Point::y, &Point::x};
  print("local array", points.with_index().pmap(
                           [=](const Point& p, std::int64_t i) { return p.*local[(i + 1) % 2]; }));
}

void inside();       // inside.cpp
void converted();    // converted.cpp
void over_objects(); // over_objects.cpp

int main() {
  objects();
  held(3);
  changed();
  hidden(4);
  values();
  followed();
  inside();
  converted();
  over_objects();
}
