// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section that asserts runs for every place of its array, also for those that no stencil reads: the program stops where its
// plain build does. So it has a kernel of its own before a stencil, as sections have that call at().
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu 2> /dev/null | FileCheck %s --check-prefix=OUT
// RUN: %build_plain %s -o %t.plain && %t.plain 2> /dev/null | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using numbers = ikra::array<int>;
using image = ikra::array<float, 2>;

static int checked(int x) {
  assert(x < 100);
  return x + 1;
}

// Nothing reads the first element.
int mapped(const numbers& a) {
  return a.pmap([](int x) {
            assert(x < 100);
            return x + 1;
          })
      .pstencil({1}, 0, [](auto v) { return v[1]; })[1];
}
// CHECK-DAG: edge mapped_0 -> mapped_1: not fused (its section may fail, and is to run for places that are no neighbours too)

// In a function, and after a map that does not assert.
int called(const numbers& a) {
  return a.pmap([](int x) { return checked(x); }).pmap([](int x) { return x * 2; }).pstencil({1}, 0, [](auto v) { return v[1]; })[1];
}
// CHECK-DAG: edge called_2 -> called_3: fused (same location)
// CHECK-DAG: edge called_3 -> called_4: not fused (its section may fail, and is to run for places that are no neighbours too)

// In the operator of a class that a stencil's section calls, before another stencil.
struct Limit {
  int most;
  int operator()(int x) const {
    assert(x < most);
    return x;
  }
};
int stencils(const numbers& a) {
  return a.pstencil({0, 1}, 0, [limit = Limit{100}](auto v) { return limit(v[0]) + v[1]; }).pstencil({1}, 0, [](auto v) { return v[1]; })[1];
}
// CHECK-DAG: edge stencils_5 -> stencils_6: not fused (its section may fail, and is to run for places that are no neighbours too)

// In tiles the first row is nobody's neighbour.
float tiles(const image& a) {
  return a
      .pstencil(ikra::box<1, 1>, 0.0f,
                [](const auto& v) {
                  float sum = 0;
                  for (int y = -1; y <= 1; ++y)
                    for (int x = -1; x <= 1; ++x)
                      sum += v(y, x);
                  assert(sum < 100);
                  return sum;
                })
      .pstencil({{2, -1}, {2, 0}, {2, 1}}, 0.0f, [](const auto& v) { return v(2, -1) + v(2, 0) + v(2, 1); })(1, 1);
}
// CHECK-DAG: edge tiles_7 -> tiles_8: not fused ({{[^;]*}}){{$}}

// A reduction's result asks for both in a turn.
int turns(numbers a) {
  int most = 0;
  ikra::host_section([&] {
    while (most < 5)
      most += a.pmap([](int x) {
                 assert(x < 100);
                 return x + 1;
               })
                  .pstencil({1}, 0, [](auto v) { return v[1]; })
                  .preduce(ikra::max)
                  .value();
  });
  return most;
}
// What the turn sets again is not stored; the stencil, which reads no first element, stays apart from the assertion.
int assigned(numbers a, const numbers& other) {
  int most = 0;
  numbers b = other;
  ikra::host_section([&] {
    while (most < 5) {
      std::swap(a, b);
      b = a.pmap([](int x) {
        assert(x < 100);
        return x;
      });
      most += b.pmap([](int x) { return x + 1; }).pstencil({1}, 0, [](auto v) { return v[1]; }).preduce(ikra::max).value() + 2;
      b = other;
    }
  });
  return most;
}
// CHECK-LABEL: turn turn_of_turns
// CHECK: kernel turns_9 over a
// CHECK-NEXT: kernel turns_10 over result of turns_9
// CHECK-LABEL: turn turn_of_assigned
// CHECK: kernel assigned_12 -> assigned_13 over a
// CHECK-NEXT: kernel assigned_14 over result of assigned_13
// CHECK-NOT: b = result of assigned_12

/// Whether a program of its own, which makes the arrays, ends in an assertion.
template <class F> void run(const char* name, const F& f, bool fails) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<int> of(8, 1);
    std::vector<float> pixels(24, 1);
    if (fails) {
      of[0] = 1000;
      pixels[7] = 1000;
    }
    static_cast<void>(f(numbers(of), image(pixels, {4, 6})));
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("%s %s\n", name, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? "stopped" : "returned");
}

int main() {
  for (const bool fails : {false, true}) {
    run("mapped", [](const numbers& a, const image&) { return mapped(a); }, fails);
    run("called", [](const numbers& a, const image&) { return called(a); }, fails);
    run("stencils", [](const numbers& a, const image&) { return stencils(a); }, fails);
    run("tiles", [](const numbers&, const image& a) { return tiles(a); }, fails);
    run("turns", [](const numbers& a, const image&) { return turns(a); }, fails);
    run("assigned", [](const numbers& a, const image&) { return assigned(a, a); }, fails);
  }
}
// OUT-COUNT-6: returned
// OUT-COUNT-6: stopped
