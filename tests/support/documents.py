#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""documents.py - the C in a document about libweft compiles, runs, and prints what it says.

    tests/support/documents.py BUILD DOCUMENT...

A block of C with a main() is a program. Another one is put into a function with a
`weft_context *ctx`; the context must be without an error after it. The block of text that
follows, if one does, is what it prints. Programs run in a folder of their own.
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"^```c\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
HEADERS = ["context", "tensor", "store", "grad", "solve", "model", "vectors", "pool"]

AROUND = """
int main(void)
{
    weft_context *ctx = weft_context_create(NULL);
    {
%s
    }
    if (weft_context_error(ctx)->kind) {
        fprintf(stderr, "%%s\\n", weft_context_error(ctx)->message);
        return 1;
    }
    weft_context_release(ctx);
    return 0;
}
"""


def program(block):
    if re.search(r"\bint main\(", block):
        return block
    head = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    for name in HEADERS:
        if os.path.exists(os.path.join(TOP, "include/weft", name + ".h")):
            head += f"#include <weft/{name}.h>\n"
    # Functions that a fragment needs come before it, up to a line of dashes.
    parts = re.split(r"^// ---+\n", block, maxsplit=1, flags=re.M)
    before, body = parts if len(parts) == 2 else ("", parts[0])
    return head + before + AROUND % body


def fault(build, temp, block, want):
    """What is wrong with one block, or None."""
    source, binary = os.path.join(temp, "program.c"), os.path.join(temp, "program")
    with open(source, "w") as file:
        file.write(program(block))
    lib = os.path.join(build, "lib")
    run = subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra",
         "-Werror", "-I", os.path.join(TOP, "include"), source, "-o", binary, "-L", lib,
         f"-Wl,-rpath,{lib}", "-lweft", "-lwebgpu_weft", "-lm"], capture_output=True, text=True)
    if run.returncode:
        return "does not compile:\n" + run.stderr
    work = tempfile.mkdtemp(dir=temp)
    run = subprocess.run([binary], cwd=work, capture_output=True, text=True, timeout=300)
    if run.returncode:
        return f"ends with status {run.returncode}:\n{run.stdout}{run.stderr}"
    if want is not None and run.stdout != want:
        return f"prints\n{run.stdout}instead of\n{want}"
    return None


def main():
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    good = bad = 0
    with tempfile.TemporaryDirectory() as temp:
        for name in names:
            with open(os.path.join(TOP, name)) as file:
                text = file.read()
            for match in BLOCK.finditer(text):
                line = text[:match.start()].count("\n") + 1
                what = fault(build, temp, match.group(1), match.group(2))
                if what:
                    print(f"{name}:{line}: {what}")
                    bad += 1
                else:
                    good += 1
    print(f"{good} passed, {bad} failed")
    sys.exit(1 if bad or not good else 0)


if __name__ == "__main__":
    main()
