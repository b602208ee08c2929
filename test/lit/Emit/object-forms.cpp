// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections do with objects besides calling them: classes are told apart by IDs, local arrays of pointers are arrays of
// IDs, variables of the program stand beside the columns, and a peach may run on the objects as they are.
//
// RUN: %ikrac --print=bodies %s -- %ikra_flags | FileCheck --check-prefix=BODIES %s
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck --check-prefix=MODEL %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: FileCheck %s < %t.cu
// RUN: FileCheck --check-prefix=ALONE %s < %t.cu
// RUN: FileCheck --check-prefix=REFERS %s < %t.cu
#include <ikra/ikra.hpp>

#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
};
struct Circle final : Shape {
  float radius = 1;
};
struct Square final : Shape {};
struct Never final : Shape { // no objects are made of it: there is a column without elements
  float size = 0;
};
struct Cell {
  float mass = 1;
  Cell* left = nullptr;
};
struct Arm {
  Cell* to = nullptr;
  float length = 0;
};
struct Item {
  Arm arm;
  float place[2] = {};
  Shape* shape = nullptr;
  std::weak_ptr<Circle> watched;
  std::pair<Cell*, float> link;
  std::optional<Cell*> spare;
  float turn[2][3] = {};
  float sum = 0;
};
float gravity = 9;
float pulls[2][3];

void sections(std::vector<Item>& items, Cell* root) {
  const Circle circle;
  const Square square;
  ikra::objects(items).peach([root](Item& item) {
    // MODEL: section sections_0
    // MODEL: may run in place on one thread: {{[0-9]+}} operations
    // BODIES: as-class Circle
    // BODIES: is-exactly Square
    // BODIES: global ::gravity
    if (const auto* circle = dynamic_cast<Circle*>(item.shape))
      item.sum += circle->radius;
    if (const auto* never = dynamic_cast<Never*>(item.shape))
      item.sum += never->size;
    if (item.shape && typeid(*item.shape) == typeid(Square))
      item.sum += gravity;
    if (const auto watched = item.watched.lock()) {
      item.sum += watched->radius;
      // BODIES: of-one-class
      if (const Shape* other = watched.get(); item.shape && typeid(*item.shape) == typeid(*other))
        item.sum += 1;
    }
    const Cell* stack[4];
    int top = 0;
    stack[top++] = root;
    item.sum += stack[--top]->mass + item.link.first->mass * item.link.second + item.turn[1][2];
  });
  // What it tells classes apart of may be of another file's, so its code runs in place on one thread alone. Here none is.
  ikra::objects(items).peach([](Item& item) { item.sum *= 2; });
  // MODEL: section sections_1
  // MODEL: may run in place: 1 operations
  ikra::objects(items).peach([](Item& item) {
    if (item.spare)
      item.sum += (*item.spare)->mass * pulls[1][2];
  });
  // A GPU runs what loops.
  ikra::objects(items).peach([](Item& item) {
    for (int k = 0; k < 100; ++k)
      item.sum *= 1.5f;
  });
  // MODEL: section sections_3
  // MODEL: may run in place: loops
  // Of branches both count, and a division 16.
  const auto lengths = ikra::objects(items).pmap([](const Item& item) { return item.sum > 1 ? 1 / item.sum : item.sum; });
  // MODEL: section sections_4
  // MODEL: may run in place: {{1[0-9]|2[0-9]}} operations
}

// Casts to references fail as at() does.
void references(std::vector<Item>& items) {
  // BODIES: (member Circle::radius (as-class may-fail Circle (member Item::shape
  ikra::objects(items).peach([](Item& item) { item.sum += dynamic_cast<Circle&>(*item.shape).radius; });
  // REFERS: ikra::referred(ikra::as_class<{{[0-9]}}>(w.Shape_classes, {{.*}}), w.nulls)
}

// Objects, and arrays in them, taken apart by reference.
void bindings(std::vector<Item>& items) {
  ikra::objects(items).peach([](Item& item) {
    auto& [first, second] = item.place;
    first += second;
    const auto& [to, length] = item.arm;
    item.sum += length * to->mass;
  });
}

// Objects that may not be there, and static members that are not public.
struct Motor {
  int power = 1;
  std::vector<int> gears;
};
class Boat {
public:
  void drive() {
    if (motor && motor != std::nullopt)
      motor->power += rate;
    for (auto& owned : spares)
      for (auto& each : owned)
        power += each->power;
  }
  std::optional<Motor> motor;
  std::vector<std::vector<std::unique_ptr<Motor>>> spares;
  int power = 0;

private:
  static inline int rate = 2;
  IKRA_OBJECT
};
void optionals(std::vector<Boat>& boats) {
  ikra::objects(boats).peach([](Boat& boat) { boat.drive(); });
  // MODEL: section optionals_{{[0-9]}}
  // MODEL-NEXT: reads own: {{.*}}
  // MODEL-NEXT: reads: Motor::power
  // MODEL-NEXT: writes own: Boat::power
  // MODEL-NEXT: writes: Motor::power
}

// A lazy operation, too, runs so on one thread, and is in no kernel with others then.
std::int64_t squares(std::vector<Item>& items) {
  return ikra::objects(items).count([](const Item& item) { return typeid(*item.shape) == typeid(Square); });
}
// MODEL: section squares_{{[0-9]+}}
// MODEL: may run in place on one thread: {{[0-9]+}} operations
// ALONE: section_code<{{.*}}::squares_[[NUMBER:[0-9]+]]> {
// ALONE: static constexpr bool in_place_alone = true;
// ALONE-NEXT: static constexpr unsigned in_place = [[MANY:[0-9]+]];
// ALONE: squares_[[NUMBER]]>::run
// ALONE: if (s.runs_alone(call, [[MANY]])) return;

// CHECK: section_code<{{.*}}sections_4> {
// CHECK: static constexpr unsigned in_place = [[OPERATIONS:[0-9]+]];
// CHECK: static auto& rate() { return ::Boat::rate; }
// CHECK: {{^}}  const ::std::pair<ikra::object_id, float>* __restrict__ Item_link;
// CHECK: {{^}}  const ::std::optional<ikra::object_id>* __restrict__ Item_spare;
// CHECK: {{^}}  const std::type_identity_t<float[2][3]>* __restrict__ Item_turn;
// CHECK: {{^}}  const ikra::object_id* __restrict__ Boat_motor;
// CHECK: {{^}}  float global_gravity;
// CHECK: {{^}}  float global_pulls[2][3];
// CHECK: global_gravity(::gravity),
// CHECK-NEXT: global_rate(ikra::object_access<{{.*}}::unit, ::Boat>::rate()) { std::memcpy(&global_pulls, &::pulls,
// CHECK: holding_column<&access_Item::link, ikra::rt::held_by<ikra::rt::references<::Cell, Cell_class>>, Item_class>("Item::link"),
// CHECK: reference_column<&access_Boat::motor, ikra::rt::references<::Motor, Motor_class>, Boat_class>("Boat::motor"),
// CHECK: ikra::as_class<{{[0-9]}}>(w.Shape_classes, item.shape)
// CHECK: ikra::is_of_class<{{[0-9]}}>(w.Shape_classes, item.shape)
// CHECK: w.global_gravity
// CHECK: ikra::are_of_one_class(w.Shape_classes, item.shape, other)
// CHECK: ikra::unmade<ikra::object_id[4]> stack_room;
// CHECK-NEXT: ikra::object_id (&stack)[4] = stack_room.value;
// CHECK: w.Item_turn[item.id][1][2]
// CHECK: w.Cell_mass[((*item.spare))] * w.global_pulls[1][2]
// CHECK: ikra::list<float> of_first = w.Item_place[item.id];
// CHECK: of_first[0] += of_first[1];
// CHECK: ikra::object_id of_to = item.arm;
// CHECK: item.sum += w.Arm_length[of_to] * w.Cell_mass[w.Arm_to[of_to]];
// CHECK: w.Motor_power[w.Boat_motor[self.id]] += w.global_rate;
// CHECK: sections_0>::run
// CHECK-NOT: runs_in_place
// CHECK: sections_1>::run
// CHECK: {{^}}  if (s.runs_in_place(call, 1, ikra::rt::elements_alone)) return;
// CHECK: sections_3>::run
// CHECK: {{^}}  if (s.runs_in_place(call, ikra::rt::unbounded, ikra::rt::elements_alone)) return;
// CHECK: sections_4>::run
// CHECK: {{^}}  if (s.runs_in_place(call, [[OPERATIONS]], ikra::rt::elements_alone)) return;
