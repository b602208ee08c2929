// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of a section: the function through which the runtime runs it.

#include "Launch.h"
#include "SectionEmitter.h"

namespace ikra {

void useUnit(EmitContext& Context, CodeWriter& Out) {
  Out.line("using namespace " + Context.Unit + ";");
  for (const char* Name : NamesOfUnit)
    if (Context.isDeclared(Name) && Context.Model.DeclaredToo.contains(Name))
      Out.line("using " + Context.Unit + "::" + Name + ";");
}

void SectionEmitter::emitDriver() {
  const std::string Call = "(ikra::" + callType(S) + "& call) {";
  Out.line("// " + S.Ident + ": " + launchComment(S));
  if (S.Site.Instance)
    Out.open("namespace " + Context.Unit + " { static void run_" + S.Ident + Call);
  else
    Out.open("void ikra::section_code<" + Context.Unit + "::" + S.Ident + ">::run" + Call);
  useUnit(Context, Out);
  openSession(Context, {&S}, S, S.Elements, S.Ident + "_info", Out);
  if (ticksOutside(S))
    Out.open("for (std::int64_t tick = 0; tick < call.ticks(); ++tick) {");
  declareBody(Context, S, S, "body", "call", "root_0_", Out);
  Out.line(launcher(Context, S, S, S.WithIndex) + "body" +
           (startsWithObject(S) ? ", s.id(initial));" : ");"));
  if (ticksOutside(S))
    Out.close();
  Out.line("s.finish();");
  Out.close(S.Site.Instance ? "}}" : "}");
}

} // namespace ikra
