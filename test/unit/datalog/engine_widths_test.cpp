// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits that columns take: where they stand, what rules need, and values that have more, which
// are looked up, come later, or are negative.
#include "datalog/plan/widths.hpp"

#include "engine_device.hpp"

#include "datalog/engine/engine.hpp"

#include <catch2/catch.hpp>

using namespace ikra::datalog;

namespace {

using op = plan::operation;

constexpr plan::type number{plan::kind::number, 32};

plan::expression variable(std::uint64_t slot) { return {op::variable, number, slot, {}}; }
plan::expression constant(plan::value v) { return {op::constant, number, v, {}}; }
plan::argument slot(std::uint64_t of) { return {plan::argument::variable, of}; }
plan::argument value(std::uint64_t v) { return {plan::argument::constant, v}; }
plan::argument any() { return {}; }

plan::relation relation(std::string name, std::size_t columns) {
  return {std::move(name), std::vector<plan::type>(columns, number)};
}

plan::rule rule(std::size_t slots, plan::head head, std::vector<plan::literal> body) {
  plan::rule made;
  made.slots.assign(slots, number);
  made.heads = {std::move(head)};
  made.body = std::move(body);
  return made;
}

/// a(x), t(x, y, z), and what is in both, in a alone, in a with t(9, _, _), and a sum.
plan::program look_ups() {
  plan::program p;
  p.relations = {relation("a", 1),       relation("t", 3),     relation("both", 3),
                 relation("a_alone", 1), relation("nine", 1),  relation("sum", 3),
                 relation("far", 3),     relation("again", 3), relation("some", 1)};
  const plan::atom a{0, {slot(0)}}, t{1, {slot(0), slot(1), slot(2)}};
  p.rules = {rule(3, {2, {variable(0), variable(1), variable(2)}}, {{a}, {t}}),
             rule(1, {3, {variable(0)}}, {{a}, {plan::negation{{1, {slot(0), any(), any()}}}}}),
             rule(1, {4, {variable(0)}}, {{a}, {plan::atom{1, {value(9), any(), any()}}}}),
             rule(3,
                  {5, {variable(0), {op::add, number, 0, {variable(1), variable(2)}}, variable(2)}},
                  {{t}}),
             // Each step is found by a computed value.
             rule(3, {6, {variable(0), variable(1), variable(2)}}, {{t}}),
             rule(4, {6, {variable(0), variable(3), variable(3)}},
                  {{plan::atom{6, {slot(0), slot(1), any()}}},
                   {plan::binding{2, {op::multiply, number, 0, {variable(1), constant(2)}}}},
                   {plan::atom{1, {slot(2), slot(3), any()}}}}),
             rule(3, {7, {variable(0), variable(1), variable(2)}},
                  {{plan::atom{5, {slot(0), slot(1), slot(2)}}},
                   {plan::atom{1, {slot(1), any(), any()}}}}),
             rule(3, {8, {variable(0)}},
                  {{a}, {plan::atom{1, {slot(0), slot(1), slot(2)}}}, {plan::atom{0, {slot(2)}}}})};
  p.strata = {{{2}, {0}, false},   {{3}, {1}, false}, {{4}, {2}, false}, {{5}, {3}, false},
              {{6}, {4, 5}, true}, {{7}, {6}, false}, {{8}, {7}, false}};
  return p;
}

void load(engine& into, std::uint32_t relation,
          const std::vector<std::vector<std::uint32_t>>& all) {
  std::vector<column_view> views;
  for (const auto& column : all)
    views.push_back({column.data(), 32});
  into.load(relation, views, all[0].size());
}

std::vector<tuple_columns> all_of(engine& from, const plan::program& p) {
  std::vector<tuple_columns> all;
  for (std::uint32_t r = 0; r < p.relations.size(); ++r)
    all.push_back(read_all(from, p, r));
  return all;
}

engine_options with(bool narrow, small_use small = small_use::automatic) {
  engine_options options;
  options.narrow = narrow;
  options.small = small;
  return options;
}

} // namespace

TEST_CASE("columns of few bits stand close where that saves words") {
  const std::vector<plan::type> types(4, number);
  const std::vector<u8> order{2, 0, 1, 3}, widths{20, 12, 30, 2};
  const layout packed(types, order, widths);
  REQUIRE(packed.words == 1);
  REQUIRE(packed.fields[3].shift == 0);
  REQUIRE(packed.fields[1].shift == 2);
  REQUIRE(packed.fields[0].shift == 14);
  REQUIRE(packed.fields[2].shift == 34);
  REQUIRE(packed.prefix_mask(1, 0) == low_bits(30) << 34);
  REQUIRE(packed.prefix_mask(4, 0) == ~u64(0));

  const std::vector<u8> wide{32, 32, 30, 2};
  const layout two(types, order, wide);
  REQUIRE(two.words == 2);
  REQUIRE(two.fields[2].shift == 32); // nothing is saved: they stand as types say
  REQUIRE(two.fields[2].bits == 30);

  const std::vector<plan::type> five(5, number);
  const std::vector<u8> parts{30, 30, 30, 30, 8};
  const layout three(five, identity_order(5), parts);
  REQUIRE(three.words == 3); // two words have no room for the last one
  const std::vector<u8> fewer{30, 30, 30, 26, 8};
  const layout saved(five, identity_order(5), fewer);
  REQUIRE(saved.words == 2);
  REQUIRE(saved.fields[1].shift == 0);
  REQUIRE(saved.fields[2].word == 1);
  REQUIRE(saved.fields[2].shift == 34);
}

TEST_CASE("columns take what the values of facts and rules need") {
  const plan::program p = look_ups();
  std::vector<column_widths> facts(p.relations.size());
  facts[0] = {10};
  facts[1] = {3, 4, 5};
  const std::vector<column_widths> made = widths_of(p, facts);
  REQUIRE(made[1] == column_widths{3, 4, 5});
  REQUIRE(made[2] == column_widths{3, 4, 5}); // x is in both
  REQUIRE(made[3] == column_widths{10});
  REQUIRE(made[5] == column_widths{3, 32, 5}); // a sum may have any
  REQUIRE(made[6] == column_widths{3, 4, 5});
  REQUIRE(made[7] == column_widths{3, 3, 5}); // the sum is found in t
}

TEST_CASE("a value with more bits than a column takes is in no tuple") {
  const plan::program p = look_ups();
  for (const small_use small : {small_use::nowhere, small_use::everywhere}) {
    const auto narrow = make_engine(p, test_device, with(true, small)),
               usual = make_engine(p, test_device, with(false, small));
    for (const auto& e : {narrow.get(), usual.get()}) {
      load(*e, 0, {{1, 2, 9, 10, 17, 0xffffffffu}});
      load(*e, 1, {{1, 2, 3, 4, 7}, {2, 4, 5, 6, 1}, {1, 2, 4, 2, 0}});
      e->run();
    }
    const std::vector<tuple_columns> found = all_of(*narrow, p);
    REQUIRE(found == all_of(*usual, p));
    REQUIRE(found[2] == tuple_columns{{1, 2}, {2, 4}, {1, 2}});
    REQUIRE(found[3] == tuple_columns{{9, 10, 17, 0xffffffffu}});
    REQUIRE(found[4] == tuple_columns{{}});
  }
}

TEST_CASE("facts that come later may have more bits, and be negative") {
  const plan::program p = look_ups();
  const auto narrow = make_engine(p, test_device, with(true)),
             usual = make_engine(p, test_device, with(false));
  for (const std::uint32_t most : {3u, 200u, 70000u, 0xfffffffeu}) {
    for (const auto& e : {narrow.get(), usual.get()}) {
      load(*e, 0, {{most, most / 2, 1}});
      load(*e, 1, {{most / 2, most, 1}, {1, most / 3, 2}, {most, 1, most / 5}});
      e->run();
    }
    REQUIRE(all_of(*narrow, p) == all_of(*usual, p));
  }
}

TEST_CASE("columns of few bits are written as wide as their types, in the order of values") {
  plan::program p;
  p.relations = {relation("t", 3), relation("same", 3)};
  p.rules = {rule(3, {1, {variable(0), variable(1), variable(2)}},
                  {{plan::atom{0, {slot(0), slot(1), slot(2)}}}})};
  p.strata = {{{1}, {0}, false}};
  const auto e = make_engine(p, device_kind::cpu);
  load(*e, 0, {{5, 2, 5}, {3, 7, 2}, {7, 0xffffffffu, 0xfffffff0u}});
  e->run();
  std::vector<std::vector<std::uint32_t>> columns(3, std::vector<std::uint32_t>(3));
  std::vector<device_room> rooms;
  for (auto& column : columns)
    rooms.push_back({column.data(), 32, sizeof(std::uint32_t)});
  e->write_to_device(1, rooms);
  REQUIRE(columns[0] == std::vector<std::uint32_t>{2, 5, 5});
  REQUIRE(columns[1] == std::vector<std::uint32_t>{7, 2, 3});
  REQUIRE(columns[2] == std::vector<std::uint32_t>{0xffffffffu, 0xfffffff0u, 7});
}
