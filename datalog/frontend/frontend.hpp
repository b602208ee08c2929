// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end as one function: the text of a program in, rules to evaluate out
// (docs/datalog-language.md).
#pragma once

#include <optional>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/source.hpp"

namespace ikra::datalog {

/// Where facts may come from, besides the program's text.
enum class fact_source {
  directives, ///< a relation without rules, facts and `.input` stays empty: a warning
  caller      ///< any relation may be given facts
};

/// Reads, checks and normalises a program.
/// \param source   the program (read_source())
/// \param bits     the width of numbers, unsigned numbers and floats: 32 or 64
/// \param messages gets errors and warnings
/// \return nothing if there was an error
std::optional<core::program> compile(const source_text& source, int bits, diagnostics& messages,
                                     fact_source facts = fact_source::directives);

} // namespace ikra::datalog
