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
struct Holding {
  std::pair<Target*, int> pair;
  std::tuple<int, Target*> tuple;
  std::optional<Target*> optional;
  std::variant<int, Target*> variant;
  std::vector<std::pair<Target*, float>> pairs;
};

void sections(std::vector<Nested>& nested, std::vector<Holding>& holding) {
  ikra::objects(nested).pmap([](const Nested* n) { return n->numbers[0][1] + n->pointers[1][0]->value; });
  ikra::objects(holding).pmap([](const Holding* h) {
    const int sum = h->pair.first->value + std::get<1>(h->tuple)->value + h->pairs[0].first->value;
    return sum + (h->optional ? (*h->optional)->value : 0) +
           (std::holds_alternative<int>(h->variant) ? std::get<int>(h->variant) : std::get<Target*>(h->variant)->value);
  });
}

// CHECK: column 1 Nested_numbers: join table of lists of int for Nested{{$}}
// CHECK-NEXT: column 2 Nested_pointers: join table of lists of IDs of Target for Nested{{$}}
// CHECK-NEXT: column 3 Holding_pair: ::std::pair<ikra::object_id, int> for Holding{{$}}
// CHECK-NEXT: column 4 Holding_tuple: ::std::tuple<int, ikra::object_id> for Holding{{$}}
// CHECK-NEXT: column 5 Holding_optional: ::std::optional<ikra::object_id> for Holding{{$}}
// CHECK-NEXT: column 6 Holding_variant: ::std::variant<int, ikra::alternative<1>> for Holding{{$}}
// CHECK-NEXT: column 7 Holding_pairs: join table of ::std::pair<ikra::object_id, float> for Holding{{$}}
// CHECK-NEXT: section sections_0{{$}}
