// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain library: everything that an ikra program uses. Compiled as it is, it runs on one core,
// in order; that is the reference for what ikrac makes of the same program.
#pragma once

#include <ikra/macros_aside.hpp>

#if __cplusplus < 202002L
#error "ikra needs C++20: compile with -std=c++20"
#endif

#include <ikra/adopt.hpp>
#include <ikra/array.hpp>
#include <ikra/atomic.hpp>
#include <ikra/config.hpp>
#include <ikra/datalog.hpp>
#include <ikra/error.hpp>
#include <ikra/functional.hpp>
#include <ikra/host_section.hpp>
#include <ikra/index.hpp>
#include <ikra/object.hpp>
#include <ikra/operators.hpp>
#include <ikra/random.hpp>
#include <ikra/resident.hpp>
#include <ikra/window.hpp>

#include <ikra/macros_back.hpp>
