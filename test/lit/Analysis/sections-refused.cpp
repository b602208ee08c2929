// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cannot stand in the place of a section, or where a section cannot stand. sections-accepted.cpp is the counterpart.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <functional>
#include <variant>
#include <string>
#include <utility>
#include <vector>

int declared_only(int x);
struct Cell {
  int value = 0;
  Cell* next = nullptr;
};
struct Keeper {
  std::vector<int> what;
  int operator()(int x) const { return x + what[0]; }
};

void in_template(const auto& numbers) {
  const int k = [](int numbers) { return numbers; }(1);
  numbers.pmap([k](int x) { return x + k; });
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: section inside a template whose instantiations ikrac cannot tell apart, since the function declares 'numbers' again, a parameter whose type has no name; name the template's parameters, or move the call of 'pmap' out of the template [ikra-section-in-template]
}
template <class = int> void unnamed(const ikra::array<int>& numbers) {
  numbers.pmap([](int x) { return x + 1; });
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: section inside a template whose instantiations ikrac cannot tell apart, since two instantiations have the same arguments where parameters have names; name the template's parameters, or move the call of 'pmap' out of the template [ikra-section-in-template]
}
template <class... Arrays> double sums(const Arrays&... arrays) {
  return (double(arrays.sum()) + ...);
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: section inside a template whose instantiations ikrac cannot tell apart, since one instantiation calls it for several elements of a pack, where a function template can be called for each; {{.*}} [ikra-section-in-template]
}
#define REST return x + 1; })

void sections(std::vector<Cell>& store, const ikra::array<int>& numbers, int k) {
  auto cells = ikra::objects(store);
  std::function<int(int)> stored = [](int x) { return x; };
  int (*pointer)(int) = nullptr;
  auto captures = [k = ++k](int x) { return x + k; };
  ikra::array<std::string> names{std::vector<std::string>{"a"}};
  ikra::array<std::pair<int, Cell*>> pairs{std::vector<std::pair<int, Cell*>>{{1, nullptr}}};

  sums(numbers, ikra::array<double>());
  numbers.pmap(stored);
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a function object that is no value class cannot be a section: write a lambda, or name a function, at the call [ikra-section-kind]
  numbers.pmap(pointer);
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: this expression cannot be a section: write a lambda, or name a function, at the call [ikra-section-kind]
  numbers.pmap(Keeper{{1}});
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: a function object that is no value class cannot be a section: write a lambda, or name a function, at the call [ikra-section-kind]
  numbers.pmap(captures);
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: what this lambda captures has to be seen at the call of 'pmap', or copied from names where the lambda stands, as in [f] and [k = k]; write the lambda there, or capture so [ikra-section-captures-elsewhere]
  numbers.pmap(declared_only);
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the body of 'declared_only' is not visible here; define it in a header, or inline [ikra-no-body]
  in_template(numbers);
  unnamed<int>(numbers);
  unnamed<long>(numbers);
  numbers.pmap([](int x) { REST;
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: a macro's expansion holds one end of this section: ikrac cannot rewrite its text; write the call of 'pmap' out [ikra-section-in-macro]
  names.pmap([](const std::string& s) { return s.size(); });
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'pmap' over elements of type 'std::basic_string<char>': elements of sections are numbers, enumerations, value classes and pointers to objects; make an array of what is asked of the texts first, outside of sections [ikra-section-element]
  pairs.peach([](std::pair<int, Cell*> p) { p.first = 0; });
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'peach' over elements of type 'std::pair<int, Cell *>': elements of sections are numbers, enumerations, value classes and pointers to objects; let it be over the pointers, and capture the other array: a.with_index() hands over the index, [b](T* object, std::int64_t i) { ... b[i] ... } [ikra-section-element]
  cells.pmap([](const Cell* c) { return *c; });
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: section returns 'Cell': results of sections are numbers, enumerations, value classes and pointers to objects; of an object, return its address, or what it holds [ikra-section-result]
  cells.pmap([](Cell* c) { return std::variant<Cell*, Cell*>(std::in_place_index<1>, c->next); });
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: section returns 'std::variant<Cell *, Cell *>': results of sections are numbers, enumerations, value classes and pointers to objects; of an object, return its address, or what it holds [ikra-section-result]
  numbers.pmap([](int x) { return std::vector<int>{x}; });
  // CHECK-DAG: sections-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: section returns 'std::vector<int>': results of sections are numbers, enumerations, value classes and pointers to objects; of an object, return its address, or what it holds [ikra-section-result]
}
// CHECK: 12 warnings and 5 errors generated.
