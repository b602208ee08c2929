// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of the traffic program that point at each other, for tests that compare them.
#pragma once

#include "traffic_emitted.hpp"

#include <cstddef>
#include <memory>
#include <vector>

/// Pedestrians and cars on two streets that are neighbours.
struct crossing {
  Street first{100}, second{3};
  std::vector<std::unique_ptr<Actor>> owners;
  std::vector<Actor*> actors;

  explicit crossing(int n = 40) {
    first.add_neighbour(&second);
    second.add_neighbour(&first);
    for (int i = 0; i < n; ++i) {
      if (i % 3 == 0)
        owners.push_back(std::make_unique<Pedestrian>(&first, 0.0f));
      else
        owners.push_back(std::make_unique<Car>(&second, 0.0f, 60 + static_cast<float>(i % 5)));
      actors.push_back(owners.back().get());
    }
  }
  bool operator==(const crossing& other) const {
    for (std::size_t i = 0; i < actors.size(); ++i)
      if (actors[i]->progress() != other.actors[i]->progress() ||
          (actors[i]->street() == &first) != (other.actors[i]->street() == &other.first))
        return false;
    return true;
  }
  /// As a plain program does.
  void move(int ticks, Weather w) {
    for (int t = 0; t < ticks; ++t)
      for (Actor* a : actors)
        a->move(w);
  }
};
