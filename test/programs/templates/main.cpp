// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in function templates and in member functions of class templates: types, numbers and
// packs as parameters, captures, objects, results whose type depends on the parameters.
#include <cstdio>
#include <functional>
#include <ikra/ikra.hpp>
#include <vector>

enum class Unit : short { metre = 1, foot = 3 };

namespace shop {
struct Item {
  int price = 4;
  long sold = 0;
};
} // namespace shop

template <class T> T twice(T x) { return x + x; }

template <class T> ikra::array<T> doubled(const ikra::array<T>& a) {
  return a.pmap([](T x) { return twice(x); }).pmap(twice<T>);
}

template <class T, int N, Unit U> auto scaled(const ikra::array<T>& a, T by) {
  return a.with_index().pmap([=](auto x, std::int64_t i) {
    if constexpr (U == Unit::foot)
      return static_cast<double>(x * by + N) + static_cast<double>(i) / 2;
    else
      return x * by + N;
  });
}

template <int... Ns> long terms(const ikra::array<int>& a) {
  return a.pmap([](int x) { return (0 + ... + (x * Ns)); }).sum();
}

template <class T> class Statistics {
public:
  explicit Statistics(std::vector<T> values) : values_(std::move(values)) {}
  T largest() const {
    return values_.preduce([](T a, T b) { return a < b ? b : a; })[0];
  }
  template <class P> std::size_t above(P least) const;
  template <class Out> ikra::array<Out> as() const {
    std::vector<Out> offsets{1, 2};
    return values_.pmap([offsets](T x) { return static_cast<Out>(x) + offsets.at(1); });
  }
  static auto made(std::int64_t n) {
    return ikra::pnew(n, [](std::int64_t i) { return static_cast<T>(i) / 2; });
  }

private:
  ikra::array<T> values_;
};

template <class Value>
template <class Bound>
std::size_t Statistics<Value>::above(Bound least) const {
  return values_.pselect([least](Value x) { return x > least; }).size();
}

template <class Object> void sell(std::vector<Object>& objects, int times) {
  ikra::objects(objects).peach(times, [](Object* o) { o->sold += o->price; });
}

template <class T> struct Box {
  T held{};
  void fill(T by) { held += by; }
};
template <class T> void fill(std::vector<Box<T>>& boxes, T by) {
  ikra::objects(boxes).peach(3, [by](Box<T>* b) { b->fill(by); });
}

template <class T> struct Moments {
  T count, sum;
  Moments operator+(const Moments& o) const { return {count + o.count, sum + o.sum}; }
};
/// The kernel's type is one that only the template names.
template <class T> Moments<T> measured(const ikra::array<T>& a) {
  return a.pmap([](T x) { return Moments<T>{1, x}; }).preduce(std::plus<>{})[0];
}

template <class A> void show(const char* name, const A& a) {
  double sum = 0;
  for (const auto& x : a)
    sum = sum * 3 + static_cast<double>(x);
  std::printf("%s: %g\n", name, sum);
}

// One text for arrays, numbers and both.
template <class A, class B> auto weighted(const A& a, const B& b) { return -a + b * 2 - 1; }
template <class T> T energy(const ikra::array<T>& a) { return (a * a - a).sum(); }

// Objects of templates, by reference.
template <class D> struct Patient {
  int days = 3;
  int left() const { return days; }
};
template <class D> int remaining(std::vector<Patient<D>>& all) {
  return ikra::objects(all).pmap([](const Patient<D>& p) { return p.left(); }).sum();
}
template <class P> int counted(std::vector<P>& all) {
  const ikra::array objects = ikra::objects(all);
  objects.peach([](P& p) { p.days += 2; });
  return objects.with_index()
             .pmap([](const P& p, std::int64_t i) { return p.left() * static_cast<int>(i); })
             .sum() +
         static_cast<int>(objects.pselect([](P& p) { return p.left() > 2; }).size());
}

// Classes whose arguments are templates.
namespace mixins {
template <class Whole> struct Counted {
  int calls = 1;
  void call() { calls += 2; }
};
struct Names {
  template <class Whole> struct Named {
    int name = 5;
  };
};
} // namespace mixins
namespace shop {
template <template <class> class... Parts> struct Widget : Parts<Widget<Parts...>>... {};
} // namespace shop

static int called() {
  std::vector<shop::Widget<mixins::Counted, mixins::Names::Named>> both(5);
  std::vector<shop::Widget<mixins::Counted>> one(3);
  ikra::objects(both).peach([](auto* w) { w->call(); });
  return ikra::objects(both).pmap([](const auto* w) { return w->calls * w->name; }).sum() +
         ikra::objects(one).pmap([](const auto* w) { return w->calls; }).sum();
}

int main() {
  const ikra::array ints{std::vector<int>{1, 2, 3}};
  const ikra::array doubles{std::vector<double>{0.5, 1.25}};
  show("ints doubled", doubled(ints));
  show("doubles doubled", doubled(doubles));
  show("metres", scaled<int, 7, Unit::metre>(ints, 2));
  show("feet", scaled<int, 7, Unit::foot>(ints, 2));
  show("fewer feet", scaled<double, -1, Unit::foot>(doubles, 2));
  std::printf("%ld %ld %ld\n", terms<>(ints), terms<2>(ints), terms<1, 2, 3>(ints));
  const Statistics<int> some({5, 2, 9});
  const Statistics<float> others({1.5f, 2.5f});
  std::printf("%d %g %zu %zu %zu\n", some.largest(), static_cast<double>(others.largest()),
              some.above(2), some.above(4.5), others.above(2));
  show("as double", some.as<double>());
  show("as int", others.as<int>());
  show("made", Statistics<float>::made(5));
  std::printf("%g %g\n", measured(doubles).count, measured(doubles).sum);
  show("weighted", weighted(ints, ints));
  show("weighted by one", weighted(doubles, 0.5));
  show("one weighted", weighted(7, ints));
  std::printf("%d %d %g\n", weighted(3, 4), energy(ints), energy(doubles));
  std::vector<shop::Item> items(3);
  sell(items, 5);
  std::printf("%ld\n", items[2].sold);
  std::vector<Box<int>> whole(2);
  std::vector<Box<float>> real(2);
  fill(whole, 2);
  fill(real, 0.5f);
  std::printf("%d %g\n", whole[1].held, static_cast<double>(real[0].held));
  std::vector<Patient<int>> patients(4);
  const int before = remaining(patients);
  std::printf("%d %d %d\n", before, counted(patients), remaining(patients));
  std::printf("%d\n", called());
}
