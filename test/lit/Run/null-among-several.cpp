// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Null among the elements of any array that a section is given: dereferencing it is an error,
// passing it over is not.
//
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %build_cpu %t.ikra.cu -o %t.cpu
// RUN: %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Lamp {
  int watts = 0;
  Lamp* next = nullptr;
};

template <class Computed> void show(Computed computed) {
  try {
    std::printf("%d\n", computed());
  } catch (const ikra::error& e) {
    std::printf("%s%s\n", e.kind() == ikra::error_kind::null_element ? "null: " : "", e.what());
  }
}

int main() {
  Lamp first{40, nullptr}, last{60, &first};
  const ikra::array lamps{std::vector<Lamp*>{&first, nullptr, &last}};
  const ikra::array whole{std::vector<Lamp*>{&last, &first, &last}};
  const ikra::array are_there{std::vector<bool>{true, false, true}};
  // CHECK: 100
  show([&] { return lamps.pcombine(are_there, [](const Lamp* l, bool there) { return there ? l->watts : 0; }).sum(); });
  // CHECK-NEXT: null: {{.*}}null-among-several.cpp:[[@LINE+1]]:{{[0-9]+}}: it dereferenced a null pointer
  show([&] { return whole.pcombine(lamps, [](const Lamp* a, const Lamp* b) { return a->watts + b->watts; })[0]; });
  // CHECK-NEXT: null: {{.*}}null-among-several.cpp:[[@LINE+1]]:{{[0-9]+}}: it dereferenced a null pointer
  show([&] { return whole.pcombine(are_there, [](const Lamp* a, bool) { return a->next->watts; })[0]; });
  // CHECK-NEXT: null: {{.*}}null-among-several.cpp:[[@LINE+1]]:{{[0-9]+}}: element 1 of the array is a null pointer
  show([&] { return lamps.preduce([](Lamp* a, Lamp* b) { return a->watts < b->watts ? b : a; })[0]->watts; });
  // CHECK-NEXT: null: {{.*}}null-among-several.cpp:[[@LINE+2]]:{{[0-9]+}}: the first value is a null pointer
  Lamp* none = nullptr;
  show([&] { return whole.preduce(none, [](Lamp* a, Lamp* b) { return a->watts < b->watts ? b : a; })[0]->watts; });
  // CHECK-NEXT: null: {{.*}}null-among-several.cpp:[[@LINE+1]]:{{[0-9]+}}: it dereferenced a null pointer
  show([&] { return lamps.pscan([](Lamp* a, Lamp* b) { return a != nullptr && b->watts < a->watts ? a : b; })[1] == nullptr; });
  // CHECK-NEXT: 60
  show([&] { return lamps.preduce([](Lamp* a, Lamp* b) { return b ? b : a; })[0]->watts; });
}
