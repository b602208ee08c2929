// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the functors in these tests, as a user writes them. Those with a 64 in their
// names are for programs of 64 bits.
#include <cstdint>
#include <string>

extern "C" {

std::int32_t twice(std::int32_t x) { return 2 * x; }
std::uint32_t mixed(std::uint32_t a, std::int32_t b) {
  return a * 31 + static_cast<std::uint32_t>(b);
}
float half(float x) { return x / 2; }
std::int32_t seven() { return 7; }
// More arguments than there are registers, of both kinds.
double many64(std::int64_t a, double b, const char* c, std::int64_t d, double e, std::int64_t f,
              std::uint64_t g, std::int64_t h, std::int64_t i) {
  return static_cast<double>(a) + b + static_cast<double>(c[0]) + static_cast<double>(d) + e +
         static_cast<double>(f) + static_cast<double>(g) + static_cast<double>(h * i);
}
std::int64_t twice64(std::int64_t x) { return 2 * x; }
// The text stays valid until the next call.
const char* tagged(const char* text, std::int32_t number) {
  static std::string made;
  made = std::string(text) + "#" + std::to_string(number);
  return made.c_str();
}
const char* nothing(const char*) { return nullptr; }
}
