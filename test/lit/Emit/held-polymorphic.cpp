// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes whose objects have polymorphic ones within them, at any depth: their family's addresses
// need a map for each class. A pointer, or a vector, holds none there.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
#include <ikra/ikra.hpp>

#include <array>
#include <memory>
#include <optional>
#include <vector>

struct Part {
  virtual ~Part() = default;
  virtual int weight() const { return 1; }
};
struct Screw : Part {
  int weight() const override { return 2; }
};
struct Box : Part {
  std::array<std::optional<Screw>, 2> screws;
};
struct Store : Part {
  alignas(8) unsigned char bytes[64];
};
struct Owner : Part {
  std::unique_ptr<Part> first;
  std::vector<Screw> others;
  Part* next = nullptr;
};

int total(const std::vector<Part*>& parts) {
  const std::vector<Part*> all{new Screw, new Box, new Store, new Owner};
  return ikra::array{parts}.pmap([](const Part* p) { return p->weight(); }).sum();
}
// CHECK-DAG: class Screw family 0 constructed polymorphic{{$}}
// CHECK-DAG: class Box family 0 constructed polymorphic, holds such{{$}}
// CHECK-DAG: class Store family 0 constructed polymorphic, holds such{{$}}
// CHECK-DAG: class Owner family 0 constructed polymorphic{{$}}
// CODE-DAG: describe<Screw_class>("Screw", 0),
// CODE-DAG: describe<Box_class>("Box", 0, /*holds_polymorphic=*/true),
// CODE-DAG: describe<Store_class>("Store", 0, /*holds_polymorphic=*/true),
// CODE-DAG: describe<Owner_class>("Owner", 0),
