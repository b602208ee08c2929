// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The price of European options after Black and Scholes (1973): a call and a put for each spot
// price, strike price and time. Checked by the published price of one option, and by put-call
// parity for all.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

struct option {
  float spot, strike; // money
  float years;        // until it can be exercised
};
struct price {
  float call, put;
};

constexpr float rate = 0.05F, volatility = 0.2F; // a year

/// The share of a normal distribution below x.
float below(float x) { return 0.5F * std::erfc(-x * 0.70710678F); }

price price_of(const option& o) {
  const float deviation = volatility * std::sqrt(o.years);
  const float d1 =
      (std::log(o.spot / o.strike) + (rate + volatility * volatility / 2) * o.years) / deviation;
  const float d2 = d1 - deviation;
  const float strike_today = o.strike * std::exp(-rate * o.years);
  return {o.spot * below(d1) - strike_today * below(d2),
          strike_today * below(-d2) - o.spot * below(-d1)};
}

/// Prices from 50 to 150, times from a quarter of a year to five years.
ikra::array<option> some_options(std::int64_t count, std::uint64_t seed) {
  return ikra::pnew(count, [seed](std::int64_t i) {
    ikra::random r(seed, static_cast<std::uint64_t>(i));
    const float spot = 50 + 100 * r.uniform<float>();
    const float strike = 50 + 100 * r.uniform<float>();
    return option{spot, strike, 0.25F + 4.75F * r.uniform<float>()};
  });
}

} // namespace

int main(int argc, char** argv) {
  std::int64_t count = 200'000;
  apps::read_options(argc, argv, "prices of European options",
                     {{"--options", count, 1, std::int64_t(1) << 34, "how many"}});
  const auto options = some_options(count, 1973);
  const auto prices = options.pmap(price_of);

  const auto parity = options.pcombine(prices, [](const option& o, const price& p) {
    const float expected = o.spot - o.strike * std::exp(-rate * o.years);
    return std::fabs(p.call - p.put - expected);
  });
  const float off = parity.preduce(0.0F, ikra::max).value();
  const double mean =
      prices.pmap([](const price& p) { return double(p.call); }).sum() / static_cast<double>(count);
  const auto known = ikra::array(std::vector<option>{{100, 100, 1}}).pmap(price_of);
  std::printf("%lld options, calls cost %.2f on average\n", static_cast<long long>(count), mean);
  std::printf("spot 100, strike 100, one year: call %.3f, put %.3f\n",
              static_cast<double>(known[0].call), static_cast<double>(known[0].put));
  return apps::verdict(off < 1e-4F * 150 && std::fabs(known[0].call - 10.4506F) < 1e-3F &&
                           std::fabs(known[0].put - 5.5735F) < 1e-3F,
                       "put-call parity and the known price");
}
