// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of objects in bodies: structs, which are made of the entries of columns, and assigned to
// them.

#include "BodyBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

TypeRef CodeTypes::ofCopy(QualType Ty) {
  if (const QualType Element = elementOfContainer(Ty); !Element.isNull()) {
    CodeType List = *ofCopy(Element.getUnqualifiedType());
    List.Is = CodeType::List;
    List.Of.Kind = TypeKind::ValueList;
    List.IsConst = true;
    return std::make_shared<const CodeType>(std::move(List));
  }
  CodeType Out = *of(Ty.getNonReferenceType());
  if (Ty->isReferenceType())
    Out.Reference = Ty->isLValueReferenceType() ? CodeType::LValue : CodeType::RValue;
  return std::make_shared<const CodeType>(std::move(Out));
}

Index BodyBuilder::classOf(QualType Ty) const {
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl()->getCanonicalDecl();
  const auto It = llvm::find_if(
      Model.Classes, [&](const ikra::Class& C) { return C.Decl->getCanonicalDecl() == Class; });
  return static_cast<Index>(It - Model.Classes.begin());
}

std::vector<Index> BodyBuilder::membersOfCopies(Index Class) const {
  const std::set<Index>& All = Model.Classes[Class].CopyMembers;
  std::vector<Index> Out(All.begin(), All.end());
  llvm::sort(Out, [&](Index A, Index B) {
    return Model.Members[A].DeclarationOrder < Model.Members[B].DeclarationOrder;
  });
  return Out;
}

/// True for a member that is a built-in array in a copy, whatever columns have.
static bool isArrayMember(const Member& M) {
  const bool IsOfPointers =
      M.Ty.Kind == TypeKind::ObjectList && isStdClass(M.Decl->getType(), "array");
  return !M.isViewInCopies() && (M.Decl->getType()->isConstantArrayType() || IsOfPointers);
}

std::vector<StructMember> BodyBuilder::copyMembers(Index Class) {
  std::vector<StructMember> Out;
  for (const Index Number : membersOfCopies(Class)) {
    const Member& M = Model.Members[Number];
    const QualType Ty = M.Decl->getType().getUnqualifiedType();
    TypeRef As = typeOf(Ty);
    if (isArrayMember(M) && Ty->isConstantArrayType()) {
      As = arrayType(Ty);
    } else if (isArrayMember(M)) {
      CodeType Array;
      Array.Is = CodeType::Array;
      Array.Extents = {constantSize(Ty).value()};
      Array.Inner = typeOf(elementOfContainer(Ty));
      As = std::make_shared<const CodeType>(std::move(Array));
    }
    Out.push_back({std::move(As), M.Name, nullptr, M.Bits});
  }
  return Out;
}

//===-- from columns -----------------------------------------------------------------------===//

/// Elements of a list as those of an array.
body::ExprRef BodyBuilder::elements(QualType Ty, const ExprRef& Of) {
  body::Make Out{nullptr, {}, true};
  const QualType Element = elementOfContainer(Ty);
  for (std::uint64_t K = 0; K < constantSize(Ty).value(); ++K) {
    const ExprRef At = node(body::Subscript{Of, node(body::Literal{std::to_string(K)})});
    Out.Arguments.push_back(Element->isConstantArrayType() ? elements(Element, At) : At);
  }
  return node(std::move(Out));
}

body::ExprRef BodyBuilder::partOf(Index Number, const ExprRef& Object) {
  const Member& M = Model.Members[Number];
  const ExprRef Entry = node(body::Member{Number, Object});
  if (M.Bits != 0)
    return node(body::MethodCall{Entry, "get", {}, {}});
  if (M.Ty.IsHeld && M.Ty.Kind == TypeKind::Object)
    return node(body::Make{typeOf(M.Decl->getType().getUnqualifiedType()),
                           partsOf(*M.Ty.Class, Entry), true});
  return isArrayMember(M) ? elements(M.Decl->getType(), Entry) : Entry;
}

body::Exprs BodyBuilder::partsOf(Index Class, const ExprRef& Object) {
  body::Exprs Out;
  for (const Index Base : Model.Classes[Class].StructBases)
    Out.push_back(node(body::Make{typeOf(Ast.getRecordType(Model.Classes[Base].Decl)),
                                  partsOf(Base, Object), true}));
  for (const Index M : membersOfCopies(Class))
    Out.push_back(partOf(M, Object));
  return Out;
}

body::ExprRef BodyBuilder::withName(const Expr* E, std::string Name, ExprRef Value,
                                    llvm::function_ref<ExprRef(ExprRef)> Make) {
  const bool IsName = std::visit(
      [](const auto& Is) {
        using Node = std::decay_t<decltype(Is)>;
        return std::is_same_v<Node, body::Name> || std::is_same_v<Node, body::Element> ||
               std::is_same_v<Node, body::Receiver> || std::is_same_v<Node, body::Captured>;
      },
      Value->Is);
  if (IsName)
    return Make(std::move(Value));
  Name = unusedName(std::move(Name));
  body::Ordered Out{{{Name, std::move(Value)}}, nullptr, false};
  Out.Result = Make(node(body::Name{Name}));
  return node(E, std::move(Out));
}

body::ExprRef BodyBuilder::copied(const Expr* E, QualType Class, ExprRef Object) {
  Class = Class.getUnqualifiedType();
  return withName(E, "original", std::move(Object), [&](const ExprRef& Id) {
    return node(E, body::Make{typeOf(Class), partsOf(classOf(Class), Id), true});
  });
}

body::ExprRef BodyBuilder::objectMade(const CXXConstructExpr* E) {
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (F.Calls.contains(E))
    return userCall(E, nullptr, Arguments);
  if (!E->getConstructor()->isCopyOrMoveConstructor())
    return node(E, body::Make{plainType(E->getType()), {}, true});
  return isCopy(Arguments[0]) ? expr(Arguments[0]) : copied(E, E->getType(), expr(Arguments[0]));
}

std::optional<std::pair<body::StmtRef, body::Declare>> BodyBuilder::copyInLoop(const VarDecl* V) {
  if (!isObjectByValue(V->getType(), Model.Roles) || !V->getInit())
    return std::nullopt;
  CodeType Id;
  Id.Is = CodeType::ObjectId;
  body::Declare Element;
  Element.Ty = std::make_shared<const CodeType>(std::move(Id));
  Element.Ident = unusedName(V->getNameAsString() + "_id");
  body::Declare Copy = declared(V);
  Copy.Init = body::Declare::Equals;
  Copy.Values = {copied(V->getInit(), V->getType(), node(body::Name{Element.Ident}))};
  return std::pair{statement(std::move(Copy)), std::move(Element)};
}

//===-- to columns -------------------------------------------------------------------------===//

void BodyBuilder::assignElements(QualType Ty, const ExprRef& To, const ExprRef& From,
                                 body::Exprs& Out) {
  const QualType Element = elementOfContainer(Ty);
  for (std::uint64_t K = 0; K < constantSize(Ty).value(); ++K) {
    const ExprRef Number = node(body::Literal{std::to_string(K)});
    const ExprRef Left = node(body::Subscript{To, Number});
    const ExprRef Right = node(body::Subscript{From, Number});
    if (Element->isConstantArrayType())
      assignElements(Element, Left, Right, Out);
    else
      Out.push_back(node(body::Binary{"=", Left, Right}));
  }
}

void BodyBuilder::assignParts(Index Class, const std::set<Index>& Assigned, const ExprRef& To,
                              const ExprRef& From, body::Exprs& Out) {
  for (const Index Base : Model.Classes[Class].StructBases)
    assignParts(Base, Assigned, To,
                node(body::Cast{body::Cast::Static,
                                Types.ofCopy(Ast.getLValueReferenceType(
                                    Ast.getRecordType(Model.Classes[Base].Decl).withConst())),
                                From}),
                Out);
  for (const Index Number : membersOfCopies(Class)) {
    const Member& M = Model.Members[Number];
    const ExprRef Entry = node(body::Member{Number, To});
    const ExprRef Value = node(body::Part{From, M.Name, nullptr});
    if (M.Ty.IsHeld && M.Ty.Kind == TypeKind::Object)
      assignParts(*M.Ty.Class, Assigned, Entry, Value, Out);
    else if (!Assigned.contains(Number))
      continue;
    else if (isArrayMember(M))
      assignElements(M.Decl->getType(), Entry, Value, Out);
    else
      Out.push_back(node(body::Binary{"=", Entry, Value}));
  }
}

/// The right side first, as C++ has it of assignments.
body::ExprRef BodyBuilder::objectAssigned(const CXXOperatorCallExpr* E) {
  const Expr *To = E->getArg(0), *From = E->getArg(1);
  const QualType Class = Ast.getRecordType(cast<CXXMethodDecl>(E->getCalleeDecl())->getParent());
  const ExprRef Value = isCopy(From) ? expr(From) : copied(From, Class, expr(From));
  if (isCopy(To))
    return node(E, body::Binary{"=", receiver(To, E->getDirectCallee()), Value, true});
  const auto Use = llvm::find_if(F.Wholes, [&](const WholeUse& Of) { return Of.Assignment == E; });
  return withName(E, "value", Value, [&](const ExprRef& Given) {
    return withName(E, "object", expr(To), [&](const ExprRef& Object) {
      body::Exprs Each;
      assignParts(classOf(Class), Use->Assigned, Object, Given, Each);
      ExprRef All = Each.empty() ? node(body::Literal{"0"}) : Each.front();
      for (std::size_t K = 1; K < Each.size(); ++K)
        All = node(body::Binary{",", std::move(All), Each[K]});
      return All;
    });
  });
}

} // namespace ikra
