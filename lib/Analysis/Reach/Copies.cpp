// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of whole objects: `Body next = *this; next.x += dx; *this = next;`. A device has objects
// as columns. A copy is a struct there, of those members that sections use of copies of its class:
// what makes it reads these of the object, and an assignment writes all. Which expressions are
// copies follows from what holds them (Ast/Expressions.h), so functions that take references are
// walked once for objects and once for copies.

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/TypeParts.h"
#include "BodyWalker.h"
#include "CopyOrigins.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <iterator>
#include <utility>

using namespace clang;

namespace ikra {

/// True if \p Fits is true of the class, its bases, and the classes of objects that it holds.
static bool holdsOnly(const CXXRecordDecl* Class,
                      llvm::function_ref<bool(const CXXRecordDecl*)> Fits) {
  Class = Class ? Class->getDefinition() : nullptr;
  if (!Class || !isUserClass(Class))
    return Class != nullptr;
  const auto Holds = [&](QualType Ty) {
    const CXXRecordDecl* Held = elementOfArrays(Ty)->getAsCXXRecordDecl();
    return !Held || holdsOnly(Held, Fits);
  };
  return Fits(Class) &&
         llvm::all_of(Class->bases(),
                      [&](const CXXBaseSpecifier& Base) { return Holds(Base.getType()); }) &&
         llvm::all_of(Class->fields(),
                      [&](const FieldDecl* Member) { return Holds(Member->getType()); });
}

/// True if the program has no code of its own that runs when such an object ends.
static bool endsSilently(const CXXRecordDecl* Class) {
  const CXXDestructorDecl* Destructor = Class->getDestructor();
  return !Class->isUnion() && !Class->hasMutableFields() && Class->getNumVBases() == 0 &&
         !(Destructor && Destructor->isUserProvided());
}

static bool isCopiedByMembers(const CXXRecordDecl* Class) {
  return llvm::none_of(Class->ctors(), [](const CXXConstructorDecl* Constructor) {
    return Constructor->isCopyOrMoveConstructor() && Constructor->isUserProvided();
  });
}

static bool isAssignedByMembers(const CXXRecordDecl* Class) {
  return llvm::none_of(Class->methods(), [](const CXXMethodDecl* Method) {
    return (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()) &&
           Method->isUserProvided();
  });
}

std::string BodyWalker::reasonNoCopy(QualType Ty) const {
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  if (!Class || !isObjectByValue(Ty, roles()) || !Class->hasDefinition())
    return "where no objects are made";
  if (holdsOnly(Class, endsSilently))
    return "";
  const auto HasNone = [](const CXXRecordDecl* Of) { return Of->getNumVBases() == 0; };
  return holdsOnly(Class, HasNone) ? "which runs code of its class when it ends"
                                   : "which has a virtual base";
}

void BodyWalker::refuseCopy(SourceLocation At, QualType Ty, llvm::StringRef Reason) {
  Ty = elementOfArrays(Ty.getNonReferenceType());
  if (Ty->isPointerType())
    Ty = Ty->getPointeeType();
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  refuse(At, Diag::object_by_value, Class ? Class->getNameAsString() : Ty.getAsString(), Reason);
  Collector.Builder.explainRole(Ty);
}

bool BodyWalker::isCopy(const Expr* E) const {
  return ikra::isCopy(Collector.Builder.Model.Functions[Self], E, roles());
}

bool BodyWalker::acceptCopy(const ValueDecl* Copy, QualType Ty) {
  // A section is given elements, and gives values.
  if (!reasonNoCopy(Ty).empty() ||
      (function().IsSection && (Copy == Decl || Copy->getDeclContext() == Decl) &&
       (Copy == Decl || isa<ParmVarDecl>(Copy))))
    return false;
  Collector.Builder.declareCopy(Ty->getAsCXXRecordDecl());
  function().Copies.push_back(isa<FunctionDecl>(Copy) ? "result" : Copy->getNameAsString());
  return true;
}

void BodyWalker::copyWhole(const CXXRecordDecl* Class, SourceLocation At) {
  const Index Of = Collector.Builder.declareCopy(Class);
  if (!std::exchange(Collector.Builder.Model.Classes[Of].IsCopiedAsBytes, true))
    holdAll(Class, /*Assigns=*/false, At);
}

bool BodyWalker::acceptCopyOfElement(const CXXForRangeStmt* S) {
  const VarDecl* V = S->getLoopVariable();
  if (!acceptCopy(V, V->getType()))
    return false;
  if (isCopy(S->getRangeInit())) // a copy of one
    return true;
  const auto* Made =
      dyn_cast_or_null<CXXConstructExpr>(V->getInit() ? V->getInit()->IgnoreImplicit() : nullptr);
  const CXXRecordDecl* Class = V->getType()->getAsCXXRecordDecl();
  if (!Made || !holdsOnly(Class, isCopiedByMembers) || isCopy(S->getRangeInit()))
    refuseCopy(V->getLocation(), V->getType(), "which runs code of its class");
  else
    copyObject(Made->getArg(0), Class, V->getLocation());
  return true;
}

//===-- members ----------------------------------------------------------------------------===//

void BodyWalker::visitObject(const Expr* Object, Access How) {
  if (isa<CXXThisExpr>(Object->IgnoreParenImpCasts()) && isCopy(Object))
    return;
  visit(Object, How);
}

void BodyWalker::accessCopy(const FieldDecl* Field, Access How, SourceLocation At) {
  const std::optional<Index> M = Collector.Builder.memberIndex(Field, At);
  if (!M)
    return;
  const Member& Of = Collector.Builder.Model.Members[*M];
  const QualType Ty = Field->getType();
  Collector.Builder.Model.Classes[Of.Class].CopyMembers.insert(*M);
  if (How != Access::Read && How != Access::None)
    Collector.ChangedInCopies.insert(*M);
  const QualType Class = Collector.Builder.Context.getRecordType(Field->getParent());
  if (isOptionalObject(Ty, roles())) // of which the copy would have one of its own
    refuseCopy(At, Class, "and its member '" + Field->getNameAsString() + "' with it");
  if (Of.isViewInCopies() && How != Access::Read && How != Access::None)
    refuseCopy(At, Class, "of whose container an element is changed");
  // Each element of a built-in array has text of its own.
  if (!Of.isViewInCopies() && Ty->isConstantArrayType() && countOf(Ty) > 64)
    refuseCopy(At, Class, "with an array of more than 64 elements");
  if (Of.Ty.IsHeld && Of.Ty.Kind == TypeKind::Object) {
    if (const std::string Reason = reasonNoCopy(Ty.getUnqualifiedType()); !Reason.empty())
      return refuseCopy(At, Ty, Reason);
    Collector.Builder.declareCopy(Ty->getAsCXXRecordDecl());
  }
}

bool BodyWalker::holdAll(const CXXRecordDecl* Class, bool Assigns, SourceLocation At) {
  Class = Class->getDefinition();
  for (const CXXBaseSpecifier& Base : Class->bases())
    if (const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl();
        isUserClass(Of) && !holdAll(Of, Assigns, At))
      return false;
  for (const FieldDecl* Member : Class->fields()) {
    if (Member->isUnnamedBitField())
      continue;
    const QualType Ty = Member->getType();
    const auto CannotBe = [&] {
      refuseCopy(At, Collector.Builder.Context.getRecordType(Class),
                 "and assigned with its member '" + Member->getNameAsString() +
                     "', which cannot be");
      return false;
    };
    if (Assigns && isStdClass(Ty, "basic_string"))
      return CannotBe();
    accessCopy(Member, Access::Read, At);
    const std::optional<Index> M = Collector.Builder.memberIndex(Member, At);
    if (M && Assigns && !isAssignedWithObject(Collector.Builder.Model.Members[*M]))
      return CannotBe();
    if (Ty->isRecordType() && isObjectByValue(Ty, roles()) &&
        !holdAll(Ty->getAsCXXRecordDecl(), Assigns, At))
      return false;
  }
  return true;
}

//===-- making and assigning ---------------------------------------------------------------===//

void BodyWalker::copyObject(const Expr* Object, const CXXRecordDecl* Class, SourceLocation At) {
  const bool IsSelf = isSelf(function(), Object);
  const Index Of = Collector.Builder.declareCopy(Class);
  function().DereferencesSelf |= IsSelf;
  function().Wholes.push_back({Of, IsSelf, Conditional == 0 && !MayHaveLeft, At});
}

void BodyWalker::visitObjectMade(const CXXConstructExpr* E) {
  const CXXConstructorDecl* Constructor = E->getConstructor();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  const CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl();
  if (const std::string Reason = reasonNoCopy(E->getType().getUnqualifiedType()); !Reason.empty())
    return refuseCopy(E->getExprLoc(), E->getType(), Reason);
  Collector.Builder.declareCopy(Class);
  if (Constructor->isCopyOrMoveConstructor() && !Constructor->isUserProvided()) {
    if (!holdsOnly(Class, isCopiedByMembers))
      return refuseCopy(E->getExprLoc(), E->getType(), "which runs code of its class");
    if (isCopy(Arguments[0]))
      return visitObject(Arguments[0], Access::Read);
    copyObject(Arguments[0], Class, E->getExprLoc());
    return visit(Arguments[0], Access::None);
  }
  if (Constructor->isTrivial())
    return;
  visitArguments(Constructor, Arguments);
  addCall(E, Constructor, nullptr, Arguments);
}

/// True for a default of a member that names another one.
static bool namesThis(const Stmt* S) {
  if (const auto* Default = dyn_cast_or_null<CXXDefaultInitExpr>(S))
    return namesThis(Default->getExpr());
  return anyPart(S, [](const Stmt* Part) { return isa<CXXThisExpr>(Part); });
}

void BodyWalker::visitObjectBraces(const Expr* E, llvm::ArrayRef<Expr*> Inits) {
  const CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl();
  if (const std::string Reason = reasonNoCopy(E->getType().getUnqualifiedType()); !Reason.empty())
    return refuseCopy(E->getExprLoc(), E->getType(), Reason);
  Collector.Builder.declareCopy(Class);
  if (!holdAll(Class, /*Assigns=*/false, E->getExprLoc()))
    return;
  for (const Expr* Init : Inits) {
    if (isa<CXXDefaultInitExpr>(Init) && namesThis(Init))
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "a default for a member that names another; write a constructor");
    visit(Init, Access::Read);
  }
}

void BodyWalker::visitObjectAssigned(const CXXOperatorCallExpr* E, bool Unused) {
  const Expr *To = E->getArg(0), *From = E->getArg(1);
  const CXXRecordDecl* Class = cast<CXXMethodDecl>(E->getCalleeDecl())->getParent();
  const QualType Ty = Collector.Builder.Context.getRecordType(Class);
  if (const std::string Reason = reasonNoCopy(Ty); !Reason.empty())
    return refuseCopy(E->getExprLoc(), Ty, Reason);
  if (!holdsOnly(Class, isAssignedByMembers))
    return refuseCopy(E->getExprLoc(), Ty, "which runs code of its class");
  if (isCopy(From)) {
    visitObject(From, Access::Read);
  } else {
    copyObject(From, Class, E->getExprLoc());
    visit(From, Access::None);
  }
  if (isCopy(To)) {
    // An assignment to a variable is seen where that is written back.
    if (!assignedVariable(To) || Returning != Decl)
      Collector.AssignedCopies.insert(Collector.Builder.declareCopy(Class));
    return visitObject(To, Access::Write);
  }
  if (!Unused)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "the result of an assignment of a whole object; write a statement of its own");
  const bool IsReturned = isCopyOf(Decl, From, To, roles());
  if (!IsReturned && !holdAll(Class, /*Assigns=*/true, E->getExprLoc()))
    return;
  copyObject(To, Class, E->getExprLoc());
  WholeUse& Use = function().Wholes.back();
  Use.IsReturned = IsReturned;
  Use.Assignment = E;
  visit(To, Access::None);
}

/// std::swap of copies, and its kin.
void BodyWalker::noteChanged(const FunctionDecl* Native, llvm::ArrayRef<const Expr*> Arguments) {
  for (unsigned K = 0; K < Arguments.size() && K < Native->getNumParams(); ++K) {
    const QualType Ty = Native->getParamDecl(K)->getType();
    if (Ty->isReferenceType() && !Ty->getPointeeType().isConstQualified() &&
        isObjectByValue(Ty->getPointeeType(), roles()) && isCopy(Arguments[K]))
      Collector.AssignedCopies.insert(Collector.Builder.declareCopy(
          elementOfArrays(Ty->getPointeeType())->getAsCXXRecordDecl()));
  }
}

const CXXRecordDecl* BodyWalker::exactClassOf(const Expr* Copy) const {
  Copy = Copy->IgnoreParenImpCasts();
  const Function& F = Collector.Builder.Model.Functions[Self];
  if (const auto* Op = dyn_cast<UnaryOperator>(Copy); Op && Op->getOpcode() == UO_Deref)
    return exactClassOf(Op->getSubExpr());
  if (isa<CXXThisExpr>(Copy))
    return F.CopyClass ? Collector.Builder.Model.Classes[*F.CopyClass].Decl : nullptr;
  const ValueDecl* Name = declNamed(Copy);
  const bool IsExact = Name ? !Name->getType()->isReferenceType()
                            : isa<MaterializeTemporaryExpr, MemberExpr, ArraySubscriptExpr>(Copy);
  return IsExact ? Copy->getType()->getAsCXXRecordDecl() : nullptr;
}

const CXXMethodDecl* BodyWalker::calledOfCopy(const CXXMethodDecl* Method, const Expr* Receiver) {
  const CXXRecordDecl* Exact = exactClassOf(Receiver);
  QualType Ty = Receiver->IgnoreParenImpCasts()->getType();
  if (Ty->isPointerType())
    Ty = Ty->getPointeeType();
  const CXXRecordDecl* Class = Exact ? Exact : Ty->getAsCXXRecordDecl();
  const CXXMethodDecl* Own = Method->getCorrespondingMethodInClass(Class);
  for (const CXXRecordDecl* Other : Collector.Builder.UserClasses)
    if (!Exact && Other->hasDefinition() && Other->isDerivedFrom(Class) &&
        Method->getCorrespondingMethodInClass(Other) != Own) {
      refuseCopy(Receiver->getExprLoc(), Ty, "of which a virtual method is called by a reference");
      return nullptr;
    }
  if (!Own || Own->isPureVirtual() || !Own->hasBody()) {
    refuse(Receiver->getExprLoc(), Diag::no_body, Method->getQualifiedNameAsString());
    return nullptr;
  }
  return Own;
}

void BodyWalker::holdWritten(const CXXRecordDecl* Class, const std::set<Index>& Written,
                             SourceLocation At) {
  ProgramModel& Model = Collector.Builder.Model;
  for (const CXXBaseSpecifier& Base : Class->bases())
    if (const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl(); isUserClass(Of))
      holdWritten(Of->getDefinition(), Written, At);
  for (Index M = 0; M < Model.Members.size(); ++M) {
    const FieldDecl* Field = Model.Members[M].Decl;
    if (!declaresSameEntity(cast<CXXRecordDecl>(Field->getParent()), Class))
      continue;
    const bool IsHeld =
        Field->getType()->isRecordType() && isObjectByValue(Field->getType(), roles());
    if (IsHeld || Written.contains(M))
      accessCopy(Field, Access::Read, At);
    if (IsHeld)
      holdWritten(Field->getType()->getAsCXXRecordDecl()->getDefinition(), Written, At);
  }
}

/// The class of a copy, its bases, and the classes of objects that it holds.
static void addClasses(const ModelBuilder& Builder, const CXXRecordDecl* Class,
                       llvm::SmallVectorImpl<const CXXRecordDecl*>& Out) {
  Class = Class->getDefinition();
  Out.push_back(Class);
  const auto Add = [&](QualType Ty) {
    const CXXRecordDecl* In = elementOfArrays(Ty)->getAsCXXRecordDecl();
    if (isUserClass(In) && In->hasDefinition())
      addClasses(Builder, In, Out);
  };
  for (const CXXBaseSpecifier& Base : Class->bases())
    Add(Base.getType());
  for (const FieldDecl* Member : Class->fields())
    if (isObjectByValue(Member->getType(), Builder.Model.Roles))
      Add(Member->getType());
}

bool FunctionCollector::isAssigned(const CXXRecordDecl* Class) const {
  llvm::SmallVector<const CXXRecordDecl*> Assigned;
  for (const Index Number : AssignedCopies)
    addClasses(Builder, Builder.Model.Classes[Number].Decl, Assigned);
  return llvm::any_of(Assigned, [&](const CXXRecordDecl* Other) {
    return declaresSameEntity(Other, Class) || Other->isDerivedFrom(Class) ||
           Class->isDerivedFrom(Other);
  });
}

void FunctionCollector::completeReturned() {
  const ProgramModel& Model = Builder.Model;
  std::set<Index> Written;
  for (const Function& F : Model.Functions) {
    Written.merge(F.Direct.written());
    Written.insert(F.Direct.Atomic.begin(), F.Direct.Atomic.end());
  }
  for (Index F = 0; F < Model.Functions.size(); ++F)
    for (std::size_t K = 0; K < Model.Functions[F].Wholes.size(); ++K) {
      const WholeUse Use = Model.Functions[F].Wholes[K];
      if (!Use.IsReturned)
        continue;
      const CXXRecordDecl* Decl = Model.Classes[Use.Class].Decl;
      llvm::SmallVector<const CXXRecordDecl*> Classes;
      addClasses(Builder, Decl, Classes);
      for (const CXXRecordDecl* Class : Classes)
        if (isAssigned(Class) && Completed.insert({Class, Use.Assignment}).second)
          BodyWalker(*this, F).assignAll(Class, Use.At);
      BodyWalker(*this, F).holdWritten(Decl, Written, Use.At);
    }
}

//===-- what the whole section does --------------------------------------------------------===//

/// The members of \p Class and its bases that copies have.
static void addMembers(const ProgramModel& Model, Index Class, std::set<Index>& Own,
                       std::set<Index>& Held) {
  for (const Index Base : Model.Classes[Class].StructBases)
    addMembers(Model, Base, Own, Held);
  for (const Index M : Model.Classes[Class].CopyMembers) {
    const Type& Ty = Model.Members[M].Ty;
    Own.insert(M);
    if (Ty.IsHeld && Ty.Kind == TypeKind::Object)
      addMembers(Model, *Ty.Class, Held, Held);
  }
}

/// Adds the members that \p Use assigns; of a class that another one holds, too.
void FunctionCollector::addAssigned(const WholeUse& Use, const std::set<Index>& Written,
                                    std::set<Index>& Out) const {
  const ProgramModel& Model = Builder.Model;
  std::set<Index> All;
  addMembers(Model, Use.Class, All, All);
  for (const Index M : All) {
    const Member& Of = Model.Members[M];
    if (isAssignedWithObject(Of) && !(Of.Ty.IsHeld && Of.Ty.Kind == TypeKind::Object) &&
        (!Use.IsReturned || ChangedInCopies.contains(M) || Written.contains(M) ||
         isAssigned(Model.Classes[Of.Class].Decl)))
      Out.insert(M);
  }
}

/// What is written back are members that copies may have changed since they were made, and those
/// that the function, or what it calls, writes in the object itself meanwhile.
void FunctionCollector::findAssigned() {
  auto& Functions = Builder.Model.Functions;
  for (bool More = true; More;) {
    More = false;
    for (Index I = 0; I < Functions.size(); ++I) {
      if (llvm::none_of(Functions[I].Wholes, [](const WholeUse& Of) { return Of.isWrite(); }))
        continue;
      std::set<Index> Reached;
      addReached(Builder.Model, I, Reached);
      for (WholeUse& Use : Functions[I].Wholes) {
        if (!Use.isWrite())
          continue;
        std::set<Index> Written;
        for (const Index F : Reached) {
          Written.merge(Functions[F].Direct.written());
          Written.insert(Functions[F].Direct.Atomic.begin(), Functions[F].Direct.Atomic.end());
          for (const WholeUse& Other : Functions[F].Wholes)
            if (&Other != &Use)
              Written.insert(Other.Assigned.begin(), Other.Assigned.end());
        }
        const std::size_t Before = Use.Assigned.size();
        addAssigned(Use, Written, Use.Assigned);
        More |= Use.Assigned.size() != Before;
      }
    }
  }
}

/// True if an assignment of \p Assigned looks up the object that \p M holds.
static bool leadsToAssigned(const ProgramModel& Model, Index M, const std::set<Index>& Assigned) {
  const Type& Ty = Model.Members[M].Ty;
  if (!Ty.IsHeld || Ty.Kind != TypeKind::Object)
    return false;
  std::set<Index> In;
  addMembers(Model, *Ty.Class, In, In);
  return llvm::any_of(In, [&](Index Each) { return Assigned.contains(Each); });
}

void FunctionCollector::addWholes() {
  findAssigned();
  for (Function& F : Builder.Model.Functions)
    for (const WholeUse& Use : F.Wholes) {
      std::set<Index> Own, Held;
      addMembers(Builder.Model, Use.Class, Own, Held);
      MemberUse& To = F.Direct;
      if (Use.isWrite())
        for (std::set<Index>* Of : {&Own, &Held})
          std::erase_if(*Of, [&](Index M) {
            return !Use.Assigned.contains(M) && !leadsToAssigned(Builder.Model, M, Use.Assigned);
          });
      for (const Index M : Own)
        if (Use.Assigned.contains(M)) {
          const bool IsArray = Builder.Model.Members[M].Decl->getType()->isConstantArrayType();
          (Use.IsSelf ? To.WriteSelf : To.WriteOther).insert(M);
          To.Changed.insert(M);
          if (IsArray) // its place is looked up
            (Use.IsSelf ? To.ReadSelf : To.ReadOther).insert(M);
        } else {
          (Use.IsSelf ? To.ReadSelf : To.ReadOther).insert(M);
        }
      for (const Index M : Held)
        if (Use.Assigned.contains(M)) {
          To.WriteOther.insert(M);
          To.Changed.insert(M);
        } else
          To.ReadOther.insert(M);
      if (Use.IsSelf && Use.IsAlways)
        F.AlwaysSelf.Accessed.insert(Own.begin(), Own.end());
    }
}

/// Members that change what a view of \p M shows: it, and those of the objects that it holds.
static void addShown(const ProgramModel& Model, Index M, std::set<Index>& Out) {
  const Type& Ty = Model.Members[M].Ty;
  if (!Out.insert(M).second || !Ty.IsHeld)
    return;
  for (Index Other = 0; Other < Model.Members.size(); ++Other)
    if (Model.Classes[Model.Members[Other].Class].Family == Model.Classes[*Ty.Class].Family)
      addShown(Model, Other, Out);
}

void FunctionCollector::checkCopies() {
  const ProgramModel& Model = Builder.Model;
  for (const Section& S : Model.Sections) {
    const MemberUse& Uses = Model.Functions[S.Code.Function].Total;
    std::set<Index> Written = Uses.written(), Reached;
    Written.insert(Uses.Atomic.begin(), Uses.Atomic.end());
    addReached(Model, S.Code.Function, Reached);
    for (const Index I : Reached)
      for (const WholeUse& Use : Model.Functions[I].Wholes) {
        std::set<Index> Members, Shown;
        addMembers(Model, Use.Class, Members, Members);
        for (const Index M : Members)
          if (Model.Members[M].isViewInCopies())
            addShown(Model, M, Shown);
        const auto Changed = llvm::find_if(Shown, [&](Index M) { return Written.contains(M); });
        if (Changed == Shown.end())
          continue;
        const bool FallsBack = mayFallBack(S.Code.Function) || fallsBackForAll(S.Code.Function);
        Builder.Diags.report(Use.At, Diag::object_by_value, FallsBack)
            << Model.Classes[Use.Class].Decl->getNameAsString()
            << "and the section changes '" + Model.Members[*Changed].Name +
                   "', which the copy has a view of";
        explainPath(I);
        if (FallsBack)
          fallBack(S.Code.Function);
      }
  }
}

} // namespace ikra
