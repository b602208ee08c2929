// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes that sections reach, with the members that they read or write.

#ifndef IKRA_MODEL_CLASS_H
#define IKRA_MODEL_CLASS_H

#include "Body.h"
#include "Type.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class CXXRecordDecl;
class FieldDecl;
} // namespace clang

namespace ikra {

/// Which of the program's classes have objects that sections reach through pointers or references.
/// All other classes that are copied as bytes are value classes.
struct ClassRoles {
  std::set<const clang::CXXRecordDecl*> Objects; ///< by their first declarations
  /// Those of them that members lead to, with one such member each.
  std::map<const clang::CXXRecordDecl*, const clang::FieldDecl*> Through = {};
  /// Those of them whose values are elements, results or captures, too: copies of objects, with the
  /// bytes that the program's have.
  std::set<const clang::CXXRecordDecl*> Copied = {};
};

/// A member of a struct that device code has in place of the program's.
struct StructMember {
  TypeRef Ty;
  std::string Name;
  body::ExprRef Default; ///< may be null
  unsigned Bits = 0;     ///< width of a bit-field; 0 for other members
};

/// A class that sections reach.
struct Class {
  std::string Name;  ///< qualified, as diagnostics show it
  std::string Ident; ///< unique in emitted code
  /// The class whose member this one is, where it, or a class around it, is not public.
  std::optional<Index> Outer;
  bool IsPrivate = false; ///< not public in Outer
  std::string ShortName;  ///< within Outer
  bool IsValue = false;   ///< its values are used, and it has no objects
  /// Members of a value class that are not public, which device code gets at through object_access.
  std::set<std::string> HiddenMembers;
  /// Of the struct that device code has in its place, where it holds pointers to objects or is
  /// local to a function; of a class of objects the struct that copies are. Else empty.
  std::string StructIdent;
  std::vector<StructMember> StructMembers;
  /// Of a class of objects: its direct bases, and the members that sections use of copies.
  std::vector<Index> StructBases;
  std::set<Index> CopyMembers;
  bool IsCopiedAsBytes = false; ///< copies have all members, where the program has them
  bool StructCompares = false;  ///< the program lets the compiler compare its values
  std::vector<Index> Bases;
  /// Classes that an object can have whose static class is this one, in the order of their IDs.
  std::vector<Index> Concrete;
  Index Family = 0;
  bool Referenced = false;       ///< some pointer or reference has it as its static class
  bool CanBeConstructed = false; ///< objects have it as their dynamic class
  bool Polymorphic = false;
  bool HoldsPolymorphic = false; ///< objects of such classes lie within its own
  bool GrantsAccess = false;     ///< IKRA_OBJECT stands in its body, or can be written there
  SourceLoc At;
  const clang::CXXRecordDecl* Decl = nullptr;
};

/// A data member that sections read or write.
struct Member {
  Index Class;
  std::string Name;
  Type Ty;
  unsigned Bytes = 0;            ///< size of a value
  unsigned Bits = 0;             ///< width of a bit-field; 0 for other members
  bool IsAtomic = false;         ///< a std::atomic of a number, which it is in columns
  bool Fixed = false;            ///< list of constant length (std::array, C array)
  unsigned DeclarationOrder = 0; ///< among the members of its class
  bool Public = false;
  bool IsConst = false, IsVolatile = false;
  bool FitsRegisters = false; ///< worth keeping in registers over the ticks of a peach
  const clang::FieldDecl* Decl = nullptr;

  /// True for containers that a copy of an object has only a view of.
  bool isViewInCopies() const {
    return (Ty.Kind == TypeKind::ValueList || Ty.Kind == TypeKind::ObjectList) &&
           (!Fixed || Ty.IsHeld || Ty.IsNested);
  }
};

} // namespace ikra

#endif
