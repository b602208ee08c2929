// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One traversal of everything outside of system headers. A place in a program's text is a byte of a
// literal, whose place in the source clang knows, raw literals and macros' arguments included.

#include "DatalogChecker.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Locations.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"
#include "Analysis/Diagnostics.h"

#include "datalog/frontend/check_text.hpp"
#include "datalog/kernels/program_text.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <optional>
#include <set>
#include <utility>

using namespace clang;

namespace ikra {

namespace {

using FunctorType = datalog::given_functor::type;

/// What columns of relations hold of a C++ type; nothing for text, enumerations and others.
std::optional<FunctorType> typeOf(QualType Ty, const ASTContext& Context) {
  Ty = Ty.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  const auto Bits =
      Ty->isBuiltinType() && !Ty->isVoidType() ? static_cast<int>(Context.getTypeSize(Ty)) : 0;
  if ((Bits != 32 && Bits != 64) || Ty->isAnyCharacterType())
    return std::nullopt;
  if (Ty->isRealFloatingType())
    return FunctorType{datalog::value_kind::real, Bits};
  if (!Ty->isIntegerType())
    return std::nullopt;
  return FunctorType{Ty->isUnsignedIntegerType() ? datalog::value_kind::unsigned_number
                                                 : datalog::value_kind::number,
                     Bits};
}

/// The types of a function's parameters and of its result; none if some are not those of numbers.
std::vector<FunctorType> typesOf(const FunctionDecl& Function, const ASTContext& Context) {
  std::vector<FunctorType> Types;
  std::vector<QualType> All;
  for (const ParmVarDecl* Parameter : Function.parameters())
    All.push_back(Parameter->getType());
  All.push_back(Function.getReturnType());
  for (const QualType Ty : All)
    if (const std::optional<FunctorType> Known = typeOf(Ty, Context))
      Types.push_back(*Known);
  return Types.size() == All.size() ? Types : std::vector<FunctorType>();
}

/// The literal that a text is made of, by itself or as the value of a constant; null if it is none.
const StringLiteral* literalIn(const Expr* E, const ASTContext& Context) {
  E = written(E);
  if (const auto* Named = dyn_cast<DeclRefExpr>(E)) {
    const auto* Constant = dyn_cast<VarDecl>(Named->getDecl());
    const Expr* Value = Constant ? Constant->getAnyInitializer() : nullptr;
    const bool Stays = Value && !Value->isValueDependent() &&
                       (Constant->isConstexpr() || Constant->getType().isConstant(Context));
    return Stays ? literalIn(Value, Context) : nullptr;
  }
  if (const auto* Made = dyn_cast<CXXConstructExpr>(E)) { // a view, or a string with its allocator
    const bool IsOnly = Made->getNumArgs() == 1 ||
                        (Made->getNumArgs() == 2 && isa<CXXDefaultArgExpr>(Made->getArg(1)));
    return IsOnly ? literalIn(Made->getArg(0), Context) : nullptr;
  }
  return dyn_cast<StringLiteral>(E);
}

class TextFinder final : public AstVisitor {
public:
  /// What braces become is implicit code.
  explicit TextFinder(ASTContext& Context) : AstVisitor(ImplicitCode), Context(Context) {}

  bool TraverseDecl(Decl* D) override {
    const SourceManager& SM = Context.getSourceManager();
    if (D && !isa<TranslationUnitDecl>(D) &&
        SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
      return true;
    const auto* Function = dyn_cast_or_null<FunctionDecl>(D);
    const llvm::SaveAndRestore Around(Inside, Function ? Function : Inside);
    return AstVisitor::TraverseDecl(D);
  }

  bool VisitCXXConstructExpr(CXXConstructExpr* Made) override {
    if (Made->getNumArgs() < 2)
      return true;
    const std::string Class = Made->getConstructor()->getParent()->getQualifiedNameAsString();
    if (Class == "ikra::datalog::program")
      addProgram(*Made);
    else if (Class == "ikra::datalog::rule_function")
      addFunctor(*Made);
    return true;
  }

  FoundDatalog Found;

private:
  void addProgram(const CXXConstructExpr& Made) {
    const StringLiteral* Text = literalIn(Made.getArg(0), Context);
    if (!Text || !Text->isOrdinary())
      return;
    std::vector<int> Bits = bitsOf(Made.getArg(1));
    if (Seen.insert({Text, Bits}).second) // else a constant that several programs are made of
      Found.Programs.push_back({Text, std::move(Bits), &Made, Inside});
  }

  void addFunctor(const CXXConstructExpr& Made) {
    const StringLiteral* Name = literalIn(Made.getArg(0), Context);
    if (!Name || !Name->isOrdinary() || Made.getNumArgs() != 2 ||
        !SeenFunctors.insert(Made.getArg(1)->getBeginLoc()).second)
      return;
    DatalogFunctor Given;
    Given.Name = Name->getString().str();
    Given.Ident = "functor_" + std::to_string(Found.Functors.size());
    Given.Argument = Made.getArg(1);
    Given.Inside = Inside;
    Given.At = ikra::locOf(Given.Argument->getExprLoc(), Context.getSourceManager());
    Given.Function = functionOf(*Given.Argument, Given.WhyNot);
    if (Given.Function && typesOf(*Given.Function, Context).empty()) {
      Given.WhyNot = "it takes or gives what is no number (text, an enumeration)";
    } else if (Given.Function) {
      for (const ParmVarDecl* Parameter : Given.Function->parameters())
        Given.Types.push_back(textOf(Parameter->getType()));
      Given.Types.push_back(textOf(Given.Function->getReturnType()));
    }
    Found.Functors.push_back(std::move(Given));
  }

  /// The function that is called; null, and why, if that is not seen or needs more than arguments.
  const FunctionDecl* functionOf(const Expr& Argument, std::string& Why) const {
    const Expr* E = written(&Argument);
    while (const auto* Copy = dyn_cast<CXXConstructExpr>(E)) {
      if (!Copy->getConstructor()->isCopyOrMoveConstructor())
        break;
      E = written(Copy->getArg(0));
    }
    if (const auto* Operator = dyn_cast<UnaryOperator>(E); // &half, +[](int x) { … }
        Operator && (Operator->getOpcode() == UO_AddrOf || Operator->getOpcode() == UO_Plus))
      E = written(Operator->getSubExpr());
    const auto* Function = dyn_cast_or_null<FunctionDecl>(declNamed(E));
    if (const CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl(); Class && !Function) {
      if (!Class->isLambda() || Class->isGenericLambda())
        Why = "it is an object with a call operator of its own";
      else if (Class->capture_size() != 0)
        Why = "its lambda captures variables";
      else
        Function = Class->getLambdaCallOperator();
    } else if (!Function) {
      Why = "it is chosen at run time";
    }
    const FunctionDecl* Definition = nullptr;
    if (Function && !Function->hasBody(Definition))
      Why = "its body is in another file";
    return Definition;
  }

  std::string textOf(QualType Ty) const {
    return Ty.getNonReferenceType().getCanonicalType().getUnqualifiedType().getAsString(
        Context.getPrintingPolicy());
  }

  /// The widths that numbers may have: what the options say, or either if that is known at run time
  /// only.
  std::vector<int> bitsOf(const Expr* Options) const {
    if (isa<CXXDefaultArgExpr>(Options))
      return {32};
    if (const auto* List = dyn_cast<InitListExpr>(Options->IgnoreImplicit()))
      if (List->getNumInits() > 0) { // program_options' first member
        const Expr* First = List->getInit(0);
        if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(First))
          First = Default->getExpr();
        if (!First->isValueDependent())
          if (const std::optional<llvm::APSInt> Bits = constantInteger(First, Context))
            return {*Bits == 64 ? 64 : 32};
      }
    return {32, 64};
  }

  ASTContext& Context;
  const FunctionDecl* Inside = nullptr; ///< around what is visited
  std::set<std::pair<const StringLiteral*, std::vector<int>>> Seen;
  std::set<SourceLocation> SeenFunctors;
};

class Checker {
public:
  Checker(ASTContext& Context, Diagnoser& Diags, const std::string& Unit, const FoundDatalog& Found)
      : Context(Context), Diags(Diags), Unit(Unit), Found(Found) {}

  void check(const FoundDatalog::Program& Given) {
    // What fits numbers of 32 bits fits wider ones.
    bool Sound = true;
    for (const datalog::text_message& Said :
         datalog::check_text(Given.Text->getString().str(), Given.Bits.back())) {
      Diags.report(locOf(*Given.Text, Said.offset),
                   Said.is_error ? Diag::datalog_program : Diag::datalog_oddity)
          << Said.text;
      Sound &= !Said.is_error;
    }
    for (const int Width : Given.Bits)
      if (Sound)
        add(Given, Width);
  }

  std::vector<DatalogProgram> Programs;
  std::set<std::string> Called; ///< functors, by their classes

private:
  /// A program is often given functions where it is made, or in that function.
  unsigned distance(const DatalogFunctor& Given, const FoundDatalog::Program& To) const {
    const SourceManager& SM = Context.getSourceManager();
    const SourceRange Around(SM.getExpansionLoc(To.Made->getBeginLoc()),
                             SM.getExpansionLoc(To.Made->getEndLoc()));
    const SourceLocation At = SM.getExpansionLoc(Given.Argument->getBeginLoc());
    if (SM.isPointWithin(At, Around.getBegin(), Around.getEnd()))
      return 0;
    return Given.Inside == To.Inside ? 1 : 2;
  }

  void add(const FoundDatalog::Program& Given, int Bits) {
    const std::string Bytes = Given.Text->getString().str();
    for (const DatalogProgram& Known : Programs)
      if (Known.Bits == Bits && Known.Text == Bytes)
        return;
    std::vector<datalog::given_functor> Functors;
    for (const DatalogFunctor& One : Found.Functors)
      Functors.push_back(
          {One.Name, One.Function ? typesOf(*One.Function, Context) : std::vector<FunctorType>(),
           distance(One, Given), One.WhyNot.empty() ? One.className(Unit) : "", One.WhyNot});
    DatalogProgram Made;
    Made.Text = Bytes;
    Made.Bits = Bits;
    Made.At = ikra::locOf(Given.Text->getBeginLoc(), Context.getSourceManager());
    datalog::program_text Code = datalog::text_of_program(
        Bytes, Bits, "datalog_" + std::to_string(Programs.size()), Functors);
    Made.Definitions = std::move(Code.definitions);
    Made.Rules = Code.rules;
    Made.Kernels = Code.kernels;
    Made.Interpreted = std::move(Code.interpreted);
    Made.Functors = std::move(Code.functors);
    Called.insert(Code.called.begin(), Code.called.end());
    Programs.push_back(std::move(Made));
  }

  SourceLocation locOf(const StringLiteral& Text, std::uint32_t Offset) const {
    if (Offset >= Text.getByteLength())
      return Text.getBeginLoc();
    return Text.getLocationOfByte(Offset, Context.getSourceManager(), Context.getLangOpts(),
                                  Context.getTargetInfo());
  }

  ASTContext& Context;
  Diagnoser& Diags;
  const std::string& Unit;
  const FoundDatalog& Found;
};

} // namespace

FoundDatalog findDatalog(ASTContext& Context) {
  TextFinder All(Context);
  All.TraverseDecl(Context.getTranslationUnitDecl());
  return std::move(All.Found);
}

std::vector<DatalogProgram> checkDatalog(ASTContext& Context, Diagnoser& Diags,
                                         const std::string& Unit, FoundDatalog& Found) {
  Checker Check(Context, Diags, Unit, Found);
  for (const FoundDatalog::Program& Program : Found.Programs)
    Check.check(Program);
  llvm::erase_if(Found.Functors, [&](const DatalogFunctor& Given) {
    return !Check.Called.contains(Given.className(Unit));
  });
  return std::move(Check.Programs);
}

} // namespace ikra
