// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tick is given to what takes one, in peach(ticks, f) alone; a pointer to what takes one, and else a reference.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck %s < %t.cu
#include <ikra/ikra.hpp>

#include <vector>

struct Rod {
  int l = 1;
};
struct Grow {
  void operator()(Rod* r) const { r->l += 5; }
  int operator()(const Rod* r, int) const { return r->l; }
};
struct NoTick {
  void operator()(Rod* r) const { r->l += 6; }
  void operator()(Rod* r, const Rod*) const { r->l += 60; }
};
struct ByPointer {
  void operator()(Rod* r) const { r->l += 7; }
  void operator()(Rod& r, int) const { r.l += 70; }
};

void sections(std::vector<Rod>& rods) {
  const auto all = ikra::objects(rods);
  all.peach(Grow{});
  // CHECK: namespace sections_0_device
  // CHECK: IKRA_DEVICE void code(Self& r) const { r.l += 5; }
  all.peach([](Rod* r, int by = 7) { r->l += by; });
  // CHECK: namespace sections_1_device
  // CHECK: IKRA_DEVICE void code(Self& r, int by = 7)
  // CHECK: code(element);
  all.peach(2, [](Rod* r, int by = 7) { r->l += by; });
  // CHECK: namespace sections_2_device
  // CHECK: code(element, tick);
  all.peach(2, NoTick{});
  // CHECK: namespace sections_3_device
  // CHECK: IKRA_DEVICE void code(Self& r) const { r.l += 6; }
  all.peach(2, ByPointer{});
  // CHECK: namespace sections_4_device
  // CHECK: IKRA_DEVICE void code(Self& r) const { r.l += 7; }
}
