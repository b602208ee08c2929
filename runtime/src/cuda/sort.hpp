// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Radix sorts on a GPU by CUB, each instantiated once for the whole library, in a file of its own:
// that is what takes nvcc most of its time.
#pragma once

#include <ikra/generated/device/device.hpp>

#include <cstdint>

namespace ikra::rt {

/// out = in, in ascending order. \tparam Key std::int32_t, std::uint32_t, std::int64_t or
/// std::uint64_t
/// \param bits of keys that count, from the lowest on
template <class Key>
void cuda_sort_keys(const Key* in, Key* out, std::uint64_t n, int bits, device& where,
                    const section_info& section);

/// The same with values, stably. \tparam Key std::uint32_t or std::uint64_t, as is \tparam Value
template <class Key, class Value>
void cuda_sort_pairs(const Key* keys, const Value* in, Value* out, std::uint64_t n, int bits,
                     device& where, const section_info& section);

} // namespace ikra::rt
