// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions: maps over values of every size, and sections over objects whose base array has nulls,
// repeats, several classes and an index. Bodies are functors, as emitted code has them.
#include <catch2/catch.hpp>

#include "traced.hpp"

#include <algorithm>
#include <numeric>

namespace ikra_unit_sections {

struct pair3 {
  std::int32_t a, b, c;
  friend bool operator==(const pair3&, const pair3&) = default;
};

/// A section for each body: tag of a map over values.
template <class In, class Out, class Body> struct value_map;
/// And one whose body takes the index in an array of rank R.
template <class In, class Out, int R, class Body> struct indexed_map;

template <class T> struct add_one {
  template <class In> IKRA_HD T operator()(const In& x) const { return static_cast<T>(x + 1); }
};
struct widen {
  IKRA_HD pair3 operator()(std::int32_t x) const { return {x, 2 * x, 3 * x}; }
};
struct narrow {
  IKRA_HD std::int8_t operator()(const pair3& p) const {
    return static_cast<std::int8_t>(p.a + p.b + p.c);
  }
};
struct is_even {
  IKRA_HD bool operator()(std::int32_t x) const { return x % 2 == 0; }
};
struct plus_index {
  IKRA_HD std::int64_t operator()(std::int32_t x, std::int64_t i) const { return x + 1000 * i; }
};
struct coordinates {
  IKRA_HD std::int32_t operator()(std::int32_t x, ikra::index<3> i) const {
    return x + static_cast<std::int32_t>(10000 * i[0] + 100 * i[1] + i[2]);
  }
};

inline constexpr rt::section_info info{"map", "sections.cpp", 7, 8};

} // namespace ikra_unit_sections

template <class In, class Out, class Body>
struct ikra::section_code<ikra_unit_sections::value_map<In, Out, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_sections::info, call);
    s.map_values<In, Out>(Body{});
    s.finish();
  }
};
template <class In, class Out, int R, class Body>
struct ikra::section_code<ikra_unit_sections::indexed_map<In, Out, R, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_sections::info, call);
    s.map_values_indexed<In, Out, R>(Body{});
    s.finish();
  }
};

using namespace ikra_unit_sections;

namespace {

template <class In, class Out, class Body, class Array> auto mapped(const Array& a) {
  return a.pmap(ikra::make_section<value_map<In, Out, Body>, Out(In)>());
}

template <class T> std::vector<T> counted(std::size_t n) {
  std::vector<T> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = static_cast<T>(i % 100);
  return result;
}

template <class In, class Out> void check_all_sizes() {
  for (std::size_t n = 0; n <= 70; ++n) {
    const std::vector<In> in = counted<In>(n);
    const std::vector<Out> out = mapped<In, Out, add_one<Out>>(ikra::array{in}).to_vector();
    REQUIRE(out.size() == n);
    for (std::size_t i = 0; i < n; ++i)
      REQUIRE(out[i] == static_cast<Out>(in[i] + 1));
  }
}

} // namespace

TEST_CASE("maps over values of all sizes around a thread's 16 bytes") {
  check_all_sizes<std::int8_t, std::int8_t>();
  check_all_sizes<std::int32_t, std::int32_t>();
  check_all_sizes<float, float>();
  check_all_sizes<std::int16_t, double>();
  check_all_sizes<std::int64_t, std::int8_t>();
}

TEST_CASE("maps of many elements, on several threads") {
  const std::size_t n = GENERATE(2047u, 2048u, 2049u, 100000u, 1000003u);
  const threads many(3);
  const auto in = counted<std::int32_t>(n);
  const auto out = mapped<std::int32_t, float, add_one<float>>(ikra::array{in}).to_vector();
  REQUIRE(out.size() == n);
  for (std::size_t i = 0; i < n; ++i)
    if (out[i] != static_cast<float>(in[i] + 1))
      FAIL("element " << i << " is " << out[i]);
}

TEST_CASE("results may be structs and bools, and chains stay where they were computed") {
  const auto in = counted<std::int32_t>(1001);
  const ikra::array a{in};
  const auto wide = mapped<std::int32_t, pair3, widen>(a);
  const auto back = mapped<pair3, std::int8_t, narrow>(wide).to_vector();
  const auto middle = wide.to_vector();
  const auto even = mapped<std::int32_t, bool, is_even>(a).to_vector();
  for (std::size_t i = 0; i < in.size(); ++i) {
    REQUIRE(middle[i] == pair3{in[i], 2 * in[i], 3 * in[i]});
    REQUIRE(back[i] == static_cast<std::int8_t>(6 * in[i]));
    REQUIRE(even[i] == (in[i] % 2 == 0));
  }
}

TEST_CASE("sections get the index of rank 1 as a number, of higher rank as an index") {
  const auto in = counted<std::int32_t>(120);
  const auto flat =
      ikra::array{in}
          .with_index()
          .pmap(ikra::make_section<indexed_map<std::int32_t, std::int64_t, 1, plus_index>,
                                   std::int64_t(std::int32_t, std::int64_t)>())
          .to_vector();
  const auto cube =
      ikra::array<std::int32_t, 3>{in, {4, 5, 6}}
          .with_index()
          .pmap(ikra::make_section<indexed_map<std::int32_t, std::int32_t, 3, coordinates>,
                                   std::int32_t(std::int32_t, ikra::index<3>)>())
          .to_vector();
  for (std::int64_t i = 0; i < 120; ++i) {
    const auto at = static_cast<std::size_t>(i);
    REQUIRE(flat[at] == in[at] + 1000 * i);
    REQUIRE(cube[at] == in[at] + 10000 * (i / 30) + 100 * (i / 6 % 5) + i % 6);
  }
}

TEST_CASE("twenty thousand maps in a chain are computed and dropped without recursion") {
  ikra::array<std::int32_t, 1> a{counted<std::int32_t>(10)};
  for (int i = 0; i < 20000; ++i)
    a = mapped<std::int32_t, std::int32_t, add_one<std::int32_t>>(a);
  CHECK(a.to_vector()[3] == 20003);
}

//===-- objects ----------------------------------------------------------------------------===//

namespace ikra_unit_sections {

struct animal {
  virtual ~animal() = default;
  int age = 0;
  int seen_at = -1;
};
struct cat : animal {};
struct dog : animal {
  int bones = 0;
};

using cat_class = rt::concrete_class<0, cat>;
using dog_class = rt::concrete_class<1, dog>;
using animals = rt::references<animal, cat_class, dog_class>;

struct animal_access {
  static auto& age(animal& o) { return o.age; }
  static auto& seen_at(animal& o) { return o.seen_at; }
  static auto& bones(dog& o) { return o.bones; }
};

inline const rt::layout& zoo() {
  static const rt::class_info classes[] = {rt::describe<cat_class>("cat", 0),
                                           rt::describe<dog_class>("dog", 0)};
  static const rt::column_info columns[] = {
      rt::value_column<&animal_access::age, cat_class, dog_class>("animal::age"),
      rt::value_column<&animal_access::seen_at, cat_class, dog_class>("animal::seen_at"),
      rt::value_column<&animal_access::bones, dog_class>("dog::bones")};
  static const rt::layout plan(classes, columns);
  return plan;
}

struct zoo_columns {
  int* age;
  int* seen_at;
  int* bones;
  explicit zoo_columns(const rt::columns& c)
      : age(c.values<int>(0)), seen_at(c.values<int>(1)), bones(c.values<int>(2)) {}
};

struct grow_body {
  zoo_columns w;
  const int* by;
  IKRA_HD void operator()(cat_class, ikra::object_id id) const { w.age[id] += by[0]; }
  IKRA_HD void operator()(dog_class, ikra::object_id id) const {
    w.age[id] += by[1];
    w.bones[id] += 1;
  }
};
struct number_body {
  zoo_columns w;
  template <class Class> IKRA_HD void operator()(Class, ikra::object_id id, std::int64_t i) const {
    w.seen_at[id] = static_cast<int>(i);
  }
};
struct age_body {
  zoo_columns w;
  IKRA_HD int operator()(cat_class, ikra::object_id id) const { return id ? w.age[id] : -1; }
  IKRA_HD int operator()(dog_class, ikra::object_id id) const { return 100 + w.age[id]; }
};
struct age_and_index_body {
  age_body age;
  template <class Class>
  IKRA_HD std::int64_t operator()(Class c, ikra::object_id id, std::int64_t i) const {
    return 1000 * i + age(c, id);
  }
};

struct grow;
struct number;
struct grow_by_array;
struct ages;
struct ages_passing_null;
struct ages_and_indices;
struct grow_and_fail;

constexpr rt::column_use grow_columns[] = {{0, rt::reads_and_writes}, {2, rt::reads_and_writes}};
constexpr rt::column_use number_columns[] = {{1, rt::writes}};
constexpr rt::column_use age_columns[] = {{0, rt::reads}};
constexpr rt::section_info grow_info{"grow", "zoo.cpp", 10, 3, grow_columns};
constexpr rt::section_info number_info{"number", "zoo.cpp", 20, 3, number_columns};
constexpr rt::section_info age_info{"ages", "zoo.cpp", 30, 3, age_columns};
constexpr rt::section_info passing_info{"ages", "zoo.cpp",   40,
                                        3,      age_columns, rt::null_elements::passed};

} // namespace ikra_unit_sections

template <> struct ikra::section_code<grow> {
  static void run(ikra::peach_call& call) {
    rt::session s(zoo(), grow_info, call);
    s.base<animals>();
    s.trace();
    const auto by = s.view(call.capture<std::vector<int>>(0));
    for (std::int64_t tick = 0; tick < call.ticks(); ++tick)
      s.for_each<cat_class, dog_class>(grow_body{zoo_columns(s.columns()), by.data()});
    s.finish();
  }
};
template <> struct ikra::section_code<grow_by_array> {
  static void run(ikra::peach_call& call) {
    rt::session s(zoo(), grow_info, call);
    s.base<animals>();
    s.trace();
    const auto by = s.view(call.capture<ikra::array<int, 1>>(0));
    s.for_each<cat_class, dog_class>(grow_body{zoo_columns(s.columns()), by.data()});
    s.finish();
  }
};
template <> struct ikra::section_code<grow_and_fail> {
  static void run(ikra::peach_call& call) {
    rt::session s(zoo(), grow_info, call);
    s.base<animals>();
    s.trace();
    const auto by = s.view(call.capture<std::vector<int>>(0));
    s.for_each<cat_class, dog_class>(grow_body{zoo_columns(s.columns()), by.data()});
    throw ikra::error(ikra::error_kind::launch_failed, "between launch and finish");
  }
};
template <> struct ikra::section_code<number> {
  static void run(ikra::peach_call& call) {
    rt::session s(zoo(), number_info, call);
    s.base<animals>();
    s.trace();
    s.for_each_indexed<1, cat_class, dog_class>(number_body{zoo_columns(s.columns())});
    s.finish();
  }
};
template <> struct ikra::section_code<ages> {
  static void run(ikra::map_call& call) {
    rt::session s(zoo(), age_info, call);
    s.base<animals>();
    s.trace();
    s.map_objects<int, cat_class, dog_class>(age_body{zoo_columns(s.columns())});
    s.finish();
  }
};
template <> struct ikra::section_code<ages_passing_null> {
  static void run(ikra::map_call& call) {
    rt::session s(zoo(), passing_info, call);
    s.base<animals>();
    s.trace();
    s.map_objects<int, cat_class, dog_class>(age_body{zoo_columns(s.columns())});
    s.finish();
  }
};
template <> struct ikra::section_code<ages_and_indices> {
  static void run(ikra::map_call& call) {
    rt::session s(zoo(), passing_info, call);
    s.base<animals>();
    s.trace();
    s.map_objects_indexed<std::int64_t, 1, cat_class, dog_class>(
        age_and_index_body{{zoo_columns(s.columns())}});
    s.finish();
  }
};

namespace {

struct fixture {
  std::vector<cat> cats = std::vector<cat>(50);
  std::vector<dog> dogs = std::vector<dog>(70);
  std::vector<animal*> all;

  fixture() {
    for (std::size_t i = 0; i < 120; ++i) {
      animal* const a = i % 12 < 5 ? static_cast<animal*>(&cats[i / 12 * 5 + i % 12])
                                   : &dogs[i / 12 * 7 + i % 12 - 5];
      a->age = static_cast<int>(i);
      all.push_back(a);
    }
  }
};

int expected_age(const animal* a) {
  return a == nullptr ? -1 : a->age + (dynamic_cast<const dog*>(a) != nullptr ? 100 : 0);
}

const auto grow_section = [] {
  return ikra::make_section<grow, void(animal*)>(std::vector<int>{1, 10});
};

} // namespace

TEST_CASE(
    "a section writes the members of objects of several classes, and reads captured vectors") {
  fixture f;
  ikra::array{f.all}.peach(3, grow_section());
  for (std::size_t i = 0; i < f.all.size(); ++i)
    REQUIRE(f.all[i]->age == static_cast<int>(i) + (i % 12 < 5 ? 3 : 30));
  for (const dog& d : f.dogs)
    REQUIRE(d.bones == 3);
}

TEST_CASE("captured arrays are computed before the section runs") {
  fixture f;
  const ikra::array<int, 1> by =
      mapped<int, int, add_one<int>>(ikra::array{std::vector<int>{0, 9}});
  ikra::array{f.all}.peach(ikra::make_section<grow_by_array, void(animal*)>(by));
  for (std::size_t i = 0; i < f.all.size(); ++i)
    REQUIRE(f.all[i]->age == static_cast<int>(i) + (i % 12 < 5 ? 1 : 10));
}

TEST_CASE("ticks of zero and less do nothing") {
  fixture f;
  ikra::array{f.all}.peach(0, grow_section());
  ikra::array{f.all}.peach(-1, grow_section());
  CHECK(f.all[7]->age == 7);
}

TEST_CASE("elements know their index, whatever their class") {
  fixture f;
  ikra::array{f.all}.with_index().peach(ikra::make_section<number, void(animal*, std::int64_t)>());
  for (std::size_t i = 0; i < f.all.size(); ++i)
    REQUIRE(f.all[i]->seen_at == static_cast<int>(i));
}

TEST_CASE("threads that take several objects run each of them once, and know its place") {
  // More objects than a GPU has threads at a time, in numbers that fill no block.
  std::vector<cat> cats(1'500'001);
  std::vector<dog> dogs(2'300'003);
  std::vector<animal*> all;
  for (std::size_t i = 0; i < dogs.size(); ++i) {
    all.push_back(&dogs[i]);
    if (i < cats.size())
      all.push_back(&cats[i]);
  }
  // Where some stand there twice, threads go through lists by class.
  const std::size_t again = GENERATE(0, 3);
  for (std::size_t i = 0; i < again; ++i)
    all.push_back(all[5 * i]);
  ikra::array{all}.peach(grow_section());
  ikra::array{all}.with_index().peach(ikra::make_section<number, void(animal*, std::int64_t)>());
  const auto wrong = std::count_if(all.begin(), all.end(), [&](animal* const& a) {
    const auto i = static_cast<std::size_t>(&a - all.data());
    const bool twice = i % 5 == 0 && i / 5 < again;
    const int age = (dynamic_cast<const dog*>(a) != nullptr ? 10 : 1) * (twice ? 2 : 1);
    const std::size_t seen_at = twice ? all.size() - again + i / 5 : i;
    return i < all.size() - again && (a->age != age || a->seen_at != static_cast<int>(seen_at));
  });
  CHECK(wrong == 0);
}

TEST_CASE("repeated elements each have their result") {
  fixture f;
  std::vector<animal*> some;
  for (std::size_t i = 0; i < 3000; ++i)
    some.push_back(f.all[(i * i) % f.all.size()]);
  const threads many(GENERATE(1, 4));
  const auto out = ikra::array{some}.pmap(ikra::make_section<ages, int(animal*)>()).to_vector();
  for (std::size_t i = 0; i < some.size(); ++i)
    REQUIRE(out[i] == expected_age(some[i]));
}

TEST_CASE("objects of several classes are written as often as they stand in the array") {
  fixture f;
  const threads many(GENERATE(1, 4));
  const std::size_t n = GENERATE(1000, 200'000); // counted by one thread, or by several
  std::vector<animal*> some;
  std::vector<int> times(f.all.size(), 0), last(f.all.size(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = i * i % (f.all.size() - 1);
    some.push_back(f.all[at]);
    ++times[at];
    last[at] = static_cast<int>(i);
  }
  ikra::array{some}.peach(grow_section());
  ikra::array{some}.with_index().peach(ikra::make_section<number, void(animal*, std::int64_t)>());
  for (std::size_t at = 0; at < f.all.size(); ++at) {
    const int by = dynamic_cast<const dog*>(f.all[at]) != nullptr ? 10 : 1;
    REQUIRE(f.all[at]->age == static_cast<int>(at) + by * times[at]);
    if (times[at] != 0)
      REQUIRE(f.all[at]->seen_at == last[at]);
  }
}

TEST_CASE("a subset of objects is numbered as it stands in the base array") {
  fixture f;
  const std::vector<animal*> some{f.all[100], f.all[3], f.all[50], f.all[4]};
  const auto out = ikra::array{some}.pmap(ikra::make_section<ages, int(animal*)>()).to_vector();
  for (std::size_t i = 0; i < some.size(); ++i)
    REQUIRE(out[i] == expected_age(some[i]));
}

TEST_CASE("null elements are refused with their index, and objects stay as they were") {
  fixture f;
  f.all[77] = nullptr;
  CHECK_THROWS_MATCHES(ikra::array{f.all}.peach(grow_section()), ikra::error,
                       kind_and_text(ikra::error_kind::null_element, "element 77"));
  CHECK_THROWS_MATCHES(ikra::array{f.all}.peach(grow_section()), ikra::error,
                       kind_and_text(ikra::error_kind::null_element, "zoo.cpp:10:3"));
  for (std::size_t i = 0; i < f.all.size(); ++i)
    if (i != 77)
      REQUIRE(f.all[i]->age == static_cast<int>(i));
}

TEST_CASE("null elements are passed to sections that test for them") {
  fixture f;
  f.all[0] = nullptr;
  f.all[77] = nullptr;
  const ikra::array a{f.all};
  const auto out = a.pmap(ikra::make_section<ages_passing_null, int(animal*)>()).to_vector();
  const auto with_index =
      a.with_index()
          .pmap(ikra::make_section<ages_and_indices, std::int64_t(animal*, std::int64_t)>())
          .to_vector();
  for (std::size_t i = 0; i < f.all.size(); ++i) {
    REQUIRE(out[i] == expected_age(f.all[i]));
    REQUIRE(with_index[i] == 1000 * static_cast<std::int64_t>(i) + expected_age(f.all[i]));
  }
}

TEST_CASE("an error between launch and finish leaves the objects as they were") {
  fixture f;
  CHECK_THROWS_AS(ikra::array{f.all}.peach(
                      ikra::make_section<grow_and_fail, void(animal*)>(std::vector<int>{1, 10})),
                  ikra::error);
  for (std::size_t i = 0; i < f.all.size(); ++i)
    REQUIRE(f.all[i]->age == static_cast<int>(i));
  ikra::array{f.all}.peach(grow_section()); // and the next section runs
  CHECK(f.all[5]->age == 15);
}

TEST_CASE("a map that failed fails again, and so does what is fused with it") {
  fixture f;
  f.all[2] = nullptr;
  const auto failing = ikra::array{f.all}.pmap(ikra::make_section<ages, int(animal*)>());
  CHECK_THROWS_AS(failing.to_vector(), ikra::error);
  CHECK_THROWS_AS(failing.to_vector(), ikra::error);
  CHECK_THROWS_AS((mapped<int, int, add_one<int>>(failing).to_vector()), ikra::error);
}
