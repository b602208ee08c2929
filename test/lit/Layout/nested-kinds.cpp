// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of containers of containers, and of values that hold pointers: pairs, tuples, optionals and variants keep their form, with IDs in
// place of the pointers.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

struct Target {
  int value = 0;
};

struct Nested {
  std::vector<std::vector<int>> numbers;
  std::vector<std::vector<Target*>> pointers;
};
// Built-in arrays of built-in arrays: of objects, and of pointers to them, they are containers, of numbers one value.
struct Grids {
  Target* pointers[2][3] = {};
  Target objects[2][2];
  float numbers[2][2] = {};
};
struct Holding {
  std::pair<Target*, int> pair;
  std::tuple<int, Target*> tuple;
  std::optional<Target*> optional;
  std::variant<int, Target*> variant;
  std::vector<std::pair<Target*, float>> pairs;
};

void sections(std::vector<Nested>& nested, std::vector<Holding>& holding, std::vector<Grids>& grids) {
  ikra::objects(nested).pmap([](const Nested* n) { return n->numbers[0][1] + n->pointers[1][0]->value; });
  ikra::objects(holding).pmap([](const Holding* h) {
    const int sum = h->pair.first->value + std::get<1>(h->tuple)->value + h->pairs[0].first->value;
    return sum + (h->optional ? (*h->optional)->value : 0) +
           (std::holds_alternative<int>(h->variant) ? std::get<int>(h->variant) : std::get<Target*>(h->variant)->value);
  });
  ikra::objects(grids).pmap([](const Grids* g) {
    int sum = static_cast<int>(g->numbers[1][0]) + g->objects[1][1].value;
    for (const auto& row : g->pointers)
      for (const Target* t : row)
        sum += t->value;
    return sum;
  });
}

// CHECK: column 1 Nested_numbers: join table of lists of int for Nested{{$}}
// CHECK-NEXT: column 2 Nested_pointers: join table of lists of IDs of Target for Nested{{$}}
// CHECK-NEXT: column 3 Grids_pointers: join table of lists of IDs of Target for Grids{{$}}
// CHECK-NEXT: column 4 Grids_objects: join table of lists of IDs of Target for Grids{{$}}
// CHECK-NEXT: column 5 Grids_numbers: std::type_identity_t<float[2][2]> for Grids{{$}}
// CHECK-NEXT: column 6 Holding_pair: ::std::pair<ikra::object_id, int> for Holding{{$}}
// CHECK-NEXT: column 7 Holding_tuple: ::std::tuple<int, ikra::object_id> for Holding{{$}}
// CHECK-NEXT: column 8 Holding_optional: ::std::optional<ikra::object_id> for Holding{{$}}
// CHECK-NEXT: column 9 Holding_variant: ::std::variant<int, ikra::alternative<1>> for Holding{{$}}
// CHECK-NEXT: column 10 Holding_pairs: join table of ::std::pair<ikra::object_id, float> for Holding{{$}}
// CHECK-NEXT: section sections_0{{$}}
