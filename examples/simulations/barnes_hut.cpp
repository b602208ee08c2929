// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two galaxies that meet (Barnes and Hut, 1986). What is far away pulls like one star: a tree of
// cells, which calls itself along its parts. What all stars pull, one by one, is the check.
#include "picture.hpp"
#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

constexpr float softening = 0.05f, opening = 0.6f, step = 0.01f;

struct Point {
  float x = 0, y = 0;
  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(float f, Point p) { return {f * p.x, f * p.y}; }
};

/// What a mass there pulls here.
Point pull_of(float mass, Point there, Point here) {
  const Point way = there - here;
  const float squared = way.x * way.x + way.y * way.y + softening * softening;
  return (mass / (squared * std::sqrt(squared))) * way;
}

class Star {
public:
  Star(Point at, Point speed, float mass) : at_(at), speed_(speed), mass_(mass) {}
  Point at() const { return at_; }
  float mass() const { return mass_; }
  void accelerate(Point pull) { speed_ = speed_ + step * pull; }
  void move() { at_ = at_ + step * speed_; }

private:
  IKRA_OBJECT
  Point at_, speed_;
  float mass_;
};

/// A square with its stars, or with four parts.
class Cell {
public:
  using stars = std::vector<const Star*>;

  Cell(const stars& inside, Point middle, float width) : centre_(middle), width_(width) {
    Point sum;
    for (const Star* s : inside) {
      mass_ += s->mass();
      sum = sum + s->mass() * s->at();
    }
    if (mass_ > 0)
      centre_ = (1 / mass_) * sum;
    if (inside.size() <= 8 || width < 1e-4f)
      stars_ = inside;
    else
      split(inside, middle);
  }

  Point pull(Point at) const {
    const Point way = centre_ - at;
    if (width_ * width_ < opening * opening * (way.x * way.x + way.y * way.y))
      return pull_of(mass_, centre_, at);
    Point sum;
    for (const Star* s : stars_)
      sum = sum + pull_of(s->mass(), s->at(), at);
    if (parts_[0])
      for (const auto& part : parts_)
        sum = sum + part->pull(at);
    return sum;
  }

private:
  IKRA_OBJECT
  void split(const stars& inside, Point middle) {
    stars of_part[4];
    for (const Star* s : inside)
      of_part[(s->at().x < middle.x ? 0 : 1) + (s->at().y < middle.y ? 0 : 2)].push_back(s);
    for (int i = 0; i < 4; ++i)
      parts_[i] = std::make_unique<Cell>(
          of_part[i],
          middle + 0.25f * width_ * Point{i % 2 == 0 ? -1.0f : 1.0f, i < 2 ? -1.0f : 1.0f},
          0.5f * width_);
  }

  Point centre_;
  float mass_ = 0, width_;
  stars stars_;
  std::unique_ptr<Cell> parts_[4];
};

std::unique_ptr<Cell> tree_of(const std::vector<Star>& stars) {
  Cell::stars all;
  float reach = 1;
  for (const Star& s : stars) {
    all.push_back(&s);
    reach = std::max({reach, std::fabs(s.at().x), std::fabs(s.at().y)});
  }
  return std::make_unique<Cell>(all, Point{}, 2.001f * reach);
}

/// Stars that go around a heavy one.
void add_galaxy(std::vector<Star>& stars, long count, std::uint64_t seed, Point middle, Point speed,
                float radius) {
  stars.emplace_back(middle, speed, 1.0f);
  for (long i = 1; i < count; ++i) {
    ikra::random r(seed, static_cast<std::uint64_t>(i));
    const float far = radius * (0.08f + r.uniform<float>()),
                angle = 6.2831853f * r.uniform<float>();
    const Point way{std::cos(angle), std::sin(angle)};
    const float around = 1 / std::sqrt(far);
    stars.emplace_back(middle + far * way, speed + around * Point{-way.y, way.x},
                       0.1f / float(count));
  }
}

/// The mean error of what the tree pulls at some places, of what all stars pull by themselves.
double error_of_tree(std::vector<Star>& stars) {
  std::vector<Point> some;
  for (std::size_t i = 0; i < stars.size(); i += 1 + stars.size() / 1000)
    some.push_back(stars[i].at());
  const ikra::array places{some};
  const auto tree = tree_of(stars);
  const auto by_tree = places.pmap([root = tree.get()](Point at) { return root->pull(at); });
  const auto one_by_one = places.pmap([all = ikra::objects(stars)](Point at) {
    Point sum;
    for (const Star* s : all)
      sum = sum + pull_of(s->mass(), s->at(), at);
    return sum;
  });
  return by_tree
             .pcombine(one_by_one,
                       [](Point a, Point b) {
                         const Point off = a - b;
                         return double(std::hypot(off.x, off.y)) /
                                (double(std::hypot(b.x, b.y)) + 1e-9);
                       })
             .sum() /
         double(some.size());
}

void draw(const std::vector<Star>& stars, const std::string& to) {
  constexpr std::int64_t size = 600;
  std::vector<float> light(size * size);
  for (const Star& s : stars) {
    const auto column = std::int64_t((s.at().x / 3 + 0.5f) * size);
    const auto row = std::int64_t((s.at().y / 3 + 0.5f) * size);
    if (column >= 0 && column < size && row >= 0 && row < size)
      light[static_cast<std::size_t>(row * size + column)] += 1;
  }
  const ikra::array<float, 2> counts{light, {size, size}};
  simulations::draw(counts.pmap([](float n) { return std::min(1.0f, std::sqrt(n) / 3); }), 0.0f,
                    1.0f, to);
}

void run(const simulations::options& given) {
  std::vector<Star> stars;
  const long first = given["stars"] * 2 / 3;
  add_galaxy(stars, first, 1, {-0.6f, -0.2f}, {0.25f, 0.1f}, 0.7f);
  add_galaxy(stars, given["stars"] - first, 2, {0.8f, 0.4f}, {-0.5f, -0.2f}, 0.4f);
  for (long k = 0; k < given["steps"]; ++k) {
    const auto tree = tree_of(stars);
    ikra::objects(stars).peach([root = tree.get()](Star& s) { s.accelerate(root->pull(s.at())); });
    ikra::objects(stars).peach([](Star& s) { s.move(); });
  }
  const double error = error_of_tree(stars);
  simulations::check(error < 0.02, "the tree does not pull as the stars do");
  std::printf("error of the tree: %.4f\n", error);
  draw(stars, given.picture());
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(
      argc, argv, {{"stars", 20'000, 2, 50'000'000}, {"steps", 120, 0, 1'000'000}}, run);
}
