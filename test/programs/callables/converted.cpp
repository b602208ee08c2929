// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that take or give something else than their operation has: constructors and conversion
// operators of the user's classes stand in between, whether sections are fused or not.
#include <cstdint>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <vector>

namespace {

struct Wide { // from a number
  int value = 0;
  Wide() = default;
  Wide(int of) : value(of + 100) {}
  Wide(std::int64_t of) : value(static_cast<int>(of) + 1000) {}
};
struct Half { // to a number
  int value = 0;
  operator int() const { return value / 2; }
};
struct Both {
  int value = 0;
  Both() = default;
  Both(int of) : value(3 * of) {}
  Both(const Half& of) : value(of.value) {}
  operator int() const { return value + 1; }
};
template <class T> struct Held { // from anything that becomes a T
  T value{};
  Held() = default;
  template <class U> Held(const U& of) : value(static_cast<T>(of) + 7) {}
};
struct Truth {
  int x;
  explicit operator bool() const { return x % 3 != 0; }
};
struct ByHalf {
  int k;
  int operator()(Both b) const { return k * b.value; }
};
int valueOf(Wide w) { return w.value; }

void print(const char* name, const auto& values) {
  std::printf("%s:", name);
  for (const auto& v : values)
    std::printf(" %g", static_cast<double>(v));
  std::printf("\n");
}

void elements(const ikra::array<int>& a, int k) {
  print("from a number", a.pmap([](Wide w) { return w.value; }));
  print("by reference", a.pmap([k](const Wide& w) { return w.value + k; }));
  print("a function", a.pmap(valueOf));
  print("an object", a.pmap(ByHalf{k}));
  print("fused", a.pmap([](int x) { return Half{x}; }).pmap([](int x) { return x; }));
  print("fused, both ways", a.pmap([](int x) { return x + 1; })
                                .pmap([](Both b) { return b; })
                                .pmap([](int x) { return x; })
                                .pmap([](Held<int> h) { return h.value; }));
  const auto halves = a.pmap([](int x) { return Half{x}; });
  print("kept", halves.pmap([](Both b) { return b.value; }));
  print("combined", halves.pcombine(a, [](int x, Wide w) { return x + w.value; }));
  print("with an index", a.with_index().pmap([](Both b, Wide at) { return b.value + at.value; }));
  print("made", ikra::pnew(5, [](Wide w) { return w.value; }));
  print("made, then", ikra::pnew(5, [](std::int64_t i) {
                        return Half{static_cast<int>(i)};
                      }).pmap([](Both b) { return b.value; }));
}

void results(const ikra::array<int>& a) {
  print("selected", a.pselect([](int x) { return Truth{x}; }));
  print("selected by", a.pselect([](Wide w) { return w.value % 2 == 0; }));
  print("counted", std::vector<int>{static_cast<int>(a.count([](Both b) { return b.value > 9; }))});
  print("sorted", a.psort([](Both x, Both y) { return Truth{x.value > y.value ? 1 : 0}; }));
  print("reduced", a.preduce([](int x, int y) { return Half{2 * (x + y)}; }));
  print("reduced by", a.preduce([](Wide x, Wide y) { return x.value + y.value - 200; }));
  print("scanned", a.pscan([](int x, int y) { return Half{2 * (x + y)}; }));
  print("from a value", a.preduce(0, [](int x, int y) { return Half{2 * (x + y)}; }));
  const auto keys = a.pmap([](int x) { return x % 3; });
  const auto [of, sums] = a.preduce_by_key(keys, [](int x, int y) { return Half{2 * (x + y)}; });
  print("by keys", sums);
  print("stencil",
        a.pmap([](int x) { return Half{x}; }).pstencil({-1, 1}, ikra::clamp, [](const auto& v) {
          const Both left = v[-1];
          return left.value + v[1];
        }));
}

} // namespace

void converted() {
  const ikra::array<int> a(std::vector<int>{4, 1, 8, 2, 9, 3, 7, 0, 6, 5});
  elements(a, 3);
  results(a);
}
