// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Datalog program as C++: its rules as data and the kernels of its joins, for ikrac to put into
// the file that it emits (docs/datalog-kernels.md). Nothing is thrown across this interface, since
// its caller is compiled without exceptions. Relies on the front end and on how plans are
// evaluated.
#pragma once

#include <string>
#include <vector>

#include "datalog/frontend/operators.hpp"

namespace ikra::datalog {

/// A function that the C++ program gives for a functor somewhere.
struct given_functor {
  struct type {
    value_kind kind;
    int bits; ///< of numbers and floats
    friend bool operator==(const type&, const type&) = default;
  };
  std::string name;        ///< of the functor
  std::vector<type> types; ///< of the parameters, then of the result
  unsigned distance = 0;   ///< of where it is given from where the program is made
  std::string code = {};   ///< the class that kernels call; empty if they cannot
  std::string why = {};    ///< why they cannot
};

struct program_text {
  /// Definitions for a namespace of the emitted file, whole lines; empty if the text is no valid
  /// program.
  std::string definitions;
  std::size_t rules = 0, kernels = 0;
  /// A line for each rule that has steps without a kernel, with the reasons.
  std::vector<std::string> interpreted;
  std::vector<std::string> functors; ///< a line for each: which kernels call it, or why none does
  std::vector<std::string> called;   ///< the classes of functors that kernels call
};

/// \param text a program. \param bits of its numbers: 32 or 64
/// \param name begins the names of what is defined
/// \param given the functions for its functors, among others
program_text text_of_program(const std::string& text, int bits, const std::string& name,
                             const std::vector<given_functor>& given = {}) noexcept;

} // namespace ikra::datalog
