// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand, for the GPU: grids of three dimensions, so that no index is divided, and
// two buffers that take turns.
#include "himeno.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>

namespace stencils {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

class buffer {
public:
  explicit buffer(std::size_t n) : size_(n) {
    check(cudaMalloc(&data_, n * sizeof(float)), "cudaMalloc");
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { cudaFree(data_); }
  float* data() const { return data_; }
  std::vector<float> to_host() const {
    std::vector<float> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(float), cudaMemcpyDeviceToHost),
          "copy to the host");
    return values;
  }

private:
  std::size_t size_;
  float* data_ = nullptr;
};

constexpr unsigned width = 256; ///< of blocks of one row
constexpr unsigned wide = 32, high = 8;

//===-- a thread an element ------------------------------------------------------------------===//

/// What a thread of a two- or three-dimensional grid stands at; a grid's z is the first coordinate.
struct spot {
  int a, b, c;
  __device__ static spot mine() {
    return {static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y),
            static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)};
  }
};

__global__ void fill_kernel(which what, shape s, float* out) {
  const spot at = spot::mine();
  if (at.b < s.b && at.c < s.c)
    out[(static_cast<std::size_t>(at.a) * s.b + at.b) * s.c + at.c] =
        initial(what, s, at.a, at.b, at.c);
}
__global__ void set_kernel(std::size_t n, float value, float* out) {
  const std::size_t i = blockIdx.x * std::size_t(width) + threadIdx.x;
  if (i < n)
    out[i] = value;
}

__device__ float heat(const float* v, int i, int row) {
  return v[i] + diffusion * (v[i - row] + v[i + row] + v[i - 1] + v[i + 1] - 4.0f * v[i]);
}
__global__ void heat_2d_kernel(shape s, const float* __restrict__ v, float* __restrict__ out) {
  const spot at = spot::mine();
  if (at.b >= s.b || at.c >= s.c)
    return;
  const int i = at.b * s.c + at.c;
  const bool inside = at.b > 0 && at.c > 0 && at.b < s.b - 1 && at.c < s.c - 1;
  out[i] = inside ? heat(v, i, s.c) : v[i];
}

__global__ void blur_kernel(shape s, const float* __restrict__ v, float* __restrict__ out) {
  const spot at = spot::mine();
  if (at.b >= s.b || at.c >= s.c)
    return;
  const int left = max(at.c - 1, 0), right = min(at.c + 1, s.c - 1);
  const int rows[] = {max(at.b - 1, 0) * s.c, at.b * s.c, min(at.b + 1, s.b - 1) * s.c};
  float sum = 0;
#pragma unroll
  for (const int row : rows)
    sum += v[row + left] + v[row + at.c] + v[row + right];
  out[rows[1] + at.c] = sum * (1.0f / 9);
}

__device__ float heat(const float* v, int i, int plane, int row) {
  return v[i] + diffusion * (v[i - plane] + v[i + plane] + v[i - row] + v[i + row] + v[i - 1] +
                             v[i + 1] - 6.0f * v[i]);
}
__device__ bool inside(const shape& s, const spot& at) {
  return at.a > 0 && at.b > 0 && at.c > 0 && at.a < s.a - 1 && at.b < s.b - 1 && at.c < s.c - 1;
}
__global__ void heat_3d_kernel(shape s, const float* __restrict__ v, float* __restrict__ out) {
  const spot at = spot::mine();
  if (at.b >= s.b || at.c >= s.c)
    return;
  const int i = (at.a * s.b + at.b) * s.c + at.c;
  out[i] = inside(s, at) ? heat(v, i, s.b * s.c, s.c) : v[i];
}

__device__ float mean(float x, float y, float z) { return (x + y + z) * (1.0f / 3); }

__global__ void smooth_kernel(int n, const float* __restrict__ v, float* __restrict__ out) {
  const int i = static_cast<int>(blockIdx.x * width + threadIdx.x);
  if (i < n)
    out[i] = mean(v[max(i - 1, 0)], v[i], v[min(i + 1, n - 1)]);
}

//===-- tuned ---------------------------------------------------------------------------------===//

constexpr int rows_each = 4; ///< results of a thread, one below the other

/// Four results in a column: each row is loaded once for the three results that read it.
__global__ void heat_2d_tuned_kernel(shape s, const float* __restrict__ v,
                                     float* __restrict__ out) {
  const int c = static_cast<int>(blockIdx.x * width + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y) * rows_each;
  if (c >= s.c)
    return;
  if (c == 0 || c == s.c - 1 || first == 0 || first + rows_each >= s.b) {
    for (int b = first; b < min(first + rows_each, s.b); ++b) {
      const int i = b * s.c + c;
      const bool inner = b > 0 && c > 0 && b < s.b - 1 && c < s.c - 1;
      out[i] = inner ? heat(v, i, s.c) : v[i];
    }
    return;
  }
  const int i = first * s.c + c;
  float column[rows_each + 2];
#pragma unroll
  for (int r = 0; r < rows_each + 2; ++r)
    column[r] = v[i + (r - 1) * s.c];
#pragma unroll
  for (int r = 0; r < rows_each; ++r) {
    const float here = column[r + 1], *row = v + i + r * s.c;
    out[i + r * s.c] =
        here + diffusion * (column[r] + column[r + 2] + row[-1] + row[1] - 4.0f * here);
  }
}

/// Four results in a column of nine neighbours each: the sums of rows are computed once.
__global__ void blur_tuned_kernel(shape s, const float* __restrict__ v, float* __restrict__ out) {
  const int c = static_cast<int>(blockIdx.x * width + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y) * rows_each;
  if (c >= s.c)
    return;
  const int left = max(c - 1, 0), right = min(c + 1, s.c - 1);
  float sums[rows_each + 2];
#pragma unroll
  for (int r = 0; r < rows_each + 2; ++r) {
    const float* const row = v + min(max(first + r - 1, 0), s.b - 1) * s.c;
    sums[r] = row[left] + row[c] + row[right];
  }
#pragma unroll
  for (int r = 0; r < rows_each; ++r)
    if (first + r < s.b)
      out[(first + r) * s.c + c] = (sums[r] + sums[r + 1] + sums[r + 2]) * (1.0f / 9);
}

/// Goes through planes with the ones before and behind in registers.
constexpr int planes_each = 16;
__global__ void heat_3d_tuned_kernel(shape s, const float* __restrict__ v,
                                     float* __restrict__ out) {
  const int b = static_cast<int>(blockIdx.y * high + threadIdx.y),
            c = static_cast<int>(blockIdx.x * wide + threadIdx.x);
  if (b >= s.b || c >= s.c)
    return;
  const int row = s.c, plane = s.b * s.c;
  const int first = static_cast<int>(blockIdx.z) * planes_each,
            last = min(first + planes_each, s.a);
  const bool inner = b > 0 && c > 0 && b < s.b - 1 && c < s.c - 1;
  int i = first * plane + b * row + c;
  float before = first > 0 ? v[i - plane] : 0, here = v[i];
  for (int a = first; a < last; ++a, i += plane) {
    const float behind = a < s.a - 1 ? v[i + plane] : 0;
    out[i] = inner && a > 0 && a < s.a - 1
                 ? here + diffusion * (before + behind + v[i - row] + v[i + row] + v[i - 1] +
                                       v[i + 1] - 6.0f * here)
                 : here;
    before = here;
    here = behind;
  }
}

/// Three means in one kernel: a block's part and three elements beside it in shared memory.
__global__ void smooth_tuned_kernel(int n, const float* __restrict__ v, float* __restrict__ out) {
  constexpr int each = 4, part = static_cast<int>(width) * each, reach = 3;
  __shared__ float one[part + 2 * reach], two[part + 2 * reach];
  const int first = static_cast<int>(blockIdx.x) * part - reach;
  const auto for_all = [&](int margin, auto f) {
    for (int k = static_cast<int>(threadIdx.x) + margin; k < part + 2 * reach - margin;
         k += static_cast<int>(width))
      f(k);
  };
  for_all(0, [&](int k) { one[k] = v[min(max(first + k, 0), n - 1)]; });
  __syncthreads();
  const auto smooth = [&](const float* in, int k) {
    const int at = first + k;
    return mean(in[at > 0 ? k - 1 : k], in[k], in[at < n - 1 ? k + 1 : k]);
  };
  for_all(1, [&](int k) { two[k] = smooth(one, k); });
  __syncthreads();
  for_all(2, [&](int k) { one[k] = smooth(two, k); });
  __syncthreads();
  for_all(reach, [&](int k) {
    if (first + k < n)
      out[first + k] = smooth(one, k);
  });
}

unsigned parts(std::int64_t n, std::int64_t size) {
  return static_cast<unsigned>((n + size - 1) / size);
}

/// Of the kernel of two Himeno steps.
struct pair_shape {
  unsigned wide, high;
  int planes;
  void (*kernel)(shape, int, himeno_arrays, const float*, float*, float*);
};
template <int Wide, int High> pair_shape pairs_of(int planes) {
  return {Wide, High, planes, himeno_pair_kernel<Wide, High>};
}

class kernels final : public program {
public:
  kernels(which what, form how, const shape& s)
      : what_(what), how_(how), shape_(s), now_(std::make_unique<buffer>(s.volume())),
        next_(std::make_unique<buffer>(s.volume())) {
    fill_kernel<<<grid(), block()>>>(what, s, now_->data());
    if (what == which::himeno) {
      const float coefficients[] = {a_1,   a_1,   a_1,   a_4,   b_all, b_all,
                                    b_all, c_all, c_all, c_all, bnd,   wrk_1};
      for (const float value : coefficients) {
        arrays_.push_back(std::make_unique<buffer>(s.volume()));
        set_kernel<<<parts(static_cast<std::int64_t>(s.volume()), width), width>>>(
            s.volume(), value, arrays_.back()->data());
      }
      changes_ = std::make_unique<buffer>(s.volume());
    }
    if (is_graph())
      check(cudaStreamCreate(&stream_), "cudaStreamCreate");
    finish();
    if (in_pairs())
      choose_pairs();
  }
  ~kernels() override {
    for (const auto& [what, graph] : graphs_)
      cudaGraphExecDestroy(graph);
    if (stream_ != nullptr)
      cudaStreamDestroy(stream_);
  }

  void run(int times) override {
    if (is_graph()) {
      check(cudaGraphLaunch(recorded(times), stream_), "cudaGraphLaunch");
      if (swaps(times))
        std::swap(now_, next_);
    } else {
      queue(times);
    }
    finish();
  }
  std::vector<float> result() override { return now_->to_host(); }
  double residual() override {
    double sum = 0;
    if (what_ == which::himeno)
      for (const float ss : changes_->to_host())
        sum += static_cast<double>(ss) * ss;
    return sum;
  }

private:
  dim3 block() const { return shape_.b > 1 ? dim3(wide, high) : dim3(width); }
  dim3 grid() const {
    return {parts(shape_.c, block().x), parts(shape_.b, block().y),
            static_cast<unsigned>(shape_.a)};
  }

  void queue(int times) {
    if (in_pairs()) {
      queue_pairs(times);
      return;
    }
    for (int i = 0; i < times; ++i) {
      if (what_ == which::chain && how_ == form::plain) {
        for (int k = 0; k < 2; ++k) {
          step(false);
          std::swap(now_, next_);
        }
      }
      step(i + 1 == times);
      std::swap(now_, next_);
    }
  }
  /// The graph of so many steps that begin with the present buffer; buffers stay as they are.
  cudaGraphExec_t recorded(int times) {
    cudaGraphExec_t& made = graphs_[{times, now_->data()}];
    if (made == nullptr) {
      cudaGraph_t steps = nullptr;
      check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin of capture");
      queue(times);
      check(cudaStreamEndCapture(stream_, &steps), "end of capture");
      check(cudaGraphInstantiate(&made, steps, 0), "cudaGraphInstantiate");
      check(cudaGraphDestroy(steps), "cudaGraphDestroy");
      if (swaps(times))
        std::swap(now_, next_);
    }
    return made;
  }

  bool in_pairs() const { return what_ == which::himeno && how_ == form::tuned; }
  bool is_graph() const { return what_ == which::himeno && how_ != form::plain; }
  /// Whether so many steps end in the other buffer.
  bool swaps(int times) const { return (in_pairs() ? times % 2 + times / 2 : times) % 2 != 0; }

  void queue_pairs(int times) {
    if (times % 2 != 0) {
      step(times == 1);
      std::swap(now_, next_);
    }
    for (int i = 0; i < times / 2; ++i) {
      pair(pairs_, i + 1 == times / 2);
      std::swap(now_, next_);
    }
  }
  void pair(const pair_shape& p, bool last) {
    const dim3 tiles(parts(shape_.c, p.wide - 2), parts(shape_.b, p.high - 2),
                     parts(shape_.a, p.planes));
    p.kernel<<<tiles, dim3(p.wide, p.high), 0, stream_>>>(
        shape_, p.planes, himeno(), now_->data(), next_->data(), last ? changes_->data() : nullptr);
  }
  /// Takes the fastest tile; the pressure that a trial reads stays as it is.
  void choose_pairs() {
    double least = 1e300;
    for (const int planes : {8, 16, 32, 64, 128})
      for (const pair_shape& p : {pairs_of<32, 8>(planes), pairs_of<32, 16>(planes),
                                  pairs_of<64, 8>(planes), pairs_of<64, 16>(planes)}) {
        const auto trial = [&] {
          for (int k = 0; k < 5; ++k)
            pair(p, false);
          finish();
        };
        trial();
        const auto begin = std::chrono::steady_clock::now();
        trial();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        if (took.count() < least) {
          least = took.count();
          pairs_ = p;
        }
      }
  }
  himeno_arrays himeno() const {
    const auto k = [&](std::size_t n) { return arrays_[n]->data(); };
    return {k(0), k(1), k(2), k(3), k(4), k(5), k(6), k(7), k(8), k(9), k(10), k(11)};
  }

  void step(bool last) {
    const float* const from = now_->data();
    float* const to = next_->data();
    const dim3 columns(parts(shape_.c, width), parts(shape_.b, rows_each));
    const bool tuned = how_ == form::tuned;
    switch (what_) {
    case which::heat_2d:
      if (tuned)
        heat_2d_tuned_kernel<<<columns, width>>>(shape_, from, to);
      else
        heat_2d_kernel<<<grid(), block()>>>(shape_, from, to);
      break;
    case which::blur:
      if (tuned)
        blur_tuned_kernel<<<columns, width>>>(shape_, from, to);
      else
        blur_kernel<<<grid(), block()>>>(shape_, from, to);
      break;
    case which::heat_3d:
      if (tuned) {
        dim3 all = grid();
        all.z = parts(shape_.a, planes_each);
        heat_3d_tuned_kernel<<<all, block()>>>(shape_, from, to);
      } else {
        heat_3d_kernel<<<grid(), block()>>>(shape_, from, to);
      }
      break;
    case which::chain:
      if (tuned)
        smooth_tuned_kernel<<<parts(shape_.c, width * 4), width>>>(shape_.c, from, to);
      else
        smooth_kernel<<<parts(shape_.c, width), width>>>(shape_.c, from, to);
      break;
    case which::himeno:
      himeno_kernel<<<grid(), block(), 0, stream_>>>(shape_, himeno(), from, to,
                                                     last ? changes_->data() : nullptr);
      break;
    }
  }
  static void finish() {
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }

  which what_;
  form how_;
  shape shape_;
  std::unique_ptr<buffer> now_, next_, changes_;
  std::vector<std::unique_ptr<buffer>> arrays_;
  cudaStream_t stream_ = nullptr; ///< the default one, where there is no graph
  std::map<std::pair<int, const float*>, cudaGraphExec_t> graphs_;
  pair_shape pairs_{};
};

} // namespace

std::unique_ptr<program> by_cuda(which what, form how, const shape& s) {
  if (how == form::graph && what != which::himeno)
    return nullptr;
  return std::make_unique<kernels>(what, how, s);
}

} // namespace stencils
