# SPDX-License-Identifier: Apache-2.0
"""Tensors: operators, indexing, memory in and out, solver and files. data-apis/array-api-tests
covers the standard (array_api.sh); here is what it does not."""
import array
import math
import os
import tempfile
import unittest

import weft

try:
    import numpy
except ImportError:
    numpy = None


class Tensors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = weft.Context("cpu")
        weft.set_default_context(cls.context)

    @classmethod
    def tearDownClass(cls):
        weft.set_default_context(None)

    def test_indexing(self):
        x = weft.reshape(weft.arange(24), (2, 3, 4))
        rows = [[[r * 12 + c * 4 + i for i in range(4)] for c in range(3)] for r in range(2)]
        self.assertEqual(x.tolist(), rows)
        self.assertEqual(x[1, ..., -1].tolist(), [15, 19, 23])
        self.assertEqual(x[:, None, 0, ::2].shape, (2, 1, 2))
        self.assertEqual(x[0, ::-1, 0].tolist(), [8, 4, 0])
        self.assertEqual(x[x > 20].tolist(), [21, 22, 23])
        self.assertEqual(x[weft.asarray([1, 0]), weft.asarray([2, -1])].tolist(),
                         [rows[1][2], rows[0][2]])
        for key in ((0, 0, 0, 0), (2,), (slice(None), 3), (0, 0, -5), (..., ...)):
            with self.assertRaises(IndexError):
                x[key]
        with self.assertRaises(weft.InvalidError):
            x[::0]

    def test_writing(self):
        x = weft.zeros((3, 4), dtype="int32")
        x[1] = weft.arange(4)
        x[:, 0] = 9
        x[0, 1:3] = [5, 6]
        view = x[2]
        view[3] = 7
        x[weft.asarray([1, 2]), weft.asarray([1, 1])] = weft.asarray([-1, -2])
        self.assertEqual(x.tolist(), [[9, 5, 6, 0], [9, -1, 2, 3], [9, -2, 0, 7]])
        x[x < 0] = 0
        self.assertEqual(weft.sum(x).item(), 9 + 5 + 6 + 9 + 2 + 3 + 9 + 7)

    def test_what_was_read_follows_writes(self):
        x = weft.asarray([1, 2, 3])
        self.assertEqual(x[0].item(), 1)
        y = x[1:]
        y[0] = 50
        self.assertEqual(x.tolist(), [1, 50, 3])
        self.assertEqual(x[1].item(), 50)

    def test_memory(self):
        data = array.array("f", [1, 2, 3])
        x = weft.asarray(data)
        data[0] = 9
        self.assertEqual(x.tolist(), [1, 2, 3])
        borrowed = weft.asarray(data, copy=False)
        self.assertEqual((borrowed + 1).tolist(), [10, 3, 4])
        self.assertEqual(weft.asarray(b"\1\2").dtype, weft.uint8)
        with self.assertRaises(weft.DTypeError):
            weft.asarray(array.array("H", [1]))
        with self.assertRaises(weft.InvalidError):
            weft.asarray([2**40])

    def test_dlpack_between_tensors(self):
        x = weft.asarray([[1.5, 2], [3, 4]])
        capsule = x.__dlpack__()
        self.assertEqual(weft.from_dlpack(capsule).tolist(), x.tolist())
        with self.assertRaises(weft.InvalidError):
            weft.from_dlpack(capsule)
        self.assertEqual(x.__dlpack_device__(), (1, 0))

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_numpy(self):
        a = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
        for view in (a, a.T, a[::2, 1:], a[::-1]):
            t = weft.from_dlpack(view)
            self.assertTrue((numpy.from_dlpack(t) == view).all())
            self.assertTrue((numpy.asarray(weft.asarray(view)) == view).all())
        t = weft.asarray(a)
        self.assertIsInstance(t * a, weft.Tensor)
        self.assertIsInstance(numpy.float32(2) * t, weft.Tensor)
        self.assertEqual(t.numpy().dtype, numpy.float32)

    def test_errors_name_both_shapes(self):
        with self.assertRaises(weft.ShapeError) as e:
            weft.zeros((2, 3)) + weft.zeros(4)
        self.assertIn("3", str(e.exception))
        self.assertEqual(e.exception.kind, "shape")
        with self.assertRaises(weft.ShapeError):
            weft.zeros((1,) * 9)

    def test_networks(self):
        x = weft.random.normal(1, (2, 3, 8, 8))
        w = weft.random.normal(2, (4, 3, 3, 3))
        y = weft.nn.conv2d(x, w, padding=1, activation="relu")
        self.assertEqual(y.shape, (2, 4, 8, 8))
        self.assertGreaterEqual(weft.min(y).item(), 0)
        self.assertEqual(weft.nn.max_pool(y, 2).shape, (2, 4, 4, 4))
        q = weft.random.normal(3, (1, 2, 5, 16))
        self.assertEqual(weft.nn.attention(q, q, q, causal=True).shape, (1, 2, 5, 16))
        total = weft.sum(weft.nn.softmax(weft.reshape(x, (6, 64))), axis=-1)
        self.assertTrue(all(abs(v - 1) < 1e-5 for v in total.tolist()))
        blocks = weft.nn.quantize(weft.random.normal(4, (2, 32)), "q8_0")
        self.assertEqual(weft.nn.dequantize(blocks).shape, (2, 32))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.safetensors")
            weft.store.save(path, {"x": weft.asarray([1.5, 2]), "n": weft.asarray([[1], [2]])})
            found = weft.store.load(path)
            self.assertEqual({k: v.tolist() for k, v in found.items()},
                             {"x": [1.5, 2], "n": [[1], [2]]})
            with self.assertRaises(weft.NotFoundError):
                weft.store.load(path + "x")

    def test_solvers(self):
        g = weft.solve.Graph()
        cx, cy, r = g.input("circle", 3)
        px, py = g.data("point", 2)
        g.output((px - cx).hypot(py - cy) - r)
        points = [[3 + 2 * math.cos(a), -1 + 2 * math.sin(a)] for a in range(8)]
        batch = weft.solve.Batch(g, 3, data=points)
        problem = weft.solve.Problem(3)
        problem.add(batch, loss=("huber", 1.0))
        result = problem.solve([0, 0, 1])
        self.assertTrue(result.converged)
        for value, expected in zip(result.x, (3, -1, 2)):
            self.assertAlmostEqual(value, expected, places=5)
        self.assertEqual(len(problem.covariance(result.x)), 3)
        with self.assertRaises(ZeroDivisionError):
            problem.solve([0, 0, 1], callback=lambda i: 1 / 0)
        with self.assertRaises(weft.ShapeError):
            problem.solve([0, 0])
        with self.assertRaises(KeyError):
            weft.solve.least_squares(lambda p: [p[0]] if p[0] == 1 else {}["x"], [1.0])


if __name__ == "__main__":
    unittest.main()
