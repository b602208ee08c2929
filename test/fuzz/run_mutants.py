#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that ikrac neither crashes on mutants of the project's own sources, nor emits what the C++ compiler refuses.

usage: run_mutants.py --ikrac IKRAC --runtime ARCHIVE --include DIR --work DIR [--mutants FIRST:END] …

A mutant may be anything. ikrac may refuse it, with exit status 1, messages, and no output. What it emits must compile if
the mutant does, and without warnings if the mutant has none. A mutant that fails is kept, with its changes in a comment.
The exit status is 1 then.
"""
from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutate import Mutant, mutate
from run_fuzz import Failed, parser_of_builds, run

ROOT = Path(__file__).resolve().parent.parent.parent
FLAGS = ["-std=c++20", "-fsyntax-only", "-ffp-contract=off"]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
ACCEPTED = re.compile(r"RUN: (?:env \S+ )?%ikrac -o \S+ %s -- %ikra_flags")
CRASH = re.compile(r"PLEASE submit a bug report|Sanitizer|runtime error:|Assertion .* failed|Stack dump")
SECONDS = 60


def origins() -> list[Path]:
    """Sources that ikrac accepts and that need nothing but the runtime's headers."""
    found = [*ROOT.glob("test/programs/*/*.cpp"), *ROOT.glob("examples/**/*.cpp"),
             *(path for path in ROOT.glob("test/lit/*/*.cpp") if ACCEPTED.search(path.read_text()))]
    return sorted(path for path in found if "ikra/ikra.hpp" in path.read_text() and "ikra/datalog" not in path.read_text())


class Checker:
    """Examines mutants, one folder for all of them."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.seconds = SECONDS * (10 if any("sanitize" in flag for flag in options.flag) else 1)
        self.outcomes: Counter[str] = Counter()

    def compile(self, step: str, source: Path, flags: list[str]) -> str | None:
        """What the compiler has against a source."""
        try:
            run(step, [self.options.cxx, *FLAGS, *flags, f"-I{self.options.include}", "-x", "c++", str(source)], 600)
        except Failed as failure:
            return str(failure)
        return None

    def emit(self, source: Path, emitted: Path, includes: list[str]) -> bool:
        """Whether ikrac accepts a source."""
        command = [self.options.ikrac, "-o", str(emitted), str(source), "--", "-std=c++20", *includes, f"-I{self.options.include}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"ikrac: no end after {self.seconds} s") from None
        text = "\n".join(done.stderr.splitlines()[:12])
        if done.returncode not in (0, 1) or CRASH.search(done.stderr):
            raise Failed(f"ikrac: crash, exit status {done.returncode}\n{text}")
        if done.returncode == 1 and "error:" not in done.stderr:
            raise Failed(f"ikrac: exit status 1 without an error\n{text}")
        if emitted.exists() != (done.returncode == 0):
            raise Failed(f"ikrac: exit status {done.returncode}, and {'an' if emitted.exists() else 'no'} emitted file\n{text}")
        return done.returncode == 0

    def outcome(self, source: Path, origin: Path) -> str:
        emitted = source.with_suffix(".ikra.cu")
        emitted.unlink(missing_ok=True)
        includes = [f"-iquote{origin.parent}"]
        if not self.emit(source, emitted, includes):
            return "refused by ikrac"
        beside = ["-fopenmp", f"-iquote{emitted}.headers", *includes]
        found = self.compile("emitted code", emitted, [*beside, *WARNINGS])
        if not found or self.compile("mutant", source, includes):
            return "refused by the C++ compiler" if found else "compiled"
        if plain := self.compile("mutant", source, [*includes, *WARNINGS]):
            errors = self.compile("emitted code", emitted, [*beside, "-w"])
            if not errors:
                return "compiled, with the mutant's warnings" if plain else "compiled"
            raise Failed(errors)
        raise Failed(found)

    def examine(self, mutant: Mutant) -> str | None:
        """What is wrong with a mutant."""
        source = self.options.work / f"mutant_{mutant.seed}.cpp"
        source.write_text(mutant.text)
        try:
            self.outcomes[self.outcome(source, mutant.origin)] += 1
        except Failed as failure:
            self.outcomes["failed"] += 1
            shown = [f"// mutant {mutant.seed} of {mutant.origin.relative_to(ROOT)}", *(f"// {change}" for change in mutant.changes)]
            kept = source.with_name(f"failed_{source.name}")
            kept.write_text("\n".join(shown) + "\n" + mutant.text)
            return "\n".join(line[3:] for line in shown) + f"\n{failure}\nkept in {kept}\n"
        finally:
            source.unlink()
        source.with_suffix(".ikra.cu").unlink(missing_ok=True)
        return None


def main() -> int:
    parser = parser_of_builds("Mutants of the project's sources: does ikrac crash, does what it emits compile?")
    parser.add_argument("--mutants", default="0:500", help="FIRST:END")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    first, end = map(int, options.mutants.split(":"))
    checker, sources, failed = Checker(options), origins(), 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for seed, report in enumerate(pool.map(lambda seed: checker.examine(mutate(seed, sources)), range(first, end)), first):
            if seed % 10 == 9:
                print(f"up to {seed}: {dict(checker.outcomes)}", file=sys.stderr, flush=True)
            if report:
                failed += 1
                print(report, flush=True)
    print(f"{end - first} mutants, {failed} failed: " + ", ".join(f"{count} {outcome}" for outcome, count in checker.outcomes.most_common()))
    return 1 if failed or end <= first else 0


if __name__ == "__main__":
    sys.exit(main())
