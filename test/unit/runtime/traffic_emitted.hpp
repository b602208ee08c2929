// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worked example of docs/emitted-code.md as ikrac emits it, written by hand: prologue, host
// text, epilogue. Compiled as C++ and by nvcc, which shows that the contract between Emit and the
// runtime holds.
#pragma once

#include <ikra/generated.hpp>

#include "traffic.hpp"

//===-- prologue ---------------------------------------------------------------------------===//
namespace ikra_unit_traffic {
struct unit;
struct simulate_0; // peach over Actor*
struct speeds_1;   // pmap over Actor*
struct speeds_2;   // pmap over float
struct ticking_3;  // peach over Actor*, one launch a tick
} // namespace ikra_unit_traffic
template <> struct ikra::section_code<ikra_unit_traffic::simulate_0> {
  static void run(ikra::peach_call& call);
};
template <> struct ikra::section_code<ikra_unit_traffic::speeds_1> {
  static void run(ikra::map_call& call);
};
template <> struct ikra::section_code<ikra_unit_traffic::speeds_2> {
  static void run(ikra::map_call& call);
  static std::span<const ikra::fusion> fusions();
};
template <> struct ikra::section_code<ikra_unit_traffic::ticking_3> {
  static void run(ikra::peach_call& call);
};

//===-- host text --------------------------------------------------------------------------===//
inline int fused_runs = 0; // not of the example: counts calls of the fused driver

inline void simulate(const std::vector<Actor*>& actors, int ticks, Weather weather) {
  ikra::array{actors}.peach(
      ticks, ikra::make_section<::ikra_unit_traffic::simulate_0, void(Actor*)>(weather));
}
inline void simulate_tick_by_tick(const std::vector<Actor*>& actors, int ticks, Weather weather) {
  ikra::array{actors}.peach(
      ticks, ikra::make_section<::ikra_unit_traffic::ticking_3, void(Actor*)>(weather));
}
inline auto speeds(const std::vector<Actor*>& actors) {
  return ikra::array{actors}.pmap(
      ikra::make_section<::ikra_unit_traffic::speeds_1, float(const Actor*)>());
}
template <class Array> auto scaled(const Array& values, float factor) {
  return values.pmap(ikra::make_section<::ikra_unit_traffic::speeds_2, float(float)>(factor));
}

//===-- access -----------------------------------------------------------------------------===//
template <> struct ikra::object_access<ikra_unit_traffic::unit, ::Street> {
  static auto& length_(::Street& o) { return o.length_; }
  static auto& neighbours_(::Street& o) { return o.neighbours_; }
};
template <> struct ikra::object_access<ikra_unit_traffic::unit, ::Actor> {
  static auto& progress_(::Actor& o) { return o.progress_; }
  static auto& street_(::Actor& o) { return o.street_; }
};
template <> struct ikra::object_access<ikra_unit_traffic::unit, ::Car> {
  static auto& max_velocity_(::Car& o) { return o.max_velocity_; }
};

namespace ikra_unit_traffic {
namespace {

//===-- columns ----------------------------------------------------------------------------===//
using Street_class = ikra::rt::concrete_class<0, ::Street>;
using Car_class = ikra::rt::concrete_class<1, ::Car>;
using Pedestrian_class = ikra::rt::concrete_class<2, ::Pedestrian>;

struct columns_view {
  float* Street_length_;
  ikra::list_column<ikra::object_id> Street_neighbours_;
  float* Actor_progress_;
  ikra::object_id* Actor_street_;
  float* Car_max_velocity_;
  ikra::class_starts<2> Actor_classes;

  explicit columns_view(const ikra::rt::columns& c)
      : Street_length_(c.values<float>(0)), Street_neighbours_(c.list<ikra::object_id>(1)),
        Actor_progress_(c.values<float>(2)), Actor_street_(c.values<ikra::object_id>(3)),
        Car_max_velocity_(c.values<float>(4)), Actor_classes(c.starts<1, 2>()) {}
};

const ikra::rt::layout& layout() {
  using namespace ikra::rt;
  using access_Street = ikra::object_access<unit, ::Street>;
  using access_Actor = ikra::object_access<unit, ::Actor>;
  using access_Car = ikra::object_access<unit, ::Car>;
  static const class_info classes[] = {
      describe<Street_class>("Street", /*family=*/0),
      describe<Car_class>("Car", /*family=*/1),
      describe<Pedestrian_class>("Pedestrian", /*family=*/1),
  };
  static const column_info columns[] = {
      value_column<&access_Street::length_, Street_class>("Street::length_"),
      reference_list_column<&access_Street::neighbours_, references<::Street, Street_class>,
                            Street_class>("Street::neighbours_"),
      value_column<&access_Actor::progress_, Car_class, Pedestrian_class>("Actor::progress_"),
      reference_column<&access_Actor::street_, references<::Street, Street_class>, Car_class,
                       Pedestrian_class>("Actor::street_"),
      value_column<&access_Car::max_velocity_, Car_class>("Car::max_velocity_"),
  };
  static const ikra::rt::layout plan(classes, columns);
  return plan;
}

//===-- simulate_0 -------------------------------------------------------------------------===//
constexpr ikra::rt::column_use simulate_0_columns[] = {{0, ikra::rt::reads},
                                                       {1, ikra::rt::reads},
                                                       {2, ikra::rt::reads_and_writes},
                                                       {3, ikra::rt::reads_and_writes},
                                                       {4, ikra::rt::reads}};
constexpr ikra::rt::section_info simulate_0_info{"simulate", "traffic.cpp", 42, 28,
                                                 simulate_0_columns};

struct simulate_0_Car {
  ikra::object_id id;
  float progress_;
  ikra::object_id street_;
};
struct simulate_0_Pedestrian {
  ikra::object_id id;
  float progress_;
  ikra::object_id street_;
};
IKRA_DEVICE float Street_length(const columns_view& w, ikra::object_id self) {
  return w.Street_length_[self];
}
template <class Self>
IKRA_DEVICE void Actor_advance(const columns_view& w, Self& self, float speed) {
  self.progress_ += speed / 60;
  if (self.progress_ >= Street_length(w, self.street_)) {
    self.progress_ = 0;
    const auto next = w.Street_neighbours_[self.street_];
    if (!next.empty())
      self.street_ = next[static_cast<std::size_t>(speed) % next.size()];
  }
}
IKRA_DEVICE void Car_move(const columns_view& w, simulate_0_Car& self, Weather weather) {
  Actor_advance(w, self, w.Car_max_velocity_[self.id] * (weather == Weather::bad ? 0.75f : 1.0f));
}
IKRA_DEVICE void Pedestrian_move(const columns_view& w, simulate_0_Pedestrian& self, Weather) {
  Actor_advance(w, self, 3);
}

struct simulate_0_body {
  columns_view w;
  Weather weather;
  std::int64_t ticks;
  IKRA_DEVICE void operator()(Car_class, ikra::object_id id) const {
    simulate_0_Car self{id, w.Actor_progress_[id], w.Actor_street_[id]};
    const simulate_0_Car before = self;
    for (std::int64_t tick = 0; tick < ticks; ++tick)
      Car_move(w, self, weather);
    ikra::store_changed(w.Actor_progress_[id], self.progress_, before.progress_);
    ikra::store_changed(w.Actor_street_[id], self.street_, before.street_);
  }
  IKRA_DEVICE void operator()(Pedestrian_class, ikra::object_id id) const {
    simulate_0_Pedestrian self{id, w.Actor_progress_[id], w.Actor_street_[id]};
    const simulate_0_Pedestrian before = self;
    for (std::int64_t tick = 0; tick < ticks; ++tick)
      Pedestrian_move(w, self, weather);
    ikra::store_changed(w.Actor_progress_[id], self.progress_, before.progress_);
    ikra::store_changed(w.Actor_street_[id], self.street_, before.street_);
  }
};

//===-- ticking_3: the same with one launch a tick -----------------------------------------===//
struct ticking_3_body {
  simulate_0_body one_tick;
  template <class Class>
  IKRA_DEVICE void operator()(Class c, ikra::object_id id, std::int64_t) const {
    one_tick(c, id);
  }
};

//===-- speeds_1, speeds_2 and the kernels that run them fused -----------------------------===//
constexpr ikra::rt::column_use speeds_1_columns[] = {{4, ikra::rt::reads}};
constexpr ikra::rt::section_info speeds_1_info{"speeds", "traffic.cpp", 51, 30, speeds_1_columns};
constexpr ikra::rt::section_info speeds_2_info{"speeds", "traffic.cpp", 52, 30};

struct speeds_1_body {
  columns_view w;
  IKRA_DEVICE float operator()(Car_class, ikra::object_id a) const {
    return w.Car_max_velocity_[a];
  }
  IKRA_DEVICE float operator()(Pedestrian_class, ikra::object_id) const { return 3; }
};
struct speeds_2_body {
  float factor;
  IKRA_DEVICE float operator()(float x) const { return x * factor; }
};

} // namespace
} // namespace ikra_unit_traffic

inline void ikra::section_code<ikra_unit_traffic::simulate_0>::run(ikra::peach_call& call) {
  using namespace ikra_unit_traffic;
  ikra::rt::session s(layout(), simulate_0_info, call);
  s.base<ikra::rt::references<::Actor, Car_class, Pedestrian_class>>();
  s.trace();
  s.for_each<Car_class, Pedestrian_class>(
      simulate_0_body{columns_view(s.columns()), call.capture<Weather>(0), call.ticks()});
  s.finish();
}
inline void ikra::section_code<ikra_unit_traffic::ticking_3>::run(ikra::peach_call& call) {
  using namespace ikra_unit_traffic;
  ikra::rt::session s(layout(), simulate_0_info, call);
  s.base<ikra::rt::references<::Actor, Car_class, Pedestrian_class>>();
  s.trace();
  s.for_each_tick<Car_class, Pedestrian_class>(
      call.ticks(), ticking_3_body{{columns_view(s.columns()), call.capture<Weather>(0), 1}});
  s.finish();
}
inline void ikra::section_code<ikra_unit_traffic::speeds_1>::run(ikra::map_call& call) {
  using namespace ikra_unit_traffic;
  ikra::rt::session s(layout(), speeds_1_info, call);
  s.base<ikra::rt::references<const ::Actor, Car_class, Pedestrian_class>>();
  s.trace();
  s.map_objects<float, Car_class, Pedestrian_class>(speeds_1_body{columns_view(s.columns())});
  s.finish();
}
inline void ikra::section_code<ikra_unit_traffic::speeds_2>::run(ikra::map_call& call) {
  using namespace ikra_unit_traffic;
  ikra::rt::session s(speeds_2_info, call);
  s.map_values<float, float>(speeds_2_body{call.capture<float>(0)});
  s.finish();
}

//===-- fusion table: chains whose last section is speeds_2 --------------------------------===//
namespace ikra_unit_traffic {
namespace {
struct speeds_1_speeds_2_body {
  speeds_1_body node_1;
  speeds_2_body node_0;
  template <class Class> IKRA_DEVICE float operator()(Class c, ikra::object_id a) const {
    return node_0(node_1(c, a));
  }
};
void run_speeds_1_speeds_2(ikra::map_call& call) {
  ++fused_runs;
  ikra::rt::session s(layout(), speeds_1_info, call);
  s.base<ikra::rt::references<const ::Actor, Car_class, Pedestrian_class>>();
  s.trace();
  s.map_objects<float, Car_class, Pedestrian_class>(speeds_1_speeds_2_body{
      speeds_1_body{columns_view(s.columns())}, speeds_2_body{call.node(0).capture<float>(0)}});
  s.finish();
}
} // namespace
} // namespace ikra_unit_traffic
inline std::span<const ikra::fusion> ikra::section_code<ikra_unit_traffic::speeds_2>::fusions() {
  using namespace ikra_unit_traffic;
  static constexpr ikra::fusion_node nodes[] = {{ikra::key_of<speeds_2>, 1},
                                                {ikra::key_of<speeds_1>, 1}};
  static constexpr int inputs[] = {1, -1};
  static constexpr ikra::fusion table[] = {{nodes, inputs, 1, &run_speeds_1_speeds_2}};
  return table;
}
