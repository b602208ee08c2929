// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the benchmark compares: one interface over the simulations that ikrac makes and those
// written by hand.
#pragma once

#include "city.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace traffic::bench {

// Whether a tick is a launch (a parallel loop) of its own, or the loop over ticks is within one.
enum class Loop { outside, inside };

class Simulation {
public:
  virtual ~Simulation() = default;
  // Lets `ticks` ticks pass from `first` on in unchanged weather, and returns when all is done.
  virtual void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) = 0;
  // Of the present state, as traffic::checksum has it.
  virtual std::uint64_t checksum() = 0;
};

struct HostCity;

// By hand on all cores, over sorted columns.
std::unique_ptr<Simulation> openmp_columns(const HostCity& city, Loop loop);

// By hand on the GPU. Throws std::runtime_error where CUDA reports an error.
std::unique_ptr<Simulation> cuda_columns(const HostCity& city, Loop loop); // sorted columns
std::unique_ptr<Simulation> cuda_packed_streets(const HostCity& city,
                                                Loop loop); // streets as records
// Columns in the order in which actors were made, a switch on a tag.
std::unique_ptr<Simulation> cuda_mixed_columns(const HostCity& city, Loop loop);

// Arrays of structs, a switch on a tag.
enum class Order { as_made, by_class };
// Whether structs have more members, which the simulation does not use: 10 in actors, 5 in streets.
enum class Size { own, padded };
std::unique_ptr<Simulation> cuda_records(const HostCity& city, Loop loop, Order order, Size size);

// The parallel section of the example, on the city's own objects: by the plain library, and as made
// by ikrac for the device that IKRA_DEVICE names. `wait` waits for that device.
std::unique_ptr<Simulation> plain_objects(City& city, Loop loop, void (*wait)());
std::unique_ptr<Simulation> ikra_objects(City& city, Loop loop, void (*wait)());

} // namespace traffic::bench
