// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this program says of an array, and its second file.
#ifndef IKRA_TEST_TILES_PRINT_HPP
#define IKRA_TEST_TILES_PRINT_HPP

#include <cstdint>
#include <cstdio>
#include <cstring>

/// A number that tells elements, to the last bit, and their order.
template <class Array> void print(const char* name, const Array& x) {
  std::uint64_t sum = 0;
  std::size_t n = 0;
  for (const auto e : x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &e, sizeof e);
    sum = (sum ^ bits) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
    ++n;
  }
  std::printf("%s %zu: %016llx\n", name, n, static_cast<unsigned long long>(sum));
}

/// Stencils in loops of host sections.
void turns();

#endif
