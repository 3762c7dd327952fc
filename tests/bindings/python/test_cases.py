# SPDX-License-Identifier: Apache-2.0
"""The table of cases that all bindings run: bindings/cases/README.md."""
import json
import math
import os
import struct
import unittest

import weft

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bindings/cases")
LIBRARY, BACKEND = os.environ.get("WEFT_WEBGPU"), os.environ.get("WEFT_TEST_BACKEND", "cpu")
CODES = {"f32": "f", "f16": "e", "f64": "d", "i32": "i", "u32": "I", "bytes": "B"}
CANCEL_TRIES = 1000


def make_pool(**options):
    """On the device of the test's environment; the CPU device alone has deadlines."""
    where = {"adapters": ["cpu" if options else BACKEND]}
    if LIBRARY and not options:
        where = {"libraries": [LIBRARY], "own": False}
    return weft.Pool(**where, measure=False, probe_in_process=True, **options)


def argument(a):
    """An input with its type; a single value as a number of Python, if that keeps its type."""
    data = bytes.fromhex(a["data"])
    if a["type"] == "bytes":
        return data
    if not a["shape"] and a["type"] != "f64":
        return struct.unpack("<" + CODES[a["type"]], data)[0]
    return a["type"], data, a["shape"]


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        return f.read()


class Table(unittest.TestCase):
    def run_case(self, case, pool):
        text = read(case["wgsl"])
        if "pool" in case:
            pool = make_pool(dispatch_deadline=case["pool"]["dispatch_deadline"] / 1e9)
        ctx, other = pool.context(**case.get("context", {})), pool.context()
        inputs = {a["name"]: argument(a) for a in case["inputs"]}
        for name in case.get("foreign", []):
            inputs[name] = other.data(memoryview(inputs[name][1]).cast("f"))
        outputs = {o["name"]: (o["type"], tuple(o["shape"])) for o in case["outputs"]}
        options = {k: case[k] for k in ("entry", "constants", "groups", "invocations",
                                        "memory_limit", "no_retry") if k in case}
        if "deadline" in case:
            options["deadline"] = case["deadline"] / 1e9
        if not case.get("cancel"):
            return ctx.execute(text, inputs, outputs, **options)
        for _ in range(CANCEL_TRIES):   # a device may end before it is cancelled
            execution = ctx.submit(text, inputs, outputs, **options)
            execution.cancel()
            result = execution.result()
        return result

    def compare(self, case, result):
        kinds = {o["name"]: o["type"] for o in case["outputs"]}
        for e in case["expected"]:
            got = memoryview(result[e["name"]]).tobytes()
            want = bytes.fromhex(e["data"])
            if "tolerance" not in case:
                self.assertEqual(got, want, e["name"])
                continue
            code = f"<{len(want) // struct.calcsize(CODES[kinds[e['name']]])}" + CODES[
                kinds[e["name"]]]
            for a, b in zip(struct.unpack(code, got), struct.unpack(code, want)):
                self.assertLessEqual(abs(a - b), case["tolerance"] * max(1, abs(b)))
                self.assertFalse(math.isnan(a))

    def test_every_case_has_its_result(self):
        pool = make_pool()
        device = pool.devices()[0]
        cases = json.loads(read("cases.json"))
        self.assertGreaterEqual(len(cases), 30)
        for case in cases:
            with self.subTest(case["name"]):
                if not all(getattr(device, r) for r in case.get("requires", [])):
                    continue
                if "error" not in case:
                    self.compare(case, self.run_case(case, pool))
                    continue
                with self.assertRaises(weft.WeftError) as raised:
                    self.run_case(case, pool)
                self.assertEqual(raised.exception.kind, case["error"]["kind"])
                if case["error"]["name"]:
                    self.assertEqual(raised.exception.names, (case["error"]["name"],))


if __name__ == "__main__":
    unittest.main()
