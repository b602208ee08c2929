// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the device for operations that have no section: the GPU where the program runs on one and
// it is worth while to bring elements there, else all cores.
#include "operations.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace ikra::rt {

namespace {

/// Fewer elements than this that lie in host memory stay there.
constexpr std::size_t fewest_sent = 4096;

class operations_of_program final : public ikra::detail::device_operations {
public:
  bool view(const any_buffer& in, const strided& map, any_buffer& out) override {
    const any_buffer* const inputs[] = {&in};
    return ask(chosen_for_all(inputs), [&](auto& there) { return there.view(in, map, out); });
  }
  bool concatenate(const any_buffer* const* in, std::size_t count, any_buffer& out) override {
    return ask(chosen_for_all({in, count}),
               [&](auto& there) { return there.concatenate(in, count, out); });
  }
  bool gather(const any_buffer& in, const strided& space, const any_buffer& indices,
              any_buffer& out) override {
    return ask(chosen(in, indices),
               [&](auto& there) { return there.gather(in, space, indices, out); });
  }
  bool scatter(const any_buffer& in, const strided& space, const any_buffer& indices,
               const void* init, any_buffer& out) override {
    return ask(chosen(in, indices),
               [&](auto& there) { return there.scatter(in, space, indices, init, out); });
  }
  bool sort(const any_buffer& in, any_buffer& out) override {
    return ask(chosen(in), [&](auto& there) { return there.sort(in, out); });
  }
  bool sort_by(const any_buffer& keys, const any_buffer& in, any_buffer& out) override {
    return ask(chosen(keys, in), [&](auto& there) { return there.sort_by(keys, in, out); });
  }
  bool histogram(const any_buffer& in, std::int64_t bins, any_buffer& out) override {
    return ask(chosen(in), [&](auto& there) { return there.histogram(in, bins, out); });
  }
  bool first_of_runs(const any_buffer& in, any_buffer& out) override {
    return ask(chosen(in), [&](auto& there) { return there.first_of_runs(in, out); });
  }

  std::shared_ptr<ikra::detail::remote>
  adopt(const gpu_memory& memory, std::shared_ptr<const void> keep, void* event) override {
    return cuda_operations() == nullptr ? nullptr
                                        : cuda_operations()->adopt(memory, std::move(keep), event);
  }
  gpu_memory on_gpu(const any_buffer& elements) override {
    return cuda_operations() == nullptr ? gpu_memory() : cuda_operations()->on_gpu(elements);
  }
  void given_back() noexcept override {
    try {
      current_device().wait_for(nullptr, waiting);
    } catch (const error&) { // NOLINT(bugprone-empty-catch)
      // The GPU failed, which whoever asks it for something is told, or the process is ending.
    }
  }
  bool is_idle() override { return current_device().is_idle(); }
  void finish() override { current_device().synchronize(waiting); }

private:
  static constexpr section_info waiting = operation_info("wait");

  /// Calls operation(there), or, if a GPU has no memory for it and the user wants that, for all
  /// cores.
  template <class Operation>
  static bool ask(ikra::detail::device_operations& there, const Operation& operation) {
    try {
      return operation(there);
    } catch (const error& failed) {
      if (!goes_on_on_all_cores(failed))
        throw;
    }
    return operation(host_operations());
  }

  /// Where elements are moved as they are: all cores if the host has them all.
  static ikra::detail::device_operations&
  chosen_for_all(std::span<const any_buffer* const> inputs) {
    const bool on_host =
        std::ranges::all_of(inputs, [](const any_buffer* input) { return input->on_host(); });
    return on_host || cuda_operations() == nullptr ? host_operations() : *cuda_operations();
  }
  template <class... Buffers>
  static ikra::detail::device_operations& chosen(const Buffers&... inputs) {
    const bool stays = ((inputs.on_host() && inputs.size() < fewest_sent) && ...);
    if (cuda_operations() == nullptr || stays || !current_device().is_cuda())
      return host_operations();
    return *cuda_operations();
  }
};

} // namespace

void install_operations() {
  static operations_of_program operations;
  ikra::detail::operations = &operations;
  install_background();
}

} // namespace ikra::rt
