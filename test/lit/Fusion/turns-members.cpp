// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods in turns: of local structs, and of the object whose method has the loop; its members are variables.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2>/dev/null | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefix=OUT
// OUT: 1688498 12974 157458 571838 1053305 185541
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>
#include <utility>

using numbers = ikra::array<int>;

// CHECK-LABEL: turn turn_of_schedule
// CHECK: arrays: a (carried)
// CHECK-NEXT: scalars on the device: {{.*}}temperature (carried){{.*}}by (carried), step (carried)
// CHECK: host waits: once
// CODE: turns<::{{.*}}::turn_of_schedule>(a, limit, c.temperature, total, c.by, c.step, whole))
struct cooling {
  int temperature = 900, by = 3, step = 0;
  void cool() {
    temperature -= temperature / by;
    ++step;
  }
  void reheat(int most) {
    for (int k = 0; k < 2; ++k)
      temperature += most / (k + 2);
    cool();
  }
  bool is_cold(int limit) const { return temperature < limit; }
};
int schedule(numbers a, int limit) {
  cooling c;
  cooling whole;
  int total = 0;
  ikra::host_section([&] {
    while (c.step < 40) {
      if (c.is_cold(limit))
        break;
      a = a.pmap([t = c.temperature](int x) { return (x * 3 + t) % 1009; });
      total += a.sum();
      c.cool();
      if (c.step % 3 == 1)
        c.reheat(total % 5);
      const cooling before = whole;
      whole.cool();
      total += whole.temperature * 3 + before.step;
    }
  });
  return total + c.temperature + c.step * 7 + whole.step;
}

class solver {
public:
  explicit solver(numbers u) : u_(std::move(u)) {}
  // CHECK-LABEL: turn turn_of_run
  // CHECK: arrays: u_ (carried)
  // CHECK-NEXT: scalars on the device: {{.*}}change_ (carried){{.*}}turns_ (carried)
  // CHECK: host waits: once
  // CODE: turns<::{{.*}}::turn_of_run>(this->u_, {{.*}}this->change_,
  void run(int most) {
    ikra::host_section([&] {
      while (change_ > 0 && turns_ < most) {
        const numbers next = step(u_);
        change_ = difference(next);
        u_ = next;
        ++turns_;
      }
    });
  }
  // What is given may be a member.
  // CHECK-LABEL: turn turn_of_mix
  // CODE: turns_apart<::{{.*}}::turn_of_mix>(
  void mix(const numbers& more, int n) {
    ikra::host_section([&] {
      for (int k = 0; k < n; ++k) {
        u_ = u_.pcombine(more, [k](int x, int y) { return (x + y * k) % 1013; });
        change_ += u_.sum();
      }
    });
  }
  int sum() const { return u_.sum() + change_ + turns_; }
  const numbers& now() const { return u_; }

private:
  numbers step(const numbers& of) const {
    return of.pstencil({-1, 0, 1}, 0, [](auto v) { return (v[-1] + v[1] + v[0] * 2) / 4; });
  }
  int difference(const numbers& next) const {
    return next.pcombine(u_, [](int x, int y) { return (x - y) * (x - y); }).sum();
  }
  numbers u_;
  int change_ = 1, turns_ = 0;
};

// Arrays in a local struct's fields.
// CHECK-LABEL: turn turn_of_waves
// CHECK: arrays: now (carried), past (carried)
// CODE: turns<::{{.*}}::turn_of_waves>(w.now, w.past,
struct wave {
  numbers past, now;
  int steps = 0;
  void step(int by) {
    const numbers next = now.pcombine(past, [by](int n, int p) { return (n * 2 - p + by) % 1009; });
    std::swap(past, now);
    now = next;
    ++steps;
  }
  int energy() const { return now.pcombine(past, [](int x, int y) { return (x - y) * (x - y); }).sum(); }
};
int waves(numbers a, int n) {
  wave w{a, a};
  int last = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      w.step(k);
      last = w.energy();
      if (last % 17 == 3)
        break;
    }
  });
  return last + w.steps * 3 + w.now.sum() + w.past.sum();
}

struct base {
  numbers held;
};
// CHECK-LABEL: turn turn_of_inherited
// CHECK: arrays: held (carried)
struct derived : base {
  int inherited(int n) {
    int total = 0;
    ikra::host_section([&] {
      for (int k = 0; k < n; ++k) {
        held = held.pmap([k](int x) { return x + k; });
        total += held.sum();
      }
    });
    return total;
  }
};

// What stays says what it is.
class hidden {
public:
  void step() { ++steps_; }
  virtual int steps() { return steps_; }
  virtual ~hidden() = default;

private:
  int steps_ = 0;
};
int left(numbers a, int n) {
  hidden h;
  hidden* const to = &h;
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      total += a.pmap([k](int x) { return x + k; }).sum();
      h.step();
      // LEFT: since 'steps_' is no public member (make it one)
    }
    for (int k = 0; k < n; ++k) {
      total += a.pmap([k](int x) { return x + k; }).sum() + h.steps();
      // LEFT: since 'steps' is a method of 'hidden', which is virtual, or whose body is not seen (call a function of its arrays and numbers)
    }
    for (int k = 0; k < n; ++k) {
      total += a.pmap([k](int x) { return x + k; }).sum();
      to->step();
      // LEFT: since 'step', which it calls, is a method of what is no variable, and no member of one
    }
  });
  return total + derived{{a}}.inherited(n);
}

int main() {
  const numbers a = ikra::pnew(300, [](std::int64_t i) { return int(i * i % 101); });
  solver s(a);
  s.run(20);
  std::printf("%d %d ", schedule(a, 4), s.sum());
  s.mix(a, 3);
  std::printf("%d ", s.sum());
  s.mix(s.now(), 3); // one variable has two names
  std::printf("%d %d %d\n", s.sum(), waves(a, 11), left(a, 3));
}
