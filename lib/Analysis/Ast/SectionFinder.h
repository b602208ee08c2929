// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the calls of parallel operations in the user's code, and the classes declared there. Says
// nothing of what is in the sections.

#ifndef IKRA_ANALYSIS_AST_SECTIONFINDER_H
#define IKRA_ANALYSIS_AST_SECTIONFINDER_H

#include "Model/Operations.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>
#include <vector>

namespace ikra {

/// A call of an operation of ikra::array, of pnew, or of an operator on arrays.
struct OperationCall {
  const clang::CallExpr* Call = nullptr;
  std::string Name;                       ///< pmap, peach, operator+, …
  const ArrayCall* Row = nullptr;         ///< null for operators
  std::vector<const clang::Expr*> Inputs; ///< the array, and pcombine's further ones
  std::vector<clang::QualType> Elements;  ///< of the inputs
  clang::QualType Result; ///< element type of the resulting array, or type of the resulting value
  unsigned Rank = 1;
  bool WithIndex = false;  ///< called on what with_index() gives
  bool InTemplate = false; ///< in an instantiation of a template
  /// In another instantiation the same text calls something else.
  bool IsElsewhereOther = false;
  const clang::FunctionDecl* Inside = nullptr;

  bool is(Operation Op) const { return Row && Row->Op == Op; }
  bool is(ArrayCall::CodeIs Code) const { return Row && Row->Code == Code; }
  /// Whether a second section, the second argument, gives the keys.
  bool takesIndicesFromCode() const {
    return Row && Row->Inputs == ArrayCall::IndicesAndReceiver && Inputs.size() == 1;
  }
};

/// The lambda expressions of the program, by their closure types.
struct FoundLambdas {
  llvm::DenseMap<const clang::CXXRecordDecl*, const clang::LambdaExpr*> All;
  /// Those whose types the program names by decltype.
  llvm::DenseSet<const clang::CXXRecordDecl*> InDecltype;
  /// Those with which aggregates are made in parentheses.
  llvm::DenseSet<const clang::CXXRecordDecl*> InAggregates;
  /// Those in the initialisers of static local variables.
  llvm::DenseSet<const clang::CXXRecordDecl*> InStatics;
  /// What operations are given as code: text that is replaced as a whole.
  std::vector<clang::SourceRange> Replaced;
};

struct Findings {
  std::vector<OperationCall> Operations;                ///< in the order of the source
  std::vector<const clang::CXXRecordDecl*> UserClasses; ///< complete, in the order of the source
  FoundLambdas Lambdas;
};

Findings findSections(clang::ASTContext& Context);

} // namespace ikra

#endif
