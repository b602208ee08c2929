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

// By hand on all cores, over sorted columns.
std::unique_ptr<Simulation> openmp_columns(const City& city, Loop loop);

// By hand on the GPU. Throws std::runtime_error where CUDA reports an error.
std::unique_ptr<Simulation> cuda_columns(const City& city, Loop loop);        // sorted columns
std::unique_ptr<Simulation> cuda_packed_streets(const City& city, Loop loop); // streets as records
std::unique_ptr<Simulation> cuda_records(const City& city,
                                         Loop loop); // array of structs, a switch on a tag

// The parallel section of the example, on the city's own objects: by the plain library, and as made
// by ikrac for the device that IKRA_DEVICE names. `wait` waits for that device.
std::unique_ptr<Simulation> plain_objects(City& city, Loop loop, void (*wait)());
std::unique_ptr<Simulation> ikra_objects(City& city, Loop loop, void (*wait)());

} // namespace traffic::bench
