// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in the user's text in place of sections: calls that name the section's tag and hand
// on its captures.

#ifndef IKRA_EMIT_SECTIONCALLS_H
#define IKRA_EMIT_SECTIONCALLS_H

#include "Emit.h"

namespace ikra {

/// All replacements in the unit's files.
std::vector<Replacement> editsOfHostText(const EmitInput& Input);

} // namespace ikra

#endif
