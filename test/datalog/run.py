# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Datalog tests: every GROUP/NAME beside this file that has a program.dl is one.

usage: run.py [--form FORM] [--small USE] [--libraries FOLDER] PROGRAM ENGINE [TEST...]

TEST is a GROUP, a NAME or GROUP/NAME; without any, all are run.

A folder holds
  program.dl        the program, run from within the folder
  facts/            its fact files, if it reads any
  options, stdin    more arguments, and what it gets on the standard input, if anything
  engines           the engines that can run it, if not all can
  expected/NAME     for each file that it must write; lines are compared in sorted order. No other file may appear
  expected/stdout   what it prints, exactly; nothing if there is no such file
  expected/stderr   its messages, exactly, and then warnings are on. With an error in it the exit code is 1 and
                    no file may be written; without the file there must be no message
A compressed file (NAME.gz) is compared with expected/NAME.gz.txt, a database (NAME.sqlite) with the rows of its tables,
each after the table's name, in expected/NAME.sqlite.txt.
"""
import argparse
import contextlib
import difflib
import gzip
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 60


def name_of(test: Path) -> str:
    return f"{test.parent.name}/{test.name}"


def read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def difference(name: str, expected: list[str], found: list[str]) -> list[str]:
    if expected == found:
        return []
    return [f"{name} differs (- expected, + found):",
            *list(difflib.unified_diff(expected, found, lineterm="", n=1))[2:]]


def rows_of(database: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(database)) as opened:
        tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return ["\t".join(map(str, (table, *row))) for table in tables for row in opened.execute(f'SELECT * FROM "{table}"')]


def outputs(folder: Path) -> dict[str, list[str]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            continue
        name = str(path.relative_to(folder))
        if name.endswith(".gz"):
            found[name + ".txt"] = sorted(gzip.decompress(path.read_bytes()).decode().splitlines())
        elif name.endswith(".sqlite"):
            found[name + ".txt"] = sorted(rows_of(path))
        else:
            found[name] = sorted(path.read_bytes().decode(errors="replace").splitlines())
    return found


def problems(test: Path, command: list[str]) -> list[str]:
    expected = {path.name: read(path) for path in (test / "expected").iterdir()} if (test / "expected").is_dir() else {}
    stdout = expected.pop("stdout", None) or ""
    stderr = expected.pop("stderr", None)
    if not expected and not stdout and stderr is None:
        return ["nothing is expected of it"]
    with tempfile.TemporaryDirectory() as out:
        arguments = [*command, "-F", "facts", "-D", out, *(read(test / "options") or "").split()]
        arguments += ["program.dl"] if stderr is not None else ["-w", "program.dl"]
        try:
            run = subprocess.run(arguments, cwd=test, input=(read(test / "stdin") or "").encode(), capture_output=True,
                                 timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            return [f"it ran for more than {LIMIT_S} s"]
        files = outputs(Path(out))
    failing = stderr is not None and "Error" in stderr
    found = []
    if run.returncode != (1 if failing else 0):
        found.append(f"exit code {run.returncode}")
    found += difference("stderr", (stderr or "").splitlines(), run.stderr.decode(errors="replace").splitlines())
    found += difference("stdout", stdout.splitlines(), run.stdout.decode(errors="replace").splitlines())
    found += [f"{name} was not written" for name in expected if name not in files]
    found += [f"{name} was written" for name in files if name not in expected]
    for name in sorted(set(expected) & set(files)):
        found += difference(name, sorted((expected[name] or "").splitlines()), files[name])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the Datalog tests.")
    parser.add_argument("program", type=Path)
    parser.add_argument("engine")
    parser.add_argument("--form", help="how relations are kept")
    parser.add_argument("--small", help="where device-resident iterations are taken")
    parser.add_argument("--libraries", help="the folder of libfunctors.so, which has the functions of functors/functions.cpp")
    parser.add_argument("tests", nargs="*", help="these alone, or these groups")
    chosen = parser.parse_args()
    command = [str(chosen.program.resolve()), f"--engine={chosen.engine}"]
    if chosen.form:
        command.append(f"--form={chosen.form}")
    if chosen.small:
        command.append(f"--small={chosen.small}")
    if chosen.libraries:
        command.append(f"-L{chosen.libraries}")
    tests = sorted(path.parent for path in HERE.glob("*/*/program.dl"))
    if chosen.tests:
        tests = [test for test in tests if {test.name, test.parent.name, name_of(test)} & set(chosen.tests)]
    failed = 0
    run = 0
    for test in tests:
        if chosen.engine not in (read(test / "engines") or chosen.engine).split():
            continue
        run += 1
        found = problems(test, command)
        if found:
            failed += 1
            print(f"FAILED {name_of(test)}", *found, sep="\n  ")
    print(f"{run - failed} passed, {failed} failed")
    return 1 if failed or not run else 0


if __name__ == "__main__":
    sys.exit(main())
