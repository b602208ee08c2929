// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in parts (docs/runtime.md): when, how long parts are, and copies that go on beside
// kernels. For sections (section_values.cpp) and operations without one (cuda/operations.cu).
#pragma once

#include <ikra/generated/device/device.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ikra::rt {

/// IKRA_STREAM: whether arrays are computed in parts. \var beside where the host asks for results,
/// whatever their size
enum class parting_when { never, needed, always, beside };

/// \throws error of kind unsupported if the variable has another value
parting_when parting();

inline constexpr std::size_t part_of_tests = 1000; ///< elements, of IKRA_STREAM=always
/// Inputs and results of a part: long enough for launches not to count, and short beside the array,
/// since the first part's inputs and the last one's results come alone.
inline constexpr std::size_t bytes_of_part = std::size_t(128) << 20;
/// Elements of the shortest part: smaller ones take longer than all cores do.
inline constexpr std::size_t least_part = 65536;
/// A GPU is asked for its free memory only if so much is needed: that takes as long as a launch.
inline constexpr std::size_t much = std::size_t(64) << 20;

/// Copies that were begun. Whatever happens, none goes on after its memory is given back.
class exchange {
public:
  exchange(device& where, std::span<const transfer> in, std::span<const transfer> out,
           const section_info& section)
      : where_(&where), section_(&section), number_(where.begin_exchange(in, out, section)) {}
  exchange(exchange&& other) noexcept
      : where_(std::exchange(other.where_, nullptr)), section_(other.section_),
        number_(other.number_) {}
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  exchange& operator=(exchange&&) = delete;
  ~exchange() {
    if (where_ != nullptr)
      where_->drop_exchange(number_);
  }
  void end() { // it is ended even if it failed
    std::exchange(where_, nullptr)->end_exchange(number_, *section_);
  }

private:
  device* where_; ///< null: it was ended
  const section_info* section_;
  std::uint64_t number_;
};

} // namespace ikra::rt
