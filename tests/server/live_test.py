#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The live protocol: vectors and results come to subscribers as they arrive."""
import json
import math
import os
import random
import signal
import sqlite3
import struct
import tempfile
import unittest

from harness import Server, double, key_of, main, until
from live_client import Live

WEFT = None


def rows(count, dimension, seed=1):
    """Vectors around four centres."""
    r = random.Random(seed)
    centres = [[r.uniform(-1, 1) for _ in range(dimension)] for _ in range(4)]
    return [[c + r.gauss(0, 0.1) for c in centres[i % 4]] for i in range(count)]


def near(a, b):
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-7)
                                    for x, y in zip(a, b))


class Case(unittest.TestCase):
    settings = ()

    def setUp(self):
        self.s = Server(WEFT, *self.settings)
        self.addCleanup(self.s.__exit__, None)

    def client(self, **more):
        c = Live(self.s.port, **more)
        self.addCleanup(c.done)
        return c

    def add(self, vectors, **more):
        return self.s.ok("POST", "/v1/vectors", {"vectors": vectors, **more})


class Messages(Case):
    def test_vectors_come_once_in_the_form_of_each_client(self):
        text, packed, binary, headed = (self.client(), self.client(deflate=True), self.client(),
                                        self.client(protocol="weft.live"))
        for c in (text, packed, headed):
            self.assertEqual(c.subscribe("vector_updates")["channels"], ["vector_updates"])
        self.assertTrue(binary.subscribe("vector_updates", binary=True)["binary"])
        vectors = rows(20, 8)
        receipt = self.add(vectors, labels=[f"row {i}" for i in range(20)])
        self.assertEqual(receipt["ids"], list(range(20)))
        self.assertEqual((receipt["count"], receipt["total"], receipt["dimension"]), (20, 20, 8))
        for c in (text, packed):
            m = c.next()
            self.assertEqual((m["type"], m["count"], m["seq"]), ("vector_batch", 20, 1))
            self.assertTrue(all(near(a, b) for a, b in zip(m["vectors"], vectors)))
            self.assertEqual(m["labels"][7], "row 7")
            self.assertRegex(m["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual((text.compressed, packed.compressed > 0), (0, True))
        self.assertEqual(binary.next()["dimension"], 8)
        flat = [x for row in vectors for x in row]
        self.assertTrue(near(struct.unpack("<160f", binary.next()), flat))
        data = headed.next()
        seq, first, dimension, count, dtype, flags = struct.unpack_from("<QQIIII", data)
        self.assertEqual((seq, first, dimension, count, dtype, flags), (1, 0, 8, 20, 1, 2))
        self.assertTrue(near(struct.unpack_from("<160f", data, 32), flat))
        self.assertEqual(json.loads(data[32 + 640:])[3], "row 3")
        for c in (text, binary, headed):
            c.say("ping", request="p")
            m = c.next()                # nothing came twice
            self.assertEqual((m["type"], m["request"], m["seq"]), ("pong", "p", 1))

    def test_ingest_over_the_socket(self):
        watcher, c, h = self.client(), self.client(), self.client(protocol="weft.live")
        watcher.subscribe("vector_updates")
        c.say("vectors", vectors=[[1, 2], [3, 4]], ids=[7, 9], request="a")
        self.assertEqual(c.until("ingested")["ids"], [7, 9])
        c.say("vector_stream", dimension=2)
        c.binary(struct.pack("<4f", 5, 6, 7, 8))
        self.assertEqual(c.until("ingested")["ids"], [10, 11])
        h.binary(struct.pack("<QQIIII", 0, 0, 2, 1, 1, 1) + struct.pack("<Q", 40)
                 + struct.pack("<2f", 9, 1))
        self.assertEqual(h.until("ingested")["ids"], [40])
        seen = [watcher.next() for _ in range(3)]
        self.assertEqual([m["ids"] for m in seen], [[7, 9], [10, 11], [40]])
        self.assertEqual([m["seq"] for m in seen], [1, 2, 3])

    def test_recent_vectors(self):
        c = self.client()
        c.say("request_vectors")
        self.assertEqual(c.next()["count"], 0)
        for i in range(3):
            self.add(rows(10, 4, seed=i))
        c.say("request_vectors", limit=15)
        self.assertEqual([c.next()["count"] for _ in range(2)], [5, 10])
        c.say("request_vectors", since=2)
        self.assertEqual(c.next()["seq"], 3)
        listed = self.s.ok("GET", "/v1/vectors?limit=12")
        self.assertEqual([b["count"] for b in listed["batches"]], [2, 10])
        self.assertEqual((listed["count"], listed["dimension"], listed["seq"]), (30, 4, 3))

    def test_more_recent_vectors_than_a_queue_takes(self):
        with Server(WEFT, "live.queue=64KiB", "vectors.enabled=false") as s:
            for i in range(60):         # 60 x 16 KB; as JSON 60 x 40 KB
                s.ok("POST", "/v1/vectors", {"vectors": [[i + k / 7 for k in range(100)]] * 40})
            for protocol in ("weft.live", None):
                c = Live(s.port, protocol=protocol)
                c.say("request_vectors", limit=2390)
                first = []              # number of each row
                while len(first) < 2390:
                    m = c.next()
                    self.assertNotEqual(m["type"] if isinstance(m, dict) else "", "missed")
                    if isinstance(m, bytes):
                        count = struct.unpack_from("<I", m, 20)[0]
                        first += [struct.unpack_from("<f", m, 32 + 400 * i)[0] for i in range(count)]
                    elif m["type"] == "vector_batch":
                        first += [row[0] for row in m["vectors"]]
                self.assertEqual(first, [float(i) for i in range(60) for _ in range(40)][10:])
                c.done()

    def test_requests_wait_for_the_client(self):
        with Server(WEFT, "live.queue=64KiB", "vectors.enabled=false") as s:
            for i in range(60):         # 2 MB as JSON: more than sockets hold
                s.ok("POST", "/v1/vectors", {"vectors": [[i + k / 7 for k in range(100)]] * 40})
            c, other = Live(s.port), Live(s.port)
            for _ in range(100):
                c.say("request_vectors", limit=2400)
            other.say("ping")
            self.assertEqual(other.next()["type"], "pong")
            rows, seq = 0, 0            # a part of the first answer, and the latest one
            while seq < 60:
                m = c.next()
                rows, seq = rows + m["count"], m["seq"]
            c.say("ping")
            while (m := c.next())["type"] != "pong":
                rows += m["count"]
            self.assertTrue(2400 <= rows < 10 * 2400, rows)
            c.done()
            other.done()

    def test_resume_by_number(self):
        c = self.client()
        first = c.subscribe("vector_updates")
        self.add([[1, 0]])
        seen = c.next()["seq"]
        c.done()
        self.add([[2, 1]])
        self.add([[3, 1]])
        again = self.client()
        answer = again.subscribe("vector_updates", since=seen, stream=first["stream"])
        self.assertTrue(answer["resumed"])
        self.assertEqual([again.next()["seq"] for _ in range(2)], [2, 3])
        other = self.client()
        self.assertFalse(other.subscribe("vector_updates", since=1, stream="0")["resumed"])

    def test_jobs(self):
        c, other = self.client(), self.client()
        c.subscribe("job_results")
        other.say("submit_job", request="j", job={**double([1, 2, 3]), "wait": False})
        accepted = other.until("job_accepted")
        done = other.until("job_completed")
        self.assertEqual(done["result"]["id"], accepted["id"])
        self.assertEqual(done["result"]["vector"], [2, 4, 6])
        self.assertEqual(c.until("job_completed")["result"]["id"], accepted["id"])
        other.say("submit_job", job={"wgsl": "fn"}, request="k")
        self.assertEqual(other.until("error")["request"], "k")
        bad = self.s.ok("POST", "/v1/jobs", {**double([1]), "wgsl": "nonsense", "wait": False})
        self.assertEqual(c.until("job_completed")["result"]["state"], "failed", bad)

    def test_a_job_publishes_its_rows(self):
        c = self.client()
        c.subscribe("vector_updates", "job_results")
        job = double([1, 2, 3, 4, 5, 6], publish="vectors")
        job["outputs"]["y"]["shape"] = [2, 3]
        self.s.ok("POST", "/v1/jobs", job)
        messages = sorted((c.next(), c.next()), key=lambda m: m["type"])
        self.assertEqual(messages[0]["result"]["vector"], [2, 4, 6, 8, 10, 12])
        self.assertEqual(messages[1]["vectors"], [[2, 4, 6], [8, 10, 12]])
        status, _, answer = self.s.call("POST", "/v1/jobs", double([1], publish="pictures"))
        self.assertEqual((status, answer["error"]["kind"]), (400, "invalid"))

    def test_state_metrics_and_the_view(self):
        c, other = self.client(), self.client()
        c.subscribe("state", "metrics")
        self.assertIsNone(c.until("state")["view"])
        other.say("set_view", view={"camera": {"x": 1.5}})
        other.until("view_set")
        self.assertEqual(c.until("state")["view"], {"camera": {"x": 1.5}})
        self.assertGreaterEqual(c.until("metrics")["connections"], 2)
        self.s.ok("POST", "/v1/jobs", double([1]))
        states = [c.until("state")["state"] for _ in range(2)]
        self.assertEqual(states, ["processing", "idle"])
        c.say("unsubscribe", channels=["metrics"])
        self.assertEqual(c.until("unsubscribed")["channels"], ["state"])
        c.say("unsubscribe")
        self.assertEqual(c.until("unsubscribed")["channels"], [])

    def test_both_ports(self):
        c = Live(self.s.live_port())
        c.subscribe("vector_updates")
        self.add([[1, 2]])
        self.assertEqual(c.next()["vectors"], [[1, 2]])
        c.done()


class Pictures(Case):
    settings = ("vectors.map.width=8", "vectors.map.height=6", "vectors.update=50ms")

    def test_search(self):
        vectors = rows(400, 16)
        self.add(vectors, labels=[f"w{i}" for i in range(400)])
        found = self.s.ok("GET", "/v1/vectors/search?id=8&count=5")["results"]
        self.assertEqual((found[0]["id"], found[0]["label"]), (8, "w8"))
        self.assertTrue(all(r["id"] % 4 == 0 for r in found))
        self.assertEqual(self.s.ok("GET", "/v1/vectors/search?label=w8&count=5")["results"], found)
        text = ",".join(map(str, vectors[8]))
        by_row = self.s.ok("GET", f"/v1/vectors/search?vector={text}&count=5")["results"]
        self.assertEqual([r["id"] for r in by_row], [r["id"] for r in found])
        by_json = self.s.ok("POST", "/v1/vectors/search", {"vector": vectors[8], "count": 5})
        self.assertEqual(by_json["results"], by_row)

    def test_map_and_projection(self):
        c = self.client()
        c.subscribe("som")
        vectors = rows(600, 5)
        self.add(vectors)
        m = c.until("som_update")
        self.assertEqual((m["width"], m["height"], m["count"], m["grid"]),
                         (8, 6, 600, "hexagonal"))
        self.assertEqual((len(m["umatrix"]), sum(m["hits"])), (48, 600))
        self.assertLess(m["quality"]["topographic_error"], 0.5)
        self.assertGreater(m["quality"]["explained_variance"], 0.5)
        p = m["projection"]
        self.assertEqual((len(p["axes"]), len(p["axes"][0]), len(p["mean"])), (3, 5, 5))
        for i, a in enumerate(p["axes"]):
            for j, b in enumerate(p["axes"]):
                self.assertAlmostEqual(sum(x * y for x, y in zip(a, b)), float(i == j), 4)
        places = self.s.ok("POST", "/v1/vectors/places", {"ids": list(range(40))})["places"]
        groups = [[q["unit"] for q in places if q["id"] % 4 == i] for i in range(4)]
        for i in range(4):              # the centres are apart on the map
            for j in range(i):
                self.assertFalse(set(groups[i]) & set(groups[j]))
        self.assertEqual(len(self.s.ok("GET", "/v1/vectors/map?component=2")["values"]), 48)
        self.assertEqual(self.s.ok("GET", "/v1/vectors/map")["umatrix"], m["umatrix"])

    def test_replaced_and_cleared(self):
        self.add([[1, 0], [0, 1]], ids=[5, 6])
        self.assertEqual(self.add([[0, 2]], ids=[5])["total"], 2)
        self.assertAlmostEqual(self.s.ok("GET", "/v1/vectors/search?id=5")["results"][1]["score"],
                               1, 5)
        c = self.client()
        c.subscribe("vector_updates")
        self.s.ok("DELETE", "/v1/vectors")
        c.until("vectors_cleared")
        self.assertEqual(self.add([[1, 2, 3]])["ids"], [0])     # another dimension
        self.assertEqual(self.s.ok("GET", "/v1/vectors")["count"], 1)

    def test_files_of_a_folder(self):
        folder = tempfile.mkdtemp(prefix="weft-watch-")
        self.addCleanup(lambda: os.system(f"rm -rf {folder}"))

        def put(name, vectors):
            with open(f"{folder}/{name}.txt", "w") as out:
                out.write("".join(f"{name}-{i}\n" for i in range(len(vectors))))
            head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {len(vectors), 3}, }}"
            head = head.ljust(117) + "\n"
            with open(f"{folder}/part", "wb") as out:
                out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
                out.write(b"".join(struct.pack("<3f", *v) for v in vectors))
            os.rename(f"{folder}/part", f"{folder}/{name}.npy")

        def until_there(count):
            until(lambda: self.w.ok("GET", "/v1/vectors")["count"] == count)

        put("before", rows(30, 3))
        self.w = Server(WEFT, f"vectors.watch={folder}", "server.log_level=info")
        self.addCleanup(lambda: self.w.__exit__(None))
        until_there(30)
        put("after", rows(20, 3, seed=2))
        until_there(50)
        self.assertEqual(self.w.ok("GET", "/v1/vectors/search?label=after-7&count=1")["results"]
                         [0]["id"], 37)
        with open(f"{folder}/bad.npy", "wb") as out:
            out.write(b"no array")
        put("wrong", [[math.nan, 1, 2]])
        until(lambda: "row 0 has a number that is not finite" in self.w.log_text())
        until(lambda: self.w.log_text().count("vectors-file") >= 4)
        self.w.stop()
        self.w.start()                  # what was taken is not taken again
        until_there(50)


class Kept(Case):
    settings = ("vectors.map.width=8", "vectors.map.height=6", "vectors.update=50ms")

    def kept(self):
        """The number of the last event that the picture in the store knows."""
        store = sqlite3.connect(f"file:{self.s.data}/weft.sqlite?mode=ro", uri=True)
        rows_of = store.execute("SELECT bytes FROM buffers WHERE name = 'weft/vectors/picture'")
        found = rows_of.fetchone()
        store.close()
        return struct.unpack_from("<Q", found[0])[0] if found else 0

    def test_a_restart_shows_the_same(self):
        vectors = rows(1500, 6)
        for i in range(0, 1500, 100):
            self.add(vectors[i:i + 100], labels=[f"w{i + k}" for k in range(100)])
        self.s.ok("PUT", "/v1/vectors/view", {"camera": [1, 2, 3]})
        found = self.s.ok("GET", "/v1/vectors/search?id=77&count=9")
        until(lambda: self.kept() == 15)
        before = self.s.ok("GET", "/v1/vectors/map")
        for end in (self.s.stop, self.s.kill):
            end()
            self.s.start()
            c = self.client()
            self.assertEqual(c.subscribe("som", "state")["seq"], 15)
            self.assertEqual(c.until("state")["view"], {"camera": [1, 2, 3]})
            listed = self.s.ok("GET", "/v1/vectors?limit=10000")
            self.assertEqual(listed["batches"][-1]["labels"][99], "w1499")
            until(lambda: self.s.ok("GET", "/v1/vectors/map")["count"] == 1500)
            self.assertEqual(self.s.ok("GET", "/v1/vectors/search?id=77&count=9"), found)
            after = self.s.ok("GET", "/v1/vectors/map")
            self.assertEqual(after["umatrix"], before["umatrix"])
            self.assertEqual(after["projection"]["axes"], before["projection"]["axes"])
            c.done()
        self.assertEqual(self.add(vectors[:1])["ids"], [1500])

    def test_the_process_dies(self):
        vectors = rows(300, 6)
        self.add(vectors)
        before = self.s.ok("GET", "/v1/vectors/search?id=3&count=4")

        def process():
            for pid in self.s.workers():
                with open(f"/proc/{pid}/cmdline") as line:
                    if "--vectors" in line.read():
                        return pid
            return None

        os.kill(process(), signal.SIGKILL)
        answers = []

        def answered():
            status, _, answer = self.s.call("GET", "/v1/vectors/search?id=3&count=4")
            self.assertIn(status, (200, 503, 404), answer)
            answers.append(answer)
            return status == 200

        until(answered)
        self.assertEqual(answers[-1], before)
        self.assertEqual(self.add(vectors[:2])["total"], 302)


class Tenants(unittest.TestCase):
    def test_nothing_of_others(self):
        with Server(WEFT, "auth.required=true") as s:
            a, b = (key_of(WEFT, s.data, name) for name in "ab")
            jobs_only = key_of(WEFT, s.data, "a", "jobs")
            s.process.send_signal(signal.SIGHUP)
            until(lambda: s.call("GET", "/v1/vectors", key=jobs_only)[0] != 401)
            self.assertEqual(s.call("POST", "/v1/vectors", {"vectors": [[1]]})[0], 401)
            self.assertEqual(s.call("GET", "/v1/vectors", key=jobs_only)[0], 403)
            ca = Live(s.port, protocol="weft.live, weft.token." + a)
            cb = Live(s.port, Authorization="Bearer " + b)
            ca.subscribe("vector_updates", "job_results")
            cb.subscribe("vector_updates", "job_results")
            s.ok("POST", "/v1/vectors", {"vectors": [[1, 2]]}, key=a)
            s.ok("POST", "/v1/jobs", double([1]), key=a)
            s.ok("POST", "/v1/vectors", {"vectors": [[3, 4, 5]]}, key=b)
            self.assertEqual(struct.unpack_from("<2f", ca.next(), 32), (1, 2))
            self.assertEqual(ca.next()["type"], "job_completed")
            self.assertEqual(cb.next()["vectors"], [[3, 4, 5]])
            self.assertEqual(s.call("GET", "/v1/vectors", key=b)[2]["count"], 1)
            self.assertEqual(s.call("GET", "/v1/buffers", key=a)[2]["buffers"], [])
            ca.done()
            cb.done()


if __name__ == "__main__":
    main(globals())
