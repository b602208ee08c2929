# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random Datalog programs with the engine and with the reference, and compares both with datalog.py's own evaluator.

usage: run_datalog.py --seeds FIRST:END --program IKRA_DATALOG --libraries FOLDER [--keep FOLDER]

Each seed has its form of relations, use of device-resident iterations and number of threads. Prints the programs that differ.
"""
import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from datalog import drawn

FORMS = (["--form=auto"], ["--form=runs", "--small=on"], ["--form=runs", "--small=off", "-j2"])


def outputs(folder, names):
    return {name: sorted((folder / f"{name}.csv").read_text().splitlines()) for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--libraries", required=True, type=Path)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    first, end = map(int, asked.seeds.split(":"))
    failed, empty, used = 0, 0, Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for seed in range(first, end):
            text, expected = drawn(seed)
            (folder / "p.dl").write_text(text)
            empty += sum(not rows for rows in expected.values())
            used.update(word for word in ("choice-domain", " <= r", "<>)", " = range(", "@twice", " : {", "), [", "!r") if word in text)
            for options in (["--engine=reference"], ["--engine=cpu", *FORMS[seed % len(FORMS)]]):
                run = subprocess.run([asked.program.resolve(), "-w", *options, "-L", asked.libraries.resolve(), "-l", "functors", "p.dl"],
                                     cwd=folder, capture_output=True, text=True, timeout=120)
                found = outputs(folder, expected) if run.returncode == 0 else run.stdout + run.stderr
                if found == expected:
                    continue
                failed += 1
                print(f"seed {seed}, {' '.join(options)}:")
                if isinstance(found, str):
                    print(found)
                else:
                    for name in expected:
                        if found[name] != expected[name]:
                            print(f"  {name}: expected {expected[name]}\n    found {found[name]}")
                if asked.keep:
                    asked.keep.mkdir(parents=True, exist_ok=True)
                    (asked.keep / f"{seed}.dl").write_text(text)
    print(f"{end - first} programs, {failed} differ, {empty} relations were empty; programs with " +
          ", ".join(f"{word}: {count}" for word, count in sorted(used.items())))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
