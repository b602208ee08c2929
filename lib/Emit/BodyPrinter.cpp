// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads and statements of emitted functions. Expressions are in BodyPrinterExprs.cpp.

#include "BodyPrinter.h"

#include "Analysis/BodyWalker.h"
#include "Analysis/ModelBuilder.h"
#include "Analysis/Types.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace ikra {

//===-- context ----------------------------------------------------------------------------===//

Type typeOf(EmitContext& Context, QualType Ty) {
  return classifyType(
      Ty, Context.Ast, Context.Model.Roles, [&](const CXXRecordDecl* Class) -> Index {
        for (Index I = 0; I < Context.Model.Classes.size(); ++I)
          if (Context.Model.Classes[I].Decl->getCanonicalDecl() == Class->getCanonicalDecl())
            return I;
        return Context.Model.Classes.size(); // not reached by any section
      });
}

std::string EmitContext::unknown(SourceLocation At, llvm::StringRef What) {
  Diags.report(At, Diag::no_device_form) << What;
  return "unknown";
}

std::string EmitContext::typeText(const Type& T) {
  if (!T.Private)
    return T.Spelling;
  if (T.IsPublicInPrivate)
    return className(*T.Private) + "::" + T.Spelling;
  Aliases[*T.Private][T.Spelling] = T.Spelling;
  return "ikra::object_access<unit, " + className(*T.Private) + ">::" + T.Spelling;
}

std::string EmitContext::className(Index Class, llvm::StringRef UnitTag) {
  const ikra::Class& C = Model.Classes[Class];
  if (!C.Outer)
    return "::" + C.Name;
  const std::string Outer = className(*C.Outer, UnitTag);
  if (!C.IsPrivate)
    return Outer + "::" + C.ShortName;
  const std::string Alias = identOf(C.ShortName);
  Aliases[*C.Outer][Alias] = C.ShortName;
  return ("ikra::object_access<" + UnitTag + ", " + Outer + ">::" + Alias).str();
}

std::string EmitContext::tableName(const VarDecl* V) {
  V = V->getCanonicalDecl();
  unsigned Same = 0;
  const std::string Wanted = identOf(V->getQualifiedNameAsString()) + "_table";
  for (const auto& [Known, Name] : Tables) {
    if (Known == V)
      return Name;
    Same += llvm::StringRef(Name).starts_with(Wanted);
  }
  Tables.emplace_back(V, Wanted + (Same ? "_" + std::to_string(Same + 1) : ""));
  return Tables.back().second;
}

/// Replaces \p Name, which may have :: in front, by \p New where it stands as a whole: what is in
/// an anonymous namespace is spelled without.
static void replaceName(std::string& Text, const std::string& Name, const std::string& New) {
  const auto Continues = [](char C) { return llvm::isAlnum(C) || C == '_' || C == ':'; };
  for (std::size_t At = 0; (At = Text.find(Name, At)) != std::string::npos;) {
    const std::size_t End = At + Name.size();
    const std::size_t First = llvm::StringRef(Text).take_front(At).ends_with("::") ? At - 2 : At;
    if ((End < Text.size() && Continues(Text[End])) || (First > 0 && Continues(Text[First - 1]))) {
      At = End;
      continue;
    }
    Text.replace(First, End - First, New);
    At = First + New.size();
  }
}

std::string EmitContext::hostText(const Type& T) {
  std::string Text = T.HostSpelling;
  if (T.Private)
    replaceName(Text, Model.Classes[*T.Private].Name + "::" + T.Spelling, typeText(T));
  else if (T.Class && Model.Classes[*T.Class].Outer)
    replaceName(Text, Model.Classes[*T.Class].Name, className(*T.Class));
  return Text;
}

bool EmitContext::needsWorld(Index Function) const {
  return usesColumns(Function) || Model.Functions[Function].CallsAt;
}

bool EmitContext::usesColumns(Index Function) const {
  const auto& F = Model.Functions[Function];
  return F.Dispatches || !F.Total.read().empty() || !F.Total.written().empty();
}

bool EmitContext::hasWorld(llvm::StringRef Type) const {
  return std::any_of(Model.Sections.begin(), Model.Sections.end(),
                     [&](const Section& S) { return worldType(&S) == Type; });
}

//===-- heads ------------------------------------------------------------------------------===//

std::string BodyPrinter::unusedName(std::string Name) const {
  while (Used.contains(Name))
    Name += '_';
  return Name;
}

static void addNames(const CapturedLambda& Of, std::set<std::string>& Used) {
  for (const FunctionDecl* Body : bodiesOf(Of.Lambda))
    Used.merge(declaredNames(Body));
  for (const CapturedLambda& Inner : Of.Inner)
    addNames(Inner, Used);
}

BodyPrinter::BodyPrinter(EmitContext& Context, Index Function, const Section* InSection)
    : Context(Context), F(Context.Model.Functions[Function]), InSection(InSection), Home(F.Decl),
      Used(declaredNames(F.Decl)) {
  for (const CapturedLambda& Of : F.Lambdas)
    addNames(Of, Used);
  if (InSection && F.IsSection)
    for (const Capture& C : InSection->Captures) // named or not, they are members beside the world
      Used.insert(C.Name);
  World = unusedName("w");
  SelfObject = unusedName("self");
  SelfType = unusedName("Self");
  Made = unusedName("made");
}

static const char* referenceSign(QualType Ty) {
  if (!Ty->isReferenceType())
    return "";
  return Ty->isLValueReferenceType() ? "&" : "&&";
}

std::string BodyPrinter::typeText(QualType Ty) const {
  if (isClosure(Ty)) // of a parameter: whichever lambda it is given
    return std::string(Ty.getNonReferenceType().isConstQualified() ? "const auto" : "auto") +
           referenceSign(Ty);
  const Type T = typeOf(Context, Ty);
  const QualType Value = Ty.getNonReferenceType();
  switch (T.Kind) {
  case TypeKind::Object:
    // What is only read of a pointer is its value; a local variable may still refer to it.
    return std::string("ikra::object_id") +
           (isReferenceToPointer(Ty) && isWritableReference(Ty, Context.Model.Roles)
                ? referenceSign(Ty)
                : "");
  case TypeKind::ValueList:
  case TypeKind::ObjectList:
    if (T.ArrayRank > 1)
      return "ikra::grid<" + Context.typeText(T) + ", " + std::to_string(T.ArrayRank) + ">";
    return "ikra::list<" +
           std::string(Value.isConstQualified() || T.ArrayRank == 1 ? "const " : "") +
           Context.typeText(T) + ">";
  case TypeKind::Pointer:
    return pointerText(Ty) + referenceSign(Ty);
  case TypeKind::Window: // which one it is depends on the launch
    return "const auto&";
  default:
    break;
  }
  std::string Out = Context.typeText(T);
  if (Value.isConstQualified())
    Out = "const " + Out;
  return Out + referenceSign(Ty);
}

std::string BodyPrinter::parameterName(unsigned K) const { return parameterName(F.Decl, K); }

std::string BodyPrinter::parameterName(const FunctionDecl* Of, unsigned K) {
  const std::string Name = Of->getParamDecl(K)->getNameAsString();
  if (Name.empty())
    return "unnamed_" + std::to_string(K);
  // A pack's parameters have one name.
  const bool IsRepeated = llvm::any_of(Of->parameters().take_front(K), [&](const ParmVarDecl* P) {
    return P->getNameAsString() == Name;
  });
  return IsRepeated ? Name + "_" + std::to_string(K) : Name;
}

std::vector<std::string> BodyPrinter::parameters(unsigned First) {
  std::vector<std::string> Out;
  for (unsigned K = First; K < F.Decl->getNumParams(); ++K) {
    const ParmVarDecl* Parameter = F.Decl->getParamDecl(K);
    const auto* Constructor = dyn_cast<CXXConstructorDecl>(F.Decl);
    const bool Unnamed = Parameter->getNameAsString().empty() &&
                         !(Constructor && Constructor->isInheritingConstructor());
    if (isCapture(Parameter) || (F.IsSection && isTag(Parameter)))
      continue;
    const std::string Name = Unnamed ? "" : " " + parameterName(K);
    if (K < 63 && ((F.SelfMask >> (K + 1)) & 1))
      Out.push_back(SelfType + "&" + Name);
    else
      Out.push_back(typeText(parameterType(K)) + Name);
    if (const Expr* Default = F.IsSection ? defaultOf(Parameter) : nullptr)
      Out.back() += " = " + expr(Default);
  }
  return Out;
}

QualType BodyPrinter::parameterType(unsigned K) const {
  const QualType Ty = F.Decl->getParamDecl(K)->getType();
  // A section is given elements, not places: what takes T& because it takes anything gets a value.
  const bool Place = Ty->isReferenceType() && !Ty->getPointeeType().isConstQualified();
  const bool Pointer = isReferenceToPointer(Ty) && F.SelfMask == 0;
  return F.IsSection && Place && (typeOf(Context, Ty).Kind == TypeKind::Value || Pointer)
             ? Ty.getNonReferenceType()
             : Ty;
}

std::string BodyPrinter::resultType() const {
  if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(F.Decl)) // it gives the value
    return typeText(Context.Ast.getRecordType(Constructor->getParent()));
  const QualType Ty = F.Decl->getReturnType();
  // A section's result is a value, which a reference into an element would not outlive.
  const bool Decays = F.IsSection && Ty->isReferenceType() &&
                      (typeOf(Context, Ty).Kind == TypeKind::Value || isReferenceToPointer(Ty));
  return typeText(Decays ? Ty.getNonReferenceType().getUnqualifiedType() : Ty);
}

std::string BodyPrinter::signature() {
  std::vector<std::string> All;
  const auto Me = static_cast<Index>(&F - Context.Model.Functions.data());
  if (Context.needsWorld(Me))
    All.push_back("const " + EmitContext::worldType(InSection) + "& " + World);
  const auto* Method = dyn_cast<CXXMethodDecl>(F.Decl);
  if (Method && isExtremum(Method->getParent()))
    Method = nullptr;
  if (Method && Method->isInstance() && isValueClass(Method->getParent(), Context.Model.Roles)) {
    if (!isa<CXXConstructorDecl>(Method))
      All.push_back(typeText(Method->getThisType()->getPointeeType()) + "& " + SelfObject);
  } else if (Method && Method->isInstance() && !Method->getParent()->isLambda())
    All.push_back(((F.SelfMask & 1) ? SelfType + "& " : "ikra::object_id ") + SelfObject);
  for (std::string& Parameter : parameters(0))
    All.push_back(std::move(Parameter));
  return (F.SelfMask ? "template <class " + SelfType + "> " : "") + "IKRA_DEVICE " + resultType() +
         " " + F.Ident + "(" + llvm::join(All, ", ") + ")";
}

//===-- statements -------------------------------------------------------------------------===//

void BodyPrinter::place(const Stmt* S, CodeWriter& Out) {
  const SourceManager& SM = Context.Ast.getSourceManager();
  if (Lambda || isInIkra(F.Decl))
    return;
  const SourceLocation At = SM.getFileLoc(S->getBeginLoc());
  const PresumedLoc Loc = SM.getPresumedLoc(At);
  if (Loc.isValid() && !SM.isInSystemHeader(At))
    Out.place({Loc.getFilename(), Loc.getLine(), Loc.getColumn()});
}

void BodyPrinter::printDefinition(const std::string& Head, CodeWriter& Out) {
  const auto* Body = cast<CompoundStmt>(F.Decl->getBody());
  // Where the standard library lies differs from machine to machine, and nobody debugs it here.
  if (isInIkra(F.Decl) || Context.Ast.getSourceManager().isInSystemHeader(F.Decl->getLocation()))
    Out.ownPlace();
  else
    Out.place(F.At);
  if (Body->size() == 1 && !isa<CXXConstructorDecl>(F.Decl) && F.Lambdas.empty()) {
    const Stmt* Only = Body->body_front();
    const auto* Return = dyn_cast<ReturnStmt>(Only);
    const Expr* E = Return ? Return->getRetValue() : dyn_cast<Expr>(Only);
    const SourceManager& SM = Context.Ast.getSourceManager();
    if (E && SM.getPresumedLoc(SM.getFileLoc(Only->getBeginLoc())).getLine() == F.At.Line)
      return Out.line(Head + " { " + (Return ? "return " + bound(E) : expr(E)) + "; }");
  }
  Out.open(Head + " {");
  printBody(Out);
  Out.close();
}

void BodyPrinter::printBody(CodeWriter& Out) {
  const auto* Constructor = dyn_cast<CXXConstructorDecl>(F.Decl);
  if (Constructor)
    printInitialisers(Constructor, Out);
  for (const CapturedLambda& Of : F.Lambdas)
    Out.line("const auto " + Of.Decl->getNameAsString() + " = " + capturedLambda(Of) + ";");
  for (const Stmt* S : cast<CompoundStmt>(F.Decl->getBody())->body())
    print(S, Out);
  if (Constructor)
    Out.line("return " + SelfObject + ";");
}

/// An array's type where it stands alone: int[2][3].
std::string BodyPrinter::arrayText(QualType Ty) const {
  std::string Extents;
  while (const auto* Array = Context.Ast.getAsConstantArrayType(Ty)) {
    Extents += "[" + std::to_string(Array->getSize().getZExtValue()) + "]";
    Ty = Array->getElementType();
  }
  return typeText(Ty) + Extents;
}

/// The statements of \p S, each a line; the caller writes the braces.
void BodyPrinter::printBlock(const Stmt* S, CodeWriter& Out) {
  if (const auto* Block = dyn_cast_or_null<CompoundStmt>(S)) {
    for (const Stmt* Child : Block->body())
      print(Child, Out);
    return;
  }
  if (S)
    print(S, Out);
}

void BodyPrinter::printInBraces(const Stmt* S, CodeWriter& Out) {
  Out.open("{");
  printBlock(S, Out);
  Out.close();
}

/// True if \p Init makes the object that a reference is bound to.
static bool isTemporary(const Expr* Init) {
  Init = Init->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(Init))
    return isTemporary(Full->getSubExpr());
  return isa<MaterializeTemporaryExpr>(Init);
}

/// True if \p S calls something, or uses a member: it may be no constant here, though its value is.
static bool holdsCall(const Stmt* S) {
  return isa<CallExpr, CXXConstructExpr, MemberExpr>(S) ||
         llvm::any_of(S->children(), [](const Stmt* In) { return In && holdsCall(In); });
}

std::string BodyPrinter::declaration(const VarDecl* V) {
  const QualType Ty = V->getType();
  const Expr* Init = V->getInit();
  if (V->isStaticLocal())
    return ""; // its uses are printed as their values
  if (Ty->isConstantArrayType() && !isa<DecompositionDecl>(V)) {
    const std::string Of = arrayText(Ty);
    const std::size_t Extents = Of.find('[');
    const auto* Construct = Init ? dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit()) : nullptr;
    const bool HasValues = Init && (!Construct || F.Calls.contains(Construct));
    return Of.substr(0, Extents) + " " + V->getNameAsString() + Of.substr(Extents) +
           (HasValues ? " = " + expr(Init) : "") + ";";
  }
  // A class's constructors, and functions that are called, are not constexpr here.
  const std::optional<std::string> Constant = constantText(V);
  const bool Constexpr = V->isConstexpr() && (Constant || Ty->isReferenceType());
  std::string Text = (Constexpr ? "constexpr " : "") + declared(V);
  if (Constexpr && llvm::StringRef(Text).starts_with("constexpr const "))
    Text.erase(10, 6);
  if (V->isConstexpr() && Constant && Init && holdsCall(Init))
    return Text + " = static_cast<" + typeText(Ty.getUnqualifiedType()) + ">(" + *Constant + ");";
  if (Init) {
    const Expr* Stripped = Init->IgnoreImplicit();
    const auto* Construct = dyn_cast<CXXConstructExpr>(Stripped);
    const bool Direct =
        Construct && typeOf(Context, Ty).Kind == TypeKind::Library && Construct->getNumArgs() != 1;
    if (Direct)
      Text +=
          Construct->getNumArgs() == 0
              ? ""
              : inBrackets(Construct, arguments({Construct->getArgs(), Construct->getNumArgs()}));
    else
      Text += " = " + bound(Init);
  }
  return Text + ";";
}

/// A variable's type and name; for structured bindings what they bind, and theirs.
std::string BodyPrinter::declared(const VarDecl* V) const {
  const auto* Bindings = dyn_cast<DecompositionDecl>(V);
  if (!Bindings)
    return variableType(V) + " " + V->getNameAsString();
  const QualType Ty = V->getType();
  std::vector<std::string> Names;
  for (const BindingDecl* B : Bindings->bindings())
    Names.push_back(B->getNameAsString());
  return std::string(Ty.getNonReferenceType().isConstQualified() ? "const " : "") + "auto" +
         (V->getInit() && isTemporary(V->getInit()) ? "" : referenceSign(Ty)) + " [" +
         llvm::join(Names, ", ") + "]";
}

/// The type of a local variable. A reference to a temporary, which lives as long, is the value.
std::string BodyPrinter::variableType(const VarDecl* V) const {
  const QualType Ty = V->getType();
  const Expr* Init = V->getInit();
  if (isClosure(Ty))
    return std::string(Ty.getNonReferenceType().isConstQualified() ? "const " : "") + "auto" +
           (Init && isTemporary(Init) ? "" : referenceSign(Ty));
  if (Ty->isReferenceType() && Init && isTemporary(Init))
    return typeText(Ty.getNonReferenceType());
  if (isReferenceToPointer(Ty) && !isWritableReference(Ty, Context.Model.Roles) && !isPointer(Ty))
    return "const ikra::object_id&";
  return typeText(Ty);
}

/// True for what may stand before the condition of an if or a switch: one variable.
static bool isInHead(const Stmt* Init) {
  const auto* Declares = dyn_cast_or_null<DeclStmt>(Init);
  return Declares && Declares->isSingleDecl() && isa<VarDecl>(Declares->getSingleDecl());
}

void BodyPrinter::printIf(const IfStmt* S, CodeWriter& Out, llvm::StringRef Before) {
  if (S->isConsteval()) {
    Out.open(Before + "{");
    printBlock(S->isNegatedConsteval() ? S->getThen() : S->getElse(), Out);
    return Out.close();
  }
  if (S->isConstexpr()) {
    if (std::optional<const Stmt*> Taken = S->getNondiscardedCase(Context.Ast)) {
      if (!Before.empty())
        Out.open(Before + "{");
      else
        Out.open("{");
      if (S->getInit())
        print(S->getInit(), Out);
      printBlock(*Taken, Out);
      Out.close();
      return;
    }
  }
  // A branch may not be one, so what stands before the condition gets a block of its own.
  const auto* Declares = dyn_cast_or_null<DeclStmt>(S->getInit());
  const bool InHead = isInHead(S->getInit()) && !S->getConditionVariable();
  if (S->getInit() && !InHead) {
    Out.open(Before + "{");
    Before = "";
    print(S->getInit(), Out);
  }
  std::string Head = "if (";
  if (InHead)
    Head += declaration(cast<VarDecl>(Declares->getSingleDecl())) + " ";
  if (const VarDecl* V = S->getConditionVariable()) {
    std::string Declared = declaration(V);
    Declared.pop_back();
    Head += Declared;
    // The condition is the variable, which for IDs has to be asked for null.
    if (typeOf(Context, V->getType()).Kind == TypeKind::Object)
      Head += "; " + V->getNameAsString() + " != nullptr";
  } else {
    Head += expr(S->getCond());
  }
  Out.open(Before + Head + ") {");
  printBlock(S->getThen(), Out);
  if (const Stmt* Else = S->getElse()) {
    Out.dedent();
    const auto* Next = dyn_cast<IfStmt>(Else);
    if (Next && !Next->isConstexpr() && !Next->isConsteval()) {
      printIf(Next, Out, "} else ");
    } else {
      Out.open("} else {");
      printBlock(Else, Out);
      Out.close();
    }
  } else {
    Out.close();
  }
  if (S->getInit() && !InHead)
    Out.close();
}

void BodyPrinter::printFor(const ForStmt* S, CodeWriter& Out) {
  const auto* Declares = dyn_cast_or_null<DeclStmt>(S->getInit());
  const VarDecl* V = S->getConditionVariable();
  // g++ before 15 ends the life of a class's object, which an ID is, before the increment.
  const bool IsHoisted = V && typeOf(Context, V->getType()).Kind == TypeKind::Object;
  const bool InBlock = IsHoisted || (Declares && !isInHead(Declares));
  if (InBlock) {
    Out.open("{");
    if (S->getInit())
      print(S->getInit(), Out);
  }
  std::string Head = "for (";
  if (InBlock || !S->getInit())
    Head += ";";
  else
    Head += Declares ? declaration(cast<VarDecl>(Declares->getSingleDecl()))
                     : expr(cast<Expr>(S->getInit())) + ";";
  if (IsHoisted) {
    Out.line("ikra::object_id " + V->getNameAsString() + ";");
    Head += " (" + V->getNameAsString() + " = " + bound(V->getInit()) + ") != nullptr;";
  } else if (V) {
    Head += " " + declaration(V);
  } else {
    Head += S->getCond() ? " " + expr(S->getCond()) + ";" : ";";
  }
  if (S->getInc())
    Head += " " + expr(S->getInc());
  Out.open(Head + ") {");
  printBlock(S->getBody(), Out);
  Out.close();
  if (InBlock)
    Out.close();
}

void BodyPrinter::printWhile(const WhileStmt* S, CodeWriter& Out) {
  const VarDecl* V = S->getConditionVariable();
  if (V && V->getType().getNonReferenceType()->isRecordType()) { // what is true of it, a call says
    Out.open("while (true) {");
    Out.line(declaration(V));
    Out.line("if (!(" + expr(S->getCond()) + "))");
    Out.indent();
    Out.line("break;");
    Out.dedent();
  } else {
    std::string Condition = V ? declaration(V) : expr(S->getCond());
    if (V)
      Condition.pop_back();
    Out.open("while (" + Condition + ") {");
  }
  printBlock(S->getBody(), Out);
  Out.close();
}

/// A range for over a class with iterators of its own, as the loop that it stands for.
void BodyPrinter::printOwnIterators(const CXXForRangeStmt* S, CodeWriter& Out) {
  Out.open("{");
  print(S->getRangeStmt(), Out);
  print(S->getBeginStmt(), Out);
  print(S->getEndStmt(), Out);
  Out.open("for (; " + expr(S->getCond()) + "; " + expr(S->getInc()) + ") {");
  print(S->getLoopVarStmt(), Out);
  printBlock(S->getBody(), Out);
  Out.close();
  Out.close();
}

void BodyPrinter::printSwitch(const SwitchStmt* S, CodeWriter& Out) {
  const bool InHead = isInHead(S->getInit());
  if (S->getInit() && !InHead) {
    Out.open("{");
    print(S->getInit(), Out);
  }
  std::string Head = "switch (";
  if (InHead)
    Head += declaration(cast<VarDecl>(cast<DeclStmt>(S->getInit())->getSingleDecl())) + " ";
  if (const VarDecl* V = S->getConditionVariable()) {
    std::string Declared = declaration(V);
    Declared.pop_back();
    Head += Declared;
  } else {
    Head += expr(S->getCond());
  }
  Out.open(Head + ") {");
  printBlock(S->getBody(), Out);
  Out.close();
  if (S->getInit() && !InHead)
    Out.close();
}

std::string BodyPrinter::range(const Expr* E) {
  const InitListExpr* Listed = listOf(E);
  if (!Listed)
    return expr(E);
  std::vector<std::string> Elements;
  for (const Expr* Element : Listed->inits())
    Elements.push_back(expr(Element));
  const QualType Of = Context.Ast.getAsArrayType(Listed->getType())->getElementType();
  return "::std::array<" + typeText(Of.getUnqualifiedType()) + ", " +
         std::to_string(Elements.size()) + ">{{" + llvm::join(Elements, ", ") + "}}";
}

void BodyPrinter::print(const Stmt* S, CodeWriter& Out) {
  if (const auto* E = dyn_cast<Expr>(S)) {
    place(S, Out);
    return Out.line(expr(E) + ";");
  }
  switch (S->getStmtClass()) {
  case Stmt::NullStmtClass:
    return Out.line(";");
  case Stmt::CompoundStmtClass:
    return printInBraces(S, Out);
  case Stmt::AttributedStmtClass:
    if (hasSpecificAttr<FallThroughAttr>(cast<AttributedStmt>(S)->getAttrs()))
      return Out.line("[[fallthrough]];");
    return print(cast<AttributedStmt>(S)->getSubStmt(), Out);
  case Stmt::DeclStmtClass:
    for (const Decl* D : cast<DeclStmt>(S)->decls())
      if (const auto* V = dyn_cast<VarDecl>(D)) {
        place(S, Out);
        const std::string Text = declaration(V);
        if (!Text.empty())
          Out.line(Text);
      }
    return;
  case Stmt::ReturnStmtClass: {
    place(S, Out);
    const Expr* Value = cast<ReturnStmt>(S)->getRetValue();
    if (isa<CXXConstructorDecl>(F.Decl)) // there is no lambda in one
      return Out.line("return " + SelfObject + ";");
    return Out.line(Value ? "return " + bound(Value) + ";" : "return;");
  }
  case Stmt::LabelStmtClass:
    return print(cast<LabelStmt>(S)->getSubStmt(), Out);
  case Stmt::BreakStmtClass:
    place(S, Out);
    return Out.line("break;");
  case Stmt::ContinueStmtClass:
    place(S, Out);
    return Out.line("continue;");
  case Stmt::IfStmtClass:
    place(S, Out);
    return printIf(cast<IfStmt>(S), Out, "");
  case Stmt::SwitchStmtClass:
    place(S, Out);
    return printSwitch(cast<SwitchStmt>(S), Out);
  case Stmt::CaseStmtClass: {
    const auto* Case = cast<CaseStmt>(S);
    place(S, Out);
    // nvcc takes a range for its first value alone.
    if (const std::optional<CaseValues> Range = caseValues(Case, Context.Ast)) {
      const std::string Ty = typeText(Case->getLHS()->getType());
      for (llvm::APSInt Value = Range->First;; ++Value) {
        Out.line("case static_cast<" + Ty + ">(" + llvm::toString(Value, 10) + "):");
        if (Value >= Range->Last)
          break;
      }
    } else {
      Out.line("case " + expr(Case->getLHS()) + ":");
    }
    Out.indent();
    print(Case->getSubStmt(), Out);
    return Out.dedent();
  }
  case Stmt::DefaultStmtClass:
    place(S, Out);
    Out.line("default:");
    Out.indent();
    print(cast<DefaultStmt>(S)->getSubStmt(), Out);
    return Out.dedent();
  case Stmt::WhileStmtClass:
    place(S, Out);
    return printWhile(cast<WhileStmt>(S), Out);
  case Stmt::DoStmtClass:
    place(S, Out);
    Out.open("do {");
    printBlock(cast<DoStmt>(S)->getBody(), Out);
    return Out.close("} while (" + expr(cast<DoStmt>(S)->getCond()) + ");");
  case Stmt::ForStmtClass:
    place(S, Out);
    return printFor(cast<ForStmt>(S), Out);
  case Stmt::CXXForRangeStmtClass: {
    const auto* Range = cast<CXXForRangeStmt>(S);
    place(S, Out);
    const VarDecl* V = Range->getLoopVariable();
    const bool HasInit = Range->getInit() != nullptr;
    if (HasInit) {
      Out.open("{");
      print(Range->getInit(), Out);
    }
    if (hasOwnIterators(Range, Context.Model.Roles))
      printOwnIterators(Range, Out);
    else {
      Out.open("for (" + declared(V) + " : " + range(Range->getRangeInit()) + ") {");
      printBlock(Range->getBody(), Out);
      Out.close();
    }
    if (HasInit)
      Out.close();
    return;
  }
  default:
    Out.line(Context.unknown(S->getBeginLoc(), S->getStmtClassName()));
  }
}

} // namespace ikra
