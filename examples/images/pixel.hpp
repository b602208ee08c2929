// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels and pictures. A pixel is one number, 0xRRGGBB, so that four of them are one 16-byte access
// of a GPU. All arithmetic is on integers: every build of a program makes the same bytes. Relies on
// the plain library only.
#pragma once

#include <ikra/ikra.hpp>

#include <algorithm>
#include <cstdint>

namespace images {

/// Red, green and blue from 0 to 255: 0xRRGGBB.
using pixel = std::uint32_t;

/// A picture of height × width pixels, row by row. Lazy, as every array is.
using picture = ikra::array<pixel, 2>;

constexpr int red(pixel p) { return static_cast<int>(p >> 16U & 0xFFU); }
constexpr int green(pixel p) { return static_cast<int>(p >> 8U & 0xFFU); }
constexpr int blue(pixel p) { return static_cast<int>(p & 0xFFU); }

/// \return the nearest number from 0 to 255
constexpr pixel to_byte(int value) { return static_cast<pixel>(std::min(std::max(value, 0), 255)); }

/// A pixel of three parts, each cut off to 0 … 255.
constexpr pixel rgb(int r, int g, int b) {
  return to_byte(r) << 16U | to_byte(g) << 8U | to_byte(b);
}

/// What weights are parts of: mix(a, b, whole) is b.
inline constexpr int whole = 256;

/// Between a and b. \param weight of b, 0 to whole; what remains is a's
constexpr pixel mix(pixel a, pixel b, int weight) {
  const int rest = whole - weight;
  const int half = whole / 2;
  return rgb((red(a) * rest + red(b) * weight + half) / whole,
             (green(a) * rest + green(b) * weight + half) / whole,
             (blue(a) * rest + blue(b) * weight + half) / whole);
}

/// Brightness as the eye sees it, 0 to 255.
constexpr int luminance(pixel p) { return (77 * red(p) + 150 * green(p) + 29 * blue(p)) / 256; }

} // namespace images
