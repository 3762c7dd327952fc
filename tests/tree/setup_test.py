#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""setup_test.py - tools/setup installs what is missing and nothing else.

It runs with a PATH of its own in which apt-get, apt-cache, dpkg-query, id and
sudo are scripts that write down how they were called.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REAL = ("sh", "dirname", "sed", "grep", "cat")


def packages():
    with open(os.path.join(TOP, "tools/packages.txt")) as rows:
        return [row.split("|")[0].split() for row in rows
                if row.strip() and not row.startswith("#")]


class Setup(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.bin = os.path.join(self.temp.name, "bin")
        self.log = os.path.join(self.temp.name, "log")
        os.mkdir(self.bin)
        for name in REAL:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        open(self.log, "w").close()

    def tearDown(self):
        self.temp.cleanup()

    def command(self, name, body):
        path = os.path.join(self.bin, name)
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\n{body}\n")
        os.chmod(path, 0o755)

    def debian(self, installed, offered, user=0):
        """A Debian on which some packages are installed, others to be had."""
        self.command("dpkg-query", "\n".join(f"echo installed {n}" for n in installed)
                     + "\necho not-installed removed\nexit 1")
        self.command("apt-get", f'echo "apt-get $*" >>{self.log}')
        self.command("apt-cache", 'case "$2" in ' + "|".join(offered or ["-"])
                     + ') echo "  Candidate: 1:2-3" ;; *) echo "  Candidate: (none)" ;; esac')
        self.command("id", f"echo {user}")

    def run_it(self):
        run = subprocess.run([os.path.join(TOP, "tools/setup")],
                             env={"PATH": self.bin}, capture_output=True, text=True)
        with open(self.log) as f:
            return run.returncode, f.read(), run.stdout + run.stderr

    def test_nothing_missing(self):
        self.debian([row[0] for row in packages()], [])
        self.assertEqual(self.run_it(), (0, "", ""))

    def test_any_package_of_a_row_will_do(self):
        self.debian([row[-1] for row in packages()], [])
        self.assertEqual(self.run_it(), (0, "", ""))

    def test_only_the_missing_are_installed(self):
        have = [row[0] for row in packages() if row[0] not in ("cmake", "ninja-build")]
        self.debian(have, ["cmake", "ninja-build"])
        status, log, _ = self.run_it()
        self.assertEqual(status, 0)
        self.assertIn("apt-get update", log)
        self.assertTrue(log.endswith(" cmake ninja-build\n"), log)

    def test_the_first_on_offer_is_taken(self):
        have = [row[0] for row in packages() if row[0] != "llvm-19-dev"]
        self.debian(have, ["llvm-16-dev", "llvm-17-dev"])
        status, log, _ = self.run_it()
        self.assertEqual(status, 0)
        self.assertTrue(log.endswith(" llvm-17-dev\n"), log)

    def test_none_on_offer(self):
        have = [row[0] for row in packages() if row[0] != "llvm-19-dev"]
        self.debian(have, [])
        status, log, output = self.run_it()
        self.assertNotEqual(status, 0)
        self.assertNotIn("install", log)
        self.assertIn("none of: llvm-19-dev llvm-18-dev", output)

    def test_sudo_when_not_root(self):
        have = [row[0] for row in packages() if row[0] != "cmake"]
        self.debian(have, ["cmake"], user=1000)
        self.command("sudo", f'echo sudo >>{self.log}; exec "$@"')
        status, log, _ = self.run_it()
        self.assertEqual(status, 0)
        self.assertEqual(log.count("sudo\n"), 2)

    def test_neither_root_nor_sudo(self):
        have = [row[0] for row in packages() if row[0] != "cmake"]
        self.debian(have, ["cmake"], user=1000)
        status, log, output = self.run_it()
        self.assertEqual((status, log), (1, ""))
        self.assertIn("neither root nor sudo", output)
        self.assertIn("cmake", output)

    def test_another_system(self):
        status, _, output = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("no apt-get", output)
        self.assertIn("ninja", output)
        for name in ("gcc", "cmake", "ninja", "pkg-config", "python3"):
            self.command(name, "")
        self.assertEqual(self.run_it()[0], 0)


if __name__ == "__main__":
    unittest.main()
