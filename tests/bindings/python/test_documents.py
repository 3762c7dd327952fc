# SPDX-License-Identifier: Apache-2.0
"""README.md says what is true: its code runs and prints what it shows. The examples run."""
import contextlib
import io
import os
import re
import subprocess
import sys
import unittest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bindings/python")


class Documents(unittest.TestCase):
    def test_readme(self):
        with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as f:
            text = f.read()
        blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.S)
        self.assertEqual(len(blocks), text.count("```python"))
        names: dict = {}
        for code, expected in blocks:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, "README.md", "exec"), names)
            self.assertEqual(out.getvalue(), expected, code)

    def run_example(self, name, *args):
        done = subprocess.run([sys.executable, os.path.join(FOLDER, "examples", name), *args],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_examples(self):
        self.assertIn("y[10] = 21.0", self.run_example("saxpy.py"))
        self.assertIn("converged", self.run_example("fit.py"))
        self.assertIn("rows sum to [1.0, 1.0, 1.0, 1.0]", self.run_example("tensors.py"))

    @unittest.skipUnless(os.environ.get("WEFT_TEST_MODEL"), "no model: set WEFT_TEST_MODEL")
    def test_chat(self):
        said = self.run_example("chat.py", os.environ["WEFT_TEST_MODEL"])
        self.assertIn("Once upon a time", said)


if __name__ == "__main__":
    unittest.main()
