// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction is not in a stencil's kernel. What stands between the two is in the reduction's kernel, if somebody else
// reads the stencil's result anyway. What a loop carries is an array from the second turn on.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 >%t.fused | FileCheck %s --check-prefix=RUNS
// RUN: env IKRA_FUSION=off %t.cpu >%t.apart 2>%t.marks && diff %t.fused %t.apart
// RUN: %build_plain %s -o %t.plain && %t.plain >%t.expected 2>%t.marks && diff %t.fused %t.expected
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

using numbers = ikra::array<int>;

int distance(int x, int y) { return x < y ? y - x : x - y; }

// The next turn reads v.
int until_it_rests(numbers u) {
  int turns = 0, change = 1;
  while (change != 0 && turns < 3) {
    const auto v = u.pstencil({-1, 0, 1}, 0, [](auto w) { return (w(-1) + 2 * w(0) + w(1)) / 4; });
    change = u.pcombine(v, [](int x, int y) { return distance(x, y); }).preduce(ikra::max).value();
    u = v;
    ++turns;
  }
  return 100 * turns + change;
}

// b is read again.
int read_again(const numbers& a) {
  const auto b = a.pstencil({-1, 1}, 7, [](auto w) { return w(-1) + w(1); });
  const int total = b.pmap([](int x) { return x * x; }).sum();
  return total + b[0];
}

// Nobody else reads the stencil's result: its kernel gives the squares.
int once(const numbers& a) {
  return a.pstencil({-1, 1}, 7, [](auto w) { return w(-1) + w(1); }).pmap([](int x) { return x * x; }).sum();
}

int main() {
  const numbers a{std::vector<int>{100, 20, 3, 400, 50, 6}};
  const auto show = [](const char* name, const auto& get) {
    std::fprintf(stderr, "%s:\n", name);
    std::printf("%d\n", get());
  };
  show("until_it_rests", [&] { return until_it_rests(a); });
  show("read_again", [&] { return read_again(a); });
  show("once", [&] { return once(a); });
}

// CHECK: {{^}}kernel until_it_rests_1 -> until_it_rests_2, {{.*}}after stencils{{$}}
// CHECK: {{^}}kernel read_again_4 -> read_again_5, after stencils{{$}}
// CHECK-NOT: after stencils
// CHECK: edge until_it_rests_1 -> until_it_rests_2: not fused (a kernel of a stencil stores its results)

// RUNS: until_it_rests:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: read_again:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: once:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
