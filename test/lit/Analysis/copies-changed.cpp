// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A peach over values changes copies: a method that is not const, or what takes T&&, tells that more was meant.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <ikra/ikra.hpp>

#include <vector>

struct Wheel {
  int turns = 0;
  void turn() { ++turns; }
  int turned() { return ++turns; }
  int count() const { return turns; }
  void show() const {}
  static void rest(Wheel) {}
};
struct Bicycle {
  std::vector<Wheel> wheels;
};
std::vector<Wheel> made();

void sections(std::vector<Wheel>& wheels, Bicycle& bicycle, const ikra::array<Wheel>& values) {
  // CHECK: copies-changed.cpp:[[@LINE+1]]:29: warning: this changes copies of the elements, which are lost: an array of values hands over copies; for the objects themselves write ikra::objects(wheels) [ikra-copies-changed]
  ikra::array{wheels}.peach(&Wheel::turn);
  // CHECK: copies-changed.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: {{.*}} write ikra::objects(bicycle.wheels)
  ikra::array{bicycle.wheels}.peach(3, &Wheel::turned);
  // CHECK: copies-changed.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: {{.*}} write ikra::objects(container)
  values.peach(&Wheel::turn);
  // CHECK: copies-changed.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: {{.*}} write ikra::objects(wheels)
  ikra::array{wheels}.with_index().peach([](Wheel&& w, std::int64_t) { w.turn(); });

  // These say what they do, or change nothing.
  ikra::array{wheels}.peach([](Wheel w) { w.turn(); });
  ikra::array{wheels}.peach(&Wheel::show);
  ikra::array{wheels}.peach(&Wheel::rest);
  ikra::array{wheels}.pmap(&Wheel::turned);
  ikra::array{wheels}.peach(&Wheel::turn); // NOLINT(ikra-copies-changed)
}
