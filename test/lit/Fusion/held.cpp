// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a variable holds and somebody reads again is computed once, and stored by the kernel of its first reader; what is
// read once, or costs little, stays in the kernel of each reader. Evaluations are counted by the kernels that run.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 >%t.fused | FileCheck %s --check-prefix=RUNS
// RUN: env IKRA_FUSION=off %t.cpu >%t.apart 2>%t.marks && diff %t.fused %t.apart
// RUN: %build_plain %s -o %t.plain && %t.plain >%t.expected 2>%t.marks && diff %t.fused %t.expected
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

using numbers = ikra::array<int>;

int costly(int x) {
  unsigned r = static_cast<unsigned>(x);
  for (int k = 0; k < 20; ++k)
    r = r * 1664525U + 1013904223U;
  return static_cast<int>(r >> 24);
}

// Three readers: one kernel computes b, three read it.
int readers(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  const int total = b.sum();
  return total + b.preduce(ikra::max)[0] + b[1];
}
// Cheap: each computes it anew.
int cheap(const numbers& a) {
  const auto b = a.pmap([](int x) { return x + 1; });
  const int total = b.sum();
  return total + b.preduce(ikra::max)[0];
}
// All have names, and are read once: one kernel.
int chain(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  const auto c = b.pmap([](int x) { return costly(x) ^ 1; });
  const auto d = c.pmap([](int x) { return costly(x) ^ 2; });
  return d[0];
}
// What is after b still is one kernel.
int after(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  const int total = b.pmap([](int x) { return x ^ 5; }).pmap([](int x) { return x * 3; }).sum();
  return total + b[0];
}
// The next turn reads it.
int turns(numbers a) {
  int total = 0;
  for (int k = 0; k < 2; ++k) {
    a = a.pmap([](int x) { return costly(x); });
    total += a.sum();
  }
  return total;
}
int turns_by_name(numbers a) {
  int total = 0;
  for (int k = 0; k < 2; ++k) {
    const auto b = a.pmap([](int x) { return costly(x); });
    total += b.sum();
    a = b;
  }
  return total;
}
// A turn's own variable, which nobody reads again.
int apart(const numbers& a) {
  int total = 0;
  for (int k = 0; k < 2; ++k) {
    const auto b = a.pmap([](int x) { return costly(x); });
    total += b.sum();
  }
  return total;
}
// The other reader's command is not computed when the first is.
int later(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  const auto first = b.preduce([](int x, int y) { return x + y; });
  const auto second = b.preduce([](int x, int y) { return x > y ? x : y; });
  return second.value() - (a[0] > 100 ? 0 : first[0]);
}
// On another way only.
int choice(const numbers& a, bool most) {
  const auto b = a.pmap([](int x) { return costly(x); });
  if (most)
    return b.preduce(ikra::max)[0];
  return b.sum();
}
// Two readers in one kernel.
int diamond(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  const auto c = b.pmap([](int x) { return costly(x); });
  return b.pcombine(c, [](int x, int y) { return x - y; }).sum();
}
// Through functions.
int total_of(const numbers& p) { return p.sum(); }
int through(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  return total_of(b) + b[0];
}
int total_once(const numbers& p) { return p.sum(); }
int through_once(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  return total_once(b);
}
// In members: one that is read in several places, and one that is read in one, whoever calls that.
struct several {
  numbers values;
  explicit several(const numbers& a) : values(a.pmap([](int x) { return costly(x); })) {}
  int total() const { return values.sum(); }
  int most() const { return values.preduce(ikra::max)[0]; }
};
struct single {
  numbers values;
  explicit single(const numbers& a) : values(a.pmap([](int x) { return costly(x); })) {}
  int total() const { return values.sum(); }
};
// Divisions and mathematical functions count more than their names.
int sines(const ikra::array<float>& a) {
  const auto b = a.pmap([](float x) { return std::sin(x) / 7; });
  return static_cast<int>(b.sum() + b[0]);
}
// A capture reads it whenever it likes.
int captured(const numbers& a) {
  const auto b = a.pmap([](int x) { return costly(x); });
  const auto first = [&b] { return b[0]; };
  return b.sum() + first();
}

int main() {
  const numbers a{std::vector<int>{1, 2, 3}};
  const ikra::array<float> f{std::vector<float>{1, 2, 3}};
  const auto show = [](const char* name, const auto& get) {
    std::fprintf(stderr, "%s:\n", name);
    std::printf("%d\n", get());
  };
  show("readers", [&] { return readers(a); });
  show("cheap", [&] { return cheap(a); });
  show("chain", [&] { return chain(a); });
  show("after", [&] { return after(a); });
  show("turns", [&] { return turns(a); });
  show("turns_by_name", [&] { return turns_by_name(a); });
  show("apart", [&] { return apart(a); });
  show("later", [&] { return later(a); });
  show("choice", [&] { return choice(a, true) - choice(a, false); });
  show("diamond", [&] { return diamond(a); });
  show("through", [&] { return through(a); });
  show("through_once", [&] { return through_once(a); });
  const several s(a);
  show("several", [&] { return s.total() + s.most(); });
  const single t(a);
  show("single", [&] { return t.total() + t.total() + t.total(); });
  show("sines", [&] { return sines(f); });
  show("captured", [&] { return captured(a); });
}

// CHECK: {{^}}kernel readers_0 -> readers_1{{$}}
// CHECK-NEXT: readers_0, if held, is stored in passing (
// CHECK: {{^}}kernel readers_0 -> readers_2{{$}}
// CHECK-NEXT: readers_0, if held, is stored in passing (
// CHECK: {{^}}kernel chain_6 -> chain_7{{$}}
// CHECK: {{^}}kernel chain_6 -> chain_7 -> chain_8{{$}}
// CHECK: {{^}}kernel after_9 -> after_10 -> after_11 -> after_12{{$}}
// CHECK-NEXT: after_9, if held, is stored in passing (
// CHECK: {{^}}kernel turns_13 -> turns_14{{$}}
// CHECK-NEXT: turns_13, if held, is stored in passing (
// CHECK: {{^}}kernel turns_by_name_15 -> turns_by_name_16{{$}}
// CHECK-NEXT: turns_by_name_15, if held, is stored in passing (
// CHECK: {{^}}kernel later_19 -> later_20{{$}}
// CHECK-NEXT: later_19, if held, is stored in passing (
// CHECK: {{^}}kernel later_19 -> later_21{{$}}
// CHECK-NEXT: later_19, if held, is stored in passing (
// CHECK: {{^}}kernel diamond_25 -> diamond_26{{$}}
// CHECK-NEXT: diamond_25, if held, is stored in passing (
// CHECK: {{^}}kernel diamond_28(diamond_27(diamond_25(array), diamond_26(diamond_25))){{$}}
// CHECK: {{^}}kernel through_30 -> total_of_29{{$}}
// CHECK-NEXT: through_30, if held, is stored in passing (
// CHECK: {{^}}kernel several_several_33 -> several_total_34{{$}}
// CHECK-NEXT: several_several_33, if held, is stored in passing (
// CHECK: {{^}}kernel several_several_33 -> several_most_35{{$}}
// CHECK-NEXT: several_several_33, if held, is stored in passing (
// CHECK: {{^}}kernel sines_38 -> sines_39{{$}}
// CHECK-NEXT: sines_38, if held, is stored in passing (
// CHECK: {{^}}kernel captured_40 -> captured_41{{$}}
// CHECK-NEXT: captured_40, if held, is stored in passing (
// CHECK: {{^}}kernel after_10 -> after_11 -> after_12, from what is held{{$}}

// CODE: {ikra::key_of<readers_0>, 1, ikra::when_held::stored}
// CODE: {ikra::key_of<single_single_{{[0-9]+}}>, 1, ikra::when_held::stored_later}

// RUNS: readers:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: cheap:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: chain:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 3 sections{{$}}
// RUNS-NEXT: after:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 4 sections{{$}}
// RUNS-NEXT: turns:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: turns_by_name:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: apart:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: later:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: choice:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: diamond:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 4 sections{{$}}
// RUNS-NEXT: through:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: through_once:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: several:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: single:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 1 section{{$}}
// RUNS-NEXT: sines:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
// RUNS-NEXT: captured:
// RUNS-NEXT: {{^}}ikra: kernel {{.*}}, 2 sections{{$}}
