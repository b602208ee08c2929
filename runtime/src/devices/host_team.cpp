// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions of launches on all cores. What runs in them comes as a function, once for each
// thread, part or chunk.
#include <ikra/generated/launch/launch.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

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

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// The threads of one parallel region, of which the first gives the others work.
class waiting_team {
public:
  using call_part = void (*)(detail::erased_body, std::uint64_t, std::uint64_t);
  /// What a thread does. \p call and \p body are its to interpret.
  struct work {
    void (*of_thread)(const work&, std::uint64_t thread, std::uint64_t threads);
    detail::erased_body body;
    void (*call)();
    std::uint64_t n;
    held_failure* failure;
  };

  explicit waiting_team(std::uint64_t threads) : threads_(threads) {}

  /// The first thread: all do it.
  void run(const work& what) {
    work_ = &what;
    busy_.store(static_cast<unsigned>(threads_ - 1), std::memory_order_relaxed);
    begin();
    what.of_thread(what, 0, threads_);
    for (unsigned spins = 0; busy_.load(std::memory_order_acquire) != 0; ++spins)
      spins < most_spins ? pause() : std::this_thread::yield();
  }
  /// The first thread: there is no more to do.
  void end() {
    work_ = nullptr;
    begin();
  }
  /// Any other thread, until the end.
  void serve(std::uint64_t thread) {
    for (unsigned seen = 0;; ++seen) {
      for (unsigned spins = 0; number_.load(std::memory_order_acquire) == seen; ++spins)
        spins < most_spins ? pause() : number_.wait(seen, std::memory_order_acquire);
      if (work_ == nullptr)
        return;
      work_->of_thread(*work_, thread, threads_);
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

private:
  /// Some tens of microseconds: then the core may be another's.
  static constexpr unsigned most_spins = 2000;

  void begin() {
    number_.fetch_add(1, std::memory_order_release);
    number_.notify_all();
  }

  std::uint64_t threads_;
  const work* work_ = nullptr; ///< null: the end
  std::atomic<unsigned> number_{0}, busy_{0};
};

/// The team that waits for this thread's work.
thread_local waiting_team* waiting = nullptr;

/// Gives work to the team. \param Call the type of \p call
template <class Call, class OfThread>
void give(std::uint64_t n, detail::erased_body body, Call call, OfThread of_thread) {
  held_failure failure;
  waiting_team* const team = std::exchange(waiting, nullptr); // no work within work
  team->run({of_thread, body, reinterpret_cast<void (*)()>(call), n, &failure});
  waiting = team;
  failure.release();
}

/// Pieces of work, of which each thread has its own, and then those that others have not begun.
class shared_pieces {
public:
  using call_piece = void (*)(detail::erased_body, std::uint64_t);

  shared_pieces(std::uint64_t pieces, std::uint64_t threads, detail::erased_body body,
                call_piece call)
      : shares_(threads), body_(body), call_(call) {
    for (std::uint64_t thread = 0; thread < threads; ++thread) {
      shares_[thread].next = pieces * thread / threads;
      shares_[thread].end = pieces * (thread + 1) / threads;
    }
  }

  /// A thread's work, until all pieces are begun. There may be fewer threads than was said.
  void run(std::uint64_t thread) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      share& of = shares_[(thread + i) % shares_.size()];
      while (of.next.load(std::memory_order_relaxed) < of.end) {
        const std::uint64_t k = of.next.fetch_add(1, std::memory_order_relaxed);
        if (k < of.end)
          call_(body_, k);
      }
    }
  }

private:
  /// In a cache line of its own.
  struct alignas(64) share {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t end = 0;
  };

  std::vector<share> shares_;
  detail::erased_body body_;
  call_piece call_;
};

} // namespace

void detail::run_team(std::uint64_t elements, erased_body body,
                      void (*call)(erased_body, std::uint64_t, std::uint64_t)) {
  if (elements < serial_below || waiting != nullptr || !are_more_threads()) {
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
  if (n >= serial_below && waiting != nullptr)
    return give(n, body, call,
                [](const waiting_team::work& what, std::uint64_t thread, std::uint64_t threads) {
                  const host_range part = host_part(what.n, thread, threads);
                  what.failure->hold([&] {
                    reinterpret_cast<decltype(call)>(what.call)(what.body, part.begin, part.end);
                  });
                });
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

std::uint64_t detail::threads_of_team() {
  return static_cast<std::uint64_t>(omp_get_max_threads());
}

void detail::run_chunks(std::uint64_t chunks, erased_body body,
                        void (*call)(erased_body, std::uint64_t)) {
  if (chunks > 1 && waiting != nullptr)
    return give(chunks, body, call,
                [](const waiting_team::work& what, std::uint64_t thread, std::uint64_t threads) {
                  const std::uint64_t end = what.n * (thread + 1) / threads;
                  for (std::uint64_t k = what.n * thread / threads; k < end; ++k)
                    what.failure->hold(
                        [&] { reinterpret_cast<decltype(call)>(what.call)(what.body, k); });
                });
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

namespace {

/// All cores do pieces of work. There are others.
void share_pieces(std::uint64_t pieces, detail::erased_body body, shared_pieces::call_piece call) {
  std::optional<shared_pieces> memory;
  try {
    memory.emplace(pieces, detail::threads_of_team(), body, call);
  } catch (const std::bad_alloc&) { // turns that have overwritten their first arrays have to go on
    for (std::uint64_t k = 0; k < pieces; ++k)
      call(body, k);
    return;
  }
  shared_pieces& all = *memory;
  const auto share = [&all](std::uint64_t thread, std::uint64_t) { all.run(thread); };
  if (waiting != nullptr)
    return give(pieces, &share, &detail::call_body<decltype(share)>,
                [](const waiting_team::work& what, std::uint64_t thread, std::uint64_t threads) {
                  what.failure->hold([&] {
                    reinterpret_cast<decltype(&detail::call_body<decltype(share)>)>(what.call)(
                        what.body, thread, threads);
                  });
                });
  held_failure failure;
#pragma omp parallel
  failure.hold([&] { all.run(static_cast<std::uint64_t>(omp_get_thread_num())); });
  failure.release();
}

} // namespace

void detail::run_uneven_pieces(std::uint64_t n, std::uint64_t pieces, erased_body body,
                               void (*call)(erased_body, std::uint64_t)) {
  if (n >= serial_below && (waiting != nullptr || are_more_threads()))
    return share_pieces(pieces, body, call);
  for (std::uint64_t k = 0; k < pieces; ++k)
    call(body, k);
}

void detail::run_costly_parts(std::uint64_t n, bool are_few, erased_body body,
                              void (*call)(erased_body, std::uint64_t, std::uint64_t)) {
  if (waiting == nullptr && !are_more_threads())
    return call(body, 0, n);
  // About twice what it takes to wake a thread and wait for it.
  constexpr double worth_waking = 20e-6; // seconds
  std::uint64_t done = 0;
  if (are_few) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t next = 1; done < n; next = done * 7) {
      const std::uint64_t end = n - done < next ? n : done + next;
      call(body, done, end);
      done = end;
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (taken.count() / static_cast<double>(done) * static_cast<double>(n - done) > worth_waking)
        break;
    }
    if (done == n)
      return;
  }
  // Many elements: whole cache lines of bytes. A thousand parts: with fewer, cores wait at the end.
  const std::uint64_t piece =
      are_few ? (n - done) / (threads_of_team() * 8) + 1 : (n / 1024 + 64) / 64 * 64;
  const auto part = [&](std::uint64_t k) {
    const std::uint64_t begin = done + k * piece;
    call(body, begin, n - begin < piece ? n : begin + piece);
  };
  share_pieces((n - done + piece - 1) / piece, &part, &call_chunk<decltype(part)>);
}

void detail::run_in_region(std::uint64_t elements, erased_body body,
                           void (*call)(erased_body, std::uint64_t, std::uint64_t)) {
  if (elements < serial_below || waiting != nullptr || !are_more_threads())
    return call(body, 0, 0);
  held_failure failure;
  std::atomic<waiting_team*> made{nullptr};
#pragma omp parallel
  {
    const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
    std::optional<waiting_team> team;
    if (thread == 0) {
      team.emplace(static_cast<std::uint64_t>(omp_get_num_threads()));
      made.store(&*team);
    }
#pragma omp barrier
    if (thread != 0) {
      made.load()->serve(thread);
    } else {
      waiting = &*team;
      failure.hold([&] { call(body, 0, 0); });
      waiting = nullptr;
      team->end();
    }
#pragma omp barrier
  }
  failure.release();
}

} // namespace ikra::rt
