// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections over the same objects, one after the other, and counted loops of such: which share a kernel, and which are no
// sequence, since something may change between them.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Cell {
  double x = 0, speed = 1, gap = 0;
  int visits = 0;
  std::vector<double> history;
  Cell* next = nullptr;
};
using Cells = std::vector<std::unique_ptr<Cell>>;

// All of its own element: a thread runs all turns. It is told the turn.
void own(const Cells& cells, int turns) {
  for (int t = 1; t < turns; ++t) {
    ikra::array{cells}.peach([t](Cell* c) { c->speed += t; });
    ikra::array{cells}.peach(2, [](Cell* c) { c->x += c->speed; });
  }
}
// CHECK: sequence_of_own at line [[@LINE-5]]: own_0, own_1; one kernel for all turns{{$}}
// CODE: struct sequence_of_own;
// CODE: if (!::ikra::rt::may_run_sequence(::ikra::rt::turns_between(static_cast<int>(1), static_cast<int>(turns))) || !::ikra::peach_sequence<::[[UNIT:[a-z_0-9]+]]::sequence_of_own>(::ikra::rt::turns_between(static_cast<int>(1), static_cast<int>(turns)), ikra::array{cells}, ::ikra::sequence_part{1, ::ikra::make_section<::[[UNIT]]::own_0, void(::Cell *)>(static_cast<int>(1))}, ::ikra::sequence_part{2, ::ikra::make_section<::[[UNIT]]::own_1, void(::Cell *)>()})) for (int t = 1; t < turns; ++t) {

// What a section reads of others is written by the next.
void others(const Cells& cells, int turns) {
  for (int t = 0; t < turns; ++t) {
    ikra::array{cells}.peach([](Cell* c) { c->gap = c->next->x - c->x; });
    ikra::array{cells}.peach([](Cell* c) { c->speed += c->gap; });
    ikra::array{cells}.peach([](Cell* c) { c->x += c->speed; });
  }
}
// CHECK: sequence_of_others at line [[@LINE-6]]: others_2, others_3 | others_4; 2 kernels a turn{{$}}
// CHECK-NEXT: others_2 and others_4 apart: Cell::x of other elements{{$}}

// Statements alone. The turn's value is no reason for a launch each.
void statements(const ikra::array<Cell*, 1>& cells, double by) {
  cells.peach([by](Cell* c) { c->speed *= by; });
  cells.peach([](Cell* c) { ikra::atomic_add(c->next->visits, 1); });
  cells.peach([](Cell* c) { c->x += c->visits; });
}
// CHECK: sequence_of_statements at line [[@LINE-4]]: statements_5, statements_6 | statements_7; 2 kernels{{$}}
// CHECK-NEXT: statements_6 and statements_7 apart: Cell::visits of other elements{{$}}
// CODE: void statements
// CODE: if (!::ikra::rt::may_run_sequence(1, {{[0-9]+}}) || !::ikra::peach_sequence<::[[UNIT]]::sequence_of_statements>(1, cells, {{.*}})) { cells.peach(
// CODE: cells.peach({{.*}}); };

// One section, which needs a launch for each turn. The order of turns counts where others are written.
void one(const ikra::array<Cell*, 1>& cells, unsigned turns) {
  for (unsigned t = 0; t < turns; t++)
    cells.peach([](Cell* c) { c->x = c->next->x; });
  for (unsigned t = 0; t < turns; t++)
    cells.peach([t](Cell* c) {
      if (c->visits == static_cast<int>(t))
        c->next->gap = t;
    });
}
// CHECK: sequence_of_one at line [[@LINE-8]]: one_8; 1 kernel a turn{{$}}
// CHECK: sequence_of_one_2 at line [[@LINE-7]]: one_9; 1 kernel a turn{{$}}

// What stays as it is without being a variable.
struct Settings {
  int steps = 5;
  double rate = 1;
};
void natural(const std::vector<Cell*>& pointers, std::vector<Cell>& cells, const Settings& s, int n) {
  for (int t = n; t >= 0; --t) {
    ikra::array{pointers}.peach([t](Cell* c) { c->history[0] += t; });
    ikra::array{pointers}.peach([rate = s.rate / 2](Cell* c) { c->x += rate; });
  }
  for (std::size_t t = 0; t < cells.size(); ++t)
    ikra::objects(cells).peach([](Cell& c) { c.speed += 1; });
  for (unsigned char t = 1; t <= s.steps; ++t)
    ikra::objects(cells).peach([](Cell& c) { c.speed += 1; });
  for (int t = 1; t < n; t += 2)
    ikra::objects(cells).peach([t](Cell& c) { c.speed += t; });
  constexpr int step = 3;
  for (short t = 9; t >= 0; t -= step)
    ikra::objects(cells).peach([t](Cell& c) { c.speed += t; });
}
// CHECK: sequence_of_natural at line [[@LINE-14]]: natural_10, natural_11; one kernel for all turns{{$}}
// CHECK: sequence_of_natural_2 at line [[@LINE-11]]:
// CHECK: sequence_of_natural_3 at line [[@LINE-10]]:
// CHECK: sequence_of_natural_4 at line [[@LINE-9]]: natural_14; one kernel for all turns{{$}}
// CHECK: sequence_of_natural_5 at line [[@LINE-7]]: natural_15; one kernel for all turns{{$}}
// CODE: ::ikra::rt::turns_down_through(static_cast<int>(n), static_cast<int>(0)){{.*}}, ikra::array{pointers}, {{.*}}(static_cast<int>(n))}, {{.*}}(s.rate / 2)})) for (
// CODE: ::ikra::rt::turns_between(static_cast<unsigned long>(0), static_cast<unsigned long>(cells.size()))
// CODE: ::ikra::rt::turns_through(static_cast<unsigned char>(1), static_cast<int>(s.steps))
// CODE: ::ikra::rt::may_run_sequence(::ikra::rt::turns_by(static_cast<int>(1), ::ikra::rt::turns_between(static_cast<int>(1), static_cast<int>(n)), 2)
// CODE: ::ikra::rt::may_run_sequence(::ikra::rt::turns_down_by(static_cast<short>(9), ::ikra::rt::turns_down_through(static_cast<short>(9), static_cast<int>(0)), 3)

// A variable that is there before the loop, and after it.
int outside(std::vector<Cell>& cells, int n) {
  int t = 2;
  while (t < n) {
    ikra::objects(cells).peach([t](Cell& c) { c.speed += t; });
    ikra::objects(cells).peach([](Cell& c) { c.x += c.speed; });
    ++t;
  }
  for (; t > 0; t -= 2) {
    ikra::objects(cells).peach([=](Cell& c) { c.speed -= t; });
  }
  return t;
}
// CHECK: sequence_of_outside at line [[@LINE-10]]: outside_16, outside_17; one kernel for all turns{{$}}
// CHECK: sequence_of_outside_2 at line [[@LINE-6]]: outside_18; one kernel for all turns{{$}}
// CODE: turns_between(static_cast<int>(t), static_cast<int>(n)){{.*}} while (t < n) {
// CODE: } else while (t < n) ++t;
// CODE: turns_down_by(static_cast<int>(t), ::ikra::rt::turns_down_to(static_cast<int>(t), static_cast<int>(0)), 2){{.*}} for (; t > 0; t -= 2) {
// CODE: } else while (t > 0) t -= 2;

// Several arrays, each with threads of its own. Neither shares a kernel with what comes between.
struct Wolf {
  double x = 0;
  int eaten = 0;
};
void two(const std::vector<Wolf*>& wolves, std::vector<Cell>& cells, int turns) {
  for (int t = 0; t < turns; ++t) {
    ikra::array{wolves}.peach([t](Wolf* w) { w->x += t; });
    ikra::array{wolves}.peach([](Wolf* w) { w->eaten += 1; });
    ikra::objects(cells).peach([](Cell& c) { c.x += 2; });
    ikra::array{wolves}.peach([](Wolf* w) { w->x -= 1; });
  }
}
// CHECK: sequence_of_two at line [[@LINE-7]]: two_19, two_20 | two_21 | two_22; 3 kernels a turn{{$}}
// CODE: ::ikra::peach_sequence<::[[UNIT]]::sequence_of_two>({{.*}}, ::ikra::sequence_arrays{ikra::array{wolves}, ikra::objects(cells)}, ::ikra::sequence_part{

// No sequences.
// CHECK-NOT: {{^}}sequence_of_none
int count();
const char letter = 3;
void none(Cells& cells, Cell& first, const ikra::array<Cell*, 1>& all, const ikra::array<double, 1>& numbers) {
  double& speed = first.speed;
  all.peach([speed](Cell* c) { c->speed += speed; }); // a reference to what is written
  all.peach([speed](Cell* c) { c->speed += speed; });
  all.peach([k = count()](Cell* c) { c->x += k; }); // the host's code between
  all.peach([k = count()](Cell* c) { c->x += k; });
  all.peach([numbers](Cell* c) { c->x += numbers[0]; }); // may not be computed yet
  all.peach([numbers](Cell* c) { c->x += numbers[0]; });
  all.with_index().peach([](Cell* c, std::int64_t i) { c->x += i; });
  all.with_index().peach([](Cell* c, std::int64_t i) { c->x += i; });
  const std::vector<double>& table = first.history;
  all.peach([](Cell* c) { c->history[0] = c->x; }); // of another object, a member of which is captured
  all.peach([&table](Cell* c) { c->x += table[0]; });
  all.peach([w = first.speed](Cell* c) { c->speed += w; }); // read of what is written
  all.peach([w = first.speed](Cell* c) { c->speed += w; });
  double by = 1;
  for (int t = 0; t < 3; ++t) {
    all.peach([by](Cell* c) { c->x += by; });
    by *= 2;
  }
  int left = 3;
  for (int t = 0; t < left--; ++t)
    all.peach([](Cell* c) { c->x += 1; });
  for (int t = 0; t < 4; t += left)
    all.peach([](Cell* c) { c->x += 1; });
  for (int t = 0; t < first.visits; ++t)
    all.peach([](Cell* c) { c->visits += 1; });
  for (int t = 0; t < count(); ++t)
    all.peach([](Cell* c) { c->x += 1; });
  while (left++ < 9)
    all.peach([](Cell* c) { c->x += 1; });
  for (int t = 0; t < 3; ++t)
    all.peach([](Cell* c) { c->x += c->history.at(0); });
  for (int t = 0; t < letter; ++t)
    all.peach([](Cell* c) { c->x += 1; });
}
// CHECK: no sequence at line [[#NONE:]]: for, since at line {{[0-9]+}} this is no peach over objects{{$}}
// CHECK-NEXT: no sequence at line [[#NONE+5]]: for, since at line [[#NONE+5]] 'left--' may change in the loop, or is more than a sum of numbers{{$}}
// CHECK-NEXT: no sequence at line [[#NONE+7]]: for, since at line [[#NONE+7]] turns are counted neither by ++, or += and a constant, up to a bound, nor down to one{{$}}
// CHECK-NEXT: no sequence at line [[#NONE+9]]: for, since at line [[#NONE+10]] sections write 'visits', which the loop or a capture may read{{$}}
// CHECK-NEXT: no sequence at line [[#NONE+11]]: for, since at line [[#NONE+11]] 'count()' may change in the loop, or is more than a sum of numbers: write 'const auto n = count();' before{{$}}
// CHECK-NEXT: no sequence at line [[#NONE+13]]: while, since at line [[#NONE+13]] it counts no variable{{$}}
// CHECK-NEXT: no sequence at line [[#NONE+15]]: for, since at line [[#NONE+16]] it may fail: it tests for null, or calls at() or assert{{$}}
// CHECK-NEXT: no sequence at line [[#NONE+17]]: for, since at line [[#NONE+17]] 'letter' is no integer{{$}}
// CODE: struct told_0 {
// CODE-NEXT: own_0_device::body step;
// CODE-NEXT: IKRA_DEVICE own_0_device::body at(std::int64_t turn) const {
// CODE-NEXT: own_0_device::body now = step;
// CODE-NEXT: now.t = static_cast<int>(now.t + turn);
// CODE-NEXT: return now;
// CODE: sequence_of_own: one kernel, in which a thread runs all turns of its element
// CODE: if (!s.traces_sequence()) return false;
// CODE: call.ticks_of(1),
// CODE: s.for_all_turns<Cell_class>(call.ticks(), ikra::rt::step_list{sequence_of_own_device::told_0{step_0}, ikra::rt::same_step{step_1}});
// CODE: s.for_each_turn<{{.*}}>(call.ticks(), ikra::rt::step_list{ikra::rt::same_step{step_0}, ikra::rt::same_step{step_1}}, ikra::rt::step_list{ikra::rt::same_step{step_2}});
