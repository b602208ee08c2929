// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class hierarchy of which one source file knows more than the other.
#pragma once

#include <ikra/ikra.hpp>

class Vehicle {
  IKRA_OBJECT

public:
  virtual ~Vehicle() = default;
  virtual void drive() { distance_ += 1; }
  int distance() const { return distance_; }

protected:
  int distance_ = 0;
};

Vehicle* make_tram();
