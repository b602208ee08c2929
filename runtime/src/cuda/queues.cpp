// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "queues.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace ikra::rt {

namespace {

constexpr const char* remedy = "run with IKRA_DEVICE=cpu";

} // namespace

/// Where the calling thread queues a started tree; null: on the main stream. There is one GPU.
queues::side*& queues::own() noexcept {
  static thread_local side* current = nullptr;
  return current;
}

void queues::make(const section_info& section) {
  check_cuda(cuda_call(cudaStreamCreateWithFlags, &main_, cudaStreamNonBlocking),
             "cudaStreamCreateWithFlags", section, remedy);
}

/// \returns whether there is a stream
bool queues::make(side& made) noexcept {
  if (made.stream == nullptr &&
      cuda_call(cudaStreamCreateWithFlags, &made.stream, cudaStreamNonBlocking) != cudaSuccess)
    made.stream = nullptr;
  if (made.reached == nullptr &&
      cuda_call(cudaEventCreateWithFlags, &made.reached, cudaEventDisableTiming) != cudaSuccess)
    made.reached = nullptr;
  return made.stream != nullptr && made.reached != nullptr;
}

/// Has a stream wait for all that another one was given so far. Not through cuda_call: where it
/// fails, the host waits, and whoever reads a result is told why.
void queues::wait(cudaStream_t stream, cudaStream_t awaited, cudaEvent_t reached) noexcept {
  if (cudaEventRecord(reached, awaited) == cudaSuccess &&
      cudaStreamWaitEvent(stream, reached, 0U) == cudaSuccess)
    return;
  static_cast<void>(cudaStreamSynchronize(awaited));
}

/// The block that an address is in.
queues::block* queues::find(side& in, const void* memory) noexcept {
  const auto after = in.blocks.upper_bound(memory);
  if (after == in.blocks.begin())
    return nullptr;
  const auto at = std::prev(after);
  const auto* const end = static_cast<const unsigned char*>(at->first) + at->second.bytes;
  return static_cast<const unsigned char*>(memory) < end ? &at->second : nullptr;
}

/// The main stream waits for all side streams. With the mutex.
void queues::join() noexcept {
  bool is_open = false;
  for (side& each : sides_) {
    if (!each.is_behind)
      continue;
    wait(main_, each.stream, each.reached);
    if (each.is_open) { // there will be more
      is_open = true;
      continue;
    }
    each.is_behind = false;
    each.blocks.clear();
  }
  if (is_open)
    return;
  for (void* const memory : std::exchange(given_back_, {}))
    free_on_main(memory);
  are_behind_.store(false, std::memory_order_release);
}

cudaStream_t queues::now() noexcept {
  if (const side* const mine = own())
    return mine->stream;
  if (are_behind_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    join();
  }
  return main_;
}

bool queues::begin_beside() noexcept {
  if (own() != nullptr || is_recording_)
    return false;
  const std::lock_guard lock(mutex_);
  side* chosen = nullptr;
  for (std::size_t k = 0; k < sides_.size(); ++k) { // one with nothing to do, if there is one
    side& each = sides_[(next_ + k) % sides_.size()];
    if (!each.is_open && (chosen == nullptr || (chosen->is_behind && !each.is_behind)))
      chosen = &each;
  }
  if (chosen == nullptr || !make(*chosen))
    return false;
  if (reached_ == nullptr &&
      cuda_call(cudaEventCreateWithFlags, &reached_, cudaEventDisableTiming) != cudaSuccess) {
    reached_ = nullptr;
    return false;
  }
  if (cuda_call(cudaEventRecord, reached_, main_) != cudaSuccess ||
      cuda_call(cudaStreamWaitEvent, chosen->stream, reached_, 0U) != cudaSuccess)
    return false;
  next_ = static_cast<std::size_t>(chosen - sides_.data() + 1) % sides_.size();
  chosen->is_open = chosen->is_behind = true;
  are_behind_.store(true, std::memory_order_release);
  own() = chosen;
  return true;
}

void queues::end_beside() noexcept {
  side* const mine = std::exchange(own(), nullptr);
  const std::lock_guard lock(mutex_);
  mine->is_open = false;
  for (auto& [memory, each] : mine->blocks) // of now on, anybody may use them
    each.is_shared = true;
}

/// Whether this thread's work follows all that was queued.
bool queues::is_in_order() const noexcept {
  return own() == nullptr && !is_recording_ && !are_behind_.load(std::memory_order_acquire);
}

void* queues::reuse(std::size_t bytes) {
  if (bytes > kept_blocks::largest || !is_in_order())
    return nullptr;
  const std::lock_guard lock(mutex_);
  return kept_.take(bytes);
}

void queues::note(void* memory, std::size_t bytes) {
  side* const mine = own();
  const std::lock_guard lock(mutex_);
  if (mine != nullptr)
    mine->blocks.insert_or_assign(memory, block{bytes, false});
  else if (!is_recording_) // a graph's memory is the graph's
    kept_.note(memory, bytes);
}

std::size_t queues::kept() noexcept {
  const std::lock_guard lock(mutex_);
  return kept_.bytes();
}

void queues::before_use(const void* memory) noexcept {
  if (!are_behind_.load(std::memory_order_acquire))
    return;
  side* const mine = own();
  const std::lock_guard lock(mutex_);
  if (mine != nullptr && find(*mine, memory) != nullptr)
    return;
  for (side& each : sides_)
    if (block* const used = each.is_behind ? find(each, memory) : nullptr) {
      used->is_shared = true;
      if (mine != nullptr)
        wait(mine->stream, each.stream, each.reached);
    }
  if (mine == nullptr)
    join();
  else // another thread may have filled it there since the tree was begun
    wait(mine->stream, main_, reached_);
}

bool queues::may_overwrite(const void* memory) noexcept {
  side* const mine = own();
  if (mine == nullptr)
    return true;
  const std::lock_guard lock(mutex_);
  const block* const there = find(*mine, memory);
  return there != nullptr && !there->is_shared;
}

void queues::give_back(void* memory) noexcept {
  side* const mine = own();
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = kept_.forget(memory);
  if (mine == nullptr && !are_behind_.load(std::memory_order_relaxed)) {
    if (bytes != 0 && !is_recording_)
      memory = kept_.keep(memory, bytes).memory; // another one goes
    if (memory != nullptr)
      static_cast<void>(cudaFreeAsync(memory, main_));
    return;
  }
  if (mine != nullptr)
    if (const auto own_block = mine->blocks.find(memory);
        own_block != mine->blocks.end() && !own_block->second.is_shared) {
      mine->blocks.erase(own_block);
      static_cast<void>(cudaFreeAsync(memory, mine->stream));
      return;
    }
  try {
    given_back_.push_back(memory);
  } catch (const std::bad_alloc&) {
    finish_sides();
    free_on_main(memory);
  }
}

cudaError_t queues::synchronize() noexcept { return cuda_call(cudaStreamSynchronize, now()); }

/// The host waits for all side streams. With the mutex.
void queues::finish_sides() noexcept {
  for (const side& each : sides_)
    if (each.is_behind)
      static_cast<void>(cudaStreamSynchronize(each.stream));
}

/// Gives back memory that no side stream uses any more. With the mutex.
void queues::free_on_main(void* memory) noexcept {
  for (side& each : sides_)
    each.blocks.erase(memory);
  static_cast<void>(cudaFreeAsync(memory, main_));
}

void queues::synchronize_all() noexcept {
  const std::lock_guard lock(mutex_);
  finish_sides();
  for (void* const memory : std::exchange(given_back_, {}))
    free_on_main(memory);
  while (void* const memory = kept_.drop().memory)
    free_on_main(memory);
  static_cast<void>(cudaStreamSynchronize(main_));
}

bool queues::is_idle() noexcept {
  const std::lock_guard lock(mutex_);
  return cudaStreamQuery(main_) != cudaErrorNotReady &&
         std::ranges::none_of(sides_, [](const side& each) {
           return each.is_behind && cudaStreamQuery(each.stream) == cudaErrorNotReady;
         });
}

queues::following::following(queues& owner, const void* memory) noexcept
    : owner_(owner), follows_(false) {
  if (own() != nullptr || !owner_.are_behind_.load(std::memory_order_acquire))
    return;
  const std::lock_guard lock(owner_.mutex_);
  for (side& each : owner_.sides_)
    if (each.is_behind && !each.is_open && find(each, memory) != nullptr) {
      own() = &each;
      follows_ = true;
      return;
    }
}

queues::following::~following() {
  if (follows_)
    own() = nullptr;
}

} // namespace ikra::rt
