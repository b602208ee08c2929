// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns: members of every kind go to the device and come back as they were, and only what was
// written changes.
#include <catch2/catch.hpp>

#include "traced.hpp"

#include <array>
#include <memory>

namespace {

enum class colour : unsigned char { red, green };

struct point {
  double x, y;
  bool operator==(const point&) const = default;
};

struct item;

struct holder {
  bool flag = false;
  colour paint = colour::red;
  point place{};
  const int fixed = 7;
  std::vector<float> numbers;
  std::vector<bool> bits;
  std::array<short, 3> triple{};
  int built_in[2] = {};
  item* plain = nullptr;
  const item* read_only = nullptr;
  std::unique_ptr<item> owned;
  std::shared_ptr<item> shared;
  item& bound;
  std::vector<item*> items;
  std::vector<std::unique_ptr<item>> owned_items;
  std::array<item*, 2> pair{};

  explicit holder(item& b) : bound(b) {}
};

struct item {
  int value = 0;
};

using holder_class = rt::concrete_class<0, holder>;
using item_class = rt::concrete_class<1, item>;
using item_references = rt::references<item, item_class>;
using const_item_references = rt::references<const item, item_class>;
using holder_references = rt::references<holder, holder_class>;

struct access {
  static auto& flag(holder& o) { return o.flag; }
  static auto& paint(holder& o) { return o.paint; }
  static auto& place(holder& o) { return o.place; }
  static auto& fixed(holder& o) { return o.fixed; }
  static auto& numbers(holder& o) { return o.numbers; }
  static auto& bits(holder& o) { return o.bits; }
  static auto& triple(holder& o) { return o.triple; }
  static auto& built_in(holder& o) { return o.built_in; }
  static auto& plain(holder& o) { return o.plain; }
  static auto& read_only(holder& o) { return o.read_only; }
  static auto& owned(holder& o) { return o.owned; }
  static auto& shared(holder& o) { return o.shared; }
  static auto& bound(holder& o) { return o.bound; }
  static auto& items(holder& o) { return o.items; }
  static auto& owned_items(holder& o) { return o.owned_items; }
  static auto& pair(holder& o) { return o.pair; }
  static auto& value(item& o) { return o.value; }
};

enum : unsigned {
  flag,
  paint,
  place,
  fixed,
  numbers,
  bits,
  triple,
  built_in,
  plain,
  read_only,
  owned,
  shared,
  bound,
  items,
  owned_items,
  pair,
  value
};

const rt::layout& plan() {
  using namespace ikra::rt;
  static const class_info classes[] = {describe<holder_class>("holder", 0),
                                       describe<item_class>("item", 1)};
  static const column_info columns[] = {
      value_column<&access::flag, holder_class>("holder::flag"),
      value_column<&access::paint, holder_class>("holder::paint"),
      value_column<&access::place, holder_class>("holder::place"),
      value_column<&access::fixed, holder_class>("holder::fixed"),
      value_list_column<&access::numbers, holder_class>("holder::numbers"),
      value_list_column<&access::bits, holder_class>("holder::bits"),
      value_list_column<&access::triple, holder_class>("holder::triple"),
      value_list_column<&access::built_in, holder_class>("holder::built_in"),
      reference_column<&access::plain, item_references, holder_class>("holder::plain"),
      reference_column<&access::read_only, const_item_references, holder_class>(
          "holder::read_only"),
      reference_column<&access::owned, item_references, holder_class>("holder::owned"),
      reference_column<&access::shared, item_references, holder_class>("holder::shared"),
      reference_column<&access::bound, item_references, holder_class>("holder::bound"),
      reference_list_column<&access::items, item_references, holder_class>("holder::items"),
      reference_list_column<&access::owned_items, item_references, holder_class>(
          "holder::owned_items"),
      reference_list_column<&access::pair, item_references, holder_class>("holder::pair"),
      value_column<&access::value, item_class>("item::value")};
  static const layout result(classes, columns);
  return result;
}

/// Holders of which no two are alike, over the items that they refer to.
struct fixture {
  std::vector<item> pool = std::vector<item>(10);
  std::vector<std::unique_ptr<holder>> holders;
  std::vector<holder*> base;

  explicit fixture(std::size_t n) {
    for (std::size_t i = 0; i < pool.size(); ++i)
      pool[i].value = static_cast<int>(i) * 11;
    for (std::size_t i = 0; i < n; ++i) {
      holders.push_back(std::make_unique<holder>(pool[i % 10]));
      holder& h = *holders.back();
      h.flag = i % 2 == 1;
      h.paint = i % 3 == 0 ? colour::green : colour::red;
      h.place = {static_cast<double>(i), -1.0};
      for (std::size_t j = 0; j < i % 4; ++j) {
        h.numbers.push_back(static_cast<float>(10 * i + j));
        h.bits.push_back((i + j) % 2 == 0);
        h.items.push_back(j == 2 ? nullptr : &pool[(i + j) % 10]);
        h.owned_items.push_back(std::make_unique<item>(item{static_cast<int>(i + j)}));
      }
      h.triple = {static_cast<short>(i), 2, 3};
      h.built_in[1] = static_cast<int>(i);
      h.plain = i % 4 == 0 ? nullptr : &pool[i % 7];
      h.read_only = &pool[i % 3];
      if (i % 2 == 0)
        h.owned = std::make_unique<item>(item{5});
      h.shared = i > 0 ? holders[0]->shared : std::make_shared<item>();
      h.pair = {nullptr, &pool[9]};
      base.push_back(&h);
    }
  }
};

const std::vector<unsigned> everything{flag,   paint,    place,       fixed,     numbers, bits,
                                       triple, built_in, plain,       read_only, owned,   shared,
                                       bound,  items,    owned_items, pair,      value};

} // namespace

TEST_CASE("value members become columns") {
  fixture f(100);
  traced t(plan(), {source<holder_references>(f.base)}, everything);
  const auto flags = t.column<bool>(flag, 0, 100);
  const auto paints = t.column<colour>(paint, 0, 100);
  const auto places = t.column<point>(place, 0, 100);
  const auto constants = t.column<int>(fixed, 0, 100);
  for (std::size_t i = 0; i < 100; ++i) {
    REQUIRE(flags[i] == f.base[i]->flag);
    REQUIRE(paints[i] == f.base[i]->paint);
    REQUIRE(places[i] == f.base[i]->place);
    REQUIRE(constants[i] == 7);
  }
}

TEST_CASE("references of every kind become the IDs of what they refer to") {
  fixture f(100);
  traced t(plan(), {source<holder_references>(f.base)}, everything);
  const auto check = [&](unsigned column, auto pointer_of) {
    const auto found = t.column<object_id>(column, 0, 100);
    for (std::size_t i = 0; i < 100; ++i) {
      const item* const expected = pointer_of(*f.base[i]);
      if (expected == nullptr)
        REQUIRE(found[i] == nullptr);
      else
        REQUIRE(t.object_graph.table().objects[1].at(found[i]) == expected);
    }
  };
  check(plain, [](const holder& h) { return h.plain; });
  check(read_only, [](const holder& h) { return h.read_only; });
  check(owned, [](const holder& h) { return h.owned.get(); });
  check(shared, [](const holder& h) { return h.shared.get(); });
  check(bound, [](const holder& h) { return &h.bound; });
}

TEST_CASE("container members become join tables") {
  fixture f(50);
  traced t(plan(), {source<holder_references>(f.base)}, everything);
  std::vector<float> all_numbers;
  std::vector<bool> all_bits;
  std::vector<const item*> all_items;
  for (const holder* h : f.base) {
    all_numbers.insert(all_numbers.end(), h->numbers.begin(), h->numbers.end());
    all_bits.insert(all_bits.end(), h->bits.begin(), h->bits.end());
    all_items.insert(all_items.end(), h->items.begin(), h->items.end());
  }
  CHECK(t.list_values<float>(numbers, all_numbers.size()) == all_numbers);
  const auto rows = t.rows(items, 0, 50);
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    REQUIRE(rows[i].offset == offset);
    REQUIRE(rows[i].length == i % 4);
    offset += rows[i].length;
  }
  const auto found = t.list_values<object_id>(items, all_items.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (all_items[i] == nullptr)
      REQUIRE(found[i] == nullptr);
    else
      REQUIRE(t.object_graph.table().objects[1].at(found[i]) == all_items[i]);
}

TEST_CASE("what a section wrote comes back, and nothing else") {
  fixture f(100);
  traced t(plan(), {source<holder_references>(f.base)}, everything);
  t.set<bool>(flag, 10, {true, true});
  t.set<point>(place, 99, {{3, 4}});
  t.set<int>(value, 0, {1000}); // of the first item found
  t.set<object_id>(plain, 5, {nullptr, object_id(2)});
  auto* const second = static_cast<item*>(t.object_graph.table().objects[1][2]);
  const std::vector<point> places_before = t.column<point>(place, 0, 99);
  t.write_back({flag, plain});
  CHECK(f.base[10]->flag);
  CHECK(f.base[11]->flag);
  CHECK_FALSE(f.base[12]->flag);
  CHECK(f.base[5]->plain == nullptr);
  CHECK(f.base[6]->plain == second);
  CHECK(f.base[99]->place == point{99, -1}); // not asked for
  t.write_back({place});
  CHECK(f.base[99]->place == point{3, 4});
  for (std::size_t i = 0; i < 99; ++i)
    REQUIRE(f.base[i]->place == places_before[i]);
}

TEST_CASE("written elements of containers come back") {
  fixture f(4); // numbers of 3 holders: {10}, {20, 21}, {30, 31, 32}
  traced t(plan(), {source<holder_references>(f.base)}, everything);
  t.set_list_values<float>(numbers, {1, 2, 3, 4, 5, 6});
  t.set_list_values<bool>(bits, {true, true, false, false, true, false});
  t.set_list_values<short>(triple, {9, 8, 7});
  t.set_list_values<object_id>(items, {nullptr, object_id(0), nullptr});
  t.write_back({numbers, bits, triple, items});
  CHECK(f.base[1]->numbers == std::vector<float>{1});
  CHECK(f.base[3]->numbers == std::vector<float>{4, 5, 6});
  CHECK(f.base[2]->bits == std::vector<bool>{true, false});
  CHECK(f.base[3]->bits == std::vector<bool>{false, true, false});
  CHECK(f.base[0]->triple == std::array<short, 3>{9, 8, 7});
  CHECK(f.base[1]->items[0] == nullptr);
  CHECK(f.base[2]->items[0] == t.object_graph.table().objects[1][0]);
  CHECK(f.base[2]->items[1] == nullptr);
}

TEST_CASE("members that cannot be assigned are not written back, and nothing else is then") {
  fixture f(3);
  traced t(plan(), {source<holder_references>(f.base)}, everything);
  t.set<bool>(flag, 0, {true});
  for (const unsigned k :
       {unsigned(fixed), unsigned(owned), unsigned(bound), unsigned(owned_items)})
    CHECK_THROWS_MATCHES(t.write_back({flag, k}), ikra::error,
                         kind_and_text(ikra::error_kind::unsupported, "holder::"));
  CHECK_FALSE(f.base[0]->flag);
}

TEST_CASE("columns of many objects, on several threads, come and go unchanged") {
  fixture f(20000);
  const threads many(4);
  traced t(plan(), {source<holder_references>(f.base)}, everything);
  const auto before = t.column<point>(place, 0, f.base.size());
  std::vector<point> doubled = before;
  for (point& p : doubled)
    p.x *= 2;
  t.set(place, 0, doubled);
  t.write_back({place, numbers, items, flag});
  for (std::size_t i = 0; i < f.base.size(); ++i) {
    REQUIRE(f.base[i]->place.x == 2.0 * static_cast<double>(i));
    REQUIRE(f.base[i]->numbers.size() == i % 4);
    if (i % 4 > 0)
      REQUIRE(f.base[i]->numbers[0] == static_cast<float>(10 * i));
    REQUIRE(f.base[i]->flag == (i % 2 == 1));
  }
}
