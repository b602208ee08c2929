// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs as a user writes them: arrays are adopted, and results are read where they lie.
#include "programs.hpp"

#include <ikra/ikra.hpp>

#include <span>

namespace transfers {
namespace {

template <class T> outcome outcome_of(const ikra::array<T>& result) {
  const std::span<const T> elements = result;
  return transfers::outcome_of(elements.data(), elements.size());
}

} // namespace

outcome by_ikra(which what, const input& in) {
  const auto x = ikra::adopt(std::span<const float>(in.x), ikra::borrowed);
  switch (what) {
  case which::saxpy: {
    const auto y = ikra::adopt(std::span<const float>(in.y), ikra::borrowed);
    return outcome_of(x.pcombine(y, [](float a, float b) { return factor * a + b; }));
  }
  case which::sum:
    return outcome_of(x.preduce(0.0, [](double a, double b) { return a + b; }).pmap([](double s) {
      return static_cast<float>(s);
    }));
  case which::selection:
    return outcome_of(x.pselect([](float a) { return a < half; }));
  case which::black_scholes: {
    const auto options = ikra::adopt(std::span<const option>(in.options), ikra::borrowed);
    return outcome_of(options.pmap([](const option& o) { return price_of(o); }));
  }
  }
  return {};
}

} // namespace transfers
