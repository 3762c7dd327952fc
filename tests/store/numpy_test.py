#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numpy_test.py - files that NumPy writes are read, and NumPy reads what is written.

    numpy_test.py STORE_TOOL
"""
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    print("left out: there is no NumPy")
    sys.exit(0)

TOOL = sys.argv.pop()
TYPES = {"f32": "<f4", "f16": "<f2", "f64": "<f8", "i32": "<i4", "u32": "<u4", "i8": "|i1",
         "u8": "|u1", "i64": "<i8", "bool": "|b1"}


def tool(*arguments):
    run = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return run.stdout


def read(path):
    """{name: array} as the tool sees them."""
    found = {}
    for line in tool("list", path).splitlines():
        name, dtype, shape, data = line.split("\t")
        sizes = tuple(int(n) for n in shape.split(",")) if shape else ()
        found[name] = numpy.frombuffer(bytes.fromhex(data), TYPES[dtype]).reshape(sizes)
    return found


def arrays():
    rng = numpy.random.default_rng(1)
    base = rng.normal(size=(3, 4, 5)) * 50
    made = {name: base.astype(dtype) for name, dtype in TYPES.items()}
    made["fortran"] = numpy.asfortranarray(base.astype("<f4"))
    made["big"] = base.astype(">f4")
    made["big64"] = base.astype(">i8")
    made["short"] = base.astype("<i2")
    made["bigshort"] = base.astype(">u2")
    made["scalar"] = numpy.float32(3.5)
    made["empty"] = numpy.zeros((0, 7), "<f4")
    made["turned"] = base.astype("<i4").transpose(2, 0, 1)
    return made


class Store(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.temp.cleanup()

    def path(self, name):
        return os.path.join(self.temp.name, name)

    def compare(self, found, want):
        self.assertEqual(sorted(found), sorted(want))
        for name, array in want.items():
            self.assertEqual(found[name].shape, numpy.shape(array), name)
            numpy.testing.assert_array_equal(found[name], array, name)

    def test_archives(self):
        numpy.savez(self.path("plain.npz"), **arrays())
        numpy.savez_compressed(self.path("packed.npz"), **arrays())
        self.compare(read(self.path("plain.npz")), arrays())
        self.compare(read(self.path("packed.npz")), arrays())

    def test_single_arrays(self):
        for name, array in arrays().items():
            numpy.save(self.path("one.npy"), array)
            self.compare(read(self.path("one.npy")), {"array": array})

    def test_numpy_reads_ours(self):
        numpy.savez_compressed(self.path("from.npz"), **arrays())
        tool("copy", self.path("from.npz"), self.path("to.npz"))
        with numpy.load(self.path("to.npz")) as found:
            self.compare({name: found[name] for name in found.files}, arrays())
        for name, array in arrays().items():
            numpy.save(self.path("a.npy"), array)
            tool("copy", self.path("a.npy"), self.path("b.npy"))
            numpy.testing.assert_array_equal(numpy.load(self.path("b.npy")), array)

    def test_all_ways_through(self):
        numpy.savez(self.path("a.npz"), **arrays())
        way = ["a.npz", "b.safetensors", "c.safetensors.index.json", "models", "d.npz"]
        for i, name in enumerate(way[1:]):
            tool("copy", self.path(way[i]), self.path(name))
            self.compare(read(self.path(name)), arrays())
        self.assertGreater(len([name for name in os.listdir(self.temp.name)
                                if name.startswith("c-")]), 5)

    def test_safetensors_by_the_book(self):
        data = numpy.arange(6, dtype="<f4").reshape(2, 3)
        head = (b'{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2,3],'
                b'"data_offsets":[0,24]}}   ')
        with open(self.path("x.safetensors"), "wb") as file:
            file.write(len(head).to_bytes(8, "little") + head + data.tobytes())
        self.compare(read(self.path("x.safetensors")), {"w": data})

    def test_records_are_refused(self):
        numpy.save(self.path("c.npy"), numpy.zeros(3, "c8"))
        with self.assertRaisesRegex(RuntimeError, "format:.*c8"):
            read(self.path("c.npy"))


if __name__ == "__main__":
    unittest.main()
