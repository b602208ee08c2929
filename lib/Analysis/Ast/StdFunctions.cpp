// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StdFunctions.h"

#include "Types.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace ikra {

const StdFunction* findStdFunction(llvm::StringRef Name) {
  static const llvm::StringMap<StdFunction> Table = {
#define STD_FUNCTION(NAME, FORM, COST) {#NAME, {StdFunction::Form::FORM, StdFunction::COST}},
#define ALGORITHM(NAME, FORM, CALLS)                                                               \
  {#NAME, {StdFunction::Form::FORM, StdFunction::Long, StdFunction::CALLS}},
#include "StdFunctions.def"
  };
  const auto It = Table.find(Name);
  return It == Table.end() ? nullptr : &It->second;
}

/// C's function for floats, sqrtf, has the row of the one for doubles.
static bool isForFloats(const FunctionDecl* Callee) {
  const llvm::StringRef Name = Callee->getName();
  if (!Callee->isExternC() || !Name.ends_with("f") || findStdFunction(Name))
    return false;
  const StdFunction* Row = findStdFunction(Name.drop_back());
  return Row && Row->As == StdFunction::Form::Native && Callee->getNumParams() != 0 &&
         Callee->getParamDecl(0)->getType()->isSpecificBuiltinType(BuiltinType::Float);
}

llvm::StringRef stdName(const FunctionDecl* Callee) {
  return isForFloats(Callee) ? Callee->getName().drop_back() : Callee->getName();
}

const StdFunction* findStdFunction(const FunctionDecl* Callee) {
  return Callee->getIdentifier() && (isInStd(Callee) || Callee->isExternC())
             ? findStdFunction(stdName(Callee))
             : nullptr;
}

bool isComplexFunction(const FunctionDecl* Callee) {
  static const llvm::StringSet<> Overloads = {
#define COMPLEX_OVERLOAD(NAME) #NAME,
#include "StdFunctions.def"
  };
  if (isStdFunction(Callee, StdFunction::Form::OfComplex))
    return true;
  return Callee->getIdentifier() && isInStd(Callee) && Overloads.contains(Callee->getName()) &&
         llvm::any_of(Callee->parameters(),
                      [](const ParmVarDecl* P) { return isComplex(P->getType()); });
}

bool isStdFunction(const FunctionDecl* Callee, StdFunction::Form As) {
  const StdFunction* Row = isInStd(Callee) ? findStdFunction(Callee) : nullptr;
  return Row && Row->As == As;
}

} // namespace ikra
