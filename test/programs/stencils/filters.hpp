// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that sections hand their windows on to.
#pragma once

#include <ikra/ikra.hpp>

namespace filters {

inline float cross(const ikra::window<float, 2>& v) {
  return 0.2f * (v(-1, 0) + v(0, -1) + v(0, 0) + v(0, 1) + v(1, 0));
}

/// For windows of any array of rank 2.
template <class Window> int box_sum(const Window& v, int radius) {
  int sum = 0;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x)
      sum += v(y, x);
  return sum;
}

class Image {
public:
  explicit Image(ikra::array<float, 2> pixels) : pixels_(pixels) {}
  Image blurred() const {
    return Image(pixels_.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::clamp,
                                  [](const ikra::window<float, 2>& v) { return cross(v); }));
  }
  const ikra::array<float, 2>& pixels() const { return pixels_; }

private:
  ikra::array<float, 2> pixels_;
};

} // namespace filters
