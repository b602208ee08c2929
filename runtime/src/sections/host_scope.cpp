// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/sections/host_scope.hpp>

#include "objects/resident.hpp"

namespace ikra::rt {

host_scope::host_scope() : scope_(open_host_section()) {}

host_scope::~host_scope() noexcept(false) {
  if (scope_ == nullptr)
    return;
  try {
    scope_->end();
  } catch (...) { // goes on below
    if (std::uncaught_exceptions() == exceptions_)
      throw;
  }
}

} // namespace ikra::rt
