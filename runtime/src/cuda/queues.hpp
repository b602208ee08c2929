// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The streams of a GPU: a main one, where all work goes in order, and two for started trees, which
// run beside each other. What a started tree may assume, and what those after it may:
//
//   begin_beside()   the side stream waits for all that the main one was given so far
//   now()            outside of started trees: the main stream waits for all side streams first
//   before_use()     a started tree that reads memory which another side stream fills waits for it
//   give_back()      memory that another stream may still use is given back once that is over
//
// So work on the main stream always follows all started work, as if there were one stream. Started
// trees follow what was queued on the main stream before them. Between two started trees the only
// thing that can be shared is memory: results of one, or inputs that it brought to the GPU.
#pragma once

#include "calls.hpp"
#include "kept_blocks.hpp"

#include <ikra/generated/device/section_info.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace ikra::rt {

/// Safe to use from several threads. A started tree belongs to the thread that queues it.
class queues {
public:
  queues() = default;
  queues(const queues&) = delete;
  queues& operator=(const queues&) = delete;

  /// Makes the main stream. \throws ikra::error of kind device_error
  void make(const section_info& section);

  /// Where this thread's work goes.
  cudaStream_t now() noexcept;

  /// What this thread queues until end_beside() is a started tree. \returns false, with nothing
  /// done, if there is no stream for it, or it is in one already
  bool begin_beside() noexcept;
  void end_beside() noexcept;

  /// \returns memory that was given back, of a size that kept_blocks rounded; null where there is
  /// none, or this thread's work may go elsewhere than where it was used
  void* reuse(std::size_t bytes);
  /// Says of memory that it was allocated on now().
  void note(void* memory, std::size_t bytes);
  /// Called before work that reads memory is queued.
  void before_use(const void* memory) noexcept;
  /// Whether the started tree may write to memory that it did not allocate just now.
  bool may_overwrite(const void* memory) noexcept;
  /// Gives it back once nothing that is queued uses it, or keeps it for reuse().
  void give_back(void* memory) noexcept;
  /// Bytes that are kept.
  std::size_t kept() noexcept;

  /// Waits for this thread's stream, after which go all others unless it has a started tree.
  cudaError_t synchronize() noexcept;
  /// Waits for all, and gives back what waited for that.
  void synchronize_all() noexcept;
  bool is_idle() noexcept;

  /// While launches are recorded there are no started trees. \{
  void begin_recording() noexcept { is_recording_ = true; }
  void end_recording() noexcept { is_recording_ = false; }
  /// \}

  /// While one exists, this thread's work goes where memory is filled, beside other started trees.
  class following {
  public:
    following(queues& owner, const void* memory) noexcept;
    following(const following&) = delete;
    following& operator=(const following&) = delete;
    ~following();

  private:
    queues& owner_;
    bool follows_;
  };

private:
  struct block {
    std::size_t bytes;
    bool
        is_shared; ///< another stream uses it, or may: the tree that it was allocated for has ended
  };
  struct side {
    cudaStream_t stream = nullptr;
    cudaEvent_t reached = nullptr;
    bool is_open = false;                ///< a tree is being queued
    bool is_behind = false;              ///< the main stream has not waited for it
    std::map<const void*, block> blocks; ///< allocated on it since the main stream waited for it
  };

  static side*& own() noexcept;
  static bool make(side& made) noexcept;
  static void wait(cudaStream_t stream, cudaStream_t awaited, cudaEvent_t reached) noexcept;
  static block* find(side& in, const void* memory) noexcept;
  void join() noexcept;
  void finish_sides() noexcept;
  void free_on_main(void* memory) noexcept;
  bool is_in_order() const noexcept;

  cudaStream_t main_ = nullptr;
  cudaEvent_t reached_ = nullptr; ///< of the main stream
  std::atomic<bool> is_recording_ = false;
  std::atomic<bool> are_behind_ = false; ///< some side stream is

  std::mutex mutex_; ///< for what follows
  std::array<side, 2> sides_;
  std::size_t next_ = 0;
  std::vector<void*> given_back_; ///< to go once all side streams were waited for
  kept_blocks kept_;              ///< of the main stream
};

} // namespace ikra::rt
