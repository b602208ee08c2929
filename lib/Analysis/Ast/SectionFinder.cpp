// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One traversal of everything outside of system headers and of the plain library, template
// instantiations included.

#include "SectionFinder.h"

#include "AstVisitor.h"
#include "Expressions.h"
#include "Types.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/Support/SaveAndRestore.h"

#include <set>

using namespace clang;

namespace ikra {

namespace {

/// Whether the text of what an operation is given stays as it is within the emitted text: a call
/// that makes a lambda with captures.
bool staysInText(const Expr* Given) {
  const CXXRecordDecl* Class = Given->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->isLambda() && !Class->field_empty() && isa<CallExpr>(written(Given));
}

class Finder final : public AstVisitor {
public:
  Finder(ASTContext& Context, Findings& Out)
      : AstVisitor(Instantiations), SM(Context.getSourceManager()), Out(Out) {}

  bool TraverseDecl(Decl* D) override {
    if (!D)
      return true;
    if (!isa<TranslationUnitDecl>(D)) {
      if (SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
        return true;
      if (const auto* NS = dyn_cast<NamespaceDecl>(D);
          NS && NS->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
          NS->getName() == "ikra")
        return true;
    }
    const llvm::SaveAndRestore Variable(
        InVariableTemplate, InVariableTemplate || isa<VarTemplateSpecializationDecl>(D));
    const auto* Local = dyn_cast<VarDecl>(D);
    const llvm::SaveAndRestore Static(InStatic, InStatic || (Local && Local->isStaticLocal()));
    const auto* Function = dyn_cast<FunctionDecl>(D);
    if (!Function)
      return AstVisitor::TraverseDecl(D);
    const FunctionDecl* Outer = Inside;
    Inside = Function;
    const bool Result = AstVisitor::TraverseDecl(D);
    Inside = Outer;
    return Result;
  }

  /// The body of a generic lambda is a template: its calls belong to the instantiations.
  bool TraverseLambdaExpr(LambdaExpr* E) override {
    if (!E->getCallOperator()->getDescribedFunctionTemplate())
      return AstVisitor::TraverseLambdaExpr(E);
    bool Goes = VisitLambdaExpr(E);
    for (unsigned I = 0; I != E->capture_size() && Goes; ++I)
      if (const LambdaCapture* Capture = E->capture_begin() + I; Capture->isExplicit())
        Goes = TraverseLambdaCapture(E, Capture, E->capture_init_begin()[I]);
    const llvm::SaveAndRestore<const FunctionDecl*> Body(Inside, E->getCallOperator());
    return Goes && TraverseTypeLoc(E->getCallOperator()->getTypeSourceInfo()->getTypeLoc()) &&
           TraverseStmt(E->getBody());
  }

  /// The text of a generic lambda is visited as that of others; what it was called with is not.
  bool VisitLambdaExpr(LambdaExpr* E) override {
    if (!InVariableTemplate) // whose instantiations have closure types of one place in the text
      Out.Lambdas.All[E->getLambdaClass()] = E;
    if (InStatic)
      Out.Lambdas.InStatics.insert(E->getLambdaClass());
    if (E->getCallOperator()->getDescribedFunctionTemplate())
      for (const FunctionDecl* Body : bodiesOf(E))
        TraverseDecl(const_cast<FunctionDecl*>(Body));
    return true;
  }

  // A static array's initialiser gives its size; of a template it is instantiated after the code
  // that names the array.
  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    completeBound(E, E->getDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* E) override {
    completeBound(E, E->getMemberDecl());
    return true;
  }

  bool VisitDecltypeTypeLoc(DecltypeTypeLoc T) override {
    const CXXRecordDecl* Class =
        T.getUnderlyingExpr()->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (Class && Class->isLambda())
      Out.Lambdas.InDecltype.insert(Class);
    return true;
  }

  bool VisitCXXParenListInitExpr(CXXParenListInitExpr* E) override {
    for (const Expr* Init : E->getInitExprs())
      if (const auto* Lambda = dyn_cast<LambdaExpr>(written(Init)))
        Out.Lambdas.InAggregates.insert(Lambda->getLambdaClass());
    return true;
  }

  bool VisitCXXRecordDecl(CXXRecordDecl* D) override {
    if (D->isThisDeclarationADefinition() && !D->isLambda() && !D->isDependentContext())
      Out.UserClasses.push_back(D);
    return true;
  }

  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee || !isInIkra(Callee)) {
      // Operators' emitted text takes any operands.
      if (!isa<CXXOperatorCallExpr>(Call) && !Call->isTypeDependent() &&
          !(Inside && Inside->isDependentContext()))
        OtherCalls.insert(Call->getExprLoc());
      return true;
    }
    OperationCall Found;
    Found.Call = Call;
    Found.Name = Callee->getNameAsString();
    Found.Row = findArrayCall(Found.Name);
    const bool GivesArray = isArray(Call->getType(), &Found.Result, &Found.Rank);
    if (!GivesArray)
      Found.Result = Call->getType().getUnqualifiedType();
    if (isa<CXXOperatorCallExpr>(Call)) {
      if (!GivesArray || isa<CXXMethodDecl>(Callee))
        return true;
      describeOperator(*Call, Found);
    } else if (const auto* MemberCall = dyn_cast<CXXMemberCallExpr>(Call)) {
      if (!describe(*MemberCall, Found))
        return true;
    } else if (!Found.is(Operation::PNew) || !GivesArray) {
      return true;
    }
    if (Inside && Inside->isDependentContext()) // instantiations are visited for themselves
      return true;
    Found.Inside = Inside;
    for (const DeclContext* C = Inside; C && !C->isFileContext(); C = C->getParent()) {
      if (const auto* F = dyn_cast<FunctionDecl>(C))
        Found.InTemplate |= F->isTemplateInstantiation();
      if (const auto* R = dyn_cast<ClassTemplateSpecializationDecl>(C))
        Found.InTemplate |= !R->isExplicitSpecialization();
    }
    if (const unsigned Given = Call->getNumArgs();
        Given != 0 && !isa<CXXOperatorCallExpr>(Call) &&
        !isArray(Call->getArg(Given - 1)->getType(), nullptr, nullptr) &&
        !staysInText(Call->getArg(Given - 1)))
      Out.Lambdas.Replaced.push_back(Call->getArg(Given - 1)->getSourceRange());
    if (Found.takesIndicesFromCode() && !staysInText(Call->getArg(1)))
      Out.Lambdas.Replaced.push_back(Call->getArg(1)->getSourceRange());
    Out.Operations.push_back(std::move(Found));
    return true;
  }

  /// Where the program calls what is no operation.
  std::set<SourceLocation> OtherCalls;

private:
  static void completeBound(Expr* E, ValueDecl* Named) {
    auto* V = dyn_cast<VarDecl>(Named);
    if (!V || !E->getType()->isIncompleteArrayType())
      return;
    const VarDecl* Definition = V->getDefinition();
    const QualType Ty = (Definition ? Definition : V)->getType();
    if (!Ty->isConstantArrayType())
      return;
    E->setType(Ty);
    for (VarDecl* Each : V->redecls())
      Each->setType(Ty);
  }

  /// Takes array<T, R>, or what with_index() gives, apart.
  static bool isArray(QualType Ty, QualType* Element, unsigned* Rank) {
    const auto* Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
        Ty.getNonReferenceType()->getAsCXXRecordDecl());
    return Class && isArray(Class, Element, Rank);
  }
  static bool isArray(const ClassTemplateSpecializationDecl* Class, QualType* Element,
                      unsigned* Rank) {
    const TemplateArgumentList& Arguments = Class->getTemplateArgs();
    if (!isInIkra(Class) || Arguments.size() < 2 ||
        Arguments[0].getKind() != TemplateArgument::Type ||
        Arguments[1].getKind() != TemplateArgument::Integral)
      return false;
    if (Element)
      *Element = Arguments[0].getAsType();
    if (Rank)
      *Rank = static_cast<unsigned>(Arguments[1].getAsIntegral().getZExtValue());
    return true;
  }

  /// What a call of a method of an array works on; false where the method is no operation.
  static bool describe(const CXXMemberCallExpr& Call, OperationCall& Found) {
    const auto* Class =
        dyn_cast<ClassTemplateSpecializationDecl>(Call.getMethodDecl()->getParent());
    QualType Element;
    if (!Found.Row || !Class || !isArray(Class, &Element, &Found.Rank))
      return false;
    Found.Inputs.push_back(Call.getImplicitObjectArgument());
    Found.WithIndex = Class->getName() != "array";
    Found.Elements.push_back(Element);
    QualType More;
    const bool FirstIsKeys = Found.Row->Inputs == ArrayCall::KeysAndReceiver;
    if (FirstIsKeys || Found.Row->Inputs == ArrayCall::IndicesAndReceiver) {
      const Expr* Keys = Call.getArg(FirstIsKeys ? 0 : 1);
      if (isArray(Keys->getType(), &More, nullptr)) {
        Found.Inputs.insert(Found.Inputs.begin(), Keys);
        Found.Elements.insert(Found.Elements.begin(), More);
      }
    }
    if (Found.Row->Inputs == ArrayCall::ReceiverAndArrays)
      for (const Expr* Argument : Call.arguments())
        if (isArray(Argument->getType(), &More, nullptr)) {
          Found.Inputs.push_back(Argument);
          Found.Elements.push_back(More);
        }
    return true;
  }

  /// The operands of an operator that are arrays.
  static void describeOperator(const CallExpr& Call, OperationCall& Found) {
    for (const Expr* Operand : Call.arguments())
      if (QualType Element; isArray(Operand->getType(), &Element, nullptr)) {
        Found.Inputs.push_back(Operand);
        Found.Elements.push_back(Element);
      }
  }

  const SourceManager& SM;
  Findings& Out;
  const FunctionDecl* Inside = nullptr; ///< around what is visited
  bool InVariableTemplate = false, InStatic = false;
};

} // namespace

Findings findSections(ASTContext& Context) {
  Findings Out;
  Finder Find(Context, Out);
  Find.TraverseDecl(Context.getTranslationUnitDecl());
  for (OperationCall& Operation : Out.Operations)
    Operation.IsElsewhereOther =
        Operation.InTemplate && Find.OtherCalls.contains(Operation.Call->getExprLoc());
  const SourceManager& SM = Context.getSourceManager();
  // A chain's outer call is visited before its inner one, though it stands after it.
  std::stable_sort(Out.Operations.begin(), Out.Operations.end(),
                   [&](const OperationCall& A, const OperationCall& B) {
                     return SM.isBeforeInTranslationUnit(A.Call->getExprLoc(),
                                                         B.Call->getExprLoc());
                   });
  return Out;
}

} // namespace ikra
