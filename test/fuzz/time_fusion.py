# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times random array programs with fusion and without it: fusion should never make a program slower.

usage: time_fusion.py --ikrac IKRAC --runtime ARCHIVE --include DIR --work DIR [--seeds FIRST:END] [--limit RATIO] …

The programs are those of run_fuzz.py with larger arrays; data are made, and results compared, outside of the time that
counts. Each time is the shortest of several runs in turn, and what exceeds the limit is measured again, since other
processes make single runs longer. Prints a line for each program that stays above it, then a summary.
The exit status is 1 if there is such a program.
"""
from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from programs import Program, generate
from run_fuzz import Builder, Failed, parser_of_builds, run

# Shorter programs are a few launches; what is compared would be the clock.
SHORTEST = 50e-6


def timed_text(program: Program) -> str:
    """The program as a function that makes its data, then times its steps up to its results."""
    data = [step for step in program.steps if not step.inputs and "fuzz::values" in step.text and "pnew" not in step.text]
    lines = [step.globals for step in program.steps if step.globals]
    lines.append(f"void {program.name}() {{")
    lines += ["  " + line for step in data for line in step.statement().split("\n")]
    lines.append("  [[maybe_unused]] const auto report = [](const char*, const auto& array) { static_cast<void>(array.begin()); }; // loops of turns")
    lines.append(f'  fuzz::time_of("{program.name}", [&] {{')
    lines += ["    " + line for step in program.steps if step not in data for line in step.statement().split("\n")]
    lines += [f"    (void){name}.begin();" for name in program.reports]
    return "\n".join(lines + ["  });", "}", ""])


def timed_file(programs: list[Program]) -> str:
    lines = ["// Made by test/fuzz/time_fusion.py.", '#include "fuzz.hpp"', "", "namespace {", ""]
    lines += [timed_text(program) for program in programs]
    lines += ["} // namespace", "", "int main() {"]
    lines += [f"  {program.name}();" for program in programs]
    return "\n".join(lines + ["}", ""])


def measure(binary: Path, device: str, rounds: int, best: dict[str, dict[str, float]]) -> None:
    """Shortest seconds for each setting of IKRA_FUSION and program, the ones in `best` included."""
    for _ in range(rounds):
        for fusion in ("on", "off"):
            lines = run(f"run, fusion {fusion}", [str(binary)], 600, {"IKRA_DEVICE": device, "IKRA_FUSION": fusion})
            for line in lines.splitlines():
                name, seconds = line.split()
                of = best[fusion]
                of[name] = min(of.get(name, math.inf), float(seconds))


def ratios(best: dict[str, dict[str, float]]) -> dict[str, float]:
    return {name: seconds / best["off"][name] for name, seconds in best["on"].items()
            if max(seconds, best["off"][name]) >= SHORTEST}


def times(binary: Path, device: str, limit: float) -> dict[str, dict[str, float]]:
    """The shortest seconds, those of programs above the limit measured again."""
    best: dict[str, dict[str, float]] = {"on": {}, "off": {}}
    measure(binary, device, 3, best)
    for _ in range(3):
        if all(ratio <= limit for ratio in ratios(best).values()):
            break
        measure(binary, device, 2, best)
    return best


def main() -> int:
    parser = parser_of_builds("Random array programs: time with fusion over time without.")
    parser.add_argument("--seeds", default="0:200", help="FIRST:END")
    parser.add_argument("--per-file", type=int, default=25, help="programs a file")
    parser.add_argument("--jobs", type=int, default=1, help="files built at a time; programs are timed one by one")
    parser.add_argument("--limit", type=float, default=1.1, help="the largest ratio that passes")
    parser.add_argument("--device", default="cpu", help="IKRA_DEVICE of the runs")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.flag.append("-O3")

    first, end = map(int, options.seeds.split(":"))
    builder = Builder(options)

    def build(start: int) -> tuple[Path, Path]:
        programs = [generate(seed, large=True) for seed in range(start, min(start + options.per_file, end))]
        source = options.work / f"times_{start}.cpp"
        source.write_text(timed_file(programs))
        try:
            return source, builder.build_cpu(source)
        except Failed as failure:
            raise Failed(f"{source}: {failure}") from None

    found: dict[str, float] = {}
    slower = 0
    try:
        with ThreadPoolExecutor(options.jobs) as pool: # all of them before the first is timed
            built = list(pool.map(build, range(first, end, options.per_file)))
        for source, binary in built:
            best = times(binary, options.device, options.limit)
            for name, ratio in ratios(best).items():
                found[name] = ratio
                if ratio > options.limit:
                    slower += 1
                    print(f"{name}: {ratio:.2f} ({best['on'][name] * 1e3:.3f} ms fused, {best['off'][name] * 1e3:.3f} ms not), "
                          f"in {source}", flush=True)
    except Failed as failure:
        print(failure)
        return 1
    if not found:
        print(f"none of {end - first} programs takes {SHORTEST * 1e6:.0f} µs")
        return 1
    mean = math.exp(sum(map(math.log, found.values())) / len(found))
    print(f"{len(found)} programs timed, mean ratio {mean:.2f}, {slower} above {options.limit}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
