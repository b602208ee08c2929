// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked programs as bytes and back, so that a program which ikrac has read is not read again when
// it runs (docs/datalog-kernels.md). Writer and reader are of one build: the format is no contract.
// Relies on core.hpp.
#pragma once

#include <span>
#include <vector>

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

std::vector<unsigned char> encode(const core::program& program);

/// \param bytes what encode() gave.
/// \throws ikra::error of kind bad_program if they end too early
core::program decode(std::span<const unsigned char> bytes);

} // namespace ikra::datalog
