// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of what other elements write are named (unshared_read), also where it is stored without its old value: with ticks, where all objects of the class are elements, and of captured elements.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/warned.cpp -- %ikra_flags 2>&1 | FileCheck %t/warned.cpp
// RUN: %ikrac --check -o %t.cu %t/warned.cpp -- %ikra_flags 2>&1 | FileCheck %t/warned.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- warned.cpp
#include <ikra/ikra.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>
namespace stored_each_tick {
struct C { float v = 0; C* left = nullptr; };
void f(C* x) { std::vector<C> cs(4); cs[0].left = &cs[1];
 ikra::objects(cs).peach(10, [](C* c) { c->v = c->left->v; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'stored_each_tick::C::v' of another element may be read here
}
namespace all_objects_are_elements {
struct C { float v = 0; C* left = nullptr; };
void all() { std::vector<C> cs(4); cs[0].left = &cs[1];
 ikra::objects(cs).peach([](C* c) { c->v = c->left->v; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'all_objects_are_elements::C::v' of another element may be read here
}
namespace sum_of_neighbours {
struct C { float v = 0; std::vector<C*> neighbours; 
 void step() { float sum = 0; for (C* n : neighbours) sum += n->v; v = sum * 0.25f; } };
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'sum_of_neighbours::C::v' of another element may be read here
void all() { std::vector<C> cs(4);
 ikra::objects(cs).peach([](C* c) { c->step(); }); }
}
namespace in_a_loop {
struct C { float v = 0; std::vector<C*> near;
 void step() { for (const C* n : near) v += 0.1f * n->v; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'in_a_loop::C::v' of another element may be read here
 void more() { for (std::size_t i = 0; i < near.size(); ++i) v += near[i]->v; } };
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'in_a_loop::C::v' of another element may be read here
void f(std::vector<C>& cs) {
 ikra::objects(cs).peach([](C* c) { c->step(); });
 ikra::objects(cs).peach([](C* c) { c->more(); }); }
}
namespace in_a_member_of_this { // of the object whose method the section stands in
struct C { float v = 0; };
struct Sim { std::vector<C> cs; std::vector<std::unique_ptr<C>> owned; std::vector<C*> others;
 float total() const { float sum = 0; for (const C& o : cs) sum += o.v; return sum; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'in_a_member_of_this::C::v' of another element may be read here
 void f() {
  ikra::objects(cs).peach([this](C* c) { float sum = 0; for (const C& o : cs) sum += o.v; c->v += sum; });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'in_a_member_of_this::C::v' of another element may be read here
  ikra::array{owned}.peach([this](C* c) { float sum = 0; for (std::size_t i = 0; i < owned.size(); ++i) sum += owned[i]->v; c->v += sum; });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'in_a_member_of_this::C::v' of another element may be read here
  ikra::array{others}.peach([this](C* c) { c->v += others[3]->v; });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'in_a_member_of_this::C::v' of another element may be read here
  ikra::objects(cs).peach([this](C* c) { c->v += total(); }); } };
}
namespace of_an_array_in_a_variable {
struct C { float v = 0; };
void f(std::vector<C>& cs, ikra::array<C*> given) {
 ikra::array all = ikra::objects(cs);
 all.peach([&cs](C* c) { float sum = 0; for (const C& o : cs) sum += o.v; c->v += sum; });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'of_an_array_in_a_variable::C::v' of another element may be read here
 all.peach([all](C* c) { float sum = 0; for (const C* o : all) sum += o->v; c->v += sum; });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'of_an_array_in_a_variable::C::v' of another element may be read here
 given.peach([others = given](C* c) { float sum = 0; for (const C* o : others) sum += o->v; c->v += sum; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'of_an_array_in_a_variable::C::v' of another element may be read here
}
namespace by_the_library { // named where the program calls it
struct C { int v = 0; C* left = nullptr; };
void f(std::vector<C>& cs) {
 ikra::objects(cs).peach([](C* c) { c->v = c->v + std::max(3, c->left->v); });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'by_the_library::C::v' of another element may be read here
 ikra::objects(cs).peach([](C* c) { c->v = c->v + std::max(4, c->left->v); }); // NOLINT(ikra-unshared-read)
}
}
namespace through_a_function {
struct C { float v = 0; std::vector<C*> neighbours; };
float value(const C* c) { return c->v; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'through_a_function::C::v' of another element may be read here
void f(std::vector<C>& cs) {
 ikra::objects(cs).peach(5, [](C* c) { c->v = value(c->neighbours[0]) * 0.5f; }); }
}
namespace element_of_a_container {
struct C { std::vector<float> h; C* left = nullptr; };
void f(std::vector<C>& cs) {
 ikra::objects(cs).peach(5, [](C* c) { c->h[0] = c->left->h[0]; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'element_of_a_container::C::h' of another element may be read here
}
namespace captured_elements {
struct B { float x = 0, m = 1; };
void f(std::vector<B>& bs) {
 ikra::objects(bs).peach([&](B* b) { float sum = 0; for (const B& o : bs) sum += o.x * o.m; b->x += sum; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'captured_elements::B::x' of another element may be read here
}
namespace first_captured_element {
struct B { float x = 0, m = 1; };
void f(std::vector<B>& bs) {
 ikra::objects(bs).peach([&](B* b) { b->x = bs[0].x + 1; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'first_captured_element::B::x' of another element may be read here
}
namespace old_value_in_a_variable {
struct C { float v = 0; C* left = nullptr; };
void all() { std::vector<C> cs(4); cs[0].left = &cs[1];
 ikra::objects(cs).peach([](C* c) { const float mine = c->v; c->v = 0.5f * (mine + c->left->v); }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'old_value_in_a_variable::C::v' of another element may be read here
}
namespace where_there_is_one {
struct C { float v = 0; C* left = nullptr; };
void f(std::vector<C*>& cs) { 
 ikra::array{cs}.peach([](C* c) { if (c->left) c->v += c->left->v; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'where_there_is_one::C::v' of another element may be read here
}
namespace all_but_itself {
struct B {
 float x = 0, speed = 0;
 void pull(const std::vector<B>& all) { for (const B& o : all) if (&o != this) speed += o.speed - x; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'all_but_itself::B::speed' of another element may be read here
 void skip(const std::vector<B*>& all) { for (const B* o : all) { if (o == this) continue; x += 0.1f * o->x; } }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'all_but_itself::B::x' of another element may be read here
};
void f(std::vector<B>& bs, std::vector<B*>& ps) {
 ikra::objects(bs).peach([&](B& b) { b.pull(bs); });
 ikra::array{ps}.peach([&](B* b) { b->skip(ps); });
 ikra::objects(bs).peach([&](B& b) { for (std::size_t k = 0; k < bs.size(); ++k) if (&bs[k] != &b) b.x += bs[k].x; });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'all_but_itself::B::x' of another element may be read here
 ikra::objects(bs).peach([&](B& b) { for (const B& o : bs) b.x += &o == &b ? 0.0f : o.x; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'all_but_itself::B::x' of another element may be read here
}
// CHECK: 23 warnings generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <array>
#include <atomic>
#include <memory>
#include <vector>
namespace double_buffer {
struct C { float a[2] = {}; C* left = nullptr; std::vector<C*> ns; };
void all() { std::vector<C> cs(4); 
 for (int now = 0; now < 2; ++now)
 ikra::objects(cs).peach([now](C* c) { float s = 0; for (C* n : c->ns) s += n->a[now]; c->a[1 - now] = s + c->left->a[now]; c->a[1-now] += c->a[now]; }); }
}
namespace all_but_itself {
struct B {
 float x = 0, speed = 0, both[2] = {}, next = 0;
 int colour = 0;
 void pull(const std::vector<B>& all) { for (const B& o : all) if (&o != this) speed += o.x - x; }
 void step(const std::vector<B>& all, int now) { for (const B& o : all) if (&o != this) both[1 - now] += o.both[now]; }
 void led(const std::vector<B>& all) { if (&all[0] != this) x += all[0].x; } // which does not move
 void phase(const std::vector<B>& all, int now) { for (const B& o : all) if (&o != this) if (colour == now && o.colour != now) x += o.x; }
};
void f(std::vector<B>& bs, int now) {
 ikra::objects(bs).peach([&](B& b) { b.pull(bs); });
 ikra::objects(bs).peach([&](B& b) { b.step(bs, now); });
 ikra::objects(bs).peach([&](B& b) { b.led(bs); });
 ikra::objects(bs).peach([&](B& b) { b.phase(bs, now); });
 ikra::objects(bs).peach([&](B& b) { for (std::size_t k = 0; k < bs.size(); ++k) if (&bs[k] != &b) b.next += bs[k].x; }); }
}
namespace never_written {
struct C { float v = 0; float m = 2; C* left = nullptr; };
void all() { std::vector<C> cs(4); 
 ikra::objects(cs).peach(3, [](C* c) { c->v += c->left->m; }); }
}
namespace two_sections {
struct C { float v = 0, next = 0; C* left = nullptr; };
void all() { std::vector<C> cs(4); for (int i = 0; i < 3; ++i) {
 ikra::objects(cs).peach([](C* c) { c->next = c->left->v; });
 ikra::objects(cs).peach([](C* c) { c->v = c->next; }); } }
}
namespace levels {
struct N { float h = 0, sum = 0; N* parent = nullptr; std::vector<N*> kids; };
void run(std::vector<std::vector<N*>>& levels) {
 for (auto& level : levels) ikra::array{level}.peach([](N* n) { n->h = n->parent->h + 1; });
 for (auto& level : levels) ikra::array{level}.peach([](N* n) { float s = 0; for (N* k : n->kids) s += k->sum; n->sum = s; });
}
}
namespace red_and_black {
struct C { float v = 0; C* n[2] = {}; };
void all() { std::vector<C> cs(8); std::vector<C*> red, black; for (int i = 0; i < 8; ++i) (i % 2 ? red : black).push_back(&cs[i]);
 for (int t = 0; t < 4; ++t) {
  ikra::array{red}.peach([](C* c) { c->v = 0.5f * (c->n[0]->v + c->n[1]->v); });
  ikra::array{black}.peach([](C* c) { c->v = 0.5f * (c->n[0]->v + c->n[1]->v); }); } }
}
namespace other_sections {
struct B { float x = 0, speed = 0, mass = 1; void pull(const std::vector<B>& all) { for (const B& o : all) speed += o.mass * (o.x - x); } };
void all() { std::vector<B> bs(4); 
 ikra::objects(bs).peach([&](B& b) { b.pull(bs); });
 ikra::objects(bs).peach([](B& b) { b.x += b.speed; });
 ikra::objects(bs).peach([bs](B& b) { b.x += bs[0].x; }); }
}
namespace phases {
struct C { float v = 0; int colour = 0; C* left = nullptr; };
void all() { std::vector<C> cs(8); 
 for (int p = 0; p < 2; ++p) ikra::objects(cs).peach([p](C* c) { if (c->colour == p) c->v = c->left->v; });
 for (int p = 0; p < 2; ++p) ikra::objects(cs).peach([p](C* c) { if (c->colour != p) return; c->v += c->left->v; }); }
}
namespace another_class {
struct Leaf { float v = 0; };
struct C { float v = 0; Leaf* leaf = nullptr; };
void all() { std::vector<Leaf> ls(3); std::vector<C> cs(8); 
 ikra::objects(cs).peach(3, [](C* c) { c->v += c->leaf->v; });
 ikra::objects(ls).peach(3, [](Leaf* l) { l->v += 1; }); }
}
namespace two_containers {
struct C { float v = 0; C* left = nullptr; };
void all() { std::vector<C> inner(3), edge(2); 
 for (int i = 0; i < 3; ++i) ikra::objects(inner).peach([](C* c) { c->v = c->left->v; }); }
}
namespace whole_copies {
struct Boat {
  double x = 0, speed = 1;
  const Boat* other = nullptr;
  void follow() {
    Boat next = *this, second = *other;
    next.x += second.x;
    *this = next;
  }
};
void all(std::vector<Boat>& boats) {
  ikra::objects(boats).peach([](Boat& b) { b.follow(); });
}
}
