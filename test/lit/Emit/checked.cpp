// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a checked build looks at, and what needs no look: constant indices inside of an array,
// divisors and shifts that are known, the section's own element, a method's receiver.
//
// RUN: %ikrac --check -o %t.cu %s -- %ikra_flags && %emitted %t.cu | FileCheck %s
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=VALUES
// RUN: %ikrac --check --print=bodies %s -- %ikra_flags | FileCheck %s --check-prefix=BODIES
// RUN: %ikrac --check --print=fusion %s -- %ikra_flags | FileCheck %s --check-prefix=FUSION
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Street {
  IKRA_OBJECT
  int length = 3;
  int ramp[4] = {};
  int half() const { return length / 2; }
};
struct Car {
  IKRA_OBJECT
  int at = 0, speed = 1;
  unsigned gears = 5;
  Street* street = nullptr;
  std::vector<int> history;
  // BODIES: library ikra::checked::changed may-fail
  // BODIES: library ikra::checked::divisor may-fail
  // BODIES: library ikra::checked::divisor_of may-fail
  // BODIES: library ikra::checked::at may-fail
  // BODIES: library ikra::checked::shift_count<32> may-fail
  void move(int t) {
    at += street->length / gears;
    at %= speed;
    history[t] = at << 3;
    at += street->ramp[2] % 5;
    at += street->half() >> t;
  }
};

void run(std::vector<std::unique_ptr<Car>>& cars) {
  ikra::array all{cars};
  // What a section over objects notes, and the loop of the host, which is no turn.
  // FUSION-NOT: turn
  // FUSION-NOT: sequence
  for (int t = 0; t < 100; ++t)
    all.peach([t](Car* c) { c->move(t); });
}

// Bodies over values are told the place, also where they share a kernel.
int values(const ikra::array<int, 1>& all, int by) {
  return all.pmap([by](int x) { return x / by; }).pmap([](int x) { return x + 1; }).sum();
}
// CHECK: constexpr ikra::rt::checked_use checks[] = {
// CHECK: {"{{.*}}checked.cpp", {{[0-9]+}}, {{[0-9]+}}, ikra::rt::checked_use::division},
// CHECK: _info{"run", {{.*}}, ikra::rt::null_elements::refused, nullptr, checks};
// CHECK: void Car_move(const reporting_columns_view& w, Self& self, int t)
// CHECK: ikra::checked::changed(w.Car_at[self.id], [[CHANGE:[0-9]+]], w.nulls) += w.Street_length[ikra::checked::object(w.Car_street[self.id], {{[0-9]+}}, w.nulls)] / ikra::checked::divisor(w.Car_gears[self.id], [[DIVISION:[0-9]+]], w.nulls);
// CHECK: ikra::checked::changed(w.Car_at[self.id], {{[0-9]+}}, w.nulls) %= ikra::checked::divisor_of(w.Car_at[self.id], w.Car_speed[self.id], {{[0-9]+, [0-9]+}}, w.nulls);
// CHECK: ikra::checked::assign(ikra::checked::at(w.Car_history[self.id], t, {{[0-9]+}}, w.nulls), w.Car_at[self.id] << 3, {{[0-9]+}}, w.nulls);
// CHECK: w.Street_ramp[ikra::checked::object(w.Car_street[self.id], {{[0-9]+}}, w.nulls)][2] % 5
// CHECK: Street_half(w, ikra::checked::object(w.Car_street[self.id], {{[0-9]+}}, w.nulls)) >> ikra::checked::shift_count<32>(t, {{[0-9]+}}, w.nulls)
// CHECK: IKRA_OWN_BODY(body) here = *this;
// CHECK-NEXT: here.w.nulls.element = id;
// CHECK: reporting_columns_view(s.columns(), s.failures())
// VALUES: friend IKRA_DEVICE void name_index(body& of, std::uint64_t index) { of.w.nulls.index = index; }
// VALUES: return ikra::checked::quotient(x, by, {{[0-9]+, [0-9]+}}, w.nulls);
// VALUES: struct fused_into_[[SUM:values_[0-9]]] {
// VALUES: friend IKRA_DEVICE void name_index(fused_into_[[SUM]]& of, std::uint64_t index) { name_index(of.values_{{[0-9]}}, index); name_index(of.values_{{[0-9]}}, index); }
