// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/layout.hpp>

namespace ikra::rt {

layout::layout(std::span<const class_info> classes, std::span<const column_info> columns)
    : classes_(classes), columns_(columns) {
  for (unsigned c = 0; c < classes.size(); ++c) {
    if (classes[c].family >= families_.size())
      families_.resize(classes[c].family + 1);
    families_[classes[c].family].push_back(c);
  }
}

} // namespace ikra::rt
