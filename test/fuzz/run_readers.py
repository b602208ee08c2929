# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuzzes the readers of Datalog programs and of facts, guided by coverage: libFuzzer, with clang's address and undefined
behaviour sanitizers.

usage: run_readers.py [--seconds N] [--work FOLDER] [--cxx CLANG++] [READER...]     (READER: program, fact; both if none is given)

Builds readers/READER_reader.cpp with the front end, the planner and the files' formats, then runs each for N seconds on what the tests
have. Prints runs, coverage and findings; the exit code is 1 if there are any. A finding is kept in FOLDER/findings. Once it is
mended, put it into readers/facts, or make a test of it in test/datalog.
"""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = {"program": ("frontend", "compile", "plan"), "fact": ("frontend", "io")}
FLAGS = ["-std=c++20", "-O1", "-gline-tables-only", "-w", "-ffp-contract=off", "-fno-sanitize-recover=undefined",
         f"-I{ROOT}", f"-I{ROOT}/runtime/include"]
FORMATS = {".json": (2, 3), ".sqlite": (7,), ".db": (7,)}  # of fact_reader.cpp
TEXTS = (0, 1, 4, 5, 6, 8)
RELATIONS = 6


def openmp_header():
    """g++'s, since clang may be installed without one: threads are not fuzzed, so pragmas are left out."""
    found = subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True, check=True)
    return ["-idirafter", found.stdout.strip()]


def build(reader, work, cxx, compiled):
    """compiled: objects that another reader has made"""
    def compile_one(source):
        target = work / "objects" / f"{source.parent.name}-{source.stem}.o"
        if target in compiled:
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([cxx, *FLAGS, *openmp_header(), "-fsanitize=fuzzer-no-link,address,undefined", "-c", source, "-o", target],
                       check=True)
        return target

    sources = [s for folder in SOURCES[reader] for s in sorted((ROOT / "datalog" / folder).glob("*.cpp"))]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        objects = list(threads.map(compile_one, [*sources, HERE / "readers" / f"{reader}_reader.cpp"]))
    compiled.update(objects)
    program = work / reader
    subprocess.run([cxx, "-fsanitize=fuzzer,address,undefined", *objects, "-lre2", "-lz", "-lsqlite3", "-lffi", "-ldl", "-lgomp",
                    "-o", program], check=True)
    return program


def write_seeds(reader, folder):
    folder.mkdir(parents=True, exist_ok=True)
    tests = ROOT / "test" / "datalog"
    if reader == "program":
        seeds = [program.read_bytes() for program in sorted(tests.glob("*/*/program.dl"))]
        examples = (ROOT / "docs" / "datalog-constructs.md").read_text(encoding="utf-8")
        seeds += [example.encode() for example in re.findall(r"^\| [^|]+ \| `([^`]+)`", examples, re.MULTILINE)]
    else:
        seeds = [facts.read_bytes() for facts in sorted((HERE / "readers" / "facts").iterdir())]
        for facts in sorted(tests.glob("*/*/facts/*")):
            seeds += [bytes([form, relation]) + facts.read_bytes() for form in FORMATS.get(facts.suffix, TEXTS)
                      for relation in range(RELATIONS)]
    for number, seed in enumerate(seeds):
        if len(seed) < 6000:
            (folder / str(number)).write_bytes(seed)


def fuzz(reader, work, seconds):
    found, findings = work / f"{reader}-inputs", work / "findings"
    found.mkdir(exist_ok=True)
    findings.mkdir(exist_ok=True)
    write_seeds(reader, work / f"{reader}-seeds")
    command = [work / reader, found, work / f"{reader}-seeds", f"-max_total_time={seconds}", "-max_len=6000", "-timeout=20",
               "-rss_limit_mb=2500", f"-artifact_prefix={findings}/{reader}-"]
    if reader == "program":
        command.append(f"-dict={HERE}/readers/datalog.dict")
    options = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, cwd=work, env=options, capture_output=True, text=True, errors="replace", check=False)
    (work / f"{reader}.log").write_text(run.stderr, encoding="utf-8")
    states = re.findall(r"^#(\d+)\s.*cov: (\d+) ft: (\d+) corp: (\d+)", run.stderr, re.MULTILINE)
    runs, covered, features, inputs = states[-1] if states else ("0", "0", "0", "0")
    kept = sorted(path.name for path in findings.glob(f"{reader}-*"))
    print(f"{reader}: {seconds} s, {runs} runs, {covered} edges, {features} features, {inputs} inputs, "
          f"{len(kept)} findings{': ' if kept else ''}{', '.join(kept)}", flush=True)
    return run.returncode == 0 and not kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "readers")
    parser.add_argument("--cxx", default="clang++-19")
    parser.add_argument("readers", nargs="*", metavar="READER", help="program, fact")
    asked = parser.parse_intermixed_args()
    good, compiled = True, set()
    for reader in asked.readers or SOURCES:
        if reader not in SOURCES:
            parser.error(f"no reader {reader}")
        asked.work.mkdir(parents=True, exist_ok=True)
        build(reader, asked.work, asked.cxx, compiled)
        good = fuzz(reader, asked.work.resolve(), asked.seconds) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
