#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests scripts/lib/device_code_only.py: the commands that it makes of nvcc's."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from device_code_only import device_command, host_command, main  # noqa: E402

NVCC = ["nvcc", "-forward-unknown-to-host-compiler", "-Iinclude", "-isystem=/cuda", "-O1", "-DNDEBUG", "-Xcicc=-O0",
        "--generate-code=arch=compute_90,code=[compute_90]", "--generate-code=arch=compute_80,code=[compute_80]", "-std=c++20",
        "-Xcompiler=-iquotefolder,-fopenmp", "-Xcompiler=-fvect-cost-model=dynamic", "--expt-relaxed-constexpr",
        "-lineinfo", "-Werror=cross-execution-space-call", "-fmad=false", "-x", "cu", "-c", "a.ikra.cu", "-o", "a.o"]


class Commands(unittest.TestCase):
    def test_device_code_is_for_one_architecture_and_has_every_check(self):
        command = device_command(NVCC, Path("a.ptx"))
        self.assertEqual([word for word in command if word.startswith("--generate")], [NVCC[7]])
        self.assertIn("-Werror=cross-execution-space-call", command)
        self.assertIn("-ptx", command)
        self.assertEqual(command[-1], "a.ptx")

    def test_the_host_compiler_gets_what_is_its_own(self):
        self.assertEqual(host_command(["c++"], NVCC), [
            "c++", "-Iinclude", "-isystem", "/cuda", "-DNDEBUG", "-std=c++20", "-iquotefolder", "-fopenmp",
            "-O0", "-x", "c++", "-c", "a.ikra.cu", "-o", "a.o"])

    def test_the_host_compiler_writes_the_dependencies(self):
        command = host_command(["c++"], [*NVCC, "-MD", "-MT", "a.o", "-MF", "a.d"])
        self.assertEqual(command[command.index("-MD"):][:5], ["-MD", "-MT", "a.o", "-MF", "a.d"])

    def test_flags_that_change_what_is_precompiled_are_left_out(self):
        errno = [*NVCC, "-Xcompiler=-fno-math-errno"]
        self.assertIn("-fno-math-errno", host_command(["c++"], errno))
        self.assertNotIn("-fno-math-errno", host_command(["clang++", "-include-pch", "a.pch"], errno))

    def test_without_device_code_nvcc_does_not_run(self):
        self.assertEqual(main(["--no-device", "--host", "true", "--precompiled", "a.pch", "false", "-c", "a.ikra.cu", "-o", "a.o"]), 0)
        self.assertEqual(main(["--no-device", "--host", "false", "true", "-c", "a.ikra.cu", "-o", "a.o"]), 1)

    def test_a_device_error_is_the_status_and_no_object_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "a.o"
            self.assertEqual(main(["--host", "true", "false", "-c", "a.ikra.cu", "-o", str(made)]), 1)
            self.assertFalse(made.exists())

    def test_kernels_by_hand_stay_whole(self):
        self.assertEqual(main(["--host", "false", "true", "-c", "cuda.cu", "-o", "a.o"]), 0)
        self.assertEqual(main(["--host", "true", "false", "-c", "cuda.cu", "-o", "a.o"]), 1)


if __name__ == "__main__":
    unittest.main()
