// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections whose bodies may be parameters of kernels beside others'.

#ifndef IKRA_FUSION_SELFCONTAINED_H
#define IKRA_FUSION_SELFCONTAINED_H

#include "Analysis/ProgramModel.h"

namespace ikra {

bool isNumber(const Type& Ty);
/// True for sections over numbers whose bodies hold numbers alone: no columns, no containers.
bool isSelfContained(const Section& S);

} // namespace ikra

#endif
