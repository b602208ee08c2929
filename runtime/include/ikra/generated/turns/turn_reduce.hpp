// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of a turn that a GPU's graph runs, and what follows them there: code over scalars, and
// the loop's test. In a graph each kernel of a small array takes what its launch does. So the block
// that ends last combines the other blocks' results, and runs that code.
#pragma once

#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/until_end.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ikra::rt {

/// The end of a loop's turn, as \tparam Ends says: whether another one follows.
template <class Ends> struct then_test {};
template <class Code> inline constexpr bool is_then_test = false;
template <class Ends> inline constexpr bool is_then_test<then_test<Ends>> = true;

/// Of a loop's state. An alias: nvcc prints other types of members with parentheses, of which g++
/// warns.
template <class State, class T> using place_in_state = T State::*;

/// Where a reduction's result goes, and what follows it: code, then_test<…> last.
template <class State, class Out, class... Code> struct scalar_then {
  place_in_state<State, Out> result;
};
template <class State, class Out, class... Code>
constexpr scalar_then<State, Out, Code...> then(Out State::* result, const Code&... /*code*/) {
  return {result};
}
template <class State, class Out, class... Code>
constexpr scalar_then<State, Out, Code...> then(const scalar_then<State, Out, Code...>& same) {
  return same;
}

/// What the test after a turn sets.
struct loop_place {
  std::uint64_t condition = 0; ///< of the graph's node
  unsigned* noted = nullptr;   ///< has the part of the loop's body that ran last
  unsigned part = 0;
};

/// What a reduction's kernel runs in the end, in one thread. \tparam Front what comes first
template <class State, class Front, class... Code> struct turn_tail;

/// Elements from which on an array is large: its kernels take much longer than a launch. Their
/// blocks, which come and go, then neither look whether the loop has ended nor count themselves: a
/// block that waits for either loads nothing (measured: docs/turns.md).
inline constexpr std::uint64_t large_array = 4 * threads_at_once;

/// *out = the elements combined in the groups of cuda_reduce, then tail() in one thread; queued.
/// Nothing happens if tail.has_ended(). Called where nvcc compiles.
/// \param arrived 0 before and after it
template <class Out, class Body, class Source, class Start, class Tail>
void cuda_reduce_then(const Body& body, const Source& in, std::uint64_t n, const Start& start,
                      Out* workspace, Out* out, const Tail& tail, unsigned* arrived, void* stream);

#ifdef __CUDACC__

/// Of a loop whose last test says that it has ended, a graph's node does not run again.
__device__ inline void end_turn(const loop_place& at, const loop_flag& flag, bool goes_on) {
  *at.noted = at.part;
  *flag.last_turn = goes_on ? no_last_turn : at.part;
  cudaGraphSetConditional(at.condition, goes_on ? 1 : 0);
}

template <class State, class Front, class... Code> struct turn_tail {
  State* state;
  loop_flag flag;
  loop_place end;
  Front front;

  __device__ bool has_ended() const { return flag.has_ended(); }
  __device__ void operator()() const {
    front(*state);
    (run(Code()), ...);
  }

private:
  template <class Each> __device__ void run(const Each& code) const { code(*state); }
  template <class Ends> __device__ void run(const then_test<Ends>& /*code*/) const {
    if (flag.last_turn != nullptr) // else a kernel of its own tests
      end_turn(end, flag, Ends()(*state));
  }
};

/// Whether this is the last block of the kernel to come here: it sees what the others wrote. All
/// threads call it. \param arrived blocks that have; 0 before the kernel and after it
__device__ inline bool is_last_block(unsigned* arrived) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

/// The results of all blocks combined, in one block; of_warps[0] gets that. A function of its own:
/// in a kernel's code it takes registers from the many threads that read the source (PageRank: 64
/// in place of 48).
template <class Out, class Body>
__device__ __noinline__ void reduce_blocks_in_one(Body body, const Out* of_blocks, unsigned blocks,
                                                  Out* of_warps) {
  using results = const Out*;
  pack_room<Out, 1> total;
  reduce_of_block<source_of<results>::per_thread>(
      body, of_blocks, blocks, reduce_run_for<results>(blocks), 0, of_warps, total);
  if (threadIdx.x == 0)
    of_warps[0] = total.loaded.elements[0];
}

template <unsigned V, class Out, class Body, class Source, class Start, class Tail>
__global__ void __launch_bounds__(block_size)
    reduce_then_kernel(const __grid_constant__ Body body, const __grid_constant__ Source in,
                       std::uint64_t n, unsigned run, const __grid_constant__ Start start,
                       Out* of_blocks, Out* out, const __grid_constant__ Tail tail,
                       unsigned* arrived) {
  if (tail.has_ended()) // the same in all threads
    return;
  alignas(Out) __shared__ unsigned char memory[warps_per_block * sizeof(Out)];
  Out* const of_warps = reinterpret_cast<Out*>(memory);
  pack_room<Out, 1> room;
  Out& total = room.loaded.elements[0];
  reduce_of_block<V>(body, in, n, run, blockIdx.x, of_warps, room);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0)
      ::new (of_blocks + blockIdx.x) Out(total);
    if (!is_last_block(arrived))
      return;
    reduce_blocks_in_one<Out>(body, of_blocks, gridDim.x, of_warps);
    if (threadIdx.x == 0)
      put_value(total, of_warps[0]);
  }
  if (threadIdx.x != 0)
    return;
  if constexpr (!std::is_same_v<Start, start_with_nothing>)
    put_value(total, static_cast<Out>(body(start.value, total)));
  ::new (out) Out(total);
  tail();
}

template <class Out, class Body, class Source, class Start, class Tail>
void cuda_reduce_then_from(const Body& body, const Source& in, std::uint64_t n, const Start& start,
                           Out* here, Out* there, Out* out, const Tail& tail, unsigned* arrived,
                           cudaStream_t stream) {
  const std::uint64_t blocks = reduce_blocks<Source>(n);
  const unsigned run = reduce_run_for<Source>(n);
  if (n < large_array) { // one block combines as many results
    reduce_then_kernel<source_of<Source>::per_thread>
        <<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(body, in, n, run, start, here,
                                                                   out, tail, arrived);
    return;
  }
  reduce_kernel<source_of<Source>::per_thread>
      <<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(body, in, n, run,
                                                                 start_with_nothing(), here);
  cuda_reduce_then_from(body, static_cast<const Out*>(here), blocks, start, there, here, out, tail,
                        arrived, stream);
}

template <class Out, class Body, class Source, class Start, class Tail>
void cuda_reduce_then(const Body& body, const Source& in, std::uint64_t n, const Start& start,
                      Out* workspace, Out* out, const Tail& tail, unsigned* arrived, void* stream) {
  static_assert(std::max(reduce_blocks<Source>(large_array / 2 - 1),
                         reduce_blocks<Source>(large_array - 1)) <= reduce_block<const Out*>);
  cuda_reduce_then_from(body, in, n, start, workspace, workspace + reduce_second<Source>(n), out,
                        tail, arrived, static_cast<cudaStream_t>(stream));
}

#endif // __CUDACC__

} // namespace ikra::rt
