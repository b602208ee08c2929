// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections take from around them without a word: places, structured bindings, lambdas without captures, limits, sizes,
// and function objects of the standard library with types.
//
// RUN: %ikrac --print=model %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=MODEL --implicit-check-not=warning
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu
#include <ikra/ikra.hpp>

#include <limits>

struct Ant {
  ikra::index<2> at;
};
inline constexpr auto square = [](auto x) { return x * x; };
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int table[] = {1, 2, 4};

int main() {
  const auto image = ikra::pnew({3, 4}, [](ikra::index<2> i) { return int(i[0]); });
  const auto shape = image.shape();
  const auto [height, width] = shape;
  const auto twice = [](int x) { return x + x; };
  // CHECK: ::Ant operator()({{.*}}) const { return ::Ant{::ikra::index<2>(i[1], shape[0])}; }
  const auto ants = image.with_index().pmap(
      [shape](int, ikra::index<2> i) { return Ant{ikra::index<2>(i[1], shape[0])}; });
  // CHECK: int operator()(int x) const { return lambda{{[_0-9]*}}(lambda{{[_0-9]*}}(x)) + static_cast<int>(height); }
  const auto bound = image.pmap(
      [height, twice](int x) { return twice(square(x)) + static_cast<int>(height); });
  // CHECK: return x + (std::numeric_limits<double>::infinity()) /* infinite */ + ::std::numeric_limits<float>::lowest();
  const auto limits =
      image.pmap([](int x) { return x + infinite + std::numeric_limits<float>::lowest(); });
  // CHECK: return x + static_cast<unsigned long>(3);
  const auto sizes = image.pmap([](int x) { return x + std::size(table); });
  const auto sorted = sizes.psort(std::greater<unsigned long>{});
  return sorted[0] == 5 && bound[11] == 11 && limits[0] == infinite && ants[0].at[1] == 3 && width == 4
             ? image.preduce(std::plus<int>{})[0] - 12
             : 1;
}
// MODEL: section main_6 at surroundings.cpp:{{.*}}: preduce over int gives int
