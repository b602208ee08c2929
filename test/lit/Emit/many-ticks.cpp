// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section that is given ticks has code of its own for many of them, in which all members of the element are in registers:
// those, too, that only some ticks use. Classes all of whose members every tick uses need none, nor do sections without ticks.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_plain %s -o %t.plain && %t.plain > %t.plain.txt
// RUN: %build_cpu %t.cu -o %t.cpu && env IKRA_REORDER=always %t.cpu > %t.cpu.txt
// RUN: diff %t.plain.txt %t.cpu.txt
// RUN: env IKRA_REORDER=always OMP_NUM_THREADS=3 %t.cpu > %t.threads.txt
// RUN: diff %t.plain.txt %t.threads.txt
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Runner {
  virtual ~Runner() = default;
  virtual void step(int tick) = 0;
  unsigned way = 1;
};
struct Walker final : Runner {
  void step(int tick) override { way = way * 3 + unsigned(tick); }
};
struct Stopper final : Runner {
  unsigned wait = 0, stops = 0;
  const unsigned patience = 3;
  void step(int tick) override {
    if (wait > 0) {
      --wait;
      return;
    }
    way = way * 5 + unsigned(tick);
    if (way % 4 != 2) {
      wait = patience;
      ++stops;
    }
  }
};

int main() {
  std::vector<Walker> walkers(500);
  std::vector<Stopper> stoppers(3000);
  std::vector<Runner*> all;
  for (unsigned i = 0; i < 3000; ++i) {
    stoppers[i].way = i;
    stoppers[i].wait = i % 5;
    all.push_back(&stoppers[i]);
    if (i < 500)
      all.push_back(&walkers[i]);
  }
  const auto report = [&] {
    unsigned sum = 0;
    for (const Walker& w : walkers)
      sum = sum * 31 + w.way;
    for (const Stopper& s : stoppers)
      sum = (sum * 31 + s.way) * 7 + s.wait + 5 * s.stops;
    std::printf("%u\n", sum);
  };
  for (const int ticks : {1, 7, 8, 40}) {
    ikra::array{all}.peach(ticks, [](Runner* r, std::int64_t t) { r->step(int(t)); });
    report();
  }
  // CHECK: namespace main_0_device {
  // CHECK: friend void set_ticks(body& of, std::int64_t first, std::int64_t end)
  // CHECK: void operator()(Walker_class, ikra::object_id id) const {
  // CHECK-NOT: void operator()(Walker_class, ikra::object_id id, ikra::rt::many_ticks)
  // CHECK: void operator()(Stopper_class, ikra::object_id id) const {
  // CHECK: Stopper_element element{id, w.Runner_way[id], w.Stopper_wait[id], w.Stopper_stops[id]};
  // CHECK: void operator()(Stopper_class, ikra::object_id id, ikra::rt::many_ticks) const {
  // CHECK-NEXT: unsigned int own_way = w.Runner_way[id];
  // CHECK-NEXT: unsigned int own_stops = w.Stopper_stops[id];
  // CHECK-NEXT: Stopper_element element{id, own_way, w.Stopper_wait[id], own_stops};
  // CHECK: ikra::store_changed(w.Runner_way[id], element.way, before_way);
  ikra::array{all}.peach([](Runner* r) { r->step(3); });
  report();
  // CHECK: namespace main_1_device {
  // CHECK-NOT: set_ticks
  // CHECK-NOT: rt::many_ticks
}
