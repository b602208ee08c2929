# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ikrac and keeps what it says beside the file that it emits, for one_core.py.

usage: keep_messages.py IKRAC -o FILE ARGUMENT...     writes FILE.messages
"""
import subprocess
import sys
from pathlib import Path


def main() -> int:
    command = sys.argv[1:]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    sys.stderr.write(done.stderr)
    Path(command[command.index("-o") + 1] + ".messages").write_text(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
