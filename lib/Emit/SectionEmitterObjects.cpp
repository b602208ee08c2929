// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections over objects have for each class of their element: the struct of the element, whose
// members are columns or registers, and the operator that makes one and calls the section's code.
// Over many ticks, what only some of them use is worth a register, too: a form of its own.

#include "Launch.h"
#include "SectionEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ikra {

/// How the operators call the section's code.
struct SectionEmitter::ObjectCall {
  std::string Result, Parameters;        ///< of an operator, without its class and ID
  std::string Text;                      ///< the call
  std::vector<std::string> Declarations; ///< before it
  bool PerTick;                          ///< a launch for each tick
  std::string Here;                      ///< the body of a checked build, which knows its element
};

/// A member of the element that objects of a class have.
struct SectionEmitter::OwnMember {
  std::string Name, Type;
  std::string Column; ///< where it is stored
  bool IsWritten, IsAlwaysWritten;
  bool IsRegister; ///< in every form
};

/// The column of a member where objects of \p Class have it; null where they don't.
static const Column* columnFor(const EmitContext& Context, Index Member, Index Class) {
  const Column& C = Context.Layout.Columns[Context.Layout.columnOf(Member)];
  return llvm::is_contained(C.Classes, Class) ? &C : nullptr;
}

/// Whether members that are told by class have \p Member for \p Class.
static bool isIn(const std::map<Index, std::set<Index>>& ByClass, Index Class, Index Member) {
  const auto It = ByClass.find(Class);
  return It != ByClass.end() && It->second.contains(Member);
}

std::vector<SectionEmitter::OwnMember> SectionEmitter::ownMembers(Index Class) const {
  std::vector<OwnMember> Own;
  for (const auto& [M, Name] : S.Access.Own) {
    const Column* const In = columnFor(Context, M, Class);
    if (!In)
      continue;
    const Member& Of = Context.Model.Members[M];
    Own.push_back({Name, Context.elementText(Of),
                   In->Ident + "[id]" + (In->Kind == ColumnKind::Record ? "." + Of.Name : ""),
                   S.Access.OwnWritten.contains(M), isIn(S.Access.AlwaysWritten, Class, M),
                   isIn(S.Access.Registers, Class, M)});
  }
  return Own;
}

void SectionEmitter::emitElements() {
  for (Index C : Context.Model.Classes[*S.element().Class].Concrete) {
    Out.open("struct " + Context.Model.Classes[C].Ident + "_element {");
    Out.line("ikra::object_id id;");
    for (const OwnMember& M : ownMembers(C))
      Out.line((M.IsWritten ? "" : "const ") + M.Type + (M.IsRegister ? " " : "& ") + M.Name + ";");
    Out.close("};");
  }
}

SectionEmitter::ObjectCall SectionEmitter::callOfCode(BodyWriter& Code) const {
  ObjectCall Call;
  Call.PerTick = S.Op == Operation::PEach && S.Access.Ticks == TickLoop::LaunchPerTick;
  Call.Result = S.Op == Operation::PMap      ? Context.typeText(S.Result)
                : S.Op == Operation::PSelect ? "bool"
                                             : "void";
  const bool TakesElement = (Context.Model.Functions[S.Code.Function].SelfMask >> 1) & 1;
  std::string Arguments = TakesElement ? "element" : "element.id";
  if (S.WithIndex) {
    Call.Parameters =
        (S.Rank == 1 ? ", std::int64_t" : ", const ikra::index<" + std::to_string(S.Rank) + ">&") +
        std::string(" index");
    Arguments += ", " + Code.handed(1, "index", Call.Declarations);
  }
  if (Call.PerTick)
    Call.Parameters += ", std::int64_t tick";
  if (S.TakesTick)
    Arguments += ", tick";
  // Where something fails, a checked build says for which element.
  if (Context.Model.IsChecked)
    Call.Here = "here";
  Call.Text = (Call.Here.empty() ? "" : Call.Here + ".") + "code(" + Arguments + ")";
  return Call;
}

void SectionEmitter::emitObjectOperators(BodyWriter& Code) {
  const ObjectCall Call = callOfCode(Code);
  const std::string View = Code.columnsViewName() + ".";
  for (ikra::Index C : Context.Model.Classes[*S.element().Class].Concrete) {
    std::vector<OwnMember> Own = ownMembers(C);
    for (OwnMember& M : Own)
      M.Column.insert(0, View);
    emitObjectOperator(Code, Call, C, Own, false);
    const auto IsColumn = [](const OwnMember& M) { return !M.IsRegister; };
    if (S.runsTicksOfObjects() && !S.WithIndex && llvm::any_of(Own, IsColumn))
      emitObjectOperator(Code, Call, C, Own, true);
  }
}

void SectionEmitter::emitObjectOperator(BodyWriter& Code, const ObjectCall& Call, Index Class,
                                        const std::vector<OwnMember>& Own, bool ManyTicks) {
  Out.open("IKRA_DEVICE " + Call.Result + " operator()(" + classAlias(Context, Class) +
           ", ikra::object_id id" + Call.Parameters + (ManyTicks ? ", ikra::rt::many_ticks" : "") +
           ") const {");
  emitElement(Class, Own, ManyTicks);
  if (!Call.Here.empty()) {
    const std::string Failure = Call.Here + "." + Code.columnsViewName() + ".nulls.";
    Out.line("IKRA_OWN_BODY(body) " + Call.Here + " = *this;");
    Out.line(Failure + "element = id;");
    if (Call.PerTick)
      Out.line(Failure + "tick = static_cast<std::uint32_t>(tick);");
  }
  for (const std::string& Line : Call.Declarations)
    Out.line(Line);
  if (S.Op == Operation::PMap || S.Op == Operation::PSelect) {
    Code.writeGiven(asInProgram(Call.Text), Out);
  } else if (Call.PerTick) {
    if (!S.TakesTick)
      Out.line("(void)tick;");
    Out.line(Call.Text + ";");
  } else {
    emitTicksOfElement(Call.Text, Own, ManyTicks);
  }
  Out.close();
}

/// \p InRegisters: columns are copied to registers first.
void SectionEmitter::emitElement(Index Class, const std::vector<OwnMember>& Own, bool InRegisters) {
  std::string Inits = "id";
  for (const OwnMember& M : Own) {
    const bool IsCopied = InRegisters && !M.IsRegister;
    if (IsCopied)
      Out.line((M.IsWritten ? "" : "const ") + M.Type + " own_" + M.Name + " = " + M.Column + ";");
    Inits += ", " + (IsCopied ? "own_" + M.Name : M.Column);
  }
  Out.line(Context.Model.Classes[Class].Ident + "_element element{" + Inits + "};");
}

/// The ticks, and what they leave in registers, stored to its columns.
void SectionEmitter::emitTicksOfElement(const std::string& Call, const std::vector<OwnMember>& Own,
                                        bool InRegisters) {
  const auto IsStored = [&](const OwnMember& M) {
    return M.IsWritten && (M.IsRegister || InRegisters);
  };
  for (const OwnMember& M : llvm::make_filter_range(Own, IsStored))
    Out.line("const auto before_" + M.Name + " = element." + M.Name + ";");
  emitTicks(Call, S.runsTicksOfObjects() ? "first_tick" : "0");
  for (const OwnMember& M : llvm::make_filter_range(Own, IsStored))
    Out.line(std::string(M.IsAlwaysWritten ? "ikra::store_written(" : "ikra::store_changed(") +
             M.Column + ", element." + M.Name + ", before_" + M.Name + ");");
}

} // namespace ikra
