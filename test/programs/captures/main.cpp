// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections capture, and where they stand: in functions, methods, constructors, initialisers of
// statics, other lambdas and host sections; several on a line and over several lines.

#include <ikra/ikra.hpp>

#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace {

// Blocks of a size that only one container has: copies of it are counted, but by nvcc's build, in
// which these operators would be devices', too.
constexpr std::size_t watched = 12'345 * sizeof(float);
int copies = 0;

} // namespace

#ifndef __CUDACC__
void* operator new(std::size_t bytes) {
  copies += bytes == watched;
  if (void* const block = std::malloc(bytes == 0 ? 1 : bytes))
    return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif

namespace {

struct Columns {
  std::vector<float> x, y;
  ikra::array<int> n;
  float scale = 2;
};

enum class Mode : short { slow = 1, fast = 5 };

struct Weather {
  float rain = 0.5f;
  int day = 3;
  virtual ~Weather() = default;
  virtual float slip() const { return rain * 2; }
};
struct Storm : Weather {
  float slip() const override { return rain * 10; }
};

struct Car {
  IKRA_OBJECT
public:
  explicit Car(float v) : v_(v) {}
  float v() const { return v_; }
  void drive(const Weather& weather, float f) { v_ = v_ * f + weather.slip(); }

private:
  float v_;
};

class City {
  IKRA_OBJECT
public:
  explicit City(int cars) : factor_(0.5f) {
    for (int i = 0; i < cars; ++i) {
      owned_.push_back(std::make_unique<Car>(static_cast<float>(i)));
      pointers_.push_back(owned_.back().get());
    }
    const Weather calm;
    ikra::array{pointers_}.peach([&](Car* c) { c->drive(calm, 1); });
  }

  void step(int ticks) {
    ikra::array{pointers_}.peach(ticks, [this](Car* c) { c->drive(*weather_, factor_); });
    ikra::array{pointers_}.peach(
        ticks, [=, this](Car* c) { c->drive(*weather_, factor_ + static_cast<float>(ticks)); });
    const auto again = [&] {
      ikra::array{pointers_}.peach([this](Car* c) { c->drive(*weather_, factor_); });
    };
    again();
  }
  ikra::array<float> speeds() const {
    return ikra::array{pointers_}
        .pmap([](const Car* c) { return c->v(); })
        .pmap([f = factor_](float v) { return v * f; });
  }
  void set(Weather* w) { weather_ = w; }

private:
  std::vector<std::unique_ptr<Car>> owned_;
  std::vector<Car*> pointers_;
  Weather* weather_ = nullptr;
  float factor_;
};

const ikra::array<int> at_start =
    ikra::array{std::vector<int>{1, 2, 3}}.pmap([](int e) { return e * 11; });

struct Holder {
  ikra::array<int> doubled = ikra::array{std::vector<int>{4, 5}}.pmap([](int e) { return 2 * e; });
  int total;
  Holder() : total(ikra::array{std::vector<int>{7}}.pmap([](int e) { return e - 1; })[0]) {}
};

template <class T> void show(const char* name, const ikra::array<T>& a) {
  std::cout << name << ':';
  for (const T e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}

ikra::array<int> scaled(const ikra::array<int>& a, int by) {
  return a.pmap([by](int e) { return e * by; });
}

/// How often a lazy operation copies what it captures.
template <class F> auto counted(const char* name, const F& make) {
  copies = 0;
  const auto made = make();
  std::cout << name << (copies > 1 ? ": more than one copy, " : ": ") << made.sum() << '\n';
  return made;
}

template <class T> void copies_in_template(const ikra::array<Car*>& of, std::vector<T> v) {
  counted("template over objects",
          [&] { return of.pmap([v](const Car* c) { return v[1] + static_cast<T>(c->v()); }); });
  counted("template over values",
          [&] { return ikra::array<T>({1, 2}).pmap([v](T x) { return x + v[2]; }); });
}

/// One copy of a container that is captured by value, as the plain build makes of it.
class Copier {
public:
  void run(const ikra::array<Car*>& of) {
    const int k = 3;
    auto v = v_; // captured as a constant, it could not be moved
    counted("by name", [&] {
      return of.pmap([v, k](const Car* c) { return v[0] + c->v() * static_cast<float>(k); });
    });
    counted("all", [&] { return of.pmap([=](const Car* c) { return v[1] * c->v(); }); });
    counted("member", [&] {
      return of.pmap([w = v_, k](const Car* c) -> float { return w[0] + c->v() + float(k); });
    });
    counted("selected", [&] {
      return of.pselect([v](const Car* c) { return v[5] > c->v(); }).pmap([](const Car* c) {
        return c->v();
      });
    });
    counted("combined", [&] {
      return of.pcombine(ikra::array<float>({1, 2, 3}),
                         [v](const Car* c, float x) { return v[7] + c->v() * x; });
    });
    counted("values", [&] { return ikra::array<int>({1, 2}).pmap([v](int i) { return v[i]; }); });
    const auto owner = std::make_shared<Car>(4.0f);
    counted("owner", [&] {
      return of.pmap([owner, v](const Car* c) { return owner->v() + v[1] + c->v(); });
    });
    std::vector<Car*> pointers(watched / sizeof(Car*), of[0]);
    pointers.reserve(watched / sizeof(Car*));
    counted("pointers", [&] {
      return of.pmap([pointers](const Car* c) { return pointers[2]->v() + c->v(); });
    });
    const ikra::resident scope{of};
    const auto later = counted("in a scope", [&] {
      return of.pmap([v, k](const Car* c) { return v[0] + c->v() * static_cast<float>(k); });
    });
    copies_in_template(of, v);
  }

private:
  std::vector<float> v_ = std::vector<float>(watched / sizeof(float), 1.5f);
};

} // namespace

int main() {
  const ikra::array a{std::vector<int>{0, 1, 2, 3, 4}};
  const int i = 3;
  const float f = 1.5f;
  const bool flag = true;
  const Mode mode = Mode::fast;
  char letter = 'x';
  std::int64_t wide = 1'000'000'000'000;
  const auto five = std::make_unique<int>(5);
  int& reference = *five;

  show("by value", a.pmap([i, f, flag, mode, letter, wide](int e) {
    return flag ? e * i + f * static_cast<int>(mode) + letter + static_cast<double>(wide) : 0;
  }));
  show("all by value", a.pmap([=](int e) { return e + reference + letter; }));
  show("init captures",
       a.pmap([k = i * 2 + 1, j{7}, z = std::int64_t(wide)](int e) { return e * k + j + z; }));
  show("braces and commas",
       a.pmap([k = std::array<int, 2>{1, 2}[1], m = std::max(3, 4)](int e) { return e * k + m; }));
  reference = 6;

  // Names that lambdas around sections keep: what these were made of has changed.
  int changing = 3;
  const auto with_kept = [&, kept = changing](const ikra::array<int>& of) {
    return of.pmap([kept](int e) { return e + kept; });
  };
  const auto times_kept = [kept = changing * 2](const ikra::array<int>& of) {
    return of.pmap([=, more = kept + 1](int e) { return e * kept + more; });
  };
  changing = 50;
  show("kept by lambdas", with_kept(times_kept(a)));

  const std::vector<float> table{0.5f, 1.5f, 2.5f, 3.5f, 4.5f};
  std::array<int, 3> three{7, 8, 9};
  const ikra::array<double> computed = ikra::array{table}.pmap([](float x) { return x * 2.0; });
  const std::vector<Mode> modes{Mode::slow, Mode::fast};
  show("containers", a.pmap([=](int e) {
    const auto i_ = static_cast<std::size_t>(e);
    double sum = table[i_] + three[i_ % three.size()] + computed[e];
    for (const float x : table)
      sum += x;
    return sum + static_cast<double>(table.size()) + table.front() + three.back() +
           (modes[i_ % 2] == Mode::fast ? 100 : 0);
  }));
  show("moved in", a.pmap([t = std::vector<int>{9, 8, 7, 6, 5}](int e) {
    return t[static_cast<std::size_t>(e)];
  }));

  // Two on a line, one within the arguments of another, one over many lines.
  show("two", a.pmap([](int e) { return e + 1; }).pmap([](int e) { return e * e; }));
  show("again", a.pmap([](int e) { return -e; }));
  show("inside", a.pmap([k = a.pmap([](int e) { return e + 40; })[2]](int e) { return e + k; }));
  show("lines",
       a.pmap([i, // captures
               k = i](int e) -> long { return e + i + k; }));
  show("helper", scaled(scaled(a, 2), -3));

  // Lambdas and functions by name.
  const auto named = [](int e) { return e * 3; };
  struct Functor {
    int operator()(int e) const { return e - 100; }
  };
  show("named", a.pmap(named));
  show("functor", a.pmap(Functor{}));
  show("std::function around", std::function<ikra::array<int>(int)>(
                                   [&](int k) { return a.pmap([k](int e) { return e + k; }); })(8));

  show("at start", at_start);
  show("member", Holder().doubled);
  std::cout << Holder().total << '\n';
  show("host section", ikra::host_section([&] {
         auto b = a.pmap([](int e) { return e + 1; });
         for (int round = 0; round < 3; ++round)
           b = b.pmap([round](int e) { return e * 2 + round; });
         return b;
       }));

  Storm storm;
  Weather calm;
  City city(4);
  city.set(&storm);
  city.step(2);
  show("city", city.speeds());
  city.set(&calm);
  city.step(1);
  show("city", city.speeds());

  std::vector<Car> cars{Car(1), Car(2), Car(3)};
  std::vector<Car*> pointers{&cars[0], &cars[1], &cars[2]};
  const ikra::array traffic{pointers};
  const auto shared = std::make_shared<Storm>();
  const auto unique = std::make_unique<Weather>();
  const Weather& weather = storm;
  Weather* now = &calm;
  traffic.peach(2, [&storm, f](Car* c) { c->drive(storm, f); });
  traffic.peach(2, [&](Car* c) { c->drive(weather, f); });
  traffic.peach(2, [&](Car* c) { c->drive(*now, static_cast<float>(i)); });
  traffic.peach([&](Car* c) { c->drive(*unique, f); });
  traffic.peach([=](Car* c) { c->drive(*shared, f); });
  traffic.peach([=, w = now](Car* c) { c->drive(*w, f); });
  traffic.peach(
      [&table, &three, now](Car* c) { c->drive(*now, table[0] + static_cast<float>(three[0])); });
  for (const Car& c : cars)
    std::cout << c.v() << '\n';

  Copier().run(traffic);

  const auto half = [](int x) { return x / 2; };
  const ikra::array numbers{std::vector<int>{7, 8, 9}};
  show("lambdas", numbers.pmap([g = half, h = [](int x, int y) { return x * 10 + y; }](int x) {
    return h(g(x), x);
  }));
  show("generic lambda", numbers.pcombine(numbers, [f = [](auto x) { return x + 1; }](
                                                       int x, auto y) { return f(x) * f(y); }));
  const Columns columns{
      {1, 2, 3}, {0.5f, 0.25f, 0.125f}, numbers.pmap([](int k) { return k * k; })};
  show("members of a struct", numbers.with_index().pmap([columns](int x, std::int64_t at) {
    return columns.x[at] * columns.scale + columns.y[2 - at] +
           static_cast<float>(columns.n[at] + x);
  }));
  show("of all", ikra::pnew(3, [=](std::int64_t at) {
         float sum = columns.scale;
         for (const float y : columns.y)
           sum += y * static_cast<float>(at + columns.n[0]);
         return sum;
       }));
  const auto pairs = numbers.pmap([](int x) { return std::pair{x, 0.5f * static_cast<float>(x)}; });
  const auto large = numbers.pmap([](int x) { return std::array<int, 20>{x, x + 1}; });
  show("elements in loops", numbers.pmap([=](int x) {
    for (const auto& [k, y] : pairs)
      x += k + static_cast<int>(y);
    for (const auto& each : large)
      x += each[1];
    return x;
  }));
  traffic.peach([f = [](float x) { return x + 1; }, now](Car* c) { c->drive(*now, f(2)); });
  std::cout << cars[0].v() << '\n';
}
