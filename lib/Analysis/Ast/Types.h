// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about types and declarations.

#ifndef IKRA_ANALYSIS_AST_TYPES_H
#define IKRA_ANALYSIS_AST_TYPES_H

#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace clang {
class LambdaExpr;
} // namespace clang

namespace ikra {

/// What the model knows of classes.
struct ClassNames {
  llvm::function_ref<Index(const clang::CXXRecordDecl*)> IndexOf; ///< its place in the model
  llvm::function_ref<std::string(Index)> StructOf;                ///< Class::StructIdent
};

/// How \p Ty is represented in device code; Kind is Unsupported where it cannot be.
Type classifyType(clang::QualType Ty, const clang::ASTContext& Context, const ClassRoles& Roles,
                  const ClassNames& Names);

/// True for what elements of arrays may be in a plain build, without pointers: numbers,
/// enumerations, trivially copyable classes, and std::tuple, pair, array, optional and variant of
/// these.
bool isElementValue(clang::QualType Ty);
/// True for pointers to objects of user classes, and containers and values that hold such pointers.
bool leadsToObjects(clang::QualType Ty);

/// True for classes whose values device code has as they are: copied as bytes, of numbers,
/// enumerations and such classes, and without objects that sections reach through pointers.
bool isValueClass(const clang::CXXRecordDecl* Record, const ClassRoles& Roles);
/// The same without those that device code has structs of its own for.
bool isPlainValueClass(const clang::CXXRecordDecl* Record, const ClassRoles& Roles);
/// True for classes whose values device code has as structs of its own: copied as bytes, with
/// pointers to objects, which are IDs there, or local to functions, which nothing can name.
bool isOwnStruct(const clang::CXXRecordDecl* Record, const ClassRoles& Roles);
/// True for classes whose copies may have in device code the bytes that they have in the program:
/// numbers, values, and arrays and objects of such, one after the other.
bool isCopiedWhole(const clang::CXXRecordDecl* Record, const ClassRoles& Roles);
/// What a member of such a struct is where nothing gives it a value: a number or null. Null where
/// it has no default, or another one.
const clang::Expr* constantDefault(const clang::FieldDecl* Member);
/// Why a user's class has no values in device code, in words that follow "since"; empty where it
/// has, or is a class of objects.
std::string reasonNoValue(const clang::CXXRecordDecl* Record, const ClassRoles& Roles);
/// True for std::tuple, pair, optional and variant that hold pointers to objects, and references to
/// them.
bool holdsObjects(clang::QualType Ty);
/// The place of \p Element among those of such a tuple; none where it is no such tuple.
std::optional<unsigned> indexAmongHeld(clang::QualType Tuple, clang::QualType Element);
/// How device code names the type of an alternative of a variant that is a pointer to objects;
/// empty for other alternatives, and for types that are no variants.
std::string alternativeIn(clang::QualType Variant, clang::QualType Alternative);
/// True for a std::optional of objects, and references to such: device code has the ID of the
/// object that it holds, or null.
bool isOptionalObject(clang::QualType Ty, const ClassRoles& Roles);
/// True for what an assignment of a whole object writes on devices; all else of it is what it was.
bool isAssignedWithObject(const Member& M);
/// True if objects of polymorphic classes lie within the class's own, or may.
bool holdsPolymorphic(const clang::CXXRecordDecl* Record);
/// The class of a value, or of a reference to one; null for all other types.
const clang::CXXRecordDecl* valueClassOf(clang::QualType Ty, const ClassRoles& Roles);
/// True for classes whose objects are known by their IDs.
bool isObjectClass(const clang::CXXRecordDecl* Record, const ClassRoles& Roles);
/// True for those of them, and arrays of them in any dimensions, that sections reach: a value of
/// that type is a copy of an object.
bool isObjectByValue(clang::QualType Ty, const ClassRoles& Roles);

/// The class of a value, or of the elements of a std::vector, a std::array or an ikra::array of one
/// dimension, if they are copies of objects with the program's bytes (ClassRoles::Copied).
const clang::CXXRecordDecl* copiedClassOf(clang::QualType Ty, const ClassRoles& Roles);
/// True for objects, and containers and spans of objects, and references to such.
bool holdsObjectsThemselves(clang::QualType Ty, const ClassRoles& Roles);

/// True for the class of that name in namespace std, and references to it.
bool isStdClass(clang::QualType Ty, llvm::StringRef Name);
/// What a std::atomic of a number or an enumeration holds; null for other types.
clang::QualType numberOfAtomic(clang::QualType Ty);
/// True for lambdas, and classes that are made of some to call the one that fits.
bool isClosure(clang::QualType Ty);
/// True for a lambda without captures, whose calls need no object.
bool isCaptureless(clang::QualType Ty);
/// True for one of the variables that a pack was expanded to, which all have its name and place.
bool isOfPack(const clang::ValueDecl* V);
/// True for what is declared in \p F or in lambdas in it.
bool isDeclaredIn(const clang::Decl* D, const clang::FunctionDecl* F);
/// The bodies of a lambda: of a generic one for each type that it is called with.
llvm::SmallVector<const clang::FunctionDecl*> bodiesOf(const clang::LambdaExpr* E);

/// The member whose type an unnamed class is, or an array of it: `struct { int a; } m[2];`. Null
/// for other classes.
const clang::FieldDecl* memberOfUnnamed(const clang::TagDecl* Tag);
/// True for declarations in namespace std (inline namespaces included).
bool isInStd(const clang::Decl* D);
/// A parameter without a name by which the standard library chooses among functions of its own.
bool isTag(const clang::ParmVarDecl* Parameter);
/// True for declarations of the plain library.
bool isInIkra(const clang::Decl* D);
/// True for what the program has from others: declarations in system headers, and of the plain
/// library.
bool isOfLibrary(const clang::Decl* D, const clang::SourceManager& SM);
/// What is written of an expression, without parentheses and casts.
const clang::Expr* written(const clang::Expr* E);
/// True for std::string and std::string_view.
bool isText(clang::QualType Ty);
/// What sections use in place of a class of the standard library that they do not have; empty where
/// nothing is known.
std::string otherThan(clang::QualType Ty);
/// True for std::cout and its kin.
bool isStream(clang::QualType Ty);
/// True for ikra::index, and references to it.
bool isIndex(clang::QualType Ty);
/// True for the value classes whose functions are called as they are: of std, and ikra::index.
bool isOfLibrary(const clang::CXXRecordDecl* Class);
/// The element type of std::vector, std::array, a C array, an ikra::array, or a std::span of
/// constants or objects, else null.
clang::QualType elementOfContainer(clang::QualType Ty);
/// The rank of an ikra::array, or a reference to one; 0 for other types.
unsigned rankOfArray(clang::QualType Ty);
/// The pointee of T*, T&, std::unique_ptr<T>, std::shared_ptr<T> and std::weak_ptr<T>, else null.
clang::QualType pointeeOf(clang::QualType Ty);
/// What a pointer, or an iterator of a std::vector, which is a class around one, points to; null
/// for other types, and for pointers to functions and to void.
clang::QualType pointedTo(clang::QualType Ty);
/// True for the function objects of the standard library that operate as the language does,
/// std::plus and its kin.
bool isOperatorObject(clang::QualType Ty);
/// True for the classes of ikra::max and ikra::min, whose call operators need no object.
bool isExtremum(const clang::CXXRecordDecl* Record);
/// True for references to what pointeeOf() takes for a pointer.
bool isReferenceToPointer(clang::QualType Ty);
/// True for references through which a section may write to what they refer to: a value, a pointer,
/// elements of a container. A reference to an object is the object itself.
bool isWritableReference(clang::QualType Ty, const ClassRoles& Roles);
/// True for classes that are neither of the standard library nor of the plain library, nor lambdas.
bool isUserClass(const clang::CXXRecordDecl* Record);
/// True for numbers, and for enumerations that have no operator \p Operator of their own: function
/// objects of the standard library then compute as the language does.
bool isComputedByLanguage(clang::QualType Ty, clang::OverloadedOperatorKind Operator,
                          const clang::ASTContext& Context);
/// True for std::complex of float or double, and references to it.
bool isComplex(clang::QualType Ty);
/// True for a constructor that makes a std::complex from one of another precision.
bool isComplexConversion(const clang::CXXConstructorDecl* Constructor);
/// True for std::unique_ptr and std::shared_ptr, which own what they point to.
bool isSmartPointer(clang::QualType Ty);
/// True for ikra::window, and references to it.
bool isWindow(clang::QualType Ty);
/// What stands in the braces that a range for goes through, `for (int d : {-1, 1})`; null for other
/// ranges.
const clang::InitListExpr* listOf(const clang::Expr* Range);
/// What a parameter is where an operation gives its section nothing for it; null: it has no
/// default, or none that any call uses.
const clang::Expr* defaultOf(const clang::ParmVarDecl* Parameter);
/// True for std::vector, whose length the program may change.
bool isVector(clang::QualType Ty);
/// After what ikrac writes IKRA_OBJECT, which lets emitted code name what is not public in the
/// class: the brace that opens its body. Invalid where IKRA_OBJECT stands there already, and where
/// the text cannot be changed: in macros, in headers of the system and of the command line, in
/// functions, in `extern "C"`.
clang::SourceLocation placeForAccess(const clang::CXXRecordDecl* Class);
/// True if IKRA_OBJECT stands in the class's body, or can be written there.
bool grantsAccess(const clang::CXXRecordDecl* Class);
/// The innermost class around \p D whose access specifier hides it, else null.
const clang::CXXRecordDecl* hiddenIn(const clang::Decl* D);
/// \p Ty as host text can name it wherever it stands, from the global namespace.
std::string hostSpelling(clang::QualType Ty, const clang::ASTContext& Context);
/// True if text in \p From may name \p D as far as the access specifiers around \p D go.
bool mayBeNamedIn(const clang::Decl* D, const clang::DeclContext* From);
/// Names in full, types canonical.
clang::PrintingPolicy spellingPolicy(const clang::ASTContext& Context);

} // namespace ikra

#endif
