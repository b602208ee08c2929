// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of maps in one kernel against the plain library: any length, with index, over kept
// results, of sections with captures.
#include "value_sections.hpp"

namespace ikra_unit_loops {

inline constexpr ikra::rt::section_info info{"loops", "loops.cpp", 11, 12};

/// How many launches of the loop's kernel, and steps in them, there have been.
inline std::size_t launches = 0;
inline std::size_t steps = 0;

template <class T> struct triple_body {
  IKRA_HD T operator()(T x) const { return static_cast<T>(x * 3 + 1); }
};
template <class T> struct add_body {
  int amount;
  IKRA_HD T operator()(T x) const { return static_cast<T>(x + static_cast<T>(amount)); }
};
/// Every coordinate counts.
template <class T> struct mark_body {
  template <int R> IKRA_HD T operator()(T x, const ikra::index<R>& place) const {
    std::int64_t all = 0;
    for (int d = 0; d < R; ++d)
      all = all * 7 + place[d];
    return static_cast<T>(x * 2 + static_cast<T>(all % 120));
  }
  IKRA_HD T operator()(T x, std::int64_t i) const {
    return static_cast<T>(x * 2 + static_cast<T>(i % 120));
  }
};
template <class T> struct make_body {
  template <class SourceLoc> IKRA_HD T operator()(const SourceLoc& place) const {
    return mark_body<T>{}(T(5), place);
  }
};

// tags
template <class T, int R> struct triple;
template <class T, int R> struct add;
template <class T, int R> struct mark;
template <class T, int R> struct make;
template <class T> struct failing;

template <class T, int R> struct loop_of_all {
  static constexpr unsigned sections = 3;
  ikra::rt::node_bodies<triple_body<T>> triples;
  ikra::rt::node_bodies<add_body<T>> adds;
  ikra::rt::node_bodies<mark_body<T>> marks;
  ikra::rt::node_bodies<make_body<T>> makes;

  bool add_step(ikra::rt::node_sequence& sequence, const ikra::node_captures& node) {
    if (node.key() == ikra::key_of<triple<T, R>>)
      return sequence.add(0, triples.add({}), triples.capacity);
    if (node.key() == ikra::key_of<mark<T, R>>)
      return sequence.add(1, marks.add({}), marks.capacity);
    if (node.key() == ikra::key_of<make<T, R>>)
      return sequence.add(3, makes.add({}), makes.capacity);
    return sequence.add(2, adds.add({node.capture<int>(0)}), adds.capacity);
  }
  bool add(ikra::rt::node_sequence& sequence, const ikra::node_captures& node) {
    launches += sequence.count == 0 ? 1 : 0;
    const bool added = add_step(sequence, node);
    steps += added ? 1 : 0;
    return added;
  }
  IKRA_CALLS_GIVEN
  template <class Step> IKRA_HD void run(unsigned section, unsigned body, const Step& step) const {
    switch (section) {
    case 0:
      return step.plain(triples[body]);
    case 1:
      return step.indexed(marks[body]);
    case 2:
      return step.plain(adds[body]);
    default:
      return step.start(makes[body]);
    }
  }
  IKRA_CALLS_GIVEN
  template <class Step>
  IKRA_HD void run_turn(const ikra::rt::node_sequence::step* turn, unsigned times,
                        const Step& step) const {
    const triple_body<T> of_triple = triples[turn[0].body];
    const mark_body<T> of_mark = marks[turn[1].body];
    const add_body<T> of_add = adds[turn[2].body];
    for (unsigned k = 0; k < times; ++k) {
      step.plain(of_triple);
      step.indexed(of_mark);
      step.plain(of_add);
    }
  }
};

template <class T, int R> void run_loop(ikra::map_call& call) {
  ikra::rt::session s(info, call);
  s.loop_values<T, R>(loop_of_all<T, R>{});
  s.finish();
}
template <class T, int R> const ikra::loop& sequences_of() {
  static constexpr ikra::section_key sections[] = {
      ikra::key_of<triple<T, R>>, ikra::key_of<add<T, R>>, ikra::key_of<mark<T, R>>};
  static constexpr ikra::section_key starts[] = {ikra::key_of<make<T, R>>};
  static constexpr ikra::loop all{sections, starts, &run_loop<T, R>};
  return all;
}

} // namespace ikra_unit_loops

template <class T, int R> struct ikra::section_code<ikra_unit_loops::triple<T, R>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_loops::info, call);
    s.map_values<T, T>(ikra_unit_loops::triple_body<T>{});
    s.finish();
  }
  static constexpr bool may_run_early = true;
  static const loop* sequences() { return &ikra_unit_loops::sequences_of<T, R>(); }
};
template <class T> struct ikra::section_code<ikra_unit_loops::failing<T>> {
  static void run(ikra::map_call&) {
    ++ikra_unit_loops::launches;
    throw ikra::error(ikra::error_kind::failed_check, "a step failed");
  }
  static constexpr bool may_run_early = true;
};
template <class T, int R> struct ikra::section_code<ikra_unit_loops::add<T, R>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_loops::info, call);
    s.map_values<T, T>(ikra_unit_loops::add_body<T>{call.capture<int>(0)});
    s.finish();
  }
  static const loop* sequences() { return &ikra_unit_loops::sequences_of<T, R>(); }
};
template <class T, int R> struct ikra::section_code<ikra_unit_loops::mark<T, R>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_loops::info, call);
    s.map_values_indexed<T, T, R>(ikra_unit_loops::mark_body<T>{});
    s.finish();
  }
  static constexpr bool may_run_early = true;
  static const loop* sequences() { return &ikra_unit_loops::sequences_of<T, R>(); }
};
template <class T, int R> struct ikra::section_code<ikra_unit_loops::make<T, R>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_loops::info, call);
    s.new_values<T, R>(ikra_unit_loops::make_body<T>{});
    s.finish();
  }
};

namespace {

using namespace ikra_unit_loops;
using ikra_unit_values::counted;
using ikra_unit_values::place;

template <class T, int R> auto triple_section() { return ikra::make_section<triple<T, R>, T(T)>(); }
template <class T, int R> auto add_section(int amount) {
  return ikra::make_section<add<T, R>, T(T)>(amount);
}
template <class T, int R> auto mark_section() {
  return ikra::make_section<mark<T, R>, T(T, place<R>)>();
}

/// A sequence that runs all sections, in an order that depends on the seed.
template <bool Generated, class T, int R>
ikra::array<T, R> sequence(ikra::array<T, R> a, int length, int seed) {
  for (int k = 0; k < length; ++k) {
    const int which = (k * 5 + seed) % 7;
    if constexpr (Generated) {
      if (which % 3 == 0)
        a = a.pmap(triple_section<T, R>());
      else if (which % 3 == 1)
        a = a.pmap(add_section<T, R>(which));
      else
        a = a.with_index().pmap(mark_section<T, R>());
    } else {
      if (which % 3 == 0)
        a = a.pmap(triple_body<T>{});
      else if (which % 3 == 1)
        a = a.pmap(add_body<T>{which});
      else
        a = a.with_index().pmap(mark_body<T>{});
    }
  }
  return a;
}

std::vector<std::uint32_t> sequence_of_triples(const ikra::array<std::uint32_t, 1>& a, int length) {
  std::vector<std::uint32_t> all = a.to_vector();
  for (std::uint32_t& x : all)
    for (int k = 0; k < length; ++k)
      x = x * 3 + 1;
  return all;
}

template <class T, int R> void check_sequence(const ikra::index<R>& shape, int length, int seed) {
  const auto n = static_cast<std::size_t>(shape.volume());
  const ikra::array<T, R> a(counted<T>(n), shape);
  launches = steps = 0;
  const auto found = sequence<true>(a, length, seed).to_vector();
  CHECK(launches == 1);
  CHECK(steps == static_cast<std::size_t>(length));
  CHECK(ikra_unit_values::first_difference(found, sequence<false>(a, length, seed).to_vector()) ==
        n);
}

} // namespace

TEST_CASE("steps that follow themselves, and turns of all sections, are one entry of a sequence") {
  using ikra::rt::node_sequence;
  node_sequence all(3);
  const auto entry = [&](unsigned k) {
    return std::vector<int>{all.steps[k].section, all.steps[k].body, all.steps[k].times};
  };
  const auto add = [&](unsigned section, unsigned body) { CHECK(all.add(section, body, 8)); };
  add(3, 0); // the start
  for (int k = 0; k < 500; ++k)
    add(1, 2);
  CHECK(all.count == 2);
  CHECK(entry(1) == std::vector<int>{1, 2, 500});
  for (int k = 0; k < 100; ++k)
    for (unsigned section = 0; section < 3; ++section)
      add(section, 1);
  CHECK(all.count == 6);
  CHECK(entry(2) == std::vector<int>{node_sequence::turn, 0, 100});
  CHECK(entry(5) == std::vector<int>{2, 1, 1});
  // Other bodies are other turns.
  add(0, 1), add(1, 0), add(2, 1);
  CHECK(all.count == 10);
  CHECK(entry(6) == std::vector<int>{node_sequence::turn, 0, 1});
  // A turn that was begun is steps; a step within a turn is not counted with one after it.
  add(2, 1), add(0, 1), add(1, 0);
  CHECK(all.count == 13);
  CHECK(entry(10) == std::vector<int>{2, 1, 1});
  CHECK_FALSE(all.add(0, 8, 8));
}

TEST_CASE("turns of all sections give what their steps give") {
  for (const std::size_t n : ikra_unit_values::sizes()) {
    auto a = ikra::array<std::uint32_t>(counted<std::uint32_t>(n));
    auto b = a;
    launches = 0;
    for (int k = 0; k < 40; ++k) {
      a = a.pmap(triple_section<std::uint32_t, 1>());
      a = a.with_index().pmap(mark_section<std::uint32_t, 1>());
      a = a.pmap(add_section<std::uint32_t, 1>(k / 10));
      b = b.pmap(triple_body<std::uint32_t>{});
      b = b.with_index().pmap(mark_body<std::uint32_t>{});
      b = b.pmap(add_body<std::uint32_t>{k / 10});
    }
    CHECK(a.to_vector() == b.to_vector());
    CHECK(launches <= 1);
  }
}

TEST_CASE("a sequence of maps is one launch, whatever its sections and the array's size") {
  for (const std::size_t n : ikra_unit_values::sizes())
    check_sequence<std::uint32_t, 1>(ikra::index<1>(n), 9, static_cast<int>(n % 7));
}

TEST_CASE("sequences over elements of all sizes, in all ranks") {
  check_sequence<std::uint8_t, 1>(ikra::index<1>(4099), 6, 1);
  check_sequence<std::int16_t, 1>(ikra::index<1>(70000), 2, 2);
  check_sequence<std::uint64_t, 2>({37, 65}, 12, 3);
  check_sequence<float, 2>({130, 3}, 5, 4);
  check_sequence<std::uint32_t, 3>({9, 17, 21}, 20, 5);
  check_sequence<std::uint32_t, 4>({4, 6, 5, 12}, 33, 6);
  check_sequence<std::uint32_t, 4>({40, 6, 50, 3}, 7, 0);
}

TEST_CASE("a sequence may begin with a new array") {
  const ikra::index<3> shape{14, 9, 30};
  launches = steps = 0;
  auto made = ikra::pnew(
      shape, ikra::make_section<make<std::uint32_t, 3>, std::uint32_t(ikra::index<3>)>());
  const auto found = sequence<true>(std::move(made), 10, 2).to_vector();
  CHECK(launches == 1);
  CHECK(steps == 11);
  CHECK(found == sequence<false>(ikra::pnew(shape, make_body<std::uint32_t>{}), 10, 2).to_vector());
}

TEST_CASE("a sequence ends where the program holds a result, which is computed once") {
  const ikra::array<std::uint32_t, 1> a(counted<std::uint32_t>(3000));
  const auto kept = sequence<true>(a, 4, 1);
  const auto last = sequence<true>(kept, 5, 1);
  launches = steps = 0;
  const auto found = last.to_vector();
  CHECK(launches == 2);
  CHECK(steps == 9);
  CHECK(found == sequence<false>(sequence<false>(a, 4, 1), 5, 1).to_vector());
  CHECK(kept.to_vector() == sequence<false>(a, 4, 1).to_vector());
  CHECK(launches == 2);
}

TEST_CASE("sequences longer than a launch takes, and of more sets of captures, are several") {
  ikra::array<std::uint32_t, 1> a(counted<std::uint32_t>(100));
  ikra::array<std::uint32_t, 1> expected = a;
  launches = steps = 0;
  for (int k = 0; k < 2500; ++k) {
    a = a.pmap(triple_section<std::uint32_t, 1>());
    expected = expected.pmap(triple_body<std::uint32_t>{});
  }
  CHECK(a.to_vector() == expected.to_vector());
  CHECK(launches == 3);
  CHECK(steps == 2500);

  launches = steps = 0;
  for (int k = 0; k < 20; ++k) {
    a = a.pmap(add_section<std::uint32_t, 1>(k * k));
    expected = expected.pmap(add_body<std::uint32_t>{k * k});
  }
  CHECK(a.to_vector() == expected.to_vector());
  CHECK(launches == 3);
  CHECK(steps == 20);
}

TEST_CASE("a chain that nothing else holds is launched before it grows without bound") {
  constexpr int length = 30000;
  ikra::array<std::uint32_t, 1> a(counted<std::uint32_t>(64));
  const ikra::array<std::uint32_t, 1> before = a;
  launches = steps = 0;
  for (int k = 0; k < length; ++k)
    a = a.pmap(triple_section<std::uint32_t, 1>());
  CHECK(steps == length / 1024 * 1024); // the rest waits to be asked for
  CHECK(launches == length / 1024);
  CHECK(a.to_vector() == sequence_of_triples(before, length));
  CHECK(steps == length);

  SECTION("with the index, too, though with_index() holds the array") {
    launches = steps = 0;
    a = before;
    ikra::array<std::uint32_t, 1> expected = before;
    for (int k = 0; k < 3000; ++k) {
      a = a.with_index().pmap(mark_section<std::uint32_t, 1>());
      expected = expected.with_index().pmap(mark_body<std::uint32_t>{});
    }
    CHECK(launches == 2);
    CHECK(a.to_vector() == expected.to_vector());
  }
  SECTION("each part once, if the program holds some of them") {
    std::vector<ikra::array<std::uint32_t, 1>> held;
    launches = steps = 0;
    a = before;
    for (int k = 0; k < 5000; ++k) {
      if (k % 700 == 0)
        held.push_back(a);
      a = a.pmap(triple_section<std::uint32_t, 1>());
    }
    CHECK(a.to_vector() == sequence_of_triples(before, 5000));
    CHECK(steps == 5000);
  }
  SECTION("but not one that another chain reads too") {
    launches = steps = 0;
    a = before;
    std::vector<ikra::array<std::uint32_t, 1>> all;
    for (int k = 0; k < 3000; ++k)
      all.push_back(a = a.pmap(triple_section<std::uint32_t, 1>()));
    CHECK(launches == 0);
  }
}

TEST_CASE("what fails in a chain that is launched early is thrown when it is asked for") {
  ikra::array<std::uint32_t, 1> a(counted<std::uint32_t>(64));
  launches = 0;
  for (int k = 0; k < 1100; ++k)
    a = a.pmap(ikra::make_section<failing<std::uint32_t>, std::uint32_t(std::uint32_t)>());
  CHECK(launches == 1);
  CHECK_THROWS_WITH(a.to_vector(), "a step failed");
  CHECK(launches == 1);
}

TEST_CASE("a sequence follows a selection, and none is run over no elements") {
  const ikra::array<std::uint32_t, 1> a(counted<std::uint32_t>(5000));
  const auto odd = a.pselect([](std::uint32_t x) { return x % 2 == 1; });
  CHECK(sequence<true>(odd, 8, 0).to_vector() == sequence<false>(odd, 8, 0).to_vector());
  const auto none = a.pselect([](std::uint32_t x) { return x > 1000; });
  CHECK(sequence<true>(none, 8, 0).to_vector().empty());
}

TEST_CASE("sequences see the index of the shape that arrays have where they are mapped") {
  const ikra::array<std::uint32_t, 2> a(counted<std::uint32_t>(600), {20, 30});
  const auto twice = [](const auto& array, const auto& map) {
    return map(map(array).reshape({30, 20}));
  };
  const auto found =
      twice(a, [](const auto& x) { return x.with_index().pmap(mark_section<std::uint32_t, 2>()); });
  const auto expected =
      twice(a, [](const auto& x) { return x.with_index().pmap(mark_body<std::uint32_t>{}); });
  CHECK(found.to_vector() == expected.to_vector());
}
