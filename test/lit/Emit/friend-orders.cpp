// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A friend operator<=> that is defaulted brings operator==, which nvcc 13.0 declares for the host and never defines:
// the emitted text declares it.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck %s < %t.cu
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <compare>
#include <cstdio>

// CHECK: friend constexpr auto operator<=>(const Version&, const Version&) = default; friend bool operator==(const Version&, const Version&) = default;
struct Version { int a = 1, b = 0; friend constexpr auto operator<=>(const Version&, const Version&) = default; };
// CHECK: friend auto operator<=>(Box a, Box b) noexcept = default; friend bool operator==(Box a, Box b) = default;
template <class T> struct Box { T v{}; friend auto operator<=>(Box a, Box b) noexcept = default; };
// CHECK: struct Own { {{.*}}operator<=>(const Own&, const Own&) = default; friend bool operator==(const Own& x, const Own& y) { return x.a % 10 == y.a % 10; } };
struct Own { int a = 0; friend auto operator<=>(const Own&, const Own&) = default; friend bool operator==(const Own& x, const Own& y) { return x.a % 10 == y.a % 10; } };
// CHECK: struct Member { int a = 0; auto operator<=>(const Member&) const = default; };
struct Member { int a = 0; auto operator<=>(const Member&) const = default; };

int main() {
  const auto numbers = ikra::pnew(5, [](std::int64_t i) { return int(i); });
  const auto versions = numbers.pmap([](int x) { return Version{x, x % 2}; });
  // OUT: 3 2 1
  std::printf("%d %d %d\n", int(versions.count([](Version v) { return v >= Version{1, 2} && v != Version{}; })),
              int(numbers.count([](int x) { return Box<int>{x} == Box<int>{2} || Own{x} == Own{13}; })), versions[1] == Version{1, 1});
}
