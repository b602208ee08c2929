// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointer analysis of a program: which expressions may have the same value? The program is drawn by
// chance, as objects, or given as two files of facts. Prints how large the analysis's relations are
// and the largest alias sets. Relies on analysis.hpp and listing.hpp.
#include "analysis.hpp"
#include "listing.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct options {
  std::string folder; ///< with assign.facts and dereference.facts; empty: a program by chance
  int functions = 8;
  std::uint64_t seed = 1;
  int sets = 5; ///< how many are shown
};

constexpr const char* usage = "usage: points-to [--functions N] [--seed N] [--sets N] [FOLDER]\n"
                              "FOLDER has assign.facts and dereference.facts\n";

template <class Number> Number parse(std::string_view option, std::string_view text) {
  Number value{};
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || stop != text.data() + text.size() || text.starts_with('-'))
    throw std::invalid_argument(std::string(option) + " needs a number, not " + std::string(text));
  return value;
}

options parse(const std::vector<std::string>& words) {
  options made;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      made.folder = words[i];
      continue;
    }
    const std::string& option = words[i];
    if (++i == words.size())
      throw std::invalid_argument(option + " needs a number");
    if (option == "--functions")
      made.functions = parse<int>(option, words[i]);
    else if (option == "--seed")
      made.seed = parse<std::uint64_t>(option, words[i]);
    else if (option == "--sets")
      made.sets = parse<int>(option, words[i]);
    else
      throw std::invalid_argument("there is no option " + option);
  }
  return made;
}

/// The expressions that one expression may have the same value as.
struct alias_set {
  std::size_t first, size;   ///< in the columns of ValueAlias
  std::uint64_t fingerprint; ///< the same for equal sets
  std::size_t owners = 1;    ///< expressions with this set
};

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The alias sets, each once, from the largest to the smallest.
std::vector<alias_set> alias_sets(const ikra::array<int>& owners, const ikra::array<int>& members) {
  std::vector<alias_set> sets;
  const std::size_t pairs = owners.size();
  auto owner = owners.begin();
  auto member = members.begin();
  for (std::size_t i = 0; i < pairs; ++i, ++owner, ++member) {
    if (i == 0 || *owner != *(owner - 1))
      sets.push_back({i, 0, 0});
    ++sets.back().size;
    sets.back().fingerprint += mixed(static_cast<std::uint64_t>(*member) + 1);
  }
  const auto larger = [](const alias_set& a, const alias_set& b) {
    return a.size != b.size ? a.size > b.size : a.fingerprint < b.fingerprint;
  };
  std::sort(sets.begin(), sets.end(), larger);
  std::vector<alias_set> different;
  for (const alias_set& set : sets)
    if (!different.empty() && !larger(different.back(), set) && !larger(set, different.back()))
      ++different.back().owners;
    else
      different.push_back(set);
  return different;
}

void run(const options& chosen) {
  ikra::datalog::program analysis = points_to::analysis();
  points_to::listing listing;
  if (chosen.folder.empty()) {
    listing = points_to::make_listing(chosen.functions, chosen.seed);
    analysis.insert_edges("assign", listing, &points_to::expression::sources);
    analysis.insert_edges("dereference", listing, &points_to::expression::content);
  } else {
    analysis.insert("assign", chosen.folder + "/assign.facts");
    analysis.insert("dereference", chosen.folder + "/dereference.facts");
  }
  analysis.run();
  for (const char* relation : {"assign", "dereference", "ValueFlow", "MemoryAlias", "ValueAlias"})
    std::printf("%-12s %10llu\n", relation,
                static_cast<unsigned long long>(analysis.size(relation)));

  const auto [owners, members] = analysis.relation_columns<int, int>("ValueAlias");
  const std::vector<alias_set> sets = alias_sets(owners, members);
  const std::size_t shown = std::min(sets.size(), static_cast<std::size_t>(chosen.sets));
  std::printf("\nthe largest of %zu alias sets:\n", sets.size());
  for (std::size_t s = 0; s < shown; ++s) {
    std::printf("%8zu expressions, the set of %zu:", sets[s].size, sets[s].owners);
    constexpr std::size_t most = 6;
    for (std::size_t i = 0; i < std::min(sets[s].size, most); ++i) {
      const int member = members[sets[s].first + i];
      const std::string name = listing.empty() ? std::to_string(member)
                                               : listing[static_cast<std::size_t>(member)]->text();
      std::printf(" %s", name.c_str());
    }
    std::printf(sets[s].size > most ? " …\n" : "\n");
  }
}

} // namespace

int main(int count, char** words) {
  try {
    run(parse({words + 1, words + count}));
    return 0;
  } catch (const std::invalid_argument& problem) {
    std::fprintf(stderr, "points-to: %s\n%s", problem.what(), usage);
    return 2;
  } catch (const ikra::error& problem) {
    std::fprintf(stderr, "points-to: %s\n", problem.what());
    return 1;
  }
}
