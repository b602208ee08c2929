// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

class Truck : public Vehicle {
public:
  Truck(int speed, int load) : Vehicle(speed), load_(load) {}
  void drive(int tick) override {
    distance_ += speed_ / 2;
    if (tick % 3 == 0)
      load_ += 1;
  }
  int load() const override { return load_; }

private:
  int load_;
  IKRA_OBJECT
};

Fleet trucks() {
  Fleet fleet;
  for (int speed = 1; speed <= 3; ++speed)
    fleet.push_back(make_truck(4 * speed));
  fleet[2]->follow(fleet[0].get());
  report("trucks", fleet);
  return fleet;
}

std::unique_ptr<Vehicle> make_truck(int speed) { return std::make_unique<Truck>(speed, 7); }
