// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements, expressions and names that sections may not hold. accepted-forms.cpp is the counterpart.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags -ferror-limit=0 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <list>
#include <vector>

int changing = 1;

struct Cell {
  int value = 0;
  int pair[2] = {};
  Cell* next = nullptr;
  virtual ~Cell() = default;
  virtual int told() const { return value; }
};
struct Big : Cell {};
struct Vector2 {
  float x = 0;
  float y = 0;
  ~Vector2() {} // not copied as bytes
};
struct Truth {
  int v = 0;
  explicit operator bool() const { return v != 0; }
};
int twice(int x) { return 2 * x; }
int total(Vector2 v) { return static_cast<int>(v.x + v.y); }
// CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'Vector2' has no values in a section, since it has a copy constructor or a destructor of its own, {{.*}} [ikra-no-value-class]
bool all(std::list<int>& values) { return values.empty(); }

void sections(std::vector<Big>& store, int (*chosen)(int), std::vector<int> values) {
  ikra::array<Cell*> cells{std::vector<Cell*>{&store[0]}};

  cells.peach([](Cell* c) {
    try {
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not catch exceptions, since none can be thrown in it; move the try block around the operation [ikra-try-block]
      c->value = 1;
    } catch (...) {
    }
  });
  cells.peach([](Cell* c) {
    if (c->value > 0)
      goto out;
      // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not contain goto; use a loop, break or return [ikra-goto-statement]
    c->value = 1;
  out:
    c->value = 2;
  });
  cells.peach([](Cell* c) {
    asm volatile("nop");
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not contain inline assembly; write it as C++ [ikra-inline-asm]
    c->value = 1;
  });
  cells.peach([](Cell* c) {
    static int calls = 0;
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: static variable 'calls' in a section; make it a constant (constexpr) or a member [ikra-static-local]
    c->value = ++calls;
  });
  cells.peach([](Cell* c) { changing = c->value; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'changing' is a variable outside of objects, which sections do not write; reduce to its value, or make it a member [ikra-global-variable]
  cells.peach([](Cell* c) { c->value = [](int x) { return [x] { return x; }; }(c->value)(); });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a lambda inside of a section that gives a lambda is not compiled by this version of ikrac; write a function [ikra-lambda-inside]
  cells.peach([](Cell* c) {
    int (*function)(int) = twice;
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'int (*)(int)' cannot be used in a section: it offers numbers, enumerations, value classes, and pointers and references to objects [ikra-unsupported-type]
    c->value = function(c->value);
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section may not call through a pointer; call a function by its name, or a virtual method [ikra-function-pointer]
  });
  cells.peach([](Cell* c) {
    int (Cell::*member)() const = &Cell::told;
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'int (struct Cell::*)(void) const' cannot be used in a section: it offers numbers, enumerations, value classes, and pointers and references to objects [ikra-unsupported-type]
    c->value = (c->*member)();
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (a call through a pointer to a member, which only the host knows; take it from a constant array, table[k], or hand on a lambda that names the method) [ikra-unsupported-expression]
  });
  cells.peach([](Cell* c) {
    int local = 1;
    void* pointer = &local;
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'void *' cannot be used in a section: it offers numbers, enumerations, value classes, and pointers and references to objects [ikra-unsupported-type]
    c->value = pointer != nullptr;
  });
  cells.peach([](Cell* c) {
    Vector2 v;
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'Vector2' has no values in a section, since it has a copy constructor or a destructor of its own, {{.*}} [ikra-no-value-class]
    c->value = static_cast<int>(v.x);
  });
  cells.peach([](Cell* c) { c->value = total(Vector2{1, 2}); });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'Vector2' has no values in a section, since it has a copy constructor or a destructor of its own, {{.*}} [ikra-no-value-class]
  // CHECK-DAG: body-forms.cpp:[[@LINE-2]]:{{[0-9]+}}: error: an object of class 'Vector2' is copied in a section, where no objects are made; use a reference to it, or copy its members [ikra-object-by-value]
  cells.peach([](Cell* c) {
    if (dynamic_cast<void*>(c) != nullptr)
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (dynamic_cast to void*; cast to a pointer to a class) [ikra-unsupported-expression]
      c->value = 1;
  });
  cells.peach([](Cell* c) { c->value = c < c->next; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (arithmetic or order of pointers to objects) [ikra-unsupported-expression]
  cells.peach([](Cell* c) { ++c; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (arithmetic of pointers to objects) [ikra-unsupported-expression]
  cells.peach([](Cell* c) { c += 1; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (arithmetic of pointers to objects) [ikra-unsupported-expression]
  cells.peach([](Cell* c) { c->value = (c + 1)->value + c[1].value; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (arithmetic or order of pointers to objects) [ikra-unsupported-expression]
  // CHECK-DAG: body-forms.cpp:[[@LINE-2]]:{{[0-9]+}}: error: this expression cannot be used in a section (arithmetic of pointers to objects) [ikra-unsupported-expression]
  cells.peach([](Cell* c) { c->value = reinterpret_cast<long>(c) != 0; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (reinterpret_cast; call std::bit_cast for the bits of a value) [ikra-unsupported-expression]
  cells.peach([](Cell* c) { c->value = (long)c != 0; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section (an address as a number; give objects a number of their own, as a member) [ikra-unsupported-expression]
  cells.peach([](Cell* c) {
    std::list<int> values;
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'std::list<int>' cannot be used in a section: it offers numbers, enumerations, value classes, and pointers and references to objects [ikra-unsupported-type]
    c->value = values.empty();
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'std::list<int>::empty' cannot be called in a section: it has no version for devices; write a function of your own, or call it outside [ikra-system-function]
  });
  cells.peach([](Cell* c) { c->value = static_cast<int>((long double)(c->value) * 2); });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'long double' cannot be used in a section: it offers numbers, enumerations, value classes, and pointers and references to objects [ikra-unsupported-type]
  cells.peach([](Cell* c) {
    auto [first, second] = c->pair;
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this statement cannot be used in a section (a structured binding that copies an array of an object; bind by reference, or name its elements) [ikra-unsupported-statement]
    c->value = first + second;
  });
  cells.peach([](Cell* c) {
    for (; const Truth truth{c->value};)
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this statement cannot be used in a section (a declaration of a class as the condition of a for; write a while) [ikra-unsupported-statement]
      c->value -= truth.v;
  });
  cells.peach([](auto* c) {
    int declared(int);
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this statement cannot be used in a section (a declaration of a function or of something else that is no variable; write it before the function) [ikra-unsupported-statement]
    c->value = 1;
  });
  cells.peach([](Cell* c) {
    std::vector<int> copy(3);
    // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: type 'std::vector<int>' cannot be used in a section: it offers numbers, enumerations, value classes, and pointers and references to objects [ikra-unsupported-type]
    c->value = copy[0];
  });
  cells.peach([](Cell* c) { c->value = "text"[0]; });
  // CHECK-DAG: body-forms.cpp:[[@LINE-1]]:{{[0-9]+}}: error: strings cannot be used in a section; use numbers, enumerations, or constant arrays such as 'constexpr char letters[] = ...' [ikra-string-type]
}
// CHECK: 31 errors generated.
