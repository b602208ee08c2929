#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times programs with objects: their plain build, on one core and on all, with and without a scope, and by hand.

usage: beside_plain.py [--repeats N] [--threads N] [--short] [--only TEXT] [--commit COMMIT] [--json FILE] BENCH_OBJECTS_PLAIN BENCH_OBJECTS

Builds run in turn, since other programs may use the machine, and times are the least of all runs: on the clock, and of the
processors, which others disturb less. It fails where sums differ.
"""
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path


def ran(command: list[str], threads: int, only: str) -> tuple[float, float, int]:
    """Seconds of one run, those of the processors, and its sum."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "IKRA_DEVICE": "cpu", "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run([*command, "--only", only], capture_output=True, text=True, check=True, env=environment)
    line = json.loads(done.stdout)
    return line["seconds"][0], line["processor"][0], line["sum"]


def names(command: list[str]) -> list[str]:
    done = subprocess.run([*command, "--list"], capture_output=True, text=True, check=True)
    return [json.loads(line)["name"] for line in done.stdout.splitlines()]


def measured(options: argparse.Namespace, name: str, has_hand: bool) -> dict:
    """A program's least times by build."""
    plain, ikra, n = options.plain, options.ikra, options.threads
    builds = {"plain": (plain, 1), "ikra, one core": (ikra, 1), "ikra, one core, scope": ([*ikra, "--scope"], 1),
              "ikra": (ikra, n), "ikra, scope": ([*ikra, "--scope"], n)}
    if has_hand:
        builds["OpenMP, one core"] = ([*ikra, "--by-hand"], 1)
        builds["OpenMP"] = ([*ikra, "--by-hand"], n)
    clock: dict[str, float] = {}
    least: dict[str, float] = {}
    sums = set()
    for _ in range(options.repeats):
        for build, (command, threads) in builds.items():
            seconds, processor, total = ran(command, threads, name)
            clock[build] = min(seconds, clock.get(build, seconds))
            least[build] = min(processor, least.get(build, processor))
            sums.add(total)
    print(f"{name:34} plain {least['plain'] * 1e3:7.1f} ms   " +
          "   ".join(f"{build} {seconds / least['plain']:.2f}" for build, seconds in least.items() if build != "plain"), flush=True)
    if len(sums) != 1:
        sys.exit(f"{name}: the builds' sums differ")
    return {"program": name,
            "programs": [{"name": build, "ms": clock[build] * 1e3, "processor_ms": least[build] * 1e3} for build in builds]}


def processor_name() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), "CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("plain", help="bench_objects_plain")
    parser.add_argument("ikra", help="bench_objects")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--short", action="store_true", help="sections over few objects, again and again")
    parser.add_argument("--only", default="", help="the programs whose names have this in them")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--json", type=Path, help="where results go")
    options = parser.parse_args()
    of_kind = ["--short"] if options.short else []
    options.plain, options.ikra = [options.plain, *of_kind], [options.ikra, *of_kind]
    with_hand = [] if options.short else names([*options.ikra, "--by-hand"])
    cases = [measured(options, name, name in with_hand) for name in names(options.ikra) if options.only in name]
    if options.json:
        head = {"benchmark": "short sections over objects" if options.short else "objects", "machine": f"{processor_name()}, {options.threads} threads", "device": "cpu",
                "date": f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}", "commit": options.commit, "repeats": options.repeats,
                "best": True}
        options.json.write_text(json.dumps({**head, "cases": cases}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
