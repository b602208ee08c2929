// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sum, count, any, all, preduce(init, f) and operators on arrays, over elements of many types, of
// no elements, in templates, over objects, and after operations that they are fused with.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

enum colour { red, green, blue };
enum class scoped : std::uint8_t { off, on };

struct Lamp {
  bool lit = false;
  int power = 0;
  bool is_strong() const { return power > 50; }
};

template <class T, int R> void show(const char* name, const ikra::array<T, R>& a) {
  std::printf("%s: %.6g %lld %d %d %d %d\n", name, static_cast<double>(a.sum()),
              static_cast<long long>(a.count([](T x) { return x > T(2); })),
              static_cast<int>(a.any()), static_cast<int>(a.all()),
              static_cast<int>(a.any([](T x) { return x == T(3); })),
              static_cast<int>(a.all([](T x) { return x < T(90); })));
}

template <class T> void show_type(const char* name) {
  show(name, ikra::pnew(5000, [](std::int64_t i) { return static_cast<T>(i % 97); }));
  show(name, ikra::array{std::vector<T>()});
  show(name, ikra::array{std::vector<T>{1}});
}

class Meter {
public:
  explicit Meter(std::vector<float> values) : values_(std::move(values)) {}
  float total() const { return (values_ * 0.5f + 1.0f).sum(); }
  std::int64_t above(float limit) const {
    return values_.count([limit](float x) { return x > limit; });
  }

private:
  ikra::array<float> values_;
};

int main() {
  show_type<int>("int");
  show_type<std::uint8_t>("byte");
  show_type<short>("short");
  show_type<std::int64_t>("long");
  show_type<double>("double");

  const auto numbers =
      ikra::pnew(3000, [](std::int64_t i) { return static_cast<int>(i * 7 % 1000); });
  const auto flags = numbers.pmap([](int x) { return x % 3 == 0; });
  std::printf("flags: %d %lld %d %d\n", flags.sum(),
              static_cast<long long>(flags.count(std::identity{})), flags.any(), flags.all());

  const ikra::array colours{std::vector<colour>{red, green, blue, blue}};
  std::printf("colours: %d %lld %d\n", colours.sum(),
              static_cast<long long>(colours.count([](colour c) { return c == blue; })),
              (colours + 1).sum());
  const ikra::array states{std::vector<scoped>{scoped::off, scoped::on}};
  std::printf("states: %lld\n",
              static_cast<long long>(states.count([](scoped s) { return s == scoped::on; })));

  std::printf("from: %lld %.3f %d %d\n",
              static_cast<long long>(numbers.preduce(std::int64_t{1} << 40, std::plus<>{})[0]),
              numbers.preduce(0.125, [](double a, double b) { return a + b; })[0],
              numbers.preduce(5, ikra::max)[0],
              numbers.pselect([](int x) { return x < 0; }).preduce(17, [](int a, int b) {
                return a + b;
              })[0]);
  std::printf("odd numbers: %lld\n",
              static_cast<long long>(numbers.count([](int x) { return x & 1; })));

  const auto image = numbers.reshape({50, 60});
  const auto other =
      image.with_index().pmap([](int x, ikra::index<2> i) { return x + static_cast<int>(i[1]); });
  const short k = 3;
  show("arithmetic", (image * k - other / 2 + 7 % (image + 1)) & 1023);
  show("shifts", (image << 2 >> 1 | (other ^ 5)));
  show("negated", -image + ~other);
  show("ratios", image / 2.5 - 0.25f * other);
  std::printf("comparisons: %lld %lld %lld\n",
              static_cast<long long>((image < other && image >= 10).count(std::identity{})),
              static_cast<long long>((!(image > 500) || other <= 20).sum()),
              static_cast<long long>((image < 900u).sum()));

  std::vector<Lamp> store(100);
  for (std::size_t i = 0; i < store.size(); ++i)
    store[i] = {i % 4 == 0, static_cast<int>(i)};
  const auto lamps = ikra::objects(store);
  std::printf("lamps: %lld %d %d\n",
              static_cast<long long>(lamps.count([](const Lamp* l) { return l->lit; })),
              lamps.any([](const Lamp& l) { return l.is_strong(); }),
              lamps.all([](const Lamp* l) { return l->power < 99; }));

  const Meter meter{std::vector<float>{1.5f, 2.5f, 8.0f}};
  std::printf("meter: %g %lld\n", static_cast<double>(meter.total()),
              static_cast<long long>(meter.above(2.0f)));
}
