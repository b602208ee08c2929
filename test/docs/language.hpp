// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/language.md assume.
#pragma once
#include <ikra/ikra.hpp>

#include <complex>
#include <string>
#include <utility>
#include <vector>

namespace language {
struct Point;
}

#define language_PARAMETERS const ikra::array<Point>&a, const ikra::array<Point>&b
