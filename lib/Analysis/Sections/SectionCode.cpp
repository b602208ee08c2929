// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation calls for each element: of overloads and instances of templates, the one that
// the compiler chooses where the plain library calls the section.

#include "Analysis/Ast/Conversions.h"
#include "Callables.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "SectionBuilder.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace ikra {

bool SectionBuilder::startsWithValue(const OperationCall& Operation) {
  return Operation.Row && Operation.Row->WithInitial != 0 &&
         Operation.Call->getNumArgs() == Operation.Row->WithInitial;
}

bool SectionBuilder::hasTicks(const OperationCall& Operation) {
  return Operation.is(ikra::Operation::PEach) && Operation.Call->getNumArgs() == 2;
}

namespace {

/// Chooses among call operators as overload resolution does, as far as sections need it.
class CallOperators {
public:
  CallOperators(const OperationCall& Operation, const ASTContext& Context)
      : Operation(Operation), Context(Context), Elements(givenTypes(Operation)),
        WithIndex(Operation.WithIndex || Operation.is(ikra::Operation::PNew)) {}

  /// The one that is called for an object of \p Class; null where that cannot be told.
  const FunctionDecl* of(const CXXRecordDecl* Class) {
    collect(Class);
    if (llvm::any_of(Candidates, [&](const FunctionDecl* F) { return takesPointer(F); }))
      llvm::erase_if(Candidates, [&](const FunctionDecl* F) { return takesObject(F); });
    const unsigned Given = ofElement();
    // The library leaves the tick out where nothing takes it.
    const FunctionDecl* WithTick = SectionBuilder::hasTicks(Operation) ? best(Given + 1) : nullptr;
    return WithTick ? WithTick : best(Given);
  }

  /// The types of the elements that a section is given at once.
  static llvm::SmallVector<QualType> givenTypes(const OperationCall& Operation) {
    if (SectionBuilder::startsWithValue(Operation))
      return {Operation.Result, Operation.Result};
    llvm::SmallVector<QualType> Out(Operation.Elements.begin(), Operation.Elements.end());
    const bool IsTest = Operation.is(ArrayCall::Shorthand); // count, any, all
    if (!IsTest && Operation.Row && combinesElements(Operation.Row->Op))
      Out.assign(2, Operation.Elements.back()); // of some operations, the first are keys
    return Out;
  }

private:
  /// How many arguments the element and its index are; after them comes the tick.
  unsigned ofElement() const {
    return static_cast<unsigned>(Elements.size()) + (WithIndex ? 1 : 0);
  }

  void add(const NamedDecl* D) {
    if (const auto* Method = dyn_cast<CXXMethodDecl>(D);
        Method && (Method->isConst() || Method->isStatic()))
      Candidates.push_back(Method);
    if (const auto* Template = dyn_cast<FunctionTemplateDecl>(D))
      for (const FunctionDecl* Instance : Template->specializations())
        if (Instance->hasBody())
          add(Instance);
  }

  /// Those of the class, or, where it has none of its own, of its bases.
  void collect(const CXXRecordDecl* Class) {
    const auto Found = Class->lookup(Context.DeclarationNames.getCXXOperatorName(OO_Call));
    for (const NamedDecl* D : Found)
      add(D->getUnderlyingDecl());
    if (!Found.empty())
      return;
    for (const CXXBaseSpecifier& Base : Class->bases())
      if (const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl(); Of && Of->hasDefinition())
        collect(Of->getDefinition());
  }

  bool isObjectAt(QualType Parameter, QualType Given) const {
    return Parameter->isLValueReferenceType() && Given->isPointerType() &&
           Context.hasSameUnqualifiedType(Parameter->getPointeeType(), Given->getPointeeType());
  }

  bool takesObject(const FunctionDecl* F) const {
    return F->getNumParams() != 0 && isObjectAt(F->getParamDecl(0)->getType(), Elements.front());
  }

  /// Whether the library finds that \p F takes a pointer: alone, with an index, or with a tick too.
  /// It hands over no references then, whatever the other operators take.
  bool takesPointer(const FunctionDecl* F) const {
    if (Elements.size() != 1 || !Elements.front()->isPointerType() || F->getNumParams() == 0 ||
        takesObject(F) || fit(F->getParamDecl(0)->getType(), Elements.front()) == 0)
      return false;
    const unsigned Least = F->getMinRequiredArguments(), Most = F->getNumParams();
    return Least <= 1 || (Least == 2 && fitIndex(F->getParamDecl(1)->getType()) != 0) ||
           (Most >= 3 && Least <= 3 && fitIndex(F->getParamDecl(1)->getType()) != 0 &&
            fitInteger(F->getParamDecl(2)->getType()) != 0);
  }

  /// How well a parameter takes a value; 0: not at all, as far as can be seen.
  unsigned fit(QualType Parameter, QualType Given) const {
    const bool IsReference = Parameter->isLValueReferenceType();
    if (isObjectAt(Parameter, Given))
      return 1; // where nothing takes the pointer
    Parameter = Parameter.getNonReferenceType();
    Given = Given.getNonReferenceType();
    if (Context.hasSameUnqualifiedType(Parameter, Given)) {
      if (!IsReference)
        return 6;
      return Parameter.isConstQualified() ? 5 : 4;
    }
    const bool ArePointers = Parameter->isPointerType() && Given->isPointerType();
    if (ArePointers &&
        Context.hasSameUnqualifiedType(Parameter->getPointeeType(), Given->getPointeeType()))
      return 3; // const T* takes T*
    if (Parameter->isArithmeticType() && Given->isArithmeticType())
      return isPromoted(Parameter, Given) ? 2 : 1;
    return ArePointers || Parameter->isRecordType() || Given->isRecordType() ? 1 : 0;
  }

  bool isPromoted(QualType Parameter, QualType Given) const {
    if (Given->isSpecificBuiltinType(BuiltinType::Float))
      return Parameter->isSpecificBuiltinType(BuiltinType::Double);
    return Context.isPromotableIntegerType(Given) &&
           Context.hasSameUnqualifiedType(Parameter, Context.getPromotedIntegerType(Given));
  }

  static const TemplateArgumentList& argumentsOf(QualType Ty) {
    return cast<ClassTemplateSpecializationDecl>(Ty.getNonReferenceType()->getAsCXXRecordDecl())
        ->getTemplateArgs();
  }

  unsigned fitWindow(QualType Parameter) const {
    return isWindow(Parameter) &&
                   Context.hasSameUnqualifiedType(argumentsOf(Parameter)[0].getAsType(),
                                                  Elements.front()) &&
                   argumentsOf(Parameter)[1].getAsIntegral() == Operation.Rank
               ? 1
               : 0;
  }

  unsigned fitIndex(QualType Parameter) const {
    if (Operation.Rank == 1)
      return fitInteger(Parameter);
    return isIndex(Parameter) && argumentsOf(Parameter)[0].getAsIntegral() == Operation.Rank ? 6
                                                                                             : 0;
  }

  unsigned fitInteger(QualType Parameter) const {
    return fit(Parameter, Context.getIntTypeForBitwidth(64, /*Signed=*/1));
  }

  /// How well a candidate takes each of so many arguments.
  llvm::SmallVector<unsigned> fits(const FunctionDecl* F, unsigned Given) const {
    llvm::SmallVector<unsigned> Out;
    for (unsigned K = 0; K < Given; ++K) {
      const QualType Parameter = F->getParamDecl(K)->getType();
      if (K < Elements.size())
        Out.push_back(Operation.is(ikra::Operation::PStencil) ? fitWindow(Parameter)
                                                              : fit(Parameter, Elements[K]));
      else
        Out.push_back(WithIndex && K == Elements.size() ? fitIndex(Parameter)
                                                        : fitInteger(Parameter));
    }
    Out.push_back(F->isTemplateInstantiation() ? 1 : 2);
    return Out;
  }

  /// The candidate that takes no argument worse than another one does.
  const FunctionDecl* best(unsigned Given) const {
    llvm::SmallVector<const FunctionDecl*> Viable;
    for (const FunctionDecl* F : Candidates)
      if (F->getMinRequiredArguments() <= Given && Given <= F->getNumParams() &&
          (Given <= ofElement() || fitInteger(F->getParamDecl(Given - 1)->getType()) != 0))
        Viable.push_back(F);
    if (Viable.size() == 1)
      return Viable.front();
    llvm::erase_if(Viable,
                   [&](const FunctionDecl* F) { return llvm::is_contained(fits(F, Given), 0U); });
    for (const FunctionDecl* F : Viable)
      if (llvm::all_of(Viable, [&](const FunctionDecl* Other) {
            return Other == F || isBetter(fits(F, Given), fits(Other, Given));
          }))
        return F;
    return nullptr;
  }

  static bool isBetter(llvm::ArrayRef<unsigned> A, llvm::ArrayRef<unsigned> B) {
    const llvm::ArrayRef<unsigned> First = A.drop_back(), Second = B.drop_back();
    bool IsNoWorse = true;
    for (std::size_t K = 0; K < First.size(); ++K)
      IsNoWorse &= First[K] >= Second[K];
    return IsNoWorse && (First != Second || A.back() > B.back());
  }

  const OperationCall& Operation;
  const ASTContext& Context;
  llvm::SmallVector<QualType> Elements;
  bool WithIndex;
  llvm::SmallVector<const FunctionDecl*> Candidates;
};

} // namespace

/// The parameters by which code refers to elements that are copies of objects; none where it takes
/// or gives such in another way than by value or by a reference to constants.
static std::optional<std::uint64_t> copiesGiven(const Section& S, const FunctionDecl* Code,
                                                const Handover& Handed) {
  const std::vector<Type> Given =
      combinesElements(S.Op) ? std::vector{S.Result, S.Result} : S.Elements;
  std::uint64_t Mask = 0;
  for (unsigned K = 0; K < Given.size() && K < Code->getNumParams(); ++K) {
    const QualType Ty = Code->getParamDecl(K)->getType();
    if (!Given[K].CopyOf)
      continue;
    const bool IsRead = Ty->isLValueReferenceType() && Ty->getPointeeType().isConstQualified();
    if ((Ty->isReferenceType() && !IsRead) || !Handed.Arguments.empty())
      return std::nullopt;
    if (IsRead)
      Mask |= std::uint64_t(1) << (K + 1);
  }
  if (S.givesCopies() && (Code->getReturnType()->isReferenceType() || Handed.Result))
    return std::nullopt;
  return Mask;
}

bool SectionBuilder::request(Section& S, const FunctionDecl* Code, const OperationCall& Operation) {
  llvm::SmallVector<QualType> Given = CallOperators::givenTypes(Operation);
  if (S.Op == ikra::Operation::PStencil || S.isOverObjects())
    Given.front() = QualType(); // a window, an object
  const QualType Number = Context.getIntTypeForBitwidth(64, /*Signed=*/1);
  if (S.WithIndex) // in several dimensions code takes an ikra::index
    Given.push_back(S.Rank == 1 ? Number : QualType());
  const auto Count = static_cast<unsigned>(Given.size());
  if (Count + (S.TakesTick ? 1 : 0) > Code->getNumParams() ||
      (S.TakesTick && isConvertedByClass(Number, Code->getParamDecl(Count)->getType())) ||
      (S.WithIndex && S.Rank > 1 && !isIndex(Code->getParamDecl(Count - 1)->getType())))
    return false;
  QualType Result;
  if (S.Op == ikra::Operation::PSelect || S.Op == ikra::Operation::PSort)
    Result = Context.BoolTy;
  else if (isReduction(S.Op) || S.Op == ikra::Operation::PScan)
    Result = startsWithValue(Operation) ? Operation.Result : Operation.Elements.back();
  // Elements that start from a value of a class would be converted by kernels.
  std::optional<Handover> Handed = handOver(Builder.Compiler, Code, Given, Result);
  if (!Handed || (startsWithValue(Operation) &&
                  isConvertedByClass(Operation.Elements.back(), Operation.Result)))
    return false;
  const std::optional<std::uint64_t> Copies = copiesGiven(S, Code, *Handed);
  if (!Copies) {
    refuse(Operation.Call->getExprLoc(), Diag::unsupported_expression)
        << "code that takes or gives values of a class of objects in another way than by value or, "
           "as a parameter, by a reference to constants";
    return false;
  }
  // Argument 0 is the element; it can stand for an object of its own only where it is one.
  S.Code.Function = Collector.requestSection(Code, S.isOverObjects() ? 2 : 0,
                                             Operation.Call->getExprLoc(), MayFallBack, *Copies);
  Model.Functions[S.Code.Function].Handed = std::move(*Handed);
  return true;
}

/// What pzip calls for elements of these types: the library's own function object.
static const FunctionDecl* zipFunction(const OperationCall& Operation, const ASTContext& Context) {
  const auto* Method = cast<CXXMemberCallExpr>(Operation.Call)->getMethodDecl();
  const DeclContext* Library = Method->getDeclContext()->getEnclosingNamespaceContext();
  for (const NamedDecl* Detail : Library->lookup(&Context.Idents.get("detail")))
    for (const NamedDecl* Zip :
         cast<NamespaceDecl>(Detail)->lookup(&Context.Idents.get("zip_elements")))
      for (const NamedDecl* D :
           cast<CXXRecordDecl>(Zip)->lookup(Context.DeclarationNames.getCXXOperatorName(OO_Call)))
        for (const FunctionDecl* Instance : cast<FunctionTemplateDecl>(D)->specializations()) {
          bool Fits = Instance->hasBody() && Instance->getNumParams() == Operation.Elements.size();
          for (unsigned K = 0; Fits && K < Instance->getNumParams(); ++K)
            Fits = Context.hasSameUnqualifiedType(
                Instance->getParamDecl(K)->getType().getNonReferenceType(), Operation.Elements[K]);
          if (Fits)
            return Instance;
        }
  return nullptr;
}

/// The member whose address an argument is; null for all else.
static const ValueDecl* memberNamed(const Expr* Argument) {
  if (!Argument->getType()->isMemberPointerType())
    return nullptr;
  const auto* Address = dyn_cast<UnaryOperator>(Argument->IgnoreParenCasts());
  return Address ? declNamed(Address->getSubExpr()->IgnoreParens()) : nullptr;
}

const FunctionDecl* SectionBuilder::memberCall(const OperationCall& Operation,
                                               const Expr* Argument) {
  const ValueDecl* Member = memberNamed(Argument);
  const llvm::SmallVector<QualType> Given = CallOperators::givenTypes(Operation);
  return Member && !Given.empty()
             ? callOfMember(Context, Member, Given.front(), Argument->getExprLoc())
             : nullptr;
}

void SectionBuilder::warnOfLostChanges(const Section& S, const Code& Called,
                                       const OperationCall& Operation) {
  if (S.Op != ikra::Operation::PEach || !Operation.Elements.front()->isRecordType())
    return;
  const Expr* Argument = written(Operation.Call->getArg(Operation.Call->getNumArgs() - 1));
  const auto* Method = dyn_cast_or_null<CXXMethodDecl>(memberNamed(Argument));
  const QualType Taken = Called.Function->getParamDecl(0)->getType();
  const bool Changes =
      Method ? !Method->isStatic() && !Method->isConst()
             : Taken->isRValueReferenceType() && !Taken->getPointeeType().isConstQualified();
  if (!Changes)
    return;
  const auto* Made = dyn_cast<CXXConstructExpr>(withoutIndex(Operation.Inputs.front()));
  const Expr* Container = Made && Made->getNumArgs() != 0 ? written(Made->getArg(0)) : nullptr;
  const bool IsNamed = isa_and_nonnull<DeclRefExpr, MemberExpr>(Container);
  Diags.report(Argument->getExprLoc(), Diag::copies_changed)
      << (IsNamed ? sourceText(Container) : "container");
}

/// Whether a call operator uses its object, by calling another method for example.
static bool namesItself(const FunctionDecl& Operator) {
  struct Finder final : AstVisitor {
    Finder() : AstVisitor(ImplicitCode) {}
    bool Found = false;
    bool VisitCXXThisExpr(CXXThisExpr*) override {
      Found = true;
      return false;
    }
  } Find;
  Find.TraverseStmt(Operator.getBody());
  return Find.Found;
}

/// Whether a cast changes no type of a function, or of a pointer to one: it chooses an overload.
static bool namesFunction(const ExplicitCastExpr& Cast, const ASTContext& Context) {
  const auto Function = [](QualType Ty) {
    return Ty->isPointerType() ? Ty->getPointeeType() : Ty.getNonReferenceType();
  };
  const QualType To = Function(Cast.getType());
  return To->isFunctionType() &&
         Context.hasSameType(To, Function(Cast.getSubExpr()->IgnoreParenImpCasts()->getType()));
}

std::optional<SectionBuilder::Code> SectionBuilder::codeOf(const OperationCall& Operation,
                                                           const Expr* Argument) {
  const SourceLocation At = Argument->getExprLoc();
  if (Operation.is(ArrayCall::Library)) {
    const FunctionDecl* Zip = zipFunction(Operation, Context);
    return Zip ? std::optional(Code{Zip, nullptr}) : std::nullopt;
  }
  const Expr* E = Argument;
  for (const Expr* Before = nullptr; E != Before;) {
    Before = E;
    E = written(E);
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(E);
        Construct && Construct->getConstructor()->isCopyOrMoveConstructor())
      E = Construct->getArg(0);
    if (const auto* Plus = dyn_cast<UnaryOperator>(E);
        Plus && Plus->getOpcode() == UO_Plus) // +[](int x) { … }, a pointer to a function
      E = Plus->getSubExpr();
    if (const auto* Chosen = dyn_cast<ExplicitCastExpr>(E); // static_cast<int (*)(int)>(overloaded)
        Chosen && namesFunction(*Chosen, Context))
      E = Chosen->getSubExpr();
  }
  if (const auto* Lambda = dyn_cast<LambdaExpr>(E))
    if (const FunctionDecl* F = CallOperators(Operation, Context).of(Lambda->getLambdaClass()))
      return Code{F, Lambda};
  if (const FunctionDecl* F = memberCall(Operation, E))
    return Code{F, nullptr};
  if (const auto* Address = dyn_cast<UnaryOperator>(E->IgnoreParenCasts());
      Address && Address->getOpcode() == UO_AddrOf)
    E = Address->getSubExpr()->IgnoreParens();
  if (const auto* Name = dyn_cast<DeclRefExpr>(E))
    if (const auto* F = dyn_cast<FunctionDecl>(Name->getDecl());
        F && (!isa<CXXMethodDecl>(F) || cast<CXXMethodDecl>(F)->isStatic())) {
      const FunctionDecl* Definition = nullptr;
      if (!F->hasBody(Definition)) {
        Diags.report(At, Diag::no_body) << F->getQualifiedNameAsString();
        return std::nullopt;
      }
      return Code{Definition, nullptr};
    }
  if (const CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl();
      Class && Class->hasDefinition()) {
    const FunctionDecl* F = CallOperators(Operation, Context).of(Class->getDefinition());
    // Of the standard library's, std::plus<int> for example, bases hold types alone.
    const bool HasState = isInStd(Class) ? !Class->isEmpty()
                                         : !Class->field_empty() || Class->getNumBases() > 0 ||
                                               (F && !Class->isLambda() && namesItself(*F));
    const auto* Named = dyn_cast<DeclRefExpr>(E);
    const LambdaExpr* Held =
        HasState && Class->isLambda() && F && Named ? lambdaIn(Named, Operation.Inside) : nullptr;
    if (Held)
      return Code{F, Held, nullptr};
    if (HasState && Class->isLambda() && F && keptCaptures(Class))
      return Code{F, Builder.Lambdas.All.lookup(Class), nullptr, /*IsKept=*/true};
    if (HasState && Class->isLambda()) {
      refuse(At, Diag::section_captures_elsewhere) << Operation.Name;
      return std::nullopt;
    }
    if (HasState && F && isValueClass(Class, Model.Roles)) {
      const auto [Function, Object] =
          callOfObject(Context, Class->getDefinition(), cast<CXXMethodDecl>(F), At);
      return Code{Function, nullptr, Object};
    }
    if (HasState) {
      refuse(At, Diag::section_kind) << "a function object that is no value class";
      return std::nullopt;
    }
    if (F && F->hasBody())
      return Code{F, nullptr};
  }
  refuse(At, Diag::section_kind) << "this expression";
  return std::nullopt;
}

} // namespace ikra
