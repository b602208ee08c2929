// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functors of the user's whose functions are in shared libraries, as Soufflé has them
// (docs/datalog-language.md, "Functors of your own"). Relies on core.hpp and libffi.
#pragma once

#include <string>
#include <vector>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"

namespace ikra::datalog {

/// Where functions are looked for: in each folder the file libNAME.so of each library, the first
/// that has a function of the functor's name.
struct functor_libraries {
  std::vector<std::string> names;   ///< none: functors
  std::vector<std::string> folders; ///< none: the current one
};

/// Gives the functors of a program their functions; one that no rule calls needs none. A function
/// takes and returns int32_t, uint32_t or float (int64_t, uint64_t or double in programs of 64
/// bits), and const char* for a symbol. It is called by one thread at a time.
/// \param values outlives the functions, and gets them
/// \throws io_error for a functor that is called and has no function, with what the loader says of
/// the libraries
void load_functors(const core::program& program, domain& values, const functor_libraries& from);

} // namespace ikra::datalog
