// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of columns and families, which are fields of one struct, are distinct: the later one of two gets a number.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck --check-prefix=RESULT %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct A {
  int b_c = 1;
  int classes = 2; // the family of A is called A_classes
};
struct A_b {
  int c = 4;
};
namespace other {
struct A {
  int b_c = 8;
};
} // namespace other
// Two members of this class share a record, which would have the name of a third.
struct Records {
  int first = 16, second = 32;
  double records = 64;
};
struct Holder {
  Records* of = nullptr;
};

int main() {
  std::vector<A> a(1);
  std::vector<A_b> ab(1);
  std::vector<other::A> others(1);
  std::vector<Records> records(1);
  std::vector<Holder> holders(1);
  holders[0].of = &records[0];
  const int x = ikra::objects(a).pmap([](const A* o) { return o->b_c + o->classes; })[0];
  const int y = ikra::objects(ab).pmap([](const A_b* o) { return o->c; })[0];
  const int z = ikra::objects(others).pmap([](const other::A* o) { return o->b_c; })[0];
  const int v =
      ikra::objects(holders).pmap([](const Holder* h) { return h->of->first + h->of->second; })[0];
  const double w = ikra::objects(records).pmap([](const Records* r) { return r->records; })[0];
  // RESULT: 3 4 8 48 64
  std::printf("%d %d %d %d %g\n", x, y, z, v, w);
}

// CHECK: family 0: A{{$}}
// CHECK-NEXT: family 1: A_b{{$}}
// CHECK-NEXT: family 2: other::A{{$}}
// CHECK-NEXT: family 3: Holder{{$}}
// CHECK-NEXT: family 4: Records{{$}}
// CHECK-NEXT: column 0 A_b_c: int for A{{$}}
// CHECK-NEXT: column 1 A_classes_2: int for A{{$}}
// CHECK-NEXT: column 2 A_b_c_2: int for A_b{{$}}
// CHECK-NEXT: column 3 A_2_b_c: int for other::A{{$}}
// CHECK-NEXT: column 4 Records_records: records of first, second (8 bytes) for Records{{$}}
// CHECK-NEXT: column 5 Records_records_2: double for Records{{$}}
// CHECK-NEXT: column 6 Holder_of: ID of Records for Holder{{$}}
// CHECK-NEXT: section main_0{{$}}
// CHECK-NEXT: reads A_b_c{{$}}
// CHECK-NEXT: reads A_classes_2{{$}}
// CHECK-NEXT: section main_1{{$}}
// CHECK-NEXT: reads A_b_c_2{{$}}
// CHECK-NEXT: section main_2{{$}}
// CHECK-NEXT: reads A_2_b_c{{$}}
// CHECK-NEXT: section main_3{{$}}
// CHECK-NEXT: reads Records_records{{$}}
// CHECK-NEXT: reads Holder_of{{$}}
// CHECK-NEXT: section main_4{{$}}
// CHECK-NEXT: reads Records_records_2{{$}}
// CHECK-NOT: {{.}}
