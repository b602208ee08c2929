// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emitted code says about a section: its name and place, for messages, and the columns that it
// uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ikra::rt {

/// How a section uses a column. Columns that are written are read too: elements that the section
/// leaves alone have to come back as they were.
enum access : unsigned { reads = 1, writes = 2, reads_and_writes = 3 };

struct column_use {
  unsigned column; ///< index into the layout's columns
  access use;
};

/// What happens to null elements of the base array.
enum class null_elements {
  refused, ///< the section dereferences its element: ikra::error of kind null_element
  passed,  ///< the section tests for null itself: it gets a null object_id
};

/// A use in device code that checked builds look at.
struct checked_use {
  enum kind : unsigned char {
    index,    ///< of an element that a container or an array does not have
    null,     ///< of what a null pointer points to, or an empty std::optional holds
    division, ///< of an integer, by zero
    shift,    ///< by less than zero bits, or by as many as there are
    conflict, ///< two elements of one section write different values to one place
    quotient, ///< of the least integer and -1
    missing,  ///< what value(), get() or dynamic_cast to a reference asks for
  };
  const char* file;
  unsigned line;
  unsigned column;
  kind what;
};

struct section_info {
  const char* name;
  const char* file;
  unsigned line;
  unsigned column;
  std::span<const column_use> columns = {};
  null_elements nulls = null_elements::refused;
  /// The same in all files that have the section; null where one file alone has it.
  const char* shared_name = nullptr;
  /// Of the emitted file, by number; null but in checked builds.
  const checked_use* checks = nullptr;

  /// \returns "section 'name' at file:line:column".
  std::string where() const;
};

} // namespace ikra::rt
