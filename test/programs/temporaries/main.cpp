// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Temporaries that are copies of values: changed, bound to references, handed on; what they are
// copies of stays as it is.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

struct Length {
  double v;
  explicit constexpr Length(double x = 0) : v(x) {}
  constexpr Length& operator+=(Length o) {
    v += o.v;
    return *this;
  }
  Length operator+(Length o) const { return Length(*this) += o; }
  Length& twice() {
    v *= 2;
    return *this;
  }
};
struct Wide : Length {
  double width = 3;
  explicit constexpr Wide(double x = 0) : Length(x) {}
};

static Length and_one(Length a) { return (Length(a) += Length(1)).twice(); }
static void clear(Length&& x) { x.v = 0; }
static double taken(Length&& x) {
  x.v += 10;
  return x.v;
}

int main() {
  const ikra::array lengths{std::vector<Length>{Length(1), Length(2), Length(3)}};
  const auto show = [](const char* name, const ikra::array<double>& a) {
    std::printf("%s: %g %g %g\n", name, a[0], a[1], a[2]);
  };
  show("methods", lengths.pmap([](Length x) {
    return (Length(x).twice() + and_one(x) + Length{x.v}.twice() + Length{x}.twice()).v + x.v;
  }));
  show("operators", lengths.pmap([](Length x) {
    const Length y = Length{x} += Length(2);
    return static_cast<Length>(x).twice().v + y.v + x.v * 100;
  }));
  show("arguments", lengths.pmap([](Length x) {
    clear(Length{x});
    return x.v + taken(Length(x)) + x.v + taken(static_cast<Length>(x)) + x.v;
  }));
  show("references", lengths.pmap([](Length x) {
    Length&& t = Length{x};
    t.v = 5;
    auto&& u = Length(x);
    u.twice();
    const Length& c = Length{x};
    x.v = 100;
    return t.v + u.v * 10 + c.v * 1000 + x.v * 7;
  }));
  show("lambdas", lengths.pmap([](Length x) {
    const auto f = [](Length y) { return y.twice().v; };
    const auto g = [&](Length&& y) {
      y.v = 9;
      return x.v;
    };
    return f(Length{x}) + f(x) + g(Length{x}) + g(Length(x)) + x.v;
  }));
  show("moved", lengths.pmap([](Length x) {
    const Length s = std::move(x).twice();
    return s.v + x.v * 10;
  }));
  show("bases", lengths.pmap([](Length x) {
    const Wide z(x.v);
    return Wide(z).twice().v + Wide{z}.twice().v + z.v;
  }));
  show("chosen", lengths.pmap([](Length x) {
    const Length y(7);
    return (x.v > 1 ? Length{x} : Length{y}).twice().v + x.v * 100 + y.v * 1000;
  }));
  show("library classes", lengths.pmap([](Length x) {
    const std::optional<Length> o = x;
    const double r = std::optional<Length>{o}.value().twice().v;
    const std::array<Length, 2> q{x, x};
    auto p = std::array<Length, 2>{q};
    p[0].twice();
    return r + o->v * 10 + q[0].v + p[0].v * 100;
  }));
  return 0;
}
