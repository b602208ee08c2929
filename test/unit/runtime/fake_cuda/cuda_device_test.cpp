// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU's device without a GPU: its copies, arrays in parts, and what happens when a CUDA call
// fails. The sections' drivers queue their loops where emitted code launches kernels.
#include <catch2/catch.hpp>

#include "fake_cuda.hpp"

#include "cuda/calls.hpp"

#include <ikra/generated.hpp>
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rt = ikra::rt;

namespace {

/// Read once in a process.
[[maybe_unused]] const bool are_set = [] {
  ::setenv("IKRA_DEVICE", "cuda", 1);
  ::setenv("IKRA_DEVICE_MEMORY", "200M", 1);
  return true;
}();

constexpr rt::section_info info{"fake", "cuda_device_test.cpp", 1, 1};

struct weighted; // tags
struct add_from;
struct odd;
struct shift;
struct twice;
struct descending;
struct with_place;
struct least_so_far;

/// Where the parts of an array found the captured vector.
std::vector<const void*> tables_seen;

/// A session that launches nothing.
struct only_captures : rt::session_base {
  explicit only_captures(const ikra::map_call& call) : session_base(nullptr, info, call, true) {}
};

std::int64_t weigh(std::int32_t x, std::int32_t y) { return std::int64_t(3) * x + y; }

std::vector<std::int32_t> numbers(std::size_t n, std::int32_t first) {
  std::vector<std::int32_t> result(n);
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// The input's elements on the device, as sessions bring them there.
const std::int32_t* input(ikra::map_call& call, std::size_t k, rt::device& where) {
  auto& elements = call.input(k).get<std::int32_t>();
  if (!where.is_cuda())
    return elements.data();
  if (const auto there = elements.remote())
    return static_cast<const std::int32_t*>(
        dynamic_cast<rt::device_elements&>(*there).memory().data());
  rt::device_memory memory(where, elements.size() * sizeof(std::int32_t), "input array", info);
  where.upload(memory.data(), elements.data(), memory.bytes(), info);
  const auto* const result = static_cast<const std::int32_t*>(memory.data());
  elements.set_remote(elements.size(),
                      std::make_shared<rt::device_elements>(std::move(memory), info));
  return result;
}

/// The streams that kernels went to.
std::vector<const void*> streams_of_kernels;

/// Queues fill(results), n of them at most; they are the output. All cores compute them at once.
template <class Out, class Fill> void give(ikra::map_call& call, std::size_t n, const Fill& fill) {
  rt::device& where = rt::current_device();
  if (!where.is_cuda()) {
    std::vector<Out> results(n);
    fill(results.data());
    call.output<Out>() = ikra::detail::buffer<Out>(std::move(results));
    return;
  }
  rt::device_memory memory(where, n * sizeof(Out), "result array", info);
  streams_of_kernels.push_back(where.stream());
  fake_cuda::launch(where.stream(), [fill, to = static_cast<Out*>(memory.data())] { fill(to); });
  where.check_launch(info);
  call.output<Out>().set_remote(n, std::make_shared<rt::device_elements>(std::move(memory), info));
}

} // namespace

template <> struct ikra::section_code<weighted> {
  static void run(ikra::map_call& call) {
    rt::device& where = rt::current_device();
    const std::size_t n = call.input(0).size();
    const auto *const x = input(call, 0, where), *const y = input(call, 1, where);
    give<std::int64_t>(call, n, [=](std::int64_t* to) { std::transform(x, x + n, y, to, weigh); });
  }
};

template <> struct ikra::section_code<add_from> {
  static void run(ikra::map_call& call) {
    const std::size_t n = call.input(0).size();
    const std::int32_t* const x = input(call, 0, rt::current_device());
    give<std::int64_t>(call, 1, [x, n, first = call.initial<std::int64_t>()](std::int64_t* to) {
      *to = std::accumulate(x, x + n, first);
    });
  }
};

template <> struct ikra::section_code<odd> {
  static void run(ikra::map_call& call) {
    rt::device& where = rt::current_device();
    const std::size_t n = call.input(0).size();
    const std::int32_t* const x = input(call, 0, where);
    if (!where.is_cuda()) {
      std::vector<std::int32_t> kept;
      std::copy_if(x, x + n, std::back_inserter(kept), [](std::int32_t i) { return i % 2 != 0; });
      call.output<std::int32_t>() = ikra::detail::buffer<std::int32_t>(std::move(kept));
      return;
    }
    const rt::device_memory count(where, sizeof(std::uint64_t), "count", info);
    rt::device_memory kept(where, n * sizeof *x, "selected elements", info);
    fake_cuda::launch(where.stream(), [x, n, to = static_cast<std::int32_t*>(kept.data()),
                                       many = static_cast<std::uint64_t*>(count.data())] {
      *many = static_cast<std::uint64_t>(
          std::copy_if(x, x + n, to, [](std::int32_t i) { return i % 2 != 0; }) - to);
    });
    where.check_launch(info);
    std::uint64_t size = 0;
    where.download(&size, count.data(), sizeof size, info);
    if (size != 0)
      call.output<std::int32_t>().set_remote(
          size, std::make_shared<rt::device_elements>(std::move(kept), info));
  }
};

template <> struct ikra::section_code<shift> {
  static void run(ikra::map_call& call) {
    only_captures captures(call);
    const std::size_t n = call.input(0).size();
    const std::int32_t* const x = input(call, 0, rt::current_device());
    const auto table = captures.view(call.capture<std::vector<std::int32_t>>(0));
    tables_seen.push_back(table.data());
    give<std::int8_t>(call, n, [x, n, table](std::int8_t* to) {
      std::transform(x, x + n, to, [table](std::int32_t i) { return std::int8_t(i + table[1]); });
    });
  }
};

template <> struct ikra::section_code<twice> {
  static void run(ikra::map_call& call) {
    const std::size_t n = call.input(0).size();
    const std::int32_t* const x = input(call, 0, rt::current_device());
    give<std::int32_t>(call, n, [x, n](std::int32_t* to) {
      std::transform(x, x + n, to, [](std::int32_t i) { return 2 * i; });
    });
  }
};

template <> struct ikra::section_code<descending> {
  static void run(ikra::map_call& call) {
    const std::size_t n = call.input(0).size();
    const std::int32_t* const x = input(call, 0, rt::current_device());
    give<std::int32_t>(call, n, [x, n](std::int32_t* to) {
      std::copy_n(x, n, to);
      std::sort(to, to + n, std::greater<>());
    });
  }
};

template <> struct ikra::section_code<with_place> {
  static void run(ikra::map_call& call) {
    const std::size_t n = call.input(0).size();
    const std::int32_t* const x = input(call, 0, rt::current_device());
    give<std::int32_t>(call, n, [x, n, first = call.first()](std::int32_t* to) {
      for (std::size_t i = 0; i < n; ++i)
        to[i] = x[i] - static_cast<std::int32_t>(first + i);
    });
  }
};

template <> struct ikra::section_code<least_so_far> {
  static void run(ikra::map_call& call) {
    const std::size_t n = call.input(0).size();
    const std::int32_t* const x = input(call, 0, rt::current_device());
    give<std::int32_t>(call, n, [x, n](std::int32_t* to) {
      std::partial_sum(x, x + n, to, [](std::int32_t a, std::int32_t b) { return std::min(a, b); });
    });
  }
};

namespace {

ikra::array<std::int32_t> sorted(const ikra::array<std::int32_t>& a) {
  return a.psort(ikra::make_section<descending, bool(std::int32_t, std::int32_t)>());
}
ikra::array<std::int32_t> least(const ikra::array<std::int32_t>& a) {
  return a.pscan(ikra::make_section<least_so_far, std::int32_t(std::int32_t, std::int32_t)>());
}
ikra::array<std::int32_t> less_places(const ikra::array<std::int32_t>& a) {
  return a.with_index().pmap(
      ikra::make_section<with_place, std::int32_t(std::int32_t, std::int64_t)>());
}

/// An array whose results go where later inputs lie.
bool computes_in_place(std::size_t n) {
  constexpr std::size_t ahead = 6000; // more parts of tests than are on their way
  const auto x = numbers(n + ahead, 5);
  std::vector<std::int32_t> all(x), expected(x);
  std::transform(x.begin(), x.end() - ahead, expected.begin() + ahead,
                 [](std::int32_t i) { return 2 * i; });
  const std::span<std::int32_t> memory(all);
  ikra::adopt(std::span<const std::int32_t>(memory.first(n)), ikra::borrowed)
      .pmap(ikra::make_section<twice, std::int32_t(std::int32_t)>())
      .copy_to(memory.last(n));
  return all == expected;
}

auto weighted_section() {
  return ikra::make_section<weighted, std::int64_t(std::int32_t, std::int32_t)>();
}
std::vector<std::int64_t> weights(const std::vector<std::int32_t>& x,
                                  const std::vector<std::int32_t>& y) {
  std::vector<std::int64_t> result(x.size());
  std::transform(x.begin(), x.end(), y.begin(), result.begin(), weigh);
  return result;
}

/// The calls of CUDA that work() makes.
template <class Work> long calls_of(const Work& work) {
  constexpr long many = 1'000'000'000;
  rt::let_cuda_call_fail(many);
  work();
  const long left = rt::cuda_calls_until_failure();
  rt::let_cuda_call_fail(0);
  return many - left;
}

/// A combination, a reduction and a selection of n elements. \returns whether all are right
bool computes(std::size_t n) {
  const auto x = numbers(n, 1), y = numbers(n, 7);
  const ikra::array a{x}, b{y};
  const auto combined =
      a.pcombine(b, ikra::make_section<weighted, std::int64_t(std::int32_t, std::int32_t)>())
          .to_vector();
  const auto sum =
      a.preduce(std::int64_t(5),
                ikra::make_section<add_from, std::int64_t(std::int64_t, std::int64_t)>())
          .to_vector();
  const auto selected = a.pselect(ikra::make_section<odd, bool(std::int32_t)>()).to_vector();
  std::vector<std::int64_t> copied(n);
  ikra::array{x}.pcombine(ikra::array{y}, weighted_section()).copy_to(copied);
  const std::vector<std::int64_t> expected = weights(x, y);
  const auto first = ikra::array{y}.pcombine(a, weighted_section());
  const auto second = a.pcombine(ikra::array{y}, weighted_section());
  first.start();
  second.start();
  if (second.to_vector() != expected || first.to_vector() != weights(y, x))
    return false;
  std::vector<std::int32_t> odd_ones;
  std::copy_if(x.begin(), x.end(), std::back_inserter(odd_ones),
               [](std::int32_t i) { return i % 2 != 0; });
  return computes_in_place(n) && combined == expected && copied == expected &&
         selected == odd_ones &&
         sum == std::vector{std::accumulate(x.begin(), x.end(), std::int64_t(5))};
}

/// So long that many threads copy it.
constexpr std::size_t long_array = (std::size_t(72) << 20) + 12;

} // namespace

TEST_CASE("copies to a GPU and back through pinned buffers") {
  rt::device& where = rt::current_device();
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    for (const std::size_t n : {std::size_t(1), std::size_t(70'000), long_array}) {
      std::vector<unsigned char> from(n), to(n);
      std::iota(from.begin(), from.end(), static_cast<unsigned char>(n));
      const rt::device_memory memory(where, n, "test", info);
      where.upload(memory.data(), from.data(), n, info);
      const auto sent = from;
      std::fill(from.begin(), from.end(), static_cast<unsigned char>(0)); // it may be changed
      where.download(to.data(), memory.data(), n, info);
      CHECK(to == sent);
    }
  }
}

TEST_CASE("arrays that exceed a GPU's memory come in parts") {
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    CHECK(computes(16'000'000)); // 256 MB for the combination
  }
}

TEST_CASE("arrays that exceed a GPU's memory know their places in all parts") {
  const std::size_t n = 30'000'000;
  const ikra::array a{numbers(n, 1)};
  streams_of_kernels.clear();
  CHECK(less_places(a).to_vector() == std::vector<std::int32_t>(n, 1));
  CHECK(streams_of_kernels.size() > 2);
}

TEST_CASE("arrays that exceed a GPU's memory come straight to where the host wants them") {
  constexpr std::size_t n = 16'000'000;
  const auto x = numbers(n, 1), y = numbers(n, 7);
  const auto expected = weights(x, y);
  const ikra::array a{x}, b{y};
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    std::vector<std::int64_t> copied(n);
    static_cast<void>(rt::host_device().take_peak());
    const std::size_t before = rt::host_device().take_peak();
    a.pcombine(b, weighted_section()).copy_to(copied);
    CHECK(copied == expected);
    CHECK(rt::host_device().take_peak() == before);
    // And to memory of the array, which somebody may ask later.
    const auto result = a.pcombine(b, weighted_section());
    std::fill(copied.begin(), copied.end(), 0);
    result.copy_to(copied);
    CHECK(copied == expected);
    std::fill(copied.begin(), copied.end(), 0);
    CHECK(result.to_vector() == expected);
  }
}

TEST_CASE("results that the host asks for come while others are computed") {
  constexpr std::size_t n = 9'000'000; // 144 MB, in two parts and more
  const auto x = numbers(n, 1), y = numbers(n, 7);
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    const ikra::array a{x}, b{y};
    {
      const auto first = a.pcombine(b, weighted_section());
      CHECK(calls_of([&] { static_cast<void>(first.data()); }) > 100);
      CHECK(first.to_vector() == weights(x, y));
    }
    // Inputs and result are on the device, too, so nothing is copied there.
    const auto again = a.pcombine(b, weighted_section());
    const long at_once = calls_of([&] { again.wait(); });
    CHECK(at_once < 10);
    CHECK(again.to_vector() == weights(x, y));
  }
  // One array twice.
  const ikra::array twice{numbers(2 * n, 3)};
  CHECK(twice.pcombine(twice, weighted_section()).to_vector() ==
        weights(numbers(2 * n, 3), numbers(2 * n, 3)));
}

TEST_CASE("parts of arrays find captured containers where the first has brought them") {
  const auto x = numbers(24'000'000, 1);
  std::vector<std::int8_t> expected(x.size()), copied(x.size());
  std::transform(x.begin(), x.end(), expected.begin(),
                 [](std::int32_t i) { return std::int8_t(i + 20); });
  const auto shifted = [&] {
    return ikra::array{x}.pmap(ikra::make_section<shift, std::int8_t(std::int32_t)>(
        std::vector<std::int32_t>{10, 20, 30}));
  };
  tables_seen.clear();
  CHECK(shifted().to_vector() == expected);
  CHECK(tables_seen.size() > 2);
  CHECK(std::count(tables_seen.begin(), tables_seen.end(), tables_seen.front()) ==
        static_cast<std::ptrdiff_t>(tables_seen.size()));

  // Or results go where the host wants them, and stay on the device.
  const auto result = shifted();
  tables_seen.clear();
  result.copy_to(copied);
  CHECK(copied == expected);
  CHECK(tables_seen.size() > 2);
  const auto& elements = ikra::detail::array_access::command_of(result)->result();
  CHECK(!elements.on_host());
  CHECK(elements.remote() != nullptr);
  CHECK(result.to_vector() == expected);

  // Of another size, nothing is copied.
  std::vector<std::int8_t> fewer(7);
  CHECK_THROWS_AS(shifted().copy_to(fewer), ikra::error);
  CHECK(fewer == std::vector<std::int8_t>(7));
}

// Of 120 MB, input and result of which 200 MB do not hold. Neither tree comes in parts.
TEST_CASE("trees that have no room and need all of an array say what they need", "[no room]") {
  const std::size_t n = 30'000'000;
  const auto x = numbers(n, 1);
  rt::current_device().finish_reading();
  const fake_cuda::counts before = fake_cuda::alive();
  for (const auto& tree : {sorted, least}) {
    const ikra::array a{x};
    const auto result = tree(a);
    for (int again = 0; again < 2; ++again) // the error stays with it
      CHECK_THROWS_MATCHES(result.to_vector(), ikra::error,
                           Catch::Predicate<ikra::error>([](const ikra::error& failed) {
                             const std::string text = failed.what();
                             const auto says = [&](const char* part) {
                               return text.find(part) != std::string::npos;
                             };
                             return failed.kind() == ikra::error_kind::out_of_memory &&
                                    says("no 114.4 MiB") && says("result array") &&
                                    says("IKRA_DEVICE_MEMORY allows 200.0 MiB");
                           }));
    CHECK(a.to_vector() == x);
    const ikra::array fewer{numbers(1000, 5)}; // the next call works
    CHECK(tree(fewer)[999] == 5);
  }
  rt::current_device().finish_reading();
  CHECK(fake_cuda::alive().device_bytes == before.device_bytes);
}

namespace {
std::optional<rt::device_memory> kept;
} // namespace

TEST_CASE("memory that is only kept to save time is given up where memory lacks") {
  rt::device& gpu = rt::current_device();
  constexpr std::size_t most = std::size_t(150) << 20;
  const auto before = rt::device::gives_up_kept.exchange(+[]() noexcept {
    const bool was_there = kept.has_value();
    kept.reset();
    return was_there;
  });
  kept.emplace(gpu, most, "kept", info);
  {
    const rt::device_memory needed(gpu, most, "needed", info);
    CHECK(!kept.has_value());
    CHECK_THROWS_AS(rt::device_memory(gpu, most, "one too many", info), ikra::error);
  }
  rt::device::gives_up_kept = before;
}

// Hidden: with IKRA_ON_OUT_OF_MEMORY=cpu alone, which a process reads once.
TEST_CASE("trees that have no room go on on all cores", "[.all cores]") {
  const std::size_t n = 30'000'000;
  const auto x = numbers(n, 1);
  std::vector<std::int32_t> backwards(x.rbegin(), x.rend());
  rt::current_device().finish_reading();
  const fake_cuda::counts before = fake_cuda::alive();
  {
    const ikra::array a{x};
    CHECK(sorted(a).to_vector() == backwards);
    CHECK(least(a).to_vector() == std::vector<std::int32_t>(n, 1));
    const auto started = sorted(a);
    started.start();
    CHECK(started.to_vector() == backwards);
    CHECK(a.to_vector() == x);
    // What has room goes to the GPU, and what comes in parts comes in parts.
    streams_of_kernels.clear();
    CHECK(sorted(ikra::array{numbers(1000, 5)})[999] == 5);
    CHECK(streams_of_kernels.size() == 1);
    CHECK(a.pcombine(a, weighted_section()).to_vector() == weights(x, x));
    CHECK(streams_of_kernels.size() > 2);
  }
  rt::current_device().finish_reading();
  CHECK(fake_cuda::alive().device_bytes == before.device_bytes);
}

TEST_CASE("copies in both directions beside a kernel") {
  rt::device& where = rt::current_device();
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    std::vector<unsigned char> first(long_array, 1), second(long_array, 2), back(long_array, 9);
    const rt::device_memory a(where, long_array, "test", info), b(where, long_array, "test", info);
    const rt::transfer bring_first[] = {{a.data(), first.data(), long_array}};
    const std::uint64_t one = where.begin_exchange(bring_first, {}, info);
    where.end_exchange(one, info);
    const auto add_five = [&](const rt::device_memory& memory) {
      fake_cuda::launch(where.stream(), [p = static_cast<unsigned char*>(memory.data())] {
        std::for_each(p, p + long_array, [](unsigned char& c) { c += 5; });
      });
    };
    add_five(a);
    const rt::transfer bring_second[] = {{b.data(), second.data(), long_array}};
    const std::uint64_t two = where.begin_exchange(bring_second, {}, info);
    const rt::transfer fetch_first[] = {{back.data(), a.data(), long_array}};
    const std::uint64_t three = where.begin_exchange({}, fetch_first, info);
    where.end_exchange(two, info);
    where.end_exchange(three, info);
    CHECK(std::count(back.begin(), back.end(), static_cast<unsigned char>(6)) ==
          static_cast<std::ptrdiff_t>(long_array));
    add_five(b);
    where.download(back.data(), b.data(), long_array, info);
    CHECK(std::count(back.begin(), back.end(), static_cast<unsigned char>(7)) ==
          static_cast<std::ptrdiff_t>(long_array));
  }
}

TEST_CASE("memory of others is read after what CUDA's legacy default stream writes to it") {
  rt::device& where = rt::current_device();
  const auto waited_for = [&] {
    std::vector<int> theirs(1000), seen(1000);
    fake_cuda::launch(cudaStreamLegacy, [&] { std::fill(theirs.begin(), theirs.end(), 7); });
    try {
      where.wait_for(nullptr, info);
    } catch (...) {
      cudaStreamSynchronize(cudaStreamLegacy); // it uses what goes now
      throw;
    }
    fake_cuda::launch(where.stream(), [&] { seen = theirs; });
    where.synchronize(info);
    return seen == std::vector<int>(1000, 7);
  };
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    const fake_cuda::counts before = fake_cuda::alive();
    CHECK(waited_for());
    for (long call = 1; call <= 3; ++call) {
      rt::let_cuda_call_fail(call);
      CHECK_THROWS_AS(waited_for(), ikra::error);
      rt::let_cuda_call_fail(0);
      CHECK(fake_cuda::alive() == before);
    }
    CHECK(waited_for());
  }
}

TEST_CASE("memory that was given out is used again after the legacy default stream has read it") {
  rt::device& where = rt::current_device();
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    std::vector<int> ours(1000, 7), seen(1000);
    fake_cuda::launch(cudaStreamLegacy, [&] { seen = ours; });
    ikra::detail::operations->given_back();
    fake_cuda::launch(where.stream(), [&] { std::fill(ours.begin(), ours.end(), 0); });
    where.synchronize(info);
    CHECK(seen == std::vector<int>(1000, 7));
  }
}

TEST_CASE("started trees run beside each other") {
  const std::size_t n = 50'000;
  const auto x = numbers(n, 1), y = numbers(n, 7);
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    const ikra::array a{x}, b{y};
    const auto first = a.pcombine(b, weighted_section()); // brings what the others read
    const auto second = b.pcombine(a, weighted_section());
    const auto third = a.pcombine(a, weighted_section());
    const auto last = b.pcombine(b, weighted_section());
    streams_of_kernels.clear();
    first.start();
    second.start();
    third.start();
    last.wait(); // without start()
    REQUIRE(streams_of_kernels.size() == 4);
    const auto& on = streams_of_kernels;
    CHECK(on[0] != on[1]);
    CHECK(on[1] != on[2]);
    CHECK(on[3] == rt::current_device().stream());
    CHECK((on[3] != on[0] && on[3] != on[1] && on[3] != on[2]));
    CHECK(first.ready());
    CHECK(first.to_vector() == weights(x, y));
    CHECK(second.to_vector() == weights(y, x));
    CHECK(third.to_vector() == weights(x, x));
    CHECK(last.to_vector() == weights(y, y));
  }
}

TEST_CASE("started trees wait for those whose results they read") {
  const std::size_t n = 50'000;
  const auto x = numbers(n, 1);
  std::vector<std::int32_t> doubled(x), four_times(x);
  for (std::size_t i = 0; i < n; ++i) {
    doubled[i] *= 2;
    four_times[i] *= 4;
  }
  const auto twice_of = [](const ikra::array<std::int32_t>& a) {
    return a.pmap(ikra::make_section<twice, std::int32_t(std::int32_t)>());
  };
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    auto first = twice_of(ikra::array{x}); // whose input is nobody else's
    first.start();
    const auto second = twice_of(first);
    second.start();
    const auto third = second.pcombine(first, weighted_section());
    third.start();
    first = {};
    CHECK(second.to_vector() == four_times);
    CHECK(third.to_vector() == weights(four_times, doubled));

    // Asked for one by one, each is waited for alone, whatever was started after it.
    const auto one = twice_of(ikra::array{x}), other = twice_of(ikra::array{doubled});
    one.start();
    other.start();
    CHECK(one.to_vector() == doubled);
    if (late)
      CHECK(!other.ready());
    CHECK(other.to_vector() == four_times);
  }
}

TEST_CASE("memory that started trees use is given back after them") {
  const std::size_t n = 50'000;
  const auto x = numbers(n, 1), y = numbers(n, 7);
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    rt::current_device().finish_reading(); // nothing is kept
    const std::size_t before = fake_cuda::alive().device_bytes;
    for (int i = 0; i < 5; ++i) { // nothing is asked for
      const auto result = ikra::array{x}.pcombine(ikra::array{y}, weighted_section());
      result.start();
    }
    ikra::array<std::int32_t> a{x};
    auto first = a.pcombine(ikra::array{y}, weighted_section());
    auto second = a.pcombine(ikra::array{y}, weighted_section());
    first.start();
    second.start();
    a = {};
    // What queued work uses is not used again by other work, which may go before.
    const rt::device_memory other(rt::current_device(), std::size_t(1) << 20, "test", info);
    CHECK(second.to_vector() == weights(x, y));
    CHECK(first.to_vector() == weights(x, y));
    first = second = {};
    rt::current_device().finish_reading();
    CHECK(fake_cuda::alive().device_bytes == before + other.bytes());
  }
}

TEST_CASE("started trees write to no memory but their own") {
  rt::device& where = rt::current_device();
  const rt::device_memory shared(where, 1000, "test", info);
  CHECK(where.may_overwrite(shared.data()));
  REQUIRE(where.begin_beside());
  CHECK(!where.begin_beside());
  const rt::device_memory first(where, 1000, "test", info);
  CHECK(!where.may_overwrite(shared.data()));
  CHECK(where.may_overwrite(first.data()));
  where.end_beside();
  for (int tree = 0; tree < 2; ++tree) { // on each of both streams
    REQUIRE(where.begin_beside());
    CHECK(!where.may_overwrite(first.data()));
    where.end_beside();
  }
  where.synchronize(info);
  CHECK(where.may_overwrite(first.data()));
}

TEST_CASE("small blocks of GPU memory are used again") {
  rt::device& where = rt::current_device();
  const auto address = [&](std::size_t bytes) {
    return rt::device_memory(where, bytes, "test", info).data();
  };
  where.finish_reading();
  const void* const first = address(1000);
  const long calls = calls_of([&] {
    CHECK(address(1000) == first);
    CHECK(address(900) == first); // of one size for CUDA
  });
  CHECK(calls == 0);
  const std::size_t alive = fake_cuda::alive().device_bytes;
  for (std::size_t k = 1; k < 100; ++k)
    address(512 * k);
  CHECK(fake_cuda::alive().device_bytes <= alive + 16 * 512 * 100);
  address(std::size_t(3) << 20);
  CHECK(fake_cuda::alive().device_bytes <= alive + 16 * 512 * 100);

  // Not by a started tree, whose stream may be ahead of that where it was used.
  const void* const used = address(5000);
  REQUIRE(where.begin_beside());
  CHECK(address(5000) != used);
  where.end_beside();
  where.finish_reading();
  const std::size_t none = fake_cuda::alive().device_bytes;
  CHECK(none < alive);
}

TEST_CASE("host memory of results is used again") {
  const ikra::array a{numbers(100'000, 1)};
  const auto result = [&] {
    return a.pcombine(a, ikra::make_section<weighted, std::int64_t(std::int32_t, std::int32_t)>());
  };
  const std::int64_t* const before = result().data();
  const std::size_t kept = 100'000 * sizeof(std::int64_t);
  CHECK(result().data() == before);
  static_cast<void>(rt::host_device().take_peak());
  const auto first = result(), second = result();
  CHECK(first.data() != second.data());
  CHECK(rt::host_device().take_peak() >= 2 * kept);
}

TEST_CASE("any CUDA call may fail in copies by many threads") {
  rt::device& where = rt::current_device();
  const std::size_t n = std::size_t(17) << 20;
  std::vector<unsigned char> from(n), to(n);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(3));
  const rt::device_memory memory(where, n, "test", info), other(where, n, "test", info);
  const rt::transfer bring[] = {{other.data(), from.data(), n}};
  const rt::transfer fetch[] = {{to.data(), memory.data(), n}};
  const auto copies = [&] {
    where.upload(memory.data(), from.data(), n, info);
    const std::uint64_t both = where.begin_exchange(bring, fetch, info);
    std::uint64_t none = 0;
    try {
      none = where.begin_exchange({}, {}, info);
    } catch (...) {
      where.drop_exchange(both);
      throw;
    }
    try {
      where.end_exchange(both, info);
    } catch (...) {
      where.drop_exchange(none);
      throw;
    }
    where.end_exchange(none, info);
    if (to != from)
      return false;
    where.download(to.data(), other.data(), n, info);
    return to == from;
  };
  for (const bool late : {true, false}) {
    fake_cuda::set_late(late);
    for (int warm = 0; warm < 4; ++warm) // all pinned buffers are there then
      REQUIRE(copies());
    const fake_cuda::counts before = fake_cuda::alive();
    bool has_failed = true;
    for (long call = 1; has_failed; call += 3) {
      INFO("call " << call << " fails");
      std::fill(to.begin(), to.end(), static_cast<unsigned char>(0));
      rt::let_cuda_call_fail(call);
      bool is_right = true;
      try {
        is_right = copies();
      } catch (const ikra::error& failed) {
        CHECK(failed.kind() == ikra::error_kind::device_error);
      }
      has_failed = rt::cuda_calls_until_failure() == 0;
      rt::let_cuda_call_fail(0);
      CHECK(is_right);
      CHECK(fake_cuda::alive() == before);
      REQUIRE(call < 5'000);
    }
  }
}

TEST_CASE("any CUDA call may fail") {
  for (const std::size_t n : {std::size_t(4'500), std::size_t(20'000)}) {
    fake_cuda::set_late(n == 4'500);
    REQUIRE(computes(n)); // what is made once in a process
    rt::current_device().finish_reading();
    const fake_cuda::counts before = fake_cuda::alive();
    bool has_failed = true;
    for (long call = 1; has_failed; ++call) {
      INFO("call " << call << " fails");
      rt::let_cuda_call_fail(call);
      bool is_right = true;
      try {
        is_right = computes(n);
      } catch (const ikra::error& failed) {
        CHECK((failed.kind() == ikra::error_kind::device_error ||
               failed.kind() == ikra::error_kind::launch_failed ||
               failed.kind() == ikra::error_kind::out_of_memory));
      }
      has_failed = rt::cuda_calls_until_failure() == 0;
      rt::let_cuda_call_fail(0);
      CHECK(is_right);                       // or it was recovered from
      rt::current_device().finish_reading(); // it keeps nothing
      CHECK(fake_cuda::alive() == before);
      CHECK(computes(n));
      REQUIRE(call < 5'000);
    }
  }
}
