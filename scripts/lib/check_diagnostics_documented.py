# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/diagnostics.md explains every message of ikrac, and no other.

usage: check_diagnostics_documented.py ROOT

A message is a row DIAG(ID, …) of lib/Analysis/Diagnostics.def; it is explained under the heading `### ID`. Errors and
warnings need an example, and every message a text. Prints a line for each thing that is missing or left over.
"""
import re
import sys
from collections import Counter
from pathlib import Path

ROW = re.compile(r'^DIAG\((\w+), (\w+), "(.*)"\)$', re.MULTILINE)
SECTION = re.compile(r"^### (\w+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)


def problems(rows: list[tuple[str, str, str]], sections: list[tuple[str, str]]) -> list[str]:
    levels = {name: level for name, level, _ in rows}
    found = [f"{name} has no text" for name, _, text in rows if not text]
    headings = Counter(name for name, _ in sections)
    found += [f"{name} is not explained" for name in levels if name not in headings]
    found += [f"{name} is explained, but is no message" for name in headings if name not in levels]
    found += [f"{name} is explained {count} times" for name, count in headings.items() if count > 1]
    found += [f"{name} has no example" for name, text in sections
              if levels.get(name) in ("Error", "Warning") and "```cpp" not in text]
    return found


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    rows = ROW.findall((root / "lib/Analysis/Diagnostics.def").read_text(encoding="utf-8"))
    sections = SECTION.findall((root / "docs/diagnostics.md").read_text(encoding="utf-8"))
    if not rows:
        sys.exit(f"no messages found in {root}")
    found = problems(rows, sections)
    for problem in found:
        print(problem)
    if not found:
        print(f"{len(rows)} messages, all explained")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
