// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/emit.md assume.
#pragma once
#include <ikra/ikra.hpp>

namespace emit {

enum class Weather { dry, wet };
float grip(Weather weather);
struct Actor {
  virtual ~Actor() = default;
  virtual float speed(Weather weather) const = 0;
  float street_limit() const;
};

} // namespace emit
