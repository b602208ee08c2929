#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands before a command of the build of a program that no GPU will run (ikra_gpu_program, cmake/IkraTesting.cmake).

usage: device_code_only.py NVCC ARGUMENT...             compiles device code alone, for one architecture: half of nvcc's time
       device_code_only.py --host CXX NVCC ARGUMENT...  so, and makes the object by the C++ compiler, unoptimised, for all cores
       device_code_only.py LINKER ARGUMENT...           links nothing

Where a command has `-o FILE` and there is no --host, FILE is empty afterwards. A source that ikrac has not emitted has kernels in
its host code: with --host, nvcc compiles it whole. The exit status is the command's.
"""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def for_one_architecture(command: list[str]) -> list[str]:
    """-ptx refuses several: the first of them, or nvcc's default."""
    architectures = [word for word in command if word.startswith("--generate-code=")]
    return [word for word in command
            if not word.startswith(("--generate-code=", "-arch=")) or word in architectures[:1]]


def device_command(command: list[str], made: Path) -> list[str]:
    """nvcc's command, for device code alone. Lines are for profilers."""
    command = [word for word in for_one_architecture(command) if word != "-lineinfo"]
    command[command.index("-c")] = "-ptx"
    command[command.index("-o") + 1] = str(made)
    return command


def host_command(compiler: str, command: list[str]) -> list[str]:
    """The C++ compiler's command for the source of nvcc's, which has its own flags in -Xcompiler=A,B."""
    flags = []
    for word in command:
        if word.startswith("-Xcompiler="):
            flags += word.removeprefix("-Xcompiler=").split(",")
        elif word.startswith("-isystem="):
            flags += ["-isystem", word.removeprefix("-isystem=")]
        elif word.startswith(("-I", "-D", "-U", "-std=", "-iquote", "-f")) and not word.startswith(("-fmad", "-forward")):
            flags.append(word)
    source = command[command.index("-c") + 1]
    output = command[command.index("-o") + 1]
    return [compiler, *flags, "-O0", "-x", "c++", "-c", source, "-o", output]


def main(command: list[str]) -> int:
    host = None
    if command[0] == "--host":
        host = command[1]
        command = command[2:]
        if not command[command.index("-c") + 1].endswith(".ikra.cu"):
            return subprocess.run(command, check=False).returncode
    output = Path(command[command.index("-o") + 1])
    if "-c" in command:
        made = output.with_name(output.name + ".ptx")
        status = subprocess.run(device_command(command, made), check=False).returncode
        made.unlink(missing_ok=True)
        if status != 0:
            return status
    if host is not None:
        return subprocess.run(host_command(host, command), check=False).returncode
    output.write_bytes(b"")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
