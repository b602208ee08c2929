#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands before a command of the build of a program that no GPU will run (ikra_gpu_program, cmake/IkraTesting.cmake).

usage: device_code_only.py NVCC ARGUMENT...    compiles device code alone, for one architecture: half of nvcc's time
       device_code_only.py LINKER ARGUMENT...  links nothing
       device_code_only.py [--no-device] --host CXX [--precompiled FILE] NVCC ARGUMENT...
           compiles device code, or none, and makes the object by a C++ compiler, unoptimised, for all cores. FILE is what that
           compiler, clang, has made of ikra/generated.hpp by the same flags

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


def host_command(compiler: list[str], command: list[str]) -> list[str]:
    """The C++ compiler's command for the source of nvcc's, which has that one's flags in -Xcompiler=A,B, and a file of its
    dependencies, if any."""
    flags = []
    for word in command:
        if word.startswith("-Xcompiler="):
            flags += word.removeprefix("-Xcompiler=").split(",")
        elif word.startswith("-isystem="):
            flags += ["-isystem", word.removeprefix("-isystem=")]
        elif word.startswith(("-I", "-D", "-U", "-std=", "-iquote", "-f")) and not word.startswith(("-fmad", "-forward")):
            flags.append(word)
    flags = [word for word in flags if not word.startswith("-fvect-cost-model")]  # g++'s alone; nothing is optimised
    if "-include-pch" in compiler:  # made without; unoptimised, it means nothing
        flags = [word for word in flags if word != "-fno-math-errno"]
    dependencies = ["-MD"] if "-MD" in command else []
    for flag in ("-MT", "-MF"):
        if flag in command:
            dependencies += [flag, command[command.index(flag) + 1]]
    source = command[command.index("-c") + 1]
    output = command[command.index("-o") + 1]
    return [*compiler, *flags, *dependencies, "-O0", "-x", "c++", "-c", source, "-o", output]


def main(command: list[str]) -> int:
    host: list[str] = []
    device = command[0] != "--no-device"
    command = command[0 if device else 1:]
    if command[0] == "--host":
        host = [command[1]]
        command = command[2:]
        if command[0] == "--precompiled":
            host += ["-w", "-include-pch", command[1]]
            command = command[2:]
        if not command[command.index("-c") + 1].endswith(".ikra.cu"):
            return subprocess.run(command, check=False).returncode
    output = Path(command[command.index("-o") + 1])
    if "-c" in command and device:
        made = output.with_name(output.name + ".ptx")
        status = subprocess.run(device_command(command, made), check=False).returncode
        made.unlink(missing_ok=True)
        if status != 0:
            return status
    if host:
        return subprocess.run(host_command(host, command), check=False).returncode
    output.write_bytes(b"")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
