// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of objects, multiple inheritance, shared owners, references to several classes, null
// elements, conversions of numbers.
#include <cmath>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>
struct Node {
  IKRA_OBJECT int v = 0;
  int seen = 0;
  Node* next = nullptr;
  std::shared_ptr<Node> own;
};
class Base {
IKRA_OBJECT public : virtual ~Base() = default;
  virtual int f() const { return 1; }

protected:
  int b_ = 1;
};
class Mix {
IKRA_OBJECT public : virtual ~Mix() = default;
  virtual int g() const = 0;
  int m_ = 2;
};
class D1 : public Base {
IKRA_OBJECT public : int f() const override { return 10 + b_; }
};
class D2 : public Base, public Mix {
IKRA_OBJECT public : int f() const override { return 20 + b_ + m_; }
  int g() const override { return m_ * 5 + b_; }
};
class D3 final : public D2 {
IKRA_OBJECT public : int f() const override { return D2::f() * 2 + x; }
  short x = 3;
};
struct Holder {
  IKRA_OBJECT Base* one = nullptr;
  Mix* two = nullptr;
  std::vector<Base*> all;
  int total = 0;
};
class Counter {
IKRA_OBJECT public : void hit(int n) {
    ikra::atomic_add(n_, n);
    ikra::atomic_max(max_, n);
  }
  int n() const { return n_; }
  int max() const { return max_; }

private:
  int n_ = 0;
  int max_ = -1;
};
static int gcd(int a, int b) {
  while (b) {
    int t = a % b;
    a = b;
    b = t;
  }
  return a;
}
int main() {
  std::vector<Node> nodes(1000);
  for (int i = 0; i < 1000; ++i) {
    nodes[i].v = i;
    nodes[i].next = i + 1 < 1000 ? &nodes[i + 1] : nullptr;
    if (i % 10 == 0)
      nodes[i].own = std::make_shared<Node>();
  }
  auto heads = ikra::objects(nodes);
  heads.peach([](Node* n) {
    for (const Node* p = n; p; p = p->next) {
      n->seen += p->v % 3;
      if (p->v > n->v + 5)
        break;
    }
    if (n->own)
      n->seen += n->own->v + 100;
  });
  long s = 0;
  for (auto& n : nodes)
    s = s * 3 % 1000003 + n.seen;
  std::printf("%ld\n", s);
  std::vector<std::unique_ptr<Base>> bases;
  std::vector<Mix*> mixes;
  for (int i = 0; i < 30; ++i) {
    if (i % 3 == 0)
      bases.push_back(std::make_unique<D1>());
    else if (i % 3 == 1) {
      auto d = std::make_unique<D2>();
      mixes.push_back(d.get());
      bases.push_back(std::move(d));
    } else {
      auto d = std::make_unique<D3>();
      mixes.push_back(d.get());
      bases.push_back(std::move(d));
    }
  }
  std::vector<Holder> hs(30);
  for (int i = 0; i < 30; ++i) {
    hs[i].one = bases[(i * 7) % 30].get();
    hs[i].two = i % 4 ? mixes[i % mixes.size()] : nullptr;
    for (int k = 0; k < i % 5; ++k)
      hs[i].all.push_back(bases[(i + k) % 30].get());
  }
  ikra::objects(hs).peach([](Holder* h) {
    h->total = h->one->f();
    if (h->two)
      h->total += h->two->g() * 100;
    for (const auto* b : h->all)
      h->total += b->f();
    if (!h->all.empty())
      h->total += h->all.back()->f() * 1000;
  });
  for (auto& h : hs)
    std::printf("%d ", h.total);
  std::printf("\n");
  Counter c;
  Counter* pc = &c;
  ikra::objects(hs).peach(3, [=](Holder* h) { pc->hit(h->total % 17); });
  ikra::array{std::vector<int>{1, 2, 3, 40}}.peach(
      2, [pc](int x, std::int64_t t) { pc->hit(x + int(t)); });
  std::printf("%d %d\n", c.n(), c.max());
  auto pm = ikra::array{mixes}.pmap([](const Mix* m) { return m->g(); });
  for (int v : pm)
    std::printf("%d ", v);
  std::printf("\n");
  std::vector<Base*> withNull{bases[0].get(), nullptr, bases[2].get(), bases[0].get()};
  auto wn = ikra::array{withNull}.pmap([](const Base* b) { return b ? b->f() : -5; });
  for (int v : wn)
    std::printf("%d ", v);
#ifndef IKRA_TEST_SANITIZED // it ends the plain program here
  try {
    ikra::array{withNull}.pmap([](const Base* b) { return b->f(); }).to_vector();
    std::printf("no error\n");
  } catch (const ikra::error& e) {
    std::printf("null: %d\n", int(e.kind()));
  }
#endif
  auto gg = ikra::array{std::vector<long>{12, 18, 1000000007L}}.pmap(
      [](long x) { return gcd(int(x), 6) + std::max(x, 15L) % 4 - std::min<long>(x, 3); });
  for (long v : gg)
    std::printf("%ld ", v);
  auto sh = ikra::array{std::vector<unsigned>{1u, 0x80000000u, 77u}}.pmap(
      [](unsigned x) { return (x >> 3) ^ (x << 5) ^ ~x; });
  for (unsigned v : sh)
    std::printf("%u ", v);
  auto neg = ikra::array{std::vector<short>{-7, 7, -32768}}.pmap(
      [](short x) { return x / 2 * 3 - x % 3; });
  for (int v : neg)
    std::printf("%d ", v);
  auto ch = ikra::array{std::vector<char>{'a', 'z'}}.pmap(
      [](char x) { return x == 'a' ? 'A' : char(x - 1); });
  for (char v : ch)
    std::printf("%c ", v);
  auto db = ikra::array{std::vector<double>{0.1, 1e300}}.pmap(
      [](double x) { return std::fabs(-x) + (x < 1 ? 1e-3 : double(1 / 3.0f)); });
  for (double v : db)
    std::printf("%a ", v);
  std::printf("\n");
}
