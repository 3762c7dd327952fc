#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs.py - compiles and runs the programs of a document, and compares what they print.

    tests/grad/docs.py DOCUMENT INCLUDE LIBRARY...

A block ```c with a main() is a program; the block ```text after it is its output. Blocks of
```wgsl must be files of tests/grad.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def run(program, include, libraries):
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "program.c"), os.path.join(folder, "program")
        with open(source, "w") as f:
            f.write(program)
        folders = sorted({os.path.dirname(lib) for lib in libraries})
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", include, source,
                        *libraries, "-lm", *[f"-Wl,-rpath,{d}" for d in folders], "-o", binary],
                       check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout


def main():
    document, include, *libraries = sys.argv[1:]
    with open(document) as f:
        blocks = BLOCK.findall(f.read())
    golden = []
    for name in glob.glob(os.path.join(os.path.dirname(__file__), "*.wgsl")):
        with open(name) as f:
            golden.append(f.read())
    programs = 0
    for at, (kind, text) in enumerate(blocks):
        if kind == "wgsl" and text not in golden:
            sys.exit(f"{document}: a kernel is not the one of the tests:\n{text}")
        if kind != "c" or "int main" not in text:
            continue
        want = blocks[at + 1][1] if blocks[at + 1:] and blocks[at + 1][0] == "text" else None
        have = run(text, include, libraries)
        if want is None or have != want:
            sys.exit(f"{document}: a program prints\n{have}instead of\n{want}")
        programs += 1
    if programs == 0:
        sys.exit(f"{document}: no programs")


if __name__ == "__main__":
    main()
