#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The profile gpu: jobs on a device of Vulkan, its driver inside a weaker sandbox. Run where
VK_DRIVER_FILES names a driver; lavapipe is one without a GPU."""
import os
import signal
import unittest

import sandbox_test
from harness import FOREVER, Server, double, main, until

WEFT = None
ON = "workers.gpu.enabled=true"


def forever(**more):
    """Drivers end loops that seem endless; so many of them take long all the same."""
    return {"wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
            "workgroups": [65535, 1000], "profile": "gpu", **more}


def device(s):
    return [d for d in s.ok("GET", "/v1/devices")["devices"] if d["profile"] == "gpu"][0]


class Gpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT, ON)
        cls.s.until_ready()
        until(lambda: device(cls.s)["ready"] > 0)

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def test_jobs_run_on_it(self):
        for _ in range(3):
            job = self.s.ok("POST", "/v1/jobs", double([1, 2, 3], profile="gpu"))
            self.assertEqual(job["outputs"]["y"]["data"], [2, 4, 6])
        job = self.s.ok("POST", "/v1/jobs", double([1, 2, 3], profile="kernel"))
        self.assertEqual(job["outputs"]["y"]["data"], [2, 4, 6])
        gpu = device(self.s)
        kernel = self.s.ok("GET", "/v1/devices")["devices"][0]
        self.assertNotEqual(gpu["name"], kernel["name"])
        self.assertEqual(kernel["profile"], "kernel")

    def test_wrong_kernels_are_explained(self):
        status, _, answer = self.s.call("POST", "/v1/jobs", double([1], wgsl="fn f( {",
                                                                   profile="gpu"))
        self.assertEqual((status, answer["error"]["kind"]), (422, "compile"))

    def test_limits_and_cancel(self):
        status, _, job = self.s.call("POST", "/v1/jobs", forever(wait=True,
                                                                 limits={"time": "1s"}))
        self.assertEqual((status, job["error"]["kind"]), (504, "timeout"))
        made = self.s.ok("POST", "/v1/jobs", forever())["id"]
        until(lambda: self.s.ok("GET", "/v1/jobs/" + made)["state"] == "running")
        self.assertEqual(self.s.ok("DELETE", "/v1/jobs/" + made)["state"], "cancelled")
        job = self.s.ok("POST", "/v1/jobs", double([4], profile="gpu"))
        self.assertEqual(job["outputs"]["y"]["data"], [8])

    def test_worker_that_dies_is_replaced(self):
        made = self.s.ok("POST", "/v1/jobs", forever())["id"]
        until(lambda: self.s.ok("GET", "/v1/jobs/" + made)["state"] == "running")
        for pid in self.s.workers():
            with open(f"/proc/{pid}/cmdline", "rb") as line:
                if b"--gpu" in line.read():
                    os.kill(pid, signal.SIGKILL)
        until(lambda: self.s.ok("GET", "/v1/jobs/" + made)["attempt"] >= 2)
        self.s.ok("DELETE", "/v1/jobs/" + made)

    def test_protections_are_shown(self):
        ready = self.s.ok("GET", "/ready")
        self.assertTrue(ready["protections"]["seccomp"])
        gpu = ready["gpu"]["protections"]
        self.assertEqual((gpu["seccomp"], gpu["landlock"], gpu["mdwe"]), (True, False, False))


class Alone(unittest.TestCase):
    def test_sandbox(self):
        sandbox_test.WEFT = WEFT
        w = sandbox_test.Worker("--sandbox", "--gpu")
        answers = w.probe()
        w.close()
        for what in ("open", "create", "socket", "ptrace", "kill", "limit", "fork", "unshare"):
            self.assertIn(answers[what], ("EPERM", "EACCES"), what)
        w = sandbox_test.Worker("--sandbox", "--gpu")
        with self.assertRaises((EOFError, ConnectionResetError)):
            w.probe(b"execve")
        self.assertEqual(w.close(), -signal.SIGSYS)

    def test_running_and_most_processes(self):
        def pids(s):
            found = []
            for pid in s.workers():
                with open(f"/proc/{pid}/cmdline", "rb") as line:
                    if b"--gpu" in line.read():
                        found.append(pid)
            return found

        for most, running in ((1, 4), (4, 2)):
            with Server(WEFT, ON, f"workers.gpu.max={most}",
                        f"workers.gpu.running={running}") as s:
                s.until_ready()
                until(lambda: device(s)["ready"] > 0)
                ids = [s.ok("POST", "/v1/jobs", forever())["id"] for _ in range(3)]
                at_a_time = min(most, running)
                want = ["queued"] * (3 - at_a_time) + ["running"] * at_a_time
                until(lambda: sorted(s.ok("GET", "/v1/jobs/" + i)["state"] for i in ids) == want)
                self.assertLessEqual(len(pids(s)), most)
                for i in ids:
                    s.ok("DELETE", "/v1/jobs/" + i)

    def test_off(self):
        with Server(WEFT) as s:
            status, _, answer = s.call("POST", "/v1/jobs", double([1], profile="gpu"))
            self.assertEqual((status, answer["error"]["kind"]), (501, "unsupported"))
            self.assertIn("workers.gpu.enabled", answer["error"]["message"])
            self.assertEqual(s.call("POST", "/v1/jobs", double([1], profile="tpu"))[0], 400)
            self.assertNotIn("gpu", s.call("GET", "/ready")[2])

    def test_no_driver(self):
        env = {**os.environ, "VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}
        with Server(WEFT, ON, env=env) as s:
            s.until_ready()             # without a GPU, too
            until(lambda: "fault" in device(s))
            status, _, answer = s.call("POST", "/v1/jobs", double([1], profile="gpu"))
            self.assertEqual((status, answer["error"]["kind"]), (503, "device-lost"))
            self.assertIn("no Vulkan device", answer["error"]["message"])
            self.assertEqual(s.ok("POST", "/v1/jobs", double([1]))["state"], "done")


if __name__ == "__main__":
    main(globals())
