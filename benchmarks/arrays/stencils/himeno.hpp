// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Himeno benchmark by hand, for the GPU: a step as one kernel, and two steps as one. Included
// by what nvcc compiles.
#pragma once

#include "programs.hpp"

namespace stencils {

struct himeno_arrays {
  const float *a0, *a1, *a2, *a3, *b0, *b1, *b2, *c0, *c1, *c2, *boundary, *work;
};
/// The values of all arrays at one place.
struct himeno_values {
  float a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, boundary, work;
};

__device__ inline himeno_values himeno_at(const himeno_arrays& k, int i) {
  return {k.a0[i], k.a1[i], k.a2[i], k.a3[i], k.b0[i],       k.b1[i],
          k.b2[i], k.c0[i], k.c1[i], k.c2[i], k.boundary[i], k.work[i]};
}
/// \param p the pressure so many planes, rows and columns away
template <class Pressure>
__device__ float himeno_change(const himeno_values& k, const Pressure& p) {
  const float s0 = k.a0 * p(1, 0, 0) + k.a1 * p(0, 1, 0) + k.a2 * p(0, 0, 1) +
                   k.b0 * (p(1, 1, 0) - p(1, -1, 0) - p(-1, 1, 0) + p(-1, -1, 0)) +
                   k.b1 * (p(0, 1, 1) - p(0, -1, 1) - p(0, 1, -1) + p(0, -1, -1)) +
                   k.b2 * (p(1, 0, 1) - p(-1, 0, 1) - p(1, 0, -1) + p(-1, 0, -1)) +
                   k.c0 * p(-1, 0, 0) + k.c1 * p(0, -1, 0) + k.c2 * p(0, 0, -1) + k.work;
  return (s0 * k.a3 - p(0, 0, 0)) * k.boundary;
}
__device__ inline bool himeno_inside(const shape& s, int a, int b, int c) {
  return a > 0 && b > 0 && c > 0 && a < s.a - 1 && b < s.b - 1 && c < s.c - 1;
}

/// A step; a thread a place. \param changes of the step; may be null
static __global__ void __launch_bounds__(256, 8)
    himeno_kernel(shape s, himeno_arrays k, const float* __restrict__ p, float* __restrict__ out,
                  float* __restrict__ changes) {
  const int a = static_cast<int>(blockIdx.z),
            b = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y),
            c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (b >= s.b || c >= s.c)
    return;
  const int row = s.c, plane = s.b * s.c, i = a * plane + b * row + c;
  float ss = 0;
  if (himeno_inside(s, a, b, c))
    ss = himeno_change(himeno_at(k, i),
                       [=](int x, int y, int z) { return p[i + x * plane + y * row + z]; });
  if (changes != nullptr)
    changes[i] = ss;
  out[i] = p[i] + omega * ss;
}

/// Two steps. A block of Wide by High threads goes through planes of its tile, and computes the
/// first step one place beyond it on all sides; the second one is a plane later. Coefficients are
/// loaded once for both, so the memory moves little more than for one step.
/// \param planes of a block \param changes of the second step; may be null
template <int Wide, int High>
__global__ void __launch_bounds__(Wide* High)
    himeno_pair_kernel(shape s, int planes, himeno_arrays k, const float* __restrict__ p,
                       float* __restrict__ out, float* __restrict__ changes) {
  // Four planes of first steps: three are read while the fourth is written.
  __shared__ float steps[4][High][Wide];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int c = static_cast<int>(blockIdx.x) * (Wide - 2) + x - 1,
            b = static_cast<int>(blockIdx.y) * (High - 2) + y - 1;
  const int first = static_cast<int>(blockIdx.z) * planes,
            last = first + planes < s.a ? first + planes : s.a;
  const bool is_there = b >= 0 && c >= 0 && b < s.b && c < s.c;
  const bool is_own = is_there && x > 0 && y > 0 && x < Wide - 1 && y < High - 1;
  const int row = s.c, plane = s.b * s.c;
  himeno_values before{};
  for (int a = first > 0 ? first - 1 : 0; a <= last; ++a) {
    const int i = a * plane + b * row + c;
    himeno_values here{};
    if (is_there && a < s.a) {
      float value = p[i];
      if (himeno_inside(s, a, b, c)) {
        here = himeno_at(k, i);
        value += omega * himeno_change(here, [=](int da, int db, int dc) {
                   return p[i + da * plane + db * row + dc];
                 });
      }
      steps[a % 4][y][x] = value;
    }
    __syncthreads();
    const int done = a - 1;
    if (is_own && done >= first) {
      float ss = 0;
      if (himeno_inside(s, done, b, c))
        ss = himeno_change(before, [&](int da, int db, int dc) {
          return steps[(done + 4 + da) % 4][y + db][x + dc];
        });
      if (changes != nullptr)
        changes[i - plane] = ss;
      out[i - plane] = steps[done % 4][y][x] + omega * ss;
    }
    before = here;
  }
}

} // namespace stencils
