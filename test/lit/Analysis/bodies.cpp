// Bodies as data: what becomes of names, members, calls, the order of evaluation and lambdas.
//
// RUN: %ikrac --print=bodies %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>
#include <array>
#include <utility>
#include <vector>

struct Walker {
  int at = 0;
  int step = 1;
  Walker* next = nullptr;
  virtual int pace() const { return step; }
  virtual ~Walker() = default;
};
struct Runner : Walker {
  int pace() const override { return 2 * step; }
};
struct Pair {
  int a, b;
  Pair(int x, int y) : a(x), b(y) {}
};
constexpr int Limit = 7;
constexpr std::array<int, 3> Table{2, 3, 5};
inline void make() { Walker a; Runner b; }
inline int bump(int& n) { return ++n; }

void sections(const std::vector<Walker*>& walkers, const ikra::array<int>& numbers, int k) {
  // CHECK-LABEL: section sections_0
  // CHECK-NEXT: parameter element w
  // CHECK-NEXT: gives void
  // CHECK-NEXT: if (< (member Walker::at id-of-element w) constant 7 Limit)
  // CHECK-NEXT: evaluate (+= (member Walker::at id-of-element w) (+ (dispatch Walker_pace_by_class element w) captured k))
  // CHECK-NEXT: else
  // CHECK-NEXT: evaluate (= (member Walker::at id-of-element w) (member Walker::step (member Walker::next id-of-element w)))
  ikra::array{walkers}.peach([k](Walker* w) {
    if (w->at < Limit)
      w->at += w->pace() + k;
    else
      w->at = w->next->step;
  });
  // An object under another name is the element all the same.
  // CHECK-LABEL: section sections_1
  // CHECK: evaluate (= (member Walker::at id-of-element w) (member Walker::step id-of-element w))
  ikra::array{walkers}.peach([](Walker* w) {
    Walker& self = *w;
    Walker* const same = w;
    self.at = same->step;
  });
  // CHECK-LABEL: section sections_2
  // CHECK: declare ::Pair p (ordered operand_1 operand_2 (call global_bump n) (call global_bump n) (call make_Pair operand_1 operand_2))
  // CHECK-NEXT: return (- (* (part a p) 10) (part b p))
  (void)numbers.pmap([](int n) {
    Pair p{bump(n), bump(n)};
    return std::move(p).a * 10 - p.b;
  });
  // CHECK-LABEL: section sections_3
  // CHECK: declare auto f (lambda [int x] -> int
  // CHECK-NEXT: return (* x n)
  // CHECK: return (+ (invoke f 3) (subscript table Table_table (cast unsigned long (% n 3))))
  (void)numbers.pmap([](int n) {
    auto f = [&](int x) { return x * n; };
    return f(3) + Table[static_cast<unsigned long>(n % 3)];
  });
}
