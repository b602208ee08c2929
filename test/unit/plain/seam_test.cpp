// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The seam to generated code: sections that make their own commands, and buffers whose elements are
// elsewhere.
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using ikra::detail::array_access;
using ikra::detail::buffer;
using ikra::detail::command;
using ikra::detail::command_base;

/// Elements that lie behind remote::fetch, which counts.
template <class T> struct memory : ikra::detail::remote {
  explicit memory(std::vector<T> v) : values(std::move(v)) {}
  void fetch(void* destination, std::size_t bytes) override {
    if (fetches++ < failures)
      throw ikra::error(ikra::error_kind::device_error, "the copy failed");
    REQUIRE(bytes == values.size() * sizeof(T));
    std::memcpy(destination, static_cast<const void*>(values.data()), bytes);
  }
  std::vector<T> values;
  int fetches = 0;
  int failures = 0;
};

/// What generated code would make: adds `summand`, elsewhere.
struct add_section {
  using ikra_section_tag = void;
  int summand;
  std::vector<std::int64_t>* calls;
  long operator()(int) const; // declared for its result type, never run
  long operator()(int, std::int64_t) const;

  struct add_command final : command<long> {
    add_command(int s, std::shared_ptr<command<int>> i) : summand(s), input(std::move(i)) {}
    void collect_pending(std::vector<command_base*>& out) override {
      if (!input->computed())
        out.push_back(input.get());
    }
    void compute() override {
      std::vector<long> values;
      for (std::size_t i = 0; i < input->result().size(); ++i)
        values.push_back(input->result().data()[i] + summand);
      const std::size_t size = values.size();
      result_.set_remote(size, std::make_shared<memory<long>>(std::move(values)));
    }
    void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
      if (input)
        out.push_back(std::move(input));
    }
    int summand;
    std::shared_ptr<command<int>> input;
  };

  template <class T, int R, bool WithIndex>
  static std::shared_ptr<command<long>>
  make_map(const add_section& f, std::shared_ptr<command<T>> input, const ikra::index<R>& shape,
           std::bool_constant<WithIndex>) {
    f.calls->push_back(shape[0] * 10 + (WithIndex ? 1 : 0));
    return std::make_shared<add_command>(f.summand, std::move(input));
  }
  template <class T, int R, bool WithIndex>
  static void peach(const add_section& f, std::shared_ptr<command<T>> input,
                    const ikra::index<R>& shape, std::int64_t ticks,
                    std::bool_constant<WithIndex>) {
    ikra::detail::evaluate(*input);
    f.calls->push_back(ticks * static_cast<std::int64_t>(input->result().size()) * 10 +
                       (WithIndex ? 1 : 0));
    f.calls->push_back(shape[R - 1]);
  }
};

/// What the other operations would be given: each hook makes a command with a number that tells the
/// hook and what it got.
struct telling_section {
  using ikra_section_tag = void;
  // declared for their result types
  std::int64_t operator()(int, float) const;
  std::int64_t operator()(int, float, char) const;
  std::int64_t operator()(int, float, ikra::index<2>) const;
  std::int64_t operator()(ikra::index<3>) const;
  std::int64_t operator()(std::int64_t) const;
  std::int64_t operator()(std::int64_t, std::int64_t) const;

  template <class T> static std::shared_ptr<command<T>> tell(std::vector<T> values) {
    return std::make_shared<ikra::detail::value_command<T>>(buffer<T>(std::move(values)));
  }
  template <int R, class WithIndex, class T, class... More>
  static auto make_combine(const telling_section&, const ikra::index<R>& shape, WithIndex,
                           std::shared_ptr<command<T>> first,
                           std::shared_ptr<command<More>>... more) {
    ikra::detail::evaluate(*first);
    (ikra::detail::evaluate(*more), ...);
    return tell(std::vector<std::int64_t>{1, static_cast<std::int64_t>(sizeof...(More)), shape[0],
                                          WithIndex::value,
                                          static_cast<std::int64_t>(first->result().size()),
                                          static_cast<std::int64_t>(more->result().size())...});
  }
  template <int R> static auto make_new(const telling_section&, const ikra::index<R>& shape) {
    return tell(std::vector<std::int64_t>{2, R, shape[R - 1]});
  }
  template <class T>
  static auto make_reduce(const telling_section&, std::shared_ptr<command<T>> input) {
    ikra::detail::evaluate(*input);
    return tell(std::vector<T>{3, static_cast<T>(input->result().size())});
  }
  template <class Init, class T>
  static auto make_reduce_from(const telling_section&, Init init,
                               std::shared_ptr<command<T>> input) {
    ikra::detail::evaluate(*input);
    return tell(std::vector<Init>{4, init, static_cast<Init>(input->result().size())});
  }
  template <int R, class WithIndex, class T>
  static auto make_select(const telling_section&, const ikra::index<R>& shape, WithIndex,
                          std::shared_ptr<command<T>> input) {
    ikra::detail::evaluate(*input);
    return tell(std::vector<T>{5, R, static_cast<T>(shape[0]), WithIndex::value});
  }
};

} // namespace

TEST_CASE("each operation calls its own hook") {
  using numbers = std::vector<std::int64_t>;
  const telling_section f;
  const ikra::array<int, 2> x{std::vector<int>(6), {2, 3}};
  const ikra::array<float, 2> y{std::vector<float>(6), {2, 3}};
  CHECK(x.pcombine(y, f).to_vector() == numbers{1, 1, 2, 0, 6, 6});
  CHECK(x.with_index().pcombine(y, f).to_vector() == numbers{1, 1, 2, 1, 6, 6});
  const ikra::array a{std::vector<int>(4)};
  const ikra::array b{std::vector<float>(4)};
  const ikra::array c{std::vector<char>(4)};
  CHECK(a.pcombine(b, c, f).to_vector() == numbers{1, 2, 4, 0, 4, 4, 4});
  CHECK_THROWS_AS(a.pcombine(ikra::array{std::vector<float>(5)}, c, f), ikra::error);
  CHECK(ikra::pnew({2, 3, 4}, f).to_vector() == numbers{2, 3, 4});
  CHECK(ikra::pnew(7, f).to_vector() == numbers{2, 1, 7});
  CHECK_THROWS_AS(ikra::pnew(-1, f), ikra::error);

  const auto sum = ikra::array{numbers(9)}.preduce(f);
  static_assert(std::is_same_v<decltype(sum), const ikra::array<std::int64_t, 1>>);
  CHECK(sum.to_vector() == numbers{3, 9});
  const auto from = a.preduce(2.5, f);
  static_assert(std::is_same_v<decltype(from), const ikra::array<double, 1>>);
  CHECK(from.to_vector() == std::vector<double>{4, 2.5, 4});

  CHECK(ikra::array{numbers(9)}.pselect(f).to_vector() == numbers{5, 1, 9, 0});
  const ikra::array<std::int64_t, 2> wide{numbers(6), {2, 3}};
  const auto selected = wide.with_index().pselect(f);
  static_assert(std::is_same_v<decltype(selected), const ikra::array<std::int64_t, 1>>);
  CHECK(selected.to_vector() == numbers{5, 2, 2, 1});
  CHECK(selected.size() == 4);
}

TEST_CASE("sections of generated code make their own commands") {
  static_assert(ikra::detail::is_section<add_section>);
  static_assert(!ikra::detail::is_section<int (*)(int)>);
  std::vector<std::int64_t> calls;
  const add_section f{5, &calls};
  const auto doubled = ikra::array{std::vector<int>{1, 2}}.pmap([](int x) { return 2 * x; });
  const auto sums = doubled.pmap(f);
  static_assert(std::is_same_v<decltype(sums), const ikra::array<long, 1>>);
  CHECK(calls == std::vector<std::int64_t>{20});
  CHECK(sums.to_vector() == std::vector<long>{7, 9});
  CHECK(sums.pmap([](long x) { return x + 1; })[1] == 10);
  CHECK(doubled.with_index().pmap(f)[0] == 7);
  CHECK(doubled.reshape({2, 1}).pmap(f)(1, 0) == 9);
  CHECK(calls == std::vector<std::int64_t>{20, 21, 20});
}

TEST_CASE("sections of generated code run peach themselves") {
  std::vector<std::int64_t> calls;
  const add_section f{0, &calls};
  const ikra::array a{std::vector<int>{1, 2, 3}};
  a.peach(f);
  a.peach(7, f);
  a.with_index().peach(2, f);
  a.peach(0, f);
  CHECK(calls == std::vector<std::int64_t>{30, 3, 210, 3, 61, 3});
  calls.clear();
  ikra::array<int, 2>{std::vector<int>(8), {2, 4}}.with_index().peach(f);
  a.pselect([](int) { return true; }).peach(f);
  CHECK(calls == std::vector<std::int64_t>{81, 4, 30, ikra::detail::unknown_extent});
}

TEST_CASE("elements that are elsewhere are fetched once, when the host asks") {
  const auto elsewhere = std::make_shared<memory<int>>(std::vector<int>{4, 5, 6});
  buffer<int> b;
  b.set_remote(3, elsewhere);
  const buffer<int> copy = b;
  CHECK(b.size() == 3);
  CHECK_FALSE(b.on_host());
  CHECK(elsewhere->fetches == 0);
  CHECK(copy.data()[2] == 6);
  CHECK(b.data() == copy.data());
  CHECK(b.on_host());
  CHECK(elsewhere->fetches == 1);
  CHECK(b.remote() == elsewhere);
}

TEST_CASE("a fetch that failed is tried again") {
  const auto elsewhere = std::make_shared<memory<int>>(std::vector<int>{4});
  elsewhere->failures = 1;
  buffer<int> b;
  b.set_remote(1, elsewhere);
  CHECK_THROWS_AS(b.data(), ikra::error);
  CHECK(b.data()[0] == 4);
}

TEST_CASE("elements in host memory stay when they are copied elsewhere") {
  buffer<int> b(std::vector<int>{1, 2});
  const int* elements = b.data();
  CHECK(b.remote() == nullptr);
  const auto elsewhere = std::make_shared<memory<int>>(std::vector<int>{1, 2});
  b.set_remote(2, elsewhere);
  CHECK(b.data() == elements);
  CHECK(elsewhere->fetches == 0);
}

TEST_CASE("tuples can be elsewhere too") {
  using pair = std::tuple<int, int>;
  buffer<pair> b;
  b.set_remote(1, std::make_shared<memory<pair>>(std::vector<pair>{{1, 2}}));
  CHECK(b.data()[0] == pair{1, 2});
}

TEST_CASE("arrays are made from commands, and give them back") {
  const auto node =
      std::make_shared<ikra::detail::value_command<int>>(buffer<int>(std::vector<int>{1, 2, 3, 4}));
  const auto a = array_access::make<int, 2>(ikra::index{2, 2}, node);
  CHECK(a(1, 0) == 3);
  CHECK(array_access::command_of(a) == node);
  const auto unknown = array_access::make<int, 1>(ikra::index{ikra::detail::unknown_extent}, node);
  CHECK(unknown.size() == 4);
  CHECK(array_access::shape_of(unknown) == ikra::index{ikra::detail::unknown_extent});
}
