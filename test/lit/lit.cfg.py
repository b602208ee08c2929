# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lit tests of ikrac. Read through lit.site.cfg.py in the build folder, which knows the paths.
#
# Substitutions:
#   %ikrac           the compiler, with ikra/ikra.hpp precompiled
#   %plain_ikrac     the compiler without
#   %ikra_flags      what a source needs to include the library: %ikrac … -- %ikra_flags
#   %emitted         FILE: an emitted file as tests look for lines in it (test/support/emitted.py): %emitted %t.cu | FileCheck %s
#   %cxx             the host compiler; %nvcc the CUDA compiler (REQUIRES: nvcc)
#   %build_plain     SOURCE -o PROGRAM: the plain build
#   %build_cpu       EMITTED -o PROGRAM: an emitted file as C++, linked with the runtime
#                    Both by clang where it is there, with ikra's headers precompiled: a third of the time
#   %own_build_plain, %own_build_cpu  the same by the project's compiler, for tests with flags or macros of their own, and where
#                    clang warns of the test's text. What g++ warns of in emitted code, Emit/warnings*.cpp and those test programs
#                    show that test/nvcc_targets.txt calls whole
#   %build_cuda      EMITTED -o OBJECT: an emitted file by nvcc, compiled only (REQUIRES: nvcc)
#   %root            the project's folder; %python the interpreter that lit runs in
# A test that emits, builds and runs reads:
#   RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
#   RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu | FileCheck %s
# Features: nvcc; sanitizer where the project is built with one.
import os

import lit.formats

config.name = "ikra"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.ikra_lit_binary_dir, "output")

config.environment["PATH"] = os.pathsep.join(
    [config.ikra_llvm_tools_dir, os.environ.get("PATH", "")])
for name in ("HOME", "OMP_NUM_THREADS", "OMP_WAIT_POLICY", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

include = os.path.join(config.ikra_source_dir, "runtime", "include")
flags = f"-std=c++20 -I{include}"
host = f"{config.ikra_cxx} {flags} -Wall -Wextra -Werror -Wno-unused-lambda-capture -ffp-contract=off"
if config.ikra_sanitize:
    host += f" {config.ikra_sanitize}"
    config.available_features.add("sanitizer")


def is_up_to_date(precompiled: str, folder: str) -> bool:
    """Whether a precompiled header is there, and newer than all headers of a folder."""
    if not os.path.exists(precompiled):
        return False
    headers = (os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)
    return max(map(os.path.getmtime, headers)) < os.path.getmtime(precompiled)


# -x c++ holds for every file after it, so the runtime's archive stands before it, and whole: the linker has not seen
# yet what the program needs of it.
runtime = f"-Wl,--whole-archive,{config.ikra_runtime_library},--no-whole-archive"

# What each emitted file begins with is compiled once. g++ takes what stands beside the header that is named, and looks at no
# dates.
precompiled = ""
if is_up_to_date(config.ikra_precompiled, include):
    precompiled = f"-include {config.ikra_precompiled.removesuffix('.gch')}"

# ikrac would refuse one that is older than its headers.
ikrac = config.ikra_ikrac
if is_up_to_date(config.ikra_ikrac_precompiled, include):
    ikrac += f" --precompiled={config.ikra_ikrac_precompiled}"

config.substitutions += [
    ("%ikra_flags", flags),
    ("%ikrac", ikrac),
    ("%plain_ikrac", config.ikra_ikrac),
    ("%own_build_plain", host),
    ("%own_build_cpu", f"{host} {config.ikra_openmp_flags} {precompiled} -iquote%S {runtime} -xc++"),
    ("%emitted", f"{config.ikra_python} {os.path.join(config.ikra_source_dir, 'test', 'support', 'emitted.py')}"),
    ("%cxx", config.ikra_cxx),
    ("%root", config.ikra_source_dir),
    ("%python", config.ikra_python),
]
if config.ikra_nvcc:
    config.available_features.add("nvcc")
    nvcc_flags = (f"{flags} -arch=sm_{config.ikra_cuda_architecture} --expt-relaxed-constexpr -fmad=false"
                  f" -Xcompiler=-Wall,-Wextra,-fopenmp,-ffp-contract=off,-iquote%S -Werror=all-warnings"
                  f" -Werror=cross-execution-space-call")
    config.substitutions += [
        ("%build_cuda", f"{config.ikra_nvcc} {nvcc_flags} -c"),
        ("%nvcc", config.ikra_nvcc),
    ]

def by_fast_compiler(precompiled: str, own: str) -> str:
    """The command of a build by the faster compiler, or the project's own where there is none."""
    if not config.ikra_fast_compiler or not is_up_to_date(precompiled, include):
        return own
    return (f"{config.ikra_fast_compiler} {flags} -Wall -Wextra -Werror -Wno-unused-lambda-capture -ffp-contract=off"
            f" -include-pch {precompiled}")


config.substitutions += [
    ("%build_plain", by_fast_compiler(config.ikra_fast_plain_precompiled, host)),
    ("%build_cpu", by_fast_compiler(config.ikra_fast_precompiled, f"{host} {precompiled}")
     + f" {config.ikra_openmp_flags} -iquote%S {runtime} -xc++"),
]
