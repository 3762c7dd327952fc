#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""document_test.py - the programs in docs/models.md compile, run, and print what it says.

    tests/model/document_test.py BUILD

A program is a block of C with main(); the next block of text is what it prints. It runs at
the top of the tree.
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = "docs/models.md"
BLOCK = re.compile(r"^```(c|text)\n(.*?)^```$", re.M | re.S)


def programs():
    """(source, what it prints) of each program of the document."""
    with open(os.path.join(TOP, DOCUMENT)) as f:
        blocks = BLOCK.findall(f.read())
    for (kind, source), (after, output) in zip(blocks, blocks[1:]):
        if kind == "c" and after == "text":
            yield source, output


def run(source, build, folder):
    path, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
    with open(path, "w") as f:
        f.write(source)
    lib = os.path.join(build, "lib")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror",
                    "-I", os.path.join(TOP, "include"), path, "-o", program,
                    "-L", lib, "-lweft", "-lwebgpu_weft", f"-Wl,-rpath,{lib}"], check=True)
    return subprocess.run([program], cwd=TOP, check=True, capture_output=True, text=True).stdout


def main():
    build, count = os.path.abspath(sys.argv[1]), 0
    for source, want in programs():
        with tempfile.TemporaryDirectory() as folder:
            got = run(source, build, folder)
        if got != want:
            sys.exit(f"{DOCUMENT}: a program prints\n{got}instead of\n{want}")
        count += 1
    if count == 0:
        sys.exit(f"{DOCUMENT}: no program")
    print(f"{count} program(s)")


main()
