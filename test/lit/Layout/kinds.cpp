// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds of columns, one for each member that some section uses, in the order of the class; other members have none.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Point {
  float x = 0, y = 0;
};
enum class Mode : std::uint8_t { Idle, Busy };

struct Target {
  int value = 0;
};

// Values: a value class is one column of structs, and so is an array of them.
struct Values {
  double number = 0;
  Mode mode = Mode::Idle;
  bool flag = false;
  unsigned narrow : 5 = 0;
  std::int16_t negative : 3 = 0;
  std::uint64_t unread : 40 = 0;
  Point place;
  std::array<int, 3> numbers{};
  std::array<Point, 2> corners{};
  std::string unused = "of any type, since no section uses it";
};
// References: the ID of an object, by whatever the program holds it.
struct References {
  Target* pointer = nullptr;
  Target* unused = nullptr;
  Target& reference;
  std::unique_ptr<Target> owned;
  std::shared_ptr<Target> shared;
  Target held;
  std::optional<Target> perhaps;
};
// Lists of values: join tables, of built-in arrays, too.
struct ValueLists {
  std::vector<int> numbers;
  std::vector<Point> places;
  int fixed[4] = {};
};
// Lists of references: join tables of IDs.
struct ReferenceLists {
  std::vector<Target*> pointers;
  std::vector<std::unique_ptr<Target>> owned;
  std::vector<std::shared_ptr<Target>> shared;
  Target* fixed[2] = {};
};

void sections(std::vector<Values>& values, std::vector<References>& references,
              std::vector<ValueLists>& lists, std::vector<ReferenceLists>& tables) {
  // The sections use the last members and the last classes first.
  ikra::objects(tables).pmap([](const ReferenceLists* r) {
    return r->fixed[1]->value + r->shared[0]->value + r->owned[0]->value + r->pointers[0]->value;
  });
  ikra::objects(lists).pmap([](const ValueLists* l) {
    return l->fixed[3] + l->places[0].x + static_cast<float>(l->numbers[0]);
  });
  ikra::objects(references).pmap([](const References* r) {
    return r->shared->value + r->owned->value + r->reference.value + r->pointer->value + r->held.value +
           (r->perhaps ? r->perhaps->value : 0);
  });
  ikra::objects(values).pmap([](const Values* v) {
    const float sum = v->corners[1].y + v->place.x + static_cast<float>(v->numbers[2]);
    return (v->flag && v->mode == Mode::Busy ? v->number : static_cast<double>(sum)) + v->narrow +
           v->negative;
  });
}

// CHECK: family 0: ReferenceLists{{$}}
// CHECK-NEXT: family 1: ValueLists{{$}}
// CHECK-NEXT: family 2: References{{$}}
// CHECK-NEXT: family 3: Values{{$}}
// CHECK-NEXT: family 4: Target{{$}}
// CHECK-NEXT: column 0 Target_value: int for Target{{$}}
// CHECK-NEXT: column 1 Values_number: double for Values{{$}}
// CHECK-NEXT: column 2 Values_mode: ::Mode for Values{{$}}
// CHECK-NEXT: column 3 Values_flag: bool for Values{{$}}
// CHECK-NEXT: column 4 Values_narrow: unsigned int in 5 bits for Values{{$}}
// CHECK-NEXT: column 5 Values_negative: short in 3 bits for Values{{$}}
// CHECK-NEXT: column 6 Values_place: ::Point for Values{{$}}
// CHECK-NEXT: column 7 Values_numbers: ::std::array<int, 3> for Values{{$}}
// CHECK-NEXT: column 8 Values_corners: ::std::array< ::Point, 2> for Values{{$}}
// CHECK-NEXT: column 9 References_pointer: ID of Target for References{{$}}
// CHECK-NEXT: column 10 References_reference: ID of Target for References{{$}}
// CHECK-NEXT: column 11 References_owned: ID of Target for References{{$}}
// CHECK-NEXT: column 12 References_shared: ID of Target for References{{$}}
// CHECK-NEXT: column 13 References_held: ID of Target for References{{$}}
// CHECK-NEXT: column 14 References_perhaps: ID of Target for References{{$}}
// CHECK-NEXT: column 15 ValueLists_numbers: join table of int for ValueLists{{$}}
// CHECK-NEXT: column 16 ValueLists_places: join table of ::Point for ValueLists{{$}}
// CHECK-NEXT: column 17 ValueLists_fixed: join table of int for ValueLists{{$}}
// CHECK-NEXT: column 18 ReferenceLists_pointers: join table of IDs of Target for ReferenceLists{{$}}
// CHECK-NEXT: column 19 ReferenceLists_owned: join table of IDs of Target for ReferenceLists{{$}}
// CHECK-NEXT: column 20 ReferenceLists_shared: join table of IDs of Target for ReferenceLists{{$}}
// CHECK-NEXT: column 21 ReferenceLists_fixed: join table of IDs of Target for ReferenceLists{{$}}
// CHECK-NEXT: section sections_0{{$}}
