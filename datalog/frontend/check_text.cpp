// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "datalog/frontend/check_text.hpp"

#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/frontend.hpp"
#include "datalog/frontend/source.hpp"

namespace ikra::datalog {

// A literal is shorter than what source_text refuses, so only a lack of memory could throw.
std::vector<text_message> check_text(const std::string& text, int bits) noexcept {
  const source_text source("", text);
  diagnostics said;
  compile(source, bits, said, fact_source::caller);
  std::vector<text_message> made;
  for (const diagnostic& one : said.all())
    made.push_back({one.level == severity::error, one.primary.text,
                    one.primary.where ? one.primary.where->begin : 0});
  return made;
}

} // namespace ikra::datalog
