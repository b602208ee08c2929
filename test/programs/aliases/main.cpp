// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References of all kinds inside of sections: what is written through one is written to what it
// refers to, and what a temporary was made for changes nothing else.
#include <array>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <utility>
#include <vector>
static int total(const std::array<int, 3>& a) {
  int t = 0;
  for (int x : a)
    t += x;
  return t;
}
static int total3(const int (&a)[3]) {
  int t = 0;
  for (const int& x : a)
    t = t * 2 + x;
  return t + static_cast<int>(sizeof(a));
}
static void scale(int (&a)[3], int by) {
  for (int& x : a)
    x *= by;
}
static void bump(int&& r) { r += 5; }
static int&& pass(int& r) { return std::move(r); }
template <class T> int twice(T&& v) {
  v += 1;
  return v * 2;
}
template <class T> int relay(T&& v) { return twice(std::forward<T>(v)); }
struct Box {
  virtual ~Box() = default;
  virtual int eat(int&& r) {
    r += 4;
    return r;
  }
  int value = 1;
  short small = 2;
  float f = 0.5f;
  std::vector<int> list;
  std::array<int, 3> fixed{};
  int raw[3] = {1, 2, 3};
  Box* friend_of = nullptr;
  Box() = default;
  Box(Box&&) = default;
  std::vector<Box*> all;
  std::vector<std::unique_ptr<Box>> owned;
  std::unique_ptr<Box> one;
  int size() const { return static_cast<int>(list.size()); }
};
struct Big : Box {
  int eat(int&& r) override {
    r += 40;
    return r * 2;
  }
};
Big big;
int main() {
  ikra::array n{std::vector<int>{1, 2, 3, 4}};
  for (int x : n.pmap([](int e) {
                  int x = e;
                  int&& r = std::move(x);
                  r += 10;
                  bump(std::move(x));
                  bump(3);
                  int&& t = 7;
                  t += e;
                  short s = 3;
                  int&& conv = s;
                  conv += 1;
                  const int& c = e * 2;
                  const double& d = e;
                  auto&& f = x;
                  f += 1;
                  auto&& g = e + 1;
                  g *= 2;
                  int&& p = pass(x);
                  p += 100;
                  int local[3] = {1, 2, 3};
                  for (auto&& q : local)
                    q += 1;
                  for (int& q : local)
                    q *= 2;
                  int& first = local[0];
                  first = 50;
                  int y = 1;
                  const int both = relay(y) + relay(4) + relay(std::move(y));
                  int z = std::move(y);
                  bool b = true;
                  int& sel = b ? x : y;
                  sel += 1000;
                  const int& k = b ? x : 4;
                  return x + t + conv + s + c + static_cast<int>(d) + g + local[0] + local[1] +
                         local[2] + both * 3 + y + z + k;
                }).to_vector())
    std::printf("%d ", x);
  std::printf("\n");
  std::vector<Box> boxes(5);
  big.value = 3;
  for (int i = 0; i < 5; ++i) {
    boxes[i].list = {i, 2 * i, 3};
    boxes[i].friend_of = &boxes[(i + 1) % 5];
    boxes[i].all = {&boxes[i], nullptr, &boxes[(i + 2) % 5]};
    boxes[i].owned.push_back(std::make_unique<Box>());
    boxes[i].one = std::make_unique<Box>();
  }
  ikra::objects(boxes).peach([](Box* b) {
    int& v = b->value;
    v += 3;
    auto&& w = b->value;
    w *= 2;
    int&& m = std::move(b->value);
    m += 1;
    short& s = b->small;
    s += 1;
    const int& same = b->value;
    b->value += 1;
    v += same;
    const double& conv = b->f;
    b->f = 9.0f;
    b->small += static_cast<short>(conv * 2);
    for (auto&& q : b->list)
      q += 1;
    for (auto& q : b->fixed)
      q += 2;
    for (int& q : b->raw)
      q += 3;
    auto& l = b->list;
    l[0] = 99;
    const auto& fx = b->fixed;
    b->raw[0] += fx[1];
    const int& c = b->size();
    b->raw[1] += c;
    int& el = b->list[1];
    el -= 7;
    bump(std::move(b->raw[2]));
    auto&& r2 = b->list;
    r2[2] += 4;
    b->value += total(b->fixed) + total3(b->raw);
    scale(b->raw, 2);
    int own[3] = {1, 2, 3};
    scale(own, 3);
    b->value += total3(own);
  });
  for (auto& b : boxes)
    std::printf("%d %d %.1f %d %d %d | %d %d | %d %d %d\n", b.value, b.small, double(b.f),
                b.list[0], b.list[1], b.list[2], b.fixed[0], b.fixed[2], b.raw[0], b.raw[1],
                b.raw[2]);
  ikra::objects(boxes).peach([](Box* b) {
    for (auto& p : b->all)
      if (p && p != b)
        b->value += p->small;
    for (auto&& p : b->all)
      if (p)
        b->value += p->small;
    for (auto& p : b->owned)
      b->value += p->small;
    for (const auto& p : b->owned)
      b->value += p->small;
    auto& o = b->one;
    b->value += o->small;
    Box*& fr = b->friend_of;
    b->value += fr->small;
    Box* const& fc = b->friend_of;
    b->value += fc->small;
    auto&& fx = b->friend_of;
    b->value += fx->small;
    Box& ref = *b->friend_of;
    b->value += ref.small;
    Box* q = b;
    Box*& qq = q;
    qq = b->all[2];
    b->value += 10 * q->small;
    fr = b->all[2];
    int food = 1;
    b->value += b->eat(std::move(food)) + food + b->friend_of->eat(7) +
                b->friend_of->eat(std::move(food)) * 100 + food * 1000;
    const int member = 5;
    int&& moved = std::move(*b).value;
    moved += member;
    Box* const& al = b->friend_of;
    b->friend_of = b;
    b->value += al == b;
    b->friend_of = fr;
    Big* bg = nullptr;
    Box* const& copy = bg;
    b->value += copy == nullptr;
  });
  for (auto& b : boxes)
    std::printf("%d %d\n", b.value, int(b.friend_of - boxes.data()));
}
