// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that are given several objects, or objects and values: launches over values, in which
// objects are IDs. All arrays of objects are traced; null elements pass, unless elements are
// combined with each other by a section that does not name null.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --check-prefix=FUSION
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags && %emitted %t.ikra.cu | FileCheck %s
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Cart {
  int load = 0;
};
struct Track {
  Cart* on = nullptr;
  float length = 1;
};

int main() {
  std::vector<Cart> store{{4}, {1}, {9}};
  std::vector<Track> tracks{{&store[2]}, {&store[0]}, {&store[1]}};
  const auto carts = ikra::objects(store);
  const ikra::array weights{std::vector<float>{1, 2, 3}};

  // MODEL: section main_0 {{.*}}: pcombine over object of Cart, object of Track gives int
  // MODEL-NEXT: reads: {{Cart::load, Track::on|Track::on, Cart::load}}
  // MODEL-NEXT: takes null elements
  // MODEL-NEXT: checks what it dereferences
  // CHECK: main_0_info{{.*}}, ikra::rt::null_elements::passed};
  // CHECK: int operator()(ikra::object_id c, ikra::object_id t) const { return w.Cart_load[c] - w.Cart_load[w.Track_on[t]]; }
  const auto differences = carts.pcombine(ikra::objects(tracks), [](const Cart* c, const Track* t) { return c->load - t->on->load; });
  // MODEL: section main_2 {{.*}}: pcombine over float, object of Cart gives object of Cart
  const auto chosen = weights.pmap([](float w) { return w + 1; }).pcombine(carts, [](float w, Cart* c) { return w < 3.5f ? c : nullptr; });
  // MODEL: section main_3 {{.*}}: preduce over object of Cart gives object of Cart
  // MODEL-NEXT: reads: Cart::load
  // MODEL-NEXT: may run in place
  // MODEL-NEXT: section main_4 {{.*}}: preduce over object of Cart from a first value gives object of Cart
  // MODEL-NEXT: input: main_2
  // MODEL-NEXT: reads: Cart::load
  // MODEL-NEXT: takes null elements
  // MODEL-NEXT: checks what it dereferences
  // CHECK: main_3_info{"main", "{{.*}}", {{[0-9]+}}, {{[0-9]+}}, main_3_columns};
  const auto best = carts.preduce([](Cart* a, Cart* b) { return a->load < b->load ? b : a; });
  const auto least = chosen.preduce(static_cast<Cart*>(nullptr), [](Cart* a, Cart* b) { return a == nullptr || (b != nullptr && b->load < a->load) ? b : a; });
  // MODEL: section main_5 {{.*}}: pscan over object of Cart gives object of Cart
  const auto scanned = carts.pscan([](Cart* a, Cart* b) { return a->load < b->load ? b : a; });
  // MODEL: section main_6 {{.*}}: psort over object of Cart gives object of Cart
  const auto sorted = carts.psort([](const Cart* a, const Cart* b) { return a->load < b->load; });
  const int sum = carts.pcombine(weights, [](const Cart* c, float w) { return c->load * static_cast<int>(w); }).sum();

  // OUT: -5 -3 8
  std::printf("%d %d %d\n", differences[0], differences[1], differences[2]);
  // OUT-NEXT: 4 1 none
  std::printf("%d %d %s\n", chosen[0]->load, chosen[1]->load, chosen[2] ? "some" : "none");
  // OUT-NEXT: 9 1 9 1 33
  std::printf("%d %d %d %d %d\n", best[0]->load, least[0]->load, scanned[2]->load, sorted[0]->load, sum);
}

// FUSION-DAG: kernel main_1 -> main_2
// FUSION-DAG: edge main_1 -> main_2: fused (same location)
// FUSION-DAG: edge main_2 -> main_4: not fused (its elements are objects, which have to be traced on the host first)
// FUSION-DAG: edge main_7 -> main_8: not fused (threads end where they dereference null, which those that work together must not)

// CHECK: void run_fused_into_main_2(ikra::map_call& call) {
// CHECK: s.elements<ikra::rt::references<::Cart, Cart_class>>(0);
// CHECK: s.combine_values<ikra::rt::pointers<::Cart *, ikra::rt::references<::Cart, Cart_class>>, ikra::object_id, float>(fused_into_main_2{main_1, main_2});
// CHECK: main_0>::run(ikra::map_call& call) {
// CHECK: s.elements<ikra::rt::references<::Cart, Cart_class>>(0);
// CHECK-NEXT: s.elements<ikra::rt::references<::Track, Track_class>>(1);
// CHECK-NEXT: if (s.runs_in_place(call, {{[0-9]+}}, ikra::rt::of_any_class)) return;
// CHECK-NEXT: s.trace();
// CHECK: s.combine_values<int, ikra::object_id, ikra::object_id>(body);
// CHECK: main_3>::run(ikra::map_call& call) {
// CHECK: body{columns_view(s.columns())};
// CHECK-NEXT: s.reduce_values<ikra::rt::pointers<::Cart *, ikra::rt::references<::Cart, Cart_class>>>(body);
// CHECK: main_4>::run(ikra::map_call& call) {
// CHECK: const auto initial = s.initial<ikra::rt::references<::Cart, Cart_class>>(call.initial<::Cart *>());
// CHECK: body{checked_columns_view(s.columns(), s.failures(/*stay=*/true))};
// CHECK-NEXT: s.reduce_values_from<ikra::rt::pointers<::Cart *, ikra::rt::references<::Cart, Cart_class>>>(body, s.id(initial));
