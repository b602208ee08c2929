// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races through containers, parameters, lambdas and variables are named as those through members are (unshared_update). Right programs that look like them are accepted.
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
namespace element_of_array {
struct A { int list[4] = {}; int balance = 0; };
struct T { A* to = nullptr; int k = 0; };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { t->to->list[0] += 1; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'element_of_array::A::list' of one object at once
}
namespace least_by_comparison {
struct A { float least = 9; int most = 0; };
struct T { A* to = nullptr; float cost = 0; int n = 0; };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) {
  if (t->cost < t->to->least)
    t->to->least = t->cost;
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'least_by_comparison::A::least' of one object at once
  const int own = t->n * 2;
  if (t->to->most >= own)
    return;
  t->to->most = own;
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'least_by_comparison::A::most' of one object at once
}); }
}
namespace std_functions {
struct Team { int top = 0, tickets = 0; };
struct P { int score = 1; Team* team = nullptr; P* rival = nullptr; };
void f(std::vector<P>& ps) {
  ikra::objects(ps).peach([](P* p) { p->team->top = std::max(p->team->top, p->score); });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'std_functions::Team::top' of one object at once
  ikra::objects(ps).peach([](P* p) { p->score = std::exchange(p->team->tickets, p->team->tickets + 1); });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'std_functions::Team::tickets' of one object at once
  ikra::objects(ps).peach([](P* p) { std::swap(p->team->top, p->score); });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'std_functions::Team::top' of one object at once
}
}
namespace element_of_matrix {
struct A { float m[3][3] = {}; };
struct T { A* to = nullptr; float k = 0; };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { t->to->m[1][2] = t->to->m[1][2] + t->k; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'element_of_matrix::A::m' of one object at once
}
namespace held_by_value {
struct In { int x = 0; };
struct A { In inner; };
struct T { A* to = nullptr; };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { t->to->inner.x++; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'held_by_value::In::x' of one object at once
}
namespace parameter {
struct A { int balance = 0; };
struct T { A* to = nullptr; };
void add(A* a, int n) { a->balance += n; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'parameter::A::balance' of one object at once
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { add(t->to, 1); }); }
}
namespace reference {
struct A { int balance = 0; };
struct T { A* to = nullptr; };
void add(A& a, int n) { a.balance += n; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'reference::A::balance' of one object at once
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T& t) { add(*t.to, 1); }); }
}
namespace lambda_inside {
struct A { int balance = 0; };
struct T { A* to = nullptr; };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T& t) {
  const auto add = [](A* a, int n) { a->balance += n; };
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'lambda_inside::A::balance' of one object at once
  add(t.to, 1); }); }
}
namespace through_methods {
struct A { int balance = 0; void put(int n) { balance += n; } void deposit(int n) { put(n); } };
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'through_methods::A::balance' of one object at once
struct T { A* to = nullptr; void pay(A* whom) { whom->deposit(1); } };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T& t) { t.pay(t.to); }); }
}
namespace captured_array {
struct S { int last = 0; int total[2] = {}; };
struct T { int amount = 0; };
void f(std::vector<T>& ts, S& s) {
 ikra::objects(ts).peach([&s](T* t) { s.total[1] += t->amount; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'captured_array::S::total' of one object at once
}
namespace moving_pointer {
struct S { int n = 0; S* next = nullptr; };
void f(std::vector<S>& ts) {
 ikra::objects(ts).peach([](S* t) { for (S* p = t->next; p; p = p->next) p->n += 1; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'moving_pointer::S::n' of one object at once
}
namespace local_reference {
struct A { int balance = 0; };
struct T { A* to = nullptr; int amount = 1; };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { int& b = t->to->balance; b += t->amount; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'local_reference::A::balance' of one object at once
}
namespace each_of_a_list {
struct A { std::vector<int> list; };
struct T { A* to = nullptr; };
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { for (int& x : t->to->list) x += 1; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'each_of_a_list::A::list' of one object at once
}
namespace pointer_to_value {
struct A { int v[4] = {}; };
struct T { A* to = nullptr; };
void bump(int* p) { *p += 1; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'pointer_to_value::A::v' of one object at once
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { bump(&t->to->v[2]); }); }
}
namespace operators {
struct A { long n = 0; void operator+=(long x) { n += x; } };
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'operators::A::n' of one object at once
struct T { A* to = nullptr; };
void f(std::vector<T>& ts) { for (int s = 0; s < 3; ++s) { ikra::objects(ts).peach([](T* t) { *t->to += 2; }); ikra::objects(ts).peach([](T* t) { ikra::atomic_add(t->to->n, 2L); }); } }
}
namespace handed_lambda {
struct A { int balance = 0; };
struct T { A* to = nullptr; };
template <class F> void apply(T* t, F f) { f(t->to); }
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { apply(t, [](A* a) { a->balance -= 1; }); }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'handed_lambda::A::balance' of one object at once
}
namespace each_of_a_capture {
struct B { float x = 0; };
void f(std::vector<B>& bs, std::vector<B*>& all) {
 ikra::objects(bs).peach([&all](B* b) { for (B* o : all) o->x += 1; }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'each_of_a_capture::B::x' of one object at once
}
namespace part_by_reference {
struct V { float x = 0, y = 0; };
struct A { V at; };
struct T { A* to = nullptr; };
void push(V& v) { v.x += 1; }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'part_by_reference::V::x' of one object at once
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { push(t->to->at); }); }
}
namespace variables {
struct Town {
  int seen = 0;
};
struct House {
  int number = 0;
};
Town* home = nullptr;
std::vector<Town> towns(2);
void all(std::vector<House>& houses) {
  ikra::objects(towns).peach([](Town* t) { t->seen = 0; });
  ikra::objects(houses).peach([](House* h) { home->seen += h->number; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'variables::Town::seen' of one object at once
  ikra::objects(houses).peach([](House*) { towns[1].seen += 1; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'variables::Town::seen' of one object at once
}
} // namespace variables
namespace of_one_kind { // which several have; what is not one's number
struct Group { int kind = 0, captain = 0, number = 0; };
struct P { int kind = 0; Group* group = nullptr; };
void f(std::vector<P>& ps) {
 ikra::objects(ps).peach([](P* p) { if (p->group->kind == 1) p->group->number += 1; });
 // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'of_one_kind::Group::number'
 ikra::objects(ps).peach([](P* p) { const bool other = !(p->group->captain == p->kind); if (other) p->group->number += 1; }); }
 // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'of_one_kind::Group::number'
struct Q { int team = 0, hits = 0; Q* near = nullptr; };
void g(std::vector<Q>& qs) {
 ikra::objects(qs).peach([](Q* q) { if (q->near->team == q->team) q->near->hits += 1; }); }
 // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'of_one_kind::Q::hits'
}
namespace number_of_the_element {
struct W { int sum = 0; };
struct C { int number = 0, v = 1; W* to = nullptr; };
void f(std::vector<C>& cs, W& w, const ikra::array<int>& numbers, const ikra::array<int, 2>& square) {
  ikra::objects(cs).peach([&w](C* c) { if (c->number == 3) w.sum += c->v; }); // several may have one
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'number_of_the_element::W::sum' of one object at once
  ikra::objects(cs).with_index().peach([&w](C* c, std::int64_t i) { if (i == c->number) w.sum += c->v; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'number_of_the_element::W::sum' of one object at once
  numbers.with_index().peach([&w](int x, std::int64_t i) { if (i != 3) w.sum += x; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'number_of_the_element::W::sum' of one object at once
  numbers.with_index().peach([&w](int x, std::int64_t i) { if (static_cast<signed char>(i) == 3) w.sum += x; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'number_of_the_element::W::sum' of one object at once
  square.with_index().peach([&w](int x, ikra::index<2> i) { if (i[0] == 3) w.sum += x; }); // a row
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'number_of_the_element::W::sum' of one object at once
}
}
namespace greatest_of_each {
struct A { int n = 0; };
struct T { int i = 1; std::vector<A*> to; };
void f(std::vector<T>& ts, std::vector<A>& as) {
 ikra::objects(ts).peach([&as](T& t) { for (A& a : as) a.n = std::max(a.n, t.i); });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'greatest_of_each::A::n' of one object at once
 ikra::objects(ts).peach([&as](T& t) { for (A& a : as) if (a.n < t.i) a.n = t.i; });
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'greatest_of_each::A::n' of one object at once
 ikra::objects(ts).peach([](T& t) { for (A* a : t.to) a->n = std::max(a->n, t.i); }); }
// CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'greatest_of_each::A::n' of one object at once
}
// CHECK: 34 warnings generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>
namespace of_each {
struct T;
struct A { int n = 0, id = 0, greatest = 0; T* owner = nullptr; };
struct Link { int w = 0; A* to = nullptr; };
struct T {
 int i = 1, id = 0; std::vector<Link> links; std::vector<std::unique_ptr<A>> own;
 void up() { for (Link& l : links) l.w = std::max(l.w, i); for (auto& a : own) a->n = std::max(a->n, i); }
};
void f(std::vector<T>& ts, std::vector<A>& as) {
 ikra::objects(ts).peach([](T& t) { t.up(); });
 ikra::objects(ts).peach([&as](T& t) { for (A& a : as) if (a.owner == &t) a.n = std::max(a.n, t.i); });
 ikra::objects(ts).peach([&as](T& t) { for (A& a : as) if (a.id == t.id) a.n = std::max(a.n, t.i); });
 ikra::objects(ts).peach([&as](T& t) { for (A& a : as) ikra::atomic_max(a.n, t.i); });
 ikra::objects(ts).peach([&as](T&) { int most = 0; for (const A& a : as) most = std::max(most, a.n); for (A& a : as) a.greatest = most; });
 ikra::objects(as).peach([](A& a) { a.n = std::max(a.n, a.id); }); }
}
namespace own_members {
struct T { int n = 0; int a[4] = {}; std::vector<int> l; void up() { ++n; a[2] += 1; for (int& x : l) x += 1; } };
void f(std::vector<T>& ts) { ikra::objects(ts).peach(3, [](T* t) { t->up(); t->n += 2; t->l[0] *= 2; }); }
}
namespace atomics {
struct A { int balance = 0; std::atomic<int> n = 0; int list[3] = {}; };
struct T { A* to = nullptr; };
void add(A* a) { ikra::atomic_add(a->balance, 1); ++a->n; std::atomic_ref(a->list[0]) += 1; }
void f(std::vector<T>& ts) { ikra::objects(ts).peach([](T* t) { add(t->to); t->to->n += 2; ikra::atomic_max(t->to->list[1], 7); }); }
}
namespace owned_children {
struct E { float p = 0; float q[2] = {}; std::unique_ptr<E> next; void tune() { p += 1; } };
struct C { E e; std::unique_ptr<E> u; std::vector<E> es; std::vector<std::unique_ptr<E>> us; std::array<E, 2> ea; };
void tune(E& e) { e.p += 2; e.q[1] += 1; }
void all() { std::vector<C> cs(4); 
 ikra::objects(cs).peach(3, [](C* c) { c->e.p += 1; tune(c->e); tune(*c->u); c->u->tune(); for (E& e : c->es) tune(e); for (auto& u : c->us) u->tune(); c->ea[1].p *= 2; for (E* e = c->u.get(); e; e = e->next.get()) e->p += 1; }); }
}
namespace this_object {
struct C { int v = 0; C* to = nullptr; C* owner = nullptr; void init() { v = 0; reset(); } void reset() { v += 1; }
  void go() { if (to == this) to->v += 1; if (to->owner == this) to->v += 1; } };
void all() { std::vector<C> cs(4); 
 ikra::objects(cs).peach([](C* c) { c->init(); c->go(); if (c->to == c) c->to->v += 3; }); }
}
namespace claimed {
struct C { std::atomic<int> taken = 0; int users = 0; int owner = -1; };
struct P { C* at = nullptr; int number = 0; int got = 0; };
void all() { std::vector<C> cells(2); std::vector<P> ps(4); 
 ikra::objects(ps).peach([](P* p) { if (p->at->taken.exchange(1) == 0) p->at->users += 1; });
 ikra::objects(ps).peach([](P* p) { ikra::atomic_max(p->at->owner, p->number); });
 ikra::objects(ps).peach([](P* p) { if (p->at->owner == p->number) { p->at->users += 1; p->got = 1; } }); }
}
namespace own_places {
struct A { int slots[8] = {}; std::vector<int> more; };
struct T { A* to = nullptr; int number = 0; };
void f(std::vector<T>& ts, A& all) { ikra::objects(ts).peach([&all](T* t) { t->to->slots[t->number] += 1; all.slots[t->number] += 1; all.more[t->number] = 3;
   t->to->more[t->number] = t->number; }); }
}
namespace stores {
struct P; struct C { P* by = nullptr; bool alive = true; };
struct P { C* at = nullptr; P* partner = nullptr; int got = 0; void enter() { at->by = this; at->alive = false; } };
void all() { std::vector<C> cells(2); std::vector<P> ps(4); 
 ikra::objects(ps).peach([](P* p) { p->enter(); }); }
}
namespace local_values {
struct Pt { float x = 0; };
struct T { Pt at; int n = 0; 
  void move() { Pt next = at; next.x += 1; at = next; int local[3] = {}; local[1] += 1; int* p = local; *p += 1; int& r = n; r += 1; } };
void f(std::vector<T>& ts) { ikra::objects(ts).peach(4, [](T* t) { t->move(); const auto add = [](T* o) { o->n += 1; }; add(t); auto more = [&] { t->n += 1; }; more(); }); }
}
namespace own_place_in_captured {
struct B { int slot = 0, n = 0; };
void all() { std::vector<B> bs(4); 
 ikra::objects(bs).peach([&](B& b) { bs[b.slot].n += 1; for (B& o : bs) if (&o == &b) o.n += 1; for (int i = 0; i < 4; ++i) if (i == b.slot) bs[i].n += 2; }); }
}
namespace copies {
struct Planet { double x = 1, speed = 0; const Planet* sun = nullptr;
  void step(double s) { Planet half = *this; half.x += half.speed * s; Planet next = *this; next.speed += half.x; *this = next; } };
void f(std::vector<Planet>& ps) { ikra::objects(ps).peach([](Planet* p) { p->step(0.1); }); }
}
namespace levels {
struct A { int level = -1; int own = 0; };
struct T { A* to = nullptr; A mine; int n = 0; };
void f(std::vector<T>& ts, int level) { ikra::objects(ts).peach([level](T* t) { // all store the same
  if (t->to->level > level)
    t->to->level = level;
  if (t->to->level < 0)
    t->to->level = t->n + 1;
  if (t->n > t->mine.own)
    t->mine.own = t->n; }); }
}
namespace own_references {
struct Engine { int turns = 0; };
struct Car {
  Engine engine;
  Engine& same = engine;
  Engine* const also;
  Car() : also(&engine) {}
};
void all(std::vector<Car*>& cars) {
  ikra::array{cars}.peach([](Car* c) { c->same.turns += 1; c->also->turns += 1; });
}
}
namespace named_by_a_number {
struct Team { int captain = 0, points = 0; };
struct P { int number = 0; Team* team = nullptr; };
void f(std::vector<P>& ps) {
  ikra::objects(ps).peach([](P* p) { if (p->team->captain == p->number) p->team->points += 1; });
  ikra::objects(ps).peach([](P* p) { const bool leads = p->number == p->team->captain; if (leads) p->team->points += 1; });
}
}
namespace index_of_the_element {
struct W { int sum = 0, last = 0; };
struct C {
  int v = 1;
  W* to = nullptr;
  void step(std::int64_t i) {
    if (i == 3)
      to->sum += v;
  }
};
void f(std::vector<C>& cs, W& w, int chosen, const ikra::array<int>& numbers) {
  ikra::objects(cs).with_index().peach([&w](C* c, std::int64_t i) { if (i == 3) w.sum += c->v; });
  ikra::objects(cs).with_index().peach([&w, chosen](C* c, std::int64_t i) { if (c->v > 0 && chosen == i) w.sum += c->v; });
  ikra::objects(cs).with_index().peach([](C* c, std::int64_t i) { c->step(i); });
  ikra::objects(cs).with_index().peach([&w](C* c, std::int64_t i) {
    if (i != 0)
      return;
    w.sum += c->v;
    w.last = c->v;
  });
  numbers.with_index().peach([&w](int x, ikra::index<1> i) { if (i[0] == 0) w.sum += x; });
  numbers.with_index().peach([&w](int x, std::int64_t i) {
    const int k = static_cast<int>(i);
    const bool first = k == 0;
    if (first)
      w.sum += x;
  });
}
}
