# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a part of the table's share into one file, for builds that are not run_table.py's own.

usage: write_table.py FIRST:END FILE
"""
import sys
from pathlib import Path

from table import covering, file_text


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, end = map(int, sys.argv[1].split(":"))
    Path(sys.argv[2]).write_text(file_text(covering()[first:end]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
