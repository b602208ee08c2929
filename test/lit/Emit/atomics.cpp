// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A std::atomic is the number that it holds, in columns too; a std::atomic_ref is a reference. Their
// operations are functions of ikra::atomics: where nobody asks for the result, those without one.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s --check-prefix=LAYOUT
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags && %emitted %t.ikra.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <atomic>
#include <vector>

struct Hub {
  std::atomic<int> hits{0};
  std::vector<std::atomic<int>> bins = std::vector<std::atomic<int>>(8);
  float weight = 0;
};
struct User {
  Hub* hub = nullptr;
  int k = 0;
};

// LAYOUT: Hub_hits: int for Hub
// CHECK: static auto& hits(::Hub& o) { return ikra::atomics::number(o.hits); }
// CHECK: ikra::list_column<int> Hub_bins;

void sections(std::vector<User>& users) {
  auto all = ikra::objects(users);

  // MODEL: atomic: Hub::hits, Hub::bins
  // CHECK: ikra::atomics::update_add(w.Hub_hits[u.hub], 1);
  // CHECK: ikra::atomics::update_sub<std::memory_order_relaxed>(w.Hub_hits[u.hub], 2);
  // CHECK: ikra::atomics::update_or(w.Hub_bins[u.hub][3], 4);
  all.peach([](User* u) {
    ++u->hub->hits;
    u->hub->hits.fetch_sub(2, std::memory_order_relaxed);
    u->hub->bins[3] |= 4;
  });

  // MODEL: reads: Hub::hits
  // MODEL: atomic: Hub::hits{{$}}
  // CHECK: = ikra::atomics::fetch_add(w.Hub_hits[w.User_hub[u.id]], 1);
  // CHECK: = ikra::atomics::xor_fetch(w.Hub_hits[w.User_hub[u.id]], 5);
  // CHECK: int seen = ikra::atomics::load(w.Hub_hits[w.User_hub[u.id]]);
  // CHECK: ikra::atomics::compare_exchange(w.Hub_hits[w.User_hub[u.id]], seen, 7)
  // CHECK: ikra::atomics::store(w.Hub_hits[w.User_hub[u.id]], 9);
  all.peach([](User* u) {
    u->k = u->hub->hits++;
    u->k = u->hub->hits ^= 5;
    int seen = u->hub->hits;
    while (!u->hub->hits.compare_exchange_weak(seen, 7)) {
    }
    u->hub->hits = 9;
  });

  // CHECK: float& shared = w.Hub_weight[w.User_hub[u.id]];
  // CHECK: ikra::atomics::update_add(shared, 0.5F);
  // CHECK: ikra::atomics::update_add(w.Hub_weight[w.User_hub[u.id]], static_cast<float>(2));
  all.peach([](User* u) {
    std::atomic_ref shared{u->hub->weight};
    shared += 0.5F;
    std::atomic_ref(u->hub->weight).fetch_add(2);
  });
}
