// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sum() of a program's structs in turns starts with T(), as its members' initialisers make it. Their operators may return
// *this, and lambdas within generic ones capture what has no type there yet.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --allow-empty --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

// LEFT-NOT: warning

struct depth {
  double height = 1, flow = 2;
  constexpr depth& operator+=(const depth& o) {
    height += o.height;
    flow += o.flow;
    return *this;
  }
};
constexpr depth operator+(depth a, const depth& b) {
  depth sum = a;
  return sum += b;
}

enum class state : char { calm = 1, breaking = 2 };
struct wave {
  state is = state::calm;
  int count = 0;
};
constexpr wave operator+(const wave& a, const wave& b) {
  const bool breaks = a.is == state::breaking || b.is == state::breaking;
  return {breaks ? state::breaking : state::calm, a.count + b.count};
}

struct moments {
  std::array<double, 2> of{};
  depth most{0, 1};
};
constexpr moments operator+(const moments& a, const moments& b) {
  return {{a.of[0] + b.of[0], a.of[1] + b.of[1]}, a.most + b.most};
}

// CHECK: turn turn_of_defaults
// CODE: struct turn_of_defaults_first_0
// CODE: return ::depth();
void defaults() {
  auto a = ikra::pnew(4, [](std::int64_t i) { return depth{double(i), 1}; });
  depth last{};
  ikra::host_section([&] {
    for (int t = 0; t < 10; ++t) {
      const depth all = a.sum();
      last = all;
      if (all.height > 30)
        break;
      a = a.pmap([](depth d) { return depth{d.height + 1, d.flow}; });
    }
  });
  std::printf("defaults %g %g\n", last.height, last.flow);
}

// CHECK: turn turn_of_enumerations
// CODE: return ::wave();
void enumerations() {
  auto a = ikra::pnew(4, [](std::int64_t i) { return int(i); });
  wave last{};
  ikra::host_section([&] {
    for (int t = 0; t < 5; ++t) {
      last = a.pmap([](int x) { return wave{x > 4 ? state::breaking : state::calm, x}; }).sum();
      a = a.pmap([](int x) { return x + 1; });
      if (last.count > 12)
        break;
    }
  });
  std::printf("enumerations %d %d\n", int(last.is), last.count);
}

// CHECK: turn turn_of_arrays
// CODE: return ::moments();
void arrays() {
  auto a = ikra::pnew(3, [](std::int64_t i) { return double(i); });
  moments last{};
  ikra::host_section([&] {
    for (int t = 0; t < 5; ++t) {
      last = a.pmap([](double x) { return moments{{x, x * x}, {x, 1}}; }).sum();
      if (last.of[1] > 40)
        break;
      a = a.pmap([by = last.of[0]](double x) { return x + by / 4; });
    }
  });
  std::printf("arrays %g %g %g %g\n", last.of[0], last.of[1], last.most.height, last.most.flow);
}

// CHECK: turn turn_of_operators
void operators() {
  auto a = ikra::pnew(64, [](std::int64_t i) { return depth{double(i), 1}; });
  double most = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      most = a.pmap([](depth d) { return d.height; }).preduce(ikra::max).value();
      a = a.pstencil({-1, 1}, ikra::clamp, [](const auto& v) { return v[-1] + v[1]; });
    }
  });
  std::printf("operators %g\n", most);
}

// CHECK: turn turn_of_generic
void generic() {
  auto a = ikra::pnew(64, [](std::int64_t i) { return float(i); });
  float most = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      a = a.pstencil({-1, 0, 1}, ikra::clamp, [](const auto& v) {
        const auto at = [&v](int d) { return v[d]; };
        return (at(-1) + at(0) + at(1)) * 0.25F;
      });
      a = a.pmap([](auto x) {
        const auto half = [x](float by) { return by * x / 2; };
        return half(1.5F);
      });
      most = a.preduce(ikra::max).value();
    }
  });
  std::printf("generic %g\n", double(most));
}

int main() {
  defaults();
  enumerations();
  arrays();
  operators();
  generic();
}
