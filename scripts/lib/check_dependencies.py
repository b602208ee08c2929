# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the include graph of the sources follows docs/architecture.md, and that no file grows past 800 lines.

usage: check_dependencies.py ROOT

Every #include of a file in lib/, tools/, runtime/ and datalog/ is either a file of the project, whose layer must be
one that the including file's layer may use, or an outside header, which must be of a kind that the layer may use.
Prints `file:line: message` for each violation.
"""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from project_files import project_files

MAX_LINES = 800
SUFFIXES = {".h", ".hpp", ".cpp", ".cu", ".cuh", ".def", ".inc"}

STANDARD = r"[a-z_0-9]+"
CUDA = r"(cuda|cuda_runtime|cuda_runtime_api|cuda_fp16|device_launch_parameters|nvtx3/.*)\.h(pp)?|(cub|thrust|cuda)/.*"
C_STANDARD = r"(setjmp|signal)\.h"
POSIX = r"(cxxabi|unistd|dlfcn|fcntl|link|sched|sys/[a-z]+)\.h"
OPENMP = r"omp\.h"
SANITIZER = r"sanitizer/[a-z]+_interface\.h"
FORMATS = r"zlib\.h|sqlite3\.h|nlohmann/json\.hpp|ffi\.h"
CLANG = r"(clang|llvm)(-c)?/.*"
LLVM_BASE = r"llvm/(ADT|Support)/.*|clang/Basic/SourceLocation\.h"  # nothing that knows the AST


@dataclass(frozen=True)
class Layer:
    folder: str  # the layer whose folder is the longest prefix of a file's path holds the file; a `*` ends a part of a name
    uses: frozenset[str]  # other layers, besides itself
    outside: str  # regular expression of the outside headers it may include


def layer(folder: str, uses: list[str], *outside: str) -> Layer:
    return Layer(folder, frozenset(uses), "|".join(outside))


# The folders of runtime/include/ikra/generated.
GENERATED = ["generated device", "generated language", "generated launch", "generated objects", "generated session",
             "generated sections", "generated turns", "generated datalog"]

LAYERS = {
    "plain library": layer("runtime/include/ikra", [], STANDARD, C_STANDARD),
    "generated device": layer("runtime/include/ikra/generated/device", ["plain library"], STANDARD, CUDA),
    "generated language": layer("runtime/include/ikra/generated/language", ["generated device", "plain library"], STANDARD, CUDA),
    "generated launch": layer("runtime/include/ikra/generated/launch", ["generated language", "generated device", "plain library"],
                              STANDARD, CUDA, OPENMP),
    "generated objects": layer("runtime/include/ikra/generated/objects", ["generated language", "generated device", "plain library"],
                               STANDARD),
    "generated session": layer("runtime/include/ikra/generated/session",
                               ["generated objects", "generated launch", "generated language", "generated device", "plain library"],
                               STANDARD, CUDA, OPENMP),
    "generated sections": layer("runtime/include/ikra/generated/sections",
                                ["generated session", "generated objects", "generated launch", "generated language", "generated device",
                                 "plain library"],
                                STANDARD),
    "generated turns": layer("runtime/include/ikra/generated/turns",
                             ["generated session", "generated launch", "generated device", "plain library"], STANDARD, CUDA, OPENMP),
    "generated datalog": layer("runtime/include/ikra/generated/datalog", ["generated device", "plain library"], STANDARD, OPENMP),
    "generated entry": layer("runtime/include/ikra/generated.hpp", [*GENERATED, "plain library"], STANDARD),
    "runtime support": layer("runtime/src/support", [*GENERATED, "plain library"], STANDARD, OPENMP, POSIX, SANITIZER),
    "runtime devices": layer("runtime/src/devices", ["runtime support", *GENERATED, "plain library"],
                             STANDARD, OPENMP, POSIX, SANITIZER),
    "runtime cuda": layer("runtime/src/cuda", ["runtime devices", "runtime support", *GENERATED, "plain library"],
                          STANDARD, CUDA, OPENMP, POSIX),
    "runtime objects": layer("runtime/src/objects", ["runtime devices", "runtime support", *GENERATED, "plain library"],
                             STANDARD, OPENMP, POSIX),
    "runtime sections": layer("runtime/src/sections", ["runtime objects", "runtime devices", "runtime support", "generated entry",
                                                       *GENERATED, "plain library"], STANDARD, OPENMP, POSIX),
    "Model": layer("lib/Model", [], STANDARD, LLVM_BASE),
    "diagnostics": layer("lib/Analysis/Diagnostics*", [], STANDARD, CLANG),
    "Analysis ast": layer("lib/Analysis/Ast", ["Model"], STANDARD, CLANG),
    "Analysis preparation": layer("lib/Analysis/Prepare", ["Analysis ast", "diagnostics", "Model", "datalog frontend",
                                                           "datalog kernels"], STANDARD, CLANG),
    "Analysis reach": layer("lib/Analysis/Reach", ["Analysis ast", "diagnostics", "Model"], STANDARD, CLANG),
    "Analysis bodies": layer("lib/Analysis/Bodies", ["Analysis reach", "Analysis ast", "diagnostics", "Model"],
                             STANDARD, CLANG),
    "Analysis dataflow": layer("lib/Analysis/Dataflow", ["Analysis ast", "Model"], STANDARD, CLANG),
    "Analysis sections": layer("lib/Analysis/Sections", ["Analysis reach", "Analysis dataflow", "Analysis ast",
                                                         "diagnostics", "Model"], STANDARD, CLANG),
    "Analysis turns": layer("lib/Analysis/Turns", ["Analysis bodies", "Analysis dataflow", "Analysis ast", "diagnostics", "Model"],
                            STANDARD, CLANG),
    "Analysis": layer("lib/Analysis", ["Analysis turns", "Analysis sections", "Analysis bodies", "Analysis dataflow", "Analysis reach",
                                       "Analysis preparation", "Analysis ast", "diagnostics", "Model"],
                      STANDARD, CLANG),
    "Fusion": layer("lib/Fusion", ["Model"], STANDARD, LLVM_BASE),
    "Layout": layer("lib/Layout", ["Fusion", "Model"], STANDARD, LLVM_BASE),
    "Emit code": layer("lib/Emit/Code", ["Layout", "Fusion", "Model"], STANDARD, LLVM_BASE),
    "Emit host text": layer("lib/Emit/Host", ["Emit code", "Layout", "Fusion", "Model", "Analysis sections", "Analysis reach",
                                              "Analysis ast"], STANDARD, CLANG),
    "Emit": layer("lib/Emit", ["Emit host text", "Emit code", "Layout", "Fusion", "Model"], STANDARD, LLVM_BASE),
    "tools": layer("tools", ["Emit", "Emit host text", "Layout", "Fusion", "Analysis", "Analysis preparation",
                             "diagnostics", "Model"], STANDARD, CLANG),
    "datalog plan": layer("datalog/plan", ["plain library", *GENERATED], STANDARD),
    "datalog backend": layer("datalog/backend", ["datalog plan", "plain library", *GENERATED],
                             STANDARD, CUDA, OPENMP, POSIX),
    "datalog interface": layer("datalog/engine/engine.hpp", ["datalog plan"], STANDARD),
    "datalog relations": layer("datalog/engine/relations", ["datalog interface", "datalog backend", "datalog plan",
                                                            "plain library", *GENERATED], STANDARD),
    "datalog bits": layer("datalog/engine/bits", ["datalog relations", "datalog interface", "datalog plan"], STANDARD),
    "datalog resident": layer("datalog/engine/resident", ["datalog bits", "datalog relations", "datalog interface",
                                                          "datalog plan"], STANDARD),
    "datalog engine": layer("datalog/engine", ["datalog resident", "datalog bits", "datalog relations",
                                               "datalog interface", "datalog backend", "datalog plan", "plain library",
                                               *GENERATED], STANDARD, OPENMP),
    "datalog frontend": layer("datalog/frontend", ["plain library"], STANDARD, r"re2/re2\.h"),
    "datalog reference": layer("datalog/reference", ["datalog frontend"], STANDARD),
    "datalog compile": layer("datalog/compile", ["datalog interface", "datalog plan", "datalog frontend"], STANDARD),
    "datalog kernels": layer("datalog/kernels", ["datalog plan", "datalog compile", "datalog frontend",
                                                 "plain library", *GENERATED], STANDARD),
    "datalog io": layer("datalog/io", ["datalog frontend", "plain library"], STANDARD, OPENMP, POSIX, FORMATS),
    "datalog api": layer("datalog/api", ["datalog interface", "datalog plan", "datalog io", "datalog compile",
                                         "datalog reference", "datalog frontend", "plain library", *GENERATED],
                         STANDARD, OPENMP),
    "ikra-datalog": layer("tools/ikra-datalog", ["datalog interface", "datalog plan", "datalog io", "datalog compile",
                                                 "datalog reference", "datalog frontend", "plain library"],
                          STANDARD, OPENMP, POSIX, r"malloc\.h", r"CLI/CLI\.hpp"),
}
# Where an include that is not found beside its file is looked for, as the build's -I options say.
INCLUDE_FOLDERS = ["runtime/include", "runtime/src", "lib", "tools", "."]
# Headers for one file alone: what others take in their place is that file's.
ONLY_IN = {"clang/AST/RecursiveASTVisitor.h": "lib/Analysis/Ast/AstVisitor.cpp"}  # seconds to compile for each class that derives from it
FOLDERS = ["datalog", "lib", "runtime", "tools"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def layer_of(path: str) -> str | None:
    holding = [name for name, rule in LAYERS.items()
               if path == rule.folder or path.startswith(rule.folder.removesuffix("*") if rule.folder.endswith("*")
                                                          else rule.folder + "/")]
    return max(holding, key=lambda name: len(LAYERS[name].folder), default=None)


def resolve(root: Path, file: Path, name: str) -> str | None:
    for folder in [file.parent, *(root / folder for folder in INCLUDE_FOLDERS)]:
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return str(candidate.relative_to(root))
    return None


def check_include(own: str, name: str, target: str | None) -> str | None:
    rule = LAYERS[own]
    if target is None:
        if re.fullmatch(rule.outside, name):
            return None
        return f"{own} may not include <{name}>"
    other = layer_of(target)
    if other is None:
        return f"{own} may not include {target}, which is in none of the layers"
    if other == own or other in rule.uses:
        return None
    return f"{own} may not use {other}: {name}"


def check_file(root: Path, file: Path) -> list[str]:
    name = str(file.relative_to(root))
    lines = file.read_text(encoding="utf-8").splitlines()
    problems = []
    if len(lines) > MAX_LINES:
        problems.append(f"{name}:{MAX_LINES + 1}: the file has {len(lines)} lines, {MAX_LINES} are allowed")
    own = layer_of(name)
    if own is None:
        return problems + [f"{name}:1: the file is in none of the layers of docs/architecture.md"]
    for number, line in enumerate(lines, start=1):
        match = INCLUDE.match(line)
        if match:
            place = ONLY_IN.get(match[1], name)
            problem = (check_include(own, match[1], resolve(root, file, match[1])) if place == name
                       else f"<{match[1]}> is for {place} alone")
            if problem:
                problems.append(f"{name}:{number}: {problem}")
    return problems


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1]).resolve()
    files = project_files(root, FOLDERS, SUFFIXES)
    if not files:
        sys.exit(f"no sources found in {root}")
    problems = [problem for file in files for problem in check_file(root, file)]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{len(files)} files, all dependencies point one way")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
