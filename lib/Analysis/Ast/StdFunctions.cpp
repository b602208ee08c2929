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

const StdFunction* findStdFunction(const FunctionDecl* Callee) {
  return Callee->getIdentifier() && (isInStd(Callee) || Callee->isExternC())
             ? findStdFunction(Callee->getName())
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
