// Functions of <bit> that libstdc++ has by builtins of the host's compiler: nvcc makes constants of
// these in kernels, without a word, so device code has functions of its own.
//
// RUN: %ikrac -o - %s -- %ikra_flags | grep -v '// CHECK' | FileCheck %s
#include <ikra/ikra.hpp>
#include <bit>
#include <numeric>

constexpr int log2_of(unsigned long x) { return static_cast<int>(std::bit_width(x)) - 1; }

void sections(const ikra::array<unsigned long>& words) {
  // CHECK: IKRA_DEVICE int global_log2_of(unsigned long x) { return static_cast<int>(ikra::algorithm::bit_width(x)) - 1; }
  (void)words.pmap([](unsigned long x) { return log2_of(x); });
  // CHECK: return ikra::algorithm::popcount(x) + ikra::algorithm::countl_zero(x) + ikra::algorithm::countr_zero(x);
  (void)words.pmap([](unsigned long x) {
    return std::popcount(x) + std::countl_zero(x) + std::countr_zero(x);
  });
  // CHECK: return ikra::algorithm::bit_ceil(x) + ikra::algorithm::bit_floor(x) + ikra::algorithm::has_single_bit(x) + std::rotl(x, 3);
  (void)words.pmap([](unsigned long x) {
    return std::bit_ceil(x) + std::bit_floor(x) + std::has_single_bit(x) + std::rotl(x, 3);
  });
  // CHECK: return ikra::algorithm::gcd(x, 12UL);
  (void)words.pmap([](unsigned long x) { return std::gcd(x, 12UL); });
}
