// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that are no lambdas: pointers to methods and members, of objects and of values, and
// function objects with members, with bases, generic, and in templates.
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

void inside();    // inside.cpp
void converted(); // converted.cpp

int main() {
  objects();
  held(3);
  changed();
  hidden(4);
  values();
  inside();
  converted();
}
