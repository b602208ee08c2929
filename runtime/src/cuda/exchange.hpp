// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large copies between the host's memory and a GPU's, in both directions at a time and beside
// kernels. One core copies to pinned memory at a fraction of the link's speed, so many threads
// work side by side: each takes piece after piece of either direction, fills or empties pinned
// buffers of its own, and waits for nobody but the GPU. They go on from one exchange to the next,
// so the link has work while the program waits for a kernel, or queues one.
#pragma once

#include "calls.hpp"
#include "pinned.hpp"

#include <ikra/generated/device/device.hpp>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace ikra::rt {

class exchanger {
public:
  /// \param number of the GPU \throws ikra::error of kind device_error
  exchanger(int number, const section_info& section);
  exchanger(const exchanger&) = delete;
  exchanger& operator=(const exchanger&) = delete;
  ~exchanger();

  /// See device::begin_exchange and its kin. \param queue the stream of the device's work \{
  std::uint64_t begin(std::span<const transfer> in, std::span<const transfer> out,
                      cudaStream_t queue, const section_info& section);
  void end(std::uint64_t number, cudaStream_t queue, const section_info& section);
  void drop(std::uint64_t number, cudaStream_t queue) noexcept;
  /// \}
  /// See device::upload and device::download. All copies are queued on the stream. \{
  void upload(const transfer& what, cudaStream_t queue, const section_info& section);
  void download(const transfer& what, cudaStream_t queue, const section_info& section);
  /// \}

  static constexpr std::size_t most_threads = 16; ///< more are not faster
  static constexpr std::size_t buffers_each = 3;  ///< two are less often there when wanted
  static constexpr std::size_t piece = std::size_t(2) << 20; ///< bytes of a buffer
  /// Bytes of the first pieces, for which the GPU has to wait.
  static constexpr std::size_t least_piece = std::size_t(256) << 10;

private:
  struct give_back {
    void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
    void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
  };
  using owned_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, give_back>;
  using owned_event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, give_back>;

  struct copy {
    transfer what;
    bool is_up;
  };
  /// Copies that are waited for together.
  struct job {
    std::uint64_t number;
    section_info section;
    cudaStream_t up, down;
    bool is_beside;           ///< of the queue: both streams wait for the work that was queued
    owned_event queued, sent; ///< that work is done; so are the copies to the device
    std::vector<copy> copies;
    std::size_t next = 0;       ///< copy to be taken
    std::size_t left = 0;       ///< copies that were not completed: to the device, queued
    std::size_t left_up = 0;    ///< those of them that go to the device
    std::exception_ptr failure; ///< the first
  };
  /// The pinned buffers of one thread.
  struct lane {
    explicit lane(const section_info& section);

    pinned_memory memory;
    std::array<owned_event, buffers_each> copied; ///< the last copy from or to a buffer is done
    std::thread thread;
  };
  struct taken_copy {
    job* of; ///< null: there is none
    const copy* what;
  };
  class worker;

  std::size_t make_lanes(std::size_t most, const section_info& section);
  static std::vector<copy> in_pieces(std::span<const transfer> in, std::span<const transfer> out,
                                     std::size_t threads, bool first);
  std::uint64_t add(std::span<const transfer> in, std::span<const transfer> out, job made);
  void run(const transfer& what, bool is_up, cudaStream_t queue, const section_info& section);
  job take_completed(std::uint64_t number);
  taken_copy take(bool waits);
  job* next_job();
  void begin_copies(job& of) noexcept;
  void complete(job& of, bool is_up, std::exception_ptr failure) noexcept;

  int number_;
  owned_stream up_, down_;
  std::mutex making_;      ///< for the making of lanes
  std::deque<lane> lanes_; ///< a deque: threads know their addresses

  std::mutex mutex_; ///< for what follows
  std::condition_variable begun_, completed_;
  std::list<job> jobs_; ///< in the order in which they were begun
  std::uint64_t last_ = 0;
  bool was_up_ = false; ///< the copy that was taken last
  bool is_ending_ = false;
};

} // namespace ikra::rt
