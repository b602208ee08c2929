// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs as loops over all cores: the baseline on a CPU, and the reference of all checks.
#include "programs.hpp"

#include <algorithm>
#include <array>

namespace simulations {
namespace {

class jacobi final : public program {
public:
  explicit jacobi(int n) : n_(n), u_(places(n)), next_(u_), load_(u_) {
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        load_[at(y, x)] = load_at(n, y, x);
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      double change = 0;
      // The border stays zero, as it is in both buffers.
#pragma omp parallel for reduction(max : change)
      for (int y = 1; y < n_ - 1; ++y) {
        const double *const up = &u_[at(y - 1, 0)], *const own = &u_[at(y, 0)],
                            *const down = &u_[at(y + 1, 0)], *const load = &load_[at(y, 0)];
        double* const next = &next_[at(y, 0)];
        double most = 0;
#pragma omp simd reduction(max : most)
        for (int x = 1; x < n_ - 1; ++x) {
          next[x] = jacobi_at(up[x], own[x - 1], own[x + 1], down[x], load[x]);
          const double by = std::fabs(next[x] - own[x]);
          most = by > most ? by : most;
        }
        change = std::max(change, most);
      }
      change_ = change;
      std::swap(u_, next_);
      if (!(change > tolerance))
        break;
    }
  }
  std::vector<double> result() override { return u_; }
  double last_read() override { return change_; }

private:
  static std::vector<double> places(int n) {
    return std::vector<double>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  }
  std::size_t at(int y, int x) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(x);
  }
  int n_;
  std::vector<double> u_, next_, load_;
  double change_ = 0;
};

class conjugate_gradient final : public program {
public:
  conjugate_gradient(int n, const graph& g)
      : n_(n), graph_(g), x_(static_cast<std::size_t>(n)), r_(x_), p_(x_), ap_(x_) {
    for (int v = 0; v < n; ++v)
      r_[static_cast<std::size_t>(v)] = source_at(v);
    p_ = r_;
    for (const double r : r_)
      rr_ += r * r;
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      double pap = 0, next = 0;
#pragma omp parallel for reduction(+ : pap)
      for (int v = 0; v < n_; ++v) {
        const auto i = static_cast<std::size_t>(v);
        double sum = shift * p_[i];
        for (std::int32_t e = graph_.first[i]; e < graph_.first[i + 1]; ++e)
          sum += p_[i] - p_[static_cast<std::size_t>(graph_.to[static_cast<std::size_t>(e)])];
        ap_[i] = sum;
        pap += p_[i] * sum;
      }
      const double step = rr_ / pap;
#pragma omp parallel for reduction(+ : next)
      for (int v = 0; v < n_; ++v) {
        const auto i = static_cast<std::size_t>(v);
        x_[i] += step * p_[i];
        r_[i] -= step * ap_[i];
        next += r_[i] * r_[i];
      }
      const double by = next / rr_;
#pragma omp parallel for
      for (int v = 0; v < n_; ++v) {
        const auto i = static_cast<std::size_t>(v);
        p_[i] = r_[i] + by * p_[i];
      }
      rr_ = next;
      if (!(rr_ > tolerance))
        break;
    }
  }
  std::vector<double> result() override { return x_; }
  double last_read() override { return rr_; }

private:
  int n_;
  graph graph_;
  std::vector<double> x_, r_, p_, ap_;
  double rr_ = 0;
};

class pagerank final : public program {
public:
  pagerank(int n, const graph& g)
      : n_(n), graph_(g), rank_(static_cast<std::size_t>(n), 1.0 / n), share_(rank_), next_(rank_) {
    for (std::size_t i = 0; i < rank_.size(); ++i)
      share_[i] = rank_[i] / double(graph_.first[i + 1] - graph_.first[i]);
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      double change = 0;
#pragma omp parallel for reduction(+ : change)
      for (int v = 0; v < n_; ++v) {
        const auto i = static_cast<std::size_t>(v);
        const std::int32_t begin = graph_.first[i], end = graph_.first[i + 1];
        double sum = 0;
        for (std::int32_t e = begin; e < end; ++e)
          sum += share_[static_cast<std::size_t>(graph_.to[static_cast<std::size_t>(e)])];
        const double value = (1 - damping) / n_ + damping * sum;
        change += std::fabs(value - rank_[i]);
        rank_[i] = value;
        next_[i] = value / double(end - begin);
      }
      change_ = change;
      std::swap(share_, next_);
      if (!(change > tolerance))
        break;
    }
  }
  std::vector<double> result() override { return rank_; }
  double last_read() override { return change_; }

private:
  int n_;
  graph graph_;
  std::vector<double> rank_, share_, next_; // what a vertex gives to its neighbours
  double change_ = 0;
};

class life final : public program {
public:
  explicit life(int n)
      : n_(n), cells_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), next_(cells_) {
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        cells_[at(y, x)] = alive_at(y, x);
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
#pragma omp parallel for
      for (int y = 0; y < n_; ++y) {
        const std::uint8_t *const up = &cells_[at((y + n_ - 1) % n_, 0)],
                                  *const own = &cells_[at(y, 0)],
                                  *const low = &cells_[at((y + 1) % n_, 0)];
        std::uint8_t* const next = &next_[at(y, 0)];
        const auto one = [&](int left, int x, int right) {
          const int around = up[left] + up[x] + up[right] + own[left] + own[right] + low[left] +
                             low[x] + low[right];
          next[x] = lives(around, own[x]);
        };
        one(n_ - 1, 0, 1);
#pragma omp simd
        for (int x = 1; x < n_ - 1; ++x) {
          const auto around =
              static_cast<std::uint8_t>(up[x - 1] + up[x] + up[x + 1] + own[x - 1] + own[x + 1] +
                                        low[x - 1] + low[x] + low[x + 1]);
          next[x] = static_cast<std::uint8_t>((around == 3) | ((around == 2) & (own[x] != 0)));
        }
        one(n_ - 2, n_ - 1, 0);
      }
      std::swap(cells_, next_);
    }
  }
  std::vector<double> result() override { return {cells_.begin(), cells_.end()}; }
  double last_read() override { return 0; }

private:
  std::size_t at(int y, int x) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(x);
  }
  int n_;
  std::vector<std::uint8_t> cells_, next_;
};

class mandelbrot final : public program {
public:
  explicit mandelbrot(int n)
      : n_(n), times_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
  void run(int turns) override {
    const double step = mandelbrot_step(n_);
    for (int k = 0; k < turns; ++k)
#pragma omp parallel for schedule(dynamic, 4)
      for (int y = 0; y < n_; ++y)
        for (int x = 0; x < n_; ++x)
          times_[static_cast<std::size_t>(y) * static_cast<std::size_t>(n_) +
                 static_cast<std::size_t>(x)] = escape_time(-2.25 + step * x, -1.5 + step * y);
  }
  std::vector<double> result() override { return {times_.begin(), times_.end()}; }
  double last_read() override { return 0; }

private:
  int n_;
  std::vector<int> times_;
};

/// Densities are nine arrays.
class lattice_boltzmann final : public program {
public:
  explicit lattice_boltzmann(int n) : n_(n) {
    for (int q = 0; q < 9; ++q) {
      now_[static_cast<std::size_t>(q)].assign(
          static_cast<std::size_t>(n) * static_cast<std::size_t>(n), weight(q));
      next_[static_cast<std::size_t>(q)] = now_[static_cast<std::size_t>(q)];
    }
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
#pragma omp parallel for
      for (int y = 0; y < n_; ++y) {
        if (is_wall(n_, y))
          row<true>(y);
        else
          row<false>(y);
      }
      std::swap(now_, next_);
    }
  }
  std::vector<double> result() override {
    std::vector<double> all(now_[0].size());
    for (std::size_t q = 1; q < 9; ++q)
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] += static_cast<double>(q) * double(now_[q][i]);
    return all;
  }
  double last_read() override { return 0; }

private:
  template <bool IsWall> void row(int y) {
    const float* from[9];
    float* to[9];
    for (int q = 0; q < 9; ++q) {
      const auto k = static_cast<std::size_t>(q), n = static_cast<std::size_t>(n_);
      from[q] = &now_[k][static_cast<std::size_t>((y - down(q) + n_) % n_) * n];
      to[q] = &next_[k][static_cast<std::size_t>(y) * n];
    }
    cells<IsWall>(from, to, 0, 1, [n = n_](int x) { return (x + n) % n; });
    cells<IsWall>(from, to, 1, n_ - 1, [](int x) { return x; });
    cells<IsWall>(from, to, n_ - 1, n_, [n = n_](int x) { return (x + n) % n; });
  }
  template <bool IsWall, class Wrap>
  static void cells(const float* const (&from)[9], float* const (&to)[9], int begin, int end,
                    const Wrap& wrap) {
#pragma omp simd
    for (int x = begin; x < end; ++x) {
      float f[9];
#pragma GCC unroll 9
      for (int q = 0; q < 9; ++q)
        f[q] = from[q][wrap(x - right(q))];
      collide(f, IsWall);
#pragma GCC unroll 9
      for (int q = 0; q < 9; ++q)
        to[q][x] = f[q];
    }
  }

  int n_;
  std::array<std::vector<float>, 9> now_, next_;
};

/// On one core: a turn is shorter than the start of others.
class small final : public program {
public:
  small(which what, int n) : is_tested_(what == which::small_tested) {
    for (int i = 0; i < n; ++i)
      v_.push_back(i);
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      int sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = 0; i < v_.size(); ++i) {
        v_[i] = small_step(v_[i]);
        sum += v_[i];
      }
      if (!is_tested_)
        continue;
      sum_ = sum;
      if (!(sum_ > tolerance))
        break;
    }
  }
  std::vector<double> result() override { return {v_.begin(), v_.end()}; }
  double last_read() override { return sum_; }

private:
  bool is_tested_;
  std::vector<int> v_;
  double sum_ = 0;
};

} // namespace

std::unique_ptr<program> by_openmp(const task& t) {
  const auto [what, n] = std::pair(t.what, t.n);
  switch (what) {
  case which::jacobi:
    return std::make_unique<jacobi>(n);
  case which::conjugate_gradient:
    return std::make_unique<conjugate_gradient>(n, t.of);
  case which::pagerank:
    return std::make_unique<pagerank>(n, t.of);
  case which::life:
    return std::make_unique<life>(n);
  case which::mandelbrot:
    return std::make_unique<mandelbrot>(n);
  case which::lattice_boltzmann:
    return std::make_unique<lattice_boltzmann>(n);
  case which::small_maps:
  case which::small_tested:
    return std::make_unique<small>(what, n);
  }
  return nullptr;
}

} // namespace simulations
