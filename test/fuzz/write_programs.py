# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the random programs, or the random expressions, of some seeds into one file, for builds that are not run_fuzz.py's own.

usage: write_programs.py [--expressions] FIRST:END FILE
"""
import sys
from pathlib import Path

import expressions
import programs


def main() -> int:
    arguments = sys.argv[1:]
    maker = programs
    if arguments[:1] == ["--expressions"]:
        maker, arguments = expressions, arguments[1:]
    if len(arguments) != 2:
        sys.exit(__doc__)
    first, end = map(int, arguments[0].split(":"))
    Path(arguments[1]).write_text(maker.file_text([maker.generate(seed) for seed in range(first, end)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
