// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a program file to its outputs. Nothing is written before everything is computed, and files
// get their names only when all of them are written.
#include <omp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <optional>

#include <ikra/error.hpp>

#include "datalog/compile/lower.hpp"
#include "datalog/frontend/frontend.hpp"
#include "datalog/frontend/functions.hpp"
#include "datalog/io/fact_files.hpp"
#include "datalog/io/shared_functors.hpp"
#include "evaluator.hpp"
#include "options.hpp"

namespace ikra::datalog {
namespace {

source_text read_program(const options& chosen) {
  source_options how;
  how.preprocessor = chosen.no_preprocessor ? "none" : chosen.preprocessor;
  how.include_folders = chosen.include_folders;
  how.macros = chosen.macros;
  how.bits = chosen.bits;
  return read_source(chosen.program, how);
}

void load_inputs(const options& chosen, const core::program& program, value_text& text,
                 evaluator& into) {
  for (const core::directive& directive : program.directives)
    if (directive.kind == core::directive_kind::input)
      read_facts(
          text, directive, chosen.fact_folder,
          [&](row facts, std::uint64_t count) { into.insert(directive.relation, facts, count); },
          chosen.no_warnings);
}

void flush_terminal() {
  std::cout.flush();
  if (!std::cout)
    throw io_error("Error: cannot write to the standard output");
}

void write_outputs(const options& chosen, const core::program& program, value_text& text,
                   evaluator& from, output_files& files) {
  for (core::directive directive : program.directives) {
    if (directive.kind == core::directive_kind::input)
      continue;
    if (directive.kind == core::directive_kind::print_size) {
      std::cout << program.relations[directive.relation].name << '\t'
                << from.size(directive.relation) << '\n';
      continue;
    }
    if (chosen.output_folder == "-")
      directive.parameters["IO"] = "stdout";
    write_relation(
        text, directive,
        sorted_rows(text, program.relations[directive.relation], from.rows(directive.relation)),
        files, std::cout);
  }
}

/// Seconds of what stands before and after the evaluation.
struct file_times {
  double reading = 0, writing = 0;
};

/// Runs it. \returns the seconds that it takes
template <class Work> double timed(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void write_profile(const options& chosen, evaluator& measured, const file_times& times,
                   output_files& files) {
  const output_file file = files.add(std::filesystem::absolute(chosen.profile).string());
  std::ofstream out(file.path, file.place.is_stream ? std::ios::app : std::ios::trunc);
  out << "seconds reading\t" << times.reading << "\nseconds writing\t" << times.writing << '\n'
      << measured.profile();
  out.close();
  if (!out)
    throw io_error("Error: cannot write the profile " + chosen.profile);
}

/// Ends the process with success. The system takes back what it holds much faster than a million
/// texts are freed one by one, and a GPU is left. Tests for leaks need the long way.
void leave() {
#ifndef __SANITIZE_ADDRESS__
  std::fflush(nullptr);
  std::_Exit(success);
#endif
}

void evaluate(const options& chosen, const core::program& program, const source_text& source) {
  const bool to_terminal = chosen.output_folder == "-";
  if (chosen.show != "plan")
    check_outputs(to_terminal ? core::program() : program, to_terminal ? "" : chosen.output_folder,
                  chosen.profile);
  domain values(program);
  value_text text(program, values);
  load_functors(program, values, {chosen.libraries, chosen.search_folders});
  const std::unique_ptr<evaluator> evaluator = make_evaluator(chosen, program, values, source);
  file_times times;
  times.reading = timed([&] { load_inputs(chosen, program, text, *evaluator); });
  evaluator->run();
  if (chosen.show == "plan") { // orders of joins follow from sizes, so it is known only now
    std::cout << evaluator->plan();
    flush_terminal();
    return;
  }
  output_files files(to_terminal ? "" : chosen.output_folder);
  times.writing = timed([&] { write_outputs(chosen, program, text, *evaluator, files); });
  flush_terminal();
  if (!chosen.profile.empty())
    write_profile(chosen, *evaluator, times, files);
  files.commit();
  leave();
}

} // namespace

int run(const options& chosen) {
  if (chosen.jobs > 0)
    omp_set_num_threads(chosen.jobs);
  try {
    const source_text source = read_program(chosen);
    diagnostics messages;
    const std::optional<core::program> program = compile(source, chosen.bits, messages);
    messages.print(std::cerr, source, !chosen.no_warnings);
    if (!program)
      return failed;
    diagnostics met;
    try {
      evaluate(chosen, *program, source);
      return success;
    } catch (const evaluation_error& problem) {
      met.error(problem.what(), problem.where());
    } catch (const unsupported_by_engine& problem) {
      met.error(std::string{problem.what()} +
                    " is not supported by the engine: use --engine=reference",
                problem.where());
    }
    met.print(std::cerr, source);
  } catch (const io_error& problem) {
    std::cerr << problem.what() << "\n";
  } catch (const ikra::error& problem) {
    std::cerr << "Error: " << problem.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "Error: out of memory\n";
  }
  return failed;
}

} // namespace ikra::datalog
