#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/performance.md and the plots beside it from the files in benchmarks/results.

usage: make_performance.py [--check] [ROOT]

In the page, a table stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->`; the text around these is
written by hand. With --check nothing is written: it fails, and says so, where a table or a plot is not what the results
say. Relies on the formats of the result files (benchmarks/results/README.md).
"""
from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from performance_plot import Bar, Turn, plot, plot_turns

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks/datalog"))
from tables import BANDWIDTH, BENCH_BANDWIDTH, BIT_RATE  # noqa: E402

PAGE = "docs/performance.md"
PLOTS = "docs/images"
PART = re.compile(r"^<!-- generated: ([\w-]+) -->\n(.*?)^<!-- end of \1 -->$", re.MULTILINE | re.DOTALL)
SECOND_LEVEL_CACHE = 50e6  # bytes of an H200's: arrays that fit into it are not bound by memory


class Results:
    """The files of benchmarks/results, read when they are asked for."""

    def __init__(self, root: Path):
        self.folder = root / "benchmarks/results"
        self.references = self.rows(root / "benchmarks/datalog/references.tsv")

    def read(self, name: str) -> dict[str, Any]:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    @staticmethod
    def rows(path: Path) -> list[list[str]]:
        return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]

    def has(self, name: str) -> bool:
        return (self.folder / name).exists()

    def source(self, name: str) -> str:
        """A line that says where a table comes from; what a file does not say itself stands in about.json beside it."""
        folder, file = name.split("/")
        about = self.read(f"{folder}/about.json")
        head = self.read(name) if file.endswith(".json") else about["files"][file]
        if "repeats" in head:
            is_best = head["benchmark"] == "ikrac" or head.get("best")
            how = f"{'best' if is_best else 'median'} of {head['repeats']}"
        else:
            how = "best run"
        machine = head.get("machine", about["machine"])
        return f"`{name}`: {machine}, commit {head['commit'][:7]}, {head['date'][:10]}, {how}."


def time(seconds: float | None) -> str:
    """A time with three digits."""
    if seconds is None:
        return "–"
    value, unit = next(((seconds * factor, unit) for factor, unit in ((1, "s"), (1e3, "ms")) if seconds * factor >= 1),
                       (seconds * 1e6, "µs"))
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def ratio(value: float | None) -> str:
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:.{digits}f}"


def table(head: list[str], rows: list[list[str]], *sources: str) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n" + "\n".join(sources) + "\n"


ORDER = "ikra, the order alone"
NOTHING = "No results are recorded yet.\n"
UNITS = {"us": 1e-6, "ms": 1e-3, "us_per_tick": 1e-6}


def times(programs: list[dict[str, Any]]) -> dict[str, float]:
    """Seconds of each program."""
    return {program["name"]: program[unit] * UNITS[unit] for program in programs for unit in UNITS if unit in program}


def over(by: dict[str, float], *names: str) -> float | None:
    """ikra's time over that of the first of the programs that there is."""
    return next((by["ikra"] / by[name] for name in names if name in by), None)


def best_of(by: dict[str, float], part: str = "") -> float | None:
    """The least time of the programs by hand whose names have this in them."""
    return min((seconds for name, seconds in by.items() if name != "ikra" and part in name), default=None)


def over_best(by: dict[str, float]) -> float:
    return by["ikra"] / min(seconds for name, seconds in by.items() if name != "ikra")


# Each of the following makes one table.


def arrays_cuda(results: Results) -> str:
    rows = []
    for case in results.read("h200/arrays-cuda.json")["cases"]:
        by = times(case["programs"])
        floor = by["ikra"] * case["programs"][0]["share_of_copy_rate"]
        rows.append([case["operation"], time(by["ikra"]), time(floor), ratio(by["ikra"] / floor),
                     ratio(over(by, "16 bytes a thread", "CUB", "one element a thread")), ratio(over(by, "Thrust"))])
    return table(["60 million elements", "ikra", "floor", "/ floor", "/ by hand or CUB", "/ Thrust"], rows,
                 results.source("h200/arrays-cuda.json"))


def arrays_cpu(results: Results) -> str:
    rows = [[case["operation"], time(times(case["programs"])["ikra"]), ratio(over(times(case["programs"]), "OpenMP"))]
            for case in results.read("h200/arrays-cpu.json")["cases"]]
    return table(["60 million elements", "ikra", "/ OpenMP"], rows, results.source("h200/arrays-cpu.json"))


def apps_cuda(results: Results) -> str:
    rows = [[case["program"], f"{case['elements']:,}", time(by["ikra"]), ratio(over(by, "CUDA")),
             ratio(by["ikra"] / by[TILES]) if TILES in by else "", ratio(over(by, "Thrust")), ratio(over(by, COPY))]
            for case in results.read("h200/apps-cuda.json")["cases"] for by in [times(case["programs"])]]
    return table(["application", "elements", "ikra", "/ CUDA by hand", "/ in tiles", "/ Thrust", "/ copy"], rows,
                 results.source("h200/apps-cuda.json"))


def apps_sizes(results: Results) -> str:
    """Applications by size and build; builds that were not measured on the machine have no figures."""
    files = [f"{machine}/sizes-{build}.json" for build, machine in SIZES_ON.items()]
    read = {file: {(case["program"], case["elements"]): times(case["programs"]) for case in results.read(file)["cases"]}
            for file in files if results.has(file)}
    if not read:
        return NOTHING
    rows = []
    for program, elements in next(iter(read.values())):
        plain, cpu, cuda = (read.get(file, {}).get((program, elements), {}) for file in files)
        best = min((cuda[name] for name in ("CUDA", TILES) if name in cuda), default=None)
        rows.append([program, f"{elements:,}", time(plain.get("plain")), time(cpu.get("ikra")),
                     ratio(over(cpu, "OpenMP")), time(cuda.get("ikra")),
                     ratio(cuda["ikra"] / best if best else None), ratio(over(cuda, "Thrust"))])
    return table(["application", "elements", "plain", "all cores", "/ OpenMP", "cuda", "/ CUDA by hand", "/ Thrust"],
                 rows, *(results.source(file) for file in read))


def apps_cpu(results: Results) -> str:
    rows = [[case["program"], f"{case['elements']:,}", time(by["ikra"]), ratio(over(by, "OpenMP"))]
            for case in results.read("two-cores/apps-cpu.json")["cases"] for by in [times(case["programs"])]]
    return table(["application", "elements", "ikra", "/ OpenMP"], rows, results.source("two-cores/apps-cpu.json"))


def transfers_cuda(results: Results) -> str:
    rows = [[f"{case['program']}, {case['length']}", time(by["ikra"]), time(by["ikra, the first time"]),
             *(ratio(over(by, name)) for name in ("transfers, both ways at once", "transfers, in turn",
                                                  "cudaMemcpy of pageable memory"))]
            for case in results.read("h200/transfers-cuda.json")["cases"] for by in [times(case["programs"])]]
    return table(["program, data", "ikra", "the first time", "/ pinned, both ways at once", "/ pinned, in turn", "/ pageable"],
                 rows, results.source("h200/transfers-cuda.json"))


def programs_h100(results: Results) -> str:
    """The programs of other tables on a second GPU: their ratios alone."""
    files = {"apps-cuda": ("CUDA",), "figure9-cuda": ("one kernel, 16 bytes a thread", "a kernel a stencil, grid of three dimensions"),
             "stencils-cuda": ("tuned", "a thread an element"), "simulations-cuda": ("CUDA",)}
    rows = [[case["program"], time(by["ikra"]), ratio(over(by, *by_hand))] for file, by_hand in files.items()
            for case in results.read(f"h100/{file}.json")["cases"] for by in [times(case["programs"])]]
    return table(["program", "ikra", "/ by hand"], rows, *(results.source(f"h100/{file}.json") for file in files))


def stencil_count(program: str) -> int:
    return {"P2": 10, "P4": 200}.get(program[:2], 0)


CONSTANTS = "extents as constants"


def figure9_floor(results: Results, program: str) -> float:
    """Seconds that the memory takes: a map's result is written once; two stencils in one kernel read and write 4 bytes an
    element."""
    elements = 1
    for extent in results.read("h200/figure9-cuda.json")["shape"]:
        elements *= extent
    return elements * (4 + 4 * stencil_count(program)) / results.read("h200/arrays-cuda.json")["copy_bytes_per_second"]


def figure9_cuda(results: Results) -> str:
    rows = []
    for case in results.read("h200/figure9-cuda.json")["cases"]:
        by = times(case["programs"])
        rows.append([case["program"], time(by["ikra"]), time(figure9_floor(results, case["program"])),
                     ratio(over(by, "a kernel an operation", "a kernel a stencil")),
                     ratio(over(by, "a kernel a turn, in place", "a kernel a stencil, grid of three dimensions")),
                     ratio(over(by, "one kernel, 16 bytes a thread")), ratio(quotient(by["ikra"], best_of(by, CONSTANTS)))])
    return table(["60 million int32", "ikra", "memory", "/ a kernel an operation",
                  "/ a kernel a turn in place, or tuned", "/ one kernel for all", "/ best with constants"], rows,
                 results.source("h200/figure9-cuda.json"))


def figure9_cpu(results: Results) -> str:
    rows = []
    for case in results.read("h200/figure9-cpu.json")["cases"]:
        by = times(case["programs"])
        rows.append([case["program"], time(by["ikra"]), ratio(over(by, "OpenMP, a loop nest a turn", "OpenMP")),
                     ratio(over(by, "OpenMP, one loop nest"))])
    return table(["12 million int32", "ikra", "/ OpenMP, a loop nest a turn", "/ OpenMP, one loop nest for all"], rows,
                 results.source("h200/figure9-cpu.json"))


def stencils_cuda(results: Results) -> str:
    copy_rate = results.read("h200/arrays-cuda.json")["copy_bytes_per_second"]
    rows = []
    for case in results.read("h200/stencils-cuda.json")["cases"]:
        by = times(case["programs"])
        moved = case["programs"][0]["bytes_per_s"] * by["ikra"]
        in_cache = moved < SECOND_LEVEL_CACHE
        floor = moved / copy_rate
        rows.append([case["program"], time(by["ikra"]), "in cache" if in_cache else time(floor),
                     "–" if in_cache else ratio(by["ikra"] / floor), ratio(over(by, "a thread an element")),
                     ratio(over(by, "tuned")), ratio(over(by, "in a graph"))])
    return table(["one step, floats", "ikra", "memory", "/ memory", "/ a thread an element", "/ tuned", "/ in a graph"], rows,
                 results.source("h200/stencils-cuda.json"))


def simulations_cuda(results: Results) -> str:
    rows = [[case["program"], f"{case['n']:,}", time(by["ikra"]),
             *(ratio(over(by, name)) for name in ("CUDA", "CUDA, conditional graph", "CUDA, loop in a kernel"))]
            for case in results.read("h200/simulations-cuda.json")["cases"] for by in [times(case["programs"])]]
    return table(["a turn", "n", "ikra", "/ CUDA by hand", "/ in a conditional graph", "/ in one kernel"], rows,
                 results.source("h200/simulations-cuda.json"))


def simulations_cpu(results: Results) -> str:
    name = "h200/simulations-cpu.json"
    if not results.has(name):
        return NOTHING
    rows = [[case["program"], f"{case['n']:,}", time(by["ikra"]), ratio(over(by, "OpenMP"))]
            for case in results.read(name)["cases"] for by in [times(case["programs"])]]
    return table(["a turn", "n", "ikra", "/ OpenMP"], rows, results.source(name))


def stencils_cpu(results: Results) -> str:
    rows = [[case["program"], time(times(case["programs"])["ikra"]), ratio(over(times(case["programs"]), "OpenMP"))]
            for case in results.read("h200/stencils-cpu.json")["cases"]]
    return table(["one step, floats, a quarter of the size", "ikra", "/ OpenMP"], rows,
                 results.source("h200/stencils-cpu.json"))


def traffic_cases(results: Results, name: str) -> list[tuple[str, str, dict[str, float], float | None]]:
    """Of each case: the actors, how ticks are launched, the times, the floor."""
    return [(f"{case['actors']:,}", how.replace("one", "a"), times(case[how]), case.get("h200_memory_floor_us"))
            for case in results.read(name)["cases"] for how in ("one launch a tick", "loop over ticks inside")]


def traffic_cuda(results: Results) -> str:
    rows = []
    for actors, how, by, floor in traffic_cases(results, "h200/traffic-cuda.json"):
        assert floor is not None
        rows.append([actors, how, time(by["ikra"]), time(floor / 1e6) if how.startswith("a ") else "–",
                     ratio(over(by, "sorted columns")), ratio(over(by, "sorted columns, streets as structs")),
                     ratio(over(by, "array of structs and switch"))])
    return table(["actors", "ticks", "ikra, a tick", "memory", "/ sorted columns", "/ the same, streets as structs",
                  "/ array of structs and `switch`"], rows, results.source("h200/traffic-cuda.json"))


LAYOUTS = {"columns": ("sorted columns", "columns and switch"),
           "rows": ("sorted array of structs", "array of structs and switch"),
           "rows with padding": ("sorted array of padded structs", "array of padded structs and switch")}


def traffic_layouts(results: Results) -> str:
    """ARRAY'16, figure 7: the times of a tick by layout and order."""
    cases = traffic_cases(results, "h200/traffic-cuda.json")
    actors = list(dict.fromkeys(case[0] for case in cases))
    rows = []
    for how in dict.fromkeys(case[1] for case in cases):
        by = {case[0]: case[2] for case in cases if case[1] == how}
        for layout, names in LAYOUTS.items():
            rows.append([how, layout, *(time(by[count].get(name)) for count in actors for name in names)])
        hand = [min((by[count][name] for names in LAYOUTS.values() for name in names if name in by[count])) for count in actors]
        rows.append([how, "ikra, and over the best of these",
                     *(text for count, best in zip(actors, hand) for text in (time(by[count]["ikra"]), ratio(by[count]["ikra"] / best)))])
    return table(["ticks", "layout", *(f"{count} actors, {order}" for count in actors for order in ("sorted by class", "as made"))], rows,
                 results.source("h200/traffic-cuda.json"))


def reorder_cuda(results: Results) -> str:
    name = "h200/reorder-cuda.json"
    if not results.has(name):
        return NOTHING
    rows = [[f"{case['base']}, {case['classes']:,} classes", time(by[ORDER]),
             *(ratio(by[ORDER] / by[cub]) for cub in ("CUB, keys and IDs", "CUB, keys alone"))]
            for case in results.read(name)["cases"] for by in [times(case["programs"])]]
    return table(["100 million elements", "their order", "/ CUB, keys and IDs", "/ CUB, keys alone"], rows, results.source(name))


def tracer_cpu(results: Results) -> str:
    name = "h200/tracer-cpu.json"
    if not results.has(name):
        return NOTHING
    rows = []
    for case in results.read(name)["cases"]:
        by, objects = times(case["programs"]), case["cars"] + case["streets"]
        rows.append([f"{case['cars']:,}", f"{case['streets']:,}", f"{case['degree']}", f"{case['classes']:,}",
                     "addresses" if case["in_order"] else "none", f"{objects / by['ikra'] / 1e6:.1f} M",
                     ratio(over(by, "by hand, one core")), f"{case['bytes'] / objects:.0f}"])
    return table(["cars", "streets", "neighbours", "classes", "order", "objects/s", "/ by hand, one core", "bytes an object"], rows,
                 results.source(name))


def objects_cpu(results: Results) -> str:
    """Programs with objects over their plain build, and over OpenMP by hand: the processors' time."""
    name = "two-cores/objects-cpu.json"
    rows = []
    for case in results.read(name)["cases"]:
        by = {program["name"]: program["processor_ms"] * 1e-3 for program in case["programs"]}
        hand = [ratio(by[ours] / by[theirs]) if theirs in by else "–"
                for ours, theirs in (("ikra, one core", "OpenMP, one core"), ("ikra", "OpenMP"))]
        rows.append([case["program"], time(by["plain"]), *(ratio(by[build] / by["plain"]) for build in ("ikra, one core", "ikra, one core, scope")),
                     *hand, *(ratio(by[build] / by["plain"]) for build in ("ikra", "ikra, scope"))])
    return table(["program", "plain", "one core / plain", "the same in a scope", "one core / OpenMP", "all cores / OpenMP",
                  "all cores / plain", "the same in a scope"], rows, results.source(name))


def short_sections_cpu(results: Results) -> str:
    """Sections over few objects, again and again, over their plain builds: the processors' time."""
    name = "two-cores/short-sections-cpu.json"
    cells: dict[tuple[str, str], dict[int, dict[str, float]]] = {}
    for case in results.read(name)["cases"]:
        section, count, objects = re.fullmatch(r"(\w+) of (\d+) (.*)", case["program"]).groups()
        by = {program["name"]: program["processor_ms"] for program in case["programs"]}
        cells.setdefault((section, objects), {})[int(count)] = {build: ms / by["plain"] for build, ms in by.items()}
    counts = sorted({count for by in cells.values() for count in by})
    rows = [[section, objects, *(f"{ratio(by[count]['ikra, one core' + scope])}, {ratio(by[count]['ikra' + scope])}" for count in counts)]
            for scope in ("", ", scope")
            for (name_of, objects), by in cells.items() if not scope or name_of in ("peach", "pselect", "step")
            for section in [name_of + (" in a scope" if scope else "")]]
    return table(["section", "objects", *(f"{count:,}" for count in counts)], rows, results.source(name))


def layout_cuda(results: Results) -> str:
    """Structs and columns: a row for each number of floats in a struct."""
    name = "h200/layout-cuda.json"
    if not results.has(name):
        return NOTHING
    structs, by_warps, columns = "structs", "structs, stores by warps", "columns"
    shown = {"{0} of {0} read, all written": (structs, by_warps, columns),
             "{0} of {0} read, three maps, all written": (by_warps, columns),
             "{0} of {0} read, three maps, a number written": (structs, columns),
             "1 of {0} read": (structs, columns), "{1} of {0} read": (structs, columns), "{0} of {0} read anywhere": (structs, columns)}
    by = {case["access"]: times(case["programs"]) for case in results.read(name)["cases"]}
    rows = [[str(count), *(f"{by[access.format(count, (count + 1) // 2)][way] * 1e6:,.0f}" for access, ways in shown.items() for way in ways)]
            for count in range(2, 10)]
    return table(["floats", "all read and written: a thread's own stores", "by warps", "columns", "three maps fused: by warps", "columns",
                  "three maps fused, to a number: structs", "columns", "one read: structs", "columns", "half read: structs", "columns",
                  "all read anywhere: structs", "columns"], rows, results.source(name))


def traffic_cpu(results: Results) -> str:
    rows = [[actors, how, time(by["ikra"]), ratio(over(by, "sorted columns, OpenMP")),
             ratio(over(by, "plain build, one core"))]
            for actors, how, by, _ in traffic_cases(results, "h200/traffic-cpu.json")]
    return table(["actors", "ticks", "ikra, a tick", "/ sorted columns, OpenMP", "/ plain build, one core"], rows,
                 results.source("h200/traffic-cpu.json"))


class Datalog:
    """The lines of a table of bench_datalog, by program and input, and by form."""

    def __init__(self, results: Results, name: str, device: str):
        self.lines: dict[tuple[str, str], dict[str, list[list[str]]]] = {}
        for line in results.rows(results.folder / name):
            self.lines.setdefault((line[0], line[1]), {}).setdefault(line[3], []).append(line)
        self.bandwidth, self.bit_rate = BANDWIDTH[device], BIT_RATE[device]
        head, *rows = results.references
        self.others = {(row[0], row[1]): dict(zip(head, row)) for row in rows}

    @staticmethod
    def value(field: str) -> float:
        return float(re.search(r"[0-9.]+", field)[0])  # type: ignore[index]

    def seconds(self, case: tuple[str, str], form: str) -> float | None:
        return min((self.value(line[7]) for line in self.lines[case].get(form, [])), default=None)

    def peak(self, case: tuple[str, str], form: str) -> float:
        return max(self.value(line[11]) for line in self.lines[case][form])

    def tuples(self, case: tuple[str, str]) -> int:
        return max(int(line[5]) for line in self.lines[case]["auto"])

    def floor(self, case: tuple[str, str]) -> float:
        lines = self.lines[case]["auto"]
        moved = self.value(lines[0][8]) * BENCH_BANDWIDTH / self.bandwidth
        return max(moved, max(self.value(line[9]) for line in lines) / self.bit_rate)

    def other(self, case: tuple[str, str], *engines: str) -> float | None:
        row = self.others.get(case, {})
        return min((float(row[engine]) for engine in engines if row.get(engine)), default=None)

    @staticmethod
    def name(case: tuple[str, str]) -> str:
        return f"{case[0].upper()} {case[1].removeprefix('cspa_')}"

    def cases(self) -> list[tuple[str, str]]:
        return [case for case in self.lines if self.tuples(case) > 1e6]


def quotient(value: float | None, by: float | None) -> float | None:
    return None if value is None or by is None else value / by


def datalog_cuda(results: Results) -> str:
    read = Datalog(results, "h200/datalog-cuda.tsv", "cuda")
    rows = []
    for case in read.cases():
        auto, runs = read.seconds(case, "auto"), read.seconds(case, "runs")
        best = read.other(case, "GDlog s", "VFLog s")
        rows.append([read.name(case), f"{read.tuples(case) / 1e6:.1f} M", time(auto), time(read.floor(case)),
                     ratio(quotient(auto, read.floor(case))), time(best), ratio(quotient(auto, best)), time(runs),
                     f"{read.peak(case, 'auto'):.1f} GB"])
    return table(["query, input", "tuples", "ikra", "floor", "/ floor", "GDlog or VFLog", "/ these", "ikra, over runs", "peak"],
                 rows, results.source("h200/datalog-cuda.tsv"))


def datalog_cpu(results: Results) -> str:
    read = Datalog(results, "two-cores/datalog-cpu.tsv", "cpu")
    rows = []
    for case in read.cases():
        auto, runs, best = read.seconds(case, "auto"), read.seconds(case, "runs"), read.other(case, "Souffle s")
        rows.append([read.name(case), time(auto), time(read.floor(case)), time(best), ratio(quotient(auto, best)),
                     f"{read.peak(case, 'auto'):.2f} GB", time(runs), ratio(quotient(runs, best))])
    return table(["query, input", "ikra", "floor", "Soufflé", "/ Soufflé", "peak", "ikra, over runs", "/ Soufflé"], rows,
                 results.source("two-cores/datalog-cpu.tsv"))


def ikrac(results: Results) -> str:
    rows = []
    for case in results.read("two-cores/ikrac.json")["cases"]:
        own, parse = case["ikrac"], case["clang, parse alone"]
        rows.append([f"`{case['program']}`", f"{case['source_lines']}", f"{case['emitted_lines']}",
                     time(own["seconds"]), ratio(own["seconds"] / parse["seconds"]),
                     f"{own['peak_bytes'] / 1e6:.0f} MB", ratio(own["peak_bytes"] / parse["peak_bytes"]),
                     time(case["nvcc"]["seconds"]) if "nvcc" in case else "–"])
    return table(["program", "lines", "emitted", "ikrac", "/ one parse", "peak", "/ one parse", "nvcc"], rows,
                 results.source("two-cores/ikrac.json"))


TILES = "CUDA, tiles in shared memory"
COPY = "copy of as many bytes"
SIZES_ON = {"plain": "h100", "cpu": "h200", "cuda": "h200"}  # where each build was last measured

TABLES: dict[str, Callable[[Results], str]] = {
    "arrays-cuda": arrays_cuda, "arrays-cpu": arrays_cpu, "apps-cuda": apps_cuda, "apps-cpu": apps_cpu, "apps-sizes": apps_sizes,
    "transfers-cuda": transfers_cuda, "programs-h100": programs_h100,
    "figure9-cuda": figure9_cuda, "figure9-cpu": figure9_cpu,
    "stencils-cuda": stencils_cuda, "stencils-cpu": stencils_cpu, "simulations-cuda": simulations_cuda, "simulations-cpu": simulations_cpu,
    "traffic-cuda": traffic_cuda, "traffic-layouts": traffic_layouts,
    "traffic-cpu": traffic_cpu, "layout-cuda": layout_cuda, "reorder-cuda": reorder_cuda, "tracer-cpu": tracer_cpu, "objects-cpu": objects_cpu, "short-sections-cpu": short_sections_cpu,
    "datalog-cuda": datalog_cuda, "datalog-cpu": datalog_cpu, "ikrac": ikrac,
}


TURNS = {"P1": 10, "P2": 10, "P3": 500, "P4": 200, "P6": 100, "P7": 200}
# Bytes that a turn has to move for each of n elements, or of n x n. A graph's edges are 4 bytes, and eight for a vertex.
TURN_BYTES: dict[str, Callable[[int], int]] = {
    "Jacobi with a test each turn": lambda n: 24 * n * n,  # u and its load read, the next u written
    "conjugate gradient on a graph": lambda n: (36 + 16 + 48 + 24) * n,  # edges, the product, two updates, the direction
    "PageRank": lambda n: (36 + 32) * n,  # edges; shares read and written, ranks too
    "game of life": lambda n: 2 * n * n,
    "lattice Boltzmann, D2Q9": lambda n: 72 * n * n,
}


def figure9_turns(results: Results) -> list[Turn]:
    """Of maps, one kernel by hand is the bound, since their remainders take longer than the memory."""
    made = []
    for case in results.read("h200/figure9-cuda.json")["cases"]:
        by, count = times(case["programs"]), TURNS[case["program"][:2]]
        bound = best_of(by, "one kernel") or figure9_floor(results, case["program"])
        rest = {name: seconds for name, seconds in by.items() if "one kernel" not in name}
        hand = best_of(rest)
        made.append(Turn(case["program"], by["ikra"] / count, bound / count, hand / count if hand else None))
    return made


def simulation_turns(results: Results) -> list[Turn]:
    """A turn over few elements is bound by the loop in one kernel, others by the memory."""
    copy_rate = results.read("h200/arrays-cuda.json")["copy_bytes_per_second"]
    made = []
    for case in results.read("h200/simulations-cuda.json")["cases"]:
        by, count_bytes = times(case["programs"]), TURN_BYTES.get(case["program"])
        bound = count_bytes(case["n"]) / copy_rate if count_bytes else by.get("CUDA, loop in a kernel")
        hand = best_of({name: seconds for name, seconds in by.items() if name != "CUDA, loop in a kernel"})
        made.append(Turn(case["program"], by["ikra"], bound, hand))
    return made


def plots(results: Results) -> dict[str, str]:
    """The files beside the page, by name: ikra's time over that of the best program by hand, and times of turns."""
    made: dict[str, list[Bar]] = {"arrays": [], "stencils": [], "traffic": []}
    for case in results.read("h200/arrays-cuda.json")["cases"]:
        made["arrays"].append(Bar(case["operation"], over_best(times(case["programs"]))))
    for name in ("figure9", "stencils"):
        for case in results.read(f"h200/{name}-cuda.json")["cases"]:
            group = "stencils" if name == "stencils" or stencil_count(case["program"]) else "arrays"
            made[group].append(Bar(case["program"], over_best(times(case["programs"]))))
    for actors, how, by, _ in traffic_cases(results, "h200/traffic-cuda.json"):
        made["traffic"].append(Bar(f"{actors} actors, {how}", over_best(by)))
    read = Datalog(results, "h200/datalog-cuda.tsv", "cuda")
    made["datalog"] = [Bar(read.name(case), share) for case in read.cases()
                       if (share := quotient(read.seconds(case, "auto"), read.other(case, "GDlog s", "VFLog s"))) is not None]
    titles = {"arrays": "arrays on an H200: ikra's time over the best by hand",
              "stencils": "stencils on an H200: ikra's time over the best by hand",
              "traffic": "a tick of traffic on an H200: ikra's time over the best by hand",
              "datalog": "Datalog on an H200: ikra's time over the better of GDlog and VFLog"}
    drawn = {name: plot(titles[name], bars) for name, bars in made.items()}
    drawn["figure9"] = plot_turns("array programs on an H200: the time of a turn, and its bound", figure9_turns(results))
    drawn["simulations"] = plot_turns("simulations on an H200: the time of a turn, and its bound", simulation_turns(results))
    return {f"performance-{name}.svg": picture for name, picture in drawn.items()}


def filled(page: str, results: Results) -> str:
    """The page with its tables; fails where it has one that nobody makes, or lacks one."""
    shown = [match[1] for match in PART.finditer(page)]
    if sorted(shown) != sorted(TABLES):
        sys.exit(f"{PAGE}: it shows the tables {sorted(shown)}, and there are {sorted(TABLES)}")
    return PART.sub(lambda match: f"<!-- generated: {match[1]} -->\n{TABLES[match[1]](results)}<!-- end of {match[1]} -->", page)


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the tables and plots of docs/performance.md.")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where something would change")
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).resolve().parents[2])
    options = parser.parse_args()
    results = Results(options.root)
    page = options.root / PAGE
    files = {page: filled(page.read_text(encoding="utf-8"), results)}
    files |= {options.root / PLOTS / name: text for name, text in plots(results).items()}
    changed = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in changed:
        name = path.relative_to(options.root)
        if options.check:
            print(f"{name}: it is not what benchmarks/results says; run scripts/lib/make_performance.py")
        else:
            path.write_text(files[path], encoding="utf-8")
            print(f"{name} written")
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
