// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By what the runtime knows sections: a tag for each, in front of the host text that names it, and
// after it what is found by the tag. Those of sections in templates are templates, one for each
// place in the text; an instance's driver and tables are found by the type of its tag.

#ifndef IKRA_EMIT_SECTIONTAGS_H
#define IKRA_EMIT_SECTIONTAGS_H

#include "Emit/Code/CodeWriter.h"
#include "Fusion/Fusion.h"

#include <map>
#include <string>
#include <vector>

namespace ikra {

class SectionTags {
public:
  SectionTags(const ProgramModel& Model, const FusionPlan& Fusion) : Model(Model), Fusion(Fusion) {}

  /// In the unit's namespace, in front of the host text.
  void declare(CodeWriter& Out) const;
  /// In the global namespace after that: what a tag has.
  void declareCode(CodeWriter& Out) const;
  /// In the unit's namespace: short names of the tags of instances.
  void nameInstances(CodeWriter& Out) const;
  /// In the global namespace, after the drivers: for objects of classes that only this file knows.
  void shareDrivers(CodeWriter& Out) const;
  /// The tables of fused kernels, for each section that ends some.
  void defineFusions(CodeWriter& Out) const;
  /// What finds instances' drivers and tables.
  void defineInstances(CodeWriter& Out) const;

  /// What other files may need of sections that they have too. After the tables.
  void shareFusions(CodeWriter& Out) const;

private:
  /// What commands of these sections, instances of one template, have to know of running in place.
  void declareInPlace(const std::vector<Index>& Sections, CodeWriter& Out) const;
  void shareKeys(CodeWriter& Out) const;
  /// Sections in templates, by their place in the text.
  std::map<std::string, std::vector<Index>> instantiations() const;
  /// The tags of results that are computed together, with their variables.
  std::map<std::string, std::string> horizontalTags() const;
  const FusedKernel* fusedInto(Index S) const;
  const LoopKernel* loopOf(Index S) const;
  bool mayRunEarly(Index S) const;
  bool isSpeculatable(Index S) const;

  const ProgramModel& Model;
  const FusionPlan& Fusion;
};

/// Declares what the runtime compares commands with: nodes and inputs, with a suffix.
void declareNodes(const std::vector<FusedNode>& Graph, const std::vector<HeldNode>& Held,
                  const ProgramModel& Model, const std::string& Suffix, CodeWriter& Out);

} // namespace ikra

#endif
