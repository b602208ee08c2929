// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef IKRA_MODEL_BODYVERIFIER_H
#define IKRA_MODEL_BODYVERIFIER_H

#include "ProgramModel.h"

namespace ikra {

/// What the model's bodies break of the invariants on docs/bodies.md, a sentence each; empty for
/// what the builder makes.
std::vector<std::string> faultsOfBodies(const ProgramModel& Model);

} // namespace ikra

#endif
