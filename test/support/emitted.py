# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints an emitted file as tests look for lines in it: broken lines are whole again, and the lines of FileCheck and lit
that it holds as a copy of the test's text are left out, so that they do not match themselves.

usage: emitted.py FILE
"""
import re
import sys
from pathlib import Path

OF_TESTS = re.compile(r"^ *// [A-Z][A-Z0-9_-]*:")


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    whole: list[str] = []
    begun = 0  # where the last whole line begins
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        if whole and whole[-1].endswith((",", "{")) and line and indent(line) == begun + 4:  # as lib/Emit/CodeWriter breaks them
            whole[-1] += " " + line.lstrip()
            continue
        begun = indent(line)
        whole.append(line)
    print("\n".join(line for line in whole if not OF_TESTS.match(line)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
