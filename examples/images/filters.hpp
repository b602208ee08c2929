// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters: objects that make a picture from a picture, after the image library of ARRAY'17, section
// 4.1. They are applied and joined by |, as in
//     picture soft = load("tower.png") | blur() | blur() | blend(load("sunset.png"), 0.3);
// Nothing is computed before the result is used, so a chain of filters is one chain of array
// commands, which ikrac fuses across these functions. Anything that can be called with a picture
// and returns one is a filter.
#pragma once

#include "pixel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace images {

template <class F>
concept filter = std::is_class_v<F> && std::is_invocable_r_v<picture, const F&, const picture&>;

/// The picture that a filter makes of this one.
template <filter F> picture operator|(const picture& p, const F& f) { return f(p); }

/// Two filters as one: first the left one.
template <filter F, filter G> struct filter_chain {
  F first;
  G second;
  picture operator()(const picture& p) const { return second(first(p)); }
};
template <filter F, filter G> filter_chain<F, G> operator|(F first, G second) {
  return {std::move(first), std::move(second)};
}

/// The mean of the nine pixels around each. Beyond its edge, a picture goes on as at its edge.
struct blur {
  picture operator()(const picture& p) const {
    return p.pstencil(ikra::box<1, 1>, ikra::clamp, [](const ikra::window<pixel, 2>& v) {
      int r = 0;
      int g = 0;
      int b = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const pixel c = v(y, x);
          r += red(c);
          g += green(c);
          b += blue(c);
        }
      return rgb((r + 4) / 9, (g + 4) / 9, (b + 4) / 9);
    });
  }
};

/// Each pixel moved away from the mean of its four neighbours, by the distance that it has already.
struct sharpen {
  picture operator()(const picture& p) const {
    return p.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::clamp,
                      [](const ikra::window<pixel, 2>& v) {
                        const pixel n = v(-1, 0);
                        const pixel w = v(0, -1);
                        const pixel e = v(0, 1);
                        const pixel s = v(1, 0);
                        const pixel c = v(0, 0);
                        return rgb(5 * red(c) - red(n) - red(w) - red(e) - red(s),
                                   5 * green(c) - green(n) - green(w) - green(e) - green(s),
                                   5 * blue(c) - blue(n) - blue(w) - blue(e) - blue(s));
                      });
  }
};

/// How much brightness changes, in grey: Sobel's operator.
struct edges {
  picture operator()(const picture& p) const {
    return p.pstencil(ikra::box<1, 1>, ikra::clamp, [](const ikra::window<pixel, 2>& v) {
      int across = 0;
      int down = 0;
      for (int d = -1; d <= 1; ++d) {
        const int weight = d == 0 ? 2 : 1;
        across += weight * (luminance(v(d, 1)) - luminance(v(d, -1)));
        down += weight * (luminance(v(1, d)) - luminance(v(-1, d)));
      }
      const int change = (across < 0 ? -across : across) + (down < 0 ? -down : down);
      return rgb(change, change, change);
    });
  }
};

/// The negative.
struct invert {
  picture operator()(const picture& p) const {
    return p.pmap([](pixel c) { return rgb(255 - red(c), 255 - green(c), 255 - blue(c)); });
  }
};

/// This picture and another one of the same size, mixed.
class blend {
public:
  /// \param other of the same size
  /// \param ratio how much of the other, 0 to 1
  /// \throws std::invalid_argument if the ratio is not from 0 to 1
  blend(picture other, double ratio) : other_(std::move(other)) {
    const bool valid = ratio >= 0 && ratio <= 1; // not-a-number is neither
    if (!valid)
      throw std::invalid_argument("blend: the ratio has to be from 0 to 1");
    weight_ = static_cast<int>(std::lround(ratio * whole));
  }

  picture operator()(const picture& p) const {
    return p.pcombine(other_, [weight = weight_](pixel a, pixel b) { return mix(a, b, weight); });
  }

private:
  picture other_;
  int weight_ = 0;
};

/// How much of an overlaid picture shows at each place, 0 to whole.
using mask = ikra::array<int, 2>;

/// A disc in the middle, with a soft rim of one pixel.
/// \param size   height and width of the pictures
/// \param radius in pixels
inline mask circle(const ikra::index<2>& size, std::int64_t radius) {
  const std::int64_t height = size[0];
  const std::int64_t width = size[1];
  return ikra::pnew(size, [height, width, radius](ikra::index<2> i) {
    // In half pixels, because the middle may lie between two.
    const std::int64_t y = 2 * i[0] + 1 - height;
    const std::int64_t x = 2 * i[1] + 1 - width;
    const std::int64_t distance = x * x + y * y;
    const std::int64_t inside = 4 * radius * radius;
    const std::int64_t outside = 4 * (radius + 1) * (radius + 1);
    if (distance <= inside)
      return whole;
    if (distance >= outside)
      return 0;
    return static_cast<int>(whole * (outside - distance) / (outside - inside));
  });
}

/// Another picture laid over this one, where a mask shows it.
class overlay {
public:
  /// \param other, shown: of the size of the picture below
  overlay(picture other, mask shown) : other_(std::move(other)), shown_(std::move(shown)) {}

  picture operator()(const picture& p) const {
    return p.pcombine(other_, shown_,
                      [](pixel a, pixel b, int weight) { return mix(a, b, weight); });
  }

private:
  picture other_;
  mask shown_;
};

/// Where the middle of a pixel lies among those of a row or column of another length.
/// \return (place + 1/2) * old_extent / new_extent - 1/2, in parts of `whole`, within the old one
constexpr std::int64_t scaled_place(std::int64_t place, std::int64_t new_extent,
                                    std::int64_t old_extent) {
  const std::int64_t at = ((2 * place + 1) * old_extent * whole / new_extent - whole) / 2;
  const std::int64_t last = (old_extent - 1) * whole;
  return std::min(std::max<std::int64_t>(at, 0), last);
}

/// The picture in another size; between pixels, colours are interpolated.
class resize {
public:
  /// \param size height and width, at least 1
  /// \throws std::invalid_argument if they are less
  explicit resize(const ikra::index<2>& size) : size_(size) {
    if (size[0] < 1 || size[1] < 1)
      throw std::invalid_argument("resize: height and width have to be 1 or more");
  }

  picture operator()(const picture& p) const {
    const std::int64_t height = p.shape()[0];
    const std::int64_t width = p.shape()[1];
    if (height == 0 || width == 0)
      throw std::invalid_argument("resize: the picture has no pixels");
    if (p.shape() == size_)
      return p;
    const std::int64_t rows = size_[0];
    const std::int64_t columns = size_[1];
    const ikra::array<pixel, 1> pixels = p.reshape({height * width});
    return ikra::pnew(size_, [pixels, height, width, rows, columns](ikra::index<2> i) {
      const std::int64_t y = scaled_place(i[0], rows, height);
      const std::int64_t x = scaled_place(i[1], columns, width);
      const std::int64_t top = y / whole;
      const std::int64_t left = x / whole;
      const std::int64_t bottom = top + 1 < height ? top + 1 : top;
      const std::int64_t right = left + 1 < width ? left + 1 : left;
      const int down = static_cast<int>(y % whole);
      const int along = static_cast<int>(x % whole);
      const pixel above = mix(pixels[top * width + left], pixels[top * width + right], along);
      const pixel below = mix(pixels[bottom * width + left], pixels[bottom * width + right], along);
      return mix(above, below, down);
    });
  }

private:
  ikra::index<2> size_;
};

} // namespace images
