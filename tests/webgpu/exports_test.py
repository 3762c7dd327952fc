#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exports_test - a library exports the functions of webgpu.h, all and only these.

    tests/webgpu/exports_test.py LIBRARY [NM]

LIBRARY is shared or static, NM the nm to read it with. The names come from
facts.tsv. Names that do not begin with wgpu are not looked at.
"""
import subprocess
import sys

sys.dont_write_bytecode = True      # the source tree stays as it is

import facts


def exported(library, nm):
    """The names others may link to: of functions (T) and weak ones (W)."""
    scope = "-g" if library.endswith(".a") else "-D"
    done = subprocess.run([nm, scope, "--defined-only", library],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"exports_test: {nm} cannot read {library}:\n{done.stderr}")
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] in "TWi"}


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    library, nm = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "nm"
    want = set(facts.names(facts.load(), "function"))
    there = {name for name in exported(library, nm) if name.startswith("wgpu")}
    faults = ([f"{name}: not exported" for name in sorted(want - there)]
              + [f"{name}: exported, not in webgpu.h" for name in sorted(there - want)])
    for fault in faults:
        print(fault)
    print(f"{len(want & there)} passed, {len(faults)} failed")
    sys.exit(1 if faults or not want else 0)


if __name__ == "__main__":
    main()
