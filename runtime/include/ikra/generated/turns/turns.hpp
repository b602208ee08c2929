// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns: loops of host sections that run without waiting for the host (docs/turns.md). What ikrac
// emits for a loop is a straight-line program over arrays; this header runs it. On all cores each
// step runs where it stands. On a GPU the steps are recorded once, into one CUDA graph whose loops
// and branches are conditional nodes; where no scalar depends on an array, the host runs the steps,
// and queues their kernels.
//
// Arrays are handles to counted buffers, so the memory of what no variable holds any more is used
// for the next result: a stencil's loop has two buffers. In a graph memory is fixed: a loop's body
// is recorded again until its arrays are where they were before it. What turns set is copied in,
// and out of a graph that is kept.
#pragma once

#include <ikra/array.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/device/section_info.hpp>
#include <ikra/generated/session/session_base.hpp>
#include <ikra/generated/turns/turn_block.hpp>
#include <ikra/generated/turns/turn_by_index.hpp>
#include <ikra/generated/turns/turn_memory.hpp>
#include <ikra/generated/turns/turn_tiles.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::rt {

/// What ikrac emits for a loop; found by the tag in the host text.
template <class Tag> struct turn_code; // static bool run(void* const* given)

/// IKRA_TURNS, read once: `off` has each loop run as it is written. \throws ikra::error of kind
/// unsupported if it is something else than on or off
bool turns_enabled();

/// Whether turns run on all cores, which may have other kernels than a GPU.
template <bool HasKernels = IKRA_CUDA_UNIT == 1> bool turns_on_cores() {
  return !HasKernels || !current_device().is_cuda();
}

/// Runs a loop as turns. \param given the variables from before the loop that it names
/// \returns false where the loop has to run as it is written; nothing is changed then
template <class Tag, class... T> bool turns(T&... given) {
  if (!turns_enabled())
    return false;
  void* const all[] = {const_cast<void*>(static_cast<const void*>(std::addressof(given)))...};
  try {
    return turn_code<Tag>::run(all);
  } catch (const error&) {
    return false; // fails again in the loop, at the statement to which it belongs
  } catch (const std::bad_alloc&) {
    return false; // likewise
  }
}

/// Where a variable is, and its bytes.
struct variable_place {
  std::uintptr_t address;
  std::size_t bytes;
};
/// Whether none of these is a part of another.
bool are_apart(std::span<const variable_place> all);

/// turns() of a loop that changes what references name. Two that name one variable, or a part of
/// it, leave the loop as it is written.
template <class Tag, class... T> bool turns_apart(T&... given) {
  const variable_place all[] = {
      {reinterpret_cast<std::uintptr_t>(std::addressof(given)), sizeof(T)}...};
  return are_apart(all) && turns<Tag>(given...);
}

/// What the host returns after turns that return. \{
template <class T> struct turn_return {
  bool happened = false;
  T value{};
};
template <> struct turn_return<void> {
  bool happened = false;
};
/// \}

/// to = an element of an array; \p fails becomes true where it has none there. \{
template <class T>
IKRA_HD void read_element(T& to, bool& fails, const list<const T>& from,
                          std::integral auto position) {
  const auto at = static_cast<std::size_t>(position); // negative ones become too large
  if (at < from.size())
    to = from[at];
  else
    fails = true;
}
template <class T, int R, std::integral... I>
  requires(sizeof...(I) == R)
IKRA_HD void read_element(T& to, bool& fails, const grid<T, R>& from, I... place) {
  const std::int64_t places[] = {static_cast<std::int64_t>(place)...};
  std::size_t at = 0;
  for (int d = 0; d < R; ++d) {
    const std::int64_t extent = from.shape()[d];
    if (places[d] < 0 || places[d] >= extent) {
      fails = true;
      return;
    }
    at = at * static_cast<std::size_t>(extent) + static_cast<std::size_t>(places[d]);
  }
  to = from[at];
}
/// \}

/// Sets conditions to test(*state). \param noted where \p part is noted; may be null
/// \param second a further condition; 0: none
template <class Test, class State>
void cuda_turn_test(const Test& test, State* state, unsigned* noted, unsigned part,
                    std::uint64_t first, std::uint64_t second, void* stream);
/// The same of a loop that is unrolled, if it has not ended.
template <class Test, class State>
void cuda_turn_end(const Test& test, State* state, const loop_flag& flag, const loop_place& at,
                   void* stream);
/// Copies so many bytes, if it has not. \tparam Word it goes by
template <class Word>
void cuda_turn_copy(void* to, const void* from, std::size_t bytes, const loop_flag& flag,
                    void* stream);

#ifdef __CUDACC__

template <class Test, class State>
__global__ void turn_test_kernel(Test test, State* state, unsigned* noted, unsigned part,
                                 cudaGraphConditionalHandle first,
                                 cudaGraphConditionalHandle second) {
  const unsigned value = test(*state) ? 1 : 0;
  if (noted != nullptr)
    *noted = part;
  cudaGraphSetConditional(first, value);
  if (second != 0)
    cudaGraphSetConditional(second, value);
}

template <class Test, class State>
void cuda_turn_test(const Test& test, State* state, unsigned* noted, unsigned part,
                    std::uint64_t first, std::uint64_t second, void* stream) {
  turn_test_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(test, state, noted, part, first,
                                                                   second);
}

template <class Test, class State>
__global__ void turn_end_kernel(Test test, State* state, loop_flag flag, loop_place at) {
  if (!flag.has_ended())
    end_turn(at, flag, test(*state));
}

template <class Test, class State>
void cuda_turn_end(const Test& test, State* state, const loop_flag& flag, const loop_place& at,
                   void* stream) {
  turn_end_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(test, state, flag, at);
}

template <class Word>
__global__ void turn_copy_kernel(unsigned char* to, const unsigned char* from, std::size_t bytes,
                                 loop_flag flag) {
  if (flag.has_ended())
    return;
  const std::size_t thread = std::size_t(blockIdx.x) * block_size + threadIdx.x;
  const std::size_t threads = std::size_t(gridDim.x) * block_size, whole = bytes / sizeof(Word);
  for (std::size_t i = thread; i < whole; i += threads)
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(from)[i];
  if (const std::size_t i = whole * sizeof(Word) + thread; i < bytes)
    to[i] = from[i];
}

template <class Word>
void cuda_turn_copy(void* to, const void* from, std::size_t bytes, const loop_flag& flag,
                    void* stream) {
  constexpr std::uint64_t most = 1024; // blocks
  const unsigned blocks = blocks_for(std::min(bytes / sizeof(Word) + 1, most * block_size));
  turn_copy_kernel<Word><<<blocks, block_size, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from), bytes, flag);
}

#endif

/// Tests that no program writes.
struct always_true {
  template <class State> IKRA_HD bool operator()(const State&) const { return true; }
};
/// Whether a loop's last turn was the one recorded as \p part.
template <class State> struct ended_in_part {
  const unsigned* noted;
  unsigned part;
  IKRA_HD bool operator()(const State&) const { return *noted == part; }
};
template <class Test> struct negated {
  Test test;
  template <class State> IKRA_HD bool operator()(const State& of) const { return !test(of); }
};

/// One run of a loop as turns. \tparam State, Form as of turn_commands
template <class State, turn_form Form = turn_form::graph, bool HasKernels = IKRA_CUDA_UNIT == 1>
class turn : public turn_by_index<State, Form, HasKernels> {
  using commands = turn_by_index<State, Form, HasKernels>;

public:
  using commands::commands;
  using commands::run;

  /// The scalars, before start() and after finish().
  State& scalars() { return here_.scalars; }

  /// Notes the shape of a space. \returns false where that is known, and another one
  template <int R> bool set_shape(turn_space<R>& of, const index<R>& shape) {
    for (int d = 0; d < R && of.is_known; ++d)
      if (shape[d] != of.shape[d])
        return false;
    of.shape = shape;
    of.is_known = true;
    of.n = 1;
    for (int d = 0; d < R; ++d)
      if (shape[d] <= 0 || of.n > most_elements / static_cast<std::uint64_t>(shape[d]))
        of.n = 0; // none, or too many: no commands run over it
      else
        of.n *= static_cast<std::uint64_t>(shape[d]);
    return true;
  }
  /// An array from before the loop. \param is_asked whether the program asks for it in any case
  /// \returns whether it has the shape of the others in its space, and may be computed
  template <class T, int R>
  bool add(turn_space<R>& space, turn_array<T>& to, const array<T, R>& from, bool is_asked) {
    if (!add_assigned(space, to, from, is_asked))
      return false;
    depends_on(reinterpret_cast<std::uintptr_t>(to.data()));
    return true;
  }
  /// The same of one that turns set: a graph has a copy of it.
  template <class T, int R>
  bool add_assigned(turn_space<R>& space, turn_array<T>& to, const array<T, R>& from,
                    bool is_asked) {
    const auto command = ikra::detail::array_access::command_of(from);
    if (!is_asked && !is_speculatable(*command))
      return false;
    ikra::detail::evaluate(*command);
    if (!set_shape(space, from.shape()))
      return false;
    const std::size_t bytes = command->result().size() * sizeof(T);
    to = turn_array<T>(*this, foreign(elements_of(command->result()), bytes, command));
    to.held()->memory_of = sole_memory_of<T>;
    return true;
  }
  /// See turn_base::expect.
  template <class T, int R> void expect_arrays(const turn_space<R>& space, int buffers) {
    commands::expect(bytes_of<T>(space.n), buffers);
  }
  /// A variable is set before it is read again: its buffer is the next result's.
  template <class T> void forget(turn_array<T>& of) { of = turn_array<T>(of.elements()); }
  /// Whether commands can run over a space: it has elements.
  template <int R> bool runs_over(const turn_space<R>& space) {
    most_ = std::max(most_, space.n);
    return space.n != 0;
  }
  /// The graph depends on a space's shape.
  template <int R> void depends_on_shape(const turn_space<R>& space) {
    for (int d = 0; d < R; ++d)
      depends_on(static_cast<std::uint64_t>(space.shape[d]));
  }
  /// What the loop takes of a block's memory, if it runs in one: arrays over a space; results of
  /// reductions. \{
  template <class T, int R> void block_holds(const turn_space<R>& space, unsigned arrays) {
    of_block_.arrays += arrays * block_bytes<T>(std::min(space.n, most_block_bytes));
  }
  template <class T> void block_combines() {
    of_block_.reductions = std::max(of_block_.reductions, block_reduction_bytes<T>());
  }
  /// \}
  /// Whether one block of a GPU runs the loop. \param most elements that a command may have then
  bool fits_block(std::uint64_t most) const {
    return (is_on_gpu() || runs_blocks_on_cores) && most_ <= most &&
           of_block_.arrays + of_block_.reductions <= most_block_bytes;
  }
  /// Memory for what variables hold after the loop. \param assigned as of start()
  template <class... T>
  std::tuple<turn_array<T>...> homes_of(const std::tuple<turn_array<T>*...>& assigned) {
    return std::apply(
        [&](const auto*... of) { return std::tuple<turn_array<T>...>(room_for(*of)...); },
        assigned);
  }
  /// Runs the loop in one block, and waits. In place of start() and of all steps.
  template <class Loop, class... T>
  void run_in_block(const Loop& loop, const std::tuple<turn_array<T>*...>& assigned,
                    std::tuple<turn_array<T>...>& homes) {
    is_in_block_ = true;
    const std::size_t bytes = of_block_.arrays + of_block_.reductions;
    block_room<State> kept{here_.scalars, false};
    if (!is_on_gpu()) {
      if constexpr (runs_blocks_on_cores) {
        struct alignas(128) line {
          unsigned char bytes[128];
        };
        std::vector<line> memory(bytes / sizeof(line) + 1);
        block_turn<State> all(kept.scalars, memory.front().bytes, of_block_.reductions);
        kept.has_turn = loop(all);
        kept.scalars = all.scalars();
      }
    } else if constexpr (HasKernels) {
      device_memory there(where(), sizeof kept, "scalars of a loop", section());
      where().upload(there.data(), &kept, sizeof kept, section());
      cuda_turn_block(loop, static_cast<block_room<State>*>(there.data()), threads_of_block(most_),
                      of_block_.reductions, bytes, stream());
      where().check_launch(section());
      where().download(&kept, there.data(), sizeof kept, section());
    }
    here_.scalars = kept.scalars;
    if (kept.has_turn)
      assign(assigned, homes, std::index_sequence_for<T...>());
  }
  /// Scalars are on the device from here on. \param assigned variables from before the loop that
  /// turns set, the same for finish() \returns whether the steps have to be run, or recorded; they
  /// have been before where not
  template <class Assigned> bool start(const Assigned& assigned) {
    std::apply([&](auto*... of) { (results_.push_back(make_result(*of)), ...); }, assigned);
    if (!records())
      return true;
    const bool is_kept = take_kept();
    if (!is_kept)
      frame().state = device_memory(where(), sizeof(room), "scalars of a loop", section());
    state_ = &static_cast<room*>(frame().state.data())->scalars;
    where().upload(frame().state.data(), &here_, sizeof here_, section());
    std::size_t k = 0;
    std::apply([&](auto*... of) { (bring_in(*of, k++, is_kept), ...); }, assigned);
    return !is_kept;
  }
  /// Waits for all turns, and brings the scalars back.
  template <class Assigned> void finish(const Assigned& assigned) {
    if (is_in_block_ || !is_on_gpu()) {
      // They are here.
    } else if (records()) {
      for (unsigned part = 0; part < parts_of_loop_; ++part) {
        resolve_(part);
        frame().ends.push_back(held_by(assigned));
      }
      run_graph();
      where().download(&here_, frame().state.data(), sizeof here_, section());
      restore(assigned, frame().ends[here_.part]);
      keep();
    } else {
      where().synchronize(section());
    }
    // What may fail comes before the first variable changes.
    std::size_t k = 0;
    std::apply([&](auto*... of) { (prepare(*of, k++), ...); }, assigned);
  }
  /// What the variable holds after the loop. After finish(). Nothing changes if no turn set it.
  template <class T, int R>
  void give(const turn_space<R>& space, const turn_array<T>& from, array<T, R>& to) {
    if (from.held() == nullptr)
      return;
    to = ikra::detail::array_access::make<T, R>(
        space.shape, std::static_pointer_cast<ikra::detail::command<T>>(from.held()->command));
  }

  /// Of a variable that each turn sets and moves away.
  template <class T, int R> void give_nothing(const turn_array<T>& from, array<T, R>& to) {
    if (from.held() != nullptr)
      to = array<T, R>();
  }

  /// Repeats body() while end(scalars), which may change them. \param test whether there is a first
  /// turn \param carried the arrays that it changes
  template <class Test, class End, class Carried, class Body>
  void repeat(bool tests_first, const Test& test, const End& end, const Carried& carried,
              const Body& body) {
    if (!records()) {
      if (tests_first && !test(here_.scalars))
        return;
      const auto all = [&] {
        do
          body();
        while (end(here_.scalars));
      };
      if (is_on_gpu())
        all();
      else
        in_host_region(most_, all);
      return;
    }
    if constexpr (HasKernels && !queues)
      record_loop(tests_first, test, end, carried, body);
  }
  /// A loop in another one's turn, or in a branch: afterwards arrays are where they were before.
  template <class Test, class End, class Carried, class Body>
  void repeat_inside(bool tests_first, const Test& test, const End& end, const Carried& carried,
                     const Body& body) {
    if (!records())
      repeat(tests_first, test, end, carried, body);
    else if constexpr (HasKernels && !queues)
      record_inner_loop(tests_first, test, end, carried, body);
  }
  /// The first turns of a loop that is a stencil over its own results, on a GPU if the array suits
  /// tiles. The others are still to be run. \tparam Tiles turns_in_tiles<…>
  /// \param make as of stencil \param in the variable that it reads \param carried as of repeat
  /// \param missing variables that turns left to the loop set before they read them
  /// \param set has other variables hold a result
  template <class Tiles, class Out, int R, class Make, class In, class Carried, class Missing,
            class Set>
  void repeat_in_tiles([[maybe_unused]] const turn_space<R>& over,
                       [[maybe_unused]] const Make& make, [[maybe_unused]] const turn_array<In>& in,
                       [[maybe_unused]] const Carried& carried,
                       [[maybe_unused]] const Missing& missing, [[maybe_unused]] const Set& set) {
    // A graph would need one more buffer for what is missing.
    if constexpr (HasKernels && (queues || Tiles::alone == 0)) {
      if (!is_on_gpu() || !commands::template suits_tiles<Tiles::steps, Out, In>(over, make))
        return;
      // Of a graph twice as many, so that arrays are where they were.
      constexpr unsigned times = queues ? 1 : 2;
      repeat_inside(true, has_turns<Tiles, times>(), ends_turns<Tiles, times>(), carried, [&] {
        std::apply([&](auto*... of) { (forget(*of), ...); }, missing);
        for (unsigned k = 0; k < times; ++k)
          set(commands::template stencil_steps<Tiles::steps, Out>(over, make, in));
      });
      if constexpr (Tiles::steps > 2)
        repeat_in_tiles<typename Tiles::two_by_two, Out>(over, make, in, carried, missing, set);
    }
  }
  /// The same on all cores.
  template <class Tiles, class Out, int R, class Make, class In, class Carried, class Missing,
            class Set>
  void repeat_in_host_tiles(const turn_space<R>& over, const Make& make, const turn_array<In>& in,
                            const Carried& /*carried*/, const Missing& missing, const Set& set) {
    if (is_on_gpu())
      return;
    host_stencil_steps<Tiles::steps, Out, In>(
        make(here_.scalars), over.shape, where(), section(),
        [&] { return has_turns<Tiles, 1>()(here_.scalars); },
        [&](const auto& steps) {
          const turn_array<Out> result = commands::template room_for<Out>(over.n);
          steps(commands::room_of(result), in.data());
          std::apply([&](auto*... of) { (forget(*of), ...); }, missing);
          set(result);
          for (unsigned k = 0; k < Tiles::steps; ++k)
            typename Tiles::code()(here_.scalars);
        });
  }
  /// then() if test(scalars), else otherwise(). \param changed the arrays that either changes
  template <class Test, class Changed, class Then, class Else>
  void branch(const Test& test, const Changed& changed, const Then& then, const Else& otherwise) {
    if (!records()) {
      if (test(here_.scalars))
        then();
      else
        otherwise();
      return;
    }
    if constexpr (HasKernels && !queues)
      record_branch(test, changed, then, otherwise);
  }

private:
  using commands::copy;
  using commands::copy_at_once;
  using commands::depends_on;
  using commands::elements_of;
  using commands::end_of_turn_;
  using commands::flag;
  using commands::foreign;
  using commands::frame;
  using commands::has_test_;
  using commands::here_;
  using commands::hold;
  using commands::is_in_a_row_;
  using commands::is_on_gpu;
  using commands::keep;
  using commands::keeps;
  using commands::queues;
  using commands::recorder;
  using commands::records;
  using commands::release;
  using commands::run_graph;
  using commands::section;
  using commands::state_;
  using commands::stream;
  using commands::take_kept;
  using commands::unrolls;
  using commands::where;
  using typename commands::room;

  template <class... T, std::size_t... K>
  static void assign(const std::tuple<turn_array<T>*...>& to, std::tuple<turn_array<T>...>& from,
                     std::index_sequence<K...>) {
    ((*std::get<K>(to) = std::move(std::get<K>(from))), ...);
  }

  // Recording -----------------------------------------------------------------------------------

  template <class T> turn_array<T> room_for(const turn_array<T>& of) {
    return commands::template room_for<T>(of.elements());
  }

  /// Which buffers a list of arrays holds, without holding them.
  template <class Arrays> static std::vector<turn_buffer*> held_by(const Arrays& arrays) {
    return std::apply([](auto*... of) { return std::vector<turn_buffer*>{of->held()...}; }, arrays);
  }
  /// Has the arrays hold these buffers.
  template <class Arrays>
  void restore(const Arrays& arrays, const std::vector<turn_buffer*>& buffers) {
    std::size_t k = 0;
    std::apply([&](auto*... of) { (set(*of, buffers[k++]), ...); }, arrays);
  }
  template <class T> void set(turn_array<T>& of, turn_buffer* to) {
    of = to == nullptr ? turn_array<T>() : turn_array<T>(*this, to);
  }
  template <class T> std::shared_ptr<void> make_result(const turn_array<T>& /*of*/) {
    return std::make_shared<turn_result<T>>(is_on_gpu(), section());
  }
  /// Makes the array that a variable holds after the loop, the k-th of those that it sets.
  template <class T> void prepare(const turn_array<T>& from, std::size_t k) {
    if (from.held() == nullptr || from.held()->command)
      return;
    turn_buffer& of = *from.held();
    const auto result = std::static_pointer_cast<turn_result<T>>(
        results_.empty() ? make_result(from) : results_[k]);
    if (!keeps()) {
      of.command = result->take(of, from.elements());
      return;
    }
    turn_buffer own{device_memory(where(), of.bytes, "an array of a loop", section())};
    copy_at_once(own.memory.data(), of);
    of.command = result->take(own, from.elements());
  }
  /// Has what a loop carries in a buffer of its own. Turns set what holds nothing before.
  template <class T> void own_or_room(turn_array<T>& of) {
    const turn_buffer* const now = of.held();
    if (now == nullptr)
      of = room_for(of);
    else if (now->memory.data() == nullptr || now->users > 1)
      own(of);
  }
  /// Copies a variable's elements to where the graph has them at first.
  template <class T> void bring_in(turn_array<T>& of, std::size_t k, bool is_kept) {
    if (of.held() == nullptr) {
      if (!is_kept)
        frame().starts.push_back(nullptr);
      return;
    }
    if (!is_kept && commands::take_over(*of.held())) {
      frame().starts.push_back(of.held());
    } else if (!is_kept) {
      turn_array<T> mine = room_for(of);
      copy_at_once(mine.held()->memory.data(), *of.held());
      frame().starts.push_back(mine.held());
      of = std::move(mine);
    } else {
      copy_at_once(frame().starts[k]->memory.data(), *of.held());
    }
  }
  template <class T> void own(turn_array<T>& of) {
    if (of.held() == nullptr)
      return;
    turn_array<T> mine = room_for(of);
    copy_elements(*mine.held(), *of.held());
    of = std::move(mine);
  }
  void copy_elements(turn_buffer& to, const turn_buffer& from) {
    if constexpr (unrolls && HasKernels)
      if (is_in_a_row_) {
        cuda_turn_copy<pack<std::uint32_t, 4>>(to.memory.data(), from.data, from.bytes, flag(),
                                               stream());
        return where().check_launch(section());
      }
    copy(to, from);
  }

  template <class Test>
  void record_test(const Test& test, unsigned* noted, unsigned part, std::uint64_t first,
                   std::uint64_t second = 0) {
    cuda_turn_test(test, state_, noted, part, first, second, stream());
    where().check_launch(section());
  }

  /// Arrays are in buffers of the turn's own while the loop runs. After an odd number of turns they
  /// may be in others than after an even one: the body is recorded once more then, after a test of
  /// its own, and the last part that ran says where the arrays are in the end.
  /// \returns where they are after each part
  template <class Test, class End, class Carried, class Body>
  std::vector<std::vector<turn_buffer*>> record_parts(bool tests_first, const Test& test,
                                                      const End& end, unsigned* noted,
                                                      const Carried& carried, const Body& body) {
    const std::vector<turn_buffer*> given = held_by(carried);
    std::apply([&](auto*... of) { (own_or_room(*of), ...); }, carried);
    std::vector<std::vector<turn_buffer*>> after{held_by(carried)};
    for (std::size_t k = 0; k < given.size(); ++k)
      if (given[k] == nullptr)
        after.front()[k] = nullptr;
    const std::uint64_t loop = recorder().condition();
    if constexpr (unrolls)
      if (most_ < large_array) {
        record_unrolled(tests_first, test, end, noted, loop, carried, body, after);
        return after;
      }
    record_tested(tests_first, test, end, noted, loop, carried, body, after);
    return after;
  }
  /// Most parts of a loop's body.
  static constexpr unsigned most_parts = 4;

  /// With a test of the graph's between the parts.
  template <class Test, class End, class Carried, class Body>
  void record_tested(bool tests_first, const Test& test, const End& end, unsigned* noted,
                     std::uint64_t loop, const Carried& carried, const Body& body,
                     std::vector<std::vector<turn_buffer*>>& after) {
    const std::vector<turn_buffer*> before = held_by(carried);
    if (tests_first)
      record_test(test, noted, 0, loop);
    else
      record_test(always_true(), noted, 0, loop);
    recorder().begin(loop, /*repeats=*/true);
    unsigned part = 1;
    for (;; ++part) {
      body();
      after.push_back(held_by(carried));
      if (after.back() == before || part == most_parts)
        break;
      const std::uint64_t goes_on = recorder().condition();
      record_test(end, noted, part, loop, goes_on);
      recorder().begin(goes_on, /*repeats=*/false);
    }
    if (after.back() != before) {
      bring_back(carried, before);
      after.back() = before;
    }
    record_test(end, noted, part, loop);
    for (unsigned k = 1; k < part; ++k)
      recorder().end();
    recorder().end();
  }

  /// With none: all kernels of a part do nothing once the loop has ended, which takes less time. It
  /// has several turns though arrays are where they were after one.
  template <class Test, class End, class Carried, class Body>
  void record_unrolled(bool tests_first, const Test& test, const End& end, unsigned* noted,
                       std::uint64_t loop, const Carried& carried, const Body& body,
                       std::vector<std::vector<turn_buffer*>>& after) {
    const std::vector<turn_buffer*> before = held_by(carried);
    is_in_a_row_ = true;
    const auto record_end = [&](const auto& of, unsigned part) {
      cuda_turn_end(of, state_, flag(), loop_place{loop, noted, part}, stream());
      where().check_launch(section());
    };
    if (tests_first)
      record_end(test, 0);
    else
      record_end(always_true(), 0);
    recorder().begin(loop, /*repeats=*/true);
    unsigned period = 0; // parts after which the arrays are where they were
    for (unsigned part = 1; part <= most_parts; ++part) {
      end_of_turn_ = {loop, noted, part};
      has_test_ = false;
      body();
      after.push_back(held_by(carried));
      if (!has_test_)
        record_end(end, part);
      if (after.back() != before)
        continue;
      period = period == 0 ? part : period;
      if (part + period > most_parts)
        break;
    }
    if (after.back() != before) {
      ++end_of_turn_.part; // only if another turn follows: else they stay where they are
      bring_back(carried, before);
    }
    is_in_a_row_ = false;
    recorder().end();
  }

  template <class Test, class End, class Carried, class Body>
  void record_loop(bool tests_first, const Test& test, const End& end, const Carried& carried,
                   const Body& body) {
    unsigned* const noted = &static_cast<room*>(frame().state.data())->part;
    auto after = record_parts(tests_first, test, end, noted, carried, body);
    parts_of_loop_ = static_cast<unsigned>(after.size());
    resolve_ = [this, carried, after = std::move(after)](unsigned last) {
      restore(carried, after[last]);
    };
  }

  /// The device brings the arrays back to where they were, if the loop ended elsewhere.
  template <class Test, class End, class Carried, class Body>
  void record_inner_loop(bool tests_first, const Test& test, const End& end, const Carried& carried,
                         const Body& body) {
    device_memory& memory =
        frame().parts.emplace_back(where(), sizeof(unsigned), "state of a loop", section());
    auto* const noted = static_cast<unsigned*>(memory.data());
    const auto after = record_parts(tests_first, test, end, noted, carried, body);
    const std::vector<turn_buffer*>& before = after.front();
    for (unsigned part = 1; part + 1 < after.size(); ++part) {
      if (after[part] == before)
        continue;
      const std::uint64_t ended_here = recorder().condition();
      record_test(ended_in_part<State>{noted, part}, nullptr, 0, ended_here);
      recorder().begin(ended_here, /*repeats=*/false);
      restore(carried, after[part]);
      bring_back(carried, before);
      recorder().end();
    }
    restore(carried, before);
  }

  /// Copies what the arrays hold to these buffers.
  template <class Arrays>
  void bring_back(const Arrays& arrays, const std::vector<turn_buffer*>& to) {
    // To where none of them is, nor will be: the buffers may be free by now.
    for (turn_buffer* const buffer : to)
      if (buffer != nullptr)
        hold(buffer);
    std::apply([&](auto*... of) { (own(*of), ...); }, arrays);
    std::size_t k = 0;
    std::apply([&](auto*... of) { (copy_to(*of, to[k++]), ...); }, arrays);
    restore(arrays, to);
    for (turn_buffer* const buffer : to)
      if (buffer != nullptr)
        release(buffer);
  }
  template <class T> void copy_to(const turn_array<T>& from, turn_buffer* to) {
    if (to != nullptr && from.held() != nullptr)
      copy_elements(*to, *from.held());
  }

  template <class Test, class Changed, class Then, class Else>
  void record_branch(const Test& test, const Changed& changed, const Then& then,
                     const Else& otherwise) {
    // What was there before stays held, so that neither side writes to it.
    const auto kept = std::apply([](auto*... of) { return std::tuple(*of...); }, changed);
    const std::vector<turn_buffer*> before = held_by(changed);
    const std::uint64_t yes = recorder().condition(), no = recorder().condition();
    record_test(test, nullptr, 0, yes);
    record_test(negated<Test>{test}, nullptr, 0, no);
    recorder().begin(yes, /*repeats=*/false);
    then();
    std::size_t k = 0;
    std::apply([&](auto*... of) { (settle(*of, before[k++]), ...); }, changed);
    const std::vector<turn_buffer*> after = held_by(changed);
    const auto results = std::apply([](auto*... of) { return std::tuple(*of...); }, changed);
    recorder().end();
    restore(changed, before);
    recorder().begin(no, /*repeats=*/false);
    otherwise();
    bring_to(changed, after);
    recorder().end();
    restore(changed, after);
  }
  /// Has the array in a buffer that nothing else is in.
  template <class T> void settle(turn_array<T>& of, const turn_buffer* before) {
    const turn_buffer* const now = of.held();
    if (now != nullptr && (now == before || now->users > 1 || now->memory.data() == nullptr))
      own(of);
  }
  template <class Arrays> void bring_to(const Arrays& arrays, const std::vector<turn_buffer*>& to) {
    std::size_t k = 0;
    std::apply([&](auto*... of) { (copy_to(*of, to[k++]), ...); }, arrays);
  }

  /// So that bytes and positions are numbers of 64 bits, whatever the elements.
  static constexpr std::uint64_t most_elements = std::uint64_t(1) << 40;
  std::uint64_t most_ = 0; ///< elements that a command has
  struct {
    std::size_t arrays = 0, reductions = 0;
  } of_block_; ///< bytes of a block's memory
  bool is_in_block_ = false;
  std::vector<std::shared_ptr<void>> results_; ///< a turn_result<T> for each variable
  unsigned parts_of_loop_ = 0;                 ///< that were recorded
  std::function<void(unsigned)> resolve_;      ///< arrays are as after a part
};

} // namespace ikra::rt
