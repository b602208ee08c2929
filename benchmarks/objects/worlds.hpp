// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object-oriented programs in small, as people write them: their classes, the objects that a run
// begins with, and a sum that tells whether two runs did the same. What happens to the objects is
// in sections.cpp by ikra and in openmp.cpp by hand.
#pragma once

#include <ikra/ikra.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace objects {

/// A number below `below`, by chance.
inline std::uint32_t chance(std::uint64_t what, std::size_t i, std::size_t below) {
  return ikra::random(what, i).below(static_cast<std::uint32_t>(below));
}
inline std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
/// Of objects by value, where they are and how they move.
template <class Moving> std::uint64_t sum_of(const std::vector<Moving>& all) {
  std::uint64_t result = 0;
  for (const Moving& one : all)
    result = 31 * result + bits(one.x) + bits(one.vy);
  return result;
}

/// Bodies that attract each other, all pairs: objects by value.
struct Body {
  float x, y, mass, vx = 0, vy = 0;
  void pull(const std::vector<Body>& all) {
    for (const Body& other : all) {
      const float dx = other.x - x, dy = other.y - y;
      const float squared = dx * dx + dy * dy + 0.01f;
      const float by = 0.001f * other.mass / (squared * std::sqrt(squared));
      vx += by * dx;
      vy += by * dy;
    }
  }
  void move() {
    x += 0.001f * vx;
    y += 0.001f * vy;
  }
};
struct bodies_world {
  static constexpr int steps = 4;
  std::vector<Body> bodies;
  bodies_world() {
    for (std::size_t i = 0; i < 4000; ++i)
      bodies.push_back({float(chance(1, i, 1000)), float(chance(2, i, 1000)), 1.0f});
  }
  std::uint64_t sum() const { return sum_of(bodies); }
};

/// The same by a tree of cells (Barnes and Hut), which the host makes anew in each step.
struct Star {
  float x, y, vx = 0, vy = 0;
};
struct Sector {
  float x = 0, y = 0, mass = 0, width;
  std::vector<Star*> stars;
  std::unique_ptr<Sector> parts[4];

  Sector(const std::vector<Star*>& inside, float left, float top, float w) : width(w) {
    for (const Star* s : inside) {
      x += s->x;
      y += s->y;
    }
    mass = float(inside.size());
    if (mass > 0) {
      x /= mass;
      y /= mass;
    }
    if (inside.size() <= 8 || w < 1e-3f) {
      stars = inside;
      return;
    }
    std::vector<Star*> of_part[4];
    const float half = w / 2;
    for (Star* s : inside)
      of_part[(s->x < left + half ? 0 : 1) + (s->y < top + half ? 0 : 2)].push_back(s);
    for (int k = 0; k < 4; ++k)
      parts[k] = std::make_unique<Sector>(of_part[k], left + float(k % 2) * half,
                                          top + float(k / 2) * half, half);
  }
  static float by(float m, float dx, float dy) {
    const float squared = dx * dx + dy * dy + 0.01f;
    return 0.001f * m / (squared * std::sqrt(squared));
  }
  void pull(Star& s) const {
    const float dx = x - s.x, dy = y - s.y;
    if (width * width < 0.36f * (dx * dx + dy * dy)) {
      s.vx += by(mass, dx, dy) * dx;
      s.vy += by(mass, dx, dy) * dy;
      return;
    }
    for (const Star* other : stars) {
      const float ox = other->x - s.x, oy = other->y - s.y;
      s.vx += by(1, ox, oy) * ox;
      s.vy += by(1, ox, oy) * oy;
    }
    if (parts[0])
      for (const auto& part : parts)
        part->pull(s);
  }
};
struct galaxy_world {
  static constexpr int steps = 6;
  std::vector<Star> stars;
  galaxy_world() {
    for (std::size_t i = 0; i < 30'000; ++i)
      stars.push_back({ikra::random(3, i).uniform<float>(), ikra::random(4, i).uniform<float>()});
  }
  std::unique_ptr<Sector> tree() {
    std::vector<Star*> all;
    for (Star& s : stars)
      all.push_back(&s);
    return std::make_unique<Sector>(all, -1.0f, -1.0f, 3.0f);
  }
  std::uint64_t sum() const { return sum_of(stars); }
};

/// The game of life, a cell an object that knows its neighbours.
class Cell {
  IKRA_OBJECT

public:
  explicit Cell(bool alive) : alive_(alive) {}
  void meet(int k, Cell* other) { neighbours_[static_cast<std::size_t>(k)] = other; }
  void look() {
    int count = 0;
    for (const Cell* n : neighbours_)
      count += n->alive_ ? 1 : 0;
    will_live_ = count == 3 || (alive_ && count == 2);
  }
  void step() { alive_ = will_live_; }
  bool alive() const { return alive_; }

private:
  std::array<Cell*, 8> neighbours_{};
  bool alive_, will_live_ = false;
};
struct life_world {
  static constexpr int steps = 60, size = 600;
  std::vector<std::unique_ptr<Cell>> cells;
  life_world() {
    for (std::size_t i = 0; i < std::size_t(size) * size; ++i)
      cells.push_back(std::make_unique<Cell>(chance(5, i, 3) == 0));
    const auto at = [&](int y, int x) {
      return cells[std::size_t((y + size) % size * size + (x + size) % size)].get();
    };
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x)
        for (int k = 0, n = 0; k < 9; ++k)
          if (k != 4)
            at(y, x)->meet(n++, at(y + k / 3 - 1, x + k % 3 - 1));
  }
  std::uint64_t sum() const {
    std::uint64_t result = 0;
    for (const auto& c : cells)
      result = 31 * result + (c->alive() ? 1 : 0);
    return result;
  }
};

/// Transfers between accounts, of which some charge a fee.
class Account {
  IKRA_OBJECT

public:
  explicit Account(long balance) : balance_(balance) {}
  virtual ~Account() = default;
  virtual long fee(long amount) const = 0;
  void give(long amount) { ikra::atomic_add(balance_, -amount - fee(amount)); }
  void take(long amount) { ikra::atomic_add(balance_, amount); }
  long balance() const { return balance_; }

private:
  long balance_;
};
class Savings final : public Account {
  IKRA_OBJECT

public:
  using Account::Account;
  long fee(long amount) const override { return amount / 100; }
};
class Current final : public Account {
  IKRA_OBJECT

public:
  Current(long balance, long charge) : Account(balance), charge_(charge) {}
  long fee(long) const override { return charge_; }

private:
  long charge_;
};
struct Transfer {
  Account *from, *to;
  long amount;
  void run(int day) {
    const long part = amount + day;
    from->give(part);
    to->take(part);
  }
};
struct bank_world {
  static constexpr int steps = 15;
  std::vector<std::unique_ptr<Account>> accounts;
  std::vector<Transfer> transfers;
  bank_world() {
    constexpr std::size_t count = 200'000;
    for (std::size_t i = 0; i < count; ++i)
      if (chance(6, i, 2) == 0)
        accounts.push_back(std::make_unique<Savings>(1000));
      else
        accounts.push_back(std::make_unique<Current>(1000, long(i % 3)));
    for (std::size_t i = 0; i < 1'000'000; ++i)
      transfers.push_back({accounts[chance(7, i, count)].get(), accounts[chance(8, i, count)].get(),
                           long(chance(9, i, 100))});
  }
  std::uint64_t sum() const {
    std::uint64_t result = 0;
    for (const auto& a : accounts)
      result = 31 * result + static_cast<std::uint64_t>(a->balance());
    return result;
  }
};

/// How far nodes of a graph are from one of them.
class Node {
  IKRA_OBJECT

public:
  void meet(Node* other) { neighbours_.push_back(other); }
  void start() { found_ = distance_ = 0; }
  void look(int depth) {
    if (distance_ < 0)
      for (const Node* n : neighbours_)
        if (n->distance_ == depth) {
          found_ = depth + 1;
          break;
        }
  }
  void settle() { distance_ = found_; }
  bool is_at(int depth) const { return distance_ == depth; }
  int distance() const { return distance_; }

private:
  std::vector<Node*> neighbours_;
  int distance_ = -1, found_ = -1;
};
struct graph_world {
  std::vector<std::unique_ptr<Node>> nodes;
  graph_world() {
    constexpr std::size_t count = 300'000;
    for (std::size_t i = 0; i < count; ++i)
      nodes.push_back(std::make_unique<Node>());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < 4; ++k) {
        Node* const other = nodes[chance(10 + k, i, count)].get();
        nodes[i]->meet(other);
        other->meet(nodes[i].get());
      }
    nodes[0]->start();
  }
  std::uint64_t sum() const {
    std::uint64_t result = 0;
    for (const auto& n : nodes)
      result = 31 * result + static_cast<std::uint64_t>(n->distance() + 1);
    return result;
  }
};

} // namespace objects
