// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a section of each call of an operation: what is called for each element, what it captures,
// and which section gives its input. What cannot become a section is reported.

#ifndef IKRA_ANALYSIS_SECTIONS_SECTIONBUILDER_H
#define IKRA_ANALYSIS_SECTIONS_SECTIONBUILDER_H

#include "Analysis/Ast/SectionFinder.h"
#include "Analysis/Reach/FunctionCollector.h"
#include "Instantiations.h"

#include "clang/AST/ExprCXX.h"

namespace ikra {

/// Whether kernels may have elements of the type, and captures of one that holds pointers: nvcc
/// takes no class that is not public or has no name for an argument of theirs.
bool mayBeElement(clang::QualType Ty, const Type& T, const ProgramModel& Model);

class SectionBuilder {
public:
  SectionBuilder(ModelBuilder& Builder, FunctionCollector& Collector)
      : Context(Builder.Context), Diags(Builder.Diags), Model(Builder.Model), Builder(Builder),
        Collector(Collector), Names(Builder) {}

  /// \return whether the operation is compiled; also if there were errors.
  bool add(const OperationCall& Operation);
  /// Notes that the plain library runs the operation: where it sees objects, they have to be on the
  /// host.
  void fallBack(const OperationCall& Operation);
  /// Looks where the inputs of all sections come from; after the last add(), since what an
  /// operation is given may stand after its name.
  void findInputs();
  /// Leaves the operation whose section has this code to the plain library, and says so.
  void leave(Index Code);
  /// Where operations stand that other instantiations were compiled for, and that have to be left
  /// in all of them.
  const std::set<clang::SourceLocation>& left() const { return Left; }
  /// The sections that give calls' results.
  const llvm::DenseMap<const clang::Expr*, Index>& sectionsOfCalls() const { return SectionOfCall; }

  /// All sections of calls, also those that give keys or tell what to count.
  const llvm::DenseMap<const clang::Expr*, std::vector<Index>>& sectionsInCalls() const {
    return SectionsInCall;
  }

  /// The sections that give the keys of phistogram(bins, f).
  const llvm::DenseMap<const clang::Expr*, Index>& sectionsOfKeys() const { return SectionOfKeys; }

  /// Which instantiation of the templates around it a function is, whose lambdas emitted code may
  /// name from here on; none outside of templates, and where \p Obstacle says why.
  std::optional<Instantiation> instantiationOf(const clang::FunctionDecl& Of,
                                               std::string& Obstacle);

  /// The sections of calls that give a number, sum() and its kin: what combines, and before it the
  /// predicate's if there is one.
  const llvm::DenseMap<const clang::Expr*, std::vector<Index>>& sectionsOfNumbers() const {
    return SectionsOfNumber;
  }

  /// True for preduce(init, f) and its kin: elements are converted to the result's type before they
  /// are combined.
  static bool startsWithValue(const OperationCall& Operation);
  /// True for peach(ticks, f): the library hands f the tick where f takes one.
  static bool hasTicks(const OperationCall& Operation);

private:
  /// What is called for each element.
  struct Code {
    const clang::FunctionDecl* Function = nullptr;
    const clang::LambdaExpr* Lambda = nullptr;
    const clang::VarDecl* Object = nullptr; ///< stands for a function object with members
    bool IsKept = false;                    ///< the lambda stands elsewhere, with a name
  };

  /// Tells why an operation is left to the plain library, with the remedy.
  void explain(clang::SourceLocation At, llvm::StringRef Reason) {
    Diags.report(At, Diag::unsupported_expression, /*FallsBack=*/true) << Reason;
  }
  /// Reports what keeps the present operation from being a section.
  clang::DiagnosticBuilder refuse(clang::SourceLocation At, Diag Message) {
    return Diags.report(At, Message, MayFallBack);
  }
  /// False where the operation was refused.
  bool tryToAdd(const OperationCall& Operation);
  /// Builder.declare() for a type that the host's text names where the operation stands.
  Type declareThere(clang::QualType Ty, const OperationCall& Operation);
  /// sum, count, any, all: perhaps a section for the predicate, and one of ikrac's own that
  /// combines.
  bool addShorthand(const OperationCall& Operation);
  bool addByIndex(const OperationCall& Operation);
  /// a + b, a * 2, -a.
  bool addOperator(const OperationCall& Operation);
  /// What all sections of an operation have in common. \returns false where it was refused
  bool begin(Section& S, const OperationCall& Operation);
  /// The user's code: what is called, what it captures.
  std::optional<Code> addCode(Section& S, const OperationCall& Operation,
                              const clang::Expr* Argument);
  /// Gives the section code of ikrac's own. \param FunctionObject what the plain library calls
  void addKnown(Section& S, const OperationCall& Operation, std::string FunctionObject,
                std::string Code);
  /// psort() over values with an operator < of their own.
  bool addOrder(const OperationCall& Operation);
  /// Gives the section the operator that the function object calls for these operands; what it
  /// captures is the one that is no array. \returns false where there is none
  bool addOperatorFunction(Section& S, const OperationCall& Operation,
                           const std::string& FunctionObject,
                           llvm::ArrayRef<clang::QualType> Operands);
  /// True where the operation is given a comparison of the standard library, whose own code is not
  /// for devices.
  static bool isComparison(const OperationCall& Operation);
  /// Makes it a section with known code; false where elements are compared by code of the user.
  bool addComparison(Section& S, const OperationCall& Operation);
  /// Notes what the section reads, and puts it into the model.
  bool finishWithInputs(Section S, const OperationCall& Operation);
  /// Puts the section into the model. \param Which of the operation's sections it is
  bool finish(Section S, const OperationCall& Operation, unsigned Which = 0);
  bool addElements(Section& S, const OperationCall& Operation);
  bool addFold(Section& S, const Code& Called, const OperationCall& Operation);
  bool addResult(Section& S, const Code& Called, const OperationCall& Operation);
  std::optional<Code> codeOf(const OperationCall& Operation, const clang::Expr* Argument);
  /// Gives the section its code, and what hands that its elements. \returns false where a class
  /// would convert them in a way that is not known
  bool request(Section& S, const clang::FunctionDecl* Code, const OperationCall& Operation);
  bool addCaptures(Section& S, const clang::LambdaExpr* Lambda);
  /// Gives captures names beside those that the emitted struct has of its own.
  void nameCaptures(SectionCode& Code) const;
  /// Adds what \p V, a lambda with captures, captured. \param HostText the lambda; false, and
  /// reported, where it cannot be captured
  bool addLambda(Section& S, const clang::LambdaCapture& C, const std::string& HostText,
                 std::set<std::string>& Taken);
  /// What a section holds of a lambda.
  struct LambdaCaptures {
    std::vector<Capture> Captures;
    std::vector<CapturedLambda> Lambdas;
  };
  /// The captures of a lambda that stands elsewhere, of which it is made to keep copies; none, and
  /// nothing reported, where it cannot.
  std::optional<LambdaCaptures> keptCaptures(const clang::CXXRecordDecl* Closure);
  bool captureObjects(Capture& Captured, clang::QualType Ty, bool AsItIs);
  bool captureNested(Capture& Captured, clang::QualType Ty);
  void refuseCapture(const std::string& Name, clang::QualType Ty, clang::SourceLocation At);
  /// Adds one capture, of type \p Ty; false, and reported, where it cannot be one.
  bool addCapture(Section& S, Capture Captured, clang::QualType Ty, clang::SourceLocation At);
  /// Whether a second copy of the lambda may refer to what the section holds, which is large.
  bool canShareCaptures(const Section& S, const clang::Expr* Argument) const;
  /// Where a section is the address of a member: a function that calls or reads it.
  const clang::FunctionDecl* memberCall(const OperationCall& Operation,
                                        const clang::Expr* Argument);
  /// A peach over values gives its section copies, and what that changes of them is lost.
  void warnOfLostChanges(const Section& S, const Code& Called, const OperationCall& Operation);
  clang::QualType captureVariable(const clang::LambdaCapture& C, const clang::ValueDecl* V,
                                  Capture& Out);
  /// Sets S.Instance; false, and reported, where the instantiation cannot be named.
  bool addInstantiation(Section& S, const OperationCall& Operation);
  std::optional<Index> inputOf(const clang::Expr* E);
  std::string sourceText(const clang::Expr* E) const;

  /// How the file of the text at \p At was included, and what to do, if there is no emitted text
  /// that could stand for it; else null.
  const char* hasNoEmittedText(clang::SourceLocation At);

  clang::ASTContext& Context;
  Diagnoser& Diags;
  ProgramModel& Model;
  ModelBuilder& Builder;
  std::optional<std::set<const clang::FileEntry*>> Repeated; ///< once it was asked for
  FunctionCollector& Collector;
  InstantiationNames Names;
  llvm::DenseMap<const clang::Expr*, Index> SectionOfCall;
  llvm::DenseMap<const clang::Expr*, std::vector<Index>> SectionsInCall;
  llvm::DenseMap<const clang::Expr*, Index> SectionOfKeys;
  llvm::DenseMap<const clang::Expr*, std::vector<Index>> SectionsOfNumber;
  /// What a lazy section reads.
  struct InputExprs {
    Index Section;
    std::vector<const clang::Expr*> Arrays;
    bool AreShared = false; ///< by the rest of the operation
  };
  std::vector<InputExprs> Inputs;
  std::map<Index, const clang::CallExpr*> CallOfCode;
  std::set<clang::SourceLocation> Left;
  bool MayFallBack = false; ///< the present operation, to the plain library
  bool Quiet = false;       ///< what cannot be captured is not reported
  /// Sections in templates, by the place of the operation in the text, and which of its sections.
  std::map<std::pair<unsigned, unsigned>, std::vector<Index>> InTemplates;
};

} // namespace ikra

#endif
