# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what ikrac left to one core, by its warning `section_sequential`, with what a folder says is meant to be.

A folder's on_one_core.txt has a line for each source line that has such an operation, `file: the line's text`, below a
comment (#) that gives the reason. So it need not change where lines move.
"""
from __future__ import annotations

import re
from pathlib import Path

WARNING = re.compile(r"^(.*):(\d+):\d+: warning: .*\[ikra-section-sequential\]$")
LIST = "on_one_core.txt"


def left(messages: str) -> set[tuple[Path, int]]:
    """The files and lines that messages of ikrac's say to stay on one core."""
    found = (WARNING.match(line) for line in messages.splitlines())
    return {(Path(match[1]), int(match[2])) for match in found if match}


def listed(folder: Path) -> set[str]:
    path = folder / LIST
    lines = path.read_text().splitlines() if path.exists() else []
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def entry(folder: Path, file: Path, line: int) -> str:
    text = file.read_text().splitlines()[line - 1].strip()
    name = file.resolve().relative_to(folder.resolve()) if file.resolve().is_relative_to(folder.resolve()) else file
    return f"{name}: {text}"


def problems(folder: Path, emitted: Path) -> list[str]:
    """folder: of the sources. emitted: the folder where keep_messages.py left messages."""
    kept = sorted(emitted.rglob("*.messages"))
    sources = sorted(folder.glob("*.cpp"))
    missing = {source.stem for source in sources} - {path.name.partition(".")[0] for path in kept}
    if missing:
        return [f"{emitted} has no messages of ikrac about {', '.join(sorted(missing))}: build again"]
    places = {place for path in kept if path.name.partition(".")[0] in {source.stem for source in sources}
              for place in left(path.read_text())}
    found = {entry(folder, *place): place for place in places}
    meant = listed(folder)
    return ([f"{file}:{line} runs on one core, and {folder / LIST} does not say why: {text}"
             for text, (file, line) in sorted(found.items()) if text not in meant] +
            [f"{folder / LIST} names what does not run on one core: {text}" for text in sorted(meant - found.keys())])
