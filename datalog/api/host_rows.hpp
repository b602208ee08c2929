// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of facts and results in host memory: values out of the elements of buffers, and rows in
// the order of their values into them. Relies on ikra/datalog_columns.hpp.
#pragma once

#include <ikra/datalog_columns.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "datalog/api/loaded_program.hpp"

namespace ikra::datalog {

/// \param bits 32 or 64
/// \returns the values that lie `offset` bytes into each of the first elements
std::vector<core::word> words_in(const ikra::detail::any_buffer& elements, std::size_t offset,
                                 unsigned bits, std::uint64_t rows);

/// Puts rows into ascending order, by columns from the left, and stores them.
/// \param rows  how many
/// \param words the bits of values; empty for a column of text
/// \param texts a vector a column; empty for one that is not text
/// \param to    where each column goes
void store_sorted(std::uint64_t rows, const column_words& words,
                  std::vector<std::vector<std::string>> texts,
                  std::span<const detail::result_column> to);

/// Memory for `rows` values of each column in its buffer; the same buffer is given memory once.
/// \returns where the first value of each column goes; null for text
std::vector<char*> allocate_on_host(std::span<const detail::result_column> columns,
                                    std::uint64_t rows);

} // namespace ikra::datalog
