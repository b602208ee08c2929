// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More programs as worlds.hpp has them: springs, animals, shapes and a payroll.
#pragma once

#include "worlds.hpp"

#include <algorithm>

namespace objects {

/// A cloth: particles by value, and springs that are structs with pointers.
struct Particle {
  struct Spring {
    const Particle* to;
    float rest;
  };
  float x, y, vx = 0, vy = 0;
  std::vector<Spring> springs;

  void pull() {
    for (const Spring& s : springs) {
      const float dx = s.to->x - x, dy = s.to->y - y;
      const float length = std::sqrt(dx * dx + dy * dy);
      const float by = 0.1f * (length - s.rest) / length;
      vx += by * dx;
      vy += by * dy;
    }
    vy += 0.001f;
  }
  void move() {
    x += 0.1f * vx;
    y += 0.1f * vy;
  }
};
struct cloth_world {
  static constexpr int steps = 400, size = 250;
  std::vector<Particle> particles;
  cloth_world() {
    for (int i = 0; i < size * size; ++i)
      particles.push_back({float(i % size), float(i / size), 0, 0, {}});
    for (int i = 0; i < size * size; ++i)
      for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const int x = i % size + dx, y = i / size + dy;
        if (x >= 0 && x < size && y >= 0 && y < size)
          particles[std::size_t(i)].springs.push_back(
              {&particles[std::size_t(y * size + x)], 0.9f});
      }
  }
  std::uint64_t sum() const {
    std::uint64_t result = 0;
    for (const Particle& p : particles)
      result = 31 * result + bits(p.x) + bits(p.y);
    return result;
  }
};

/// Rabbits and foxes on meadows. Who starves or is caught stays where it is.
struct Meadow {
  float grass = 1;
  std::uint32_t rabbits = 0, foxes = 0;
  void grow() {
    grass = std::min(2.0f, std::max(0.0f, grass - 0.05f * float(rabbits)) + 0.1f);
    rabbits = foxes = 0;
  }
};
class Animal {
  IKRA_OBJECT

public:
  Animal(std::uint32_t number, Meadow* at) : at_(at), number_(number) {}
  virtual ~Animal() = default;
  virtual void settle() = 0;
  virtual void live(ikra::random dice) = 0;
  bool alive() const { return energy_ > 0; }
  float energy() const { return energy_; }
  std::uint32_t number() const { return number_; }

protected:
  Meadow* at_;
  float energy_ = 1;

private:
  std::uint32_t number_;
};
class Rabbit final : public Animal {
  IKRA_OBJECT

public:
  using Animal::Animal;
  void settle() override { ikra::atomic_add(at_->rabbits, 1u); }
  void live(ikra::random dice) override {
    energy_ = std::min(1.5f, energy_ - 0.1f + 0.15f * at_->grass);
    if (dice.uniform<float>() < 0.05f * float(at_->foxes))
      energy_ = 0;
  }
};
class Fox final : public Animal {
  IKRA_OBJECT

public:
  using Animal::Animal;
  void settle() override { ikra::atomic_add(at_->foxes, 1u); }
  void live(ikra::random dice) override {
    energy_ -= 0.08f;
    if (dice.uniform<float>() < 0.1f * float(at_->rabbits))
      energy_ = std::min(1.5f, energy_ + 0.2f);
  }
};
struct meadows_world {
  static constexpr int steps = 20;
  std::vector<std::unique_ptr<Meadow>> meadows;
  std::vector<std::unique_ptr<Animal>> animals;
  meadows_world() {
    constexpr std::uint32_t count = 50'000;
    for (std::uint32_t i = 0; i < count; ++i)
      meadows.push_back(std::make_unique<Meadow>());
    for (std::uint32_t i = 0; i < 8 * count; ++i) {
      Meadow* const at = meadows[chance(20, i, count)].get();
      if (chance(21, i, 8) == 0)
        animals.push_back(std::make_unique<Fox>(i, at));
      else
        animals.push_back(std::make_unique<Rabbit>(i, at));
    }
  }
  std::uint64_t sum() const {
    std::uint64_t result = 0;
    for (const auto& a : animals)
      result = 31 * result + bits(a->energy());
    return result;
  }
};

/// A picture of shapes, of which each pixel asks all.
class Shape {
  IKRA_OBJECT

public:
  virtual ~Shape() = default;
  /// How far along the way from above at this place, or a large number.
  virtual float depth(float x, float y) const = 0;
};
class Ball final : public Shape {
  IKRA_OBJECT

public:
  Ball(float x, float y, float z, float r) : x_(x), y_(y), z_(z), r_(r) {}
  float depth(float x, float y) const override {
    const float rest = r_ * r_ - (x - x_) * (x - x_) - (y - y_) * (y - y_);
    return rest < 0 ? 1e9f : z_ - std::sqrt(rest);
  }

private:
  float x_, y_, z_, r_;
};
class Box final : public Shape {
  IKRA_OBJECT

public:
  Box(float x, float y, float z, float r) : x_(x), y_(y), z_(z), r_(r) {}
  float depth(float x, float y) const override {
    return std::fabs(x - x_) < r_ && std::fabs(y - y_) < r_ ? z_ : 1e9f;
  }

private:
  float x_, y_, z_, r_;
};
struct picture_world {
  static constexpr int size = 512;
  std::vector<std::unique_ptr<Shape>> owned;
  std::vector<const Shape*> shapes;
  std::uint64_t seen = 0;
  picture_world() {
    for (std::size_t i = 0; i < 200; ++i) {
      const auto at = [i](std::uint64_t what) { return float(chance(what, i, size)); };
      if (chance(29, i, 2) == 0)
        owned.push_back(std::make_unique<Ball>(at(30), at(31), at(32), 5 + at(33) / 20));
      else
        owned.push_back(std::make_unique<Box>(at(30), at(31), at(32), 5 + at(33) / 20));
      shapes.push_back(owned.back().get());
    }
  }
  std::uint64_t sum() const { return seen; }
};

/// Who earns what, raised each year.
class Employee {
  IKRA_OBJECT

public:
  explicit Employee(int wage) : wage_(wage) {}
  virtual ~Employee() = default;
  virtual int pay() const = 0;
  void raise(int percent) { wage_ += wage_ * percent / 100; }
  int wage() const { return wage_; }

private:
  int wage_;
};
class Clerk final : public Employee {
  IKRA_OBJECT

public:
  using Employee::Employee;
  int pay() const override { return wage(); }
};
class Seller final : public Employee {
  IKRA_OBJECT

public:
  Seller(int wage, int sold) : Employee(wage), sold_(sold) {}
  int pay() const override { return wage() + sold_ / 20; }

private:
  int sold_;
};
struct payroll_world {
  static constexpr int years = 20;
  std::vector<std::unique_ptr<Employee>> employees;
  std::uint64_t paid = 0;
  payroll_world() {
    for (std::size_t i = 0; i < 500'000; ++i)
      if (chance(40, i, 3) == 0)
        employees.push_back(std::make_unique<Seller>(900, int(chance(41, i, 5000))));
      else
        employees.push_back(std::make_unique<Clerk>(1000 + int(i % 97)));
  }
  std::uint64_t sum() const {
    std::uint64_t result = paid;
    for (const auto& e : employees)
      result = 31 * result + static_cast<std::uint64_t>(e->wage());
    return result;
  }
};

} // namespace objects
