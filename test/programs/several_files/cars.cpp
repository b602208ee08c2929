// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

class Car final : public Vehicle {
public:
  using Vehicle::Vehicle;
  void drive(int) override { distance_ += 2 * speed_; }
  int load() const override { return 2; }
};

Fleet cars() {
  Fleet fleet;
  for (int speed = 1; speed <= 4; ++speed)
    fleet.push_back(std::make_unique<Car>(speed));
  fleet[0]->follow(fleet[1].get());
  report("cars", fleet);
  return fleet;
}
