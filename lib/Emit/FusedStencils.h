// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a kernel that holds stencils beside other sections. It is called with a spot (a place
// and the arrays around it, see the runtime's spot.hpp), and computes what a stencil's window reads
// at the neighbours' spots.

#ifndef IKRA_EMIT_FUSEDSTENCILS_H
#define IKRA_EMIT_FUSEDSTENCILS_H

#include "CodeWriter.h"
#include "EmitContext.h"
#include "Fusion/Fusion.h"

namespace ikra {

class FusedStencils {
public:
  /// \p Name of the emitted struct; the kernel's sections are its members stage_0, stage_1, …
  FusedStencils(EmitContext& Context, const FusedKernel& Kernel, const std::string& Name)
      : Context(Context), Kernel(Kernel), Name(Name) {}

  void emitBody(CodeWriter& Out) const;
  /// What a driver initialises the struct's members behind the stages with.
  std::vector<std::string> borderValues() const;
  /// The call that launches the body, up to the body.
  std::string launch() const;

private:
  const Section& section(std::size_t N) const {
    return Context.Model.Sections[Kernel.Nodes[N].Section];
  }
  bool hasBorderValue(std::size_t N) const {
    return section(N).Op == Operation::PStencil && section(N).AtBorder == Border::Value;
  }
  /// Whether all there is to know of a place is whether its neighbours lie inside.
  bool hasPlainBorder() const;
  std::string reachText() const;
  void emitRegion(std::size_t Root, CodeWriter& Out) const;

  EmitContext& Context;
  const FusedKernel& Kernel;
  const std::string& Name;
};

} // namespace ikra

#endif
