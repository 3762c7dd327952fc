#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings whose effect no other test needs: what is synchronised, the map, the pages, whose
the vectors of a watched folder are."""
import array
import os
import random
import struct
import tempfile
import unittest

from harness import Server, double, key_of, main, until

WEFT = None
MAP = ("vectors.map.width=6", "vectors.map.height=6", "vectors.update=10ms")


def npy(rows):
    head = str({"descr": "<f4", "fortran_order": False, "shape": (len(rows), len(rows[0]))})
    head = head.ljust(117) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
            + array.array("f", [x for row in rows for x in row]).tobytes())


class Store(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("WEFT_SYNC_SHIM"), "needs the preloaded sync_shim")
    def test_synchronous(self):
        """full: a durable job waits for the log of the store to reach the disk; normal: none
        does."""
        for value in ("full", "normal"):
            with tempfile.TemporaryDirectory() as folder:
                log = os.path.join(folder, "synced")
                env = {**os.environ, "LD_PRELOAD": os.environ["WEFT_SYNC_SHIM"],
                       "WEFT_SYNC_LOG": log}
                with Server(WEFT, f"store.synchronous={value}", "store.answer=durable",
                            "webgpu_integration.security.audit_logging_enabled=false",
                            env=env) as s:
                    s.until_ready()

                    def count():
                        if not os.path.exists(log):
                            return 0
                        with open(log) as file:
                            return sum(line.endswith("weft.sqlite-wal\n") for line in file)
                    before = count()
                    for i in range(5):
                        s.ok("POST", "/v1/jobs", double([i]))
                    self.assertEqual(count() - before, 5 if value == "full" else 0)


class Map(unittest.TestCase):
    def train(self, *settings):
        rng = random.Random(1)
        rows = [[rng.random() for _ in range(3)] for _ in range(300)]
        with Server(WEFT, *MAP, *settings) as s:
            for i in range(0, 300, 50):
                s.ok("POST", "/v1/vectors", {"vectors": rows[i:i + 50]})
            until(lambda: s.ok("GET", "/v1/vectors/map").get("count") == 300)
            return s.ok("GET", "/v1/vectors/map")

    def test_steps(self):
        """A map that has cooled down is closer to its vectors than one that is still warm."""
        warm = self.train("vectors.map.steps=20_000")
        cold = self.train("vectors.map.steps=10")
        self.assertLess(cold["quality"]["quantisation_error"] * 1.5,
                        warm["quality"]["quantisation_error"])

    def test_toroidal(self):
        plane, torus = self.train(), self.train("vectors.map.toroidal=true")
        self.assertEqual((plane["toroidal"], torus["toroidal"]), (False, True))
        self.assertNotEqual(plane["umatrix"], torus["umatrix"])


class Pages(unittest.TestCase):
    def test_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "more"))
            for name, text in (("index.html", "<p>mine"), ("more/a.js", "1"), (".hidden.js", "2")):
                with open(os.path.join(folder, name), "w") as out:
                    out.write(text)
            with Server(WEFT, f"server.web={folder}") as s:
                page = s.call("GET", "/", headers={"Accept": "text/html"})[2]
                self.assertEqual(page, b"<p>mine")
                self.assertEqual(s.call("GET", "/more/a.js")[2], b"1")
                for path in ("/.hidden.js", "/more/../index.html", "/more"):
                    self.assertEqual(s.call("GET", path)[0], 404, path)

    def test_off(self):
        with Server(WEFT, "server.web=off") as s:
            status, headers, text = s.call("GET", "/", headers={"Accept": "text/html"})
            self.assertEqual((status, headers["Content-Type"].split(";")[0]),
                             (200, "text/plain"))
            self.assertIn(b"/v1/jobs", text)
            self.assertEqual(s.call("GET", "/index.html")[0], 404)

    def test_folder_that_is_missing(self):
        with self.assertRaisesRegex(AssertionError, "/nowhere: No such file"):
            Server(WEFT, "server.web=/nowhere")


class Watch(unittest.TestCase):
    def test_tenant(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(WEFT, f"vectors.watch={folder}", "vectors.watch_tenant=alice",
                        "auth.required=true", start=False) as s:
                alice, bob = (key_of(WEFT, s.data, name) for name in ("alice", "bob"))
                s.start()
                with open(os.path.join(folder, "part"), "wb") as out:
                    out.write(npy([[1, 2], [3, 4], [5, 6]]))
                os.rename(os.path.join(folder, "part"), os.path.join(folder, "rows.npy"))
                until(lambda: s.ok("GET", "/v1/vectors", key=alice)["count"] == 3)
                self.assertEqual(s.ok("GET", "/v1/vectors", key=bob)["count"], 0)


if __name__ == "__main__":
    main(globals())
