// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches with several results: arrays with one element a place, and reductions, whose bodies read
// the same elements. What the bodies have in common is computed once for each place, and elements
// are loaded once.
#pragma once

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/source.hpp>
#include <ikra/generated/launch/until_end.hpp>
#include <ikra/generated/launch/warp_store.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

namespace detail {

/// The K-th of several values.
template <std::size_t K, class T> struct numbered {
  T value;
};
template <class Numbers, class... T> struct numbered_values;
template <std::size_t... K, class... T>
struct numbered_values<std::index_sequence<K...>, T...> : numbered<K, T>... {};

template <std::size_t K, class T> IKRA_HD const T& part(const numbered<K, T>& of) {
  return of.value;
}
template <std::size_t K, class T> IKRA_HD T& part(numbered<K, T>& of) { return of.value; }

} // namespace detail

/// What a body computes for one place: a value for each result. Plain enough for shared memory and
/// for shuffles.
template <class... T>
struct alignas(std::bit_ceil(sizeof(detail::numbered_values<std::index_sequence_for<T...>, T...>)))
    results : detail::numbered_values<std::index_sequence_for<T...>, T...> {};

/// The values converted to the results' types.
template <class... T, class... Given> IKRA_HD results<T...> make_results(const Given&... given) {
  return results<T...>{{{static_cast<T>(given)}...}};
}

/// Whether a body computes each of its results also by a function `part` of its own, from elements
/// and results before it: `parts_in_turn` is their order.
template <class Body>
concept has_parts = requires { typename Body::parts_in_turn; };
template <std::size_t K> using part_number = std::integral_constant<std::size_t, K>;

namespace detail {

/// The results of one place that are stored.
template <class... Out> struct stored_results {
  const std::tuple<Out*...>& arrays;
  std::int32_t at;
  template <std::size_t K> IKRA_HD const auto& part() const { return std::get<K>(arrays)[at]; }
};
/// The function of a body that computes result K of one place.
template <std::size_t K, class Body, class... Out> struct part_of_body {
  const Body& body;
  stored_results<Out...> made;
  template <class... Given> IKRA_HD auto operator()(const Given&... given) const {
    return body.part(part_number<K>(), made, given...);
  }
};

/// Results of places [first, last) of a row, where the body has parts. Loops over one result
/// vectorise where one over all of them does not; what they read and make stays in a cache.
template <class... Out, std::size_t... K, class Body, class Row, class... In>
void host_row_by_parts(std::index_sequence<K...>, const Body& body, const Row& row,
                       std::int32_t first, std::int32_t last, const std::tuple<Out*...>& to,
                       const In*... in) {
  const auto part = [&]<std::size_t P>(part_number<P>) {
    IKRA_INDEPENDENT
    for (std::int32_t k = first; k < last; ++k)
      make_at<std::tuple_element_t<P, std::tuple<Out...>>>(
          std::get<P>(to) + k,
          call_at(part_of_body<P, Body, Out...>{body, {to, k}}, row, k, in[k]...));
  };
  (part(part_number<K>()), ...);
}

} // namespace detail

/// out_k[i] = part k of body(in[i]..., index of i) for elements [first, last), on this core.
template <int R, class... Out, std::size_t... K, class Body, class... In>
void host_elementwise_group_part(std::index_sequence<K...>, const Body& body,
                                 const shape_of_rank<R>& shape, std::uint64_t first,
                                 std::uint64_t last, const std::tuple<Out*...>& out,
                                 const In*... in) {
  for_row_starts<R>(
      shape, first, last,
      [&](std::uint64_t begin, std::int64_t rows, std::int32_t length, const auto& start) {
        for (std::int64_t r = 0; r < rows; ++r, begin += static_cast<std::uint64_t>(length)) {
          const std::tuple<Out*...> to(std::get<K>(out) + begin...);
          const auto row = start.row(r);
          if constexpr (has_parts<Body>) {
            constexpr std::int32_t together = 512; // a few arrays' elements in a first-level cache
            for (std::int32_t k = 0; k < length; k += std::min(together, length - k))
              detail::host_row_by_parts(typename Body::parts_in_turn(), body, row, k,
                                        k + std::min(together, length - k), to, (in + begin)...);
          } else {
            IKRA_INDEPENDENT
            for (std::int32_t k = 0; k < length; ++k) {
              const auto all = call_at(body, row, k, (in + begin)[k]...);
              (detail::make_at<Out>(std::get<K>(to) + k, detail::part<K>(all)), ...);
            }
          }
        }
      });
}

/// The same of all elements on all cores. \param n, shape see host_elementwise
template <int R, class... Out, std::size_t... K, class Body, class... In>
void host_elementwise_group(std::index_sequence<K...> numbers, const Body& body,
                            const shape_of_rank<R>& shape, std::uint64_t n,
                            const std::tuple<Out*...>& out, const In*... in) {
  const auto part = [&](std::uint64_t first, std::uint64_t last) {
    const Body mine = body; // a copy of this thread's own, which stores cannot change
    host_elementwise_group_part<R>(numbers, mine, shape, first, last, out, in...);
  };
  if constexpr (is_costly<Body>)
    host_costly_parts(n, part);
  else
    host_parts(n, part);
}

/// How one of several reductions combines elements, which are of its result's type.
/// \tparam Start start_with_nothing or start_with<Out>
template <class Out, class Body, class Start> struct horizontal_fold {
  using result = Out;
  Body body;
  Start start;
};
template <class Out, class Body>
horizontal_fold<Out, Body, start_with_nothing> fold(const Body& body) {
  return {body, {}};
}
template <class Out, class Body>
horizontal_fold<Out, Body, start_with<Out>> fold_from(const Body& body, const Out& initial) {
  return {body, {initial}};
}

/// Combines each of several results with its own body.
template <class Numbers, class... Fold> struct horizontal_body;
template <std::size_t... K, class... Fold>
struct horizontal_body<std::index_sequence<K...>, Fold...> {
  using value = results<typename Fold::result...>;
  detail::numbered_values<std::index_sequence<K...>, Fold...> folds;

  IKRA_HD value operator()(const value& a, const value& b) const {
    return make_results<typename Fold::result...>(
        detail::part<K>(folds).body(detail::part<K>(a), detail::part<K>(b))...);
  }
};

/// The K-th values of a source's results: a source.
template <std::size_t K, class Source> class part_source {
public:
  explicit part_source(const Source& all) : all_(all) {}
  auto operator[](std::uint64_t i) const { return detail::part<K>(all_[i]); }

private:
  Source all_;
};

template <class Fold, class Source>
using strips_of = strip_fold<typename Fold::result, decltype(Fold::body), Source::strip>;

/// The first parts of a source's results are stored, the others combined, on all cores: each
/// reduction combines a chunk as if it were alone, in the same groups, while what they read is in a
/// cache.
/// \param stored where the first parts go: n elements each
/// \param n      at least 1
/// \returns the results of the reductions
template <class... Stored, std::size_t... S, std::size_t... K, class... Fold, class Source>
results<typename Fold::result...> host_reduce_group(std::index_sequence<S...>,
                                                    const std::tuple<Stored*...>& stored,
                                                    std::index_sequence<K...>, const Source& source,
                                                    std::uint64_t n, const Fold&... fold) {
  const std::uint64_t size = reduce_strands * reduce_strand(n);
  const std::uint64_t chunks = (n + size - 1) / size;
  using rooms = std::tuple<ikra::detail::room<typename Fold::result>...>;
  rooms parts(((void)K, chunks)...);
  const auto compute = [&](const Source& all, std::uint64_t first, std::uint64_t count,
                           typename Fold::result*... taken) {
    all.each(first, count, [&](std::uint64_t i, const auto& one) {
      (detail::make_at<Stored>(std::get<S>(stored) + first + i, detail::part<S>(one)), ...);
      (detail::make_at<typename Fold::result>(taken + i, detail::part<sizeof...(Stored) + K>(one)),
       ...);
    });
  };
  const auto length_of = [&](std::uint64_t k) { return n - k * size < size ? n - k * size : size; };
  // What several folds take, or what is stored, is computed once.
  const auto in_strips = [&](std::uint64_t k) {
    const Source mine = source; // a copy of this thread's own, which stores cannot change
    detail::numbered_values<std::index_sequence<K...>, strips_of<Fold, Source>...> all{
        {strips_of<Fold, Source>(fold.body)}...};
    reduce_in_strips(
        length_of(k),
        [&](std::uint64_t first, std::uint64_t count, typename Fold::result*... to) {
          compute(mine, k * size + first, count, to...);
        },
        detail::part<K>(all)...);
    (detail::make_at<typename Fold::result>(std::get<K>(parts).data() + k,
                                            detail::part<K>(all).value()),
     ...);
  };
  const auto of_taken = [&](std::uint64_t k, const typename Fold::result*... taken) {
    (detail::make_at<typename Fold::result>(
         std::get<K>(parts).data() + k,
         reduce_chunk_of<typename Fold::result>(fold.body, taken, length_of(k))),
     ...);
  };
  if (is_costly<Source> && are_few_chunks(n)) {
    rooms taken(((void)K, n)...);
    host_costly_parts(n, [&](std::uint64_t begin, std::uint64_t end) {
      const Source mine = source;
      compute(mine, begin, end - begin, std::get<K>(taken).data() + begin...);
    });
    host_chunks(chunks,
                [&](std::uint64_t k) { of_taken(k, std::get<K>(taken).data() + k * size...); });
  } else if constexpr (sizeof...(Stored) == 0 && Source::is_for_rows) {
    host_chunks(chunks, in_strips);
  } else if constexpr (sizeof...(Stored) == 0) {
    host_chunks(chunks, [&](std::uint64_t k) {
      (detail::make_at<typename Fold::result>(
           std::get<K>(parts).data() + k,
           reduce_chunk_of<typename Fold::result>(
               fold.body, part_source<K, Source>(source + k * size), length_of(k))),
       ...);
    });
  } else { // one stream to each array
    host_chunks(chunks, [&](std::uint64_t k) {
      const Source mine = source;
      rooms taken(((void)K, length_of(k))...);
      compute(mine, k * size, length_of(k), std::get<K>(taken).data()...);
      of_taken(k, std::get<K>(taken).data()...);
    });
  }
  const auto in_front = []<class F>(const F& f, const typename F::result& all) {
    if constexpr (std::is_same_v<decltype(f.start), start_with_nothing>)
      return all;
    else
      return static_cast<typename F::result>(f.body(f.start.value, all));
  };
  return make_results<typename Fold::result...>(
      in_front(fold, reduce_in_turn<typename Fold::result>(fold.body, std::get<K>(parts).data(),
                                                           chunks))...);
}

/// computed_elements that are combined and not stored: a thread takes as many as make 16 bytes of
/// what is read, if their results fit into 16 registers.
template <class T, int R, class Head, class... In>
class combined_elements : public computed_elements<T, R, Head, In...> {
  using base = computed_elements<T, R, Head, In...>;

public:
  static constexpr unsigned per_thread = [] {
    const unsigned most = sizeof(T) < 64 ? static_cast<unsigned>(64 / sizeof(T)) : 1;
    const unsigned read = sizeof...(In) == 0 ? 1 : elements_per_thread<In...>();
    return read < most ? read : most;
  }();
  using base::base;

  /// The elements from the n-th on.
  IKRA_HD combined_elements operator+(std::uint64_t n) const {
    return combined_elements(base::operator+(n));
  }

private:
  IKRA_HD explicit combined_elements(const base& elements) : base(elements) {}
};

template <class T, int R, class Head, class... In>
combined_elements<T, R, Head, In...>
for_kernel(const combined_elements<T, R, Head, In...>& elements) {
  return elements;
}

/// A source of what is left of another one's results after those that it stores where it reads
/// them. Whoever reads it reads each element.
template <class Stored, class Combined, class Source> class storing_elements;
template <class... Stored, class... Combined, class Source>
class storing_elements<results<Stored...>, results<Combined...>, Source> {
  using numbers = std::index_sequence_for<Stored...>;
  using all_results = typename Source::value_type;

public:
  using value_type = results<Combined...>;
  using places = detail::numbered_values<numbers, Stored*...>;
  static constexpr unsigned per_thread = Source::per_thread;

  /// \param to where the first results go: as many elements as are read
  storing_elements(const Source& all, const places& to) : all_(all), to_(to) {}

  IKRA_HD value_type operator[](std::integral auto i) const {
    const all_results all = all_[i];
    store(all, static_cast<std::uint64_t>(i), numbers());
    return rest(all, std::index_sequence_for<Combined...>());
  }

#ifdef __CUDACC__
  /// V elements from the first on, a multiple of V.
  template <unsigned V>
  __device__ void load(pack_room<value_type, V>& to, std::uint64_t first) const {
    pack_room<all_results, V> all;
    all_.template load<V>(all, first);
    store_packs<V>(all, first, numbers());
#pragma unroll
    for (unsigned j = 0; j < V; ++j)
      ::new (&to.loaded.elements[j])
          value_type(rest(all.loaded.elements[j], std::index_sequence_for<Combined...>()));
  }
#endif

private:
  template <std::size_t... K>
  IKRA_HD void store(const all_results& all, std::uint64_t i, std::index_sequence<K...>) const {
    (detail::make_at<Stored>(detail::part<K>(to_) + i, detail::part<K>(all)), ...);
  }
#ifdef __CUDACC__
  template <unsigned V, std::size_t... K>
  __device__ void store_packs(const pack_room<all_results, V>& all, std::uint64_t first,
                              std::index_sequence<K...>) const {
    detail::numbered_values<numbers, pack<Stored, V>...> y;
#pragma unroll
    for (unsigned j = 0; j < V; ++j)
      ((detail::part<K>(y).elements[j] = detail::part<K>(all.loaded.elements[j])), ...);
    ((*reinterpret_cast<pack<Stored, V>*>(detail::part<K>(to_) + first) = detail::part<K>(y)), ...);
  }
#endif
  template <std::size_t... K>
  IKRA_HD static value_type rest(const all_results& all, std::index_sequence<K...>) {
    return make_results<Combined...>(detail::part<sizeof...(Stored) + K>(all)...);
  }

  Source all_;
  places to_;
};

// Defined below, where nvcc compiles; queued on a stream.

/// host_elementwise_group on the GPU.
template <int R, class... Out, class Body, class... In>
void cuda_elementwise_group(const Body& body, const shape_of_rank<R>& shape, std::uint64_t n,
                            void* stream,
                            detail::numbered_values<std::index_sequence_for<Out...>, Out*...> out,
                            const In*... in);

/// *out_k = part k of *all after what its fold starts with: one thread.
/// \param folds a horizontal_body
/// \param out   pointers, numbered
template <class All, class Folds, class Outs>
void cuda_deliver(const All* all, const Folds& folds, const Outs& out, void* stream);

#ifdef __CUDACC__

/// V results of each kind, from packs that were loaded whole.
template <unsigned V, int R, class Index, class Body, class... Out, std::size_t... K, class... In>
__device__ void store_pack(std::index_sequence<K...>, const Body& body,
                           const index_space<R, Index>& all, index_cursor<R, Index> place,
                           Index first,
                           const detail::numbered_values<std::index_sequence<K...>, Out*...>& out,
                           const pack<In, V>... x) {
  detail::numbered_values<std::index_sequence<K...>, pack<Out, V>...> y;
#pragma unroll
  for (unsigned j = 0; j < V; ++j) {
    const auto here = place.call(body, x.elements[j]...);
    ((detail::part<K>(y).elements[j] = detail::part<K>(here)), ...);
    place.next(all);
  }
  ((*reinterpret_cast<pack<Out, V>*>(detail::part<K>(out) + first) = detail::part<K>(y)), ...);
}

/// Whether a kernel's warps store its structs together: their rooms in shared memory may have 40
/// KiB.
template <class... Out>
inline constexpr bool are_stored_by_warps = [] {
  constexpr std::size_t bytes =
      (std::size_t(0) + ... + (is_stored_by_warps<Out> ? sizeof(Out) : 0));
  return bytes != 0 && bytes * block_size <= std::size_t(40) << 10;
}();

/// Stores one of a thread's results at out[i], by its warp where that is how they are stored.
/// Called by all lanes. \param is_mine whether this lane has one
template <class Out, class Index, class Value>
__device__ void store_result(Out* out, Index i, const Value& value, bool is_mine) {
  if constexpr (is_stored_by_warps<Out>) {
    union room {
      Out value;
      __device__ room() {}
    } own;
    if (is_mine)
      ::new (&own.value) Out(value);
    store_by_warp(out + i / warp_size * warp_size, own.value, is_mine);
  } else if (is_mine) {
    ::new (static_cast<void*>(out + i)) Out(value);
  }
}

/// V elements a thread. Index: of positions, 32 bits where they suffice.
template <unsigned V, int R, class Index, class Body, class Outs, class... Out, std::size_t... K,
          class... In>
__device__ void run_group(std::index_sequence<K...> numbers, const Body& body,
                          const index_space<R, Index>& all, Index n,
                          const detail::numbered_values<std::index_sequence<K...>, Out*...>& out,
                          const In* __restrict__... in) {
  const Index first = (Index(blockIdx.x) * block_size + threadIdx.x) * V;
  if constexpr (V == 1 && are_stored_by_warps<Out...>) {
    using all_results = decltype(index_cursor<R, Index>(all, first).call(body, in[first]...));
    union room {
      all_results values;
      __device__ room() {}
    } here;
    if (first < n)
      ::new (&here.values) all_results(index_cursor<R, Index>(all, first).call(body, in[first]...));
    (store_result(detail::part<K>(out), first, detail::part<K>(here.values), first < n), ...);
    return;
  }
  if (first >= n)
    return;
  index_cursor<R, Index> place(all, first);
  if constexpr (V > 1) {
    if (n - first >= V) {
      store_pack<V, R, Index, Body, Out...>(numbers, body, all, place, first, out,
                                            packed_at<V>(in + first)...);
      return;
    }
  }
  for (Index i = first; i < n && i < first + V; ++i, place.next(all)) {
    const auto here = place.call(body, in[i]...);
    (detail::make_at<Out>(detail::part<K>(out) + i, detail::part<K>(here)), ...);
  }
}

template <unsigned V, int R, class Index, class Body, class Outs, class... In>
__global__ void __launch_bounds__(block_size)
    horizontal_kernel(const __grid_constant__ Body body,
                      const __grid_constant__ index_space<R, Index> all, Index n,
                      const __grid_constant__ Outs out, const In* __restrict__... in) {
  if (rt::has_ended(body))
    return;
  [&]<std::size_t... K, class... Out>(
      const detail::numbered_values<std::index_sequence<K...>, Out*...>& to) {
    run_group<V, R, Index, Body, Outs, Out...>(std::index_sequence<K...>(), body, all, n, to,
                                               in...);
  }(out);
}

template <int R, class... Out, class Body, class... In>
void cuda_elementwise_group(const Body& body, const shape_of_rank<R>& shape, std::uint64_t n,
                            void* stream,
                            detail::numbered_values<std::index_sequence_for<Out...>, Out*...> out,
                            const In*... in) {
  if (n == 0)
    return;
  using outs = detail::numbered_values<std::index_sequence_for<Out...>, Out*...>;
  constexpr unsigned v = elements_per_thread<Out..., In...>();
  const unsigned blocks = blocks_for((n + v - 1) / v);
  if (n < largest_narrow)
    horizontal_kernel<v, R, std::uint32_t, Body, outs, In...>
        <<<blocks, block_size, 0, static_cast<cudaStream_t>(stream)>>>(
            body, index_space<R, std::uint32_t>(shape), static_cast<std::uint32_t>(n), out, in...);
  else
    horizontal_kernel<v, R, std::uint64_t, Body, outs, In...>
        <<<blocks, block_size, 0, static_cast<cudaStream_t>(stream)>>>(
            body, index_space<R, std::uint64_t>(shape), n, out, in...);
}

template <class Out, class Fold>
__device__ void deliver(const Fold& fold, const Out& all, Out* out) {
  if constexpr (std::is_same_v<decltype(fold.start), start_with_nothing>)
    ::new (static_cast<void*>(out)) Out(all);
  else
    ::new (static_cast<void*>(out)) Out(fold.body(fold.start.value, all));
}

template <class All, class Folds, class Outs>
__global__ void deliver_kernel(const All* all, const __grid_constant__ Folds folds,
                               const __grid_constant__ Outs out) {
  [&]<std::size_t... K, class... Out>(
      const detail::numbered_values<std::index_sequence<K...>, Out*...>& to) {
    (deliver(detail::part<K>(folds.folds), detail::part<K>(*all), detail::part<K>(to)), ...);
  }(out);
}

template <class All, class Folds, class Outs>
void cuda_deliver(const All* all, const Folds& folds, const Outs& out, void* stream) {
  deliver_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(all, folds, out);
}

#endif // __CUDACC__

} // namespace ikra::rt
