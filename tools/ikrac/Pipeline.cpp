// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline as one function: parse, Analysis, Fusion, Layout, Emit. Nothing is written unless
// all of it succeeded.

#include "Pipeline.h"

#include "Analysis/Analysis.h"
#include "Analysis/Diagnostics.h"
#include "Analysis/Prepare/CapturedStructs.h"
#include "Analysis/Prepare/DatalogChecker.h"
#include "Analysis/Prepare/LocalClasses.h"
#include "Analysis/Prepare/MemberPointers.h"
#include "Analysis/Prepare/MutableSections.h"
#include "Emit/Emit.h"
#include "Emit/Host/HostSections.h"
#include "HeldMessages.h"
#include "Model/BodyVerifier.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/InMemoryModuleCache.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/VirtualFileSystem.h"
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
    (void)llvm::sys::fs::create_directories( // where that fails, so does opening the file
        Parent, /*IgnoreExisting=*/true, llvm::sys::fs::all_all);
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

#ifdef NDEBUG
constexpr bool IsDebugBuild = false;
#else
constexpr bool IsDebugBuild = true;
#endif

/// In debug builds, and where bodies are printed: what Analysis made keeps its promises.
bool areSound(const ProgramModel& Model, bool IsLooked) {
  const std::vector<std::string> Faults =
      IsLooked ? faultsOfBodies(Model) : std::vector<std::string>();
  for (const std::string& Fault : Faults)
    llvm::errs() << "ikrac: error: " << Fault << "; this is a defect of ikrac, please report it\n";
  return Faults.empty();
}

constexpr const char* NoFlags = "ikrac: error: clang takes no part of these flags\n";

/// One parse of the file, or of a text in its place, and what came of it.
struct Attempt {
  const Job& Work;
  HeldMessages Messages = {};
  std::string Text = {};     ///< parsed in place of the file; empty for the file itself
  bool Prepares = true;      ///< stops before Analysis where the text has to be another one
  std::string Prepared = {}; ///< that text, where it stopped
  UsersFile Before = {};     ///< what it is made of
  bool WasParsed = false;    ///< without errors
  bool Succeeded = false;
};

/// Whether nothing but comments follows a declaration in the job's file.
bool endsFile(DeclGroupRef Group, const ASTContext& Ast) {
  const SourceManager& SM = Ast.getSourceManager();
  const SourceLocation End = Group.isNull() ? SourceLocation() : (*(Group.end() - 1))->getEndLoc();
  if (!End.isFileID() || !SM.isWrittenInMainFile(End))
    return false;
  const std::optional<Token> Next = Lexer::findNextToken(End, SM, Ast.getLangOpts());
  return Next && Next->is(tok::eof);
}

class Action : public ASTFrontendAction {
public:
  explicit Action(Attempt& Current) : Work(Current.Work), Current(Current) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& Compiler,
                                                 llvm::StringRef) override {
    Compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<IncludeRecorder>(Compiler.getSourceManager(), Includes));
    Collector = std::make_unique<syntax::TokenCollector>(Compiler.getPreprocessor());
    Dependencies = std::make_shared<DependencyCollector>();
    Dependencies->attachToPreprocessor(Compiler.getPreprocessor());
    // Those of a precompiled header, which is loaded after this.
    Compiler.addDependencyCollector(Dependencies);
    if (const std::string& Read = Compiler.getPreprocessorOpts().ImplicitPCHInclude; !Read.empty())
      Dependencies->maybeAddDependency(Read, /*FromModule=*/false, /*IsSystem=*/false,
                                       /*IsModuleFile=*/false, /*IsMissing=*/false);
    return std::make_unique<Consumer>(*this);
  }

private:
  struct Consumer : ASTConsumer {
    explicit Consumer(Action& Owner) : Owner(Owner) {}
    void Initialize(ASTContext& Context) override { Ast = &Context; }
    bool HandleTopLevelDecl(DeclGroupRef Group) override {
      return !endsFile(Group, *Ast) || !Owner.prepares(*Ast);
    }
    void HandleTranslationUnit(ASTContext& Context) override {
      Owner.Current.Succeeded = Owner.compile(Context);
    }
    Action& Owner;
    ASTContext* Ast = nullptr;
  };

  /// Whether local classes have to be lifted, or captured structs split. Asked after the last
  /// declaration, before clang instantiates the file's templates, which takes half of the time;
  /// where a file ends otherwise, after that.
  bool prepares(ASTContext& Ast) {
    if (Current.Prepares && !Ast.getDiagnostics().hasErrorOccurred()) {
      Current.Prepares = false;
      tooling::Replacements Edits;
      liftLocalClasses(Ast, unitName(Work.Source), Edits);
      splitCapturedStructs(Ast, Edits);
      const SourceManager& SM = Ast.getSourceManager();
      if (!Edits.empty()) {
        const llvm::StringRef Text = SM.getBufferData(SM.getMainFileID());
        Current.Prepared =
            llvm::expectedToOptional(tooling::applyAllReplacements(Text, Edits)).value_or("");
        Current.Before = {SM.getFileEntryRefForID(SM.getMainFileID())->getName().str(), Text.str(),
                          std::move(Edits)};
      }
    }
    return !Current.Prepared.empty();
  }

  bool compile(ASTContext& Ast) {
    Diagnoser Diags(Ast.getDiagnostics());
    if (Diags.hasErrors()) {
      llvm::SmallDenseSet<SourceLocation> Told;
      for (const MutableSection& Found : mutableSections(Ast)) {
        Current.Messages.forgetErrorsCausedBy(Found, Ast.getSourceManager());
        if (Told.insert(Found.Lambda).second)
          Diags.report(Found.Lambda, Diag::section_mutable);
      }
      return false;
    }
    Current.WasParsed = true;
    if (prepares(Ast))
      return false;
    nameMembers(Ast);
    Sema& Compiler = getCompilerInstance().getSema();
    const std::string Unit = unitName(Work.Source);
    FoundDatalog Written = findDatalog(Ast);
    judgeFunctors(Compiler, Ast, Written.Functors);
    if (Work.Checks)
      for (DatalogFunctor& Given : Written.Functors)
        if (Given.WhyNot.empty())
          Given.WhyNot = "the build is checked";
    std::vector<DatalogProgram> Datalog = checkDatalog(Ast, Diags, Unit, Written);
    HostLoops Loops;
    ProgramModel Model = analyse(Compiler, Ast, Diags, Unit, Written.Functors, Work.Checks, Loops);
    Model.Datalog = std::move(Datalog);
    if (Diags.hasErrors() || !areSound(Model, IsDebugBuild || Work.Stage == Print::Bodies))
      return false;
    const FusionPlan Fusion = planFusion(Model);
    const LayoutPlan Layout = planLayout(Model, Fusion);
    const std::vector<TurnPlan> Turns = planTurns(Model, Fusion, Loops);
    const std::vector<SequencePlan> Sequences = planSequences(Model, Loops);
    switch (Work.Stage) {
    case Print::Model:
      print(Model, llvm::outs());
      return true;
    case Print::Bodies:
      printBodies(Model, llvm::outs());
      return true;
    case Print::Fusion:
      print(Fusion, Model, llvm::outs());
      print(Turns, Loops, Model, llvm::outs());
      print(Sequences, Loops, Model, llvm::outs());
      return true;
    case Print::FusionDot:
      printDot(Fusion, Model, llvm::outs());
      return true;
    case Print::Layout:
      print(Layout, Model, Fusion, llvm::outs());
      return true;
    case Print::Edits:
    case Print::Nothing:
      break;
    }
    const syntax::TokenBuffer Tokens = std::move(*Collector).consume();
    const MacroNames Macros = MacroNames::of(getCompilerInstance().getPreprocessor());
    const HostInput Host{Model, Fusion, Loops, Ast, Includes, Tokens, Macros, Work.Overlay};
    if (Work.Stage == Print::Edits) {
      printHostEdits(Host, llvm::outs());
      return true;
    }
    std::vector<RewrittenFile> Files = rewriteHostText(Host);
    Files.back().Text = emit({Model, Fusion, Layout, Loops, Turns, Sequences, Macros,
                              llvm::sys::path::filename(Work.Source).str(), Work.Output},
                             Files.back().Text);
    return write(Files);
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
  Attempt& Current;
  std::vector<Inclusion> Includes;
  std::unique_ptr<syntax::TokenCollector> Collector;
  std::shared_ptr<DependencyCollector> Dependencies;
};

/// What clang makes of the job's flags, for \p Path. It says nothing of flags, and leaves out those
/// whose values it does not know: they are another compiler's, which will say what is wrong.
std::shared_ptr<CompilerInvocation>
invocation(const Job& Work, const std::string& Path,
           llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  std::vector<const char*> Arguments{"clang-tool"};
  for (const std::string& Flag : Work.Flags)
    Arguments.push_back(Flag.c_str());
  Arguments.push_back(Path.c_str());
  CreateInvocationOptions Options;
  Options.Diags =
      CompilerInstance::createDiagnostics(new DiagnosticOptions, new IgnoringDiagConsumer);
  Options.VFS = std::move(Files);
  Options.RecoverOnError = true;
  std::shared_ptr<CompilerInvocation> Made = createInvocation(Arguments, Options);
  if (!Made)
    return nullptr;
  Made->getFrontendOpts().DisableFree = false;
  // -march= of a machine that is newer than this clang, -mfpmath=both, and the like.
  const auto Target = std::make_shared<TargetOptions>(Made->getTargetOpts());
  const llvm::IntrusiveRefCntPtr<TargetInfo> Known =
      TargetInfo::CreateTargetInfo(*Options.Diags, Target);
  if (!Known) {
    Made->getTargetOpts().CPU.clear();
    Made->getTargetOpts().TuneCPU.clear();
    Made->getTargetOpts().FPMath.clear();
    Made->getTargetOpts().FeaturesAsWritten.clear();
  }
  return Made;
}

/// Whether a precompiled header was made by this clang, under flags that mean the same.
bool agrees(const std::string& Precompiled, const CompilerInvocation& With, FileManager& Files) {
  const IntrusiveRefCntPtr Modules(new InMemoryModuleCache);
  PCHContainerOperations Containers;
  return ASTReader::isAcceptableASTFile(
      Precompiled, Files, *Modules, Containers.getRawReader(), With.getLangOpts(),
      With.getTargetOpts(), With.getPreprocessorOpts(), "", /*RequireStrictOptionMatches=*/true);
}

/// Precompiles the job's header. \returns false if there were errors.
bool precompile(const Job& Work) {
  const IntrusiveRefCntPtr Files(new FileManager(FileSystemOptions()));
  const std::string Path = tooling::getAbsolutePath(Work.Source);
  std::shared_ptr<CompilerInvocation> Invocation =
      invocation(Work, Path, Files->getVirtualFileSystemPtr());
  if (!Invocation) {
    llvm::errs() << NoFlags;
    return false;
  }
  FrontendOptions& Frontend = Invocation->getFrontendOpts();
  Frontend.Inputs = {FrontendInputFile(Path, InputKind(Language::CXX).getHeader())};
  Frontend.OutputFile = Work.Output;
  Frontend.ProgramAction = frontend::GeneratePCH;
  // Here once, rather than in each source that includes it.
  Invocation->getLangOpts().PCHInstantiateTemplates = true;
  return tooling::newFrontendActionFactory<GeneratePCHAction>()->runInvocation(
      std::move(Invocation), Files.get(), std::make_shared<PCHContainerOperations>(), nullptr);
}

/// \returns false if clang itself could not run.
bool run(Attempt& Current) {
  struct Factory : tooling::FrontendActionFactory {
    explicit Factory(Attempt& Current) : Current(Current) {}
    std::unique_ptr<FrontendAction> create() override { return std::make_unique<Action>(Current); }
    Attempt& Current;
  } Make(Current);
  const std::string Path = tooling::getAbsolutePath(Current.Work.Source);
  const llvm::IntrusiveRefCntPtr Files(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
  if (!Current.Text.empty()) {
    const llvm::IntrusiveRefCntPtr InPlace(new llvm::vfs::InMemoryFileSystem);
    InPlace->addFile(Path, 0, llvm::MemoryBuffer::getMemBuffer(Current.Text));
    Files->pushOverlay(InPlace);
  }
  std::shared_ptr<CompilerInvocation> Invocation = invocation(Current.Work, Path, Files);
  if (!Invocation) {
    llvm::errs() << NoFlags;
    return false;
  }
  const llvm::IntrusiveRefCntPtr Manager(new FileManager(FileSystemOptions(), Files));
  const std::string& Precompiled = Current.Work.Precompiled;
  if (!Precompiled.empty() && !llvm::sys::fs::exists(Precompiled)) {
    llvm::errs() << "ikrac: error: there is no precompiled header '" << Precompiled
                 << "'; ikrac --precompile makes one\n";
    return false;
  }
  if (!Precompiled.empty() && agrees(Precompiled, *Invocation, *Manager))
    Invocation->getPreprocessorOpts().ImplicitPCHInclude = Precompiled;
  return Make.runInvocation(std::move(Invocation), Manager.get(),
                            std::make_shared<PCHContainerOperations>(), &Current.Messages);
}

} // namespace

int runPipeline(const Job& Work) {
  if (Work.Precompiles)
    return precompile(Work) ? 0 : 1;
  Attempt First{.Work = Work};
  const bool Ran = run(First);
  if (First.Prepared.empty()) {
    First.Messages.print(llvm::errs());
    return Ran && First.Succeeded ? 0 : 1;
  }
  Attempt Second{.Work = Work, .Text = First.Prepared, .Prepares = false};
  Second.Messages.quote(First.Before);
  const bool RanAgain = run(Second);
  if (Second.WasParsed) {
    Second.Messages.print(llvm::errs());
    return RanAgain && Second.Succeeded ? 0 : 1;
  }
  // The text stays as it is.
  Attempt Third{.Work = Work, .Prepares = false};
  const bool RanLast = run(Third);
  Third.Messages.print(llvm::errs());
  return RanLast && Third.Succeeded ? 0 : 1;
}

} // namespace ikra
