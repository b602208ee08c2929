// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that run while static objects are made, before main() and before CUDA knows the file's
// kernels: over values and over objects; and arrays that are made then and computed later.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

namespace {

class Lamp {
  IKRA_OBJECT
public:
  explicit Lamp(int watts) : watts_(watts) {}
  void burn(int hours) { used_ += watts_ * hours; }
  std::int64_t used() const { return used_; }

private:
  int watts_;
  std::int64_t used_ = 0;
};

std::vector<std::unique_ptr<Lamp>> make_lamps() {
  std::vector<std::unique_ptr<Lamp>> made;
  for (int i = 0; i < 1000; ++i)
    made.push_back(std::make_unique<Lamp>(5 + i % 7));
  return made;
}

const std::vector<std::unique_ptr<Lamp>> lamps = make_lamps();
ikra::array row{lamps};
const int hours = 3;

// Computed at once.
const std::int64_t squares = ikra::pnew(100000, [](std::int64_t i) { return i * i % 7; }).sum();
// Computed in main().
const ikra::array cubes = ikra::pnew(1000, [](std::int64_t i) { return i * i * i; });

const bool burnt = [] {
  row.peach([](Lamp* lamp) { lamp->burn(hours); });
  return true;
}();

} // namespace

int main() {
  std::cout << "squares: " << squares << "\n";
  std::cout << "cubes: " << cubes.preduce(ikra::max)[0] << "\n";
  std::cout << "burnt: " << burnt << "\n";
  row.peach([](Lamp* lamp) { lamp->burn(1); });
  std::int64_t total = 0;
  for (const auto& lamp : lamps)
    total = total * 31 % 1000003 + lamp->used();
  std::cout << "lamps: " << total << "\n";
  return 0;
}
