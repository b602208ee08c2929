// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls in bodies: of functions of the model, of lambdas, and of what the standard library and the
// runtime have for devices; pointers to values and iterators, which are pointers on a device.

#include "Analysis/Ast/Atomics.h"
#include "Analysis/Ast/CallForms.h"
#include "Analysis/Ast/CompilerFunctions.h"
#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/StdFunctions.h"
#include "BodyBuilder.h"

#include "UseChecks.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

body::ExprRef BodyBuilder::libraryCall(const Expr* E, std::string Name, body::Exprs Arguments) {
  const FunctionDecl* Callee = calleeOf(E);
  const StdFunction* Row = Callee ? findStdFunction(Callee) : nullptr;
  return node(E, body::LibraryCall{std::move(Name),
                                   {},
                                   std::move(Arguments),
                                   /*MayFail=*/false,
                                   Row && Row->Takes == StdFunction::Long ? body::Latency::Long
                                                                          : body::Latency::Short});
}

//===-- functions of the model, and lambdas ------------------------------------------------===//

body::ExprRef BodyBuilder::userCall(const Expr* Site, const Expr* Receiver,
                                    llvm::ArrayRef<const Expr*> Arguments) {
  const auto Known = F.Calls.find(Site);
  if (Known == F.Calls.end())
    return unknown(Site->getExprLoc(), "a call that was not collected");
  const Call& C = Known->second;
  const Index First = C.Targets.front().Function;
  // A dispatcher takes the element wherever the call has it; a function, where it did not change
  // it.
  const std::uint64_t Mask = C.isDirect() ? Model.Functions[First].SelfMask : C.SelfMask;
  const FunctionDecl* Callee = Model.Functions[First].Decl;
  std::vector<Operand> Operands;
  const auto Pass = [&](const Expr* Argument, unsigned Bit) {
    const bool IsElement = Bit <= 63 && ((Mask >> Bit) & 1);
    Operands.push_back(
        {Argument, IsElement ? element(Argument, /*AsId=*/false) : bound(Argument), IsElement});
  };
  if (Receiver) {
    if (Receiver->getType()->isPointerType() && isPointer(Receiver->getType()))
      Operands.push_back({Receiver, pointed(Receiver)});
    else if (valueClass(Receiver->getType()) || isCopy(Receiver))
      Operands.push_back({Receiver, receiver(Receiver, Callee)});
    else
      Pass(Receiver, 0);
  }
  for (unsigned K = 0; K < Arguments.size(); ++K)
    Pass(Arguments[K], K + 1);
  return inOrder(Site, orderOf(Site), Operands, Site->isGLValue(), [&](body::Exprs Values) {
    body::Call Out;
    if (C.isDirect())
      Out.Function = First;
    else
      Out.Dispatcher = C.Dispatcher;
    Out.Arguments = std::move(Values);
    // Choosing by class looks for null, and where there is no choice the program's call still does.
    Out.ChecksReceiver = Receiver && C.Dispatched && C.isDirect();
    if (Checks && Receiver && isObject(Receiver->getType()) && !Operands.front().IsElement)
      Out.Arguments.front() = Checks->object(Receiver, std::move(Out.Arguments.front()));
    return node(Site, std::move(Out));
  });
}

body::ExprRef BodyBuilder::closureCall(const CallExpr* E, const Expr* Closure,
                                       llvm::ArrayRef<const Expr*> Arguments) {
  // With template arguments of its own, a call may convert what it is given.
  const bool IsNamed = isa<CXXMemberCallExpr>(E);
  body::Invoke Out{expr(Closure), {}};
  for (const Expr* Argument : Arguments)
    Out.Arguments.push_back(IsNamed && Argument->getType()->isArithmeticType() ? converted(Argument)
                                                                               : bound(Argument));
  std::string Tag = instanceTag(E->getDirectCallee());
  if (Tag.empty())
    Tag = overloadTag(Closure->IgnoreParenImpCasts()->getType(), E->getDirectCallee());
  if (!Tag.empty())
    Out.Arguments.push_back(node(body::LibraryCall{Tag, {}, {}}));
  return node(E, std::move(Out));
}

//===-- functions of libraries -------------------------------------------------------------===//

/// The first of a function's template arguments, as it has to be written.
body::TemplateArgument BodyBuilder::firstArgument(const FunctionDecl* Callee) {
  const clang::TemplateArgument& First = Callee->getTemplateSpecializationArgs()->get(0);
  if (First.getKind() != clang::TemplateArgument::Type)
    return llvm::toString(First.getAsIntegral(), 10);
  // Where pointers of several types are IDs, their place tells them apart.
  if (Callee->getNumParams() == 1) {
    QualType Of = Callee->getParamDecl(0)->getType();
    if (Callee->getName() == "get_if")
      Of = Of->getPointeeType();
    if (const std::string Known = alternativeIn(Of, First.getAsType());
        Callee->getName() == "holds_alternative" && holdsObjects(Of))
      return Known.empty() ? body::TemplateArgument(typeOf(First.getAsType()))
                           : body::TemplateArgument(Known);
    if (const std::optional<unsigned> Among = indexAmongHeld(Of, First.getAsType()))
      return std::to_string(*Among);
  }
  return typeOf(First.getAsType());
}

/// A function of the standard library that works on values of classes.
body::ExprRef BodyBuilder::nativeCall(const CallExpr* E, CallForm Form) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const llvm::StringRef Name = Callee->getName();
  body::LibraryCall Out{"std::" + Name.str(), {}, nativeArguments({E->getArgs(), E->getNumArgs()})};
  if (Name == "make_tuple" || Name == "make_pair" || Name == "make_optional")
    return node(E, body::Make{typeOf(Callee->getReturnType()), // the type that was deduced
                              std::move(Out.Arguments), false});
  if (Name == "get" || Name == "holds_alternative" || Name == "bit_cast" || Name == "to_integer")
    Out.Types.push_back(firstArgument(Callee));
  if (Form == CallForm::OfVariant) {
    Out.Name = "ikra::get";
    Out.MayFail = true;
  }
  return node(E, std::move(Out));
}

/// What assert() calls, with its texts as the plain program prints them. nvcc has it for devices.
body::ExprRef BodyBuilder::assertion(const CallExpr* E) {
  const auto Quoted = [&](llvm::StringRef Text) {
    std::string Out;
    llvm::raw_string_ostream(Out).write_escaped(Text);
    return node(body::Literal{"\"" + Out + "\""});
  };
  const auto Text = [&](const Expr* Argument) {
    Argument = Argument->IgnoreParenImpCasts();
    if (const auto* Function = dyn_cast<PredefinedExpr>(Argument))
      Argument = Function->getFunctionName();
    const auto* Literal = dyn_cast_or_null<StringLiteral>(Argument);
    return Quoted(Literal ? Literal->getString() : "");
  };
  const PresumedLoc At = Ast.getSourceManager().getPresumedLoc(
      Ast.getSourceManager().getExpansionLoc(E->getExprLoc()));
  return libraryCall(E, "__assert_fail",
                     {Text(E->getArg(0)), Quoted(At.getFilename()),
                      node(body::Literal{std::to_string(At.getLine())}), Text(E->getArg(3))});
}

/// A function or an operator of std::complex. What changes one is given its place.
body::ExprRef BodyBuilder::complexCall(const CallExpr* E, llvm::StringRef Name,
                                       llvm::ArrayRef<const Expr*> Arguments) {
  const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
  const bool Changes = Operator && Operator->isAssignmentOp();
  std::vector<Operand> Operands;
  for (const Expr* Argument : Arguments)
    if (!isa<CXXDefaultArgExpr>(Argument))
      Operands.push_back({Argument, Changes && Operands.empty()
                                        ? receiver(Argument, E->getDirectCallee())
                                        : converted(Argument)});
  return inOrder(E, orderOf(E), Operands, E->isGLValue(), [&](body::Exprs Values) {
    return libraryCall(E, ("ikra::complex_math::" + Name).str(), std::move(Values));
  });
}

/// An operation of a std::atomic or a std::atomic_ref, as ikra::atomics has it.
body::ExprRef BodyBuilder::atomicCall(const CallExpr* E, bool IsUnused) {
  const AtomicOperation Of = atomicOperation(E).value();
  const auto Name = [&]() -> std::string {
    switch (Of.Does) {
    case AtomicOperation::Load:
      return "load";
    case AtomicOperation::Store:
      return "store";
    case AtomicOperation::Exchange:
      return "exchange";
    case AtomicOperation::CompareExchange:
      return "compare_exchange";
    case AtomicOperation::Update:
      if (IsUnused)
        return ("update_" + Of.Operator).str();
      return (Of.GivesAfter ? Of.Operator + "_fetch" : "fetch_" + Of.Operator).str();
    }
    llvm_unreachable("an operation of an atomic");
  };
  std::vector<Operand> Operands{{Of.Of, Of.IsPointed ? pointed(Of.Of) : expr(Of.Of)}};
  for (const Expr* Value : Of.Values) {
    const bool IsExpected = Of.Does == AtomicOperation::CompareExchange && Operands.size() == 1;
    Operands.push_back({Value, IsExpected ? expr(Value) : converted(Value)});
  }
  return inOrder(E, orderOf(E), Operands, /*GivesLValue=*/false, [&](body::Exprs Values) {
    if (Of.ByOne)
      Values.push_back(node(body::Literal{"1"}));
    body::LibraryCall Out{"ikra::atomics::" + Name(), {}, std::move(Values)};
    if (Of.IsRelaxed)
      Out.Types.emplace_back("std::memory_order_relaxed");
    return node(E, std::move(Out));
  });
}

body::ExprRef BodyBuilder::call(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  const std::string Name = Callee->getNameAsString();
  const CallForm Form = formOf(E, Ast, classifier());
  switch (Form) {
  case CallForm::Unknown:
    return unknown(E->getExprLoc(), "a call of " + Callee->getQualifiedNameAsString());
  case CallForm::Modelled:
    if (isExtremumOfTwo(E) && !F.Calls.contains(E)) // of a turn, which follows no functions
      return libraryCall(E, "ikra::algorithm::" + Name + "_of", arguments(Arguments));
    return userCall(E, nullptr, Arguments);
  case CallForm::Constant:
    return staticCast(E, plainType(E->getType()),
                      node(E, body::Literal{constantCallText(E, Ast).value()}));
  case CallForm::Limit: {
    const QualType Limits = Ast.getRecordType(cast<CXXMethodDecl>(Callee)->getParent());
    return libraryCall(E, hostSpelling(Limits, Ast) + "::" + Name, {});
  }
  case CallForm::Rank:
    return evaluated(E);
  case CallForm::Atomic:
    return libraryCall(E, "ikra::" + Name, arguments(Arguments));
  case CallForm::Forwarded: // a place; where an rvalue reference is bound to it, bound() says so
    return expr(Arguments[0]);
  case CallForm::ElementOfArray: {
    const llvm::APSInt& Number = Callee->getTemplateSpecializationArgs()->get(0).getAsIntegral();
    return node(
        E, body::Subscript{expr(Arguments[0]), node(body::Literal{llvm::toString(Number, 10)})});
  }
  case CallForm::Visit:
    return libraryCall(E, "ikra::visit", arguments(Arguments));
  case CallForm::Apply:
    return libraryCall(E, "std::apply", arguments(Arguments));
  case CallForm::Invoke: {
    body::Invoke Out{expr(Arguments[0]), {}};
    for (const Expr* Argument : Arguments.drop_front())
      Out.Arguments.push_back(bound(Argument));
    return node(E, std::move(Out));
  }
  case CallForm::Algorithm:
    return algorithm(E);
  case CallForm::Iterator:
    return iteratorOf(E, Name, Arguments[0]);
  case CallForm::Size:
    return sizeOf(E);
  case CallForm::OfComplex:
    return complexCall(E, Name, Arguments);
  case CallForm::ComplexLiteral:
    return node(E,
                body::Make{typeOf(E->getType()),
                           {node(body::Literal{"0"}), node(body::Literal{imaginaryText(E, Ast)})},
                           false});
  case CallForm::OfIntegers:
    return libraryCall(E, "ikra::algorithm::" + Name, nativeArguments(Arguments));
  case CallForm::OfBits: {
    const BitsFunction Of = bitsFunction(Callee).value();
    body::ExprRef All =
        libraryCall(E, ("ikra::algorithm::" + Of.Name).str(), nativeArguments(Arguments));
    return Of.LeastBit ? node(E, body::Binary{"&", std::move(All), node(body::Literal{"1"})}) : All;
  }
  case CallForm::CopiedBits: {
    const CopiedBits Of = copiedBits(E, Ast).value();
    const TypeRef To = plainType(Of.To->getType().getUnqualifiedType());
    return node(
        E, body::Binary{"=", expr(Of.To), node(body::Cast{body::Cast::Bits, To, expr(Of.From)})});
  }
  case CallForm::Expected:
    return expr(Arguments[0]);
  case CallForm::Unreachable:
    return libraryCall(E, "__builtin_unreachable", {});
  case CallForm::Assertion:
    return assertion(E);
  case CallForm::GetIf:
    return node(E, body::LibraryCall{"std::get_if", {firstArgument(Callee)}, {expr(Arguments[0])}});
  case CallForm::ExtremumOfList:
    return extremum(E, Name, elementsOfList(E));
  case CallForm::OfVariant:
  case CallForm::OfValues:
    return nativeCall(E, Form);
  case CallForm::Native:
    return libraryCall(E, "std::" + stdName(Callee).str(), nativeArguments(Arguments));
  }
  llvm_unreachable("a form of call");
}

body::ExprRef BodyBuilder::methodCall(const CXXMemberCallExpr* E) {
  const CXXMethodDecl* Callee = E->getMethodDecl();
  const Expr* Object = E->getImplicitObjectArgument();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  const std::string Name = Callee->getNameAsString();
  const auto Checked = [&](const char* Function, body::Exprs Operands) {
    return node(E, body::LibraryCall{Function, {}, std::move(Operands), /*MayFail=*/true});
  };
  switch (formOf(E, classifier())) {
  case MethodForm::Unknown:
    return unknown(E->getExprLoc(), "a call of " + Callee->getQualifiedNameAsString());
  case MethodForm::Modelled:
    return userCall(E, Callee->isStatic() ? nullptr : Object, Arguments);
  case MethodForm::Closure:
    if (F.Calls.contains(E)) // one without captures, from outside
      return userCall(E, nullptr, Arguments);
    return closureCall(E, Object, Arguments);
  case MethodForm::Atomic:
    return atomicCall(E, /*IsUnused=*/false);
  case MethodForm::Pointer:
    return expr(Object);
  case MethodForm::PointerIsSet:
    return node(E, body::IsSet{expr(Object)});
  case MethodForm::PointerIsNull:
    return node(E, body::Unary{"!", node(E, body::IsSet{expr(Object)})});
  case MethodForm::At:
    return inOrder(E, Order::FirstBefore,
                   {{Object, expr(Object)}, {Arguments[0], converted(Arguments[0])}}, true,
                   [&](body::Exprs Operands) { return Checked("ikra::at", std::move(Operands)); });
  case MethodForm::OptionalValue:
    return Checked("ikra::value", {expr(Object)});
  case MethodForm::Iterator:
    return iteratorOf(E, Name, Object);
  case MethodForm::OfContainer:
    if (Name == "shape" && rankOfArray(objectType(Object)) == 1)
      return libraryCall(E, "ikra::index<1>",
                         {node(body::MethodCall{expr(Object), "size", {}, {}})});
    if (const std::optional<std::uint64_t> Size = constantSize(objectType(Object)))
      return ofArray(E, Name, *Size);
    return plainMethodCall(E);
  case MethodForm::PartOfSpan:
  case MethodForm::Random:
  case MethodForm::OfValue:
    // The name of a conversion to a class or enumeration has that one's, as its text had it there.
    if (const auto* Conversion = dyn_cast<CXXConversionDecl>(Callee);
        Conversion && !Conversion->getConversionType()->isBuiltinType())
      return staticCast(E, plainType(Conversion->getConversionType()), expr(Object));
    return plainMethodCall(E);
  }
  llvm_unreachable("a form of call");
}

/// size(), empty(), front() or back() of a std::array of pointers or objects, which is a view or,
/// as a variable, a built-in array.
body::ExprRef BodyBuilder::ofArray(const CXXMemberCallExpr* E, llvm::StringRef Name,
                                   std::uint64_t Size) {
  if (Name == "size" || Name == "empty") {
    const std::string IsEmpty = Size == 0 ? "true" : "false";
    return staticCast(E, plainType(E->getType()),
                      node(E, body::Literal{Name == "size" ? std::to_string(Size) : IsEmpty}));
  }
  const std::uint64_t At = Name == "front" ? 0 : Size - 1;
  return node(E, body::Subscript{expr(E->getImplicitObjectArgument()),
                                 node(body::Literal{std::to_string(At)})});
}

/// A method that is the same on a device.
body::ExprRef BodyBuilder::plainMethodCall(const CXXMemberCallExpr* E) {
  const CXXMethodDecl* Callee = E->getMethodDecl();
  const Expr* Object = E->getImplicitObjectArgument();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  body::MethodCall Out;
  Out.Name = Callee->getNameAsString();
  if (cast<MemberExpr>(E->getCallee()->IgnoreParens())->hasExplicitTemplateArgs()) {
    for (const clang::TemplateArgument& Of : Callee->getTemplateSpecializationArgs()->asArray())
      if (Of.getKind() == clang::TemplateArgument::Type)
        Out.Types.emplace_back(typeOf(Of.getAsType()));
      else if (Of.getKind() == clang::TemplateArgument::Integral)
        Out.Types.emplace_back(llvm::toString(Of.getAsIntegral(), 10));
  }
  Out.ThroughPointer = Object->getType()->isPointerType() && isPointer(Object->getType());
  Out.Object = Out.ThroughPointer ? pointed(Object) : expr(Object);
  Out.Arguments = Out.ThroughPointer || valueClass(Object->getType()) ? nativeArguments(Arguments)
                                                                      : arguments(Arguments);
  return node(E, std::move(Out));
}

//===-- operators --------------------------------------------------------------------------===//

body::ExprRef BodyBuilder::windowRead(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  ExprRef Read = node(E, body::WindowRead{expr(All[0]), arguments(All.drop_front()),
                                          E->getOperator() == OO_Subscript});
  // Kernels know enumerations as numbers, and char8_t.
  return E->getType()->isEnumeralType() || E->getType()->isChar8Type()
             ? staticCast(E, plainType(E->getType()), std::move(Read))
             : Read;
}

/// What a variant is made of, or assigned: an ID as that of the alternative.
body::ExprRef BodyBuilder::heldInVariant(QualType Variant, const Expr* Value) {
  std::string Known = alternativeIn(Variant, Value->getType());
  return Known.empty() ? converted(Value)
                       : node(Value, body::LibraryCall{std::move(Known), {}, {expr(Value)}});
}

/// Operators of std::variant and std::optional that are others on a device: assignments of what
/// they may hold, those that lead to it, and those with std::nullopt, which is not there. Null for
/// others.
body::ExprRef BodyBuilder::ofHolder(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  const OverloadedOperatorKind Operator = E->getOperator();
  const auto Assigned = [&](body::Exprs Values) {
    return node(
        E, body::Binary{"=", expr(All[0]),
                        node(body::Make{plainType(All[0]->getType()), std::move(Values), false}),
                        true});
  };
  if (Operator == OO_Equal && isStdClass(All[0]->getType(), "variant"))
    return Assigned({heldInVariant(All[0]->getType(), All[1])});
  if (!isStdClass(All[0]->getType(), "optional"))
    return nullptr;
  if (Operator == OO_Arrow || (Operator == OO_Star && All.size() == 1))
    return Checks ? node(E, Checks->pointed(E, expr(All[0])))
                  : node(E, body::Paren{node(E, body::Deref{expr(All[0])})});
  if (All.size() != 2 || !isStdClass(All[1]->getType(), "nullopt_t"))
    return nullptr;
  if (Operator == OO_Equal)
    return Assigned({});
  return node(
      E, body::Paren{
             node(E, body::Unary{"!", node(body::MethodCall{expr(All[0]), "has_value", {}, {}})})});
}

body::ExprRef BodyBuilder::pointerOperator(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  const std::string Sign = getOperatorSpelling(E->getOperator());
  switch (E->getOperator()) {
  case OO_Star:
    return node(E, Checks ? Checks->pointed(E, expr(All[0])) : body::Deref{expr(All[0])});
  case OO_Arrow:
    return expr(All[0]);
  case OO_Subscript:
    return node(E, body::Subscript{expr(All[0]), expr(All[1])});
  case OO_PlusPlus:
  case OO_MinusMinus:
    return node(E, body::Unary{Sign, expr(All[0]), /*IsPostfix=*/All.size() == 2});
  default:
    return node(E, body::Paren{node(E, body::Binary{Sign, expr(All[0]), expr(All[1]), true})});
  }
}

std::optional<Index> BodyBuilder::numberOf(const CXXRecordDecl* Class) const {
  const auto It = llvm::find_if(Model.Classes, [&](const ikra::Class& C) {
    return C.Decl->getCanonicalDecl() == Class->getCanonicalDecl();
  });
  if (It == Model.Classes.end())
    return std::nullopt;
  return static_cast<Index>(It - Model.Classes.begin());
}

bool BodyBuilder::areOfOneFamily(std::optional<Index> A, std::optional<Index> B) const {
  return A && B && Model.Classes[*A].Family == Model.Classes[*B].Family;
}

body::ExprRef BodyBuilder::ofClass(const Expr* E, body::OfClass::Form Form, const Expr* Object,
                                   const CXXRecordDecl* Class) {
  const std::optional<Index> Of = numberOf(Class);
  if (!areOfOneFamily(Of, numberOf(classOfObject(Object)))) { // never
    if (Form == body::OfClass::Equals)
      return node(E, body::Literal{"false"});
    const QualType Ty = E->getType();
    const ExprRef Null =
        node(E, body::Make{typeOf(Ty->isPointerType() ? Ty : Ast.getPointerType(Ty)), {}, false});
    return Form == body::OfClass::Cast
               ? Null
               : node(E, body::LibraryCall{"ikra::referred", {}, {Null}, /*MayFail=*/true});
  }
  return node(E, body::OfClass{Form, expr(Object), *Of});
}

body::ExprRef BodyBuilder::typeTested(const Expr* E, const TypeTest& Test) {
  if (!Test.Other)
    return ofClass(E, body::OfClass::Equals, Test.Object, Test.Class);
  const std::optional<Index> Of = numberOf(classOfObject(Test.Object));
  if (!areOfOneFamily(Of, numberOf(classOfObject(Test.Other)))) // never
    return node(E, body::Literal{"false"});
  return node(E, body::SameClass{expr(Test.Object), expr(Test.Other), *Of});
}

body::ExprRef BodyBuilder::operatorCall(const CXXOperatorCallExpr* E) {
  if (const TypeTest Test = typeTest(E); Test.Object)
    return typeTested(E, Test);
  const auto* Callee = cast<FunctionDecl>(E->getCalleeDecl());
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  if (assignsObject(E, Model.Roles))
    return objectAssigned(E);
  switch (formOf(E, Model.Roles, classifier())) {
  case OperatorForm::Unknown:
    return unknown(E->getExprLoc(), "a call of " + Callee->getQualifiedNameAsString());
  case OperatorForm::Modelled: {
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    const bool HasReceiver = Method && Method->isInstance();
    const bool IsObject = HasReceiver && !isExtremum(Method->getParent());
    return userCall(E, IsObject ? All[0] : nullptr, HasReceiver ? All.drop_front() : All);
  }
  case OperatorForm::Closure:
    if (F.Calls.contains(E)) // one without captures, from outside
      return userCall(E, nullptr, All.drop_front());
    return closureCall(E, All[0], All.drop_front());
  case OperatorForm::Atomic:
    return atomicCall(E, /*IsUnused=*/false);
  case OperatorForm::WindowRead:
    return windowRead(E);
  case OperatorForm::OfPointer:
    return pointerOperator(E);
  case OperatorForm::Extremum: {
    const RangeExtremum Of = extremumOfRanges(E);
    if (Of.Container)
      return libraryCall(
          E, ("ikra::algorithm::" + Of.Name + "_of_range").str(),
          {iteratorOf(E, "begin", Of.Container), iteratorOf(E, "end", Of.Container)});
    return extremum(E, Of.Name, Of.Numbers);
  }
  case OperatorForm::Algorithm:
    return algorithm(E);
  case OperatorForm::Location: {
    if (rankOfArray(All[0]->getType()) == 1) // a list, which has numbers for locations
      return node(E, body::Subscript{expr(All[0]), expr(All[1])});
    if (Checks)
      return node(E, body::Subscript{expr(All[0]),
                                     node(body::LibraryCall{
                                         "ikra::index<" + std::to_string(All.size() - 1) + ">",
                                         {},
                                         arguments(All.drop_front())})});
    return node(E, body::Location{expr(All[0]), arguments(All.drop_front())});
  }
  case OperatorForm::Subscript: {
    ExprRef At = expr(All[1]);
    if (rankOfArray(All[0]->getType()) == 1 && isIndex(All[1]->getType()))
      At = node(body::Subscript{std::move(At), node(body::Literal{"0"})});
    return node(E, body::Subscript{expr(All[0]), std::move(At)});
  }
  case OperatorForm::ToObject: // a pointer is the object's ID
    if (E->getOperator() == OO_Arrow || (E->getOperator() == OO_Star && All.size() == 1))
      return expr(All[0]);
    for (unsigned K = 0; K < 2; ++K) // == std::nullopt
      if (isStdClass(All[K]->getType(), "nullopt_t"))
        return node(E, body::Unary{"!", node(E, body::IsSet{expr(All[1 - K])})});
    return plainOperator(E);
  case OperatorForm::OfComplex:
    return complexCall(E, complexOperator(E->getOperator()), All);
  case OperatorForm::OfValue:
    if (ExprRef Made = ofHolder(E))
      return Made;
    return plainOperator(E);
  case OperatorForm::OfSpan:
  case OperatorForm::Random:
    return plainOperator(E);
  }
  llvm_unreachable("a form of operator");
}

/// An operator that is the same on a device.
body::ExprRef BodyBuilder::plainOperator(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  if (E->getOperator() == OO_Subscript)
    return node(E, body::Subscript{expr(All[0]), expr(All[1])});
  if (E->getOperator() == OO_Call)
    return node(E, body::Invoke{expr(All[0]), arguments(All.drop_front())});
  const std::string Sign = getOperatorSpelling(E->getOperator());
  if (All.size() == 1)
    return node(E, body::Unary{Sign, expr(All[0])});
  return node(
      E, body::Binary{Sign, expr(All[0]),
                      isZeroOfOrder(All[1]->getType()) ? node(body::Literal{"0"}) : expr(All[1]),
                      true});
}

//===-- pointers to values, and algorithms over them ---------------------------------------===//

body::ExprRef BodyBuilder::pointed(const Expr* Pointer) {
  const Expr* E = Pointer->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(E))
    return throughBases(Pointer, thisObject(E));
  if (const auto* Arrow = dyn_cast<CXXOperatorCallExpr>(E);
      Arrow && isStdClass(Arrow->getArg(0)->getType(), "optional"))
    return expr(E); // already its value
  if (const auto* Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    return throughBases(Pointer, expr(Address->getSubExpr()));
  return node(Checks ? Checks->pointed(Pointer, expr(Pointer)) : body::Deref{expr(Pointer)});
}

body::ExprRef BodyBuilder::iteratorOf(const Expr* E, llvm::StringRef Name, const Expr* Container) {
  return libraryCall(E, Name.ends_with("end") ? "ikra::end_of" : "ikra::first_of",
                     {expr(Container)});
}

/// The largest or the least of numbers.
body::ExprRef BodyBuilder::extremum(const CallExpr* E, llvm::StringRef Name,
                                    llvm::ArrayRef<const Expr*> Numbers) {
  std::vector<Operand> All;
  for (const Expr* Number : Numbers)
    All.push_back({Number, converted(Number)});
  return inOrder(E, Order::LeftToRight, All, false, [&](body::Exprs Values) {
    return libraryCall(E, "ikra::algorithm::" + Name.str() + "_of", std::move(Values));
  });
}

/// An algorithm over iterators, as ikra::algorithm has it.
body::ExprRef BodyBuilder::algorithm(const CallExpr* E) {
  body::Exprs Values;
  const AlgorithmCall Of = algorithmCall(E).value();
  for (const auto& [Argument, Part] : Of.Arguments)
    if (Part != AlgorithmArgument::Whole) {
      const bool IsFirst = Part == AlgorithmArgument::First;
      Values.push_back(node(
          body::LibraryCall{IsFirst ? "ikra::first_of" : "ikra::end_of", {}, {expr(Argument)}}));
    } else if (isOperatorObject(Argument->getType())) {
      CodeType Object;
      Object.Of.Kind = TypeKind::Value;
      Object.Of.Spelling = hostSpelling(Argument->getType().getUnqualifiedType(), Ast);
      Values.push_back(
          node(body::Make{std::make_shared<const CodeType>(std::move(Object)), {}, true}));
    } else if (!isa<CXXDefaultArgExpr>(Argument)) {
      Values.push_back(converted(Argument));
    }
  return libraryCall(E, "ikra::algorithm::" + Of.Name.str(), std::move(Values));
}

/// std::size(c) and its kin.
body::ExprRef BodyBuilder::sizeOf(const CallExpr* E) {
  const Expr* Container = E->getArg(0);
  const std::optional<std::uint64_t> Size = constantSize(Container->getType());
  ExprRef Count = Size ? node(body::Literal{std::to_string(*Size)})
                       : node(body::MethodCall{expr(Container), "size", {}, {}});
  if (E->getDirectCallee()->getName() != "empty")
    return staticCast(E, typeOf(E->getType()), std::move(Count));
  return node(E, body::Paren{node(
                     E, body::Binary{"==", std::move(Count), node(body::Literal{"0"}), true})});
}

} // namespace ikra
