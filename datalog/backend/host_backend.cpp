// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, scans, radix sorting and merging on all cores.
#include "datalog/backend/host_backend.hpp"

#include <ikra/error.hpp>

#include <array>
#include <bit>
#include <cstdlib>
#include <iterator>

#include <sys/mman.h>
#include <unistd.h>

namespace ikra::datalog {

namespace {

constexpr u64 page = u64(2) << 20; // large pages make the first touch of memory cheap
constexpr unsigned digit_bits = 10;

/// Sizes come in steps of an eighth, so that blocks fit later requests.
u64 rounded(u64 bytes) {
  const u64 step = std::max<u64>(std::bit_floor(bytes) / 8, 256);
  const u64 size = (bytes + step - 1) / step * step;
  return size < page ? size : (size + page - 1) / page * page;
}

/// Bits at which keys differ, cut into digits, from the least significant one.
struct digit {
  unsigned shift, bits;
};

std::vector<digit> digits_of(u64 varying) {
  std::vector<digit> digits;
  for (unsigned at = 0; at < 64;) {
    if (((varying >> at) & 1) == 0) {
      ++at;
      continue;
    }
    // One region ends where at least four constant bits follow: crossing fewer is cheaper.
    unsigned end = at;
    for (unsigned gap = 0, i = at; i < 64 && gap < 4; ++i)
      if (((varying >> i) & 1) != 0) {
        end = i + 1;
        gap = 0;
      } else {
        ++gap;
      }
    const unsigned parts = (end - at + digit_bits - 1) / digit_bits;
    for (unsigned p = 0; p < parts; ++p) {
      const unsigned from = at + (end - at) * p / parts, to = at + (end - at) * (p + 1) / parts;
      digits.push_back({from, to - from});
    }
    at = end;
  }
  return digits;
}

struct no_rows {
  void move(u64, u64) const {}
  void swap() {}
};

struct with_rows {
  const u32* from;
  u32* to;
  void move(u64 source, u64 target) const { to[target] = from[source]; }
  void swap() {
    u32* const old = const_cast<u32*>(from);
    from = to;
    to = old;
  }
};

/// Bits at which tuples may differ, put side by side. Of each half of a word, since most columns
/// have 32 bits, they are the lowest to the highest that varies.
struct varying_bits {
  struct piece {
    unsigned from = 0, to = 0; ///< shifts: in the tuple's word, and in the key
    u64 mask = 0;
    u64 in_key(u64 word) const { return ((word >> from) & mask) << to; }
    u64 in_word(u64 key) const { return ((key >> to) & mask) << from; }
  };
  struct word {
    piece high, low;
    u64 constant = 0; ///< the other bits
  };
  word of[max_words];
  unsigned bits = 0; ///< of all; keys are right up to 64
};

varying_bits find_varying(const host_parts& parts, const word_columns& tuples, unsigned words) {
  using found = std::array<u64, max_words>;
  std::vector<found> found_in(parts.parts());
  parts.run([&](u64 part, u64 begin, u64 end) {
    for (unsigned w = 0; w < words; ++w) {
      const u64* const from = tuples.words[w];
      const u64 first = from[0];
      u64 varying = 0;
      for (u64 i = begin; i < end; ++i)
        varying |= from[i] ^ first;
      found_in[part][w] = varying;
    }
  });
  varying_bits made;
  const auto add = [&](u64 varying, unsigned half) {
    varying_bits::piece p;
    if (const u64 bits = (varying >> half) & low_bits(32); bits != 0 && made.bits < 64) {
      const auto lowest = static_cast<unsigned>(std::countr_zero(bits));
      const unsigned count = static_cast<unsigned>(std::bit_width(bits)) - lowest;
      p = {half + lowest, made.bits, low_bits(count)};
      made.bits += count;
    } else if (bits != 0) {
      made.bits = 65;
    }
    return p;
  };
  for (unsigned w = words; w-- > 0;) { // from the least significant bits
    u64 varying = 0;
    for (const found& f : found_in)
      varying |= f[w];
    varying_bits::word& of = made.of[w];
    of.low = add(varying, 0);
    of.high = add(varying, 32);
    of.constant =
        tuples.words[w][0] & ~(of.low.mask << of.low.from) & ~(of.high.mask << of.high.from);
  }
  return made;
}

/// \returns true if the result is in `other`.
template <class Rows> bool radix_sort(u64* keys, u64* other, u64 count, Rows& rows) {
  const host_parts parts(count, 1 << 14);
  std::vector<u64> ored(parts.parts(), 0), anded(parts.parts(), ~u64(0));
  std::vector<char> sorted(parts.parts(), 1);
  parts.run([&](u64 part, u64 begin, u64 end) {
    u64 o = 0, a = ~u64(0);
    bool ascending = begin == 0 || keys[begin - 1] <= keys[begin];
    for (u64 i = begin; i < end; ++i) {
      o |= keys[i];
      a &= keys[i];
      ascending &= i + 1 >= count || keys[i] <= keys[i + 1];
    }
    ored[part] = o;
    anded[part] = a;
    sorted[part] = ascending ? 1 : 0;
  });
  u64 varying_or = 0, varying_and = ~u64(0);
  bool ascending = true;
  for (u64 p = 0; p < parts.parts(); ++p) {
    varying_or |= ored[p];
    varying_and &= anded[p];
    ascending = ascending && sorted[p] != 0;
  }
  if (ascending)
    return false;

  u64* from = keys;
  u64* to = other;
  using counts = std::array<u64, std::size_t(1) << digit_bits>;
  std::vector<counts> histograms(parts.parts());
  for (const digit d : digits_of(varying_or & ~varying_and)) {
    const u64 mask = low_bits(d.bits);
    parts.run([&](u64 part, u64 begin, u64 end) {
      counts& h = histograms[part];
      h.fill(0);
      for (u64 i = begin; i < end; ++i)
        ++h[(from[i] >> d.shift) & mask];
    });
    u64 place = 0;
    for (u64 v = 0; v <= mask; ++v)
      for (counts& h : histograms) {
        const u64 n = h[v];
        h[v] = place;
        place += n;
      }
    parts.run([&](u64 part, u64 begin, u64 end) {
      counts& h = histograms[part];
      for (u64 i = begin; i < end; ++i) {
        const u64 target = h[(from[i] >> d.shift) & mask]++;
        to[target] = from[i];
        rows.move(i, target);
      }
    });
    std::swap(from, to);
    rows.swap();
  }
  return from != keys;
}

} // namespace

host_backend::~host_backend() {
  for (const block& b : kept_)
    std::free(b.memory);
}

u64 host_backend::available() const noexcept {
  const u64 physical =
      static_cast<u64>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
  const u64 free = physical + kept_bytes_;
  if (limit_ == 0)
    return free;
  return std::min(free, limit_ > in_use_ ? limit_ - in_use_ : 0);
}

void* host_backend::allocate(u64 bytes, const char* what) {
  const u64 size = rounded(bytes);
  const auto fail = [&](const char* why) {
    throw error(error_kind::out_of_memory,
                ikra::detail::text("Datalog: no ", bytes, " bytes for ", what, ": ", why,
                                   "; raise the memory limit or use a device with more memory"));
  };
  if (limit_ != 0 && in_use_ + size > limit_)
    fail("the memory limit is reached");
  void* memory = nullptr;
  const auto found =
      std::find_if(kept_.rbegin(), kept_.rend(), [&](const block& b) { return b.size == size; });
  if (found != kept_.rend()) {
    memory = found->memory;
    kept_.erase(std::next(found).base());
    kept_bytes_ -= size;
  }
  if (memory == nullptr) {
    memory = std::aligned_alloc(size < page ? 256 : page, size);
    if (memory == nullptr && !kept_.empty()) {
      for (const block& b : kept_)
        std::free(b.memory);
      kept_.clear();
      kept_bytes_ = 0;
      memory = std::aligned_alloc(size < page ? 256 : page, size);
    }
    if (memory == nullptr)
      fail("the machine has none");
    if (size >= page)
      static_cast<void>(madvise(memory, size, MADV_HUGEPAGE)); // a hint only
  }
  in_use_ += size;
  peak_ = std::max(peak_, in_use_);
  return memory;
}

void host_backend::release(void* memory, u64 bytes) noexcept {
  const u64 size = rounded(bytes);
  in_use_ -= size;
  // What is kept saves the machine from clearing pages, but not beyond a part of what is in use.
  // Sizes change as relations grow: the oldest blocks go first.
  constexpr u64 largest_kept = u64(256) << 20, always_kept = u64(1) << 20;
  if (size > largest_kept) {
    std::free(memory);
    return;
  }
  std::size_t old = 0;
  for (; old < kept_.size() && kept_bytes_ + size > always_kept + in_use_ / 64; ++old) {
    std::free(kept_[old].memory);
    kept_bytes_ -= kept_[old].size;
  }
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(old));
  kept_.push_back({size, memory});
  kept_bytes_ += size;
}

void host_backend::give_back(const void* memory, u64 bytes) noexcept {
  // Whole large pages alone: what is left takes memory until the block is released.
  const u64 address = reinterpret_cast<std::uintptr_t>(memory);
  const u64 begin = (address + page - 1) / page * page, end = (address + bytes) / page * page;
  if (begin < end)
    static_cast<void>(madvise(reinterpret_cast<void*>(static_cast<std::uintptr_t>(begin)),
                              end - begin,
                              MADV_DONTNEED)); // the pages stay where that fails
}

u64 host_backend::scan(u64* values, u64 count) {
  const host_parts parts(count, 1 << 14);
  std::vector<u64> sums(parts.parts() + 1, 0);
  parts.run([&](u64 part, u64 begin, u64 end) {
    u64 total = 0;
    for (u64 i = begin; i < end; ++i)
      total += values[i];
    sums[part + 1] = total;
  });
  for (u64 p = 0; p < parts.parts(); ++p)
    sums[p + 1] += sums[p];
  parts.run([&](u64 part, u64 begin, u64 end) {
    u64 total = sums[part];
    for (u64 i = begin; i < end; ++i) {
      const u64 n = values[i];
      values[i] = total;
      total += n;
    }
  });
  return values[count] = sums.back();
}

void host_backend::sort(u64* keys, u64 count) {
  if (count < 2048) {
    std::sort(keys, keys + count);
    return;
  }
  const buffer<host_backend, u64> other(*this, count, "sorting");
  no_rows rows;
  if (radix_sort(keys, other.data(), count, rows))
    copy(keys, other.data(), count * sizeof(u64));
}

void host_backend::sort_pairs(u64* keys, u32* rows, u64 count) {
  const buffer<host_backend, u64> other_keys(*this, count, "sorting");
  const buffer<host_backend, u32> other_rows(*this, count, "sorting");
  with_rows moved{rows, other_rows.data()};
  if (radix_sort(keys, other_keys.data(), count, moved)) {
    copy(keys, other_keys.data(), count * sizeof(u64));
    copy(rows, other_rows.data(), count * sizeof(u32));
  }
}

bool host_backend::sort_as_words(const word_columns& tuples, unsigned words, u64 count) {
  const host_parts parts(count, 1 << 14);
  const varying_bits varying = find_varying(parts, tuples, words);
  if (varying.bits > 64)
    return false;
  const buffer<host_backend, u64> keys(*this, count, "sorting");
  parts.run([&](u64, u64 begin, u64 end) {
    for (u64 i = begin; i < end; ++i) {
      u64 key = 0;
      for (unsigned w = 0; w < words; ++w)
        key |= varying.of[w].high.in_key(tuples.words[w][i]) |
               varying.of[w].low.in_key(tuples.words[w][i]);
      keys.data()[i] = key;
    }
  });
  sort(keys.data(), count);
  parts.run([&](u64, u64 begin, u64 end) {
    for (unsigned w = 0; w < words; ++w) {
      const varying_bits::word of = varying.of[w];
      for (u64 i = begin; i < end; ++i)
        tuples.words[w][i] =
            of.constant | of.high.in_word(keys.data()[i]) | of.low.in_word(keys.data()[i]);
    }
  });
  return true;
}

void host_backend::merge(const u64* a, u64 count_a, const u64* b, u64 count_b, u64* out) {
  const host_parts parts(count_a + count_b, 1 << 14);
  // Merge path: how many of the first `diagonal` outputs come from a.
  const auto split = [&](u64 diagonal) {
    u64 low = diagonal > count_b ? diagonal - count_b : 0, high = std::min(diagonal, count_a);
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if (a[middle] <= b[diagonal - 1 - middle])
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  parts.run([&](u64, u64 begin, u64 end) {
    const u64 a0 = split(begin), a1 = split(end);
    std::merge(a + a0, a + a1, b + (begin - a0), b + (end - a1), out + begin);
  });
}

} // namespace ikra::datalog
