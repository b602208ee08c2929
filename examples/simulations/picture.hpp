// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of fields: numbers from 0 to 1 become colours from dark blue to light yellow.
#pragma once

#include "../images/png_file.hpp"

#include <ikra/ikra.hpp>

#include <algorithm>
#include <string>

namespace simulations {

inline images::pixel colour_of(float value) {
  const float v = std::min(std::max(value, 0.0f), 1.0f);
  const float r = std::min(1.0f, 1.6f * v), g = v * v * 0.2f + v * 0.75f,
              b = 0.25f + 0.6f * v * (1 - v) * 2;
  return images::rgb(static_cast<int>(255 * r), static_cast<int>(255 * g),
                     static_cast<int>(255 * b));
}

/// Writes a picture of the field, if the user wants one. \throws std::runtime_error if it cannot be
/// written
template <class T>
void draw(const ikra::array<T, 2>& field, T least, T most, const std::string& to) {
  if (to.empty())
    return;
  images::render(field.pmap([least, most](T v) {
    return colour_of(static_cast<float>((v - least) / (most - least)));
  }),
                 to);
}

} // namespace simulations
