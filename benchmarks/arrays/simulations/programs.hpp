// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterative programs, as examples/simulations has them: what they compute at a place, for programs
// written by hand, and what all programs offer.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef __CUDACC__
#define SIMULATIONS_BOTH __host__ __device__
#else
#define SIMULATIONS_BOTH
#endif

namespace simulations {

enum class which {
  jacobi,             ///< n × n doubles, four neighbours; the largest change is read in each turn
  conjugate_gradient, ///< a graph's Laplacian, n vertices; the residual is read in each turn
  pagerank,           ///< the same graph; the change is read in each turn
  life,               ///< n × n bytes on a torus
  mandelbrot,         ///< n × n points, up to 256 steps each; a turn computes all anew
  lattice_boltzmann,  ///< n × n cells of nine floats, in a box; a stencil of structs
  small_maps,         ///< n ints; a turn is a map, and reads nothing
  small_tested        ///< the same, and their sum is read in each turn
};

/// Neighbours of vertex v are to[first[v]] to to[first[v + 1] - 1].
struct graph {
  std::vector<std::int32_t> first, to;
};
/// \param edges conducts both ways; vertices are 0 … n - 1
inline graph make_graph(int n, const std::vector<std::pair<std::int32_t, std::int32_t>>& edges) {
  graph g{std::vector<std::int32_t>(static_cast<std::size_t>(n) + 1),
          std::vector<std::int32_t>(2 * edges.size())};
  const auto each = [&](auto f) {
    for (const auto& [from, to] : edges) {
      f(from, to);
      f(to, from);
    }
  };
  each([&](std::int32_t from, std::int32_t) { ++g.first[static_cast<std::size_t>(from) + 1]; });
  for (std::size_t v = 1; v < g.first.size(); ++v)
    g.first[v] += g.first[v - 1];
  std::vector<std::int32_t> next(g.first);
  each([&](std::int32_t from, std::int32_t to) {
    g.to[static_cast<std::size_t>(next[static_cast<std::size_t>(from)]++)] = to;
  });
  return g;
}
/// Each vertex and four by chance are neighbours of each other.
inline graph make_graph(int n) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  std::uint64_t state = 1;
  for (std::int32_t v = 0; v < n; ++v)
    for (int k = 0; k < 4; ++k) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      edges.emplace_back(v,
                         static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(n)));
    }
  return make_graph(n, edges);
}

/// What a program computes.
struct task {
  which what;
  int n;
  graph of; ///< where it is about a graph, of n vertices
};

/// Turns of a loop with a test go on while what they read is above this. It stops none of them, so
/// that a run has the turns that it is asked for, but no program knows that.
inline constexpr double tolerance = -1;

/// A program with its memory, which has its input when it is made.
class program {
public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  /// Goes on for so many turns, and waits for them.
  virtual void run(int turns) = 0;
  /// Its state: an element for each place, or the sum of a place's densities.
  virtual std::vector<double> result() = 0;
  /// What the last turn read: a change or a residual; 0 for programs that read none.
  virtual double last_read() = 0;
};

/// Through ikrac, on the device that IKRA_DEVICE names. \param wait for the GPU; null on all cores
std::unique_ptr<program> by_ikra(const task& t, void (*wait)());
/// How loops by hand are run on the GPU.
enum class form {
  launches, ///< the host queues the kernels of each turn, and reads what the turn tests
  graph,    ///< kernels in a graph with a WHILE node: the GPU tests, the host waits at the end
  kernel    ///< the loop is in one kernel, of one block
};
/// By hand: fused kernels, two buffers, scalars on the device. Null where a program has no such
/// form.
std::unique_ptr<program> by_cuda(const task& t, form how);
std::unique_ptr<program> by_openmp(const task& t);

//===-- what is computed at a place ----------------------------------------------------------===//

SIMULATIONS_BOTH inline double jacobi_at(double up, double left, double right, double down,
                                         double load) {
  return 0.25 * (up + left + right + down) + load;
}
SIMULATIONS_BOTH inline double load_at(int n, int y, int x) {
  return static_cast<double>((y * 31 + x * 17) % 101) / (101.0 * n * n);
}

inline constexpr double shift = 0.1, damping = 0.85;
SIMULATIONS_BOTH inline double source_at(int v) {
  return v % 7 == 0 ? 1.0 : v % 11 == 0 ? -1.0 : 0.5;
}

SIMULATIONS_BOTH inline std::uint8_t alive_at(int y, int x) {
  return static_cast<std::uint8_t>((y * 7 + x * 13 + y * x) % 5 < 2);
}
SIMULATIONS_BOTH inline std::uint8_t lives(int around, int own) {
  return static_cast<std::uint8_t>(around == 3 || (around == 2 && own != 0));
}

inline constexpr int most_steps = 256;
SIMULATIONS_BOTH inline int escape_time(double re, double im) {
  double x = 0, y = 0;
  int k = 0;
  while (k < most_steps && x * x + y * y <= 4.0) {
    const double next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
    ++k;
  }
  return k;
}
SIMULATIONS_BOTH inline double mandelbrot_step(int n) { return 3.0 / n; }

inline constexpr float relaxation = 1.6f, force = 1e-5f;
SIMULATIONS_BOTH inline int down(int q) {
  constexpr int all[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  return all[q];
}
SIMULATIONS_BOTH inline int right(int q) {
  constexpr int all[] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  return all[q];
}
SIMULATIONS_BOTH inline int back(int q) {
  constexpr int all[] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  return all[q];
}
SIMULATIONS_BOTH inline float weight(int q) {
  return q == 0 ? 4.0f / 9 : q < 5 ? 1.0f / 9 : 1.0f / 36;
}
/// What came to a cell becomes what it sends. \param is_wall it throws all back
SIMULATIONS_BOTH inline void collide(float (&f)[9], bool is_wall) {
  if (is_wall) {
    float met[9];
    for (int q = 0; q < 9; ++q)
      met[q] = f[q];
    for (int q = 0; q < 9; ++q)
      f[q] = met[back(q)];
    return;
  }
  float density = 0, v = 0, u = 0;
  for (int q = 0; q < 9; ++q) {
    density += f[q];
    v += static_cast<float>(down(q)) * f[q];
    u += static_cast<float>(right(q)) * f[q];
  }
  v /= density;
  u /= density;
  for (int q = 0; q < 9; ++q) {
    const float along = 3.0f * (static_cast<float>(down(q)) * v + static_cast<float>(right(q)) * u);
    const float rest =
        weight(q) * density * (1.0f + along + 0.5f * along * along - 1.5f * (v * v + u * u));
    f[q] += relaxation * (rest - f[q]) + 3.0f * weight(q) * force * static_cast<float>(right(q));
  }
}
SIMULATIONS_BOTH inline bool is_wall(int n, int y) { return y == 0 || y == n - 1; }

SIMULATIONS_BOTH inline int small_step(int v) { return (v * 5 + 3) % 1021; }

} // namespace simulations
