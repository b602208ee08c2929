// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by Thrust, each as one call: transformations of sequences, or of places where a
// program reads anywhere. Calls wait only where they return something to the host.
#include "device_programs.hpp"

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

namespace apps {
namespace {

auto queue() { return thrust::cuda::par_nosync; }

struct add_floats {
  __device__ float operator()(float x, float y) const { return factor * x + y; }
};
struct price_option {
  __device__ price operator()(const option& o) const { return price_of(o); }
};
struct attract_one {
  const body* bodies;
  std::uint64_t n;
  __device__ vector operator()(const body& here) const {
    vector sum{0, 0, 0};
    for (std::uint64_t j = 0; j < n; ++j)
      attract(sum, here, bodies[j]);
    return sum;
  }
};
struct copy_double {
  __device__ double operator()(double x) const { return x; }
};
struct scale_double {
  __device__ double operator()(double x) const { return stream_scalar * x; }
};
struct add_scaled {
  __device__ double operator()(double x, double y) const { return x + stream_scalar * y; }
};

template <class T, class F> void tabulate(const device_memory<T>& to, std::uint64_t n, const F& f) {
  thrust::tabulate(queue(), to.data(), to.data() + n, f);
}

/// \tparam F of an element of each of the data
template <class T, class In, class F>
std::unique_ptr<program> transformed(std::size_t n, std::shared_ptr<const device_memory<In>> a,
                                     F f) {
  return made<T>(n, [a, f](const auto& to, std::uint64_t size) {
    thrust::transform(queue(), a->data(), a->data() + size, to.data(), f);
  });
}
template <class T, class F>
std::unique_ptr<program> transformed(std::size_t n, std::shared_ptr<const device_memory<T>> a,
                                     std::shared_ptr<const device_memory<T>> b, F f) {
  return made<T>(n, [a, b, f](const auto& to, std::uint64_t size) {
    thrust::transform(queue(), a->data(), a->data() + size, b->data(), to.data(), f);
  });
}

class dot final : public program {
public:
  explicit dot(std::size_t n)
      : n_(n), a_(data<double>(n, make_double{0})), b_(data<double>(n, make_double{9})) {}
  void run() override {
    sum_ = thrust::inner_product(thrust::device, a_->data(), a_->data() + n_, b_->data(), 0.0);
  }
  double checksum() override { return sum_; }

private:
  std::size_t n_;
  std::shared_ptr<const device_memory<double>> a_, b_;
  double sum_ = 0;
};

} // namespace

std::unique_ptr<program> by_thrust(which what, std::size_t n) {
  const auto doubles = [n](std::uint64_t from) { return data<double>(n, make_double{from}); };
  switch (what) {
  case which::saxpy:
    return transformed<float>(n, data<float>(n, make_number{0}), data<float>(n, make_number{9}),
                              add_floats());
  case which::black_scholes:
    return transformed<price>(n, data<option>(n, make_option()), price_option());
  case which::n_body: {
    const auto bodies = data<body>(n, make_body());
    return transformed<vector>(n, bodies, attract_one{bodies->data(), n});
  }
  case which::pi:
    return made<std::int32_t>(
        n, [](const auto& to, std::uint64_t size) { tabulate(to, size, count_inside()); });
  case which::k_means:
    return made<std::int32_t>(
        n, [points = data<float>(n * dimensions, make_coordinate{1}),
            places = data<float>(centres * dimensions, make_coordinate{1009})](const auto& to,
                                                                               std::uint64_t size) {
          tabulate(to, size, find_nearest{points->data(), places->data()});
        });
  case which::look_ups:
    return made<vector>(n, [grid = data<float>(energies, make_energy()),
                            table = data<cross_section>(energies * nuclides, make_cross_section())](
                               const auto& to, std::uint64_t size) {
      tabulate(to, size, look_up{grid->data(), table->data()});
    });
  case which::sparse: {
    const auto all = static_cast<std::uint64_t>(begin_of_row(n));
    return made<double>(n, [begins = data<std::int64_t>(n + 1, make_begin()),
                            columns = data<std::int32_t>(all, make_column{n}),
                            values = data<double>(all, make_double{0}),
                            x = doubles(9)](const auto& to, std::uint64_t size) {
      tabulate(to, size, multiply_row{begins->data(), columns->data(), values->data(), x->data()});
    });
  }
  case which::stream_copy:
    return transformed<double>(n, doubles(0), copy_double());
  case which::stream_mul:
    return transformed<double>(n, doubles(0), scale_double());
  case which::stream_add:
    return transformed<double>(n, doubles(0), doubles(9), thrust::plus<double>());
  case which::stream_triad:
    return transformed<double>(n, doubles(0), doubles(9), add_scaled());
  case which::stream_dot:
    return std::make_unique<dot>(n);
  }
  return nullptr;
}

} // namespace apps
