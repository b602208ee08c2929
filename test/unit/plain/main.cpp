// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test runner of the plain library's tests; alone in its file because Catch compiles slowly.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
