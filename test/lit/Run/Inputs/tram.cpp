// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class that no other source file sees.
#include "vehicle.hpp"

namespace {
class Tram : public Vehicle {
public:
  void drive() override { distance_ += 5; }
};
} // namespace

Vehicle* make_tram() { return new Tram; }
