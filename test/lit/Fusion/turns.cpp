// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of host sections that read results of reductions run as turns: what they carry, what lives on the device, which
// kernels they launch. The loop's text stays, and answers are the same with turns and without.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

// Two buffers for the stencil. The change is one kernel; the next field has a name, so it is another.
int relax(ikra::array<float, 2>& field, float limit) {
  ikra::array<float, 2> a = field;
  float change = limit + 1;
  int turns = 0;
  ikra::host_section([&] {
    const int most = 50;
    while (change > limit && turns < most) {
      const auto next = a.pstencil({{-1, 0}, {1, 0}}, limit, [](auto v) { return (v(-1, 0) + v(1, 0)) / 2; });
      change = a.pcombine(next, [](float x, float y) { return std::abs(x - y); }).preduce(ikra::max).value();
      a = next;
      ++turns;
    }
  });
  field = a;
  return turns;
}
// CHECK: turn turn_of_relax at line [[@LINE-10]]: while
// CHECK-NEXT: arrays: a (carried)
// CHECK-NEXT: scalars on the device: limit, result_1, change (carried), turns (carried), most
// CHECK-NEXT: buffers: 2 of float
// CHECK-NEXT: turn:
// CHECK-NEXT: kernel relax_0 over a, stored; relax_1 -> relax_2 over a, result of relax_0
// CHECK-NEXT: scalar code
// CHECK-NEXT: a = result of relax_0
// CHECK-NEXT: one block of a GPU: up to 2048 elements
// CHECK-NEXT: host waits: once, not 1 time a turn

// Scalars that turns change are captured; both sides of a branch have commands; a test reads what the turn made.
int steps(ikra::array<int> a, ikra::array<int> b, int n) {
  int total = 0;
  ikra::host_section([&] {
    int k = 0;
    do {
      a = a.pmap([k](int x) { return x + k; }).pmap([total](int x) { return x ^ total; });
      if (a.sum() % 2 == 0) {
        b = a;
        std::swap(a, b);
      } else
        a = (a + b) * (k + 1);
      if (total > 100)
        break;
      total += b.count([](int x) { return x > 3; });
      ++k;
    } while (k < n && a.any([](int x) { return x > 0; }));
  });
  return total + a[0];
}
// CHECK: turn turn_of_steps at line [[@LINE-15]]: do
// CHECK-NEXT: arrays: a (carried), b (carried)
// CHECK-NEXT: scalars on the device: k (carried), total (carried), result_1, leaves_loop, result_2, result_3, n
// CHECK-NEXT: buffers: 4 of int
// CHECK-NEXT: before:
// CHECK-NEXT: scalar code
// CHECK-NEXT: turn:
// CHECK-NEXT: kernel steps_{{[0-9]+}} -> steps_{{[0-9]+}} over a, stored; steps_{{[0-9]+}} over result of steps_{{[0-9]+}}
// CHECK-NEXT: a = result of
// CHECK-NEXT: branch
// CHECK-NEXT: b = a
// CHECK-NEXT: swap a, b
// CHECK-NEXT: else
// CHECK-NEXT: kernel steps_{{[0-9]+}} -> steps_{{[0-9]+}} over a, b
// CHECK-NEXT: a = result of
// CHECK-NEXT: branch
// CHECK-NEXT: scalar code
// CHECK-NEXT: else
// CHECK-NEXT: kernel steps_{{[0-9]+}} -> steps_{{[0-9]+}} over b
// CHECK-NEXT: scalar code
// CHECK-NEXT: test:
// CHECK-NEXT: kernel steps_{{[0-9]+}} -> steps_{{[0-9]+}} over a
// CHECK-NEXT: one block of a GPU: up to 2048 elements
// CHECK-NEXT: host waits: once, not 3 times a turn

// Loops in loops, a switch, elements by a computed place, a return of a number: the turn notes what it leaves, and the
// host returns.
int within(ikra::array<int> a, int n) {
  return ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      for (int m = 0; m < a[k % 5]; ++m) {
        a = a.pmap([m](int x) { return x / 2 + m; });
        if (a.sum() % 3 == 0)
          break;
      }
      switch (a[(k + 1) % 5]) {
      case 3:
        return k;
      case 4:
        continue;
      default:
        a = a.pmap([](int x) { return x + 1; });
      }
    }
    return -1;
  });
}
// CHECK: turn turn_of_within at line [[@LINE-18]]: for
// CHECK-NEXT: arrays: a (carried)
// CHECK-NEXT: scalars on the device: k, m, result_1, leaves_loop, fails, element_2, goes_on, element_3, chosen, returns (carried), returned (carried), n
// CHECK: turn:
// CHECK-NEXT: scalar code
// CHECK-NEXT: loop with a
// CHECK-NEXT: kernel within_{{[0-9]+}} over a, stored; within_{{[0-9]+}} over result of within_{{[0-9]+}}
// CHECK-NEXT: a = result of
// CHECK-NEXT: branch
// CHECK-NEXT: scalar code
// CHECK-NEXT: branch
// CHECK-NEXT: else
// CHECK-NEXT: scalar code
// CHECK-NEXT: branch
// CHECK-NEXT: scalar code
// CHECK-NEXT: else
// CHECK-NEXT: element of a
// CHECK-NEXT: scalar code
// CHECK-NEXT: element of a
// CHECK-NEXT: scalar code
// CHECK-NEXT: branch
// CHECK-NEXT: scalar code
// CHECK-NEXT: else
// CHECK-NEXT: branch
// CHECK-NEXT: else
// CHECK-NEXT: kernel within_{{[0-9]+}} over a
// CHECK: host waits: once, not 3 times a turn

// Instantiations have turns of their own, which one text asks for. What a called lambda does stands where the call does.
template <class T> int halvings(ikra::array<T> a, T limit) {
  int k = 0;
  ikra::host_section([&] {
    const auto most = [&] { return a.preduce(ikra::max).value(); };
    const auto next = [](const ikra::array<T>& of, int by) { return of.pmap([by](T x) { return static_cast<T>(x / 2 + by % 2); }); };
    while (most() > limit && k < 20) {
      a = next(a, k);
      ++k;
    }
  });
  return k;
}
// CHECK: turn turn_of_halvings at line [[@LINE-7]]: while
// CHECK-NEXT: arrays: a (carried)
// CHECK-NEXT: scalars on the device: {{.*}}by{{.*}}
// CHECK: turn:
// CHECK-NEXT: scalar code
// CHECK-NEXT: kernel halvings_{{[0-9]+}} over a
// CHECK-NEXT: a = result of
// CHECK: turn turn_of_halvings_2 at line [[@LINE-14]]: while

// Nothing reads an element, but a stencil has a kernel each turn: one launch for all turns. The kernels are the turn's own.
// What each turn sets first may be empty before.
float pressure(ikra::array<float, 2> p, ikra::array<float, 2> w, int n) {
  ikra::array<float, 2> before;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      before = p;
      const auto sum = p.pzip(w).pstencil(ikra::box<1, 1>, 0.0f, [](const auto& v) {
        float all = 0;
        for (int i = -1; i <= 1; ++i)
          all += std::get<0>(v(i, 1 - i * i)) * std::get<1>(v(0, 0));
        return all;
      });
      const auto change = sum.pcombine(p, [](float s, float x) { return (s - x) / 4; });
      p = p.pcombine(change, [](float x, float by) { return x + by / 2; });
    }
  });
  return before.sum() + p.sum();
}
// CHECK: turn turn_of_pressure at line [[@LINE-14]]: for
// CHECK-NEXT: arrays: p (carried), before (carried), w
// CHECK: turn:
// CHECK-NEXT: before = p
// CHECK-NEXT: kernel pressure_{{[0-9]+}} -> pressure_{{[0-9]+}} -> pressure_{{[0-9]+}} -> pressure_{{[0-9]+}} over p, w
// CHECK-NEXT: p = result of
// CHECK-NEXT: scalar code
// CHECK-NEXT: one block of a GPU: up to 2048 elements
// CHECK-NEXT: launches: 1 a turn, queued by the host

// The same, but only the last change is asked for: a turn has two kernels since it keeps that, the lazy loop has one.
float kept(ikra::array<float, 2> p, ikra::array<float, 2> w, int n) {
  ikra::array<float, 2> change;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      const auto sum = p.pzip(w).pstencil(ikra::box<1, 1>, 0.0f, [](const auto& v) {
        return std::get<0>(v(1, -1)) + std::get<0>(v(-1, 1)) * std::get<1>(v(0, 0));
      });
      change = sum.pcombine(p, [](float s, float x) { return (s - x) / 4; });
      p = p.pcombine(change, [](float x, float by) { return x + by / 2; });
    }
  });
  return change.sum() + p.sum();
}
// CHECK-NOT: turn_of_kept

// These stay, without a warning: maps alone are a loop kernel; plain stencils run two steps a kernel, in tiles; only the last
// picture is ever asked for.
int stay(ikra::array<int> a, ikra::array<float, 2> field, ikra::array<float> line, int n) {
  ikra::array<int> picture;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k)
      a = a.pmap([k](int x) { return x * 3 + k; });
    for (int k = 0; k < n; ++k) {
      field = field.pstencil({{-1, 0}, {0, 0}, {1, 0}}, ikra::keep, [](const auto& v) { return (v(-1, 0) + v(0, 0) + v(1, 0)) / 3; });
    }
    for (int k = 0; k < n; ++k) {
      line = line.pstencil({-1, 1}, 1.0f, [](const auto& v) { return v[-1] - v[1] / 2; });
      picture = line.pmap([](float x) { return static_cast<int>(x * 16); });
    }
  });
  return a.sum() + static_cast<int>(field.sum()) + picture.sum();
}
// CHECK-NOT: turn_of_stay

// What functions do stands where the call does, too: of arrays, of numbers, by another name.
static int mean_of(const ikra::array<int>& of, int n) {
  const int sum = of.sum();
  return sum / n;
}
template <class T> static void lower(ikra::array<T>& of, T by) { of = of.pmap([by](T x) { return x - by; }); }
int lowered(ikra::array<int> a, int n) {
  int k = 0;
  ikra::host_section([&] {
    const auto most = [n](const auto& of) { return of.preduce(ikra::max).value() + n; };
    while (most(a) > 3 && k < 9) {
      lower(a, mean_of(a, n));
      ++k;
    }
  });
  return k + a[1];
}
// CHECK: turn turn_of_lowered at line [[@LINE-7]]: while
// CHECK-NEXT: arrays: a (carried)
// CHECK: turn:
// CHECK: kernel mean_of_{{[0-9]+}} over a
// CHECK: kernel lower_{{[0-9]+}} over a
// CHECK-NEXT: a = result of lower
// CHECK: host waits: once, not 2 times a turn

// What stays out says why.
int counted(ikra::array<int> a, int n) {
  int k = 0;
  ikra::host_section([&] {
    int by = 1;
    const auto next = [by](const ikra::array<int>& of) { return of.sum() + by; };
    ++by;
    while (next(a) > by && k < n)
      ++k;
  });
  return k;
}
// CHECK: no turn at line [[@LINE-5]]: while, since the lambda that it calls keeps a copy of 'by', which may change; the host waits 1 time a turn

// CODE: template <> struct ikra::rt::turn_code<{{.*}}::turn_of_halvings>
// CODE: template <class... T> struct ikra::rt::turn_code<{{.*}}::turns_of_halvings<T...>> {
// CODE: if (!::ikra::rt::turns<::{{.*}}::turn_of_relax>(a, limit, change, turns, most)) {{.*}} while (change > limit && turns < most) {
// CODE: if (::ikra::rt::turn_return<int> ikra_return; ::ikra::rt::turns<::{{.*}}::turn_of_within>(a, ikra_return.happened, ikra_return.value, n)) { if (ikra_return.happened) return ikra_return.value; } else {{.*}} for (int k = 0; k < n; ++k) {
// CODE: if (!::ikra::rt::turns<::{{.*}}::turns_of_halvings<T>>(a, {{.*}}k{{.*}})) {{.*}} while (most() > limit && k < 20) {
// CODE: struct turn_of_relax_scalars {
// CODE: float change;
// CODE: struct turn_of_relax_code_3 {
// CODE: change = result_1;
// CODE: static_cast<float>(limit)
// CODE: t.repeat(true, turn_of_relax_goes_on{}, turn_of_relax_ends{}, std::tuple(&a), [&] {
// CODE: auto later_0 = t.later_stencil<float, relax_0_device::footprint>(space_{{[0-9]+}}, turn_of_relax_body_0{}, a);
// CODE: t.reduce_stored<float, 0>(space_{{[0-9]+}}, turn_of_relax_body_2{}, turn_of_relax_combine_2{}, ikra::rt::no_first{}, ikra::rt::then(&turn_of_relax_scalars::result_1, ikra::rt::then_test<turn_of_relax_ends>{}), a, later_0);
// CODE: a = result_of_0;
// CODE: t.give(space_{{[0-9]+}}, a, given_0);
// CODE: auto later_[[N:[0-9]+]] = t.later_elementwise<int, 0>(space_{{[0-9]+}}, turn_of_steps_body_[[N]]{}, a);
// CODE-NEXT: t.reduce(space_{{[0-9]+}}, turn_of_steps_combine_{{.*}}&turn_of_steps_scalars::result_1, later_[[N]]);
// CODE-NEXT: auto result_of_[[N]] = std::move(later_[[N]].result);
// CODE: t.repeat_inside(true, turn_of_within_goes_on_{{[0-9]+}}{}, turn_of_within_{{ends|goes_on}}_{{[0-9]+}}{}, std::tuple(&a), [&] {
// CODE: t.run(turn_of_within_read_{{.*}}{ikra::rt::view_of(a)});
// CODE: if (t.scalars().fails) return false;
// CODE: ikra::rt::turn<turn_of_pressure_scalars, ikra::rt::turn_form::queued> t(turn_of_pressure_info);
// CODE: if (!(t.add_assigned(space_{{[0-9]+}}, p, given_0, false) && t.add(space_{{[0-9]+}}, w, given_2, false)))
// CODE: t.stencil<float, turn_of_pressure_kernel_{{[0-9]+}}::footprint>(space_{{[0-9]+}}, turn_of_pressure_body_{{[0-9]+}}{}, p, w);

int main() {
  ikra::array<float, 2> field =
      ikra::pnew({40, 30}, [](const ikra::index<2>& i) { return static_cast<float>(i[0] * i[1] % 16); });
  const int turns = relax(field, 0.125f);
  std::printf("relax %d %.6f %.6f\n", turns, static_cast<double>(field(20, 15)), static_cast<double>(field(3, 7)));
  const ikra::array<int> a = ikra::pnew(100, [](std::int64_t i) { return static_cast<int>(i % 7); });
  std::printf("steps %d\n", steps(a, a.pmap([](int x) { return x / 2; }), 9));
  std::printf("within %d\n", within(a, 9));
  std::printf("kept %.4f\n", static_cast<double>(kept(field, field, 5)));
  std::printf("pressure %.4f %d\n", static_cast<double>(pressure(field, field, 5)), stay(a, field, a.pmap([](int x) { return x / 8.0f; }), 3));
  std::printf("lowered %d %d\n", lowered(a, 100), counted(a, 4));
  std::printf("halvings %d %d\n", halvings(a, 1), halvings(a.pmap([](int x) { return x / 3.0; }), 0.25));
}
// OUT: relax
// OUT-NEXT: steps
// OUT-NEXT: within {{-?[0-9]+}}
// OUT-NEXT: kept {{-?[0-9.]+}}
// OUT-NEXT: pressure {{-?[0-9.]+ [0-9]+}}
// OUT-NEXT: lowered {{-?[0-9]+}} 4
// OUT-NEXT: halvings {{[0-9]+ [0-9]+}}
// LEFT: this keeps the 'while' loop of a host section at line {{[0-9]+}} from running as turns, since the lambda that it calls keeps a copy of 'by', which may change
// LEFT: 1 warning generated
// TRACE: relax
// TRACE-NOT: relax
