// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// at() and std::get: on captured containers, members, tables and parameters, for reading and
// writing, in sections over objects and over numbers. What fails is told on both devices, and
// writes nothing itself.
#include <array>
#include <cstdint>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <stdexcept>
#include <vector>

struct Rail {
  int length = 3;
};
struct Train {
  std::vector<int> stops{1, 2, 3};
  std::array<float, 4> loads{};
  std::vector<Rail*> rails;
  int at = 0;
  IKRA_OBJECT
  int next(int by) const { return stops.at(static_cast<std::size_t>(at + by)); }
};

constexpr std::array<int, 4> squares{0, 1, 4, 9};

int second(const std::vector<int>& values) { return values.at(1); }

/// What a run gives, or that it failed: as std::out_of_range in a plain build, as ikra::error in
/// others.
template <class Run> void report(const char* name, const Run& run) {
  try {
    std::printf("%s: %ld\n", name, static_cast<long>(run()));
  } catch (const std::out_of_range&) {
    std::printf("%s: failed\n", name);
  } catch (const ikra::error& e) {
    std::printf("%s: %s\n", name, e.kind() == ikra::error_kind::failed_check ? "failed" : e.what());
  }
}

struct Large {
  double parts[8];
};

/// Results of more bytes than a number of 64 bits can say.
template <class Run> [[maybe_unused]] void report_size(const char* name, const Run& run) {
  try {
    run();
    std::printf("%s: computed\n", name);
  } catch (const ikra::error& e) {
    std::printf("%s: error %d\n", name, static_cast<int>(e.kind()));
  }
}
[[maybe_unused]] void too_large() {
  constexpr std::int64_t many = std::int64_t(1) << 61;
  const auto few = ikra::pnew(3, [](std::int64_t i) { return static_cast<int>(i); });
  const auto bytes = ikra::pnew(many, [](std::int64_t i) { return static_cast<char>(i); });
  report_size("histogram", [&] { few.phistogram(many)[0]; });
  report_size("structs", [&] {
    ikra::pnew(many / 8, [](std::int64_t i) { return Large{{static_cast<double>(i)}}; })[0];
  });
  report_size("map", [&] { bytes.pmap([](char c) { return static_cast<double>(c); })[0]; });
  report_size("scan", [&] {
    ikra::pnew(many, [](std::int64_t i) { return i; }).pscan([](std::int64_t a, std::int64_t b) {
      return a + b;
    })[0];
  });
  report_size("sort", [&] { ikra::pnew(many, [](std::int64_t i) { return i; }).psort()[0]; });
}

int main() {
#ifndef IKRA_TEST_SANITIZED
  too_large();
#endif
  const std::vector<int> few{10, 20, 30};
  const std::vector<int> none;
  const std::array<long, 2> pair{5, 6};
  const std::array<int, 3> three{7, 8, 9};
  const auto numbers = ikra::pnew(10000, [](std::int64_t i) { return static_cast<int>(i % 3); });
  const auto wide = ikra::pnew(10000, [](std::int64_t i) { return static_cast<int>(i % 4); });
  const auto read = [&](const ikra::array<int, 1>& a) {
    return a.pmap([few](int i) { return few.at(static_cast<std::size_t>(i)); }).sum();
  };
  report("inside", [&] { return read(numbers); });
  report("outside", [&] { return read(wide); });
  report("empty", [&] { return numbers.pmap([none](int) { return none.at(0); })[0]; });
  report("negative", [&] { return numbers.pmap([few](int i) { return few.at(i - 1); })[1]; });
  report("handed on", [&] { return numbers.pmap([few](int i) { return i + second(few); })[1]; });
  report("handed on, outside",
         [&] { return numbers.pmap([none](int i) { return i + second(none); })[1]; });
  report("array", [&] { return numbers.pmap([pair](int i) { return pair.at(i / 2); }).sum(); });
  report("get",
         [&] { return numbers.pmap([three](int i) { return i * std::get<2>(three); }).sum(); });
  report("table", [&] { return wide.pmap([](int i) { return squares.at(i); }).sum(); });
  report("table, outside",
         [&] { return wide.pmap([](int i) { return squares.at(i + 1); }).sum(); });
  report("chain", [&] {
    return wide.pmap([few](int i) { return few.at(i % 3); })
        .pmap([few](int x) { return few.at(x / 10 - 1); })
        .sum();
  });
  report("reduce", [&] {
    return numbers.preduce([few](int a, int b) { return a > b ? a : b + few.at(0) * 0; })[0];
  });
  report("reduce, outside",
         [&] { return wide.preduce([few](int a, int b) { return (a + few.at(b)) % 5; })[0]; });
  report("select", [&] { return numbers.pselect([few](int i) { return few.at(i) > 10; }).size(); });
  report("select, outside",
         [&] { return wide.pselect([few](int i) { return few.at(i) > 10; }).size(); });
  report("select, empty",
         [&] { return wide.pselect([none](int i) { return none.at(i) > 10; }).size(); });

  Rail rail, other;
  other.length = 4;
  std::vector<Train> trains(3);
  for (Train& t : trains)
    t.rails = {&rail, &other};
  const ikra::array over = ikra::objects(trains);
  report("member", [&] { return over.pmap([](const Train* t) { return t->next(2); })[2]; });
  report("member, outside",
         [&] { return over.pmap([](const Train* t) { return t->next(3); })[2]; });
  report("pointers",
         [&] { return over.pmap([](const Train* t) { return t->rails.at(1)->length; })[0]; });
  report("pointers, outside",
         [&] { return over.pmap([](const Train* t) { return t->rails.at(2)->length; })[0]; });
  over.peach(2, [](Train* t) {
    t->at += 1;
    t->stops.at(static_cast<std::size_t>(t->at)) += 5;
    t->loads.at(2) += 0.5f;
    std::get<1>(t->loads) += 2;
  });
  for (const Train& t : trains)
    std::printf("%d %d %d %d %g %g\n", t.at, t.stops[0], t.stops[1], t.stops[2], t.loads[1],
                t.loads[2]);
  report("write, outside", [&] {
    over.peach([](Train* t) { t->stops.at(static_cast<std::size_t>(t->at + 1)) = 100; });
    return 0;
  });
  std::printf("%d\n", trains[1].stops[2]);
  const ikra::array some{std::vector<Train*>{&trains[0], nullptr, &trains[1]}};
  report("null", [&] { return some.pmap([](const Train* t) { return t ? t->next(0) : -1; })[1]; });
  report("null, outside",
         [&] { return some.pmap([](const Train* t) { return t ? t->next(1) : -1; })[1]; });
}
