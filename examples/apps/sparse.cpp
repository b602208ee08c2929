// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix in compressed rows (CSR) times a vector: the matrix of a grid's five-point
// Laplacian. Of a function that is linear in both coordinates it is zero within the grid.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

struct sparse_matrix {
  ikra::array<std::int64_t> begins; // of rows, and the end of the last one
  ikra::array<std::int32_t> columns;
  ikra::array<double> values;

  std::int64_t rows() const { return static_cast<std::int64_t>(begins.size()) - 1; }
};

ikra::array<double> product(const sparse_matrix& m, const ikra::array<double>& x) {
  return ikra::pnew(
      m.rows(), [begins = m.begins, columns = m.columns, values = m.values, x](std::int64_t row) {
        double sum = 0;
        for (std::int64_t k = begins[row]; k < begins[row + 1]; ++k)
          sum += values[k] * x[columns[k]];
        return sum;
      });
}

/// Row y * n + x has 4 for itself and -1 for each neighbour.
sparse_matrix laplacian(std::int64_t n) {
  std::vector<std::int64_t> begins{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (std::int64_t y = 0; y < n; ++y)
    for (std::int64_t x = 0; x < n; ++x) {
      const auto add = [&](std::int64_t yy, std::int64_t xx, double value) {
        if (yy < 0 || yy >= n || xx < 0 || xx >= n)
          return;
        columns.push_back(static_cast<std::int32_t>(yy * n + xx));
        values.push_back(value);
      };
      add(y - 1, x, -1);
      add(y, x - 1, -1);
      add(y, x, 4);
      add(y, x + 1, -1);
      add(y + 1, x, -1);
      begins.push_back(static_cast<std::int64_t>(columns.size()));
    }
  return {ikra::array(std::move(begins)), ikra::array(std::move(columns)),
          ikra::array(std::move(values))};
}

} // namespace

int main(int argc, char** argv) {
  std::int64_t n = 300;
  apps::read_options(argc, argv, "a sparse matrix times a vector",
                     {{"--grid", n, 1, 20'000, "points of a side of the grid"}});
  const sparse_matrix m = laplacian(n);
  const auto x =
      ikra::pnew({n, n}, [](ikra::index<2> p) { return double(2 * p[0] + 3 * p[1] + 1); });
  const auto y = product(m, x.reshape({n * n})).reshape({n, n});
  const std::int64_t wrong = y.with_index()
                                 .pmap([n](double sum, ikra::index<2> p) {
                                   const bool inside =
                                       p[0] > 0 && p[1] > 0 && p[0] + 1 < n && p[1] + 1 < n;
                                   return inside && sum != 0 ? 1 : 0;
                                 })
                                 .sum();
  std::printf("%lld rows, %zu values; the sum of all products is %g\n",
              static_cast<long long>(m.rows()), m.values.size(), y.sum());
  return apps::verdict(wrong == 0, "zero within the grid");
}
