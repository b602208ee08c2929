#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses which targets nvcc compiles where no GPU runs them (scripts/test): test/nvcc_targets.txt.

usage: choose_nvcc_targets.py BUILD           writes the list, from the files that ikrac emitted in a build folder
       choose_nvcc_targets.py --check BUILD   fails where a target emits something that no chosen one does

Many programs emit the same. What counts as different is a *feature* of an emitted file: a name of the runtime or of std in
generated code and device code, a call into the session or into a kernel's arguments, alone and by the kind of its element types,
a header, a keyword, an operator. The targets of the list have every feature of all targets. KEPT are in it for what they found.
"""
from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "test" / "nvcc_targets.txt"

# What these emitted was refused by nvcc alone, or taken for something else (git log --grep nvcc).
KEPT = ("callables", "complex_numbers", "expressions", "generic_code", "handed_on", "macros", "nested", "numbers", "optionals",
        "static_objects", "structs", "taken_names", "templates", "value_forms")
WHOLE = 6  # test programs that nvcc compiles for the host, too: the first ones chosen of at most so many lines
WHOLE_LINES = 2000
LONG = ("small_elements", "tiles", "turn_reductions")  # not whole: they are optimised (test/programs/CMakeLists.txt)
HEADERS_LINES = 500  # lines that take nvcc as long as the headers of an empty file do

KEYWORDS = """alignas alignof asm auto bool break case catch char char16_t char32_t char8_t class const const_cast consteval
constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit extern false float for friend goto
if inline int long mutable namespace new noexcept nullptr operator private public reinterpret_cast requires return short signed
sizeof static static_assert static_cast struct switch template this throw true try typedef typeid typename union unsigned using
virtual void volatile wchar_t while""".split()
KINDS = {"bool": "bool", "char": "byte", "short": "integer", "int": "integer", "long": "integer", "unsigned": "integer",
         "float": "floating", "double": "floating"}

QUALIFIED = re.compile(r"(?<!\w::)\b(?:std|ikra|rt|cuda|detail|border|null_elements|turn_form|node_sequence)::\w+")
IN_HOST_CODE = re.compile(r"::(ikra::(?:\w+::)*\w+)")
CALLED = re.compile(r"\b(?:s|c|call|session)(?:\.|->)(?:template )?(\w+)(\(|<([^;{}()]*))")
CONTAINERS = ("data", "empty", "size")  # what the program's own arrays have
WORD = re.compile(r"\b(?:%s)\b" % "|".join(KEYWORDS))
OPERATOR = re.compile(r"<=>|<<=|>>=|->\*?|\.\*|\.\.\.|[-+*/%&|^!=<>]=|&&|\|\||<<|>>|\+\+|--|[-+*/%&|^!<>=~?]")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')
GENERATED = re.compile(r'^#line \d+ "[^"]*\.ikra\.cu"', re.MULTILINE)


def features(text: str) -> set[str]:
    """Of the text of an emitted file."""
    found = {"#include " + header for header in re.findall(r"^#include <(ikra/generated/.*)>", text, re.MULTILINE)}
    found |= set(IN_HOST_CODE.findall(text))
    start = GENERATED.search(text)
    code = COMMENT_OR_TEXT.sub(" ", re.sub(r"^#.*", "", text[start.start():], flags=re.MULTILINE)) if start else ""
    found |= set(QUALIFIED.findall(code)) | set(WORD.findall(code)) | set(OPERATOR.findall(code))
    for name, _, types in set(CALLED.findall(code)):
        if name in CONTAINERS:
            continue
        found.add("." + name)
        found |= {f".{name}<{KINDS[word]}>" for word in re.findall(r"\w+", types) if word in KINDS}
    return found


def emitted_by_target(build: Path) -> dict[str, list[Path]]:
    """The emitted files of each target for CUDA, as the build's compile_commands.json has them."""
    targets: dict[str, list[Path]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = Path(entry["file"])
        if not source.name.endswith(".ikra.cu") or " -x cu " not in entry["command"]:
            continue
        target = source.relative_to(build).as_posix().split(".ikra/")[0].rsplit("/", 1)[-1]
        if target.startswith(("fuzz_", "table_")):  # for packs alone
            continue
        # Test programs have their CPU build's files.
        made = Path(str(source).replace(f"/{target}.ikra/", f"/{target.removesuffix('_cuda')}_cpu.ikra/")) \
            if target.startswith("program_") else source
        if made.exists():
            targets.setdefault(target, []).append(made)
    if not targets:
        sys.exit(f"{build} has no emitted files for CUDA: build all there first, with nvcc")
    return targets


def choose(found: dict[str, set[str]], cost: dict[str, int], kept: set[str]) -> list[str]:
    """Greedily by features for their cost; then without those that have become superfluous."""
    chosen: list[str] = []
    left = set().union(*found.values())
    while left:
        best = max(sorted(found), key=lambda target: (len(found[target] & left) / cost[target], target))
        chosen.append(best)
        left -= found[best]
    for target in reversed(list(chosen)):
        others = set().union(*(found[other] for other in chosen if other != target))
        if found[target] <= others:
            chosen.remove(target)
    return chosen + sorted(kept - set(chosen))


def read_list() -> dict[str, bool]:
    """Each chosen target, and whether it is compiled whole."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return {line.split()[0]: line.endswith(" whole") for line in lines if line and not line.startswith("#")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("build", type=Path)
    arguments = parser.parse_args()
    files = emitted_by_target(arguments.build.resolve())
    texts = {target: [path.read_text(encoding="utf-8", errors="replace") for path in paths] for target, paths in files.items()}
    found = {target: set().union(*map(features, texts[target])) for target in sorted(texts)}
    if arguments.check:
        chosen = read_list()
        covered = set().union(*(found.get(target, set()) for target in chosen))
        missing = {target: sorted(found[target] - covered) for target in found if found[target] - covered}
        for target, what in missing.items():
            print(f"{target} emits what nvcc compiles for none of {LIST.relative_to(ROOT)}: {', '.join(what[:10])}")
        unknown = sorted(set(chosen) - set(found))
        if unknown:
            print(f"{LIST.relative_to(ROOT)} names what is no target that ikrac emits for CUDA: {', '.join(unknown)}")
        if missing or unknown:
            print(f"To choose anew: scripts/lib/{Path(__file__).name} {arguments.build}")
            return 1
        return 0
    cost = {target: sum(HEADERS_LINES + text.count("\n") for text in texts[target]) for target in texts}
    chosen = choose(found, cost, {f"program_{name}_cuda" for name in KEPT} & set(found))
    may_be_whole = [target for target in chosen if target.startswith("program_") and cost[target] <= WHOLE_LINES
                    and target.split("_", 1)[1].removesuffix("_cuda") not in LONG]
    whole = may_be_whole[:WHOLE]
    LIST.write_text(
        "# Made by scripts/lib/choose_nvcc_targets.py: do not edit. What nvcc compiles where no GPU runs it: these targets emit\n"
        "# everything that all do. `whole`: for the host, too, and run; the others' device code alone.\n"
        + "".join(f"{target}{' whole' if target in whole else ''}\n" for target in sorted(chosen)), encoding="utf-8")
    print(f"{len(chosen)} of {len(found)} targets, {sum(cost[target] for target in chosen)} of {sum(cost.values())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
