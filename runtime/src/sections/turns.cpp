// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The half of turns (ikra/generated/turns/turns.hpp) that knows no types: the buffers of arrays.
#include <ikra/generated/turns/turns.hpp>

#include "support/environment.hpp"
#include "support/kernel_trace.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ikra::rt {

bool turns_enabled() {
  static const bool enabled = is_switched_on("IKRA_TURNS");
  return enabled;
}

namespace {

/// Frames of loops that have ended, by what they depend on; those used last come first. Larger ones
/// are not worth it: their kernels take longer than making a graph does.
class kept_frames {
public:
  static constexpr std::size_t most_bytes = std::size_t(16) << 20; ///< of a frame
  static constexpr std::size_t most_frames = 8;

  using key = std::vector<std::uint64_t>;

  std::unique_ptr<turn_frame> take(const key& of) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const auto& each) { return each.first == of; });
    if (found == all_.end())
      return nullptr;
    std::unique_ptr<turn_frame> result = std::move(found->second);
    all_.erase(found);
    return result;
  }
  void put(key of, std::unique_ptr<turn_frame> frame) {
    std::unique_ptr<turn_frame> last; // freed without the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    all_.emplace_front(std::move(of), std::move(frame));
    if (all_.size() > most_frames) {
      last = std::move(all_.back().second);
      all_.pop_back();
    }
  }

  bool give_up_all() {
    std::list<std::pair<key, std::unique_ptr<turn_frame>>> all; // freed without the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    all.swap(all_);
    return !all.empty();
  }

private:
  std::mutex mutex_;
  std::list<std::pair<key, std::unique_ptr<turn_frame>>> all_;
};

/// Never destroyed: devices may be gone by then.
kept_frames& all_kept() {
  static kept_frames& instance = []() -> kept_frames& {
    auto& made = *new kept_frames;
    device::gives_up_kept = []() noexcept { return all_kept().give_up_all(); };
    return made;
  }();
  return instance;
}

} // namespace

bool is_speculatable(ikra::detail::command_base& root) {
  std::vector<ikra::detail::command_base*> pending{&root};
  std::unordered_set<const ikra::detail::command_base*> seen;
  while (!pending.empty()) {
    ikra::detail::command_base& of = *pending.back();
    pending.pop_back();
    // What was started has been asked for.
    if (of.computed() || of.work() != 0 || !seen.insert(&of).second)
      continue;
    if (!of.is_speculatable())
      return false;
    of.collect_inputs(pending);
  }
  return true;
}

turn_base::turn_base(const section_info& section, bool has_kernels)
    : section_(&section), device_(has_kernels ? &current_device() : &host_device()),
      frame_(std::make_unique<turn_frame>()) {
  device_->make_current(section);
  trace_kernel(section, 1);
  depends_on(reinterpret_cast<std::uintptr_t>(section_));
  depends_on(reinterpret_cast<std::uintptr_t>(device_));
}

bool are_apart(std::span<const variable_place> all) {
  for (std::size_t k = 1; k < all.size(); ++k)
    for (const variable_place& other : all.first(k))
      if (all[k].address < other.address + other.bytes &&
          other.address < all[k].address + all[k].bytes)
        return false;
  return true;
}

turn_base::~turn_base() {
  for (lent& each : lent_) // the graph has not run
    *each.from = std::exchange(each.to->memory, device_memory());
  if (!keeps_)
    return;
  for (turn_buffer& buffer : frame_->buffers)
    buffer.command = nullptr;
  try {
    all_kept().put(std::move(key_), std::move(frame_));
  } catch (const std::bad_alloc&) {
    // No memory: it is made anew.
  }
}

bool turn_base::take_kept() {
  std::unique_ptr<turn_frame> earlier = all_kept().take(key_);
  if (!earlier) {
    frame_->recorder = device_->record(*section_);
    return false;
  }
  for (std::size_t k = 0; k < earlier->foreign.size(); ++k) {
    earlier->foreign[k]->data = frame_->foreign[k]->data;
    earlier->foreign[k]->command = frame_->foreign[k]->command;
  }
  unused_ = std::exchange(frame_, std::move(earlier));
  return true;
}

bool turn_base::keep() {
  std::size_t bytes = 0;
  for (const turn_buffer& buffer : frame_->buffers)
    bytes += buffer.memory.bytes();
  return keeps_ = bytes <= kept_frames::most_bytes;
}

turn_buffer* turn_base::take(std::size_t bytes) {
  const auto fits = std::find_if(frame_->free.rbegin(), frame_->free.rend(),
                                 [&](const turn_buffer* b) { return b->bytes == bytes; });
  if (fits != frame_->free.rend()) {
    turn_buffer* const found = *fits;
    frame_->free.erase(std::next(fits).base());
    return found;
  }
  if (turn_buffer* const found = given_up(bytes))
    return found;
  turn_buffer fresh{device_memory(*device_, bytes, "an array of a loop", *section_)};
  fresh.data = fresh.memory.data();
  fresh.bytes = bytes;
  frame_->free.reserve(frame_->buffers.size() + 1); // release() does not throw
  frame_->buffers.push_back(std::move(fresh));
  return &frame_->buffers.back();
}

void turn_base::expect(std::size_t bytes, int buffers) {
  for (expected& each : expected_)
    if (each.bytes == bytes) {
      each.buffers += buffers;
      return;
    }
  expected_.push_back({bytes, buffers});
}

/// The memory of a variable's elements, if nobody else has these.
sole_memory turn_base::found_memory(const turn_buffer& of) const {
  constexpr long holders = 2; // the variable, and this
  if (of.memory_of == nullptr || of.command == nullptr || of.command.use_count() != holders)
    return {};
  sole_memory found = of.memory_of(*of.command, *device_);
  if (found.own == nullptr)
    return found;
  const bool is_own = found.own->owner() == device_ && found.own->data() == of.data &&
                      found.own->bytes() == of.bytes && !found.own->is_of_others();
  return is_own && device_->may_overwrite(of.data) ? std::move(found) : sole_memory();
}

/// A buffer from before the loop that no variable holds any more. From then on the loop cannot run
/// as written, so there have to be as many buffers as will ever be held: none is allocated after
/// the first one is given up.
turn_buffer* turn_base::given_up(std::size_t bytes) {
  if (frame_->recorder || expected_.empty())
    return nullptr;
  const auto is_there = [&](const turn_buffer& of) {
    const sole_memory found = found_memory(of);
    return of.memory.data() != nullptr || found.own != nullptr || found.of_vector != nullptr;
  };
  for (const expected& each : expected_) {
    const auto there =
        std::count_if(frame_->buffers.begin(), frame_->buffers.end(), [&](const turn_buffer& of) {
          return of.bytes == each.bytes && is_there(of);
        });
    if (there < each.buffers)
      return nullptr;
  }
  for (turn_buffer& of : frame_->buffers) {
    if (of.bytes != bytes || of.users != 0 || of.memory.data() != nullptr || !is_there(of))
      continue;
    sole_memory found = found_memory(of);
    if (found.own != nullptr)
      of.memory = std::exchange(*found.own, device_memory());
    else
      of.memory = device_memory(*device_, const_cast<void*>(of.data), bytes);
    of.owner = std::move(found.of_vector);
    of.command = nullptr;
    return &of;
  }
  return nullptr;
}

bool turn_base::take_over(turn_buffer& of) {
  const bool may_be = of.users == 1 && of.bytes > kept_frames::most_bytes && !expected_.empty();
  device_memory* const from = may_be ? found_memory(of).own : nullptr;
  if (from == nullptr)
    return false;
  lent_.push_back({&of, of.command, from});
  of.memory = std::exchange(*from, device_memory());
  of.command = nullptr;
  return true;
}

void turn_base::hold(turn_buffer* of) noexcept {
  if (of->users++ == 0)
    std::erase(frame_->free, of);
}

void turn_base::release(turn_buffer* of) noexcept {
  if (--of->users == 0 && of->memory.data() != nullptr)
    frame_->free.push_back(of);
}

turn_buffer* turn_base::foreign(const void* data, std::size_t bytes,
                                std::shared_ptr<ikra::detail::command_base> command) {
  frame_->free.reserve(frame_->buffers.size() + 1);
  frame_->buffers.push_back({device_memory(), data, bytes, 0, std::move(command)});
  frame_->foreign.push_back(&frame_->buffers.back());
  return &frame_->buffers.back();
}

void turn_base::copy(turn_buffer& to, const turn_buffer& from) {
  if (frame_->recorder)
    frame_->recorder->copy(to.memory.data(), from.data, from.bytes);
  else
    device_->copy(to.memory.data(), from.data, from.bytes, *section_);
}

void turn_base::copy_at_once(void* to, const turn_buffer& from) {
  device_->copy(to, from.data, from.bytes, *section_);
}

void turn_base::run_graph() {
  static_cast<void>(device_->stream()); // what was started goes before
  frame_->recorder->run();
  lent_.clear();
  device_->synchronize(*section_);
}

const void* turn_base::on_device(const ikra::detail::remote* place) const {
  const auto* elements = dynamic_cast<const device_elements*>(place);
  return elements != nullptr && elements->memory().owner() == device_ ? elements->memory().data()
                                                                      : nullptr;
}

} // namespace ikra::rt
