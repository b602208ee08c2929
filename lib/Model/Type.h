// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How types of the user's program are represented in device code, and how device code writes them.

#ifndef IKRA_MODEL_TYPE_H
#define IKRA_MODEL_TYPE_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ikra {

/// Index into one of ProgramModel's vectors.
using Index = std::size_t;

/// Where something stands in the user's sources; lines and columns count from 1.
struct SourceLoc {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
};

/// How a type of the user's program is represented in device code.
enum class TypeKind {
  Void,
  Value,      ///< an arithmetic type, an enumeration or a value class: as it is
  Object,     ///< a pointer or reference to an object of a user class: an object ID
  ValueList,  ///< std::vector, C array or ikra::array of values: a view of them
  ObjectList, ///< the same of pointers to objects
  Library,    ///< a class of the plain library that runs on the device: as it is
  Window,     ///< ikra::window: what a stencil's section reads neighbours from
  Pointer, ///< a pointer to values or to pointers to objects, or an iterator over such: a pointer
  Unsupported,
};

struct Type {
  TypeKind Kind = TypeKind::Unsupported;
  std::string Spelling;       ///< of values, elements and library classes; fully qualified
  std::string HostSpelling;   ///< of the whole type as the host program writes it
  std::optional<Index> Class; ///< the static class of objects
  /// Static classes of the objects that a std::tuple or std::pair holds pointers to: a value in
  /// device code, with IDs in their place.
  std::vector<Index> Held;
  /// Classes in it that device code has structs of its own for (Class::StructIdent).
  std::vector<Index> Structs;
  /// The class of objects that values, or elements, are copies of: code has its Class::StructIdent,
  /// with the same bytes.
  std::optional<Index> CopyOf;
  /// The class whose member type this is, where it, or a class around it, is not public.
  std::optional<Index> Private;
  bool IsPublicInPrivate = false; ///< it is public in that class, which is not
  bool HiddenHere = false;        ///< where its section stands, the host's text may not name it
  bool IsClass = false;           ///< a value of class type
  bool IsMemberPointer = false;   ///< a value, or of lists the elements: device code has offsets
  bool IsHeld = false;    ///< objects themselves, not pointers to them: their IDs never change
  bool IsNested = false;  ///< of lists: a container of such containers
  unsigned Bytes = 0;     ///< size of a value
  unsigned ArrayRank = 0; ///< of an ikra::array; 0 for other containers

  /// Whether device code has the type that the program has.
  bool isAsInProgram() const { return Held.empty() && Structs.empty(); }
};

/// A type as device code writes it: of a variable, a parameter or an expression.
struct CodeType {
  enum Form {
    Plain,    ///< Of, a value
    ObjectId, ///< ikra::object_id
    List,     ///< ikra::list of Of, or ikra::nested_list
    Grid,     ///< ikra::grid of Of
    Pointer,  ///< to Inner
    Deduced,  ///< auto: a lambda, or what a structured binding takes apart
    Window,   ///< const auto&: which one it is depends on the launch
    Array,    ///< a built-in array of Inner
    Wrapped,  ///< ikra::wrapped<Inner>: an array as a value
  };
  enum Sign { None, LValue, RValue };

  Form Is = Plain;
  Type Of;
  bool IsConst = false; ///< of lists and grids: their elements; of a pointer: itself
  Sign Reference = None;
  std::shared_ptr<const CodeType> Inner;
  std::vector<std::uint64_t> Extents; ///< of an array, the outermost first
};
using TypeRef = std::shared_ptr<const CodeType>;

/// The type as device code writes it. \param Spelling of a value's type, or of a list's elements
std::string textOf(const CodeType& Ty, llvm::function_ref<std::string(const Type&)> Spelling);
/// The same by the program's own names, which emitted code may have to reach in other ways.
std::string textOf(const CodeType& Ty);

} // namespace ikra

#endif
