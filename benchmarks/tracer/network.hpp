// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cars on streets (ARRAY'16, section 5), of one class or of many: the objects, their layout as
// ikrac emits it, a trace that fills the columns, and the same by hand.
#pragma once

#include "sizes.hpp"

#include "support/command_line.hpp"

#include <ikra/generated.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tracer {

struct street {
  float length = 0;
  float max_velocity = 0;
  std::uint32_t number = 0;
  std::vector<street*> neighbours;
};

struct car {
  car(street* s, float v) : street_(s), max_velocity(v) {}
  virtual ~car() = default;
  virtual unsigned kind() const = 0;
  float progress = 0;
  street* street_;
  float max_velocity;
};
template <unsigned Kind> struct car_of final : car {
  using car::car;
  unsigned kind() const override { return Kind; }
};

using street_class = ikra::rt::concrete_class<0, street>;
template <unsigned Kind> using car_class = ikra::rt::concrete_class<1 + Kind, car_of<Kind>>;

struct access {
  static auto& length(street& o) { return o.length; }
  static auto& neighbours(street& o) { return o.neighbours; }
  static auto& progress(car& o) { return o.progress; }
  static auto& street_(car& o) { return o.street_; }
  static auto& max_velocity(car& o) { return o.max_velocity; }
};

template <class> struct kinds;
template <unsigned... Kind> struct kinds<std::integer_sequence<unsigned, Kind...>> {
  using references = ikra::rt::references<car, car_class<Kind>...>;

  static const ikra::rt::layout& plan() {
    using namespace ikra::rt;
    using streets = ikra::rt::references<street, street_class>;
    static const std::array<std::string, sizeof...(Kind)> names{("car " + std::to_string(Kind))...};
    static const class_info classes[] = {describe<street_class>("street", 0),
                                         describe<car_class<Kind>>(names[Kind].c_str(), 1)...};
    static const column_info columns[] = {
        value_column<&access::length, street_class>("street::length"),
        value_column<&access::progress, car_class<Kind>...>("car::progress"),
        reference_column<&access::street_, streets, car_class<Kind>...>("car::street_"),
        value_column<&access::max_velocity, car_class<Kind>...>("car::max_velocity"),
        reference_list_column<&access::neighbours, streets, street_class>("street::neighbours")};
    static const layout result(classes, columns);
    return result;
  }

  static std::unique_ptr<car> make(unsigned kind, street* s, float v) {
    static constexpr std::unique_ptr<car> (*makers[])(street*, float) = {
        [](street* on, float velocity) -> std::unique_ptr<car> {
          return std::make_unique<car_of<Kind>>(on, velocity);
        }...};
    return makers[kind](s, v);
  }
};

/// The objects of a case.
struct network {
  std::vector<std::unique_ptr<street>> streets;
  std::vector<std::unique_ptr<car>> cars;
  std::vector<car*> base;
};

template <class Kinds> network made(const sizes& s, unsigned classes) {
  network n;
  const auto any = [](std::uint64_t what, std::size_t i, std::size_t below) {
    return ikra::random(what, i).below(static_cast<std::uint32_t>(below));
  };
  for (std::size_t i = 0; i < s.streets; ++i) {
    n.streets.push_back(std::make_unique<street>());
    n.streets.back()->number = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = 0; i < s.streets; ++i) {
    n.streets[i]->neighbours.reserve(s.degree);
    for (unsigned k = 0; k < s.degree; ++k)
      n.streets[i]->neighbours.push_back(n.streets[any(3 + k, i, s.streets)].get());
  }
  for (std::size_t i = 0; i < s.cars; ++i) {
    n.cars.push_back(Kinds::make(any(0, i, classes), n.streets[any(1, i, s.streets)].get(),
                                 static_cast<float>(i)));
    n.base.push_back(n.cars.back().get());
  }
  if (s.shuffled)
    for (std::size_t i = s.cars; i > 1; --i)
      std::swap(n.base[i - 1], n.base[any(2, i, i)]);
  return n;
}

/// What one would write by hand where no object is repeated or unknown: loops that copy members
/// into vectors, class after class, with the street as a number that it carries.
class copied {
public:
  copied(const network& n, unsigned classes) {
    const std::size_t count = n.base.size();
    std::vector<std::size_t> next(classes + 1, 0);
    if (classes > 1)
      for (const car* c : n.base)
        ++next[c->kind() + 1];
    for (std::size_t k = 1; k < next.size(); ++k)
      next[k] += next[k - 1];
    progress_.resize(count);
    max_velocity_.resize(count);
    street_.resize(count);
    for (const car* c : n.base) {
      const std::size_t i = next[classes > 1 ? c->kind() : 0]++;
      progress_[i] = c->progress;
      max_velocity_[i] = c->max_velocity;
      street_[i] = c->street_->number;
    }
    first_.reserve(n.streets.size() + 1);
    length_.reserve(n.streets.size());
    for (const auto& s : n.streets) {
      length_.push_back(s->length);
      first_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
      for (const street* neighbour : s->neighbours)
        neighbours_.push_back(neighbour->number);
    }
    first_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
  }

private:
  std::vector<float> progress_, max_velocity_, length_;
  std::vector<std::uint32_t> street_, first_, neighbours_;
};

/// Traces the objects and fills all columns, as at the start of a section.
template <class Kinds> void trace(const network& n) {
  static constexpr ikra::rt::section_info section{"tracer", "tracer.cpp", 1, 1};
  ikra::rt::object_graph graph(Kinds::plan(), ikra::rt::host_device());
  const ikra::rt::pointer_source source{&Kinds::references::ops, n.base.data(), n.base.size()};
  constexpr unsigned columns[] = {0, 1, 2, 3, 4};
  graph.trace({&source, 1}, {}, columns, section);
  graph.upload(columns, section);
}

/// The least of so many times, or of those that take ten seconds together. \param first one that is
/// known
template <class F> double least_seconds(int repeats, double first, const F& f) {
  double least = first, all = first;
  for (int i = 0; i < repeats && all < 10; ++i) {
    const double seconds = benchmark::seconds_of_one(f);
    least = std::min(least, seconds);
    all += seconds;
  }
  return least;
}

template <unsigned Classes> measured measure_classes(const sizes& s, int repeats) {
  using all = kinds<std::make_integer_sequence<unsigned, Classes>>;
  const network n = made<all>(s, Classes);
  measured result{};
  const auto by_hand = [&] { const copied columns(n, Classes); };
  result.by_hand = least_seconds(repeats, benchmark::seconds_of_one(by_hand), by_hand);
  const std::size_t before = resident_bytes();
  forget_peak();
  const auto traced = [&] { trace<all>(n); };
  const double first = benchmark::seconds_of_one(traced);
  const std::size_t peak = peak_bytes();
  result.bytes = peak > before ? peak - before : 0;
  result.traced = least_seconds(repeats, first, traced);
  return result;
}

} // namespace tracer
