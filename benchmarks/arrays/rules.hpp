// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the operations, the same for sections and for programs written by hand.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define ARRAYS_BOTH __host__ __device__
#else
#define ARRAYS_BOTH
#endif

namespace arrays {

/// Unsigned, because the products are taken modulo 2^32.
ARRAYS_BOTH inline std::int32_t multiply_adds(std::int32_t x) {
  auto v = static_cast<std::uint32_t>(x);
  v = v * 3 + 1;
  v = v * 5 + 2;
  v = v * 7 + 3;
  v = v * 11 + 4;
  v = v * 13 + 5;
  v = v * 17 + 6;
  v = v * 19 + 7;
  v = (v ^ (v >> 7)) * 23 + 8; // so that compilers cannot make one multiply-add of all
  v = v * 29 + 9;
  v = v * 31 + 10;
  v = v * 37 + 11;
  return static_cast<std::int32_t>(v);
}

ARRAYS_BOTH inline float saxpy_of(float factor, float x, float y) { return factor * x + y; }

ARRAYS_BOTH inline std::int32_t sum_of_place(std::int64_t a, std::int64_t b, std::int64_t c,
                                             std::int64_t d) {
  return static_cast<std::int32_t>(7 + a + b + c + d) % 1337;
}

ARRAYS_BOTH inline std::int32_t wrapping_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

/// The order of operation::sort_by_rule.
ARRAYS_BOTH inline bool comes_before(std::int32_t a, std::int32_t b) {
  return (a & 0xffff) < (b & 0xffff);
}

ARRAYS_BOTH inline bool is_selected(std::int32_t x) { return x > 0; }
ARRAYS_BOTH inline bool is_among_few(std::int32_t x) { return (x & 1023) == 17; }

} // namespace arrays
