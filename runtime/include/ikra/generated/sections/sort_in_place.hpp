// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// psort of objects by the user's code, on the objects as they are: a comparison reads two objects,
// which columns would have to be filled for.
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/launch/launch_sort.hpp>
#include <ikra/generated/sections/user_code.hpp>
#include <ikra/null_guard.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace ikra::detail {

/// \tparam T a pointer
template <class Section, class T> class sort_in_place final : public rt::user_loop {
public:
  explicit sort_in_place(const user_call& call)
      : section_(static_cast<const Section&>(call.section)), input_(input_of<T>(call, 0)->result()),
        to_(*static_cast<buffer<T>*>(call.result.buffer)) {}

  bool runs_at_finish() const override { return true; }
  void prepare() override {}
  std::int64_t run(std::int64_t begin, std::int64_t end, std::int64_t,
                   const rt::class_check* check) const override {
    if constexpr (has_classes<T>)
      for (std::int64_t i = begin; check != nullptr && i < end; ++i)
        if (input_.data()[i] != nullptr && !check->knows(0, i))
          return i;
    return end;
  }
  void finish() override {
    const code_of<Section> code{section_.user_code()};
    const auto before = [&code](const T& a, const T& b) {
      return static_cast<bool>(std::invoke(code, T(a), T(b)));
    };
    room<T> sorted(input_.size());
    room<T> spare(input_.size());
    rt::host_sort(before, input_.data(), input_.size(), sorted.data(), spare.data(),
                  [this](std::uint64_t chunks, const auto& run_chunk) {
                    rt::host_chunks(chunks, [&](std::uint64_t k) {
                      run_section("psort", [&](loop_position&) { run_chunk(k); }, may_meet_null);
                    });
                  });
    sorted.set_filled();
    to_ = buffer<T>(std::move(sorted));
  }

private:
  const Section& section_;
  const buffer<T>& input_;
  buffer<T>& to_;
};

template <class Section, class T>
std::unique_ptr<rt::user_loop> make_sort_in_place(const user_call& call) {
  return std::make_unique<sort_in_place<Section, T>>(call);
}

} // namespace ikra::detail
