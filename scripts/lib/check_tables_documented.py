# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/ names what ikrac's tables hold, and nothing of them that is not accepted.

usage: check_tables_documented.py ROOT

Every accepted function of lib/Analysis/Ast/StdFunctions.def stands in the table of docs/language.md after the line
`**The standard library:**`, and every function there is accepted. Every function of lib/Model/Operations.def by which
programs call an operation stands in docs/library.md or docs/language.md. Prints a line for each thing that is missing or left over.
"""
import re
import sys
from pathlib import Path

FUNCTION = re.compile(r"^(?:STD_FUNCTION|ALGORITHM)\((\w+), (\w+), \w+\)$", re.MULTILINE)
CALL = re.compile(r'^ARRAY_CALL\("(\w+)"', re.MULTILINE)
TABLE = re.compile(r"\*\*The standard library:\*\*\n\n((?:\|.*\n)+)")
REFUSED = {"OfLocale", "Arranges", "InputOutput", "Allocation"}
# Named beside the functions: containers' methods and functions, and a class.
OTHERS = {"size", "ssize", "empty", "numeric_limits"}


def problems(functions: list[tuple[str, str]], calls: list[str], language: str, library: str) -> list[str]:
    table = TABLE.search(language)
    if not table:
        return ["docs/language.md has no table of the standard library"]
    rows = [row for row in table[1].splitlines() if not row.startswith("| ikra ")]
    named = {name.removeprefix("std::") for row in rows for name in re.findall(r"`((?:std::)?\w+)`", row)}
    accepted = {name for name, form in functions if form not in REFUSED}
    found = [f"std::{name} is not in docs/language.md" for name in sorted(accepted - named)]
    found += [f"docs/language.md names {name}, which is not accepted" for name in sorted(named - accepted - OTHERS)]
    found += [f"{name} is in neither docs/library.md nor docs/language.md" for name in calls
              if not re.search(rf"\b{name}\b", library + language)]
    return found


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])

    def text(path: str) -> str:
        return (root / path).read_text(encoding="utf-8")

    functions = FUNCTION.findall(text("lib/Analysis/Ast/StdFunctions.def"))
    calls = CALL.findall(text("lib/Model/Operations.def"))
    if not functions or not calls:
        sys.exit(f"no tables found in {root}")
    found = problems(functions, calls, text("docs/language.md"), text("docs/library.md"))
    for problem in found:
        print(problem)
    if not found:
        print(f"{len(functions)} functions and {len(calls)} operations, all documented")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
