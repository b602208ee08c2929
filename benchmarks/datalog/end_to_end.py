# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the points-to analysis of programs/ from its start to its end, beside compiled Soufflé: facts are read, outputs written.

usage: end_to_end.py IKRA_DATALOG SOUFFLE [--threads N] [--scale N] [--fields N] [--engines NAME,...] [--runs N] [--scratch FOLDER]

SOUFFLE compiles the program; with --compiled it is the compiled program, for machines that have no compiler. Its threads wait
passively in one run and actively in the next. Prints seconds of each run; outputs have to be equal, whatever their order.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generated_facts import points_to

PROGRAM = Path(__file__).resolve().parent / "programs" / "points_to.dl"


def seconds(command, folder, **environment):
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, **environment})
    return time.perf_counter() - begin


def rows(folder):
    return {path.name: sorted(path.read_bytes().split(b"\n")) for path in folder.glob("*.csv")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ikra_datalog", type=Path)
    parser.add_argument("souffle", type=Path)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--scale", type=float, default=40, help="1: 69,000 facts")
    parser.add_argument("--fields", type=int, default=300)
    parser.add_argument("--engines", default="auto,cpu")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scratch", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.scratch or Path(temporary)
        (folder / "facts").mkdir(parents=True, exist_ok=True)
        (folder / "p.dl").write_text(PROGRAM.read_text().replace(".printsize", ".output"))
        for relation, facts in points_to(asked.scale, asked.fields).items():
            (folder / "facts" / f"{relation}.facts").write_text("".join("\t".join(fact) + "\n" for fact in facts))
        compiled = asked.souffle.resolve()
        if not asked.compiled:
            subprocess.run([compiled, "-w", f"-j{asked.threads}", "-o", "compiled", "p.dl"], cwd=folder, check=True)
            compiled = folder.resolve() / "compiled"
        for run in range(asked.runs):
            (folder / "its").mkdir(exist_ok=True)
            policy = ("passive", "active")[run % 2]
            its = seconds([compiled, f"-j{asked.threads}", "-F", "facts", "-D", "its"], folder, OMP_WAIT_POLICY=policy)
            print(f"souffle, waiting {policy}ly\t{its:.3f} s", flush=True)
            for engine in asked.engines.split(","):
                (folder / engine).mkdir(exist_ok=True)
                ours = seconds([asked.ikra_datalog.resolve(), "-w", f"-j{asked.threads}", f"--engine={engine}", "-F", "facts",
                                "-D", engine, "p.dl"], folder)
                print(f"ikra, {engine}\t{ours:.3f} s", flush=True)
                if run == 0 and rows(folder / engine) != rows(folder / "its"):
                    sys.exit(f"outputs of {engine} differ")


if __name__ == "__main__":
    main()
