// Copies of objects: structs on devices, of the members that sections use of copies.
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
struct Engine {
  int power = 1;
  int unused = 0;
  std::string label;
};
// CHECK: class Body
// CHECK: copies on devices: Body_copy
// CHECK: members of copies: engine, x, other
// CHECK: class Plain
// CHECK: members of copies: step, value
// CHECK: class Engine
// CHECK: copies on devices: Engine_copy
// CHECK: members of copies: power
// EMITTED: struct Engine_copy {
// EMITTED-NEXT: int power;
// EMITTED-NEXT: };
// EMITTED-NEXT: struct Body_copy {
// EMITTED-NEXT: float x;
// EMITTED-NEXT: ikra::object_id other;
// EMITTED-NEXT: Engine_copy engine;
// EMITTED-NEXT: };
struct Body {
  float x = 0, felt = 0;
  std::vector<int> marks;
  std::string name;
  const Body* other = nullptr;
  Engine engine;
  float at(float factor) const { return x * factor; }
  Body& move(float by) {
    x += by;
    return *this;
  }
  void pull(const std::vector<Body>& bodies) {
    for (Body other : bodies)
      felt += other.at(2);
  }
};
// EMITTED-DAG: IKRA_DEVICE float Body_at(const Body_copy& self, float factor) { return self.x * factor; }
// EMITTED-DAG: IKRA_DEVICE Body_copy& Body_move(Body_copy& self, float by) {
// EMITTED-DAG: IKRA_DEVICE float global_apart(Body_copy a, const Body_copy b) { return a.x - b.x; }
float apart(Body a, const Body b) { return a.x - b.x; }
// EMITTED-DAG: Body_copy global_nearest(const columns_view& w, Self& body) { return ikra::in_order{w.Body_other[body.id]}([&](auto&& original) { return Body_copy{w.Body_x[original], w.Body_other[original], Engine_copy{w.Engine_power[w.Body_engine[original]]}}; }); }
Body nearest(const Body* body) { return *body->other; }
// A section that writes what copies hold, and a whole object of numbers.
struct Plain {
  int value = 0, step = 1, same = 2;
  std::string name;
  Plain* next = nullptr;
  void work() {
    Plain before = *this;
    step = 3;
    before.value += step + same;
    *this = before; // with what the section writes, and the copy has
  }
};
struct Whole {
  int value = 0;
  Whole* next = nullptr;
  void work() { *this = *next; }
};
// Written back to its object, a copy assigns what copies change.
struct Back {
  std::string name;
  int value = 0, factor = 2;
  Back* other = nullptr;
  Back next(int by) const {
    Back out = *this;
    out.value += by * factor;
    return out;
  }
  void best() {
    Back best = *this;
    Back tried = best;
    tried.value -= 1;
    if (tried.value < best.value)
      best = tried;
    *this = best;
  }
  void lambdas() {
    const auto change = [](Back& of) { of.value += 1; };
    Back out = *this;
    change(out);
    *this = out;
  }
};
void backs(std::vector<Back>& all) {
  // EMITTED-DAG: w.Back_value[b.id] = value.value;
  ikra::objects(all).peach([](Back& b) { b = b.next(3); });
  // EMITTED-DAG: w.Back_value[self.id] = best.value;
  ikra::objects(all).peach([](Back& b) { b.best(); });
  // EMITTED-DAG: change = [&](Back_copy& of) -> void {
  ikra::objects(all).peach([](Back& b) { b.lambdas(); });
}
void sections(std::vector<Body>& bodies, std::vector<Plain>& plain, std::vector<Whole>& wholes) {
  ikra::objects(bodies).peach([&](Body* b) { b->pull(bodies); });
  ikra::objects(bodies).pmap([](const Body* b) {
    auto copy = *b;
    copy.move(2).x += static_cast<float>(copy.engine.power);
    return apart(copy, nearest(b)) + copy.at(1) + copy.other->x;
  });
  // EMITTED-DAG: self.value = before.value, self.step = before.step;
  ikra::objects(plain).peach([](Plain& p) { p.work(); });
  // EMITTED-DAG: return {{.*}}value = value.value, {{.*}}next{{.*}} = value.next; });
  ikra::objects(wholes).peach([](Whole& w) { w.work(); });
}
// CHECK-DAG: function Body::at (copies in place this)
// CHECK-DAG: function Body::move (copies in place this)
// CHECK-DAG: copies of objects: a, b
// CHECK-DAG: copies of objects: result
// CHECK-DAG: copies of objects: copy

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <array>
#include <string>
#include <utility>
#include <vector>
struct Plain {
  int value = 0;
  Plain* next = nullptr;
  void link(Plain& to) { to.next = this; }
};
struct Named {
  int value = 0;
  std::string name;
  Named* other = nullptr;
};
// Assigned as a whole by a method, a copy may have another's name.
struct Becoming {
  int value = 0;
  std::string name;
  const Becoming* other = nullptr;
  void become(const Becoming& of) { *this = of; }
  void work() {
    Becoming next = *this;
    next.become(*other);
    *this = next;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Becoming' is copied in a section, and assigned with its member 'name', which cannot be; use {{.*}} [ikra-object-by-value]
  }
  void mixed() {
    const auto change = [](Becoming& of) { of.value += 1; };
    Becoming next = *this;
    change(next);
    change(*this);
    // CHECK-DAG: refused.cpp:[[@LINE-2]]:{{[0-9]+}}: error: a lambda inside of a section that is given copies of objects by reference, and objects themselves or by another function, is not compiled by this version of ikrac; write a function [ikra-lambda-inside]
  }
};
struct Ending {
  ~Ending() {}
  int value = 0;
};
// Pointed to, and held by value in what is held.
struct Spot {
  int x = 0;
  bool operator==(const Spot&) const = default;
};
struct Row {
  std::array<Spot, 2> now, old;
  Spot* seen = nullptr;
};
struct Root {
  int depth = 0;
};
struct Shared : virtual Root {
  int value = 0;
};
Ending* ending();
void sections(ikra::array<Plain*> plain, ikra::array<Named*> named, ikra::array<Ending*> endings,
              ikra::array<Becoming*> becoming, ikra::array<Shared*> shared,
              std::vector<Row*> rows) {
  shared.peach([](Shared* s) {
    const Shared copy = *s;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Shared' is copied in a section, which has a virtual base; use {{.*}} [ikra-object-by-value]
    s->value = copy.value;
  });
  becoming.peach([](Becoming* b) { b->work(); });
  becoming.peach([](Becoming* b) { b->mixed(); });
  plain.peach([](Plain* p) {
    Plain copy = *p;
    p->next = &copy;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Plain' is copied in a section, whose address is taken; use a reference to it, or copy its members [ikra-object-by-value]
  });
  plain.peach([](Plain* p) {
    Plain copy = *p;
    copy.link(*p);
  });
  // CHECK-DAG: refused.cpp:9:{{[0-9]+}}: error: an object of class 'Plain' is copied in a section, whose address is taken; use {{.*}} [ikra-object-by-value]
  named.peach([](Named* n) {
    *n = *n->other;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Named' is copied in a section, and assigned with its member 'name', which cannot be; use {{.*}} [ikra-object-by-value]
  });
  plain.peach([rows](Plain*) {
    rows[0]->old = rows[0]->now;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section ('std::array<Spot, 2>::operator=' of objects of class 'Spot': it is there for values alone; assign each element) [ikra-unsupported-expression]
    const bool same = rows[0]->old == rows[0]->now;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section ('std::operator==' of objects of class 'Spot': it is there for values alone; compare each element) [ikra-unsupported-expression]
    std::exchange(rows[0]->now[0], rows[0]->old[same]);
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: this expression cannot be used in a section ('std::exchange' of objects of class 'Spot': it is there for values alone; copy the old value, and assign the new one) [ikra-unsupported-expression]
    rows[0]->seen->x += rows[0]->old[0].x;
  });
  endings.pmap([](const Ending* e) {
    const Ending copy = *e;
    // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: an object of class 'Ending' is copied in a section, which runs code of its class when it ends; use {{.*}} [ikra-object-by-value]
    return copy.value;
  });
}

//--- differs.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Marked {
  std::vector<int> marks;
  int sum = 0;
};
struct Base {
  virtual ~Base() = default;
  virtual int size() const { return 1; }
  int twice() const { return 2 * size(); }
};
struct Derived : Base {
  int size() const override { return 2; }
};
Base* made() { return new Derived; }
int asked(const Base& base) { return base.size(); }
// CHECK-DAG: differs.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: an object of class 'Base' is copied in a section, of which a virtual method is called by a reference; use {{.*}} [ikra-object-by-value]
void sections(ikra::array<Marked*> marked, ikra::array<Base*> bases) {
  marked.peach([](Marked* m) {
    const Marked before = *m;
    // CHECK-DAG: differs.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Marked' is copied in a section, and the section changes 'marks', which the copy has a view of; use {{.*}} [ikra-object-by-value]
    m->marks[0] = 3;
    m->sum += before.marks[0];
  });
  bases.pmap([](const Base* b) {
    const Base copy = *b;
    return copy.size() + copy.twice(); // of a variable the class is known
  });
  bases.pmap([](const Base* b) {
    const Base copy = *b;
    return asked(copy) + asked(*b);
  });
}
