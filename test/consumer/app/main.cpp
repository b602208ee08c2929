// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <counters.hpp>

#include <cstdint>
#include <cstdio>

int main() {
  const auto counters = make_counters(1000);
  advance_all(counters, 7, APP_STEP);
  const auto doubled = ikra::array{counters}.pmap([](const Counter* c) { return 2 * c->value(); });
  std::int64_t sum = 0;
  for (const int value : doubled) {
    sum += value;
  }
  std::printf("%s: %lld\n", APP_NAME, static_cast<long long>(sum));
}
