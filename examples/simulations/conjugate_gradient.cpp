// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Potentials in an electric network: the conjugate gradient method for (L + s I) x = b, where L is
// the Laplacian of a graph. A product with the matrix reads x at the neighbours of each vertex.
#include "graph.hpp"
#include "program.hpp"

#include <cmath>
#include <cstdint>

using numbers = ikra::array<double>;
using simulations::graph;

namespace {

constexpr double shift = 0.1;

numbers product(const graph& g, const numbers& x) {
  return x.with_index().pmap([x, first = g.first, to = g.to](double own, std::int64_t v) {
    double sum = shift * own;
    for (std::int32_t k = first[v]; k < first[v + 1]; ++k)
      sum += own - x[to[k]];
    return sum;
  });
}

double dot(const numbers& a, const numbers& b) {
  return a.pcombine(b, [](double x, double y) { return x * y; }).sum();
}

/// \returns x, with a residual of at most tolerance times the length of b
numbers solve(const graph& g, const numbers& b, double tolerance) {
  numbers x = b.pmap([](double) { return 0.0; });
  numbers r = b, p = b;
  double rr = dot(r, r);
  const double enough = tolerance * tolerance * rr;
  while (rr > enough) {
    const numbers ap = product(g, p);
    const double step = rr / dot(p, ap);
    x = x.pcombine(p, [step](double a, double d) { return a + step * d; });
    r = r.pcombine(ap, [step](double a, double d) { return a - step * d; });
    const double next = dot(r, r);
    p = r.pcombine(p, [by = next / rr](double a, double d) { return a + by * d; });
    rr = next;
  }
  return x;
}

void run(const simulations::options& given) {
  auto [n, edges] = simulations::edges_of(given);
  const std::size_t count = edges.size();
  for (std::size_t k = 0; k < count; ++k) // conduct both ways
    edges.emplace_back(edges[k].second, edges[k].first);
  const graph g = simulations::make_graph(n, edges);
  const numbers b = ikra::pnew(n, [](std::int64_t v) {
    return v % 7 == 0 ? 1.0 : v % 11 == 0 ? -1.0 : 0.0;
  });

  const numbers x = solve(g, b, 1e-10);
  const numbers left = product(g, x) - b;
  simulations::check(std::sqrt(dot(left, left) / dot(b, b)) < 1e-9, "the residual is too large");
  std::printf("sum: %.6f\nenergy: %.6f\n", x.sum(), dot(x, b));
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(
      argc, argv, {{"vertices", 100'000, 2, 50'000'000}, {"links", 4, 1, 16}}, run, {"edges"});
}
