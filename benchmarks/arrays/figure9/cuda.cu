// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand, for the GPU. Positions are 32 bits wide and divided by extents, which are
// known when a kernel is launched, or else when it is compiled; memory is there before the first
// run.
#include "programs.hpp"

#include <cuda_runtime.h>

#include <stdexcept>
#include <utility>

namespace figure9 {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

class buffer {
public:
  explicit buffer(std::size_t n) : size_(n) {
    check(cudaMalloc(&data_, n * sizeof(std::int32_t)), "cudaMalloc");
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { cudaFree(data_); }
  std::int32_t* data() const { return data_; }
  std::vector<std::int32_t> to_host() const {
    std::vector<std::int32_t> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(std::int32_t), cudaMemcpyDeviceToHost),
          "copy to the host");
    return values;
  }

private:
  std::size_t size_;
  std::int32_t* data_ = nullptr;
};

constexpr unsigned block = 256;

/// The place of element i of an array, whose outermost extent does not matter.
template <class Extents> __device__ place place_of(const Extents& e, std::uint32_t i) {
  const std::uint32_t row = i / e.d, plane = row / e.c, cube = plane / e.b;
  return {static_cast<std::int32_t>(cube), static_cast<std::int32_t>(plane - cube * e.b),
          static_cast<std::int32_t>(row - plane * e.c), static_cast<std::int32_t>(i - row * e.d)};
}

struct given_extents {
  std::uint32_t b, c, d, volume;
  explicit given_extents(const shape& s)
      : b(static_cast<std::uint32_t>(s.b)), c(static_cast<std::uint32_t>(s.c)),
        d(static_cast<std::uint32_t>(s.d)), volume(static_cast<std::uint32_t>(s.volume())) {}
};
/// All but the outermost one are constants, so that divisions are multiplications.
template <std::uint32_t B, std::uint32_t C, std::uint32_t D> struct constant_extents {
  static constexpr std::uint32_t b = B, c = C, d = D;
  std::uint32_t volume;
  explicit constant_extents(const shape& s) : volume(static_cast<std::uint32_t>(s.volume())) {}
  static bool fit(const shape& s) {
    return s.b == std::int32_t(B) && s.c == std::int32_t(C) && s.d == std::int32_t(D);
  }
};

//===-- maps
//-----------------------------------------------------------------------------------===//

/// out[i] = f(place of i)
template <class F, class Extents>
__global__ void make_kernel(F f, Extents e, std::int32_t* __restrict__ out) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < e.volume)
    out[i] = f(place_of(e, i));
}
/// The same for four elements a thread, which have one row: e.d is a multiple of 4.
template <class F, class Extents>
__global__ void make_vector_kernel(F f, Extents e, std::int32_t* __restrict__ out) {
  const std::uint32_t i = 4 * (blockIdx.x * block + threadIdx.x);
  if (i >= e.volume)
    return;
  place x = place_of(e, i);
  int4 v;
  v.x = f(x);
  ++x.d;
  v.y = f(x);
  ++x.d;
  v.z = f(x);
  ++x.d;
  v.w = f(x);
  *reinterpret_cast<int4*>(out + i) = v;
}
/// out[i] = f(in[i], place of i); in may be out.
template <class F, class Extents>
__global__ void map_kernel(F f, Extents e, const std::int32_t* in, std::int32_t* out) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < e.volume)
    out[i] = f(in[i], place_of(e, i));
}

struct first_p1 {
  __device__ std::int32_t operator()(place x) const { return new_p1(x); }
};
struct next_p1 {
  __device__ std::int32_t operator()(std::int32_t v, place x) const { return map_p1(v, x); }
};
struct whole_p1 {
  __device__ std::int32_t operator()(place x) const {
    std::int32_t v = new_p1(x);
#pragma unroll
    for (int k = 0; k < turns(which::p1); ++k)
      v = map_p1(v, x);
    return v;
  }
};
struct first_c {
  __device__ std::int32_t operator()(place x) const { return new_c(x); }
};
struct next_p3 {
  __device__ std::int32_t operator()(std::int32_t v, place x) const { return map_p3(v, x); }
};
struct whole_p3 {
  __device__ std::int32_t operator()(place x) const {
    std::int32_t v = new_c(x);
    for (int k = 0; k < turns(which::p3); ++k)
      v = map_p3(v, x);
    return v;
  }
};
template <int Map> struct one_p6 {
  __device__ std::int32_t operator()(std::int32_t v, place x) const { return map_p6<Map>(v, x); }
};
struct next_p6 {
  __device__ std::int32_t operator()(std::int32_t v, place x) const { return turn_p6(v, x); }
};
struct whole_p6 {
  __device__ std::int32_t operator()(place x) const {
    std::int32_t v = new_c(x);
    for (int k = 0; k < turns(which::p6); ++k)
      v = turn_p6(v, x);
    return v;
  }
};
template <int Map> struct one_p7 {
  __device__ std::int32_t operator()(std::int32_t v, place x) const { return map_p7<Map>(v, x); }
};
struct next_p7 {
  int turn;
  __device__ std::int32_t operator()(std::int32_t v, place x) const { return turn_p7(v, x, turn); }
};
struct whole_p7 {
  __device__ std::int32_t operator()(place x) const {
    std::int32_t v = new_c(x);
    for (int k = 0; k < turns(which::p7); ++k)
      v = turn_p7(v, x, k);
    return v;
  }
};

/// Kernels over one shape that take turns on two buffers, or stay in one.
template <class Extents> class maps {
public:
  maps(const shape& s, bool in_place)
      : extents_(s), now_(std::make_unique<buffer>(s.volume())),
        next_(in_place ? nullptr : std::make_unique<buffer>(s.volume())) {}

  template <class F> void make(F f) {
    make_kernel<<<(extents_.volume + block - 1) / block, block>>>(f, extents_, now_->data());
  }
  template <class F> void make_vector(F f) {
    make_vector_kernel<<<(extents_.volume / 4 + block - 1) / block, block>>>(f, extents_,
                                                                             now_->data());
  }
  template <class F> void map(F f) {
    std::int32_t* const to = next_ ? next_->data() : now_->data();
    map_kernel<<<(extents_.volume + block - 1) / block, block>>>(f, extents_, now_->data(), to);
    if (next_)
      std::swap(now_, next_);
  }
  std::vector<std::int32_t> to_host() const { return now_->to_host(); }

private:
  Extents extents_;
  std::unique_ptr<buffer> now_, next_;
};

/// \tparam Run called with maps
template <class Extents, class Run> class map_program final : public program {
public:
  map_program(const shape& s, bool in_place, Run run) : maps_(s, in_place), run_(run) {}
  void run() override {
    run_(maps_);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }
  std::vector<std::int32_t> result() override { return maps_.to_host(); }

private:
  maps<Extents> maps_;
  Run run_;
};

template <class Maps> void apply_p6(Maps& m) {
  m.map(one_p6<0>{});
  m.map(one_p6<1>{});
  m.map(one_p6<2>{});
  m.map(one_p6<3>{});
  m.map(one_p6<4>{});
}
template <class Maps> void apply_p7(Maps& m, int turn) {
  if (turn % 2 == 0) {
    if (turn % 3 == 0)
      m.map(one_p7<0>{});
    else
      m.map(one_p7<1>{});
  } else {
    m.map(one_p7<2>{});
    m.map(one_p7<3>{});
  }
  m.map(one_p7<4>{});
}

//===-- stencils
//-------------------------------------------------------------------------------===//

template <class Extents>
__global__ void stencil_kernel(Extents e, std::uint32_t last_a, const std::int32_t* __restrict__ in,
                               std::int32_t* __restrict__ out) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i >= e.volume)
    return;
  const place x = place_of(e, i);
  const std::uint32_t in_a = e.b * e.c * e.d, in_b = e.c * e.d;
  if (x.a == 0 || x.b == 0 || static_cast<std::uint32_t>(x.a) == last_a)
    out[i] = outside;
  else
    out[i] = stencil(in[i - in_a], in[i], in[i + in_a], in[i - in_a - in_b], x);
}

/// A grid of three dimensions: a and b are those of the block, and only c and d take a division.
template <class Extents>
__global__ void stencil_in_grid(Extents e, std::uint32_t last_a,
                                const std::int32_t* __restrict__ in,
                                std::int32_t* __restrict__ out) {
  const std::uint32_t in_b = e.c * e.d, in_a = e.b * in_b;
  const std::uint32_t within = blockIdx.x * block + threadIdx.x;
  if (within >= in_b)
    return;
  const std::uint32_t a = blockIdx.z, b = blockIdx.y, c = within / e.d;
  const std::uint32_t i = a * in_a + b * in_b + within;
  const place x{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                static_cast<std::int32_t>(c), static_cast<std::int32_t>(within - c * e.d)};
  if (a == 0 || b == 0 || a == last_a)
    out[i] = outside;
  else
    out[i] = stencil(in[i - in_a], in[i], in[i + in_a], in[i - in_a - in_b], x);
}

struct first_p2 {
  __device__ std::int32_t operator()(place x) const { return new_p2(x); }
};

template <class Extents> class stencils final : public program {
public:
  stencils(which what, const shape& s, bool grid)
      : shape_(s), times_(turns(what)), grid_(grid), now_(std::make_unique<buffer>(s.volume())),
        next_(std::make_unique<buffer>(s.volume())) {}

  void run() override {
    const Extents e(shape_);
    const auto last_a = static_cast<std::uint32_t>(shape_.a - 1);
    const unsigned blocks = (e.volume + block - 1) / block;
    make_kernel<<<blocks, block>>>(first_p2{}, e, now_->data());
    for (int k = 0; k < times_; ++k) {
      if (grid_)
        stencil_in_grid<<<
            dim3((e.c * e.d + block - 1) / block, e.b, static_cast<unsigned>(shape_.a)), block>>>(
            e, last_a, now_->data(), next_->data());
      else
        stencil_kernel<<<blocks, block>>>(e, last_a, now_->data(), next_->data());
      std::swap(now_, next_);
    }
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }
  std::vector<std::int32_t> result() override { return now_->to_host(); }

private:
  shape shape_;
  int times_;
  bool grid_;
  std::unique_ptr<buffer> now_, next_;
};

template <class Extents>
std::unique_ptr<program> with_extents(which what, form how, const shape& s) {
  if (what == which::p2 || what == which::p4) {
    // Nothing of them is one kernel: each stencil reads what others write.
    if (how == form::unfused)
      return std::make_unique<stencils<Extents>>(what, s, false);
    return how == form::fused ? std::make_unique<stencils<Extents>>(what, s, true) : nullptr;
  }
  if (how == form::whole_vector && s.d % 4 != 0)
    return nullptr;
  const auto over = [&s](bool in_place, auto run) -> std::unique_ptr<program> {
    return std::make_unique<map_program<Extents, decltype(run)>>(s, in_place, run);
  };
  switch (what) {
  case which::p1:
    switch (how) {
    case form::unfused:
      return over(false, [](auto& m) {
        m.make(first_p1{});
        for (int k = 0; k < turns(which::p1); ++k)
          m.map(next_p1{});
      });
    case form::whole_vector:
      return over(true, [](auto& m) { m.make_vector(whole_p1{}); });
    case form::whole:
      return over(true, [](auto& m) { m.make(whole_p1{}); });
    default:
      return nullptr; // there is no loop in it
    }
  case which::p3:
    switch (how) {
    case form::unfused:
    case form::fused:
      return over(how == form::fused, [](auto& m) {
        m.make(first_c{});
        for (int k = 0; k < turns(which::p3); ++k)
          m.map(next_p3{});
      });
    case form::whole_vector:
      return over(true, [](auto& m) { m.make_vector(whole_p3{}); });
    default:
      return over(true, [](auto& m) { m.make(whole_p3{}); });
    }
  case which::p6:
    switch (how) {
    case form::unfused:
      return over(false, [](auto& m) {
        m.make(first_c{});
        for (int k = 0; k < turns(which::p6); ++k)
          apply_p6(m);
      });
    case form::fused:
      return over(true, [](auto& m) {
        m.make(first_c{});
        for (int k = 0; k < turns(which::p6); ++k)
          m.map(next_p6{});
      });
    case form::whole_vector:
      return over(true, [](auto& m) { m.make_vector(whole_p6{}); });
    default:
      return over(true, [](auto& m) { m.make(whole_p6{}); });
    }
  default:
    switch (how) {
    case form::unfused:
      return over(false, [](auto& m) {
        m.make(first_c{});
        for (int k = 0; k < turns(which::p7); ++k)
          apply_p7(m, k);
      });
    case form::fused:
      return over(true, [](auto& m) {
        m.make(first_c{});
        for (int k = 0; k < turns(which::p7); ++k)
          m.map(next_p7{k});
      });
    case form::whole_vector:
      return over(true, [](auto& m) { m.make_vector(whole_p7{}); });
    default:
      return over(true, [](auto& m) { m.make(whole_p7{}); });
    }
  }
}

} // namespace

std::unique_ptr<program> by_cuda(which what, form how, const shape& s, known extents) {
  using full = constant_extents<500, 500, 12>;
  using small = constant_extents<6, 5, 3>;
  if (extents == known::when_launched)
    return with_extents<given_extents>(what, how, s);
  if (full::fit(s))
    return with_extents<full>(what, how, s);
  return small::fit(s) ? with_extents<small>(what, how, s) : nullptr;
}

} // namespace figure9
