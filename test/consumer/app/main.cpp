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
  std::uint64_t pairs = 0;
#ifdef APP_DATALOG
  ikra::datalog::program reach{R"(
    .decl edge(x: number, y: number)
    .decl reach(x: number, y: number)
    reach(x, y) :- edge(x, y).
    reach(x, y) :- edge(x, z), reach(z, y).
  )"};
  const auto from = doubled.pmap([](int v) { return v / 64; });
  reach.insert("edge", from, from.pmap([](int v) { return v / 2; }));
  reach.run();
  pairs = reach.size("reach");
#endif
  std::printf("%s: %lld, %llu pairs\n", APP_NAME, static_cast<long long>(sum),
              static_cast<unsigned long long>(pairs));
}
