// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operations.h"

#include "llvm/ADT/StringMap.h"

namespace ikra {

namespace {

enum Trait : unsigned {
  Combines = 1,
  Reduction = 2,
  Elementwise = 4,
  ReadsElements = 8,
  OverObjects = 16,
};

struct Row {
  const char* Name;
  unsigned Traits;
};

const Row& rowOf(Operation Op) {
  static constexpr Row Rows[] = {
#define OPERATION(ID, NAME, TRAITS) {NAME, TRAITS},
#include "Operations.def"
  };
  return Rows[static_cast<unsigned>(Op)];
}

bool has(Operation Op, Trait T) { return (rowOf(Op).Traits & T) != 0; }

} // namespace

const char* nameOf(Operation Op) { return rowOf(Op).Name; }
bool isReduction(Operation Op) { return has(Op, Reduction); }
bool combinesElements(Operation Op) { return has(Op, Combines); }
bool isElementwise(Operation Op) { return has(Op, Elementwise); }
bool readsElements(Operation Op) { return has(Op, ReadsElements); }
bool mayBeOverObjects(Operation Op) { return has(Op, OverObjects); }

const ArrayCall* findArrayCall(llvm::StringRef Name) {
  static const llvm::StringMap<ArrayCall> Table = {
#define ARRAY_CALL(NAME, OP, CODE, INPUTS, INITIAL)                                                \
  {NAME, {NAME, Operation::OP, ArrayCall::CODE, ArrayCall::INPUTS, INITIAL}},
#include "Operations.def"
  };
  const auto It = Table.find(Name);
  return It == Table.end() ? nullptr : &It->second;
}

} // namespace ikra
