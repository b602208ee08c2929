// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed of the tracer: cars on streets (ARRAY'16, section 5) are traced and their columns filled,
// as at the start of each section. The baseline is what one would write by hand where no object is
// repeated or unknown: a loop that copies the members of each car into vectors, with the street as
// a number that it carries. Prints objects/s and the ratio of the two, for few and many streets,
// and for cars in the order of their addresses and in none.
#include <ikra/generated.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

struct street {
  float length = 0;
  float max_velocity = 0;
  std::uint32_t number = 0;
  std::vector<street*> neighbours;
};

struct car {
  car(street* s, float v) : street_(s), max_velocity(v) {}
  virtual ~car() = default;
  virtual float speed() const { return max_velocity; }
  float progress = 0;
  street* street_;
  float max_velocity;
};

using street_class = ikra::rt::concrete_class<0, street>;
using car_class = ikra::rt::concrete_class<1, car>;

struct access {
  static auto& length(street& o) { return o.length; }
  static auto& progress(car& o) { return o.progress; }
  static auto& street_(car& o) { return o.street_; }
  static auto& max_velocity(car& o) { return o.max_velocity; }
};

const ikra::rt::layout& plan() {
  using namespace ikra::rt;
  static const class_info classes[] = {describe<street_class>("street", 0),
                                       describe<car_class>("car", 1)};
  static const column_info columns[] = {
      value_column<&access::length, street_class>("street::length"),
      value_column<&access::progress, car_class>("car::progress"),
      reference_column<&access::street_, references<street, street_class>, car_class>(
          "car::street_"),
      value_column<&access::max_velocity, car_class>("car::max_velocity")};
  static const layout result(classes, columns);
  return result;
}

constexpr ikra::rt::section_info section{"tracer", "tracer.cpp", 1, 1};

/// \returns seconds of the fastest of five runs.
template <class Run> double fastest(const Run& run) {
  double best = 1e300;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

void measure(std::size_t cars, std::size_t streets, bool shuffled) {
  std::vector<std::unique_ptr<street>> all_streets;
  for (std::size_t i = 0; i < streets; ++i) {
    all_streets.push_back(std::make_unique<street>());
    all_streets.back()->number = static_cast<std::uint32_t>(i);
  }
  std::vector<std::unique_ptr<car>> all_cars;
  std::vector<car*> base;
  for (std::size_t i = 0; i < cars; ++i) {
    all_cars.push_back(std::make_unique<car>(
        all_streets[ikra::random(1, i).below(static_cast<std::uint32_t>(streets))].get(),
        static_cast<float>(i)));
    base.push_back(all_cars.back().get());
  }
  if (shuffled)
    for (std::size_t i = cars; i > 1; --i)
      std::swap(base[i - 1], base[ikra::random(2, i).below(static_cast<std::uint32_t>(i))]);

  std::vector<float> progress, max_velocity;
  std::vector<std::uint32_t> street_number;
  const double by_hand = fastest([&] {
    progress = std::vector<float>(cars);
    max_velocity = std::vector<float>(cars);
    street_number = std::vector<std::uint32_t>(cars);
    for (std::size_t i = 0; i < cars; ++i) {
      progress[i] = base[i]->progress;
      max_velocity[i] = base[i]->max_velocity;
      street_number[i] = base[i]->street_->number;
    }
  });

  using references = ikra::rt::references<car, car_class>;
  const double traced = fastest([&] {
    ikra::rt::object_graph graph(plan(), ikra::rt::host_device());
    const ikra::rt::pointer_source source{&references::ops, base.data(), base.size()};
    const unsigned columns[] = {0, 1, 2, 3};
    graph.trace({&source, 1}, {}, columns, section);
    graph.upload(columns, section);
  });
  std::printf("%10zu cars, %7zu streets, %s: %6.1f M objects/s, %.2f x by hand\n", cars, streets,
              shuffled ? "shuffled" : "in order",
              static_cast<double>(cars + streets) / traced / 1e6, traced / by_hand);
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t cars = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000000;
  if (cars == 0) {
    std::fprintf(stderr, "usage: %s [CARS]\n", argv[0]);
    return 2;
  }
  for (const bool shuffled : {false, true})
    for (const std::size_t streets : {std::size_t(500), std::size_t(200000)})
      measure(cars, streets, shuffled);
}
