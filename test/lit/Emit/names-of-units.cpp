// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's names that a file's own namespace has, too: those that this file's namespace has are
// told apart, and no other is asked for.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags && %build_cpu %t.cu -o %t.cpu
// RUN: FileCheck %s < %t.cu
// RUN: %ikrac --check -o %t.checked.cu %s -- %ikra_flags && %build_cpu %t.checked.cu -o %t.checked
// RUN: FileCheck --check-prefix=CHECKED %s < %t.checked.cu
// RUN: %build_plain %s -o %t.plain
// RUN: %t.plain > %t.expected
// RUN: %t.cpu | diff %t.expected -
// RUN: %t.checked | diff %t.expected -
#include <ikra/ikra.hpp>

#include <cstdio>
#include <utility>
#include <vector>

struct car {
  int at = 0;
  car* next = nullptr;
};

int columns_view = 1;
namespace tables {
int layout(int x) { return x + 2; }
} // namespace tables
using namespace tables;
int checks(int x) { return x * 3; }
int checked_columns_view = 4;
// Names that the runtime has, too.
int field = 6, fields = 7, describe = 8, class_info = 9, column_info = 10, value_column = 11, record_column = 12;
int held_by = 13, reference_column = 14, references = 15, rt = 16;
struct wave {
  double k = 1, phase = 2;
  car* next = nullptr;
  std::pair<car*, int> held;
};
struct reporting_columns_view {
  int at = 5;
};

// CHECK: {{^ +}}using {{.*}}::columns_view;
// CHECK-NEXT: {{^ +}}using {{.*}}::layout;
// CHECK-NOT: {{^ +}}using {{.*}}::check
// CHECKED: {{^ +}}using {{.*}}::columns_view;
// CHECKED-NEXT: {{^ +}}using {{.*}}::reporting_columns_view;
// CHECKED-NEXT: {{^ +}}using {{.*}}::layout;
// CHECKED-NEXT: {{^ +}}using {{.*}}::checks;

int main() {
  std::vector<car> cars(10);
  for (car& c : cars)
    c.next = &cars[static_cast<std::size_t>(&c - cars.data()) / 2];
  ikra::objects(cars).peach([](car* c) { c->at += layout(1) + checks(1) + 10 / (c->next == c ? 1 : 2); });
  wave one;
  one.next = one.held.first = &cars[3];
  ikra::objects(cars).peach([&one](car* c) { c->at += static_cast<int>(one.k + one.phase) + one.held.second + (one.held.first == c); });
  int sum = columns_view + checked_columns_view + reporting_columns_view().at;
  for (const car& c : cars)
    sum += c.at;
  std::printf("%d\n", sum);
}
