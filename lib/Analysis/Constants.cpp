// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relies on clang's evaluator of constants.

#include "Constants.h"

#include "Types.h"

#include "clang/AST/APValue.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

std::string integerText(const llvm::APSInt& N) {
  if (N.isSigned() && N.isMinSignedValue() && N.getBitWidth() >= 32)
    return "(-" + llvm::toString(llvm::APInt::getSignedMaxValue(N.getBitWidth()), 10, false) +
           " - 1)";
  return llvm::toString(N, 10, N.isSigned()) +
         (N.isUnsigned() && N.getActiveBits() > 63 ? "u" : "");
}

/// The value of a variable that never changes; null for other variables.
static const APValue* constantValue(const VarDecl* Variable) {
  const QualType Ty = Variable->getType().getNonReferenceType().getCanonicalType(); // of arrays too
  const VarDecl* Initialised = nullptr;
  if (!Ty.isConstQualified() || Ty.isVolatileQualified() ||
      !Variable->getAnyInitializer(Initialised) || Initialised->getInit()->isValueDependent())
    return nullptr;
  return Initialised->evaluateValue();
}

static std::optional<std::string> numberText(const APValue& Value, QualType Ty) {
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

std::optional<std::string> constantText(const VarDecl* Variable) {
  const QualType Ty = Variable->getType().getNonReferenceType();
  if (!Ty->isArithmeticType() && !Ty->isEnumeralType())
    return std::nullopt;
  const APValue* Value = constantValue(Variable);
  return Value ? numberText(*Value, Ty) : std::nullopt;
}

std::optional<std::string> constantCallText(const CallExpr* Call, const ASTContext& Context) {
  const FunctionDecl* Callee = Call->getDirectCallee();
  const bool IsBuiltin = Callee && Callee->getIdentifier() && Callee->getBuiltinID() != 0 &&
                         Callee->getName().starts_with("__builtin_");
  if (!(IsBuiltin || isa<UserDefinedLiteral>(Call)) || Call->isInstantiationDependent() ||
      !Call->getType()->isArithmeticType())
    return std::nullopt;
  Expr::EvalResult Result;
  if (!Call->EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
    return std::nullopt;
  return numberText(Result.Val, Call->getType());
}

namespace {

/// The text of a value of any type, or none.
class InitText {
public:
  explicit InitText(llvm::function_ref<std::string(QualType)> TypeText) : TypeText(TypeText) {}

  std::optional<std::string> of(const APValue& Value, QualType Ty) {
    Ty = Ty.getCanonicalType().getUnqualifiedType();
    if (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
      return ofArray(Value, Array->getElementType());
    if (const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl())
      return ofClass(Value, Record, Ty);
    const std::optional<std::string> Text = numberText(Value, Ty);
    return Text ? std::optional("static_cast<" + TypeText(Ty) + ">(" + *Text + ")") : std::nullopt;
  }

private:
  std::optional<std::string> ofArray(const APValue& Value, QualType Element) {
    if (!Value.isArray() || Value.getArraySize() == 0)
      return std::nullopt;
    std::vector<std::string> Texts;
    for (unsigned K = 0; K < Value.getArraySize(); ++K) {
      const bool Written = K < Value.getArrayInitializedElts();
      if (!add(Texts, Written ? Value.getArrayInitializedElt(K) : Value.getArrayFiller(), Element))
        return std::nullopt;
    }
    return "{" + llvm::join(Texts, ", ") + "}";
  }

  std::optional<std::string> ofClass(const APValue& Value, const CXXRecordDecl* Record,
                                     QualType Ty) {
    if (isIndex(Ty)) { // made from its coordinates
      std::optional<std::string> All =
          Value.isStruct() ? of(Value.getStructField(0), Record->field_begin()->getType())
                           : std::nullopt;
      return All ? std::optional(TypeText(Ty) + *All) : std::nullopt;
    }
    const bool IsPair = isInStd(Record) && Record->getName() == "pair";
    if (!Value.isStruct() || !(IsPair || Record->isAggregate()))
      return std::nullopt;
    std::vector<std::string> Texts;
    unsigned K = 0;
    for (const CXXBaseSpecifier& Base : Record->bases())
      if (const APValue& Of = Value.getStructBase(K++); !IsPair && !add(Texts, Of, Base.getType()))
        return std::nullopt;
    for (const FieldDecl* Member : Record->fields())
      if (!Member->isUnnamedBitField() &&
          !add(Texts, Value.getStructField(Member->getFieldIndex()), Member->getType()))
        return std::nullopt;
    const std::string All = llvm::join(Texts, ", ");
    return TypeText(Ty) + (IsPair ? "(" + All + ")" : "{" + All + "}");
  }

  bool add(std::vector<std::string>& Texts, const APValue& Value, QualType Ty) {
    std::optional<std::string> Text = of(Value, Ty);
    if (Text)
      Texts.push_back(std::move(*Text));
    return Text.has_value();
  }

  llvm::function_ref<std::string(QualType)> TypeText;
};

} // namespace

std::optional<std::string> tableText(const VarDecl* Variable,
                                     llvm::function_ref<std::string(QualType)> TypeText) {
  const QualType Ty = Variable->getType();
  const APValue* Value = Ty->isReferenceType() ? nullptr : constantValue(Variable);
  return Value ? InitText(TypeText).of(*Value, Ty) : std::nullopt;
}

bool isTable(const VarDecl* Variable, const ClassRoles& Roles) {
  const QualType Ty = Variable->getType();
  const QualType Base(Ty->getBaseElementTypeUnsafe(), 0);
  const bool HoldsValues =
      valueClassOf(Base, Roles) ||
      (Ty->isConstantArrayType() && (Base->isArithmeticType() || Base->isEnumeralType()));
  return HoldsValues && tableText(Variable, [](QualType) { return std::string(); }).has_value();
}

} // namespace ikra
