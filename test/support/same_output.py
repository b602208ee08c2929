# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs and checks that they all print what the first one prints and end as it ends.

usage: same_output.py REFERENCE PROGRAM...

The reference is the plain build of a program, the others are its builds through ikrac. What goes to stderr is shown
but not compared: a CUDA build says there that it found no GPU.
"""
import difflib
import subprocess
import sys


def run(program: str) -> tuple[int, list[str]]:
    done = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          errors="replace", check=False)
    return done.returncode, done.stdout.splitlines(keepends=True)


def main() -> int:
    reference, *others = sys.argv[1:]
    if not others:
        sys.exit("same_output.py: nothing to compare with the reference")
    status, output = run(reference)
    if not output:
        print(f"{reference} prints nothing, so there is nothing to compare")
        return 1
    failed = False
    for program in others:
        other_status, other_output = run(program)
        if other_status != status:
            print(f"{program} ends with {other_status}, {reference} with {status}")
            failed = True
        if other_output != output:
            sys.stdout.writelines(difflib.unified_diff(output, other_output, reference, program, n=2))
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
