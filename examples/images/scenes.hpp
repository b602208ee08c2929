// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures to work on, drawn by formulas: a tower at dusk, a sunset over the sea, a forest. Each is
// one pnew, of any size.
#pragma once

#include "pixel.hpp"

#include <cstdint>

namespace images {

/// A lattice tower against the evening sky. \param size height and width
inline picture tower(const ikra::index<2>& size) {
  const int height = static_cast<int>(size[0]);
  const int width = static_cast<int>(size[1]);
  return ikra::pnew(size, [height, width](ikra::index<2> i) {
    const int y = static_cast<int>(i[0]);
    const int x = static_cast<int>(i[1]);
    const pixel sky = mix(rgb(24, 32, 84), rgb(246, 152, 96), y * whole / height);
    const int ground = height - height / 12;
    const int top = height / 10;
    if (y >= ground)
      return rgb(26, 24, 32);
    const int aside = 2 * x < width ? width - 2 * x : 2 * x - width;
    if (y < top)
      return aside <= 2 ? rgb(220, 220, 228) : sky; // the mast
    // The legs spread towards the ground.
    const int down = (y - top) * whole / (ground - top);
    const int spread = 4 + width * down / whole * down / (whole * 3);
    if (aside > spread)
      return sky;
    const int band = height / 24 + 1;
    const bool leg = aside > spread - width / 40 - 2;
    const bool brace =
        (x + y) % band < 2 || (x - y + height) % band < 2 || (y - top) % (4 * band) < 3;
    const pixel paint = (y - top) / (4 * band) % 2 == 0 ? rgb(226, 74, 44) : rgb(240, 236, 230);
    return leg || brace ? paint : sky;
  });
}

/// The sun over the sea. \param size height and width
inline picture sunset(const ikra::index<2>& size) {
  const int height = static_cast<int>(size[0]);
  const int width = static_cast<int>(size[1]);
  return ikra::pnew(size, [height, width](ikra::index<2> i) {
    const int y = static_cast<int>(i[0]);
    const int x = static_cast<int>(i[1]);
    const int horizon = height * 5 / 8;
    const std::int64_t from_sun_y = y - horizon + height / 10;
    const std::int64_t from_sun_x = x - width / 3;
    const std::int64_t radius = height / 7;
    if (y >= horizon) {
      const pixel sea =
          mix(rgb(190, 96, 70), rgb(18, 30, 62), (y - horizon) * whole / (height - horizon));
      const std::int64_t glitter = radius / 2 + (y - horizon) / 3;
      const bool shines = from_sun_x * from_sun_x < glitter * glitter && y % 7 < 3;
      return shines ? mix(sea, rgb(255, 214, 120), whole * 3 / 4) : sea;
    }
    const std::int64_t distance = from_sun_x * from_sun_x + from_sun_y * from_sun_y;
    if (distance < radius * radius)
      return rgb(255, 238, 170);
    const pixel sky = mix(rgb(70, 40, 110), rgb(255, 150, 60), y * whole / horizon);
    const std::int64_t halo = 9 * radius * radius;
    return distance < halo ? mix(rgb(255, 220, 140), sky, static_cast<int>(distance * whole / halo))
                           : sky;
  });
}

/// Rows of firs, each as high as its random number says. \param size height and width
inline picture forest(const ikra::index<2>& size) {
  const int height = static_cast<int>(size[0]);
  const int width = static_cast<int>(size[1]);
  return ikra::pnew(size, [height, width](ikra::index<2> i) {
    const int y = static_cast<int>(i[0]);
    const int x = static_cast<int>(i[1]);
    const int rows = 6;
    const int spacing = width / 16 + 1;
    pixel colour = mix(rgb(196, 222, 236), rgb(236, 240, 226), y * whole / height);
    // From the farthest row to the nearest.
    for (int row = 0; row < rows; ++row) {
      const int shifted = x + row * spacing / 2 + row * 7;
      const int tree = shifted / spacing;
      ikra::random chance(2017, tree, row);
      const int foot = height * (row + 3) / (rows + 2);
      const int tall = height / 6 + chance.below(height / 5 + 1);
      const int below_top = y - (foot - tall);
      const int aside = shifted % spacing * 2 - spacing;
      const int half = below_top * spacing / tall + below_top % (tall / 5 + 1) / 3;
      const bool hit = below_top >= 0 && (aside < 0 ? -aside : aside) <= half;
      if (hit || y >= foot)
        colour = mix(rgb(120, 160, 140), rgb(12, 52, 28), (row + 1) * whole / rows);
    }
    return colour;
  });
}

} // namespace images
