#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures ikrac on programs of this repository: processor time and memory, beside those of clang that only parses, and those
of nvcc, which compiles what ikrac emits.

usage: bench_ikrac.py --json FILE [--clang CLANG] [--nvcc NVCC] [--repeats N] [--commit COMMIT] IKRAC

The least of the repeats counts, since other work on a machine only adds to processor time. Parsing once is the floor:
ikrac has to read the same headers with the same front end. Without --nvcc nothing is compiled; with it, that is done once.
"""
from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [
    "examples/tutorial/buoys.cpp",
    "examples/images/main.cpp",
    "examples/traffic/main.cpp",
    "examples/points-to/main.cpp",
    "benchmarks/arrays/figure9/ikra.cpp",
    "benchmarks/arrays/stencils/ikra.cpp",
    "benchmarks/arrays/simulations/ikra.cpp",
    "examples/simulations/conjugate_gradient.cpp",
    "examples/simulations/lattice_boltzmann.cpp",
    "examples/simulations/barnes_hut.cpp",
    "test/programs/operations/main.cpp",
    "test/programs/expressions/main.cpp",
]


def measure(command: list[str]) -> tuple[float, int]:
    """Processor seconds and peak bytes of a command that has to succeed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}\n{said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def least(commands: dict[str, list[str]], repeats: int) -> dict[str, dict[str, float]]:
    """The least of each command's runs. Commands take turns, so that what else the machine does meets all of them."""
    runs = [{name: measure(command) for name, command in commands.items()} for _ in range(repeats)]
    return {name: {"seconds": round(min(run[name][0] for run in runs), 3), "peak_bytes": min(run[name][1] for run in runs)}
            for name in commands}


def nvcc(compiler: str, emitted: Path, overlay: Path, source: Path, flags: list[str]) -> list[str]:
    """The command of a release build for one architecture, as add_ikra_target has it."""
    return [compiler, *flags, "-O3", "-arch=sm_90", "--expt-relaxed-constexpr", "-fmad=false",
            f"-Xcompiler=-fopenmp,-ffp-contract=off,-iquote{overlay},-iquote{source.parent}", f"-I{ROOT / 'benchmarks'}",
            "-c", "-o", str(emitted.with_suffix(".o")), str(emitted)]


def machine() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "CPU")
    return f"{model}, {os.cpu_count()} threads"


def main() -> int:
    parser = argparse.ArgumentParser(description="Times ikrac.")
    parser.add_argument("ikrac", type=Path)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--clang", default="clang++-19")
    parser.add_argument("--nvcc")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--commit", default=os.environ.get("IKRA_COMMIT"), help="that ikrac was built of")
    options = parser.parse_args()
    if not options.commit:
        sys.exit("bench_ikrac.py: name the commit that ikrac was built of, with --commit or in $IKRA_COMMIT")
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        emitted, overlay = Path(folder) / "emitted.ikra.cu", Path(folder) / "overlay"
        for name in PROGRAMS:
            source = ROOT / name
            flags = ["-std=c++20", f"-I{ROOT / 'runtime/include'}"]
            shutil.rmtree(overlay, ignore_errors=True)
            runs = least({"ikrac": [str(options.ikrac), "-o", str(emitted), f"--overlay={overlay}", str(source), "--", *flags],
                          "clang, parse alone": [options.clang, *flags, "-w", "-fsyntax-only", str(source)]}, options.repeats)
            if options.nvcc:
                runs |= least({"nvcc": nvcc(options.nvcc, emitted, overlay, source, flags)}, 1)
            cases.append({"program": name, "source_lines": len(source.read_text(encoding="utf-8").splitlines()),
                          "emitted_lines": len(emitted.read_text(encoding="utf-8").splitlines()), **runs})
            print(name, *(f"{run['seconds']} s, {run['peak_bytes'] / 1e6:.0f} MB: {by}" for by, run in runs.items()),
                  sep="\n  ", flush=True)
    result = {"benchmark": "ikrac", "machine": machine(), "device": "cpu",
              "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "commit": options.commit,
              "repeats": options.repeats, "cases": cases}
    options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
