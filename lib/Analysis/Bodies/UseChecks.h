// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checked builds put around the uses of device code that C++ leaves undefined
// (docs/checked-builds.md). BodyBuilder hands each node here that may be such a use.

#ifndef IKRA_ANALYSIS_BODIES_USECHECKS_H
#define IKRA_ANALYSIS_BODIES_USECHECKS_H

#include "Model/Body.h"
#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceLocation.h"

#include <map>
#include <utility>

namespace ikra {

class UseChecks {
public:
  UseChecks(const clang::ASTContext& Ast, ProgramModel& Model) : Ast(Ast), Model(Model) {}

  /// \p Use, which the program writes as \p E, with its check; \p Use itself where none is needed.
  body::Expr::Node around(const clang::Expr* E, body::Expr::Node Use);
  /// The ID \p Object, which the program writes as \p E, of an object whose method is called.
  body::ExprRef object(const clang::Expr* E, body::ExprRef Object);
  /// What \p Pointer, which the program writes as \p E, points to.
  body::Expr::Node pointed(const clang::Expr* E, body::ExprRef Pointer);

private:
  body::Expr::Node element(const clang::Expr* E, body::Subscript Use);
  /// The same of front() and back() of a container.
  body::Expr::Node end(const clang::Expr* E, body::MethodCall Use);
  body::Expr::Node member(const clang::Expr* E, body::Member Use);
  /// What every build checks, without a number: at(), value(), get().
  body::Expr::Node library(const clang::Expr* E, body::LibraryCall Use);
  /// The place that \p E changes, if it is a member's.
  body::ExprRef changed(const clang::Expr* E, body::ExprRef Place);
  /// \p Dividend what the left side is before \p E changes it
  body::Expr::Node arithmetic(const clang::BinaryOperator* E, body::Binary Use,
                              body::ExprRef Dividend);
  /// The same of a division, or a remainder, of integers of \p Type.
  body::Expr::Node division(const clang::BinaryOperator* E, clang::QualType Type, body::Binary Use,
                            body::ExprRef Dividend);
  /// A call of \p Function, which may fail, with the number of a check of its own.
  body::LibraryCall call(const clang::Expr* E, Check::Kind What, std::string Function,
                         body::Exprs Arguments);
  body::ExprRef numbered(const clang::Expr* E, Check::Kind What);

  const clang::ASTContext& Ast;
  ProgramModel& Model;
  /// A function may be built for several receivers; its uses keep their numbers.
  std::map<std::pair<Check::Kind, clang::SourceLocation>, std::size_t> Numbers;
};

} // namespace ikra

#endif
