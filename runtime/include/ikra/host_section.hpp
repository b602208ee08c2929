// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::host_section: control flow over arrays that ikrac sees as a whole (ARRAY'17, section 4). In
// a plain build it is a call.
#pragma once

#include <ikra/macros_aside.hpp>

#include <functional>
#include <utility>

namespace ikra {

/// Runs \p f now. \return what it returns: arrays (computed or not), tuples of them, scalars,
/// nothing
template <class F> auto host_section(F&& f) { return std::invoke(std::forward<F>(f)); }

} // namespace ikra

#include <ikra/macros_back.hpp>
