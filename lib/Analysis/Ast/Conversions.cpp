// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's own semantic analysis makes the expressions, after it has read the program. Nothing is
// instantiated that the plain library has not instantiated for the same call.

#include "Conversions.h"

#include "Analysis/Ast/Names.h"

#include "Types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Initialization.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace ikra {

bool isConvertedByClass(QualType From, QualType To) {
  From = From.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  To = To.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (From == To || (!From->isRecordType() && !To->isRecordType()))
    return false;
  const CXXRecordDecl* Derived = From->getAsCXXRecordDecl();
  const CXXRecordDecl* Base = To->getAsCXXRecordDecl();
  return !Derived || !Base || !Derived->hasDefinition() || !Derived->isDerivedFrom(Base);
}

namespace {

/// Makes the parameters, the expressions and the body of one function.
class CallMaker {
public:
  CallMaker(Sema& Compiler, const FunctionDecl* Inside, SourceLocation At)
      : Compiler(Compiler), Context(Compiler.getASTContext()), At(At),
        Made(FunctionDecl::Create(
            Context, const_cast<FunctionDecl*>(Inside), At, At,
            DeclarationName(&Context.Idents.get("call")),
            Context.getFunctionType(Context.VoidTy, {}, FunctionProtoType::ExtProtoInfo()), nullptr,
            SC_None)),
        In(Compiler, Made), Trap(Compiler, /*AccessCheckingSFINAE=*/true),
        Evaluated(Compiler, Sema::ExpressionEvaluationContext::PotentiallyEvaluated) {}

  FunctionDecl* function() const { return Made; }

  ParmVarDecl* parameter(const std::string& Name, QualType Ty) {
    ParmVarDecl* P =
        ParmVarDecl::Create(Context, Made, At, At, &Context.Idents.get(Name), Ty,
                            Context.getTrivialTypeSourceInfo(Ty, At), SC_None, nullptr);
    P->setScopeInfo(0, static_cast<unsigned>(Parameters.size()));
    Parameters.push_back(P);
    return P;
  }

  /// A parameter as an argument; one of a reference to an rvalue is one.
  Expr* name(ParmVarDecl* P) {
    const QualType Ty = P->getType();
    Expr* Name = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), P, false,
                                     At, Ty.getNonReferenceType(), VK_LValue);
    return Ty->isRValueReferenceType() ? cast(Name, Ty.getNonReferenceType(), CK_NoOp, VK_XValue)
                                       : Name;
  }

  /// The value of a parameter.
  Expr* value(ParmVarDecl* P) {
    const QualType Ty = P->getType().getNonReferenceType();
    return Ty->isScalarType()
               ? cast(name(P), Ty.getUnqualifiedType(), CK_LValueToRValue, VK_PRValue)
               : name(P);
  }

  /// \p E as an argument for \p P. \returns null where it cannot be one
  Expr* argument(Expr* E, ParmVarDecl* P) {
    return checked(Compiler.PerformCopyInitialization(
        InitializedEntity::InitializeParameter(Context, P), At, E));
  }

  /// \p E as a value of type \p To, as a cast makes it.
  Expr* result(Expr* E, QualType To) {
    if (To->isBooleanType())
      return checked(Compiler.PerformContextuallyConvertToBool(E));
    return checked(Compiler.BuildCXXNamedCast(At, tok::kw_static_cast,
                                              Context.getTrivialTypeSourceInfo(To, At), E,
                                              SourceRange(At, At), SourceRange(At, At)));
  }

  /// \p E as what is assigned to a \p To.
  Expr* assigned(Expr* E, QualType To) {
    if (To->isBooleanType())
      return result(E, To);
    return checked(Compiler.PerformImplicitConversion(E, To, Sema::AA_Converting));
  }

  Expr* call(Expr* Object, llvm::MutableArrayRef<Expr*> Arguments) {
    return checked(Compiler.BuildCallToObjectOfClassType(nullptr, Object, At, Arguments, At));
  }

  Expr* call(const FunctionDecl* F, llvm::MutableArrayRef<Expr*> Arguments) {
    auto* Callee = const_cast<FunctionDecl*>(F);
    Expr* Name = DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), Callee,
                                     false, At, Callee->getType(), VK_LValue);
    return checked(Compiler.BuildCallExpr(nullptr, Name, At, Arguments, At));
  }

  /// Ends the function: its parameters are those that were made.
  void finish(Expr* Body, QualType Result) {
    llvm::SmallVector<QualType> Types;
    for (const ParmVarDecl* P : Parameters)
      Types.push_back(P->getType());
    Made->setType(Context.getFunctionType(Result, Types, FunctionProtoType::ExtProtoInfo()));
    Made->setParams(Parameters);
    if (!Body)
      return;
    Stmt* Only = Body;
    if (!Result->isVoidType())
      Only = ReturnStmt::Create(Context, At, Body, nullptr);
    Made->setBody(CompoundStmt::Create(Context, {Only}, FPOptionsOverride(), At, At));
  }

private:
  Expr* cast(Expr* E, QualType Ty, CastKind Kind, ExprValueKind Value) {
    return ImplicitCastExpr::Create(Context, Ty, Kind, E, nullptr, Value, FPOptionsOverride());
  }
  Expr* checked(ExprResult Made) {
    return Made.isInvalid() || Trap.hasErrorOccurred() ? nullptr : Made.get();
  }

  Sema& Compiler;
  ASTContext& Context;
  SourceLocation At;
  FunctionDecl* Made;
  llvm::SmallVector<ParmVarDecl*> Parameters;
  Sema::ContextRAII In;
  Sema::SFINAETrap Trap;
  EnterExpressionEvaluationContext Evaluated;
};

} // namespace

std::optional<Handover> handOver(Sema& Compiler, const FunctionDecl* Code,
                                 llvm::ArrayRef<QualType> Given, QualType Result) {
  const ASTContext& Context = Compiler.getASTContext();
  const auto IsConverted = [&](unsigned K) {
    return !Given[K].isNull() && isConvertedByClass(Given[K], Code->getParamDecl(K)->getType());
  };
  const QualType Gives = Code->getReturnType().getNonReferenceType().getUnqualifiedType();
  const bool ConvertsResult = !Result.isNull() && isConvertedByClass(Gives, Result);
  bool Converts = ConvertsResult;
  for (unsigned K = 0; K < Given.size(); ++K)
    Converts |= IsConverted(K);
  if (!Converts)
    return Handover();

  CallMaker Make(Compiler, Code, Code->getLocation());
  Handover Out;
  for (unsigned K = 0; K < Given.size(); ++K) {
    const std::string Name = K == 0 ? "given" : "given_" + std::to_string(K);
    if (Given[K].isNull()) {
      Make.parameter(Name, Code->getParamDecl(K)->getType());
      Out.Arguments.push_back(nullptr);
      continue;
    }
    const QualType Ty = Given[K].getNonReferenceType().getUnqualifiedType();
    ParmVarDecl* P = Make.parameter(Name, Ty.withConst());
    const Expr* Argument = Make.value(P);
    if (IsConverted(K))
      Argument = Make.argument(Make.name(P), const_cast<ParmVarDecl*>(Code->getParamDecl(K)));
    if (!Argument)
      return std::nullopt;
    Out.Arguments.push_back(Argument);
  }
  if (ConvertsResult) {
    ParmVarDecl* P = Make.parameter("result", Gives);
    Out.Result = Make.result(Make.name(P), Result.getUnqualifiedType());
    if (!Out.Result)
      return std::nullopt;
  }
  Make.finish(nullptr, Context.VoidTy);
  Out.Given = Make.function();
  return Out;
}

/// What a call's callee gives.
static QualType givenBy(const Expr* Call) {
  const FunctionDecl* Callee = calleeOf(Call->IgnoreImplicit());
  return Callee ? Callee->getReturnType() : QualType();
}

const FunctionDecl* callOf(Sema& Compiler, const CallShape& Shape, const FunctionDecl* Inside,
                           SourceLocation At) {
  const FunctionDecl* Out = nullptr;
  {
    CallMaker Make(Compiler, Inside, At);
    Expr* Object = nullptr;
    if (!Shape.Object.isNull())
      Object = Make.name(Make.parameter("function_object", Shape.Object));
    llvm::SmallVector<Expr*> Arguments;
    for (const QualType Ty : Shape.Given) {
      const std::size_t K = Arguments.size();
      Arguments.push_back(
          Make.name(Make.parameter(K == 0 ? "given" : "given_" + std::to_string(K), Ty)));
    }
    Expr* Call = Object ? Make.call(Object, Arguments) : Make.call(Shape.Function, Arguments);
    QualType Result = Call ? givenBy(Call) : QualType();
    if (Result.isNull())
      return nullptr;
    if (!Shape.Result.isNull() && isConvertedByClass(Result, Shape.Result)) {
      Result = Shape.Result.getUnqualifiedType();
      Call = Make.assigned(Call, Result);
      if (!Call)
        return nullptr;
    }
    Make.finish(Call, Result);
    Out = Make.function();
  }
  Compiler.PerformPendingInstantiations();
  return Out;
}

} // namespace ikra
