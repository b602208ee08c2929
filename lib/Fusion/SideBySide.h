// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that go through a captured container from the first to the last element, whatever their
// own element is: all pairs. Compilers vectorise such a loop along the container, where sums have
// to be added in order; and not across results, where nothing waits for anything. So all cores
// compute several results side by side: the loop runs once for all of them, and each of its turns
// is a loop over the results, which vectorises. docs/fusion.md has the rule.

#ifndef IKRA_FUSION_SIDEBYSIDE_H
#define IKRA_FUSION_SIDEBYSIDE_H

#include "Model/ProgramModel.h"

#include <map>
#include <set>
#include <string>

namespace ikra {

struct SideBySide {
  std::string Array; ///< the capture that is gone through
  /// Parameters and variables that live longer than a turn, by name: each result has its own.
  std::map<std::string, TypeRef> Own;
  std::string Index; ///< the parameter that is the result's place, if it keeps its value
  /// Variables that are the same for all results.
  std::set<std::string> Shared;
  /// It takes square roots, which are vectorised where they do not set errno.
  bool TakesRoots = false;
};

/// By section.
std::map<Index, SideBySide> planSideBySide(const ProgramModel& Model);

/// Whether a loop is among the statements, not counting those in other statements.
bool hasLoop(const body::Stmts& Body);

} // namespace ikra

#endif
