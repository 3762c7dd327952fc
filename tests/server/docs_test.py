#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/server.md, docs/security.md and docs/operations.md: what they show is run; their tables are those of the
command. With --write the tables are written anew."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from harness import DOUBLE, PATIENCE, Server, double, main

WEFT = None
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLES = {"states": ["--states"], "metrics": ["--list-metrics"], "keys": ["--list-config"]}


def made(weft, name):
    text = subprocess.run([weft, "serve", *TABLES[name]], check=True, capture_output=True,
                          text=True).stdout
    if name == "states":
        text = "\n".join(f"```mermaid\n{part.strip()}\n```\n" for part in text.split("\n\n"))
    return text


def put(text, name, table):
    return re.sub(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)",
                  lambda m: m.group(1) + table + m.group(2), text, flags=re.S)


class Docs(unittest.TestCase):
    def read(self, name):
        with open(os.path.join(TOP, "docs", name)) as file:
            return file.read()

    def test_tables_are_current(self):
        text = self.read("server.md")
        for name in TABLES:
            self.assertEqual(put(text, name, made(WEFT, name)), text,
                             "run tests/server/docs_test.py WEFT --write")

    def test_commands_run(self):
        text = "".join(map(self.read, ("server.md", "security.md", "operations.md")))
        with Server(WEFT) as s, tempfile.TemporaryDirectory() as folder:
            s.until_ready()
            with open(os.path.join(folder, "double.wgsl"), "w") as out:
                out.write(DOUBLE)
            s.ok("POST", "/v1/jobs", double([1]))
            env = {**os.environ, "WEFT_SERVER": f"http://127.0.0.1:{s.port}",
                   "PATH": os.path.dirname(WEFT) + ":" + os.environ["PATH"]}
            blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
            self.assertGreaterEqual(len(blocks), 3)
            for block in blocks:
                block = block.replace("127.0.0.1:8080", f"127.0.0.1:{s.port}")
                block = block.replace("weft-data", s.data)
                done = subprocess.run(["sh", "-e", "-c", block], cwd=folder, env=env,
                                      capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, block + done.stderr)
                if "/v1/jobs" in block:
                    self.assertIn('"data":[2,4,6]', done.stdout)
                if "submit" in block:
                    self.assertIn("2 4 6", done.stdout)

    def test_configuration_is_valid(self):
        text = self.read("server.md") + self.read("operations.md")
        for block in re.findall(r"```yaml\n(.*?)```", text, re.S):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(block)
                file.flush()
                subprocess.run([WEFT, "serve", "--check", "--config", file.name], check=True,
                               capture_output=True)


if __name__ == "__main__":
    if "--write" in sys.argv:
        path = os.path.join(TOP, "docs/server.md")
        with open(path) as file:
            text = file.read()
        for name in TABLES:
            text = put(text, name, made(sys.argv[1], name))
        with open(path, "w") as file:
            file.write(text)
    else:
        main(globals())
