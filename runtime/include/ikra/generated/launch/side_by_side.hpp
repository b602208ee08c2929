// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several results of a section side by side: on all cores in a thread's loops, which vectorise; on
// a GPU in a block's threads, which share what all results read.
#pragma once

#include <ikra/config.hpp>
#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/generated/launch/grid.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

// A loop over results side by side. clang checks on its own whether they depend on each other.
// g++ would unroll short ones before it looks for vectors, and then find none.
#if defined(__GNUC__) && !defined(__clang__)
#define IKRA_SIDE_BY_SIDE _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define IKRA_SIDE_BY_SIDE
#endif

// A loop over N neighbours, on all cores: g++ looks for results to compute side by side only where
// no loop is left in each of them, and unrolls such loops with -O3 alone.
#if defined(__GNUC__) && !defined(__clang__)
#define IKRA_UNROLL_TEXT(text) _Pragma(#text)
#define IKRA_UNROLL(n) IKRA_UNROLL_TEXT(GCC unroll n)
#else
#define IKRA_UNROLL(n)
#endif

namespace ikra::rt {

//===-- all cores ----------------------------------------------------------------------------===//

namespace detail {
/// What vectors hold of a struct: its words, of which each is a column of several results.
template <class T>
using lane_word = std::conditional_t<alignof(T) % 8 == 0, std::uint64_t, std::uint32_t>;
template <class T>
inline constexpr bool is_of_lane_words = std::is_trivially_copyable_v<T> && alignof(T) % 4 == 0 &&
                                         alignof(T) <= 8 && sizeof(T) % alignof(T) == 0;

template <class T, class Indices> struct words_of;
template <class T, std::size_t... I> struct words_of<T, std::index_sequence<I...>> {
  struct all {
    lane_word<T> of[sizeof...(I)];
  };
  template <unsigned N> struct columns {
    T operator[](unsigned k) const { return std::bit_cast<T>(all{{of[I][k]...}}); }
    void set(unsigned k, const T& value) {
      const all words = std::bit_cast<all>(value);
      ((of[I][k] = words.of[I]), ...);
    }

    alignas(64) lane_word<T> of[sizeof...(I)][N];
  };
};
} // namespace detail

/// A variable of N results: a number. \{
template <class T, unsigned N, bool IsClass = std::is_class_v<T>> struct lanes {
  T operator[](unsigned k) const { return of[k]; }
  void set(unsigned k, const T& value) { of[k] = value; }

  alignas(64) T of[N];
};
/// \} A struct.
template <class T, unsigned N>
struct lanes<T, N, true>
    : detail::words_of<T, std::make_index_sequence<sizeof(T) / sizeof(detail::lane_word<T>)>>::
          template columns<N> {};

/// How many results a core computes side by side that have variables of these structs: four vectors
/// of SSE's of floats, so that additions have others to go on with; 0 if some struct is not of
/// words.
template <class... Structs>
inline constexpr unsigned side_by_side = (detail::is_of_lane_words<Structs> && ...) ? 16 : 0;

/// Whether a body computes `Body::side_by_side` results at a time, by
/// `compute_lanes<N>(in..., index of the first, out)`: without the index where it takes none.
template <class Body>
concept computes_lanes = requires { requires is_said<Body::side_by_side>; };

namespace detail {
template <class Body> constexpr unsigned side_by_side_of_body() {
  if constexpr (computes_lanes<Body>)
    return Body::side_by_side;
  else
    return 0;
}
} // namespace detail

/// The same of a kernel of several bodies that have the form: 0 if it is off for one.
template <class First, class... Others>
inline constexpr unsigned side_by_side_of =
    (computes_lanes<Others> && ...) ? detail::side_by_side_of_body<First>() : 0;

/// Memory for N results.
template <class T, unsigned N> class kept_lanes {
public:
  T* data() { return reinterpret_cast<T*>(memory_); }

private:
  alignas(T) alignas(64) unsigned char memory_[N * sizeof(T)];
};

/// \param to memory for a result, which is given as a T
template <class T, class Out> void put(Out* to, const T& made) {
  ::new (static_cast<void*>(to)) Out(made);
}

//===-- a GPU --------------------------------------------------------------------------------===//

/// Whether threads of a block share what a body reads, by its `compute_in_tiles`.
template <class Body>
concept computes_in_tiles = requires { requires is_said<Body::is_in_tiles>; };

/// The greatest of some sizes.
template <class... Size> constexpr std::size_t most(Size... of) {
  std::size_t out = 0;
  ((out = std::size_t(of) > out ? std::size_t(of) : out), ...);
  return out;
}

#ifdef __CUDACC__
namespace detail {
/// A block's memory for a piece of the Kth array of a loop, which Turn tells from others.
template <class Turn, std::size_t K, class T> __device__ T* tile_memory() {
  __shared__ alignas(16) unsigned char memory[block_size * sizeof(T)];
  return reinterpret_cast<T*>(memory);
}

template <class I, class Turn, std::size_t... K, class... Line>
__device__ void in_tiles(I begin, std::int64_t end, const Turn& turn, std::index_sequence<K...>,
                         const Line&... all) {
  std::int64_t first = begin;
  // What a wrong program reads past an array's end is not brought in pieces.
  while (first + std::int64_t(block_size) <= end &&
         ((std::uint64_t(first) + block_size <= all.size()) && ...)) {
    __syncthreads(); // the pieces before have been read
    (::new (static_cast<void*>(tile_memory<Turn, K, typename Line::value_type>() + threadIdx.x))
         typename Line::value_type(all[std::size_t(first) + threadIdx.x]),
     ...);
    __syncthreads();
#pragma unroll 8
    for (unsigned k = 0; k < block_size; ++k)
      turn(static_cast<I>(first + k),
           std::as_const(tile_memory<Turn, K, typename Line::value_type>()[k])...);
    first += block_size;
  }
  for (; first < end; ++first)
    turn(static_cast<I>(first), all[std::size_t(first)]...);
}
} // namespace detail

/// The elements of an array of several dimensions along one of them.
template <class T> class line {
public:
  using value_type = T;
  __device__ line(const T* first, std::int64_t step, std::size_t size)
      : first_(first), step_(step), size_(size) {}
  __device__ const T& operator[](std::size_t i) const {
    return first_[static_cast<std::int64_t>(i) * step_];
  }
  __device__ std::size_t size() const { return size_; }

private:
  const T* first_;
  std::int64_t step_;
  std::size_t size_;
};
/// That along dimension D. \param place in all dimensions, 0 in D. None of its elements is brought
/// in pieces if it is outside: it has a size of 0
template <int D, class T, int R, class... I>
__device__ line<T> line_of(const grid<T, R>& of, I... place) {
  const std::int64_t at[R] = {static_cast<std::int64_t>(place)...};
  std::int64_t first = 0, step = 1;
  bool is_inside = true;
  for (int d = 0; d < R; ++d) {
    const std::int64_t extent = of.shape()[d];
    first = first * extent + at[d];
    step = d > D ? step * extent : step;
    is_inside = is_inside && (d == D || (at[d] >= 0 && at[d] < extent));
  }
  return {of.data() + first, step, is_inside ? static_cast<std::size_t>(of.shape()[D]) : 0};
}

/// Calls turn(i, elements i of some arrays, or lines of such) for i from begin to before end, in
/// all threads of a block together. They bring a piece of the arrays to the block's memory at a
/// time.
/// \param begin not negative
template <class I, class Turn, class... Line>
__device__ void in_tiles(I begin, std::int64_t end, const Turn& turn, const Line&... all) {
  detail::in_tiles(begin, end, turn, std::index_sequence_for<Line...>{}, all...);
}

/// The same with each element x of a list: turn(x).
template <class T, class Turn>
__device__ void in_tiles(const list<const T>& all, const Turn& turn) {
  in_tiles<std::int64_t>(
      0, std::int64_t(all.size()), [&](std::int64_t, const T& x) { turn(x); }, all);
}
#endif

} // namespace ikra::rt
