// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PageRank of a web-like graph, until the ranks change by less than a tolerance. A vertex collects
// from those that link to it; what those without links have is spread over all.
#include "graph.hpp"
#include "program.hpp"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

using numbers = ikra::array<double>;
using simulations::graph;

namespace {

constexpr double damping = 0.85;

/// \param in links into each vertex \param out number of links out of it
numbers ranks_of(const graph& in, const ikra::array<std::int32_t>& out, double tolerance) {
  const std::int64_t n = in.vertices();
  const double even = 1.0 / double(n);
  numbers rank = ikra::pnew(n, [even](std::int64_t) { return even; });
  double change = 1;
  while (change > tolerance) {
    const numbers share = rank.pcombine(
        out, [](double r, std::int32_t links) { return links == 0 ? 0.0 : r / double(links); });
    const double lost =
        rank.pcombine(out, [](double r, std::int32_t links) { return links == 0 ? r : 0.0; }).sum();
    const double base = (1 - damping) * even + damping * lost * even;
    const numbers next = ikra::pnew(n, [=, first = in.first, from = in.to](std::int64_t v) {
      double sum = 0;
      for (std::int32_t k = first[v]; k < first[v + 1]; ++k)
        sum += share[from[k]];
      return base + damping * sum;
    });
    change = next.pcombine(rank, [](double a, double b) { return std::fabs(a - b); }).sum();
    rank = next;
  }
  return rank;
}

void run(const simulations::options& given) {
  auto [n, edges] = simulations::edges_of(given);
  std::vector<std::int32_t> out(static_cast<std::size_t>(n));
  for (auto& [from, to] : edges) {
    ++out[static_cast<std::size_t>(from)];
    std::swap(from, to);
  }
  const numbers rank =
      ranks_of(simulations::make_graph(n, edges), ikra::array<std::int32_t>(std::move(out)), 1e-12);
  simulations::check(std::fabs(rank.sum() - 1) < 1e-9, "the ranks do not add up to 1");
  const double most = rank.preduce(ikra::max).value();
  simulations::check(!given.file("edges").empty() || rank[0] == most,
                     "the oldest vertex has not the highest rank");
  std::printf("highest: %.8f\n", most);
  std::printf("above the mean: %lld\n",
              static_cast<long long>(rank.count([n](double r) { return r > 1.0 / double(n); })));
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(
      argc, argv, {{"vertices", 100'000, 2, 50'000'000}, {"links", 4, 1, 16}}, run, {"edges"});
}
