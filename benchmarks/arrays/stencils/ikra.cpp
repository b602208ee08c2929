// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs as users of ikra write them. Compiled through ikrac.
#include "programs.hpp"

#include <ikra/ikra.hpp>

#include <optional>

namespace stencils {
namespace {

using line = ikra::array<float, 1>;
using plane = ikra::array<float, 2>;
using cube = ikra::array<float, 3>;

plane heat(const plane& v) {
  return v.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::keep, [](const auto& n) {
    return n(0, 0) + diffusion * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4.0f * n(0, 0));
  });
}

plane blur(const plane& v) {
  return v.pstencil(ikra::box<1, 1>, ikra::clamp, [](const auto& n) {
    float sum = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        sum += n(y, x);
    return sum * (1.0f / 9);
  });
}

cube heat(const cube& v) {
  return v.pstencil(
      {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, ikra::keep,
      [](const auto& n) {
        return n(0, 0, 0) + diffusion * (n(-1, 0, 0) + n(1, 0, 0) + n(0, -1, 0) + n(0, 1, 0) +
                                         n(0, 0, -1) + n(0, 0, 1) - 6.0f * n(0, 0, 0));
      });
}

line smooth(const line& v) {
  const auto mean = [](const auto& n) { return (n[-1] + n[0] + n[1]) * (1.0f / 3); };
  return v.pstencil({-1, 0, 1}, ikra::clamp, mean)
      .pstencil({-1, 0, 1}, ikra::clamp, mean)
      .pstencil({-1, 0, 1}, ikra::clamp, mean);
}

/// The Himeno benchmark: steps of Jacobi's method for Poisson's equation. Only the last one's
/// change is kept, as by hand.
struct himeno {
  cube p;
  cube a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, boundary, work;
  cube change{};

  /// The loop is a turn, which needs local variables.
  void run(int steps) {
    cube now = p;
    const cube x_0 = a0, x_1 = a1, x_2 = a2, y_0 = b0, y_1 = b1, y_2 = b2, z_0 = c0, z_1 = c1,
               z_2 = c2, diagonal = a3, inside = boundary, source = work;
    const auto changed = [&](const cube& from) {
      return from.pzip(x_0, x_1, x_2, y_0, y_1, y_2, z_0, z_1, z_2)
          .pstencil(ikra::box<1, 1, 1>, 0.0f,
                    [](const auto& n) {
                      const auto at = [&](int i, int j, int k) { return std::get<0>(n(i, j, k)); };
                      const auto [_, x0, x1, x2, y0, y1, y2, z0, z1, z2] = n(0, 0, 0);
                      return x0 * at(1, 0, 0) + x1 * at(0, 1, 0) + x2 * at(0, 0, 1) +
                             y0 * (at(1, 1, 0) - at(1, -1, 0) - at(-1, 1, 0) + at(-1, -1, 0)) +
                             y1 * (at(0, 1, 1) - at(0, -1, 1) - at(0, 1, -1) + at(0, -1, -1)) +
                             y2 * (at(1, 0, 1) - at(-1, 0, 1) - at(1, 0, -1) + at(-1, 0, -1)) +
                             z0 * at(-1, 0, 0) + z1 * at(0, -1, 0) + z2 * at(0, 0, -1);
                    })
          .pcombine(
              source, diagonal, from, inside,
              [](float s, float w, float d, float v, float at) { return ((s + w) * d - v) * at; });
    };
    ikra::host_section([&] {
      for (int step = 1; step < steps; ++step)
        now = now.pcombine(changed(now), [](float v, float by) { return v + omega * by; });
    });
    change = changed(now);
    p = now.pcombine(change, [](float v, float by) { return v + omega * by; });
  }
};

class sections final : public program {
public:
  sections(which what, const shape& s, void (*wait)()) : what_(what), wait_(wait) {
    const ikra::index<3> extents{s.a, s.b, s.c};
    const cube input = ikra::pnew(extents, [what, s](const ikra::index<3>& at) {
      return initial(what, s, static_cast<std::int32_t>(at[0]), static_cast<std::int32_t>(at[1]),
                     static_cast<std::int32_t>(at[2]));
    });
    const auto filled = [&](float value) {
      return ikra::pnew(extents, [value](const ikra::index<3>&) { return value; });
    };
    switch (what) {
    case which::heat_2d:
    case which::blur:
      plane_ = input.reshape({s.b, s.c});
      break;
    case which::chain:
      line_ = input.reshape({s.c});
      break;
    case which::heat_3d:
      cube_ = input;
      break;
    case which::himeno:
      // The border stays as it is: nothing changes there.
      himeno_ = himeno{input,
                       filled(a_1),
                       filled(a_1),
                       filled(a_1),
                       filled(a_4),
                       filled(b_all),
                       filled(b_all),
                       filled(b_all),
                       filled(c_all),
                       filled(c_all),
                       filled(c_all),
                       ikra::pnew(extents,
                                  [s](const ikra::index<3>& at) {
                                    const bool inside = at[0] > 0 && at[0] < s.a - 1 && at[1] > 0 &&
                                                        at[1] < s.b - 1 && at[2] > 0 &&
                                                        at[2] < s.c - 1;
                                    return inside ? bnd : 0.0f;
                                  }),
                       filled(wrk_1)};
      for (const cube& array :
           {himeno_->a0, himeno_->a1, himeno_->a2, himeno_->a3, himeno_->b0, himeno_->b1,
            himeno_->b2, himeno_->c0, himeno_->c1, himeno_->c2, himeno_->boundary, himeno_->work})
        compute(array);
      break;
    }
    finish();
  }

  void run(int times) override {
    if (what_ == which::himeno) {
      himeno_->run(times);
      times = 0;
    }
    for (int i = 0; i < times; ++i)
      switch (what_) {
      case which::heat_2d:
        plane_ = heat(plane_);
        break;
      case which::blur:
        plane_ = blur(plane_);
        break;
      case which::heat_3d:
        cube_ = heat(cube_);
        break;
      default:
        line_ = smooth(line_);
        break;
      }
    finish();
  }

  std::vector<float> result() override {
    switch (what_) {
    case which::heat_2d:
    case which::blur:
      return plane_.to_vector();
    case which::chain:
      return line_.to_vector();
    case which::himeno:
      return himeno_->p.to_vector();
    default:
      return cube_.to_vector();
    }
  }
  double residual() override {
    return what_ != which::himeno
               ? 0
               : himeno_->change.pmap([](float ss) { return static_cast<double>(ss) * ss; })
                     .preduce(0.0, [](double x, double y) { return x + y; })
                     .value();
  }

private:
  /// As the first access does, but for bringing the elements to the host.
  template <class Array> static void compute(const Array& array) {
    ikra::detail::evaluate(*ikra::detail::array_access::command_of(array));
  }
  void finish() {
    switch (what_) {
    case which::heat_2d:
    case which::blur:
      compute(plane_);
      break;
    case which::chain:
      compute(line_);
      break;
    case which::himeno:
      compute(himeno_->p);
      break;
    default:
      compute(cube_);
    }
    if (wait_ != nullptr)
      wait_();
  }

  which what_;
  void (*wait_)();
  line line_;
  plane plane_;
  cube cube_;
  std::optional<himeno> himeno_;
};

} // namespace

std::unique_ptr<program> by_ikra(which what, const shape& s, void (*wait)()) {
  return std::make_unique<sections>(what, s, wait);
}

} // namespace stencils
