// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library computes, as C++ programs call it.
#pragma once

#include <ikra/ikra.hpp>

namespace filters {

/// The mean of each pixel and its eight neighbours; at the border, those inside count again.
ikra::array<float, 2> smooth(const ikra::array<float, 2>& image);

/// a * x + y. \param x, y of one size
ikra::array<double> saxpy(double a, const ikra::array<double>& x, const ikra::array<double>& y);

} // namespace filters
