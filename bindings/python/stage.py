#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stage.py - puts the package together in a folder that can be imported from.

    bindings/python/stage.py FOLDER LIBRARY...

FOLDER/weft gets the modules, the declarations of the C interface (declare.py) and the libraries,
which are linked, not copied. PYTHONPATH=FOLDER then suffices.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def stage(folder, libraries, copy=False):
    package = os.path.join(folder, "weft")
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "weft"), package,
                    ignore=shutil.ignore_patterns("__pycache__", "_abi.py", "lib"))
    subprocess.run([sys.executable, os.path.join(HERE, "declare.py"),
                    os.path.join(package, "_abi.py")], check=True)
    os.mkdir(os.path.join(package, "lib"))
    for library in libraries:
        target = os.path.join(package, "lib", soname(library))
        if copy:
            shutil.copy(os.path.realpath(library), target)
        else:
            os.symlink(os.path.realpath(library), target)
    return package


def soname(library):
    """libweft.so.0: what the loader asks for."""
    base, _, rest = os.path.basename(os.path.realpath(library)).partition(".so")
    return base + ".so" + ("." + rest.split(".")[1] if rest else "")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    stage(sys.argv[1], sys.argv[2:])
