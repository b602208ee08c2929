// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ticks that see what other elements wrote, a captured this, class templates, and names that
// emitted code uses too.
#include "increment.hpp"
#include <array>
#include <cstdio>
#include <memory>
#include <vector>
#define SQUARE(x) ((x) * (x))
enum class Flags : unsigned { none = 0, a = 1, b = 2 };
constexpr Flags operator|(Flags x, Flags y) {
  return static_cast<Flags>(static_cast<unsigned>(x) | static_cast<unsigned>(y));
}
static int helper(int x, int y = 5) { return x - y; }
namespace {
template <int N> int times(int x) { return x * N; }
} // namespace
struct Cell {
  IKRA_OBJECT;
  std::array<float, 2> a{1.0f, 0.0f};
  Cell* left = nullptr;
  Cell* right = nullptr;
  int w = 1, id = 2, element = 3, tick = 4;
  long long big = -5;
  unsigned char tiny = 250;
  bool on = false;
  Flags flags = Flags::none;
};
template <class T> class Box {
  IKRA_OBJECT
public:
  explicit Box(T v) : value_(v) {}
  T get() const { return value_; }
  void set(T v) { value_ = v; }
  struct Inner {
    int q;
  };

private:
  T value_;
};
class Sim {
  IKRA_OBJECT
public:
  explicit Sim(int n) : cells_(n) {
    for (int i = 0; i < n; ++i) {
      cells_[i].left = &cells_[(i + n - 1) % n];
      cells_[i].right = &cells_[(i + 1) % n];
      cells_[i].a[0] = float(i);
    }
    for (auto& c : cells_)
      ptrs_.push_back(&c);
  }
  void run(int steps) {
    ikra::array{ptrs_}.peach(steps, [](Cell* c, std::int64_t t) {
      const int now = int(t % 2);
      c->a[1 - now] = 0.5f * c->a[now] + 0.25f * (c->left->a[now] + c->right->a[now]);
    });
    ikra::array{ptrs_}.peach([this](Cell* c) {
      c->w += factor_;
      c->tiny += 10;
      c->on = !c->on;
      c->flags = c->flags | Flags::b;
      total_tag(c);
    });
  }
  double sum() const {
    double s = 0;
    for (auto& c : cells_)
      s += c.a[0] + c.a[1] + c.w + c.tiny + c.on + double(unsigned(c.flags)) + double(c.big);
    return s;
  }

private:
  void total_tag(Cell* c) const { c->big += factor_ * 2; }
  std::vector<Cell> cells_;
  std::vector<Cell*> ptrs_;
  int factor_ = 3;
};
int main() {
  Sim sim(50);
  sim.run(7);
  std::printf("%.6f\n", sim.sum());
  std::vector<Box<double>> boxes;
  for (int i = 0; i < 10; ++i)
    boxes.emplace_back(i * 0.5);
  std::vector<Box<double>*> bp;
  for (auto& b : boxes)
    bp.push_back(&b);
  ikra::array ba{bp};
  ba.peach(3, [](auto* b) { b->set(b->get() + 1); });
  auto g = ba.pmap([](const Box<double>* b) { return b->get(); });
  for (double v : g)
    std::printf("%g ", v);
  std::printf("\n");
  enum Local { one = 1, two = 2 };
  Local loc = two;
  const int w = 4, self = 5, id = 6, body = 7, columns_view = 8, ticks = 9, code = 10;
  std::vector<Cell> cs(5);
  std::vector<Cell*> cp;
  for (auto& c : cs)
    cp.push_back(&c);
  ikra::array ca{cp};
  ca.peach(2, [=](Cell* element) {
    element->id += w + self + id + body + columns_view + ticks + code + SQUARE(element->element) +
                   (loc == two ? 1 : 0);
    element->tick++;
  });
  auto r = ca.pmap([=](const Cell* s) { return s->id + s->tick + helper(w) + times<3>(self); });
  for (int v : r)
    std::printf("%d ", v);
  auto hm = increment(r, 100);
  for (int v : hm)
    std::printf("%d ", v);
  auto one_line = r.pmap([](int x) { return x / 2; })
                      .pmap([](int x) { return x % 7; })
                      .pmap([](int x) -> double { return x / 2.0; });
  for (double v : one_line)
    std::printf("%g ", v);
  std::printf("\n");
  auto e = ikra::array{std::vector<int>{}}.pmap([](int x) { return x; });
  std::printf("%zu\n", e.size());
  auto lam = [](int x) {
    int y = x;
    y <<= 2;
    y |= 1;
    return y > 10 ? y : -y;
  };
  auto ll = ikra::array{std::vector<int>{1, 2, 3, 4}}.pmap(lam);
  for (int v : ll)
    std::printf("%d ", v);
  auto ref = [&] {
    int k = 3;
    return ikra::array{std::vector<int>{1, 2, 3, 4}}.pmap([k, j = k * 2](int x) { // comment
      /* another */ return x * k + j;
    });
  }();
  for (int v : ref)
    std::printf("%d ", v);
  std::printf("\n");
}
