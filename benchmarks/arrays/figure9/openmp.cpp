// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand, for all cores: loop nests over memory that is there before the first run.
// Where all of a program is one loop nest, a row of it goes through all turns at once, which
// vectorises.
#include "programs.hpp"

#include <utility>

namespace figure9 {
namespace {

/// Calls row(first position, place of it, elements) for all rows, in parallel.
template <class Row> void for_rows(const shape& s, const Row& row) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int32_t a = 0; a < s.a; ++a)
    for (std::int32_t b = 0; b < s.b; ++b)
      for (std::int32_t c = 0; c < s.c; ++c)
        row(((static_cast<std::int64_t>(a) * s.b + b) * s.c + c) * s.d, place{a, b, c, 0}, s.d);
}

/// f(v, place) for all elements of a row.
template <class F> inline void map_row(std::int32_t* v, place x, std::int32_t n, const F& f) {
#pragma omp simd
  for (std::int32_t d = 0; d < n; ++d)
    v[d] = f(v[d], place{x.a, x.b, x.c, d});
}
template <class F> inline void make_row(std::int32_t* v, place x, std::int32_t n, const F& f) {
#pragma omp simd
  for (std::int32_t d = 0; d < n; ++d)
    v[d] = f(place{x.a, x.b, x.c, d});
}

constexpr auto first_c = [](place x) { return new_c(x); };

void first_row(which what, std::int32_t* v, place x, std::int32_t n) {
  if (what == which::p1)
    make_row(v, x, n, [](place p) { return new_p1(p); });
  else
    make_row(v, x, n, first_c);
}
void turn_of_row(which what, int turn, std::int32_t* v, place x, std::int32_t n) {
  switch (what) {
  case which::p1:
    return map_row(v, x, n, [](std::int32_t e, place p) { return map_p1(e, p); });
  case which::p3:
    return map_row(v, x, n, [](std::int32_t e, place p) { return map_p3(e, p); });
  case which::p6:
    return map_row(v, x, n, [](std::int32_t e, place p) { return turn_p6(e, p); });
  default:
    if (turn % 2 == 1)
      map_row(v, x, n, [](std::int32_t e, place p) { return map_p7<3>(map_p7<2>(e, p), p); });
    else if (turn % 3 == 0)
      map_row(v, x, n, [](std::int32_t e, place p) { return map_p7<0>(e, p); });
    else
      map_row(v, x, n, [](std::int32_t e, place p) { return map_p7<1>(e, p); });
    map_row(v, x, n, [](std::int32_t e, place p) { return map_p7<4>(e, p); });
  }
}

class maps final : public program {
public:
  maps(which what, form how, const shape& s)
      : what_(what), how_(how), shape_(s), values_(s.volume()) {}

  void run() override {
    std::int32_t* const v = values_.data();
    if (how_ == form::fused) {
      for_rows(shape_,
               [&](std::int64_t i, place x, std::int32_t n) { first_row(what_, v + i, x, n); });
      for (int k = 0; k < turns(what_); ++k)
        for_rows(shape_, [&](std::int64_t i, place x, std::int32_t n) {
          turn_of_row(what_, k, v + i, x, n);
        });
    } else {
      for_rows(shape_, [&](std::int64_t i, place x, std::int32_t n) {
        first_row(what_, v + i, x, n);
        for (int k = 0; k < turns(what_); ++k)
          turn_of_row(what_, k, v + i, x, n);
      });
    }
  }
  std::vector<std::int32_t> result() override { return values_; }

private:
  which what_;
  form how_;
  shape shape_;
  std::vector<std::int32_t> values_;
};

class stencils final : public program {
public:
  stencils(which what, const shape& s)
      : shape_(s), times_(turns(what)), now_(s.volume()), next_(s.volume()) {}

  void run() override {
    for_rows(shape_, [&](std::int64_t i, place x, std::int32_t n) {
      make_row(now_.data() + i, x, n, [](place p) { return new_p2(p); });
    });
    const std::int64_t in_b = static_cast<std::int64_t>(shape_.c) * shape_.d,
                       in_a = in_b * shape_.b;
    for (int k = 0; k < times_; ++k) {
      for_rows(shape_, [&](std::int64_t i, place x, std::int32_t n) {
        std::int32_t* const to = next_.data() + i;
        const std::int32_t* const v = now_.data() + i;
        if (x.a == 0 || x.b == 0 || x.a == shape_.a - 1) {
          for (std::int32_t d = 0; d < n; ++d)
            to[d] = outside;
          return;
        }
#pragma omp simd
        for (std::int32_t d = 0; d < n; ++d)
          to[d] =
              stencil(v[d - in_a], v[d], v[d + in_a], v[d - in_a - in_b], place{x.a, x.b, x.c, d});
      });
      std::swap(now_, next_);
    }
  }
  std::vector<std::int32_t> result() override { return now_; }

private:
  shape shape_;
  int times_;
  std::vector<std::int32_t> now_, next_;
};

} // namespace

std::unique_ptr<program> by_openmp(which what, form how, const shape& s) {
  if (what == which::p2 || what == which::p4)
    return how == form::fused ? std::make_unique<stencils>(what, s) : nullptr;
  if (how == form::whole || (how == form::fused && what != which::p1))
    return std::make_unique<maps>(what, how, s);
  return nullptr;
}

} // namespace figure9
