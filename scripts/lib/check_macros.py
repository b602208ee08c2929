# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that macros of programs cannot break the headers of ikra.

usage: check_macros.py ROOT

A program may define `N`, `T` or `SIZE` in front of `#include <ikra/ikra.hpp>`. So in runtime/include/ikra
- each header that programs include begins with macros_aside.hpp and ends with macros_back.hpp, which name the same macros;
- no header has a name of two or more capitals, other than ikra's own macros and those of the standard library.
Prints `file:line: message` for each violation.
"""
import re
import sys
from pathlib import Path

from project_files import project_files

HEADERS = "runtime/include/ikra"
ASIDE, BACK = "macros_aside.hpp", "macros_back.hpp"
PRAGMA = r'^#pragma {}_macro\("(\w+)"\)'
CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_]+\b")
# Of ikra, the standard library, and POSIX (signals).
KNOWN = re.compile(r"IKRA_\w+|U?INT(8|16|32|64)_(MAX|MIN|C)|SIZE_MAX|PTRDIFF_MAX|CHAR_BIT|SIG\w+|SA_\w+|SEGV_\w+")
LITERAL_OR_COMMENT = re.compile(r'//[^\n]*|R"(?P<end>\w*)\(.*?\)(?P=end)"|"(\\.|[^"\\\n])*"|/\*.*?\*/', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(\\\n|[^\n])*", re.M)


def blank(match: re.Match) -> str:
    return "\n" * match[0].count("\n")


def check_pairs(root: Path) -> list[str]:
    texts = {name: (root / HEADERS / name).read_text(encoding="utf-8") for name in (ASIDE, BACK)}
    aside = set(re.findall(PRAGMA.format("push"), texts[ASIDE], re.M))
    back = set(re.findall(PRAGMA.format("pop"), texts[BACK], re.M))
    return [f"{HEADERS}/{BACK}:1: {name} is put aside, and not given back, or the reverse" for name in sorted(aside ^ back)]


def check_header(root: Path, file: Path) -> list[str]:
    name = str(file.relative_to(root))
    text = file.read_text(encoding="utf-8")
    problems = []
    if file.parent == root / HEADERS and file.name not in (ASIDE, BACK):
        includes = re.findall(r"^#include <ikra/(\w+\.hpp)>|^#include .*", text, re.M)
        if not text.endswith(f"#include <ikra/{BACK}>\n") or includes[0] != ASIDE:
            problems.append(f"{name}:1: a header for programs includes {ASIDE} first and {BACK} last")
    code = DIRECTIVE.sub(blank, LITERAL_OR_COMMENT.sub(blank, text))
    for number, line in enumerate(code.splitlines(), start=1):
        for found in CAPITALS.findall(line):
            if not KNOWN.fullmatch(found):
                problems.append(f"{name}:{number}: {found} may be a macro of a program")
    return problems


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1]).resolve()
    files = project_files(root, [HEADERS], {".hpp"})
    problems = check_pairs(root) + [problem for file in files for problem in check_header(root, file)]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{len(files)} headers, safe from macros of programs")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
