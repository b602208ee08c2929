// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The array programs of ARRAY'17, figure 9, over int32 of shape (20, 500, 500, 12) or a smaller
// one: what they compute at a place, for programs written by hand, and what all programs offer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#ifdef __CUDACC__
#define FIGURE9_BOTH __host__ __device__
#else
#define FIGURE9_BOTH
#endif

namespace figure9 {

/// P5, the Himeno benchmark, is over floats and not among them.
enum class which { p1, p2, p3, p4, p6, p7 };

struct shape {
  std::int32_t a = 20, b = 500, c = 500, d = 12;
  std::size_t volume() const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c) *
           static_cast<std::size_t>(d);
  }
};

/// A program with its memory, if it keeps any.
class program {
public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  /// Computes the result from nothing, and waits for it.
  virtual void run() = 0;
  /// Of the last run.
  virtual std::vector<std::int32_t> result() = 0;
};

/// Through ikrac, on the device that IKRA_DEVICE names. \param wait for the GPU; null on all cores
std::unique_ptr<program> by_ikra(which what, const shape& s, void (*wait)());

/// How much of a program is one kernel, or one loop over all elements.
enum class form {
  unfused,     ///< a kernel for each operation, each with memory of its own
  fused,       ///< one kernel for each turn of the program's loop, in place where that is possible
  whole,       ///< one kernel, one element a thread
  whole_vector ///< one kernel, 16 bytes a thread
};
/// When a program by hand knows the extents, but for the outermost one.
enum class known { when_launched, when_compiled };
/// By hand; null where a program has no such form, or no kernels for such a shape.
std::unique_ptr<program> by_cuda(which what, form how, const shape& s,
                                 known extents = known::when_launched);
std::unique_ptr<program> by_openmp(which what, form how, const shape& s);

//===-- what is computed at a place ----------------------------------------------------------===//

struct place {
  std::int32_t a, b, c, d;
  /// A coordinate by its number, without an array that would have to be in memory.
  FIGURE9_BOTH std::int32_t at(std::int32_t n) const {
    const std::int32_t first = n == 0 ? a : b, second = n == 2 ? c : d;
    return n < 2 ? first : second;
  }
};

FIGURE9_BOTH inline std::int32_t new_p1(place x) { return (7 + x.a + x.b + x.c + x.d) % 1337; }
FIGURE9_BOTH inline std::int32_t map_p1(std::int32_t v, place x) {
  return (v + x.a + x.b + x.c + x.d) % 1337;
}
FIGURE9_BOTH inline std::int32_t new_p2(place x) { return (x.a + x.b) % (x.d + x.at(x.b % 4) + 7); }
/// Neighbours (-1, 0, 0, 0), itself, (1, 0, 0, 0), (-1, -1, 0, 0).
FIGURE9_BOTH inline std::int32_t stencil(std::int32_t n0, std::int32_t n1, std::int32_t n2,
                                         std::int32_t n3, place x) {
  const std::int32_t looked_up = x.at(x.at(x.at(n2 % 4) % 4) % 4);
  return ((n0 % 938) + n1 / 97) % 97717 + (looked_up * (n3 % 7) % 99);
}
inline constexpr std::int32_t outside = 37;
FIGURE9_BOTH inline std::int32_t new_c(place x) { return x.c % 133777; }
FIGURE9_BOTH inline std::int32_t map_p3(std::int32_t v, place x) { return (v + x.c) % 13377; }

/// The maps of a turn of P6 and P7, by their number.
template <int Map> FIGURE9_BOTH std::int32_t map_p6(std::int32_t v, place x) {
  switch (Map) {
  case 0:
    return (v + x.c) % 13377;
  case 1:
    return (v + x.b) % 13377;
  case 2:
    return (v + x.d) % 1337;
  case 3:
    return (v + x.a) % 13377;
  default:
    return (v + x.b) % 1377;
  }
}
template <int Map> FIGURE9_BOTH std::int32_t map_p7(std::int32_t v, place x) {
  switch (Map) {
  case 0:
    return (v + x.d) % 77689;
  case 1:
    return (v + x.a) % 11799;
  case 2:
    return (v + x.c) % 1337;
  case 3:
    return (v + x.c) % 8888888;
  default:
    return (v + x.c) % 6678;
  }
}
FIGURE9_BOTH inline std::int32_t turn_p6(std::int32_t v, place x) {
  return map_p6<4>(map_p6<3>(map_p6<2>(map_p6<1>(map_p6<0>(v, x), x), x), x), x);
}
FIGURE9_BOTH inline std::int32_t turn_p7(std::int32_t v, place x, std::int32_t turn) {
  if (turn % 2 == 0)
    v = turn % 3 == 0 ? map_p7<0>(v, x) : map_p7<1>(v, x);
  else
    v = map_p7<3>(map_p7<2>(v, x), x);
  return map_p7<4>(v, x);
}

/// Turns of a program's loop.
FIGURE9_BOTH constexpr int turns(which what) {
  switch (what) {
  case which::p1:
  case which::p2:
    return 10;
  case which::p3:
    return 500;
  case which::p6:
    return 100;
  default:
    return 200;
  }
}

} // namespace figure9
