#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random object graphs in plain and cpu builds, on the user's objects and as columns.

usage: run_objects.py --ikrac IKRAC --runtime ARCHIVE --include DIR --work DIR [--seeds FIRST:END] [--graphs N] [--per-file N] …

A seed is a hierarchy of classes with the sections over it; it runs on N random graphs, since compiling it takes most of the time.

A file that fails is split into its programs; those that fail alone are named and kept in the work folder. The exit status is
1 then.
"""
from __future__ import annotations

import sys
from pathlib import Path

import run_fuzz
from objects import ObjectProgram, objects_text
from run_fuzz import Builder, parser_of_builds

# On all cores sections run on the objects as they are, until columns pay or are asked for.
RUNS = [("in place", {}), ("columns", {"IKRA_REORDER": "always"}), ("three threads", {"IKRA_REORDER": "always", "OMP_NUM_THREADS": "3"}),
        ("columns left and made again", {"IKRA_SCOPES": "alternate"})]


class ObjectBuilder(Builder):
    """The same builds of other programs."""

    def source(self, name: str, programs: list[ObjectProgram]) -> Path:
        path = self.options.work / f"{name}.cpp"
        path.write_text(objects_text(programs, self.options.graphs))
        return path


def examine(builder: ObjectBuilder, seeds: range) -> list[str]:
    """Reports on the programs that fail in one file."""
    programs = [ObjectProgram(seed) for seed in seeds]
    name = f"objects_{seeds.start}_{seeds.stop}"
    whole = builder.difference(name, programs)
    if whole is None:
        return []
    reports = []
    for seed in seeds:
        name = f"failed_{seed}"
        found = builder.difference(name, [ObjectProgram(seed)])
        if found:
            reports.append(f"objects {seed}: {found}\nkept in {builder.options.work / name}.cpp\n")
    return reports or [f"{name}: the file fails, and none of its programs alone: {whole}"]


def main() -> int:
    parser = parser_of_builds("Compares random object graphs in plain and cpu builds.")
    parser.add_argument("--seeds", default="0:25")
    parser.add_argument("--graphs", type=int, default=4, help="random graphs for each hierarchy")
    parser.add_argument("--per-file", type=int, default=25)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    run_fuzz.RUNS = RUNS
    first, end = (int(of) for of in options.seeds.split(":"))
    builder = ObjectBuilder(options)
    reports = []
    for begin in range(first, end, options.per_file):
        reports += examine(builder, range(begin, min(end, begin + options.per_file)))
    for report in reports:
        print(report, flush=True)
    print(f"{end - first} hierarchies with {options.graphs} graphs each, {len(reports)} failed")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
