// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done with each alternative of a std::variant, one function each.

#ifndef IKRA_MODEL_CASES_H
#define IKRA_MODEL_CASES_H

namespace ikra {

template <class... F> struct Cases : F... {
  using F::operator()...;
};

} // namespace ikra

#endif
