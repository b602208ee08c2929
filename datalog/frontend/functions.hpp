// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functors and comparisons give, one value at a time: the language's arithmetic as
// docs/datalog-language.md states it. For the reference, and for what the engine leaves to the
// host. Relies on core.hpp, values.hpp, domain.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/source.hpp"
#include "datalog/frontend/values.hpp"

namespace ikra::datalog {

/// A rule came to a value that does not exist; what() says why.
class evaluation_error : public std::runtime_error {
public:
  evaluation_error(const std::string& message, location where)
      : std::runtime_error(message), where_(where) {}
  location where() const noexcept { return where_; }

private:
  location where_;
};

/// The value of a functor other than range.
/// \param call     a core::expression of the form call; its operands are not looked at
/// \param operands their values, as many as the functor takes
/// \param values   whose external functions are bound
/// \throws undefined_value
core::word apply(const core::expression& call, std::span<const core::word> operands,
                 value_format format, domain& values);

/// Whether a comparison of two values of one kind holds.
/// \throws undefined_value for a malformed pattern
bool holds(comparison op, value_kind kind, core::word left, core::word right, value_format format,
           const symbol_table& symbols);

/// The values of range(from, to[, step]), in order: up to and without `to`; down without a step if
/// `to` is below `from`, or with a negative step; a step of zero gives `from` once, unless that is
/// `to`.
/// \param bounds two or three values
std::vector<core::word> range_values(std::span<const core::word> bounds, value_kind kind,
                                     value_format format);

} // namespace ikra::datalog
