#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the C++ of README.md and of the pages in docs/ compiles, and runs where it is a program.

usage: check_examples.py --cxx CXX [--ikrac IKRAC] [--jobs N] ROOT

| block | |
|---|---|
| ```cpp with main() | compiled as a file of its own, and run: its status must be 0 |
| ```cpp unlinked | the same, but not linked or run: a program that needs more than the headers |
| ```cpp | compiled |
| ```cpp refused | compiled: the plain build takes what ikrac refuses. With --ikrac, ikrac must say the message of the heading |
| ```cpp refused whole | the same, at file scope |
| ```cpp invalid | the same as refused, but no compiler takes it |
| ```cpp emitted | not compiled: it is a part of an emitted file |

A block that is no program may begin in the middle. Its declarations stand in a namespace of their own, its statements in
a function after them. ROOT/test/docs/PAGE.hpp declares what the page's blocks assume, in a namespace PAGE; the macro
PAGE_PARAMETERS in it is the list of parameters of these functions (with `_` for `-` in the page's name).

Blocks of all pages share a few translation units. Prints errors at their lines in the pages, then how many blocks there
are of each kind.
"""
from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```cpp(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^### (\w+)$", re.MULTILINE)
KINDS = ("program", "unlinked", "fragment", "refused", "invalid", "emitted")
# What begins a declaration that C++ does not allow, or gives another meaning to, in a function.
DECLARATION = re.compile(
    r"\s*(?:#|extern \"C\"|template\b|namespace\b|class\b|struct\b|union\b|enum\b|constexpr\b|using namespace\b"
    r"|(?!return\b|else\b|delete\b|throw\b)[\w:<>,*& ]*[\w>*&] ?\b(?!if\b|for\b|while\b|switch\b)"
    r"\w+\([^()]*\)\s*(?:const\s*)?(?:\{|;\Z))")
# One token that may hold brackets which are none: comments, strings, characters; else one character.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)*\'|.', re.DOTALL)
PER_FILE = 40


@dataclass
class Block:
    page: Path
    line: int  # of its first line of text
    kind: str
    whole: bool  # stands at file scope
    text: str
    heading: str

    @property
    def prelude(self) -> str:
        return re.sub(r"\W", "_", self.page.stem)


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        info, _, scope = match["info"].strip().partition(" ")
        line = text.count("\n", 0, match.start()) + 2
        if info not in ("", "unlinked", "refused", "invalid", "emitted") or scope not in ("", "whole"):
            sys.exit(f"{page}:{line - 1}: a block of C++ may be `unlinked`, `refused`, `refused whole`, `invalid` or `emitted`")
        kind = info or ("program" if re.search(r"^int main\(", match["text"], re.MULTILINE) else "fragment")
        headings = HEADING.findall(text, 0, match.start())
        found.append(Block(page, line, kind, scope == "whole", match["text"], headings[-1] if headings else ""))
    return found


def pieces(text: str) -> list[tuple[int, str]]:
    """The declarations, statements and directives that a block consists of, each with the line it begins at (from 0)."""
    found, begin, depth, position = [], 0, 0, 0

    def end_here() -> None:
        nonlocal begin
        piece = text[begin:position]
        if piece.strip():
            blank = len(piece) - len(piece.lstrip())
            found.append((text.count("\n", 0, begin + blank), piece.strip()))
        begin = position

    while position < len(text):
        if depth == 0 and text[position] == "#" and not text[begin:position].strip():
            position = (text.find("\n", position) + 1) or len(text)
            end_here()
            continue
        token = TOKEN.match(text, position)
        assert token
        position = token.end()
        if token[0] in ("(", "[", "{"):
            depth += 1
        elif token[0] in (")", "]", "}"):
            depth -= 1
        goes_on = token[0] != ";" and (token[0] != "}" or re.match(r"\s*([;,.()\[]|else\b)", text[position:]))
        if depth == 0 and not goes_on:
            end_here()
    position = len(text)
    end_here()
    return found


def compiled(block: Block) -> str:
    """The block as a part of a translation unit."""
    if block.whole:
        return f'#line {block.line} "{block.page}"\n{block.text}'
    declarations, statements, file_scope = [], [], []
    for line, text in pieces(block.text):
        code = re.sub(r"\A(?:\s*//[^\n]*\n)*", "", text)
        where = (file_scope if code.startswith(("#include", "template <> struct ikra")) else
                 declarations if DECLARATION.match(code) else statements)
        where.append(f'#line {block.line + line} "{block.page}"\n{text}\n')
    function = ""
    if statements:
        function = (f"#ifndef {block.prelude}_PARAMETERS\n#define {block.prelude}_PARAMETERS\n#endif\n"
                    f"inline auto fragment({block.prelude}_PARAMETERS) {{ {{\n{''.join(statements)}\n}} }}\n")
    return (f"{''.join(file_scope)}namespace {block.prelude} {{ namespace at_{block.line} {{\n"
            f"{''.join(declarations)}{function}\n}} }}\n")


class Checker:
    def __init__(self, options: argparse.Namespace, folder: Path):
        self.options, self.folder = options, folder
        self.flags = ["-std=c++20", f"-I{options.root / 'runtime/include'}"]

    def file(self, name: str, blocks: list[Block]) -> Path:
        preludes = [self.options.root / "test/docs" / f"{block.page.stem}.hpp" for block in blocks]
        head = ["#include <ikra/ikra.hpp>"]
        head += [f'#include "{prelude}"' for prelude in dict.fromkeys(preludes) if prelude.exists()]
        path = self.folder / f"{name}.cpp"
        path.write_text("\n".join(head) + "\n" + "".join(map(compiled, blocks)), encoding="utf-8")
        return path

    def run(self, command: list[str]) -> str | None:
        """What it has printed, where it fails."""
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return None if done.returncode == 0 else f"{' '.join(command)}\n{done.stdout}{done.stderr}status {done.returncode}"

    def fragments(self, name: str, blocks: list[Block]) -> str | None:
        path = self.file(name, blocks)
        return self.run([self.options.cxx, *self.flags, "-w", "-fsyntax-only", str(path)])

    def invalid(self, name: str, block: Block) -> str | None:
        problem = self.fragments(name, [block])
        return None if problem else f"{block.page}:{block.line}: error: it compiles, so it is not `invalid`"

    def program(self, name: str, block: Block) -> str | None:
        path = self.folder / f"{name}.cpp"
        path.write_text(f'#line {block.line} "{block.page}"\n{block.text}', encoding="utf-8")
        program = str(self.folder / name)
        compiler = [self.options.cxx, *self.flags, "-Wall", "-Wextra", "-Werror", str(path)]
        if block.kind == "unlinked":
            return self.run([*compiler, "-fsyntax-only"])
        return self.run([*compiler, "-o", program]) or self.run([program])

    def refused(self, name: str, blocks: list[Block]) -> str | None:
        """ikrac says of each block what stands in its heading. It ends after the first stage that has found errors, so
        what was found is left out the next time."""
        rounds = 0
        while blocks:
            said = self.messages(f"{name}_{rounds}", blocks)
            rounds += 1
            left = [block for block in blocks if block.heading not in said[block.line]]
            if len(left) == len(blocks):  # what is wrong with one may hide the others
                said = {block.line: self.messages(f"{name}_at_{block.line}", [block])[block.line] for block in blocks}
                blocks = [block for block in blocks if block.heading not in said[block.line]]
                break
            blocks = left
        return "\n".join(f"{block.page}:{block.line}: error: ikrac says {sorted(said[block.line]) or 'nothing'}, "
                         f"not {block.heading}" for block in blocks) or None

    def messages(self, name: str, blocks: list[Block]) -> dict[int, set[str]]:
        """The IDs of ikrac's messages, by the first line of the block that they stand in."""
        path = self.file(name, blocks)
        done = subprocess.run([self.options.ikrac, "-o", str(self.folder / f"{name}.cu"), str(path), "--", *self.flags,
                               "-ferror-limit=0"], capture_output=True, text=True, check=False)
        found: dict[int, set[str]] = {block.line: set() for block in blocks}
        for page, line, message in re.findall(r"^([^\n:]+):(\d+):\d+: (?:error|warning): [^\n]*\[ikra-([\w-]+)\]$",
                                              done.stderr, re.MULTILINE):
            for block in blocks:
                if str(block.page) == page and 0 <= int(line) - block.line < block.text.count("\n"):
                    found[block.line].add(message.replace("-", "_"))
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--ikrac", help="check the messages of refused blocks too")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("root", type=Path)
    options = parser.parse_args()
    options.root = options.root.resolve()
    blocks = [block for page in [options.root / "README.md", *sorted((options.root / "docs").rglob("*.md"))]
              for block in blocks_of(page)]
    of_kind = {kind: [block for block in blocks if block.kind == kind] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        checker = Checker(options, Path(folder))
        shared = of_kind["fragment"] + of_kind["refused"]
        jobs = [pool.submit(checker.program, f"program_{i}", block)
                for i, block in enumerate(of_kind["program"] + of_kind["unlinked"])]
        jobs += [pool.submit(checker.fragments, f"fragments_{first}", shared[first:first + PER_FILE])
                 for first in range(0, len(shared), PER_FILE)]
        jobs += [pool.submit(checker.invalid, f"invalid_{i}", block) for i, block in enumerate(of_kind["invalid"])]
        if options.ikrac:
            named = [block for block in of_kind["refused"] + of_kind["invalid"] if block.heading]
            jobs.append(pool.submit(checker.refused, "refused", named))
        problems = [job.result() for job in jobs]
    for problem in filter(None, problems):
        print(problem)
    counts = Counter({kind: len(of_kind[kind]) for kind in KINDS})
    print(f"{len(blocks)} blocks: {counts['program']} programs run, {counts['unlinked']} unlinked ones, "
          f"{counts['fragment']} fragments and {counts['refused']} refused ones compiled, {counts['invalid']} invalid ones, "
          f"{counts['emitted']} emitted ones skipped")
    if not blocks:
        print("no blocks of C++ found")
    return int(any(problems) or not blocks)


if __name__ == "__main__":
    sys.exit(main())
