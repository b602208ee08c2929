# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configures, builds and runs the project in app/ as a user would, in a folder of its own.

usage: consumer.py --cmake CMAKE --cxx COMPILER --app FOLDER --build FOLDER [--generator NAME] WHAT -- CMAKE-OPTION...

WHAT is configure, which looks how ikrac's files are to be compiled; architectures=A or architectures: what the user's
files and the runtime will be compiled for, where A is asked for, or nothing; library: also builds its library alone; run:
also builds all and compares what the plain program and the one through ikrac print; programs: the same, with no more built than
these two need; calls: also looks how nvcc is called,
by BACKEND cuda; or rebuild: also checks after which changes ikrac runs again, and after which it does not.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


class Consumer:
    def __init__(self, arguments: argparse.Namespace):
        self.cmake = arguments.cmake
        self.generator = arguments.generator
        self.options = [f"-DCMAKE_CXX_COMPILER={arguments.cxx}", "-DCMAKE_BUILD_TYPE=Release", *arguments.options]
        self.source = arguments.build / "source"
        self.build_folder = arguments.build / "build"
        shutil.rmtree(arguments.build, ignore_errors=True)
        shutil.copytree(arguments.app, self.source)

    def run(self, *command: object) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}\nended with {done.returncode}")
        return done.stdout

    def configure(self, *more: str) -> None:
        self.run(self.cmake, "-G", self.generator, "-S", self.source, "-B", self.build_folder, *self.options, *more)

    def build(self, *targets: str) -> set[str]:
        """Builds; returns the sources that ikrac was run on."""
        only = ["--target", *targets] if targets else []
        output = self.run(self.cmake, "--build", self.build_folder, "--parallel", os.cpu_count() or 1, *only)
        return {line.split("ikrac ", 1)[1].strip() for line in output.splitlines() if "] ikrac " in line}

    def answer(self) -> str:
        plain = self.run(self.build_folder / "app_plain")
        compiled = self.run(self.build_folder / "app")
        if plain != compiled or not plain:
            sys.exit(f"the plain program prints {plain!r}, the one through ikrac {compiled!r}")
        return plain

    def touch(self, name: str, text: str = "\n") -> None:
        with (self.source / name).open("a", encoding="utf-8") as file:
            file.write(text)


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def check_rebuild(consumer: Consumer) -> None:
    both = {"main.cpp", "counters/counters.cpp"}
    first = consumer.answer()
    expect("without a change, ikrac ran on", consumer.build(), set())
    consumer.touch("counters/counters.hpp")
    expect("after a change in a header, ikrac ran on", consumer.build("app"), both)
    consumer.touch("main.cpp")
    expect("after a change in a source, ikrac ran on", consumer.build("app"), {"main.cpp"})
    consumer.configure("-DSTEP=3")
    expect("after a change of a definition, ikrac ran on", consumer.build(), {"main.cpp"})
    if consumer.answer() == first:
        sys.exit(f"the definition changed, the answer did not: {first!r}")
    expect("without a change, ikrac ran at last on", consumer.build(), set())


def default_architectures() -> str:
    """What nvcc is told where nobody has said anything: this machine's GPUs, or all major ones."""
    nvcc = Path(shutil.which("nvcc") or os.environ.get("CUDACXX", "/usr/local/cuda/bin/nvcc")).resolve()
    query = nvcc.parent / "__nvcc_device_query"
    found = subprocess.run([query], capture_output=True, text=True, check=False) if query.exists() else None
    if found is None or found.returncode != 0 or not found.stdout.strip():
        return "-arch=all-major"
    return " ".join(code_for(number) for number in dict.fromkeys(found.stdout.strip().split(",")))


def code_for(number: str) -> str:
    return f"--generate-code=arch=compute_{number},code=[sm_{number}]"


def check_architectures(consumer: Consumer, asked: str) -> None:
    rules = (consumer.build_folder / "build.ninja").read_text(encoding="utf-8")
    wanted = code_for(asked.removesuffix("-real")) if asked else default_architectures()
    for target in ("app", "counters", "ikra_runtime_cuda", "ikra_datalog_engine_cuda"):
        flags = re.findall(rf": CUDA_COMPILER__{target}_\S* (?:.*\n)*?  FLAGS = (.*)\n", rules)
        if not flags:
            sys.exit(f"{target} has no CUDA files")
        for line in flags:
            found = " ".join(re.findall(r"-arch=\S+|--generate-code=\S+", line))
            expect(f"{target} is compiled for", found, wanted)


def check_calls(consumer: Consumer) -> None:
    """nvcc reports device code that calls host functions, in ikra's headers too: they are no system headers."""
    commands = json.loads((consumer.build_folder / "compile_commands.json").read_text(encoding="utf-8"))
    of_nvcc = [shlex.split(command["command"]) for command in commands if command["file"].endswith(".ikra.cu")]
    expect("files that nvcc compiles", len(of_nvcc), 2)
    for words in of_nvcc:
        for at, word in enumerate(words):
            if word == "--options-file":
                text = (consumer.build_folder / words[at + 1]).read_text(encoding="utf-8")
                words = words + shlex.split(text)
        if "-Werror=cross-execution-space-call" not in words:
            sys.exit(f"host functions in device code are no errors: {words}")
        system = [words[at + 1] for at, word in enumerate(words) if word == "-isystem"]
        system += [word.removeprefix("-isystem=") for word in words if word.startswith("-isystem=")]
        if any((Path(folder) / "ikra").exists() for folder in system):
            sys.exit(f"ikra's headers are system headers, where nvcc says nothing: {words}")


def check_loops(consumer: Consumer) -> None:
    """Loops over elements do not lie across lines of the instruction cache by chance, and g++ vectorises them with -O2."""
    rules = (consumer.build_folder / "build.ninja").read_text(encoding="utf-8")
    compiler = next(consumer.build_folder.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text(encoding="utf-8")
    wanted = ["-falign-loops=32"]
    if 'CMAKE_CXX_COMPILER_ID "GNU"' in compiler:
        wanted.append("-fvect-cost-model=dynamic")
    flags = re.findall(r"main\S*\.ikra\.cu\.o: (?:.*\n)*?  FLAGS = (.*)\n", rules)
    if not flags or not all(flag in line for line in flags for flag in wanted):
        sys.exit(f"files of ikrac are compiled with {flags}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds a project that uses ikra.")
    for name in ("--cmake", "--cxx"):
        parser.add_argument(name, required=True)
    for name in ("--app", "--build"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--generator", default="Ninja")
    parser.add_argument("what", help="configure, architectures[=A], library, run, programs, calls or rebuild")
    parser.add_argument("options", nargs="*", help="options for CMake, after --")
    arguments = parser.parse_args()

    consumer = Consumer(arguments)
    consumer.configure(*(["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"] if arguments.what == "calls" else []))
    if arguments.what == "configure":
        check_loops(consumer)
        return 0
    if arguments.what.startswith("architectures"):
        check_architectures(consumer, arguments.what.partition("=")[2])
        return 0
    if arguments.what == "calls":
        check_calls(consumer)
        return 0
    if arguments.what == "library":
        expect("for the library, ikrac ran on", consumer.build("counters"), {"counters/counters.cpp"})
        return 0
    targets = ["app", "app_plain"] if arguments.what == "programs" else []
    expect("the first time, ikrac ran on", consumer.build(*targets), {"main.cpp", "counters/counters.cpp"})
    consumer.answer()
    if arguments.what == "rebuild":
        check_rebuild(consumer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
