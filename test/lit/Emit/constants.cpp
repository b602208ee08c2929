// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants are printed as values, with the digits that give the same number again.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr float tenth = 0.1f;
constexpr double third = 1.0 / 3;
constexpr double whole = 2.0;
const int lowest = INT_MIN;
constexpr std::uint64_t highest = UINT64_MAX;
enum class Level : int { low = -1, high = 7 };
constexpr Level chosen = Level::high;
class Line { // what a constructor makes goes over as bytes
  IKRA_OBJECT
  short slope;
  float start = 0.5f;

public:
  constexpr explicit Line(int by) : slope(static_cast<short>(by)) {}
  constexpr float at(int x) const { return static_cast<float>(slope * x) + start; }
};
constexpr Line line{258};

int main() {
  ikra::array numbers{std::vector<int>{1}};
  const double a = numbers.pmap([](int x) { return x * third + whole; })[0];
  const float b = numbers.pmap([](int x) { return static_cast<float>(x) * tenth; })[0];
  const long long c = numbers.pmap([](int) { return static_cast<long long>(lowest) - 1; })[0];
  const std::uint64_t d = numbers.pmap([](int) { return highest - 1; })[0];
  const int e = numbers.pmap([](int) { return static_cast<int>(chosen); })[0];
  const float f = numbers.pmap([](int x) { return line.at(x); })[0];
  // OUT: 1 1 -2147483649 18446744073709551614 7 258.5
  std::printf("%d %d %lld %llu %d %g\n", a == 1.0 / 3 + 2, b == 0.1f, c,
              static_cast<unsigned long long>(d), e, double(f));
  return 0;
}

// CHECK: line_table()
// CHECK: ::std::bit_cast<::Line>(::std::array<unsigned char, 8>{{[{][{]}}2, 1, 0, 0, 0, 0, 0, 63{{[}][}]}})
// CHECK: {{^}}//===-- {{.*}}main_0
// CHECK: 0.333333{{[0-9]+}} /* third */
// CHECK-SAME: 2.0 /* whole */
// CHECK: 0.1{{[0-9]*}}f /* tenth */
// CHECK: (-2147483647 - 1) /* lowest */
// CHECK: 18446744073709551615u /* highest */
// CHECK: 7 /* chosen */
