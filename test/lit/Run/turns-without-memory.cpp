// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that runs out in a loop: for each N, the N-th allocation fails, alone or with all that
// follow. The program gets an error that it can catch, or none; variables are as after some turn,
// and the loop goes on from there.
//
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && env OMP_NUM_THREADS=2 %t.cpu | FileCheck %s
// RUN: env OMP_NUM_THREADS=2 IKRA_TURNS=off %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

std::atomic<long> until_failure{0}; // 0: nothing fails; 1 while it lasts: everything
std::atomic<bool> lasts{false}, has_failed{false};

void* allocated(std::size_t bytes, std::size_t alignment) noexcept {
  if (until_failure.load() > 0 && until_failure.fetch_sub(1) == 1) {
    has_failed = true;
    if (lasts)
      until_failure = 1;
    return nullptr;
  }
  return std::aligned_alloc(alignment,
                            (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
}
void* allocated_or_thrown(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocated(bytes, alignment);
  if (memory == nullptr)
    throw std::bad_alloc();
  return memory;
}
constexpr std::size_t usual = alignof(std::max_align_t);

void* operator new(std::size_t n) { return allocated_or_thrown(n, usual); }
void* operator new[](std::size_t n) { return allocated_or_thrown(n, usual); }
void* operator new(std::size_t n, std::align_val_t a) { return allocated_or_thrown(n, std::size_t(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocated_or_thrown(n, std::size_t(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocated(n, usual); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocated(n, std::size_t(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

struct state {
  ikra::array<double> a;
  double change = 1;
  int turns = 0;
};

constexpr int most = 5;

void relax(state& s) {
  ikra::host_section([&] {
    while (s.change > 0 && s.turns < most) {
      const auto next = s.a.pstencil({{-1}, {1}}, 1.0, [](const auto& v) { return (v(-1) + v(1)) / 2; });
      s.change = s.a.pcombine(next, [](double x, double y) { return std::abs(x - y); }).preduce(ikra::max).value();
      s.a = next;
      ++s.turns;
    }
  });
}

std::vector<double> start(std::size_t n) {
  std::vector<double> of(n);
  for (std::size_t i = 0; i < n; ++i)
    of[i] = double(i * 7 % 31);
  return of;
}

/// What a loop over vectors gives after each turn.
std::vector<std::pair<std::vector<double>, double>> expected(std::size_t n) {
  std::vector<std::pair<std::vector<double>, double>> all{{start(n), 1}};
  for (int t = 0; t < most; ++t) {
    const std::vector<double>& of = all.back().first;
    std::vector<double> next(n);
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = i == 0 || i + 1 == n ? 1 : (of[i - 1] + of[i + 1]) / 2;
      change = std::max(change, std::abs(of[i] - next[i]));
    }
    all.emplace_back(std::move(next), change);
  }
  return all;
}

/// \param shared whether somebody else has the first array
void lose_memory(std::size_t n, bool shared, bool lasting) {
  const auto right = expected(n);
  const auto is_right = [&](const state& s) {
    return s.turns >= 0 && s.turns <= most && s.change == right[s.turns].second && s.a.to_vector() == right[s.turns].first;
  };
  int thrown = 0, wrong = 0, others = 0;
  lasts = lasting;
  has_failed = true;
  for (long k = 1; has_failed.exchange(false); ++k) {
    state s{ikra::array<double>(start(n))};
    const ikra::array<double> other = shared ? s.a : ikra::array<double>();
    until_failure = k;
    try {
      relax(s);
    } catch (const ikra::error& failed) {
      ++thrown;
      others += failed.kind() == ikra::error_kind::out_of_memory ? 0 : 1;
    } catch (const std::bad_alloc&) {
      ++thrown;
    }
    until_failure = 0;
    wrong += is_right(s) ? 0 : 1;
    relax(s);
    wrong += is_right(s) && s.turns == most ? 0 : 1;
    wrong += !shared || other.to_vector() == right[0].first ? 0 : 1;
  }
  std::printf("%zu elements: %s, %d wrong, %d other errors\n", n, lasting && thrown == 0 ? "none threw" : "right", wrong, others);
}

int main() {
  for (const bool shared : {false, true})
    for (const bool lasting : {false, true})
      lose_memory(100, shared, lasting);
  for (const bool both : {false, true}) // by two threads
    lose_memory(33'000, both, both);
}

// CHECK-COUNT-4: 100 elements: right, 0 wrong, 0 other errors
// CHECK-COUNT-2: 33000 elements: right, 0 wrong, 0 other errors
