// Copies of objects: device code has the object in place of a copy that nothing can tell from it.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=model %t/accepted.cpp -- %ikra_flags 2>&1 | FileCheck %t/accepted.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck --check-prefix=EMITTED %t/accepted.cpp < %t.cu
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: not %ikrac -o %t.cu %t/differs.cpp -- %ikra_flags 2>&1 | FileCheck %t/differs.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <string>
#include <vector>
struct Body {
  float x = 0, felt = 0;
  std::vector<int> marks;
  std::string name;
  const Body* other = nullptr;
  float at(float factor) const { return x * factor; }
  void pull(const std::vector<Body>& bodies) {
    for (Body other : bodies)
      felt += other.at(2);
  }
};
// CHECK-DAG: objects in place of their copies: a, b
// EMITTED-DAG: IKRA_DEVICE float global_apart(const columns_view& w, ikra::object_id a, ikra::object_id b) { return w.Body_x[a] - w.Body_x[b]; }
float apart(Body a, const Body b) { return a.x - b.x; }
// CHECK-DAG: objects in place of their copies: result
// CHECK-DAG: objects in place of their copies: copy
// EMITTED-DAG: ikra::object_id global_nearest(const columns_view& w, Self& body) { return w.Body_other[body.id]; }
Body nearest(const Body* body) { return *body->other; }
void sections(std::vector<Body>& bodies) {
  ikra::objects(bodies).peach([&](Body* b) { b->pull(bodies); });
  ikra::objects(bodies).pmap([](const Body* b) {
    const auto copy = *b;
    return apart(copy, nearest(b)) + copy.at(1);
  });
}

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Plain {
  int value = 0;
  Plain* next = nullptr;
  Plain copied() const { return *this; }
  void set(int to) { value = to; }
};
struct Counted {
  Counted() = default;
  Counted(const Counted& other) : value(other.value + 1) {}
  int value = 0;
};
void change(Plain& plain) { ++plain.value; }
void sections(ikra::array<Plain*> plain, ikra::array<Counted*> counted) {
  plain.peach([](Plain* p) {
    Plain copy = *p;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:11: error: an object of class 'Plain' is copied in a section, and the copy may be changed; use a reference to it, or copy its members [ikra-object-by-value]
    change(copy);
    p->value = copy.value;
  });
  plain.peach([](Plain* p) {
    p->copied().set(3);
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Plain' is copied in a section, and the copy may be changed; use {{.*}} [ikra-object-by-value]
    auto&& copy = p->copied();
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Plain' is copied in a section, and the copy may be changed; use {{.*}} [ikra-object-by-value]
    p->value = copy.value;
  });
  plain.pmap([](Plain* p) {
    const Plain made{3, p};
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: an object of class 'Plain' is copied in a section, where no objects are made; use {{.*}} [ikra-object-by-value]
    return made.value;
  });
  counted.pmap([](const Counted* c) {
    const Counted copy = *c;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: an object of class 'Counted' is copied in a section, which runs code of its class; use {{.*}} [ikra-object-by-value]
    return copy.value;
  });
}

//--- differs.cpp
#include <ikra/ikra.hpp>
struct Plain {
  int value = 0;
  Plain* next = nullptr;
};
struct Base {
  virtual ~Base() = default;
  virtual int size() const { return 1; }
};
struct Derived : Base {
  int size() const override { return 2; }
};
Base* made() { return new Derived; }
void sections(ikra::array<Plain*> plain, ikra::array<Base*> bases) {
  plain.peach([](Plain* p) {
    const Plain before = *p;
    // CHECK-DAG: differs.cpp:[[@LINE-1]]:17: error: an object of class 'Plain' is copied in a section, which also writes 'value'; use {{.*}} [ikra-object-by-value]
    p->value = 3;
    p->value += before.value;
  });
  plain.pmap([](Plain* p) {
    const Plain copy = *p;
    // CHECK-DAG: differs.cpp:[[@LINE-1]]:17: warning: an object of class 'Plain' is copied in a section, which also compares pointers to objects; use {{.*}} [ikra-object-by-value]
    return copy.next == p ? 1 : 0;
  });
  bases.pmap([](const Base* b) {
    const Base copy = *b;
    // CHECK-DAG: differs.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: an object of class 'Base' is copied in a section, and classes are derived from its own; use {{.*}} [ikra-object-by-value]
    return copy.size();
  });
}
