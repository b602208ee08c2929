# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs and checks that they all print what the first one prints and end as it ends.

usage: same_output.py [--keep FILE | --kept FILE] [--no-objects] [--one-core FOLDER EMITTED] REFERENCE PROGRAM...

The reference is the plain build of a program, the others are its builds through ikrac. These run four times: as they are,
with objects moved in memory whenever that can be done, with objects of scopes in columns from the first section on, and with columns of scopes left and made again at any section.
What goes to stderr is shown but not compared: a CUDA build says there that it found no GPU. With --no-objects they run once: the settings are of objects. So do they with --one-core where nothing in EMITTED has columns. With --one-core, what ikrac left to one core has to be what FOLDER lists (one_core.py).
With --keep, what the reference printed goes to FILE, too; with --kept it does not run, but is taken from there.
"""
import difflib
import json
import os
import subprocess
import sys
from pathlib import Path

import one_core

SETTINGS = [{}, {"IKRA_REORDER": "always"}, {"IKRA_SCOPES": "always"}, {"IKRA_SCOPES": "alternate"}]


def has_objects(emitted: Path) -> bool:
    """Whether a file that ikrac emitted has columns of objects."""
    return any("ikra::rt::layout" in file.read_text(encoding="utf-8", errors="replace") for file in emitted.rglob("*.ikra.cu"))


def run(program: str, settings: dict[str, str]) -> tuple[int, list[str]]:
    done = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          errors="replace", check=False, env=os.environ | settings)
    return done.returncode, done.stdout.splitlines(keepends=True)


def main() -> int:
    arguments, wrong, all_settings = sys.argv[1:], [], SETTINGS
    keep, kept = None, None
    if arguments[:1] == ["--keep"]:
        keep, arguments = Path(arguments[1]), arguments[2:]
    elif arguments[:1] == ["--kept"]:
        kept, arguments = Path(arguments[1]), arguments[2:]
    if arguments[:1] == ["--no-objects"]:
        all_settings = SETTINGS[:1]
        arguments = arguments[1:]
    if arguments[:1] == ["--one-core"]:
        wrong = one_core.problems(*map(Path, arguments[1:3]))
        if not has_objects(Path(arguments[2])):
            all_settings = SETTINGS[:1]
        arguments = arguments[3:]
    print("".join(f"{line}\n" for line in wrong), end="")
    reference, *others = arguments
    if not others:
        sys.exit("same_output.py: nothing to compare with the reference")
    status, output = json.loads(kept.read_text(encoding="utf-8")) if kept else run(reference, {})
    if keep:
        keep.write_text(json.dumps([status, output]), encoding="utf-8")
    if not output:
        print(f"{reference} prints nothing, so there is nothing to compare")
        return 1
    failed = bool(wrong)
    for program, settings in ((program, settings) for program in others for settings in all_settings):
        name = " ".join([*(f"{key}={value}" for key, value in settings.items()), program])
        other_status, other_output = run(program, settings)
        if other_status != status:
            print(f"{name} ends with {other_status}, {reference} with {status}")
            failed = True
        if other_output != output:
            sys.stdout.writelines(difflib.unified_diff(output, other_output, reference, name, n=2))
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
