// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to members: constants are the members, elements of constant arrays a choice by index,
// others a choice by the pointer. What has effects is not named several times, and a pointer to a
// method is known to the host alone.
//
// RUN: %ikrac --print=bodies %s -- %ikra_flags 2>/dev/null | FileCheck %s
// RUN: %ikrac --print=model %s -- %ikra_flags 2>/dev/null | FileCheck --check-prefix=MODEL %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck --check-prefix=SAID --implicit-check-not=warning: %s
// RUN: %emitted %t.cu | FileCheck --check-prefix=EMIT %s
#include <ikra/ikra.hpp>

#include <vector>

class Body {
public:
  float x = 1, y = 2, mass = 3;
  int n = 0;
  float weight() const { return mass; }
  float size() const { return x + y; }
  float along(int k) const { return this->*axes[k]; }
  float ask(int k) const { return (this->*questions[k])(); }
  float ask_as(unsigned char k, char32_t j) const { return (this->*questions[k])() + this->*axes[j]; }

private:
  static constexpr float Body::*axes[] = {&Body::x, &Body::y};
  static constexpr float (Body::*questions[])() const = {&Body::weight, &Body::size};
};

int next();

int main() {
  std::vector<Body> bodies(3);
  const ikra::array all = ikra::objects(bodies);
  constexpr auto mass = &Body::mass;
  constexpr auto weight = &Body::weight;
  // MODEL: section main_0
  // MODEL: reads own: Body::mass{{$}}
  // MODEL: section main_1
  // CHECK: return (+ (member Body::mass id-of-element b) (call Body_weight element b))
  auto a = all.pmap([=](const Body* b) { return b->*mass + (b->*weight)(); });
  // EMIT: Body_along(const columns_view& w, {{.*}}int k) { return (k == 0 ? {{.*}}x{{.*}} : {{.*}}y{{.*}}); }
  a = all.with_index().pmap([](const Body* b, std::int64_t i) { return b->along(int(i % 2)); });
  // EMIT: Body_ask(const columns_view& w, {{.*}}int k) { return (k == 0 ? Body_weight({{.*}}) : Body_size({{.*}})); }
  a = all.with_index().pmap([](const Body* b, std::int64_t i) { return b->ask(int(i % 2)); });
  // EMIT: Body_ask_as({{.*}}unsigned char k, char32_t j) { return (k == 0 ? {{.*}}) + (j == 0U ? {{.*}}
  a = all.with_index().pmap([](const Body* b, std::int64_t i) { return b->ask_as(static_cast<unsigned char>(i % 2), char32_t(i % 2)); });
  // The host's pointer is the member's place.
  // CHECK: return (paren (choice (== captured which constant 0) (member Body::x id-of-element b) (choice (== captured which constant 4) (member Body::y id-of-element b) (member Body::mass id-of-element b))))
  // CHECK: Body_along
  // CHECK: return (paren (choice (== k 0) (member Body::x id-of-element self) (member Body::y id-of-element self)))
  // EMIT: long which;
  // EMIT: return (which == static_cast<long>(0) ? {{.*}}x{{.*}} : which == static_cast<long>(4) ? {{.*}}y{{.*}} : {{.*}}mass{{.*}});
  float Body::*which = bodies[0].n == 0 ? &Body::x : &Body::y;
  a = all.pmap([which](const Body* b) { return b->*which; });

  // SAID-DAG: :[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (a pointer to a member, after what may have effects, or to one of many; give the object and the pointer names before)
  a = all.pmap([which](const Body* b) { const Body* c = nullptr; return (c = b)->*which; });
  // SAID-DAG: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'pmap' is not compiled
  // SAID-DAG: :[[@LINE+3]]:{{[0-9]+}}: warning: {{.*}}'pmap' is not compiled
  // SAID-DAG: :[[@LINE+2]]:{{[0-9]+}}: warning: {{.*}}the capture 'asked', a pointer to a member; write a lambda that names the member
  float (Body::*asked)() const = &Body::size;
  a = all.pmap([asked](const Body* b) { return (b->*asked)(); });
  return int(a[0]);
}
