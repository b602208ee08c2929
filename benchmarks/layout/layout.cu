// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the layout of arrays of structs costs on a GPU, by kernels written by hand: structs read and
// written as they are; structs whose results go through shared memory, so that a warp stores
// consecutive words; columns. docs/layout.md draws its rule from these times.
//
// Each row is one access: n structs of M floats, and which of them a section reads and writes. The
// lattice is the D2Q9 of bench_simulations. All variants' sums are compared before they are timed.
#include "layout.hpp"

#include "support/device_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace layouts {
namespace {

using benchmark::check;
template <class T> using memory = benchmark::device_memory<T>;

constexpr unsigned width = 256, lanes = 32, warps = width / lanes;

template <int M> struct record {
  float m[M];
};

enum class way { structs, staged, loads_staged, columns };

/// A warp's records, consecutive in memory: each lane's own through shared memory.
template <int M>
__device__ void store_staged(record<M>* out, const record<M>& own, unsigned count) {
  __shared__ float words[warps][lanes * M];
  float* const mine = words[threadIdx.x / lanes];
  const unsigned lane = threadIdx.x % lanes;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < M; ++k)
    mine[lane * M + k] = own.m[k];
  __syncwarp();
  auto* const to = reinterpret_cast<float*>(out);
#pragma unroll
  for (int k = 0; k < M; ++k)
    if (lane + k * lanes < count * M)
      to[lane + k * lanes] = mine[lane + k * lanes];
}
template <int M> __device__ record<M> load_staged(const record<M>* in, unsigned count) {
  __shared__ float words[warps][lanes * M];
  float* const mine = words[threadIdx.x / lanes];
  const unsigned lane = threadIdx.x % lanes;
  const auto* const from = reinterpret_cast<const float*>(in);
#pragma unroll
  for (int k = 0; k < M; ++k)
    if (lane + k * lanes < count * M)
      mine[lane + k * lanes] = from[lane + k * lanes];
  __syncwarp();
  record<M> own;
#pragma unroll
  for (int k = 0; k < M; ++k)
    own.m[k] = mine[lane * M + k];
  return own;
}

template <int M> __device__ record<M> changed(const record<M>& x) {
  record<M> y;
  for (int k = 0; k < M; ++k)
    y.m[k] = x.m[k] * 1.5f + x.m[(k + 1) % M];
  return y;
}

/// All members are read, and all are written, after so many maps. n is a multiple of 32.
template <int M, way W, int Maps = 1>
__global__ void __launch_bounds__(width) map_all(unsigned n, const float* in, float* out) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  if (i >= n)
    return;
  using element = record<M>;
  const unsigned first = i / lanes * lanes;
  element x;
  if constexpr (W == way::columns)
    for (int k = 0; k < M; ++k)
      x.m[k] = in[std::size_t(k) * n + i];
  else if constexpr (W == way::loads_staged)
    x = load_staged<M>(reinterpret_cast<const element*>(in) + first, lanes);
  else
    x = reinterpret_cast<const element*>(in)[i];
  element y = changed(x);
#pragma unroll
  for (int k = 1; k < Maps; ++k)
    y = changed(y);
  if constexpr (W == way::columns)
    for (int k = 0; k < M; ++k)
      out[std::size_t(k) * n + i] = y.m[k];
  else if constexpr (W == way::structs)
    reinterpret_cast<element*>(out)[i] = y;
  else
    store_staged(reinterpret_cast<element*>(out) + first, y, lanes);
}

/// K members are read, and a float is written.
template <int M, int K, way W>
__global__ void __launch_bounds__(width) read_some(unsigned n, const float* in, float* out) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += W == way::columns ? in[std::size_t(k) * n + i] : in[std::size_t(i) * M + k];
  out[i] = sum;
}

/// All members are read, and the sum of a few is written after so many maps, as by sections that
/// are fused with a map to numbers.
template <int M, way W, int Maps>
__global__ void __launch_bounds__(width) map_to_number(unsigned n, const float* in, float* out) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  if (i >= n)
    return;
  record<M> x;
  if constexpr (W == way::columns)
    for (int k = 0; k < M; ++k)
      x.m[k] = in[std::size_t(k) * n + i];
  else
    x = reinterpret_cast<const record<M>*>(in)[i];
#pragma unroll
  for (int k = 0; k < Maps; ++k)
    x = changed(x);
  out[i] = x.m[0] + x.m[M - 1];
}

/// All members of a record anywhere.
template <int M, way W>
__global__ void __launch_bounds__(width) gather_all(unsigned n, const float* in, float* out) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  if (i >= n)
    return;
  const unsigned from = static_cast<unsigned>(i * std::uint64_t(2654435761) % n);
  float sum = 0;
  for (int k = 0; k < M; ++k)
    sum += W == way::columns ? in[std::size_t(k) * n + from] : in[std::size_t(from) * M + k];
  out[i] = sum;
}

//===-- the lattice --------------------------------------------------------------------------===//

__device__ constexpr int down(int q) {
  constexpr int all[] = {0, 0, 0, 1, -1, 1, -1, 1, -1};
  return all[q];
}
__device__ constexpr int right(int q) {
  constexpr int all[] = {0, 1, -1, 0, 0, 1, -1, -1, 1};
  return all[q];
}
__device__ void collide(record<9>& c) {
  float density = 0, v = 0, u = 0;
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    density += c.m[q];
    v += static_cast<float>(down(q)) * c.m[q];
    u += static_cast<float>(right(q)) * c.m[q];
  }
  v /= density;
  u /= density;
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const float along = 3.0f * (static_cast<float>(down(q)) * v + static_cast<float>(right(q)) * u);
    c.m[q] += 0.6f * (density / 9 * (1.0f + along + 0.5f * along * along - 1.5f * (v * v + u * u)) -
                      c.m[q]);
  }
}

/// side: cells in a row, a power of two and so are rows. A thread goes down Rows rows; a block is
/// 32 columns by 8 threads.
template <int Rows, way W>
__global__ void __launch_bounds__(width) lattice(unsigned side, const float* in, float* out) {
  const unsigned x = blockIdx.x * lanes + threadIdx.x % lanes;
  const unsigned first = (blockIdx.y * warps + threadIdx.x / lanes) * Rows;
  const unsigned n = side * side;
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    const unsigned y = first + r, at = y * side + x;
    record<9> c;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
      const unsigned from = (y - down(q)) % side * side + (x - right(q)) % side;
      c.m[q] = W == way::columns ? in[q * n + from] : in[from * 9 + q];
    }
    collide(c);
    if constexpr (W == way::columns)
      for (int q = 0; q < 9; ++q)
        out[q * n + at] = c.m[q];
    else if constexpr (W == way::structs)
      reinterpret_cast<record<9>*>(out)[at] = c;
    else
      store_staged(reinterpret_cast<record<9>*>(out) + (at - threadIdx.x % lanes), c, lanes);
  }
}

/// The same, a row a thread, with the block's cells and those around them in shared memory.
__global__ void __launch_bounds__(width) lattice_tile(unsigned side, const float* in, float* out) {
  constexpr unsigned columns = lanes + 2, rows = warps + 2;
  __shared__ float tile[rows][columns * 9];
  const unsigned left = blockIdx.x * lanes, top = blockIdx.y * warps;
  for (unsigned k = threadIdx.x; k < rows * columns * 9; k += width) {
    const unsigned row = k / (columns * 9), word = k % (columns * 9);
    const unsigned y = (top + row - 1) % side, x = (left + word / 9 - 1) % side;
    tile[row][word] = in[(y * side + x) * 9 + word % 9];
  }
  __syncthreads();
  const unsigned tx = threadIdx.x % lanes, ty = threadIdx.x / lanes;
  record<9> c;
#pragma unroll
  for (int q = 0; q < 9; ++q)
    c.m[q] = tile[ty + 1 - down(q)][(tx + 1 - right(q)) * 9 + q];
  collide(c);
  store_staged(reinterpret_cast<record<9>*>(out) + (top + ty) * side + left, c, lanes);
}

//===-- times --------------------------------------------------------------------------------===//

constexpr std::size_t floats = std::size_t(9) << 24;

__global__ void fill(std::size_t n, float* to) {
  const std::size_t i = blockIdx.x * std::size_t(width) + threadIdx.x;
  if (i < n)
    to[i] = 1.0f + static_cast<float>(i % 7) / 16;
}

/// Microseconds of a launch: the median of 15.
template <class Launch> double time_of(const Launch& launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> all;
  for (int k = 0; k < 18; ++k) {
    check(cudaEventRecord(begin));
    launch();
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (k >= 3)
      all.push_back(ms);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::nth_element(all.begin(), all.begin() + 7, all.end());
  return 1000.0 * static_cast<double>(all[7]);
}

constexpr const char *by_threads = "structs", *by_warps = "structs, stores by warps",
                     *all_by_warps = "structs, loads too", *in_columns = "columns",
                     *in_tiles = "structs, in tiles";

struct variant {
  const char* name;
  void (*launch)(const float* in, float* out);
};

constexpr unsigned structs = 1u << 24, blocks = structs / width;
constexpr unsigned side = 2048; ///< of the lattice

template <int M, way W, int Maps> void launch_map(const float* in, float* out) {
  map_all<M, W, Maps><<<blocks, width>>>(structs, in, out);
}
template <int M, way W> void launch_to_number(const float* in, float* out) {
  map_to_number<M, W, 3><<<blocks, width>>>(structs, in, out);
}
template <int M, int K, way W> void launch_some(const float* in, float* out) {
  read_some<M, K, W><<<blocks, width>>>(structs, in, out);
}
template <int M, way W> void launch_anywhere(const float* in, float* out) {
  gather_all<M, W><<<blocks, width>>>(structs, in, out);
}
template <int Rows, way W> void launch_lattice(const float* in, float* out) {
  lattice<Rows, W><<<dim3(side / lanes, side / warps / Rows), width>>>(side, in, out);
}
void launch_tiles(const float* in, float* out) {
  lattice_tile<<<dim3(side / lanes, side / warps), width>>>(side, in, out);
}

class table {
public:
  table() : in_(floats), out_(floats) {
    fill<<<static_cast<unsigned>((floats + width - 1) / width), width>>>(floats, in_.data());
  }
  std::vector<row> rows() && { return std::move(rows_); }

  template <int M> void members() {
    constexpr std::size_t n = structs;
    constexpr int half = (M + 1) / 2;
    const std::string of = " of " + std::to_string(M) + " read", all = std::to_string(M) + of;
    add(all + ", all written", 8 * M * n, M * n,
        {{by_threads, launch_map<M, way::structs, 1>},
         {by_warps, launch_map<M, way::staged, 1>},
         {all_by_warps, launch_map<M, way::loads_staged, 1>},
         {in_columns, launch_map<M, way::columns, 1>}});
    add(all + ", three maps, all written", 8 * M * n, M * n,
        {{by_threads, launch_map<M, way::structs, 3>},
         {by_warps, launch_map<M, way::staged, 3>},
         {all_by_warps, launch_map<M, way::loads_staged, 3>},
         {in_columns, launch_map<M, way::columns, 3>}});
    add(all + ", three maps, a number written", 4 * (M + 1) * n, n,
        {{by_threads, launch_to_number<M, way::structs>},
         {in_columns, launch_to_number<M, way::columns>}});
    add("1" + of, 8 * n, n,
        {{by_threads, launch_some<M, 1, way::structs>},
         {in_columns, launch_some<M, 1, way::columns>}});
    add(std::to_string(half) + of, 4 * (half + 1) * n, n,
        {{by_threads, launch_some<M, half, way::structs>},
         {in_columns, launch_some<M, half, way::columns>}});
    add(all + " anywhere", 4 * (M + 1) * n, n,
        {{by_threads, launch_anywhere<M, way::structs>},
         {in_columns, launch_anywhere<M, way::columns>}});
  }

  void lattices() {
    constexpr std::size_t words = std::size_t(9) * side * side;
    add("lattice, 1 row a thread", 8 * words, words,
        {{by_threads, launch_lattice<1, way::structs>},
         {by_warps, launch_lattice<1, way::staged>},
         {in_tiles, launch_tiles},
         {in_columns, launch_lattice<1, way::columns>}});
    add("lattice, 2 rows a thread", 8 * words, words,
        {{by_threads, launch_lattice<2, way::structs>},
         {by_warps, launch_lattice<2, way::staged>},
         {in_columns, launch_lattice<2, way::columns>}});
    add("lattice, 4 rows a thread", 8 * words, words,
        {{by_threads, launch_lattice<4, way::structs>},
         {by_warps, launch_lattice<4, way::staged>},
         {in_columns, launch_lattice<4, way::columns>}});
  }

private:
  /// Compares the sums of all variants, then measures them. Of columns the input is another one, so
  /// these are not compared.
  void add(const std::string& name, std::size_t bytes, std::size_t results,
           std::initializer_list<variant> variants) {
    row made{name, bytes, {}};
    double expected = std::nan("");
    for (const variant& v : variants) {
      if (v.name != in_columns) {
        const double sum = sum_of(results, v);
        if (std::isnan(expected))
          expected = sum;
        if (std::fabs(sum - expected) > 1e-6 * std::fabs(expected))
          throw std::runtime_error(name + ", " + v.name + ": the sum is " + std::to_string(sum) +
                                   " instead of " + std::to_string(expected));
      }
      made.times.push_back({v.name, time_of([&] { v.launch(in_.data(), out_.data()); })});
    }
    rows_.push_back(std::move(made));
  }

  double sum_of(std::size_t results, const variant& v) {
    check(cudaMemset(out_.data(), 0, results * sizeof(float)));
    v.launch(in_.data(), out_.data());
    std::vector<float> found(results);
    check(cudaMemcpy(found.data(), out_.data(), results * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const float x : found)
      sum += static_cast<double>(x);
    return sum;
  }

  memory<float> in_, out_;
  std::vector<row> rows_;
};

} // namespace

std::vector<row> measure() {
  table all;
  all.lattices();
  all.members<2>();
  all.members<3>();
  all.members<4>();
  all.members<5>();
  all.members<6>();
  all.members<7>();
  all.members<8>();
  all.members<9>();
  return std::move(all).rows();
}

} // namespace layouts
