#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wall clock jumps while the server runs: jobs, limits and results do not."""
import json
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest

from harness import FOREVER, PATIENCE, Server, double, main

WEFT = None
DAY = 86400


class Clock(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-clock-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.shift = os.path.join(self.folder, "shift")
        self.set(0)
        self.env = {**os.environ, "LD_PRELOAD": os.environ["WEFT_CLOCK_SHIM"],
                    "WEFT_CLOCK_SHIFT": self.shift}

    def set(self, seconds):
        with open(self.shift + ".new", "w") as out:
            out.write(str(seconds))
        os.rename(self.shift + ".new", self.shift)

    def events(self, s, action):
        with open(os.path.join(s.data, "log")) as log:
            lines = [json.loads(line) for line in log if line.startswith("{")]
        return [e for e in lines if e["event.action"] == action]

    def until_swept(self, s):
        """After this, a sweep has begun and ended since the call."""
        seen = len(self.events(s, "sweep"))
        while len(self.events(s, "sweep")) < seen + 2:
            os.kill(s.process.pid, signal.SIGHUP)
            time.sleep(0.1)

    def test_results_survive_jumps(self):
        with Server(WEFT, "server.log_level=debug", env=self.env) as s:
            s.until_ready()
            jobs = [s.ok("POST", "/v1/jobs", double([1]))["id"]]
            for shift in (DAY, -DAY):
                self.set(shift)
                self.until_swept(s)
                self.assertTrue(self.events(s, "clock-jump"))
                jobs.append(s.ok("POST", "/v1/jobs", double([2]))["id"])
                for job in jobs:
                    self.assertEqual(s.ok("GET", "/v1/jobs/" + job)["state"], "done")
            self.assertEqual(len(s.ok("GET", "/v1/jobs")["jobs"]), 3)

    def test_limits_are_steady(self):
        with Server(WEFT, env=self.env) as s:
            s.until_ready()
            job = {"wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
                   "workgroups": [1]}
            made = s.ok("POST", "/v1/jobs", {**job, "limits": {"time": "25s"}})
            while s.ok("GET", "/v1/jobs/" + made["id"])["state"] != "running":
                time.sleep(0.02)
            self.set(DAY)               # more than its limit, but not of the steady clock
            status, _, answer = s.call("POST", "/v1/jobs", {
                **job, "wait": True, "limits": {"time": "200ms"}})
            self.assertEqual((status, answer["error"]["kind"]), (504, "timeout"))
            self.assertEqual(s.ok("GET", "/v1/jobs/" + made["id"])["state"], "running")
            self.set(-DAY)
            answer = threading.Thread(target=lambda: s.ok("POST", "/v1/jobs", double([3])))
            answer.start()
            answer.join(PATIENCE)
            self.assertFalse(answer.is_alive())
            s.ok("DELETE", "/v1/jobs/" + made["id"])

    def test_old_results_go_after_a_jump_back(self):
        with Server(WEFT, "store.result_ttl=3s", env=self.env) as s:
            s.until_ready()
            self.set(DAY)
            while not self.events(s, "clock-jump"):
                time.sleep(0.1)
            job = s.ok("POST", "/v1/jobs", double([1]))["id"]
            self.set(0)
            while s.call("GET", "/v1/jobs/" + job)[0] != 404:
                os.kill(s.process.pid, signal.SIGHUP)
                time.sleep(0.2)


if __name__ == "__main__":
    main(globals())
