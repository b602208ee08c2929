// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of the traffic simulation (ARRAY'16, sections 2 and 5): streets, and the actors that
// move on them. One tick is a minute, lengths are miles, speeds miles per hour. All chances are
// drawn from ikra::random by seed, actor and tick, so that a run is the same on every device.
// Relies on ikra alone.
#pragma once

#include <ikra/ikra.hpp>

#include <cstdint>
#include <vector>

namespace traffic {

enum class Weather { good, bad };

// What an actor leaves to chance in a tick.
enum class Chance { pace, turn };

// How much of their speed vehicles keep.
inline float grip(Weather weather) { return weather == Weather::bad ? 0.75f : 1.0f; }

// One direction of a road. It ends where its neighbours begin; a dead end's neighbour is the way
// back.
class Street {
  IKRA_OBJECT

public:
  Street(std::uint32_t id, float length, float max_speed)
      : id_(id), length_(length), max_speed_(max_speed) {}

  std::uint32_t id() const { return id_; }
  float length() const { return length_; }
  float max_speed() const { return max_speed_; }
  const std::vector<Street*>& neighbours() const { return neighbours_; }
  void add_neighbour(Street* street) { neighbours_.push_back(street); }

  // Where an actor goes that reaches the end of this street: every neighbour is equally likely.
  Street* next(ikra::random dice) const {
    return neighbours_[dice.below(static_cast<std::uint32_t>(neighbours_.size()))];
  }

private:
  std::uint32_t id_;
  float length_;
  float max_speed_;
  std::vector<Street*> neighbours_;
};

// Somebody on a street, some way from its start.
class Actor {
  IKRA_OBJECT

public:
  virtual ~Actor() = default;

  // What the actor does in one tick. It reads streets, and writes to itself alone.
  virtual void move(Weather weather, std::uint64_t seed, std::int64_t tick) = 0;
  // Its speed as of now, in miles per hour.
  virtual float speed(Weather weather) const = 0;

  std::uint32_t id() const { return id_; }
  const Street* street() const { return street_; }
  float progress() const { return progress_; }

protected:
  Actor(std::uint32_t id, Street* street, float progress)
      : id_(id), progress_(progress), street_(street) {}

  // Moves on for one tick, never back beyond the street's start. True where this reached the
  // street's end and so the start of the next street.
  bool advance(float speed, std::uint64_t seed, std::int64_t tick) {
    progress_ += speed / 60.0f;
    if (progress_ < 0.0f)
      progress_ = 0.0f;
    if (progress_ < street_->length())
      return false;
    progress_ = 0.0f;
    street_ = street_->next(dice(seed, tick, Chance::turn));
    return true;
  }

  // The chances of one kind that this actor has in one tick.
  ikra::random dice(std::uint64_t seed, std::int64_t tick, Chance chance) const {
    return ikra::random(seed, id_, static_cast<std::uint32_t>(2 * tick + static_cast<int>(chance)));
  }

  float street_limit() const { return street_->max_speed(); }

private:
  std::uint32_t id_;
  float progress_;
  Street* street_;
};

class Car : public Actor {
  IKRA_OBJECT

public:
  Car(std::uint32_t id, Street* street, float progress, float max_velocity)
      : Actor(id, street, progress), max_velocity_(max_velocity) {}

  void move(Weather weather, std::uint64_t seed, std::int64_t tick) override {
    advance(speed(weather), seed, tick);
  }
  float speed(Weather weather) const override {
    const float limit = street_limit();
    return (max_velocity_ < limit ? max_velocity_ : limit) * grip(weather);
  }

  float max_velocity() const { return max_velocity_; }

private:
  float max_velocity_;
};

// A bus stops at the start of every street.
class Bus : public Actor {
  IKRA_OBJECT

public:
  static constexpr std::int32_t ticks_at_stop = 2;

  Bus(std::uint32_t id, Street* street, float progress, float max_velocity)
      : Actor(id, street, progress), max_velocity_(max_velocity) {}

  void move(Weather weather, std::uint64_t seed, std::int64_t tick) override {
    if (waiting_ > 0) {
      --waiting_;
      return;
    }
    if (advance(speed(weather), seed, tick))
      waiting_ = ticks_at_stop;
  }
  float speed(Weather weather) const override {
    if (waiting_ > 0)
      return 0.0f;
    const float limit = street_limit();
    return (max_velocity_ < limit ? max_velocity_ : limit) * grip(weather);
  }

  float max_velocity() const { return max_velocity_; }
  std::int32_t waiting() const { return waiting_; }

private:
  float max_velocity_;
  std::int32_t waiting_ = 0; // ticks until it leaves the stop
};

// A pedestrian strolls, back too, in any weather.
class Pedestrian : public Actor {
  IKRA_OBJECT

public:
  static constexpr float slowest = -2.0f;
  static constexpr float fastest = 4.0f;

  Pedestrian(std::uint32_t id, Street* street, float progress) : Actor(id, street, progress) {}

  void move(Weather, std::uint64_t seed, std::int64_t tick) override {
    const auto chance = dice(seed, tick, Chance::pace).uniform<float>();
    advance(slowest + (fastest - slowest) * chance, seed, tick);
  }
  float speed(Weather) const override { return (slowest + fastest) / 2.0f; } // on average
};

} // namespace traffic
