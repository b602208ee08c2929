#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the kernels of two builds by their numbers of SASS instructions, to find what a change made longer.

usage: compare_sass.py [--percent N] BEFORE AFTER

BEFORE and AFTER are files, or folders: then files of the same relative path are compared. Cubins are read here; binaries
and objects by cuobjdump. Kernels of one name are compared. Those that are left are compared by the sections that they run
and the types that they count with, so that a renamed kernel of the runtime meets its earlier form: the longest with the
longest, and so on. Prints the kernels whose counts differ, the worst first, and the largest ratio. Exits with 1 if
some kernel has more than N percent (default 2) more instructions than before, and with 2 if there is nothing to compare.
A length says nothing of a time; it says where to look for one.
"""
from __future__ import annotations

import argparse
import re
import shutil
import struct
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

FUNCTION = re.compile(r"^\s*Function : (\S+)")
# With its encoding in a comment after it; the encoding's second half has a line without an instruction.
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z]\w*)")
ARCHITECTURE = re.compile(r"^\s*(?:code for|arch =) (sm_\w+)")
# What depends on the text or the path of a source: a unit's hash, and nvcc's names for anonymous namespaces.
UNIT = re.compile(r"\b(ikra_unit_\w+)_[0-9a-f]{8}\b")
INTERNAL = re.compile(r"\b_(?:GLOBAL__N__|INTERNAL_)\w+")
DEMANGLERS = (["cu++filt"], ["c++filt"])
MAGIC = (b"\x7fELF", b"!<ar", b"\x50\xed\x55\xba")  # of binaries and objects, archives and fat binaries
# What emitted code names for a section: its struct, or the struct of its body. Numbers tell sections of one function apart.
SECTION = re.compile(r"\bikra_unit_\w+?::(?:\(anonymous\)::)?(\w+?)(?:_device)?\b(?!::\(anonymous\))")
INDEX = re.compile(r"\bunsigned (?:int|long)\b")
# Cubins: ELF files of CUDA's machine. Since sm_70 instructions have 16 bytes, and the opcode is in the low 12 bits.
EM_CUDA = 190
INSTRUCTION_BYTES = 16
NOP = 0x918


def count_instructions(text: str) -> Counter[tuple[str, str]]:
    """The instructions of each function, by architecture and mangled name, in what cuobjdump -sass prints.

    Functions end with NOPs that fill a cache line, which are not counted.
    """
    counts: Counter[tuple[str, str]] = Counter()
    architecture = function = ""
    for line in text.splitlines():
        if found := ARCHITECTURE.match(line):
            architecture, function = found[1], ""
        elif found := FUNCTION.match(line):
            function = found[1]
            counts[architecture, function] += 0
        elif function and (found := INSTRUCTION.match(line)) and found[1] != "NOP":
            counts[architecture, function] += 1
    return counts


def is_cubin(data: bytes) -> bool:
    return data[:4] == MAGIC[0] and len(data) >= 64 and struct.unpack_from("<H", data, 18)[0] == EM_CUDA


def count_in_cubin(data: bytes) -> Counter[tuple[str, str]]:
    """The same for a cubin, in which each function is a section `.text.NAME`. It is of one architecture."""
    (table,) = struct.unpack_from("<Q", data, 40)
    size, number, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(number)]
    texts = headers[names][4]
    counts: Counter[tuple[str, str]] = Counter()
    for name_at, _, _, _, begin, length in headers:
        name = data[texts + name_at:data.index(0, texts + name_at)].decode()
        if name.startswith(".text."):
            words = (struct.unpack_from("<H", data, at)[0] for at in range(begin, begin + length, INSTRUCTION_BYTES))
            counts["", name.removeprefix(".text.")] = sum(word & 0xFFF != NOP for word in words)
    return counts


def demangled(names: list[str]) -> list[str]:
    for command in DEMANGLERS:
        if names and shutil.which(command[0]):
            done = subprocess.run(command, input="\n".join(names) + "\n", capture_output=True, text=True, check=True)
            if len(lines := done.stdout.splitlines()) == len(names):
                return lines
    return names


def normalised(name: str) -> str:
    return INTERNAL.sub("(anonymous)", UNIT.sub(r"\1", name)).replace("(anonymous namespace)", "(anonymous)")


def disassembled(file: Path) -> str:
    if shutil.which("cuobjdump") is None:
        raise SystemExit(f"{file}: cuobjdump was not found: it comes with CUDA. Cubins are read without it.")
    done = subprocess.run(["cuobjdump", "-sass", file], capture_output=True, text=True, check=False)
    if done.returncode != 0 and "does not contain device code" not in done.stdout + done.stderr:
        raise SystemExit(f"cuobjdump -sass {file}:\n{done.stdout}{done.stderr}")
    return done.stdout


def kernels_of(file: Path) -> Counter[str]:
    """The instructions of each kernel by its name, and its architecture where the file has several."""
    data = file.read_bytes()
    counts = count_in_cubin(data) if is_cubin(data) else count_instructions(disassembled(file))
    several = len({architecture for architecture, _ in counts}) > 1
    kernels: Counter[str] = Counter()
    for ((architecture, _), count), name in zip(counts.items(), demangled([name for _, name in counts])):
        # Names that are one but for a hash are counted together.
        kernels[normalised(name) + (f" [{architecture}]" if several else "")] += count
    return kernels


def files_of(folder: Path) -> dict[str, Path]:
    def is_binary(file: Path) -> bool:
        with file.open("rb") as opened:
            return opened.read(4) in MAGIC

    return {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*"))
            if file.is_file() and is_binary(file)}


def paired(before: Path, after: Path) -> tuple[list[tuple[str, Path, Path]], list[str]]:
    """The files to compare, and the relative paths that only one of the folders has."""
    if not before.is_dir():
        return [("", before, after)], []
    first, second = files_of(before), files_of(after)
    return [(name, first[name], second[name]) for name in first if name in second], sorted(set(first) ^ set(second))


def sections_in(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a kernel keeps when the runtime renames it: the sections that it runs, and its types of indices."""
    return frozenset(SECTION.findall(name)), frozenset(INDEX.findall(name))


def matched(first: Counter[str], second: Counter[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Pairs of kernels, by their names or by their sections, and the kernels of one build alone."""
    pairs = [(name, name) for name in first if name in second]
    left: defaultdict[object, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, (kernels, others) in enumerate(((first, second), (second, first))):
        for name in sorted(kernels.keys() - others.keys(), key=lambda name: (-kernels[name], name)):
            key = sections_in(name)
            left[key if key[0] else name][side].append(name)
    single = []
    for before, after in left.values():
        pairs += zip(before, after)
        single += before[len(after):] + after[len(before):]
    return pairs, sorted(single)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares kernels by their numbers of SASS instructions.")
    parser.add_argument("--percent", type=float, default=2, help="how many more instructions are no failure")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    arguments = parser.parse_args()
    for path in (arguments.before, arguments.after):
        if not path.exists():
            parser.error(f"there is no {path}")
    if arguments.before.is_dir() != arguments.after.is_dir():
        parser.error("give two files or two folders")
    pairs, single = paired(arguments.before, arguments.after)
    rows, compared = [], 0
    for file in single:
        print(f"in one of the two only: {file}")
    for file, before, after in pairs:
        first, second = kernels_of(before), kernels_of(after)
        place = f"{file}: " if file else ""
        both, single = matched(first, second)
        for name in single:
            print(f"in one of the two only: {place}{name}")
        for old, new in both:
            compared += 1
            if first[old] != second[new]:
                rows.append((second[new] / max(first[old], 1), first[old], second[new], place + new))
    rows.sort(key=lambda row: (-row[0], row[3]))
    if rows:
        print(f"{'before':>8}{'after':>8}{'ratio':>8}  kernel")
    for ratio, before, after, name in rows:
        print(f"{before:8}{after:8}{ratio:8.3f}  {name}")
    if compared == 0:
        print("no kernels to compare")
        return 2
    largest = max([1.0 if len(rows) < compared else 0.0, *(row[0] for row in rows)])
    print(f"{compared} kernels compared, {len(rows)} differ, largest ratio {largest:.3f}")
    return int(any(after * 100 > before * (100 + arguments.percent) for _, before, after, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
