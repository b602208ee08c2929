// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations and their traits, from Operations.def. What all stages ask of an operation, apart
// from what only its own kernel needs, is a trait here.

#ifndef IKRA_MODEL_OPERATIONS_H
#define IKRA_MODEL_OPERATIONS_H

#include "llvm/ADT/StringRef.h"

namespace ikra {

/// The operations that have kernels.
enum class Operation {
#define OPERATION(ID, NAME, TRAITS) ID,
#include "Operations.def"
};

/// The operation's name in the plain library.
const char* nameOf(Operation Op);

/// True for operations whose section combines two values of the result's type into one.
bool isReduction(Operation Op);
/// True for operations whose section is given two elements of its input at once.
bool combinesElements(Operation Op);
/// True for operations that give an element for each index, each computed by itself: in a fused
/// kernel others go on with it.
bool isElementwise(Operation Op);
/// True for operations of whose result an element, or whether it is chosen, depends on the inputs'
/// elements of the same index alone: in a fused kernel these are computed in passing.
bool readsElements(Operation Op);
/// True for operations that have kernels over pointers to objects.
bool mayBeOverObjects(Operation Op);

/// A function of the plain library by which programs call an operation.
struct ArrayCall {
  /// Where its section is.
  enum CodeIs {
    LastArgument, ///< given by the program
    Keys,         ///< the same: the runtime sorts the elements by what it gives
    Bins,         ///< the same: the runtime counts what it gives
    Shorthand,    ///< a function object of the standard library, by the call's name
    Library,      ///< one of the plain library's own
    Runtime,      ///< there is none: the runtime does it for all programs alike
  };
  enum InputsAre {
    None,
    Receiver,
    ReceiverAndArrays,  ///< and all arguments that are arrays
    KeysAndReceiver,    ///< the first argument, then the receiver
    IndicesAndReceiver, ///< the second argument, or what a section there gives, then the receiver
  };
  const char* Name;
  Operation Op;
  CodeIs Code;
  InputsAre Inputs;
  unsigned WithInitial; ///< how many arguments it has where the first is an initial value; 0: none
};

/// Null for functions that are no operations.
const ArrayCall* findArrayCall(llvm::StringRef Name);

} // namespace ikra

#endif
