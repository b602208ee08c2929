# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the random programs of some seeds into one file, for builds that are not run_fuzz.py's own.

usage: write_programs.py FIRST:END FILE
"""
import sys
from pathlib import Path

from programs import file_text, generate


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, end = map(int, sys.argv[1].split(":"))
    Path(sys.argv[2]).write_text(file_text([generate(seed) for seed in range(first, end)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
