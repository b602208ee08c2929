// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a Datalog program: read, checked, normalised, lowered to a plan, and its messages
// printed. What has to hold: either there is an error, or a program that stays the same as bytes
// and back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include <ikra/error.hpp>

#include "datalog/compile/lower.hpp"
#include "datalog/frontend/core_codec.hpp"
#include "datalog/frontend/frontend.hpp"
#include "datalog/frontend/functions.hpp"

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

void read(const ikra::datalog::source_text& source, int bits) {
  using namespace ikra::datalog;
  diagnostics messages;
  const std::optional<core::program> program = compile(source, bits, messages);
  require(program.has_value() == (messages.errors() == 0));
  std::ostringstream printed;
  messages.print(printed, source);
  if (!program)
    return;
  const std::vector<unsigned char> bytes = encode(*program);
  require(encode(decode(bytes)) == bytes);
  domain values(*program);
  try {
    lower(*program, values, source);
  } catch (const unsupported_by_engine& refused) {
    source.locate(refused.where().begin);
  } catch (const evaluation_error& problem) { // of a fact's value
    source.locate(problem.where().begin);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const ikra::datalog::source_text source("fuzzed.dl",
                                          std::string(reinterpret_cast<const char*>(bytes), size));
  read(source, 32);
  read(source, 64);
  return 0;
}
