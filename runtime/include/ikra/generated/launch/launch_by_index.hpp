// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce_by_index: for each key a first value and, after it, the elements that have the key,
// combined in their order. Where there are few keys, pieces of the array have results of their own
// for each key, which are combined in turn; where there are many, elements are brought into the
// order of their keys. What is grouped how follows from numbers of elements and keys alone, so that
// the result is the same in every run.
#pragma once

#include <ikra/generated/device/device.hpp>
#include <ikra/generated/launch/computed_before.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_by_index_cuda.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

namespace ikra::rt {

/// The number of a key's result; not less than the number of keys if it is outside.
template <class Key> IKRA_HD std::uint64_t bin_of(const Key& key) {
  return static_cast<std::uint64_t>(converted<std::int64_t>(key));
}

/// The first element whose key is outside, as far as threads have met one.
class first_outside {
public:
  explicit first_outside(std::uint64_t n) : first_(n) {}
  void note(std::uint64_t i) {
    std::uint64_t before = first_.load(std::memory_order_relaxed);
    while (i < before && !first_.compare_exchange_weak(before, i, std::memory_order_relaxed)) {
    }
  }
  std::uint64_t value() const { return first_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> first_;
};

/// How the elements are dealt out on all cores.
struct by_index_pieces {
  static constexpr std::uint64_t grain = 16384, most = 64;
  std::uint64_t n, count;

  /// \param shortest elements that are worth a piece
  by_index_pieces(std::uint64_t elements, std::uint64_t shortest)
      : n(elements), count(std::clamp<std::uint64_t>(elements / shortest, 1, most)) {}
  std::uint64_t begin(std::uint64_t k) const {
    return n / count * k + std::min<std::uint64_t>(k, n % count);
  }
};

template <class Out, class Body> void combine_at(Out* place, const Body& body, const Out& element) {
  make_from(
      place, [&](const Out& all, const Out& next) -> decltype(auto) { return body(all, next); },
      *place, element);
}

/// Few keys: each piece but the first has results of its own.
template <class Out, class Keys, class Source, class Body, class Prepare>
void host_by_few_indices(const Body& body, const Keys& keys, const Source& in,
                         const by_index_pieces& pieces, std::uint64_t bins, Out* out,
                         first_outside& outside, const Prepare& prepare) {
  constexpr std::uint64_t at_once = 2048; // what is prepared is in the cache
  const std::uint64_t more = pieces.count - 1;
  ikra::detail::room<Out> parts(more * bins);
  ikra::detail::room<bool> used(more * bins);
  host_chunks(pieces.count, [&](std::uint64_t k) {
    const Body mine = body;
    Out* const results = k == 0 ? out : parts.data() + (k - 1) * bins;
    bool* const there = k == 0 ? nullptr : used.data() + (k - 1) * bins;
    if (there != nullptr)
      std::fill_n(there, bins, false);
    const std::uint64_t end = pieces.begin(k + 1);
    for (std::uint64_t first = pieces.begin(k); first < end; first += at_once) {
      const std::uint64_t last = std::min(end, first + at_once);
      prepare(first, last);
      for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t b = bin_of(keys[i]);
        if (b >= bins)
          return outside.note(i);
        const Out element = converted<Out>(in[i]);
        if (there == nullptr || there[b]) {
          combine_at(results + b, mine, element);
        } else {
          there[b] = true;
          ::new (static_cast<void*>(results + b)) Out(element);
        }
      }
    }
  });
  if (outside.value() != pieces.n)
    return;
  host_parts(bins, [&](std::uint64_t begin, std::uint64_t end) {
    const Body mine = body;
    for (std::uint64_t k = 0; k < more; ++k)
      for (std::uint64_t b = begin; b < end; ++b)
        if (used.data()[k * bins + b])
          combine_at(out + b, mine, parts.data()[k * bins + b]);
  });
}

/// Many keys: positions are brought into groups of neighbouring keys, in their order; then each
/// group is combined by one thread.
template <class Position, class Out, class Keys, class Source, class Body>
void host_by_many_indices(const Body& body, const Keys& keys, const Source& in,
                          const by_index_pieces& pieces, std::uint64_t bins, Out* out,
                          first_outside& outside) {
  // Each position is written, and its key and element are fetched again from anywhere: 30 ns of a
  // core, where one thread takes 1 to 2 ns an element for up to a million keys (4 million doubles
  // on an EPYC). The order for each key is the same.
  constexpr std::uint64_t worth_groups = 16; // threads
  if (host_threads() < worth_groups) {
    for (std::uint64_t i = 0; i < pieces.n; ++i) {
      const std::uint64_t b = bin_of(keys[i]);
      if (b >= bins)
        return outside.note(i);
      combine_at(out + b, body, converted<Out>(in[i]));
    }
    return;
  }
  constexpr std::uint64_t most_groups = 256;
  int shift = 0;
  while ((bins - 1) >> shift >= most_groups)
    ++shift;
  const std::uint64_t groups = ((bins - 1) >> shift) + 1;
  std::vector<std::uint64_t> next(pieces.count * groups); // positions of a piece and a group
  host_chunks(pieces.count, [&](std::uint64_t k) {
    std::uint64_t counts[most_groups] = {};
    for (std::uint64_t i = pieces.begin(k); i < pieces.begin(k + 1); ++i) {
      const std::uint64_t b = bin_of(keys[i]);
      if (b >= bins)
        return outside.note(i);
      ++counts[b >> shift];
    }
    std::copy_n(counts, groups, next.begin() + static_cast<std::ptrdiff_t>(k * groups));
  });
  if (outside.value() != pieces.n)
    return;
  std::vector<std::uint64_t> first(groups + 1);
  std::uint64_t total = 0;
  for (std::uint64_t g = 0; g < groups; ++g) {
    first[g] = total;
    for (std::uint64_t k = 0; k < pieces.count; ++k)
      total += std::exchange(next[k * groups + g], total);
  }
  first[groups] = total;
  ikra::detail::room<Position> order(pieces.n);
  host_chunks(pieces.count, [&](std::uint64_t k) {
    std::uint64_t* const place = next.data() + k * groups;
    for (std::uint64_t i = pieces.begin(k); i < pieces.begin(k + 1); ++i)
      order.data()[place[bin_of(keys[i]) >> shift]++] = static_cast<Position>(i);
  });
  host_chunks(groups, [&](std::uint64_t g) {
    const Body mine = body;
    for (std::uint64_t p = first[g]; p < first[g + 1]; ++p) {
      const std::uint64_t i = order.data()[p];
      combine_at(out + bin_of(keys[i]), mine, converted<Out>(in[i]));
    }
  });
}

/// Whether elements are combined piece by piece, each read once, and not brought into the order of
/// their keys.
inline bool has_few_keys(std::uint64_t n, std::uint64_t bins) {
  // A piece's results have to be far fewer than its elements.
  return bins < 2 || by_index_pieces(n, std::max(by_index_pieces::grain, 4 * bins)).count ==
                         by_index_pieces(n, by_index_pieces::grain).count;
}

/// out[b] = before[b], or initial if before is null, and, after it, the elements whose key is b,
/// on all cores.
/// \param keys, in keys and elements by their positions: in[i]
/// \param to_do called with the first and the last of a run of elements before these are read
/// \returns the position of the first element whose key is outside; n if there is none
template <class Out, class Keys, class Source, class Body, class Prepare>
std::uint64_t host_reduce_by_index(const Body& body, const Keys& keys, const Source& source,
                                   std::uint64_t n, std::uint64_t bins, const Out* before,
                                   const Out& initial, Out* out, const Prepare& to_do) {
  host_parts(bins, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t b = begin; b < end; ++b)
      ::new (static_cast<void*>(out + b)) Out(before == nullptr ? initial : before[b]);
  });
  if (n == 0)
    return n;
  first_outside outside(n);
  with_costly_computed(
      source, n, by_index_pieces::grain, to_do, [&](const auto& in, const auto& prepare) {
        const by_index_pieces fine(n, by_index_pieces::grain);
        if (has_few_keys(n, bins)) {
          const by_index_pieces coarse(n, std::max(by_index_pieces::grain, 4 * bins));
          host_by_few_indices(body, keys, in, coarse, bins, out, outside, prepare);
          return;
        }
        host_parts(n, prepare);
        if (n <= UINT32_MAX)
          host_by_many_indices<std::uint32_t>(body, keys, in, fine, bins, out, outside);
        else
          host_by_many_indices<std::uint64_t>(body, keys, in, fine, bins, out, outside);
      });
  return outside.value();
}
template <class Out, class Keys, class Source, class Body>
std::uint64_t host_reduce_by_index(const Body& body, const Keys& keys, const Source& in,
                                   std::uint64_t n, std::uint64_t bins, const Out* before,
                                   const Out& initial, Out* out) {
  return host_reduce_by_index(body, keys, in, n, bins, before, initial, out,
                              [](std::uint64_t, std::uint64_t) {});
}

} // namespace ikra::rt
