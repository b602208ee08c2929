// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils over floats as simulations and image programs have them: what they compute at a place,
// for programs written by hand, and what all programs offer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#ifdef __CUDACC__
#define STENCILS_BOTH __host__ __device__
#else
#define STENCILS_BOTH
#endif

namespace stencils {

enum class which {
  heat_2d, ///< itself and four neighbours, the border stays
  blur,    ///< the mean of nine, beyond the border the nearest element
  heat_3d, ///< itself and six neighbours, the border stays
  chain,   ///< the mean of three, three times: may be one kernel
  himeno   ///< P5: 19 neighbours and a dozen arrays of coefficients, the border stays
};

/// Extents; rank 2 and 1 have 1 in front.
struct shape {
  std::int32_t a = 1, b = 1, c = 1;
  std::size_t volume() const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
  }
};

/// A program with its memory. It has its input, and for the Himeno benchmark its coefficients, when
/// it is made.
class program {
public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  /// Goes on for so many stencils, and waits for them.
  virtual void run(int times) = 0;
  virtual std::vector<float> result() = 0;
  /// Of the Himeno benchmark: the sum of squares of what the last stencil changed, else 0.
  virtual double residual() = 0;
};

/// Through ikrac, on the device that IKRA_DEVICE names. \param wait for the GPU; null on all cores
std::unique_ptr<program> by_ikra(which what, const shape& s, void (*wait)());

/// How programs by hand are made.
enum class form {
  plain, ///< a thread, or a turn of the innermost loop, an element
  tuned, ///< the GPU: four results a thread, which share loads; the chain in one kernel; of Himeno
         ///< two steps in one, in a graph of all
  graph  ///< the GPU, Himeno alone: all steps are one graph
};
/// By hand; null where a program has no such form.
std::unique_ptr<program> by_cuda(which what, form how, const shape& s);
std::unique_ptr<program> by_openmp(which what, const shape& s);

//===-- what is computed at a place ----------------------------------------------------------===//

/// The input. Of the Himeno benchmark, the pressure that it begins with.
STENCILS_BOTH inline float initial(which what, const shape& s, std::int32_t a, std::int32_t b,
                                   std::int32_t c) {
  if (what == which::himeno)
    return static_cast<float>(a * a) / static_cast<float>((s.a - 1) * (s.a - 1));
  return static_cast<float>((a * 31 + b * 17 + c * 7) % 1009) / 1009.0f;
}

inline constexpr float diffusion = 0.1f, omega = 0.8f;

/// The coefficients of the Himeno benchmark, which programs keep in arrays.
inline constexpr float a_1 = 1, a_4 = 1.0f / 6, b_all = 0, c_all = 1, wrk_1 = 0, bnd = 1;

} // namespace stencils
