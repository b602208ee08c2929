// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of sections say of themselves: `static constexpr bool diverges = true;`. A body's
// other members are what the section captured, and have the program's names.
#pragma once

namespace ikra::rt {

/// For concepts: `requires { requires is_said<Body::diverges>; }` does not hold for a body with a
/// captured `int diverges`, and is no error.
template <auto Value> inline constexpr bool is_said = static_cast<bool>(Value);

/// Whether the turns of some loop of a body depend on the element. A thread of a GPU computes one
/// result of it then: a warp waits for the lane with the most turns, and neighbours are alike.
/// A core that has done its own elements takes some of the others'.
template <class Body>
concept diverges = requires { requires is_said<Body::diverges>; };
/// Whether some loop of a body turns often: an element takes much longer than to bring it.
template <class Body>
concept repeats = requires { requires is_said<Body::repeats>; };
/// Whether computing an element takes longer than storing it and reading it again.
template <class Body>
concept has_many_operations = requires { requires is_said<Body::has_many_operations>; };
/// Whether few elements may be worth other cores.
template <class Body>
concept is_costly = diverges<Body> || repeats<Body>;

} // namespace ikra::rt
