#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""safetensors_test.py - files of the package safetensors are read, and it reads ours.

    safetensors_test.py STORE_TOOL FOLDER       FOLDER: where pip puts the package
"""
import os
import subprocess
import sys

FOLDER = sys.argv[2]
TOOL = sys.argv[1]


def left_out(why):
    print(f"left out: {why}")
    sys.exit(0)


try:
    import numpy
except ImportError:
    left_out("there is no NumPy")
if not os.path.isdir(os.path.join(FOLDER, "safetensors")):
    run = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                          "--target", FOLDER, "safetensors"], capture_output=True, text=True)
    if run.returncode:
        left_out("pip has no package safetensors")
sys.path.insert(0, FOLDER)
from safetensors.numpy import load_file, save_file  # noqa: E402

arrays = {
    "f32": numpy.arange(12, dtype=numpy.float32).reshape(3, 4),
    "f16": numpy.arange(5, dtype=numpy.float16),
    "f64": numpy.array([[1.5]]),
    "i64": numpy.array([-1, 2**40]),
    "u8": numpy.arange(7, dtype=numpy.uint8),
    "bool": numpy.array([True, False, True]),
    "empty": numpy.zeros((0, 3), numpy.float32),
    "scalar": numpy.array(2.5, numpy.float32),
}
theirs, ours = os.path.join(FOLDER, "theirs.safetensors"), os.path.join(FOLDER, "ours.safetensors")
save_file(arrays, theirs, metadata={"who": "safetensors"})
subprocess.run([TOOL, "copy", theirs, ours], check=True)
found = load_file(ours)
assert sorted(found) == sorted(arrays), sorted(found)
for name, array in arrays.items():
    numpy.testing.assert_array_equal(found[name], array, name)
    assert found[name].dtype == array.dtype and found[name].shape == array.shape, name
print(f"{len(arrays)} passed, 0 failed")
