// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of several files as one: numbers of classes and columns, and what a graph of all of them
// looks like to each file.
#include <catch2/catch.hpp>

#include "traced.hpp"

#include "objects/resident.hpp"

#include <string>

namespace {

struct animal {
  virtual ~animal() = default;
  animal* friend_of = nullptr;
  float weight = 0, age = 0;
};
struct bird : animal {
  int eggs = 0;
};
struct cat : animal {
  int mice = 0;
};
struct dog : animal {};
struct bowl {
  int level = 0;
};

struct animal_access {
  static auto& friend_of(animal& o) { return o.friend_of; }
  static auto& weight(animal& o) { return o.weight; }
  static auto& age(animal& o) { return o.age; }
};
struct bird_access {
  static auto& eggs(bird& o) { return o.eggs; }
};
struct cat_access {
  static auto& mice(cat& o) { return o.mice; }
};

/// A file that knows birds and cats, and reads weight and age together.
namespace first {
using bird_class = rt::concrete_class<0, bird>;
using cat_class = rt::concrete_class<1, cat>;
using animals = rt::references<animal, bird_class, cat_class>;
struct alignas(8) record {
  float weight, age;
};
const rt::layout& plan() {
  using rt::field, rt::fields;
  static const rt::class_info classes[] = {rt::describe<bird_class>("bird", 0),
                                           rt::describe<cat_class>("cat", 0)};
  static const rt::column_info columns[] = {
      rt::reference_column<&animal_access::friend_of, animals, bird_class, cat_class>(
          "animal::friend_of"),
      rt::record_column<record,
                        fields<field<&record::weight, &animal_access::weight>,
                               field<&record::age, &animal_access::age>>,
                        bird_class, cat_class>("animal::weight, age"),
      rt::value_column<&bird_access::eggs, bird_class>("bird::eggs")};
  static const rt::layout all(classes, columns);
  return all;
}
} // namespace first

/// One that knows bowls, cats and dogs, and writes the age.
namespace second {
using bowl_class = rt::concrete_class<0, bowl>;
using cat_class = rt::concrete_class<1, cat>;
using dog_class = rt::concrete_class<2, dog>;
using animals = rt::references<animal, cat_class, dog_class>;
const rt::layout& plan() {
  static const rt::class_info classes[] = {rt::describe<bowl_class>("bowl", 0),
                                           rt::describe<cat_class>("cat", 1),
                                           rt::describe<dog_class>("dog", 1)};
  static const rt::column_info columns[] = {
      rt::value_column<&cat_access::mice, cat_class>("cat::mice"),
      rt::value_column<&animal_access::age, cat_class, dog_class>("animal::age"),
      rt::reference_column<&animal_access::friend_of, animals, cat_class, dog_class>(
          "animal::friend_of")};
  static const rt::layout all(classes, columns);
  return all;
}
} // namespace second

/// One that has the classes in another order.
const rt::layout& reversed() {
  using cat_class = rt::concrete_class<0, cat>;
  using bird_class = rt::concrete_class<1, bird>;
  static const rt::class_info classes[] = {rt::describe<cat_class>("cat", 0),
                                           rt::describe<bird_class>("bird", 0)};
  static const rt::layout all(classes, {});
  return all;
}

/// One that takes a member for another type.
struct unlike_access {
  static unsigned& mice(cat& o) { return reinterpret_cast<unsigned&>(o.mice); }
};
const rt::layout& unlike() {
  using cat_class = rt::concrete_class<0, cat>;
  static const rt::class_info classes[] = {rt::describe<cat_class>("cat", 0)};
  static const rt::column_info columns[] = {
      rt::value_column<&unlike_access::mice, cat_class>("cat::mice")};
  static const rt::layout all(classes, columns);
  return all;
}

rt::column_info named(const char* name, std::span<const rt::record_field> fields = {}) {
  rt::column_info column{name, 4, &typeid(float), {}, {}};
  column.fields = fields;
  return column;
}

} // namespace

TEST_CASE("members of a column are told from its name") {
  using names = std::vector<std::string_view>;
  static const rt::record_field two[2] = {};
  CHECK(rt::members_of(named("zoo::cage<int, char>::size")) == names{"size"});
  CHECK(rt::members_of(named("zoo::cage<a::b, char>::x, y", two)) == names{"x", "y"});
}

TEST_CASE("layouts of two files are merged by class and member") {
  const rt::merged_layout* const merged = rt::merged_layout::of({&first::plan(), &second::plan()});
  REQUIRE(merged != nullptr);
  CHECK(merged == rt::merged_layout::of({&first::plan(), &second::plan()}));
  const rt::layout& all = merged->plan();
  std::vector<std::string> classes, columns;
  for (const rt::class_info& c : all.classes())
    classes.emplace_back(c.name);
  for (const rt::column_info& c : all.columns())
    columns.emplace_back(c.name);
  CHECK(classes == std::vector<std::string>{"bird", "cat", "bowl", "dog"});
  CHECK(all.families() == std::vector<std::vector<unsigned>>{{0, 1, 3}, {2}});
  CHECK(columns == std::vector<std::string>{"animal::friend_of", "animal::weight, age",
                                            "bird::eggs", "cat::mice", "animal::age"});
  CHECK(all.columns()[0].parts.size() == 3);
  CHECK(all.columns()[4].parts.size() == 2);
  CHECK(all.columns()[0].targets.size() == 3);
  CHECK(merged->place_of(first::plan()).classes == std::vector<unsigned>{0, 1});
  CHECK(merged->place_of(second::plan()).classes == std::vector<unsigned>{2, 1, 3});
  CHECK(merged->place_of(second::plan()).columns == std::vector<unsigned>{3, 4, 0});
  CHECK(all.column_of_field(1, 1) == 4u);
  CHECK(!all.column_of_field(1, 0));
  CHECK(all.records_with(4).size() == 1);
  CHECK(all.records_with(3).empty());

  const auto only = [&](unsigned there) { return [=](unsigned c) { return c == there; }; };
  CHECK(merged->meets_unknown(first::plan(), only(3)));       // a dog is an animal
  CHECK_FALSE(merged->meets_unknown(first::plan(), only(2))); // a bowl is none
  CHECK(merged->meets_unknown(second::plan(), only(0)));
  CHECK_FALSE(merged->meets_unknown(second::plan(), only(1)));
}

TEST_CASE("layouts are not merged if classes have no common order, or members no common form") {
  CHECK(rt::merged_layout::of({&first::plan(), &reversed()}) == nullptr);
  CHECK(rt::merged_layout::of({&second::plan(), &unlike()}) == nullptr);
  CHECK(rt::merged_layout::of({&first::plan(), &unlike()}) != nullptr);
}

TEST_CASE("each file finds its classes and columns in a graph of several files") {
  const rt::merged_layout* const merged = rt::merged_layout::of({&first::plan(), &second::plan()});
  REQUIRE(merged != nullptr);
  const rt::place_in_merged& one = merged->place_of(first::plan());
  const rt::place_in_merged& other = merged->place_of(second::plan());
  std::vector<cat> cats(35);
  std::vector<dog> dogs(3);
  for (std::size_t i = 0; i < cats.size(); ++i) {
    cats[i].mice = static_cast<int>(i);
    cats[i].weight = static_cast<float>(i) * 2;
    cats[i].age = static_cast<float>(i) * 3;
    cats[i].friend_of = &cats[(i + 1) % cats.size()];
  }
  dogs[1].age = 77;
  cats[34].friend_of = &dogs[1];
  std::vector<animal*> base;
  for (cat& c : cats)
    base.push_back(&c);

  // The functions that follow a reference are those of one file. These know dogs only if they are
  // the second file's.
  const rt::merged_layout* const turned = rt::merged_layout::of({&second::plan(), &first::plan()});
  REQUIRE(turned != nullptr);
  {
    rt::object_graph graph(turned->plan(), rt::current_device());
    rt::current_device().make_current(test_section);
    rt::pointer_source elements = source<second::animals>(base);
    elements.place = &turned->place_of(second::plan());
    const std::vector<unsigned> all{0, 1, 2, 3, 4};
    graph.trace(std::vector{elements}, {}, all, test_section);
    CHECK(graph.table().objects[2].size() == cats.size());
    CHECK(graph.table().objects[3].size() == 1);
    graph.upload(all, test_section);
    const rt::columns seen(&graph, &turned->place_of(second::plan()));
    const auto starts = seen.starts<1, 2>();
    CHECK(starts.class_of(object_id(34)) == 0);
    CHECK(starts.class_of(object_id(64)) == 1);
    CHECK(traced::download(seen.values<float>(1) + 64, 1) == std::vector<float>{77});
    CHECK(traced::download(seen.values<object_id>(2) + 34, 1) == std::vector{object_id(64)});
  }

  cats[34].friend_of = nullptr;
  rt::object_graph graph(merged->plan(), rt::current_device());
  rt::pointer_source elements = source<first::animals>(base);
  elements.place = &one;
  rt::pointer_source again = source<second::animals>(base);
  again.place = &other;
  const std::vector<unsigned> all{0, 1, 2, 3, 4};
  graph.trace(std::vector{elements, again}, {}, all, test_section);
  CHECK(graph.base(0).in_order);
  CHECK(graph.base(1).in_order);
  std::vector<object_id> ids(base.size());
  CHECK(graph.find(again, ids.data(), test_section));
  CHECK(ids[7] == object_id(7));
  graph.upload(all, test_section);
  const rt::columns mine(&graph, &one), theirs(&graph, &other);
  CHECK(mine.values<object_id>(0) == theirs.values<object_id>(2));
  CHECK(traced::download(theirs.values<int>(0) + 34, 1) == std::vector<int>{34});
  CHECK(theirs.starts<1, 2>().class_of(object_id(7)) == 0);
  CHECK(mine.starts<0, 2>().class_of(object_id(7)) == 1);

  // What the second file writes, the first one's records have, too.
  traced::upload(theirs.values<float>(1) + 5, std::vector<float>{1000});
  graph.written(other.columns[1]);
  graph.upload(std::vector<unsigned>{one.columns[1]}, test_section);
  const std::vector<first::record> records = traced::download(mine.values<first::record>(1) + 4, 2);
  CHECK(records[0].weight == 8);
  CHECK(records[0].age == 12);
  CHECK(records[1].weight == 10);
  CHECK(records[1].age == 1000);
  graph.write_back(std::vector<unsigned>{other.columns[1]}, test_section);
  CHECK(cats[5].age == 1000);
}

TEST_CASE("files share a scope's graph while each knows the classes there") {
  std::vector<cat> cats(4);
  dog stranger;
  std::vector<animal*> base;
  for (cat& c : cats)
    base.push_back(&c);
  const rt::pointer_source mine = source<first::animals>(base);
  const rt::pointer_source theirs = source<second::animals>(base);
  rt::root_ids ids;
  rt::device& where = rt::current_device();
  where.make_current(test_section);
  const auto admit = [&](rt::residence& there, const rt::layout& file, const auto& ops) {
    return rt::admit(there, file, ops, {}, ids, where, test_section);
  };

  const ikra::array<animal*> animals(base);
  const ikra::resident scope{animals};
  rt::residence other = rt::find_residence(second::plan(), theirs);
  rt::residence one = rt::find_residence(first::plan(), mine);
  REQUIRE(one.at != nullptr);
  CHECK(one.at == other.at);
  CHECK(rt::find_residence(reversed(), mine).at != one.at);
  CHECK(admit(other, second::plan(), second::animals::ops) == 0);
  const auto graph = other.at->current();
  CHECK(admit(one, first::plan(), first::animals::ops) == 0);
  CHECK(one.at->current() == graph); // which was not traced again

  // The second file leads to a dog. The first one does not know any.
  cats[2].friend_of = &stranger;
  one.at->drop();
  CHECK(admit(other, second::plan(), second::animals::ops) == 0);
  CHECK_THROWS_MATCHES(admit(one, first::plan(), first::animals::ops), ikra::error,
                       kind_and_text(ikra::error_kind::unknown_class, "dog"));
  other = rt::find_residence(second::plan(), theirs);
  CHECK(admit(other, second::plan(), second::animals::ops) == 0);
  CHECK(other.at != one.at);
  CHECK(rt::find_residence(second::plan(), theirs).at == other.at);

  // Without it each goes on alone.
  cats[2].friend_of = nullptr;
  one.at->drop();
  CHECK(admit(one, first::plan(), first::animals::ops) == 0);
  CHECK(rt::find_residence(second::plan(), theirs).at == other.at);
}
