# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs bench_datalog over graphs and forms and prints a table of times beside the floor and other engines' figures.

usage: tables.py BENCH_DATALOG DATA [--device cpu|cuda] [--only REGEX] [--forms FORM...] [--repeat N] [--threads N] [--tsv FILE]
                 [--bandwidth BYTES] [--bit-rate BITS] [--check]

DATA holds the graphs (NAME.facts, and folders for cspa) and expected.tsv, with which sizes and checksums are compared.
Each line is the best of the repeats, the first of which is checked. The columns:

  bytes     floor: reading the facts and writing the result once, 8 bytes a tuple, over the bandwidth
  bits      floor: the results of the recursive rule over the whole relation, a bit operation each, over the rate
  time/floor  the time over the larger floor
  others    times of other engines (references.tsv: one H200; Souffle 2.5 compiled, two cores), and this time over the best

The rates are a device's peaks unless given: of an H200, 4 TB/s as a copy reaches, and 132 processors, each 64 operations on 32
bits a cycle at 1.7 GHz; of two cores, 20 GB/s, and one operation on 256 bits a cycle and core at 3 GHz.

--check prints no times: each case is run once, and its sizes and checksums are compared with expected.tsv.

Graphs that DATA does not have are left out. Ends with 1 if a result is wrong, or there is none to compare.
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
BANDWIDTH = {"cuda": 4e12, "cpu": 20e9}  # bytes a second
BIT_RATE = {"cuda": 132 * 64 * 32 * 1.7e9, "cpu": 2 * 256 * 3e9}  # bit operations a second
BENCH_BANDWIDTH = 4e12  # what bench_datalog's floor is over
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
    command = [str(arguments.bench.resolve()), "--program", query, "--device", arguments.device, "--form", form, "--repeat",
               str(arguments.repeat), "--expected", str(arguments.data / "expected.tsv"), str(data)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        print(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}", file=sys.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


def number(field: str) -> float:
    """The number in a field, which has its name or its unit beside it."""
    found = re.search(r"[0-9.]+(e-?[0-9]+)?", field)
    if not found:
        sys.exit(f"tables.py: no number in '{field}'")
    return float(found[0])


def check(arguments: argparse.Namespace, cases: list[tuple[str, str, str]]) -> int:
    """Compares all cases with expected.tsv."""
    arguments.repeat = 1
    wrong = compared = 0
    for query, graph, form in cases:
        lines = run(arguments, query, graph, form)
        wrong += not lines
        for fields in lines:
            compared += fields[-1] == "right"
            wrong += fields[-1] == "WRONG"
            print(f"{query} {graph} {form}: {fields[4]} {int(fields[5]):,} tuples, {fields[6]}: {fields[-1]}", flush=True)
    print(f"{compared} relations are as expected, {wrong} are not")
    return 1 if wrong or not compared else 0


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
    parser.add_argument("--bandwidth", type=float, help="bytes a second, for the floor")
    parser.add_argument("--bit-rate", type=float, help="bit operations a second, for the floor")
    parser.add_argument("--check", action="store_true", help="compare sizes and checksums alone")
    arguments = parser.parse_args()
    bandwidth = arguments.bandwidth or BANDWIDTH[arguments.device]
    bit_rate = arguments.bit_rate or BIT_RATE[arguments.device]
    cases = [(query, graph, form) for query, graph in CASES for form in arguments.forms
             if (arguments.data / (graph if query == "cspa" else f"{graph}.facts")).exists()
             and re.search(arguments.only, f"{query} {graph}")]
    if arguments.check:
        return check(arguments, cases)

    known = references()
    kept: list[list[str]] = []
    right = True
    print("| query, input, form | tuples | time | bytes | bits | time/floor | others | time / best other | peak |")
    print("|---|---|---|---|---|---|---|---|---|")
    for query, graph, form in cases:
        lines = run(arguments, query, graph, form)
        kept += lines
        if not lines:
            right = False
            continue
        right = right and all(fields[-1] != "WRONG" for fields in lines)
        seconds = min(number(fields[7]) for fields in lines)
        tuples = max(int(fields[5]) for fields in lines)
        bits = max(number(fields[9]) for fields in lines) / bit_rate
        size = number(lines[0][8]) * BENCH_BANDWIDTH / bandwidth
        peak = max(number(fields[11]) for fields in lines)
        others = {name.removesuffix(" s"): known.get((query, graph), {}).get(name)
                  for name in ENGINES[arguments.device]}
        others = {name: value for name, value in others.items() if value}
        shown = ", ".join(f"{name} {value:g} s" for name, value in others.items()) or "–"
        ratio = f"{seconds / min(others.values()):.3f}" if others else "–"
        floor = max(bits, size)
        over = f"{seconds / floor:.1f}" if floor else "–"
        print(f"| {query} {graph} {form} | {tuples:,} | {seconds:.4f} s | {size:.2g} s | {bits:.2g} s | {over} | {shown} "
              f"| {ratio} | {peak:.2f} GB |", flush=True)
    if arguments.tsv:
        arguments.tsv.write_text("".join("\t".join(fields) + "\n" for fields in kept), encoding="utf-8")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
