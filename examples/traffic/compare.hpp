// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `traffic --compare`: the same simulation by the plain build and by the build made by ikrac, on
// all cores and on the GPU, side by side.
#pragma once

#include "options.hpp"

namespace traffic {

// What a run ends with that was asked for a device which is not there.
inline constexpr int status_no_device = 3;

// Runs the builds, which stand beside this executable, and prints a table. True where all agree.
// Throws std::system_error where a build cannot be started, input_error where one fails.
bool compare_builds(const Options& options);

} // namespace traffic
