// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SectionTags.h"

#include "Launch.h"
#include "SectionEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace ikra {

const LoopKernel* SectionTags::loopOf(Index S) const {
  for (const LoopKernel& Loop : Fusion.Loops)
    if (llvm::is_contained(Loop.Sections, S))
      return &Loop;
  return nullptr;
}

bool SectionTags::mayRunEarly(Index S) const { return llvm::is_contained(Fusion.Early, S); }
bool SectionTags::isSpeculatable(Index S) const {
  return Model.Sections[S].Op != Operation::PEach && Model.Sections[S].Flow.Speculatable;
}

const FusedKernel* SectionTags::fusedInto(Index S) const {
  for (const FusedKernel& Kernel : Fusion.Kernels)
    if (Kernel.last() == S)
      return &Kernel;
  return nullptr;
}

void SectionTags::declare(CodeWriter& Out) const {
  for (const Section& S : Model.Sections)
    Out.line((S.Site.Instance ? "// " + S.Ident + ": " : "struct " + S.Ident + "; // ") +
             S.At.File + ":" + std::to_string(S.At.Line) + ":" + std::to_string(S.At.Column));
  for (const auto& [Tag, Variables] : horizontalTags())
    Out.line("struct " + Tag + "; // " + Variables);
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
}

/// Whether its command has to be told that its driver may run the user's code. Other instances of a
/// template may not: they only leave a kernel that they could share.
static bool leavesFusion(const Section& S) {
  return S.Op != Operation::PEach && (S.runsInPlace() || S.runsAlone());
}

void SectionTags::declareInPlace(const std::vector<Index>& Sections, CodeWriter& Out) const {
  if (!llvm::all_of(Sections, [&](Index I) { return leavesFusion(Model.Sections[I]); }))
    return;
  if (llvm::any_of(Sections, [&](Index I) { return Model.Sections[I].runsAlone(); }))
    Out.line("static constexpr bool in_place_alone = true;");
  unsigned Most = 0;
  for (const Index I : Sections) {
    const std::optional<unsigned> Operations = operationsInPlace(Model, Model.Sections[I]);
    if (!Operations) {
      Out.line("static constexpr unsigned in_place = ikra::rt::unbounded;");
      return;
    }
    Most = std::max(Most, *Operations);
  }
  Out.line("static constexpr unsigned in_place = " + std::to_string(Most) + ";");
}

void SectionTags::declareCode(CodeWriter& Out) const {
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
    if (llvm::all_of(Sections, [&](Index I) { return mayRunEarly(I); }))
      Out.line("static constexpr bool may_run_early = true;");
    if (llvm::all_of(Sections, [&](Index I) { return isSpeculatable(I); }))
      Out.line("static constexpr bool is_speculatable = true;");
    declareInPlace(Sections, Out);
    Out.close("};");
  }
  for (Index I = 0; I < Model.Sections.size(); ++I) {
    const Section& S = Model.Sections[I];
    if (S.Site.Instance)
      continue;
    Out.open("template <> struct ikra::section_code<" + Model.Unit + "::" + S.Ident + "> {");
    Out.line("static void run(" + callType(S) + "& call);");
    if (fusedInto(I))
      Out.line("static std::span<const fusion> fusions();");
    if (loopOf(I))
      Out.line("static const loop* sequences();");
    if (mayRunEarly(I))
      Out.line("static constexpr bool may_run_early = true;");
    if (isSpeculatable(I))
      Out.line("static constexpr bool is_speculatable = true;");
    declareInPlace({I}, Out);
    Out.close("};");
  }
  shareKeys(Out);
  // The host text says where results have been made that are asked for together.
  for (const auto& [Tag, Variables] : horizontalTags())
    Out.line("template <> struct ikra::horizontal_code<" + Model.Unit + "::" + Tag +
             "> { static std::span<const horizontal_fusion> fusions(); };");
}

void SectionTags::shareKeys(CodeWriter& Out) const {
  const auto Key = [&](const std::string& Head, const std::string& Tag, const std::string& Name,
                       const char* Rest) {
    const std::uint64_t Hash = llvm::xxh3_64bits(Name);
    Out.line(Head + " inline constexpr ikra::section_key ikra::key_of<" + Model.Unit + "::" + Tag +
             "> = ikra::key_of<ikra::section_of_files<0x" +
             llvm::utohexstr(Hash, /*LowerCase=*/true, /*Width=*/16) + Rest + ">>;");
  };
  for (const auto& [Name, Sections] : instantiations())
    if (llvm::all_of(Sections, [&](Index I) { return Model.Sections[I].sharesKey(); }))
      Key("template <class... T>", Name + "<T...>", Model.Sections[Sections.front()].Site.KeyName,
          ", T...");
  for (const Section& S : Model.Sections)
    if (!S.Site.Instance && S.sharesKey())
      Key("template <>", S.Ident, S.Site.KeyName, "");
}

void SectionTags::nameInstances(CodeWriter& Out) const {
  for (const Section& S : Model.Sections)
    if (S.Site.Instance)
      Out.line("using " + S.Ident + " = " + S.Site.Instance->Template + "<" +
               S.Site.Instance->Arguments + ">;");
}

void declareNodes(const std::vector<FusedNode>& Graph, const std::vector<HeldNode>& Held,
                  const ProgramModel& Model, const std::string& Suffix, CodeWriter& Out) {
  std::vector<std::string> Nodes, Inputs;
  for (std::size_t N = 0; N < Graph.size(); ++N) {
    const FusedNode& Node = Graph[N];
    const auto IsHeld = llvm::find_if(Held, [N](const HeldNode& H) { return H.Node == N; });
    const std::string Stored = IsHeld == Held.end() ? ""
                                                    : std::string(", ikra::when_held::stored") +
                                                          (IsHeld->FromSecondTime ? "_later" : "") +
                                                          (IsHeld->OnCoresAlone ? "_on_cores" : "");
    Nodes.push_back("{ikra::key_of<" + Model.Sections[Node.Section].Ident + ">, " +
                    std::to_string(Node.Inputs.size()) + Stored + "}");
    for (const FusedInput& In : Node.Inputs)
      Inputs.push_back(In.IsLeaf ? "-" + std::to_string(In.Number + 1) : std::to_string(In.Number));
  }
  Out.line("static constexpr ikra::fusion_node nodes" + Suffix + "[] = {" +
           llvm::join(Nodes, ", ") + "};");
  Out.line("static constexpr int inputs" + Suffix + "[] = {" + llvm::join(Inputs, ", ") + "};");
}

void SectionTags::shareDrivers(CodeWriter& Out) const {
  if (llvm::none_of(Model.Sections, [](const Section& S) { return S.isShared(); }))
    return;
  Out.heading("sections that other files may have too");
  Out.open("namespace " + Model.Unit + " { namespace {");
  for (const Section& S : Model.Sections)
    if (S.isShared())
      Out.line("const ikra::rt::shared_driver " + S.Ident + "_shared(" + S.Ident + "_info, &" +
               (S.Site.Instance ? "run_" + S.Ident : "ikra::section_code<" + S.Ident + ">::run") +
               ");");
  Out.close("}}");
}

void SectionTags::defineFusions(CodeWriter& Out) const {
  std::map<Index, std::vector<const FusedKernel*>> Tables;
  for (const FusedKernel& Kernel : Fusion.Kernels)
    Tables[Kernel.last()].push_back(&Kernel);
  for (const auto& [Last, Kernels] : Tables) {
    const Section& S = Model.Sections[Last];
    if (S.Site.Instance) {
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
      declareNodes(Kernel->Nodes, Kernel->Held, Model, Suffix, Out);
      std::string More = Kernel->InTiles ? ", true" : "";
      if (Kernel->Storing) {
        const HorizontalKernel& Storing = *Kernel->Storing;
        const std::string Name = "_storing" + Suffix;
        declareNodes(Storing.Nodes, {}, Model, Name, Out);
        Out.line("static constexpr ikra::horizontal_fusion row" + Name + " = {nodes" + Name +
                 ", inputs" + Name + ", " + std::to_string(Storing.Leaves.size()) + ", " +
                 std::to_string(Storing.Results) + ", &run_" + Kernel->Ident + "_storing};");
        More = ", false, &row" + Name;
      }
      const std::vector<std::int64_t>& Around = Kernel->FewOnCores;
      if (!Around.empty())
        Out.line(
            "static constexpr std::int64_t around" + Suffix + "[] = {" +
            llvm::join(llvm::map_range(Around, [](std::int64_t N) { return std::to_string(N); }),
                       ", ") +
            "};");
      if (Kernel->Only || !Around.empty())
        More = std::string(Kernel->InTiles ? ", true" : ", false") +
               (Kernel->Storing ? ", &row_storing" + Suffix : ", nullptr") +
               ", ikra::row_device::" +
               (!Kernel->Only                  ? "any"
                : *Kernel->Only == Device::Gpu ? "gpu"
                                               : "cores") +
               (Around.empty() ? "" : ", around" + Suffix);
      Rows.push_back("{nodes" + Suffix + ", inputs" + Suffix + ", " +
                     std::to_string(Kernel->Leaves.size()) + ", &run_" + Kernel->Ident + More +
                     "}");
    }
    Out.line("static constexpr ikra::fusion table[] = {" + llvm::join(Rows, ", ") + "};");
    Out.line("return table;");
    Out.close(S.Site.Instance ? "}}" : "}");
  }
}

void SectionTags::shareFusions(CodeWriter& Out) const {
  for (Index I = 0; I < Model.Sections.size(); ++I) {
    const Section& S = Model.Sections[I];
    const bool HasFusions = fusedInto(I);
    const LoopKernel* Loop = loopOf(I);
    if (!S.sharesKey() || !(HasFusions || Loop))
      continue;
    const std::string Table = S.Site.Instance ? "fusions_of_" + S.Ident + "()"
                                              : "ikra::section_code<" + S.Ident + ">::fusions()";
    Out.line("namespace " + Model.Unit + " { static const ikra::rt::shared_fusions " + S.Ident +
             "_fusions(ikra::key_of<" + S.Ident + ">, " + (HasFusions ? Table : "{}") + ", " +
             (Loop ? "&" + nameOf(*Loop, Model) + "_info" : "nullptr") + "); }");
  }
}

std::map<std::string, std::string> SectionTags::horizontalTags() const {
  std::map<std::string, std::string> Out;
  for (const HorizontalGroup& Results : Fusion.Horizontal)
    if (!Results.Kernels.empty())
      Out.try_emplace(Results.Tag, llvm::join(Results.Variables, ", "));
  return Out;
}

std::map<std::string, std::vector<Index>> SectionTags::instantiations() const {
  std::map<std::string, std::vector<Index>> Out;
  for (Index I = 0; I < Model.Sections.size(); ++I)
    if (const std::optional<Instantiation>& Instance = Model.Sections[I].Site.Instance)
      Out[Instance->Template].push_back(I);
  return Out;
}

/// One driver for all instantiations of a place in the text: it finds its own by the tag's type.
/// Tables of fused kernels and of loops are found likewise.
void SectionTags::defineInstances(CodeWriter& Out) const {
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

} // namespace ikra
