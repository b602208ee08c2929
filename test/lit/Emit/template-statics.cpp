// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static members of class templates: emitted code names the specialisation, unless an argument is a private class.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags
// RUN: FileCheck %t/accepted.cpp < %t.cu
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <vector>
template <class T> struct Counted {
  int steps = 0;
  static int stride;
  static inline int table[3] = {1, 2, 3};
};
template <class T> int Counted<T>::stride = 7;
namespace zoo {
struct Cat : Counted<Cat> {};
template <class T, int N> struct Policy {
  static inline T limit = N;
  static inline int number = N;
};
} // namespace zoo
template <class T> class Hidden {
  IKRA_OBJECT
public:
  int steps = 0;
  void walk() { steps += pace; }

private:
  static inline int pace = 3;
};
struct Cow : Hidden<Cow> {};
void sections(std::vector<zoo::Cat>& cats, std::vector<Cow>& cows) {
  ikra::objects(cats).peach([](zoo::Cat& c) { c.steps += c.stride + c.table[1] + int(zoo::Policy<long, 4>::limit); });
  ikra::objects(cows).peach([](Cow& c) { c.walk(); });
  struct Local {}; // stands outside of the function there
  ikra::objects(cats).peach([](zoo::Cat& c) { c.steps += zoo::Policy<Local*, 0>::number; });
}
// CHECK: int global_stride;
// CHECK: int global_table[3];
// CHECK: global_stride(::Counted< ::zoo::Cat>::stride),
// CHECK: global_limit(::zoo::Policy<long, 4>::limit),
// CHECK: global_number(::zoo::Policy<{{.*}}::Local *, 0>::number),
// CHECK: global_pace(ikra::object_access<unit, ::Hidden<Cow>>::pace()) { std::memcpy(&global_table, &::Counted< ::zoo::Cat>::table,

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <vector>
template <class T> struct Counted {
  int steps = 0;
  static inline int stride = 7;
};
struct Dog : Counted<Dog> {};
class Box {
  struct Inner {};

public:
  using type = Counted<Inner>;
};
void of_private(std::vector<Dog>& dogs) {
  ikra::objects(dogs).peach([](Dog& d) { d.steps += Box::type::stride; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{.*}}: error: 'stride' has a name that emitted code cannot write: of a variable template, or of a class template with a local or private class; capture a copy, [stride = stride]
}
