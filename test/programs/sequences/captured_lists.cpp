// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a host section whose sections capture the pointers that another section's elements are.
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

namespace {

struct Cluster {
  int n = 1;
};
struct Sample {
  int n = 0, seen = 0;
};

template <bool First> void nearest(std::size_t count) {
  std::vector<Cluster> all(3), apart(2);
  std::vector<Cluster*> clusters{&all[2], &all[0]};
  const std::vector<const Cluster*> others{&apart[1], &all[1]};
  std::vector<Sample> samples(count);
  ikra::host_section([&] {
    for (int t = 0; t < 3; ++t) {
      if constexpr (First)
        ikra::array{clusters}.peach([t](Cluster* c) { c->n += 2 + t; });
      ikra::objects(samples).peach([&clusters, &others](Sample& s) {
        s.n += clusters[0]->n;
        s.seen = s.seen * 3 + others[1]->n;
      });
      if constexpr (!First)
        ikra::array{clusters}.peach([t](Cluster* c) { c->n += 2 + t; });
    }
  });
  all[1].n = 5;
  ikra::host_section([&] {
    for (int t = 0; t < 2; ++t) {
      ikra::objects(all).peach([](Cluster& c) { ++c.n; });
      ikra::objects(samples).peach([&others](Sample& s) { s.seen += others[1]->n; });
      ikra::objects(apart).peach([&clusters](Cluster& c) { c.n += clusters[1]->n; });
    }
  });
  std::printf("captured lists: %d %d %d %d, %d %d\n", samples[count - 1].n, samples[0].seen,
              all[0].n, all[1].n, apart[0].n, apart[1].n);
}

} // namespace

void captured_lists() {
  for (const std::size_t count : {1, 700}) {
    nearest<true>(count);
    nearest<false>(count);
  }
}
