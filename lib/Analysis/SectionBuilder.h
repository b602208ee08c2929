// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a section of each call of an operation: what is called for each element, what it captures,
// and which section gives its input. What cannot become a section is reported.

#ifndef IKRA_ANALYSIS_SECTIONBUILDER_H
#define IKRA_ANALYSIS_SECTIONBUILDER_H

#include "FunctionCollector.h"
#include "SectionFinder.h"

#include "clang/AST/ExprCXX.h"

namespace ikra {

class SectionBuilder {
public:
  SectionBuilder(ModelBuilder& Builder, FunctionCollector& Collector)
      : Context(Builder.Context), Diags(Builder.Diags), Model(Builder.Model), Builder(Builder),
        Collector(Collector) {}

  void add(const OperationCall& Operation);
  /// Says that the operation whose section has this code is left to the plain library. \returns it
  const clang::CallExpr* leave(Index Code);

private:
  /// What is called for each element.
  struct Code {
    const clang::FunctionDecl* Function = nullptr;
    const clang::LambdaExpr* Lambda = nullptr;
  };

  /// Reports what keeps the present operation from being a section.
  clang::DiagnosticBuilder refuse(clang::SourceLocation At, Diag Message) {
    return Diags.report(At, Message, MayBeLeft);
  }
  /// False where the operation was refused.
  bool tryToAdd(const OperationCall& Operation);
  bool addElements(Section& S, const OperationCall& Operation);
  bool addResult(Section& S, const Code& Called);
  std::optional<Code> codeOf(const OperationCall& Operation, const clang::Expr* Argument);
  bool addCaptures(Section& S, const clang::LambdaExpr* Lambda);
  clang::QualType captureVariable(const clang::LambdaCapture& C, const clang::VarDecl* V,
                                  Capture& Out);
  std::optional<Index> inputOf(const OperationCall& Operation);
  std::string sourceText(clang::SourceRange Range);

  clang::ASTContext& Context;
  Diagnoser& Diags;
  ProgramModel& Model;
  ModelBuilder& Builder;
  FunctionCollector& Collector;
  llvm::DenseMap<const clang::Expr*, Index> SectionOfCall;
  std::map<Index, const clang::CallExpr*> CallOfCode;
  bool MayBeLeft = false; ///< the present operation, to the plain library
};

} // namespace ikra

#endif
