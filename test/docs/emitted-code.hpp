// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/emitted-code.md assume.
#pragma once
#include <ikra/ikra.hpp>

#define emitted_code_PARAMETERS const ikra::array<float, 2>& image
