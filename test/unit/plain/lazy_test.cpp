// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When things are computed, how often, and what is kept: the lazy graph as its users can see it.
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {
/// Counts the calls of a section; sections are called as const and copied, so the count is shared.
struct counting {
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  int operator()(int x) const {
    ++*calls;
    return x + 1;
  }
};
const std::vector<int> three{1, 2, 3};
} // namespace

TEST_CASE("nothing is computed before the first access, and everything once") {
  const counting f;
  const auto a = ikra::array{three}.pmap(f);
  const auto copy = a;
  const auto sum = a.preduce(std::plus<>{});
  CHECK(a.size() == 3);
  CHECK(*f.calls == 0);
  CHECK(sum[0] == 9);
  CHECK(*f.calls == 3);
  CHECK(a[1] == 3);
  CHECK(copy.to_vector() == std::vector{2, 3, 4});
  CHECK(*f.calls == 3);
}

TEST_CASE("the size of a selection computes it, once") {
  const auto calls = std::make_shared<int>(0);
  const auto a = ikra::array{three}.pselect([calls](int x) {
    ++*calls;
    return x > 1;
  });
  CHECK(*calls == 0);
  CHECK(a.size() == 2);
  CHECK(a[0] == 2);
  CHECK(*calls == 3);
}

TEST_CASE("objects are read when an array is computed, not when it is made") {
  struct object {
    int value;
  };
  object o{1};
  std::vector<object*> pointers{&o};
  const auto values = ikra::array{pointers}.pmap([](const object* p) { return p->value; });
  pointers[0] = nullptr; // the array has its own copy
  o.value = 2;
  CHECK(values[0] == 2);
  o.value = 3;
  CHECK(values[0] == 2);
}

TEST_CASE("what a section threw is thrown again, and the section is not called again") {
  const auto calls = std::make_shared<int>(0);
  const auto a = ikra::array{three}.pmap([calls](int x) {
    ++*calls;
    if (x == 2)
      throw std::domain_error("two");
    return x;
  });
  const auto b = a.pmap([](int x) { return x; });
  CHECK_THROWS_AS(b[0], std::domain_error);
  CHECK_THROWS_WITH(b.to_vector(), "two");
  CHECK_THROWS_AS(a[0], std::domain_error);
  CHECK(*calls == 2);
}

TEST_CASE("an array is ready once it was started, and keeps an error for whoever asks") {
  int calls = 0;
  const auto a = ikra::array{three}.pmap([&calls](int x) { return x + ++calls; });
  CHECK_FALSE(a.ready());
  CHECK_FALSE(a.ready()); // asking begins nothing
  CHECK(calls == 0);
  a.start();
  CHECK(a.ready());
  CHECK(calls == 3);
  a.start();
  a.wait();
  CHECK(a[2] == three[2] + 3);
  CHECK(calls == 3);

  const auto failing = ikra::array{three}.pmap([](int) -> int { throw std::domain_error("no"); });
  const auto after = failing.pmap([](int x) { return x; });
  after.start();
  CHECK(after.ready());
  CHECK_THROWS_WITH(after.wait(), "no");
  CHECK_THROWS_WITH(failing[0], "no");

  const ikra::array<int> none;
  none.start();
  none.wait();
  CHECK(none.ready());
  CHECK(ikra::array{three}.ready());
}

TEST_CASE("inputs and captures are released once an array is computed") {
  const auto witness = std::make_shared<int>(7);
  const std::weak_ptr<int> alive = witness;
  auto make = [](std::shared_ptr<int> held) {
    return ikra::array{three}
        .pmap([held = std::move(held)](int x) { return x + *held; })
        .pmap([](int x) { return 2 * x; });
  };
  const auto a = make(witness);
  CHECK(alive.use_count() == 2);
  CHECK(a[0] == 16);
  CHECK(alive.use_count() == 1);
}

TEST_CASE("captures are released as well when computing fails, or never happens") {
  const auto held = std::make_shared<int>(1);
  {
    const auto failing = ikra::array{three}.pmap(
        [held](int x) -> int { throw std::domain_error(std::to_string(x + *held)); });
    CHECK_THROWS_AS(failing[0], std::domain_error);
    CHECK(held.use_count() == 1);
    const auto dropped = ikra::array{three}.pmap([held](int x) { return x + *held; });
    CHECK(held.use_count() == 2);
  }
  CHECK(held.use_count() == 1);
}

TEST_CASE("a chain of a million commands is computed without recursion") {
  auto a = ikra::array{three};
  for (int i = 0; i < 1'000'000; ++i)
    a = a.pmap([](int x) { return x ^ 1; });
  CHECK(a.to_vector() == three);
}

TEST_CASE("a chain of a million commands is dropped without recursion") {
  const auto held = std::make_shared<int>(0);
  {
    auto a = ikra::array{three};
    for (int i = 0; i < 1'000'000; ++i)
      a = a.pmap([](int x) { return x + 1; });
    a = a.pmap([held](int x) { return x; });
  }
  CHECK(held.use_count() == 1);
}

TEST_CASE("a chain through captured arrays neither recurses") {
  auto a = ikra::array{three};
  for (int i = 0; i < 200'000; ++i)
    a = ikra::pnew(3, [a](std::int64_t k) { return a[2 - k]; });
  auto dropped = a;
  for (int i = 0; i < 200'000; ++i)
    dropped = ikra::pnew(3, [dropped](std::int64_t k) { return dropped[k]; });
  dropped = {};
  CHECK(a.to_vector() == three);
}

TEST_CASE("diamonds are computed once per array, however deep") {
  const counting f;
  auto a = ikra::array{std::vector<std::int64_t>{1}};
  for (int i = 0; i < 60; ++i) {
    const auto left = a.pmap([](std::int64_t x) { return x; });
    const auto right = a.pmap([g = f](std::int64_t x) { return x + 0 * g(0); });
    a = left.pcombine(right, std::plus<>{});
  }
  CHECK(a[0] == std::int64_t{1} << 60);
  CHECK(*f.calls == 60);
}

TEST_CASE("an array that depends on one array twice is computed once") {
  const counting f;
  const auto a = ikra::array{three}.pmap(f);
  CHECK(a.pcombine(a, std::plus<>{}).to_vector() == std::vector{4, 6, 8});
  CHECK(*f.calls == 3);
}

TEST_CASE("captured arrays are computed before peach writes what they read") {
  struct cell {
    int value;
  };
  std::vector<cell> cells{{1}, {2}, {3}};
  const auto objects = ikra::objects(cells);
  const auto before = objects.pmap([](const cell* c) { return c->value; });
  objects.with_index().peach([before](cell* c, std::int64_t i) {
    c->value = 100;
    c->value += before[2 - i];
  });
  CHECK(cells[0].value == 103);
  CHECK(cells[2].value == 101);
}
