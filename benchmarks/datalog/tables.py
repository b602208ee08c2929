# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs bench_datalog over graphs and forms and prints a table of times beside the floor and other engines' figures.

usage: tables.py BENCH_DATALOG DATA [--device cpu|cuda] [--only REGEX] [--forms FORM...] [--repeat N] [--threads N] [--tsv FILE]

DATA holds the graphs (NAME.facts, and folders for cspa) and expected.tsv, with which sizes and checksums are compared.
Each line is the best of the repeats, the first of which is checked. The columns:

  floor     time to read the facts and write the result once at 4 TB/s, which is what an H200's memory reaches
  joined/s  results of the recursive rule over the whole relation, each a bit to test at least, by the time
  others    times of other engines (references.tsv: one H200; Souffle 2.5 compiled, two cores), and this time over the best

Graphs that DATA does not have are left out. Ends with 1 if a result is wrong.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
from pathlib import Path

REACH = ["OL.cedge", "CA-HepTh", "SF.cedge", "fe_body", "loc-Brightkite", "p2p-Gnutella31", "usroads", "fe_ocean"]
SG = ["OL.cedge", "ego-Facebook", "CA-HepTh", "loc-Brightkite", "fe_body", "SF.cedge", "fe_ocean"]
CSPA = ["cspa_lbm", "cspa_nab", "cspa_parest"]
CASES = [("reach", graph) for graph in REACH] + [("sg", graph) for graph in SG] + [("cspa", graph) for graph in CSPA]
ENGINES = {"cuda": ["GDlog s", "VFLog s"], "cpu": ["Souffle s"]}


def references() -> dict[tuple[str, str], dict[str, float]]:
    with (Path(__file__).parent / "references.tsv").open(encoding="utf-8") as file:
        return {(row["query"], row["input"]): {name: float(value) for name, value in row.items()
                                               if name not in ("query", "input") and value}
                for row in csv.DictReader(file, delimiter="\t")}


def run(arguments: argparse.Namespace, query: str, graph: str, form: str) -> list[list[str]]:
    """The lines that bench_datalog prints, as fields; none if it fails."""
    data = arguments.data / (graph if query == "cspa" else f"{graph}.facts")
    environment = dict(os.environ)
    if arguments.threads:
        environment["OMP_NUM_THREADS"] = str(arguments.threads)
    command = [str(arguments.bench), "--program", query, "--device", arguments.device, "--form", form, "--repeat",
               str(arguments.repeat), "--expected", str(arguments.data / "expected.tsv"), str(data)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        print(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}", file=sys.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


def number(field: str) -> float:
    return float(re.sub(r"[^0-9.e-]", "", field.replace("floor", "")))


def main() -> int:
    parser = argparse.ArgumentParser(description="Tables of bench_datalog.")
    parser.add_argument("bench", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", default="", help="cases whose 'query input' matches")
    parser.add_argument("--forms", nargs="+", default=["auto", "runs"])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--tsv", type=Path, help="all lines of bench_datalog, for benchmarks/results")
    arguments = parser.parse_args()

    known = references()
    kept: list[list[str]] = []
    right = True
    print("| query, input, form | tuples | time | floor | joined/s | others | time / best other | peak |")
    print("|---|---|---|---|---|---|---|---|")
    for query, graph in CASES:
        path = arguments.data / (graph if query == "cspa" else f"{graph}.facts")
        if not path.exists() or not re.search(arguments.only, f"{query} {graph}"):
            continue
        for form in arguments.forms:
            lines = run(arguments, query, graph, form)
            kept += lines
            if not lines:
                right = False
                continue
            right = right and all(fields[-1] != "WRONG" for fields in lines)
            seconds = min(number(fields[7]) for fields in lines)
            tuples = max(int(fields[5]) for fields in lines)
            joined = max(number(fields[9]) for fields in lines)
            peak = max(number(fields[11]) for fields in lines)
            others = {name.removesuffix(" s"): known.get((query, graph), {}).get(name)
                      for name in ENGINES[arguments.device]}
            others = {name: value for name, value in others.items() if value}
            shown = ", ".join(f"{name} {value:g} s" for name, value in others.items()) or "–"
            ratio = f"{seconds / min(others.values()):.3f}" if others else "–"
            rate = f"{joined / seconds:.3g}" if joined else "–"
            print(f"| {query} {graph} {form} | {tuples:,} | {seconds:.4f} s | {number(lines[0][8]):.4f} s | {rate} | {shown} "
                  f"| {ratio} | {peak:.2f} GB |", flush=True)
    if arguments.tsv:
        arguments.tsv.write_text("".join("\t".join(fields) + "\n" for fields in kept), encoding="utf-8")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
