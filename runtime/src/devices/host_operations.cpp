// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations without a section on all cores. Each thread writes a part of the result. What finds a
// place outside leaves the operation to the plain library's loop, which says so.
#include "host_places.hpp"
#include "host_sort.hpp"
#include "operations.hpp"
#include "support/parallel.hpp"

#include <ikra/buffer.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace ikra::rt {

namespace {

/// The elements of one row of a view.
template <class Chunk>
void copy_row(Chunk* to, const Chunk* from, std::int64_t stride, std::int64_t count,
              std::size_t per_element) {
  if (stride == 1) {
    std::copy_n(from, static_cast<std::size_t>(count) * per_element, to);
    return;
  }
  if (per_element == 1) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = from[i * stride];
    return;
  }
  const auto width = static_cast<std::int64_t>(per_element);
  for (std::int64_t i = 0; i < count; ++i)
    copy_chunks(to + i * width, from + i * stride * width, per_element);
}

/// The position of the row-major row number \p row of a view.
std::int64_t row_position(const strided& map, std::int64_t row) {
  std::int64_t position = map.offset;
  for (int d = map.rank - 2; d >= 0; --d) {
    position += row % map.shape[d] * map.strides[d];
    row /= map.shape[d];
  }
  return position;
}

template <class Key> struct keyed_position {
  Key key;
  std::uint32_t position;
};
template <class Key> struct keyed_wide_position {
  Key key;
  std::uint64_t position;
};

class on_all_cores final : public ikra::detail::device_operations {
public:
  bool view(const any_buffer& in, const strided& map, any_buffer& out) override {
    const std::int64_t volume = map.volume();
    if (map.is_contiguous() || volume == 0)
      return false; // shares the elements
    const std::int64_t length = map.shape[map.rank - 1];
    const void* const from = in.data();
    void* const to = out.allocate(static_cast<std::size_t>(volume));
    with_chunks(in.element_bytes(), to, from, [&](auto chunk, std::size_t per_element) {
      using T = decltype(chunk);
      const auto rows = static_cast<std::size_t>(volume / length);
      const std::size_t rows_a_thread = elements_a_thread / static_cast<std::size_t>(length) + 1;
      for_ranges(rows, rows_a_thread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          const auto position =
              static_cast<std::size_t>(row_position(map, static_cast<std::int64_t>(row)));
          copy_row(static_cast<T*>(to) + row * static_cast<std::size_t>(length) * per_element,
                   static_cast<const T*>(from) + position * per_element, map.strides[map.rank - 1],
                   length, per_element);
        }
      });
    });
    return true;
  }

  bool concatenate(const any_buffer* const* in, std::size_t count, any_buffer& out) override {
    std::size_t size = 0;
    for (std::size_t k = 0; k < count; ++k)
      size += in[k]->size();
    const std::size_t bytes = out.element_bytes();
    auto* to = static_cast<unsigned char*>(out.allocate(size));
    for (std::size_t k = 0; k < count; ++k) {
      const auto* const from = static_cast<const unsigned char*>(in[k]->data());
      for_ranges(in[k]->size(), elements_a_thread, [&](std::size_t begin, std::size_t end) {
        std::memcpy(to + begin * bytes, from + begin * bytes, (end - begin) * bytes);
      });
      to += in[k]->size() * bytes;
    }
    return true;
  }

  bool gather(const any_buffer& in, const strided& space, const any_buffer& indices,
              any_buffer& out) override {
    const std::size_t n = indices.size();
    const void* const from = in.data();
    return with_places(indices, space, [&](const auto& place, std::size_t size) {
      void* const to = out.allocate(n);
      return with_chunks(in.element_bytes(), to, from, [&](auto chunk, std::size_t per_element) {
        using T = decltype(chunk);
        return for_places_inside(place, n, size, [&](std::size_t begin, std::size_t end) {
          gather_part(static_cast<T*>(to), static_cast<const T*>(from), per_element, place, begin,
                      end);
        });
      });
    });
  }

  bool scatter(const any_buffer& in, const strided& space, const any_buffer& indices,
               const void* init, any_buffer& out) override {
    const std::size_t n = in.size();
    const void* const from = in.data();
    std::vector<unsigned char> elsewhere(in.element_bytes()); // aligned as arrays are
    std::memcpy(elsewhere.data(), init, elsewhere.size());
    // 32 bits are to be enough for a number of an element.
    const bool by_last = chunk_count(n, elements_a_thread) >= threads_for_last &&
                         n < std::numeric_limits<std::uint32_t>::max();
    return with_places(indices, space, [&](const auto& place, std::size_t size) {
      void* const to = out.allocate(size);
      return with_chunks(in.element_bytes(), to, from, [&](auto chunk, std::size_t per_element) {
        using T = decltype(chunk);
        const scattered<T> elements = {static_cast<const T*>(from), n,
                                       reinterpret_cast<const T*>(elsewhere.data()), per_element};
        return by_last ? scatter_by_last(elements, place, static_cast<T*>(to), size)
                       : scatter_in_order(elements, place, static_cast<T*>(to), size);
      });
    });
  }

  bool sort(const any_buffer& in, any_buffer& out) override {
    if (!is_number(in) || in.size() < 2)
      return false;
    const std::size_t n = in.size();
    const device_memory memory(host_device(), n * in.element_bytes(), "elements that are sorted",
                               operation_info("psort"));
    const void* const from = in.data();
    void* const to = out.allocate(n);
    with_number(in.kind(), in.element_bytes(), [&](auto number) {
      using T = decltype(number);
      radix_sort(static_cast<const T*>(from), static_cast<T*>(to), static_cast<T*>(memory.data()),
                 n, [](T x) { return ordered(x); });
    });
    return true;
  }

  bool sort_by(const any_buffer& keys, const any_buffer& in, any_buffer& out) override {
    if (!is_number(keys) || keys.size() < 2)
      return false;
    with_number(keys.kind(), keys.element_bytes(), [&](auto number) {
      using T = decltype(number);
      using key_type = decltype(ordered(number));
      if (keys.size() <= std::numeric_limits<std::uint32_t>::max())
        sort_by_positions<T, keyed_position<key_type>>(keys, in, out);
      else
        sort_by_positions<T, keyed_wide_position<key_type>>(keys, in, out);
    });
    return true;
  }

  bool histogram(const any_buffer& in, std::int64_t bins, any_buffer& out) override {
    return with_places(in, ikra::detail::whole(ikra::index<1>(bins)),
                       [&](const auto& bin, std::size_t count) {
                         return count_places(in.size(), count, out, bin);
                       });
  }

  bool first_of_runs(const any_buffer& in, any_buffer& out) override {
    if (!is_number(in) || in.size() == 0)
      return false;
    with_number(in.kind(), in.element_bytes(), [&](auto number) {
      using T = decltype(number);
      const auto* const key = static_cast<const T*>(in.data());
      const auto begins = [key](std::size_t i) { return i == 0 || !(key[i] == key[i - 1]); };
      const std::size_t chunks = chunk_count(in.size(), elements_a_thread);
      std::vector<std::size_t> ends(chunks);
      for_chunks(in.size(), chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          ends[chunk] += begins(i) ? 1U : 0U;
      });
      std::size_t total = 0;
      for (std::size_t& end : ends)
        total = end += total;
      auto* const result = static_cast<T*>(out.allocate(total));
      for_chunks(in.size(), chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        T* to = result + (chunk == 0 ? 0 : ends[chunk - 1]);
        for (std::size_t i = begin; i < end; ++i)
          if (begins(i))
            *to++ = key[i];
      });
    });
    return true;
  }

private:
  /// Elements that go to places; all places have `other` before.
  template <class T> struct scattered {
    const T* from;
    std::size_t count;
    const T* other;
    std::size_t per_element; ///< so many T are one element
  };

  /// The threads from which two passes over places, with an atomic operation each, take less than
  /// one.
  static constexpr std::size_t threads_for_last = 4;

  /// \returns false if a place is outside of the `size` results
  template <class T, class Places>
  static bool scatter_in_order(const scattered<T>& elements, const Places& place, T* to,
                               std::size_t size) {
    for_ranges(size, elements_a_thread, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p)
        copy_chunks(to + p * elements.per_element, elements.other, elements.per_element);
    });
    return for_blocks_inside(
        place, 0, elements.count, size, [&](std::size_t begin, std::size_t end) {
          scatter_part(to, elements.from, elements.per_element, place, begin, end);
        });
  }

  /// On all cores: first the last element for each place, then the elements.
  template <class T, class Places>
  static bool scatter_by_last(const scattered<T>& elements, const Places& place, T* to,
                              std::size_t size) {
    const device_memory memory(host_device(), size * sizeof(std::uint32_t),
                               "elements that go to places", operation_info("pscatter"));
    auto* const last = static_cast<std::uint32_t*>(memory.data()); // its number + 1
    for_ranges(size, elements_a_thread, [&](std::size_t begin, std::size_t end) {
      std::fill(last + begin, last + end, 0u);
    });
    const auto note_last = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::atomic_ref<std::uint32_t> owner(last[place(i)]);
        const auto mine = static_cast<std::uint32_t>(i + 1);
        std::uint32_t before = owner.load(std::memory_order_relaxed);
        while (before < mine &&
               !owner.compare_exchange_weak(before, mine, std::memory_order_relaxed)) {
        }
      }
    };
    if (!for_places_inside(place, elements.count, size, note_last))
      return false;
    for_ranges(size, elements_a_thread, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p)
        copy_chunks(to + p * elements.per_element,
                    last[p] == 0 ? elements.other
                                 : elements.from + (last[p] - 1) * elements.per_element,
                    elements.per_element);
    });
    return true;
  }

  /// Tables of so few bins stay in the first-level cache.
  static constexpr std::size_t few_bins = 1024;

  /// Counts a thread's part of the indices. \returns false if one is outside of the bins
  template <class BinOf>
  static bool count_part(std::size_t begin, std::size_t end, BinOf bin, std::int64_t* bins,
                         std::size_t count) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto b = static_cast<std::uint64_t>(bin(i));
      if (b >= count)
        return false;
      ++bins[b];
    }
    return true;
  }

  /// The same in four tables, so that a count need not wait for the one before, which may be of the
  /// same bin; and blocks of places are tested beforehand, by vectors.
  template <class BinOf>
  static bool count_in_tables(std::size_t begin, std::size_t end, BinOf bin, std::int64_t* bins,
                              std::size_t count) {
    constexpr std::size_t tables = 4, block = 4096, before_overflow = std::size_t(1) << 30;
    std::vector<std::uint32_t> all(tables * count);
    std::uint32_t *const t0 = all.data(), *const t1 = t0 + count, *const t2 = t1 + count,
                         *const t3 = t2 + count;
    while (begin < end) {
      const std::size_t part = std::min(end, begin + before_overflow);
      while (begin < part) {
        const std::size_t stop = std::min(part, begin + block);
        if (bin.any_outside(begin, stop, count))
          return false;
        for (; begin + tables <= stop; begin += tables) {
          ++t0[bin(begin)];
          ++t1[bin(begin + 1)];
          ++t2[bin(begin + 2)];
          ++t3[bin(begin + 3)];
        }
        for (; begin < stop; ++begin)
          ++t0[bin(begin)];
      }
      for (std::size_t b = 0; b < count; ++b) {
        bins[b] += std::int64_t(t0[b]) + t1[b] + t2[b] + t3[b];
        t0[b] = t1[b] = t2[b] = t3[b] = 0;
      }
    }
    return true;
  }

  template <class BinOf>
  static bool count_part_by_size(std::size_t begin, std::size_t end, BinOf bin, std::int64_t* bins,
                                 std::size_t count) {
    if (count <= few_bins && end - begin > count) // else tables cost more than they save
      return count_in_tables(begin, end, bin, bins, count);
    return count_part(begin, end, bin, bins, count);
  }

  /// How many of n places are each bin's. \param bin_of(i) the i-th; outside of the bins: false
  template <class BinOf>
  static bool count_places(std::size_t n, std::size_t count, any_buffer& out, const BinOf& bin_of) {
    // Each thread has bins of its own, which are to cost less than the elements do.
    const std::size_t chunks = chunk_count(n, std::max(elements_a_thread, count));
    if (chunks == 1) {
      auto* const result = static_cast<std::int64_t*>(out.allocate(count));
      std::memset(result, 0, bytes_of<std::int64_t>(count));
      return count_part_by_size(0, n, bin_of, result, count);
    }
    const device_memory memory(host_device(), bytes_of<std::int64_t>(chunks * count),
                               "bins of threads", operation_info("phistogram"));
    auto* const all = static_cast<std::int64_t*>(memory.data());
    std::atomic<bool> all_inside = true;
    for_chunks(n, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      std::int64_t* const mine = all + chunk * count;
      std::memset(mine, 0, bytes_of<std::int64_t>(count));
      if (!count_part_by_size(begin, end, bin_of, mine, count))
        all_inside.store(false, std::memory_order_relaxed);
    });
    if (!all_inside)
      return false;
    auto* const result = static_cast<std::int64_t*>(out.allocate(count));
    for_ranges(count, elements_a_thread, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        result[b] = 0;
        for (std::size_t chunk = 0; chunk < chunks; ++chunk)
          result[b] += all[chunk * count + b];
      }
    });
    return true;
  }

  /// Sorts the keys with the positions of their elements, and then fetches the elements.
  template <class T, class Item>
  static void sort_by_positions(const any_buffer& keys, const any_buffer& in, any_buffer& out) {
    constexpr section_info info = operation_info("psort_by");
    const std::size_t n = keys.size();
    const auto* const key = static_cast<const T*>(keys.data());
    const device_memory unsorted(host_device(), n * sizeof(Item), "keys that are sorted", info);
    const device_memory sorted(host_device(), n * sizeof(Item), "keys that are sorted", info);
    auto* const items = static_cast<Item*>(unsorted.data());
    {
      const device_memory spare(host_device(), n * sizeof(Item), "keys that are sorted", info);
      for_ranges(n, elements_a_thread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          items[i] = {ordered(key[i]), static_cast<decltype(items->position)>(i)};
      });
      radix_sort(items, static_cast<Item*>(sorted.data()), static_cast<Item*>(spare.data()), n,
                 [](const Item& item) { return item.key; });
    }
    const auto* const order = static_cast<const Item*>(sorted.data());
    const void* const from = in.data();
    void* const to = out.allocate(n);
    with_chunks(in.element_bytes(), to, from, [&](auto chunk, std::size_t per_element) {
      using C = decltype(chunk);
      const auto place = [order](std::size_t i) { return order[i].position; };
      for_ranges(n, elements_a_thread, [&](std::size_t begin, std::size_t end) {
        gather_part(static_cast<C*>(to), static_cast<const C*>(from), per_element, place, begin,
                    end);
      });
    });
  }
};

} // namespace

ikra::detail::device_operations& host_operations() {
  static on_all_cores operations;
  return operations;
}

} // namespace ikra::rt
