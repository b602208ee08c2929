#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random array programs in plain and cpu builds, with fusion and without it.

usage: run_fuzz.py --ikrac IKRAC --runtime ARCHIVE --include DIR --work DIR [--seeds FIRST:END] [--per-file N] [--turns] …

What differs, or does not compile, is shrunk to the smallest program that still does, which is printed and kept
in the work folder. The exit status is 1 then.
"""
from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "support"))
from one_core import WARNING  # noqa: E402

from programs import Program, data_step, file_text, generate, generate_turns

# Generated code has parameters that it does not read; what it computes is what is tested.
FLAGS = ["-std=c++20", "-O1", "-w", "-ffp-contract=off"]
RUNS = [("fused", {}), ("not fused", {"IKRA_FUSION": "off"}), ("no turns", {"IKRA_TURNS": "off"}),
        ("three threads", {"OMP_NUM_THREADS": "3"}), ("no tiles", {"IKRA_TILES": "off"}),
        ("tiles of any size", {"IKRA_TILES": "always", "IKRA_TURNS": "off", "OMP_NUM_THREADS": "3"})]


class Failed(Exception):
    """A command that should have worked; says which step of which build."""


def run(step: str, command: list[str], seconds: int, environment: dict[str, str] | None = None, errors: bool = False) -> str:
    """What a command prints, to stderr if `errors`."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False,
                              env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired:
        raise Failed(f"{step}: no end after {seconds} s") from None
    if done.returncode != 0:
        text = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines()
        raise Failed(f"{step}: exit status {done.returncode}\n" + "\n".join(text[:12]))
    return done.stderr if errors else done.stdout


def one_core(step: str, messages: str) -> None:
    """What ikrac says of a source whose operations are all to be compiled."""
    text = [line for line in messages.splitlines() if WARNING.match(line)]
    if text:
        raise Failed(f"{step}: stays on one core\n" + "\n".join(text[:12]))


def precompiled(path: Path | None, include: Path) -> list[str]:
    """Flags of clang for a precompiled header, which it refuses if another header is newer."""
    if path is None or not path.exists():
        return []
    newest = max(header.stat().st_mtime for header in include.rglob("*.hpp"))
    return ["-include-pch", str(path)] if newest < path.stat().st_mtime else []


def ikrac(options: argparse.Namespace) -> list[str]:
    """ikrac, with the header that it precompiled if there is one."""
    return [options.ikrac, *([f"--precompiled={options.ikrac_header}"] if options.ikrac_header else [])]


class Builder:
    """Builds and runs files of programs."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.flags = FLAGS + options.flag
        self.includes = [f"-I{Path(__file__).parent}", f"-I{options.include}"]
        self.plain = precompiled(options.plain_header, options.include)
        self.cpu = precompiled(options.cpu_header, options.include)

    def source(self, name: str, programs: list[Program]) -> Path:
        path = self.options.work / f"{name}.cpp"
        path.write_text(file_text(programs))
        return path

    def build_plain(self, source: Path) -> Path:
        binary = source.with_suffix(".plain")
        run("plain build", [self.options.cxx, *self.flags, *self.plain, *self.includes, str(source), "-o", str(binary)], 600)
        return binary

    def emit(self, source: Path) -> Path:
        emitted = source.with_suffix(".ikra.cu")
        one_core("ikrac", run("ikrac", [*ikrac(self.options), "-o", str(emitted), str(source), "--", "-std=c++20", *self.includes],
                              600, errors=True))
        return emitted

    def build_cpu(self, source: Path) -> Path:
        emitted = self.emit(source)
        binary = source.with_suffix(".cpu")
        run("cpu build", [self.options.cxx, *self.flags, *self.cpu, *self.includes, "-fopenmp", "-x", "c++", str(emitted), "-x", "none",
                          "-o", str(binary), "-Wl,--whole-archive", str(self.options.runtime),
                          "-Wl,--no-whole-archive"], 600)
        return binary

    def difference(self, name: str, programs: list[Program]) -> str | None:
        """What is wrong with a file of programs: the first difference, or the step that failed."""
        try:
            source = self.source(name, programs)
            expected = run("plain run", [str(self.build_plain(source))], 300).splitlines()
            binary = self.build_cpu(source)
            for label, environment in RUNS:
                found = run(f"cpu run, {label}", [str(binary)], 300, {"IKRA_DEVICE": "cpu", **environment}).splitlines()
                for plain, cpu in zip(expected, found):
                    if plain != cpu:
                        return f"cpu run, {label}\n  plain: {plain}\n  cpu:   {cpu}"
                if len(found) != len(expected):
                    return f"cpu run, {label}: {len(found)} lines, the plain run has {len(expected)}"
        except Failed as failure:
            return str(failure)
        return None


def kind_of(difference: str | None) -> str | None:
    """What has to stay the same while a program shrinks: the step, not its message."""
    return difference.split("\n")[0] if difference else None


def candidates(program: Program):
    """Smaller programs, the much smaller ones first."""
    if len(program.reports) > 1:
        for name in program.reports:
            yield replace(program, reports=[name]).pruned()
    for name in program.reports:  # report an input instead
        for step in program.steps:
            if step.name == name and step.inputs:
                for source in dict.fromkeys(step.inputs):
                    yield replace(program, reports=[source]).pruned()
    for position, step in enumerate(program.steps):
        if step.inputs and step.shape.volume is not None:
            data = data_step(step.name, step.type, step.shape, position)
            yield replace(program, steps=[*program.steps[:position], data, *program.steps[position + 1:]]).pruned()


def shrink(builder: Builder, program: Program, found: str) -> tuple[Program, str]:
    best, message = program, found
    progress = True
    while progress:
        progress = False
        for smaller in candidates(best):
            difference = builder.difference(f"shrink_{program.name}", [smaller])
            if kind_of(difference) == kind_of(message):
                best, message, progress = smaller, difference, True
                break
    return best, message


def examine(builder: Builder, seeds: range) -> list[str]:
    """Reports on the programs that fail in one file."""
    programs = [(generate_turns if builder.options.turns else generate)(seed) for seed in seeds]
    name = f"seeds_{seeds.start}_{seeds.stop}"
    if builder.difference(name, programs) is None:
        return []
    reports = []
    for program in programs:
        found = builder.difference(program.name, [program])
        if found:
            smallest, message = shrink(builder, program, found)
            path = builder.source(f"failed_{program.name}", [smallest])
            reports.append(f"{program.name}: {message}\n{smallest.text()}kept in {path}\n")
    return reports or [f"{name}: the file fails, and none of its programs alone"]


def parser_of_builds(description: str) -> argparse.ArgumentParser:
    """With the options that every comparison of builds takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--ikrac", required=True)
    parser.add_argument("--runtime", required=True, type=Path, help="libikra_runtime.a")
    parser.add_argument("--include", required=True, type=Path, help="the folder that has ikra/ikra.hpp")
    parser.add_argument("--work", required=True, type=Path, help="a folder for the files made")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--plain-header", type=Path, help="ikra/ikra.hpp, precompiled by clang as the plain builds need it")
    parser.add_argument("--cpu-header", type=Path, help="ikra/generated.hpp, likewise")
    parser.add_argument("--ikrac-header", type=Path, help="ikra/ikra.hpp, precompiled by ikrac")
    parser.add_argument("--flag", action="append", default=[], help="for the compiler, as --flag=-fsanitize=address")
    return parser


def main() -> int:
    parser = parser_of_builds("Random array programs: plain build against cpu build.")
    parser.add_argument("--seeds", default="0:200", help="FIRST:END")
    parser.add_argument("--per-file", type=int, default=25, help="programs a file; compilers start up once for each")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--turns", action="store_true", help="programs of a loop alone")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    first, end = map(int, options.seeds.split(":"))
    files = [range(start, min(start + options.per_file, end)) for start in range(first, end, options.per_file)]
    builder = Builder(options)
    with ThreadPoolExecutor(options.jobs) as pool:
        reports = [text for file in pool.map(lambda seeds: examine(builder, seeds), files) for text in file]
    for text in reports:
        print(text)
    print(f"{end - first} programs, {len(reports)} failed")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
