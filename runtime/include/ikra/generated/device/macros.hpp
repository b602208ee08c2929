// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros of emitted code. IKRA_DEVICE marks a function that runs on both devices; IKRA_CUDA_UNIT
// says whether this translation unit is compiled by nvcc, so that its kernels can be launched on a
// GPU.
#pragma once

#include <ikra/config.hpp>

#ifdef __CUDACC__
#define IKRA_DEVICE __host__ __device__ inline
// A function that calls itself, perhaps through others; or one whose loops nvcc would unroll for
// minutes where it knew how often they run. g++ warns of functions that are inline and must not be.
#ifdef __CUDA_ARCH__
#define IKRA_DEVICE_OUT_OF_LINE __host__ __device__ __noinline__ inline
#else
#define IKRA_DEVICE_OUT_OF_LINE IKRA_DEVICE
#endif
// In front of templates for both sides that call what they are given, which is for one of them.
#define IKRA_CALLS_GIVEN _Pragma("nv_exec_check_disable")
#define IKRA_CUDA_UNIT 1
#else
#define IKRA_DEVICE inline
#define IKRA_DEVICE_OUT_OF_LINE inline
#define IKRA_CALLS_GIVEN
#define IKRA_CUDA_UNIT 0
#endif

// A body in which a thread notes its element: on a GPU all have one in constant memory, and each
// makes a copy; on all cores each has one for all of its elements.
#ifdef __CUDA_ARCH__
#define IKRA_OWN_BODY(Type) Type
#else
#define IKRA_OWN_BODY(Type) const Type&
#endif

// A function that has its own code, however often it is called.
#define IKRA_OUT_OF_LINE __attribute__((noinline))
// A function with all that it calls in its own code: for speed alone, so not where the compiler
// does not optimise, nor among a sanitizer's checks, of which one function would then hold
// thousands.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IKRA_FLATTENED
#else
#define IKRA_FLATTENED __attribute__((flatten))
#endif
