#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares operations over all element types and ranks, alone and fused, in plain and cpu builds.

usage: run_table.py --ikrac IKRAC --runtime ARCHIVE --include DIR --work DIR [--all] [--share K/N] [--only TEXT] …

Prints each combination that differs, and for a whole table what is absent from it and why. The exit status is 1 where
one differs, or does not compile.
"""
from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from table import Combination, all_combinations, covering, file_text
from run_fuzz import WARNING, Failed, ikrac, parser_of_builds, precompiled, run  # table.py has added its folder to the path

# What is compared is what the builds compute: nothing is optimised, which halves the time.
FLAGS = ["-std=c++20", "-O0", "-w", "-ffp-contract=off"]
RUNS = [("fused", {}), ("not fused", {"IKRA_FUSION": "off"})]


def lines_of(text: str) -> dict[str, str]:
    """By the combination's name, what is printed of it."""
    return {name: rest for name, _, rest in (line.partition(" | ") for line in text.splitlines())}


def left_to_one_core(messages: str, source: str) -> set[int]:
    """The numbers of combinations, of whose functions ikrac says so."""
    functions = re.compile(r"^void combination_(\d+)\(\)", re.MULTILINE)
    lines = [int(match[2]) for text in messages.splitlines() if (match := WARNING.match(text))]
    before = ("\n".join(source.splitlines()[:line]) for line in lines)
    return {int(functions.findall(text)[-1]) for text in before}


def examine(name: str, combinations: list[Combination], options: argparse.Namespace) -> list[str]:
    """Builds and runs one file. Returns a line for each combination that differs."""
    here = Path(__file__).resolve().parent
    includes = [f"-I{here}", f"-I{here.parent / 'fuzz'}", f"-I{options.include}"]
    source = options.work / f"{name}.cpp"
    source.write_text(file_text(combinations))
    plain, emitted, cpu = (source.with_suffix(end) for end in (".plain", ".ikra.cu", ".cpu"))
    flags = [*FLAGS, *options.flag, *includes]
    of_plain, of_cpu = (precompiled(path, options.include) for path in (options.plain_header, options.cpu_header))
    try:
        run("plain build", [options.cxx, *flags, *of_plain, str(source), "-o", str(plain)], 1800)
        expected = lines_of(run("plain run", [str(plain)], 300))
        messages = run("ikrac", [*ikrac(options), "-o", str(emitted), str(source), "--", "-std=c++20", *includes], 1800, errors=True)
        run("cpu build", [options.cxx, *flags, *of_cpu, "-fopenmp", "-x", "c++", str(emitted), "-x", "none", "-o", str(cpu),
                          "-Wl,--whole-archive", str(options.runtime), "-Wl,--no-whole-archive"], 1800)
        wrong = [f"{c.name}: the plain run says nothing of it" for c in combinations if c.name not in expected]
        left = left_to_one_core(messages, source.read_text())
        wrong += [f"{c.name}: {'runs on one core' if number in left else 'is in ON_ONE_CORE, and is compiled'}"
                  for number, c in enumerate(combinations) if (number in left) != c.is_on_one_core()]
        for label, environment in RUNS:
            found = lines_of(run(f"cpu run, {label}", [str(cpu)], 300, {"IKRA_DEVICE": "cpu", **environment}))
            wrong += [f"{combination}, {label}: plain {text}, cpu {found.get(combination, 'nothing')}"
                      for combination, text in expected.items() if found.get(combination) != text]
        return wrong
    except Failed as failure:
        return [f"{source}: {failure}"]


def main() -> int:
    parser = parser_of_builds("The table of operations: plain build against cpu build.")
    parser.add_argument("--all", action="store_true", help="all combinations, not only the share of each run")
    parser.add_argument("--share", default="0/1", help="K/N: every N-th file, from the K-th on")
    parser.add_argument("--only", default="", help="combinations with this in their names")
    parser.add_argument("--per-file", type=int, default=50)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    absent = Counter(reason for c in all_combinations() if (reason := c.reason_absent()))
    combinations = [c for c in (all_combinations() if options.all else covering())
                    if options.only in c.name and not c.reason_absent()]
    files = [combinations[first:first + options.per_file] for first in range(0, len(combinations), options.per_file)]
    first, step = map(int, options.share.split("/"))
    chosen = list(enumerate(files))[first::step]
    wrong = [line for number, file in chosen for line in examine(f"table_{number}", file, options)]
    for line in wrong:
        print(line)
    for reason, count in absent.items():
        print(f"absent: {count}, {reason}")
    print(f"{sum(len(file) for _, file in chosen)} combinations, {len(wrong)} failed")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
