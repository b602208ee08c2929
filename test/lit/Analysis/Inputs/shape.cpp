// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shape.hpp"

namespace {
struct Square : Shape {
  float area() const override { return 3.5F; }
};
} // namespace

std::unique_ptr<Shape> make_shape() { return std::make_unique<Square>(); }
