// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that go through captured arrays from the first to the last element: all pairs, in the
// forms of which all cores compute several results side by side, and in some that they compute one
// by one. Bits are compared.
#include <ikra/ikra.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

struct place {
  double x, y;
};
struct charge {
  float x = 0, y = 0;
  int sign = 1;
};
struct field {
  float x, y;
  void add(const field& f) {
    x += f.x;
    y += f.y;
  }
};
field operator*(float a, const field& f) { return {a * f.x, a * f.y}; }

field of_pair(const charge& here, const charge& there) {
  const float x = there.x - here.x, y = there.y - here.y;
  const float weight = static_cast<float>(here.sign * there.sign) / (x * x + y * y + 0.5F);
  return weight * field{x, y};
}

void advance(std::int64_t& i) { i = i * 2 / 3; }

unsigned mixed(unsigned sum, std::uint64_t bits) {
  return sum * 31 + static_cast<unsigned>(bits) + static_cast<unsigned>(bits >> 32);
}
unsigned mixed(unsigned sum, float v) {
  return mixed(sum, std::uint64_t(std::bit_cast<unsigned>(v)));
}
unsigned mixed(unsigned sum, double v) { return mixed(sum, std::bit_cast<std::uint64_t>(v)); }
unsigned mixed(unsigned sum, std::int64_t v) { return mixed(sum, static_cast<std::uint64_t>(v)); }
unsigned mixed(unsigned sum, int v) { return mixed(sum, static_cast<std::uint64_t>(v)); }
unsigned mixed(unsigned sum, const field& v) { return mixed(mixed(sum, v.x), v.y); }
unsigned mixed(unsigned sum, const place& v) { return mixed(mixed(sum, v.x), v.y); }
unsigned mixed(unsigned sum, const charge& v) { return mixed(mixed(mixed(sum, v.x), v.y), v.sign); }

template <class Array> void show(const char* name, const Array& all) {
  unsigned sum = 0;
  for (const auto& v : all)
    sum = mixed(sum, v);
  std::printf("%s %u\n", name, sum);
}

ikra::array<charge> charges(std::int64_t n) {
  return ikra::pnew(n, [](std::int64_t i) {
    return charge{static_cast<float>(i * 7 % 101) / 4, static_cast<float>(i * 13 % 89) / 8,
                  i % 3 == 0 ? -1 : 1};
  });
}

void run(std::int64_t n) {
  std::printf("%lld elements\n", static_cast<long long>(n));
  const auto all = charges(n);
  show("fields", all.pmap([all](const charge& here) {
    field sum{0, 0};
    for (const charge& there : all)
      sum.add(of_pair(here, there));
    return sum;
  }));

  // Elements by value, two inputs, a double for a sum of floats.
  const auto weights = ikra::pnew(n, [](std::int64_t i) { return static_cast<float>(i % 17) / 3; });
  show("potentials", all.pcombine(weights, [all, weights](charge here, float weight) {
    double sum = weight;
    for (charge there : all)
      sum += static_cast<double>(of_pair(here, there).x);
    for (float w : weights)
      sum -= static_cast<double>(w * weight);
    return sum;
  }));

  // An index, loops that count, one in the other, and what lives between them.
  show("counted", ikra::pnew(n, [weights](std::int64_t i) {
         const float here = static_cast<float>(i) / 5;
         const auto size = static_cast<std::int64_t>(weights.size());
         const std::int64_t step = size / 8 + 1;
         double sum = 0;
         for (std::int64_t begin = 0; begin < size; ++begin) {
           float part = here;
           for (std::int64_t j = 0; j < size / step; ++j) {
             const float difference = weights[j] - here;
             part += difference * difference;
           }
           sum += static_cast<double>(part - weights[begin]);
         }
         return place{sum, static_cast<double>(here)};
       }));

  // Least and most, and where: numbers of 32 bits.
  show("nearest", weights.with_index().pmap([weights](float here, std::int64_t i) {
    int nearest = -1, at = 0;
    float least = 1e30F;
    for (const float there : weights) {
      const float away = std::fabs(there - here * 1.25F);
      if (away < least) {
        least = away;
        nearest = at;
      }
      ++at;
    }
    return static_cast<std::int64_t>(nearest) * 1000 + i;
  }));
  show("between", weights.pmap([weights](float here) {
    float least = here, most = here;
    for (const float there : weights) {
      least = std::min(least, there * here);
      most = most < there * here ? there : most;
    }
    return most - least;
  }));

  // In one kernel with what stands before and after.
  const auto scaled = weights.pmap([](float w) { return w * 0.5F + 1; });
  const auto sums = scaled.pmap([weights](float here) {
    float sum = 0;
    for (const float there : weights)
      sum += here * there - sum / 64;
    return sum;
  });
  show("fused", sums.pcombine(all, [](float sum, const charge& c) { return sum * c.x - c.y; }));
  show("moved", all.with_index()
                    .pmap([all](const charge& here, std::int64_t i) {
                      charge sum = here;
                      for (const charge& there : all) {
                        sum.x += there.y - here.x;
                        sum.sign += there.sign;
                      }
                      sum.y -= static_cast<float>(i);
                      return sum;
                    })
                    .pmap([](charge c) {
                      c.sign *= 2;
                      return c;
                    }));

  // Elements at the result's own place, which all turns of the outer loop read: the nearest of few.
  const auto points = ikra::pnew(
      3 * n, [](std::int64_t i) { return static_cast<float>(i * 31 % 127 - i * i % 11) / 8; });
  show("groups", ikra::pnew(n, [points, weights, n](std::int64_t i) {
         int best = -1;
         float least = 0;
         for (std::int64_t c = 0; c < n / 3 && c < 16; ++c) {
           float distance = 0;
           for (std::int64_t d = 0; d < 3; ++d) {
             const float difference = points[i * 3 + d] - weights[c * 3 + d];
             distance += difference * difference;
           }
           if (c == 0 || distance < least) {
             least = distance;
             best = static_cast<int>(c);
           }
         }
         return best;
       }));
  // The same of arrays of two dimensions, whose elements are named in both ways.
  if (n >= 3) {
    const ikra::array<float, 2> table = points.reshape({n, 3});
    const ikra::array<float, 2> middles = ikra::pnew(
        {n / 3, 3}, [](ikra::index<2> i) { return static_cast<float>(i[0] % 17 - i[1]); });
    show("groups of rows", ikra::pnew(n, [table, middles](std::int64_t i) {
           int best = -1;
           float least = 0;
           for (int c = 0; c < static_cast<int>(middles.shape()[0]); ++c) {
             float distance = 0;
             for (int d = 0; d < 3; ++d) {
               const float difference = table(i, d) - middles[{c, d}];
               distance += difference * difference;
             }
             if (c == 0 || distance < least) {
               least = distance;
               best = c;
             }
           }
           return best;
         }));
    show("pulls of rows", ikra::pnew(n, [table](std::int64_t i) {
           float sum = 0;
           for (std::int64_t j = 0; j < table.shape()[0]; ++j) {
             const float x = table(j, 0) - table(i, 0), y = table(j, 1) - table(i, 1);
             if (j != i)
               sum += table(j, 2) / (x * x + y * y + 1);
           }
           return sum;
         }));
    const ikra::array<float, 2> columns = points.reshape({3, n});
    show("columns", weights.with_index().pmap([columns](float here, std::int64_t i) {
      const int count = static_cast<int>(columns.shape()[1]);
      float sum = 0;
      for (int j = 0; j < count; ++j)
        sum += std::abs(columns(1, j) - here) * columns(2, j) + columns(0, i);
      return sum;
    }));
  }
  show("rows", weights.with_index().pmap([points, weights](float here, std::int64_t i) {
    const auto first = static_cast<std::size_t>(i) * 3;
    float sum = 0, last = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const float term = points[first + 1] * weights[j] - points[first + 2];
      if (j != 2 && weights[j] < here)
        last = term;
      sum += last;
    }
    return sum;
  }));
  // The index is changed in between, or by a function.
  show("moving", ikra::pnew(n, [points, weights](std::int64_t i) {
         double sum = 0;
         for (const float there : weights)
           sum += static_cast<double>(there * points[i]);
         i += 2 * (i % 2);
         for (const float there : weights)
           sum -= static_cast<double>(there * points[i]);
         advance(i);
         return sum + static_cast<double>(points[i]);
       }));
  show("turning", ikra::pnew(n, [points, weights](std::int64_t i) {
         float sum = 0;
         for (std::int64_t j = 0; j < static_cast<std::int64_t>(weights.size()); ++j)
           sum += points[i * 2 + j % 2] * weights[j] + points[i + j];
         return sum;
       }));

  // Square roots.
  show("roots", all.pmap([all](const charge& here) {
    float sum = 0;
    for (const charge& there : all) {
      const float x = there.x - here.x;
      sum += 1 / std::sqrt(x * x + 0.01F);
    }
    return sum;
  }));

  // On all cores one by one; on a GPU in tiles: all but oneself, arrays side by side that a counter
  // goes through, branches, loops of each pair.
  show("others", ikra::pnew(n, [all](std::int64_t i) {
         field sum{0, 0};
         for (std::size_t j = 0; j < all.size(); ++j) {
           if (static_cast<std::int64_t>(j) == i)
             continue;
           sum.add(of_pair(all[i], all[j]));
         }
         return sum;
       }));
  const auto xs = all.pmap([](const charge& c) { return c.x; });
  const auto signs = all.pmap([](const charge& c) { return c.sign; });
  show("columns", ikra::pnew(n, [xs, signs, n](std::int64_t i) {
         double sum = 0;
         for (int j = 0; j < n; j++) {
           if (j != i && signs[j] > 0) {
             const float x = xs[j] - xs[i];
             sum += static_cast<double>(x / (x * x + 1));
           }
         }
         for (std::int64_t first = 3; first < n / 2; ++first)
           sum += static_cast<double>(xs[first]);
         return sum;
       }));
  show("steps", weights.pmap([weights](float here) {
    int steps = 0;
    for (const float there : weights) {
      int left = static_cast<int>(there * here);
      while (left > 1) {
        if (left % 7 == 3)
          break;
        left /= 2;
        ++steps;
      }
    }
    return steps;
  }));

  // One by one: a loop that ends early, an element that is changed, one that depends on the result,
  // an integer division, and a container of others.
  const auto numbers = ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * 37 % 211); });
  show("early", numbers.pmap([numbers](int x) {
    int sum = 0;
    for (const int y : numbers) {
      if (y > x + 100)
        break;
      sum += y;
    }
    return sum;
  }));
  show("changed", numbers.pmap([numbers](int x) {
    int sum = 0;
    for (int y : numbers) {
      y -= x;
      sum += y;
    }
    return sum;
  }));
  show("dependent", numbers.pmap([numbers](int x) {
    int sum = 0;
    const auto size = static_cast<std::int64_t>(numbers.size());
    for (std::int64_t j = 0; j < size; ++j)
      sum += numbers[(j + x) % size] * static_cast<int>(j % 5);
    return sum;
  }));
  show("divided", numbers.pmap([numbers](int x) {
    int sum = 0;
    for (const int y : numbers)
      sum += (x + 1000) / (y + 1);
    return sum;
  }));
}

// Arrays of two dimensions have places, of which these know nothing.
void plane() {
  const auto some = charges(700);
  show("places", ikra::pnew({37, 29}, [some](ikra::index<2> at) {
                   float sum = 0;
                   for (const charge& c : some) {
                     const float x = c.x - static_cast<float>(at[1]),
                                 y = c.y - static_cast<float>(at[0]);
                     if (x > 0 && y > 0)
                       sum += static_cast<float>(c.sign) / (x * x + y * y + 1);
                   }
                   return sum;
                 }).pmap([](float v) { return 2 * v; }));
  const auto grid = ikra::pnew({37, 29}, [](ikra::index<2> at) {
    return static_cast<float>(at[0] * 3 + at[1] * at[1] % 7);
  });
  const auto row = ikra::pnew(40, [](std::int64_t i) { return static_cast<float>(i % 9) / 2; });
  const auto summed = grid.pmap([row](float here) {
    float sum = here;
    for (const float there : row)
      sum = sum * 0.75F + there;
    return sum;
  });
  show("plane", summed);
}

} // namespace

int main() {
  for (const std::int64_t n : {0, 1, 15, 16, 17, 100, 2500})
    run(n);
  plane();
}
