// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps that turns of a loop apply to each element, one after the other and so many times: the
// element is loaded and stored once (lib/Fusion/TurnRepeats.cpp).
#pragma once

#include <ikra/generated/device/macros.hpp>

namespace ikra::rt {

/// A map's body, which takes no index, or one. \{
template <class Body> struct repeated_plain {
  static constexpr bool takes_index = false;
  Body body;
};
template <class Body> repeated_plain(Body) -> repeated_plain<Body>;
template <class Body> struct repeated_indexed {
  static constexpr bool takes_index = true;
  Body body;
};
template <class Body> repeated_indexed(Body) -> repeated_indexed<Body>;
/// \}

/// The maps of one turn, in their order.
template <class T, class First, class... Rest> struct map_chain {
  First first;
  map_chain<T, Rest...> rest;

  IKRA_CALLS_GIVEN
  template <class... I> IKRA_DEVICE T operator()(T x, const I&... index) const {
    return rest(map_chain<T, First>{first}(x, index...), index...);
  }
  template <class Step> void each(const Step& step) const {
    map_chain<T, First>{first}.each(step);
    rest.each(step);
  }
};
template <class T, class Map> struct map_chain<T, Map> {
  Map map;

  IKRA_CALLS_GIVEN
  template <class... I> IKRA_DEVICE T operator()(T x, const I&... index) const {
    if constexpr (Map::takes_index)
      return static_cast<T>(map.body(x, index...));
    else
      return static_cast<T>(map.body(x));
  }
  template <class Step> void each(const Step& step) const {
    if constexpr (Map::takes_index)
      step.indexed(map.body);
    else
      step.plain(map.body);
  }
};

/// All turns. On all cores a block of elements goes through them, map by map.
template <class T, class Chain> struct repeated_maps {
  static constexpr bool is_blocked = true;
  unsigned long long times;
  Chain chain;

  IKRA_CALLS_GIVEN
  template <class... I> IKRA_DEVICE T operator()(T x, const I&... index) const {
    for (unsigned long long k = 0; k < times; ++k)
      x = chain(x, index...);
    return x;
  }
  template <class Step> void each_node(const Step& step) const {
    for (unsigned long long k = 0; k < times; ++k)
      chain.each(step);
  }
};

template <class T, class Map> IKRA_DEVICE map_chain<T, Map> chain_of(const Map& map) {
  return {map};
}
template <class T, class First, class Second, class... Rest>
IKRA_DEVICE map_chain<T, First, Second, Rest...> chain_of(const First& first, const Second& second,
                                                          const Rest&... rest) {
  return {first, chain_of<T>(second, rest...)};
}
template <class T, class... Map>
IKRA_DEVICE repeated_maps<T, map_chain<T, Map...>> repeat(unsigned long long times,
                                                          const Map&... map) {
  return {times, chain_of<T>(map...)};
}

} // namespace ikra::rt
