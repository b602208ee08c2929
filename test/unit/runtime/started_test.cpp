// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees that are started one after the other, which read each other's results and inputs, and whose
// arrays are dropped meanwhile. On a GPU they run beside each other.
#include "value_sections.hpp"

#include <cstdint>
#include <utility>
#include <vector>

using namespace ikra_unit_values;

namespace {

struct mix {
  IKRA_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    for (int i = 0; i < 20; ++i) // long enough for the next one to be queued meanwhile
      a = a * 1664525U + (b ^ a >> 3U);
    return a;
  }
};
struct mix_sum {
  IKRA_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};
struct is_third {
  IKRA_HD bool operator()(std::uint32_t x) const { return x % 3 == 0; }
};
using numbers = ikra::array<std::uint32_t>;

/// \param Generated whether by the section, else by the plain library
template <bool Generated> numbers mixed(const numbers& a, const numbers& b) {
  if constexpr (Generated)
    return a.pcombine(b, combine_section<std::uint32_t, mix, std::uint32_t, std::uint32_t>());
  else
    return a.pcombine(b, mix{});
}

/// Trees over few arrays, which are exchanged for results again and again.
template <bool Generated> std::vector<std::vector<std::uint32_t>> run(bool starts, std::size_t n) {
  std::vector<numbers> live;
  for (std::uint32_t k = 0; k < 4; ++k) {
    std::vector<std::uint32_t> first = counted<std::uint32_t>(n);
    for (std::uint32_t& x : first)
      x += k * 1000;
    live.emplace_back(std::move(first));
  }
  std::vector<std::vector<std::uint32_t>> asked;
  std::uint32_t choice = 12345;
  for (int step = 0; step < 40; ++step) {
    choice = choice * 1664525U + 1013904223U;
    const std::size_t a = choice >> 8U & 3U, b = choice >> 10U & 3U, to = choice >> 12U & 3U;
    numbers made = mixed<Generated>(mixed<Generated>(live[a], live[b]), live[b]);
    if (starts)
      made.start();
    live[to] = std::move(made); // what was there may be dropped while it is read
    if (step % 7 == 6)
      asked.push_back(live[choice >> 14U & 3U].to_vector());
  }
  for (const numbers& each : live)
    asked.push_back(each.to_vector());
  return asked;
}

} // namespace

TEST_CASE("started trees depend on each other") {
  for (const std::size_t n : {1, 30'000}) {
    INFO(n << " elements");
    const auto expected = run<false>(false, n);
    CHECK(run<true>(true, n) == expected);
    CHECK(run<true>(false, n) == expected);
  }
}

TEST_CASE("started reductions and selections come to the same") {
  const std::size_t n = 60'000;
  const numbers x{counted<std::uint32_t>(n)};
  const auto sums = [&](bool starts) {
    std::vector<numbers> all;
    for (int k = 0; k < 6; ++k) {
      all.push_back(mixed<true>(x, x).preduce(reduce_section<std::uint32_t, mix_sum>()));
      all.push_back(mixed<true>(x, x).pselect(select_section<std::uint32_t, is_third>()));
      if (starts) {
        all[all.size() - 2].start();
        all.back().start();
      }
    }
    std::vector<std::vector<std::uint32_t>> result;
    for (const numbers& each : all)
      result.push_back(each.to_vector());
    return result;
  };
  const auto started = sums(true);
  CHECK(started == sums(false));
  CHECK(started[0] == mixed<false>(x, x).preduce(mix_sum{}).to_vector());
  CHECK(started[1] == mixed<false>(x, x).pselect(is_third{}).to_vector());
}
