// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory arrays take while they are computed: an elementwise result takes that of an input
// which nothing else reads, others have their own. What is held keeps its elements.
#include "value_sections.hpp"

#include <cstdint>
#include <vector>

using namespace ikra_unit_values;

namespace {

constexpr std::size_t n = std::size_t(1) << 20;
constexpr std::size_t bytes = n * sizeof(std::int32_t);

struct next {
  IKRA_HD std::int32_t operator()(std::int32_t x) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) * 5U + 3U);
  }
};
struct as_float {
  IKRA_HD float operator()(std::int32_t x) const { return static_cast<float>(x % 1024) / 4; }
};
struct widened {
  IKRA_HD std::int64_t operator()(std::int32_t x) const { return std::int64_t(x) << 20; }
};
struct difference {
  IKRA_HD std::int32_t operator()(std::int32_t a, std::int32_t b) const { return a - 2 * b; }
};
struct average {
  template <class Window> IKRA_HD std::int32_t operator()(const Window& v) const {
    return (v[-1] & 1023) + (v[1] & 1023);
  }
};

using numbers = ikra::array<std::int32_t, 1>;

/// Has the array computed where the section runs. Reading an element would bring it to the host.
numbers computed(const numbers& a) {
  ikra::detail::evaluate(*ikra::detail::array_access::command_of(a));
  return a;
}
numbers first() {
  return computed(
      numbers(counted<std::int32_t>(n)).pmap(combine_section<std::int32_t, next, std::int32_t>()));
}
numbers mapped(const numbers& a) {
  return a.pmap(combine_section<std::int32_t, next, std::int32_t>());
}

/// The most arrays of n numbers at once since this was called last.
std::size_t most_arrays() { return rt::current_device().take_peak() / bytes; }

std::vector<std::int32_t> expected(int turns) {
  std::vector<std::int32_t> all = counted<std::int32_t>(n);
  for (std::int32_t& x : all)
    for (int k = 0; k < turns; ++k)
      x = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) * 5 + 3);
  return all;
}

} // namespace

TEST_CASE("a map takes the memory of an input that nothing else reads", "[memory]") {
  numbers a = first();
  most_arrays();
  for (int k = 0; k < 10; ++k) {
    a = mapped(a);
    computed(a);
  }
  CHECK(most_arrays() == 1);
  CHECK(a.to_vector() == expected(11));
}

TEST_CASE("what the program holds keeps its elements", "[memory]") {
  numbers a = first();
  const numbers held = a, shared = held.reshape({std::int64_t(n)});
  most_arrays();
  for (int k = 0; k < 4; ++k) {
    a = mapped(a);
    computed(a);
  }
  CHECK(most_arrays() == 2);
  CHECK(held.to_vector() == expected(1));
  CHECK(a.to_vector() == expected(5));

  SECTION("also if another shape of it is held") {
    numbers b = first();
    const auto other = b.reshape({1024, std::int64_t(n / 1024)});
    CHECK(other(0, 1) == expected(1)[1]);
    b = computed(mapped(b));
    CHECK(other.to_vector() == expected(1));
    CHECK(b.to_vector() == expected(2));
  }
  SECTION("also if an uncomputed command reads it") {
    numbers b = first();
    const numbers later = mapped(b);
    b = computed(mapped(mapped(b)));
    CHECK(later.to_vector() == expected(2));
    CHECK(b.to_vector() == expected(3));
  }
  SECTION("also if it came from the program's own vector") {
    std::vector<std::int32_t> own = counted<std::int32_t>(n);
    const numbers b(own);
    CHECK(computed(mapped(b)).to_vector() == expected(1));
    CHECK(b.to_vector() == own);
  }
}

TEST_CASE("combinations take one input's memory, of the same size", "[memory]") {
  numbers a = first();
  const numbers b = computed(mapped(a));
  most_arrays();
  a = a.pcombine(b, combine_section<std::int32_t, difference, std::int32_t, std::int32_t>());
  computed(a);
  CHECK(most_arrays() == 2);
  const auto x = expected(1), y = expected(2);
  const auto found = a.to_vector();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += found[i] == static_cast<std::int32_t>(static_cast<std::uint32_t>(x[i]) -
                                                   2 * static_cast<std::uint32_t>(y[i]))
                 ? 0
                 : 1;
  CHECK(wrong == 0);

  SECTION("an array that is both inputs is still read twice") {
    numbers twice = first();
    twice = twice.pcombine(twice,
                           combine_section<std::int32_t, difference, std::int32_t, std::int32_t>());
    CHECK(twice[77] == -x[77]);
  }
  SECTION("elements may be of another type") {
    most_arrays();
    const auto floats = mapped(first()).pmap(combine_section<float, as_float, std::int32_t>());
    CHECK(floats[5] == static_cast<float>(y[5] % 1024) / 4);
    // a and b are there; a GPU has a copy of the program's numbers, too.
    CHECK(most_arrays() <= (rt::current_device().is_cuda() ? 4 : 3));
  }
  SECTION("but not of another size") {
    const auto wide = first().pmap(combine_section<std::int64_t, widened, std::int32_t>());
    CHECK(wide[n - 1] == std::int64_t(x[n - 1]) << 20);
  }
}

TEST_CASE("a chain that nobody asks for keeps few of the arrays that it reads", "[memory]") {
  numbers sum = first(), p = first();
  most_arrays();
  for (int k = 0; k < 40; ++k) {
    sum = sum.pcombine(p, combine_section<std::int32_t, difference, std::int32_t, std::int32_t>());
    p = mapped(p);
    computed(p);
  }
  CHECK(most_arrays() <= 8);
  auto expected_sum = static_cast<std::uint32_t>(expected(1)[9]);
  auto x = expected_sum;
  for (int k = 0; k < 40; ++k, x = x * 5 + 3)
    expected_sum -= 2 * x;
  CHECK(sum[9] == static_cast<std::int32_t>(expected_sum));

  SECTION("but is left alone while something that it reads is not computed") {
    most_arrays();
    numbers none = first(), later = mapped(first());
    for (int k = 0; k < 40; ++k)
      none = none.pcombine(later,
                           combine_section<std::int32_t, difference, std::int32_t, std::int32_t>());
    CHECK(most_arrays() <= 5); // sum, p and two of its own
  }
}

TEST_CASE("a stencil in a loop has two buffers", "[memory]") {
  numbers a = first();
  most_arrays();
  for (int k = 0; k < 6; ++k) {
    a = a.pstencil({-1, 1}, 0,
                   stencil_section<std::int32_t, std::int32_t, rt::footprint<rt::extent<-1, 1>>,
                                   rt::border::value, average>());
    computed(a);
  }
  CHECK(most_arrays() == 2);
}
