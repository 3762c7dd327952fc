#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings whose effect no other test needs: what is synchronised, the map, the pages, whose
the vectors of a watched folder are, threads and processes of workers, files of keys."""
import array
import os
import random
import struct
import subprocess
import tempfile
import unittest

from harness import FOREVER, Server, double, key_of, main, until

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

    @unittest.skipUnless(os.environ.get("WEFT_SYNC_SHIM"), "needs the preloaded sync_shim")
    def test_answer(self):
        """written: an answer does not wait for the disk; durable: it does. The disk is slow."""
        for value in ("written", "durable"):
            with tempfile.TemporaryDirectory() as folder:
                log = os.path.join(folder, "synced")
                env = {**os.environ, "LD_PRELOAD": os.environ["WEFT_SYNC_SHIM"],
                       "WEFT_SYNC_LOG": log, "WEFT_SYNC_SECONDS": "1"}
                with Server(WEFT, f"store.answer={value}",
                            "webgpu_integration.security.audit_logging_enabled=false",
                            env=env) as s:
                    s.until_ready()

                    def count():
                        with open(log, "a+") as file:
                            file.seek(0)
                            return sum(line.endswith("weft.sqlite-wal\n") for line in file)

                    def answered_before_the_disk():
                        before = count()
                        s.ok("POST", "/v1/jobs", double([1]))
                        return count() == before
                    seen = [answered_before_the_disk() for _ in range(3)]
                    self.assertEqual(any(seen), value == "written", seen)


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


    def test_grid(self):
        self.assertEqual(self.train("vectors.map.grid=square")["grid"], "square")
        self.assertEqual(self.train()["grid"], "hexagonal")

    def test_metric(self):
        """Another vector is the nearest to (1, 0) by each metric."""
        rows = [[1, 0], [0.1, 0], [0.9, 0.1], [10, 9]]
        for metric, want in (("cosine", 1), ("dot", 3), ("euclidean", 2)):
            with Server(WEFT, *MAP, f"vectors.metric={metric}") as s:
                s.ok("POST", "/v1/vectors", {"vectors": rows})
                found = s.ok("POST", "/v1/vectors/search", {"vector": [1, 0], "count": 4})
                ids = [r["id"] for r in found["results"] if r["id"] != 0]
                self.assertEqual(ids[0], want, (metric, found))


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


def threads_of(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def least_threads(server):
    """Of its worker processes: others have threads that compile, too."""
    return min(threads_of(pid) for pid in server.workers())


def line_of(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()


class Workers(unittest.TestCase):
    def forever(self, s, **more):
        return s.ok("POST", "/v1/jobs", {
            "wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
            "workgroups": [1], **more})["id"]

    def states(self, s, ids):
        return sorted(s.ok("GET", "/v1/jobs/" + i)["state"] for i in ids)

    def test_running(self):
        """So many jobs at a time, also of one tenant."""
        for most in (1, 3):
            with Server(WEFT, f"workers.kernel.running={most}") as s:
                s.until_ready()
                ids = [self.forever(s) for _ in range(4)]
                want = ["queued"] * (4 - most) + ["running"] * most
                until(lambda: self.states(s, ids) == want)
                for i in ids:
                    s.ok("DELETE", "/v1/jobs/" + i)

    def test_most_and_spare_processes(self):
        for settings, want in ((("max=1", "spare=2"), 1), (("max=9", "spare=1"), 1),
                               (("max=9", "spare=3"), 3)):
            with Server(WEFT, *("workers.kernel." + text for text in settings),
                        "vectors.enabled=false") as s:
                s.until_ready()
                until(lambda: len(s.workers()) == want)
        # More tenants than processes take turns.
        with Server(WEFT, "workers.kernel.max=1", "vectors.enabled=false", "auth.required=true",
                    start=False) as s:
            keys = [key_of(WEFT, s.data, name) for name in ("alice", "bob")]
            s.start()
            s.until_ready()
            for _ in range(2):
                for key in keys:
                    s.ok("POST", "/v1/jobs", double([1]), key=key)
                    self.assertEqual(len(s.workers()), 1)

    def test_threads(self):
        with Server(WEFT, "workers.kernel.threads=1", "vectors.enabled=false") as one, \
                Server(WEFT, "workers.kernel.threads=5", "vectors.enabled=false") as five:
            one.until_ready()
            five.until_ready()
            until(lambda: least_threads(five) - least_threads(one) == 4)

    def test_threads_of_vectors(self):
        """Some more or fewer threads may compile at the time."""
        def count(n):
            with Server(WEFT, *MAP, f"vectors.threads={n}") as s:
                s.until_ready()
                s.ok("POST", "/v1/vectors", {"vectors": [[i, 1] for i in range(100)]})
                until(lambda: s.ok("GET", "/v1/vectors/map").get("count") == 100)
                return max(threads_of(pid) for pid in s.workers()
                           if b"--vectors" in line_of(pid))
        self.assertGreater(count(33), count(1) + 16)

    def test_time_without_a_limit_of_the_job(self):
        with Server(WEFT, "webgpu_integration.security.resource_limits."
                          "default_execution_time=200ms") as s:
            s.until_ready()
            done = s.wait(self.forever(s))
            self.assertEqual(done["error"]["kind"], "timeout")

    def test_sandbox_off(self):
        """With both words it is off, and everybody can see it."""
        for off in (True, False):
            flags = ("webgpu_integration.security.enable_shader_sandboxing=false",
                     "workers.allow_without_seccomp=true") if off else ()
            with Server(WEFT, *flags, "vectors.enabled=false") as s:
                s.until_ready()
                self.assertEqual(s.ok("GET", "/ready")["protections"]["seccomp"], not off)
                for pid in s.workers():
                    with open(f"/proc/{pid}/status") as file:
                        self.assertEqual("Seccomp:\t2" in file.read(), not off)
                self.assertEqual(s.ok("POST", "/v1/jobs", double([1]))["state"], "done")


class Names(unittest.TestCase):
    def test_hosts(self):
        with Server(WEFT, "server.hosts=api.example,weft.example") as s:
            for host, status in (("api.example", 200), (f"weft.example:{s.port}", 200),
                                 ("127.0.0.1", 200), ("other.example", 421),
                                 ("api.example.evil", 421)):
                self.assertEqual(s.call("GET", "/health", headers={"Host": host})[0], status,
                                 host)

    def test_files_of_keys(self):
        """Servers with the same files take each other's keys and tokens, others do not."""
        with tempfile.TemporaryDirectory() as folder:
            key = key_of(WEFT, folder, "alice")
            keys, secret = os.path.join(folder, "keys.json"), os.path.join(folder, "secret")
            files = (f"auth.keys_file={keys}", f"auth.secret_file={secret}", "auth.required=true")
            with Server(WEFT, *files) as a, Server(WEFT, *files) as b, \
                    Server(WEFT, f"auth.keys_file={keys}", "auth.required=true") as c:
                token = a.ok("POST", "/v1/tokens", {"ttl": "10m"}, key=key)["token"]
                self.assertEqual([s.call("GET", "/v1/jobs", key=key)[0] for s in (a, b, c)],
                                 [200, 200, 200])
                self.assertEqual([s.call("GET", "/v1/jobs", key=token)[0] for s in (a, b, c)],
                                 [200, 200, 401])
                self.assertFalse(os.path.exists(os.path.join(a.data, "token.key")))

    def test_browsers(self):
        with Server(WEFT, "webgpu_integration.integration.browser_support=firefox,edge") as s:
            self.assertEqual(s.ok("GET", "/v1/state")["browser_support"], ["firefox", "edge"])

    def test_level_of_the_log(self):
        seen = {}
        for level in ("debug", "info", "error", "off"):
            with Server(WEFT, f"server.log_level={level}") as s:
                s.until_ready()
                s.ok("POST", "/v1/jobs", double([1]))
                s.stop()
                seen[level] = s.log_text().count("\n")
        self.assertGreater(seen["debug"], seen["info"])
        self.assertGreater(seen["info"], seen["error"])
        self.assertEqual((seen["error"], seen["off"]), (0, 0))

    def test_wrong_values_are_named(self):
        for setting in ("server.log_level=loud", "store.synchronous=maybe", "store.answer=never",
                        "vectors.metric=manhattan", "vectors.map.grid=round", "vectors.map.width=1",
                        "store.result_ttl=5 parsecs", "server.max_body=-1", "auth.required=7",
                        "server.listen=nonsense", "server.metrics_listen=127.0.0.1:99999",
                        "live.listen=nowhere", "queue.kind=post", "auth.kratos_url=ftp://x",
                        "workers.kernel.max=many", "server.tls_key=/x",
                        "webgpu_integration.performance.target_performance_ratio=high"):
            with self.subTest(setting=setting), tempfile.TemporaryDirectory() as folder:
                with self.assertRaises(AssertionError) as caught:
                    Server(WEFT, setting, data=folder).__exit__(None)
                self.assertIn(setting.split("=")[0], str(caught.exception))
                checked = subprocess.run([WEFT, "serve", "--check", "--set", setting],
                                         capture_output=True, text=True)
                self.assertNotEqual(checked.returncode, 0)
                self.assertIn(setting.split("=")[0], checked.stdout + checked.stderr)


if __name__ == "__main__":
    main(globals())
