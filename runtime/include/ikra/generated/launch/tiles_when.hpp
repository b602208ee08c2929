// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether stencils run in tiles, on all cores and on a GPU.
#pragma once

namespace ikra::rt {

/// IKRA_TILES. \var always whatever the array's size, so that small ones have several tiles, too
enum class tiles_when { never, faster, always };

/// \throws error of kind unsupported if the variable has another value
tiles_when tiles();

} // namespace ikra::rt
