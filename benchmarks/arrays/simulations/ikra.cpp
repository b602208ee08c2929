// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs as users of ikra write them. Compiled through ikrac.
#include "programs.hpp"

#include <ikra/ikra.hpp>

#include <array>
#include <complex>

namespace simulations {
namespace {

using numbers = ikra::array<double>;

class waiting : public program {
public:
  explicit waiting(void (*wait)()) : wait_(wait) {}
  double last_read() override { return read_; }

protected:
  void finish() const {
    if (wait_ != nullptr)
      wait_();
  }
  /// Has the array computed where sections run: nothing comes to the host.
  template <class T, int R> static void compute(const ikra::array<T, R>& a) {
    ikra::detail::evaluate(*ikra::detail::array_access::command_of(a));
  }
  double read_ = 0;

private:
  void (*wait_)();
};

class jacobi final : public waiting {
public:
  jacobi(int n, void (*wait)())
      : waiting(wait), u_(ikra::pnew({n, n}, [](ikra::index<2>) { return 0.0; })),
        load_(ikra::pnew({n, n}, [n](ikra::index<2> at) {
          return load_at(n, static_cast<int>(at[0]), static_cast<int>(at[1]));
        })) {
    compute(u_);
    compute(load_);
    finish();
  }
  void run(int turns) override {
    auto u = u_;
    const auto load = load_;
    double change = 1;
    ikra::host_section([&] {
      for (int k = 0; k < turns && change > tolerance; ++k) {
        const auto next = u.pzip(load).pstencil(
            {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, 0.0, [](const auto& v) {
              const auto near = [&](int y, int x) { return std::get<0>(v(y, x)); };
              return jacobi_at(near(-1, 0), near(0, -1), near(0, 1), near(1, 0),
                               std::get<1>(v(0, 0)));
            });
        change = next.pcombine(u, [](double a, double b) { return std::fabs(a - b); })
                     .preduce(ikra::max)
                     .value();
        u = next;
      }
    });
    u_ = u;
    read_ = change;
    finish();
  }
  std::vector<double> result() override { return u_.to_vector(); }

private:
  ikra::array<double, 2> u_, load_;
};

struct device_graph {
  explicit device_graph(const graph& g) : first(g.first), to(g.to) {}
  ikra::array<std::int32_t> first, to;
};

double dot(const numbers& a, const numbers& b) {
  return a.pcombine(b, [](double x, double y) { return x * y; }).sum();
}

class conjugate_gradient final : public waiting {
public:
  conjugate_gradient(int n, const graph& g, void (*wait)())
      : waiting(wait), graph_(g), x_(ikra::pnew(n, [](std::int64_t) { return 0.0; })),
        r_(ikra::pnew(n, [](std::int64_t v) { return source_at(static_cast<int>(v)); })), p_(r_) {
    rr_ = dot(r_, r_);
    compute(x_);
    compute(p_);
    finish();
  }
  void run(int turns) override {
    numbers x = x_, r = r_, p = p_;
    const auto first = graph_.first, to = graph_.to;
    double rr = rr_;
    ikra::host_section([&] {
      for (int k = 0; k < turns && rr > tolerance; ++k) {
        const numbers ap = p.with_index().pmap([p, first, to](double own, std::int64_t v) {
          double sum = shift * own;
          for (std::int32_t e = first[v]; e < first[v + 1]; ++e)
            sum += own - p[to[e]];
          return sum;
        });
        const double step = rr / dot(p, ap);
        x = x.pcombine(p, [step](double a, double d) { return a + step * d; });
        r = r.pcombine(ap, [step](double a, double d) { return a - step * d; });
        const double next = dot(r, r);
        p = r.pcombine(p, [by = next / rr](double a, double d) { return a + by * d; });
        rr = next;
      }
    });
    compute(x);
    compute(p);
    x_ = x;
    r_ = r;
    p_ = p;
    read_ = rr_ = rr;
    finish();
  }
  std::vector<double> result() override { return x_.to_vector(); }

private:
  device_graph graph_;
  numbers x_, r_, p_;
  double rr_ = 0;
};

class pagerank final : public waiting {
public:
  pagerank(int n, const graph& g, void (*wait)())
      : waiting(wait), n_(n), graph_(g),
        rank_(ikra::pnew(n, [n](std::int64_t) { return 1.0 / n; })) {
    compute(rank_);
    finish();
  }
  void run(int turns) override {
    numbers rank = rank_;
    const auto first = graph_.first, to = graph_.to;
    const std::int64_t n = n_;
    const double base = (1 - damping) / double(n);
    double change = 1;
    ikra::host_section([&] {
      for (int k = 0; k < turns && change > tolerance; ++k) {
        const numbers share = rank.with_index().pmap(
            [first](double r, std::int64_t v) { return r / double(first[v + 1] - first[v]); });
        const numbers next = ikra::pnew(n, [share, base, first, to](std::int64_t v) {
          double sum = 0;
          for (std::int32_t e = first[v]; e < first[v + 1]; ++e)
            sum += share[to[e]];
          return base + damping * sum;
        });
        change = next.pcombine(rank, [](double a, double b) { return std::fabs(a - b); }).sum();
        rank = next;
      }
    });
    rank_ = rank;
    read_ = change;
    finish();
  }
  std::vector<double> result() override { return rank_.to_vector(); }

private:
  std::int64_t n_;
  device_graph graph_;
  numbers rank_;
};

class life final : public waiting {
public:
  life(int n, void (*wait)())
      : waiting(wait), cells_(ikra::pnew({n, n}, [](ikra::index<2> at) {
          return alive_at(static_cast<int>(at[0]), static_cast<int>(at[1]));
        })) {
    compute(cells_);
    finish();
  }
  void run(int turns) override {
    auto cells = cells_;
    ikra::host_section([&] {
      for (int k = 0; k < turns; ++k)
        cells = cells.pstencil(ikra::box<1, 1>, ikra::wrap, [](const auto& v) {
          int around = 0;
          for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x)
              around += v(y, x);
          return lives(around - v(0, 0), v(0, 0));
        });
    });
    compute(cells);
    cells_ = cells;
    finish();
  }
  std::vector<double> result() override {
    const auto all = cells_.to_vector();
    return {all.begin(), all.end()};
  }

private:
  ikra::array<std::uint8_t, 2> cells_;
};

class mandelbrot final : public waiting {
public:
  mandelbrot(int n, void (*wait)()) : waiting(wait), n_(n) {}
  void run(int turns) override {
    for (int k = 0; k < turns; ++k) {
      times_ = ikra::pnew({n_, n_}, [step = mandelbrot_step(n_)](ikra::index<2> at) {
        const std::complex<double> c(-2.25 + step * double(at[1]), -1.5 + step * double(at[0]));
        std::complex<double> z = 0;
        int n = 0;
        while (n < most_steps && std::norm(z) <= 4.0) {
          z = z * z + c;
          ++n;
        }
        return n;
      });
      compute(times_);
    }
    finish();
  }
  std::vector<double> result() override {
    const auto all = times_.to_vector();
    return {all.begin(), all.end()};
  }

private:
  int n_;
  ikra::array<int, 2> times_;
};

struct cell {
  std::array<float, 9> f;
};

class lattice_boltzmann final : public waiting {
public:
  lattice_boltzmann(int n, void (*wait)())
      : waiting(wait), n_(n), cells_(ikra::pnew({n, n}, [](ikra::index<2>) {
          cell c{};
          for (int q = 0; q < 9; ++q)
            c.f[static_cast<std::size_t>(q)] = weight(q);
          return c;
        })) {
    compute(cells_);
    finish();
  }
  void run(int turns) override {
    auto cells = cells_;
    for (int k = 0; k < turns; ++k)
      cells = cells.with_index().pstencil(
          ikra::box<1, 1>, ikra::wrap, [n = n_](const auto& v, ikra::index<2> at) {
            float f[9];
            for (int q = 0; q < 9; ++q)
              f[q] = v(-down(q), -right(q)).f[static_cast<std::size_t>(q)];
            collide(f, is_wall(n, static_cast<int>(at[0])));
            cell c{};
            for (int q = 0; q < 9; ++q)
              c.f[static_cast<std::size_t>(q)] = f[q];
            return c;
          });
    compute(cells);
    cells_ = cells;
    finish();
  }
  std::vector<double> result() override {
    std::vector<double> all;
    for (const cell c : cells_) {
      double sum = 0;
      for (int q = 1; q < 9; ++q)
        sum += q * double(c.f[static_cast<std::size_t>(q)]);
      all.push_back(sum);
    }
    return all;
  }

private:
  int n_;
  ikra::array<cell, 2> cells_;
};

class small final : public waiting {
public:
  small(which what, int n, void (*wait)())
      : waiting(wait), is_tested_(what == which::small_tested),
        v_(ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i); })) {
    compute(v_);
    finish();
  }
  void run(int turns) override {
    auto v = v_;
    int sum = 0;
    if (is_tested_)
      ikra::host_section([&] {
        for (int k = 0; k < turns && sum > tolerance; ++k) {
          v = v.pmap([](int x) { return small_step(x); });
          sum = v.sum();
        }
      });
    else
      ikra::host_section([&] {
        for (int k = 0; k < turns; ++k)
          v = v.pmap([](int x) { return small_step(x); });
      });
    compute(v);
    v_ = v;
    read_ = sum;
    finish();
  }
  std::vector<double> result() override {
    const auto all = v_.to_vector();
    return {all.begin(), all.end()};
  }

private:
  bool is_tested_;
  ikra::array<int> v_;
};

} // namespace

std::unique_ptr<program> by_ikra(const task& t, void (*wait)()) {
  const auto [what, n] = std::pair(t.what, t.n);
  switch (what) {
  case which::jacobi:
    return std::make_unique<jacobi>(n, wait);
  case which::conjugate_gradient:
    return std::make_unique<conjugate_gradient>(n, t.of, wait);
  case which::pagerank:
    return std::make_unique<pagerank>(n, t.of, wait);
  case which::life:
    return std::make_unique<life>(n, wait);
  case which::mandelbrot:
    return std::make_unique<mandelbrot>(n, wait);
  case which::lattice_boltzmann:
    return std::make_unique<lattice_boltzmann>(n, wait);
  case which::small_maps:
  case which::small_tested:
    return std::make_unique<small>(what, n, wait);
  }
  return nullptr;
}

} // namespace simulations
