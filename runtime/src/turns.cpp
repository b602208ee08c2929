// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The half of turns (ikra/generated/turns.hpp) that knows no types: the buffers of arrays.
#include <ikra/generated/turns.hpp>

#include "environment.hpp"
#include "kernel_trace.hpp"

#include <algorithm>
#include <string>

namespace ikra::rt {

bool turns_enabled() {
  static const bool enabled = is_switched_on("IKRA_TURNS");
  return enabled;
}

turn_base::turn_base(const section_info& section, bool has_kernels)
    : section_(&section), device_(has_kernels ? &current_device() : &host_device()) {
  device_->make_current(section);
  trace_kernel(section, 1);
  recorder_ = device_->record(section);
}

turn_base::~turn_base() = default;

turn_buffer* turn_base::take(std::size_t bytes) {
  const auto fits = std::find_if(free_.rbegin(), free_.rend(),
                                 [&](const turn_buffer* b) { return b->bytes == bytes; });
  if (fits != free_.rend()) {
    turn_buffer* const found = *fits;
    free_.erase(std::next(fits).base());
    return found;
  }
  turn_buffer fresh{device_memory(*device_, bytes, "an array of a loop", *section_)};
  fresh.data = fresh.memory.data();
  fresh.bytes = bytes;
  free_.reserve(buffers_.size() + 1); // release() does not throw
  buffers_.push_back(std::move(fresh));
  return &buffers_.back();
}

void turn_base::hold(turn_buffer* of) noexcept {
  if (of->users++ == 0)
    std::erase(free_, of);
}

void turn_base::release(turn_buffer* of) noexcept {
  if (--of->users == 0 && of->memory.data() != nullptr)
    free_.push_back(of);
}

turn_buffer* turn_base::foreign(const void* data, std::size_t bytes,
                                std::shared_ptr<ikra::detail::command_base> command) {
  free_.reserve(buffers_.size() + 1);
  buffers_.push_back({device_memory(), data, bytes, 0, std::move(command)});
  return &buffers_.back();
}

void turn_base::copy(turn_buffer& to, const turn_buffer& from) {
  if (recorder_)
    recorder_->copy(to.memory.data(), from.data, from.bytes);
  else
    device_->copy(to.memory.data(), from.data, from.bytes, *section_);
}

void turn_base::run_graph() {
  recorder_->run();
  device_->synchronize(*section_);
}

const void* turn_base::on_device(const ikra::detail::remote* place) const {
  const auto* elements = dynamic_cast<const device_elements*>(place);
  return elements != nullptr && elements->memory().owner() == device_ ? elements->memory().data()
                                                                      : nullptr;
}

} // namespace ikra::rt
