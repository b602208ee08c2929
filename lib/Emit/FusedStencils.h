// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a kernel that holds stencils beside other sections. It is called with an accessor (a
// place and the arrays around it, see the runtime's stencil_accessor.hpp), and computes what a
// stencil's window reads at the neighbours' accessors.

#ifndef IKRA_EMIT_FUSEDSTENCILS_H
#define IKRA_EMIT_FUSEDSTENCILS_H

#include "Fusion/Fusion.h"
#include "GraphEmitter.h"

namespace ikra {

class FusedStencils final : GraphEmitter {
public:
  FusedStencils(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out)
      : GraphEmitter(Context, Kernel, Kernel.Ident, Out) {}

  void emitBody() const;
  /// What a driver initialises the struct's members after the sections' bodies with.
  std::vector<std::string> borderValues() const;
  /// The call that launches the body, up to the body.
  std::string launch() const;

private:
  bool isStencil(std::size_t N) const { return section(N).Op == Operation::PStencil; }
  bool hasBorderValue(std::size_t N) const {
    return isStencil(N) && section(N).AtBorder == Border::Value;
  }
  std::string footprintText() const;
  void emitRegion(std::size_t Root) const;
};

} // namespace ikra

#endif
