// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mandelbrot set: how long each point of the plane takes to escape, with std::complex.
#include "picture.hpp"
#include "program.hpp"

#include <cmath>
#include <complex>
#include <cstdint>

using complex = std::complex<double>;

namespace {

constexpr double left = -2.2, width = 3.0;

/// Turns until |z| exceeds 2; most if it never does by then.
int escape_time(complex c, int most) {
  complex z = 0;
  int n = 0;
  while (n < most && std::norm(z) <= 4.0) {
    z = z * z + c;
    ++n;
  }
  return n;
}

void run(const simulations::options& given) {
  const std::int64_t rows = given["size"], columns = rows * 5 / 4;
  const int most = static_cast<int>(given["turns"]);
  const double step = width / double(columns);
  const auto times = ikra::pnew({rows, columns}, [=](ikra::index<2> at) {
    return escape_time(
        {left + step * double(at[1]), step * (double(at[0]) - 0.5 * double(rows - 1))}, most);
  });
  const auto mirrored = times.with_index().pmap(
      [times, rows](int own, ikra::index<2> at) { return own == times(rows - 1 - at[0], at[1]); });
  simulations::check(mirrored.all([](bool same) { return same; }), "the set is not symmetric");
  const auto inside = times.count([most](int n) { return n == most; });
  const double area = double(inside) * step * step; // 1.5066 in the limit
  if (rows >= 256 && most >= 256)
    simulations::check(std::fabs(area - 1.507) < 0.05, "the set's area is another one");
  std::printf("area: %.4f\n", area);
  simulations::draw(times.pmap([most](int n) {
    return n == most ? 0.0f : std::log(1.0f + float(n)) / std::log(1.0f + float(most));
  }),
                    0.0f, 1.0f, given.picture());
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(argc, argv,
                                  {{"size", 1024, 2, 32768}, {"turns", 1000, 1, 1'000'000}}, run);
}
