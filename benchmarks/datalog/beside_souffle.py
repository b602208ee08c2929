# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures ikra-datalog beside compiled Soufflé in one run: processor time with two threads, and peak memory.

usage: beside_souffle.py IKRA_DATALOG SOUFFLE [--runs N] [--scratch FOLDER] [PROGRAM...]

Threads of both wait passively: on a busy machine, OpenMP's active waiting multiplies Soufflé's processor time.
Prints a line a program: sizes of results, which have to be equal, then for each engine the best processor time in seconds
and the largest peak in MB, and the ratio of the times. Programs are in programs/; generated_facts.py makes their facts, the same ones each time.
"""
import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from generated_facts import FACTS

THREADS = 2
PROGRAMS = Path(__file__).resolve().parent / "programs"


def measured(command, folder):
    """Processor seconds, peak in MB, and what was printed, in sorted order."""
    with tempfile.TemporaryFile() as printed:
        child = subprocess.Popen(command, cwd=folder, stdout=printed, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        _, status, used = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"{' '.join(map(str, command))} failed")
        printed.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, sorted(printed.read().decode().split("\n"))


def write_facts(name, folder):
    for relation, rows in FACTS[name](1).items():
        (folder / f"{relation}.facts").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ikra_datalog", type=Path)
    parser.add_argument("souffle", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scratch", type=Path, help="keeps programs and facts there")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(FACTS)}; all if none is given")
    asked = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = asked.scratch or Path(temporary)
        print("program\tsizes\tikra s\tsouffle s\tratio\tikra MB\tsouffle MB")
        for name in asked.programs or FACTS:
            folder = scratch / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "p.dl").write_text((PROGRAMS / f"{name}.dl").read_text())
            # In a process of its own: a child's peak is at least that of the process which starts it.
            writer = multiprocessing.Process(target=write_facts, args=(name, folder))
            writer.start()
            writer.join()
            if writer.exitcode != 0:
                sys.exit(f"{name}: no facts")
            compiled = folder / "compiled"
            if not compiled.exists():
                subprocess.run([asked.souffle.resolve(), "-w", f"-j{THREADS}", "-o", "compiled", "p.dl"], cwd=folder, check=True)
            ours = [asked.ikra_datalog.resolve(), "-w", f"-j{THREADS}", "-F", ".", "-D", ".", "p.dl"]
            its = [compiled.resolve(), f"-j{THREADS}", "-F", ".", "-D", "."]
            runs = [(measured(ours, folder), measured(its, folder)) for _ in range(asked.runs)]
            if any(a[2] != b[2] for a, b in runs):
                sys.exit(f"{name}: results differ: {runs[0][0][2]} and {runs[0][1][2]}")
            sizes = ", ".join(line.replace("\t", " ") for line in runs[0][0][2] if line)
            a, b = (min(run[i][0] for run in runs) for i in (0, 1))
            peaks = (max(run[i][1] for run in runs) for i in (0, 1))
            print(f"{name}\t{sizes}\t{a:.2f}\t{b:.2f}\t{a / b:.2f}\t" + "\t".join(f"{peak:.0f}" for peak in peaks), flush=True)


if __name__ == "__main__":
    main()
