// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::datalog::program as its users meet it. Compiled against each library that defines it, so
// every build gives what is written here.
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <unistd.h>

using ikra::error_kind;
using ikra::datalog::program;
using ikra::datalog::program_options;

namespace {

using pair = std::tuple<int, int>;

constexpr const char* closure = R"(
  .decl edge(x: number, y: number)
  .decl reach(x: number, y: number)
  reach(x, y) :- edge(x, y).
  reach(x, y) :- edge(x, z), reach(z, y).
)";

template <class Action> error_kind kind_of(const Action& action) {
  try {
    action();
  } catch (const ikra::error& e) {
    INFO(e.what());
    return e.kind();
  }
  FAIL("no error");
  return {};
}

template <class Action> std::string message_of(const Action& action) {
  try {
    action();
  } catch (const ikra::error& e) {
    return e.what();
  }
  FAIL("no error");
  return {};
}

/// A folder that is removed at the end.
class folder {
public:
  folder()
      : path_(std::filesystem::temp_directory_path() /
              ("ikra-datalog-program-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

class street {
public:
  explicit street(int length) : length_(length) {}
  void lead_to(street* other) { neighbours_.push_back(other); }
  const std::vector<street*>& neighbours() const { return neighbours_; }
  street* main() const { return main_; }
  void set_main(street* s) { main_ = s; }
  int length() const { return length_; }

private:
  int length_;
  std::vector<street*> neighbours_;
  street* main_ = nullptr;
};

enum class colour : std::int32_t { red = 1, green = -1 };

} // namespace

TEST_CASE("a program takes an array of tuples and gives one") {
  program reach{closure};
  reach.insert("edge", ikra::array{std::vector<pair>{{3, 4}, {1, 2}, {2, 3}}});
  reach.run();
  const ikra::array<pair> pairs = reach.relation<int, int>("reach");
  CHECK(pairs.to_vector() == std::vector<pair>{{1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}});
  CHECK(reach.size("reach") == 6);
}

TEST_CASE("facts come as vectors of tuples or pairs and as columns") {
  const std::vector<pair> tuples{{1, 2}};
  const std::vector<std::pair<int, int>> pairs{{2, 3}};
  const std::vector<int> from{3}, to{4};
  program reach{closure};
  reach.insert("edge", tuples);
  reach.insert("edge", pairs);
  reach.insert("edge", from, to);
  reach.insert("edge", ikra::array{std::vector<int>{4}}, ikra::array{std::vector<int>{5}});
  reach.run();
  CHECK(reach.size("edge") == 4);
  CHECK(reach.size("reach") == 10);
}

TEST_CASE("facts that are computed are computed before they are read") {
  const ikra::array<int> from = ikra::pnew(100, [](std::int64_t i) { return static_cast<int>(i); });
  program reach{closure};
  reach.insert("edge", from.pmap([](int i) { return std::tuple(i, i + 1); }));
  reach.insert("edge", from, from.pmap([](int i) { return i / 2; }));
  reach.run();
  CHECK(reach.size("reach") == 100 * 101);
}

TEST_CASE("results are arrays like any other") {
  program reach{closure};
  reach.insert("edge", std::vector<pair>{{1, 2}, {2, 3}});
  reach.run();
  const auto sums = reach.relation<int, int>("reach").pmap(
      [](pair p) { return std::get<0>(p) + std::get<1>(p); });
  const auto [from, to] = reach.relation_columns<int, int>("reach");
  reach.insert("edge", std::vector<pair>{{3, 4}});
  reach.run();
  CHECK(sums.to_vector() == std::vector<int>{3, 4, 5});
  CHECK(from.to_vector() == std::vector<int>{1, 1, 2});
  CHECK(to.to_vector() == std::vector<int>{2, 3, 3});
  CHECK(reach.size("reach") == 6);
}

TEST_CASE("results of one program are facts of another") {
  program reach{closure};
  reach.insert("edge", std::vector<pair>{{1, 2}, {2, 3}});
  reach.run();
  program ends{".decl reach(x: number, y: number)\n.decl end(x: number)\n"
               "end(y) :- reach(_, y), !reach(y, _).\n"};
  ends.insert("reach", reach.relation<int, int>("reach"));
  ends.run();
  CHECK(ends.relation<int>("end").to_vector() == std::vector<std::tuple<int>>{{3}});
}

TEST_CASE("relations are in ascending order of values") {
  program p{".decl a(x: number, y: number)\n.decl f(x: float)\n.decl u(x: unsigned)\n"
            ".decl b(x: number, y: number)\nb(y, x) :- a(x, y).\n"};
  p.insert("a", std::vector<pair>{{1, 5}, {-1, 3}, {-2, 4}, {1, -5}, {-1, -3}, {0, 0}});
  p.insert("f", std::vector<float>{1.5f, -0.5f, -2.5f, 0.0f});
  p.insert("u", std::vector<std::uint32_t>{4000000000u, 1, 2});
  p.run();
  CHECK(p.relation<int, int>("a").to_vector() ==
        std::vector<pair>{{-2, 4}, {-1, -3}, {-1, 3}, {0, 0}, {1, -5}, {1, 5}});
  CHECK(p.relation<int, int>("b").to_vector() ==
        std::vector<pair>{{-5, 1}, {-3, -1}, {0, 0}, {3, -1}, {4, -2}, {5, 1}});
  CHECK(std::get<0>(p.relation_columns<float>("f")).to_vector() ==
        std::vector<float>{-2.5f, -0.5f, 0.0f, 1.5f});
  CHECK(std::get<0>(p.relation_columns<std::uint32_t>("u")).to_vector() ==
        std::vector<std::uint32_t>{1, 2, 4000000000u});
}

TEST_CASE("with 64 bits numbers are std::int64_t and floats double") {
  program_options wide;
  wide.bits = 64;
  program p{".decl a(x: number, y: float, z: unsigned)\n.decl b(x: number, y: float)\n"
            "b(x + 1, y * 2) :- a(x, y, _).\n",
            wide};
  using fact = std::tuple<std::int64_t, double, std::uint64_t>;
  p.insert("a", std::vector<fact>{{std::int64_t{1} << 40, 0.5, 7}, {-3, 1.25, ~std::uint64_t{0}}});
  p.run();
  CHECK(p.relation<std::int64_t, double>("b").to_vector() ==
        std::vector<std::tuple<std::int64_t, double>>{{-2, 2.5}, {(std::int64_t{1} << 40) + 1, 1}});
  CHECK(p.size("a") == 2);
}

TEST_CASE("columns of different types keep their places in tuples") {
  program p{".decl a(x: number, y: float, z: unsigned)\n.decl b(z: unsigned, x: number, y: float)\n"
            "b(z, x, y) :- a(x, y, z).\n"};
  p.insert("a", std::vector<std::tuple<colour, float, std::uint32_t>>{{colour::red, 0.5f, 7},
                                                                      {colour::green, 2, 3}});
  p.run();
  CHECK(p.relation<std::uint32_t, colour, float>("b").to_vector() ==
        std::vector<std::tuple<std::uint32_t, colour, float>>{{3, colour::green, 2},
                                                              {7, colour::red, 0.5f}});
}

TEST_CASE("symbols are strings") {
  program p{R"(
    .decl parent(child: symbol, parent: symbol, year: number)
    .decl greeting(text: symbol, year: number)
    greeting(cat("dear ", y), n + 1) :- parent("ann", y, n).
  )"};
  using fact = std::tuple<std::string, std::string, int>;
  p.insert("parent", std::vector<fact>{{"ann", "zoe", 1950}, {"ann", "bob", 1949}});
  p.insert("parent", std::vector<std::string>{"bob"}, std::vector<const char*>{"ann"},
           std::vector<int>{1970});
  p.run();
  CHECK(p.relation<std::string, int>("greeting").to_vector() ==
        std::vector<std::tuple<std::string, int>>{{"dear bob", 1950}, {"dear zoe", 1951}});
  const auto [child, parent, year] = p.relation_columns<std::string, std::string, int>("parent");
  CHECK(child.to_vector() == std::vector<std::string>{"ann", "ann", "bob"});
  CHECK(parent.to_vector() == std::vector<std::string>{"bob", "zoe", "ann"});
  CHECK(year.to_vector() == std::vector<int>{1949, 1950, 1970});
}

TEST_CASE("records and algebraic values are text as in fact files") {
  program p{R"(
    .type List = [head: number, tail: List]
    .type Shape = Dot {} | Box { w: number, h: number }
    .decl list(l: List)
    .decl second(x: number)
    .decl shape(s: Shape)
    .decl box(s: Shape)
    second(x) :- list([_, [x, _]]).
    box($Box(h, w)) :- shape($Box(w, h)).
  )"};
  p.insert("list", std::vector<std::string>{"[1, [2, nil]]", "[5, nil]"});
  p.insert("shape", std::vector<std::string>{"$Dot", "$Box(3, 4)"});
  p.run();
  CHECK(p.relation<int>("second").to_vector() == std::vector<std::tuple<int>>{{2}});
  CHECK(std::get<0>(p.relation_columns<std::string>("box")).to_vector() ==
        std::vector<std::string>{"$Box(4, 3)"});
  CHECK(kind_of([&] { p.insert("list", std::vector<std::string>{"[1, "}); }) ==
        error_kind::type_mismatch);
}

TEST_CASE("propositions are relations without columns") {
  program p{".decl wet()\n.decl rain()\nwet() :- rain().\n"};
  p.run();
  CHECK(p.relation<>("wet").empty());
  p.insert("rain", std::vector<std::tuple<>>(3));
  p.run();
  CHECK(p.relation<>("wet").size() == 1);
}

TEST_CASE("facts in the text of the program are there") {
  program p{".decl a(x: number, y: symbol)\na(2, \"two\"). a(1, \"one\").\n"};
  CHECK(p.size("a") == 0);
  p.run();
  CHECK(p.relation<int, std::string>("a").to_vector() ==
        std::vector<std::tuple<int, std::string>>{{1, "one"}, {2, "two"}});
}

TEST_CASE("facts come from files") {
  const folder files;
  program reach{closure};
  reach.insert("edge", files.write("tabs.facts", "1\t2\n2\t3\n"));
  reach.insert("edge", ikra::datalog::fact_file(files.write("commas.csv", "x,y\n3,4\n"),
                                                {{"delimiter", ","}, {"headers", "true"}}));
  reach.run();
  CHECK(reach.size("reach") == 6);
  const std::string bad = files.write("bad.facts", "1\t2\n1\tx\n").string();
  CHECK(kind_of([&] { reach.insert("edge", bad); }) == error_kind::bad_file);
  CHECK(message_of([&] { reach.insert("edge", bad); }).find("bad.facts:2") != std::string::npos);
  CHECK(kind_of([&] { reach.insert("edge", "/no/such.facts"); }) == error_kind::bad_file);
}

TEST_CASE("directives are carried out when they are asked for") {
  const folder files;
  files.write("edge.facts", "1\t2\n2\t3\n");
  program reach{std::string(closure) + ".input edge\n.output reach\n"};
  reach.run();
  CHECK(reach.size("reach") == 0);
  reach.read_inputs(files.path());
  reach.run();
  reach.write_outputs(files.path());
  CHECK(files.read("reach.csv") == "1\t2\n1\t3\n2\t3\n");
}

TEST_CASE("members of objects are edges between their numbers") {
  std::vector<std::unique_ptr<street>> streets;
  for (int i = 0; i < 4; ++i)
    streets.push_back(std::make_unique<street>(i));
  streets[0]->lead_to(streets[2].get());
  streets[2]->lead_to(streets[3].get());
  streets[2]->lead_to(nullptr);
  streets[1]->set_main(streets[0].get());
  program reach{closure};
  reach.insert_edges("edge", streets, &street::neighbours);
  reach.insert_edges("edge", ikra::array{streets}, [](const street& s) { return s.main(); });
  reach.run();
  CHECK(reach.relation<int, int>("reach").to_vector() ==
        std::vector<pair>{{0, 2}, {0, 3}, {1, 0}, {1, 2}, {1, 3}, {2, 3}});
}

TEST_CASE("objects that refer to others have to be given those") {
  street a(1), b(2), c(3);
  a.lead_to(&b);
  const std::vector<street*> first{&a}, others{&c, &b}, with_null{&a, nullptr};
  program p{".decl edge(x: unsigned, y: number)\n"};
  p.insert_edges("edge", first, &street::neighbours, others);
  p.run();
  CHECK(p.relation<std::uint32_t, int>("edge").to_vector() ==
        std::vector<std::tuple<std::uint32_t, int>>{{0, 1}});
  CHECK(kind_of([&] { p.insert_edges("edge", first, &street::neighbours); }) ==
        error_kind::index_outside);
  CHECK(kind_of([&] { p.insert_edges("edge", with_null, &street::neighbours, others); }) ==
        error_kind::null_element);
}

namespace {
struct place {
  std::string name;
  float height = 0;
  std::vector<std::string> near = {};
  place* next = nullptr;
  int distance = -1;
  std::uint32_t level() const { return static_cast<std::uint32_t>(height) / 100; }
  void add(const std::string& other) { near.push_back(other); }
};
} // namespace

TEST_CASE("objects are rows, and relations go into their members") {
  for (const int bits : {32, 64}) {
    program_options options;
    options.bits = bits;
    program p{R"(
      .decl place(n: number, name: symbol)
      .decl level(n: unsigned, name: symbol, first: symbol)
      .decl near(n: number, name: symbol)
      .decl next(n: number, m: number, name: symbol)
      near(n, b) :- place(n, a), place(_, b), a != b.
      next(n, m, cat(a, b)) :- place(n, a), place(m, b), m = n + 1.
    )",
              options};
    std::vector<place> places{{"a", 120}, {"b", 250}, {"c", 10}};
    p.insert("place", places, ikra::datalog::own_number, &place::name);
    std::vector<place*> some{&places[1], &places[0]};
    if (bits == 32)
      p.insert("level", ikra::array{some}, &place::level, &place::name,
               [](const place& of) { return of.name.substr(0, 1); });
    p.run();
    if (bits == 32)
      CHECK(p.relation<std::uint32_t, std::string, std::string>("level").to_vector() ==
            std::vector<std::tuple<std::uint32_t, std::string, std::string>>{{1, "a", "a"},
                                                                             {2, "b", "b"}});
    p.assign("near", places, &place::add);
    p.assign("next", places, &place::next,
             [](place& of, std::string_view both) { of.distance = int(both.size()); });
    CHECK(places[0].near == std::vector<std::string>{"b", "c"});
    CHECK(places[2].near == std::vector<std::string>{"a", "b"});
    CHECK(places[1].next == &places[2]);
    CHECK(places[2].next == nullptr);
    CHECK(places[0].distance == 2);
    CHECK(places[2].distance == -1);
    CHECK(kind_of([&] { p.assign("next", some, &place::next, &place::name); }) ==
          error_kind::index_outside);
    CHECK(kind_of([&] { p.assign("near", places, &place::height); }) == error_kind::type_mismatch);
    CHECK(kind_of([&] { p.assign("nothing", places, &place::name); }) == error_kind::unknown_name);
    const std::vector<place*> with_null{&places[0], nullptr};
    CHECK(kind_of([&] { p.assign("near", with_null, &place::add); }) == error_kind::null_element);
    CHECK(kind_of([&] { p.insert("place", with_null, ikra::datalog::own_number, &place::name); }) ==
          error_kind::null_element);
  }
}

TEST_CASE("a program that is not valid is an error with line and column") {
  try {
    const program p{".decl a(x: number)\n"
                    ".decl b(x: number, y: number)\n"
                    "b(x, y) :- a(x), y > x.\n"
                    "c(x) :- a(x).\n"};
    FAIL("no error");
  } catch (const ikra::datalog::program_error& e) {
    CHECK(e.kind() == error_kind::bad_program);
    REQUIRE(e.messages().size() >= 1);
    bool found = false;
    for (const ikra::datalog::message& m : e.messages())
      found =
          found || (m.is_error && m.text == "Undefined relation c" && m.line == 4 && m.column == 1);
    CHECK(found);
    const std::string what = e.what();
    CHECK(what.find("program_test.cpp") != std::string::npos);
    CHECK(what.find("at line 3") != std::string::npos);
  }
}

TEST_CASE("names and types are compared with the declarations") {
  program p{".decl a(x: number, y: symbol)\n"};
  CHECK(kind_of([&] { p.size("b"); }) == error_kind::unknown_name);
  CHECK(kind_of([&] { p.relation<int>("a"); }) == error_kind::type_mismatch);
  CHECK(kind_of([&] { p.relation<int, int>("a"); }) == error_kind::type_mismatch);
  CHECK(kind_of([&] { p.relation<std::int64_t, std::string>("a"); }) == error_kind::type_mismatch);
  CHECK(kind_of([&] { p.relation<std::uint32_t, std::string>("a"); }) == error_kind::type_mismatch);
  CHECK(kind_of([&] { p.insert("a", std::vector<pair>{{1, 2}}); }) == error_kind::type_mismatch);
  const std::string said = message_of([&] { p.relation<float, std::string>("a"); });
  CHECK(said.find("column x of relation a") != std::string::npos);
  CHECK(said.find("signed integers of 32 bits") != std::string::npos);
  CHECK(kind_of([&] { p.insert("a", std::vector<int>{1}, std::vector<std::string>{"a", "b"}); }) ==
        error_kind::shape_mismatch);
  CHECK(kind_of([&] { p.insert("a", std::vector<int>{1}, std::vector<std::string>{"\xff"}); }) ==
        error_kind::type_mismatch);
}

TEST_CASE("a rule without a value is an error that leaves relations as they were") {
  program p{".decl a(x: number)\n.decl b(x: number)\nb(100 / x) :- a(x).\n"};
  p.insert("a", std::vector<int>{5});
  p.run();
  p.insert("a", std::vector<int>{0});
  CHECK(kind_of([&] { p.run(); }) == error_kind::failed_check);
  CHECK(p.relation<int>("b").to_vector() == std::vector<std::tuple<int>>{{20}});
}

TEST_CASE("options that are not there are errors") {
  program_options odd;
  odd.bits = 16;
  CHECK(kind_of([&] { const program p(closure, odd); }) == error_kind::unsupported);
}

TEST_CASE("relations do not depend on the form in which they are kept") {
  for (const auto form : {ikra::datalog::relation_form::automatic,
                          ikra::datalog::relation_form::runs, ikra::datalog::relation_form::dense})
    for (const int threads : {0, 1, 2}) {
      program_options options;
      options.form = form;
      options.threads = threads;
      options.device = ikra::datalog::run_device::cpu;
      program reach{closure, options};
      reach.insert("edge", std::vector<pair>{{1, 2}, {2, 3}, {3, 1}, {-7, 1}});
      reach.run();
      CHECK(reach.size("reach") == 12);
      CHECK(reach.relation<int, int>("reach")[0] == pair(-7, 1));
    }
}

TEST_CASE("a run after more facts gives what a fresh program gives") {
  const std::string text = std::string(closure) + R"(
    .decl node(x: number)
    .decl apart(x: number, y: number)
    .decl far(n: number)
    apart(x, y) :- node(x), node(y), !reach(x, y).
    far(count : { apart(_, _) }).
  )";
  const std::vector<pair> first{{1, 2}, {3, 4}}, second{{2, 3}}, third{{4, 1}};
  const std::vector<int> nodes{1, 2, 3, 4}, more_nodes{5};
  program grown{text};
  program_options runs;
  runs.form = ikra::datalog::relation_form::runs;
  const auto same = [&](int edges, int node_sets) {
    program fresh{text, runs};
    for (int i = 0; i < edges; ++i)
      fresh.insert("edge", i == 0 ? first : i == 1 ? second : third);
    for (int i = 0; i < node_sets; ++i)
      fresh.insert("node", i == 0 ? nodes : more_nodes);
    fresh.run();
    grown.run();
    CHECK(grown.relation<int, int>("reach").to_vector() ==
          fresh.relation<int, int>("reach").to_vector());
    CHECK(grown.relation<int, int>("apart").to_vector() ==
          fresh.relation<int, int>("apart").to_vector());
    CHECK(grown.relation<int>("far").to_vector() == fresh.relation<int>("far").to_vector());
  };
  grown.insert("edge", first);
  same(1, 0);
  grown.insert("node", nodes);
  same(1, 1);
  grown.insert("edge", second);
  same(2, 1);
  grown.run(); // nothing new
  same(2, 1);
  grown.insert("edge", third);
  grown.insert("node", more_nodes);
  same(3, 2);
}

TEST_CASE("a program can be moved") {
  program first{closure};
  first.insert("edge", std::vector<pair>{{1, 2}});
  program second = std::move(first);
  second.run();
  CHECK(second.size("reach") == 1);
}

TEST_CASE("IKRA_DATALOG makes a program of a literal") {
  auto p = IKRA_DATALOG(R"(
    .decl a(x: number)
    .decl b(x: number)
    b(x), b(x + 1) :- a(x).
  )");
  p.insert("a", std::vector<int>{1});
  p.run();
  CHECK(p.size("b") == 2);
}

TEST_CASE("there is one zero, whatever sign it was given") {
  program p{".decl f(x: float, k: number) .decl joined(k: number) .decl compared(k: number)"
            ".decl zero(x: float) zero(0.0)."
            "joined(k) :- f(x, k), zero(x). compared(k) :- f(x, k), x = 0.0."};
  p.insert("f", std::vector<std::tuple<float, int>>{{-0.0F, 1}, {0.0F, 2}, {-1.0F, 3}, {-0.0F, 2}});
  p.run();
  CHECK(p.size("f") == 3);
  CHECK(p.size("joined") == 2);
  CHECK(p.size("compared") == 2);
  program wide{".decl f(x: float) .decl g(x: float) g(-x) :- f(x).", [] {
                 program_options options;
                 options.bits = 64;
                 return options;
               }()};
  wide.insert("f", std::vector<double>{-0.0, 0.0});
  wide.run();
  CHECK(wide.size("f") == 1);
  REQUIRE(wide.size("g") == 1);
  const auto [zero] = wide.relation<double>("g")[0];
  CHECK(!std::signbit(zero));
}

TEST_CASE("a body with independent atoms takes one of their solutions") {
  program p{".decl a(x: number) .decl r(x: number) r(x) :- a(x), a(_), a(y), a(z), y > z."};
  std::vector<int> many(3000);
  for (int i = 0; i < 3000; ++i)
    many[std::size_t(i)] = i;
  p.insert("a", many);
  p.run();
  CHECK(p.size("r") == 3000);
}

namespace {
int twice(int x) { return 2 * x; }
} // namespace

TEST_CASE("functors are functions of the program") {
  constexpr const char* text = R"(
    .functor twice(x: number): number
    .functor scaled(x: float, by: unsigned): float
    .functor shown(s: symbol, x: number): symbol
    .decl a(x: number)
    .decl r(x: number, f: float, s: symbol)
    r(@twice(x), @scaled(-0.5, 3), @shown("n", x)) :- a(x), @twice(x) < 10.
  )";
  program_options options;
  int calls = 0;
  options.functors = {{"twice", twice},
                      {"scaled", [](float x, unsigned by) { return x * static_cast<float>(by); }},
                      {"shown", [&calls](const std::string& s, int x) {
                         ++calls;
                         return s + std::to_string(x);
                       }}};
  program p{text, options};
  p.insert("a", std::vector{1, 4, 7});
  p.run();
  using row = std::tuple<int, float, std::string>;
  const auto rows = p.relation<int, float, std::string>("r");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == row{2, -1.5F, "n1"});
  CHECK(rows[1] == row{8, -1.5F, "n4"});
  CHECK(calls > 0);

  CHECK(message_of([&] { program{text}; }).find("functor twice has no function") !=
        std::string::npos);
  options.functors[0] = {"twice", [](double x) { return x; }};
  CHECK(message_of([&] { program{text, options}; }).find("parameter 1 of functor twice") !=
        std::string::npos);
  options.functors[0] = {"twice", [](int x) { return static_cast<unsigned>(x); }};
  CHECK(kind_of([&] { program{text, options}; }) == error_kind::type_mismatch);
  options.functors[0] = {"twice", [] { return 1; }};
  CHECK(kind_of([&] { program{text, options}; }) == error_kind::type_mismatch);
  // What a function throws reaches the caller.
  options.functors[0] = {"twice", [](int x) {
                           if (x == 7)
                             throw std::out_of_range("seven");
                           return x;
                         }};
  program fails{text, options};
  fails.insert("a", std::vector{7});
  CHECK_THROWS_AS(fails.run(), std::out_of_range);
  CHECK(fails.size("r") == 0);
}

TEST_CASE("functors of many rows are called by several threads") {
  constexpr const char* text = R"(
    .functor twice(x: number): number
    .functor shown(x: number): symbol
    .functor lent(x: number): symbol
    .decl a(x: number)
    .decl r(x: number, s: symbol)
    .decl t(s: symbol)
    r(@twice(x), @shown(x)) :- a(x).
    t(@lent(x)) :- a(x).
  )";
  program_options options;
  options.threads = 4;
  options.functors = {{"twice", twice},
                      {"shown", [](int x) { return std::to_string(x % 1000); }},
                      {"lent", [](int x) {
                         static std::string held;
                         held = std::to_string(x);
                         return held.c_str();
                       }}};
  std::vector<int> many(20000);
  for (int i = 0; i < 20000; ++i)
    many[static_cast<std::size_t>(i)] = i;
  program p{text, options};
  p.insert("a", many);
  p.run();
  const auto rows = p.relation<int, std::string>("r");
  REQUIRE(rows.size() == many.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    REQUIRE(rows[i] == std::tuple(2 * static_cast<int>(i), std::to_string(i % 1000)));
  CHECK(p.size("t") == many.size());
  // Whichever thread meets it: what the first row throws reaches the caller.
  options.functors[1] = {"shown", [](int x) -> std::string {
                           if (x >= 5)
                             throw std::out_of_range(std::to_string(x));
                           return "";
                         }};
  program fails{text, options};
  fails.insert("a", many);
  CHECK_THROWS_WITH(fails.run(), "5");
}

TEST_CASE("functions with captures are called by one thread at a time") {
  const auto called = [](const ikra::datalog::rule_function& function) {
    return function.is_for_all_threads();
  };
  int state = 0;
  const auto counts = [&state](int x) { return x + state++; };
  CHECK(called({"f", twice}));
  CHECK(called({"f", [](int x) { return std::to_string(x); }}));
  CHECK_FALSE(called({"f", counts}));
  CHECK(called(ikra::datalog::rule_function("f", counts).for_all_threads()));
  CHECK_FALSE(called({"f", [](int) { return "text"; }}));
  CHECK_FALSE(called({"f", [](std::string_view s) { return s; }}));
}
