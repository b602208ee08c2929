#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands before a command of the build of a program that nobody will run (ikra_gpu_program, cmake/IkraTesting.cmake).

usage: device_code_only.py NVCC ARGUMENT...    compiles, host and device front ends and device code; no host code is made of it
       device_code_only.py LINKER ARGUMENT...  links nothing

Where a command has `-o FILE`, FILE is empty afterwards. The exit status is the command's.
"""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main(command: list[str]) -> int:
    output = Path(command[command.index("-o") + 1])
    if "-c" in command:
        made = output.with_name(output.name + ".ii")
        command = ["-cuda" if argument == "-c" else str(made) if argument == str(output) and command[i - 1] == "-o" else argument
                   for i, argument in enumerate(command)]
        status = subprocess.run(command, check=False).returncode
        made.unlink(missing_ok=True)
        if status != 0:
            return status
    output.write_bytes(b"")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
