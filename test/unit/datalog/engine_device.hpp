// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that the engine's tests run on: each program has one.
#pragma once

#include "datalog/engine/engine.hpp"

#ifdef IKRA_DATALOG_TEST_CUDA
inline constexpr auto test_device = ikra::datalog::device_kind::cuda;
#else
inline constexpr auto test_device = ikra::datalog::device_kind::cpu;
#endif
