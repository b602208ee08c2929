// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %emitted %t.ikra.cu | FileCheck %s
//
// What vanishes in emitted code keeps its parentheses; operands whose order C++ has, and may be
// seen, are evaluated in it. test/programs/expressions runs such programs.
#include <ikra/ikra.hpp>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

struct Half {
  float v;
  operator float() const { return v + 0.5f; }
};
struct Pair {
  int x, y;
  Pair(int a, int b) : x(a), y(b) {}
  Pair& add(int k) {
    x += k;
    return *this;
  }
  Pair& operator+=(const Pair& o) { return add(o.x); }
};

int main() {
  ikra::array a{std::vector<int>{1, 2, 3}};
  // CHECK: return (e + 1) * 10;
  a.pmap([](int e) { return std::move(e + 1) * 10; });
  // CHECK: return 100 - (e - 1);
  a.pmap([](int e) { return 100 - std::forward<int>(e - 1); });
  // CHECK: return (e > 0 ? p : q)[0] + -(e - 2);
  a.pmap([](int e) {
    std::array<int, 2> p{1, 2}, q{3, 4};
    return std::get<0>(e > 0 ? p : q) + -std::move(e - 2);
  });
  // Two brackets in a row would begin an attribute.
  // CHECK: return p[ikra::lvalue([&](int i) -> int {
  a.pmap([](int e) {
    const int p[3] = {1, 2, 3};
    return p[std::move([](int i) { return i - 1; }(e))];
  });
  // Without a call that vanishes there are the parentheses of the source alone.
  // CHECK: return e * 2 + (e - 1) * 3;
  a.pmap([](int e) { return e * 2 + (e - 1) * 3; });

  // C++ converts to the type of the other operand where one is of a class.
  // CHECK: return (e < 0 ? 4 : static_cast<int>(Half_operator_float(h))) * 2;
  a.pmap([](int e) {
    const Half h{float(e)};
    return (e < 0 ? 4 : h) * 2;
  });

  // CHECK: p = ikra::in_order{r.below(9), r.below(9)}([&](auto&& operand_1, auto&& operand_2) { return make_Pair(operand_1, operand_2); });
  a.pmap([](int e) {
    ikra::random r(1, e);
    const Pair p{r.below(9), r.below(9)};
    return p.x;
  });
  // The library's own constructors keep their braces.
  // CHECK: p = ::std::pair<int, int>{r.below(9), r.below(9)};
  a.pmap([](int e) {
    ikra::random r(1, e);
    const std::pair<int, int> p{r.below(9), r.below(9)};
    return p.first;
  });
  // The value of a place is taken when its turn comes.
  // CHECK: p = ikra::in_order{static_cast<int>(e), static_cast<int>(++e)}(
  a.pmap([](int e) {
    const Pair p{e, ++e};
    return p.y;
  });
  // CHECK: ikra::in_order{Pair_add(p, e), static_cast<int>(++e)}([&](auto&& operand_1, auto&& operand_2) -> decltype(auto) { return Pair_add(operand_1, operand_2); });
  // The right operand of an assignment comes first.
  // CHECK: ikra::in_order{Pair_add(q, ++e), Pair_add(p, e)}([&](auto&& operand_2, auto&& operand_1) -> decltype(auto) { return Pair_operator_of(operand_1, operand_2); });
  a.pmap([](int e) {
    Pair p{e, 1}, q{1, e};
    p.add(e).add(++e);
    p.add(e) += q.add(++e);
    return p.x;
  });
  // Nobody can see in which order these are read.
  // CHECK: return make_Pair(p.x + e, p.y * e).x;
  a.pmap([](int e) {
    const Pair p{e, 1};
    return Pair{p.x + e, p.y * e}.x;
  });
}
