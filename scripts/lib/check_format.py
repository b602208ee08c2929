# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that clang-format 19 would change nothing; with --fix, lets it.

usage: check_format.py [--fix] ROOT [FILE...]
"""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from project_files import CXX_SUFFIXES, project_files

FOLDERS = ["benchmarks", "datalog", "examples", "lib", "runtime", "test", "tools"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the sources' format with clang-format 19.")
    parser.add_argument("--fix", action="store_true", help="format instead of checking")
    parser.add_argument("root", type=Path)
    parser.add_argument("files", type=Path, nargs="*", help="check these alone")
    arguments = parser.parse_args()

    formatter = shutil.which("clang-format-19") or "/usr/lib/llvm-19/bin/clang-format"
    if not Path(formatter).exists():
        sys.exit("clang-format-19 was not found: apt-get install clang-format-19")
    files = project_files(arguments.root, FOLDERS, CXX_SUFFIXES)
    if arguments.files:
        wanted = {file.resolve() for file in arguments.files}
        files = [file for file in files if file in wanted]
    elif not files:
        sys.exit(f"no sources found in {arguments.root}")
    if not files:
        return 0
    mode = ["-i"] if arguments.fix else ["--dry-run", "-Werror"]
    return subprocess.run([formatter, "--style=file", *mode, *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
