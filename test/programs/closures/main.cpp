// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in templates whose arguments are the types of lambdas: with and without captures, in
// arguments of class templates, from functions that make them, in headers of two files.
#include "library.hpp"

#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

auto adder(int by) {
  return [by](int x) { return x + by; };
}
template <class T> auto scaler(T by) {
  return [by](auto x) { return x * by; };
}

struct Offset {
  int by;
  int operator()(int x) const { return x - by; }
};
struct Node {
  int value;
  long seen = 0;
};
template <class F> void each(std::vector<Node>& nodes, F f) { ikra::objects(nodes).peach(2, f); }
template <class F> auto reduced(const ikra::array<int>& a, F f) { return a.preduce(f)[0]; }
template <class F> auto made(std::int64_t n, F f) { return ikra::pnew(n, f); }
int main() {
  const ikra::array ints{std::vector<int>{1, 2, 3}};
  const ikra::array doubles{std::vector<double>{0.5, 1.25}};
  int k = 3;
  show("one", apply(ints, [k](int x) { return x + k; }));
  show("two", apply(ints, [k](int x) { return x - k; }));
  show("none", apply(ints, [](int x) { return -x; }));
  show("value", apply(ints, [=](int x) { return x * k; }));
  const auto named = [k](int x) { return x * 2.5 + k; };
  ++k;
  show("named", apply(ints, named));
  show("direct", ints.pmap(named));
  show("shifted", shifted(ints, 3));
  show("shifted", shifted(ints, 2.5));
  show("init", apply(ints, [by = k * 2, k](int x) { return x * by + k; }));
  show("functor", apply(ints, Offset{4}));
  show("std", apply(ints, std::negate<>{}));
  show("tripler", applied(ints, tripler(4)));
  show("adder", apply(ints, adder(4)));
  show("adder", ints.pmap(adder(5)));
  show("adder", ints.pmap(adder(5)).pmap(adder(7)));
  show("scaler", apply(ints, scaler(2.5)));
  show("scaler", apply(doubles, scaler(2)));
  show("scaler", apply(doubles, scaler(3L)));
  show("forwarded", forwarded(ints, named));
  show("forwarded", forwarded(doubles, [k](double x) { return x * k; }));
  show("by reference", by_reference(ints, named));
  const std::vector<int> table{5, 6, 7, 8};
  show("table", apply(ints, [table](int x) { return table.at(x); }));
  const ikra::array<int> other{std::vector<int>{8, 9, 10, 11}};
  show("array", apply(ints, [other](int x) { return other[x]; }));
  int plain[] = {1, 4, 9, 16};
  show("plain", apply(ints, [plain](int x) { return plain[x]; }));
  const auto [first, second] = std::pair(4, 2.5);
  show("binding", apply(ints, [first, second](int x) { return first * x + second; }));
  show("filter", Filter([k](int x) { return x < k - 1; })(ints));
  show("filter", Filter([](int x) { return x > 1; })(ints));
  show("stencil", Stencil{[k](const auto& w) { return w[-1] + k * w[1]; }}(ints));
  show("pipeline", pipeline([k](int x) { return x + k; }, [k](int x) { return x * k; },
                            [](int x) { return x / 2.0; }, named)
                       .run(ints));
  show("pipeline", pipeline([k](int x) { return x + k; }, adder(9)).run(ints));
  std::vector<Node> nodes{{1}, {2}};
  each(nodes, [k](Node* n) { n->seen += n->value * k; });
  each(nodes, [](Node* n) { n->seen += 1; });
  std::printf("%ld %ld\n", nodes[0].seen, nodes[1].seen);
  std::printf("%d %d\n", reduced(ints, [k](int a, int b) { return (a + b) % (k * 1000); }),
              reduced(ints, std::plus<>{}));
  show("made", made(4, [k](std::int64_t i) { return i * k; }));
  show("copied", apply(ints, std::vector{named, named}[1]));
  auto again = named;
  show("copied", apply(ints, again));
  const auto maker = [](auto by) { return [by](int x) { return x * by; }; };
  show("made by lambda", apply(ints, maker(3)));
  show("made by lambda", apply(ints, maker(2.5)));
  const auto stages =
      after(over([k](int x) { return x + k; }),
            after(over([](auto x) { return x * 2; }), over([k](auto x) { return x * 1.5 + k; })));
  show("stages", stages(ints));
  show("stages", over([](double x) { return x * 2; })(doubles));
  others(ints);
}
