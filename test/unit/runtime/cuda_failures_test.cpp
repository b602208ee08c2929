// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each N, the N-th CUDA call of a workload fails, on a GPU: the error is one that a program can
// catch, data is as before or as after, no memory of the GPU is lost, and the next call works.
// Without a GPU, fake_cuda/ tests the same of the device alone.
#include "crossing.hpp"
#include "value_sections.hpp"

#include "cuda/calls.hpp"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <ikra/generated/launch/launch_sort_cuda.hpp>
#include <memory>
#include <vector>

using namespace ikra_unit_values;

namespace {

struct weighted {
  IKRA_HD double operator()(std::int32_t x, std::int32_t y) const { return x * 0.5 + y; }
};
struct is_odd {
  IKRA_HD bool operator()(std::int32_t x) const { return x % 2 != 0; }
};
struct add_longs {
  IKRA_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct greater {
  IKRA_HD bool operator()(std::int32_t a, std::int32_t b) const { return a > b; }
};

/// Bytes of the GPU's memory that are in use.
std::uint64_t memory_in_use() {
  cudaMemPool_t pool = nullptr;
  std::uint64_t bytes = 0;
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  rt::current_device().finish_reading(); // blocks that are kept go, too
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, rt::current_device().number()) == cudaSuccess);
  REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes) == cudaSuccess);
  return bytes;
}

/// \param work returns whether all results are right \param is_intact whether data is as before, or
/// as after the work \param restore makes data as before
template <class Work, class IsIntact, class Restore>
void with_each_failing_call(const Work& work, const IsIntact& is_intact, const Restore& restore) {
  if (!rt::current_device().is_cuda())
    return;
  for (int warm = 0; warm < 2; ++warm) { // what is made once in a process
    REQUIRE(work());
    restore();
  }
  const std::uint64_t before = memory_in_use();
  bool has_failed = true;
  for (long call = 1; has_failed; ++call) {
    INFO("call " << call << " fails");
    rt::let_cuda_call_fail(call);
    bool is_right = true;
    try {
      is_right = work();
    } catch (const ikra::error& failed) {
      INFO(failed.what());
      CHECK((failed.kind() == ikra::error_kind::device_error ||
             failed.kind() == ikra::error_kind::launch_failed ||
             failed.kind() == ikra::error_kind::out_of_memory));
    }
    has_failed = rt::cuda_calls_until_failure() == 0;
    rt::let_cuda_call_fail(0);
    CHECK(is_right); // or it was recovered from
    CHECK(is_intact());
    CHECK(memory_in_use() == before);
    restore();
    CHECK(work());
    restore();
    REQUIRE(call < 20'000);
  }
}
template <class Work> void with_each_failing_call(const Work& work) {
  with_each_failing_call(work, [] { return true; }, [] {});
}

constexpr std::size_t many = 40'000; ///< whose elements go through pinned buffers

} // namespace

TEST_CASE("CUDA calls fail in combinations and reductions", "[failures]") {
  const std::vector<std::int32_t> numbers = counted<std::int32_t>(many);
  const ikra::array plain{numbers};
  const auto expected = plain.pcombine(plain, weighted{}).to_vector();
  const auto sum = plain.preduce(std::int64_t(7), add_longs{})[0];
  const auto sums = plain.reduce_by_index(100, plain, std::int64_t(7), add_longs{}).to_vector();
  const auto counts = plain.phistogram(100).to_vector();
  with_each_failing_call([&] {
    const ikra::array x{numbers};
    const auto combined =
        x.pcombine(x, combine_section<double, weighted, std::int32_t, std::int32_t>());
    const auto total =
        x.preduce(std::int64_t(7), reduce_from_section<std::int32_t, std::int64_t, add_longs>());
    const auto by_index = x.reduce_by_index(
        100, x, std::int64_t(7),
        reduce_by_index_section<std::int32_t, std::int32_t, std::int64_t, add_longs>());
    return combined.to_vector() == expected && total[0] == sum && by_index.to_vector() == sums &&
           x.phistogram(100).to_vector() == counts;
  });
}

TEST_CASE("CUDA calls fail in selections, scans and sorts", "[failures]") {
  const std::vector<std::int32_t> numbers = counted<std::int32_t>(many);
  const ikra::array plain{numbers};
  const auto selected = plain.pselect(is_odd{}).to_vector();
  const auto sorted = plain.psort(greater{}).to_vector();
  const auto sums = plain.pscan(std::int64_t(0), add_longs{}).to_vector();
  with_each_failing_call([&] {
    const ikra::array x{numbers};
    return x.pselect(select_section<std::int32_t, is_odd>()).to_vector() == selected &&
           x.psort(sort_section<std::int32_t, greater>()).to_vector() == sorted &&
           x.pscan(std::int64_t(0), scan_from_section<std::int32_t, std::int64_t, add_longs>())
                   .to_vector() == sums;
  });
}

namespace {

/// The work moves objects 140 times at once and 8 times more: they are as before, or as after any
/// section of these that is done.
template <class Work> void with_objects(const Work& work) {
  constexpr int n = 3000;
  const crossing before(n);
  std::vector<std::unique_ptr<crossing>> done; // after 140 to 148 moves
  for (int t = 140; t <= 148; ++t) {
    auto now = std::make_unique<crossing>(n);
    now->move(t, Weather::good);
    done.push_back(std::move(now));
  }
  const crossing& after = *done.back();
  auto mine = std::make_unique<crossing>(n);
  with_each_failing_call(
      [&] {
        work(*mine);
        return *mine == after;
      },
      [&] {
        return *mine == before ||
               std::any_of(done.begin(), done.end(), [&](const auto& c) { return *mine == *c; });
      },
      [&] { mine = std::make_unique<crossing>(n); });
}

} // namespace

TEST_CASE("CUDA calls fail in sections over objects", "[failures]") {
  with_objects([](crossing& c) {
    simulate(c.actors, 140, Weather::good); // more than 128 ticks replay a graph
    simulate_tick_by_tick(c.actors, 8, Weather::good);
  });
}

TEST_CASE("CUDA calls fail in resident scopes", "[failures]") {
  with_objects([](crossing& c) {
    ikra::resident scope{c.actors};
    simulate(c.actors, 140, Weather::good);
    simulate(c.actors, 8, Weather::good);
    scope.sync();
  });
}
