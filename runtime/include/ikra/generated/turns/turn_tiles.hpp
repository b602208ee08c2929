// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of turns over one stencil's results, several of whose turns run at once, in tiles.
#pragma once

#include <ikra/error.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/device/section_info.hpp>
#include <ikra/generated/launch/host_stencil_tiles.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// A loop whose turns run several at a time. No array decides how many there are.
/// \tparam Steps how many run in one kernel \tparam Alone how many at least are left, to run one by
/// one \tparam Test whether there is another turn \tparam Code what a turn does to the scalars
template <unsigned Steps, unsigned Alone, class Test, class Code> struct turns_in_tiles {
  static constexpr unsigned steps = Steps, alone = Alone;
  using test = Test;
  using code = Code;
  using two_by_two = turns_in_tiles<2, Alone, Test, Code>;
};
/// Whether so many kernels of them may run.
template <class Tiles, unsigned Times> struct has_turns {
  template <class State> IKRA_HD bool operator()(const State& of) const {
    State ahead = of;
    for (unsigned k = 0; k < Times * Tiles::steps + Tiles::alone; ++k) {
      if (!typename Tiles::test()(ahead))
        return false;
      typename Tiles::code()(ahead);
    }
    return true;
  }
};
/// What so many do to the scalars, and whether as many may follow.
template <class Tiles, unsigned Times> struct ends_turns {
  template <class State> IKRA_HD bool operator()(State& of) const {
    for (unsigned k = 0; k < Times * Tiles::steps; ++k)
      typename Tiles::code()(of);
    return has_turns<Tiles, Times>()(of);
  }
};
/// Calls step(run) while goes_on(), on all cores, if tiles suit the array and there is memory for
/// them: run(to, from) does so many steps of the stencil \p body.
template <unsigned Steps, class Out, class In, class Body, int R, class Test, class Step>
void host_stencil_steps(const Body& body, const index<R>& shape, device& where,
                        const section_info& section, const Test& goes_on, const Step& step) {
  if (!goes_on())
    return;
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const std::tuple<std::conditional_t<K == K, Body, void>...> bodies(
        (static_cast<void>(K), body)...);
    const host_stencils_in_tiles<In, std::remove_cv_t<decltype(bodies)>,
                                 std::conditional_t<K == K, Out, void>...>
        tiles(bodies, shape, host_threads());
    if (!tiles.suits())
      return;
    device_memory room;
    try {
      room = device_memory(where, tiles.bytes(), "results between stencils", section);
    } catch (const error&) {
      return; // turns one by one need none
    }
    do
      step([&](Out* to, const In* from) {
        tiles.run(static_cast<std::byte*>(room.data()), to, from);
      });
    while (goes_on());
  }(std::make_index_sequence<Steps>());
}

} // namespace ikra::rt
