#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""decisions.py - what the compiler decides for kernels: does a pass fire, and only where it may?

usage  decisions.py --weft FILE KERNEL.wgsl...
in     kernels with lines such as

           // weft compile --dump=arrays
           // has: fmul
           // lacks: var "sums"
           // count 2: loop
           // mixed: sqrt | store
           // apart: sqrt | store

       A command stands before what its output must have, must not have, or have so often;
       there may be several. Texts are regular expressions that match within a line. `apart`:
       all lines of the first come before those of the second, and there are some of both;
       `mixed`: there are some of both, and they do not.
out    nothing, or each expectation that does not hold, with its place
"""
import re
import subprocess
import sys


def expectations(path):
    """[(line, command or None, kind, count, pattern)]"""
    found = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        m = re.match(r"// weft compile (.*)", line)
        if m:
            found.append((number, m.group(1).split(), "command", 0, ""))
        m = re.match(r"// (has|lacks|mixed|apart|count (\d+)): (.*)", line)
        if m:
            found.append((number, None, m.group(1).split()[0], int(m.group(2) or 0), m.group(3)))
    return found


def order(lines, pattern):
    """'apart' or 'mixed'; None: one of the two is missing"""
    first, second = ([i for i, line in enumerate(lines) if re.search(p, line)]
                     for p in pattern.split(" | "))
    if not first or not second:
        return None
    return "apart" if first[-1] < second[0] else "mixed"


def check(weft, path):
    faults, lines, checked = [], [], 0
    for number, command, kind, count, pattern in expectations(path):
        if command is not None:
            done = subprocess.run([weft, "compile", *command, path], capture_output=True, text=True,
                                  check=False)
            lines = done.stdout.splitlines()
            if done.returncode:
                faults.append(f"{path}:{number}: {done.stderr.strip()}")
            continue
        checked += 1
        if kind in ("mixed", "apart"):
            if order(lines, pattern) != kind:
                faults.append(f"{path}:{number}: '{pattern}' are {order(lines, pattern)}")
            continue
        n = sum(1 for line in lines if re.search(pattern, line))
        if (kind == "has" and n == 0) or (kind == "lacks" and n) or (kind == "count" and n != count):
            faults.append(f"{path}:{number}: '{pattern}' is in {n} lines")
    if not checked:
        faults.append(f"{path}: expects nothing")
    return faults


def main():
    if len(sys.argv) < 4 or sys.argv[1] != "--weft":
        sys.exit(__doc__)
    faults = [f for path in sys.argv[3:] for f in check(sys.argv[2], path)]
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
