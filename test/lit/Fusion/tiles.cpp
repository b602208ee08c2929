// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil that reads another one's results, or its own in a loop, shares a kernel with it by tiles in shared memory,
// where neighbours would be too many to compute anew. Not where what tiles compute twice costs more than memory does,
// or over more than numbers; and not where the program keeps what is between. All cores do several steps of a stencil at
// once, and so does a GPU over lines and planes, if the memory takes longer than its operations.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --implicit-check-not="in tiles"
// RUN: %ikrac --print=fusion-dot %s -- %ikra_flags | FileCheck %s --check-prefix=DOT
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TILES=always %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TILES=off IKRA_TRACE=kernels %t.cpu 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=sections
// RUN: not env IKRA_TILES=on %t.cpu 2>&1 | FileCheck %s --check-prefix=WISH
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>

using plane = ikra::array<float, 2>;

struct Plate {
  plane now;
  void heat() {
    now = now.pstencil({{-1, 0}, {0, 0}, {1, 0}}, ikra::keep,
                       [](const auto& n) { return n(0, 0) + 0.25f * (n(-1, 0) + n(1, 0) - 2 * n(0, 0)); });
  }
};

plane blurred(const plane& x) {
  return x.pstencil(ikra::box<1, 1>, ikra::clamp, [](const auto& n) {
    float sum = 0;
    for (int r = -1; r <= 1; ++r)
      for (int c = -1; c <= 1; ++c)
        sum += n(r, c);
    return sum / 9;
  });
}

plane around(plane x) {
  for (int i = 0; i < 2; ++i)
    x = x.pstencil({{0, 0}, {1, 0}}, ikra::wrap, [](const auto& n) { return n(1, 0) - n(0, 0); });
  return x;
}

ikra::array<float> along(ikra::array<float> x) {
  for (int i = 0; i < 4; ++i)
    x = x.pstencil({-1, 0, 2}, ikra::wrap, [](const auto& n) { return (n[-1] + n[0] + n[2]) / 4; });
  return x;
}

ikra::array<double, 3> wide(ikra::array<double, 3> x) {
  for (int i = 0; i < 2; ++i)
    x = x.pstencil({{-2, 0, 0}, {0, 1, 0}, {0, 0, 3}, {0, 0, -1}, {2, 0, 0}}, 0.0,
                   [](const auto& n) { return n(-2, 0, 0) + n(0, 1, 0) + n(0, 0, 3) + n(0, 0, -1) + n(2, 0, 0); });
  return x;
}

plane five(plane x) {
  for (int i = 0; i < 4; ++i)
    x = x.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::keep,
                   [](const auto& n) { return n(0, 0) - (n(-1, 0) + n(0, -1) + n(0, 1) + n(1, 0)) / 8; });
  return x;
}

int main() {
  Plate p{ikra::pnew({6, 4}, [](const ikra::index<2>& x) { return static_cast<float>(x[0] * x[0]); })};
  for (int i = 0; i < 5; ++i)
    p.heat();
  std::printf("heat %g %g\n", p.now(0, 0), p.now(3, 2));
  const plane first = blurred(p.now), second = blurred(first);
  std::printf("blurs %.3f", second(3, 3));
  std::printf(" %.3f\n", first(3, 3));
  std::printf("around %g\n", around(p.now)(5, 1));
  std::printf("along %g\n", along(ikra::pnew(9, [](std::int64_t i) { return static_cast<float>(i * i); }))[0]);
  const ikra::array<double, 3> ones = ikra::pnew({9, 9, 9}, [](const ikra::index<3>&) { return 1.0; });
  std::printf("five %g\n", five(ikra::pnew({5, 5}, [](const ikra::index<2>& x) { return static_cast<float>(x[0] * x[1]); }))(2, 2));
  std::printf("wide %g\n", wide(ones)(4, 4, 4));
}

// CHECK: kernels: 22 (10 of single sections)
// CHECK: kernel Plate_heat_0 8 times, in tiles, on all cores
// CHECK: kernel Plate_heat_0 -> Plate_heat_0, in tiles{{$}}
// CHECK: kernel Plate_heat_0 -> blurred_1, in tiles, on a GPU
// CHECK: kernel blurred_1 -> blurred_1, in tiles, on a GPU
// CHECK: kernel Plate_heat_0 -> around_2, in tiles, on a GPU
// CHECK: kernel around_2 8 times, in tiles, on all cores
// CHECK: kernel around_2 -> around_2, in tiles{{$}}
// CHECK: kernel along_3 8 times, in tiles{{$}}
// CHECK: kernel along_3 -> along_3, in tiles{{$}}
// CHECK: kernel five_5 8 times, in tiles, on all cores
// CHECK: kernel five_5 4 times, in tiles, on a GPU
// CHECK: kernel five_5 -> five_5, in tiles{{$}}
// CHECK: edge Plate_heat_0 -> Plate_heat_0: fused (tiles of 1.11 times the first one's results: {{[0-9]+}} operations' time a result, 48 to keep them in memory; 8 steps at once on all cores)
// CHECK: edge around_2 -> around_2: fused (tiles of 1.05 times {{.*}}; 8 steps at once on all cores)
// CHECK: edge along_3 -> along_3: fused (tiles of 1.00 times {{.*}}; 8 steps at once on a GPU; 8 steps at once on all cores)
// CHECK: edge wide_4 -> wide_4: not fused (a tile would compute 1.52 times the first one's results)
// CHECK: edge five_5 -> five_5: fused (tiles {{.*}}; 4 steps at once on a GPU; 8 steps at once on all cores)

// DOT: Plate_heat_0 -> Plate_heat_0 [label="tiles {{.*}} in memory; 8 steps at once on all cores"];
// DOT: wide_4 -> wide_4 [label="a tile {{.*}}", style=dashed];

// CODE: // all stencils at once, a core's part after the other
// CODE-NEXT: void run_fused_into_Plate_heat_0_after_Plate_heat_0_8_times(ikra::map_call& call) {
// CODE: s.stencils_in_tiles<false, float, float, float, float, float, float, float, float, float>(s.stencil_body<float, Plate_heat_0_device::footprint, ikra::rt::border::keep, false>(Plate_heat_0, 7), {{.*}}(Plate_heat_0_again_7, 0));
// CODE: Plate_heat_0 -> Plate_heat_0 in tiles
// CODE-NEXT: // one kernel, in which a block keeps the first stencil's results
// CODE-NEXT: void run_fused_into_Plate_heat_0_after_Plate_heat_0(ikra::map_call& call) {
// CODE: s.stencils_in_tiles<true, float, float, float>(s.stencil_body<float, Plate_heat_0_device::footprint, ikra::rt::border::keep, false>(Plate_heat_0, 1), s.stencil_body<float, Plate_heat_0_device::footprint, ikra::rt::border::keep, false>(Plate_heat_0_again_1, 0));
// CODE: s.stencils_in_tiles<true, float, float, float, float, float, float, float, float, float>(s.stencil_body<float, along_3_device::footprint, ikra::rt::border::wrap, false>(along_3, 7), {{.*}}(along_3_again_7, 0));
// CODE: nodes_1[] = {{[{][{]}}ikra::key_of<Plate_heat_0>, 1}, {ikra::key_of<Plate_heat_0>, 1}};
// CODE: &run_fused_into_Plate_heat_0_after_Plate_heat_0_8_times, true, nullptr, ikra::row_device::cores}, {nodes_1, inputs_1, 1, &run_fused_into_Plate_heat_0_after_Plate_heat_0, true}

// OUT: heat 0 11.2891
// OUT-NEXT: blurs 12.173 11.761
// OUT-NEXT: around 27.7051
// OUT-NEXT: along 6.01172
// OUT-NEXT: five 0.625
// OUT-NEXT: wide 20

// Of five steps, two and two. The first blur is held, and so is made once for both that need it.
// TRACE: kernel 2: section 'Plate::heat' {{.*}}, 1 section{{$}}
// TRACE-NEXT: kernel 3: section 'Plate::heat' {{.*}}, 2 sections
// TRACE-NEXT: kernel 4: section 'Plate::heat' {{.*}}, 2 sections
// TRACE: kernel 5: section 'blurred' {{.*}}, 1 section{{$}}
// TRACE-NEXT: kernel 6: section 'blurred' {{.*}}, 1 section{{$}}

// ONE-COUNT-23: 1 section{{$}}

// WISH: IKRA_TILES is 'on'; set it to auto, off or always, or unset it
