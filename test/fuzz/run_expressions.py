#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random expressions in plain and cpu builds.

usage: run_expressions.py --ikrac IKRAC --runtime ARCHIVE --include DIR --work DIR [--expressions FIRST:END] [--per-file N] …

Each expression is a line of what a file prints. One that differs, that is not compiled, or that stays on one core is
shrunk, all smaller ones of a step in one file, and printed. The exit status is 1 then.
"""
from __future__ import annotations

import argparse
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import expressions as language
from expressions import Expression, generate
from run_fuzz import Failed, ikrac, one_core, parser_of_builds, precompiled, run

# Generated code does what nobody would write; what it computes is what is tested.
FLAGS = ["-std=c++20", "-O0", "-w", "-ffp-contract=off"]


def lines_of(text: str) -> dict[int, str]:
    """What is printed of each expression. A line with # says which ones follow."""
    found, numbers = {}, iter(())
    for line in text.splitlines():
        if line.startswith("#"):
            numbers = iter(map(int, line.partition(": ")[2].split()))
        else:
            found[next(numbers)] = line.partition(" ")[2]
    return found


class Builder:
    """Builds and runs files of expressions."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.includes = [f"-I{Path(__file__).parent}", f"-I{options.include}"]
        self.plain = precompiled(options.plain_header, options.include)
        self.cpu = precompiled(options.cpu_header, options.include)
        self.count = 0
        self.lock = threading.Lock()

    def fresh(self) -> str:
        with self.lock:
            self.count += 1
            return f"shrink_{self.count}"

    def built(self, name: str, expressions: list[Expression]) -> tuple[dict[int, str], dict[int, str]]:
        """The lines of the plain build and of the cpu build."""
        options, source = self.options, self.options.work / f"{name}.cpp"
        source.write_text(language.file_text(expressions))
        plain, emitted, cpu = (source.with_suffix(end) for end in (".plain", ".ikra.cu", ".cpu"))
        flags = [*FLAGS, *options.flag, *self.includes]
        run("plain build", [options.cxx, *flags, *self.plain, str(source), "-o", str(plain)], 600)
        expected = lines_of(run("plain run", [str(plain)], 300))
        one_core("ikrac", run("ikrac", [*ikrac(options), "-o", str(emitted), str(source), "--", "-std=c++20", *self.includes], 600, errors=True))
        run("cpu build", [options.cxx, *flags, *self.cpu, "-fopenmp", "-x", "c++", str(emitted), "-x", "none", "-o", str(cpu),
                          "-Wl,--whole-archive", str(options.runtime), "-Wl,--no-whole-archive"], 600)
        return expected, lines_of(run("cpu run", [str(cpu)], 300, {"IKRA_DEVICE": "cpu"}))

    def examine(self, name: str, expressions: list[Expression]) -> dict[int, str]:
        """What is wrong with which expressions."""
        if not expressions:
            return {}
        try:
            expected, found = self.built(name, expressions)
        except Failed as failure:
            step = str(failure).split("\n", maxsplit=1)[0]
            if len(expressions) == 1:
                return {expressions[0].number: f"{step}\n{self.messages(failure)}"}
            middle = len(expressions) // 2  # which ones it is
            return self.examine(f"{name}_0", expressions[:middle]) | self.examine(f"{name}_1", expressions[middle:])
        return {e.number: f"cpu run\n  plain: {expected.get(e.number)}\n  cpu:   {found.get(e.number)}"
                for e in expressions if expected.get(e.number) != found.get(e.number) or e.number not in expected}

    @staticmethod
    def messages(failure: Failed) -> str:
        return "\n".join(re.sub(r"^\S*/", "", line) for line in str(failure).split("\n")[1:4])

    def shrink(self, expression: Expression, message: str) -> tuple[Expression, str]:
        """The smallest expression that fails at the same step."""
        step, best = message.split("\n", maxsplit=1)[0], (expression, message)
        while True:
            smaller = list(language.smaller(best[0]))[:60]
            wrong = self.examine(self.fresh(), smaller)
            failing = [e for e in smaller if wrong.get(e.number, "").startswith(step)]
            if not failing:
                return best
            chosen = min(failing, key=lambda e: e.node.size())
            best = chosen, wrong[chosen.number]


def main() -> int:
    parser = parser_of_builds("Random expressions: plain build against cpu build.")
    parser.add_argument("--expressions", default="0:2000", help="FIRST:END")
    parser.add_argument("--per-file", type=int, default=250, help="expressions a file; compilers start up once for each")
    parser.add_argument("--shrink", type=int, default=10, help="how many failures are shrunk; shrinking takes a while")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    first, end = map(int, options.expressions.split(":"))
    builder = Builder(options)

    def file(start: int) -> list[tuple[Expression, str]]:
        made = {n: generate(n) for n in range(start, min(start + options.per_file, end))}
        return [(made[n], message) for n, message in builder.examine(f"expressions_{start}", list(made.values())).items()]

    with ThreadPoolExecutor(options.jobs) as pool:
        failed = []
        for start, failures in zip(range(first, end, options.per_file), pool.map(file, range(first, end, options.per_file))):
            failed += failures
            for whole, message in failures:  # before they are shrunk, which may take long
                step = message.partition("\n")[0]
                print(f"expression {whole.number}: {step}", file=sys.stderr, flush=True)
            print(f"from {start}: {len(failed)} failed so far", file=sys.stderr, flush=True)
        shrunk = list(pool.map(lambda failure: builder.shrink(*failure), failed[:options.shrink]))
    for (whole, _), (smallest, message) in zip(failed, shrunk):
        print(f"expression {whole.number}: {message}\n" + "\n".join("  " + line for line in smallest.lines()) + "\n")
    for whole, message in failed[options.shrink:]:
        print(f"expression {whole.number}: {message}\n  {whole.node.render()}\n")
    print(f"{end - first} expressions, {len(failed)} failed")
    return 1 if failed or end <= first else 0


if __name__ == "__main__":
    sys.exit(main())
