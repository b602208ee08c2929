// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Catch2 2's main function, compiled once for all test programs. Catch2 3 brings its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
