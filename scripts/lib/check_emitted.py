#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that what docs/ shows of emitted code is what ikrac emits.

usage: check_emitted.py --ikrac IKRAC [--fix] ROOT

A page shows a struct or a namespace in a block `cpp emitted` after the comment `<!-- emitted from FILE: NAME -->`; FILE
is a source file in ROOT. Lines `#line` are left out. With --fix, the page is written anew.
"""
from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SHOWN = re.compile(r"(<!-- emitted from (\S+): (\w+) -->\n```cpp emitted\n)(.*?)(```\n)", re.DOTALL)


class Emitted:
    """The files that ikrac emitted, by their sources."""

    def __init__(self, ikrac: str, root: Path):
        self.ikrac = ikrac
        self.root = root
        self.texts: dict[str, str] = {}

    def text(self, source: str) -> str:
        if source not in self.texts:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "emitted.cu"
                subprocess.run([self.ikrac, "-o", str(out), str(self.root / source), "--", "-std=c++20",
                                f"-I{self.root / 'runtime/include'}"], check=True)
                self.texts[source] = re.sub(r"(?m)^#line .*\n", "", out.read_text(encoding="utf-8"))
        return self.texts[source]

    def struct(self, source: str, name: str) -> str | None:
        """Its definition in the emitted file, up to the brace at the start of a line."""
        found = re.search(rf"(?ms)^struct {name} \{{\n.*?^\}};\n|^namespace {name} \{{\n.*?^\}} // namespace {name}\n",
                          self.text(source))
        return found.group(0) if found else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ikrac", required=True)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("root", type=Path)
    options = parser.parse_args()
    emitted = Emitted(options.ikrac, options.root.resolve())
    shown = problems = 0
    for page in sorted((options.root / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")

        def actual(match: re.Match[str]) -> str:
            nonlocal shown, problems
            shown += 1
            struct = emitted.struct(match.group(2), match.group(3))
            if struct != match.group(4):
                problems += 1
                print(f"{page}: {match.group(3)} of {match.group(2)} is emitted as\n{struct}", file=sys.stderr)
            return match.group(1) + (struct or match.group(4)) + match.group(5)

        fixed = SHOWN.sub(actual, text)
        if options.fix and fixed != text:
            page.write_text(fixed, encoding="utf-8")
    if shown == 0:
        print("docs/ shows no emitted code", file=sys.stderr)
        return 1
    print(f"{shown} structs shown, {problems} differ")
    return 1 if problems and not options.fix else 0


if __name__ == "__main__":
    sys.exit(main())
