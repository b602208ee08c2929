// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes whose objects cannot be laid out in columns. classes-accepted.cpp is the counterpart.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Opaque;
// CHECK-DAG: classes-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: class 'Opaque' is not complete here; include the header that defines it [ikra-incomplete-class]
struct Root {
  int value = 0;
};
struct Shared : virtual Root {
// CHECK-DAG: classes-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: sections reach objects of class 'Shared' and of its base 'Root', which has no virtual method: ikrac cannot tell their class; give 'Root' a virtual destructor [ikra-not-polymorphic]
  virtual ~Shared() = default;
};
struct Plain {
  int value = 0;
};
struct Derived : Plain {
// CHECK-DAG: classes-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: sections reach objects of class 'Derived' and of its base 'Plain', which has no virtual method: ikrac cannot tell their class; give 'Plain' a virtual destructor [ikra-not-polymorphic]
  int more = 0;
};
struct {
// CHECK-DAG: classes-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: objects of a class without a name cannot be used in a section, since emitted code cannot name it; give it a name [ikra-unnamed-class]
  int value = 0;
  const Plain* first = nullptr;
} town;
constexpr struct {
// CHECK-DAG: classes-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: objects of a class without a name cannot be used in a section, since emitted code cannot name it; give it a name [ikra-unnamed-class]
  int cost;
} kinds[] = {{1}, {2}};
struct Held {
  int value = 0;
};
struct More : Held {
// CHECK-DAG: classes-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: sections reach objects of class 'More' and of its base 'Held', which has no virtual method: ikrac cannot tell their class; give 'Held' a virtual destructor [ikra-not-polymorphic]
  const Plain* first = nullptr;
};
struct Owner {
  Held held;
  std::vector<int> list;
};
struct Holder {
  Opaque* inner = nullptr;
};

void sections(std::vector<Shared>& shared, ikra::array<Plain*> plain, ikra::array<Derived*> derived,
              ikra::array<Holder*> holders, ikra::array<Root*> roots) {
  Shared made;
  struct Local {
  // CHECK-DAG: classes-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: class 'Local' is local to a function, and needs more of it than types and constants, or is in a template: emitted code cannot name it; move it to namespace scope [ikra-local-class]
    int value = 0, size = sizeof made;
  };
  std::vector<Local> locals(2);
  shared.push_back(made);
  ikra::objects(shared).peach([](Shared* s) { s->value = 1; });
  ikra::objects(locals).peach([](Local* l) { l->value = 1; });
  roots.peach([](Root* r) { r->value = 1; });
  plain.peach([](Plain* p) { p->value = 1; });
  derived.peach([](Derived* d) { d->value = d->more; });
  derived.peach([](Derived* d) { d->more += town.value + kinds[d->more & 1].cost; });
  ikra::array<Owner*>().peach([](Owner* o) { ++o->held.value; });
  ikra::array<More*>().peach([](More* m) { ++m->value; });
  holders.pmap([](Holder* h) { return h->inner != nullptr; });
}
// CHECK: 7 errors generated.
