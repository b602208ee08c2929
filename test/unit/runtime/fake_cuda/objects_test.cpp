// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that come back from a GPU: all of them, or, where a CUDA call fails, none.
#include "../traced.hpp"
#include "fake_cuda.hpp"

#include "cuda/calls.hpp"
#include "objects/scope_captures.hpp"

#include <array>
#include <memory>
#include <vector>

namespace {

struct plain {
  std::int64_t one = 1;
  std::int32_t two = 2;
  std::vector<float> many{1, 2, 3};
  bool operator==(const plain&) const = default;
};
struct wide {
  std::array<double, 48> three{3, 4, 5};
  bool operator==(const wide&) const = default;
};

using plain_class = rt::concrete_class<0, plain>;
using wide_class = rt::concrete_class<1, wide>;

struct access {
  static auto& one(plain& o) { return o.one; }
  static auto& two(plain& o) { return o.two; }
  static auto& many(plain& o) { return o.many; }
  static auto& three(wide& o) { return o.three; }
};

enum : unsigned { one, two, many, three };

const rt::layout& plan() {
  static const rt::class_info classes[] = {rt::describe<plain_class>("plain", 0),
                                           rt::describe<wide_class>("wide", 1)};
  static const rt::column_info columns[] = {
      rt::value_column<&access::one, plain_class>("plain::one"),
      rt::value_column<&access::two, plain_class>("plain::two"),
      rt::value_list_column<&access::many, plain_class>("plain::many"),
      rt::value_column<&access::three, wide_class>("wide::three")};
  static const rt::layout result(classes, columns);
  return result;
}

struct objects {
  explicit objects(std::size_t n) : plains(n), wides(n / 2) {}
  bool operator==(const objects&) const = default;

  std::vector<plain> plains;
  std::vector<wide> wides;
};

template <class T> std::vector<T*> pointers_to(std::vector<T>& objects) {
  std::vector<T*> result;
  for (T& o : objects)
    result.push_back(&o);
  return result;
}

objects moved(std::size_t n) {
  objects result(n);
  for (plain& p : result.plains)
    p = {10, 20, {4, 5, 6}};
  for (wide& w : result.wides)
    w = {{6, 7, 8}};
  return result;
}

/// As a section does that assigns all members.
void move(objects& all) {
  const std::vector<plain*> plains = pointers_to(all.plains);
  const std::vector<wide*> wides = pointers_to(all.wides);
  traced t(plan(),
           {source<rt::references<plain, plain_class>>(plains),
            source<rt::references<wide, wide_class>>(wides)},
           {one, two, many, three});
  const std::size_t n = plains.size();
  std::vector<float> lists;
  for (std::size_t i = 0; i < n; ++i)
    lists.insert(lists.end(), {4, 5, 6});
  t.set(one, 0, std::vector<std::int64_t>(n, 10));
  t.set(two, 0, std::vector<std::int32_t>(n, 20));
  t.set_list_values(many, lists);
  t.set(three, 0, std::vector(n / 2, std::array<double, 48>{6, 7, 8}));
  t.write_back({one, two, many, three});
}

} // namespace

TEST_CASE("objects come back whole or not at all") {
  // Through one pinned buffer, and more than one holds.
  for (const std::size_t n : {std::size_t(50), std::size_t(40'000)})
    for (const bool late : {true, false}) {
      fake_cuda::set_late(late);
      const objects before(n), after = moved(n);
      objects mine(n);
      move(mine);
      REQUIRE(mine == after);
      rt::current_device().finish_reading(); // it keeps nothing
      const fake_cuda::counts unused = fake_cuda::alive();
      bool has_failed = true;
      // Few objects: every call; many: those of the way back are among the last.
      for (long call = 1; has_failed; ++call) {
        INFO(n << " objects, call " << call << " fails");
        mine = before;
        rt::let_cuda_call_fail(call);
        try {
          move(mine);
        } catch (const ikra::error&) {
        }
        has_failed = rt::cuda_calls_until_failure() == 0;
        rt::let_cuda_call_fail(0);
        CHECK((mine == before || mine == after));
        rt::current_device().finish_reading();
        CHECK(fake_cuda::alive() == unused);
        REQUIRE(call < 5'000);
      }
    }
}

TEST_CASE("objects come to a GPU, and go, while the others stay there") {
  std::vector<std::unique_ptr<plain>> owners;
  const auto make = [&](std::int64_t one, std::size_t length) {
    owners.push_back(std::make_unique<plain>());
    *owners.back() = {one, 2, std::vector<float>(length, static_cast<float>(one))};
    return owners.back().get();
  };
  std::vector<plain*> pointers;
  for (int i = 0; i < 5; ++i)
    pointers.push_back(make(i, static_cast<std::size_t>(i)));
  using references = rt::references<plain, plain_class>;
  rt::device& gpu = rt::current_device();
  gpu.make_current(test_section);
  rt::object_graph graph(plan(), gpu);
  graph.leave_room();
  const std::vector<unsigned> columns{one, two, many};
  const rt::pointer_source base = source<references>(pointers);
  graph.trace({&base, 1}, {}, columns, test_section);
  graph.upload(columns, test_section);
  graph.keep(columns, test_section);
  const std::vector<rt::found_object> more{{make(5, 3), 0}, {make(6, 0), 0}, {make(7, 2), 0}};
  REQUIRE(graph.add(more, test_section));
  pointers.insert(pointers.end(), {owners[5].get(), owners[6].get(), owners[7].get()});
  REQUIRE(graph.rebase(0, source<references>(pointers), 5, test_section));
  CHECK(graph.base(0).in_order);
  CHECK(graph.base(0).size == 8);

  CHECK(graph.remove({owners[2].get(), 0}).size() == 1);
  CHECK(graph.remove({owners[2].get(), 0}).size() == 1); // which is not there any more
  owners[2].reset();
  pointers.erase(pointers.begin() + 2);
  REQUIRE(graph.rebase(0, source<references>(pointers), 0, test_section));
  CHECK_FALSE(graph.base(0).direct);

  for (const auto& object : owners)
    if (object != nullptr)
      *object = {-1, -1, std::vector<float>(object->many.size(), -1.0f)};
  owners[4]->two = 44; // alone
  const void* const member = &owners[4]->two;
  REQUIRE(graph.bring_members({owners[4].get(), 0}, {&member, 1}, test_section));
  graph.write_back(columns, test_section);
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] != nullptr) {
      const std::size_t length = i < 5 ? i : std::array<std::size_t, 3>{3, 0, 2}[i - 5];
      CHECK(*owners[i] == plain{static_cast<std::int64_t>(i), i == 4 ? 44 : 2,
                                std::vector<float>(length, static_cast<float>(i))});
    }
  // A list that does not fit, and more objects than there is room for: nothing is done.
  CHECK_FALSE(graph.add(std::vector<rt::found_object>{{make(8, 5000), 0}}, test_section));
  std::vector<rt::found_object> many_more;
  for (int i = 0; i < 1100; ++i)
    many_more.push_back({make(9, 0), 0});
  CHECK_FALSE(graph.add(many_more, test_section));
  CHECK(graph.table().objects[0].size() == 8);
  const std::vector<plain*> unknown{owners[8].get()};
  CHECK_FALSE(graph.rebase(0, source<references>(unknown), 0, test_section));
  CHECK(graph.rebase(0, source<references>(pointers), 0, test_section));
}

TEST_CASE("what sections capture in a scope comes to a GPU again where it has changed") {
  static constexpr rt::section_info info{"fake", "objects_test.cpp", 1, 1};
  rt::device& where = rt::current_device();
  rt::scope_captures captures;
  const auto bring = [&](const std::vector<int>& values) {
    return captures.bring(where, values.data(), values.size() * sizeof(int), info);
  };
  const auto has = [&](const std::shared_ptr<const rt::device_memory>& there,
                       const std::vector<int>& values) {
    std::vector<int> found(values.size());
    where.download(found.data(), there->data(), found.size() * sizeof(int), info);
    return found == values;
  };
  const auto uploads = [&](const std::vector<int>& values) {
    rt::let_cuda_call_fail(1'000'000);
    bring(values);
    const long calls = 1'000'000 - rt::cuda_calls_until_failure();
    rt::let_cuda_call_fail(0);
    return calls != 0;
  };
  std::vector<int> table(500, 1);
  CHECK(has(bring(table), table));
  CHECK(!uploads(table));
  CHECK(!uploads(std::vector<int>(table))); // in another place
  table[499] = 2;
  CHECK(uploads(table));
  CHECK(!uploads(table));
  CHECK(has(bring(table), table));

  // What a section has stays as it is, though its place has other values now.
  const std::shared_ptr<const rt::device_memory> mine = bring(table);
  const std::vector<int> before = table;
  table[0] = 3;
  const std::shared_ptr<const rt::device_memory> other = bring(table);
  CHECK(has(mine, before));
  CHECK(has(other, table));

  for (int k = 0; k < 60; ++k) { // changes each time, and then no more
    table[std::size_t(k)] = -k;
    REQUIRE(has(bring(table), table));
  }
  for (int k = 0; k < 40; ++k)
    REQUIRE(has(bring(table), table));
  CHECK(!uploads(table));

  std::vector<std::vector<int>> many;
  for (int k = 0; k < 30; ++k)
    many.push_back(std::vector<int>(std::size_t(10 + k % 3), k));
  for (const auto& each : many)
    REQUIRE(has(bring(each), each));
  for (const auto& each : many)
    REQUIRE(has(bring(each), each));
}
