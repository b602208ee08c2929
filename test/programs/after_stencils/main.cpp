// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps after stencils of all ranks and borders, with and without indices, captures and changes of
// type, and operations after these.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>

/// A number that tells elements and their order.
template <class Array> void tell(const char* name, const Array& a) {
  std::uint64_t result = a.size();
  for (const auto x : a)
    result = result * 31 + static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  std::printf("%s: %llx\n", name, static_cast<unsigned long long>(result));
}

enum class level : std::uint8_t { low, middle, high };

int main() {
  const auto line =
      ikra::pnew(10007, [](std::int64_t i) { return static_cast<int>(i * 7919 % 1009); });
  const auto image = line.slice(0, 10000).reshape({80, 125});
  const auto cube = image.reshape({16, 25, 25});
  const int factor = 3;

  const auto outer =
      line.pstencil({-2, 0, 1}, -7.5, [](auto v) { return v[-2] * 0.5 + v[0] - v[1]; });
  tell("value", outer.pmap([factor](double x) { return static_cast<std::int64_t>(x * factor); }));
  tell("kept", line.pstencil({-1, 1}, ikra::keep, [](auto v) { return v[-1] + v[1]; })
                   .with_index()
                   .pmap([](int x, std::int64_t i) { return x - static_cast<int>(i % 5); })
                   .pmap([](int x) { return x * 2L; }));
  tell("clamped", image
                      .pstencil(ikra::box<1, 1>, ikra::clamp,
                                [](auto v) {
                                  int sum = 0;
                                  for (int y = -1; y <= 1; ++y)
                                    for (int x = -1; x <= 1; ++x)
                                      sum += v(y, x);
                                  return sum;
                                })
                      .pmap([](int x) { return static_cast<std::uint8_t>(x / 9); }));
  tell("wrapped", image.with_index()
                      .pstencil({{-1, 0}, {0, 0}, {0, 3}}, ikra::wrap,
                                [](auto v, ikra::index<2> i) {
                                  return v(-1, 0) - v(0, 3) + static_cast<int>(i[1]);
                                })
                      .with_index()
                      .pmap([factor](int x, ikra::index<2> i) {
                        return x * factor + static_cast<int>(i[0]);
                      }));
  tell("cube",
       cube.pstencil({{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 2}}, 11,
                     [](auto v) { return v(-1, 0, 0) + v(0, 1, 0) - v(0, 0, 2); })
           .with_index()
           .pmap([](int x, ikra::index<3> i) { return x + static_cast<int>(i[0] * i[2]); }));
  tell("levels", line.pstencil({0, 1}, level::high,
                               [](auto v) { return v[0] < v[1] ? level::low : level::middle; })
                     .pmap([](level l) { return static_cast<int>(l) + 5; }));
  tell("ended", image.pstencil({{0, 0}, {1, 1}}, 0, [](auto v) { return v(0, 0) + v(1, 1); })
                    .pmap([](int x) { return x / 3; })
                    .pcombine(image, [](int x, int y) { return x ^ y; })
                    .pselect([](int x) { return x % 2 == 0; }));
  tell("summed", line.pstencil({-1, 0}, 0, [](auto v) { return v[0] - v[-1]; })
                     .pmap([](int x) { return x * 2; })
                     .preduce(std::plus<>{}));
  tell("on a view", image.transpose()
                        .pstencil({{0, -1}, {0, 1}}, -1, [](auto v) { return v(0, -1) * v(0, 1); })
                        .pmap([](int x) { return x + 1; }));
  const auto kept_too = line.pstencil({-1, 1}, 5, [](auto v) { return v[-1] - v[1]; });
  tell("used twice",
       kept_too.pmap([](int x) { return x * 2; }).pcombine(kept_too, [](int x, int y) {
         return x + y;
       }));
}
