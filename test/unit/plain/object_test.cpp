// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections over objects: peach, ticks, owners, null elements, and what IKRA_OBJECT and resident
// mean here.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {

class street {
public:
  IKRA_OBJECT; // with a semicolon
  explicit street(float length) : length_(length) {}
  float length() const { return length_; }

private:
  float length_;
};

class actor {
IKRA_OBJECT // without
    public : explicit actor(const street* s)
    : street_(s) {}
  actor(const actor&) = delete;
  actor& operator=(const actor&) = delete;
  virtual ~actor() = default;
  virtual void move(float hours) = 0;
  float progress() const { return progress_; }
  float left() const { return street_->length() - progress_; }

protected:
  void advance(float by) { progress_ += by; }

private:
  const street* street_;
  float progress_ = 0;
};

class car : public actor {
public:
  using actor::actor;
  void move(float hours) override { advance(60 * hours); }
};

class pedestrian : public actor {
public:
  IKRA_OBJECT
  using actor::actor;
  void move(float hours) override { advance(4 * hours); }
};

struct cell {
  int value = 0;
  int seen = 0;
};

} // namespace

TEST_CASE("peach runs virtual methods at once, in order, ticks times") {
  const street s(100);
  std::vector<std::unique_ptr<actor>> actors;
  actors.push_back(std::make_unique<car>(&s));
  actors.push_back(std::make_unique<pedestrian>(&s));
  const ikra::array all{actors};
  static_assert(std::is_same_v<decltype(all), const ikra::array<actor*, 1>>);
  all.peach([](actor* a) { a->move(0.5F); });
  CHECK(actors[0]->progress() == 30);
  CHECK(actors[1]->progress() == 2);
  const float hours = 0.25F;
  all.peach(4, [=](actor* a) { a->move(hours); });
  CHECK(actors[0]->progress() == 90);
  const auto left = all.pmap([](const actor* a) { return a->left(); });
  CHECK(left.to_vector() == std::vector{10.0F, 94.0F});
  CHECK(all.pmap(&actor::progress)[1] == 6);
}

TEST_CASE("no ticks, or fewer, do nothing") {
  std::vector<cell> cells(2);
  const auto count = [](cell* c) { ++c->value; };
  ikra::objects(cells).peach(0, count);
  ikra::objects(cells).peach(-3, count);
  CHECK(cells[0].value == 0);
}

TEST_CASE("a section that takes an integer after the element gets the tick") {
  std::vector<cell> cells(3);
  const auto all = ikra::objects(cells);
  all.peach(4, [](cell* c, std::int64_t tick) { c->value = c->value * 10 + int(tick); });
  CHECK(cells[0].value == 123);
  CHECK(cells[2].value == 123);
  all.with_index().peach(2, [](cell* c, std::int64_t i) { c->seen += int(i); });
  CHECK(cells[2].seen == 4);
  all.with_index().peach(
      3, [](cell* c, std::int64_t i, std::int64_t tick) { c->seen = int(i * 100 + tick); });
  CHECK(cells[1].seen == 102);
}

TEST_CASE("a tick sees what the ticks before wrote, of any element") {
  std::vector<cell> cells(4);
  cells[0].value = 1;
  const std::vector<cell>* all = &cells;
  ikra::objects(cells).with_index().peach(6, [all](cell* c, std::int64_t i, std::int64_t tick) {
    if (tick % 2 == 0)
      c->seen = (*all)[std::size_t(i == 0 ? 3 : i - 1)].value;
    else
      c->value = c->seen;
  });
  CHECK(cells[3].value == 1);
  CHECK(cells[0].value == 0);
}

TEST_CASE("peach over values gets them by value, and may write through captured pointers") {
  cell total;
  ikra::array<int, 2> values{std::vector<int>{1, 2, 3, 4}, {2, 2}};
  values.peach([&total](int v) { ikra::atomic_add(total.value, v); });
  values.with_index().peach(
      [p = &total](int v, ikra::index<2> i) { ikra::atomic_max(p->seen, v * int(i[1])); });
  CHECK(total.value == 10);
  CHECK(total.seen == 4);
}

TEST_CASE("vectors of owners give arrays of pointers") {
  const std::vector<std::shared_ptr<cell>> shared{std::make_shared<cell>(), nullptr};
  const ikra::array a{shared};
  static_assert(std::is_same_v<decltype(a), const ikra::array<cell*, 1>>);
  CHECK(a[0] == shared[0].get());
  CHECK(a[1] == nullptr);
  const ikra::array<const cell*> read_only{shared};
  CHECK(read_only[0] == shared[0].get());
}

TEST_CASE("objects() points at the elements of a vector") {
  std::vector<cell> cells(2);
  CHECK(ikra::objects(cells)[1] == &cells[1]);
  const std::vector<cell>& constant = cells;
  static_assert(std::is_same_v<decltype(ikra::objects(constant)), ikra::array<const cell*, 1>>);
  CHECK(ikra::objects(constant)[0] == cells.data());
}

TEST_CASE("objects() of the same objects is the same array, and of others another") {
  using ikra::detail::array_access;
  const auto pointers = [](auto& values) {
    return array_access::command_of(ikra::objects(values));
  };
  std::vector<cell> cells(2), others(2);
  cells.reserve(8);
  const auto first = pointers(cells);
  CHECK(pointers(cells) == first);
  CHECK(pointers(others) != first);
  CHECK(pointers(std::as_const(cells))->result().data()[1] == &cells[1]);
  CHECK(ikra::objects(std::span(cells).first(1)).to_vector() == std::vector{&cells[0]});
  CHECK(pointers(cells) == first);
  cells.emplace_back(); // at the same place
  CHECK(ikra::objects(cells).to_vector() == std::vector{&cells[0], &cells[1], &cells[2]});
  for (int i = 0; i < 6; ++i) {
    std::vector<cell> more(std::size_t(i) + 1);
    CHECK(ikra::objects(more)[i] == &more[std::size_t(i)]);
  }
  CHECK(first->result().size() == 2); // a use keeps it
}

TEST_CASE("objects() of smart pointers is the same array while they own the same objects") {
  using ikra::detail::array_access;
  const auto pointers = [](auto& owners) {
    return array_access::command_of(ikra::objects(owners));
  };
  std::vector<std::unique_ptr<cell>> owners(3);
  std::vector<std::shared_ptr<const cell>> shared(3);
  for (auto& owner : owners)
    owner = std::make_unique<cell>();
  const auto first = pointers(owners);
  const auto of_shared = pointers(shared);
  CHECK(pointers(owners) == first);
  CHECK(array_access::command_of(ikra::array<cell*>{owners}) == first);
  CHECK(array_access::command_of(ikra::array<const cell*>{owners})->result().data()[2] ==
        owners[2].get());
  std::swap(owners[0], owners[2]);
  CHECK(pointers(owners) != first);
  CHECK(ikra::objects(owners)[0] == owners[0].get());
  CHECK(first->result().data()[0] == owners[2].get());
  owners[1] = nullptr;
  CHECK(ikra::objects(owners)[1] == nullptr);
  owners.pop_back();
  CHECK(ikra::objects(owners).size() == 2);
  CHECK(pointers(shared) == of_shared);
  shared[1] = std::make_shared<cell>();
  CHECK(ikra::objects(shared)[1] == shared[1].get());
}

TEST_CASE("many objects are held while somebody has them") {
  std::vector<cell> cells((std::size_t(1) << 20U) + 1);
  std::weak_ptr<void> known;
  {
    const auto all = ikra::array{ikra::objects(cells)};
    const auto pointers = ikra::detail::array_access::command_of(all);
    known = pointers;
    CHECK(ikra::detail::array_access::command_of(ikra::objects(cells)) == pointers);
  }
  CHECK(known.expired());
  CHECK(ikra::objects(cells)[7] == &cells[7]);
}

// Destroyed after the arrays that the thread keeps.
struct last_section {
  std::vector<cell> cells{3};
  ~last_section() {
    ikra::objects(cells).peach([](cell* c) { ++c->value; });
    if (cells[2].value != 1)
      std::_Exit(1);
  }
};
last_section at_the_end; // NOLINT(cert-err58-cpp)

TEST_CASE("objects() of smart pointers is the objects that they own") {
  std::vector<std::unique_ptr<cell>> owners(2);
  owners[1] = std::make_unique<cell>();
  const auto all = ikra::objects(owners);
  static_assert(std::is_same_v<decltype(all), const ikra::array<cell*, 1>>);
  CHECK(all[0] == nullptr);
  CHECK(all[1] == owners[1].get());
  const std::array<std::shared_ptr<const cell>, 1> shared{std::make_shared<cell>()};
  static_assert(std::is_same_v<decltype(ikra::objects(shared)), ikra::array<const cell*, 1>>);
  CHECK(ikra::objects(shared)[0] == shared[0].get());
}

TEST_CASE("results and selected elements may be pointers to objects") {
  std::vector<cell> cells(3);
  cells[1].value = 5;
  const auto chosen = ikra::objects(cells).pselect([](const cell* c) { return c->value > 0; });
  CHECK(chosen.to_vector() == std::vector<cell*>{&cells[1]});
  const auto next = ikra::objects(cells).pmap([](cell* c) { return c + 1; });
  CHECK(next[0] == &cells[1]);
}

TEST_CASE("null elements are legal where the section tests for them") {
  cell c;
  const ikra::array some{std::vector<cell*>{&c, nullptr, &c}};
  some.peach([](cell* p) {
    if (p != nullptr)
      ++p->value;
  });
  CHECK(c.value == 2);
  CHECK(some.count([](const cell* p) { return p == nullptr; }) == 1);
}

#if defined(IKRA_DETAIL_NULL_GUARD)

TEST_CASE("dereferencing a null element is an error that names the element") {
  cell c;
  const ikra::array some{std::vector<cell*>{&c, &c, nullptr, &c}};
  CHECK(kind_of([&] { some.peach([](cell* p) { p->value += 1; }); }) == error_kind::null_element);
  CHECK(c.value == 2); // the elements before it
  const auto values = some.pmap([](const cell* p) { return p->seen; });
  CHECK(kind_of([&] { values[0]; }) == error_kind::null_element);
  CHECK(kind_of([&] { values[0]; }) == error_kind::null_element); // and again
  CHECK_THROWS_WITH(values[0], Catch::Contains("pmap") && Catch::Contains("element 2"));
  CHECK_THROWS_WITH(some.pselect(&cell::value).size(), Catch::Contains("pselect"));
  CHECK_THROWS_WITH(some.pcombine(some, [](cell*, cell* q) { return q->value; })[0],
                    Catch::Contains("pcombine"));
}

TEST_CASE("dereferencing another null pointer in a section is the same error") {
  car broken(nullptr);
  const ikra::array actors{std::vector<actor*>{&broken}};
  const auto left = actors.pmap([](const actor* a) { return a->left(); });
  CHECK(kind_of([&] { left[0]; }) == error_kind::null_element);
  const cell* nowhere = nullptr;
  const auto copies = ikra::pnew(3, [nowhere](std::int64_t) { return nowhere->seen; });
  CHECK(kind_of([&] { copies[0]; }) == error_kind::null_element);
}

TEST_CASE("a null dereference while a captured array is being computed belongs to that array") {
  cell c;
  const ikra::array broken{std::vector<cell*>{nullptr}};
  const ikra::array fine{std::vector<cell*>{&c, &c}};
  const auto inner = broken.pmap([](const cell* p) { return p->value; });
  const auto outer =
      fine.pmap([&inner](const cell* p) { // NOLINT: by reference, so computed in here
        return p->value + inner[0];
      });
  CHECK_THROWS_WITH(outer[0], Catch::Contains("element 0"));
  fine.peach([](cell* p) { ++p->value; });
  CHECK(c.value == 2);
}

#endif

TEST_CASE("a resident scope changes nothing in a plain build") {
  std::vector<cell> cells(2);
  const std::vector<std::unique_ptr<actor>> actors;
  const auto all = ikra::objects(cells);
  ikra::resident scope{all, cells, actors};
  static_assert(!std::is_copy_constructible_v<ikra::resident>);
  all.peach([](cell* c) { c->value = 1; });
  scope.sync();
  CHECK(cells[1].value == 1);
  cells[0].value = 2;
  scope.changed(cells);
  scope.changed();
  scope.changed(&cells[0], std::as_const(all), ikra::objects(cells));
  CHECK(all.pmap(&cell::value).to_vector() == std::vector{2, 1});
}
