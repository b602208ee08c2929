// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections whose bodies may be parameters of kernels beside others'.

#ifndef IKRA_FUSION_SELFCONTAINED_H
#define IKRA_FUSION_SELFCONTAINED_H

#include "Model/ProgramModel.h"

namespace ikra {

bool isNumber(const Type& Ty);
/// True for sections over numbers whose bodies hold numbers alone: no columns, no containers.
bool isSelfContained(const Section& S);
/// True for such a map to numbers of the same type.
bool isStep(const Section& S);
/// True if a step may take what \p From gives.
bool mayMeet(const Section& From, const Section& To);

} // namespace ikra

#endif
