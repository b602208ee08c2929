// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels behind device::sort_order and device::reorder.
#pragma once

#include <ikra/generated/device/device.hpp>

#include <cstddef>
#include <cstdint>

namespace ikra::rt {

/// See device::sort_order.
void cuda_sort_order(const std::uint32_t* keys, std::uint32_t* order, std::uint32_t n, int bits,
                     device& where, const section_info& section);

/// to[i] = from[order[i]], or `back`, to[order[i]] = from[i], for n elements of `bytes` bytes each.
void cuda_reorder(void* to, const void* from, std::size_t bytes, const std::uint32_t* order,
                  std::uint32_t n, bool back, device& where, const section_info& section);

} // namespace ikra::rt
