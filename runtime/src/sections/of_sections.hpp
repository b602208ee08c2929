// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ikra/generated/device/section_info.hpp>

#include <mutex>
#include <unordered_map>

namespace ikra::rt {

/// What a program's earlier runs of sections tell, for any thread.
template <class Record> struct of_sections {
  std::mutex access;
  std::unordered_map<const section_info*, Record> of;

  /// Never destroyed: destructors of static objects have sections, too.
  static of_sections& all() {
    static auto* const made = new of_sections;
    return *made;
  }
};

} // namespace ikra::rt
