// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tracer on object graphs of every shape: which objects are found, and which IDs they get.
#include <catch2/catch.hpp>

#include "traced.hpp"

#include <memory>

namespace {

struct node {
  int value = 0;
  node* next = nullptr;
  node* other = nullptr;
};
using node_class = rt::concrete_class<0, node>;
using node_references = rt::references<node, node_class>;

struct node_access {
  static auto& value(node& o) { return o.value; }
  static auto& next(node& o) { return o.next; }
  static auto& other(node& o) { return o.other; }
};

const rt::layout& node_plan() {
  static const rt::class_info classes[] = {rt::describe<node_class>("node", 0)};
  static const rt::column_info columns[] = {
      rt::value_column<&node_access::value, node_class>("node::value"),
      rt::reference_column<&node_access::next, node_references, node_class>("node::next"),
      rt::reference_column<&node_access::other, node_references, node_class>("node::other")};
  static const rt::layout plan(classes, columns);
  return plan;
}

} // namespace

TEST_CASE("a list of a million objects is traced without recursion") {
  std::vector<node> nodes(1000000);
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    nodes[i].next = &nodes[i + 1];
  const std::vector<node*> base{&nodes[0]};
  traced t(node_plan(), {source<node_references>(base)}, {1});
  REQUIRE(t.objects(0) == nodes.size());
  const std::vector<object_id> next = t.column<object_id>(1, 0, nodes.size());
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    if (next[i] != object_id(static_cast<std::uint32_t>(i + 1)))
      FAIL("next of " << i << " is " << next[i].value);
  CHECK(next.back() == nullptr);
}

TEST_CASE("cycles, shared objects and null references are each traced once") {
  std::vector<node> nodes(4);
  nodes[0].next = &nodes[1];
  nodes[1].next = &nodes[0];
  nodes[0].other = &nodes[2];
  nodes[1].other = &nodes[2];
  nodes[2].other = &nodes[2];
  const std::vector<node*> base{&nodes[0]};
  traced t(node_plan(), {source<node_references>(base)}, {1, 2});
  REQUIRE(t.objects(0) == 3);
  // found level by level, column by column: 0, then 1 by next, then 2 by other
  CHECK(ids(t.column<object_id>(1, 0, 3)) ==
        std::vector<std::uint32_t>{1, 0, object_id::null_value});
  CHECK(ids(t.column<object_id>(2, 0, 3)) == std::vector<std::uint32_t>{2, 2, 2});
}

TEST_CASE("only columns that the section uses are followed") {
  std::vector<node> nodes(3);
  nodes[0].next = &nodes[1];
  nodes[0].other = &nodes[2];
  const std::vector<node*> base{&nodes[0]};
  CHECK(traced(node_plan(), {source<node_references>(base)}, {0, 1}).objects(0) == 2);
  CHECK(traced(node_plan(), {source<node_references>(base)}, {0}).objects(0) == 1);
}

TEST_CASE("an empty base array is traced") {
  const std::vector<node*> base;
  traced t(node_plan(), {source<node_references>(base)}, {0, 1, 2});
  CHECK(t.objects(0) == 0);
  CHECK(t.object_graph.base(0).direct);
}

TEST_CASE("objects of the base array get the first IDs, in its order") {
  std::vector<node> nodes(1000);
  for (node& n : nodes)
    n.next = &nodes[999 - (&n - nodes.data())];
  std::vector<node*> base;
  for (std::size_t i = 0; i < 500; ++i)
    base.push_back(&nodes[(i * 7) % 1000]); // distinct: 7 and 1000 have no common divisor
  traced t(node_plan(), {source<node_references>(base)}, {0, 1});
  REQUIRE(t.object_graph.base(0).in_order);
  for (std::size_t i = 0; i < base.size(); ++i)
    REQUIRE(t.object_graph.table().objects[0][i] == base[i]);
}

TEST_CASE("repeated and null elements make the base array indirect") {
  std::vector<node> nodes(3);
  const std::vector<node*> repeated{&nodes[2], &nodes[0], &nodes[2]};
  traced r(node_plan(), {source<node_references>(repeated)}, {0});
  CHECK(r.objects(0) == 2);
  CHECK_FALSE(r.object_graph.base(0).direct);
  CHECK(r.object_graph.base(0).numbers == std::vector<std::uint32_t>{0, 1, 0});

  const std::vector<node*> with_null{&nodes[2], nullptr, &nodes[1]};
  traced n(node_plan(), {source<node_references>(with_null)}, {0});
  CHECK(n.objects(0) == 2);
  CHECK(n.object_graph.base(0).nulls == 1);
  CHECK_FALSE(n.object_graph.base(0).direct);
}

TEST_CASE("captured pointers are roots of the trace") {
  std::vector<node> nodes(3);
  nodes[1].next = &nodes[2];
  const std::vector<node*> base{&nodes[0]};
  const node* const root = &nodes[1];
  const node* const null = nullptr;
  rt::object_graph object_graph(node_plan(), rt::current_device());
  const rt::pointer_source bases[] = {source<node_references>(base)};
  const rt::pointer_source roots[] = {{&node_references::ops, &root, 1},
                                      {&node_references::ops, &null, 1}};
  const unsigned columns[] = {1};
  object_graph.trace(bases, roots, columns, test_section);
  CHECK(object_graph.table().objects[0].size() == 3);
  object_id found[2]{object_id(7), object_id(7)};
  CHECK(object_graph.find(roots[0], found, test_section));
  CHECK(object_graph.find(roots[1], found + 1, test_section));
  CHECK(found[0] == object_id(1));
  CHECK(found[1] == nullptr);
  node elsewhere;
  const node* const unknown[] = {&nodes[2], &elsewhere};
  CHECK_FALSE(object_graph.find({&node_references::ops, unknown, 2}, found, test_section));
  CHECK(found[0] == object_id(2));
}

TEST_CASE("IDs are the same for any number of threads") {
  constexpr std::size_t count = 300000;
  std::vector<node> nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    nodes[i].next = &nodes[(i * 7919 + 13) % count];
    nodes[i].other = i % 5 == 0 ? nullptr : &nodes[(i * i) % count];
  }
  std::vector<node*> base;
  for (std::size_t i = 0; i < count / 3; ++i)
    base.push_back(&nodes[(i * 17) % count]);
  const bool repeats = GENERATE(false, true);
  if (repeats)
    base.push_back(base[5]);

  const threads one(1);
  traced first(node_plan(), {source<node_references>(base)}, {1, 2});
  for (const int n : {2, 3, 8}) {
    const threads many(n);
    traced again(node_plan(), {source<node_references>(base)}, {1, 2});
    REQUIRE(again.objects(0) == first.objects(0));
    REQUIRE(again.object_graph.table().objects[0] == first.object_graph.table().objects[0]);
    REQUIRE(again.column<object_id>(1, 0, again.objects(0)) ==
            first.column<object_id>(1, 0, first.objects(0)));
  }
}

//===-- inheritance ------------------------------------------------------------------------===//

namespace {

struct shape {
  virtual ~shape() = default;
  shape* partner = nullptr;
};
struct named {
  virtual ~named() = default;
  int name = 0;
};
struct circle : shape {
  int radius = 0;
};
struct square : named, shape { // shape is not at the start
  int side = 0;
};
struct blob : virtual shape {
  int weight = 0;
};
struct star : circle {}; // not described

using circle_class = rt::concrete_class<0, circle>;
using square_class = rt::concrete_class<1, square>;
using blob_class = rt::concrete_class<2, blob>;
using shape_references = rt::references<shape, circle_class, square_class, blob_class>;

struct shape_access {
  static auto& partner(shape& o) { return o.partner; }
  static auto& name(named& o) { return o.name; }
};

const rt::layout& shape_plan() {
  static const rt::class_info classes[] = {rt::describe<circle_class>("circle", 0),
                                           rt::describe<square_class>("square", 0),
                                           rt::describe<blob_class>("blob", 0)};
  static const rt::column_info columns[] = {
      rt::reference_column<&shape_access::partner, shape_references, circle_class, square_class,
                           blob_class>("shape::partner"),
      rt::value_column<&shape_access::name, square_class>("named::name")};
  static const rt::layout plan(classes, columns);
  return plan;
}

} // namespace

TEST_CASE("classes of a family get segments of IDs that start at multiples of 32") {
  std::vector<circle> circles(33);
  std::vector<square> squares(5);
  std::vector<blob> blobs(40);
  std::vector<shape*> base;
  for (std::size_t i = 0; i < 40; ++i) {
    base.push_back(&blobs[i]);
    if (i < circles.size())
      base.push_back(&circles[i]);
    if (i < squares.size())
      base.push_back(&squares[i]);
  }
  circles[3].partner = &squares[4];
  squares[4].partner = &blobs[7];
  blobs[7].partner = &circles[3];
  traced t(shape_plan(), {source<shape_references>(base)}, {0, 1});
  CHECK(t.object_graph.table().first == std::vector<std::uint32_t>{0, 64, 96});
  CHECK(t.object_graph.base(0).direct);
  CHECK_FALSE(t.object_graph.base(0).in_order);
  const std::vector<object_id> partners = t.column<object_id>(0, 0, 96 + 40);
  CHECK(partners[3] == object_id(64 + 4));
  CHECK(partners[64 + 4] == object_id(96 + 7));
  CHECK(partners[96 + 7] == object_id(3));
  CHECK(partners[0] == nullptr);

  const rt::columns c(&t.object_graph);
  const ikra::class_starts<3> starts = c.starts<0, 3>();
  CHECK(starts.class_of(object_id(32)) == 0);
  CHECK(starts.class_of(object_id(64)) == 1);
  CHECK(starts.class_of(object_id(135)) == 2);
}

namespace {

/// The element of each thread of a base array's lists, by class.
std::vector<std::vector<std::uint64_t>> elements_by_class(const rt::base_array& base,
                                                          std::span<const rt::class_list> lists) {
  std::vector<std::vector<std::uint64_t>> of;
  for (const rt::class_list& list : lists) {
    of.emplace_back();
    for (std::uint64_t t = list.first_thread; t < list.first_thread + list.count; ++t)
      of.back().push_back(base.places.empty() ? t : base.places[t]);
  }
  return of;
}

} // namespace

TEST_CASE("elements that do not follow each other are in lists by class") {
  std::vector<circle> circles(50);
  std::vector<blob> blobs(50);
  std::vector<shape*> base;
  for (std::size_t i = 0; i < 50; ++i) {
    base.push_back(&circles[49 - i]);
    base.push_back(&blobs[i]);
  }
  base[10] = nullptr; // else a circle
  base.push_back(&blobs[3]);
  base.push_back(nullptr);
  using elements = std::vector<std::uint64_t>;

  SECTION("nulls, and objects that stand there twice") {
    traced t(shape_plan(), {source<shape_references>(base)}, {1});
    t.object_graph.locate_base(0, /*positions=*/true, test_section);
    const rt::base_array& found = t.object_graph.base(0);
    REQUIRE(found.lists.size() == 3);
    CHECK(found.lists[0].class_index == rt::class_list::of_null);
    CHECK(found.lists[1].class_index == circle_class::index);
    CHECK(found.lists[2].class_index == blob_class::index);
    CHECK(found.lists[1].first_thread == 2); // nulls belong to the launch's first class
    CHECK(found.lists[2].first_thread == 64);

    const auto all = elements_by_class(found, found.lists);
    CHECK(all[0] == elements{10, 101});
    CHECK(all[1].size() == 49);
    CHECK(std::ranges::all_of(all[1], [](std::uint64_t e) { return e % 2 == 0; }));
    CHECK(all[2].size() == 51);
    CHECK(std::ranges::is_sorted(all[1]));
    // The second of a pair comes in a round of its own.
    REQUIRE(found.rounds == std::vector<std::size_t>{3, 4});
    CHECK(found.parts[2].count == 50);
    CHECK(elements_by_class(found, std::span(found.parts).subspan(3)).front() == elements{100});

    const std::vector<object_id> ids =
        traced::download(static_cast<const object_id*>(found.ids.data()), 64 + 51);
    for (const rt::class_list& list : found.lists)
      for (std::uint64_t i = list.first_thread; i < list.first_thread + list.count; ++i)
        REQUIRE(ids[i] == (base[found.places[i]] == nullptr
                               ? object_id()
                               : object_id(t.object_graph.table().first[list.class_index] +
                                           found.numbers[found.places[i]])));
  }
  SECTION("one class, in another order than its objects") {
    traced t(shape_plan(), {source<shape_references>(base)}, {1});
    const std::vector<shape*> some{base[6], base[2], base[4]};
    const auto guest = t.object_graph.admit_guest(source<shape_references>(some), test_section);
    REQUIRE(guest);
    t.object_graph.locate_base(*guest, /*positions=*/true, test_section);
    const rt::base_array& found = t.object_graph.base(*guest);
    CHECK_FALSE(found.direct);
    const auto all = elements_by_class(found, found.lists);
    REQUIRE(all.size() == 1);
    CHECK(all[0] == elements{0, 1, 2});
    CHECK(found.positions.data() == nullptr); // threads are elements
    CHECK(found.rounds.empty());

    // The same pointers again: nothing is looked up or counted.
    const void* const there = found.ids.data();
    CHECK(t.object_graph.admit_guest(source<shape_references>(some), test_section) == guest);
    t.object_graph.locate_base(*guest, /*positions=*/true, test_section);
    CHECK(t.object_graph.base(*guest).ids.data() == there);
  }
  SECTION("what comes again stays, whatever comes once between its uses") {
    traced t(shape_plan(), {source<shape_references>(base)}, {1});
    const std::vector<shape*> again{base[6], base[2], base[4]};
    const auto guest = t.object_graph.admit_guest(source<shape_references>(again), test_section);
    REQUIRE(guest);
    t.object_graph.locate_base(*guest, /*positions=*/false, test_section);
    const void* const there = t.object_graph.base(*guest).ids.data();
    for (std::size_t first = 0; const std::size_t between : {3, 1, 20}) {
      for (std::size_t k = 0; k < between; ++k, ++first) {
        const std::vector<shape*> once{base[11 + first], base[1]};
        const auto other = t.object_graph.admit_guest(source<shape_references>(once), test_section);
        REQUIRE(other);
        CHECK(*other != *guest);
        CHECK(t.object_graph.base(*other).size == 2);
      }
      CHECK(t.object_graph.admit_guest(source<shape_references>(again), test_section) == guest);
      CHECK(t.object_graph.base(*guest).ids.data() == there);
    }
  }
  SECTION("objects that follow each other class by class need no lists") {
    const std::vector<shape*> some(base.begin() + 20, base.begin() + 60);
    traced t(shape_plan(), {source<shape_references>(some)}, {1});
    t.object_graph.locate_base(0, /*positions=*/false, test_section);
    CHECK(t.object_graph.base(0).direct);
    CHECK(t.object_graph.base(0).lists.empty());
  }
}

TEST_CASE("pointers to bases that are not at the start of their object lead to it") {
  square s;
  s.name = 17;
  circle c;
  c.partner = &s;
  s.partner = &c;
  const std::vector<shape*> base{&c};
  traced t(shape_plan(), {source<shape_references>(base)}, {0, 1});
  REQUIRE(t.objects(1) == 1);
  CHECK(t.column<int>(1, 32, 1) == std::vector<int>{17});
  // and back: the member gets a shape*, not the start of the square
  c.partner = nullptr;
  t.write_back({0});
  CHECK(c.partner == &s);
}

TEST_CASE("an object of a class that was not compiled in is an error that names it") {
  star s;
  circle c;
  const std::vector<shape*> in_base{&c, &s};
  CHECK_THROWS_MATCHES(traced(shape_plan(), {source<shape_references>(in_base)}, {0}), ikra::error,
                       kind_and_text(ikra::error_kind::unknown_class, "star"));
  c.partner = &s;
  const std::vector<shape*> after{&c};
  CHECK_THROWS_MATCHES(traced(shape_plan(), {source<shape_references>(after)}, {0}), ikra::error,
                       kind_and_text(ikra::error_kind::unknown_class, "test.cpp:3:4"));
  CHECK(traced(shape_plan(), {source<shape_references>(after)}, {1}).objects(0) == 1);
}
