// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostSections.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Types.h"
#include "Analysis/Sections/Instantiations.h"
#include "Emit/Code/CodeWriter.h"
#include "HostEdits.h"

#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

namespace {

class SectionCalls {
public:
  explicit SectionCalls(const HostInput& Input) : Input(Input), Model(Input.Model) {}

  std::vector<Replacement> edits();

private:
  std::string guarded(const std::string& Written) const;
  std::string madeLater(const Section& S, llvm::StringRef Written) const;
  std::string overCaptures(const Section& S, llvm::StringRef Written) const;
  std::string userCode(const Section& S, llvm::StringRef Written) const;
  std::string captureArgument(const Section& S, const CaptureText& Each) const;
  std::string captureArguments(const Section& S) const;
  static std::string signature(const Section& S);
  void takeFromObject(const Section& S, const Edits::Span& At, Edits& Out) const;
  void renameTaken(std::vector<Replacement>& Out);
  static void declareEquality(const FunctionDecl* Order, Edits& Out);
  void openClasses(Edits& Out) const;
  void askForTurns(const Turn& Of, Edits& Out);
  void countTurns(const NumberedLoop& Of, Edits& Out);
  std::string counterOf(const Stmt* Loop) const;
  void askForSequence(const Sequence& Of, Edits& Out);
  std::string partOf(const Sequence& Of, const SequenceStep& Step) const;
  void nameLambdas(Edits& Out);
  void addArgument(const Section& S, Edits& Out);
  void replaceOperator(const Section& S, Edits& Out);
  std::string replacementText(const Section& S, llvm::StringRef Written);
  std::string templateText(const Section& S, llvm::StringRef Written);

  const HostInput& Input;
  const ProgramModel& Model;
  /// What sections' lambdas begin with, `[v, k]`: how much of their text that is.
  llvm::DenseMap<const Section*, std::size_t> Introducers;
};

/// Text of ikrac's own within the user's, where macros of the user's may have the names in it.
std::string SectionCalls::guarded(const std::string& Written) const {
  const std::set<std::string> Hiding = macrosIn(Written, Input.Macros.Anywhere);
  return Hiding.empty() ? Written : "\n" + putAside(Hiding) + Written + "\n" + giveBack(Hiding);
}

/// The lambda, made only where it is asked for.
std::string SectionCalls::madeLater(const Section& S, llvm::StringRef Written) const {
  return guarded("::ikra::later") + "{[" + (S.Site.Inside.empty() ? "" : "&") + "] { return " +
         Written.str() + "; }}";
}

/// The lambda as a function of what the section captured. It is a function of references, and the
/// lambda in it has references to what is large. \param Written the lambda
std::string SectionCalls::overCaptures(const Section& S, llvm::StringRef Written) const {
  std::vector<std::string> Parameters, Held;
  for (const CaptureText& Each : S.Site.CaptureTexts) {
    const std::string Parameter = "ikra_" + std::to_string(Held.size());
    Parameters.push_back("const ::std::decay_t<decltype(" + Each.Text + ")>& " + Parameter);
    Held.push_back((Each.IsLarge ? "&" : "") + Each.Name + " = " + Parameter);
  }
  return guarded("::ikra::over_captures") + "{[](" + llvm::join(Parameters, ", ") + ") { return [" +
         llvm::join(Held, ", ") + "]" + Written.drop_front(Introducers.lookup(&S)).str() + "; }}";
}

/// The user's code, for objects whose class this unit does not know. peach runs at once, and has a
/// lambda made where it is needed.
std::string SectionCalls::userCode(const Section& S, llvm::StringRef Written) const {
  if (S.codeRefersToCaptures())
    return overCaptures(S, Written);
  return S.Op == Operation::PEach && S.Site.Lambda ? madeLater(S, Written) : Written.str();
}

std::string SectionCalls::captureArgument(const Section& S, const CaptureText& Each) const {
  std::string Text = argumentOf(Each);
  return Each.IsLate && !S.Site.Inside.empty() && !Text.empty()
             ? guarded("::ikra::late") + "{[&]() -> decltype(auto) { return (" + Text + "); }}"
             : Text;
}

/// What a section captures, as arguments: where each may be made only once, in the order in which
/// the lambda makes them.
std::string SectionCalls::captureArguments(const Section& S) const {
  std::vector<std::string> Texts;
  for (const CaptureText& Each : S.Site.CaptureTexts)
    if (std::string Text = captureArgument(S, Each); !Text.empty())
      Texts.push_back(std::move(Text));
  const std::string All = llvm::join(Texts, ", ");
  return S.Site.ordersCaptures() && Texts.size() > 1
             ? guarded("::ikra::captures_in_order") + "{" + All + "}" + guarded(".kept")
             : All;
}

/// Around the text of a section that takes its captures from a named lambda. The text stays: what
/// is given to a call that makes the lambda may be edited, too.
void SectionCalls::takeFromObject(const Section& S, const Edits::Span& At, Edits& Out) const {
  const std::string Tag = S.Site.Instance ? S.Site.Instance->Template + "<" +
                                                llvm::join(S.Site.Instance->InText, ", ") + ">"
                                          : S.Ident;
  Out.insertBefore(At, guarded(std::string("::ikra::make_section_of") +
                               (S.keepsUserCode() ? "_with_code" : "") + "<::" + Model.Unit +
                               "::" + Tag + ">") +
                           "(");
  Out.insertAfter(At, ")");
}

/// The function type that the section has.
std::string SectionCalls::signature(const Section& S) {
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
  return Spelling(S.Result) + "(" + llvm::join(Parameters, ", ") + ")";
}

std::string SectionCalls::replacementText(const Section& S, llvm::StringRef Written) {
  const std::string Captures = captureArguments(S);
  const std::string Code =
      S.keepsUserCode() ? userCode(S, Written) + (Captures.empty() ? "" : ", ") : "";
  return guarded(std::string("::ikra::make_section") + (S.keepsUserCode() ? "_with_code" : "") +
                 "<::" + Model.Unit + "::" + S.Ident + ", " + signature(S) + ">") +
         "(" + Code + Captures + ")";
}

/// In a template the user's text stays, for its types. Where it makes what may be made only once,
/// or copies of what is large, it never runs.
std::string SectionCalls::templateText(const Section& S, llvm::StringRef Written) {
  const bool IsLarge =
      S.Site.Lambda &&
      llvm::any_of(S.Site.CaptureTexts, [](const CaptureText& Each) { return Each.IsLarge; });
  std::string Code = S.Site.CapturesOnce || IsLarge ? madeLater(S, Written) : Written.str();
  if (S.keepsUserCode())
    Code = userCode(S, Written);
  const std::string Captures = captureArguments(S);
  return guarded(std::string("::ikra::make_section_like") +
                 (S.keepsUserCode() ? "_with_code" : "") + "<::" + Model.Unit +
                 "::" + S.Site.Instance->Template + "<" +
                 llvm::join(S.Site.Instance->InText, ", ") + ">>") +
         "(" + Code + (Captures.empty() ? "" : ", ") + Captures + ")";
}

/// A section after the arguments of its call.
void SectionCalls::addArgument(const Section& S, Edits& Out) {
  const auto* Call = cast<CallExpr>(S.Site.Argument);
  const Edits::Span At = Out.spanOf(Call->getRParenLoc());
  const bool IsFirst =
      Call->getNumArgs() == 0 && llvm::none_of(*At.Into, [&](const auto& R) {
        return R.File == At.File && R.Offset == At.Begin && R.Length == 0 && R.Nesting == 0;
      });
  const std::string Zip = guarded("::ikra::detail::zip_elements()");
  Out.insertBefore(At, (IsFirst ? "" : ", ") +
                           (S.Site.Instance
                                ? templateText(S, S.IsZip ? Zip : guarded(S.Site.FunctionObject))
                                : replacementText(S, S.IsZip ? Zip : "")));
}

/// a + b becomes element_wise<tag, function>(a , b), where both operands stay as they are.
void SectionCalls::replaceOperator(const Section& S, Edits& Out) {
  const auto* Call = cast<CXXOperatorCallExpr>(S.Site.Argument);
  const Edits::Span All = Out.spanOf(Call->getSourceRange());
  const Edits::Span Operator = Out.spanOf(Call->getOperatorLoc());
  const std::string Tag = S.Site.Instance ? S.Site.Instance->Template + "<" +
                                                llvm::join(S.Site.Instance->InText, ", ") + ">"
                                          : S.Ident;
  const std::string Head =
      guarded(
          std::string(S.Site.Instance ? "::ikra::element_wise_of_arrays" : "::ikra::element_wise") +
          "<::" + Model.Unit + "::" + Tag + ", " + S.Site.FunctionObject + ">") +
      "(";
  // At one place, inner operators end before outer ones, and begin after them.
  const std::int64_t Opens = (std::int64_t(1) << 40) - All.End;
  if (Call->getNumArgs() == 1) {
    Operator.Into->push_back(
        {Operator.File, Operator.Begin, Operator.End - Operator.Begin, Head, Opens});
  } else {
    Out.insertBefore(All, Head, Opens);
    Out.replace(Operator, ",");
  }
  Out.insertAfter(All, ")", -1 - std::int64_t(All.Begin));
}

/// A macro gives a name that is taken another, from the line of its first declaration on.
void SectionCalls::renameTaken(std::vector<Replacement>& Out) {
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

/// friend auto operator<=>(const T&, const T&) = default, friend bool operator==(…) = default;
void SectionCalls::declareEquality(const FunctionDecl* Order, Edits& Out) {
  const auto Parameter = [&](unsigned K) {
    return Out.spanOf(Order->getParamDecl(K)->getSourceRange()).Text.str();
  };
  Out.insertAfter(Out.spanOf(Order->getSourceRange()),
                  "; friend bool operator==(" + Parameter(0) + ", " + Parameter(1) + ") = default");
}

/// Lets emitted code name what is not public, where the program's text does not.
void SectionCalls::openClasses(Edits& Out) const {
  std::set<SourceLocation> Opened; // one place serves all instantiations of a template
  for (const Class& C : Model.Classes) {
    const CXXRecordDecl* Definition = C.Decl->getDefinition();
    if (!Definition || llvm::all_of(Definition->decls(), [](const Decl* D) {
          return D->getAccess() == AS_public || D->getAccess() == AS_none;
        }))
      continue;
    const SourceLocation Brace = placeForAccess(Definition);
    if (Brace.isValid() && Opened.insert(Brace).second)
      Out.insertAfter(Out.spanOf(Brace), " IKRA_OBJECT");
  }
}

/// The loop stays; it runs where it cannot be turns after all.
void SectionCalls::askForTurns(const Turn& Of, Edits& Out) {
  const std::vector<std::string> Given = Of.Instance ? Of.InText : Of.given();
  const std::string Tag =
      Of.Instance ? Of.Instance->Template + "<" + llvm::join(Of.Instance->InText, ", ") + ">"
                  : Of.Ident;
  const std::string Turns = std::string("::ikra::rt::") +
                            (Of.ChangesReferences ? "turns_apart" : "turns") + "<::" + Model.Unit +
                            "::" + Tag + ">";
  const std::string Call = "(" + llvm::join(Given, ", ") + ")";
  if (Of.Block) { // whose loop may go on as it is written, up to the next turns
    std::string Acts;
    for (const HostAct& Act : Of.HostActs) {
      const auto TextOf = [&](const Expr* E) { return Out.spanOf(E->getSourceRange()).Text.str(); };
      if (Act.Before.empty()) {
        Acts += "!(" + TextOf(Act.Condition) + ") && ";
        continue;
      }
      std::string Copies, Before;
      for (const VarDecl* V : Act.Changed)
        Copies += ", " + V->getNameAsString() + " = " + V->getNameAsString();
      for (const Expr* E : Act.Before)
        Before += TextOf(E) + "; ";
      Acts += "![&" + Copies + "]() mutable -> bool { " + Before + "return " +
              TextOf(Act.Condition) + "; }() && ";
    }
    const std::string Counter = counterOf(Of.Loop);
    Out.insertAfter(Out.spanOf(Of.Block->getLBracLoc()),
                    " if (bool ikra_ended = false; " + Acts +
                        (Counter.empty() ? guarded(Turns) + Call
                                         : guarded(Counter + ".lost(" + Turns) + Call + ")") +
                        " && ikra_ended) break;");
    return;
  }
  const std::string Head =
      Of.Returns.empty()
          ? guarded("if (!" + Turns) + Call + ") "
          : guarded("if (::ikra::rt::turn_return<" + Of.Returns + "> ikra_return; " + Turns) +
                Call + ") { " +
                // or g++ takes what comes after the loop to be reached
                (Of.EndsByReturn ? "return" : "if (ikra_return.happened) return") +
                (Of.Returns == "void" ? "" : " ikra_return.value") + "; } else ";
  Out.insertBefore(Out.spanOf(Of.Loop->getSourceRange()), Head);
}

/// The variable that counts a loop's turns; empty if there is none.
std::string SectionCalls::counterOf(const Stmt* Loop) const {
  const auto Of = llvm::find_if(Input.Loops.Numbered, [&](const NumberedLoop& Each) {
    return Each.Loop->getBeginLoc() == Loop->getBeginLoc();
  });
  return Of == Input.Loops.Numbered.end()
             ? ""
             : "ikra_turns_" + std::to_string(Of - Input.Loops.Numbered.begin() + 1);
}

/// Braces, since the loop, or its body, may be the whole of an if that has an else.
void SectionCalls::countTurns(const NumberedLoop& Of, Edits& Out) {
  const std::string Counter = counterOf(Of.Loop), Loop = Counter + "_of";
  constexpr std::int64_t AroundBody = -2, AroundLoop = 1; // a question for turns is between them
  Out.insertBefore(Out.spanOf(Of.Loop->getBeginLoc()),
                   "{ " + guarded("static const ::ikra::rt::numbered_loop " + Loop) + "(\"" +
                       escaped(Of.At.File) + "\", " + std::to_string(Of.At.Line) + "); " +
                       guarded("::ikra::rt::turn_counter " + Counter) + "(" + Loop + "); ",
                   AroundLoop);
  Out.insertAfter(Out.spanOf(Of.LoopEnd), " }", AroundLoop);
  const std::string Next = guarded(Counter + ".next();");
  if (isa<CompoundStmt>(Of.Body)) {
    Out.insertAfter(Out.spanOf(Of.Body->getBeginLoc()), " " + Next, AroundLoop);
    return;
  }
  Out.insertBefore(Out.spanOf(Of.Body->getBeginLoc()), "{ " + Next + " ", AroundBody);
  Out.insertAfter(Out.spanOf(Of.BodyEnd), " }", AroundBody);
}

/// A section of a sequence, without the user's code: the statement as it is written has that.
std::string SectionCalls::partOf(const Sequence& Of, const SequenceStep& Step) const {
  const Section& S = Model.Sections[Step.Section];
  std::vector<std::string> Texts;
  for (std::size_t K = 0; K < S.Site.CaptureTexts.size(); ++K) {
    const CaptureText& Each = S.Site.CaptureTexts[K];
    Texts.push_back(llvm::is_contained(Step.Turns, K) ? Of.Begin : captureArgument(S, Each));
  }
  return "::ikra::sequence_part{" + (Step.Ticks.empty() ? "1" : Step.Ticks) +
         ", ::ikra::make_section<::" + Model.Unit + "::" + S.Ident + ", " + signature(S) + ">(" +
         llvm::join(Texts, ", ") + ")}";
}

std::string arraysOf(const Sequence& Of) {
  if (Of.Arrays.size() == 1)
    return Of.Arrays.front().Text;
  std::vector<std::string> Texts;
  for (const SequenceArray& Each : Of.Arrays)
    Texts.push_back(Each.Text);
  return "::ikra::sequence_arrays{" + llvm::join(Texts, ", ") + "}";
}

/// The statements stay; they run where they cannot be a sequence after all.
void SectionCalls::askForSequence(const Sequence& Of, Edits& Out) {
  std::string Turns =
      Of.IsLoop ? "::ikra::rt::" + Of.Count + "(" + Of.Begin + ", " + Of.End + ")" : "1";
  if (Of.By != 1)
    Turns = std::string("::ikra::rt::") + (Of.IsDown ? "turns_down_by(" : "turns_by(") + Of.Begin +
            ", " + Turns + ", " + std::to_string(Of.By) + ")";
  std::optional<unsigned> Operations = 0; // on the objects as they are
  for (const SequenceStep& Step : Of.Steps) {
    const std::optional<unsigned> Its = operationsInPlace(Model, Model.Sections[Step.Section]);
    Operations =
        Operations && Its && Step.Ticks.empty() ? std::optional(*Operations + *Its) : std::nullopt;
  }
  std::string Head = "if (!::ikra::rt::may_run_sequence(" + Turns +
                     (Operations ? ", " + std::to_string(*Operations) : "") +
                     ") || !::ikra::peach_sequence<::" + Model.Unit + "::" + Of.Ident + ">(" +
                     Turns + ", " + arraysOf(Of);
  for (const SequenceStep& Step : Of.Steps)
    Head += ", " + partOf(Of, Step);
  Head += "))";
  Out.insertBefore(Out.spanOf(Of.First->getSourceRange()),
                   guarded(Head) + (Of.IsLoop ? " " : " { "), -1);
  if (!Of.IsLoop)
    Out.insertAfter(Out.spanOf(Of.Last->getSourceRange()), "; }", INT64_MAX);
  else if (!Of.Rest.empty())
    Out.insertAfter(Out.spanOf(Of.Last->getSourceRange()), " else " + Of.Rest, INT64_MAX);
}

/// Lambdas whose types are arguments of templates, with tags that stand for these.
void SectionCalls::nameLambdas(Edits& Out) {
  for (const NamedLambda& Named : Model.Lambdas) {
    if (!Named.IsUsed)
      continue;
    const Edits::Span At = Out.spanOf(Named.Lambda->getSourceRange());
    Out.insertBefore(
        At, guarded("::ikra::named<::" + Model.Unit + "::" + Named.Ident +
                    (Named.InTemplate ? "<" + llvm::join(Named.InText, ", ") + ">" : "") + ">") +
                "(");
    std::string Captures;
    for (const CaptureText& Each : Named.Captures)
      if (const std::string Text = argumentOf(Each); !Text.empty())
        Captures += ", " + Text;
    Out.insertAfter(At, Captures + ")");
  }
}

std::vector<Replacement> SectionCalls::edits() {
  Edits Out(Input.Ast, Input.Tokens);
  std::set<std::string> Templates;
  for (const Section& S : Model.Sections) {
    if (S.Site.Instance && !Templates.insert(S.Site.Instance->Template).second)
      continue;
    if (S.Site.Written == Rewriting::NewArgument) {
      addArgument(S, Out);
      continue;
    }
    if (S.Site.Written == Rewriting::Operator) {
      replaceOperator(S, Out);
      continue;
    }
    const Edits::Span At = Out.spanOf(S.Site.Argument->getSourceRange());
    if (S.codeRefersToCaptures()) {
      const Edits::Span Introducer = Out.spanOf(S.Site.Lambda->getIntroducerRange());
      Introducers[&S] = Introducer.End - Introducer.Begin;
    }
    if (S.Site.From == CapturesFrom::Kept)
      takeFromObject(S, At, Out);
    else
      Out.replace(At, S.Site.Instance ? templateText(S, At.Text) : replacementText(S, At.Text));
  }
  std::set<std::string> Joined;
  for (const HorizontalGroup& Results : Input.Fusion.Horizontal)
    if (!Results.Kernels.empty() && Joined.insert(Results.Tag).second)
      Out.insertAfter(Out.spanOf(Results.Last->getEndLoc()),
                      guarded(" ::ikra::compute_group<::" + Model.Unit + "::" + Results.Tag + ">(" +
                              llvm::join(Results.Variables, ", ") + ");"),
                      INT64_MAX);
  for (const Turn& Of : Input.Loops.Turns)
    if (!Of.Instance || Templates.insert(Of.Instance->Template).second)
      askForTurns(Of, Out);
  for (const NumberedLoop& Of : Input.Loops.Numbered)
    countTurns(Of, Out);
  for (const Sequence& Of : Input.Loops.Sequences)
    askForSequence(Of, Out);
  for (const HostScope& Of : Input.Loops.Scopes)
    Out.insertAfter(
        Out.spanOf(Of.Body->getLBracLoc()),
        guarded(" const ::ikra::rt::host_scope ikra_scope_" + std::to_string(Of.At.Line) + ";"));
  nameLambdas(Out);
  for (const DatalogFunctor& Given : Model.Functors) {
    const Edits::Span At = Out.spanOf(Given.Argument->getSourceRange());
    Out.insertBefore(
        At,
        guarded("::ikra::datalog::detail::with_code<" + Given.className(Model.Unit) + ">") + "(");
    Out.insertAfter(At, ")");
  }
  std::set<SourceLocation> Wrapped; // a template's text serves all instantiations
  for (const Expr* Code : Model.Fallback) {
    if (!Wrapped.insert(Code->getBeginLoc()).second)
      continue;
    const Edits::Span At = Out.spanOf(Code->getSourceRange());
    Out.insertBefore(At, guarded("::ikra::on_host") + "(");
    Out.insertAfter(At, ")");
  }
  for (const FunctionDecl* Order : Model.FriendOrders)
    declareEquality(Order, Out);
  openClasses(Out);
  std::vector<Replacement> All = Out.take();
  renameTaken(All);
  return All;
}

} // namespace

std::vector<RewrittenFile> rewriteHostText(const HostInput& Input) {
  return rewrite(Input.Ast.getSourceManager(), SectionCalls(Input).edits(), Input.Includes,
                 Input.OverlayPath);
}

void printHostEdits(const HostInput& Input, llvm::raw_ostream& OS) {
  print(Input.Ast.getSourceManager(), SectionCalls(Input).edits(), OS);
}

} // namespace ikra
