// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <utility>

int main() {
  Fleet some = cars();
  Fleet others = trucks();
  report("cars again", some);
  report("trucks again", others);

  // No file knows both.
  Fleet all;
  all.push_back(std::make_unique<Vehicle>(9));
  report("vehicles", all);
  all.push_back(std::move(some[0]));
  all.push_back(std::move(others[2]));
  all.push_back(std::move(some[3]));
  report("both", all);

  // Known as elements, but not what they refer to.
  some.erase(some.begin());
  some.pop_back();
  some.front()->follow(others.front().get());
  report("after trucks", some);

  // In a resident scope, with a section of this file's own.
  std::vector<Vehicle*> pointers;
  for (const auto& vehicle : all)
    pointers.push_back(vehicle.get());
  const ikra::array vehicles{pointers};
  {
    ikra::resident scope{vehicles};
    for (int k = 0; k < 3; ++k) {
      vehicles.peach([k](Vehicle* v) { v->drive(k); });
      std::printf("%d\n", vehicles.pmap([](const Vehicle* v) { return v->load(); }).sum());
    }
  }
  // On the objects as they are, up to the first of an unknown class.
  vehicles.peach(2, [](Vehicle* v, std::int64_t tick) { v->drive(int(tick) + 5); });
  std::printf("%d\n", vehicles.pmap([](const Vehicle& v) { return v.load(); }).sum());
  std::printf("%zu\n", vehicles.pselect([](const Vehicle& v) { return v.load() > 2; }).size());
  for (const Vehicle* vehicle : pointers)
    std::printf(" %lld", static_cast<long long>(vehicle->distance()));
  std::printf("\n");
  return 0;
}
