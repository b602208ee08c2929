// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Locations.h"

#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace ikra {

SourceLoc locOf(SourceLocation At, const SourceManager& SM) {
  const PresumedLoc Loc = SM.getPresumedLoc(SM.getFileLoc(At));
  return Loc.isValid() ? SourceLoc{Loc.getFilename(), Loc.getLine(), Loc.getColumn()} : SourceLoc{};
}

} // namespace ikra
