// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil of a stencil in one kernel, by shared memory (ARRAY'17, section 7): a block of threads
// computes the first one for a tile and what lies around it, and the second one from there. Where
// computing neighbours anew for each place is too much, this costs little, and what is between the
// two is never stored. Also for stencils that meet in loops of the host; of these, several steps.

#include "Cost.h"
#include "Fusion.h"
#include "SelfContained.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace ikra {

namespace {

/// Sizes of tiles as the runtime has them (tile_accessor.hpp): planes that a block goes through,
/// which it computes in steps; and threads in a plane.
constexpr std::int64_t Planes = 20, PlanesInRing = 8, PlanesInStep = 4;
constexpr std::int64_t Block = 256, Columns = 32;
/// The same of lines (launch_stencil_line.hpp): places of a block.
constexpr std::int64_t PlacesOfLine = 8 * Block;
/// And of planes in which a block does several steps (launch_stencil_steps.hpp): rows.
constexpr std::int64_t RowsOfSteps = 18 * PlanesInStep;
/// Beyond this, what is computed twice was measured to cost more than memory does.
constexpr double MostAnew = 1.4;
/// Each means one more kernel; where more stencils may meet, each does itself alone.
constexpr std::size_t MostProducers = 4;
/// Steps of a stencil that are done at once, at most; and from what rank on all cores do one alone:
/// blocks of rows were measured to gain nothing there.
constexpr std::size_t MostSteps = 8;
constexpr unsigned TooManyDimensions = 3;
/// Operations of a core, in vectors, while it moves a byte of memory that other cores read, too.
constexpr double CoreOperationsPerByte = 16;

/// A stencil that reads one array of numbers, and nothing else of the program's.
bool isPlain(const Section& S) {
  const auto FitsTiles = [](const Type& Ty) {
    return isNumber(Ty) && Ty.Bytes != 0 && Ty.Bytes <= 8;
  };
  return S.Op == Operation::PStencil && isSelfContained(S) && S.Elements.size() == 1 &&
         FitsTiles(S.element()) && FitsTiles(S.Result);
}

/// How many places a stencil reads around one along a dimension. It counts the place itself, which
/// borders may read.
std::int64_t haloOf(const Section& S, unsigned Dimension) {
  const auto [Least, Most] = S.spanOf(Dimension);
  return std::max<std::int64_t>(Most, 0) - std::min<std::int64_t>(Least, 0);
}

/// How much more a tile has than the results that have all of a halo.
double share(std::int64_t All, std::int64_t Halo) {
  return Halo >= All ? 2 * MostAnew : static_cast<double>(All) / static_cast<double>(All - Halo);
}

class TilePair {
public:
  TilePair(const Section& First, const Section& Second) : First(First), Second(Second) {}

  /// How many results of the first stencil a block computes for each of the second one; none if
  /// tiles cannot have what it reads.
  std::optional<double> computed() const {
    const int Last = static_cast<int>(Second.Rank) - 1;
    if (Last == 0)
      return share(PlacesOfLine, halo(0));
    int Along = 0, Across = -1;
    bool IsFirst = true;
    for (int D = 0; D < Last; ++D) {
      if (!reaches(D))
        continue;
      if (!IsFirst && Across >= 0)
        return std::nullopt;
      (IsFirst ? Along : Across) = D;
      IsFirst = false;
    }
    const bool InPacks = !reaches(Last);
    const std::int64_t InRow = Across < 0 ? Block : Columns;
    const std::int64_t Rows = Across < 0 ? 1 : Block / InRow * (InPacks ? 1 : 2);
    if (PlanesInStep + halo(Along) > PlanesInRing)
      return std::nullopt;
    return share(Planes, halo(Along)) * (Across < 0 ? 1 : share(Rows, halo(Across))) *
           (InPacks ? 1 : share(InRow, halo(Last)));
  }

private:
  bool reaches(int D) const {
    const auto Of = [D](const Section& S) {
      return S.spanOf(static_cast<unsigned>(D)) != std::pair<std::int64_t, std::int64_t>(0, 0);
    };
    return Of(First) || Of(Second);
  }
  std::int64_t halo(int D) const { return haloOf(Second, static_cast<unsigned>(D)); }

  const Section& First;
  const Section& Second;
};

/// Whether one stencil may read the other's results while these are in a cache.
bool mayShare(const Section& First, const Section& Second) {
  return isPlain(First) && isPlain(Second) && !First.mayFail() && First.Rank == Second.Rank &&
         First.Result.Spelling == Second.element().Spelling;
}

/// What becomes of two such stencils on a GPU; nothing to say if they cannot be in tiles at all.
std::optional<std::pair<bool, std::string>> onGpu(const ProgramModel& Model, const Section& First,
                                                  const Section& Second) {
  const std::optional<double> Computed = TilePair(First, Second).computed();
  if (!Computed)
    return std::nullopt;
  const std::string Anew = llvm::formatv("{0:f2}", *Computed).str();
  if (*Computed > MostAnew)
    return std::pair(false, "a tile would compute " + Anew + " times the first one's results");
  // Not stored, and not loaded.
  const double Saved = 2 * OperationsPerByte * First.Result.Bytes;
  const double Costs =
      (*Computed - 1) * (operationsOf(Model, First) +
                         OperationsPerLoad * static_cast<double>(First.Neighbourhood.size()));
  return std::pair(Costs < Saved,
                   llvm::formatv("tiles of {0} times the first one's results: {1:f0}"
                                 " operations' time a result, {2:f0} to keep them in memory",
                                 Anew, Costs, Saved)
                       .str());
}

/// So many steps that moving an element takes them no longer than computing it.
std::size_t stepsFor(double Moves, double Computes) {
  std::size_t Steps = 1;
  while (Steps < MostSteps && Moves > static_cast<double>(Steps) * Computes)
    Steps *= 2;
  return Steps;
}

/// How many steps of a stencil that may follow itself all cores do at once. One where two gain
/// little.
std::size_t stepsOnCores(const ProgramModel& Model, const Section& S) {
  if (S.Rank >= TooManyDimensions)
    return 1;
  const double Computes = operationsOf(Model, S, body::OperationsPerLongOne) +
                          static_cast<double>(S.Neighbourhood.size());
  const std::size_t Steps =
      stepsFor(CoreOperationsPerByte * (S.element().Bytes + S.Result.Bytes), Computes);
  return Steps > 2 ? Steps : 1;
}

/// The same on a GPU, where two are worth while; moving has to take half as long as computing,
/// since a block waits for all its threads after each step. More of rank 3 would compute much
/// around a tile, and more of rank 2 than four were measured to gain nothing.
std::size_t stepsOnGpu(const ProgramModel& Model, const Section& S) {
  const auto Reaches = [&](unsigned D) {
    return S.spanOf(D) != std::pair<std::int64_t, std::int64_t>(0, 0);
  };
  if (S.Rank > 2 || (S.Rank == 2 && !(Reaches(0) && Reaches(1))))
    return 2;
  const double Computes =
      operationsOf(Model, S) + OperationsPerLoad * static_cast<double>(S.Neighbourhood.size());
  std::size_t Steps =
      stepsFor(OperationsPerByte * (S.element().Bytes + S.Result.Bytes), Computes / 2);
  if (S.Rank == 2)
    Steps = std::min<std::size_t>(Steps, 4);
  const auto Anew = [&] {
    const auto Halo = [&](unsigned D) {
      return static_cast<std::int64_t>(Steps - 1) * haloOf(S, D);
    };
    return S.Rank == 1 ? share(PlacesOfLine, Halo(0))
                       : share(RowsOfSteps, Halo(0)) * share(Block, Halo(1));
  };
  while (Steps > 2 && Anew() > MostAnew)
    Steps /= 2;
  return std::max<std::size_t>(Steps, 2);
}

/// A kernel of a section that reads its own results, or another's.
FusedKernel inTiles(Index To, Index From, std::size_t Steps) {
  FusedKernel Kernel;
  for (std::size_t N = 0; N + 1 < Steps; ++N)
    Kernel.Nodes.push_back({To, {{false, static_cast<Index>(N + 1)}}});
  Kernel.Nodes.push_back({From, {{true, 0}}});
  Kernel.Leaves = {{Steps - 1, 0}};
  Kernel.InTiles = true;
  return Kernel;
}

} // namespace

std::size_t stepsInTiles(const ProgramModel& Model, Index Section, Device On) {
  const ikra::Section& S = Model.Sections[Section];
  if (!mayShare(S, S))
    return 1;
  if (On == Device::Cores)
    return stepsOnCores(Model, S);
  const auto Decision = onGpu(Model, S, S);
  return Decision && Decision->first ? stepsOnGpu(Model, S) : 1;
}

void planTiles(const ProgramModel& Model, FusionPlan& Plan) {
  const auto EdgeOf = [&](Index Producer, Index Consumer) {
    return llvm::find_if(Plan.Edges, [&](const FusionEdge& E) {
      return E.Producer == Producer && E.Consumer == Consumer;
    });
  };
  for (Index To = 0; To < Model.Sections.size(); ++To) {
    const Section& Second = Model.Sections[To];
    if (Second.Op != Operation::PStencil)
      continue;
    std::set<Index> Producers = Second.Flow.FlowsFrom;
    std::erase_if(Producers, [&](Index P) { return Model.Sections[P].Op != Operation::PStencil; });
    if (Producers.size() > MostProducers)
      Producers = Second.Flow.FlowsFrom.contains(To) ? std::set{To} : std::set<Index>();
    if (!Second.Flow.Inputs.empty() && Second.Flow.Inputs.front())
      Producers.insert(*Second.Flow.Inputs.front());
    for (const Index From : Producers) {
      const auto Known = EdgeOf(From, To);
      if (Known != Plan.Edges.end() && Known->Fused)
        continue;
      const Section& First = Model.Sections[From];
      if (!mayShare(First, Second))
        continue;
      const auto Decision = onGpu(Model, First, Second);
      const bool OnGpu = Decision && Decision->first;
      const std::size_t OfGpu = !OnGpu ? 1 : From == To ? stepsInTiles(Model, To) : 2;
      const std::size_t OfCores = From == To ? stepsOnCores(Model, Second) : 1;
      if (!Decision && OfCores == 1)
        continue;
      std::string Reason = Decision ? Decision->second : "";
      const auto Say = [&](std::size_t Steps, const char* Where) {
        Reason +=
            (Reason.empty() ? "" : "; ") + std::to_string(Steps) + " steps at once on " + Where;
      };
      if (OfGpu > 2)
        Say(OfGpu, "a GPU");
      if (OfCores > 1)
        Say(OfCores, "all cores");
      if (Known == Plan.Edges.end())
        Plan.Edges.push_back({From, To, false, Reason});
      else
        Known->Reason += "; " + Reason;
      FusionEdge& Edge = *EdgeOf(From, To);
      Edge.InTiles = OnGpu || OfCores > 1;
      Edge.OnCoresAlone = !OnGpu && Edge.InTiles;
      // The largest come first; what is left of them goes two by two.
      for (std::size_t Steps = MostSteps; Steps > 1; Steps /= 2) {
        const auto Has = [&](std::size_t Most) {
          return Steps == Most || (Steps == 2 && Most > 2);
        };
        if (!Has(OfGpu) && !Has(OfCores))
          continue;
        Plan.Kernels.push_back(inTiles(To, From, Steps));
        if (!Has(OfGpu))
          Plan.Kernels.back().Only = Device::Cores;
        else if (!Has(OfCores))
          Plan.Kernels.back().Only = Device::Gpu;
      }
    }
  }
}

} // namespace ikra
