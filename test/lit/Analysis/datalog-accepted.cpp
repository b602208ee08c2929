// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are valid compile without a word; those that are put together at run time are
// checked then.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
#include <ikra/ikra.hpp>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

ikra::datalog::program closure() {
  return IKRA_DATALOG(R"dl(
    .decl edge(x: number, y: number)
    .decl reach(x: number, y: number)
    reach(x, y) :- edge(x, y).
    reach(x, y) :- edge(x, z), reach(z, y).
  )dl");
}

static constexpr const char* constant = ".decl a(x: number)\na(1).";

int main(int, char** words) {
  ikra::datalog::program of_constant{constant};
  of_constant.run();
  auto reach = closure();
  reach.insert("edge", std::vector<int>{1}, std::vector<int>{2});
  reach.run();
  ikra::datalog::program names{".decl name(n: symbol, x: number)"};
  names.insert("name", std::vector<std::tuple<std::string, int>>{{"one", 1}});
  names.insert("name", std::vector<std::pair<const char*, int>>{{"two", 2}});
  names.run();
  const auto all = names.relation<std::string, int>("name");
  const auto [texts, numbers] = names.relation_columns<std::string, int>("name");
  const std::string text = std::string(".decl ") + words[0];
  const ikra::datalog::program later{text};
}
