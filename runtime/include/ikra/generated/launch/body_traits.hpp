// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of sections say of themselves: `static constexpr bool diverges = true;`. A body's
// other members are what the section captured, and have the program's names.
#pragma once

namespace ikra::rt {

/// For concepts: `requires { requires is_said<Body::diverges>; }` does not hold for a body with a
/// captured `int diverges`, and is no error.
template <auto Value> inline constexpr bool is_said = static_cast<bool>(Value);

} // namespace ikra::rt
