#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the commands that a page of docs/ shows print what the page says.

usage: check_commands.py --ikrac IKRAC --libraries FOLDER [--nvcc NVCC] [--unoptimised] PAGE ROOT

The page's blocks ```console are one session: lines after `$ ` are commands, those between them what the command before
prints to either stream. A line `…` stands for any lines, and a command that prints nothing may print anything. A
command fails where an `error:` is shown, and nowhere else. The session runs in a folder that has ROOT's examples/ and
runtime/, the compiler as build/dev/bin/ikrac and FOLDER as build/dev/lib. Without --nvcc, blocks with nvcc are left out.
With --unoptimised, compilers get -O0 where the page has -O2 or -O3: the same is printed, after half of the time.

After the comment `<!-- text of FILE -->`, the page's next block is FILE of ROOT.
"""
from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPY = re.compile(r"^<!-- text of (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NO_GPU = re.compile(r"^ikra: .*running on all cores\n", re.MULTILINE)


@dataclass
class Command:
    line: int
    text: str
    shown: str


def commands_of(page: str, nvcc: bool) -> tuple[list[Command], int]:
    """The session, and how many blocks are left out of it."""
    found: list[Command] = []
    left_out = 0
    for block in BLOCK.finditer(page):
        if not nvcc and "nvcc" in block[1]:
            left_out += 1
            continue
        continued = False
        first = page.count("\n", 0, block.start()) + 2
        for number, line in enumerate(block[1].splitlines(), first):
            if line.startswith("$ "):
                found.append(Command(number, line[2:], ""))
            elif continued:
                found[-1].text += "\n" + line
            else:
                found[-1].shown += line + "\n"
            continued = line.endswith("\\") and (line.startswith("$ ") or continued)
    return found, left_out


def prepare(folder: Path, options: argparse.Namespace) -> None:
    for name in ("examples", "runtime"):
        (folder / name).symlink_to(options.root / name)
    (folder / "build/dev/bin").mkdir(parents=True)
    (folder / "build/dev/bin/ikrac").symlink_to(options.ikrac.resolve())
    (folder / "build/dev/lib").symlink_to(options.libraries.resolve())


def printed(folder: Path, index: int) -> str:
    """The output of a command without what depends on the machine: folders, and hashes of paths."""
    text = (folder / f"printed.{index}").read_text(encoding="utf-8")
    text = re.sub(rf"{re.escape(str(folder))}/(?:[\w.-]+/)*", "", text)
    return NO_GPU.sub("", text)


def agree(shown: str, actual: str) -> bool:
    def plain(text: str) -> str:
        return re.sub(r"_[0-9a-f]{8}\b", "_hash", text)
    parts = [re.escape(plain(part)) for part in re.split(r"^…\n", shown, flags=re.MULTILINE)]
    return not shown or re.fullmatch("(?:.*\n)*".join(parts), plain(actual)) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ikrac", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True, help="the folder of libikra_runtime.a")
    parser.add_argument("--nvcc", type=Path)
    parser.add_argument("--unoptimised", action="store_true")
    parser.add_argument("page", type=Path)
    parser.add_argument("root", type=Path)
    options = parser.parse_args()
    options.root = options.root.resolve()
    page = options.page.read_text(encoding="utf-8")
    commands, left_out = commands_of(page, options.nvcc is not None)
    problems = [f"{options.page}: the text of {copy[1]} is another one" for copy in COPY.finditer(page)
                if copy[2] != (options.root / copy[1]).read_text(encoding="utf-8")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        prepare(folder, options)
        environment = dict(os.environ, PWD=str(folder))
        if options.nvcc:
            environment["PATH"] = f"{options.nvcc.parent}:{environment['PATH']}"
        if options.unoptimised:
            for command in commands:
                command.text = re.sub(" -O[23] ", " -O0 ", command.text)
        script = "".join(f"{{ {command.text}\n}} > {folder}/printed.{i} 2>&1; echo $? > {folder}/status.{i}\n"
                         for i, command in enumerate(commands))
        subprocess.run(["bash", "-c", script], cwd=folder, check=False, env=environment)
        for i, command in enumerate(commands):
            actual, status = printed(folder, i), int((folder / f"status.{i}").read_text(encoding="utf-8"))
            if (status == 0) == ("error:" in command.shown):
                problems.append(f"{options.page}:{command.line}: the status is {status}, and what it prints:\n{actual}")
            elif not agree(command.shown, actual):
                problems.append(f"{options.page}:{command.line}: it prints\n{actual}")
    for problem in problems:
        print(problem)
    print(f"{len(commands)} commands run, {left_out} blocks for nvcc left out")
    return int(bool(problems) or not commands)


if __name__ == "__main__":
    sys.exit(main())
