// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many kernels turns of known methods launch. What has fewer is better: lower the number here then.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>

using numbers = ikra::array<double>;

// Jacobi with a test: one pass, which stores the stencil's results and combines the change.
int jacobi(ikra::array<double, 2> u, double limit) {
  int turns = 0;
  double change = limit + 1;
  ikra::host_section([&] {
    while (change > limit) {
      const auto next = u.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 0.0, [](const auto& v) { return (v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0)) / 4; });
      change = next.pcombine(u, [](double x, double y) { return std::fabs(x - y); }).preduce(ikra::max).value();
      u = next;
      ++turns;
    }
  });
  return turns;
}
// CHECK-LABEL: turn turn_of_jacobi
// CHECK-COUNT-1: {{^ +}}kernel
// CHECK-NOT: {{^ +}}kernel
// CHECK: one block of a GPU: up to 2048 elements
// CHECK-NEXT: host waits: once
// CHECK-NEXT: a GPU's graph: 1 kernel a turn, several turns in a row

// The same with a load, which the stencil has beside its array.
int loaded(ikra::array<double, 2> u, const ikra::array<double, 2>& load, double limit) {
  int turns = 0;
  double change = limit + 1;
  ikra::host_section([&] {
    while (change > limit) {
      const auto next = u.pzip(load).pstencil({{-1, 0}, {0, 0}, {1, 0}}, 0.0, [](const auto& v) {
        return (std::get<0>(v(-1, 0)) + std::get<0>(v(1, 0))) / 2 + std::get<1>(v(0, 0));
      });
      change = next.pcombine(u, [](double x, double y) { return std::fabs(x - y); }).preduce(ikra::max).value();
      u = next;
      ++turns;
    }
  });
  return turns;
}
// CHECK-LABEL: turn turn_of_loaded
// CHECK: {{^ +}}kernel {{loaded_[0-9]+ -> loaded_[0-9]+}} over u, load, stored; {{loaded_[0-9]+ -> loaded_[0-9]+}} over result of {{loaded_[0-9]+}}, u
// CHECK-NOT: {{^ +}}kernel
// CHECK: host waits: once

static double dot(const numbers& a, const numbers& b) {
  return a.pcombine(b, [](double x, double y) { return x * y; }).sum();
}

// Conjugate gradients: the sparse product with its dot product; r with its own; x beside p, which both read.
double gradients(numbers x, numbers r, const ikra::array<std::int32_t>& first, const ikra::array<std::int32_t>& to, double limit) {
  numbers p = r;
  double rr = dot(r, r);
  ikra::host_section([&] {
    while (rr > limit) {
      const numbers ap = p.with_index().pmap([p, first, to](double own, std::int64_t v) {
        double sum = own;
        for (std::int32_t e = first[v]; e < first[v + 1]; ++e)
          sum += own - p[to[e]];
        return sum;
      });
      const double step = rr / dot(p, ap);
      x = x.pcombine(p, [step](double a, double d) { return a + step * d; });
      r = r.pcombine(ap, [step](double a, double d) { return a - step * d; });
      const double next = dot(r, r);
      p = r.pcombine(p, [by = next / rr](double a, double d) { return a + by * d; });
      rr = next;
    }
  });
  return x[0];
}
// CHECK-LABEL: turn turn_of_gradients
// CHECK-COUNT-3: {{^ +}}kernel
// CHECK-NOT: {{^ +}}kernel
// CHECK: one block of a GPU: up to 256 elements
// CHECK-NEXT: host waits: once
// CHECK-NEXT: a GPU's graph: 3 kernels a turn, several turns in a row
//
// The step follows the product; what the direction captures, the next r·r and the test follow the residual.
// CODE-LABEL: struct turn_of_gradients_code
// CODE: captured_{{.*}} = next / rr;
// CODE: rr = next;
// CODE-LABEL: turn_code<{{.*}}turn_of_gradients>::run
// CODE: t.reduce_stored{{.*}}ikra::rt::then(&turn_of_gradients_scalars::result_1, turn_of_gradients_code_{{[0-9]+}}{}), p, later_
// CODE: t.reduce_stored{{.*}}ikra::rt::then(&turn_of_gradients_scalars::result_2, turn_of_gradients_code_{{[0-9]+}}{}, turn_of_gradients_code_{{[0-9]+}}{}, ikra::rt::then_test<turn_of_gradients_goes_on>{})
// CODE: t.arrays<ikra::rt::results<double, double>, 0>
// CODE-NOT: t.run(
// CODE: t.finish(assigned);

// PageRank: the shares; the ranks with the sum of their changes.
int ranks(numbers rank, const ikra::array<std::int32_t>& first, const ikra::array<std::int32_t>& to, std::int64_t n, double limit) {
  int turns = 0;
  double change = limit + 1;
  ikra::host_section([&] {
    for (; change > limit; ++turns) {
      const numbers share = rank.with_index().pmap([first](double x, std::int64_t v) { return x / double(first[v + 1] - first[v]); });
      const numbers next = ikra::pnew(n, [share, first, to](std::int64_t v) {
        double sum = 0;
        for (std::int32_t e = first[v]; e < first[v + 1]; ++e)
          sum += share[to[e]];
        return 0.15 + 0.85 * sum;
      });
      change = next.pcombine(rank, [](double x, double y) { return std::fabs(x - y); }).sum();
      rank = next;
    }
  });
  return turns;
}
// CHECK-LABEL: turn turn_of_ranks
// CHECK-COUNT-2: {{^ +}}kernel
// CHECK-NOT: {{^ +}}kernel
// CHECK: host waits: once

// k-means: the labels with how many have changed, and sums and sizes by label; the centres.
int means(const numbers& all, numbers centres, ikra::array<int> label, int most) {
  const int k = static_cast<int>(centres.size());
  int turns = 0;
  ikra::host_section([&] {
    std::int64_t moved = 1;
    for (; moved > 0 && turns < most; ++turns) {
      const auto next = all.pmap([centres, k](double x) {
        int best = 0;
        for (int c = 1; c < k; ++c)
          if (std::fabs(x - centres[c]) < std::fabs(x - centres[best]))
            best = c;
        return best;
      });
      moved = next.pcombine(label, [](int a, int b) { return a != b; }).count([](bool is) { return is; });
      label = next;
      const auto sums = all.reduce_by_index(k, label, 0.0, [](double a, double b) { return a + b; });
      centres = centres.pcombine(sums, label.phistogram(k), [](double old, double sum, std::int64_t n) {
        return n == 0 ? old : sum / static_cast<double>(n);
      });
    }
  });
  return turns;
}
// CHECK-LABEL: turn turn_of_means
// CHECK-COUNT-2: {{^ +}}kernel
// CHECK-NOT: {{^ +(kernel|one block)}}
// CHECK: host waits: once

// A map and its sum.
int sums(ikra::array<int> a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x * 3 + 1; });
      total += a.sum();
    }
  });
  return total;
}
// CHECK-LABEL: turn turn_of_sums
// CHECK-COUNT-1: {{^ +}}kernel
// CHECK-NOT: {{^ +}}kernel
// CHECK: host waits: once
