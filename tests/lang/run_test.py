#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_test.py - the runner of the language tests finds what it should.

A small script stands in for the `weft` command: it answers each file with the
JSON of its neighbour FILE.json, or misbehaves as FILE.json says.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

COMMAND = """#!{python}
import json, os, sys, time
assert sys.argv[1:3] == ["check", "--json"]
files = []
for name in sys.argv[3:]:
    with open(name + ".json") as f:
        answer = json.load(f)
    if answer == "crash":
        os.abort()
    if answer == "complain":
        print("leak", file=sys.stderr)
        answer = []
    if answer == "garbage":
        print("{{")
        sys.exit(0)
    ok = not any(d["severity"] == "error" for d in answer)
    files.append({{"file": name, "ok": ok, "diagnostics": answer}})
print(json.dumps({{"files": files}}))
sys.exit(not all(f["ok"] for f in files))
"""


def diagnostic(line, id, message="m", severity="error", column=1):
    return {"severity": severity, "id": id, "message": message, "line": line,
            "column": column}


class Runner(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.weft = os.path.join(self.temp.name, "weft")
        with open(self.weft, "w") as f:
            f.write(COMMAND.format(python=sys.executable))
        os.chmod(self.weft, 0o755)
        self.folder = os.path.join(self.temp.name, "cases")
        os.mkdir(self.folder)

    def tearDown(self):
        self.temp.cleanup()

    def add(self, name, text, answer):
        path = os.path.join(self.folder, name + ".wgsl")
        with open(path, "w", newline="") as f:
            f.write(text)
        with open(path + ".json", "w") as f:
            json.dump(answer, f)

    def run_it(self):
        run = subprocess.run(
            [sys.executable, os.path.join(HERE, "run.py"), "--weft", self.weft,
             self.folder], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr

    def passes(self, text, answer):
        self.add("case", text, answer)
        status, output = self.run_it()
        self.assertEqual((status, output), (0, "1 passed, 0 failed\n"))

    def fails(self, text, answer, why):
        self.add("case", text, answer)
        status, output = self.run_it()
        self.assertEqual(status, 1, output)
        self.assertIn(why, output)
        self.assertTrue(output.endswith("0 passed, 1 failed\n"), output)

    def test_a_silent_file_is_accepted(self):
        self.passes("fn f() {}\n", [])

    def test_expectation_beside_the_line(self):
        self.passes("a\nb // error x: is\n", [diagnostic(2, "x", "this is wrong")])

    def test_two_expectations_on_a_line(self):
        self.passes("b // error x: one // warning y:\n",
                    [diagnostic(1, "y", severity="warning"), diagnostic(1, "x", "one")])

    def test_two_of_the_same_need_two(self):
        self.fails("b // error x: m\n", [diagnostic(1, "x"), diagnostic(1, "x")],
                   "1: not expected: error x@1: m")

    def test_next_line_comments_stack(self):
        self.passes("// error-next-line x: m\n // error-next-line y: m\n/* b\n",
                    [diagnostic(3, "x"), diagnostic(3, "y")])

    def test_next_line_after_the_last(self):
        self.passes("fn f( // error-next-line x: m", [diagnostic(2, "x")])
        self.passes("fn f(\n// error-next-line x: m", [diagnostic(3, "x")])

    def test_every_wgsl_line_break_counts(self):
        self.passes("a\r\nb\rc\u2028d // error x: m", [diagnostic(4, "x")])

    def test_column(self):
        self.passes("b // error x@3: m\n", [diagnostic(1, "x", column=3)])
        self.fails("b // error x@3: m\n", [diagnostic(1, "x", column=4)], "missing")

    def test_prose_is_no_expectation(self):
        self.passes("// error handling is elsewhere\n", [])

    def test_unexpected(self):
        self.fails("a\nb\n", [diagnostic(2, "x")], "case.wgsl:2: not expected: error x")

    def test_missing(self):
        self.fails("a // error x: m\n", [], "case.wgsl:1: expected, but missing: error x")

    def test_wrong_line(self):
        self.fails("a // error x: m\nb\n", [diagnostic(2, "x")], "2: not expected")

    def test_wrong_id(self):
        self.fails("a // error x: m\n", [diagnostic(1, "y")], "missing: error x")

    def test_wrong_severity(self):
        self.fails("a // error x: m\n", [diagnostic(1, "x", severity="warning")], "missing")

    def test_wrong_message(self):
        self.fails("a // error x: this\n", [diagnostic(1, "x", "that")], "missing")

    def test_no_files(self):
        status, output = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("no .wgsl files", output)

    def test_crash_falls_on_one_file(self):
        for i in range(5):
            self.add(f"good{i}", "a\n", [])
        self.add("bad", "a\n", "crash")
        status, output = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("bad.wgsl:exit status -6", output)
        self.assertTrue(output.endswith("5 passed, 1 failed\n"), output)

    def test_standard_error_is_a_failure(self):
        self.fails("a\n", "complain", "leak")

    def test_garbage_is_a_failure(self):
        self.fails("a\n", "garbage", "not the JSON")


if __name__ == "__main__":
    unittest.main()
