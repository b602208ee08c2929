// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros that every other header may use. The plain library is ordinary host code; the few types
// that device code uses as they are (index, random, min and max, atomics) are marked IKRA_HD.
// Relies on nothing.
#pragma once

#include <ikra/macros_aside.hpp>

/// Callable on host and device where nvcc compiles, nothing elsewhere.
#if defined(__CUDACC__)
#define IKRA_HD __host__ __device__
#else
#define IKRA_HD
#endif

/// A constant of class type at namespace scope that both host and device code may name. The
/// device's copy of it exists in nvcc's device passes only.
#if defined(__CUDA_ARCH__)
#define IKRA_CONSTANT static __device__ constexpr
#else
#define IKRA_CONSTANT inline constexpr
#endif

/// Before a loop that nvcc shall not unroll. Nothing in nvcc's host pass: g++ warns of a pragma
/// that it does not know.
#if defined(__CUDA_ARCH__)
#define IKRA_NOT_UNROLLED _Pragma("unroll 1")
#else
#define IKRA_NOT_UNROLLED
#endif

// Before a loop over dimensions: g++ keeps indices in memory otherwise, below -O3 at least.
// Others take such loops apart by themselves, or, like nvcc, know no such pragma.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define IKRA_UNROLLED _Pragma("GCC unroll 8")
#else
#define IKRA_UNROLLED
#endif

// What GPU code may rely on without a test.
#ifdef __CUDA_ARCH__
#define IKRA_ASSUME(condition) __builtin_assume(condition)
#else
#define IKRA_ASSUME(condition) static_cast<void>(0)
#endif

#include <ikra/macros_back.hpp>
