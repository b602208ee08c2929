# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ikrac leaves to one core fails a program's test unless the folder lists it: test/support/one_core.py."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import one_core  # noqa: E402

WARNING = ("{}:{}:7: warning: 'pscan' is not compiled by this version of ikrac: it runs on one core, as in a plain build "
           "[ikra-section-sequential]\n")


class OneCore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.emitted = Path(folder.name, "scans"), Path(folder.name, "scans.ikra")
        self.source.mkdir()
        self.emitted.mkdir()
        (self.source / "main.cpp").write_text("int main() {\n  scan(a);\n  scan(b);\n}\n")

    def problems(self, messages: str | None, listed: str | None = None) -> list[str]:
        if messages is not None:
            (self.emitted / "main.ikra.cu.messages").write_text(messages)
        if listed is not None:
            (self.source / one_core.LIST).write_text(listed)
        return one_core.problems(self.source, self.emitted)

    def warning(self, line: int) -> str:
        return WARNING.format(self.source / "main.cpp", line)

    def test_nothing_is_left(self):
        self.assertEqual(self.problems("1 warning generated.\n"), [])

    def test_what_is_left_has_to_be_listed(self):
        (problem,) = self.problems(self.warning(2) + self.warning(3), "# A reason.\nmain.cpp: scan(a);\n")
        self.assertIn("main.cpp:3 runs on one core", problem)
        self.assertIn("main.cpp: scan(b);", problem)

    def test_what_is_listed_has_to_be_left(self):
        (problem,) = self.problems("", "# A reason.\nmain.cpp: scan(a);\n")
        self.assertIn("names what does not run on one core: main.cpp: scan(a);", problem)

    def test_messages_have_to_be_kept(self):
        (problem,) = self.problems(None)
        self.assertIn("no messages of ikrac about main", problem)


if __name__ == "__main__":
    unittest.main()
