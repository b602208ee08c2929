// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra-datalog: runs programs in Soufflé's language (docs/datalog-language.md).
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "datalog/io/partial_file.hpp"
#include "options.hpp"
#include "souffle_options.hpp"

namespace {

constexpr int most_threads = 1 << 16;

/// Threads from which on large pages are asked for.
constexpr int many_threads = 5;

/// Sets what libraries read before main(), unless the user has set it: so the program starts once
/// more. Where that fails, it goes on as it is.
///
/// - Threads that have nothing to do sleep. By default g++'s OpenMP lets them wait actively for
/// some
///   milliseconds, which doubles the processor time of programs with many short loops.
/// - Many threads that touch new memory wait for each other, page by page. With large pages, glibc
///   asks for a quarter as often. They take some hundredths more memory.
void set_up_threads(int jobs, char** argv) {
  constexpr const char *policy = "OMP_WAIT_POLICY", *tunables = "GLIBC_TUNABLES";
  if (std::getenv(policy) != nullptr || setenv(policy, "passive", 0) != 0)
    return;
  if (jobs == 0 || jobs >= many_threads)
    setenv(tunables, "glibc.malloc.hugetlb=1", 0);
  execv("/proc/self/exe", argv);
}

/// Lets large blocks go back to the system when they are freed. glibc takes a freed block's size,
/// up to 32 MB, for one that had better be kept, so a process would keep what relations have
/// outgrown.
void give_memory_back() {
#ifdef __GLIBC__
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") != nullptr)
    return; // the user's
  constexpr int large = 2 << 20;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
#endif
}

} // namespace

int main(int argc, char** argv) {
  using ikra::datalog::engine_choice;
  ikra::datalog::options chosen;
  CLI::App app{"Runs a Datalog program in Soufflé's language, on all cores or a GPU.",
               "ikra-datalog"};
  app.set_version_flag("--version", std::string{"ikra-datalog "} + IKRA_VERSION);
  app.add_option("program", chosen.program, "the program's file, - for the standard input")
      ->required();
  app.add_option("-F,--fact-dir", chosen.fact_folder, "folder of the fact files")
      ->take_last()
      ->capture_default_str();
  app.add_option("-D,--output-dir", chosen.output_folder,
                 "folder of the results, - for the standard output")
      ->take_last()
      ->capture_default_str();
  app.add_option("-j,--jobs", chosen.jobs, "threads; 0 or auto: one for each core")
      ->capture_default_str()
      ->transform([](const std::string& given) { return given == "auto" ? "0" : given; })
      ->check(CLI::Range(0, most_threads));
  app.add_option("-p,--profile", chosen.profile, "write times by rule and iteration to this file");
  app.add_option("--show", chosen.show, "print this instead of writing outputs: plan")
      ->check(CLI::IsMember({"plan"}));
  const std::map<std::string, engine_choice> engines{{"auto", engine_choice::automatic},
                                                     {"cpu", engine_choice::cpu},
                                                     {"cuda", engine_choice::cuda},
                                                     {"reference", engine_choice::reference}};
  app.add_option("--engine", chosen.engine, "auto, cpu, cuda or reference (naive, for tests)")
      ->transform(CLI::CheckedTransformer(engines));
  app.add_option("--form", chosen.form, "how relations are kept: auto, runs or dense")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "runs", "dense"}));
  app.add_option(
         "--small", chosen.small,
         "iterations with few new tuples by one thread, or one block of a GPU: auto, on, off")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "on", "off"}));
  app.add_option("--bits", chosen.bits, "width of numbers: 32 or 64")
      ->capture_default_str()
      ->check(CLI::IsMember({32, 64}));
  app.add_flag("-w,--no-warn", chosen.no_warnings, "no warnings");
  app.add_option("--preprocessor", chosen.preprocessor, "the C preprocessor's command");
  app.add_flag("--no-preprocessor", chosen.no_preprocessor, "take the program as it is");
  app.add_option("-M,--macro", chosen.macros, "NAME or NAME=VALUE for the preprocessor")
      ->expected(1)
      ->take_all();
  app.add_option("-I,--include-dir", chosen.include_folders, "folder of included files")
      ->expected(1)
      ->take_all();
  app.add_option("-l,--libraries", chosen.libraries,
                 "NAME of a library libNAME.so with functions for .functor; functors if not given")
      ->expected(1)
      ->take_all();
  app.add_option("-L,--library-dir", chosen.search_folders,
                 "folder of these libraries; the current one if not given")
      ->expected(1)
      ->take_all();
  const ikra::datalog::souffle_options souffle(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? ikra::datalog::success : ikra::datalog::wrong_usage;
  }
  if (chosen.jobs != 1)
    set_up_threads(chosen.jobs, argv);
  if (!chosen.no_warnings)
    for (const std::string& names : souffle.ignored())
      std::cerr << "Warning: option " << names << " of Soufflé has no effect here\n";
  give_memory_back();
  ikra::datalog::io::remove_partial_files_on_signals();
  return ikra::datalog::run(chosen);
}
