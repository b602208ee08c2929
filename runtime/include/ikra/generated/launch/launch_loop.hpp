// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that run a sequence of sections over each element: maps of one type of elements to
// itself that followed each other in a loop of the host. Which body a step runs is a number that is
// the same for all threads, and how often. Relies on launch_elementwise.hpp for places and packs.
#pragma once

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/host_steps.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_elementwise.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace ikra::rt {

/// The bodies of one section that the steps of a launch have: one for each set of captures.
template <class Body> class node_bodies {
  static_assert(std::is_trivially_copyable_v<Body>, "bodies are copied to the device");

public:
  static constexpr unsigned capacity = std::clamp(512 / unsigned(sizeof(Body)), 1U, 8U);

  /// \return the number of a body with the same captures, or `capacity` if there is no room
  unsigned add(const Body& body) {
    for (unsigned k = 0; k < count_; ++k)
      if (std::memcmp(memory_ + k * sizeof(Body), &body, sizeof(Body)) == 0)
        return k;
    if (count_ == capacity)
      return capacity;
    std::memcpy(memory_ + count_ * sizeof(Body), &body, sizeof(Body));
    return count_++;
  }
  IKRA_HD const Body& operator[](unsigned k) const {
    return *reinterpret_cast<const Body*>(memory_ + k * sizeof(Body));
  }

private:
  alignas(Body) unsigned char memory_[capacity * sizeof(Body)] = {};
  unsigned count_ = 0;
};

/// What the steps of a launch are: `count` entries. A step that follows itself is one entry, and so
/// are turns of the host's loop that run all of its sections, in their order: an entry `turn` with
/// their number before the entries of one turn. What such entries run has no choice in it.
class node_sequence {
public:
  static constexpr unsigned capacity = 1024;
  /// In place of a section.
  static constexpr std::uint8_t turn = 255;
  struct step {
    std::uint8_t section, body;
    std::uint16_t times;
    friend bool operator==(const step&, const step&) = default;
  };

  /// \param sections of the loop, numbered as they stand in it
  explicit node_sequence(unsigned sections) : sections_(sections) {}

  /// Adds a step. \param room how many bodies there are at most \return false if it does not fit
  bool add(unsigned section, unsigned body, unsigned room) {
    if (body == room)
      return false;
    const step next{static_cast<std::uint8_t>(section), static_cast<std::uint8_t>(body), 1};
    if (count > turns_end_ && is_again(steps[count - 1], next)) {
      ++steps[count - 1].times;
      is_plain = false;
      return true;
    }
    if (count == capacity)
      return false;
    steps[count++] = next;
    if (ends_turn())
      add_turn();
    return true;
  }

  unsigned count = 0;
  bool is_plain = true; ///< each entry is one step
  step steps[capacity];

private:
  static constexpr unsigned most_times = 65535;

  static bool is_again(const step& last, const step& next) {
    return last.section == next.section && last.body == next.body && last.times < most_times;
  }
  bool ends_turn() const {
    if (sections_ < 2 || count - turns_end_ < sections_)
      return false;
    for (unsigned k = 0; k < sections_; ++k)
      if (const step& s = steps[count - sections_ + k]; s.section != k || s.times != 1)
        return false;
    return true;
  }
  /// Makes a turn of the last entries, or adds it to the turns that are just before them.
  void add_turn() {
    const unsigned first = count - sections_;
    if (first == turns_end_ && turns_end_ > sections_) {
      step& before = steps[first - sections_ - 1];
      if (before.times < most_times &&
          std::equal(steps + first, steps + count, steps + first - sections_)) {
        ++before.times;
        count = first;
        return;
      }
    }
    if (count == capacity)
      return;
    std::copy_backward(steps + first, steps + count, steps + count + 1);
    steps[first] = {turn, 0, 1};
    is_plain = false;
    turns_end_ = ++count;
  }

  unsigned sections_;
  unsigned turns_end_ = 0; ///< of the last turn's entries
};

/// A step that is carried out so many times.
template <class Step> struct repeated {
  const Step& step;
  unsigned times;

  IKRA_CALLS_GIVEN
  template <class Body> IKRA_HD void plain(const Body& shared) const {
    const Body body = shared;
    for (unsigned k = 0; k < times; ++k)
      step.plain(body);
  }
  IKRA_CALLS_GIVEN
  template <class Body> IKRA_HD void indexed(const Body& shared) const {
    const Body body = shared;
    for (unsigned k = 0; k < times; ++k)
      step.indexed(body);
  }
  IKRA_CALLS_GIVEN
  template <class Body> IKRA_HD void start(const Body& body) const { step.start(body); }
};

/// Runs all steps of a sequence. loop.run(section, body, step) runs one of them, and
/// loop.run_turn(entries, times, step) all of Loop::sections in their order.
IKRA_CALLS_GIVEN
template <class Loop, class Step>
IKRA_HD void run_sequence(const Loop& loop, const node_sequence& sequence, const Step& step) {
  if (sequence.is_plain) { // apart, since what tells entries apart costs as much as a short step
    for (unsigned k = 0; k < sequence.count; ++k)
      loop.run(sequence.steps[k].section, sequence.steps[k].body, step);
    return;
  }
  for (unsigned k = 0; k < sequence.count;) {
    const node_sequence::step& now = sequence.steps[k++];
    if constexpr (Loop::sections > 1) {
      if (now.section == node_sequence::turn) {
        loop.run_turn(sequence.steps + k, now.times, step);
        k += Loop::sections;
        continue;
      }
    }
    loop.run(now.section, now.body, repeated<Step>{step, now.times});
  }
}

/// Runs all steps of a sequence. \param in null if the first step makes the elements
template <int R, class T, class Loop>
void host_loop(const Loop& loop, const node_sequence& sequence, const placed_shape<R>& shape,
               std::uint64_t n, T* out, const T* in) {
  host_steps<R>(shape, n, out, in,
                [&](const host_step<R, T>& step) { run_sequence(loop, sequence, step); });
}

/// The same on the GPU; queued on a stream. Called where nvcc compiles.
template <int R, class T, class Loop>
void cuda_loop(const Loop& loop, const node_sequence& sequence, const placed_shape<R>& shape,
               std::uint64_t n, T* out, const T* in, void* stream);

#ifdef __CUDACC__

/// A step over a thread's V elements.
template <unsigned V, int R, class Index, class T> struct thread_step {
  T (&x)[V];
  const index_cursor<R, Index> (&place)[V];

  template <class Body> __device__ void plain(const Body& body) const {
#pragma unroll
    for (unsigned j = 0; j < V; ++j)
      put_value(x[j], static_cast<T>(body(x[j])));
  }
  template <class Body> __device__ void indexed(const Body& body) const {
#pragma unroll
    for (unsigned j = 0; j < V; ++j)
      put_value(x[j], static_cast<T>(place[j].call(body, x[j])));
  }
  template <class Body> __device__ void start(const Body& body) const {
#pragma unroll
    for (unsigned j = 0; j < V; ++j)
      put_value(x[j], static_cast<T>(place[j].call(body)));
  }
};

/// Runs all steps over V elements, which are in the array.
template <unsigned V, int R, class Index, class T, class Loop>
__device__ void run_steps(const Loop& loop, const node_sequence& sequence,
                          const index_space<R, Index>& all, Index first, T* out, const T* in) {
  index_cursor<R, Index> place[V];
  place[0] = index_cursor<R, Index>(all, all.position(first));
#pragma unroll
  for (unsigned j = 1; j < V; ++j) {
    place[j] = place[j - 1];
    place[j].next(all);
  }
  pack<T, V> x{};
  if (in != nullptr)
    x = packed_at<V>(in + first);
  const thread_step<V, R, Index, T> step{x.elements, place};
  run_sequence(loop, sequence, step);
  *reinterpret_cast<pack<T, V>*>(out + first) = x;
}

/// in may be out: no thread reads what another writes.
template <unsigned V, int R, class Index, class T, class Loop>
__global__ void __launch_bounds__(block_size)
    loop_kernel(const __grid_constant__ Loop loop, const __grid_constant__ node_sequence sequence,
                const __grid_constant__ index_space<R, Index> all, Index n, T* out, const T* in) {
  const Index first = (Index(blockIdx.x) * block_size + threadIdx.x) * V;
  if (first >= n)
    return;
  if (V == 1 || n - first >= V)
    run_steps<V>(loop, sequence, all, first, out, in);
  else
    for (Index i = first; i < n; ++i)
      run_steps<1>(loop, sequence, all, i, out, in);
}

template <int R, class T, class Loop>
void cuda_loop(const Loop& loop, const node_sequence& sequence, const placed_shape<R>& shape,
               std::uint64_t n, T* out, const T* in, void* stream) {
  static_assert(sizeof(Loop) + sizeof(node_sequence) < 32000,
                "bodies and steps are parameters of a kernel");
  if (n == 0)
    return;
  constexpr unsigned v = std::min(elements_per_thread<T>(), 4U); // each has a place of its own
  const unsigned blocks = blocks_for((n + v - 1) / v);
  const auto queue = static_cast<cudaStream_t>(stream);
  if (counts_in_32_bits(shape, n))
    loop_kernel<v, R, std::uint32_t>
        <<<blocks, block_size, 0, queue>>>(loop, sequence, index_space<R, std::uint32_t>(shape),
                                           static_cast<std::uint32_t>(n), out, in);
  else
    loop_kernel<v, R, std::uint64_t><<<blocks, block_size, 0, queue>>>(
        loop, sequence, index_space<R, std::uint64_t>(shape), n, out, in);
}

#endif // __CUDACC__

} // namespace ikra::rt
