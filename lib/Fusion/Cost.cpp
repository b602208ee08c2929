// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cost.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace ikra {

namespace {

/// Results of a thread in a stencil's kernel that reads so many arrays, one after the other along
/// the outermost dimension in which it reaches: what they have in common is computed once. As the
/// runtime chooses it (launch_stencil.hpp).
std::int64_t resultsInRun(std::size_t Arrays) {
  if (Arrays > 4)
    return 1;
  return Arrays > 2 ? 2 : 4;
}
/// A kernel that computes a section at more places than this, for one run, is not worth counting.
constexpr std::size_t MostLocations = 4096;

/// Operations of a function and all that it calls. \p Known has those of functions counted before.
double operationsOf(const ProgramModel& Model, Index F, double Turns, double LongOne,
                    std::map<Index, double>& Known) {
  const Function& Code = Model.Functions[F];
  const auto [Entry, IsNew] = Known.emplace(F, 0);
  if (!IsNew)
    return Entry->second;
  double Sum = std::max(1U, Code.Takes.Operations) + (LongOne - 1) * Code.Takes.Long;
  for (const auto& [Site, Call] : Code.Calls) {
    double Most = 0;
    for (const CallTarget& Target : Call.Targets)
      Most = std::max(Most, operationsOf(Model, Target.Function, Turns, LongOne, Known));
    Sum += Most;
  }
  return Known[F] = Code.Takes.Loops ? Sum * Turns : Sum;
}

Offset sum(const Offset& A, const Offset& B) {
  Offset Out = A;
  for (std::size_t D = 0; D < Out.size() && D < B.size(); ++D)
    Out[D] += B[D];
  return Out;
}

/// Counts what a kernel computes for a run of results, each section once at each place.
class Counter {
public:
  Counter(const FusionGraph& Graph, Index Last, Device On, FusedEdge IsFused)
      : Graph(Graph), On(On), IsFused(IsFused), Rank(Graph.section(Last).Rank) {
    order(Last);
    std::reverse(Order.begin(), Order.end());
    const int Along = On == Device::Gpu ? dimensionOfRun() : -1;
    Results = Along < 0 ? 1 : resultsInRun(arrays());
    for (std::int64_t K = 0; K < Results; ++K) {
      Offset At(Rank, 0);
      if (Along >= 0)
        At[static_cast<std::size_t>(Along)] = K;
      Locations[Last].insert(At);
    }
  }

  double cost() {
    if (On == Device::Cores) { // that wait for memory while they compute nothing
      const KernelWork Work = work(body::OperationsPerLongOne);
      return Work.Operations + OperationsPerByteOnCores / 2 * Work.Bytes;
    }
    const KernelWork Work = work(/*LongOne=*/1);
    return std::max(Work.Operations, OperationsPerByte * Work.Bytes);
  }

  KernelWork work(double LongOne) {
    double Operations = 0, Bytes = bytesOf(Graph.section(Order.front()).Result);
    for (const Index S : Order) {
      const Section& Code = Graph.section(S);
      const std::set<Offset>& At = Locations[S];
      Operations += static_cast<double>(At.size()) * operationsOf(Graph.model(), Code, LongOne);
      for (std::size_t K = 0; K < Code.Elements.size(); ++K)
        if (!give(S, K, At))
          return {std::numeric_limits<double>::infinity(), Bytes};
    }
    for (const auto& [Leaf, At] : Leaves) {
      const auto& [Section, Input] = Leaf;
      Operations += (On == Device::Gpu ? OperationsPerLoad : 1) * static_cast<double>(At.size());
      Bytes +=
          bytesOf(Input ? Graph.section(Section).Elements[*Input] : Graph.section(Section).Result);
    }
    return {Operations / static_cast<double>(Results), Bytes};
  }

private:
  /// A kernel reads an array once: that of a section, or an input that is not one's result.
  using LeafKey = std::pair<Index, std::optional<std::size_t>>;

  bool isNode(const std::optional<Index>& Input, Index Consumer) const {
    return Input && IsFused(*Input, Consumer);
  }

  /// Producers first.
  void order(Index S) {
    if (!Seen.insert(S).second)
      return;
    for (const std::optional<Index>& Input : Graph[S].Inputs)
      if (isNode(Input, S))
        order(*Input);
    Order.push_back(S);
  }

  /// The input is a leaf if it is no node.
  static LeafKey leafKey(const std::optional<Index>& From, Index S, std::size_t K) {
    return From ? LeafKey(*From, std::nullopt) : LeafKey(S, K);
  }
  std::optional<Index> producer(Index S, std::size_t K) const {
    return K < Graph[S].Inputs.size() ? Graph[S].Inputs[K] : std::nullopt;
  }
  std::size_t arrays() const {
    std::set<LeafKey> Found;
    for (const Index S : Order) {
      const Section& Code = Graph.section(S);
      for (std::size_t K = 0; K < Code.Elements.size(); ++K)
        if (const std::optional<Index> From = producer(S, K); !isNode(From, S))
          Found.insert(leafKey(From, S, K));
    }
    return Found.size();
  }

  /// As the runtime chooses it; -1 where there is no stencil, or neighbouring threads share the
  /// run.
  int dimensionOfRun() const {
    bool Stencils = false;
    for (unsigned D = 0; D + 1 < Rank; ++D)
      for (const Index S : Order) {
        Stencils |= Graph.section(S).Op == Operation::PStencil;
        for (const Offset& O : Graph.section(S).Neighbourhood)
          if (O[D] != 0)
            return static_cast<int>(D);
      }
    return Stencils ? static_cast<int>(Rank) - 2 : -1;
  }

  /// Notes where the K-th input of \p S is needed. False if that is too often to go on.
  bool give(Index S, std::size_t K, const std::set<Offset>& At) {
    const Section& Code = Graph.section(S);
    const std::optional<Index> From = producer(S, K);
    std::set<Offset>& To = isNode(From, S) ? Locations[*From] : Leaves[leafKey(From, S, K)];
    // Of a tuple, all is taken to be read at one place, and one member at others: a quantity and
    // its coefficients.
    if (Code.IsZip && K > 0 && Locations[S].size() > Locations[Order.front()].size())
      To.insert(Locations[Order.front()].begin(), Locations[Order.front()].end());
    else if (Code.Op != Operation::PStencil)
      To.insert(At.begin(), At.end());
    else
      for (const Offset& Centre : At)
        for (const Offset& O : Code.Neighbourhood)
          To.insert(sum(Centre, O));
    return To.size() <= MostLocations;
  }

  const FusionGraph& Graph;
  Device On;
  FusedEdge IsFused;
  unsigned Rank;
  std::int64_t Results = 1;
  std::set<Index> Seen;
  std::vector<Index> Order; ///< consumers first
  std::map<Index, std::set<Offset>> Locations;
  std::map<LeafKey, std::set<Offset>> Leaves;
};

} // namespace

double bytesOf(const Type& Ty) { return Ty.Bytes == 0 ? 4 : Ty.Bytes; }

double operationsOf(const ProgramModel& Model, const Section& S, double LongOne) {
  if (S.Code.Known) { // what an operator on arrays does
    const llvm::StringRef Text = *S.Code.Known;
    return Text.contains("divides") || Text.contains("modulus") ? LongOne : 1;
  }
  std::map<Index, double> Known;
  const double Turns = S.Op == Operation::PStencil
                           ? std::max<double>(1, static_cast<double>(S.Neighbourhood.size()))
                           : TurnsOfLoop;
  return operationsOf(Model, S.Code.Function, Turns, LongOne, Known);
}

double costOf(const FusionGraph& Graph, Index Last, Device On, FusedEdge IsFused) {
  return Counter(Graph, Last, On, IsFused).cost();
}

KernelWork workOf(const FusionGraph& Graph, Index Last, FusedEdge IsFused) {
  return Counter(Graph, Last, Device::Gpu, IsFused).work(body::OperationsPerLongOne);
}

} // namespace ikra
