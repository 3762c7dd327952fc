#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of workers and of the server while jobs run: none is lost, none ends twice."""
import os
import random
import signal
import sqlite3
import sys
import threading
import time
import unittest

from harness import FOREVER, SLOW, Server, double, main, until

WEFT = None
JOBS = int(os.environ.get("WEFT_CRASH_JOBS", "600"))


class Crash(unittest.TestCase):
    def test_worker_that_dies_affects_only_its_job(self):
        with Server(WEFT) as s:
            s.until_ready()
            job = {"wgsl": SLOW, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
                   "workgroups": [1], "constants": {"rounds": 3000000}}
            made = s.ok("POST", "/v1/jobs", job)
            while s.ok("GET", "/v1/jobs/" + made["id"])["state"] != "running":
                time.sleep(0.01)
            for pid in s.workers():
                os.kill(pid, signal.SIGKILL)
            self.assertEqual(s.ok("POST", "/v1/jobs", double([1]))["state"], "done")
            until(lambda: s.ok("GET", "/v1/jobs/" + made["id"])["attempt"] >= 2)
            s.ok("DELETE", "/v1/jobs/" + made["id"])
            s.until_ready()

    def test_no_fallback(self):
        with Server(WEFT, "webgpu_integration.adapters.automatic_fallback=false") as s:
            s.until_ready()
            made = s.ok("POST", "/v1/jobs", {
                "wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
                "workgroups": [1]})
            while s.ok("GET", "/v1/jobs/" + made["id"])["state"] != "running":
                time.sleep(0.01)
            for pid in s.workers():
                os.kill(pid, signal.SIGKILL)
            job = s.wait(made["id"])
            self.assertEqual((job["state"], job["error"]["kind"]), ("failed", "device-lost"))

    def test_workers_die_with_their_server(self):
        s = Server(WEFT)
        s.until_ready()
        made = s.ok("POST", "/v1/jobs", {"wgsl": FOREVER, "workgroups": [1],
                                         "outputs": {"y": {"shape": [2], "dtype": "u32"}}})
        while s.ok("GET", "/v1/jobs/" + made["id"])["state"] != "running":
            time.sleep(0.01)
        workers = s.workers()
        self.assertTrue(workers)
        s.kill()
        until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in workers),
              "workers outlive their server")
        s.__exit__(None)

    def test_drain_finishes_what_runs(self):
        with Server(WEFT, "server.drain_timeout=5m") as s:
            s.until_ready()
            job = {"wgsl": SLOW, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
                   "workgroups": [1], "constants": {"rounds": 300000}}
            made = s.ok("POST", "/v1/jobs", job)
            while s.ok("GET", "/v1/jobs/" + made["id"])["state"] == "queued":
                time.sleep(0.01)
            s.stop()
            s.start()
            self.assertEqual(s.wait(made["id"])["state"], "done")
            self.assertEqual(s.ok("GET", "/v1/jobs/" + made["id"])["attempt"], 1)

    def test_end_while_clients_wait(self):
        """Clients of jobs that have not begun get an answer, and the jobs stay."""
        with Server(WEFT, "server.drain_timeout=1s") as s:
            s.until_ready()
            job = {"runner": "nobody", "wait": True,
                   "outputs": {"y": {"shape": [1], "dtype": "f32"}}}
            got = []
            threads = [threading.Thread(target=lambda: got.append(s.call("POST", "/v1/jobs",
                                                                         job)[0]))
                       for _ in range(5)]
            for t in threads:
                t.start()
            while len(s.ok("GET", "/v1/jobs?state=queued")["jobs"]) < 5:
                time.sleep(0.02)
            s.stop()
            for t in threads:
                t.join()
            self.assertEqual(got, [503] * 5)
            s.start()
            self.assertEqual(len(s.ok("GET", "/v1/jobs?state=queued")["jobs"]), 5)

    def test_jobs_of_other_versions(self):
        """Of an older Weft they run, of a newer one they wait, damaged ones end."""
        s = Server(WEFT)
        job = {"runner": "later", "outputs": {"y": {"shape": [1]}}}
        old, newer, damaged = [s.ok("POST", "/v1/jobs", job)["id"] for _ in range(3)]
        s.stop()
        db = sqlite3.connect(os.path.join(s.data, "weft.sqlite"))
        spec = db.execute("SELECT spec FROM jobs WHERE id = ?", (old,)).fetchone()[0]
        self.assertEqual(spec[:4], b"\3\0\0\x80")
        for job, bytes in ((old, spec[9:] + b"\0" * 9), (newer, b"\xff" + spec[1:]),
                           (damaged, spec[:40])):
            db.execute("UPDATE jobs SET spec = ? WHERE id = ?", (bytes, job))
        db.commit()
        db.close()
        s.start()
        ended = s.wait(damaged)
        self.assertEqual((ended["state"], ended["error"]["kind"]), ("failed", "format"))
        self.assertIn("another version of Weft", ended["error"]["message"])
        self.assertEqual(s.ok("GET", "/v1/jobs/" + newer)["state"], "queued")
        status, _, lease = s.call("POST", "/v1/workers/w/lease", {"runner": "later"})
        self.assertEqual((status, lease["job"]), (200, old))
        self.assertEqual(s.call("POST", "/v1/workers/w/lease", {"runner": "later"})[0], 204)
        self.assertIn("stored by a newer Weft", s.log_text())
        s.__exit__(None)

    def test_kill_workers_and_server(self):
        """Every job that was accepted ends once, with the right result."""
        rng = random.Random(7)
        s = Server(WEFT, "workers.max_attempts=100")
        s.until_ready()
        accepted, lock, stop = {}, threading.Lock(), threading.Event()

        def submit(n):
            count = 0
            while count < JOBS // 4:
                value = n * 1000000 + count
                try:
                    status, _, job = s.call(
                        "POST", "/v1/jobs", double([value], wait=False),
                        headers={"Idempotency-Key": f"{n}-{count}"})
                except (OSError, EOFError, AttributeError, ValueError):
                    time.sleep(0.02)    # the server is down: the same request again
                    continue
                except Exception as other:      # http.client: the answer was cut off
                    if type(other).__module__ != "http.client":
                        raise
                    continue
                if status in (200, 202):
                    with lock:
                        accepted[f"{n}-{count}"] = (job["id"], value)
                    count += 1

        threads = [threading.Thread(target=submit, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        kills = 0
        while any(t.is_alive() for t in threads):
            time.sleep(0.15)
            if kills % 6 == 5:
                s.kill()
                s.start()
            else:
                for pid in s.workers():
                    if rng.random() < 0.5:
                        try:
                            os.kill(pid, signal.SIGKILL)
                        except ProcessLookupError:
                            pass
            kills += 1
        for t in threads:
            t.join()
        self.assertEqual(len(accepted), JOBS // 4 * 4)
        ids = [job for job, _ in accepted.values()]
        self.assertEqual(len(set(ids)), len(ids), "one key, two jobs")
        for job, value in accepted.values():
            done = s.wait(job)
            self.assertEqual(done["state"], "done", done)
            # What the client reads is the float nearest to what was asked for.
            self.assertAlmostEqual(done["outputs"]["y"]["data"][0] / 2, value,
                                   delta=abs(value) * 1e-6)
        listed, after = 0, ""
        while True:
            page = s.ok("GET", "/v1/jobs?limit=1000" + after)
            listed += len(page["jobs"])
            if "next" not in page:
                break
            after = "&after=" + page["next"]
        self.assertEqual(listed, len(accepted))
        print(f"{len(accepted)} jobs, {kills} kills: 0 lost, 0 twice", file=sys.stderr)
        s.__exit__(None)


if __name__ == "__main__":
    main(globals())
