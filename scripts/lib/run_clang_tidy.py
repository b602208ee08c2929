# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy 19 over the project's sources that a build compiles, and over the headers of the plain library.

clang-tidy matches its checks against all that a source includes, and clang's headers take it half a minute. Sources that
are compiled and checked alike are therefore included into one, so that the headers are met once; names that are local to
a file have to differ within such a group. A program's main file is checked by itself. A group without findings is not checked again until one of its files, its
command or its checks change.

usage: run_clang_tidy.py --build FOLDER [--jobs N] ROOT [FILE...]
"""
import argparse
import dataclasses
import hashlib
import json
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from project_files import project_files

CLANG_TIDY = "clang-tidy-19"
FOLDERS = ["benchmarks", "datalog", "examples", "lib", "runtime", "tools"]
# Checked as a source of its own: most of these headers are only included by emitted code.
PUBLIC_HEADERS = "runtime/include"
HEADERS_LIKE = "runtime/src"
# Needs nvcc.
NOT_HEADERS = {"launch_cuda.hpp"}
MAIN = re.compile(r"^int main\(", re.MULTILINE)


@dataclasses.dataclass
class Group:
    """Sources that are compiled by one command and checked by one configuration."""
    command: list[str]  # without the source and the output
    directory: str
    configuration: str
    files: list[Path] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Outcome:
    """What clang-tidy said of a group; cached: it was clean before, and nothing has changed."""
    group: Group
    findings: str
    seconds: float
    cached: bool = False


def run(*command: str | Path, directory: str | Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], cwd=directory, capture_output=True, text=True, check=False)


def read_commands(build: Path) -> dict[Path, tuple[str, list[str]]]:
    """The folder and the command, without source and output, that each source is compiled in and by."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        for option in ("-o", "-c"):
            at = words.index(option)
            del words[at:at + 2]
        commands[(Path(entry["directory"]) / entry["file"]).resolve()] = (entry["directory"], words)
    return commands


def configuration_of(file: Path, known: dict[Path, str]) -> str:
    """The checks for a file: those of the nearest .clang-tidy above it, with what that one inherits."""
    if file.parent not in known:
        done = run(CLANG_TIDY, "--dump-config", file)
        if done.returncode != 0:
            raise SystemExit(f"{CLANG_TIDY} --dump-config {file}:\n{done.stderr}")
        # The dump has options that clang-tidy does not accept.
        known[file.parent] = "".join(line for line in done.stdout.splitlines(keepends=True) if "HungarianPrefix" not in line)
    return known[file.parent]


def make_groups(build: Path, root: Path, wanted: set[Path]) -> list[Group]:
    """The groups that have one of the wanted files, or all groups if none is wanted."""
    commands = read_commands(build)
    files = [file for file in project_files(root, FOLDERS, {".cpp"}) if file in commands]
    like = next((file for file in files if (root / HEADERS_LIKE) in file.parents), None)
    if like is not None:
        for header in project_files(root, [PUBLIC_HEADERS], {".hpp"}):
            if header.name not in NOT_HEADERS:
                commands[header] = commands[like]
                files.append(header)

    groups: dict[tuple[str, str, str, str], Group] = {}
    known: dict[Path, str] = {}
    for file in files:
        directory, command = commands[file]
        configuration = configuration_of(file, known)
        alone = str(file) if MAIN.search(file.read_text(encoding="utf-8")) else ""
        key = (shlex.join(command), configuration, file.suffix, alone)
        groups.setdefault(key, Group(command, directory, configuration)).files.append(file)
    return [group for group in groups.values() if not wanted or wanted.intersection(group.files)]


def fingerprint(group: Group, source: Path, root: Path, version: str) -> str | None:
    """Changes whenever a check of the group might end otherwise; None where that cannot be told."""
    listed = run(*group.command, "-MM", source, directory=group.directory)
    if listed.returncode != 0:
        return None
    digest = hashlib.sha256("\0".join([version, group.configuration, *group.command]).encode())
    for name in sorted(set(listed.stdout.replace("\\\n", " ").split()[1:])):
        file = Path(name)
        if root in file.parents or file == source:
            digest.update(name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def check(group: Group, folder: Path, root: Path, version: str) -> Outcome:
    name = hashlib.sha256("\0".join([*group.command, *map(str, group.files)]).encode()).hexdigest()[:16]
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "sources.cpp"
    source.write_text("".join(f'#include "{file}"\n' for file in group.files), encoding="utf-8")
    (folder / ".clang-tidy").write_text(group.configuration, encoding="utf-8")

    seen = fingerprint(group, source, root, version)
    stamp = folder / "clean"
    if seen is not None and stamp.is_file() and stamp.read_text(encoding="utf-8") == seen:
        return Outcome(group, "", 0, cached=True)
    start = time.monotonic()
    # libstdc++ 12's std::stable_sort calls what it declares as deprecated.
    done = run(CLANG_TIDY, "--quiet", source, "--", *group.command[1:], "-Wno-deprecated-declarations",
               directory=group.directory)
    seconds = time.monotonic() - start
    if done.returncode == 0 and seen is not None:
        stamp.write_text(seen, encoding="utf-8")
    findings = "" if done.returncode == 0 else done.stdout or done.stderr or f"ended with status {done.returncode}\n"
    return Outcome(group, findings, seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs clang-tidy over the project's sources.")
    parser.add_argument("--build", type=Path, required=True, help="has compile_commands.json")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("root", type=Path)
    parser.add_argument("files", type=Path, nargs="*", help="check the groups that these are in alone")
    arguments = parser.parse_args()

    root = arguments.root.resolve()
    version = run(CLANG_TIDY, "--version").stdout
    build = arguments.build.resolve()
    groups = make_groups(build, root, {file.resolve() for file in arguments.files})
    groups.sort(key=lambda group: -len(group.files))  # the longest first, so that no core waits for it at the end
    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(lambda group: check(group, build / "tidy", root, version), groups):
            files = outcome.group.files
            first = files[0].relative_to(root)
            what = f"{first}" if len(files) == 1 else f"{first} and {len(files) - 1} more"
            result = "findings" if outcome.findings else "clean"
            how = "not changed" if outcome.cached else f"{outcome.seconds:.0f} s"
            print(f"{what}: {result} ({how})", flush=True)
            if outcome.findings:
                failed += 1
                print(outcome.findings, flush=True)
    print(f"{sum(len(group.files) for group in groups)} files in {len(groups)} groups checked, {failed} groups with findings")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
