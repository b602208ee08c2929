// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section may not call or do on the way: each refusal stands at its line, with the section
// that reaches it. accepted-calls.cpp does the same in the forms that the messages propose.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

int elsewhere(int x);
int sum_of(int count, ...) { return count; }
int deep(int x) {
  std::puts("deep");
  // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not do input or output ('puts'); return the value and print it outside [ikra-io]
  return x;
}

struct Pair {
  short first, second; // aligned to two bytes
};
struct Cell {
  Pair pair{};
  short small = 0;
  int value = 0;
  std::vector<int> list;
  std::string name;
  void tell() { std::printf("%d\n", value); }
  // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not do input or output ('printf'); return the value and print it outside [ikra-io]
};

void sections(std::vector<Cell>& store) {
  auto cells = ikra::objects(store);

  cells.peach([](Cell* c) {
    ikra::atomic_add(c->small, short(1));
    ikra::atomic_exchange(c->pair, Pair{1, 2});
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: {{.*}}this expression cannot be used in a section (an atomic change of what is not 1, 2, 4 or 8 bytes, aligned to as many) [ikra-unsupported-expression]
    std::printf("%d\n", c->value);
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not do input or output ('printf'); return the value and print it outside [ikra-io]
    std::cout << c->value;
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not do input or output ('operator<<'); return the value and print it outside [ikra-io]
    if (c->value < 0)
      throw std::runtime_error("negative");
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not throw; return a value that tells of the error, and throw outside [ikra-throws]
  });
  cells.peach([](Cell* c) {
    std::string text;
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: strings cannot be used in a section; use numbers, enumerations, or constant arrays such as 'constexpr char letters[] = ...' [ikra-string-type]
    c->value = elsewhere(c->value);
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the body of 'elsewhere' is not visible here; define it in a header, or inline [ikra-no-body]
    c->value = sum_of(1, c->value);
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: functions with variable arguments ('sum_of') cannot be called in a section [ikra-variadic]
    c->value = std::rand();
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'rand' cannot be called in a section: it has no version for devices; write a function of your own, or call it outside [ikra-system-function]
    c->value = static_cast<int>(std::beta(1.0, 2.0));
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'std::beta' cannot be called in a section: it has no version for devices; write a function of your own, or call it outside [ikra-system-function]
  });
  cells.peach([](Cell* c) {
    Cell* made = new Cell;
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not allocate or free objects; make them before the operation [ikra-new-delete]
    delete made;
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not allocate or free objects; make them before the operation [ikra-new-delete]
    Cell* made_too = std::make_unique<Cell>().get();
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not allocate or free objects; make them before the operation [ikra-new-delete]
    made_too->value = c->value;
    std::malloc(8);
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not allocate or free objects; make them before the operation [ikra-new-delete]
    std::free(nullptr);
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not allocate or free objects; make them before the operation [ikra-new-delete]
  });
  cells.peach([](Cell* c) {
    c->list.push_back(1);
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'push_back' changes the size of a container, which a section may not do; resize it before the operation [ikra-growing-container]
    c->value = static_cast<int>(c->list.capacity());
    // CHECK-DAG: refused-calls.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'capacity' of 'std::vector<int>' cannot be used in a section; it offers [], at, size, empty, front, back and range-based for [ikra-member-function]
  });
  cells.peach([](Cell* c) { c->value = deep(c->value); });
  // The path from the section to the refused call.
  // CHECK-DAG: refused-calls.cpp:[[@LINE-2]]:{{[0-9]+}}: note: called here
  // CHECK-DAG: refused-calls.cpp:[[@LINE-3]]:{{[0-9]+}}: note: reached from this section
  cells.peach([](Cell* c) { c->tell(); });
}
// CHECK: 18 errors generated.
