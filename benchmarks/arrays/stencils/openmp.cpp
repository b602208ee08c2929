// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand, for all cores: loop nests over two buffers that take turns, whose innermost
// loops vectorise.
#include "programs.hpp"

#include <algorithm>
#include <utility>

namespace stencils {
namespace {

class loops final : public program {
public:
  loops(which what, const shape& s) : what_(what), shape_(s), now_(s.volume()), next_(s.volume()) {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int32_t a = 0; a < s.a; ++a)
      for (std::int32_t b = 0; b < s.b; ++b)
        for (std::int32_t c = 0; c < s.c; ++c)
          now_[position(a, b, c)] = initial(what, s, a, b, c);
    next_ = now_; // borders that stay are there
    if (what == which::himeno)
      for (std::size_t k = 0; k < std::size(coefficients); ++k)
        coefficients_[k].assign(s.volume(), coefficients[k]);
  }

  void run(int times) override {
    for (int i = 0; i < times; ++i) {
      switch (what_) {
      case which::heat_2d:
        heat_2d();
        break;
      case which::blur:
        blur();
        break;
      case which::heat_3d:
        heat_3d();
        break;
      case which::chain:
        smooth();
        std::swap(now_, next_);
        smooth();
        std::swap(now_, next_);
        smooth();
        break;
      case which::himeno:
        himeno();
        break;
      }
      std::swap(now_, next_);
    }
  }
  std::vector<float> result() override { return now_; }
  double residual() override { return residual_; }

private:
  static constexpr float coefficients[] = {a_1,   a_1,   a_1,   a_4,   b_all, b_all,
                                           b_all, c_all, c_all, c_all, bnd,   wrk_1};

  std::size_t position(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return (static_cast<std::size_t>(a) * static_cast<std::size_t>(shape_.b) +
            static_cast<std::size_t>(b)) *
               static_cast<std::size_t>(shape_.c) +
           static_cast<std::size_t>(c);
  }

  void heat_2d() {
#pragma omp parallel for schedule(static)
    for (std::int32_t b = 1; b < shape_.b - 1; ++b) {
      const float* const v = now_.data() + position(0, b, 0);
      float* const to = next_.data() + position(0, b, 0);
      const std::int32_t row = shape_.c;
#pragma omp simd
      for (std::int32_t c = 1; c < row - 1; ++c)
        to[c] = v[c] + diffusion * (v[c - row] + v[c + row] + v[c - 1] + v[c + 1] - 4.0f * v[c]);
    }
  }

  void blur() {
    const std::int32_t row = shape_.c;
#pragma omp parallel for schedule(static)
    for (std::int32_t b = 0; b < shape_.b; ++b) {
      const float* const rows[] = {now_.data() + position(0, std::max(b - 1, 0), 0),
                                   now_.data() + position(0, b, 0),
                                   now_.data() + position(0, std::min(b + 1, shape_.b - 1), 0)};
      float* const to = next_.data() + position(0, b, 0);
      const auto at = [&](std::int32_t left, std::int32_t c, std::int32_t right) {
        float sum = 0;
        for (const float* v : rows)
          sum += v[left] + v[c] + v[right];
        return sum * (1.0f / 9);
      };
      to[0] = at(0, 0, std::min(1, row - 1));
#pragma omp simd
      for (std::int32_t c = 1; c < row - 1; ++c)
        to[c] = at(c - 1, c, c + 1);
      to[row - 1] = at(std::max(row - 2, 0), row - 1, row - 1);
    }
  }

  void heat_3d() {
    const std::int32_t row = shape_.c;
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(row) * shape_.b;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int32_t a = 1; a < shape_.a - 1; ++a)
      for (std::int32_t b = 1; b < shape_.b - 1; ++b) {
        const float* const v = now_.data() + position(a, b, 0);
        float* const to = next_.data() + position(a, b, 0);
#pragma omp simd
        for (std::int32_t c = 1; c < row - 1; ++c)
          to[c] = v[c] + diffusion * (v[c - plane] + v[c + plane] + v[c - row] + v[c + row] +
                                      v[c - 1] + v[c + 1] - 6.0f * v[c]);
      }
  }

  void smooth() {
    const std::int32_t last = shape_.c - 1;
    const float* const v = now_.data();
    float* const to = next_.data();
    const auto mean = [](float x, float y, float z) { return (x + y + z) * (1.0f / 3); };
    to[0] = mean(v[0], v[0], v[std::min(1, last)]);
#pragma omp parallel for simd schedule(static)
    for (std::int32_t c = 1; c < last; ++c)
      to[c] = mean(v[c - 1], v[c], v[c + 1]);
    to[last] = mean(v[std::max(last - 1, 0)], v[last], v[last]);
  }

  void himeno() {
    const std::int32_t row = shape_.c;
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(row) * shape_.b;
    double sum = 0;
#pragma omp parallel for collapse(2) schedule(static) reduction(+ : sum)
    for (std::int32_t a = 1; a < shape_.a - 1; ++a)
      for (std::int32_t b = 1; b < shape_.b - 1; ++b) {
        const std::size_t first = position(a, b, 0);
        const float* const p = now_.data() + first;
        float* const to = next_.data() + first;
        const auto k = [&](std::size_t n) { return coefficients_[n].data() + first; };
        const float *const a0 = k(0), *const a1 = k(1), *const a2 = k(2), *const a3 = k(3),
                           *const b0 = k(4), *const b1 = k(5), *const b2 = k(6), *const c0 = k(7),
                           *const c1 = k(8), *const c2 = k(9), *const boundary = k(10),
                           *const work = k(11);
        double of_row = 0;
#pragma omp simd reduction(+ : of_row)
        for (std::int32_t c = 1; c < row - 1; ++c) {
          const float s0 =
              a0[c] * p[c + plane] + a1[c] * p[c + row] + a2[c] * p[c + 1] +
              b0[c] * (p[c + plane + row] - p[c + plane - row] - p[c - plane + row] +
                       p[c - plane - row]) +
              b1[c] * (p[c + row + 1] - p[c - row + 1] - p[c + row - 1] + p[c - row - 1]) +
              b2[c] * (p[c + plane + 1] - p[c - plane + 1] - p[c + plane - 1] + p[c - plane - 1]) +
              c0[c] * p[c - plane] + c1[c] * p[c - row] + c2[c] * p[c - 1] + work[c];
          const float ss = (s0 * a3[c] - p[c]) * boundary[c];
          of_row += static_cast<double>(ss) * ss;
          to[c] = p[c] + omega * ss;
        }
        sum += of_row;
      }
    residual_ = sum;
  }

  which what_;
  shape shape_;
  std::vector<float> now_, next_;
  std::vector<float> coefficients_[12];
  double residual_ = 0;
};

} // namespace

std::unique_ptr<program> by_openmp(which what, const shape& s) {
  return std::make_unique<loops>(what, s);
}

} // namespace stencils
