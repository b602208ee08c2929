// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records: members that a section reads together through references stand side by side. Each condition has a class whose
// members meet it, and one whose members do not.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <vector>

// Large members stand first, so that only the end is padded; the alignment is the size, rounded up to a power of two.
struct Padded { // 2 + 4 + 1 + 8 bytes
  std::int16_t half = 1;
  float word = 2;
  std::uint8_t byte = 3;
  double wide = 4;
};
struct Small { // 1 + 2 bytes
  std::uint8_t byte = 1;
  std::int16_t half = 2;
};
struct Point {
  float x = 0, y = 0;
};
struct Structs { // a value class of 8 bytes and an array of 8
  Point place;
  std::array<std::int16_t, 4> parts{};
};
// At most 16 bytes: what is left is the next record, or a column of its own.
struct Full {
  double a = 0, b = 0, c = 0, d = 0, e = 0;
};
// Each with another of the record, not all with all: no section reads both ends.
struct Chained {
  float left = 0, both = 0, right = 0;
};

// More than 8 bytes.
struct Large {
  std::array<float, 3> large{};
  float small = 0;
};
// Bit-fields, which share their bytes.
struct Bits {
  unsigned narrow : 5 = 0;
  unsigned whole = 0;
};
// Members of two classes.
struct Base {
  float inherited = 0;
};
struct Derived : Base {
  float own = 0;
};
// No values, but a list and a reference.
struct Kinds {
  std::vector<int> list;
  int value = 0;
  Small* reference = nullptr;
};
// No section reads both.
struct Apart {
  float one = 0, other = 0;
};
// Read together, but by a section of its own elements.
struct Direct {
  float one = 0, other = 0;
};
// Some section writes one through references.
struct Written {
  float fixed = 0, changed = 0, constant = 0;
};
// Some section reads one of its own element.
struct OwnRead {
  float far = 0, near = 0, distant = 0;
};

struct Holder {
  Padded* padded = nullptr;
  Small* small = nullptr;
  Structs* structs = nullptr;
  Full* full = nullptr;
  Chained* chained = nullptr;
  Large* large = nullptr;
  Bits* bits = nullptr;
  Derived* derived = nullptr;
  Kinds* kinds = nullptr;
  Apart* apart = nullptr;
  Written* written = nullptr;
  OwnRead* own_read = nullptr;
};

void joined(std::vector<Holder>& holders) {
  const auto all = ikra::objects(holders);
  all.pmap([](const Holder* h) {
    return h->padded->half + h->padded->word + static_cast<float>(h->padded->byte) +
           static_cast<float>(h->padded->wide);
  });
  all.pmap([](const Holder* h) { return h->small->byte + h->small->half; });
  all.pmap([](const Holder* h) { return h->structs->place.x + h->structs->parts[0]; });
  all.pmap([](const Holder* h) {
    return h->full->a + h->full->b + h->full->c + h->full->d + h->full->e;
  });
  all.pmap([](const Holder* h) { return h->chained->left + h->chained->both; });
  all.pmap([](const Holder* h) { return h->chained->both + h->chained->right; });
}

void apart(std::vector<Holder>& holders, std::vector<Direct>& direct, std::vector<OwnRead>& own,
           std::vector<Derived>& derived) {
  const auto all = ikra::objects(holders);
  all.pmap([](const Holder* h) { return h->large->large[0] + h->large->small; });
  all.pmap([](const Holder* h) { return h->bits->narrow + h->bits->whole; });
  all.pmap([](const Holder* h) { return h->derived->inherited + h->derived->own; });
  all.pmap([](const Holder* h) {
    return h->kinds->list[0] + h->kinds->value + (h->kinds->reference == nullptr ? 0 : 1);
  });
  all.pmap([](const Holder* h) { return h->apart->one; });
  all.pmap([](const Holder* h) { return h->apart->other; });
  ikra::objects(direct).pmap([](const Direct* d) { return d->one + d->other; });
  all.pmap([](const Holder* h) {
    return h->written->fixed + h->written->changed + h->written->constant;
  });
  all.peach([](Holder* h) { h->written->changed = 1; });
  all.pmap([](const Holder* h) {
    return h->own_read->far + h->own_read->near + h->own_read->distant;
  });
  ikra::objects(own).pmap([](const OwnRead* o) { return o->near; });
}

// Joined.
// CHECK: column 0 Padded_records: records of wide, word, half, byte (16 bytes) for Padded{{$}}
// CHECK-NEXT: column 1 Small_records: records of half, byte (4 bytes) for Small{{$}}
// CHECK-NEXT: column 2 Structs_records: records of place, parts (16 bytes) for Structs{{$}}
// CHECK-NEXT: column 3 Full_records: records of a, b (16 bytes) for Full{{$}}
// CHECK-NEXT: column 4 Full_records_2: records of c, d (16 bytes) for Full{{$}}
// CHECK-NEXT: column 5 Full_e: double for Full{{$}}
// CHECK-NEXT: column 6 Chained_records: records of left, both, right (16 bytes) for Chained{{$}}
// Not joined.
// CHECK-NEXT: column 7 Large_large: ::std::array<float, 3> for Large{{$}}
// CHECK-NEXT: column 8 Large_small: float for Large{{$}}
// CHECK-NEXT: column 9 Bits_narrow: unsigned int in 5 bits for Bits{{$}}
// CHECK-NEXT: column 10 Bits_whole: unsigned int for Bits{{$}}
// CHECK-NEXT: column 11 Base_inherited: float for Derived{{$}}
// CHECK-NEXT: column 12 Derived_own: float for Derived{{$}}
// CHECK-NEXT: column 13 Kinds_list: join table of int for Kinds{{$}}
// CHECK-NEXT: column 14 Kinds_value: int for Kinds{{$}}
// CHECK-NEXT: column 15 Kinds_reference: ID of Small for Kinds{{$}}
// CHECK-NEXT: column 16 Apart_one: float for Apart{{$}}
// CHECK-NEXT: column 17 Apart_other: float for Apart{{$}}
// CHECK-NEXT: column 18 Direct_one: float for Direct{{$}}
// CHECK-NEXT: column 19 Direct_other: float for Direct{{$}}
// The others of these classes are joined.
// CHECK-NEXT: column 20 Written_records: records of fixed, constant (8 bytes) for Written{{$}}
// CHECK-NEXT: column 21 Written_changed: float for Written{{$}}
// CHECK-NEXT: column 22 OwnRead_records: records of far, distant (8 bytes) for OwnRead{{$}}
// CHECK-NEXT: column 23 OwnRead_near: float for OwnRead{{$}}
