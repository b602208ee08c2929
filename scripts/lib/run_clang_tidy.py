# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy 19 over the project's sources that a build compiles.

usage: run_clang_tidy.py --build FOLDER [--jobs N] ROOT [FILE...]
"""
import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from project_files import project_files

FOLDERS = ["benchmarks", "datalog", "examples", "lib", "runtime", "tools"]


def compiled_sources(build: Path) -> set[Path]:
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return {(Path(entry["directory"]) / entry["file"]).resolve() for entry in commands}


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs clang-tidy over the project's sources.")
    parser.add_argument("--build", type=Path, required=True, help="has compile_commands.json")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("root", type=Path)
    parser.add_argument("files", type=Path, nargs="*", help="check these alone")
    arguments = parser.parse_args()

    compiled = compiled_sources(arguments.build)
    files = [file for file in project_files(arguments.root, FOLDERS, {".cpp"}) if file in compiled]
    if arguments.files:
        wanted = {file.resolve() for file in arguments.files}
        files = [file for file in files if file in wanted]

    def check(file: Path) -> tuple[Path, int, str]:
        done = subprocess.run(["clang-tidy-19", "-p", arguments.build, "--quiet", file], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return file, done.returncode, done.stdout

    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for file, status, output in pool.map(check, files):
            if status != 0:
                failed += 1
                print(f"{file}\n{output}", flush=True)
    print(f"{len(files)} sources checked, {failed} with findings")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
