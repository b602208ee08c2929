#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands before a command of the build of a program that nobody will run (ikra_gpu_program, cmake/IkraTesting.cmake).

usage: device_code_only.py NVCC ARGUMENT...    compiles device code alone, for one architecture: half of nvcc's time
       device_code_only.py LINKER ARGUMENT...  links nothing

Where a command has `-o FILE`, FILE is empty afterwards. The exit status is the command's.
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


def main(command: list[str]) -> int:
    output = Path(command[command.index("-o") + 1])
    if "-c" in command:
        made = output.with_name(output.name + ".ptx")
        command = for_one_architecture(command)
        command[command.index("-c")] = "-ptx"
        command[command.index("-o") + 1] = str(made)
        status = subprocess.run(command, check=False).returncode
        made.unlink(missing_ok=True)
        if status != 0:
            return status
    output.write_bytes(b"")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
