// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A captured struct of containers is captured as the members that the section names.
//
// RUN: %ikrac --print=model %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>/dev/null
// RUN: FileCheck %s --input-file=%t.cu --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Points {
  std::vector<float> x, y;
  std::array<float, 2> origin;
  int count;
};
struct Columns {
  ikra::array<float> x;
  ikra::array<int, 2> grid;
};
struct Image {
  std::vector<float> pixels;
  std::int64_t width;
  float at(std::int64_t r, std::int64_t c) const { return pixels[r * width + c]; }
};

struct Cleared {
  explicit Cleared(std::vector<float> of) : values(std::move(of)) {}
  Cleared(const Cleared& of) : values(of.values.size(), 7) {}
  std::vector<float> values;
};

void show(const ikra::array<float>& a) { std::printf("%g %g\n", double(a[0]), double(a[3])); }

int main() {
  const Points p{{1, 2, 3, 4}, {10, 20, 30, 40}, {0.5F, 0.25F}, 4};
  const Points& same = p;
  const Columns c{ikra::array{p.x}, ikra::pnew({2, 2}, [](ikra::index<2> at) { return int(at[0] * 2 + at[1]); })};
  const int p_x = 100;

  // Each member once; a name that is taken gets another one.
  // CHECK-DAG: captures: p_x_{{_*}} (list of float), p_{{count_*}} (int), p_{{origin_*}} (::std::array<float, 2>)
  // CODE: main_{{[0-9]+}}, float(std::int64_t)>(p.x, p.count, p.origin)
  show(ikra::pnew(4, [p](std::int64_t i) { return p.x[i] + p.x[p.count - 1 - i] + p.origin[0]; }));
  // OUT: 5.5 5.5

  // CHECK-DAG: captures: same_{{y_*}} (list of float), same_{{x_*}} (list of float)
  // Captured without being named, through a reference; in a loop, and with other captures.
  // CODE: main_{{[0-9]+}}, float(std::int64_t)>(same.y, same.x)
  show(ikra::pnew(4, [=](std::int64_t i) {
    float sum = static_cast<float>(p_x * i);
    for (const float y : same.y)
      sum += y * same.x[i];
    return sum + static_cast<float>(same.x.size());
  }));
  // OUT-NEXT: 104 704

  // Arrays, a grid among them, which are computed before.
  // CODE: main_{{[0-9]+}}, float(float, std::int64_t)>(c.x, c.grid)
  show(c.x.with_index().pmap([c](float e, std::int64_t i) { return c.x[3 - i] * 10 + e + static_cast<float>(c.grid(i / 2, i % 2)); }));
  // OUT-NEXT: 41 17

  // In a lambda within the section, which captures whatever it names.
  // CODE: main_{{[0-9]+}}, float(std::int64_t)>(p.x, p.y)
  show(ikra::pnew(4, [p](std::int64_t i) {
    const auto at = [&](std::int64_t k) { return p.x[k] + p.y[k]; };
    return at(i) - at(3 - i);
  }));
  // OUT-NEXT: -33 33

  // What is used in another way stays whole.
  const Image image{{1, 2, 3, 4}, 2};
  // CHECK-DAG: captured-structs.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'image' of type 'Image' cannot be captured
  show(ikra::pnew(4, [image](std::int64_t i) { return image.at(i / 2, i % 2); }));
  // CHECK-DAG: captured-structs.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'image' of type {{.*}} cannot be captured
  show(ikra::pnew(4, [image](std::int64_t i) { return [image](std::int64_t k) { return image.pixels[k]; }(i); }));
  // A class that does more when it is copied is copied.
  const Cleared cleared{{1, 2, 3, 4}};
  // CHECK-DAG: captured-structs.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'cleared' of type 'Cleared' cannot be captured
  show(ikra::pnew(4, [cleared](std::int64_t i) { return cleared.values[i]; }));
  // OUT-NEXT: 1 4
  // OUT-NEXT: 1 4
  // OUT-NEXT: 7 7
}
