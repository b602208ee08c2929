// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's game of life on a torus. Gliders, which move one cell down and right in four turns, tell
// whether the rules are right; a board by chance is for the picture.
#include "picture.hpp"
#include "program.hpp"

#include <cstdint>

using board = ikra::array<std::uint8_t, 2>;

namespace {

board play(board cells, long turns) {
  for (long turn = 0; turn < turns; ++turn)
    cells = cells.pstencil(ikra::box<1, 1>, ikra::wrap, [](const auto& n) {
      int alive = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          alive += n(y, x);
      return static_cast<std::uint8_t>(alive == 3 || (alive == 4 && n(0, 0) != 0));
    });
  return cells;
}

/// A glider in each square of eight cells, moved by as many cells down and right.
board gliders(std::int64_t n, std::int64_t moved) {
  return ikra::pnew({n, n}, [=](ikra::index<2> at) {
    const std::int64_t y = (at[0] - moved + 8 * n) % 8, x = (at[1] - moved + 8 * n) % 8;
    return static_cast<std::uint8_t>((y == 0 && x == 1) || (y == 1 && x == 2) || (y == 2 && x < 3));
  });
}

void run(const simulations::options& given) {
  const std::int64_t n = given["size"] / 8 * 8;
  const long moves = given["turns"] / 4;
  const auto wrong =
      play(gliders(n, 0), 4 * moves)
          .pcombine(gliders(n, moves % 8), [](std::uint8_t a, std::uint8_t b) { return a != b; });
  simulations::check(!wrong.any([](bool w) { return w; }), "the gliders are elsewhere");

  const board soup = ikra::pnew({n, n}, [n](ikra::index<2> at) {
    return static_cast<std::uint8_t>(
        ikra::random(1, static_cast<std::uint64_t>(at[0] * n + at[1])).below(3) == 0);
  });
  const board later = play(soup, given["turns"]);
  std::printf("alive: %lld\n",
              static_cast<long long>(later.count([](std::uint8_t c) { return c != 0; })));
  simulations::draw(later.pmap([](std::uint8_t c) { return float(c); }), 0.0f, 1.0f,
                    given.picture());
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(argc, argv,
                                  {{"size", 1024, 8, 32768}, {"turns", 400, 0, 1'000'000}}, run);
}
