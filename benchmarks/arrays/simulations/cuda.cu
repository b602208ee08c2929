// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand: what a turn reads and writes is in as few kernels as can be, state has two
// buffers, scalars stay on the device, and the host waits only for what a turn reads.
#include "programs.hpp"

#include "support/device_memory.hpp"
#include "support/gpu.hpp"

#include <array>
#include <cstring>
#include <cuda_runtime.h>

namespace simulations {
namespace {

using benchmark::check;
template <class T> using memory = benchmark::device_memory<T>;

constexpr int width = 256;
unsigned parts(std::int64_t n, int of = width) { return static_cast<unsigned>((n + of - 1) / of); }

/// One thread of each warp adds, or takes the largest of numbers that are not negative.
__device__ void add_all(double* to, double value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0)
    atomicAdd(to, value);
}
__device__ void largest_of_all(double* to, double value) {
  for (int step = 16; step > 0; step /= 2)
    value = fmax(value, __shfl_down_sync(~0u, value, step));
  if (threadIdx.x % 32 == 0)
    atomicMax(reinterpret_cast<unsigned long long*>(to),
              static_cast<unsigned long long>(__double_as_longlong(value)));
}

//===-- kernels ----------------------------------------------------------------------------===//

__global__ void load_kernel(int n, double* load) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < n)
    load[std::int64_t(y) * n + x] = load_at(n, y, x);
}

/// A thread goes down four rows, whose values it keeps. \param change the largest
__global__ void jacobi_kernel(int n, const double* __restrict__ u, const double* __restrict__ load,
                              double* __restrict__ out, double* change) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * 4;
  double most = 0;
  if (x < n) {
    const auto at = [n, x](int y) { return std::int64_t(y) * n + x; };
    double up = first > 0 ? u[at(first - 1)] : 0, own = u[at(first)];
    for (int y = first; y < first + 4 && y < n; ++y) {
      const double down = y + 1 < n ? u[at(y + 1)] : 0;
      const bool is_border = y == 0 || y == n - 1 || x == 0 || x == n - 1;
      const double value =
          is_border ? 0.0 : jacobi_at(up, u[at(y) - 1], u[at(y) + 1], down, load[at(y)]);
      out[at(y)] = value;
      most = fmax(most, fabs(value - own));
      up = own;
      own = down;
    }
  }
  largest_of_all(change, most);
}

/// ap = A p, pap += p · ap
__global__ void product_kernel(int n, const std::int32_t* __restrict__ first,
                               const std::int32_t* __restrict__ to, const double* __restrict__ p,
                               double* __restrict__ ap, double* pap) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    const double own = p[v];
    double sum = shift * own;
    for (std::int32_t e = first[v]; e < first[v + 1]; ++e)
      sum += own - p[to[e]];
    ap[v] = sum;
    part = own * sum;
  }
  add_all(pap, part);
}
/// scalars: r · r, p · ap, the next r · r
__global__ void update_kernel(int n, double* scalars, const double* __restrict__ p,
                              const double* __restrict__ ap, double* __restrict__ x,
                              double* __restrict__ r) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    const double step = scalars[0] / scalars[1];
    x[v] += step * p[v];
    const double left = r[v] - step * ap[v];
    r[v] = left;
    part = left * left;
  }
  add_all(scalars + 2, part);
}
__global__ void direction_kernel(int n, const double* scalars, const double* __restrict__ r,
                                 double* __restrict__ p) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n)
    p[v] = r[v] + scalars[2] / scalars[0] * p[v];
}
__global__ void next_turn_kernel(double* scalars) {
  scalars[0] = scalars[2];
  scalars[1] = scalars[2] = 0;
}

__global__ void share_kernel(int n, const std::int32_t* __restrict__ first,
                             const double* __restrict__ rank, double* __restrict__ share) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n)
    share[v] = rank[v] / double(first[v + 1] - first[v]);
}
__global__ void collect_kernel(int n, const std::int32_t* __restrict__ first,
                               const std::int32_t* __restrict__ to,
                               const double* __restrict__ share, const double* __restrict__ rank,
                               double* __restrict__ next, double* change) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    double sum = 0;
    for (std::int32_t e = first[v]; e < first[v + 1]; ++e)
      sum += share[to[e]];
    const double value = (1 - damping) / n + damping * sum;
    next[v] = value;
    part = fabs(value - rank[v]);
  }
  add_all(change, part);
}

__global__ void alive_kernel(int n, std::uint8_t* cells) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < n)
    cells[std::int64_t(y) * n + x] = alive_at(y, x);
}
/// A thread goes down sixteen rows, and keeps the sums of three neighbours.
__global__ void life_kernel(int n, const std::uint8_t* __restrict__ cells,
                            std::uint8_t* __restrict__ out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * 16;
  if (x >= n)
    return;
  const int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
  int own = 0;
  const auto three = [&](int y) {
    const std::uint8_t* const row = cells + std::int64_t(y < 0 ? y + n : y < n ? y : y - n) * n;
    own = row[x];
    return row[left] + own + row[right];
  };
  int up = three(first - 1), middle = three(first), here = own;
  for (int y = first; y < first + 16 && y < n; ++y) {
    const int down = three(y + 1), next = own;
    out[std::int64_t(y) * n + x] = lives(up + middle + down - here, here);
    up = middle;
    middle = down;
    here = next;
  }
}

__global__ void mandelbrot_kernel(int n, int* times) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const double step = mandelbrot_step(n);
  if (x < n && y < n)
    times[std::int64_t(y) * n + x] = escape_time(-2.25 + step * x, -1.5 + step * y);
}

__global__ void at_rest_kernel(std::int64_t n, float* f) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    for (int q = 0; q < 9; ++q)
      f[q * n + i] = weight(q);
}
/// Densities are nine arrays.
__global__ void fluid_kernel(int n, const float* __restrict__ in, float* __restrict__ out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= n)
    return;
  const std::int64_t all = std::int64_t(n) * n;
  float f[9];
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const int from_y = y - down(q), from_x = x - right(q);
    const int wrapped_y = from_y < 0 ? n - 1 : from_y < n ? from_y : 0;
    const int wrapped_x = from_x < 0 ? n - 1 : from_x < n ? from_x : 0;
    f[q] = in[q * all + std::int64_t(wrapped_y) * n + wrapped_x];
  }
  collide(f, is_wall(n, y));
#pragma unroll
  for (int q = 0; q < 9; ++q)
    out[q * all + std::int64_t(y) * n + x] = f[q];
}

//===-- programs ---------------------------------------------------------------------------===//

std::size_t squared(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

/// A number that a turn reads, in pinned memory.
class pinned {
public:
  pinned() { check(cudaMallocHost(&value_, sizeof(double))); }
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;
  ~pinned() { cudaFreeHost(value_); }
  double read(const double* from) {
    check(cudaMemcpyAsync(value_, from, sizeof(double), cudaMemcpyDeviceToHost));
    check(cudaStreamSynchronize(nullptr));
    return *value_;
  }

private:
  double* value_ = nullptr;
};

class jacobi final : public program {
public:
  explicit jacobi(int n) : n_(n), u_(squared(n)), next_(squared(n)), load_(squared(n)), change_(1) {
    load_kernel<<<dim3(parts(n), static_cast<unsigned>(n)), width>>>(n, load_.data());
    benchmark::cuda_wait();
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      check(cudaMemsetAsync(change_.data(), 0, sizeof(double)));
      jacobi_kernel<<<dim3(parts(n_), parts(n_, 4)), width>>>(n_, u_.data(), load_.data(),
                                                              next_.data(), change_.data());
      read_ = value_.read(change_.data());
      u_.swap(next_);
    }
  }
  std::vector<double> result() override { return u_.to_host(); }
  double last_read() override { return read_; }

private:
  int n_;
  memory<double> u_, next_, load_, change_;
  pinned value_;
  double read_ = 0;
};

class conjugate_gradient final : public program {
public:
  explicit conjugate_gradient(int n) : conjugate_gradient(n, make_graph(n), sources(n)) {}

  void run(int turns) override {
    const unsigned blocks = parts(n_);
    double* const s = scalars_.data();
    for (int k = 0; k < turns; ++k) {
      product_kernel<<<blocks, width>>>(n_, first_.data(), to_.data(), p_.data(), ap_.data(),
                                        s + 1);
      update_kernel<<<blocks, width>>>(n_, s, p_.data(), ap_.data(), x_.data(), r_.data());
      direction_kernel<<<blocks, width>>>(n_, s, r_.data(), p_.data());
      next_turn_kernel<<<1, 1>>>(s);
      read_ = value_.read(s);
    }
  }
  std::vector<double> result() override { return x_.to_host(); }
  double last_read() override { return read_; }

private:
  conjugate_gradient(int n, const graph& g, const std::vector<double>& b)
      : n_(n), first_(g.first), to_(g.to), x_(b.size()), r_(b), p_(b), ap_(b.size()), scalars_(3) {
    double rr = 0;
    for (const double v : b)
      rr += v * v;
    check(cudaMemcpy(scalars_.data(), &rr, sizeof rr, cudaMemcpyHostToDevice));
  }
  static std::vector<double> sources(int n) {
    std::vector<double> b;
    for (int v = 0; v < n; ++v)
      b.push_back(source_at(v));
    return b;
  }

  int n_;
  memory<std::int32_t> first_, to_;
  memory<double> x_, r_, p_, ap_, scalars_;
  pinned value_;
  double read_ = 0;
};

class pagerank final : public program {
public:
  explicit pagerank(int n) : pagerank(n, make_graph(n)) {}

  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      check(cudaMemsetAsync(change_.data(), 0, sizeof(double)));
      share_kernel<<<parts(n_), width>>>(n_, first_.data(), rank_.data(), share_.data());
      collect_kernel<<<parts(n_), width>>>(n_, first_.data(), to_.data(), share_.data(),
                                           rank_.data(), next_.data(), change_.data());
      read_ = value_.read(change_.data());
      rank_.swap(next_);
    }
  }
  std::vector<double> result() override { return rank_.to_host(); }
  double last_read() override { return read_; }

private:
  pagerank(int n, const graph& g)
      : n_(n), first_(g.first), to_(g.to),
        rank_(std::vector<double>(static_cast<std::size_t>(n), 1.0 / n)),
        next_(static_cast<std::size_t>(n)), share_(static_cast<std::size_t>(n)), change_(1) {}

  int n_;
  memory<std::int32_t> first_, to_;
  memory<double> rank_, next_, share_, change_;
  pinned value_;
  double read_ = 0;
};

class life final : public program {
public:
  explicit life(int n) : n_(n), cells_(squared(n)), next_(squared(n)) {
    alive_kernel<<<dim3(parts(n), static_cast<unsigned>(n)), width>>>(n, cells_.data());
    benchmark::cuda_wait();
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      life_kernel<<<dim3(parts(n_), parts(n_, 16)), width>>>(n_, cells_.data(), next_.data());
      cells_.swap(next_);
    }
    benchmark::cuda_wait();
  }
  std::vector<double> result() override {
    const auto all = cells_.to_host();
    return {all.begin(), all.end()};
  }
  double last_read() override { return 0; }

private:
  int n_;
  memory<std::uint8_t> cells_, next_;
};

class mandelbrot final : public program {
public:
  explicit mandelbrot(int n) : n_(n), times_(squared(n)) {}
  void run(int turns) override {
    const dim3 block(32, 8);
    for (int k = 0; k < turns; ++k)
      mandelbrot_kernel<<<dim3(parts(n_, 32), parts(n_, 8)), block>>>(n_, times_.data());
    benchmark::cuda_wait();
  }
  std::vector<double> result() override {
    const auto all = times_.to_host();
    return {all.begin(), all.end()};
  }
  double last_read() override { return 0; }

private:
  int n_;
  memory<int> times_;
};

class lattice_boltzmann final : public program {
public:
  explicit lattice_boltzmann(int n) : n_(n), f_(9 * squared(n)), next_(9 * squared(n)) {
    const auto all = static_cast<std::int64_t>(squared(n));
    at_rest_kernel<<<parts(all), width>>>(all, f_.data());
    benchmark::cuda_wait();
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      fluid_kernel<<<dim3(parts(n_), static_cast<unsigned>(n_)), width>>>(n_, f_.data(),
                                                                          next_.data());
      f_.swap(next_);
    }
    benchmark::cuda_wait();
  }
  std::vector<double> result() override {
    const auto f = f_.to_host();
    std::vector<double> all(squared(n_));
    for (std::size_t q = 1; q < 9; ++q)
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] += static_cast<double>(q) * f[q * all.size() + i];
    return all;
  }
  double last_read() override { return 0; }

private:
  int n_;
  memory<float> f_, next_;
};

} // namespace

std::unique_ptr<program> by_cuda(which what, int n) {
  switch (what) {
  case which::jacobi:
    return std::make_unique<jacobi>(n);
  case which::conjugate_gradient:
    return std::make_unique<conjugate_gradient>(n);
  case which::pagerank:
    return std::make_unique<pagerank>(n);
  case which::life:
    return std::make_unique<life>(n);
  case which::mandelbrot:
    return std::make_unique<mandelbrot>(n);
  case which::lattice_boltzmann:
    return std::make_unique<lattice_boltzmann>(n);
  }
  return nullptr;
}

} // namespace simulations
