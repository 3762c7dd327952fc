#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""setup_test.py - tools/setup installs what is missing and nothing else.

It runs in a tree of its own, with a PATH of its own in which apt-get, apt-cache,
dpkg-query, id and sudo are scripts that write down how they were called.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REAL = ("sh", "dirname", "sed", "grep", "cat", "mkdir", "rm")


def packages(*sections):
    """The rows of the named sections, or of all."""
    found, section = [], None
    with open(os.path.join(TOP, "tools/packages.txt")) as rows:
        for row in rows:
            if row.startswith("["):
                section = row.strip("[]\n")
            elif row.strip() and not row.startswith("#"):
                if not sections or section in sections:
                    found.append(row.split("|")[0].split())
    return found


class Setup(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.bin = os.path.join(self.temp.name, "bin")
        self.log = os.path.join(self.temp.name, "log")
        os.mkdir(self.bin)
        os.makedirs(os.path.join(self.temp.name, "tree/build/release"))
        os.mkdir(os.path.join(self.temp.name, "tree/tools"))
        for name in ("setup", "packages.txt"):
            shutil.copy(os.path.join(TOP, "tools", name),
                        os.path.join(self.temp.name, "tree/tools", name))
        self.configured = os.path.join(self.temp.name, "tree/build/release/build.ninja")
        open(self.configured, "w").close()
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

    def run_it(self, *level):
        setup = os.path.join(self.temp.name, "tree/tools/setup")
        run = subprocess.run([setup, *level],
                             env={"PATH": self.bin}, capture_output=True, text=True)
        with open(self.log) as f:
            return run.returncode, f.read(), run.stdout + run.stderr

    def test_nothing_missing(self):
        self.debian([row[0] for row in packages()], [])
        self.assertEqual(self.run_it(), (0, "", ""))

    def test_the_sections_cover_all_rows(self):
        self.assertEqual(packages(), packages("build", "test", "extra", "integration", "run"))
        for section in ("build", "test", "extra", "integration", "run"):
            self.assertTrue(packages(section), section)

    def test_a_build_needs_no_tests(self):
        self.debian([row[0] for row in packages("build")], [])
        self.assertEqual(self.run_it("build"), (0, "", ""))
        self.debian([], [row[0] for row in packages()])
        status, log, _ = self.run_it("build")
        self.assertEqual(status, 0)
        for row in packages("build"):
            self.assertIn(" " + row[0], log)
        for row in packages("test", "extra", "integration"):
            self.assertNotIn(" " + row[0], log)

    def test_integration_needs_more(self):
        self.debian([row[0] for row in packages("build", "test", "extra")],
                    [row[0] for row in packages("integration")])
        self.assertEqual(self.run_it(), (0, "", ""))
        status, log, _ = self.run_it("integration")
        self.assertEqual(status, 0)
        for row in packages("integration"):
            self.assertIn(" " + row[0], log)

    def test_one_extra_that_fails_takes_no_other_along(self):
        first, second = packages("extra")[:2]
        self.debian([row[0] for row in packages() if row not in (first, second)],
                    [first[0], second[0]])
        self.command("apt-get", f'echo "apt-get $*" >>{self.log}; '
                     f'case "$*" in *{first[0]}*) exit 100 ;; esac')
        status, log, output = self.run_it()
        self.assertEqual(status, 0)
        self.assertTrue(log.endswith(f" {second[0]}\n"), log)
        self.assertIn(f"going on without {first[0]}", output)
        self.assertNotIn(f"going on without {second[0]}", output)

    def test_the_build_looks_again(self):
        self.debian([row[0] for row in packages()], [])
        self.run_it()
        self.assertTrue(os.path.exists(self.configured))
        self.debian([row[0] for row in packages() if row[0] != "cmake"], ["cmake"])
        self.run_it()
        self.assertFalse(os.path.exists(self.configured))

    def test_extras_are_asked_for_once(self):
        extra = packages("extra")[0]
        self.debian([row[0] for row in packages() if row != extra], [])
        status, log, output = self.run_it()
        self.assertEqual(status, 0)
        self.assertNotIn("install", log)
        self.assertIn("has none of: " + " ".join(extra), output)
        open(self.log, "w").close()
        self.assertEqual(self.run_it(), (0, "", ""))

    def test_extras_may_fail(self):
        extra = packages("extra")[0]
        self.debian([row[0] for row in packages() if row != extra], [extra[0]])
        self.command("apt-get", "exit 100")
        status, _, output = self.run_it()
        self.assertEqual(status, 0)
        self.assertIn("going on without " + extra[0], output)
        self.debian([row[0] for row in packages() if row != extra], [extra[0]], user=1000)
        status, log, output = self.run_it()
        self.assertEqual((status, log), (0, ""))
        self.assertIn("neither root nor sudo", output)

    def test_an_installation_that_fails(self):
        self.debian([row[0] for row in packages() if row[0] != "cmake"], ["cmake"])
        self.command("apt-get", "exit 100")
        self.assertNotEqual(self.run_it()[0], 0)

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
        for name in ("cc", "cmake", "ninja", "pkg-config"):
            self.command(name, "")
        self.assertEqual(self.run_it("build")[0], 0)
        self.assertIn("python3", self.run_it()[2])


if __name__ == "__main__":
    unittest.main()
