// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scope that a host section opens by itself (docs/runtime.md#scopes-of-host-sections). Emitted
// files include it where they have some.
#pragma once

#include <ikra/resident.hpp>

#include <exception>
#include <memory>

namespace ikra::rt {

/// While it exists, the host touches no object over which sections run.
class host_scope {
public:
  /// Opens none where another scope is open, or if IKRA_SCOPES is off.
  host_scope();
  host_scope(const host_scope&) = delete;
  host_scope& operator=(const host_scope&) = delete;
  /// Brings written columns back. \throws error if that fails, unless another exception is on its
  /// way
  ~host_scope() noexcept(false);

private:
  std::unique_ptr<ikra::detail::resident_scope> scope_;
  int exceptions_ = std::uncaught_exceptions();
};

} // namespace ikra::rt
