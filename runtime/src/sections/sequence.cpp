// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/sections/sequence.hpp>

#include "objects/resident.hpp"
#include "support/environment.hpp"

namespace ikra::rt {

bool may_run_sequence(std::int64_t turns, unsigned operations) {
  static const bool enabled = is_switched_on("IKRA_FUSION") && is_switched_on("IKRA_TURNS");
  return enabled && turns > 0 && !objects_stay_in_place(operations, turns);
}

} // namespace ikra::rt
