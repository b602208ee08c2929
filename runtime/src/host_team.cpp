// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions of launches on all cores. What runs in them comes as a function, once for each
// thread, part or chunk.
#include <ikra/generated/launch.hpp>

#include <exception>
#include <mutex>

#include <omp.h>

namespace ikra::rt {

namespace {

/// Keeps a failed check, or memory that ran out, from leaving a parallel region, which would end
/// the program.
class held_failure {
public:
  /// Calls run(). Several threads may.
  template <class Run> void hold(const Run& run) {
    try {
      run();
    } catch (...) { // it goes on below
      const std::lock_guard<std::mutex> lock(mutex_);
      failed_ = std::current_exception();
    }
  }
  /// After the region. Throws what was held.
  void release() const {
    if (failed_)
      std::rethrow_exception(failed_);
  }

private:
  std::mutex mutex_;
  std::exception_ptr failed_;
};

/// Whether other threads may be woken.
bool are_more_threads() { return omp_get_max_threads() > 1 && !omp_in_parallel(); }

} // namespace

void detail::run_team(std::uint64_t elements, erased_body body,
                      void (*call)(erased_body, std::uint64_t, std::uint64_t)) {
  if (elements < serial_below || !are_more_threads()) {
    call(body, 0, 1);
    return;
  }
#pragma omp parallel
  call(body, static_cast<std::uint64_t>(omp_get_thread_num()),
       static_cast<std::uint64_t>(omp_get_num_threads()));
}

void wait_for_team() {
#pragma omp barrier
}

void detail::run_parts(std::uint64_t n, erased_body body,
                       void (*call)(erased_body, std::uint64_t, std::uint64_t)) {
  if (n < serial_below || !are_more_threads()) {
    call(body, 0, n);
    return;
  }
  held_failure failure;
#pragma omp parallel
  {
    const host_range part = host_part(n, static_cast<std::uint64_t>(omp_get_thread_num()),
                                      static_cast<std::uint64_t>(omp_get_num_threads()));
    failure.hold([&] { call(body, part.begin, part.end); });
  }
  failure.release();
}

void detail::run_chunks(std::uint64_t chunks, erased_body body,
                        void (*call)(erased_body, std::uint64_t)) {
  if (chunks < 2 || !are_more_threads()) {
    for (std::uint64_t k = 0; k < chunks; ++k)
      call(body, k);
    return;
  }
  held_failure failure;
#pragma omp parallel for schedule(static)
  for (std::uint64_t k = 0; k < chunks; ++k)
    failure.hold([&] { call(body, k); });
  failure.release();
}

} // namespace ikra::rt
