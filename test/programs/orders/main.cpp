// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans, sorts, and reductions by key and axis with sections of all forms: captures, functions of
// the user, templates, indices in front of them, and objects from which keys come.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

/// A number that tells elements and their order.
template <class Array> void tell(const char* name, const Array& a) {
  std::uint64_t result = a.size();
  for (const auto x : a)
    result = result * 31 + static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  std::printf("%s: %zu %llx\n", name, a.size(), static_cast<unsigned long long>(result));
}

struct Person {
  int city = 0;
  int income = 0;
};

std::uint32_t last_of(std::uint32_t, std::uint32_t b) { return b; }
int larger(int a, int b) { return a < b ? b : a; }
bool by_digit(int a, int b) { return a % 10 < b % 10; }

template <class T> auto prefix_sums(const ikra::array<T>& a) {
  return a.pscan([](T x, T y) { return static_cast<T>(x + y); });
}
template <class T> auto downwards(const ikra::array<T>& a) {
  return a.psort([](T x, T y) { return y < x; });
}

class Animal {
public:
  explicit Animal(int size) : size(size) {}
  virtual ~Animal() = default;
  virtual int rank() const { return size % 11; }
  int size;
};
class Dog final : public Animal {
public:
  using Animal::Animal;
  int rank() const override { return size % 7; }
};

/// Sorted by what two of them have, on objects as they are or in columns: few and many, after
/// sections changed them, and where one is null.
void objects_in_order() {
  const auto richer = [](const Person* p, const Person* q) { return p->income > q->income; };
  for (const std::size_t n : {0, 1, 2, 17, 40000}) {
    std::vector<Person> people(n);
    for (std::size_t i = 0; i < n; ++i)
      people[i] = {static_cast<int>(i), static_cast<int>(i * 7919 % 1009)};
    const ikra::array all = ikra::objects(people);
    const auto city = [](const Person* p) { return p->city; };
    tell("by income", all.psort(richer).pmap(city));
    const auto poor = all.pselect([](const Person* p) { return p->income < 300; });
    tell("of a selection", poor.psort(richer).pmap(city));
    all.peach([](Person* p) { p->income = (p->income * 31 + p->city) % 97; });
    tell("changed", all.psort(richer).pmap(city));
    const ikra::resident scope{people};
    all.peach([](Person* p) { p->income = (p->income * 17 + p->city) % 89; });
    tell("in a scope", all.psort(richer).pmap(city));
  }
  std::vector<std::unique_ptr<Animal>> animals;
  for (int i = 0; i < 500; ++i)
    if (i % 3 == 0)
      animals.push_back(std::make_unique<Dog>(i * 37 % 101));
    else
      animals.push_back(std::make_unique<Animal>(i * 37 % 101));
  const auto lower = [](const Animal* a, const Animal* b) { return a->rank() < b->rank(); };
  const ikra::array zoo = ikra::objects(animals);
  tell("by rank", zoo.psort(lower).pmap([](const Animal* a) { return a->size; }));
#ifndef IKRA_TEST_SANITIZED // it ends the plain program here
  std::vector<const Animal*> some(40, animals[3].get());
  some[30] = nullptr;
  try {
    std::printf("%d\n", ikra::array{some}.psort(lower)[0]->size);
  } catch (const ikra::error& failed) {
    std::printf("null: %d\n", failed.kind() == ikra::error_kind::null_element);
  }
#endif
}

int main() {
  objects_in_order();
  const auto a =
      ikra::pnew(20000, [](std::int64_t i) { return static_cast<int>(i * 7919 % 20011); });
  const int modulus = 1000;

  tell("maxima", a.pscan(larger));
  tell("maxima of maps", a.with_index()
                             .pmap([](int x, std::int64_t i) { return x - static_cast<int>(i); })
                             .pscan(std::plus<>{})
                             .pmap([](int x) { return x / 2; }));
  tell("from a wider one",
       a.pmap([](int x) { return x * 2; }).pscan(std::int64_t{1} << 35, std::plus<>{}));
  tell("exclusive", a.pscan_exclusive(0, [modulus](int x, int y) { return (x + y) % modulus; }));
  tell("a fold stays in order", a.pscan(0.5, [](double x, int y) { return x / 2 + y; }));
  tell("selected", a.pselect([](int x) { return x % 3 == 0; }).pscan(std::plus<>{}));
  tell("none", a.pselect([](int x) { return x < 0; }).pscan(7, std::plus<>{}));
  tell("in a template", prefix_sums(a));
  tell("bytes in a template",
       prefix_sums(a.pmap([](int x) { return static_cast<std::uint8_t>(x); })));

  tell("by digit", a.psort(by_digit));
  tell("by distance", a.psort([modulus](int x, int y) {
    return (x < modulus ? modulus - x : x - modulus) < (y < modulus ? modulus - y : y - modulus);
  }));
  tell("downwards", downwards(a));
  tell("halves downwards", downwards(a.pmap([](int x) { return x * 0.5; })).pmap([](double x) {
    return static_cast<int>(4 * x);
  }));
  tell("by key", a.psort_by([modulus](int x) { return x % modulus * 0.25f; }));
  tell("of maps by key",
       a.pmap([](int x) { return x * 3; }).psort_by([](int x) { return x % 100; }));

  const auto cube = a.slice(0, 19992).reshape({12, 34, 49});
  tell("rows", cube.preduce_axis(2, std::plus<>{}));
  tell("columns", cube.preduce_axis(1, larger));
  tell("layers",
       cube.preduce_axis(0, std::int64_t{5}, [](std::int64_t x, std::int64_t y) { return x + y; }));

  std::vector<Person> people(3000);
  for (std::size_t i = 0; i < people.size(); ++i)
    people[i] = {static_cast<int>(i * i % 37), static_cast<int>(i)};
  const auto sorted = ikra::objects(people).psort_by([](const Person* p) { return p->city; });
  const auto city = sorted.pmap([](const Person* p) { return p->city; });
  const auto [cities, incomes] =
      sorted.pmap([](const Person* p) { return p->income; }).preduce_by_key(city, std::plus<>{});
  tell("cities", cities);
  tell("incomes", incomes);
  tell("counts", ikra::objects(people).phistogram(37, [](const Person* p) { return p->city; }));
  enum class Wealth : std::uint8_t { poor, middle, rich };
  tell("wealth", ikra::objects(people).phistogram(3, [](const Person* p) {
    return p->income < 100 ? Wealth::poor : p->income < 1000 ? Wealth::middle : Wealth::rich;
  }));
  const auto ascending = a.psort();
  const auto [runs, last] =
      ascending.pmap([](int x) { return static_cast<std::uint32_t>(x * 3); })
          .preduce_by_key(ascending.pmap([](int x) { return x / 1500; }), last_of);
  tell("runs", runs);
  tell("last of runs", last);
}
