// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of sequences. A step has at(turn), which gives the body of one section as it is in
// that turn. Threads of a GPU run all steps of a kernel for their element. All cores run each over
// a block of elements before the next one: its loop vectorises, and finds the block in a cache.
#pragma once

#include <ikra/generated/launch/launch.hpp>

#include <algorithm>
#include <cstdint>

namespace ikra::rt {

/// A step that is the same in each turn.
template <class Body> struct same_step {
  Body body;
  IKRA_HD const Body& at(std::int64_t) const { return body; }
};
template <class Body> same_step(Body) -> same_step<Body>;

/// Runs a step's body, which may be given a tick: it has one.
template <class Body, class Class> IKRA_HD void run_step(const Body& body, Class c, object_id id) {
  if constexpr (requires { body(c, id, std::int64_t(0)); })
    body(c, id, std::int64_t(0));
  else
    body(c, id);
}

/// The same as a job.
template <class Body> struct step_job {
  static constexpr bool is_elementwise = false;
  Body body;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t) const {
    run_step(body, c, id);
  }
};

/// The steps of a kernel, in their order.
template <class... Steps> struct step_list;
template <> struct step_list<> {
  template <class Class> IKRA_HD void run(Class, object_id, std::int64_t) const {}
  template <class Class>
  void run_block(std::uint32_t, std::uint64_t, host_range, std::int64_t) const {}
};
template <class First, class... Rest> struct step_list<First, Rest...> {
  /// As bodies say it, of any step.
  static constexpr bool repeats =
      is_costly<std::remove_cvref_t<decltype(std::declval<const First&>().at(0))>> ||
      is_costly<step_list<Rest...>>;

  First first;
  step_list<Rest...> rest;

  explicit step_list(const First& one, const Rest&... others) : first(one), rest(others...) {}

  /// For one element.
  template <class Class> IKRA_HD void run(Class c, object_id id, std::int64_t turn) const {
    run_step(first.at(turn), c, id);
    rest.run(c, id, turn);
  }
  /// For a block of a class's elements, each step in its own loop.
  template <class Class>
  void run_block(std::uint32_t first_id, std::uint64_t first_thread, host_range part,
                 std::int64_t turn) const {
    const auto& body = first.at(turn);
    host_class<Class>(step_job<std::remove_cvref_t<decltype(body)>>{body}, first_id, nullptr,
                      first_thread, part);
    rest.template run_block<Class>(first_id, first_thread, part, turn);
  }
};
template <class... Steps> step_list(Steps...) -> step_list<Steps...>;

/// All steps of a kernel in one turn. \tparam List a step_list
template <class List> struct turn_job {
  static constexpr bool is_elementwise = false;
  List steps;
  const std::int64_t* counter; ///< where the turns done so far stand; null: none
  std::int64_t offset;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t) const {
    steps.run(c, id, (counter == nullptr ? 0 : *counter) + offset);
  }
};

/// All of them in all turns.
template <class List> struct all_turns_job {
  static constexpr bool is_elementwise = false;
  static constexpr bool is_long = true;
  List steps;
  std::int64_t turns;
  template <class Class> IKRA_HD void operator()(Class c, object_id id, std::uint64_t) const {
    for (std::int64_t turn = 0; turn < turns; ++turn)
      steps.run(c, id, turn);
  }
};

/// Turns [first, last) of a part of each class, block by block. The base array is direct.
/// \tparam Part as in host_share
template <class... Classes, class List, class Part>
void host_share_of_turns(const List& steps, const launch_table<sizeof...(Classes)>& table, Part of,
                         std::int64_t first, std::int64_t last) {
  constexpr std::uint64_t block = 1024; // elements, whose members a cache holds
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto run = [&]<class Class>(Class, std::size_t k) {
      const host_range part = of.next(table.count[k]);
      for (std::uint64_t begin = part.begin; begin < part.end; begin += block)
        for (std::int64_t turn = first; turn < last; ++turn)
          steps.template run_block<Class>(table.first_id[k], table.first_thread[k],
                                          {begin, std::min(begin + block, part.end)}, turn);
    };
    (run(Classes{}, K), ...);
  }(std::index_sequence_for<Classes...>());
}

/// The steps of a kernel with the elements of one of several arrays, which is direct.
template <class List, class... Classes> struct array_kernel {
  List steps;
  launch_table<sizeof...(Classes)> table;
};

/// Turns [first, last) of a kernel, whose elements are few: on other cores, too, if that takes
/// long.
template <class List, class... Classes>
void host_few_turns(const array_kernel<List, Classes...>& kernel, std::int64_t first,
                    std::int64_t last) {
  const std::uint64_t n = elements_of(kernel.table);
  const auto part = [&](std::uint64_t begin, std::uint64_t end) {
    host_share_of_turns<Classes...>(kernel.steps, kernel.table, element_run{begin, end}, first,
                                    last);
  };
  if (is_costly<List> || last - first > 1)
    host_costly_parts(n, true, part);
  else
    part(0, n);
}

/// host_launch_turns() of such.
template <class... Kernels>
void host_launch_turns_over(std::int64_t turns, const Kernels&... kernels) {
  const std::uint64_t most = std::max({kernels.table.threads...});
  if (most < serial_below) {
    for (std::int64_t turn = 0; turn < turns; ++turn)
      (host_few_turns(kernels, turn, turn + 1), ...);
    return;
  }
  host_team(most, [&](std::uint64_t thread, std::uint64_t threads) {
    const auto run = [&]<class List, class... Classes>(const array_kernel<List, Classes...>& kernel,
                                                       std::int64_t turn) {
      host_share_of_turns<Classes...>(kernel.steps, kernel.table, thread_share{thread, threads},
                                      turn, turn + 1);
      if (threads > 1)
        wait_for_team();
    };
    for (std::int64_t turn = 0; turn < turns; ++turn)
      (run(kernels, turn), ...);
  });
}

/// Runs the kernels of a sequence for all elements, turn after turn, within one parallel region.
template <class... Classes, class... Lists>
void host_launch_turns(const launch_table<sizeof...(Classes)>& table, std::int64_t turns,
                       const Lists&... kernels) {
  host_launch_turns_over(turns, array_kernel<Lists, Classes...>{kernels, table}...);
}

/// Runs all turns of each block before the next one.
template <class... Classes, class List>
void host_launch_all_turns(const launch_table<sizeof...(Classes)>& table, std::int64_t turns,
                           const List& steps) {
  if (table.threads < serial_below)
    return host_few_turns(array_kernel<List, Classes...>{steps, table}, 0, turns);
  host_team(table.threads, [&](std::uint64_t thread, std::uint64_t threads) {
    host_share_of_turns<Classes...>(steps, table, thread_share{thread, threads}, 0, turns);
  });
}

} // namespace ikra::rt
