// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the layout of arrays of structs costs on a GPU, by kernels written by hand: structs read and
// written as they are; structs whose results go through shared memory, so that a warp stores
// consecutive words; columns. docs/layout.md draws its rule from the table that this prints.
//
// Each row is one access: n structs of M floats, and which of them a section reads and writes. The
// lattice is the D2Q9 of bench_simulations. All variants' sums are compared before they are timed.
#include "support/device_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <stdexcept>
#include <vector>

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

/// All members are read, and all are written. n is a multiple of 32.
template <int M, way W>
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
  const element y = changed(x);
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

class table {
public:
  table() : in_(floats), out_(floats) {
    fill<<<static_cast<unsigned>((floats + width - 1) / width), width>>>(floats, in_.data());
  }

  template <class Launch> double once(std::size_t results, const Launch& launch, double expected) {
    check(cudaMemset(out_.data(), 0, results * sizeof(float)));
    launch(in_.data(), out_.data());
    std::vector<float> found(results);
    check(cudaMemcpy(found.data(), out_.data(), results * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const float x : found)
      sum += static_cast<double>(x);
    if (!std::isnan(expected) && std::fabs(sum - expected) > 1e-6 * std::fabs(expected))
      std::printf("  WRONG: %.9g instead of %.9g\n", sum, expected);
    return sum;
  }
  template <class... Launch>
  void row(const char* name, std::size_t bytes, const Launch&... launch) {
    std::printf("%-34s", name);
    ((std::printf(" %9.1f", time_of([&] { launch(in_.data(), out_.data()); }))), ...);
    std::printf("   %9.1f MB\n", static_cast<double>(bytes) / 1e6);
    std::fflush(stdout);
  }

  template <int M> void members() {
    constexpr unsigned n = 1u << 24, blocks = n / width;
    char name[40];
    const auto all = [&]<way W>() {
      return [](const float* in, float* out) { map_all<M, W><<<blocks, width>>>(n, in, out); };
    };
    once(std::size_t(M) * n, all.template operator()<way::staged>(),
         once(std::size_t(M) * n, all.template operator()<way::structs>(), std::nan("")));
    std::snprintf(name, sizeof name, "%d of %d read, all written", M, M);
    row(name, std::size_t(8) * M * n, all.template operator()<way::structs>(),
        all.template operator()<way::staged>(), all.template operator()<way::loads_staged>(),
        all.template operator()<way::columns>());
    const auto some = [&]<int K, way W>() {
      return [](const float* in, float* out) { read_some<M, K, W><<<blocks, width>>>(n, in, out); };
    };
    std::snprintf(name, sizeof name, "1 of %d read", M);
    row(name, std::size_t(8) * n, some.template operator()<1, way::structs>(),
        some.template operator()<1, way::columns>());
    std::snprintf(name, sizeof name, "%d of %d read", (M + 1) / 2, M);
    row(name, std::size_t(4) * ((M + 1) / 2 + 1) * n,
        some.template operator()<(M + 1) / 2, way::structs>(),
        some.template operator()<(M + 1) / 2, way::columns>());
    std::snprintf(name, sizeof name, "%d of %d read anywhere", M, M);
    row(
        name, std::size_t(4) * (M + 1) * n,
        [](const float* in, float* out) {
          gather_all<M, way::structs><<<blocks, width>>>(n, in, out);
        },
        [](const float* in, float* out) {
          gather_all<M, way::columns><<<blocks, width>>>(n, in, out);
        });
  }

  void lattices() {
    constexpr unsigned side = 2048;
    const auto by = [&]<int Rows, way W>() {
      return [](const float* in, float* out) {
        lattice<Rows, W><<<dim3(side / lanes, side / warps / Rows), width>>>(side, in, out);
      };
    };
    const auto tile = [](const float* in, float* out) {
      lattice_tile<<<dim3(side / lanes, side / warps), width>>>(side, in, out);
    };
    constexpr std::size_t words = std::size_t(9) * side * side;
    const double sum = once(words, by.template operator()<1, way::structs>(), std::nan(""));
    once(words, by.template operator()<4, way::staged>(), sum);
    once(words, tile, sum);
    row("lattice, 1 row a thread", 8 * words, by.template operator()<1, way::structs>(),
        by.template operator()<1, way::staged>(), tile, by.template operator()<1, way::columns>());
    row("lattice, 2 rows a thread", 8 * words, by.template operator()<2, way::structs>(),
        by.template operator()<2, way::staged>(), by.template operator()<2, way::columns>());
    row("lattice, 4 rows a thread", 8 * words, by.template operator()<4, way::structs>(),
        by.template operator()<4, way::staged>(), by.template operator()<4, way::columns>());
  }

private:
  memory<float> in_, out_;
};

} // namespace

int main() {
  try {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0));
    std::printf("%s, us; all: structs, stores staged, loads too, columns; some: structs, columns\n",
                properties.name);
    table all;
    all.lattices();
    all.members<2>();
    all.members<3>();
    all.members<4>();
    all.members<5>();
    all.members<6>();
    all.members<8>();
    all.members<9>();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_layout: %s\n", error.what());
    return 1;
  }
}
