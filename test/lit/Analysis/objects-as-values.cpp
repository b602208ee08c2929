// A class that has objects in some sections and values in others: in code, its values are copies of objects, with the bytes of the
// program's. Each capture, element and result decides for itself.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=model %t/accepted.cpp -- %ikra_flags 2>&1 | FileCheck %t/accepted.cpp
// RUN: %ikrac --print=fusion %t/accepted.cpp -- %ikra_flags | FileCheck %t/accepted.cpp --check-prefix=FUSION
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck --check-prefix=EMITTED %t/accepted.cpp < %t.cu
// RUN: %ikrac -o %t.cu %t/left.cpp -- %ikra_flags 2>&1 | FileCheck %t/left.cpp
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <vector>
// CHECK: class Body
// CHECK: copies on devices: Body_copy
// CHECK-NEXT: members of copies: x, mass_, place_
// EMITTED: struct __attribute__((__may_alias__)) Body_copy {
// EMITTED-NEXT: float x;
// EMITTED-NEXT: int mass_;
// EMITTED-NEXT: float place_[2];
// EMITTED-NEXT: };
// EMITTED-NEXT: static_assert(sizeof(Body_copy) == sizeof(::Body) && alignof(Body_copy) == alignof(::Body));
class Body {
public:
  float pull(const std::vector<Body>& all) const {
    float sum = 0;
    for (const Body& other : all)
      sum += static_cast<float>(other.mass_) * (other.x - x);
    return sum + all[1].x;
  }
  void move(const std::vector<Body>& all) { x += pull(all); }
  void keep(float pulled) { place_[0] = pulled; }
  float x = 0;

private:
  int mass_ = 1;
  float place_[2] = {0, 0};
};
// EMITTED: float Body_pull(const columns_view& w, const Body_copy& self, ikra::list<const Body_copy> all)
void step(std::vector<Body>& bodies) {
  // A copy of the objects beside the objects.
  // CHECK: section step_0 {{.*}}: peach over object of Body
  // CHECK-NEXT: captures: bodies (list of ::Body)
  ikra::objects(bodies).peach([bodies](Body* b) { b->move(bodies); });
  // CHECK: section step_1 {{.*}}: peach over object of Body
  // CHECK-NEXT: captures: bodies (list of objects of Body)
  ikra::objects(bodies).peach([&bodies](Body* b) { b->keep(b->pull(bodies)); });
}
float values(std::vector<Body>& bodies, const Body& sun) {
  // CHECK: section values_2 {{.*}}: pmap over ::Body gives ::Body
  // EMITTED: IKRA_DEVICE Body_copy code(Body_copy b) const {
  // EMITTED: IKRA_DEVICE ::Body operator()(const ::Body& element_0) const { return ikra::same_bytes<::Body>(code(ikra::same_bytes<Body_copy>(element_0))); }
  const auto next = ikra::array{bodies}.pmap([bodies](Body b) {
    b.move(bodies);
    return b;
  });
  // CHECK: section values_3 {{.*}}: pmap over object of Body gives ::Body
  const auto later = ikra::objects(bodies).pmap([](const Body* b) { return *b; });
  // CHECK: section values_4 {{.*}}: pcombine over ::Body, ::Body gives float
  return next.pcombine(later, [s = sun](const Body& a, Body b) { return a.x - b.x + s.x; }).sum();
}
// EMITTED: struct __attribute__((__may_alias__)) Ball_float_copy : Point_copy {
struct Point {
  float x = 0;
};
template <class T> struct Ball : Point {
  T radius = 1;
};
void grow(std::vector<Ball<float>>& balls) {
  ikra::objects(balls).peach([balls](Ball<float>* b) { b->radius += balls[0].x; });
}
void steps(std::vector<Body>& bodies) {
  // Each turn has another copy.
  // FUSION-DAG: no sequence at line [[@LINE+1]]
  for (int step = 0; step < 9; ++step) {
    ikra::objects(bodies).peach([bodies](Body* b) { b->move(bodies); });
    ikra::objects(bodies).peach([](Body* b) { b->x += 1; });
  }
  const std::vector<Body> before = bodies;
  // FUSION-DAG: sequence_of_steps
  for (int step = 0; step < 9; ++step)
    ikra::objects(bodies).peach([before](Body* b) { b->move(before); });
}

//--- left.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Body {
  float x = 0;
};
float left(std::vector<Body>& bodies) {
  ikra::objects(bodies).peach([](Body* b) { b->x += 1; });
  // CHECK: left.cpp:[[@LINE+1]]:{{.*}} warning: {{.*}}code that takes or gives values of a class of objects in another way than by value{{.*}} [ikra-unsupported-expression]
  const auto same = ikra::array{bodies}.pmap([](const Body& b) -> const Body& { return b; });
  const auto x = ikra::array{bodies}.pmap([](const Body& b) {
    const Body* p = &b; // CHECK: left.cpp:[[@LINE]]:{{.*}} warning: an object of class 'Body' is copied in a section, whose address is taken
    return p->x;
  });
  return same.count([](const Body& b) { return b.x > 0; }) + x.sum();
}

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Body {
  float x = 0;
  Body* next = nullptr;
};
void refused(std::vector<Body>& bodies) {
  // CHECK: refused.cpp:[[@LINE+1]]:{{.*}} error: 'bodies' of type '{{.*}}' cannot be captured{{.*}}; capture it by a reference in peach: copies of objects are numbers and values alone [ikra-capture-type]
  ikra::objects(bodies).peach([bodies](Body* b) { b->x += bodies[0].x; });
}
