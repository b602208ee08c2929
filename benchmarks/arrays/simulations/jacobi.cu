// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's method by hand, for the GPU: a turn is one kernel, which also has the largest change,
// and whose last block ends the turn. How many rows and columns a thread goes through is measured
// when the program is made.
#include "device.hpp"

#include <chrono>

namespace simulations {
namespace {

__global__ void load_kernel(int n, double* load) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < n)
    load[std::int64_t(y) * n + x] = load_at(n, y, x);
}

struct buffers {
  double* u[2];
  const double* load;
};

template <int Wide> struct alignas(Wide * sizeof(double)) pack {
  double v[Wide];
};

/// A thread goes down Rows rows of Wide columns, and keeps their values. \returns the largest
/// change
template <int Rows, int Wide>
__device__ double next_rows(int n, const double* __restrict__ u, const double* __restrict__ load,
                            double* __restrict__ out) {
  const int x = (blockIdx.x * width + threadIdx.x) * Wide, first = blockIdx.y * Rows;
  if (x >= n)
    return 0;
  using values = pack<Wide>;
  const auto at = [n, x](int y) { return std::int64_t(y) * n + x; };
  const auto row = [&](int y) {
    return y >= 0 && y < n ? *reinterpret_cast<const values*>(u + at(y)) : values{};
  };
  double most = 0;
  values up = row(first - 1), own = row(first);
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int y = first + r;
    if (y >= n)
      break;
    const values down = row(y + 1), source = *reinterpret_cast<const values*>(load + at(y));
    const double left = x > 0 ? u[at(y) - 1] : 0, right = x + Wide < n ? u[at(y) + Wide] : 0;
    values next;
#pragma unroll
    for (int k = 0; k < Wide; ++k) {
      const bool is_border = y == 0 || y == n - 1 || x + k == 0 || x + k == n - 1;
      const double west = k > 0 ? own.v[k > 0 ? k - 1 : 0] : left,
                   east = k + 1 < Wide ? own.v[k + 1 < Wide ? k + 1 : 0] : right;
      next.v[k] = is_border ? 0.0 : jacobi_at(up.v[k], west, east, down.v[k], source.v[k]);
      most = fmax(most, fabs(next.v[k] - own.v[k]));
    }
    *reinterpret_cast<values*>(out + at(y)) = next;
    up = own;
    own = down;
  }
  return most;
}

template <int Rows, int Wide>
__global__ void __launch_bounds__(width)
    jacobi_kernel(int n, buffers b, loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  const bool is_odd = loop->done % 2 != 0;
  largest_of_all(&loop->value, next_rows<Rows, Wide>(n, is_odd ? b.u[1] : b.u[0], b.load,
                                                     is_odd ? b.u[0] : b.u[1]));
  if (is_last_block(loop) && threadIdx.x == 0) {
    end_turn(loop, *static_cast<volatile double*>(&loop->value));
    loop->value = 0;
    again.set(loop);
  }
}

struct shape {
  int rows, wide;
  void (*kernel)(int, buffers, loop_state*, repetition);
};
constexpr shape shapes[] = {{4, 1, jacobi_kernel<4, 1>},   {8, 1, jacobi_kernel<8, 1>},
                            {16, 1, jacobi_kernel<16, 1>}, {2, 2, jacobi_kernel<2, 2>},
                            {4, 2, jacobi_kernel<4, 2>},   {8, 2, jacobi_kernel<8, 2>},
                            {16, 2, jacobi_kernel<16, 2>}};

class jacobi final : public program {
public:
  jacobi(form how, int n)
      : n_(n), even_(squared(n)), odd_(squared(n)), load_(squared(n)), loop_(how) {
    load_kernel<<<dim3(parts(n), static_cast<unsigned>(n)), width>>>(n, load_.data());
    check(cudaDeviceSynchronize());
    choose();
  }
  void run(int turns) override {
    constexpr int unrolled = 4;
    loop_.run(turns, unrolled, [this](cudaStream_t stream, repetition again) {
      launch(best_, loop_.state(), again, stream);
    });
  }
  std::vector<double> result() override {
    return loop_.done() % 2 != 0 ? odd_.to_host() : even_.to_host();
  }
  double last_read() override { return loop_.read(); }

private:
  void launch(const shape& s, loop_state* state, repetition again, cudaStream_t stream) {
    s.kernel<<<dim3(parts(n_, width * s.wide), parts(n_, s.rows)), width, 0, stream>>>(
        n_, {{even_.data(), odd_.data()}, load_.data()}, state, again);
  }
  /// Takes the fastest kernel. A turn of all zeros is as long as any other one.
  void choose() {
    double least = 1e300;
    for (const shape& s : shapes) {
      if (n_ % s.wide != 0)
        continue;
      device_loop trial(form::launches);
      const auto turn = [&](cudaStream_t stream, repetition again) {
        launch(s, trial.state(), again, stream);
      };
      trial.run(2, 1, turn);
      const auto begin = std::chrono::steady_clock::now();
      trial.run(6, 1, turn);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (took.count() < least) {
        least = took.count();
        best_ = s;
      }
    }
    check(cudaMemset(even_.data(), 0, squared(n_) * sizeof(double)));
    check(cudaMemset(odd_.data(), 0, squared(n_) * sizeof(double)));
    check(cudaDeviceSynchronize());
  }
  int n_;
  memory<double> even_, odd_, load_;
  device_loop loop_;
  shape best_ = shapes[0];
};

} // namespace

std::unique_ptr<program> jacobi_by_cuda(form how, int n) {
  return how == form::kernel ? nullptr : std::make_unique<jacobi>(how, n);
}

} // namespace simulations
