// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes wrong in a turn, or wraps there: arrays of different shapes, integers that overflow as
// in C++, a GPU whose memory runs out. After an error variables are as after the turn before, and
// the loop goes on from there. A loop that never ends is interrupted.
#include <ikra/ikra.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using numbers = ikra::array<int>;

numbers start(int n) {
  return ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * 7 % 31); });
}

/// Turn \p bad combines arrays of different shapes.
void meets_another_shape(int n, int bad) {
  numbers a = start(n), b = start(n), others = start(n / 2);
  int t = 0, total = 0;
  for (int tries = 0; tries < 2; ++tries) {
    try {
      ikra::host_section([&] {
        for (; t < 6; ++t) {
          if (t == bad)
            std::swap(b, others);
          const numbers next = a.pcombine(b, [](int x, int y) { return (x * 3 + y) % 1009; });
          total += next.sum() % 97;
          a = next;
        }
      });
      std::printf("ended ");
    } catch (const ikra::error& failed) {
      std::printf("%d ", failed.kind() == ikra::error_kind::shape_mismatch);
      std::swap(b, others);
      bad = -1;
    }
    std::printf("%d %d %d; ", t, total, static_cast<int>(a.sum()));
  }
  std::puts("");
}

/// The array itself becomes shorter, which changes the shape of all that follows.
void becomes_shorter(int n) {
  numbers a = start(n);
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 6; ++t) {
      a = a.pmap([t](int x) { return (x * 5 + t) % 101; });
      if (t % 2 == 1)
        a = a.pselect([](int x) { return x % 3 != 0; });
      total += a.sum() + static_cast<int>(a.size());
    }
  });
  std::printf("%d %d\n", total, static_cast<int>(a.size()));
}

/// Unsigned integers of all widths wrap; conversions to narrower ones keep the lowest bits.
void wraps(int n, int turns) {
  numbers a = start(n);
  std::uint8_t bytes = 250;
  std::int8_t signed_bytes = 120;
  std::uint16_t shorts = 65000;
  std::int16_t signed_shorts = -32000;
  std::uint32_t words = 4294967000U;
  std::uint64_t longs = 18446744073709551000ULL;
  bool was_odd = false;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      a = a.pmap([bytes, words](int x) {
        return static_cast<int>((static_cast<unsigned>(x) * words + bytes) & 1023U);
      });
      const int sum = a.sum();
      ++bytes;
      bytes *= 3;
      signed_bytes = static_cast<std::int8_t>(signed_bytes + sum);
      shorts = static_cast<std::uint16_t>(shorts * 257 + sum);
      signed_shorts = static_cast<std::int16_t>(signed_shorts - sum * 3);
      words = words * 2654435761U + static_cast<std::uint32_t>(sum);
      words -= bytes;
      longs = longs * 6364136223846793005ULL + words;
      longs <<= 1;
      was_odd = longs % 3 == 1 || sum % 2 != 0;
    }
  });
  std::printf("%d: %d %d %d %d %u %llu %d %d\n", turns, bytes, signed_bytes, shorts, signed_shorts,
              words, static_cast<unsigned long long>(longs), was_odd, static_cast<int>(a.sum()));
}

/// Such sums of arrays, and reductions to narrower types.
void wraps_in_reductions(int n) {
  ikra::array<std::uint8_t> a =
      ikra::pnew(n, [](std::int64_t i) { return static_cast<std::uint8_t>(i * 37); });
  std::uint8_t least = 255;
  unsigned product = 1;
  ikra::host_section([&] {
    for (int t = 0; t < 5; ++t) {
      a = a.pmap([least](std::uint8_t x) { return static_cast<std::uint8_t>(x * 5 + least); });
      least = a.preduce([](std::uint8_t x, std::uint8_t y) {
                 return static_cast<std::uint8_t>(x + y);
               }).value();
      product *= a.pmap([](std::uint8_t x) { return static_cast<unsigned>(x) | 1U; })
                     .preduce([](unsigned x, unsigned y) { return x * y; })
                     .value();
    }
  });
  std::printf("%d %u\n", least, product);
}

struct state {
  ikra::array<double> a;
  double change = 1;
  int turns = 0;
};
constexpr int most = 7;

void relax(state& s) {
  ikra::host_section([&] {
    while (s.change > 0 && s.turns < most) {
      const auto next =
          s.a.pstencil({{-1}, {1}}, 1.0, [](const auto& v) { return (v(-1) + v(1)) / 2; });
      s.change = s.a.pcombine(next, [](double x, double y) { return std::abs(x - y); })
                     .preduce(ikra::max)
                     .value();
      s.a = next;
      ++s.turns;
    }
  });
}

/// What a loop over vectors gives after each turn.
std::vector<std::pair<std::vector<double>, double>> relaxed(std::size_t n) {
  std::vector<double> of(n);
  for (std::size_t i = 0; i < n; ++i)
    of[i] = static_cast<double>(i * 7 % 31);
  std::vector<std::pair<std::vector<double>, double>> all{{of, 1}};
  for (int t = 0; t < most; ++t) {
    std::vector<double> next(n);
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = i == 0 || i + 1 == n ? 1 : (of[i - 1] + of[i + 1]) / 2;
      change = std::max(change, std::abs(of[i] - next[i]));
    }
    of = next;
    all.emplace_back(std::move(next), change);
  }
  return all;
}

/// A GPU may use 52 MiB (IKRA_DEVICE_MEMORY): two buffers of the loop take 32, a shared first one
/// 16 more, and others what is given. Where that is too much, the loop throws; with their memory
/// given back it ends.
void lacks_memory(bool shared) {
  // Elsewhere nothing is limited, and few elements do.
  const char* const device = std::getenv("IKRA_DEVICE");
  const bool on_gpu = device != nullptr && std::strcmp(device, "cuda") == 0;
  const std::size_t n = on_gpu ? std::size_t(2) << 20 : 1000; // 16 MiB
  const auto right = relaxed(n);
  const auto is_right = [&](const state& s) {
    return s.turns >= 0 && s.turns <= most && s.change == right[s.turns].second &&
           s.a.to_vector() == right[s.turns].first;
  };
  int wrong = 0;
  for (const std::int64_t others : {0, 1, 2, 4, 5, 6}) { // 0 to 48 MiB
    state s{ikra::array<double>(right[0].first)};
    const ikra::array<double> first = shared ? s.a : ikra::array<double>();
    bool has_thrown = false;
    try {
      ikra::array<double> held = ikra::pnew(on_gpu ? others << 20 : others,
                                            [](std::int64_t i) { return static_cast<double>(i); });
      // Its own kernel computes it, and it stays on the device.
      const double last = others == 0 ? -1 : held[held.size() - 1];
      relax(s);
      wrong += last == static_cast<double>(held.size()) - 1 ? 0 : 1;
    } catch (const ikra::error& failed) {
      has_thrown = true;
      wrong += failed.kind() == ikra::error_kind::out_of_memory ? 0 : 1;
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
    if (std::getenv("IKRA_TEST_TELL") != nullptr)
      std::printf("%d MiB: %s after %d turns\n", static_cast<int>(others) * 8,
                  has_thrown ? "error" : "ended", s.turns);
    wrong += is_right(s) && (has_thrown || s.turns == most) ? 0 : 1;
    relax(s);
    wrong += is_right(s) && s.turns == most ? 0 : 1;
    wrong += !shared || first.to_vector() == right[0].first ? 0 : 1;
  }
  std::printf("%d wrong\n", wrong);
}

/// Never ends, unless all are 0.
void endless(numbers a) {
  ikra::host_section([&] {
    while (a.sum() != 0)
      a = a.pmap([](int x) { return x % 7 + 1; });
  });
}

/// Another process runs such a loop, before this one has threads or a device.
void is_interrupted() {
  int ready[2];
  if (pipe(ready) != 0)
    return;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    endless(ikra::pnew(64, [](std::int64_t) { return 0; })); // starts the device
    if (write(ready[1], "r", 1) == 1)
      endless(start(64));
    _exit(0);
  }
  char is_ready = 0;
  const bool began = read(ready[0], &is_ready, 1) == 1;
  using namespace std::chrono_literals;
  std::this_thread::sleep_for(200ms);
  kill(child, SIGINT);
  int status = 0;
  for (int wait = 0; wait < 200 && waitpid(child, &status, WNOHANG) == 0; ++wait)
    std::this_thread::sleep_for(50ms);
  kill(child, SIGKILL);
  std::printf("%s\n", began && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT ? "interrupted"
                                                                                 : "went on");
}

} // namespace

int main() {
  is_interrupted();
  setenv("IKRA_DEVICE_MEMORY", "52M", /*overwrite=*/0);
  for (const int n : {10, 5000, 70000}) {
    for (const int bad : {-1, 0, 3})
      meets_another_shape(n, bad);
    becomes_shorter(n);
    for (const int turns : {1, 2, 300})
      wraps(n, turns);
    wraps_in_reductions(n);
  }
  lacks_memory(false);
  lacks_memory(true);
}
