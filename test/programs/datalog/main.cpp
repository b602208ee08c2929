// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datalog programs in string literals: ikrac makes kernels of their joins, which must give what the
// naive evaluator of the plain build gives. Each program is over other types, constants and kinds
// of steps.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

namespace {

using ikra::datalog::program;

template <class... Columns> void print(const program& from, const char* name) {
  std::cout << name << ": " << from.size(name) << "\n";
  for (const auto& tuple : from.relation<Columns...>(name).to_vector()) {
    std::apply([](const auto&... value) { ((std::cout << ' ' << value), ...); }, tuple);
    std::cout << '\n';
  }
}

std::vector<std::tuple<int, int>> some_edges(int count, int vertices) {
  std::vector<std::tuple<int, int>> edges;
  std::uint32_t state = 12345;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(vertices));
  };
  for (int i = 0; i < count; ++i) {
    const int from = next();
    edges.emplace_back(from, next());
  }
  return edges;
}

// A program at namespace scope is made before main() runs.
program before_main = IKRA_DATALOG(R"(
  .decl a(x: number)
  .decl b(x: number, y: number)
  a(1). a(2). a(-3).
  b(x, y) :- a(x), a(y), x < y.
)");

void distances() {
  program p = IKRA_DATALOG(R"(
    .decl edge(x: number, y: number)
    .decl near(x: number, y: number, d: number)
    .decl loop(x: number)
    .decl from_three(y: number)
    .decl any()
    near(x, y, 1) :- edge(x, y).
    near(x, y, d + 1) :- near(x, z, d), edge(z, y), d < 3, x != y.
    loop(x) :- edge(x, x).
    from_three(y) :- edge(3, z), edge(z, y), y > 1, y % 2 = 0.
    any() :- loop(_).
  )");
  p.insert("edge", some_edges(30, 12));
  p.run();
  print<int, int, int>(p, "near");
  print<int>(p, "loop");
  print<int>(p, "from_three");
  std::cout << "any: " << p.size("any") << '\n';
}

/// Divisors are tested before they divide.
void guarded_division() {
  program p = IKRA_DATALOG(R"(
    .decl a(x: number, y: number)
    .decl ratio(x: number, y: number, r: number)
    a(7, 2). a(7, 0). a(-7, 2). a(6, -4).
    ratio(x, y, x / y) :- a(x, y), y != 0, x / y != 100.
  )");
  p.run();
  print<int, int, int>(p, "ratio");
}

void words_of_several_kinds() {
  program p = IKRA_DATALOG(R"(
    .type Pair = [first: symbol, second: unsigned]
    .decl weight(of: symbol, w: float)
    .decl part(whole: symbol, piece: symbol, count: unsigned)
    .decl heavy(of: symbol, w: float, twice: float)
    .decl total(of: symbol, w: float)
    .decl pairs(p: Pair)
    .decl lonely(of: symbol)
    .decl holds(whole: symbol, piece: symbol)
    weight("wheel", 1.5). weight("frame", 4.25). weight("bell", 0.125).
    part("bicycle", "wheel", 2). part("bicycle", "frame", 1). part("tandem", "bicycle", 2).
    heavy(x, w, w * 2) :- weight(x, w), w * 2 > 2.9.
    total(x, s) :- part(x, _, _), s = sum w * utof(n) : { part(x, y, n), weight(y, w) }.
    pairs([y, n + 1]) :- part(_, y, n), n < 2.
    lonely(x) :- weight(x, _), !part(_, x, _).
    holds(x, y) :- part(x, y, _).
    holds(x, z) :- holds(x, y), part(y, z, n), n band 3 != 0, x != "bell".
  )");
  p.run();
  print<std::string, float, float>(p, "heavy");
  print<std::string, float>(p, "total");
  print<std::string>(p, "pairs");
  print<std::string>(p, "lonely");
  print<std::string, std::string>(p, "holds");
}

void wide_numbers() {
  const auto run = [](const ikra::datalog::program_options& options) {
    program p{R"(
      .decl a(x: number, y: number, z: number)
      .decl b(x: number, y: number)
      .decl c(z: number, y: number, x: number, s: number)
      a(1, 2, 3). a(2, 3, 3). a(-1, 2, 7).
      b(x, y) :- a(x, y, _).
      b(y, x) :- b(x, y).
      c(z, y, x, s) :- a(x, y, z), b(y, x), s = x * 100000 + z, s > 0.
    )",
              options};
    p.run();
    return p;
  };
  print<std::int64_t, std::int64_t, std::int64_t, std::int64_t>(run({.bits = 64}), "c");
  print<int, int, int, int>(run({}), "c");
}

/// Enough join results that repeats are dropped where they are made.
void many_repeats(ikra::datalog::relation_form form) {
  ikra::datalog::program_options options;
  options.form = form;
  program p{R"(
    .decl edge(x: number, y: number)
    .decl two(x: number, z: number)
    .decl three(x: number, y: number, z: number)
    .decl four(x: number, w: number)
    .decl reach(x: number, y: number)
    four(x, w) :- edge(x, y), edge(y, z), edge(z, w), w != 7.
    two(x, z) :- edge(x, y), edge(y, z).
    three(x, y, w) :- edge(x, y), edge(y, z), edge(z, w), x != w.
    reach(x, y) :- edge(x, y).
    reach(x, y) :- reach(x, z), edge(z, y).
  )",
            options};
  p.insert("edge", some_edges(1500, 60));
  p.run();
  std::int64_t sum = 0;
  for (const auto& [x, y] : p.relation<int, int>("two").to_vector())
    sum = (sum * 31 + x * 1000 + y) % 1000000007;
  for (const auto& [x, y, z] : p.relation<int, int, int>("three").to_vector())
    sum = (sum * 31 + x * 1000 + y * 7 + z) % 1000000007;
  for (const auto& [x, y] : p.relation<int, int>("reach").to_vector())
    sum = (sum * 31 + x * 1000 + y) % 1000000007;
  for (const auto& [x, y] : p.relation<int, int>("four").to_vector())
    sum = (sum * 31 + x * 1000 + y) % 1000000007;
  std::cout << p.size("two") << ' ' << p.size("three") << ' ' << p.size("reach") << ' '
            << p.size("four") << ' ' << sum << '\n';
}

/// Look-ups that find nothing: of whole tuples, of some columns, with constants and computed
/// values, of relations with and without tuples, of several words.
void negations() {
  program p = IKRA_DATALOG(R"(
    .decl edge(x: number, y: number)
    .decl heavy(x: number, w: float, y: number)
    .decl nothing(x: number)
    .decl proposition()
    .decl sink(x: number)
    .decl one_way(x: number, y: number)
    .decl light(x: number, y: number)
    .decl next_is_not(x: number)
    .decl far(x: number, z: number)
    .decl kept(x: number)
    heavy(x, 1.5, y) :- edge(x, y), x < y.
    proposition() :- nothing(_).
    sink(y) :- edge(_, y), !edge(y, _).
    one_way(x, y) :- edge(x, y), !edge(y, x), !nothing(x).
    light(x, y) :- edge(x, y), !heavy(x, 1.5, y).
    next_is_not(x) :- edge(x, _), !edge(x + 1, _), !edge(3, x).
    far(x, z) :- edge(x, y), edge(y, z), !edge(x, z), x != z, !sink(z).
    far(x, w) :- far(x, z), one_way(z, w), !edge(x, w), w - x < 9.
    kept(x) :- edge(x, _), !proposition(), x > 4.
  )");
  p.insert("edge", some_edges(40, 20));
  p.run();
  print<int>(p, "sink");
  print<int, int>(p, "one_way");
  print<int, int>(p, "light");
  print<int>(p, "next_is_not");
  print<int, int>(p, "far");
  print<int>(p, "kept");
}

/// Values that are counted up and down: from constants, from rows, for rows that are joined on.
void ranges() {
  program p = IKRA_DATALOG(R"(
    .decl span(from: number, to: number, step: number)
    .decl size(of: symbol, n: unsigned)
    .decl upto(n: number)
    .decl within(from: number, x: number)
    .decl square(x: number, s: number)
    .decl place(of: symbol, i: unsigned)
    .decl halves(x: float)
    .decl pairs(x: number, y: number)
    .decl odd(x: number)
    span(0, 7, 2). span(5, -4, -3). span(1, 1, 1). span(3, 9, -1). span(2, 4, 5).
    size("a", 2). size("bc", 0). size("def", 4).
    upto(n) :- n = range(-2, 3).
    within(a, x) :- span(a, b, s), x = range(a, b, s).
    square(x, x * x) :- span(a, b, _), x = range(a, b), x % 3 != 0.
    place(t, i) :- size(t, n), i = range(1, n + 1, 1).
    halves(x) :- x = range(0.0, 2.0, 0.5).
    pairs(x, y) :- span(a, b, 2), x = range(a, b), y = range(x, b), !within(a, y).
    odd(x) :- upto(x), x = range(-3, 4, 2).
  )");
  p.run();
  print<int>(p, "upto");
  print<int, int>(p, "within");
  print<int, int>(p, "square");
  print<std::string, unsigned>(p, "place");
  print<float>(p, "halves");
  print<int, int>(p, "pairs");
  print<int>(p, "odd");
}

/// More facts: the run goes on from the last one.
void later_facts() {
  program p = IKRA_DATALOG(R"(
    .decl edge(x: unsigned, y: unsigned)
    .decl same(x: unsigned, y: unsigned)
    same(x, y) :- edge(p, x), edge(p, y), x != y.
    same(x, y) :- edge(a, x), same(a, b), edge(b, y), x < 100.
  )");
  p.insert("edge", std::vector<unsigned>{0, 0, 1, 2}, std::vector<unsigned>{1, 2, 3, 4});
  p.run();
  print<unsigned, unsigned>(p, "same");
  p.insert("edge", std::vector<unsigned>{3, 4, 4}, std::vector<unsigned>{5, 6, 100});
  p.run();
  print<unsigned, unsigned>(p, "same");
}

} // namespace

int main() {
  before_main.run();
  print<int, int>(before_main, "b");
  distances();
  guarded_division();
  words_of_several_kinds();
  wide_numbers();
  negations();
  ranges();
  many_repeats(ikra::datalog::relation_form::automatic);
  many_repeats(ikra::datalog::relation_form::runs);
  later_facts();
}
