// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand: what a turn reads and writes is in as few kernels as can be, state has two
// buffers, and scalars stay on the device.
#include "device.hpp"

#include "support/gpu.hpp"

#include <chrono>

namespace simulations {
namespace {

//===-- kernels ----------------------------------------------------------------------------===//

/// Of the method of conjugate gradients.
struct scalars {
  double rr, pap, next; ///< r · r, p · ap, and the next r · r
};

/// ap = A p, pap += p · ap
__global__ void product_kernel(int n, const std::int32_t* __restrict__ first,
                               const std::int32_t* __restrict__ to, const double* __restrict__ p,
                               double* __restrict__ ap, scalars* s, loop_state* loop,
                               repetition again) {
  if (again.is_over(loop))
    return;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    const double own = p[v];
    double sum = shift * own;
    for (std::int32_t e = first[v]; e < first[v + 1]; ++e)
      sum += own - p[__ldcs(to + e)];
    ap[v] = sum;
    part = own * sum;
  }
  add_all(&s->pap, part);
}
__global__ void update_kernel(int n, scalars* s, const double* __restrict__ p,
                              const double* __restrict__ ap, double* __restrict__ x,
                              double* __restrict__ r, loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    const double step = s->rr / s->pap;
    x[v] += step * p[v];
    const double left = r[v] - step * ap[v];
    r[v] = left;
    part = left * left;
  }
  add_all(&s->next, part);
}
/// Its last block ends the turn.
__global__ void direction_kernel(int n, scalars* s, const double* __restrict__ r,
                                 double* __restrict__ p, loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n)
    p[v] = r[v] + s->next / s->rr * p[v];
  if (is_last_block(loop) && threadIdx.x == 0) {
    const double rr = s->next;
    *s = {rr, 0, 0};
    end_turn(loop, rr);
    again.set(loop);
  }
}

/// What a vertex gives to its neighbours.
__global__ void share_kernel(int n, const std::int32_t* __restrict__ first,
                             const double* __restrict__ rank, double* __restrict__ share,
                             loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n)
    share[v] = __ldcs(rank + v) / double(first[v + 1] - first[v]);
}
/// What a vertex gets. Edges and ranks pass through the second-level cache, which shares need.
__device__ double collected(int n, std::int32_t begin, std::int32_t end,
                            const std::int32_t* __restrict__ to, const double* __restrict__ share) {
  double sum = 0;
  for (std::int32_t e = begin; e < end; ++e)
    sum += __ldg(share + __ldcs(to + e));
  return (1 - damping) / n + damping * sum;
}
__device__ void end_turn_of_ranks(double change, loop_state* loop, repetition again) {
  add_all(&loop->value, change);
  if (is_last_block(loop) && threadIdx.x == 0) {
    end_turn(loop, *static_cast<volatile double*>(&loop->value));
    loop->value = 0;
    again.set(loop);
  }
}
/// The second of two kernels of a turn.
__global__ void collect_kernel(int n, const std::int32_t* __restrict__ first,
                               const std::int32_t* __restrict__ to,
                               const double* __restrict__ share, double* __restrict__ rank,
                               loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    const double value = collected(n, first[v], first[v + 1], to, share);
    part = fabs(value - __ldcs(rank + v));
    __stcs(rank + v, value);
  }
  end_turn_of_ranks(part, loop, again);
}
/// The second of three kernels of a turn: a sum over blocks that wait for their longest row takes
/// longer than to read what was stored.
__global__ void store_kernel(int n, const std::int32_t* __restrict__ first,
                             const std::int32_t* __restrict__ to, const double* __restrict__ share,
                             double* __restrict__ next, loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n)
    __stcs(next + v, collected(n, first[v], first[v + 1], to, share));
}
__global__ void change_kernel(int n, const double* __restrict__ next, double* __restrict__ rank,
                              loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    part = fabs(next[v] - rank[v]);
    rank[v] = next[v];
  }
  end_turn_of_ranks(part, loop, again);
}
/// A turn in one kernel: shares have two buffers.
__global__ void collect_and_share_kernel(int n, const std::int32_t* __restrict__ first,
                                         const std::int32_t* __restrict__ to,
                                         double* __restrict__ even, double* __restrict__ odd,
                                         double* __restrict__ rank, loop_state* loop,
                                         repetition again) {
  if (again.is_over(loop))
    return;
  const bool is_odd = loop->done % 2 != 0;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (v < n) {
    const std::int32_t begin = first[v], end = first[v + 1];
    const double value = collected(n, begin, end, to, is_odd ? odd : even);
    part = fabs(value - __ldcs(rank + v));
    __stcs(rank + v, value);
    __stcs((is_odd ? even : odd) + v, value / double(end - begin));
  }
  end_turn_of_ranks(part, loop, again);
}

__global__ void alive_kernel(int n, std::uint8_t* cells) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < n)
    cells[std::int64_t(y) * n + x] = alive_at(y, x);
}
/// A thread has four cells of a row, in the bytes of a word, and goes down so many rows: it keeps
/// the sums of three neighbours. No sum is greater than nine, so bytes are added together.
constexpr int life_rows = 16;
__global__ void life_kernel(int words, int n, const std::uint32_t* __restrict__ cells,
                            std::uint32_t* __restrict__ out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * life_rows;
  if (x >= words)
    return;
  const int left = x == 0 ? words - 1 : x - 1, right = x == words - 1 ? 0 : x + 1;
  std::uint32_t own = 0;
  const auto three = [&](int y) {
    const std::uint32_t* const row = cells + std::int64_t(y < 0   ? y + n
                                                          : y < n ? y
                                                                  : y - n) *
                                                 words;
    own = row[x];
    return __funnelshift_l(row[left], own, 8) + own + __funnelshift_r(own, row[right], 8);
  };
  std::uint32_t up = three(first - 1), middle = three(first), here = own;
#pragma unroll 4
  for (int y = first; y < first + life_rows && y < n; ++y) {
    const std::uint32_t down = three(y + 1), next = own, all = up + middle + down;
    // Three in all, or four with the cell itself.
    out[std::int64_t(y) * words + x] =
        (__vcmpeq4(all, 0x03030303u) & 0x01010101u) | (__vcmpeq4(all, 0x04040404u) & here);
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

class conjugate_gradient final : public program {
public:
  conjugate_gradient(form how, int n, const graph& g) : conjugate_gradient(how, n, g, sources(n)) {}

  void run(int turns) override {
    constexpr int unrolled = 4;
    loop_.run(turns, unrolled, [this](cudaStream_t stream, repetition again) {
      const unsigned blocks = parts(n_);
      const repetition within{again.node, false};
      loop_state* const loop = loop_.state();
      scalars* const s = scalars_.data();
      product_kernel<<<blocks, width, 0, stream>>>(n_, first_.data(), to_.data(), p_.data(),
                                                   ap_.data(), s, loop, within);
      update_kernel<<<blocks, width, 0, stream>>>(n_, s, p_.data(), ap_.data(), x_.data(),
                                                  r_.data(), loop, within);
      direction_kernel<<<blocks, width, 0, stream>>>(n_, s, r_.data(), p_.data(), loop, again);
    });
  }
  std::vector<double> result() override { return x_.to_host(); }
  double last_read() override { return loop_.read(); }

private:
  conjugate_gradient(form how, int n, const graph& g, const std::vector<double>& b)
      : n_(n), first_(g.first), to_(g.to), x_(b.size()), r_(b), p_(b), ap_(b.size()), scalars_(1),
        loop_(how) {
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
  memory<double> x_, r_, p_, ap_;
  memory<scalars> scalars_;
  device_loop loop_;
};

/// A turn is one to three kernels: whatever is fastest when the program is made.
class pagerank final : public program {
public:
  pagerank(form how, int n, const graph& g)
      : n_(n), first_(g.first), to_(g.to), rank_(static_cast<std::size_t>(n)),
        even_(static_cast<std::size_t>(n)), odd_(static_cast<std::size_t>(n)), loop_(how) {
    double least = 1e300;
    for (const int kernels : {1, 2, 3})
      if (const double seconds = seconds_of(kernels); seconds < least) {
        least = seconds;
        kernels_ = kernels;
      }
    start(loop_);
  }

  void run(int turns) override { run(loop_, kernels_, turns); }
  std::vector<double> result() override { return rank_.to_host(); }
  double last_read() override { return loop_.read(); }

private:
  void start(const device_loop& loop) {
    const std::vector<double> all(static_cast<std::size_t>(n_), 1.0 / n_);
    check(
        cudaMemcpy(rank_.data(), all.data(), all.size() * sizeof(double), cudaMemcpyHostToDevice));
    const int left = 1;
    check(cudaMemcpy(&loop.state()->left, &left, sizeof left, cudaMemcpyHostToDevice));
    share_kernel<<<parts(n_), width>>>(n_, first_.data(), rank_.data(), even_.data(), loop.state(),
                                       {0, false});
    benchmark::cuda_wait();
  }
  void run(device_loop& loop, int kernels, int turns) {
    constexpr int unrolled = 4;
    loop.run(turns, unrolled, [&](cudaStream_t stream, repetition again) {
      loop_state* const state = loop.state();
      const repetition within{again.node, false};
      if (kernels == 1) {
        collect_and_share_kernel<<<parts(n_), width, 0, stream>>>(
            n_, first_.data(), to_.data(), even_.data(), odd_.data(), rank_.data(), state, again);
        return;
      }
      share_kernel<<<parts(n_), width, 0, stream>>>(n_, first_.data(), rank_.data(), even_.data(),
                                                    state, within);
      if (kernels == 3) {
        store_kernel<<<parts(n_), width, 0, stream>>>(n_, first_.data(), to_.data(), even_.data(),
                                                      odd_.data(), state, within);
        change_kernel<<<parts(n_), width, 0, stream>>>(n_, odd_.data(), rank_.data(), state, again);
        return;
      }
      collect_kernel<<<parts(n_), width, 0, stream>>>(n_, first_.data(), to_.data(), even_.data(),
                                                      rank_.data(), state, again);
    });
  }
  double seconds_of(int kernels) {
    device_loop trial(form::launches);
    start(trial);
    run(trial, kernels, 2);
    const auto begin = std::chrono::steady_clock::now();
    run(trial, kernels, 10);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  int n_;
  memory<std::int32_t> first_, to_;
  memory<double> rank_, even_, odd_;
  device_loop loop_;
  int kernels_ = 1;
};

/// \param n a multiple of four
class life final : public program {
public:
  explicit life(int n) : n_(n), cells_(squared(n)), next_(squared(n)) {
    alive_kernel<<<dim3(parts(n), static_cast<unsigned>(n)), width>>>(n, cells_.data());
    benchmark::cuda_wait();
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      life_kernel<<<dim3(parts(n_ / 4), parts(n_, life_rows)), width>>>(
          n_ / 4, n_, reinterpret_cast<const std::uint32_t*>(cells_.data()),
          reinterpret_cast<std::uint32_t*>(next_.data()));
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

std::unique_ptr<program> by_cuda(const task& t, form how) {
  const auto [what, n] = std::pair(t.what, t.n);
  if (what == which::small_maps || what == which::small_tested)
    return small_by_cuda(what, how, n);
  if (what == which::jacobi)
    return jacobi_by_cuda(how, n);
  const bool is_tested = what == which::conjugate_gradient || what == which::pagerank;
  if (how == form::kernel || (how == form::graph && !is_tested))
    return nullptr; // turns of these that the host queues wait for nothing
  switch (what) {
  case which::conjugate_gradient:
    return std::make_unique<conjugate_gradient>(how, n, t.of);
  case which::pagerank:
    return std::make_unique<pagerank>(how, n, t.of);
  case which::life:
    return std::make_unique<life>(n);
  case which::mandelbrot:
    return std::make_unique<mandelbrot>(n);
  case which::lattice_boltzmann:
    return std::make_unique<lattice_boltzmann>(n);
  default:
    return nullptr;
  }
}

} // namespace simulations
