// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library for Python: functions that take arrays of NumPy, PyTorch or CuPy as DLPack tensors, and
// give results as such. Compiled by ikrac as any other file; filters.py calls it through ctypes.
#include "filters.hpp"

#include <ikra/ikra.hpp>

namespace filters {

ikra::array<float, 2> smooth(const ikra::array<float, 2>& image) {
  return image.pstencil(ikra::box<1, 1>, ikra::clamp, [](auto v) {
    float sum = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        sum += v(y, x);
    return sum / 9;
  });
}

ikra::array<double> saxpy(double a, const ikra::array<double>& x, const ikra::array<double>& y) {
  return x.pcombine(y, [a](double xi, double yi) { return a * xi + yi; });
}

} // namespace filters
