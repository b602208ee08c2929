// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups of cross sections, the part of a neutron transport code that XSBench (Tramm et al. 2014)
// stands for, written from its description: a particle has an energy and is in a material. The
// energy is searched in a sorted grid, and the cross sections of the material's nuclides are
// interpolated and added. Here they are linear in the energy, so that results are known.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

struct cross_sections {
  float total, elastic, absorption, fission;
};
struct component {
  std::int32_t nuclide;
  float density;
};

/// What look-ups read: energies in ascending order, a row of cross sections for each nuclide, and
/// the components of each material, one material after the other.
struct tables {
  ikra::array<float> energies;
  ikra::array<cross_sections, 2> sections;
  ikra::array<std::int64_t> begins; // of materials, and the end of the last one
  ikra::array<component> components;
};

/// Of a nuclide at an energy from 0 to 1.
cross_sections exact(std::int64_t nuclide, float energy) {
  const float n = static_cast<float>(nuclide % 17 + 1);
  return {n + energy, 2 * n - energy, n * energy, 0.5F * n + 2 * energy};
}

struct particle {
  float energy;
  std::int64_t material;
};
particle particle_at(std::int64_t i, std::int64_t materials) {
  ikra::random r(2014, static_cast<std::uint64_t>(i));
  const float energy = r.uniform<float>();
  return {energy, r.below(materials)};
}

cross_sections look_up(const ikra::array<float>& energies,
                       const ikra::array<cross_sections, 2>& sections,
                       const ikra::array<std::int64_t>& begins,
                       const ikra::array<component>& components, const particle& p) {
  std::int64_t low = 0, high = static_cast<std::int64_t>(energies.size()) - 1;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (energies[middle] > p.energy ? high : low) = middle;
  }
  const float share = (p.energy - energies[low]) / (energies[low + 1] - energies[low]);
  cross_sections sum{0, 0, 0, 0};
  for (std::int64_t k = begins[p.material]; k < begins[p.material + 1]; ++k) {
    const component c = components[k];
    const cross_sections a = sections(c.nuclide, low), b = sections(c.nuclide, low + 1);
    sum.total += c.density * (a.total + share * (b.total - a.total));
    sum.elastic += c.density * (a.elastic + share * (b.elastic - a.elastic));
    sum.absorption += c.density * (a.absorption + share * (b.absorption - a.absorption));
    sum.fission += c.density * (a.fission + share * (b.fission - a.fission));
  }
  return sum;
}

tables make_tables(std::int64_t points, std::int64_t nuclides, std::int64_t materials) {
  const auto energies =
      ikra::pnew(points, [points](std::int64_t i) {
        ikra::random r(1, static_cast<std::uint64_t>(i));
        const auto last = static_cast<float>(points - 1);
        const bool inside = i > 0 && i + 1 < points;
        return (static_cast<float>(i) + (inside ? 0.8F * r.uniform<float>() : 0)) / last;
      }).psort();
  const auto sections = ikra::pnew(
      {nuclides, points}, [energies](ikra::index<2> p) { return exact(p[0], energies[p[1]]); });
  std::vector<std::int64_t> begins{0};
  std::vector<component> components;
  ikra::random r(2, 0);
  for (std::int64_t m = 0; m < materials; ++m) {
    const std::int64_t count = 4 + r.below(nuclides < 30 ? nuclides : 30);
    for (std::int64_t k = 0; k < count; ++k)
      components.push_back({static_cast<std::int32_t>(r.below(nuclides)), r.uniform<float>()});
    begins.push_back(static_cast<std::int64_t>(components.size()));
  }
  return {energies, sections, ikra::array(std::move(begins)), ikra::array(std::move(components))};
}

} // namespace

int main(int argc, char** argv) {
  std::int64_t count = 100'000, points = 2'000, nuclides = 60, materials = 12;
  apps::read_options(argc, argv, "look-ups of cross sections",
                     {{"--look-ups", count, 1, std::int64_t(1) << 36, "how many"},
                      {"--points", points, 2, 1 << 24, "of the grid of energies"},
                      {"--nuclides", nuclides, 1, 1 << 16, "how many"},
                      {"--materials", materials, 1, 1 << 16, "how many"}});
  const tables t = make_tables(points, nuclides, materials);
  const auto found =
      ikra::pnew(count, [energies = t.energies, sections = t.sections, begins = t.begins,
                         components = t.components, materials](std::int64_t i) {
        return look_up(energies, sections, begins, components, particle_at(i, materials));
      });

  const auto off = found.with_index().pmap([begins = t.begins, components = t.components,
                                            materials](const cross_sections& is, std::int64_t i) {
    const particle p = particle_at(i, materials);
    float total = 0, fission = 0;
    for (std::int64_t k = begins[p.material]; k < begins[p.material + 1]; ++k) {
      const component c = components[k];
      total += c.density * exact(c.nuclide, p.energy).total;
      fission += c.density * exact(c.nuclide, p.energy).fission;
    }
    return std::max(std::fabs(is.total / total - 1), std::fabs(is.fission / fission - 1));
  });
  const double mean = found.pmap([](const cross_sections& is) { return double(is.total); }).sum() /
                      static_cast<double>(count);
  std::printf("%lld look-ups, %.3f on average\n", static_cast<long long>(count), mean);
  return apps::verdict(off.preduce(0.0F, ikra::max).value() < 1e-4F, "interpolated cross sections");
}
