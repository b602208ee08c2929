// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitted file as a whole: prologue, host text, epilogue.

#include "Emit.h"

#include "Analysis/BodyWalker.h"
#include "Analysis/Instantiations.h"
#include "Analysis/Types.h"
#include "Edits.h"
#include "SectionEmitter.h"

#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace clang;

namespace ikra {

namespace {

class UnitEmitter {
public:
  explicit UnitEmitter(const EmitInput& Input)
      : Input(Input), Model(Input.Model), Layout(Input.Layout),
        Context{Input.Model, Input.Layout, Input.Ast, Input.Model.Unit} {}

  std::vector<RewrittenFile> run() {
    std::vector<RewrittenFile> Files =
        rewrite(Input.Ast.getSourceManager(), replacements(), Input.Includes, Input.OverlayPath);
    if (!Model.Sections.empty()) {
      // Printing bodies shows which hidden types they name; these names stand in front of the
      // bodies.
      CodeWriter Trial(Input.OutputName);
      epilogue(Trial);
    }
    CodeWriter Out(Input.OutputName);
    prologue(Out);
    datalog(Out);
    Out.raw(Files.back().Text);
    if (!Model.Sections.empty()) {
      Out.ownPlace();
      epilogue(Out);
    }
    Files.back().Text = Out.take();
    return Files;
  }

private:
  std::vector<Replacement> replacements();
  void renameTaken(std::vector<Replacement>& Out);
  void nameLambdas(Edits& Out);
  void addArgument(const Section& S, Edits& Out);
  void replaceOperator(const Section& S, Edits& Out);
  std::string replacementText(const Section& S, llvm::StringRef Written);
  std::string templateText(const Section& S, llvm::StringRef Written);
  std::map<std::string, std::vector<Index>> instantiations() const;
  void instances(CodeWriter& Out);
  void prologue(CodeWriter& Out);
  void jointCode(CodeWriter& Out);
  void datalog(CodeWriter& Out);
  void epilogue(CodeWriter& Out);
  void access(CodeWriter& Out);
  static void bitFieldAccess(const Member& Of, const std::string& Class, CodeWriter& Out);
  void records(CodeWriter& Out);
  void world(CodeWriter& Out, bool Checked);
  void reportingWorld(CodeWriter& Out);
  void layout(CodeWriter& Out);
  void tables(CodeWriter& Out);
  std::string columnInfo(const Column& C);
  void fusions(CodeWriter& Out);
  void sharedDrivers(CodeWriter& Out);
  const FusedKernel* fusedInto(Index S) const;
  const LoopKernel* loopOf(Index S) const;
  bool isFamilyDispatched(Index Family) const;

  std::string sourceName() const {
    const SourceManager& SM = Input.Ast.getSourceManager();
    const OptionalFileEntryRef Main = SM.getFileEntryRefForID(SM.getMainFileID());
    return Main ? llvm::sys::path::filename(Main->getName()).str() : "";
  }

  const EmitInput& Input;
  const ProgramModel& Model;
  const LayoutPlan& Layout;
  EmitContext Context;
};

//===-- host text --------------------------------------------------------------------------===//

/// The lambda, made only where it is asked for.
std::string madeLater(const Section& S, llvm::StringRef Written) {
  return std::string("::ikra::later{[") + (S.Inside.empty() ? "" : "&") + "] { return " +
         Written.str() + "; }}";
}

/// The user's code, for objects whose class this unit does not know. peach runs at once, and has a
/// lambda made where it is needed.
std::string userCode(const Section& S, llvm::StringRef Written) {
  return S.Op == Operation::PEach && S.Lambda ? madeLater(S, Written) : Written.str();
}

/// What a section captures, as arguments: where each may be made only once, in the order in which
/// the lambda makes them.
std::string captureArguments(const Section& S) {
  std::vector<std::string> Texts;
  for (const CaptureText& Each : S.CaptureTexts)
    if (std::string Text = argumentOf(Each); !Text.empty())
      Texts.push_back(std::move(Text));
  const std::string All = llvm::join(Texts, ", ");
  return S.CapturesOnce && Texts.size() > 1 ? "::ikra::captures_in_order{" + All + "}.kept" : All;
}

/// The text of a section that takes its captures from a named lambda.
std::string ofObject(const Section& S, const std::string& Tag, llvm::StringRef Written) {
  return std::string("::ikra::make_section_of") + (S.keepsUserCode() ? "_with_code" : "") +
         "<::" + Tag + ">(" + Written.str() + ")";
}

std::string UnitEmitter::replacementText(const Section& S, llvm::StringRef Written) {
  if (S.From == CapturesFrom::Kept)
    return ofObject(S, Model.Unit + "::" + S.Ident, Written);
  // Results that are hidden here are those of operations that know their type without the section.
  const auto Spelling = [](const Type& T) {
    return T.HiddenHere ? "::ikra::any_value" : T.HostSpelling;
  };
  std::vector<std::string> Parameters;
  for (const Type& T :
       isReduction(S.Op) || S.Op == Operation::PSort ? std::vector{S.Result, S.Result} : S.Elements)
    Parameters.push_back(S.Op == Operation::PStencil && !T.HiddenHere
                             ? "const ::ikra::window<" + T.HostSpelling + ", " +
                                   std::to_string(S.Rank) + ">&"
                             : Spelling(T));
  if (S.WithIndex)
    Parameters.push_back(S.Rank == 1 ? "std::int64_t"
                                     : "::ikra::index<" + std::to_string(S.Rank) + ">");
  if (S.TakesTick)
    Parameters.emplace_back("std::int64_t");
  const std::string Captures = captureArguments(S);
  const std::string Code =
      S.keepsUserCode() ? userCode(S, Written) + (Captures.empty() ? "" : ", ") : "";
  return std::string("::ikra::make_section") + (S.keepsUserCode() ? "_with_code" : "") +
         "<::" + Model.Unit + "::" + S.Ident + ", " + Spelling(S.Result) + "(" +
         llvm::join(Parameters, ", ") + ")>(" + Code + Captures + ")";
}

/// In a template the user's text stays, for its types. Where it makes what may be made only once,
/// it never runs.
std::string UnitEmitter::templateText(const Section& S, llvm::StringRef Written) {
  if (S.From == CapturesFrom::Kept)
    return ofObject(S,
                    Model.Unit + "::" + S.Instance->Template + "<" +
                        llvm::join(S.Instance->InText, ", ") + ">",
                    Written);
  const std::string Code = S.CapturesOnce      ? madeLater(S, Written)
                           : S.keepsUserCode() ? userCode(S, Written)
                                               : Written.str();
  const std::string Captures = captureArguments(S);
  return std::string("::ikra::make_section_like") + (S.keepsUserCode() ? "_with_code" : "") +
         "<::" + Model.Unit + "::" + S.Instance->Template + "<" +
         llvm::join(S.Instance->InText, ", ") + ">>(" + Code + (Captures.empty() ? "" : ", ") +
         Captures + ")";
}

/// A section behind the arguments of its call.
void UnitEmitter::addArgument(const Section& S, Edits& Out) {
  const auto* Call = cast<CallExpr>(S.Argument);
  const Edits::Span At = Out.spanOf(Call->getRParenLoc());
  const bool IsFirst =
      Call->getNumArgs() == 0 && llvm::none_of(*At.Into, [&](const auto& R) {
        return R.File == At.File && R.Offset == At.Begin && R.Length == 0 && R.Nesting == 0;
      });
  Out.insertBefore(
      At, (IsFirst ? "" : ", ") +
              (S.Instance
                   ? templateText(S, S.IsZip ? "::ikra::detail::zip_elements()" : S.FunctionObject)
                   : replacementText(S, S.IsZip ? "::ikra::detail::zip_elements()" : "")));
}

/// a + b becomes element_wise<tag, function>(a , b), where both operands stay as they are.
void UnitEmitter::replaceOperator(const Section& S, Edits& Out) {
  const auto* Call = cast<CXXOperatorCallExpr>(S.Argument);
  const Edits::Span All = Out.spanOf(Call->getSourceRange());
  const Edits::Span Operator = Out.spanOf(Call->getOperatorLoc());
  const std::string Tag =
      S.Instance ? S.Instance->Template + "<" + llvm::join(S.Instance->InText, ", ") + ">"
                 : S.Ident;
  const std::string Head =
      std::string(S.Instance ? "::ikra::element_wise_of_arrays" : "::ikra::element_wise") +
      "<::" + Model.Unit + "::" + Tag + ", " + S.FunctionObject + ">(";
  // At one place, inner operators end before outer ones, and begin behind them.
  const std::int64_t Opens = (std::int64_t(1) << 40) - All.End;
  if (Call->getNumArgs() == 1) {
    Operator.Into->push_back(
        {Operator.File, Operator.Begin, Operator.End - Operator.Begin, Head, Opens});
  } else {
    Out.insertBefore(All, Head, Opens);
    Out.replace(Operator, ",");
  }
  Out.insertBehind(All, ")", -1 - std::int64_t(All.Begin));
}

/// A macro gives a name that is taken another, from the line of its first declaration on.
void UnitEmitter::renameTaken(std::vector<Replacement>& Out) {
  const SourceManager& SM = Input.Ast.getSourceManager();
  for (const TakenName& Taken : Model.Taken) {
    const auto [File, At] = SM.getDecomposedLoc(Taken.From);
    const llvm::StringRef Before = SM.getBufferData(File).take_front(At);
    const std::size_t Line = Before.rfind('\n') + 1; // 0 in the first line
    const bool IsFirstInLine = Before.substr(Line).trim().empty();
    Out.push_back({File, IsFirstInLine ? unsigned(Line) : At, 0,
                   (IsFirstInLine ? "#define " : "\n#define ") + Taken.Name + " " + Taken.Name +
                       "_of_program\n",
                   -1});
  }
}

/// Lambdas whose types are arguments of templates, with tags that stand for these.
void UnitEmitter::nameLambdas(Edits& Out) {
  for (const NamedLambda& Named : Model.Lambdas) {
    if (!Named.IsUsed)
      continue;
    const Edits::Span At = Out.spanOf(Named.Lambda->getSourceRange());
    Out.insertBefore(At, "::ikra::named<::" + Model.Unit + "::" + Named.Ident +
                             (Named.InTemplate ? "<" + llvm::join(Named.InText, ", ") + ">" : "") +
                             ">(");
    std::string Captures;
    for (const CaptureText& Each : Named.Captures)
      if (const std::string Text = argumentOf(Each); !Text.empty())
        Captures += ", " + Text;
    Out.insertBehind(At, Captures + ")");
  }
}

std::vector<Replacement> UnitEmitter::replacements() {
  Edits Out(Input.Ast, Input.Tokens);
  std::set<std::string> Templates;
  for (const Section& S : Model.Sections) {
    if (S.Instance && !Templates.insert(S.Instance->Template).second)
      continue;
    if (S.Written == Rewriting::NewArgument) {
      addArgument(S, Out);
      continue;
    }
    if (S.Written == Rewriting::Operator) {
      replaceOperator(S, Out);
      continue;
    }
    const Edits::Span At = Out.spanOf(S.Argument->getSourceRange());
    Out.replace(At, S.Instance ? templateText(S, At.Text) : replacementText(S, At.Text));
  }
  for (const JointResults& Results : Input.Fusion.Together)
    if (!Results.Kernels.empty())
      Out.insertBehind(Out.spanOf(Results.Behind->getEndLoc()),
                       " ::ikra::compute_together<::" + Model.Unit + "::" + Results.Ident + ">(" +
                           llvm::join(Results.Variables, ", ") + ");",
                       INT64_MAX);
  nameLambdas(Out);
  std::set<SourceLocation> Wrapped; // a template's text serves all instantiations
  for (const Expr* Code : Model.OnHost) {
    if (!Wrapped.insert(Code->getBeginLoc()).second)
      continue;
    const Edits::Span At = Out.spanOf(Code->getSourceRange());
    Out.insertBefore(At, "::ikra::on_host(");
    Out.insertBehind(At, ")");
  }
  std::vector<Replacement> All = Out.take();
  renameTaken(All);
  return All;
}

//===-- prologue ---------------------------------------------------------------------------===//

const LoopKernel* UnitEmitter::loopOf(Index S) const {
  for (const LoopKernel& Loop : Input.Fusion.Loops)
    if (llvm::is_contained(Loop.Sections, S))
      return &Loop;
  return nullptr;
}

const FusedKernel* UnitEmitter::fusedInto(Index S) const {
  for (const FusedKernel& Kernel : Input.Fusion.Kernels)
    if (Kernel.last() == S)
      return &Kernel;
  return nullptr;
}

void UnitEmitter::prologue(CodeWriter& Out) {
  Out.line("// Generated by ikrac from " + sourceName() + ". Changes are lost at the next build.");
  if (Model.Sections.empty() && Model.OnHost.empty()) {
    Out.line(Model.Datalog.empty()
                 ? "// It holds no parallel sections, and is the same but for its includes."
                 : "// It holds no parallel sections.");
    return;
  }
  // What only sections used is unused in the host text, and what the emitted code leaves unused or
  // hides says nothing about the user's. The plain build has all of the user's warnings.
  for (const char* Warning :
       {"parentheses", "shadow", "unused-but-set-variable", "unused-const-variable",
        "unused-function", "unused-local-typedefs", "unused-parameter", "unused-variable"})
    Out.line("#pragma GCC diagnostic ignored \"-W" + llvm::Twine(Warning) + "\"");
  Out.line("#ifdef __CUDACC__");
  Out.line("#pragma nv_diag_suppress 177, 550 // the same, as nvcc calls it");
  Out.line("#endif");
  Out.line("#include <ikra/generated.hpp>");
  if (llvm::any_of(Model.Sections, [](const Section& S) { return S.Op == Operation::PSort; }))
    Out.line("#include <ikra/generated/launch_sort_cuda.hpp>");
  Out.line("");
  Out.open("namespace " + Model.Unit + " {");
  Out.line("struct unit;");
  for (const Section& S : Model.Sections)
    Out.line((S.Instance ? "// " + S.Ident + ": " : "struct " + S.Ident + "; // ") + S.At.File +
             ":" + std::to_string(S.At.Line) + ":" + std::to_string(S.At.Column));
  for (const JointResults& Results : Input.Fusion.Together)
    if (!Results.Kernels.empty())
      Out.line("struct " + Results.Ident + "; // " + llvm::join(Results.Variables, ", "));
  for (const NamedLambda& Named : Model.Lambdas)
    if (Named.IsUsed)
      Out.line((Named.InTemplate ? "template <class...> struct " : "struct ") + Named.Ident +
               "; // " + Named.At.File + ":" + std::to_string(Named.At.Line) + ":" +
               std::to_string(Named.At.Column));
  for (const auto& [Name, Sections] : instantiations()) {
    Out.line("template <class...> struct " + Name + " {};");
    Out.line("void run_" + Name + "(const std::type_info& instance, ikra::" +
             callType(Model.Sections[Sections.front()]) + "& call);");
    if (llvm::any_of(Sections, [&](Index I) { return fusedInto(I); }))
      Out.line("std::span<const ikra::fusion> fusions_of_" + Name +
               "(const std::type_info& instance);");
    if (llvm::any_of(Sections, [&](Index I) { return loopOf(I); }))
      Out.line("const ikra::loop* sequences_of_" + Name + "(const std::type_info& instance);");
  }
  Out.close();
  for (const auto& [Name, Sections] : instantiations()) {
    const std::string Tag = Model.Unit + "::" + Name + "<T...>", Of = "_" + Name + "(typeid(" + Tag;
    Out.open("template <class... T> struct ikra::section_code<" + Tag + "> {");
    Out.line("static void run(" + callType(Model.Sections[Sections.front()]) + "& call) { " +
             Model.Unit + "::run" + Of + "), call); }");
    if (llvm::any_of(Sections, [&](Index I) { return fusedInto(I); }))
      Out.line("static std::span<const fusion> fusions() { return " + Model.Unit + "::fusions_of" +
               Of + ")); }");
    if (llvm::any_of(Sections, [&](Index I) { return loopOf(I); }))
      Out.line("static const loop* sequences() { return " + Model.Unit + "::sequences_of" + Of +
               ")); }");
    Out.close("};");
  }
  for (Index I = 0; I < Model.Sections.size(); ++I) {
    const Section& S = Model.Sections[I];
    if (S.Instance)
      continue;
    Out.open("template <> struct ikra::section_code<" + Model.Unit + "::" + S.Ident + "> {");
    Out.line("static void run(" + callType(S) + "& call);");
    if (fusedInto(I))
      Out.line("static std::span<const fusion> fusions();");
    if (loopOf(I))
      Out.line("static const loop* sequences();");
    Out.close("};");
  }
  jointCode(Out);
}

/// In front of the host text, which says where results have been made that are asked for together.
void UnitEmitter::jointCode(CodeWriter& Out) {
  for (const JointResults& Results : Input.Fusion.Together)
    if (!Results.Kernels.empty())
      Out.line("template <> struct ikra::joint_code<" + Model.Unit + "::" + Results.Ident +
               "> { static std::span<const joint_fusion> fusions(); };");
}

/// In front of the host text, so that programs at namespace scope find theirs.
void UnitEmitter::datalog(CodeWriter& Out) {
  if (Model.Datalog.empty())
    return;
  Out.line("#include <ikra/generated/datalog_joins.hpp>");
  Out.line("namespace " + Model.Unit + "::datalog_programs {");
  Out.line("using namespace ikra::datalog;");
  Out.line("using namespace ikra::datalog::compiled;");
  for (const DatalogProgram& Program : Model.Datalog) {
    Out.line("// the Datalog program at " + Program.At.File + ":" + llvm::Twine(Program.At.Line) +
             ":" + llvm::Twine(Program.At.Column));
    Out.raw(Program.Definitions);
  }
  Out.line("} // namespace " + Model.Unit + "::datalog_programs");
}

//===-- epilogue ---------------------------------------------------------------------------===//

/// A bit-field is read and written by value.
void UnitEmitter::bitFieldAccess(const Member& Of, const std::string& Class, CodeWriter& Out) {
  Out.open("struct " + Of.Name + " {");
  Out.line("static auto get(const " + Class + "& o) { return o." + Of.Name + "; }");
  if (!Of.Decl->getType().isConstQualified())
    Out.line("static void set(" + Class + "& o, decltype(" + Class + "::" + Of.Name +
             ") value) { o." + Of.Name + " = value; }");
  Out.close("};");
}

void UnitEmitter::access(CodeWriter& Out) {
  Out.heading("access to members: IKRA_OBJECT befriends ikra::object_access");
  // What names a class stands behind what lets it be named.
  std::vector<std::pair<unsigned, Index>> Order;
  for (Index C = 0; C < Model.Classes.size(); ++C) {
    unsigned Depth = 0;
    for (std::optional<Index> At = Model.Classes[C].Outer; At; At = Model.Classes[*At].Outer)
      ++Depth;
    Order.emplace_back(Depth, C);
  }
  std::sort(Order.begin(), Order.end());
  const std::string UnitTag = Model.Unit + "::unit";
  for (const auto& [Depth, C] : Order) {
    const auto Aliases = Context.Aliases.find(C);
    std::vector<Index> Members;
    for (const Column& Col : Layout.Columns)
      if (LayoutPlan::ownerOf(Col, Model) == C)
        Members.insert(Members.end(), Col.Members.begin(), Col.Members.end());
    const std::set<std::string>& Hidden = Model.Classes[C].HiddenMembers;
    if (Members.empty() && Hidden.empty() && Aliases == Context.Aliases.end())
      continue;
    const std::string Name = Context.className(C, UnitTag);
    Out.open("template <> struct ikra::object_access<" + UnitTag + ", " + Name + "> {");
    if (Aliases != Context.Aliases.end())
      for (const auto& [Alias, Type] : Aliases->second)
        Out.line("using " + Alias + " = " + Name + "::" + Type + ";");
    for (Index M : Members)
      if (const Member& Of = Model.Members[M]; Of.Bits != 0)
        bitFieldAccess(Of, Name, Out);
      else
        Out.line("static auto& " + Of.Name + "(" + Name + "& o) { return o." + Of.Name + "; }");
    for (const std::string& Member : Hidden) // of a value, which may be constant
      Out.line("template <class Value> IKRA_DEVICE static auto& " + Member +
               "(Value& value) { return value." + Member + "; }");
    Out.close("};");
  }
}

bool UnitEmitter::isFamilyDispatched(Index Family) const {
  for (const Function& F : Model.Functions)
    for (const auto& [Site, Call] : F.Calls)
      if (Call.Dispatched && !Call.isDirect() && !Call.ReceiverIsSelf &&
          Model.Classes[*Call.Targets.front().Class].Family == Family)
        return true;
  return false;
}

/// The struct that one element of a column of records is: Street_record for the column
/// Street_records.
std::string recordName(const Column& C) {
  std::string Name = C.Ident;
  Name.erase(Name.rfind("_records") + 7, 1);
  return Name;
}

void UnitEmitter::records(CodeWriter& Out) {
  Out.heading("columns");
  for (Index K = 0; K < Layout.Classes.size(); ++K) {
    const std::string Name = classAlias(Context, Layout.Classes[K]);
    const std::string Tag = "ikra::rt::concrete_class<" + std::to_string(K) + ", " +
                            Context.className(Layout.Classes[K]) + ">";
    // nvcc takes no class that is not public for an argument of a kernel.
    Out.line(Model.Classes[Layout.Classes[K]].Outer ? "struct " + Name + " : " + Tag + " {};"
                                                    : "using " + Name + " = " + Tag + ";");
  }
  Out.line("");
  for (const Column& C : Layout.Columns) {
    if (C.Kind != ColumnKind::Record)
      continue;
    Out.open("struct alignas(" + std::to_string(C.Alignment) + ") " + recordName(C) + " {");
    for (Index M : C.Members)
      Out.line(Context.typeText(Model.Members[M].Ty) + " " + Model.Members[M].Name + ";");
    Out.close("};");
  }
}

/// The columns as device code sees them. \p Checked: each use looks for null.
void UnitEmitter::world(CodeWriter& Out, bool Checked) {
  const std::string Name = Checked ? "checked_world" : "world";
  const std::string Prefix = Checked ? "ikra::checked_" : "ikra::";
  Out.open("struct " + Name + " {");
  std::vector<std::string> Inits;
  const auto Add = [&](const std::string& Ty, const std::string& Ident, const std::string& From) {
    Out.line(Ty + " " + Ident + ";");
    Inits.push_back(Ident + (Checked ? "{" + From + ", nulls}" : "(" + From + ")"));
  };
  for (Index K = 0; K < Layout.Columns.size(); ++K) {
    const Column& C = Layout.Columns[K];
    const std::string T = C.Kind == ColumnKind::Record
                              ? recordName(C)
                              : Context.elementText(Model.Members[C.Members.front()]);
    const std::string Argument = "<" + T + ">", Number = "(" + std::to_string(K) + ")";
    if (C.Kind == ColumnKind::ValueList || C.Kind == ColumnKind::ReferenceList)
      Add(Prefix + "list_column" + Argument, C.Ident, "c.list" + Argument + Number);
    else
      Add(Checked ? Prefix + "column" + Argument : T + "*", C.Ident,
          "c.values" + Argument + Number);
  }
  for (Index F = 0; F < Layout.Families.size(); ++F) {
    const FamilyLayout& Family = Layout.Families[F];
    if (!isFamilyDispatched(F) || Family.Classes.empty())
      continue;
    const std::string N = std::to_string(Family.Classes.size());
    Add(Prefix + "class_starts<" + N + ">", Family.Ident,
        "c.starts<" + std::to_string(F) + ", " + N + ">()");
  }
  const std::string Columns = Inits.empty() ? "" : " c";
  if (Checked) {
    Out.line("ikra::failure_report nulls;");
    Inits.emplace_back("nulls(nulls)");
  }
  Out.line("");
  const std::string Parameters =
      "const ikra::rt::columns&" + Columns + (Checked ? ", ikra::failure_report nulls" : "");
  if (Inits.empty()) {
    Out.line("explicit " + Name + "(" + Parameters + ") {}");
  } else {
    Out.line("explicit " + Name + "(" + Parameters + ")");
    Out.line("    : " + llvm::join(Inits, ",\n        ") + " {}");
  }
  Out.close("};");
  Out.ownPlace();
}

/// Plain columns, and where at() says that it failed.
void UnitEmitter::reportingWorld(CodeWriter& Out) {
  Out.open("struct reporting_world : world {");
  Out.line("ikra::failure_report nulls;");
  Out.line("");
  Out.line("reporting_world(const ikra::rt::columns& c, ikra::failure_report failures)");
  Out.line("    : world(c), nulls(failures) {}");
  Out.close("};");
}

/// The call of the runtime that describes a column.
std::string UnitEmitter::columnInfo(const Column& C) {
  const Class& Owner = Model.Classes[LayoutPlan::ownerOf(C, Model)];
  const auto AccessTo = [&](Index M) {
    return "&access_" + Owner.Ident + "::" + Model.Members[M].Name;
  };
  const Member& First = Model.Members[C.Members.front()];
  std::string Text, Name = First.Name;
  switch (C.Kind) {
  case ColumnKind::Value:
    Text = First.Bits == 0 ? "value_column<" + AccessTo(C.Members.front())
                           : "bit_field_column<access_" + Owner.Ident + "::" + First.Name + ", " +
                                 std::to_string(First.Bits);
    break;
  case ColumnKind::ValueList:
    Text = "value_list_column<" + AccessTo(C.Members.front());
    break;
  case ColumnKind::Reference:
    Text = "reference_column<" + AccessTo(C.Members.front()) + ", " +
           references(Context, *First.Ty.Class);
    break;
  case ColumnKind::ReferenceList:
    Text = "reference_list_column<" + AccessTo(C.Members.front()) + ", " +
           references(Context, *First.Ty.Class);
    break;
  case ColumnKind::Record: {
    std::vector<std::string> Fields, Names;
    for (Index M : C.Members) {
      Names.push_back(Model.Members[M].Name);
      Fields.push_back("field<&" + recordName(C) + "::" + Names.back() + ", " + AccessTo(M) + ">");
    }
    Text = "record_column<" + recordName(C) + ", fields<" + llvm::join(Fields, ", ") + ">";
    Name = llvm::join(Names, ", ");
    break;
  }
  }
  for (Index Concrete : C.Classes)
    Text += ", " + classAlias(Context, Concrete);
  return Text + ">(\"" + escaped(Owner.Name + "::" + Name) + "\")";
}

void UnitEmitter::layout(CodeWriter& Out) {
  Out.line("");
  Out.open("const ikra::rt::layout& layout() {");
  Out.line("using namespace ikra::rt;");
  std::set<Index> Owners;
  for (const Column& C : Layout.Columns)
    Owners.insert(LayoutPlan::ownerOf(C, Model));
  for (Index C : Owners)
    Out.line("using access_" + Model.Classes[C].Ident + " = ikra::object_access<unit, " +
             Context.className(C) + ">;");
  Out.open("static const class_info classes[] = {");
  for (Index C : Layout.Classes)
    Out.line("describe<" + classAlias(Context, C) + ">(\"" + escaped(Model.Classes[C].Name) +
             "\", " + std::to_string(Model.Classes[C].Family) + "),");
  Out.close("};");
  if (Layout.Columns.empty()) {
    Out.line("static const ikra::rt::layout plan(classes, {});");
  } else {
    Out.open("static const column_info columns[] = {");
    for (const Column& C : Layout.Columns)
      Out.line(columnInfo(C) + ",");
    Out.close("};");
    Out.line("static const ikra::rt::layout plan(classes, columns);");
  }
  Out.line("return plan;");
  Out.close();
}

/// Constant arrays: a device does not have the host's.
void UnitEmitter::tables(CodeWriter& Out) {
  if (Context.Tables.empty())
    return;
  Out.heading("constants");
  for (const auto& [V, Name] : Context.Tables) {
    const auto TypeText = [&](QualType Ty) { return Context.typeText(typeOf(Context, Ty)); };
    const std::string Values = tableText(V, TypeText).value_or("{}");
    const QualType Ty = V->getType().getUnqualifiedType();
    const auto* Array = Input.Ast.getAsConstantArrayType(Ty);
    if (!Array || Array->getElementType()->isConstantArrayType()) {
      QualType Element = Ty;
      std::string Extents;
      while (const auto* Row = Input.Ast.getAsConstantArrayType(Element)) {
        Extents += "[" + std::to_string(Row->getSize().getZExtValue()) + "]";
        Element = Row->getElementType();
      }
      Out.open("IKRA_DEVICE const auto& " + Name + "() {");
      Out.line("static constexpr " + TypeText(Element.getUnqualifiedType()) + " values" + Extents +
               " = " + Values + ";");
      Out.line("return values;");
      Out.close();
      continue;
    }
    const std::string Element = TypeText(Array->getElementType().getUnqualifiedType());
    Out.open("IKRA_DEVICE ikra::list<const " + Element + "> " + Name + "() {");
    Out.line("static constexpr " + Element + " values[] = " + Values + ";");
    Out.line("return {values, " + std::to_string(Array->getSize().getZExtValue()) + "};");
    Out.close();
  }
}

} // namespace

void declareNodes(const std::vector<FusedNode>& Graph, const ProgramModel& Model,
                  const std::string& Suffix, CodeWriter& Out) {
  std::vector<std::string> Nodes, Inputs;
  for (const FusedNode& Node : Graph) {
    Nodes.push_back("{ikra::key_of<" + Model.Sections[Node.Section].Ident + ">, " +
                    std::to_string(Node.Inputs.size()) + "}");
    for (const FusedInput& In : Node.Inputs)
      Inputs.push_back(In.IsLeaf ? "-" + std::to_string(In.Number + 1) : std::to_string(In.Number));
  }
  Out.line("static constexpr ikra::fusion_node nodes" + Suffix + "[] = {" +
           llvm::join(Nodes, ", ") + "};");
  Out.line("static constexpr int inputs" + Suffix + "[] = {" + llvm::join(Inputs, ", ") + "};");
}

namespace {

/// Drivers of sections that other files have too, for objects of classes that only this one knows.
void UnitEmitter::sharedDrivers(CodeWriter& Out) {
  if (llvm::none_of(Model.Sections, [](const Section& S) { return S.isShared(); }))
    return;
  Out.heading("sections that other files may have too");
  Out.open("namespace " + Model.Unit + " { namespace {");
  for (const Section& S : Model.Sections)
    if (S.isShared())
      Out.line("const ikra::rt::shared_driver " + S.Ident + "_shared(" + S.Ident + "_info, &" +
               (S.Instance ? "run_" + S.Ident : "ikra::section_code<" + S.Ident + ">::run") + ");");
  Out.close("}}");
}

/// A table for each section that ends kernels, with its kernels in the plan's order.
void UnitEmitter::fusions(CodeWriter& Out) {
  std::map<Index, std::vector<const FusedKernel*>> Tables;
  for (const FusedKernel& Kernel : Input.Fusion.Kernels)
    Tables[Kernel.last()].push_back(&Kernel);
  for (const auto& [Last, Kernels] : Tables) {
    const Section& S = Model.Sections[Last];
    if (S.Instance) {
      Out.open("namespace " + Model.Unit + " { static std::span<const ikra::fusion> fusions_of_" +
               S.Ident + "() {");
    } else {
      Out.open("std::span<const ikra::fusion> ikra::section_code<" + Model.Unit + "::" + S.Ident +
               ">::fusions() {");
      Out.line("using namespace " + Model.Unit + ";");
    }
    std::vector<std::string> Rows;
    for (const FusedKernel* Kernel : Kernels) {
      const std::string Suffix = Kernels.size() == 1 ? "" : "_" + std::to_string(Rows.size());
      declareNodes(Kernel->Nodes, Model, Suffix, Out);
      Rows.push_back("{nodes" + Suffix + ", inputs" + Suffix + ", " +
                     std::to_string(Kernel->Leaves.size()) + ", &run_" + nameOf(*Kernel, Model) +
                     (Kernel->InTiles ? ", true}" : "}"));
    }
    Out.line("static constexpr ikra::fusion table[] = {" + llvm::join(Rows, ", ") + "};");
    Out.line("return table;");
    Out.close(S.Instance ? "}}" : "}");
  }
}

/// Sections in templates, by their place in the text.
std::map<std::string, std::vector<Index>> UnitEmitter::instantiations() const {
  std::map<std::string, std::vector<Index>> Out;
  for (Index I = 0; I < Model.Sections.size(); ++I)
    if (const std::optional<Instantiation>& Instance = Model.Sections[I].Instance)
      Out[Instance->Template].push_back(I);
  return Out;
}

/// One driver for all instantiations of a place in the text: it finds its own by the tag's type.
/// Tables of fused kernels and of loops are found likewise.
void UnitEmitter::instances(CodeWriter& Out) {
  const auto Find = [&](const std::vector<Index>& Sections, const auto& FoundOf) {
    for (const Index I : Sections)
      if (const std::string Found = FoundOf(I); !Found.empty()) {
        Out.line("if (instance == typeid(" + Model.Sections[I].Ident + "))");
        Out.line("  return " + Found + ";");
      }
  };
  for (const auto& [Name, Sections] : instantiations()) {
    const Section& First = Model.Sections[Sections.front()];
    Out.open("void " + Model.Unit + "::run_" + Name +
             "(const std::type_info& instance, ikra::" + callType(First) + "& call) {");
    Find(Sections, [&](Index I) { return "run_" + Model.Sections[I].Ident + "(call)"; });
    Out.line("ikra::rt::no_instantiation(instance, \"" + escaped(First.At.File) + "\", " +
             std::to_string(First.At.Line) + ");");
    Out.close();
    if (llvm::any_of(Sections, [&](Index I) { return fusedInto(I); })) {
      Out.open("std::span<const ikra::fusion> " + Model.Unit + "::fusions_of_" + Name +
               "(const std::type_info& instance) {");
      Find(Sections, [&](Index I) {
        return fusedInto(I) ? "fusions_of_" + Model.Sections[I].Ident + "()" : "";
      });
      Out.line("return {};");
      Out.close();
    }
    if (llvm::any_of(Sections, [&](Index I) { return loopOf(I); })) {
      Out.open("const ikra::loop* " + Model.Unit + "::sequences_of_" + Name +
               "(const std::type_info& instance) {");
      Find(Sections, [&](Index I) {
        const LoopKernel* Loop = loopOf(I);
        return Loop ? "&" + nameOf(*Loop, Model) + "_info" : "";
      });
      Out.line("return nullptr;");
      Out.close();
    }
  }
}

void UnitEmitter::epilogue(CodeWriter& Out) {
  access(Out);
  Out.line("");
  Out.line("namespace " + Model.Unit + " { namespace {");
  if (!Layout.Classes.empty()) {
    records(Out);
    world(Out, /*Checked=*/false);
    if (Context.hasWorld("checked_world"))
      world(Out, /*Checked=*/true);
    if (Context.hasWorld("reporting_world"))
      reportingWorld(Out);
    layout(Out);
  }
  tables(Out);
  for (const Section& S : Model.Sections)
    if (S.Instance)
      Out.line("using " + S.Ident + " = " + S.Instance->Template + "<" + S.Instance->Arguments +
               ">;");
  SectionEmitter::emitSharedFunctions(Context, Out);
  for (const Section& S : Model.Sections)
    SectionEmitter(Context, S, Out).emitDeviceCode();
  for (const FusedKernel& Kernel : Input.Fusion.Kernels)
    SectionEmitter::emitFused(Context, Kernel, Out);
  for (const LoopKernel& Loop : Input.Fusion.Loops)
    SectionEmitter::emitLoop(Context, Loop, Out);
  for (const JointResults& Results : Input.Fusion.Together)
    SectionEmitter::emitTogether(Context, Results, Out);
  Out.line("");
  Out.line("}} // namespace " + Model.Unit);
  Out.heading("drivers: what the runtime calls");
  for (const Section& S : Model.Sections)
    SectionEmitter(Context, S, Out).emitDriver();
  sharedDrivers(Out);
  fusions(Out);
  for (const LoopKernel& Loop : Input.Fusion.Loops)
    SectionEmitter::emitLoopTables(Context, Loop, Out);
  for (const JointResults& Results : Input.Fusion.Together)
    SectionEmitter::emitTogetherTable(Context, Results, Out);
  instances(Out);
}

} // namespace

std::vector<RewrittenFile> emit(const EmitInput& Input) { return UnitEmitter(Input).run(); }

} // namespace ikra
