// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas with captures that sections capture: deep, in templates beside other function objects,
// and with all that sections capture themselves.
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

namespace {

void show(const auto& values) {
  for (const auto x : values)
    std::printf("%d ", static_cast<int>(x));
  std::printf("\n");
}

struct Times {
  int k;
  int operator()(int x) const { return x * k; }
};
template <class F> ikra::array<int> twice(const ikra::array<int>& a, F f) {
  return a.pmap([f](int x) { return f(f(x)); });
}
template <class F> ikra::array<int> twice_ref(const ikra::array<int>& a, const F& f) {
  return a.pmap([f, g = f](int x) { return g(f(x)); });
}
// What is moved is a value, which stays as it was.
template <class F, class G> auto moved(F f, G g) {
  return [f = std::move(f), g = std::move(g)](int x) { return f(g(x)); };
}
template <class F> auto repeated(int n, F f) {
  return [=](auto x) {
    for (int i = 0; i < n; ++i)
      x = f(x);
    return x;
  };
}
struct Amplifier {
  int gain = 3;
  auto filter() const {
    return [*this](int x) { return gain * x; };
  }
};
template <class F, class G> auto composed(F f, G g) {
  return [f, g](int x) { return g(f(x)); };
}
template <class F> struct Filter {
  F f;
  int shift;
  ikra::array<int> operator()(const ikra::array<int>& a) const {
    return a.pmap([f = f, s = shift](int x) { return f(x) + s; });
  }
};
template <class F> Filter(F, int) -> Filter<F>;
class Car {
public:
  int v_ = 1;
  void add(int k) { v_ += k; }
  int v() const { return v_; }
  IKRA_OBJECT
};
template <class F> ikra::array<int> after_one_more(const ikra::array<int>& a, F f) {
  return a.pmap(composed([](int x) { return x + 1; }, f));
}
#define TWICE(f) composed(f, [](int x) { return 2 * x; })
struct Big {
  int v[100];
};
} // namespace

int main() {
  ikra::array<int> a(std::vector<int>{1, 2, 3, 4});
  int k = 3, w = 2;
  auto f = [k, w](int x) {
    int w_ = x;
    for (int r = 0; r < 2; ++r)
      w_ += r * k;
    return w_ + w;
  };
  show(twice(a, f));
  show(twice(a, [](int x) { return x + 1; }));
  show(twice(a, Times{4}));
  show(twice_ref(a, f));
  show(twice_ref(a, [](int x) { return x - 1; }));
  auto both = composed(f, [](int x) { return x / 2; });
  show(twice(a, both));
  show(a.pmap([both](int x) { return both(x); }));
  auto deep = composed(composed(f, [k](int x) { return x - k; }), [w](int x) { return x * w; });
  show(a.pmap([deep](int x) { return deep(x) + 1; }));
  show(a.pmap(deep));
  show(Filter(f, 3)(a));
  show(Filter([](int x) { return x * x; }, 3)(a));
  show(a.pmap([f = [k](int x) { return x * k; }](int x) { return f(x); }));
  Big big{};
  big.v[7] = 5;
  auto of_big = [big](int x) { return big.v[x + 6]; };
  show(a.pmap([of_big, big](int x) { return of_big(x) + big.v[x]; }));
  // Lambdas made in the call, for the call that makes the section.
  const int step = 2;
  show(a.pmap(composed([](int x) { return x + 1; }, [step](int x) { return x * step; })));
  show(a.pmap(composed(composed(f, [=](int x) { return x - step; }), f)));
  show(a.pmap([](int by) { return [by](int x) { return x * by; }; }(a.sum())));
  show(a.pmap(TWICE([](int x) { return x - 7; })));
  show(after_one_more(a, [step](int x) { return x - step; }));
  show(a.pselect(composed([](int x) { return x * 3; }, [](int x) { return x % 2 == 0; })));
  show(a.reduce_by_index(3, composed([](int x) { return x * 2; }, [](int x) { return x % 3; }), 0,
                         std::plus<>{}));
  std::printf("%d\n", int(a.count(composed(f, [](int x) { return x % 2 == 0; }))));
  const int limit = 3;
  auto clamp = [limit](int x) { return x < limit ? x : limit; };
  show(a.pmap([clamp](int x) { return clamp(x); }));
  int table[4] = {9, 8, 7, 6};
  auto look = [table](int x) { return table[x - 1]; };
  show(a.pmap([look](int x) { return look(x); }));
  auto rec = [k](int x) {
    auto in = [k, x](int y) { return y * k + x; };
    return in(x) + in(1);
  };
  show(a.pmap([rec](int f_k) { return rec(f_k); }));
  auto [p, q] = std::pair{4, 5};
  auto bound = [p, q](int x) { return x * p + q; };
  show(a.pmap([bound](int x) { return bound(x); }));
  k = 10;
  std::vector<Car> cars(3);
  auto pace = [k](int x) { return x + k; };
  ikra::objects(cars).peach([pace](Car* c) { c->add(pace(c->v())); });
  ikra::objects(cars).peach(3, [&](Car* c) { c->add(pace(c->v())); });
  for (auto& c : cars)
    std::printf("%d ", c.v());
  Car other;
  other.v_ = 100;
  Car* o = &other;
  auto from = [o](int x) { return o->v() + x; };
  ikra::objects(cars).peach([from](Car* c) { c->add(from(1)); });
  show(a.pmap([from](int x) { return from(x); }));
  for (auto& c : cars)
    std::printf("%d ", c.v());
  show(a.pmap(moved([](int x) { return x + 1; }, [](auto x) { return x * x; })));
  show(a.pmap(repeated(3, moved(f, [](int x) { return x - 1; }))));
  show(a.pmap(Amplifier{5}.filter()));
  auto gen = [k](auto x, auto y) { return x * k + y; };
  show(a.pcombine(a, [gen](int x, int y) { return gen(x, y) + int(gen(0.5, x)); }));
  show(a.pstencil({-1, 0, 1}, 0, [f](auto w) { return f(w[0]) + w[-1]; }));
}
