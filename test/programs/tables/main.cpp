// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of numbers in sections: captured ones, and constants of namespaces, classes and functions.
#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

enum class Turn { left = 3, right = 5 };
constexpr int squares[4] = {0, 1, 4, 9};
constexpr std::array<double, 3> weights{0.5, 0.25, 0.1};
const Turn turns[] = {Turn::left, Turn::right};
constexpr short sparse[6] = {7, -2};

struct Wheel {
  static constexpr std::array<float, 2> radii{1.5f, 2.1f};
  static constexpr unsigned char teeth[3] = {20, 30, 255};
  int kind = 0;
  int worth() const { return teeth[kind] + static_cast<int>(radii[kind % 2] * 10); }
};

int total(const std::array<double, 3>& values) {
  double sum = 0;
  for (const double v : values)
    sum += v;
  return static_cast<int>(sum * 100);
}

int price(int i) {
  static constexpr int prices[3] = {100, 200, 300};
  constexpr int local[2] = {1, 2};
  return prices[i % 3] + local[i % 2];
}

} // namespace

// In several dimensions; what is not written is 0.
constexpr int corners[2][2][3] = {{{1, 2, 3}, {4, 5}}, {{-6}, {7, 8, 9}}};
struct Board {
  static constexpr short moves[3][2] = {{1, -1}, {2, -2}, {3, -3}};
};
int row_sum(const int (&row)[3]) { return row[0] + row[1] + row[2]; }

// Made by a constructor: no list of values would do.
class Ramp {
  IKRA_OBJECT
public:
  constexpr explicit Ramp(int slope) : slope_(slope), even_(slope % 2 == 0) {
    for (int k = 0; k < 4; ++k)
      steps_[k] = static_cast<short>(slope * k - 3);
  }
  constexpr double operator()(int i) const {
    return steps_[i % 4] * scale_ + (even_ ? slope_ : -slope_);
  }

private:
  int slope_;
  bool even_;
  double scale_ = 0.75;
  short steps_[4]{};
};
struct Sloped : Ramp {
  constexpr explicit Sloped(int slope) : Ramp(slope), extra(-slope) {}
  int extra;
};
constexpr Ramp gentle{2};
const Ramp ramps[] = {Ramp{3}, Ramp{-8}};
inline constexpr std::pair<int, Ramp> named{7, Ramp{5}};
constexpr Sloped sloped{9};

int main() {
  const ikra::array numbers{std::vector<int>{0, 1, 2, 3, 4, 5}};
  int table[4] = {5, 6, 7, 8};
  const long wide[2] = {1L << 40, -3};
  std::array<int, 3> captured{4, 5, 6};
  constexpr int local[3] = {11, 22, 33};
  const auto sums = numbers.pmap([=](int i) {
    long s = table[i % 4] + wide[i % 2] + captured[static_cast<std::size_t>(i % 3)] + local[i % 3];
    for (const int t : table)
      s = s * 3 + t;
    for (std::size_t k = 0; k < captured.size(); ++k)
      s += captured[k];
    return s;
  });
  table[0] = 1000; // was captured before
  for (const long v : sums)
    std::printf("%ld\n", v);
  for (const int v : numbers.pmap([](int i) {
         int s = squares[i % 4] * 1000 +
                 static_cast<int>(weights[static_cast<std::size_t>(i % 3)] * 100);
         for (const short p : sparse)
           s += p;
         s += turns[i % 2] == Turn::right ? 7 : 1;
         return s + total(weights) + price(i) + static_cast<int>(weights.size());
       }))
    std::printf("%d\n", v);
  static constexpr int steps[2][2] = {{1, 2}, {3, 4}};
  for (const int v : numbers.pmap([](int i) {
         int s = steps[i % 2][1] + corners[1][i % 2][i % 3] + Board::moves[i % 3][0];
         for (const int x : corners[i % 2][0])
           s = s * 10 + x;
         return s * 10 + row_sum(corners[0][1]);
       }))
    std::printf("%d\n", v);
  static constexpr Ramp own{11};
  for (const double v : numbers.pmap([](int i) {
         return gentle(i) + ramps[i % 2](i) * 10 + named.second(i) * named.first + sloped(i) +
                sloped.extra + own(i);
       }))
    std::printf("%.3f\n", v);
  std::vector<Wheel> wheels(3);
  for (int i = 0; i < 3; ++i)
    wheels[static_cast<std::size_t>(i)].kind = i;
  for (const double v :
       ikra::objects(wheels).pmap([](const Wheel* w) { return gentle(w->kind) + sloped.extra; }))
    std::printf("%.3f\n", v);
  for (const int v : ikra::objects(wheels).pmap([](const Wheel* w) { return w->worth(); }))
    std::printf("%d\n", v);
}
