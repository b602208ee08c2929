// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names at file scope that CUDA's and C's headers have there too: types, functions, variables and
// enumerators of the program, in a header, in the unnamed namespace and after a using directive.
#include <ikra/ikra.hpp>

#include "vectors.hpp"

#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

int min(int a, int b) { return a < b ? a : b; }

namespace geo {
struct int2 {
  int x, y;
};
constexpr int y0 = 7;
} // namespace geo
using namespace geo;

namespace {

enum Choice { none, any, every };
const float gamma = 1.4f;

class Particle {
  IKRA_OBJECT
public:
  Particle(float3 at, Choice choice) : at_(at), choice_(choice) {}
  void step(float3 by, int norm) {
    at_ = at_ + by;
    if (choice_ == any)
      hits_ = min(hits_ + norm, 40);
  }
  float height() const { return dot(at_, make_float3(0, 0, gamma)); }
  int hits() const { return hits_; }

private:
  float3 at_;
  Choice choice_;
  int hits_ = 0;
};

int norm(int a) { return a < 0 ? -a : a; }

} // namespace

int main() {
  std::vector<std::unique_ptr<Particle>> all;
  for (int i = 0; i < 200; ++i)
    all.push_back(
        std::make_unique<Particle>(float3{float(i), 1, float(i % 5)}, i % 3 == 0 ? any : every));
  ikra::array particles{all};
  particles.peach(30, [](Particle* p) { p->step(make_float3(0, 0, 0.25f), norm(-3)); });
  float heights = 0;
  int hits = 0;
  for (const auto& p : all) {
    heights += p->height();
    hits += p->hits();
  }
  std::cout << heights << ' ' << hits << '\n';

  const ikra::array pairs =
      ikra::pnew(50, [](std::int64_t i) { return int2{static_cast<int>(i), y0}; });
  std::cout << pairs.pmap([](int2 v) { return min(v.x, v.y) + none; }).sum() << '\n';
}
