# SPDX-License-Identifier: Apache-2.0
"""weft.execute(): forms of arguments, asynchronous forms, errors that Python finds itself."""
import array
import asyncio
import concurrent.futures
import ctypes
import unittest

import weft

SCALE = """
struct Params { factor : f32, n : u32 }
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<uniform> params : Params;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < params.n { y[id.x] = x[id.x] * params.factor; }
}
"""
SLOW = """
@group(0) @binding(0) var<storage, read_write> y : array<u32, 1>;
@compute @workgroup_size(1)
fn main() {
    var a = y[0] + 1u;
    for (var i = 0u; i < 300000000u; i++) { a = (a ^ i) * 1664525u + (a >> 3u); }
    y[0] = a;
}
"""


class Execute(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pool = weft.Pool(["cpu"], measure=False, probe_in_process=True)
        cls.ctx = cls.pool.context()

    def scale(self, x, out, n=3, factor=2):
        return self.ctx.execute(SCALE, {"x": x, "params.factor": factor, "params.n": n},
                                {"y": out})["y"]

    def test_inputs_have_many_forms(self):
        numbers = [1.0, 2.0, 3.0]
        floats = array.array("f", numbers)
        forms = [numbers, tuple(numbers), floats, memoryview(floats),
                 (ctypes.c_float * 3)(*numbers),
                 array.array("d", numbers), ("f32", floats.tobytes()),
                 memoryview(array.array("f", [1, 0, 2, 0, 3, 0]))[::2]]
        for form in forms:
            with self.subTest(type(form).__name__):
                self.assertEqual(list(self.scale(form, 3)), [2, 4, 6])

    def test_outputs_have_many_forms(self):
        place = array.array("f", [0] * 3)
        self.assertIs(self.scale([1.0, 2, 3], place), place)
        self.assertEqual(list(place), [2, 4, 6])
        self.assertEqual(list(self.scale([1.0, 2, 3], ("f64", (3,)))), [2, 4, 6])
        self.assertEqual(list(self.scale([1.0, 2, 3], (3,))), [2, 4, 6])
        increment = """
            @group(0) @binding(0) var<storage, read_write> v : array<i32>;
            @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id : vec3u) {
                if id.x < arrayLength(&v) { v[id.x] += 1; } }"""
        self.assertEqual(list(self.ctx.execute(increment, {"v": [1, 2]}, ["v"])["v"]), [2, 3])
        fixed = """
            @group(0) @binding(0) var<storage, read_write> v : array<u32, 4>;
            @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id : vec3u) {
                v[id.x] = id.x; }"""
        self.assertEqual(list(self.ctx.execute(fixed, {}, "v")["v"]), [0, 1, 2, 3])

    def test_data_stays_on_devices(self):
        x, y = self.ctx.data(array.array("f", [1, 2, 3])), self.ctx.data(array.array("f", [0] * 3))
        for factor in (2, 3):
            self.ctx.execute(SCALE, {"x": x, "params.factor": factor, "params.n": 3}, {"y": y})
        self.assertEqual(list(y.read()), [3, 6, 9])
        x.write(array.array("f", [10]), 4)
        self.assertEqual(list(x.read()), [1, 10, 3])

    def test_wrong_arguments_are_told(self):
        ok = {"x": [1.0], "params.factor": 1, "params.n": 1}
        for inputs, outputs, options, error in (
                ({**ok, "x": [[1.0], [1.0, 2.0]]}, {"y": 1}, {}, weft.ShapeError),
                ({**ok, "x": object()}, {"y": 1}, {}, weft.DTypeError),
                ({**ok, "x": array.array("q", [1])}, {"y": 1}, {}, weft.DTypeError),
                ({**ok, "params.n": 1.5}, {"y": 1}, {}, weft.DTypeError),
                ({**ok, "params.n": -1}, {"y": 1}, {}, weft.DTypeError),
                ({**ok, "x": []}, {"y": 1}, {}, weft.ShapeError),
                (ok, {"y": -1}, {}, weft.ShapeError),
                (ok, {"y": b"\0\0\0\0"}, {}, weft.InvalidError),
                (ok, {"y": "f32"}, {}, weft.DTypeError),
                (ok, ["y"], {}, weft.ShapeError),
                (ok, {"y": 1}, {"groups": (1, 2, 3, 4)}, weft.InvalidError),
                (ok, {"y": 1}, {"policy": "fast"}, weft.InvalidError),
                (ok, {"y": 1}, {"speed": 1}, TypeError),
                (ok, {"y": 1}, {"deadline": -1}, weft.InvalidError)):
            with self.subTest(inputs=inputs, outputs=outputs, options=options):
                with self.assertRaises(error):
                    self.ctx.execute(SCALE, inputs, outputs, **options)
        with self.assertRaises(weft.InvalidError):
            self.ctx.execute("fn main() {}\0")

    def test_asyncio(self):
        async def several():
            return await asyncio.gather(*(self.ctx.execute_async(
                SCALE, {"x": [1.0, 2.0], "params.factor": k, "params.n": 2}, {"y": 2})
                for k in range(8)))
        results = asyncio.run(several())
        self.assertEqual([list(r["y"]) for r in results], [[k, 2 * k] for k in range(8)])

    def test_a_cancelled_task_cancels_its_execution(self):
        async def cancel():
            task = asyncio.ensure_future(self.ctx.execute_async(SLOW, {}, {"y": 1}))
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        asyncio.run(cancel())

    def test_submit(self):
        e = self.ctx.submit(SLOW, {}, {"y": 1})
        with self.assertRaises(weft.TimeoutError):
            e.result(timeout=0)
        self.assertTrue(e.cancel())
        with self.assertRaises(weft.CancelledError):
            e.result()
        self.assertTrue(e.done())

    def test_threads_share_a_context(self):
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda k: list(self.scale([1.0, 2, 3], 3, factor=k)),
                                     range(64)))
        self.assertEqual(found, [[k, 2 * k, 3 * k] for k in range(64)])

    def test_devices_and_explanations(self):
        device = self.pool.devices()[0]
        self.assertEqual((device.backend, device.state, device.index), ("cpu", "ready", 0))
        text = self.ctx.explain(SCALE, {"x": [1.0], "params.factor": 1, "params.n": 1}, {"y": 1})
        self.assertIn(device.name, text)
        self.assertEqual(self.pool.sources()[0][0], "weft")


if __name__ == "__main__":
    unittest.main()
