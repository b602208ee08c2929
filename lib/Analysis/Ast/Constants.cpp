// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relies on clang's evaluator of constants.

#include "Constants.h"

#include "Analysis/Ast/Names.h"

#include "Types.h"

#include "clang/AST/APValue.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/CXXInheritance.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

std::string integerText(const llvm::APSInt& N) {
  if (N.isSigned() && N.isMinSignedValue() && N.getBitWidth() >= 32)
    return "(-" + llvm::toString(llvm::APInt::getSignedMaxValue(N.getBitWidth()), 10, false) +
           " - 1)";
  return llvm::toString(N, 10, N.isSigned()) +
         (N.isUnsigned() && N.getActiveBits() > 63 ? "u" : "");
}

const APValue* constantOf(const VarDecl* Variable) {
  const QualType Ty = Variable->getType().getNonReferenceType().getCanonicalType(); // of arrays too
  const VarDecl* Initialised = nullptr;
  if (!Ty.isConstQualified() || Ty.isVolatileQualified() ||
      !Variable->getAnyInitializer(Initialised) || Initialised->getInit()->isValueDependent())
    return nullptr;
  return Initialised->evaluateValue();
}

/// How far after the start of its class a member lies that a pointer of type \p Ty points to: what
/// such a pointer is in memory, -1 where it is null.
static std::optional<std::string> offsetText(const APValue& Value, QualType Ty) {
  const ValueDecl* Member = Value.getMemberPointerDecl();
  if (!Member)
    return "-1";
  const auto* Field = dyn_cast<FieldDecl>(Member);
  if (!Field)
    return std::nullopt;
  const ASTContext& Context = Field->getASTContext();
  const auto* Owner = cast<CXXRecordDecl>(Field->getParent());
  const CXXRecordDecl* Class =
      Ty->castAs<MemberPointerType>()->getClass()->getAsCXXRecordDecl()->getDefinition();
  CharUnits Offset =
      Context.toCharUnitsFromBits(static_cast<std::int64_t>(Context.getFieldOffset(Field)));
  if (CXXBasePaths Paths; !declaresSameEntity(Class, Owner)) {
    if (!Class->isDerivedFrom(Owner, Paths))
      return std::nullopt;
    for (const CXXBasePathElement& Step : Paths.front()) {
      if (Step.Base->isVirtual())
        return std::nullopt;
      Offset += Context.getASTRecordLayout(Step.Class)
                    .getBaseClassOffset(Step.Base->getType()->getAsCXXRecordDecl());
    }
  }
  return std::to_string(Offset.getQuantity());
}

static std::optional<std::string> numberText(const APValue& Value, QualType Ty) {
  if (Value.isMemberPointer())
    return offsetText(Value, Ty);
  if (Value.isInt())
    return integerText(Value.getInt());
  if (!Value.isFloat())
    return std::nullopt;
  if (const llvm::APFloat& F = Value.getFloat(); !F.isFinite()) {
    const std::string Limits = Ty->isSpecificBuiltinType(BuiltinType::Float)
                                   ? "std::numeric_limits<float>::"
                                   : "std::numeric_limits<double>::";
    return F.isNaN() ? Limits + "quiet_NaN()"
                     : (F.isNegative() ? "(-" : "(") + Limits + "infinity())";
  }
  llvm::SmallString<32> Text;
  Value.getFloat().toString(Text);
  std::string Out(Text);
  if (Out.find_first_of(".eE") == std::string::npos)
    Out += ".0";
  // A float's digits read as a double, and then rounded, need not give the float again.
  return Ty->isSpecificBuiltinType(BuiltinType::Float) ? Out + "f" : Out;
}

bool holdsCall(const Stmt* S) {
  return anyPart(
      S, [](const Stmt* Part) { return isa<CallExpr, CXXConstructExpr, MemberExpr>(Part); });
}

bool isWrittenAsValue(const VarDecl* Variable) {
  return Variable->isConstexpr() && Variable->getInit() && holdsCall(Variable->getInit()) &&
         !Variable->getType()->isMemberPointerType() && constantText(Variable);
}

bool keepsItsValue(const VarDecl* Variable) {
  const QualType Ty = Variable->getType();
  const CXXRecordDecl* Class = Ty->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return Ty.isConstant(Variable->getASTContext()) && !Ty.isVolatileQualified() &&
         !(Class && Class->hasDefinition() && Class->hasMutableFields());
}

std::optional<std::string> constantText(const VarDecl* Variable) {
  const QualType Ty = Variable->getType().getNonReferenceType();
  if (!Ty->isArithmeticType() && !Ty->isEnumeralType() && !Ty->isMemberDataPointerType())
    return std::nullopt;
  const APValue* Value = constantOf(Variable);
  return Value ? numberText(*Value, Ty) : std::nullopt;
}

std::optional<std::string> memberPointerText(const Expr* E, const ASTContext& Context) {
  Expr::EvalResult Result;
  if (!E->getType()->isMemberDataPointerType() || !E->isPRValue() ||
      !E->EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
    return std::nullopt;
  return numberText(Result.Val, E->getType());
}

std::optional<std::string> orderingText(const VarDecl* Variable) {
  const bool IsOrdering =
      llvm::any_of(llvm::ArrayRef{"strong_ordering", "weak_ordering", "partial_ordering"},
                   [&](const char* Name) { return isStdClass(Variable->getType(), Name); });
  if (!IsOrdering || !Variable->isStaticDataMember() || !isInStd(Variable))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<std::string>>(Variable->getName())
      .Case("less", "0 <=> 1")
      .Cases("equal", "equivalent", "0 <=> 0")
      .Case("greater", "1 <=> 0")
      .Case("unordered",
            "ikra::algorithm::three_way(0.0, std::numeric_limits<double>::quiet_NaN())")
      .Default(std::nullopt);
}

/// True for std::nan("") and nanf(""): a NaN without a payload, which is what NAN is.
static bool isNan(const CallExpr* Call) {
  const FunctionDecl* Callee = Call->getDirectCallee();
  if (!Callee || !Callee->isExternC() || !Callee->getIdentifier() || Call->getNumArgs() != 1 ||
      (Callee->getName() != "nan" && Callee->getName() != "nanf"))
    return false;
  const auto* Payload = dyn_cast<StringLiteral>(Call->getArg(0)->IgnoreParenImpCasts());
  return Payload && Payload->getString().empty();
}

std::optional<std::string> constantCallText(const CallExpr* Call, const ASTContext& Context) {
  const FunctionDecl* Callee = Call->getDirectCallee();
  if (isNan(Call))
    return numberText(
        APValue(llvm::APFloat::getQNaN(Context.getFloatTypeSemantics(Call->getType()))),
        Call->getType());
  const bool IsBuiltin = Callee && Callee->getIdentifier() && Callee->getBuiltinID() != 0 &&
                         Callee->getName().starts_with("__builtin_");
  if (!(IsBuiltin || isLiteralCall(Call)) || Call->isInstantiationDependent() ||
      !Call->getType()->isArithmeticType())
    return std::nullopt;
  Expr::EvalResult Result;
  if (!Call->EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
    return std::nullopt;
  return numberText(Result.Val, Call->getType());
}

bool isLiteralCall(const CallExpr* Call) {
  const FunctionDecl* Callee = Call->getDirectCallee();
  const auto IsLiteral = [](const Expr* Given) {
    return isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, StringLiteral>(
        Given->IgnoreParenImpCasts());
  };
  return isa<UserDefinedLiteral>(Call) ||
         (Callee && Callee->getLiteralIdentifier() && llvm::all_of(Call->arguments(), IsLiteral));
}

std::string imaginaryText(const CallExpr* E, const ASTContext& Context) {
  const auto* Class = cast<ClassTemplateSpecializationDecl>(E->getType()->getAsCXXRecordDecl());
  const QualType Part = Class->getTemplateArgs()[0].getAsType();
  const llvm::fltSemantics& As = Context.getFloatTypeSemantics(Part);
  llvm::APFloat Value(As);
  Expr::EvalResult Written;
  if (!E->getArg(0)->EvaluateAsRValue(Written, Context))
    llvm_unreachable("a literal without a value");
  if (Written.Val.isInt()) {
    Value.convertFromAPInt(Written.Val.getInt(), /*IsSigned=*/false,
                           llvm::APFloat::rmNearestTiesToEven);
  } else {
    bool LosesDigits = false;
    Value = Written.Val.getFloat();
    Value.convert(As, llvm::APFloat::rmNearestTiesToEven, &LosesDigits);
  }
  return *numberText(APValue(Value), Part);
}

namespace {

/// The bytes of a constant, as a program has them in memory.
class ConstantBytes {
public:
  ConstantBytes(const ASTContext& Context, QualType Ty)
      : Context(Context),
        Bytes(static_cast<std::size_t>(Context.getTypeSizeInChars(Ty).getQuantity())) {}

  /// False for what has no bytes of its own: pointers, bit-fields, unions, long double, and what
  /// the standard library makes by constructors.
  bool write(const APValue& Value, QualType Ty, CharUnits At) {
    if (const auto* Array = Context.getAsConstantArrayType(Ty))
      return writeArray(Value, Array, At);
    if (const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl())
      return Value.isStruct() && (!isInStd(Record) || Record->isAggregate()) &&
             writeClass(Value, Record, At);
    const bool IsNumber = Value.isInt() || (Value.isFloat() && !isLongDouble(Ty));
    if (!IsNumber)
      return false;
    const auto Size = static_cast<unsigned>(Context.getTypeSizeInChars(Ty).getQuantity());
    const llvm::APInt Bits =
        (Value.isInt() ? llvm::APInt(Value.getInt()) : Value.getFloat().bitcastToAPInt())
            .zextOrTrunc(8 * Size);
    for (unsigned K = 0; K < Size; ++K) // the host and every device are little-endian
      Bytes[static_cast<std::size_t>(At.getQuantity()) + K] =
          static_cast<unsigned char>(Bits.extractBitsAsZExtValue(8, 8 * K));
    return true;
  }

  llvm::ArrayRef<unsigned char> bytes() const { return Bytes; }

private:
  static bool isLongDouble(QualType Ty) {
    return Ty->isSpecificBuiltinType(BuiltinType::LongDouble);
  }

  bool writeArray(const APValue& Value, const ConstantArrayType* Array, CharUnits At) {
    const CharUnits Size = Context.getTypeSizeInChars(Array->getElementType());
    for (unsigned K = 0; Value.isArray() && K < Value.getArraySize(); ++K) {
      const bool Written = K < Value.getArrayInitializedElts();
      const APValue& Of = Written ? Value.getArrayInitializedElt(K) : Value.getArrayFiller();
      if (!write(Of, Array->getElementType(), At + K * Size))
        return false;
    }
    return Value.isArray();
  }

  bool writeClass(const APValue& Value, const CXXRecordDecl* Record, CharUnits At) {
    const ASTRecordLayout& Layout = Context.getASTRecordLayout(Record);
    unsigned K = 0;
    for (const CXXBaseSpecifier& Base : Record->bases())
      if (Base.isVirtual() ||
          !write(Value.getStructBase(K++), Base.getType(),
                 At + Layout.getBaseClassOffset(Base.getType()->getAsCXXRecordDecl())))
        return false;
    for (const FieldDecl* Member : Record->fields()) {
      const unsigned Which = Member->getFieldIndex();
      if (Member->isBitField() || !write(Value.getStructField(Which), Member->getType(),
                                         At + Context.toCharUnitsFromBits(static_cast<std::int64_t>(
                                                  Layout.getFieldOffset(Which)))))
        return false;
    }
    return true;
  }

  const ASTContext& Context;
  std::vector<unsigned char> Bytes;
};

/// The node of a value of any type, or null.
class ConstantBuilder {
public:
  ConstantBuilder(const ASTContext& Context, llvm::function_ref<TypeRef(QualType)> TypeOf)
      : Context(Context), TypeOf(TypeOf) {}

  body::ExprRef of(const APValue& Value, QualType Ty) {
    Ty = Ty.getCanonicalType().getUnqualifiedType();
    if (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
      return ofArray(Value, Array->getElementType());
    if (const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl())
      return ofClass(Value, Record, Ty);
    const std::optional<std::string> Text = numberText(Value, Ty);
    return Text ? node(body::Cast{body::Cast::Static, TypeOf(Ty), node(body::Literal{*Text})})
                : nullptr;
  }

private:
  static body::ExprRef node(body::Expr::Node Node) { return body::expr(std::move(Node)); }

  body::ExprRef ofArray(const APValue& Value, QualType Element) {
    if (!Value.isArray() || Value.getArraySize() == 0)
      return nullptr;
    body::Make Out{nullptr, {}, /*InBraces=*/true};
    for (unsigned K = 0; K < Value.getArraySize(); ++K) {
      const bool Written = K < Value.getArrayInitializedElts();
      const APValue& Of = Written ? Value.getArrayInitializedElt(K) : Value.getArrayFiller();
      if (!add(Out.Arguments, Of, Element))
        return nullptr;
    }
    return node(std::move(Out));
  }

  body::ExprRef ofClass(const APValue& Value, const CXXRecordDecl* Record, QualType Ty) {
    if (isIndex(Ty)) { // made from its coordinates
      const body::ExprRef All = Value.isStruct()
                                    ? of(Value.getStructField(0), Record->field_begin()->getType())
                                    : nullptr;
      return All ? node(body::Make{TypeOf(Ty), std::get<body::Make>(All->Is).Arguments, true})
                 : nullptr;
    }
    if (isComplex(Ty)) {
      if (!Value.isStruct() || !Value.getStructField(0).isComplexFloat())
        return nullptr;
      const APValue& Both = Value.getStructField(0);
      const QualType Part =
          cast<ClassTemplateSpecializationDecl>(Record)->getTemplateArgs()[0].getAsType();
      return node(body::Make{TypeOf(Ty),
                             {of(APValue(Both.getComplexFloatReal()), Part),
                              of(APValue(Both.getComplexFloatImag()), Part)},
                             false});
    }
    const bool IsPair = isInStd(Record) && Record->getName() == "pair";
    if (!Value.isStruct())
      return nullptr;
    if (!IsPair && !Record->isAggregate())
      return !isInStd(Record) && Ty.isTriviallyCopyableType(Context) ? ofBytes(Value, Ty) : nullptr;
    body::Make Out{TypeOf(Ty), {}, /*InBraces=*/!IsPair};
    unsigned K = 0;
    for (const CXXBaseSpecifier& Base : Record->bases())
      if (const APValue& Of = Value.getStructBase(K++);
          !IsPair && !add(Out.Arguments, Of, Base.getType()))
        return nullptr;
    for (const FieldDecl* Member : Record->fields())
      if (!Member->isUnnamedBitField() &&
          !add(Out.Arguments, Value.getStructField(Member->getFieldIndex()), Member->getType()))
        return nullptr;
    return node(std::move(Out));
  }

  /// What a constructor made: the class may have no other way in.
  body::ExprRef ofBytes(const APValue& Value, QualType Ty) {
    ConstantBytes All(Context, Ty);
    if (!All.write(Value, Ty, CharUnits::Zero()))
      return nullptr;
    body::Listed Out{TypeOf(Context.UnsignedCharTy), {}};
    for (const unsigned char Byte : All.bytes())
      Out.Elements.push_back(node(body::Literal{std::to_string(Byte)}));
    return node(body::Cast{body::Cast::Bits, TypeOf(Ty), node(std::move(Out))});
  }

  bool add(body::Exprs& All, const APValue& Value, QualType Ty) {
    All.push_back(of(Value, Ty));
    return All.back() != nullptr;
  }

  const ASTContext& Context;
  llvm::function_ref<TypeRef(QualType)> TypeOf;
};

} // namespace

body::ExprRef constantValue(const VarDecl* Variable, llvm::function_ref<TypeRef(QualType)> TypeOf) {
  const QualType Ty = Variable->getType();
  const APValue* Value = Ty->isReferenceType() ? nullptr : constantOf(Variable);
  return Value ? ConstantBuilder(Variable->getASTContext(), TypeOf).of(*Value, Ty) : nullptr;
}

bool isTable(const VarDecl* Variable, const ClassRoles& Roles) {
  const QualType Ty = Variable->getType();
  const QualType Base(Ty->getBaseElementTypeUnsafe(), 0);
  const bool HoldsValues =
      valueClassOf(Base, Roles) ||
      (Ty->isConstantArrayType() &&
       (Base->isArithmeticType() || Base->isEnumeralType() || Base->isMemberDataPointerType()));
  return HoldsValues && constantValue(Variable, [](QualType) { return TypeRef(); }) != nullptr;
}

} // namespace ikra
