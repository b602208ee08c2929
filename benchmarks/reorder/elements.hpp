// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base arrays whose elements are to be in the order of their classes: their keys, CUB's radix sort
// of these, and a check.
#pragma once

#include <cstdint>
#include <memory>

namespace reorder {

enum class base {
  subset, ///< every second object or so, in the objects' order; classes are equally likely
  repeats ///< objects by chance, some several times; half of them are of one class
};

/// In the GPU's memory. Elements are object IDs; keys are the numbers of their classes.
class elements {
public:
  elements() = default;
  elements(const elements&) = delete;
  elements& operator=(const elements&) = delete;
  virtual ~elements() = default;

  virtual const std::uint32_t* keys() const = 0;
  virtual const std::uint32_t* ids() const = 0;
  /// Memory for a result, and for a permutation.
  virtual std::uint32_t* sorted() = 0;
  virtual std::uint32_t* order() = 0;

  /// CUB's radix sort of the keys with the IDs as values, into sorted(). Its memory is there.
  virtual void sort_by_cub() = 0;
  /// CUB's radix sort of the keys alone.
  virtual void sort_keys_by_cub() = 0;

  /// Makes sorted() wrong, so that is_right() tells what the next run did.
  virtual void spoil() = 0;
  /// Whether sorted() has the IDs by class, and of a class in their order.
  virtual bool is_right() = 0;
};

std::unique_ptr<elements> made(base how, std::uint32_t n, std::uint32_t classes);

} // namespace reorder
