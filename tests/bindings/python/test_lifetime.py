# SPDX-License-Identifier: Apache-2.0
"""Objects after their release, from finalisers, from several threads, after fork(); leaks."""
import array
import gc
import os
import threading
import unittest

import weft

DOUBLE = """
@group(0) @binding(0) var<storage, read_write> v : array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&v) { v[id.x] *= 2.0; } }
"""


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def in_child(work):
    """Runs work in a child of fork(); its exit status."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def refuses(work):
    """Whether work() is refused with a defined error."""
    try:
        work()
    except weft.InvalidError:
        return True
    return False


class Lifetime(unittest.TestCase):
    def setUp(self):
        self.pool = weft.Pool(["cpu"], measure=False, probe_in_process=True)
        self.ctx = self.pool.context()
        self.context = weft.Context("cpu")

    def run_double(self, ctx):
        return list(ctx.execute(DOUBLE, {"v": array.array("f", [1, 2])}, ["v"])["v"])

    def test_after_release(self):
        t = weft.asarray([1.0], context=self.context)
        data = self.ctx.data(array.array("f", [1]))
        for thing, use in ((t, lambda: t + 1), (data, data.read),
                           (self.ctx, lambda: self.run_double(self.ctx)),
                           (self.pool, self.pool.devices)):
            thing.release()
            thing.release()
            self.assertTrue(refuses(use), thing._what)

    def test_tensors_of_a_released_context(self):
        t = weft.asarray([1.0], context=self.context)
        self.context.release()
        self.assertTrue(refuses(lambda: (t + 1).tolist()))
        t.release()

    def test_a_pool_may_go_before_its_contexts(self):
        self.pool.release()
        self.assertEqual(self.run_double(self.ctx), [2, 4])

    def test_finalisers_on_other_threads(self):
        def work():
            for _ in range(50):
                cycle = [weft.asarray([1.0, 2.0], context=self.context)]
                cycle.append(cycle)                 # only the collector finds it
                (cycle[0] * 2).tolist()
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for _ in range(50):
            gc.collect()
        for t in threads:
            t.join()
        gc.collect()
        weft.asarray([1.0], context=self.context).tolist()
        self.assertLess(self.context.memory["live"], 1 << 16)

    def test_after_fork(self):
        t = weft.asarray([1.0, 2.0], context=self.context)
        self.assertEqual((t + t).tolist(), [2, 4])
        self.assertEqual(self.run_double(self.ctx), [2, 4])
        self.assertEqual(in_child(lambda: refuses(lambda: t + 1)), 0)
        self.assertEqual(in_child(lambda: refuses(lambda: self.run_double(self.ctx))), 0)
        self.assertEqual(in_child(lambda: t.release() is None and self.pool.release() is None), 0)

        def anew():
            gc.collect()
            with weft.Pool(["cpu"], measure=False, probe_in_process=True) as pool:
                return self.run_double(pool.context()) == [2, 4]
        self.assertEqual(in_child(anew), 0)
        self.assertEqual(in_child(
            lambda: weft.asarray([3.0], context=weft.Context("cpu")).tolist() == [3.0]), 0)
        self.assertEqual(self.run_double(self.ctx), [2, 4])

    def test_nothing_leaks(self):
        big = array.array("f", bytes(1 << 20))

        def once():
            self.ctx.execute(DOUBLE, {"v": big}, ["v"])
            self.ctx.submit(DOUBLE, {"v": big}, ["v"]).result()
            x = weft.asarray(big, context=self.context)
            y = weft.from_dlpack(weft.sqrt(x) + 1, context=self.context)
            weft.sum(weft.asarray(big, copy=False, context=self.context) + y).item()
            y.__dlpack__()
            with weft.solve.Graph(context=self.context) as g:
                g.output(g.input("x", 1)[0])
            try:
                self.ctx.execute("wrong")
            except weft.CompileError:
                pass
        for _ in range(20):
            once()
        gc.collect()
        grown = []
        for _ in range(4):              # a leak grows each time, what is compiled behind us once
            before = resident()
            for _ in range(60):
                once()
            gc.collect()
            grown.append(resident() - before)
            if grown[-1] < 16 << 20:
                break
        self.assertLess(grown[-1], 16 << 20, grown)         # a leak of one array: 60 MB
        self.assertLess(self.context.memory["live"], 1 << 16)
        self.assertEqual(self.ctx.usage()["memory"], 0)


if __name__ == "__main__":
    unittest.main()
