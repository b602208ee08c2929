// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why loops are no turns, in words that follow "since", with what to write instead.
#include "ScalarCode.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

std::string throughPointer() {
  return "a pointer leads to this array (swap the arrays themselves, which moves no element, or "
         "choose one of two by a number, buf[t & 1])";
}

std::string ofAnother(const ValueDecl* V) {
  return "'" + V->getNameAsString() +
         "' may be another variable's name (copy it into a variable before the loop, and back "
         "after)";
}

/// Whether a method of a container gives an element.
static bool isOfElements(const CXXMethodDecl* Method) {
  return Method->getOverloadedOperator() == OO_Subscript ||
         hasName(Method, {"at", "front", "back"});
}

/// What std::tie() makes: a tuple of references.
static bool isTied(const CXXRecordDecl* Class) {
  const auto* Tuple = dyn_cast<ClassTemplateSpecializationDecl>(Class);
  return Tuple && Tuple->getName() == "tuple" &&
         llvm::any_of(Tuple->getTemplateArgs().get(0).pack_elements(),
                      [](const TemplateArgument& Of) { return Of.getAsType()->isReferenceType(); });
}

std::string ofMethod(const CXXMethodDecl* Method) {
  const std::string Name = Method->getNameAsString();
  if (isInIkra(Method) && (llvm::is_contained({"size", "shape", "empty"}, Name) ||
                           Method->getParent()->getName() == "index"))
    return "'" + Name +
           "' is asked of an array or its shape, which does not change here (ask it before the "
           "loop; size() and "
           "shape()[k] of a variable are known)";
  const std::string Class = Method->getParent()->getNameAsString();
  if (Method->getParent()->isLambda())
    return "the lambda that it calls is given to this function, and captures variables (give "
           "these as arguments, or let it capture none)";
  if (isInStd(Method) && Method->getOverloadedOperator() == OO_Equal) {
    if (isTied(Method->getParent()))
      return "it sets several variables at once (set each by a statement of its own)";
    if (Method->getParent()->getName() == "pair")
      return "it sets both members of a std::pair at once (set them one by one, as in `best.first "
             "= k; best.second = m;`, or use a struct of your own)";
    if (Method->getParent()->getName() == "tuple")
      return "it sets a std::tuple (use a struct of your own, or a variable for each element)";
  }
  if (isa<CXXConversionDecl>(Method))
    return "it converts a '" + Class + "' by a function of the class (call one with a name)";
  if (isInStd(Method) && isOfElements(Method) &&
      llvm::is_contained({"vector", "deque", "span", "basic_string"}, Class))
    return "it reads an element of a std::" + Class +
           ", which the host alone has (copy the elements into a std::array, or an ikra::array, "
           "before the loop)";
  if (isInStd(Method) && llvm::is_contained({"size", "empty", "length"}, Name))
    return "'" + Name + "' is asked of a '" + Class +
           "', which the host alone has (ask it before the loop, and keep it in a variable)";
  if (isInStd(Method) && Class == "array")
    return "'" + Name +
           "' is a method of 'array' that turns do not have (name the elements by places, a[k], "
           "and set all by a = {})";
  if (isInStd(Method) && Class == "function")
    return "it calls a 'std::function', which the host alone has (call a function, or a lambda in "
           "a local variable)";
  if (isInStd(Method) && Method->getOverloadedOperator() == OO_Call)
    return "it calls a '" + Class +
           "', which the host alone has (call functions; ikra::random gives sections their random "
           "numbers)";
  if (isInStd(Method) || isInIkra(Method))
    return "'" + Name + "' is " + (Method->isOverloadedOperator() ? "an operator" : "a method") +
           " of '" + Class +
           "', which the host alone has (keep numbers in local variables and std::array, and "
           "others in an ikra::array)";
  return "'" + Name + "' is a method of '" + Class +
         "', which is virtual, or whose body is not seen (call a function of its arrays and "
         "numbers)";
}

std::string ofEnumeration(QualType Ty) {
  const auto* Enum = Ty.getNonReferenceType()->getAs<EnumType>();
  if (!Enum)
    return "";
  const std::string Name = Enum->getDecl()->getNameAsString();
  return Name.empty() ? "an enumeration without a name is none that the device has (give it one)"
                      : "'" + Name +
                            "' is an enumeration that is private, or a function's own, which the "
                            "device cannot name (declare it in public, or in a namespace)";
}

std::string ofUnknownChange(const Expr* E) {
  const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
  const auto* Method = Call ? dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee()) : nullptr;
  if (Method && isInStd(Method) && Call->getOperator() == OO_Subscript)
    return "it changes an element of a 'std::" + Method->getParent()->getNameAsString() +
           "', which the host alone has (change one of a std::array in a local variable, and copy "
           "that after the loop)";
  const auto* Leads = dyn_cast<UnaryOperator>(E);
  if (isa<ArraySubscriptExpr>(E) || (Leads && Leads->getOpcode() == UO_Deref) ||
      (Call && Call->getOperator() == OO_Star))
    return "it changes what a pointer leads to (change a local variable, and copy that there after "
           "the loop)";
  return "it changes something that is no local variable, and no part of one (change a local "
         "variable, and copy that there after the loop)";
}

std::string ofMember(const MemberExpr* E, bool IsHidden) {
  const std::string Name = "'" + E->getMemberDecl()->getNameAsString() + "'";
  if (IsHidden)
    return Name + " is no public member (make it one)";
  if (const std::string Why = ofEnumeration(E->getType()); !Why.empty())
    return Why;
  const bool IsOfPointer =
      E->isArrow() ? !isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts()) : false;
  if (IsOfPointer)
    return Name + " is read through a pointer (copy it into a local variable before the loop, or "
                  "give the function a reference)";
  if (isa<CXXConstructExpr, CXXTemporaryObjectExpr, CXXFunctionalCastExpr>(written(E->getBase())))
    return Name + " is a member of what no variable holds (compute it in a function)";
  return Name + " is no number in a local variable, or in a member";
}

} // namespace ikra
