// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two buffers that take turns, and structs of arrays and numbers, are variables of a turn.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=fusion %t/accepted.cpp -- %ikra_flags 2>&1 | FileCheck %t/accepted.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %t/accepted.cpp --check-prefix=CODE
// RUN: %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <array>

using numbers = ikra::array<int>;

// The buffers change places: nothing is chosen where turns run.
// CHECK-LABEL: turn turn_of_by_mask
// CHECK-NEXT: arrays: buf_0 (carried), buf_1 (carried)
// CHECK-NEXT: scalars on the device: {{.*}}, turned
// CHECK-NEXT: by the lowest bit of t_: buf_0, not buf_1
// CHECK-NEXT: buffers: 2 of int
// CHECK: turn:
// CHECK-NEXT: scalar code
// CHECK-NEXT: kernel by_mask_0 over buf_0, stored; by_mask_1 over result of by_mask_0
// CHECK-NEXT: buf_1 = result of by_mask_0
// CHECK-NEXT: scalar code
// CHECK-NEXT: swap buf_0, buf_1
// CHECK-NEXT: one block of a GPU: up to 2048 elements
// CHECK-NEXT: host waits: once
// CODE-DAG: turns<::{{.*}}::turn_of_by_mask>(buf[0], buf[1], total, turns))
// CODE-DAG: const bool starts_0 = (false);
// CODE-DAG: void* const pair_0[] = {given[0], given[1]};
// CODE-DAG: auto& given_0 = *static_cast<ikra::array<int, 1>*>(pair_0[starts_0 ? 1 : 0]);
// CODE-DAG: auto& given_1 = *static_cast<ikra::array<int, 1>*>(pair_0[starts_0 ? 0 : 1]);
// CODE-DAG: if (t.scalars().turned)
// The second one is set before it is read, so its memory is the result's; the first one's memory is the turn's, too.
// CODE-DAG: t.expect_arrays<int>(space_0, 2);
// CODE-DAG: t.forget(buf_1);
int by_mask(numbers a, int turns) {
  numbers buf[2] = {a, a};
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const int now = t & 1;
      buf[1 - now] = buf[now].pmap([](int x) { return x + 1; });
      total += buf[1 - now].sum();
    }
  });
  return total + buf[0].sum();
}

// What is moved away is empty after the loop. What is set again is not.
// CHECK-LABEL: turn turn_of_wave
// CHECK-NEXT: arrays: a (carried), before (carried), next (moved)
// CODE-DAG: t.give_nothing(next, given_2);
// CODE-DAG: t.give(space_0, before, given_1);
int wave(numbers a, numbers before, numbers next, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      next = a.pcombine(before, [](int now, int was) { return 2 * now - was; });
      before = std::move(a);
      a = std::move(next);
      total += a.sum();
    }
  });
  return total + before.sum() + next.size();
}

// Of three the counter chooses by its remainder: they are rotated, and brought back after the loop.
// CHECK-LABEL: turn turn_of_levels
// CHECK: by the remainder of t_: u_0, u_1, u_2
// CHECK: kernel levels_{{[0-9]+}} over u_1, u_0, stored
// CHECK: swap u_0, u_1
// CHECK-NEXT: swap u_1, u_2
// CODE-DAG: turned = (turned + 1) % 3U;
// CODE-DAG: for (; t.scalars().turned != 0; --t.scalars().turned) {
int levels(const numbers& a, int turns) {
  std::array<numbers, 3> u{a, a, a};
  int total = 0;
  ikra::host_section([&] {
    for (int t = 1; t < turns; ++t) {
      const int now = t % 3;
      u[(t + 1) % 3] = u[now].pcombine(u[(t - 1) % 3], [](int now, int was) { return 2 * now - was; });
      total += u[(t + 1) % 3].sum();
    }
  });
  return total + u[0].sum();
}

// Where it starts is a scalar's bit; the buffers change places where the loop breaks off, too.
// CHECK-LABEL: turn turn_of_by_number
// CHECK: by the lowest bit of t_
// CHECK: branch
// CHECK: swap buf_0, buf_1
// CODE-DAG: const bool starts_0 = !((t.scalars().now & 1) != 0);
int by_number(numbers a, int now) {
  std::array<numbers, 2> buf{a, a};
  ikra::host_section([&] {
    for (int t = now + 1; t < 100; t++) {
      auto& in = buf[t % 2];
      auto& out = buf[(t + 1) % 2];
      out = in.pmap([](int x) { return x + 1; });
      if (out.sum() > 700)
        break;
    }
  });
  return buf[0].sum();
}

struct state {
  numbers p, v;
  int by;
};
void advance(state& s) {
  s.p = s.p.pcombine(s.v, [by = s.by](int x, int y) { return x + y * by; });
  s.by = s.by % 7 + 1;
}
state turned(const state& s) { return {s.v, s.p, s.by}; }

// CHECK-LABEL: turn turn_of_states
// CHECK-NEXT: arrays: p (carried), v (carried), copied (its own)
// CHECK: copied = v
// CHECK-NEXT: p = copied
// CHECK-NEXT: v = result of
// CODE-DAG: turns_apart<::{{.*}}::turn_of_states>(s.p, s.v, s.by, total, turns))
int states(state& s, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      advance(s);
      s = turned(s);
      total += s.v.sum();
    }
  });
  return total;
}

// What an `if` sets as a whole, with numbers in a struct of their own.
struct pace { double dt; int every; };
struct paced { numbers p; pace by; };
struct kept { paced now, best; int most = 0; };
int best_of(kept k, int n) {
  ikra::host_section([&] {
    for (int t = 0; t < n; ++t) {
      k.now = {k.now.p.pmap([by = k.now.by.every](int x) { return x * by % 101; }), {k.now.by.dt / 2, k.now.by.every + 1}};
      const int most = k.now.p.preduce(ikra::max).value();
      if (most > k.most) {
        k.best = k.now;
        k.most = most;
      }
    }
  });
  return k.best.by.every + k.most;
}
// CHECK-LABEL: turn turn_of_best_of at line
// CHECK: branch
// CHECK-NEXT: [[COPY:copied_*]] = p
// CHECK-NEXT: scalar code
// CHECK-NEXT: p_ = [[COPY]]

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <utility>

using numbers = ikra::array<int>;

struct made {
  made(numbers a) : p(a), n(0) {}
  numbers p;
  int n;
};

struct both {
  numbers p, v;
};

int loops(numbers a, int n) {
  numbers buf[2] = {a, a}, ring[3] = {a, a, a};
  int now = 0, total = 0;
  made m(a);
  ikra::host_section([&] {
    for (int t = 0; t < n; ++t) {
      buf[1 - now] = buf[now].pmap([](int x) { return x + 1; });
      now = total / 3 % 2;
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since 'now' chooses one of 'buf[0]' and 'buf[1]', and this sets it to what is not seen (change it by one, as in ++t or now = 1 - now)
      total += buf[now].sum();
    }
    for (int t = 0; t < n; ++t) {
      buf[total % 2] = buf[t & 1].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:24: warning: {{.*}}, since two numbers choose in 'buf', 'total' and 't_' (make one of the other where it is used)
      total += buf[0].sum();
    }
    for (int t = 0; t < n; ++t) {
      buf[t / 2] = buf[t & 1].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since it is not seen how this place in 'buf' follows from a number that turns change by one (write t & 1, or 1 - now)
      total += buf[1].sum();
    }
    for (int t = 0; t < n; ++t) {
      buf[t & 1] = buf[1].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:20: warning: {{.*}}, since 'buf' is named with a constant, and with a number that chooses (use one of these in a loop)
      total += buf[t & 1].sum();
    }
    for (unsigned t = 0; t < unsigned(n); ++t) {
      ring[t % 3] = ring[(t + 2) % 3].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since a number chooses one of the arrays in 'ring' (turns know constants, (t + 1) % 3 of the loop's own counter that starts from a constant, and the lowest bit of a number that chooses one of two; or use std::swap)
      total += ring[t % 3].sum();
    }
    for (int t = 0; t < n; ++t) {
      auto& out = buf[t & 1];
      if (a.sum() > 7)
        ++t;
      total += out.sum();
      // CHECK: refused.cpp:[[@LINE-1]]:16: warning: {{.*}}, since 'out' was bound before the number changed that chooses its array (bind it after)
    }
    for (int k = 0; k < n; ++k) {
      for (int t = 0; t < k; ++t)
        buf[t & 1] = buf[~t & 1].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:9: warning: {{.*}}, since it is not seen how this place in 'buf' follows
      total += a.sum();
    }
    int first = -3;
    for (int k = first; k < n; ++k) {
      buf[(k + 1) & 1] = buf[k & 1].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}, since 'k' starts with 'first', which the loop changes (keep what it was in another variable)
      first -= buf[k & 1].sum() % 2;
    }
    numbers three[3] = {a, a, a};
    for (int t = n % 3; t < n; ++t) {
      three[(t + 1) % 3] = three[t % 3].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since a number chooses one of the arrays in 'three' (turns know constants, (t + 1) % 3 of the loop's own counter that starts from a constant, and the lowest bit of a number that chooses one of two; or use std::swap)
      total += three[t % 3].sum();
    }
    for (int t = 0; t < n; t += 2) {
      three[(t + 1) % 3] = three[t % 3].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since a number chooses one of the arrays in 'three'
      total += three[t % 3].sum();
    }
    for (int t = 0; t < n; ++t) {
      three[(t + 1) % 3] = three[0].pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}, since 'three' is named with a constant, and with a number that chooses (use one of these in a loop)
      total += three[t % 3].sum();
    }
    numbers *in = &buf[0], *out = &buf[1];
    for (int t = 0; t < n; ++t) {
      *out = in->pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since a pointer leads to this array (swap the arrays themselves, which moves no element, or choose one of two by a number, buf[t & 1]): the host waits for the device 1 time in each turn
      total += out->sum();
      std::swap(in, out);
    }
    for (int t = 0; t < n; ++t) {
      m = made(a);
      // CHECK: refused.cpp:[[@LINE-1]]:11: warning: {{.*}}, since a struct is made of no list in braces, and of no variable (set its fields one by one)
      total += m.p.sum();
    }
    for (int t = 0; t < n; ++t) {
      both next;
      // CHECK: refused.cpp:[[@LINE-1]]:12: warning: {{.*}}, since a struct is made without its fields (give them in braces)
      next.p = a.pmap([](int x) { return x + 1; });
      total += next.p.sum();
    }
    for (int t = 0; t < n; ++t) {
      numbers next = a.pmap([](int x) { return x + 1; });
      if (total > 0)
        buf[0] = std::move(buf[1]);
      // CHECK: refused.cpp:[[@LINE-1]]:18: warning: {{.*}}, since it moves 'buf[1]' in a part of the turn, or in a loop within it (write 'buf[1]' alone: a copy shares its elements; or use std::swap)
      else
        buf[0] = next;
      buf[1] = next;
      total += buf[0].sum();
    }
    for (int t = 0; t < n; ++t) {
      made before = m;
      // CHECK: refused.cpp:[[@LINE-1]]:21: warning: {{.*}}, since 'm' is a struct, and no aggregate (set its fields one by one)
      total += before.p.sum();
    }
  });
  return total;
}
