# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that a change made longer are found: scripts/lib/compare_sass.py on text as cuobjdump prints it."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "lib" / "compare_sass.py"

# Prints its file without the first bytes, which make it a binary for the script.
CUOBJDUMP = """#!/bin/sh
[ "$1" = -sass ] || exit 2
grep -q 'Function' "$2" || { echo "cuobjdump info    : File '$2' does not contain device code" >&2; exit 255; }
tail -n +2 "$2"
"""
HEAD = "\n\tcode for {}\n\t.target\t{}\n\n"
FUNCTION = """\t\tFunction : {}
\t.headerflags\t@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
{}        /*0100*/              @!P0 EXIT ;                          /* 0x000000000000894d */
                                                                       /* 0x000fea0003800000 */
        /*0110*/                   BRA 0x110;                          /* 0xfffffffc00fc7947 */
                                                                       /* 0x000fc0000383ffff */
        /*0120*/                   NOP;                                /* 0x0000000000007918 */
                                                                       /* 0x000fc00000000000 */
\t\t..........


"""
LOAD = """        /*0000*/                   LDC R1, c[0x0][0x28] ;              /* 0x00000a00ff017b82 */
                                                                       /* 0x000fe20000000800 */
"""


def function(name: str, instructions: int) -> str:
    """A function of so many instructions, with what fills its end."""
    return FUNCTION.format(name, LOAD * (instructions - 2))


def cubin(**functions: int) -> bytes:
    """An ELF file as nvcc -cubin makes it: a section for each function, of so many instructions and a NOP."""
    names, code, headers = b"\0", b"", [bytes(64)]
    for name, instructions in functions.items():
        text = (b"\x82\x7b" + bytes(14)) * instructions + b"\x18\x79" + bytes(14)
        headers.append(struct.pack("<IIQQQQIIQQ", len(names), 1, 6, 0, 64 + len(code), len(text), 0, 0, 16, 0))
        names, code = names + f".text.{name}\0".encode(), code + text
    headers.append(struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 64 + len(code), len(names), 0, 0, 1, 0))
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(code) + len(names), 0, 64, 0, 0, 64, len(headers), len(headers) - 1)
    return head + code + names + b"".join(headers)


class CompareSass(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "tools").mkdir()
        tool = self.folder / "tools" / "cuobjdump"
        tool.write_text(CUOBJDUMP, encoding="utf-8")
        tool.chmod(0o755)

    def binary(self, name: str, *functions: str, architecture: str = "sm_90") -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        head = HEAD.format(architecture, architecture) if functions else ""
        with path.open("ab") as file:
            if file.tell() == 0:
                file.write(b"\x7fELF\n")
            file.write((head + "".join(functions)).encode())
        return path

    def compare(self, *arguments: str | Path) -> tuple[list[str], int]:
        path = f"{self.folder / 'tools'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": path})
        self.assertNotIn("Traceback", done.stderr)
        return [" ".join(line.split()) for line in done.stdout.splitlines()], done.returncode

    def test_what_is_equal_passes(self):
        a, b = self.binary("a", function("first", 10)), self.binary("b", function("first", 10))
        self.assertEqual(self.compare(a, b), (["1 kernels compared, 0 differ, largest ratio 1.000"], 0))

    def test_the_worst_is_first_and_fails(self):
        a = self.binary("a", function("first", 10), function("second", 100), function("third", 20))
        b = self.binary("b", function("third", 10), function("second", 101), function("first", 15))
        self.assertEqual(self.compare(a, b), (["before after ratio kernel", "10 15 1.500 first", "100 101 1.010 second",
                                               "20 10 0.500 third", "3 kernels compared, 3 differ, largest ratio 1.500"], 1))

    def test_growth_within_the_percentage_passes(self):
        a = self.binary("a", function("first", 100))
        self.assertEqual(self.compare(a, self.binary("b", function("first", 102)))[1], 0)
        self.assertEqual(self.compare(a, self.binary("c", function("first", 103)))[1], 1)
        self.assertEqual(self.compare("--percent", "3", a, self.folder / "c")[1], 0)

    def test_hashes_of_units_do_not_matter(self):
        a = self.binary("a", function("_ZN23ikra_unit_main_1a2b3c4d4bodyEv", 10))
        b = self.binary("b", function("_ZN23ikra_unit_main_998877664bodyEv", 20))
        lines, code = self.compare(a, b)
        self.assertIn("ikra_unit_main", lines[1])
        self.assertNotIn("1a2b3c4d", lines[1])
        self.assertEqual((len(lines), code), (3, 1))

    def test_files_of_folders_are_matched_by_their_paths(self):
        self.binary("before/x", function("kernel", 10))
        self.binary("after/x", function("kernel", 11))
        self.binary("before/y", function("kernel", 30))
        self.binary("after/y", function("kernel", 30))
        self.binary("before/gone", function("kernel", 30))
        for folder in ("before", "after"):
            self.binary(f"{folder}/host_only")
            (self.folder / folder / "text").write_text("Function : none", encoding="utf-8")
        self.assertEqual(self.compare(self.folder / "before", self.folder / "after"),
                         (["in one of the two only: gone", "before after ratio kernel", "10 11 1.100 x: kernel",
                           "2 kernels compared, 1 differ, largest ratio 1.100"], 1))

    def test_kernels_of_one_build_alone_are_named_and_do_not_fail(self):
        a = self.binary("a", function("both", 10), function("old", 10))
        b = self.binary("b", function("both", 10), function("young", 10))
        self.assertEqual(self.compare(a, b), (["in one of the two only: old", "in one of the two only: young",
                                               "1 kernels compared, 0 differ, largest ratio 1.000"], 0))

    def test_architectures_are_compared_each(self):
        for name, other in (("a", 10), ("b", 20)):
            self.binary(name, function("kernel", 10))
            self.binary(name, function("kernel", other), architecture="sm_100")
        lines, code = self.compare(self.folder / "a", self.folder / "b")
        self.assertEqual((lines[1:], code), (["10 20 2.000 kernel [sm_100]", "2 kernels compared, 1 differ, largest ratio 2.000"], 1))

    def test_cubins_are_read_without_cuobjdump(self):
        (self.folder / "tools" / "cuobjdump").unlink()
        a, b = self.folder / "a", self.folder / "b"
        a.write_bytes(cubin(first=10, second=100))
        b.write_bytes(cubin(first=12, second=100))
        self.assertEqual(self.compare(a, b), (["before after ratio kernel", "10 12 1.200 first",
                                               "2 kernels compared, 1 differ, largest ratio 1.200"], 1))

    def test_renamed_kernels_are_matched_by_their_sections_and_indices(self):
        def kernel(name: str, section: str, index: str) -> str:  # name<ikra_unit_main_1a2b3c4d::section_device::body, index>()
            return f"_Z{len(name)}{name}IN23ikra_unit_main_1a2b3c4d{len(section)}{section}4bodyE{index}Evv"
        a = self.binary("a", function(kernel("old", "f_0_device", "j"), 10), function(kernel("old", "f_0_device", "m"), 20),
                        function(kernel("old", "g_1_device", "j"), 30), function(kernel("more", "g_1_device", "j"), 50),
                        function(kernel("old", "h_2_device", "j"), 60))
        b = self.binary("b", function(kernel("young", "g_1_device", "j"), 51), function(kernel("last", "g_1_device", "j"), 30),
                        function(kernel("young", "f_0_device", "m"), 20), function(kernel("young", "f_0_device", "j"), 11))
        lines, code = self.compare(a, b)
        self.assertIn("h_2", lines[0])
        self.assertEqual([line.split()[:3] for line in lines[2:4]], [["10", "11", "1.100"], ["50", "51", "1.020"]])
        self.assertEqual((lines[4:], code), (["4 kernels compared, 2 differ, largest ratio 1.100"], 1))

    def test_nothing_to_compare_is_no_success(self):
        self.assertEqual(self.compare(self.binary("a"), self.binary("b")), (["no kernels to compare"], 2))
        self.assertEqual(self.compare(self.folder, self.folder / "missing")[1], 2)


if __name__ == "__main__":
    unittest.main()
