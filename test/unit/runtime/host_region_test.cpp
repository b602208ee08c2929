// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of one region of all cores: they give what they give outside of it, with many threads and
// with few, and errors reach the caller.
#include <catch2/catch.hpp>

#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_by_index.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/launch_scan.hpp>
#include <ikra/generated/launch/source.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <omp.h>

namespace {

struct threads {
  explicit threads(int count) : before(omp_get_max_threads()) { omp_set_num_threads(count); }
  threads(const threads&) = delete;
  threads& operator=(const threads&) = delete;
  ~threads() { omp_set_num_threads(before); }
  int before;
};

constexpr std::uint64_t n = 100'000;

/// Adds one to each element, twenty times; combines them each time.
std::uint64_t turns(std::vector<std::uint64_t>& all) {
  std::uint64_t total = 0;
  for (int turn = 0; turn < 20; ++turn) {
    ikra::rt::host_parts(all.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        ++all[i];
    });
    total =
        total * 31 + ikra::rt::host_reduce<std::uint64_t>(
                         std::plus<>(), static_cast<const std::uint64_t*>(all.data()), all.size());
  }
  return total;
}

struct even_halves {
  double operator()(float x) const { return double(x) / 2; }
};
struct uneven_halves : even_halves {
  static constexpr bool diverges = true;
};

} // namespace

TEST_CASE("loops in a region of all cores give what they give outside", "[host_region]") {
  const threads of(GENERATE(1, 2, 5));
  std::vector<std::uint64_t> within(n), outside(n);
  std::uint64_t total = 0;
  ikra::rt::in_host_region(n, [&] { total = turns(within); });
  CHECK(total == turns(outside));
  CHECK(within == outside);
}

TEST_CASE("regions and loops within loops of a region run", "[host_region]") {
  const threads of(3);
  std::atomic<std::uint64_t> inner{0};
  ikra::rt::in_host_region(n, [&] {
    ikra::rt::in_host_region(n, [&] {
      ikra::rt::host_chunks(7, [&](std::uint64_t) {
        ikra::rt::host_parts(n,
                             [&](std::uint64_t begin, std::uint64_t end) { inner += end - begin; });
      });
    });
  });
  CHECK(inner == 7 * n);
}

TEST_CASE("errors leave a region, and the next one works", "[host_region]") {
  const threads of(3);
  for (int round = 0; round < 3; ++round) {
    std::uint64_t after = 0;
    CHECK_THROWS_AS(ikra::rt::in_host_region(n,
                                             [&] {
                                               ikra::rt::host_parts(
                                                   n, [](std::uint64_t, std::uint64_t end) {
                                                     if (end == n)
                                                       throw std::out_of_range("the last part");
                                                   });
                                               after = 1;
                                             }),
                    std::out_of_range);
    CHECK(after == 0);
    CHECK_THROWS_AS(ikra::rt::in_host_region(n, [] { throw std::logic_error("itself"); }),
                    std::logic_error);
  }
}

TEST_CASE("while an element takes long, other cores do what is behind it", "[host_region]") {
  const threads of(GENERATE(1, 3));
  const bool is_alone = omp_get_max_threads() == 1;
  const bool is_in_region = GENERATE(false, true);
  std::vector<int> all(n);
  std::atomic<std::uint64_t> done{0};
  bool others_went_on = is_alone;
  const auto body = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      ++all[i];
    // Equal parts would leave a third of all elements to this core.
    for (int looks = 0; begin == 0 && looks < 10'000'000 && !others_went_on; ++looks) {
      others_went_on = done.load() > n / 4 * 3;
      std::this_thread::yield();
    }
    done += end - begin;
  };
  const auto run = [&] { ikra::rt::host_costly_parts(n, body); };
  if (is_in_region)
    ikra::rt::in_host_region(n, run);
  else
    run();
  CHECK(others_went_on);
  CHECK(done == n);
  CHECK(all == std::vector<int>(n, 1));
}

TEST_CASE("few elements that take long are shared by all cores", "[host_region]") {
  const threads of(3);
  const bool is_in_region = GENERATE(false, true);
  constexpr std::uint64_t few = 30;
  std::vector<std::atomic<int>> times(few);
  std::mutex noting;
  std::set<std::thread::id> cores;
  std::atomic<std::size_t> begun{0};
  const auto body = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      ++times[i];
    {
      const std::lock_guard lock(noting);
      cores.insert(std::this_thread::get_id());
      begun = cores.size();
    }
    // The first one takes long; after that nobody goes on before all have begun.
    for (int looks = 0; looks < (begin == 0 ? 1 : 10'000) && begun.load() < 3; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const auto run = [&] { ikra::rt::host_costly_parts(few, body); };
  if (is_in_region)
    ikra::rt::in_host_region(n, run);
  else
    run();
  CHECK(cores.size() == 3);
  for (const auto& of_element : times)
    CHECK(of_element == 1);
}

TEST_CASE("pieces of unequal cost are begun by the core that has this part in all loops",
          "[host_region]") {
  const threads of(3);
  const bool is_in_region = GENERATE(false, true);
  constexpr std::uint64_t pieces = 90;
  std::vector<std::atomic<int>> times(pieces);
  std::mutex noting;
  std::map<std::thread::id, std::uint64_t> first; // by thread
  std::atomic<std::size_t> begun{0};
  const auto body = [&](std::uint64_t k) {
    ++times[k];
    {
      const std::lock_guard lock(noting);
      first.emplace(std::this_thread::get_id(), k);
      begun = first.size();
    }
    // Nobody takes another one's first piece before all have begun.
    for (int looks = 0; looks < 10'000'000 && begun.load() < 3; ++looks)
      std::this_thread::yield();
  };
  const auto run = [&] { ikra::rt::host_uneven_pieces(n, pieces, body); };
  if (is_in_region)
    ikra::rt::in_host_region(n, run);
  else
    run();
  std::set<std::uint64_t> first_pieces;
  for (const auto& [thread, piece] : first)
    first_pieces.insert(piece);
  CHECK(first_pieces == std::set<std::uint64_t>{0, 30, 60});
  for (const auto& of_piece : times)
    CHECK(of_piece == 1);
}

TEST_CASE("elements that take unequal times are combined in the same groups", "[host_region]") {
  std::vector<float> of(n);
  for (std::uint64_t i = 0; i < n; ++i)
    of[i] = 1.0f / static_cast<float>(i + 1);
  const auto sum = [&](const auto& head) {
    using source =
        ikra::rt::computed_elements<double, 0, std::remove_cvref_t<decltype(head)>, float>;
    return ikra::rt::host_reduce<double>(std::plus<>(), source(head, ikra::index<1>(), of.data()),
                                         n);
  };
  const double alone = [&] {
    const threads one(1);
    return sum(uneven_halves());
  }();
  const threads many(3); // whose chunks are too few, so that elements come first
  CHECK(sum(uneven_halves()) == sum(even_halves()));
  CHECK(sum(uneven_halves()) == alone);
}

TEST_CASE("elements that take long are computed before scans and reductions by index",
          "[host_region]") {
  const threads of(GENERATE(1, 3));
  std::vector<float> in(n);
  std::vector<std::uint64_t> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    in[i] = 1.0f / static_cast<float>(i + 1);
    keys[i] = i * 7 % 13;
  }
  const auto scanned = [&](const auto& head) {
    using source =
        ikra::rt::computed_elements<double, 0, std::remove_cvref_t<decltype(head)>, float>;
    std::vector<double> out(n);
    ikra::rt::host_scan(std::plus<>(), source(head, ikra::index<1>(), in.data()), n,
                        static_cast<const double*>(nullptr), false, out.data());
    return out;
  };
  CHECK(scanned(uneven_halves()) == scanned(even_halves()));
  const auto by_index = [&](const auto& head, std::uint64_t bins) {
    using source =
        ikra::rt::computed_elements<double, 0, std::remove_cvref_t<decltype(head)>, float>;
    std::vector<double> out(bins);
    const std::uint64_t outside = ikra::rt::host_reduce_by_index(
        std::plus<>(), keys.data(), source(head, ikra::index<1>(), in.data()), n, bins,
        static_cast<const double*>(nullptr), 0.5, out.data());
    CHECK(outside == (bins < 13 ? std::find(keys.begin(), keys.end(), 12) - keys.begin() : n));
    return out;
  };
  CHECK(by_index(uneven_halves(), 13) == by_index(even_halves(), 13));
  CHECK(by_index(uneven_halves(), 50'000) == by_index(even_halves(), 50'000));
  by_index(uneven_halves(), 12);
}
