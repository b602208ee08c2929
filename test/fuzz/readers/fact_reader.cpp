// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a file of facts. The first byte chooses the format, and the second the relation.
// What has to hold: either there is an error that names the file, or facts that are the same after
// they were written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "datalog/frontend/frontend.hpp"
#include "datalog/io/fact_files.hpp"

namespace {

using namespace ikra::datalog;

constexpr const char* program_text = R"(
.type List = [head: number, tail: List]
.type Tree = Leaf {} | Node {left: Tree, name: symbol, weight: float}
.decl numbers(a: number, b: unsigned, c: float)
.decl symbols(a: symbol, b: symbol)
.decl lists(a: number, b: List)
.decl trees(a: Tree, b: symbol)
.decl nothing()
.decl one(a: symbol)
)";

struct format {
  std::map<std::string, std::string> input;
  std::map<std::string, std::string> output;
};
const std::vector<format>& formats() {
  static const std::vector<format> all{
      {{}, {}},
      {{{"rfc4180", "true"}}, {{"rfc4180", "true"}}},
      {{{"IO", "jsonfile"}}, {{"IO", "jsonfile"}}},
      {{{"IO", "jsonfile"}}, {{"IO", "jsonfile"}, {"format", "object"}}},
      {{{"headers", "true"}}, {{"headers", "true"}}},
      {{{"delimiter", ", "}}, {{"delimiter", ", "}}},
      {{{"columns", ""}}, {}}, // filled in: in reverse
      {{{"IO", "sqlite"}}, {{"IO", "sqlite"}}},
      {{{"rfc4180", "true"}, {"delimiter", ";"}},
       {{"rfc4180", "true"}, {"delimiter", ";"}, {"compress", "true"}}},
  };
  return all;
}

[[noreturn]] void fail(const std::string& why) {
  std::cerr << why << '\n';
  std::abort();
}

/// A folder that is this process's own, in memory where there is such a file system.
const std::string& folder() {
  static const std::string made = [] {
    std::string name = (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") +
                       std::string{"/ikra-facts-XXXXXX"};
    if (::mkdtemp(name.data()) == nullptr)
      fail("no folder");
    return name;
  }();
  return made;
}

using rows = std::vector<std::vector<core::word>>;

rows read(value_text& text, core::directive directive, const std::string& file) {
  directive.kind = core::directive_kind::input;
  directive.parameters["filename"] = file;
  rows read;
  read_facts(text, directive, folder(), [&](row facts, std::uint64_t count) {
    const std::size_t width = facts.size() / count;
    for (std::uint64_t i = 0; i < count; ++i)
      read.emplace_back(facts.begin() + static_cast<std::ptrdiff_t>(i * width),
                        facts.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  });
  return read;
}

void write(value_text& text, core::directive directive, const rows& facts,
           const std::string& file) {
  directive.kind = core::directive_kind::output;
  directive.parameters["filename"] = file;
  output_files files(folder());
  const row_source source{facts.size(), [&](const std::function<void(row)>& take) {
                            for (const auto& fact : facts)
                              take(fact);
                          }};
  write_relation(text, directive,
                 sorted_rows(text, text.program().relations[directive.relation], source), files,
                 std::cout);
  files.commit();
}

/// Whether a format has a form for each symbol. Text has none for one with a line break, nor for a
/// value that its delimiter is in.
bool has_form(const format& how, const value_text& text, const core::relation& relation,
              const rows& facts) {
  if (how.input.contains("IO") || how.input.contains("rfc4180"))
    return true;
  const auto given = how.input.find("delimiter");
  const std::string delimiter = given == how.input.end() ? "\t" : given->second;
  for (const auto& fact : facts) {
    std::string line;
    for (std::size_t i = 0; i < fact.size(); ++i) {
      std::string value;
      text.write(fact[i], relation.columns[i], value);
      if (value.find_first_of("\n\r") != std::string::npos ||
          value.find(delimiter) != std::string::npos ||
          value.find_first_of("[]{}$(),\"\\") != std::string::npos ||
          (i == 0 && value.starts_with("\xEF\xBB\xBF")))
        return false;
      line += value;
      if (delimiter.find(value.empty() ? '\0' : value.back()) != std::string::npos)
        return false; // ends where the delimiter may begin
    }
  }
  return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2)
    return 0;
  static const source_text source("fuzzed.dl", program_text);
  static const core::program program = [] {
    diagnostics messages;
    auto compiled = compile(source, 32, messages, fact_source::caller);
    if (!compiled)
      fail("the program is wrong");
    return *std::move(compiled);
  }();
  const format& how = formats()[bytes[0] % formats().size()];
  core::directive directive;
  directive.relation = bytes[1] % static_cast<std::uint32_t>(program.relations.size());
  const core::relation& relation = program.relations[directive.relation];
  std::ofstream(folder() + "/in", std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes + 2), static_cast<std::streamsize>(size - 2));
  domain values(program);
  value_text text(program, values);
  directive.parameters = how.input;
  if (how.input.contains("columns") && !relation.columns.empty()) {
    std::string& places = directive.parameters["columns"];
    for (std::size_t i = relation.columns.size(); i-- > 0;)
      places += std::to_string(i) + (i > 0 ? ":" : "");
  }
  rows facts;
  try {
    facts = read(text, directive, "in");
  } catch (const io_error& problem) {
    const std::string_view said = problem.what();
    if (said.find("/in") == std::string_view::npos || said.size() > 2000)
      fail("a message without its file, or a long one: " + std::string{said});
    return 0;
  }
  if (how.input.contains("columns") || !has_form(how, text, relation, facts))
    return 0;
  const std::set<std::vector<core::word>> expected(facts.begin(), facts.end());
  std::filesystem::remove(folder() + "/out");
  directive.parameters = how.output;
  write(text, directive, {expected.begin(), expected.end()}, "out");
  directive.parameters = how.input;
  const rows again = read(text, directive, "out");
  if (std::set<std::vector<core::word>>(again.begin(), again.end()) != expected)
    fail("other facts after they were written and read");
  return 0;
}
