# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the folder of scripts/gpu-pack out of built programs.

usage: make_gpu_pack.py --root ROOT --entries GPU-PACK.JSONL --runner RUN.SH [--data PATH]... DIR

Copies and strips the programs and compresses them together, since they share most of their code (DIR/run unpacks them),
bundles the shared libraries that a machine with g++'s runtime libraries alone lacks, and writes `entries`, which DIR/run reads: one line per test or benchmark, fields separated by tabs.
"""
import argparse
import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

SIZE_LIMIT = 60 << 20
# What any Linux machine with a C++ runtime has; all else is bundled. libcuda belongs to the driver.
SYSTEM_LIBRARIES = re.compile(
    r"(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libgomp|libcuda|linux-vdso|"
    r"libasan|libubsan)\.so.*")


def needed_libraries(program: Path) -> dict[str, Path]:
    """Name and file of the shared libraries to bundle for a program."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    libraries = {}
    for line in listing.splitlines():
        match = re.match(r"\s*(\S+) => (.+?)(?: \(0x[0-9a-f]+\))?$", line)
        if not match or SYSTEM_LIBRARIES.fullmatch(match[1]):
            continue
        if match[2] == "not found":
            sys.exit(f"{program.name} needs {match[1]}, which is not on this machine")
        libraries[match[1]] = Path(match[2])
    return libraries


def copy_program(program: Path, pack: Path) -> str:
    stripped = pack / "bin" / program.name
    if not stripped.exists():
        shutil.copy2(program, stripped)
        subprocess.run(["strip", stripped], check=True)
        for name, file in needed_libraries(program).items():
            shutil.copy2(file.resolve(), pack / "lib" / name)
    return f"bin/{program.name}"


def compress_programs(pack: Path) -> None:
    with tarfile.open(pack / "programs.tar.xz", "w:xz", preset=6) as archive:
        for program in sorted((pack / "bin").iterdir()):
            archive.add(program, program.name)
    shutil.rmtree(pack / "bin")


def shell_word(argument: str) -> str:
    """An argument as a shell word in which {pack}, {data} and {out} became the runner's variables."""
    word = shlex.quote(argument)  # braces make it quote, so the variables are put between quotes
    for name in ("pack", "data", "out"):
        word = word.replace("{" + name + "}", f"'\"${{{name}}}\"'")
    return word


def command(program: str, entry: dict) -> str:
    words = [shell_word(word) for word in [*entry["environment"], "{pack}/" + program, *entry["args"]]]
    return " ".join(["env", *words] if entry["environment"] else words)


def entry_line(entry: dict, pack: Path) -> str:
    program = copy_program(Path(entry["file"]), pack)
    expected = ""
    if entry["expected_from"]:
        expected = command(copy_program(Path(entry["expected_from"]), pack), entry)
    fields = [entry["kind"], entry["name"], entry["type"], command(program, entry), expected]
    if any("\t" in field or "\n" in field for field in fields):
        sys.exit(f"{entry['name']}: a tab or a line break in a name or an argument")
    return "\t".join(fields)


def commit(root: Path) -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True,
                              check=True).stdout.strip()
    try:
        return git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def copy_data(sources: list[Path], pack: Path) -> None:
    for source in sources:
        if source.is_dir():
            shutil.copytree(source, pack / "data", dirs_exist_ok=True)
        else:
            (pack / "data").mkdir(exist_ok=True)
            shutil.copy2(source, pack / "data")


def main() -> int:
    parser = argparse.ArgumentParser(description="Packs GPU tests and benchmarks into a folder.")
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--entries", type=Path, required=True)
    parser.add_argument("--runner", type=Path, required=True)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("pack", type=Path)
    arguments = parser.parse_args()

    entries = [json.loads(line) for line in arguments.entries.read_text(encoding="utf-8").splitlines() if line]
    if not arguments.data:
        left_out = [entry["name"] for entry in entries if any("{data}" in word for word in entry["args"])]
        entries = [entry for entry in entries if entry["name"] not in left_out]
        if left_out:
            print(f"without --data, left out: {', '.join(left_out)}")
    if not entries:
        sys.exit("there is nothing to pack: no target was announced with ikra_add_gpu_test or _benchmark")

    pack = arguments.pack
    shutil.rmtree(pack, ignore_errors=True)
    for folder in ("bin", "lib"):
        (pack / folder).mkdir(parents=True)
    copy_data(arguments.data, pack)
    lines = [entry_line(entry, pack) for entry in entries]
    compress_programs(pack)
    (pack / "entries").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    shutil.copy2(arguments.runner, pack / "run")
    (pack / "run").chmod(0o755)
    manifest = {
        "commit": commit(arguments.root),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "architecture": "sm_90",
        "entries": [{key: entry[key] for key in ("kind", "name", "target", "args")} for entry in entries],
    }
    (pack / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")

    size = sum(file.stat().st_size for file in pack.rglob("*") if file.is_file())
    print(f"{pack}: {len(entries)} entries, {size / (1 << 20):.1f} MiB")
    if size > SIZE_LIMIT:
        sys.exit(f"the pack is larger than {SIZE_LIMIT >> 20} MiB")
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
