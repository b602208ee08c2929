// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchange.hpp"

#include "devices/host_copy.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif

namespace ikra::rt {

namespace {

constexpr const char* remedy = "set IKRA_STREAM=off, or run with IKRA_DEVICE=cpu";

void check(cudaError_t status, const char* call, const section_info& section) {
  check_cuda(status, call, section, remedy);
}

template <class Owner> void make_event(Owner& made, const section_info& section) {
  cudaEvent_t event = nullptr;
  check(cuda_call(cudaEventCreateWithFlags, &event, cudaEventDisableTiming), "cudaEventCreate",
        section);
  made.reset(event);
}

template <class Owner> void make_stream(Owner& made, const section_info& section) {
  cudaStream_t stream = nullptr;
  check(cuda_call(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags", section);
  made.reset(stream);
}

/// Threads that OpenMP binds to places are one to each; a new thread would share that of the thread
/// that makes it.
void use_all_places() {
#ifdef __linux__
  cpu_set_t all;
  CPU_ZERO(&all);
  std::vector<int> processors;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    processors.resize(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data());
    for (const int processor : processors)
      CPU_SET(static_cast<std::size_t>(processor), &all);
  }
  if (CPU_COUNT(&all) != 0) // else the thread stays where it is, which is slower at worst
    static_cast<void>(sched_setaffinity(0, sizeof all, &all));
#endif
}

/// The pieces of one direction, in order. Small ones first, where nothing goes before: nothing is
/// copied by the GPU before the first one is filled. Small ones in the end take longer than the
/// host waits for the last.
class pieces {
public:
  pieces(std::span<const transfer> whole, std::size_t threads, bool first)
      : whole_(whole), threads_(threads), is_first_(first) {
    for (const transfer& t : whole)
      left_ += t.bytes;
    all_ = left_;
  }
  bool is_done() const { return left_ == 0; }
  /// What part has been taken.
  double done() const {
    return all_ == 0 ? 1 : static_cast<double>(all_ - left_) / static_cast<double>(all_);
  }
  transfer take() {
    while (at_ == whole_.front().bytes) {
      whole_ = whole_.subspan(1);
      at_ = 0;
    }
    std::size_t n = exchanger::piece;
    if (is_first_)
      n = std::min(n, exchanger::least_piece << std::min<std::size_t>(taken_ / threads_, 8));
    const transfer& from = whole_.front();
    n = std::min(n, from.bytes - at_);
    const transfer result{static_cast<char*>(from.to) + at_,
                          static_cast<const char*>(from.from) + at_, n,
                          from.also == nullptr ? nullptr : static_cast<char*>(from.also) + at_};
    at_ += n;
    left_ -= n;
    ++taken_;
    return result;
  }

private:
  std::span<const transfer> whole_;
  std::size_t threads_;
  bool is_first_;
  std::size_t at_ = 0, taken_ = 0, left_ = 0, all_ = 0;
};

void synchronize(cudaStream_t up, cudaStream_t down) noexcept {
  static_cast<void>(cudaStreamSynchronize(up));
  static_cast<void>(cudaStreamSynchronize(down));
  static_cast<void>(cudaGetLastError());
}

} // namespace

exchanger::lane::lane(const section_info& section) : memory(buffers_each * piece, section) {
  for (owned_event& event : copied)
    make_event(event, section);
}

/// One thread's work. A buffer is waited for before it is used again: of those that a copy to the
/// host has filled, the thread empties it then, or when there is nothing else to do.
class exchanger::worker {
public:
  worker(exchanger& owner, const lane& mine) : owner_(owner), lane_(mine) {}

  void run() {
    for (std::size_t k = 0;; k = (k + 1) % buffers_each) {
      empty(k);
      taken_copy next = owner_.take(false);
      if (next.of == nullptr) {
        // In the order in which they were started. Uploads go on.
        for (std::size_t i = 1; i < buffers_each; ++i)
          empty((k + i) % buffers_each);
        next = owner_.take(true);
        if (next.of == nullptr)
          return;
      }
      start(next, k);
    }
  }

private:
  char* buffer(std::size_t k) const { return static_cast<char*>(lane_.memory.data()) + k * piece; }

  /// Does something for a copy, which is completed then if it `completes` or fails.
  template <class Body> bool attempt(const taken_copy& given, bool completes, const Body& body) {
    std::exception_ptr failure;
    try {
      body();
    } catch (...) {
      failure = std::current_exception();
    }
    if (completes || failure)
      owner_.complete(*given.of, given.what->is_up, failure);
    return !failure;
  }

  void wait_for(std::size_t k, const section_info& section) const {
    check(cuda_call(cudaEventSynchronize, lane_.copied[k].get()), "copy beside kernels", section);
  }

  void empty(std::size_t k) {
    if (const taken_copy done = std::exchange(pending_[k], {}); done.of != nullptr)
      attempt(done, true, [&] {
        wait_for(k, done.of->section);
        const transfer& what = done.what->what;
        std::memcpy(what.to, buffer(k), what.bytes);
        if (what.also != nullptr)
          std::memcpy(what.also, buffer(k), what.bytes);
      });
  }

  void start(const taken_copy& next, std::size_t k) {
    const job& of = *next.of;
    const auto& [to, from, bytes, also] = next.what->what;
    const bool is_up = next.what->is_up;
    const bool is_started = attempt(next, is_up, [&] {
      wait_for(k, of.section);
      if (is_up) {
        std::memcpy(buffer(k), from, bytes);
        check(cuda_call(cudaMemcpyAsync, to, buffer(k), bytes, cudaMemcpyHostToDevice, of.up),
              "copy to the GPU", of.section);
      } else {
        check(cuda_call(cudaMemcpyAsync, buffer(k), from, bytes, cudaMemcpyDeviceToHost, of.down),
              "copy from the GPU", of.section);
      }
      check(cuda_call(cudaEventRecord, lane_.copied[k].get(), is_up ? of.up : of.down),
            "cudaEventRecord", of.section);
    });
    if (is_started && !is_up)
      pending_[k] = next;
  }

  exchanger& owner_;
  const lane& lane_;
  std::array<taken_copy, buffers_each> pending_{}; ///< copies to the host
};

exchanger::exchanger(int number, const section_info& section) : number_(number) {
  make_stream(up_, section);
  make_stream(down_, section);
}

exchanger::~exchanger() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  begun_.notify_all();
  for (lane& each : lanes_)
    each.thread.join();
}

/// \returns how many threads there is pinned memory for: at least one, and `most` if there is
/// enough
std::size_t exchanger::make_lanes(std::size_t most, const section_info& section) {
  const std::lock_guard lock(making_);
  while (lanes_.size() < most) {
    try {
      lanes_.emplace_back(section);
    } catch (const error& failed) {
      if (failed.kind() != error_kind::out_of_memory || lanes_.empty())
        throw;
      break; // fewer are slower
    }
    try {
      lanes_.back().thread = std::thread([this, &mine = lanes_.back()] {
        use_all_places();
        static_cast<void>(cudaSetDevice(number_)); // the next call fails otherwise
        worker(*this, mine).run();
      });
    } catch (const std::system_error&) {
      lanes_.pop_back();
      if (lanes_.empty())
        fail(error_kind::out_of_memory, section, "no thread for transfers",
             "raise the limit on threads (ulimit -u)");
      break;
    }
  }
  return std::min(most, lanes_.size());
}

/// Both directions side by side.
std::vector<exchanger::copy> exchanger::in_pieces(std::span<const transfer> in,
                                                  std::span<const transfer> out,
                                                  std::size_t threads, bool first) {
  pieces ups(in, threads, first), downs(out, threads, first);
  std::vector<copy> result;
  while (!ups.is_done() || !downs.is_done()) {
    const bool is_up = downs.is_done() || (!ups.is_done() && ups.done() <= downs.done());
    result.push_back({is_up ? ups.take() : downs.take(), is_up});
  }
  return result;
}

std::uint64_t exchanger::add(std::span<const transfer> in, std::span<const transfer> out,
                             job made) {
  std::size_t bytes = 0;
  for (const std::span<const transfer> all : {in, out})
    for (const transfer& t : all)
      bytes += t.bytes;
  std::list<job> one;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = jobs_.empty();
  }
  if (bytes != 0) {
    for (const transfer& t : out) {
      ask_for_huge_pages(t.to, t.bytes);
      if (t.also != nullptr)
        ask_for_huge_pages(t.also, t.bytes);
    }
    const std::size_t threads =
        make_lanes(std::min(chunk_count(bytes, least_piece), most_threads), made.section);
    made.copies = in_pieces(in, out, threads, is_first);
    made.left = made.copies.size();
    made.left_up = static_cast<std::size_t>(std::count_if(
        made.copies.begin(), made.copies.end(), [](const copy& each) { return each.is_up; }));
  }
  one.push_back(std::move(made));
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = one.front().number = ++last_;
    jobs_.splice(jobs_.end(), one);
  }
  begun_.notify_all();
  return number;
}

/// A job whose copies are all completed, which is off the list then.
exchanger::job exchanger::take_completed(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [number](const job& each) { return each.number == number; });
  completed_.wait(lock, [&] { return found->left == 0; });
  job result = std::move(*found);
  jobs_.erase(found);
  return result;
}

/// The first job with copies that were not taken; or, so that both directions go on, the first
/// whose next copy goes the other way than the last one. \returns null: there is none
exchanger::job* exchanger::next_job() {
  job* first = nullptr;
  for (job& each : jobs_) {
    if (each.next == each.copies.size())
      continue;
    if (each.copies[each.next].is_up != was_up_)
      return &each;
    if (first == nullptr)
      first = &each;
  }
  return first;
}

/// \param waits for a copy, or for the end
exchanger::taken_copy exchanger::take(bool waits) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (job* const from = next_job()) {
      if (from->next == 0)
        begin_copies(*from);
      if (from->next == from->copies.size()) // it failed
        continue;
      const copy& taken = from->copies[from->next++];
      was_up_ = taken.is_up;
      return {from, &taken};
    }
    if (!waits || is_ending_)
      return {};
    begun_.wait(lock);
  }
}

/// Before the first copy of a job is queued.
void exchanger::begin_copies(job& of) noexcept {
  if (!of.is_beside)
    return;
  try {
    if (of.left_up != 0)
      check(cuda_call(cudaStreamWaitEvent, of.up, of.queued.get(), 0U), "cudaStreamWaitEvent",
            of.section);
    if (of.left != of.left_up)
      check(cuda_call(cudaStreamWaitEvent, of.down, of.queued.get(), 0U), "cudaStreamWaitEvent",
            of.section);
  } catch (...) {
    of.failure = std::current_exception();
    of.next = of.copies.size();
    of.left = 0;
    completed_.notify_all();
  }
}

/// A copy is done, or queued if it goes to the device; or it failed, and those that were not taken
/// are left out.
void exchanger::complete(job& of, bool is_up, std::exception_ptr failure) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_up && --of.left_up == 0 && !failure && !of.failure && of.is_beside)
    try {
      check(cuda_call(cudaEventRecord, of.sent.get(), of.up), "cudaEventRecord", of.section);
    } catch (...) {
      failure = std::current_exception();
    }
  if (failure && !of.failure) {
    of.failure = std::move(failure);
    of.left -= of.copies.size() - of.next;
    of.next = of.copies.size();
  }
  if (--of.left == 0)
    completed_.notify_all();
}

std::uint64_t exchanger::begin(std::span<const transfer> in, std::span<const transfer> out,
                               cudaStream_t queue, const section_info& section) {
  job made{};
  made.section = section;
  made.up = up_.get();
  made.down = down_.get();
  made.is_beside = true;
  make_event(made.queued, section);
  make_event(made.sent, section);
  check(cuda_call(cudaEventRecord, made.queued.get(), queue), "cudaEventRecord", section);
  return add(in, out, std::move(made));
}

void exchanger::end(std::uint64_t number, cudaStream_t queue, const section_info& section) {
  const job done = take_completed(number);
  try {
    if (done.failure)
      std::rethrow_exception(done.failure);
    check(cuda_call(cudaStreamWaitEvent, queue, done.sent.get(), 0U), "cudaStreamWaitEvent",
          section);
  } catch (...) { // what was queued of it
    synchronize(done.up, done.down);
    throw;
  }
}

void exchanger::drop(std::uint64_t number, cudaStream_t queue) noexcept {
  const job done = take_completed(number);
  if (done.failure || cudaStreamWaitEvent(queue, done.sent.get(), 0U) != cudaSuccess)
    synchronize(done.up, done.down);
}

void exchanger::run(const transfer& what, bool is_up, cudaStream_t queue,
                    const section_info& section) {
  job made{};
  made.section = section;
  made.up = made.down = queue;
  const std::span<const transfer> one(&what, 1), none;
  const job done = take_completed(add(is_up ? one : none, is_up ? none : one, std::move(made)));
  if (done.failure) {
    synchronize(queue, queue);
    std::rethrow_exception(done.failure);
  }
}

void exchanger::upload(const transfer& what, cudaStream_t queue, const section_info& section) {
  run(what, true, queue, section);
}

void exchanger::download(const transfer& what, cudaStream_t queue, const section_info& section) {
  run(what, false, queue, section);
}

} // namespace ikra::rt
