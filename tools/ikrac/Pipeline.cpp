// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline as one function: parse, Analysis, Fusion, Layout, Emit. Nothing is written unless
// all of it succeeded.

#include "Pipeline.h"

#include "Analysis/Analysis.h"
#include "Analysis/DatalogChecker.h"
#include "Analysis/Diagnostics.h"
#include "Emit/Emit.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

namespace {

/// A namespace for the unit's emitted code: readable, and unlike that of any other file of the
/// program.
std::string unitName(llvm::StringRef Source) {
  llvm::SmallString<256> Path(Source);
  (void)llvm::sys::fs::make_absolute(Path); // fails with the folder gone: the path names the unit
  std::string Name = "ikra_unit_";
  for (char C : llvm::sys::path::stem(Source))
    Name += isAlphanumeric(static_cast<unsigned char>(C)) ? C : '_';
  return Name + "_" +
         llvm::utohexstr(llvm::xxh3_64bits(Path.str()), /*LowerCase=*/true).substr(0, 8);
}

bool writeFile(const std::string& Path, llvm::StringRef Text, llvm::raw_ostream& Errors) {
  if (const auto Parent = llvm::sys::path::parent_path(Path); !Parent.empty())
    (void)llvm::sys::fs::create_directories(Parent); // where that fails, so does opening the file
  std::error_code Failed;
  llvm::ToolOutputFile Out(Path, Failed, llvm::sys::fs::OF_None);
  if (Failed) {
    Errors << "ikrac: error: cannot write '" << Path << "': " << Failed.message() << "\n";
    return false;
  }
  Out.os() << Text;
  Out.os().close();
  if (Out.os().has_error()) {
    Errors << "ikrac: error: cannot write '" << Path << "': " << Out.os().error().message() << "\n";
    Out.os().clear_error();
    return false;
  }
  Out.keep();
  return true;
}

/// Text of a Makefile in which \p Path is one name.
std::string makeEscaped(llvm::StringRef Path) {
  std::string Out;
  for (char C : Path) {
    if (C == ' ' || C == '#')
      Out += '\\';
    if (C == '$')
      Out += '$';
    Out += C;
  }
  return Out;
}

class Action : public ASTFrontendAction {
public:
  explicit Action(const Job& Work, bool& Succeeded) : Work(Work), Succeeded(Succeeded) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& Compiler,
                                                 llvm::StringRef) override {
    Compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<IncludeRecorder>(Compiler.getSourceManager(), Includes));
    Collector = std::make_unique<syntax::TokenCollector>(Compiler.getPreprocessor());
    Dependencies = std::make_shared<DependencyCollector>();
    Dependencies->attachToPreprocessor(Compiler.getPreprocessor());
    return std::make_unique<Consumer>(*this);
  }

private:
  struct Consumer : ASTConsumer {
    explicit Consumer(Action& Owner) : Owner(Owner) {}
    void HandleTranslationUnit(ASTContext& Context) override {
      Owner.Succeeded = Owner.compile(Context);
    }
    Action& Owner;
  };

  bool compile(ASTContext& Ast) {
    Diagnoser Diags(Ast.getDiagnostics());
    if (Diags.hasErrors())
      return false;
    std::vector<DatalogProgram> Datalog = checkDatalog(Ast, Diags);
    ProgramModel Model = analyse(Ast, Diags, unitName(Work.Source));
    Model.Datalog = std::move(Datalog);
    if (Diags.hasErrors())
      return false;
    const FusionPlan Fusion = planFusion(Model);
    const LayoutPlan Layout = planLayout(Model, Fusion);
    switch (Work.Stage) {
    case Print::Model:
      print(Model, llvm::outs());
      return true;
    case Print::Fusion:
      print(Fusion, Model, llvm::outs());
      return true;
    case Print::FusionDot:
      printDot(Fusion, Model, llvm::outs());
      return true;
    case Print::Layout:
      print(Layout, Model, llvm::outs());
      return true;
    case Print::Nothing:
      break;
    }
    const syntax::TokenBuffer Tokens = std::move(*Collector).consume();
    return write(emit({Model, Fusion, Layout, Ast, Includes, Tokens, Work.Output, Work.Overlay}));
  }

  bool write(const std::vector<RewrittenFile>& Files) {
    for (const RewrittenFile& File : Files) {
      if (File.Path.empty() && Work.Output == "-")
        llvm::outs() << File.Text;
      else if (!writeFile(File.Path.empty() ? Work.Output : File.Path, File.Text, llvm::errs()))
        return false;
    }
    if (Work.Depfile.empty())
      return true;
    std::string Rule = makeEscaped(Work.Output) + ":";
    for (const std::string& Path : Dependencies->getDependencies())
      Rule += " \\\n  " + makeEscaped(Path);
    return writeFile(Work.Depfile, Rule + "\n", llvm::errs());
  }

  const Job& Work;
  bool& Succeeded;
  std::vector<Inclusion> Includes;
  std::unique_ptr<syntax::TokenCollector> Collector;
  std::shared_ptr<DependencyCollector> Dependencies;
};

} // namespace

int runPipeline(const Job& Work) {
  bool Succeeded = false;
  struct Factory : tooling::FrontendActionFactory {
    Factory(const Job& Work, bool& Succeeded) : Work(Work), Succeeded(Succeeded) {}
    std::unique_ptr<FrontendAction> create() override {
      return std::make_unique<Action>(Work, Succeeded);
    }
    const Job& Work;
    bool& Succeeded;
  } Make(Work, Succeeded);
  const tooling::FixedCompilationDatabase Database(".", Work.Flags);
  tooling::ClangTool Tool(Database, {Work.Source});
  Tool.clearArgumentsAdjusters(); // the flags are the job's own
  const int Status = Tool.run(&Make);
  return Status == 0 && Succeeded ? 0 : 1;
}

} // namespace ikra
