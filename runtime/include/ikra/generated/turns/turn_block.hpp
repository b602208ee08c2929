// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns over a few elements, on a GPU (docs/turns.md): the threads of one block run the whole loop.
// All go through all steps, each with scalars of its own, which are equal, and with handles to the
// same arrays, in the block's shared memory. A command's elements are dealt out to them.
//
// After each command the threads wait for each other, and so they do after what reads an element:
// what a command writes, no thread still reads, since an array is written in the memory of one that
// was read before that. On all cores one thread does it all; programs have that in tests alone.
#pragma once

#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch_horizontal.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/source.hpp>
#include <ikra/generated/turns/turn_memory.hpp>
#include <ikra/generated/turns/turn_sources.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Shared memory that a loop in one block takes at most: what kernels have without asking for more.
inline constexpr std::size_t most_block_bytes = std::size_t(48) << 10;

/// What an array takes of it. Packs of elements are aligned there as in other memory.
template <class T> IKRA_HD constexpr std::size_t block_bytes(std::uint64_t elements) {
  constexpr std::size_t line = 128;
  static_assert(alignof(T) <= line);
  return (elements * sizeof(T) + line - 1) / line * line;
}
/// What a reduction to T takes: two rooms for the results of all warps, used in turn.
template <class T> IKRA_HD constexpr std::size_t block_reduction_bytes() {
  return 2 * block_bytes<T>(warps_per_block);
}

/// A space, with what is found out about it before the launch.
template <int R> struct block_space {
  index<R> shape;
  std::uint32_t n;
  index_space<R, std::uint32_t> space;
  index_space<R, std::uint64_t> wide_space;
  index_space<0, std::uint32_t> no_space;
  index_space<0, std::uint64_t> no_wide_space;

  explicit block_space(const turn_space<R>& of)
      : shape(of.shape), n(static_cast<std::uint32_t>(of.n)), space(of.shape), wide_space(of.shape),
        no_space(index<1>()), no_wide_space(index<1>()) {}

  /// For a body that takes an index of rank I, which is 0 or the space's. \{
  template <int I> IKRA_HD const auto& space_of() const {
    if constexpr (I == 0)
      return no_space;
    else
      return space;
  }
  template <int I> IKRA_HD const auto& wide_space_of() const {
    if constexpr (I == 0)
      return no_wide_space;
    else
      return wide_space;
  }
  /// \}
};

/// Where a variable's elements are before the loop, and where they are to be after it.
template <class T> struct block_home {
  const T* from;
  T* to;

  block_home(const turn_array<T>& of, const turn_array<T>& result)
      : from(of.held() == nullptr ? nullptr : of.data()),
        to(static_cast<T*>(result.held()->memory.data())) {}
};

/// A variable that holds an array, or a command's result: memory that no other handle has.
template <class T> struct block_array {
  T* at;
  std::uint64_t n;

  IKRA_HD const T* data() const { return at; }
};

template <class T> IKRA_HD list<const T> view_of(const block_array<T>& of) { return {of.at, of.n}; }
template <class T, int R>
IKRA_HD grid<T, R> view_of(const block_array<T>& of, const index<R>& shape) {
  return {view_of(of), shape};
}

/// One run of a loop, as each thread has it. \tparam State as of turn_commands
template <class State> class block_turn {
public:
  /// \param room shared memory, aligned as its arrays are \param reductions bytes of it that are
  /// reductions'
  IKRA_HD block_turn(const State& scalars, unsigned char* room, std::size_t reductions)
      : scalars_(scalars), combined_(room), next_combined_(room + reductions / 2),
        free_(room + reductions) {}

  IKRA_HD State& scalars() { return scalars_; }

  // Arrays --------------------------------------------------------------------------------------

  /// Memory for an array, of what the loop has said that it holds.
  template <class T, int R> IKRA_HD block_array<T> room(const block_space<R>& of) {
    T* const at = reinterpret_cast<T*>(free_);
    free_ += block_bytes<T>(of.n);
    return {at, of.n};
  }
  /// An array that turns set.
  template <class T, int R>
  IKRA_HD block_array<T> carried(const block_space<R>& of, const block_home<T>& home) {
    const block_array<T> result = room<T>(of);
    copy_elements(result.at, home.from, of.n);
    return result;
  }
  /// One that they only read.
  template <class T, int R>
  IKRA_HD static block_array<T> given(const block_space<R>& of, const T* from) {
    return {const_cast<T*>(from), static_cast<std::uint64_t>(of.shape.volume())};
  }
  /// After the last turn.
  template <class T> IKRA_HD static void give(const block_array<T>& of, const block_home<T>& home) {
    copy_elements(home.to, of.at, of.n);
  }
  /// to = from, which nothing reads any more: memory changes hands.
  template <class T> IKRA_HD static void take(block_array<T>& to, block_array<T>& from) {
    const block_array<T> before = to;
    to = from;
    from = before;
  }
  template <class T>
  IKRA_HD static void copy(const block_array<T>& to, const block_array<T>& from) {
    copy_elements(to.at, from.at, from.n);
  }

  // Commands: parameters as of turn_commands ----------------------------------------------------

  template <class Code> IKRA_HD void run(const Code& code) { code(scalars_); }
  /// code that reads an array's elements.
  template <class Code> IKRA_HD void read(const Code& code) {
    code(scalars_);
    wait();
  }

  template <int I, class Out, int R, class Make, class... In>
  IKRA_HD void elementwise(const block_array<Out>& to, const block_space<R>& over, const Make& make,
                           const block_array<In>&... in) {
    const auto body = make(scalars_);
    const auto& space = over.template space_of<I>();
    for (std::uint32_t i = thread(); i < over.n; i += threads())
      ::new (static_cast<void*>(to.at + i))
          Out(index_cursor<I, std::uint32_t>(space, i).call(body, in.data()[i]...));
    wait();
  }
  template <class Footprint, class Out, int R, class Make, class... In>
  IKRA_HD void stencil(const block_array<Out>& to, const block_space<R>& over, const Make& make,
                       const block_array<In>&... in) {
    const auto body = make(scalars_);
    const stencil_elements<Out, Footprint, std::uint32_t, std::remove_cvref_t<decltype(body)>,
                           In...>
    elements(body, over.shape, over.space, in.data()...);
    for (std::uint32_t i = thread(); i < over.n; i += threads())
      ::new (static_cast<void*>(to.at + i)) Out(elements[i]);
    wait();
  }
  /// Several arrays. \param to handles, as a block_arrays
  template <int I, class To, int R, class Make, class... In>
  IKRA_HD void arrays(const To& to, const block_space<R>& over, const Make& make,
                      const block_array<In>&... in) {
    const auto body = make(scalars_);
    const auto& space = over.template space_of<I>();
    for (std::uint32_t i = thread(); i < over.n; i += threads())
      to.store(i, index_cursor<I, std::uint32_t>(space, i).call(body, in.data()[i]...));
    wait();
  }
  template <class Out, int R, class Make, class First, class In>
  IKRA_HD void reduce(const block_space<R>& over, const Make& make, const First& first,
                      Out State::* result, const block_array<In>& in) {
    reduce_source(over.n, make, first, result, in.data());
  }
  template <class T, int I, class Out, int R, class MakeHead, class Make, class First, class... In>
  IKRA_HD void reduce_computed(const block_space<R>& over, const MakeHead& make_head,
                               const Make& make, const First& first, Out State::* result,
                               const block_array<In>&... in) {
    const auto head = make_head(scalars_);
    using source = computed_elements<T, I, std::remove_cvref_t<decltype(head)>, In...>;
    reduce_source(over.n, make, first, result,
                  source(head, over.template wide_space_of<I>(), in.data()...));
  }

private:
#ifdef __CUDA_ARCH__
  __device__ static unsigned thread() { return threadIdx.x; }
  __device__ static unsigned threads() { return blockDim.x; }
  __device__ static void wait() { __syncthreads(); }
#else
  static unsigned thread() { return 0; }
  static unsigned threads() { return 1; }
  static void wait() {}
#endif

  template <class T> IKRA_HD static void copy_elements(T* to, const T* from, std::uint64_t n) {
    for (std::uint64_t i = thread(); i < n; i += threads())
      ::new (static_cast<void*>(to + i)) T(from[i]);
    wait();
  }

  template <class Out, class Make, class First, class Source>
  IKRA_HD void reduce_source(std::uint32_t n, const Make& make, const First& first,
                             Out State::* result, const Source& in) {
    const auto body = make(scalars_);
    const Out all = combined<Out>(body, in, n);
    if constexpr (First::is_first)
      put_value(scalars_.*result, static_cast<Out>(body(static_cast<Out>(first(scalars_)), all)));
    else
      put_value(scalars_.*result, all);
    if constexpr (!std::is_empty_v<Make>) // the body reads arrays
      wait();
  }

  /// All elements combined, for all threads, in the groups of a reduction's kernel of one block.
  template <class Out, class Body, class Source>
  IKRA_HD Out combined(const Body& body, const Source& in, std::uint32_t n) {
#ifdef __CUDA_ARCH__
    const unsigned run = reduce_run_for<Source>(n);
    Out* const of_warps = reinterpret_cast<Out*>(combined_);
    combined_ = next_combined_; // a slow thread may still read this one
    next_combined_ = reinterpret_cast<unsigned char*>(of_warps);
    for (unsigned warp = threadIdx.x / warp_size; warp * run < n; warp += blockDim.x / warp_size) {
      pack_room<Out, 1> mine;
      reduce_run<source_of<Source>::per_thread>(body, in, warp * run,
                                                n - warp * run < run ? n - warp * run : run, mine);
      if (threadIdx.x % warp_size == 0)
        ::new (of_warps + warp) Out(mine.loaded.elements[0]);
    }
    wait();
    Out total = of_warps[0];
    for (unsigned warp = 1; warp * run < n; ++warp)
      put_value(total, static_cast<Out>(body(total, of_warps[warp])));
    return total;
#else
    Out total = converted<Out>(in[0U]);
    for (std::uint32_t i = 1; i < n; ++i)
      total = static_cast<Out>(body(total, converted<Out>(in[i])));
    return total;
#endif
  }

  State scalars_;
  unsigned char *combined_, *next_combined_; ///< rooms for the results of all warps
  unsigned char* free_;
};

/// The handles of arrays that one command computes.
template <class Numbers, class... Out> struct numbered_block_arrays;
template <std::size_t... K, class... Out>
struct numbered_block_arrays<std::index_sequence<K...>, Out...> {
  detail::numbered_values<std::index_sequence<K...>, Out*...> to;

  template <class All> IKRA_HD void store(std::uint32_t i, const All& all) const {
    (detail::make_at<Out>(detail::part<K>(to) + i, detail::part<K>(all)), ...);
  }
};
template <class... Out> IKRA_HD auto block_arrays(const block_array<Out>&... of) {
  return numbered_block_arrays<std::index_sequence_for<Out...>, Out...>{{{of.at}...}};
}

/// Threads of the block: a warp needs no other ones to wait for, and one of few elements is as fast
/// as two.
constexpr unsigned threads_of_block(std::uint64_t elements) {
  constexpr unsigned few = 2 * warp_size;
  if (elements <= few)
    return warp_size;
  return elements >= block_size
             ? block_size
             : static_cast<unsigned>(elements + warp_size - 1) / warp_size * warp_size;
}

/// What tests define: all cores have the loops that fit in a block, too, in one thread.
#ifdef IKRA_TEST_TURNS_IN_BLOCKS
inline constexpr bool runs_blocks_on_cores = true;
#else
inline constexpr bool runs_blocks_on_cores = false;
#endif

/// What the device has of a loop.
template <class State> struct block_room {
  State scalars;
  bool has_turn; ///< after it: whether there was one
};

/// Runs a loop; queued. Called where nvcc compiles. \param loop a function of a block_turn
/// \param reductions, bytes of shared memory: for reductions, and in all
template <class Loop, class State>
void cuda_turn_block(const Loop& loop, block_room<State>* room, unsigned threads,
                     std::size_t reductions, std::size_t bytes, void* stream);

#ifdef __CUDACC__

template <class Loop, class State>
__global__ void __launch_bounds__(block_size)
    turn_block_kernel(const __grid_constant__ Loop loop, block_room<State>* room,
                      std::size_t reductions) {
  extern __shared__ __align__(128) unsigned char shared[];
  block_turn<State> turn(room->scalars, shared, reductions);
  const bool has_turn = loop(turn);
  __syncthreads(); // all have read the scalars of before
  if (threadIdx.x == 0) {
    room->scalars = turn.scalars();
    room->has_turn = has_turn;
  }
}

template <class Loop, class State>
void cuda_turn_block(const Loop& loop, block_room<State>* room, unsigned threads,
                     std::size_t reductions, std::size_t bytes, void* stream) {
  turn_block_kernel<<<1, threads, bytes, static_cast<cudaStream_t>(stream)>>>(loop, room,
                                                                              reductions);
}

#endif

} // namespace ikra::rt
