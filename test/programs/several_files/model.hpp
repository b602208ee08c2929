// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in a header that several files include. Each file has classes of its own, so none of
// them knows all classes that the objects can have, and the linker keeps one of the functions.
#pragma once

#include <ikra/ikra.hpp>

#include <cstdint>
#include <memory>
#include <vector>

class Vehicle {
public:
  explicit Vehicle(int speed) : speed_(speed) {}
  virtual ~Vehicle() = default;
  virtual void drive(int tick) { distance_ += speed_ + tick % 2; }
  virtual int load() const { return 1; }

  void follow(Vehicle* leader) { leader_ = leader; }
  int speed() const { return speed_; }
  std::int64_t distance() const { return distance_; }
  int gap() const { return leader_ == nullptr ? -1 : leader_->load() - load(); }
  void keep_up() {
    if (leader_ != nullptr)
      speed_ += leader_->load();
  }

protected:
  int speed_;
  std::int64_t distance_ = 0;
  Vehicle* leader_ = nullptr;
  IKRA_OBJECT
};

using Fleet = std::vector<std::unique_ptr<Vehicle>>;

inline void drive(const Fleet& fleet, int ticks) {
  ikra::array{fleet}.peach(ticks, [](Vehicle* v, int tick) { v->drive(tick); });
}

inline void keep_up(const Fleet& fleet) { ikra::array{fleet}.peach(&Vehicle::keep_up); }

inline ikra::array<int, 1> loads(const Fleet& fleet, int factor) {
  return ikra::array{fleet}.pmap([=](const Vehicle* v) { return factor * v->load(); });
}

inline int total_load(const Fleet& fleet) {
  return ikra::array{fleet}
      .pmap([](const Vehicle* v) { return v->load(); })
      .pmap([](int load) { return load + 1; })
      .sum();
}

inline std::vector<Vehicle*> heavy(const Fleet& fleet, int least) {
  return ikra::array{fleet}
      .with_index()
      .pselect([=](const Vehicle* v, std::int64_t place) { return v->load() + place % 2 >= least; })
      .to_vector();
}

inline std::int64_t count_followers(const Fleet& fleet) {
  return ikra::array{fleet}.count([](const Vehicle* v) { return v->gap() > -1; });
}

/// The loads of one vehicle on several trips.
inline ikra::array<int, 1> trips(const Vehicle* vehicle, int number) {
  return ikra::pnew(number,
                    [=](std::int64_t trip) { return static_cast<int>(trip) * vehicle->load(); });
}

template <class Number> ikra::array<Number, 1> scaled(const Fleet& fleet, Number factor) {
  return ikra::array{fleet}.pmap(
      [factor](const Vehicle* v) { return factor * static_cast<Number>(v->load()); });
}

Fleet cars();
Fleet trucks();
std::unique_ptr<Vehicle> make_truck(int speed);
