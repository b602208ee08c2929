// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils that read each member of their neighbours from one of them alone, as lattice methods do:
// windows have nothing in common that is read, so that a thread of a GPU computes one result.
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --check-prefix=FUSION
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: FileCheck %s --check-prefix=CODE --input-file=%t.ikra.cu
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu > %t.of_cpu
// RUN: %build_plain %s -o %t.plain && %t.plain | diff - %t.of_cpu
#include <cstdio>
#include <ikra/ikra.hpp>

struct cell {
  float f[9];
  float level = 0;
};
constexpr int down[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
int right(int q) { return q < 5 ? (q % 2) * (2 - q) : q == 5 || q == 8 ? 1 : -1; }

int main() {
  ikra::array<cell, 2> cells = ikra::pnew({40, 70}, [](ikra::index<2> i) {
    cell c{};
    for (int q = 0; q < 9; ++q)
      c.f[q] = static_cast<float>((i[0] * 7 + i[1] * 3 + q) % 11);
    return c;
  });
  for (const cell c : cells) // computed by itself
    if (c.f[8] > 20)
      return 1;
  // MODEL-COUNT-2: reads each member of its neighbours from one of them
  // MODEL-NOT: reads each member
  // FUSION: kernel main_1 -> main_2
  // FUSION-NEXT: reads around each location: -1..1 -1..1, each member once
  const auto moved = cells.pstencil(ikra::box<1, 1>, ikra::wrap, [](const auto& v) {
    cell c{};
    for (int q = 0; q < 9; ++q)
      c.f[q] = v(-down[q], -right(q)).f[static_cast<std::size_t>(q)];
    return c;
  });
  float sum = moved.pmap([](const cell& c) { return c.f[1] * 2 + c.f[5]; }).sum();
  // CODE-LABEL: {{^}}namespace main_1_device {
  // CODE: {{^}}  static constexpr bool reads_members_once = true;
  // CODE-LABEL: {{^}}namespace main_4_device {
  // CODE: {{^}}  static constexpr bool reads_members_once = true;
  const auto named = cells.pstencil({{0, 0}, {0, 1}, {-1, 0}}, cell{}, [](const auto& v) {
    cell c = {{v(0, 0).f[0], v(0, 1).f[1], v(-1, 0).f[2]}, v(-1, 0).level};
    return c;
  });
  sum += named.pmap([](const cell& c) { return c.f[0] - c.f[1] + c.f[2]; }).sum();

  // Each of these reads a member of several neighbours, or may.
  // CODE-LABEL: {{^}}namespace main_7_device {
  // CODE-NOT: {{^}}  static constexpr bool reads_members_once
  // CODE-LABEL: {{^}}struct fused_into_main_2 {
  // CODE: {{^}}  static constexpr bool reads_members_once = true;
  const auto same = cells.pstencil({{0, 0}, {0, 1}}, cell{}, [](const auto& v) {
    cell c{};
    c.level = v(0, 0).f[1] + v(0, 1).f[1];
    return c;
  });
  const auto in_loop = cells.pstencil(ikra::box<1, 1>, ikra::keep, [](const auto& v) {
    cell c{};
    for (int y = -1; y <= 1; ++y)
      c.level += v(y, 0).level;
    return c;
  });
  const auto whole = cells.pstencil({{0, 0}, {1, 0}}, ikra::clamp, [](const auto& v) {
    cell c = v(1, 0);
    c.level = v(0, 0).level;
    return c;
  });
  const auto any = cells.pstencil(ikra::box<1, 1>, ikra::wrap, [](const auto& v) {
    cell c{};
    for (int q = 0; q < 9; ++q)
      for (int x = -1; x <= 1; ++x)
        c.f[q] += v(0, x).f[q];
    c.f[0] += v(1, 0).f[3];
    return c;
  });
  const auto level = [](const cell& c) { return c.level + c.f[3]; };
  sum += same.pmap(level).sum() + in_loop.pmap(level).sum() + whole.pmap(level).sum() +
         any.pmap(level).sum();
  std::printf("%.9g\n", static_cast<double>(sum));
}
