# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files belong to the project: what git tracks or would track; without git, every file outside build folders."""
import os
import subprocess
from pathlib import Path

CXX_SUFFIXES = {".h", ".hpp", ".cpp", ".cu", ".cuh"}


def project_files(root: Path, folders: list[str], suffixes: set[str] | None = None) -> list[Path]:
    """Files below the given folders of root, as absolute paths, sorted; suffixes None means all files."""
    root = root.resolve()
    names = _from_git(root)
    if names is None:
        names = _from_disk(root)
    chosen = []
    for name in names:
        path = root / name
        inside = any(name == folder or name.startswith(folder + "/") for folder in folders)
        if inside and (suffixes is None or path.suffix in suffixes) and path.is_file():
            chosen.append(path)
    return sorted(chosen)


def _from_git(root: Path) -> list[str] | None:
    if not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                              capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    if done.returncode != 0:  # e.g. a checkout of another user's, which git refuses
        return None
    return sorted(set(filter(None, done.stdout.split("\0"))))


def _from_disk(root: Path) -> list[str]:
    names = []
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in {".git", "build", "out"}]
        names += [str((Path(folder) / name).relative_to(root)) for name in files]
    return names
