// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of elements for which the runtime has what depends on nothing else: programs declare
// it, `extern template`, and do not compile it (src/sections/numbers.cpp).
#pragma once

/// Expands \p DO(type) for each of them.
#define IKRA_FOR_NUMBERS(DO)                                                                       \
  DO(bool)                                                                                         \
  DO(char)                                                                                         \
  DO(signed char)                                                                                  \
  DO(unsigned char)                                                                                \
  DO(short)                                                                                        \
  DO(unsigned short)                                                                               \
  DO(int)                                                                                          \
  DO(unsigned)                                                                                     \
  DO(long)                                                                                         \
  DO(unsigned long)                                                                                \
  DO(long long)                                                                                    \
  DO(unsigned long long)                                                                           \
  DO(float)                                                                                        \
  DO(double)
