// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuples that hold pointers to objects hold IDs in device code. In one kernel with the zip that makes
// them they are never stored; from memory, and in results, the session rewrites them.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --check-prefix=FUSION
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags && %emitted %t.ikra.cu | FileCheck %s
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <tuple>
#include <vector>

struct Cart {
  int load = 0;
};
struct Track {
  Cart* on = nullptr;
};

int main() {
  std::vector<Cart> store{{4}, {1}, {9}};
  std::vector<Track> tracks{{&store[2]}, {&store[0]}, {nullptr}};
  const auto carts = ikra::objects(store);
  // MODEL: section main_0 {{.*}}: pcombine over object of Cart, object of Track gives ::std::tuple<::Cart *, ::Track *>
  // MODEL: section main_1 {{.*}}: pmap over ::std::tuple<::Cart *, ::Track *> gives int
  // MODEL: takes null elements
  // CHECK: return ::std::tuple<ikra::object_id, ikra::object_id>(
  // CHECK: int operator()(const ::std::tuple<ikra::object_id, ikra::object_id>& t) const {
  // CHECK: const auto& [c, track] = t;
  // CHECK: return (w.Track_on[track] != nullptr) ? w.Cart_load[c] - w.Cart_load[w.Track_on[track]] : -1;
  const auto differences = carts.pzip(ikra::objects(tracks)).pmap([](const std::tuple<Cart*, Track*>& t) {
    const auto& [c, track] = t;
    return track->on ? c->load - track->on->load : -1;
  });
  const auto best = carts.with_index().pmap([](Cart* c, std::int64_t i) { return std::pair(c, i); })
      .preduce([](const std::pair<Cart*, std::int64_t>& a, const std::pair<Cart*, std::int64_t>& b) { return a.first->load < b.first->load ? b : a; });
  // OUT: -5 -3 -1 9 2
  std::printf("%d %d %d %d %d\n", differences[0], differences[1], differences[2], best[0].first->load, static_cast<int>(best[0].second));
}

// FUSION: edge main_0 -> main_1: fused (same location)
// FUSION: edge main_2 -> main_3: not fused (a kernel over objects stores its results)

// CHECK: s.elements<ikra::rt::references<::Track, Track_class>>(1);
// CHECK: s.combine_values<int, ikra::object_id, ikra::object_id>(fused_into_main_1{main_0, main_1});
// CHECK: main_1>::run(ikra::map_call& call) {
// CHECK: s.elements<ikra::rt::with_object_ids<::std::tuple<::Cart *, ::Track *>, ikra::rt::references<::Cart, Cart_class>, ikra::rt::references<::Track, Track_class>>>(0);
// CHECK: main_3>::run(ikra::map_call& call) {
// CHECK: s.reduce_values<ikra::rt::with_object_ids<{{.*}}>>(body);
