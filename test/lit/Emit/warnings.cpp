// What g++ and clang warn of in the host text of a plain build, they warn of in the emitted file
// too, at the same lines; emitted code adds nothing. Unused names are the exception: what sections
// alone use looks unused.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: g++ -std=c++20 -fsyntax-only -Wall -Wextra -Wshadow %ikra_flags %s 2> %t.plain
// RUN: g++ -std=c++20 -x c++ -O1 -S -o /dev/null -Wall -Wextra -Wshadow -fopenmp %ikra_flags %t.cu 2> %t.emitted
// RUN: FileCheck %s --check-prefixes=CHECK,GCC < %t.plain
// RUN: FileCheck %s --check-prefixes=CHECK,GCC < %t.emitted
// RUN: sort -u %t.emitted | grep -c warning: | FileCheck %s --check-prefix=COUNT-GCC
// RUN: clang++ -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Wshadow -fopenmp %ikra_flags %t.cu 2> %t.clang
// RUN: FileCheck %s < %t.clang
// RUN: grep -c warning: %t.clang | FileCheck %s --check-prefix=COUNT

// COUNT-GCC: {{^}}4{{$}}
// COUNT: {{^}}3{{$}}

#include <ikra/ikra.hpp>

#include <type_traits>
#include <utility>
#include <variant>

// In a template, g++ asks of a header's lambdas whether their captures have linkage.
namespace {
struct Local {
  int n;
};
} // namespace
template <class T> int captured(const ikra::array<T>& a) {
  const Local k{3};
  return a.pmap([k](T x) { return x * k.n; }).sum();
}

struct Pixel {
  unsigned r, g;
};
constexpr Pixel palette[] = {{31, 63}, {0, 1}};

// Inlined, an alternative that is not there looks as if it were read.
struct Walk {
  float dx, dy;
};
using State = std::variant<int, Walk>;
struct Actor {
  State state;
  unsigned id;
};
static State think(const Actor& a, int tick) {
  return std::visit(
      [&](const auto& now) -> State {
        if constexpr (std::is_same_v<decltype(now), const int&>) {
          if (tick - now > int(a.id % 5))
            return Walk{float(a.id % 3) - 1, 1};
          return now;
        } else {
          if ((a.id + unsigned(tick)) % 11 == 0)
            return tick;
          return Walk{now.dx, -now.dy};
        }
      },
      a.state);
}
static int walked() {
  const auto actors = ikra::pnew(80, [](std::int64_t i) { return Actor{0, unsigned(i)}; });
  const auto next = actors.pmap([](Actor a) {
    a.state = think(a, 3);
    if (const Walk* w = std::get_if<Walk>(&a.state))
      a.id += unsigned(w->dx);
    return a;
  });
  return next.pmap([](const Actor& a) { return int(a.id); }).sum();
}

// Elements of an array are temporaries in the program, but not in emitted code.
struct Large {
  double held[12];
  int n;
};
static int gone_through() {
  const auto a = ikra::pnew(10, [](std::int64_t i) { return int(i); });
  const auto pairs = a.pmap([](int x) { return std::pair{x, 2.0 * x}; });
  const auto large = a.pmap([](int x) { return Large{{1.0 * x}, x}; });
  const auto sums = a.pmap([=](int x) {
    for (const auto& [k, y] : pairs)
      x += k + int(y);
    for (const auto [k, y] : pairs)
      x += k + int(y);
    for (const auto& [held, n] : large)
      x += n + int(held[0]);
    for (const Large& each : large)
      x += each.n;
    return x;
  });
  return sums.sum();
}

// clang asks of a lambda in emitted code whether it uses what it captures.
static int blurred(ikra::array<int> a) {
  ikra::host_section([&] {
    for (int k = 0; k < 3; ++k)
      a = a.pmap([](int x) { return x * 3; }).pstencil({-1, 1}, 0, [](auto v) { return (v(-1) + v(1)) & 1023; });
  });
  return a.sum();
}

// Names that sections alone use, one of them in a type only.
static int doubled(int x) { return x * 2; }
static int named(const ikra::array<int>& a, long wide) {
  constexpr int most = 1023;
  using narrow = short;
  return a.pmap([](int x) { return int(decltype(wide)(doubled(x)) % most) + narrow(x); }).sum();
}

int main(int argc, char**) {
  const int k = argc;
  ikra::array<int> numbers = ikra::pnew(ikra::index<1>(100), [k](int i) { return i * k; });
  if (argc > 3) {
    // CHECK: warnings.cpp:[[@LINE+1]]:{{.*}}[-Wshadow]
    const int k = 7;
    numbers = numbers.pmap([k](int x) {
      int y = x;
      for (int x = 0; x < 2; ++x)
        y += x;
      return y > k ? y : k;
    });
  }
  // A view of the table is a temporary, what it refers to is not.
  const auto colours = numbers.pmap([](int x) {
    const auto& [r, g] = palette[x % 2];
    const Pixel& first = palette[0];
    return r + g + first.r;
  });
  if (colours.sum() == 1 || captured(numbers) == 1 || walked() == 1 ||
      blurred(numbers) == 1 || gone_through() == 1 || named(numbers, 1) == 1)
    return 2;
  // CHECK: warnings.cpp:[[@LINE+1]]:{{.*}}[-Wunused-{{value|comparison}}]
  argc == 2;
  // GCC: warnings.cpp:[[@LINE+1]]:{{.*}}[-Wsequence-point]
  argc = argc++ + 1;
  // CHECK: warnings.cpp:[[@LINE+1]]:{{.*}}parentheses]
  if (numbers.any() && argc > 1 || numbers.all())
    return 1;
  return 0;
}
