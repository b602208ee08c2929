// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some of the programs by hand: the loops that one would write over the same objects.
#include "creatures.hpp"
#include "programs.hpp"

#include <cstddef>

namespace objects {
namespace {

template <class Objects, class F> void each(Objects& all, const F& f) {
  const std::size_t count = all.size();
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i)
    f(all[i]);
}

template <class Objects, class F> bool some(Objects& all, const F& f) {
  const std::size_t count = all.size();
  bool found = false;
#pragma omp parallel for reduction(|| : found)
  for (std::size_t i = 0; i < count; ++i)
    found = found || f(all[i]);
  return found;
}

} // namespace

programs by_hand() {
  return {named<bodies_world>("bodies by value, all pairs",
                              [](bodies_world& w) {
                                for (int s = 0; s < bodies_world::steps; ++s) {
                                  each(w.bodies, [&](Body& b) { b.pull(w.bodies); });
                                  each(w.bodies, [](Body& b) { b.move(); });
                                }
                              }),
          named<galaxy_world>("Barnes-Hut, a tree each step",
                              [](galaxy_world& w) {
                                for (int s = 0; s < galaxy_world::steps; ++s) {
                                  const auto tree = w.tree();
                                  each(w.stars, [&](Star& star) { tree->pull(star); });
                                  each(w.stars, [](Star& star) {
                                    star.x += 0.001f * star.vx;
                                    star.y += 0.001f * star.vy;
                                  });
                                }
                              }),
          named<life_world>("life, cells as objects",
                            [](life_world& w) {
                              for (int s = 0; s < life_world::steps; ++s) {
                                each(w.cells, [](const auto& c) { c->look(); });
                                each(w.cells, [](const auto& c) { c->step(); });
                              }
                            }),
          named<bank_world>("bank transfers",
                            [](bank_world& w) {
                              for (int day = 0; day < bank_world::steps; ++day)
                                each(w.transfers, [day](Transfer& t) { t.run(day); });
                            }),
          named<graph_world>("distances in a graph",
                             [](graph_world& w) {
                               bool more = true;
                               for (int depth = 0; more; ++depth) {
                                 each(w.nodes, [depth](const auto& n) { n->look(depth); });
                                 each(w.nodes, [](const auto& n) { n->settle(); });
                                 more = some(w.nodes, [depth](const auto& n) {
                                   return n->is_at(depth + 1);
                                 });
                               }
                             }),
          named<cloth_world>("cloth of springs", [](cloth_world& w) {
            for (int s = 0; s < cloth_world::steps; ++s) {
              each(w.particles, [](Particle& p) { p.pull(); });
              each(w.particles, [](Particle& p) { p.move(); });
            }
          })};
}

} // namespace objects
