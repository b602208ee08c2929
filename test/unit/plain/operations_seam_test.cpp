// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a runtime can put in place of the library's loops: operations without sections, by
// detail::device_operations, and the hooks of sections for scans, sorts and reductions.
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace {

using ikra::detail::any_buffer;
using ikra::detail::command;
using ikra::detail::strided;

/// Notes what it is asked for. It does all for int, by writing numbers that no loop would give.
class noting final : public ikra::detail::device_operations {
public:
  noting() { ikra::detail::operations = this; }
  noting(const noting&) = delete;
  noting& operator=(const noting&) = delete;
  ~noting() override { ikra::detail::operations = nullptr; }

  bool view(const any_buffer& in, const strided& map, any_buffer& out) override {
    asked = "view of " + std::to_string(in.size()) + " at " + std::to_string(map.offset) + " by " +
            std::to_string(map.strides[0]);
    return fill(in, static_cast<std::size_t>(map.volume()), out);
  }
  bool concatenate(const any_buffer* const* in, std::size_t count, any_buffer& out) override {
    asked = "concatenate " + std::to_string(count);
    std::size_t size = 0;
    for (std::size_t k = 0; k < count; ++k)
      size += in[k]->size();
    return fill(*in[0], size, out);
  }
  bool gather(const any_buffer& in, const strided& space, const any_buffer& places,
              any_buffer& out) override {
    asked = "gather from " + std::to_string(space.shape[0]) + " by " +
            (places.element_type() == typeid(std::int64_t) ? "int64" : "others");
    return fill(in, places.size(), out);
  }
  bool scatter(const any_buffer& in, const strided& space, const any_buffer&, const void* init,
               any_buffer& out) override {
    int value = 0;
    std::memcpy(&value, init, sizeof value);
    asked = "scatter over " + std::to_string(value);
    return fill(in, static_cast<std::size_t>(space.volume()), out);
  }
  bool sort(const any_buffer& in, any_buffer& out) override {
    asked = "sort";
    return fill(in, in.size(), out);
  }
  bool sort_by(const any_buffer& keys, const any_buffer& in, any_buffer& out) override {
    asked = keys.element_type() == typeid(double) ? "sort by double" : "sort by others";
    return fill(in, in.size(), out);
  }
  bool histogram(const any_buffer& in, std::int64_t bins, any_buffer& out) override {
    asked = "histogram of " + std::to_string(in.size()) + " in " + std::to_string(bins);
    auto* counts = static_cast<std::int64_t*>(out.allocate(static_cast<std::size_t>(bins)));
    for (std::int64_t b = 0; b < bins; ++b)
      counts[b] = -b;
    return true;
  }
  bool first_of_runs(const any_buffer& in, any_buffer& out) override {
    asked = "first of runs";
    return fill(in, 1, out);
  }

  std::string asked;

private:
  static bool fill(const any_buffer& in, std::size_t size, any_buffer& out) {
    if (in.element_type() != typeid(int))
      return false;
    REQUIRE(in.element_bytes() == sizeof(int));
    REQUIRE(in.on_host());
    REQUIRE(in.elsewhere() == nullptr);
    const int first = *static_cast<const int*>(in.data());
    auto* elements = static_cast<int*>(out.allocate(size));
    for (std::size_t i = 0; i < size; ++i)
      elements[i] = 100 * first + static_cast<int>(i);
    return true;
  }
};

/// Each hook makes a command with numbers that tell the hook and what it got.
struct telling_section {
  using ikra_section_tag = void;
  int operator()(int, int) const; // declared, never run

  template <class T> static std::shared_ptr<command<T>> tell(std::vector<T> values) {
    return std::make_shared<ikra::detail::value_command<T>>(
        ikra::detail::buffer<T>(std::move(values)));
  }
  template <class T> static auto make_scan(const telling_section&, std::shared_ptr<command<T>>) {
    return tell(std::vector<T>{1, 0, 0, 0});
  }
  template <class Init, class T>
  static auto make_scan_from(const telling_section&, Init init, std::shared_ptr<command<T>>,
                             bool exclusive) {
    return tell(std::vector<Init>{2, init, exclusive ? Init(1) : Init(0), 0});
  }
  template <class T> static auto make_sort(const telling_section&, std::shared_ptr<command<T>>) {
    return tell(std::vector<T>{3, 0, 0, 0});
  }
  template <class K, class T>
  static auto make_reduce_by_key(const telling_section&, std::shared_ptr<command<K>> keys,
                                 std::shared_ptr<command<T>>,
                                 const std::shared_ptr<ikra::detail::found_keys<K>>& found) {
    ikra::detail::evaluate(*keys);
    found->put(ikra::detail::buffer<K>(std::vector<K>{keys->result().data()[0]}));
    return tell(std::vector<T>{4, static_cast<T>(keys->result().size())});
  }
  template <class Out, class T, int R>
  static auto make_reduce_axis(const telling_section&, std::optional<Out> init,
                               std::shared_ptr<command<T>>, const ikra::index<R>& shape, int axis) {
    return tell(std::vector<Out>{5, init ? *init : Out(-1), static_cast<Out>(shape[axis])});
  }
};

} // namespace

TEST_CASE("operations without sections ask the runtime, with their inputs and parameters") {
  noting runtime;
  const ikra::array a{std::vector<int>{5, 3, 4}};
  const ikra::array places{std::vector<std::int64_t>{2, 0}};
  using ints = std::vector<int>;
  CHECK(a.slice(2, 0, -1).to_vector() == ints{500, 501});
  CHECK(runtime.asked == "view of 3 at 2 by -1");
  CHECK(a.concatenate(a, a).size() == 9);
  CHECK(a.concatenate(a, a)[8] == 508);
  CHECK(runtime.asked == "concatenate 3");
  CHECK(a.pgather(places).to_vector() == ints{500, 501});
  CHECK(runtime.asked == "gather from 3 by int64");
  CHECK(ikra::array{ints{7, 8}}.pscatter(places, 3, 9).to_vector() == ints{700, 701, 702});
  CHECK(runtime.asked == "scatter over 9");
  CHECK(a.psort()[2] == 502);
  CHECK(runtime.asked == "sort");
  CHECK(a.psort_by([](int x) { return 0.5 * x; })[1] == 501);
  CHECK(runtime.asked == "sort by double");
  CHECK(a.phistogram(4).to_vector() == std::vector<std::int64_t>{0, -1, -2, -3});
  CHECK(runtime.asked == "histogram of 3 in 4");
  CHECK(a.preduce_by_key(a, std::plus<>{}).first.to_vector() == ints{500});
  CHECK(runtime.asked == "first of runs");
}

TEST_CASE("what a runtime does not do, the loops do") {
  const noting runtime;
  const ikra::array a{std::vector<float>{5, 3, 4}};
  CHECK(a.psort().to_vector() == std::vector<float>{3, 4, 5});
  CHECK(runtime.asked == "sort");
  CHECK(a.slice(2, -1, -1)[0] == 4);
  CHECK(a.concatenate(a)[3] == 5);
  CHECK(a.pscatter(ikra::array{std::vector<int>{2, 1, 0}}, 3)[0] == 4);
  CHECK(a.preduce_by_key(a, std::plus<>{}).first.size() == 3);
}

TEST_CASE("elements that are no bytes never go to a runtime") {
  const noting runtime;
  const ikra::array words{std::vector<std::string>{"b", "a"}};
  CHECK(words.psort()[0] == "a");
  CHECK(words.slice(1, 2)[0] == "a");
  CHECK(words.concatenate(words).size() == 4);
  CHECK(words.concatenate(words)[3] == "a");
  CHECK(runtime.asked.empty());
}

TEST_CASE("sections of generated code make their own scans, sorts and reductions") {
  const telling_section f;
  const ikra::array a{std::vector<int>{1, 2, 3, 4}};
  using ints = std::vector<int>;
  CHECK(a.pscan(f).to_vector() == ints{1, 0, 0, 0});
  CHECK(a.pscan(0.5, f).to_vector() == std::vector<double>{2, 0.5, 0, 0});
  CHECK(a.pscan_exclusive(7, f).to_vector() == ints{2, 7, 1, 0});
  CHECK(a.psort(f).to_vector() == ints{3, 0, 0, 0});
  const auto [keys, sums] = a.preduce_by_key(a.pmap([](int x) { return 8 * x; }), f);
  CHECK(sums.to_vector() == ints{4, 4});
  CHECK(keys.to_vector() == ints{8}); // as the section found them
  const ikra::array<int, 2> grid{std::vector<int>(6), {3, 2}};
  CHECK(grid.preduce_axis(1, f).to_vector() == ints{5, -1, 2});
  CHECK(grid.transpose().preduce_axis(0, 8, f).to_vector() == ints{5, 8, 2});
}

TEST_CASE("the map of a view can be read before it is computed") {
  const ikra::array<int, 2> grid{std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}};
  const auto turned = grid.transpose().slice({1, 0}, {3, 2});
  const auto node = ikra::detail::array_access::command_of(turned);
  const auto* view = dynamic_cast<const ikra::detail::view_command<int>*>(node.get());
  REQUIRE(view != nullptr);
  CHECK(view->source<0>() == ikra::detail::array_access::command_of(grid));
  CHECK(view->map().offset == 1);
  CHECK(view->map().strides[0] == 1);
  CHECK(view->map().strides[1] == 3);
  CHECK(view->map().shape[0] == 2);
  CHECK(turned[0] == 2);
  CHECK(view->source<0>() == nullptr);
}
