// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.hpp"

#include <atomic>

namespace ikra::rt {

namespace {

constinit std::atomic<long> until_failure{0};

} // namespace

void let_cuda_call_fail(long n) noexcept { until_failure = n; }

long cuda_calls_until_failure() noexcept {
  const long left = until_failure;
  return left > 0 ? left : 0;
}

bool is_failing_cuda_call() noexcept {
  return until_failure.load(std::memory_order_relaxed) > 0 && until_failure.fetch_sub(1) == 1;
}

} // namespace ikra::rt
