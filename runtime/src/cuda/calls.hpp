// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime calls CUDA: through one place, so that a failure is an ikra::error that names the
// call, and so that a test can let any call fail. Calls that give something back are not made
// through it: what they are to give back would stay.
#pragma once

#include "support/errors.hpp"

#include <cuda_runtime_api.h>

#include <string>
#include <type_traits>

namespace ikra::rt {

/// For tests: the n-th call from now on fails, without being made; 0: none does.
void let_cuda_call_fail(long n) noexcept;
/// \returns calls that are left before one fails; 0 if it has failed, or none is to.
long cuda_calls_until_failure() noexcept;
/// Whether this call is to fail. It counts as one.
bool is_failing_cuda_call() noexcept;

/// \returns what function(given...) does, or an error where a test asks for one: want of memory of
/// those that give memory.
template <class... Parameters, class... Given>
cudaError_t cuda_call(cudaError_t (*function)(Parameters...), Given... given) {
  if (is_failing_cuda_call()) [[unlikely]] {
    if constexpr ((std::is_same_v<Parameters, void**> || ...))
      return cudaErrorMemoryAllocation;
    else
      return cudaErrorUnknown;
  }
  return function(static_cast<Parameters>(given)...);
}

/// The same of calls that end something, which they do even if they fail.
template <class... Parameters, class... Given>
cudaError_t cuda_call_that_ends(cudaError_t (*function)(Parameters...), Given... given) {
  const bool fails = is_failing_cuda_call();
  const cudaError_t status = function(static_cast<Parameters>(given)...);
  return fails ? cudaErrorUnknown : status;
}

/// \param call for the message \param remedy likewise
/// \throws ikra::error of kind device_error if status is one. The next launch does not hear of it.
inline void check_cuda(cudaError_t status, const char* call, const section_info& section,
                       const char* remedy) {
  if (status == cudaSuccess)
    return;
  static_cast<void>(cudaGetLastError());
  fail(error_kind::device_error, section,
       std::string(call) + " failed: " + cudaGetErrorString(status), remedy);
}

} // namespace ikra::rt
