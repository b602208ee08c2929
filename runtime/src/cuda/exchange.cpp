// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchange.hpp"

#include "../host_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

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

/// The pieces of one direction, in order: small ones first and last, since nothing is copied by the
/// GPU before the first one is filled, nor by the host after the last has come.
class pieces {
public:
  pieces(std::span<const transfer> whole, std::size_t threads) : whole_(whole), threads_(threads) {
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
    const std::size_t fair = left_ / (2 * threads_) / 4096 * 4096,
                      grown = exchanger::least_piece << std::min<std::size_t>(taken_ / threads_, 8);
    const transfer& from = whole_.front();
    const std::size_t n = std::min({std::max(std::min(fair, grown), exchanger::least_piece),
                                    exchanger::piece, from.bytes - at_});
    const transfer result{static_cast<char*>(from.to) + at_,
                          static_cast<const char*>(from.from) + at_, n};
    at_ += n;
    left_ -= n;
    ++taken_;
    return result;
  }

private:
  std::span<const transfer> whole_;
  std::size_t threads_;
  std::size_t at_ = 0, taken_ = 0, left_ = 0, all_ = 0;
};

} // namespace

exchanger::lane::lane(const section_info& section) : memory(buffers_each * piece, section) {
  for (owned_event& event : copied)
    make_event(event, section);
}

/// An error leaves no copy behind that still reads or writes memory of the caller.
class exchanger::both_finished {
public:
  both_finished(cudaStream_t up, cudaStream_t down) : up_(up), down_(down) {}
  both_finished(const both_finished&) = delete;
  both_finished& operator=(const both_finished&) = delete;
  ~both_finished() {
    if (!is_needed_)
      return;
    static_cast<void>(cudaStreamSynchronize(up_));
    static_cast<void>(cudaStreamSynchronize(down_));
    static_cast<void>(cudaGetLastError());
  }
  void not_needed() { is_needed_ = false; }

private:
  cudaStream_t up_, down_;
  bool is_needed_ = true;
};

/// One thread's share. A buffer is waited for before it is used again: of those that a copy to the
/// host has filled, the thread empties it then.
class exchanger::worker {
public:
  worker(const lane& mine, cudaStream_t up, cudaStream_t down, const section_info& section)
      : lane_(mine), up_(up), down_(down), section_(section) {}

  void run(std::span<const copy> copies, std::atomic<std::size_t>& next) {
    for (std::size_t k = 0;; k = (k + 1) % buffers_each) {
      finish(k);
      const std::size_t taken = next++;
      if (taken >= copies.size())
        break;
      start(copies[taken], k);
    }
    // In the order in which they were started. Uploads go on.
    for (std::size_t i = 0; i < buffers_each; ++i, first_ = (first_ + 1) % buffers_each)
      if (pending_[first_] != nullptr)
        finish(first_);
  }

private:
  char* buffer(std::size_t k) const { return static_cast<char*>(lane_.memory.data()) + k * piece; }

  void finish(std::size_t k) {
    check(cuda_call(cudaEventSynchronize, lane_.copied[k].get()), "copy beside kernels", section_);
    if (pending_[k] != nullptr)
      std::memcpy(pending_[k]->to, buffer(k), pending_[k]->bytes);
    pending_[k] = nullptr;
  }

  void start(const copy& next, std::size_t k) {
    const transfer& what = next.what;
    if (next.is_up) {
      std::memcpy(buffer(k), what.from, what.bytes);
      check(cuda_call(cudaMemcpyAsync, what.to, buffer(k), what.bytes, cudaMemcpyHostToDevice, up_),
            "copy to the GPU", section_);
    } else {
      check(cuda_call(cudaMemcpyAsync, buffer(k), what.from, what.bytes, cudaMemcpyDeviceToHost,
                      down_),
            "copy from the GPU", section_);
      pending_[k] = &what;
    }
    check(cuda_call(cudaEventRecord, lane_.copied[k].get(), next.is_up ? up_ : down_),
          "cudaEventRecord", section_);
    first_ = (k + 1) % buffers_each;
  }

  const lane& lane_;
  cudaStream_t up_, down_;
  const section_info& section_;
  std::array<const transfer*, buffers_each> pending_{}; ///< copies to the host
  std::size_t first_ = 0;                               ///< buffer that was used longest ago
};

exchanger::exchanger(int number, const section_info& section) : number_(number) {
  make_stream(up_, section);
  make_stream(down_, section);
  make_event(marked_, section);
  make_event(sent_, section);
}

void exchanger::mark(cudaStream_t queue, const section_info& section) {
  check(cuda_call(cudaEventRecord, marked_.get(), queue), "cudaEventRecord", section);
  check(cuda_call(cudaStreamWaitEvent, queue, sent_.get(), 0U), "cudaStreamWaitEvent", section);
}

void exchanger::hold_up(cudaStream_t queue) const noexcept {
  if (cudaStreamWaitEvent(queue, sent_.get(), 0U) != cudaSuccess) {
    static_cast<void>(cudaStreamSynchronize(up_.get()));
    static_cast<void>(cudaGetLastError());
  }
}

/// \returns how many threads there is pinned memory for: at least one, and `most` if there is
/// enough
std::size_t exchanger::make_lanes(std::size_t most, const section_info& section) {
  while (lanes_.size() < most)
    try {
      lanes_.emplace_back(section);
    } catch (const error& failed) {
      if (failed.kind() != error_kind::out_of_memory || lanes_.empty())
        throw;
      break; // fewer are slower
    }
  return std::min(most, lanes_.size());
}

/// Both directions side by side. Copies to the host are a bit ahead: the caller waits for the last.
std::vector<exchanger::copy> exchanger::in_pieces(std::span<const transfer> in,
                                                  std::span<const transfer> out,
                                                  std::size_t threads) {
  constexpr double ahead = 0.75;
  pieces ups(in, threads), downs(out, threads);
  std::vector<copy> result;
  while (!ups.is_done() || !downs.is_done()) {
    const bool is_up = downs.is_done() || (!ups.is_done() && ups.done() < ahead * downs.done());
    result.push_back({is_up ? ups.take() : downs.take(), is_up});
  }
  return result;
}

void exchanger::run(std::span<const transfer> in, std::span<const transfer> out, cudaStream_t up,
                    cudaStream_t down, const section_info& section) {
  std::size_t bytes = 0;
  for (const std::span<const transfer> all : {in, out})
    for (const transfer& t : all)
      bytes += t.bytes;
  if (bytes == 0)
    return;
  for (const transfer& t : out)
    ask_for_huge_pages(t.to, t.bytes);
  const std::size_t threads =
      make_lanes(std::min(chunk_count(bytes, least_piece), most_threads), section);
  const std::vector<copy> copies = in_pieces(in, out, threads);
  std::atomic<std::size_t> next{0};
  both_finished guard(up, down);
  for_chunks(threads, threads, [&](std::size_t thread, std::size_t, std::size_t) {
    static_cast<void>(cudaSetDevice(number_)); // the threads' own; the next call fails otherwise
    try {
      worker(lanes_[thread], up, down, section).run(copies, next);
    } catch (...) {
      next = copies.size(); // for the others
      throw;
    }
  });
  guard.not_needed();
}

void exchanger::run(std::span<const transfer> in, std::span<const transfer> out,
                    const section_info& section) {
  for (const owned_stream* stream : {&up_, &down_})
    check(cuda_call(cudaStreamWaitEvent, stream->get(), marked_.get(), 0U), "cudaStreamWaitEvent",
          section);
  both_finished guard(up_.get(), down_.get());
  run(in, out, up_.get(), down_.get(), section);
  check(cuda_call(cudaEventRecord, sent_.get(), up_.get()), "cudaEventRecord", section);
  guard.not_needed();
}

void exchanger::upload(const transfer& what, cudaStream_t queue, const section_info& section) {
  run({&what, 1}, {}, queue, queue, section);
}

void exchanger::download(const transfer& what, cudaStream_t queue, const section_info& section) {
  run({}, {&what, 1}, queue, queue, section);
}

} // namespace ikra::rt
