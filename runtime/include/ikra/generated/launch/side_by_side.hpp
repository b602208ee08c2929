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
#if defined(__GNUC__) && !defined(__clang__)
#define IKRA_SIDE_BY_SIDE _Pragma("GCC ivdep")
#else
#define IKRA_SIDE_BY_SIDE
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

#ifdef __CUDACC__
/// Bytes of elements of which blocks keep a piece: more would leave room for fewer blocks.
inline constexpr std::size_t largest_in_tiles = 32;

/// Calls turn(x) for each element of a list, in order, in all threads of a block together. They
/// bring a piece of it to the block's memory at a time.
template <class T, class Turn>
__device__ void in_tiles(const list<const T>& all, const Turn& turn) {
  const T* const from = all.begin();
  const std::size_t n = all.size();
  std::size_t first = 0;
  if constexpr (sizeof(T) <= largest_in_tiles) {
    __shared__ alignas(16) unsigned char memory[block_size * sizeof(T)];
    T* const tile = reinterpret_cast<T*>(memory);
    for (; first + block_size <= n; first += block_size) {
      __syncthreads(); // the piece before has been read
      ::new (static_cast<void*>(tile + threadIdx.x)) T(from[first + threadIdx.x]);
      __syncthreads();
#pragma unroll 8
      for (unsigned k = 0; k < block_size; ++k)
        turn(tile[k]);
    }
  }
  for (; first < n; ++first)
    turn(from[first]);
}
#endif

} // namespace ikra::rt
