// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisson's equation on the unit square by Jacobi's method: a step averages four neighbours, until
// no value changes by more than a tolerance. The exact solution is known.
#include "picture.hpp"
#include "program.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

using plane = ikra::array<double, 2>;

namespace {

double exact(ikra::index<2> at, double width) {
  return std::sin(std::numbers::pi * double(at[0]) * width) *
         std::sin(std::numbers::pi * double(at[1]) * width);
}

struct solution {
  plane values;
  long steps;
};

solution solve(std::int64_t n, double tolerance, long most) {
  const double width = 1.0 / double(n - 1);
  const plane load = ikra::pnew({n, n}, [width](ikra::index<2> at) {
    return 0.5 * width * width * std::numbers::pi * std::numbers::pi * exact(at, width);
  });
  plane u = ikra::pnew({n, n}, [](ikra::index<2>) { return 0.0; });
  long steps = 0;
  double change = 1;
  while (change > tolerance && steps < most) {
    const plane next =
        u.pzip(load).pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, 0.0, [](const auto& v) {
          const auto near = [&](int y, int x) { return std::get<0>(v(y, x)); };
          return 0.25 * (near(-1, 0) + near(0, -1) + near(0, 1) + near(1, 0)) +
                 std::get<1>(v(0, 0));
        });
    change = next.pcombine(u, [](double a, double b) { return std::fabs(a - b); })
                 .preduce(ikra::max)
                 .value();
    u = next;
    ++steps;
  }
  return {u, steps};
}

void run(const simulations::options& given) {
  const std::int64_t n = given["size"];
  const double width = 1.0 / double(n - 1);
  const auto [u, steps] = solve(n, 1e-9, given["steps"]);
  const double error =
      u.with_index()
          .pmap([width](double v, ikra::index<2> at) { return std::fabs(v - exact(at, width)); })
          .preduce(ikra::max)
          .value();
  std::printf("steps: %ld\nerror: %.2e\n", steps, error);
  // The method's own error is width² pi² / 12, what is left of the iteration's is some thousand
  // times the tolerance.
  if (steps < given["steps"])
    simulations::check(error < width * width + 1e-5, "the solution is not near the exact one");
  simulations::draw(u, 0.0, 1.0, given.picture());
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(
      argc, argv, {{"size", 128, 3, 16384}, {"steps", 1'000'000, 1, 1'000'000'000}}, run);
}
