#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP API: jobs in all their forms, results, buffers, checks, foreign workers."""
import base64
import gzip
import json
import struct
import threading
import time
import unittest

from harness import DOUBLE, FOREVER, SLOW, Server, double, main, until

WEFT = None


class Api(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT)
        cls.s.until_ready()

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def test_job_waits_and_returns_numbers(self):
        job = self.s.ok("POST", "/v1/jobs", double([1, 2, 3]))
        self.assertEqual(job["state"], "done")
        self.assertEqual(job["outputs"]["y"]["data"], [2, 4, 6])
        self.assertEqual(job["outputs"]["y"]["shape"], [3])
        self.assertGreater(job["operations"], 0)
        again = self.s.ok("GET", "/v1/jobs/" + job["id"])
        self.assertEqual(again["outputs"], job["outputs"])

    def test_second_run_is_cached(self):
        text = DOUBLE + "// cached\n"
        self.s.ok("POST", "/v1/jobs", double([1], wgsl=text))
        seen = [self.s.ok("POST", "/v1/jobs", double([1], wgsl=text))["timing"]["cached"]
                for _ in range(8)]
        self.assertIn(True, seen)

    def test_job_without_wait(self):
        status, _, job = self.s.call("POST", "/v1/jobs", double([4], wait=False))
        self.assertEqual(status, 202)
        self.assertIn(job["state"], ("queued", "running", "done"))
        self.assertNotIn("outputs", job)
        done = self.s.wait(job["id"])
        self.assertEqual(done["outputs"]["y"]["data"], [8])

    def test_raw_result(self):
        job = self.s.ok("POST", "/v1/jobs", double([1.5, -2]))
        _, headers, raw = self.s.call("GET", f"/v1/jobs/{job['id']}/outputs/y")
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertEqual(struct.unpack("<2f", raw), (3, -4))

    def test_base64_and_size(self):
        packed = base64.b64encode(struct.pack("<3f", 1, 2, 3)).decode()
        job = double([0, 0, 0])
        job["inputs"] = {"x": {"base64": packed}}
        job["outputs"] = {"y": {"size": 12}}
        done = self.s.ok("POST", "/v1/jobs", job)
        self.assertEqual(done["outputs"]["y"]["data"], [2, 4, 6])

    def test_multipart(self):
        job = double([0, 0])
        job["inputs"] = {"x": {"part": "x"}}
        body = (b"--BOUND\r\nContent-Disposition: form-data; name=\"job\"\r\n\r\n"
                + json.dumps(job).encode()
                + b"\r\n--BOUND\r\nContent-Disposition: form-data; name=\"x\"; "
                  b"filename=\"x.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n"
                + struct.pack("<2f", 5, 6) + b"\r\n--BOUND--\r\n")
        done = self.s.ok("POST", "/v1/jobs", body,
                         headers={"Content-Type": "multipart/form-data; boundary=BOUND"})
        self.assertEqual(done["outputs"]["y"]["data"], [10, 12])

    def test_gzip_body(self):
        body = gzip.compress(json.dumps(double([7])).encode())
        done = self.s.ok("POST", "/v1/jobs", body, headers={"Content-Encoding": "gzip"})
        self.assertEqual(done["outputs"]["y"]["data"], [14])

    def test_struct_members_and_constants(self):
        wgsl = """
            struct P { scale : f32, offset : vec2f }
            override step : f32 = 1.0;
            @group(0) @binding(0) var<uniform> p : P;
            @group(0) @binding(1) var<storage, read_write> y : array<vec2f>;
            @compute @workgroup_size(1) fn main(@builtin(workgroup_id) at : vec3u) {
              y[at.x] = p.scale * p.offset + step; }"""
        done = self.s.ok("POST", "/v1/jobs", {
            "wgsl": wgsl, "inputs": {"p": {"scale": 3, "offset": [1, 2]}}, "wait": True,
            "constants": {"step": 0.5}, "workgroups": [2],
            "outputs": {"y": {"shape": [2, 2], "dtype": "f32"}}})
        self.assertEqual(done["outputs"]["y"]["data"], [3.5, 6.5, 3.5, 6.5])

    def test_not_a_number(self):
        done = self.s.ok("POST", "/v1/jobs", double(["NaN", "Infinity", "-Infinity", 1]))
        self.assertEqual(done["outputs"]["y"]["data"], ["NaN", "Infinity", "-Infinity", 2])

    def test_errors_say_what_and_where(self):
        cases = [
            ({"wgsl": "fn f( {"}, 422, "compile"),
            ({"entry": "nothing"}, 404, "not-found"),
            ({"inputs": {"z": [1]}}, 404, "not-found"),
            ({"outputs": {"x": {"shape": [1]}}}, 404, "not-found"),
            ({"outputs": {"y": {"shape": [1], "dtype": "u32"}}}, 400, "type"),
            ({"outputs": {"y": {"shape": [0]}}}, 400, "invalid"),
            ({"outputs": {"y": {"shape": [1], "dtype": "f64"}}}, 400, "invalid"),
            ({"outputs": {}}, 400, "invalid"),
            ({"workgroups": [0]}, 400, "invalid"),
            ({"workgroups": [70000]}, 400, "invalid"),
            ({"inputs": {"x": ["a"]}}, 400, "invalid"),
            ({"surprise": 1}, 400, "invalid"),
            ({"priority": 1000}, 400, "invalid"),
            ({"limits": {"memory": "9999GB"}}, 403, "quota"),
            ({"outputs": {"y": {"shape": [1099511627776]}}}, 403, "quota"),
            ({"inputs": {"x": {"buffer": "missing"}}}, 404, "not-found"),
            ({"wait": 1}, 400, "invalid"),
            ({"wait": "true"}, 400, "invalid"),
            ({"idempotency_key": 5}, 400, "invalid"),
            ({"idempotency_key": "k" * 256}, 400, "invalid"),
            ({"clearance": 5}, 400, "invalid"),
            ({"priority": 1.5}, 400, "invalid"),
            ({"outputs": {"y": {"shape": [1], "dtyp": "u32"}}}, 400, "invalid"),
            ({"outputs": {"y": {"shape": [1], "dtype": 5}}}, 400, "invalid"),
            ({"outputs": {"y": {"shape": [1], "buffer": 5}}}, 400, "invalid"),
            ({"outputs": {"y": {"shape": [1], "buffer": "a\nb"}}}, 400, "invalid"),
            ({"outputs": {"y": {"shape": [1], "size": 4}}}, 400, "invalid"),
            ({"outputs": {"y": {"size": 0}}}, 400, "invalid"),
            ({"outputs": {f"y{i}": {"shape": [1]} for i in range(10000)}}, 400, "invalid"),
            ({"outputs": {"日本": {"shape": [1]}}}, 404, "not-found"),
            ({"inputs": {f"x{i}": [1] for i in range(100)}}, 400, "invalid"),
            ({"inputs": {"x": "abc"}}, 400, "invalid"),
            ({"inputs": {"x": None}}, 400, "invalid"),
            ({"inputs": {"x": {}}}, 400, "invalid"),
            ({"inputs": {"x": {"part": "none"}}}, 400, "invalid"),
            ({"inputs": {"x": {"buffer": "../../etc/passwd"}}}, 400, "invalid"),
            ({"inputs": {"y": {"base64": "AAAA"}}}, 400, "invalid"),
            ({"limits": {"time": 0}}, 400, "invalid"),
            ({"limits": {"time": 1e300}}, 400, "invalid"),
            ({"limits": {"memory": 1}}, 403, "quota"),
            ({"limits": {"operations": 1}}, 429, "quota"),
            ({"workgroups": [1, 1, 1, 1]}, 400, "invalid"),
            ({"workgroups": 1}, 400, "invalid"),
            ({"constants": {"missing": 1}}, 422, "compile"),
        ]
        for change, status, kind in cases:
            with self.subTest(change=change):
                got, _, answer = self.s.call("POST", "/v1/jobs", double([1], **change))
                self.assertEqual((got, answer["error"]["kind"]), (status, kind), answer)
                self.assertGreater(len(answer["error"]["message"]), 5)

    def test_unknown_fields_are_named(self):
        for change, field in (({"surprise": 1}, "'surprise'"),
                              ({"limits": {"tme": 1}}, "'limits.tme'"),
                              ({"limits": {"time": "1s", "Memory": "1MB"}}, "'limits.Memory'")):
            for path in ("/v1/jobs", "/v1/check"):
                with self.subTest(change=change, path=path):
                    status, _, answer = self.s.call("POST", path, double([1], **change))
                    self.assertEqual((status, answer["error"]["kind"]), (400, "invalid"))
                    self.assertIn("unknown field " + field, answer["error"]["message"])

    def test_idempotency(self):
        head = {"Idempotency-Key": "once"}
        first = self.s.ok("POST", "/v1/jobs", double([1]), headers=head)
        second = self.s.ok("POST", "/v1/jobs", double([1]), headers=head)
        self.assertEqual(first["id"], second["id"])
        status, _, _ = self.s.call("POST", "/v1/jobs", double([2]), headers=head)
        self.assertEqual(status, 409)

    def test_listing_pages_and_states(self):
        ids = [self.s.ok("POST", "/v1/jobs", double([i]))["id"] for i in range(5)]
        seen, after = [], ""
        while True:
            page = self.s.ok("GET", "/v1/jobs?limit=2&state=done" + after)
            seen += [job["id"] for job in page["jobs"]]
            if "next" not in page:
                break
            after = "&after=" + page["next"]
        self.assertEqual([i for i in seen if i in ids], ids[::-1])
        self.assertEqual(len(seen), len(set(seen)))
        self.assertEqual(self.s.call("GET", "/v1/jobs?state=odd")[0], 400)
        self.assertEqual(self.s.call("GET", "/v1/jobs?limit=0")[0], 400)

    def test_pages_go_on_where_they_were(self):
        """Even if the job of the cursor has been deleted meanwhile."""
        with Server(WEFT, "store.result_ttl=1ms") as s:
            s.until_ready()
            old = s.ok("POST", "/v1/jobs", {"runner": "x", "outputs": {"y": {"shape": [1]}}})
            gone = s.ok("POST", "/v1/jobs", double([1]))
            new = s.ok("POST", "/v1/jobs", {"runner": "x", "outputs": {"y": {"shape": [1]}}})
            until(lambda: s.call("GET", "/v1/jobs/" + gone["id"])[0] == 404)
            for after, want in (("", [new, old]), (new["id"], [old]), (gone["id"], [old]),
                                (old["id"], [])):
                page = s.ok("GET", "/v1/jobs?after=" + after)
                self.assertEqual([j["id"] for j in page["jobs"]], [j["id"] for j in want])
            self.assertNotIn("next", s.ok("GET", "/v1/jobs?limit=2"))      # these are all
            self.assertEqual(s.ok("GET", "/v1/jobs?limit=1")["next"], new["id"])
            for after in ("zzz", "A" * 3000, "'%20or%201=1", new["id"].lower()):
                self.assertEqual(s.call("GET", "/v1/jobs?after=" + after)[0], 400)

    def test_head_is_get_without_the_body(self):
        for path in ("/health", "/v1/jobs", "/v1/state", "/openapi.json"):
            _, got, body = self.s.call("GET", path)
            status, headers, nothing = self.s.call("HEAD", path)
            self.assertEqual((status, nothing), (200, b""))
            self.assertEqual(headers["Content-Type"], got["Content-Type"])
        self.assertEqual(self.s.call("HEAD", "/nothing")[0], 404)
        self.assertEqual(self.s.call("HEAD", "/v1/check")[0], 405)

    def test_names_of_buffers(self):
        for name in ("%22", "a%0d%0ab", "%01", "%ff%fe", "a%5cb", "n" * 129):
            self.assertEqual(self.s.call("PUT", "/v1/buffers/" + name, b"1234")[0], 400, name)
        self.s.ok("PUT", "/v1/buffers/%c3%a9t%c3%a9", b"1234")
        self.assertIn("été", [b["name"] for b in self.s.ok("GET", "/v1/buffers")["buffers"]])
        job = double([0], inputs={"x": {"buffer": "été"}})
        self.assertEqual(self.s.ok("POST", "/v1/jobs", job)["state"], "done")

    def test_cancel_stops_the_worker(self):
        job = {"wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
               "workgroups": [1]}
        _, _, made = self.s.call("POST", "/v1/jobs", job)
        while self.s.ok("GET", "/v1/jobs/" + made["id"])["state"] != "running":
            time.sleep(0.02)
        status, _, answer = self.s.call("DELETE", "/v1/jobs/" + made["id"])
        self.assertEqual(answer["state"], "cancelled")
        self.assertEqual(self.s.call("DELETE", "/v1/jobs/" + made["id"])[0], 409)
        self.assertEqual(self.s.ok("POST", "/v1/jobs", double([1]))["state"], "done")

    def test_time_limit(self):
        job = {"wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
               "workgroups": [1], "wait": True, "limits": {"time": "300ms"}}
        status, _, answer = self.s.call("POST", "/v1/jobs", job)
        self.assertEqual((status, answer["error"]["kind"]), (504, "timeout"))

    def test_events(self):
        job = {"wgsl": SLOW, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
               "workgroups": [1], "constants": {"rounds": 100000}}
        _, _, made = self.s.call("POST", "/v1/jobs", job)
        _, headers, text = self.s.call("GET", f"/v1/jobs/{made['id']}/events")
        self.assertEqual(headers["Content-Type"], "text/event-stream")
        states = [json.loads(line[6:])["state"] for line in text.decode().splitlines()
                  if line.startswith("data: ")]
        self.assertEqual(states[-1], "done")
        _, _, text = self.s.call("GET", f"/v1/jobs/{made['id']}/events")
        self.assertIn(b'"state":"done"', text)

    def test_named_buffers(self):
        data = struct.pack("<2f", 1, 2)
        self.s.ok("PUT", "/v1/buffers/w", data, headers={"Content-Type": "application/x"})
        job = double([0, 0])
        job["inputs"] = {"x": {"buffer": "w"}}
        job["outputs"]["y"]["buffer"] = "w"
        for _ in range(3):
            self.s.ok("POST", "/v1/jobs", job)
        _, _, raw = self.s.call("GET", "/v1/buffers/w")
        self.assertEqual(struct.unpack("<2f", raw), (8, 16))
        names = [b["name"] for b in self.s.ok("GET", "/v1/buffers")["buffers"]]
        self.assertIn("w", names)
        self.assertEqual(self.s.call("DELETE", "/v1/buffers/w")[0], 204)
        self.assertEqual(self.s.call("GET", "/v1/buffers/w")[0], 404)

    def test_check_and_clearance(self):
        answer = self.s.ok("POST", "/v1/check", {"wgsl": DOUBLE})
        self.assertEqual(answer["report"]["verdict"], "accepted")
        names = [b["name"] for b in answer["report"]["entry_points"][0]["bindings"]]
        self.assertEqual(names, ["x", "y"])
        token = answer["clearance"]["execution_token"]
        done = self.s.ok("POST", "/v1/jobs", double([1], clearance=token))
        self.assertEqual(done["outputs"]["y"]["data"], [2])
        refused = [
            (double([1], clearance=token), "used before"),
            (double([1], clearance=token[:-2]), "genuine"),
            (double([1], clearance="wt1.e30.AAAA"), "genuine"),
        ]
        other = self.s.ok("POST", "/v1/check", {"wgsl": DOUBLE + "\n"})
        refused.append((double([1], clearance=other["clearance"]["execution_token"]), "another"))
        for job, why in refused:
            status, _, answer = self.s.call("POST", "/v1/jobs", job)
            self.assertEqual(status, 403)
            self.assertIn(why, answer["error"]["message"])
        bad = self.s.ok("POST", "/v1/check", {"wgsl": "fn f() { let x = y; }"})
        self.assertEqual(bad["report"]["verdict"], "rejected")
        self.assertEqual(bad["report"]["diagnostics"][0]["line"], 1)
        self.assertNotIn("execution_token", bad["clearance"])

    def test_foreign_worker(self):
        worker = self.s.ok("POST", "/v1/workers", {"runner": "cuda", "name": "test"})
        lease_at = f"/v1/workers/{worker['worker']}/lease"
        self.assertEqual(self.s.call("POST", lease_at, {"runner": "cuda"})[0], 204)
        made = self.s.ok("POST", "/v1/jobs", {
            "runner": "cuda", "inputs": {"x": [1, 2]}, "entry": "triple",
            "outputs": {"y": {"shape": [2], "dtype": "f32"}}})
        lease = self.s.ok("POST", lease_at, {"runner": "cuda"})
        self.assertEqual((lease["job"], lease["inputs"]["x"]), (made["id"], [1, 2]))
        self.s.ok("POST", f"/v1/leases/{lease['lease']}/heartbeat", {"progress": 0.5})
        self.assertEqual(self.s.ok("GET", "/v1/jobs/" + made["id"])["progress"], 0.5)
        wrong = base64.b64encode(b"abc").decode()
        right = base64.b64encode(struct.pack("<2f", 3, 6)).decode()
        self.assertEqual(self.s.call("POST", f"/v1/leases/{lease['lease']}/result", {
            "outputs": {"y": {"dtype": "f32", "base64": wrong}}})[0], 400)
        self.s.ok("POST", f"/v1/leases/{lease['lease']}/result", {
            "outputs": {"y": {"dtype": "f32", "base64": right}}})
        self.assertEqual(self.s.wait(made["id"])["outputs"]["y"]["data"], [3, 6])
        self.assertEqual(self.s.call("POST", f"/v1/leases/{lease['lease']}/result",
                                     {"outputs": {}})[0], 410)

    def test_names_of_runners(self):
        for runner in ("-", "-gpu", "_x", "a.b", "a*", ">", "a b", "x" * 64, "\u00e9"):
            job = {"runner": runner, "outputs": {"y": {"shape": [1]}}}
            for path, body in (("/v1/jobs", job), ("/v1/workers", {"runner": runner}),
                               ("/v1/workers/w/lease", {"runner": runner})):
                status, _, answer = self.s.call("POST", path, body)
                self.assertEqual((status, answer["error"]["kind"]), (400, "invalid"), runner)
                self.assertIn("runner", answer["error"]["message"])
        self.assertEqual(self.s.call("POST", "/v1/workers", {"runner": "Cuda-12_x"})[0], 200)

    def test_lease_that_runs_out_is_given_again(self):
        with Server(WEFT, "workers.foreign.lease=1s", "workers.max_attempts=1000") as s:
            made = s.ok("POST", "/v1/jobs", {
                "runner": "slow", "outputs": {"y": {"shape": [1], "dtype": "f32"}}})
            first = s.ok("POST", "/v1/workers/w/lease", {"runner": "slow"})
            ended = False
            while not ended:            # a lease may run out before the worker gets on
                status, _, lease = s.call("POST", "/v1/workers/w/lease", {"runner": "slow"})
                if status == 200:
                    self.assertEqual(lease["job"], first["job"])
                    ended = s.call("POST", f"/v1/leases/{lease['lease']}/fail",
                                   {"message": "broken"})[0] != 410
                time.sleep(0.05)
            self.assertEqual(s.call("POST", f"/v1/leases/{first['lease']}/heartbeat", {})[0],
                             410)
            job = s.wait(made["id"])
            self.assertEqual((job["state"], job["error"]["message"]), ("failed", "broken"))

    def test_many_at_a_time(self):
        problems = []

        def work(n):
            c = self.s.connect()
            for i in range(25):
                status, _, job = self.s.call("POST", "/v1/jobs", double([n, i]), connection=c)
                if status != 200 or job["outputs"]["y"]["data"] != [2 * n, 2 * i]:
                    problems.append((status, job))
            c.close()
        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(problems, [])

    def test_state_devices_metrics_openapi(self):
        state = self.s.ok("GET", "/v1/state")
        self.assertIn(state["state"], ("idle", "processing"))
        self.assertTrue(state["protections"]["seccomp"])
        self.assertIn("chrome", state["browser_support"])
        device = self.s.ok("GET", "/v1/devices")["devices"][0]
        self.assertGreater(device["workers"], 0)
        self.s.ok("GET", "/v1/alerts")
        _, headers, text = self.s.call("GET", "/metrics")
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        self.assertIn(b"weft_jobs_submitted_total", text)
        self.assertEqual(self.s.call("GET", "/health")[0], 200)

    def test_trace_goes_on(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        _, headers, _ = self.s.call("GET", "/health", headers={"traceparent": trace})
        self.assertEqual(headers["traceparent"].split("-")[1], trace.split("-")[1])
        _, headers, _ = self.s.call("GET", "/health", headers={"traceparent": "00-zz"})
        self.assertRegex(headers["traceparent"], "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$")


if __name__ == "__main__":
    main(globals())
