// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RaceWalker.h"

#include "Analysis/Ast/Types.h"
#include "Model/Cases.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

namespace ikra::body {

/// What a pointer, or a container of pointers, says of who else may reach what it leads to.
static bool isShared(clang::QualType Ty) {
  if (const clang::QualType Element = elementOfContainer(Ty); !Element.isNull())
    return isShared(Element);
  return !pointeeOf(Ty).isNull() && !isStdClass(Ty, "unique_ptr");
}

/// Whether it is a member of the same object, or its address.
static bool isOwnMember(const clang::Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Op = dyn_cast<clang::UnaryOperator>(E); Op && Op->getOpcode() == clang::UO_AddrOf)
    E = Op->getSubExpr()->IgnoreParenImpCasts();
  const auto* Of = dyn_cast<clang::MemberExpr>(E);
  return Of && isa<clang::CXXThisExpr>(Of->getBase()->IgnoreParenImpCasts());
}

/// What a member says of who else may reach what it leads to: a reference that is another name of
/// the object's own member says that nobody does.
static bool isShared(const clang::FieldDecl* Member) {
  if (!isShared(Member->getType()))
    return false;
  if (!Member->getType()->isReferenceType() && !Member->getType().isConstQualified())
    return true;
  if (const clang::Expr* Init = Member->getInClassInitializer(); Init && isOwnMember(Init))
    return false;
  const auto* Class = dyn_cast<clang::CXXRecordDecl>(Member->getParent());
  if (!Class)
    return true;
  for (const clang::CXXConstructorDecl* Constructor : Class->ctors())
    for (const clang::CXXCtorInitializer* Init : Constructor->inits())
      if (Init->getMember() == Member && Init->getInit() && isOwnMember(Init->getInit()))
        return false;
  return true;
}

/// The number that an expression is, as text; empty for all else.
static std::string numberIn(const ExprRef& E) {
  const ExprRef& Of = stripped(E);
  if (const auto* N = std::get_if<Literal>(&Of->Is))
    return llvm::StringRef(N->Text).rtrim("uUlL").str();
  if (const auto* N = std::get_if<Constant>(&Of->Is))
    return N->Value;
  return "";
}

//===-- expressions ------------------------------------------------------------------------===//

RaceWalker::Value RaceWalker::joined(const Value& A, const Value& B) {
  if (A.Of == Owner::Nothing)
    return B;
  if (B.Of == Owner::Nothing || A == B)
    return A;
  const auto IsOfSeveral = [](const Value& Of) {
    return Of.Of == Owner::Other || Of.Of == Owner::Back || Of.Of == Owner::ForAll;
  };
  // What others may have may be meant.
  Value Out = A.Of == B.Of || IsOfSeveral(A) ? A : B;
  if (A.Of != B.Of && !IsOfSeveral(Out))
    Out.Of = Owner::Unknown;
  if (A.Members != B.Members || A.IsPlace != B.IsPlace) {
    for (const Value* Of : {&A, &B}) // the value of either is what is read
      if (Of->IsPlace && !Of->Way.empty())
        Out.From.insert(Of->Way);
    Out.IsPlace = Out.IsPointer = false;
    if (A.Of == B.Of && A.Of == Owner::Element)
      Out.Members = {"?"};
  }
  if (A.Way != B.Way)
    Out.Way.clear();
  if (A.Class != B.Class)
    Out.Class = A.Class && B.Class ? std::nullopt : Out.Class;
  Out.Chosen.clear();
  Out.IsSame = A.IsSame && B.IsSame;
  Out.IsSamePlace = A.IsSamePlace && B.IsSamePlace;
  Out.IsOne = A.IsOne && B.IsOne && A.Way == B.Way;
  Out.IsOfElements = A.IsOfElements && B.IsOfElements;
  Out.IsClaim = A.IsClaim || B.IsClaim;
  Out.IsClaimIfTrue = A.IsClaimIfTrue && B.IsClaimIfTrue;
  Out.IsCounter = A.IsCounter && B.IsCounter;
  Out.IsIndex = A.IsIndex && B.IsIndex;
  Out.IsBeside = false;
  Out.From.insert(A.From.begin(), A.From.end());
  Out.From.insert(B.From.begin(), B.From.end());
  if (A.Code != B.Code)
    Out.Code = nullptr;
  return Out;
}

RaceWalker::Value RaceWalker::loaded(Value Of, clang::SourceLocation At) {
  if (!Of.IsPlace || Of.IsPointer || Of.IsList)
    return Of;
  noteRead(Of, At);
  Value Out;
  Out.IsSame = Of.IsOne && Of.IsSamePlace;
  Out.IsClaim = Of.IsClaim;
  if (!Of.Way.empty())
    Out.From.insert(Of.Way);
  return Out;
}

RaceWalker::Value RaceWalker::load(const ExprRef& E) { return loaded(eval(E), E->At); }

RaceWalker::Value RaceWalker::all(const Exprs& Operands) {
  Value Out;
  Out.IsSame = true;
  for (const ExprRef& E : Operands) {
    const Value Of = load(E);
    Out.IsSame &= Of.IsSame;
    Out.IsClaim |= Of.IsClaim;
    Out.From.insert(Of.From.begin(), Of.From.end());
    if (Of.Code)
      invoke(Of, {});
  }
  return Out;
}

RaceWalker::Value RaceWalker::followed(Value Pointer, bool IsRaw,
                                       std::optional<Index> Class) const {
  Pointer.IsPlace = Pointer.IsList = Pointer.IsAtomic = false;
  Pointer.Member.reset();
  if (!IsRaw)
    return Pointer;
  const bool IsOfElement = Pointer.Of == Owner::Element;
  const bool IsFirst =
      llvm::count_if(Pointer.Members, [](const std::string& M) { return M.front() != '['; }) == 1;
  if (IsOfElement || Pointer.Of == Owner::Back || Pointer.Of == Owner::ForAll)
    Pointer.Of = IsOfElement && !IsFirst ? Owner::Back : Owner::Other;
  Pointer.IsOne &= Pointer.IsSamePlace;
  Pointer.IsSamePlace = true;
  Pointer.Class = Class;
  Pointer.Chosen.clear();
  Pointer.Members.clear();
  Pointer.IsOfElements = Pointer.IsEach = false;
  return Pointer;
}

RaceWalker::Value RaceWalker::placeOf(const ExprRef& E) {
  if (const auto* N = std::get_if<Paren>(&E->Is))
    return placeOf(N->Inner);
  const auto* N = std::get_if<Member>(&E->Is);
  return N ? member(*E, *N) : eval(E);
}

RaceWalker::Value RaceWalker::member(const Expr&, const Member& N) {
  const ikra::Member& M = Model.Members[N.Number];
  Value Out = eval(N.Object);
  if (!Out.Class)
    Out.Class = M.Class;
  Out.IsOfElements |= M.Decl == Elements.Container && Out.Way == "captured this_object";
  Out.Members.push_back(std::to_string(N.Number));
  if (!Out.Way.empty())
    Out.Way += "." + std::to_string(N.Number);
  Out.Name = M.Decl->getQualifiedNameAsString();
  Out.IsPlace = true;
  Out.Member = N.Number;
  Out.IsAtomic = M.IsAtomic;
  Out.IsList = M.Ty.Kind == TypeKind::ObjectList || M.Ty.Kind == TypeKind::ValueList;
  Out.IsRaw = Out.IsList && isShared(M.Decl);
  Out.From.clear();
  return Out;
}

RaceWalker::Value RaceWalker::elementOf(Value List, const std::string& Place, bool IsSame,
                                        const std::string& Way) {
  const bool IsFirst = List.IsList;
  const bool IsObjects =
      IsFirst && (List.Member ? Model.Members[*List.Member].Ty.Kind == TypeKind::ObjectList
                              : List.Of == Owner::ForAll);
  List.IsList = false;
  List.IsSamePlace &= IsSame;
  List.IsSame &= IsSame;
  List.Way = List.Way.empty() || Way.empty() ? "" : List.Way + "[" + Way + "]";
  if (IsFirst && List.Member && List.IsOfElements && List.Of == Owner::ForAll) {
    List.Class = Model.Members[*List.Member].Ty.Class;
    List.Members.clear();
    List.Member.reset();
  }
  if (!List.Member && List.Of == Owner::ForAll) { // a captured container
    if (!IsSame)
      List.Of = Owner::Unknown;
    List.IsOne = IsSame && !List.IsEach;
    List.IsSamePlace = true;
    List.IsPlace = false;
    return List;
  }
  List.Members.push_back(Place);
  if (!IsObjects)
    return List;
  const std::optional<Index> Class = Model.Members[*List.Member].Ty.Class;
  return followed(List, List.IsRaw, Class);
}

RaceWalker::Value RaceWalker::subscript(Value List, const ExprRef& Place) {
  const Value At = load(Place);
  const std::string Number = numberIn(Place);
  const auto* Variable = std::get_if<Name>(&stripped(Place)->Is);
  const auto* Given = std::get_if<Captured>(&stripped(Place)->Is);
  std::string Way = Number;
  if (Variable || Given)
    Way = Variable ? Variable->Ident : Given->Ident;
  else if (Way.empty() && At.From.size() == 1 &&
           std::holds_alternative<Member>(stripped(Place)->Is))
    Way = *At.From.begin();
  const bool IsBeside = List.IsOfElements && At.IsBeside;
  const bool IsIndex = List.IsIndex && S.Rank == 1; // i[0]
  Value Out =
      elementOf(std::move(List), Number.empty() ? "[?]" : "[" + Number + "]", At.IsSame, Way);
  Out.IsOfElements &= IsBeside || At.IsSame;
  Out.IsEach |= Out.IsOfElements && At.IsCounter;
  Out.IsIndex = IsIndex;
  return Out;
}

RaceWalker::Value RaceWalker::part(const Part& N) {
  Value Out = eval(N.Object);
  if (!Out.IsPlace) {
    Value Of;
    Of.From = Out.From;
    Of.IsSame = Out.IsSame;
    return Of;
  }
  Out.Members.push_back("." + N.Field);
  if (!Out.Way.empty())
    Out.Way += "." + N.Field;
  if (N.Object->Ty && N.Object->Ty->Is == CodeType::Plain)
    Out.Name = llvm::StringRef(N.Object->Ty->Of.Spelling).ltrim(':').str() + "::" + N.Field;
  Out.Member.reset();
  return Out;
}

RaceWalker::Value RaceWalker::captured(const std::string& Ident) const {
  Value Out;
  const auto It = llvm::find_if(S.Code.Captures, [&](const Capture& C) { return C.Name == Ident; });
  if (It == S.Code.Captures.end())
    return Out;
  Out.Way = "captured " + Ident;
  Out.IsOne = true;
  if (It->Kind == CaptureKind::ObjectView && !It->Ty.Held.empty())
    return {}; // what values hold is not followed
  switch (It->Kind) {
  case CaptureKind::Object:
    Out.Of = Owner::ForAll;
    Out.Class = It->Ty.Class;
    break;
  case CaptureKind::ObjectView:
    Out.Of = Owner::ForAll;
    Out.Class = It->Ty.Class;
    Out.IsList = true;
    Out.IsRaw = true;
    Out.IsOfElements =
        It->Decl && (Elements.Container == It->Decl || Elements.Names.contains(It->Decl));
    break;
  case CaptureKind::View:
  case CaptureKind::Value:
  case CaptureKind::InMemory:
    Out.IsSame = true;
    break;
  }
  return Out;
}

RaceWalker::Value RaceWalker::global(const GlobalVariable& Of) const {
  Value Out;
  Out.Way = "variable " + Of.HostText;
  Out.IsOne = true;
  if (!Of.Ty.Held.empty())
    return {}; // what values hold is not followed
  Out.IsSame = Of.Is == GlobalVariable::Value || Of.Is == GlobalVariable::List;
  if (Out.IsSame)
    return Out;
  Out.Of = Owner::ForAll;
  Out.Class = Of.Ty.Class;
  Out.IsList = Out.IsRaw = Of.Is == GlobalVariable::Objects;
  const auto* Container = dyn_cast_or_null<clang::VarDecl>(Elements.Container);
  Out.IsOfElements = Out.IsList && Container && Of.Decl && Container->getCanonicalDecl() == Of.Decl;
  return Out;
}

RaceWalker::Value RaceWalker::unary(const Expr& E, const Unary& N) {
  if (N.Sign == "++" || N.Sign == "--") {
    Value Same;
    Same.IsSame = true;
    store(N.Operand, Same, true, E.At);
    return Value();
  }
  if (N.Sign == "&") {
    Value Out = placeOf(N.Operand);
    if (Out.IsPlace)
      Out.IsPointer = true;
    return Out;
  }
  Value Out = load(N.Operand);
  Out.IsClaimIfTrue = false;
  return Out;
}

RaceWalker::Value RaceWalker::binary(const Expr& E, const Binary& N) {
  static const std::set<std::string> Compound{
      "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  if (N.Sign == "=" || Compound.contains(N.Sign)) {
    Value Right = load(N.Right);
    store(N.Left, Right, N.Sign != "=", E.At);
    return placeOf(N.Left);
  }
  if (N.Sign == ",") {
    eval(N.Left);
    return eval(N.Right);
  }
  const Value L = load(N.Left);
  const bool IsLogic = N.Sign == "&&" || N.Sign == "||";
  Value R;
  if (IsLogic)
    guarded(N.Left, N.Sign == "&&", [&] {
      ++Now->Branches;
      R = load(N.Right);
      --Now->Branches;
    });
  else
    R = load(N.Right);
  Value Out;
  Out.IsSame = L.IsSame && R.IsSame;
  Out.IsClaim = L.IsClaim || R.IsClaim;
  Out.IsClaimIfTrue = N.Sign == "==" && isClaim(N);
  Out.From = L.From;
  Out.From.insert(R.From.begin(), R.From.end());
  const std::string Step = numberIn(N.Right);
  Out.IsBeside = ((N.Sign == "+" || N.Sign == "-") && L.IsIndex && !Step.empty() && Step != "0") ||
                 (N.Sign == "%" && L.IsBeside);
  return Out;
}

RaceWalker::Value RaceWalker::library(const Expr& E, const LibraryCall& N) {
  const llvm::StringRef Name = N.Name;
  const auto Rest = [&](std::size_t From) {
    return all(Exprs(N.Arguments.begin() + static_cast<std::ptrdiff_t>(From), N.Arguments.end()));
  };
  if (Name.starts_with("ikra::atomic") && !N.Arguments.empty()) {
    eval(N.Arguments.front());
    Value Out = Rest(1);
    Out.IsSame = false;
    Out.IsClaim = true;
    return Out;
  }
  // Checks have their number after the operands.
  if (Name == "ikra::at" || Name == "ikra::checked::at")
    return subscript(eval(N.Arguments[0]), N.Arguments[1]);
  if (Name == "ikra::checked::front" || Name == "ikra::checked::back")
    return elementOf(eval(N.Arguments[0]), Name.ends_with("front") ? "[0]" : "[last]", true,
                     Name.str());
  if (Name == "ikra::checked::assign") {
    store(N.Arguments[0], load(N.Arguments[1]), false, E.At);
    return Value();
  }
  if (Name == "ikra::checked::object" || Name == "ikra::checked::pointed" ||
      Name == "ikra::checked::referred")
    return eval(N.Arguments[0]);
  if (Name == "ikra::checked::changed" || Name == "ikra::lvalue" || Name == "ikra::value" ||
      Name == "ikra::checked::value")
    return N.Arguments.empty() ? Value() : placeOf(N.Arguments[0]);
  if (Name == "std::exchange") {
    const Value Before = load(N.Arguments[0]);
    store(N.Arguments[0], load(N.Arguments[1]), true, E.At);
    return Before;
  }
  if (Name == "std::swap") {
    const Value First = load(N.Arguments[0]), Second = load(N.Arguments[1]);
    store(N.Arguments[0], Second, true, E.At);
    store(N.Arguments[1], First, true, E.At);
    return Value();
  }
  return Rest(0);
}

RaceWalker::Value RaceWalker::method(const MethodCall& N) {
  const Value Object = eval(N.Object);
  const Value Of = all(N.Arguments);
  if (Object.IsList && (N.Name == "front" || N.Name == "back"))
    return elementOf(Object, N.Name == "front" ? "[0]" : "[last]", true, N.Name);
  if (Object.IsList) {
    Value Size;
    Size.IsSame = Object.IsOne && Of.IsSame;
    return Size;
  }
  const bool IsOfValue = !Object.IsPlace && Object.IsSame && Of.IsSame;
  Value Out = loaded(Object, N.Object->At);
  Out = Value();
  Out.IsSame = IsOfValue;
  Out.From = Of.From;
  return Out;
}

RaceWalker::Value RaceWalker::eval(const ExprRef& E) {
  return std::visit(Cases{
                        [&](const auto&) { return all(operandsOf(*E)); },
                        [&](const Literal& N) {
                          Value Out;
                          Out.IsSame = true;
                          if (N.Text == "nullptr" || N.Text == "ikra::null_object")
                            Out.Of = Owner::Nothing;
                          return Out;
                        },
                        [&](const Name& N) {
                          const Variable* V = find(N.Ident);
                          return V ? V->Is : Value();
                        },
                        [&](const Forwarded& N) {
                          const Variable* V = find(N.Ident);
                          return V ? V->Is : Value();
                        },
                        [&](const Captured& N) { return captured(N.Ident); },
                        [&](const Global& N) { return global(Model.Globals[N.Number]); },
                        [&](const Element&) { return elementValue(); },
                        [&](const Receiver&) {
                          const Frame* F = Now;
                          while (F->Outer)
                            F = F->Outer;
                          return F->Receiver;
                        },
                        [&](const Member& N) {
                          Value Out = member(*E, N);
                          const ikra::Member& M = Model.Members[N.Number];
                          if (M.Ty.Kind != TypeKind::Object)
                            return Out;
                          if (!M.Ty.IsHeld)
                            noteRead(Out, E->At);
                          return followed(Out, isShared(M.Decl), M.Ty.Class);
                        },
                        [&](const Part& N) { return part(N); },
                        [&](const Unary& N) { return unary(*E, N); },
                        [&](const Deref& N) {
                          Value Out = eval(N.Pointer);
                          if (!Out.IsPointer)
                            Out = Value();
                          Out.IsPointer = false;
                          return Out;
                        },
                        [&](const Binary& N) { return binary(*E, N); },
                        [&](const IsSet& N) {
                          eval(N.Pointer);
                          return Value();
                        },
                        [&](const OfClass& N) {
                          Value Out = eval(N.Object);
                          if (N.Is == OfClass::Equals)
                            return Value();
                          if (Out.Members.empty()) {
                            Out.Class = N.Class;
                            Out.Chosen.clear();
                          }
                          return Out;
                        },
                        [&](const SameClass& N) {
                          eval(N.Left);
                          eval(N.Right);
                          return Value();
                        },
                        [&](const Choice& N) {
                          load(N.Condition);
                          Value One, Two;
                          const unsigned Step =
                              isNullTest(N.Condition) || isSelfTest(N.Condition) ? 0 : 1;
                          Now->Branches += Step;
                          guarded(N.Condition, true, [&] { One = eval(N.Then); });
                          guarded(N.Condition, false, [&] { Two = eval(N.Else); });
                          Now->Branches -= Step;
                          if (One.IsPlace && !One.IsPointer && One.Members != Two.Members)
                            One = loaded(One, N.Then->At);
                          if (Two.IsPlace && !Two.IsPointer && !One.IsPlace)
                            Two = loaded(Two, N.Else->At);
                          Value Out = joined(One, Two);
                          Out.IsSame = false;
                          return Out;
                        },
                        [&](const Paren& N) { return eval(N.Inner); },
                        [&](const Cast& N) { return converted(eval(N.Of), N.To); },
                        [&](const Subscript& N) { return subscript(eval(N.Base), N.Index); },
                        [&](const Call& N) { return call(*E, N); },
                        [&](const LibraryCall& N) { return library(*E, N); },
                        [&](const MethodCall& N) { return method(N); },
                        [&](const Invoke& N) { return invoke(eval(N.Callee), N.Arguments); },
                        [&](const Lambda& N) {
                          Value Out;
                          Out.Code = &N;
                          Out.Home = Now;
                          return Out;
                        },
                        [&](const Ordered& N) {
                          const std::size_t Declared = Now->Variables.size();
                          for (const Ordered::Operand& Of : N.Operands)
                            Now->Variables.push_back({Of.Ident, eval(Of.Value), true});
                          Value Out = eval(N.Result);
                          Now->Variables.resize(Declared);
                          return Out;
                        },
                    },
                    E->Is);
}

} // namespace ikra::body
