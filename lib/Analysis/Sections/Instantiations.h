// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the instantiations of a template are told apart: by its parameters, as its text can name
// them, and by its arguments, as code outside of all functions and classes can. Closure types have
// no names there, and get tags.

#ifndef IKRA_ANALYSIS_SECTIONS_INSTANTIATIONS_H
#define IKRA_ANALYSIS_SECTIONS_INSTANTIATIONS_H

#include "Analysis/Reach/ModelBuilder.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

namespace ikra {

/// Parameters of the templates around a place in the text, and their arguments in one
/// instantiation.
struct TemplateLevels {
  std::vector<std::string> InText, Arguments;
  std::set<Index> Lambdas; ///< whose tags are among the arguments
  std::string Obstacle;    ///< why they cannot be named; empty if they can
  bool InTemplate = false;
};

class InstantiationNames {
public:
  explicit InstantiationNames(ModelBuilder& Builder) : Builder(Builder), Context(Builder.Context) {}

  /// Of the templates around \p Inside, an instantiated function or what stands in one.
  TemplateLevels levelsAround(const clang::DeclContext* Inside);

  /// The same as data; none outside of templates, and where \p Obstacle says why.
  std::optional<Instantiation> instantiationOf(const clang::DeclContext& Inside,
                                               std::string& Obstacle);

  /// The entry in Model.Lambdas of the lambda whose type is \p Closure, with what names the type
  /// in this instantiation; none if it cannot have a name.
  struct ClosureName {
    Index Lambda;
    std::string Text;
  };
  std::optional<ClosureName> nameOf(const clang::CXXRecordDecl* Closure);

  /// Notes that emitted code names these lambdas.
  void use(const std::set<Index>& Lambdas);
  void use(const clang::CXXRecordDecl* Closure);

private:
  /// Gathers the levels of one place.
  class Levels;

  bool mayBeWrapped(const clang::LambdaExpr* Lambda) const;

  ModelBuilder& Builder;
  const clang::ASTContext& Context;
  std::map<clang::SourceLocation, Index> LambdaAt;
  /// What names each closure type, and the lambdas that this text names.
  struct Known {
    std::optional<ClosureName> Name;
    std::set<Index> Lambdas;
  };
  llvm::DenseMap<const clang::CXXRecordDecl*, Known> Closures;
  std::set<std::string> Texts; ///< of all names
};

/// Whether the range is one of a file's text, or of what one macro expands to.
bool canBeRewritten(clang::SourceRange Range, const clang::ASTContext& Context);

/// Whether a type is a closure's, or one that is made from such: a pointer or a reference, or a
/// class from a template.
bool holdsClosure(clang::QualType Ty);

/// Of a function, with its class in front of a method's. A lambda has that of the function around
/// it.
std::string nameWithClass(const clang::FunctionDecl* Function);

/// Makes one text of those of two instantiations, where closures are the arguments of some.
void join(std::vector<std::string>& InText, const std::vector<std::string>& More);

/// The argument that gives what is captured to a section; empty if nothing is given.
std::string argumentOf(const CaptureText& Captured);

/// Makes one text of those of two instantiations. \returns whether it can
bool join(std::vector<CaptureText>& Texts, const std::vector<CaptureText>& More);

/// Why one text cannot serve \p S and \p Others, other instantiations; empty if it can.
std::string difference(const Section& S, const ProgramModel& Model,
                       const std::vector<Index>& Others);

} // namespace ikra

#endif
