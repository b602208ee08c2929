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
#pragma omp parallel for reduction(max : change)
      for (int y = 0; y < n_; ++y)
        for (int x = 0; x < n_; ++x) {
          const bool is_border = y == 0 || y == n_ - 1 || x == 0 || x == n_ - 1;
          const double value = is_border
                                   ? 0.0
                                   : jacobi_at(u_[at(y - 1, x)], u_[at(y, x - 1)], u_[at(y, x + 1)],
                                               u_[at(y + 1, x)], load_[at(y, x)]);
          change = std::max(change, std::fabs(value - u_[at(y, x)]));
          next_[at(y, x)] = value;
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
  explicit conjugate_gradient(int n)
      : n_(n), graph_(make_graph(n)), x_(static_cast<std::size_t>(n)), r_(x_), p_(x_), ap_(x_) {
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
  explicit pagerank(int n)
      : n_(n), graph_(make_graph(n)), rank_(static_cast<std::size_t>(n), 1.0 / n), next_(rank_),
        share_(rank_) {}
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      double change = 0;
#pragma omp parallel for
      for (int v = 0; v < n_; ++v) {
        const auto i = static_cast<std::size_t>(v);
        share_[i] = rank_[i] / double(graph_.first[i + 1] - graph_.first[i]);
      }
#pragma omp parallel for reduction(+ : change)
      for (int v = 0; v < n_; ++v) {
        const auto i = static_cast<std::size_t>(v);
        double sum = 0;
        for (std::int32_t e = graph_.first[i]; e < graph_.first[i + 1]; ++e)
          sum += share_[static_cast<std::size_t>(graph_.to[static_cast<std::size_t>(e)])];
        next_[i] = (1 - damping) / n_ + damping * sum;
        change += std::fabs(next_[i] - rank_[i]);
      }
      change_ = change;
      std::swap(rank_, next_);
      if (!(change > tolerance))
        break;
    }
  }
  std::vector<double> result() override { return rank_; }
  double last_read() override { return change_; }

private:
  int n_;
  graph graph_;
  std::vector<double> rank_, next_, share_;
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
        const int up = (y + n_ - 1) % n_, low = (y + 1) % n_;
        for (int x = 0; x < n_; ++x) {
          const int left = x == 0 ? n_ - 1 : x - 1, next = x == n_ - 1 ? 0 : x + 1;
          const int around = cells_[at(up, left)] + cells_[at(up, x)] + cells_[at(up, next)] +
                             cells_[at(y, left)] + cells_[at(y, next)] + cells_[at(low, left)] +
                             cells_[at(low, x)] + cells_[at(low, next)];
          next_[at(y, x)] = lives(around, cells_[at(y, x)]);
        }
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

class lattice_boltzmann final : public program {
public:
  explicit lattice_boltzmann(int n)
      : n_(n), cells_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), next_(cells_) {
    for (auto& c : cells_)
      for (int q = 0; q < 9; ++q)
        c[static_cast<std::size_t>(q)] = weight(q);
  }
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
#pragma omp parallel for
      for (int y = 0; y < n_; ++y)
        for (int x = 0; x < n_; ++x) {
          float f[9];
          for (int q = 0; q < 9; ++q)
            f[q] = cells_[at((y - down(q) + n_) % n_, (x - right(q) + n_) % n_)]
                         [static_cast<std::size_t>(q)];
          collide(f, is_wall(n_, y));
          std::copy_n(f, 9, next_[at(y, x)].begin());
        }
      std::swap(cells_, next_);
    }
  }
  std::vector<double> result() override {
    std::vector<double> all;
    for (const auto& c : cells_) {
      double sum = 0;
      for (int q = 1; q < 9; ++q)
        sum += q * double(c[static_cast<std::size_t>(q)]);
      all.push_back(sum);
    }
    return all;
  }
  double last_read() override { return 0; }

private:
  std::size_t at(int y, int x) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(x);
  }
  int n_;
  std::vector<std::array<float, 9>> cells_, next_;
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

std::unique_ptr<program> by_openmp(which what, int n) {
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
  case which::small_maps:
  case which::small_tested:
    return std::make_unique<small>(what, n);
  }
  return nullptr;
}

} // namespace simulations
