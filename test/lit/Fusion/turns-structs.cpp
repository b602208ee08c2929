// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs, std::array and enumerations as scalars of turns: their variables, elements, captures, and what a stencil has outside.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {
struct progress {
  float residual = 1;
  int turns = 0;
};
} // namespace
struct limits {
  progress from;
  double least = 0.25;
};
template <class T> struct extent {
  T low{}, high{};
};
enum level { low = 3, high = 9 };
enum class state : unsigned char { running, slow, done };
using numbers = ikra::array<float>;

static float most(const numbers& a) { return a.preduce(ikra::max).value(); }
static progress next(progress of, float residual) { return {residual, of.turns + 1}; }
static void note(progress& to, float residual) {
  to.residual = residual;
  ++to.turns;
}

// Assigned as a whole: from braces, from a function, from another one.
// CHECK: turn turn_of_whole at line {{[0-9]+}}: while
// CHECK-NEXT: arrays: a (carried)
// CHECK-NEXT: scalars on the device: s_ (carried), before, own, {{.*}}best (carried)
int whole(numbers a) {
  progress s, best;
  ikra::host_section([&] {
    while (s.residual > 0.01f) {
      const progress before = s;
      progress own;
      a = a.pmap([](float x) { return x * 0.75f; });
      s = progress{most(a), s.turns + 1};
      if (own.turns == 0 && before.residual < 0.5f) {
        s = next(s, before.residual * 0.5f);
        note(s, s.residual * 0.5f);
        best = before;
      }
    }
  });
  return s.turns * 100 + best.turns;
}
// CODE: struct turn_of_whole_scalars {
// CODE: progress s_;
// CODE: progress best;

// Structs of structs, one of a template, and an array of them.
// CHECK: turn turn_of_nested at line {{[0-9]+}}: for
double nested(numbers a, limits l, int n) {
  std::array<progress, 2> both;
  extent<double> e;
  std::array<int, 4> last{1, 2, 3};
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](float x) { return x * 0.75f + 1; });
      both[static_cast<std::size_t>(k % 2)].residual += a.sum();
      both[1].turns += 2;
      l.from = both[0];
      l.least *= 0.5;
      e = {e.low + l.least, double(l.from.residual)};
      last = {k, static_cast<int>(e.low * 1000), last[0], last[1]};
      {
        progress l(both[1]); // another variable of that name
        l.turns += last[2];
        both = {l, both[1]};
      }
    }
  });
  return e.low + e.high + both[0].residual + both[1].residual + both[0].turns + both[1].turns + l.from.turns + last[0] + last[1] + last[3];
}

// A pair's numbers, and an array's.
// CHECK: turn turn_of_parts at line {{[0-9]+}}: while
float parts(numbers a) {
  std::pair<float, int> p{1.0f, 0};
  std::array<float, 3> last{1, 1, 1};
  ikra::host_section([&] {
    while (p.first > 0.01f && last[0] > 0.001f) {
      a = a.pmap([](float x) { return x * 0.75f; });
      p.first = most(a);
      ++p.second;
      for (int k = 0; k < 2; ++k)
        last[static_cast<std::size_t>(k)] = last[static_cast<std::size_t>(k) + 1];
      last[2] = p.first * p.first;
    }
  });
  return float(p.second) + last[0] + last[1] + last[2];
}

// A section captures a struct that turns change.
// CHECK: turn turn_of_captured at line {{[0-9]+}}: while
float captured(numbers a) {
  progress s{8, 1};
  ikra::host_section([&] {
    while (s.turns < 6) {
      a = a.pmap([s](float x) { return x / s.residual + float(s.turns); });
      s = {s.residual - most(a.pmap([s, by = s.turns](float x) { return x * 0.01f * float(s.turns + by); })), s.turns + 1};
    }
  });
  return s.residual + a[2];
}
// CODE: s.s_
// CODE: return captured_{{[0-9]+}}_device::body{static_cast<{{.*}}progress>(s_)};

// Elements that are structs, a reduction into a field, a struct outside.
// CHECK: turn turn_of_elements at line {{[0-9]+}}: while
int elements(ikra::array<extent<int>> q) {
  limits l;
  extent<int> one{0, 0}, edge{1, 1};
  ikra::host_section([&] {
    while (l.from.turns < 40) {
      q = q.pstencil({-1, 1}, edge, [](const auto& v) { return extent<int>{v[-1].low + 1, (v[1].high + v[-1].high) / 2}; });
      one = q[2];
      l.from.turns += q[0].low + one.low;
      l.from.turns += static_cast<int>(q.count([](const extent<int>& x) { return x.low > x.high; }));
      edge = one;
    }
  });
  return l.from.turns * 1000 + one.high;
}

// Enumerations: variables, a border, a switch.
// CHECK: turn turn_of_levels at line {{[0-9]+}}: do
int levels(ikra::array<int> a) {
  state now = state::running;
  int turns = 0;
  level to = low;
  ikra::host_section([&] {
    do {
      a = a.pstencil({-1, 1}, low, [](const auto& v) { return (v[-1] + v[1]) / 2; });
      a = a.pstencil({-1, 1}, to, [](const auto& v) { return (v[-1] + v[1] + 1) / 2; });
      switch (now) {
      case state::running:
        now = a.sum() < 500 ? state::slow : state::running;
        break;
      case state::slow:
        now = a.sum() < 400 ? state::done : state::slow;
        to = high;
        break;
      default:
        break;
      }
    } while (now != state::done && ++turns < 40);
  });
  return static_cast<int>(now) * 100000 + to * 10000 + turns * 1000 + a.sum();
}

// Cells of a scoped enumeration.
// CHECK: turn turn_of_cells at line {{[0-9]+}}: for
int cells(ikra::array<state> a) {
  std::int64_t left = 100;
  state last = state::running;
  ikra::host_section([&] {
    for (int k = 0; k < 9 && left > 3; ++k) {
      a = a.pstencil({-1, 1}, state::slow, [](const auto& v) { return v[-1] == state::done && v[1] == state::done ? state::done : state::running; });
      left = a.count([](state c) { return c == state::done; });
      last = a[0];
    }
  });
  return static_cast<int>(left) * 10 + static_cast<int>(last);
}

// What stays as it is written.
struct counter {
  int n = 0;
  counter() = default;
  explicit counter(int from) : n(from) {}
  counter& operator+=(int by) {
    n += by;
    return *this;
  }
};
int left(ikra::array<int> a, progress& given) {
  counter c;
  ikra::host_section([&] {
    while (c.n < 100)
      c = counter(c.n + a.sum());
    while (c.n < 200)
      c += a.sum();
    while (given.turns < 9) {
      given.turns += a.sum();
    }
  });
  enum { inner_low, inner_high } local = inner_low; // moved out of its function
  ikra::host_section([&] {
    while (local == inner_low) {
      a = a.pmap([](int x) { return x * 2; });
      local = a.sum() > 100 ? inner_high : inner_low;
    }
  });
  return c.n + given.turns + a[0];
}
// LEFT: since it calls a constructor of 'counter'
// LEFT: 1 warning generated

// A field of a struct that is one scalar, by another name; a function that changes what it is given and gives a value.
struct weights {
  float a = 0, b = 0;
  progress of;
};
static float moved(progress& m, float by) {
  m.residual = m.residual * 0.5f + by;
  ++m.turns;
  return m.residual * 0.25f;
}
static void moved_in(progress& m, float& w, float by) {
  m.residual = m.residual * 0.5f + by;
  w -= m.residual * 0.25f;
  w += static_cast<float>(++m.turns);
}
// CHECK: turn turn_of_parts_by_name at line [[@LINE+5]]: for
float parts_by_name(numbers a) {
  weights w;
  progress m, k;
  ikra::host_section([&] {
    for (int t = 0; t < 6; ++t) {
      const float g = a.pmap([w](float x) { return x * 0.5f - w.a + w.b; }).preduce(ikra::max).value();
      moved_in(m, w.a, g);
      moved_in(w.of, w.b, w.a);
      w.b -= moved(k, g) + moved(w.of, 0.5f);
    }
  });
  return w.a + w.b * 3 + m.residual + k.residual + float(w.of.turns);
}

int main() {
  const numbers a = ikra::pnew(30, [](std::int64_t i) { return static_cast<float>(i % 7) / 8; });
  std::printf("whole %d\n", whole(a));
  std::printf("nested %g\n", nested(a, {}, 7));
  std::printf("parts %g\n", double(parts(a)));
  std::printf("captured %g\n", double(captured(a)));
  std::printf("by name %g\n", double(parts_by_name(a)));
  std::printf("elements %d\n", elements(ikra::pnew(20, [](std::int64_t i) { return extent<int>{static_cast<int>(i % 3), static_cast<int>(i)}; })));
  std::printf("levels %d\n", levels(ikra::pnew(30, [](std::int64_t i) { return static_cast<int>(i % 50); })));
  std::printf("cells %d\n", cells(ikra::pnew(30, [](std::int64_t i) { return i < 20 ? state::done : state::running; })));
  progress s;
  std::printf("left %d\n", left(ikra::pnew(4, [](std::int64_t i) { return static_cast<int>(i); }), s));
}
