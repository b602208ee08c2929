# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/performance.md and its plots are what scripts/lib/make_performance.py makes of benchmarks/results."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/lib/make_performance.py"
READ = ("benchmarks/results", "benchmarks/datalog", "docs/images")


def run(*arguments: str | Path) -> tuple[str, int]:
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode


class Committed(unittest.TestCase):
    def test_tables_and_plots_are_what_the_results_say(self):
        self.assertEqual(run("--check", ROOT), ("", 0))

    def test_the_page_names_plots_that_are_pictures(self):
        named = set(re.findall(r"\(images/(performance-\w+\.svg)\)", (ROOT / "docs/performance.md").read_text(encoding="utf-8")))
        self.assertEqual(named, {path.name for path in (ROOT / "docs/images").glob("performance-*.svg")})
        for name in named:
            self.assertTrue(ElementTree.parse(ROOT / "docs/images" / name).getroot().tag.endswith("svg"))

    def test_each_result_says_its_commit_and_date(self):
        for folder in filter(Path.is_dir, (ROOT / "benchmarks/results").iterdir()):
            about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
            for path in folder.iterdir():
                if path.name == "about.json":
                    continue
                own = path.suffix == ".json"
                head = json.loads(path.read_text(encoding="utf-8")) if own else about["files"].get(path.name, {})
                self.assertLessEqual({"commit", "date"}, set(head), path)
            self.assertEqual([name for name in about["files"] if not (folder / name).exists()], [])


class Copy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in READ:
            shutil.copytree(ROOT / name, self.root / name)
        shutil.copy(ROOT / "docs/performance.md", self.root / "docs")
        self.page = self.root / "docs/performance.md"

    def change(self, old: str, new: str):
        text = self.page.read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.page.write_text(text.replace(old, new), encoding="utf-8")

    def test_another_figure_changes_its_table_and_its_plot(self):
        path = self.root / "benchmarks/results/h200/arrays-cuda.json"
        results = json.loads(path.read_text(encoding="utf-8"))
        results["cases"][0]["programs"][0]["us"] *= 3
        path.write_text(json.dumps(results), encoding="utf-8")
        before = self.page.read_text(encoding="utf-8")
        said, status = run("--check", self.root)
        self.assertEqual(status, 1)
        self.assertIn("docs/performance.md", said)
        self.assertIn("docs/images/performance-arrays.svg", said)
        self.assertNotIn("performance-stencils.svg", said)
        self.assertEqual(self.page.read_text(encoding="utf-8"), before)
        self.assertEqual(run(self.root)[1], 0)
        self.assertNotEqual(self.page.read_text(encoding="utf-8"), before)
        self.assertEqual(run("--check", self.root), ("", 0))

    def write(self, name: str, results: dict):
        (self.root / "benchmarks/results/h200" / name).write_text(json.dumps(results), encoding="utf-8")

    def lengths_of_bars(self, picture: str) -> list[float]:
        drawn = ElementTree.parse(self.root / "docs/images" / picture).getroot()
        return [float(part.get("width")) for part in drawn if part.tag.endswith("rect") and part.get("height") == "13"]

    def test_a_longer_turn_has_a_longer_bar_and_the_same_bound(self):
        for name, unit in ("simulations", "us"), ("figure9", "ms"):
            picture = f"performance-{name}.svg"
            before, text = self.lengths_of_bars(picture), (self.root / "docs/images" / picture).read_text(encoding="utf-8")
            path = self.root / f"benchmarks/results/h200/{name}-cuda.json"
            results = json.loads(path.read_text(encoding="utf-8"))
            results["cases"][1]["programs"][0][unit] *= 1.5
            path.write_text(json.dumps(results), encoding="utf-8")
            self.assertEqual(run(self.root)[1], 0)
            after = self.lengths_of_bars(picture)
            self.assertGreater(after[1], before[1] + 1)
            self.assertEqual(after[:1] + after[2:], before[:1] + before[2:])
            marks = re.compile(r'<line .*stroke-width="3"/>|<circle .*/>')
            self.assertEqual(marks.findall((self.root / "docs/images" / picture).read_text(encoding="utf-8")), marks.findall(text))

    def test_a_new_result_fills_its_table(self):
        (self.root / "benchmarks/results/h200/reorder-cuda.json").unlink(missing_ok=True)
        self.assertEqual(run(self.root)[1], 0)
        self.assertIn("<!-- generated: reorder-cuda -->\nNo results are recorded yet.\n", self.page.read_text(encoding="utf-8"))
        times = {"ikra, the order alone": 3.0, "CUB, keys and IDs": 2.0, "CUB, keys alone": 1.5}
        self.write("reorder-cuda.json", {"machine": "a GPU", "commit": "0123456789", "date": "2026-11-27T00:00:00Z", "repeats": 5, "benchmark": "reorder",
                                         "cases": [{"base": "repeats", "classes": 1000, "programs": [{"name": name, "ms": ms} for name, ms in times.items()]}]})
        self.assertEqual(run("--check", self.root)[1], 1)
        self.assertEqual(run(self.root)[1], 0)
        self.assertIn("| repeats, 1,000 classes | 3.00 ms | 1.50 | 2.00 |", self.page.read_text(encoding="utf-8"))

    def test_a_table_changed_by_hand_is_found(self):
        self.change("| P5: Himeno, size S |", "| P5: Himeno, size XS |")
        self.assertEqual(run("--check", self.root)[1], 1)

    def test_text_by_hand_is_kept(self):
        self.change("# Performance\n", "# Speed\n")
        self.assertEqual(run("--check", self.root), ("", 0))

    def test_a_table_that_nobody_makes_is_an_error(self):
        self.change("generated: ikrac -->", "generated: ikra -->")
        self.change("end of ikrac -->", "end of ikra -->")
        said, status = run(self.root)
        self.assertEqual(status, 1)
        self.assertIn("it shows the tables", said)


if __name__ == "__main__":
    unittest.main()
