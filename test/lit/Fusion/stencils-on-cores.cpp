// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a stencil's neighbours are computed anew is decided for each device: a GPU computes while it waits for memory, cores do not.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using image = ikra::array<int, 2>;

// Six operations are computed for each of four neighbours, and twice for what reads both.
auto dear(const image& a) {
  const auto b = a.pmap([](int x) { return ((x * 3 + 1) * 5 + 2) * 7 + 3; });
  const auto around = b.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 1, [](auto v) { return v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0); });
  return around.pcombine(b, [](int x, int y) { return x - 4 * y; });
}
// One operation costs less than to store its result and load it again.
auto cheap(const image& a) {
  return a.pmap([](int x) { return x * 3; }).pstencil({{0, -1}, {0, 1}}, 1, [](auto v) { return v(0, -1) + v(0, 1); });
}
// Two stencils, of which neither tests its border for other elements: where the border is small.
auto twice(const image& a) {
  return a.pstencil({{0, -1}, {0, 0}}, 1, [](auto v) { return v(0, -1) - v(0, 0); }).pstencil({{0, 0}, {0, 1}}, 2, [](auto v) {
    return v(0, 0) - v(0, 1);
  });
}
auto clamped(const image& a) {
  return a.pstencil({{0, -1}, {0, 0}}, ikra::clamp, [](auto v) { return v(0, -1) - v(0, 0); })
      .pstencil({{0, 0}, {0, 1}}, 2, [](auto v) { return v(0, 0) - v(0, 1); });
}
// One neighbour, to one side: in rows of one element all of them are at the border.
auto shifted(const image& a) {
  return a.pmap([](int x) { return x * 3; }).pstencil({{0, 1}}, ikra::wrap, [](auto v) { return v(0, 1) + 1; });
}

void report(const char* name, const image& a) {
  unsigned sum = 0;
  for (const int x : a)
    sum = sum * 31 + static_cast<unsigned>(x);
  std::printf("%s %u\n", name, sum);
}

int main() {
  const auto values = [](std::int64_t rows, std::int64_t columns) {
    std::vector<int> all(static_cast<std::size_t>(rows * columns));
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = static_cast<int>(k * 7 % 1000);
    return image{all, {rows, columns}};
  };
  const image wide = values(20, 300), thin = values(300, 20);
  report("dear", dear(wide));
  report("cheap", cheap(wide));
  report("twice", twice(wide));
  report("twice, thin", twice(thin));
  report("clamped", clamped(wide));
  report("shifted", shifted(values(6000, 1)));
}
// CHECK: kernel dear_0 -> dear_1, on a GPU{{$}}
// CHECK: kernel dear_2(dear_1(dear_0(array)), dear_0), on a GPU{{$}}
// CHECK: kernel cheap_3 -> cheap_4{{$}}
// CHECK-NEXT: reads around each location: 0..0 -1..1, plain border
// CHECK-NEXT: kernel twice_5 -> twice_6{{$}}
// CHECK-NEXT: reads around each location: 0..0 -1..1{{$}}
// CHECK-NEXT: on all cores for arrays much larger than a border of 0 x 2{{$}}
// CHECK: kernel clamped_7 -> clamped_8, on a GPU{{$}}
// CHECK: kernel dear_1 -> dear_2, on all cores{{$}}
// CHECK: edge dear_0 -> dear_1: fused on a GPU alone (neighbours computed anew: 48 operations' time a result, 96 with them in memory; on all cores 35 and 22)
// CHECK: edge cheap_3 -> cheap_4: fused (neighbours computed anew: 48 operations' time a result, 96 with them in memory)
// CHECK: edge clamped_7 -> clamped_8: fused on a GPU alone ({{.*}}; on all cores the border of two stencils takes long where neighbours outside are other elements)

// CODE: &run_fused_into_dear_1, false, nullptr, ikra::row_device::gpu}
// CODE: &run_fused_into_dear_2_on_cores, false, nullptr, ikra::row_device::cores}
// CODE: &run_fused_into_cheap_4}
// CODE: static constexpr std::int64_t around[] = {0, 2};
// CODE-NEXT: &run_fused_into_twice_6, false, nullptr, ikra::row_device::any, around}

// OUT: dear 639433352
// OUT-NEXT: cheap 1797648504
// OUT-NEXT: twice 262502984
// OUT-NEXT: twice, thin 249306872
// OUT-NEXT: clamped 3115792860
// OUT-NEXT: shifted 4119808040

// TRACE: kernel 1: section 'dear' {{.*}}, 1 section{{$}}
// TRACE: kernel 2: section 'dear' {{.*}}, 2 sections{{$}}
// TRACE: kernel 3: section 'cheap' {{.*}}, 2 sections{{$}}
// TRACE: kernel 4: section 'twice' {{.*}}, 2 sections{{$}}
// TRACE: kernel 5: section 'twice' {{.*}}, 1 section{{$}}
// TRACE: kernel 6: section 'twice' {{.*}}, 1 section{{$}}
// TRACE: kernel 7: section 'clamped' {{.*}}, 1 section{{$}}
// TRACE: kernel 8: section 'clamped' {{.*}}, 1 section{{$}}
// TRACE: kernel 9: section 'shifted' {{.*}}, 1 section{{$}}
// TRACE: kernel 10: section 'shifted' {{.*}}, 1 section{{$}}
