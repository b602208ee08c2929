// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datalog programs in string literals: ikrac makes kernels of their joins, which must give what the
// naive evaluator of the plain build gives. Each program is over other types, constants and kinds
// of steps.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
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

/// Aggregates for rows and of whole relations: of integers, which are combined as they come, and of
/// floating-point numbers; over joins, ranges and negations; with values computed inside; after
/// and in front of other steps; of nothing.
void aggregates() {
  program p = IKRA_DATALOG(R"(
    .decl edge(x: number, y: number)
    .decl cost(x: number, c: float)
    .decl big(u: unsigned)
    .decl vertex(x: number)
    .decl degree(x: number, n: number)
    .decl twice(x: number, n: number, s: number)
    .decl span(x: number, low: number, high: number)
    .decl spent(x: number, s: float, m: float)
    .decl least_cost(x: number, low: float, high: float)
    .decl all(n: number, s: number, m: float)
    .decl wide(low: unsigned, high: unsigned, s: unsigned, m: float)
    .decl busy(x: number, k: number)
    .decl crossing(x: number, n: number)
    .decl triangle(x: number, n: number)
    .decl quiet(x: number)
    .decl none(n: number, s: number)
    .decl never(m: number)
    .decl exact(x: number)
    .decl pieces(n: number)
    .decl named(x: symbol)
    .decl both(x: number, n: number)
    .decl also(x: number, n: number)
    .decl nested(x: number, n: number)
    vertex(x) :- edge(x, _).
    vertex(y) :- edge(_, y).
    big(4000000000). big(7). big(2147483648).
    cost(x, 1.0 / itof(x + y + 1)) :- edge(x, y).
    degree(x, n) :- vertex(x), n = count : { edge(x, _) }.
    twice(x, n + 1, s) :- vertex(x), n = count : { edge(x, y), y > 3 }, s = sum y * y - x : { edge(x, y), y != 5 }, s > 2.
    span(x, a, b) :- vertex(x), a = min y - 10 : { edge(x, y) }, b = max -y : { edge(x, y) }.
    spent(x, s, m) :- vertex(x), s = sum c : { cost(x, c) }, m = mean y : { edge(x, y) }.
    least_cost(x, a, b) :- vertex(x), a = min c : { cost(x, c) }, b = max c : { cost(x, c) }.
    all(n, s, m) :- n = count : { edge(_, _) }, s = sum x * 100000007 : { edge(x, _) }, m = mean x : { edge(x, _) }.
    wide(a, b, s, m) :- a = min u : { big(u) }, b = max u : { big(u) }, s = sum u : { big(u) }, m = mean u : { big(u) }.
    busy(x, k) :- degree(x, n), n > 2, k = sum z : { edge(x, y), edge(y, z), !edge(x, z), z % 2 = 0 }.
    crossing(x, n) :- vertex(x), n = count : { edge(x, y), edge(z, x), y < z, i = range(y, z), i != x }, !quiet(x).
    triangle(x, n) :- vertex(x), n = count : { edge(x, y), edge(y, z), edge(z, x) }, n != 0.
    quiet(x) :- vertex(x), 0 = count : { edge(x, _) }.
    none(n, s) :- n = count : { edge(1000, _) }, s = sum x : { edge(x, 1000) }.
    never(m) :- m = min x : { edge(x, 1000) }.
    exact(x) :- degree(x, n), n = max m : { degree(_, m) }.
    pieces(n) :- n = sum k : { k = range(0, 100), k band 5 = 5 }.
    named(cat("v", to_string(n))) :- vertex(x), n = count : { edge(x, y), y < x }, n > 1.
    both(x, n), also(x, n) :- vertex(x), n = count : { edge(_, x) }.
    nested(x, n) :- vertex(x), n = sum k + z : { edge(x, y), k = count : { edge(y, w), w > x }, z = max v : { edge(v, y) } }.
  )");
  p.insert("edge", some_edges(60, 14));
  p.run();
  print<int, int>(p, "degree");
  print<int, int, int>(p, "twice");
  print<int, int, int>(p, "span");
  print<int, float, float>(p, "spent");
  print<int, float, float>(p, "least_cost");
  print<int, int, float>(p, "all");
  print<unsigned, unsigned, unsigned, float>(p, "wide");
  print<int, int>(p, "busy");
  print<int, int>(p, "crossing");
  print<int, int>(p, "triangle");
  print<int>(p, "quiet");
  print<int, int>(p, "none");
  print<int>(p, "never");
  print<int>(p, "exact");
  print<int>(p, "pieces");
  print<std::string>(p, "named");
  print<int, int>(p, "both");
  print<int, int>(p, "also");
  print<int, int>(p, "nested");
}

/// Enough values that they come in several chunks and from several threads.
void long_aggregates() {
  program p{R"(
    .decl point(i: number, x: float)
    .decl number_of(i: number, n: number)
    .decl group(g: number)
    .decl in_group(g: number, s: float, m: float, a: number, b: number, c: number)
    .decl total(s: float, m: float, a: number, b: number, c: number)
    point(i, itof((i * 7919) % 10007) / 7.0 - 500.0) :- i = range(0, 10000).
    number_of(i, i * i * 1000003) :- i = range(0, 10000).
    group(g) :- g = range(0, 3).
    in_group(g, s, m, a, b, c) :- group(g), s = sum x : { point(i, x), i % 3 = g }, m = mean x : { point(i, x), i % 3 = g },
      a = sum n : { number_of(i, n), i % 3 = g }, b = min n : { number_of(i, n), i % 3 = g },
      c = max n : { number_of(i, n), i % 3 = g }.
    total(s, m, a, b, c) :- s = sum x : { point(_, x) }, m = mean n : { number_of(_, n) },
      a = sum n : { number_of(_, n) }, b = min n : { number_of(_, n) }, c = max n : { number_of(_, n) }.
  )",
            {.bits = 64}};
  p.run();
  std::cout.precision(17);
  print<std::int64_t, double, double, std::int64_t, std::int64_t, std::int64_t>(p, "in_group");
  print<double, double, std::int64_t, std::int64_t, std::int64_t>(p, "total");
  std::cout.precision(6);
}

int half(int x) { return x / 2; }
int steps_to_one(int x) {
  int steps = 0;
  for (; x > 1; ++steps)
    x = x % 2 == 0 ? half(x) : 3 * x + 1;
  return steps;
}
unsigned mixed(unsigned x, const unsigned& y) { return (x ^ (y << 7)) * 2654435761u; }
int calls = 0;
int counted(int x) {
  calls += 1;
  return x % 3;
}

/// Functions of the program: those of numbers are in kernels, the others are called.
void functors() {
  const int offset = 4;
  ikra::datalog::program_options options;
  options.functors = {{"half", half},
                      {"steps", &steps_to_one},
                      {"mixed", mixed},
                      {"counted", counted},
                      {"shifted", [offset](int x) { return x + offset; }},
                      {"scaled", [](float x, int by) { return x * static_cast<float>(by); }},
                      {"shown", [](const std::string& s, int x) { return s + std::to_string(x); }},
                      {"initial", [](std::string_view s) { return s.substr(0, 1); }}};
  program p{R"(
    .functor half(x: number): number
    .functor steps(x: number): number
    .functor mixed(x: unsigned, y: unsigned): unsigned
    .functor counted(x: number): number
    .functor shifted(x: number): number
    .functor scaled(x: float, by: number): float
    .functor shown(s: symbol, x: number): symbol
    .functor initial(s: symbol): symbol
    .decl edge(x: number, y: number)
    .decl vertex(x: number)
    .decl collatz(x: number, steps: number)
    .decl halves(x: number)
    .decl key(x: number, y: number, k: unsigned)
    .decl joined(x: number, z: number)
    .decl weight(x: number, w: float)
    .decl most(x: number, n: number)
    .decl kept(x: number, y: number)
    .decl third(x: number, y: number)
    .decl name(s: symbol)
    .decl letter(s: symbol)
    vertex(x) :- edge(x, _). vertex(y) :- edge(_, y).
    collatz(x, @steps(x)) :- vertex(x).
    halves(x) :- vertex(x).
    halves(@half(x)) :- halves(x), x > 1.
    halves(@half(x + y) + 100) :- halves(x), edge(x, y), @half(x) % 2 = 1.
    key(x, y, @mixed(itou(x), itou(@half(y)))) :- edge(x, y), @mixed(itou(x), 3) % 2 = 0.
    joined(x, z) :- edge(x, y), edge(@half(y), z), !edge(@half(x), @half(z)).
    weight(x, @scaled(-0.25, @half(x))) :- vertex(x).
    most(x, n) :- vertex(x), n = max @steps(y) : { edge(x, y), @half(y) != 3 }.
    kept(x, i) :- vertex(x), i = range(@half(x), x), @half(i) % 2 = 0.
    third(@shifted(x), @counted(x)) :- vertex(x).
    name(@shown("v", @half(x))) :- vertex(x).
    letter(@initial(s)) :- name(s).
  )",
            options};
  p.insert("edge", some_edges(300, 90));
  p.run();
  print<int, int>(p, "collatz");
  print<int>(p, "halves");
  print<int, int, unsigned>(p, "key");
  print<int, int>(p, "joined");
  print<int, float>(p, "weight");
  print<int, int>(p, "most");
  print<int, int>(p, "kept");
  print<int, int>(p, "third");
  print<std::string>(p, "name");
  print<std::string>(p, "letter");

  // The same program with another function of that name: that one is called.
  options.functors[0] = {"half", [](int x) { return x / 3; }};
  const char* const text = R"(
    .functor half(x: number): number
    .decl a(x: number)
    .decl b(x: number)
    b(@half(x)) :- a(x).
  )";
  for (const int divisor : {2, 3}) {
    if (divisor == 2)
      options.functors[0] = {"half", half};
    program same{text, options};
    same.insert("a", std::vector<int>{3, 14, 60});
    same.run();
    print<int>(same, "b");
    options.functors[0] = {"half", [](int x) { return x / 3; }};
  }
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
  aggregates();
  long_aggregates();
  later_facts();
  functors();
}
