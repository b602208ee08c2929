// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The session that emitted drivers use: the launches over objects, on top of those over values
// (session_values.hpp). The templates only wrap bodies into jobs and launch them.
#pragma once

#include <ikra/generated/session/session_base.hpp>
#include <ikra/generated/session/session_horizontal.hpp>
#include <ikra/generated/session/session_values.hpp>

#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_cuda.hpp>
#include <ikra/generated/launch/launch_sequence.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace ikra::rt {

/// \tparam HasKernels whether this translation unit is compiled by nvcc.
template <bool HasKernels> class basic_session : public horizontal_session<HasKernels> {
  using base_session = horizontal_session<HasKernels>;
  using base_session::call;
  using base_session::device_input;
  using base_session::section;
  using base_session::where;

public:
  /// A section over objects.
  /// \param plan  layout of the objects
  /// \param info  the section's name, place and columns
  /// \param given what the driver was given
  basic_session(const layout& plan, const section_info& info, const call_base& given)
      : base_session(&plan, info, given, HasKernels) {}
  /// A section over values alone.
  basic_session(const section_info& info, const call_base& given)
      : base_session(nullptr, info, given, HasKernels) {}

  /// body(class, id) for every element, one launch.
  template <class... Classes, class Body> void for_each(const Body& body) {
    const std::int64_t ticks = ticks_of<Body>();
    const auto t = this->template table_in_any_order<Classes...>(ticks);
    if constexpr (has_ticks<Body>)
      if (ticks >= least_many_ticks && this->rounds() == 0)
        return launch<Classes...>(many_ticks_job<Body>{body}, t);
    in_ticks_of_rounds<Classes...>(body, t, [&](const Body& part, const auto& round) {
      launch<Classes...>(each_job<Body>{part}, round);
    });
  }

  /// body(class, id, index) for every element; index as in with_index() on an array of rank R.
  template <int R, class... Classes, class Body> void for_each_indexed(const Body& body) {
    const index<R> indices = this->template shape<R>();
    in_ticks_of_rounds<Classes...>(body, this->template table_of_indices<Classes...>(),
                                   [&](const Body& ticks, const auto& round) {
                                     launch<Classes...>(each_indexed_job<Body, R>{ticks, indices},
                                                        round);
                                   });
  }

  /// body(class, id, tick) for every element and then the next tick: what a tick wrote, the next
  /// may read.
  template <class... Classes, class Body> void for_each_tick(std::int64_t ticks, const Body& body) {
    const auto t = this->template table_in_any_order<Classes...>(ticks);
    if (this->rounds() != 0) {
      for (std::int64_t tick = 0; tick < ticks; ++tick)
        in_rounds<Classes...>(t, [&](const auto& round) {
          launch<Classes...>(tick_job<Body>{body, nullptr, tick}, round);
        });
      return;
    }
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_ticks<Classes...>(ticks, body, t);
        return;
      }
    }
    host_launch_ticks<Classes...>(body, t, ticks);
  }

  /// The kernels of a sequence, one after the other for all elements, and then the next turn: what
  /// one wrote, the next may read. \param kernels a step_list each
  template <class... Classes, class... Lists>
  void for_each_turn(std::int64_t turns, const Lists&... kernels) {
    const auto t = this->template table_in_any_order<Classes...>(turns);
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_turns(turns, sizeof...(Lists), t.threads != 0,
                   [&](const std::int64_t* counter, std::int64_t turn) {
                     (cuda_launch<Classes...>(turn_job<Lists>{kernels, counter, turn}, t,
                                              where().stream()),
                      ...);
                   });
        return;
      }
    }
    host_launch_turns<Classes...>(t, turns, kernels...);
  }

  /// A kernel of a sequence over one of its arrays. \param array its number among the inputs
  template <class... Classes, class List> auto over(std::size_t array, const List& steps) {
    return array_kernel<List, Classes...>{steps, this->template table_of_array<Classes...>(array)};
  }
  /// for_each_turn() of such.
  template <class... Kernels>
  void for_each_turn_over(std::int64_t turns, const Kernels&... kernels) {
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_turns(turns, sizeof...(Kernels), (... || (kernels.table.threads != 0)),
                   [&](const std::int64_t* counter, std::int64_t turn) {
                     (cuda_launch_over(kernels, counter, turn), ...);
                   });
        return;
      }
    }
    host_launch_turns_over(turns, kernels...);
  }

  /// All turns of a kernel for each element: none reads what another one writes.
  template <class... Classes, class List>
  void for_all_turns(std::int64_t turns, const List& steps) {
    const auto t = this->template table_in_any_order<Classes...>(turns);
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_launch<Classes...>(all_turns_job<List>{steps, turns}, t, where().stream());
        where().check_launch(section());
        return;
      }
    }
    host_launch_all_turns<Classes...>(t, turns, steps);
  }

  /// out[i] = body(class, id of element i), in the order of the base array.
  template <class Out, class... Classes, class Body> void map_objects(const Body& body) {
    const auto t = this->template table_of_indices<Classes...>();
    this->template produce_results<Out>(call().input().size(), [&](auto* out) {
      launch_map<Classes...>(map_job{body, out}, map_job{body, for_kernel(out)}, t);
    });
  }

  /// out[i] = body(class, id of element i, index of element i).
  template <class Out, int R, class... Classes, class Body>
  void map_objects_indexed(const Body& body) {
    const auto t = this->template table_of_indices<Classes...>();
    this->template produce_results<Out>(call().input().size(), [&](auto* out) {
      const index<R> indices = this->template shape<R>();
      launch_map<Classes...>(map_indexed_job{body, out, indices},
                             map_indexed_job{body, for_kernel(out), indices}, t);
    });
  }

  /// The elements for which body(class, id of element i), in their order. \tparam Pointer their
  /// type.
  template <class Pointer, class... Classes, class Body> void select_objects(const Body& body) {
    select_with<Pointer, Classes...>([&](auto* chosen) { return map_job{body, chosen}; });
  }
  /// The elements for which body(class, id of element i, index of element i).
  template <class Pointer, int R, class... Classes, class Body>
  void select_objects_indexed(const Body& body) {
    const index<R> indices = this->template shape<R>();
    select_with<Pointer, Classes...>(
        [&](auto* chosen) { return map_indexed_job{body, chosen, indices}; });
  }

  /// body(in[i]).
  template <class In, class Body> void for_each_value(const Body& body) {
    each_value_with<In>(without_index<Body>{body});
  }

  /// body(in[i], index of i).
  template <class In, int R = 1, class Body> void for_each_value_indexed(const Body& body) {
    each_value_with<In>(with_index<Body, R>{body, this->template shape<R>()});
  }

private:
  /// Calls use(table) for parts of the elements in each of which no object stands twice.
  /// \param t of all elements
  template <class... Classes, class Use>
  void in_rounds(const launch_table<sizeof...(Classes)>& t, const Use& use) {
    const std::size_t rounds = this->rounds();
    if (rounds == 0)
      return use(t);
    for (std::size_t round = 0; round < rounds; ++round)
      use(this->template part_of<Classes...>(t, round));
  }

  /// The same with a body: of ticks that it runs by itself, for one tick after the other where an
  /// object stands twice.
  template <class... Classes, class Body, class Use>
  void in_ticks_of_rounds(const Body& body, const launch_table<sizeof...(Classes)>& t,
                          const Use& use) {
    if constexpr (has_ticks<Body>) {
      const std::int64_t ticks = ticks_of<Body>();
      if (this->rounds() != 0 && ticks > 1) {
        Body one = body;
        for (std::int64_t tick = 0; tick < ticks; ++tick) {
          set_ticks(one, tick, tick + 1);
          in_rounds<Classes...>(t, [&](const auto& round) { use(one, round); });
        }
        return;
      }
    }
    in_rounds<Classes...>(t, [&](const auto& round) { use(body, round); });
  }

  /// Ticks that a body runs by itself.
  template <class Body> std::int64_t ticks_of() const {
    if constexpr (has_ticks<Body>)
      return static_cast<const peach_call&>(call()).ticks();
    else
      return 1;
  }

  template <class Pointer, class... Classes, class MakeJob> void select_with(const MakeJob& job) {
    const ikra::detail::buffer<Pointer>& elements = call().input().template get<Pointer>();
    const std::size_t n = elements.size();
    const device_memory memory(where(), bytes_of<bool>(n), "which elements to select", section());
    const auto t = this->template table_of_indices<Classes...>();
    launch<Classes...>(job(static_cast<bool*>(memory.data())), t);
    this->check_report();
    const chosen_pointers chosen(memory, n, section());
    ikra::detail::room<Pointer> selected(chosen.count());
    chosen.copy(elements.data(), selected.data());
    selected.set_filled();
    static_cast<const map_call&>(call()).template output<Pointer>() =
        ikra::detail::buffer<Pointer>(std::move(selected));
  }

  template <class... Classes, class Job>
  void launch(const Job& job, const launch_table<sizeof...(Classes)>& t) {
    launch_map<Classes...>(job, job, t);
  }

  /// A launch whose kernel has a job of its own.
  template <class... Classes, class Job, class KernelJob>
  void launch_map(const Job& job, const KernelJob& kernel_job,
                  const launch_table<sizeof...(Classes)>& t) {
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_launch<Classes...>(kernel_job, t, where().stream());
        where().check_launch(section());
        return;
      }
    }
    host_launch<Classes...>(job, t, this->worth_sharing(t.threads));
  }

  template <class In, class Body> void each_value_with(const Body& body) {
    ikra::detail::buffer<In>& input = call().input().template get<In>();
    const In* in = device_input(input);
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_each(body, for_kernel(in), input.size(), where().stream());
        where().check_launch(section());
        return;
      }
    }
    this->run_on_host([&] { host_each(body, in, input.size()); });
  }

  template <class... Classes, class Body>
  void cuda_ticks(std::int64_t ticks, const Body& body, const launch_table<sizeof...(Classes)>& t) {
    cuda_turns(ticks, 1, t.threads != 0, [&](const std::int64_t* counter, std::int64_t tick) {
      cuda_launch<Classes...>(tick_job<Body>{body, counter, tick}, t, where().stream());
    });
  }

  template <class List, class... Classes>
  void cuda_launch_over(const array_kernel<List, Classes...>& kernel, const std::int64_t* counter,
                        std::int64_t turn) {
    cuda_launch<Classes...>(turn_job<List>{kernel.steps, counter, turn}, kernel.table,
                            where().stream());
  }

  // A graph of many turns is replayed, which costs a fifth of launching each; turns are counted in
  // device memory. launch_one(counter, turn) launches the kernels of a turn.
  template <class Launch>
  void cuda_turns(std::int64_t turns, std::int64_t kernels, bool any, const Launch& launch_one) {
    if constexpr (HasKernels) {
      constexpr std::int64_t most_kernels = 64;
      const std::int64_t per_graph = std::max(most_kernels / kernels, std::int64_t{1});
      std::int64_t done = 0;
      if (turns > 2 * per_graph && any) {
        launch_one(nullptr,
                   done++); // kernels are loaded by their first launch, which cannot be recorded
        device_memory counter(where(), sizeof(std::int64_t), "tick counter", section());
        where().upload(counter.data(), &done, sizeof done, section());
        auto* now = static_cast<std::int64_t*>(counter.data());
        cuda_advance(now, std::int64_t{0}, where().stream());
        where().check_launch(section());
        where().begin_graph(section());
        for (std::int64_t i = 0; i < per_graph; ++i)
          launch_one(now, i);
        cuda_advance(now, per_graph, where().stream());
        const std::int64_t repeats = (turns - done) / per_graph;
        where().end_graph(repeats, section());
        done += repeats * per_graph;
      }
      for (; done < turns; ++done)
        launch_one(nullptr, done);
      where().check_launch(section());
    }
  }
};

using session = basic_session<IKRA_CUDA_UNIT == 1>;

} // namespace ikra::rt
