// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class of which shape.cpp alone has objects.
#pragma once

#include <ikra/ikra.hpp>

#include <memory>

class Shape {
  IKRA_OBJECT
  float scale_ = 2;
  int sides_ = 4;

public:
  virtual ~Shape() = default;
  virtual float area() const = 0;
  float scaled() const { return scale_ * area(); }
  int sides() const { return sides_; }
};
std::unique_ptr<Shape> make_shape();

