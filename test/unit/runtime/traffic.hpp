// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of the worked example of docs/emitted-code.md, and the same program as its plain
// reference.
#pragma once

#include <ikra/object.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

enum class Weather { good, bad };

class Street {
public:
  IKRA_OBJECT
  explicit Street(float length) : length_(length) {}
  void add_neighbour(Street* street) { neighbours_.push_back(street); }
  float length() const { return length_; }
  const std::vector<Street*>& neighbours() const { return neighbours_; }

private:
  float length_;
  std::vector<Street*> neighbours_;
};

class Actor {
public:
  IKRA_OBJECT
  Actor(Street* street, float progress) : progress_(progress), street_(street) {}
  virtual ~Actor() = default;
  virtual void move(Weather) = 0;
  virtual float speed() const = 0;
  static constexpr float Actor::* progress_member() { return &Actor::progress_; }
  float progress() const { return progress_; }
  Street* street() const { return street_; }

protected:
  void advance(float speed) {
    progress_ += speed / 60;
    if (progress_ >= street_->length()) {
      progress_ = 0;
      const auto& next = street_->neighbours();
      if (!next.empty())
        street_ = next[static_cast<std::size_t>(speed) % next.size()];
    }
  }

private:
  float progress_;
  Street* street_;
};

class Car : public Actor {
public:
  IKRA_OBJECT
  Car(Street* street, float progress, float max) : Actor(street, progress), max_velocity_(max) {}
  void move(Weather w) override { advance(max_velocity_ * (w == Weather::bad ? 0.75f : 1.0f)); }
  float speed() const override { return max_velocity_; }

private:
  float max_velocity_;
};

class Pedestrian : public Actor {
public:
  using Actor::Actor;
  void move(Weather) override { advance(3); }
  float speed() const override { return 3; }
};
