// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual calls in emitted code: on the element by overload, on other objects by a switch over classes.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

constexpr int step = 3;

class Animal {
  IKRA_OBJECT
  enum class Mood { calm, glad };
  Mood mood = Mood::calm;

public:
  int heard = 0;
  Animal* friend_of = nullptr;
  virtual ~Animal() = default;
  virtual int sound() const = 0;
  void listen() {
    heard += friend_of->sound() + sound() * step;
    mood = heard > 10 ? Mood::glad : Mood::calm;
  }
  bool is_glad() const { return mood == Mood::glad; }
};
struct Dog : Animal {
  int sound() const override { return 2; }
};
struct Cat : Animal {
  int sound() const override { return 5; }
};

int main() {
  Dog dog;
  Cat cat;
  dog.friend_of = &cat;
  cat.friend_of = &dog;
  ikra::array<Animal*> animals{std::vector<Animal*>{&dog, &cat}};
  animals.peach([](Animal* a) { a->listen(); });
  // OUT: 11 17 1 1
  std::printf("%d %d %d %d\n", dog.heard, cat.heard, dog.is_glad(), cat.is_glad());
  return 0;
}

// The user's text stands in the emitted file too, these lines with it: what is checked stands after it.
// CHECK: {{^}}#line 1 "{{.*}}dispatch.cpp"
// CHECK: animals.peach(::ikra::make_section_with_code<::ikra_unit_dispatch_{{[0-9a-f]+}}::main_0, void(::Animal *)>(::ikra::later{[&] { return [](Animal* a) { a->listen(); }; }}));
// CHECK: {{^}}//===-- access to members
// CHECK: template <> struct ikra::object_access<{{.*}}::unit, ::Animal> {
// CHECK-NEXT: {{^}}  using Mood = ::Animal::Mood;
// CHECK-NEXT: {{^}}  static auto& mood(::Animal& o) { return o.mood; }
// CHECK: {{^}}#line {{[0-9]+}} "{{.*}}dispatch.cpp"
// CHECK-NEXT: {{^}}IKRA_DEVICE int Dog_sound(ikra::object_id self) { return 2; }
// CHECK: {{^}}IKRA_DEVICE int Animal_sound_by_class(const columns_view& w, ikra::object_id self) {
// CHECK-NEXT: {{^}}  switch (w.Animal_classes.class_of(self)) {
// CHECK-NEXT: {{^}}  case 0: // Dog
// CHECK-NEXT: return Dog_sound(self);
// CHECK-NEXT: {{^}}  default: // Cat
// CHECK-NEXT: return Cat_sound(self);
// CHECK: {{^}}IKRA_DEVICE int Animal_sound_by_class(const columns_view& w, Dog_element& self) { return Dog_sound_2(self); }
// CHECK-NEXT: {{^}}IKRA_DEVICE int Animal_sound_by_class(const columns_view& w, Cat_element& self) { return Cat_sound_2(self); }
// CHECK: self.heard += Animal_sound_by_class(w, self.friend_of) + Animal_sound_by_class(w, self) * 3 /* step */;
// CHECK-NEXT: self.mood = self.heard > 10 ? ikra::object_access<unit, ::Animal>::Mood::glad
// CHECK: {{^}}  IKRA_DEVICE void operator()(Dog_class, ikra::object_id id) const {
// CHECK: {{^}}  IKRA_DEVICE void operator()(Cat_class, ikra::object_id id) const {
