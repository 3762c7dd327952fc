#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large requests and answers: right, beside each other, and within the memory that is granted."""
import base64
import gzip
import json
import re
import struct
import threading
import unittest

from harness import DOUBLE, Server, double, key_of, main, until

WEFT = None
FILL = """
@group(0) @binding(0) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at : vec3u) {
  let i = at.x; if i < arrayLength(&y) { y[i] = f32(i) * 0.5; } }
"""
BYTES = "struct S { a : u32, b : array<f32> }\n" + FILL.replace("array<f32>", "S", 1).replace(
    "y[i] =", "y.b[i] =").replace("(&y)", "(&y.b)")
WAITS = {"runner": "nobody", "outputs": {"y": {"shape": [1]}}}


def waiting(size):
    """A job for nobody whose request needs about that much memory."""
    return json.dumps({**WAITS, "inputs": {"x": {"base64": base64.b64encode(
        b"\0" * size).decode()}}}).encode()


def announce(s, size, key):
    """The answer to a request with a body of that size, which is not sent."""
    c = s.connect()
    c.putrequest("POST", "/v1/jobs")
    for name, value in (("Content-Length", str(size)), ("Authorization", "Bearer " + key)):
        c.putheader(name, value)
    c.endheaders()
    answer = c.getresponse()
    kind = json.loads(answer.read())["error"]["kind"]
    c.close()
    return answer.status, kind, answer.getheader("Retry-After")


def held(s):
    text = s.call("GET", "/metrics")[2].decode()
    return int(re.search(r"\nweft_request_memory_bytes (\d+)\n", text).group(1))


class Large(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT)
        cls.s.until_ready()

    @classmethod
    def tearDownClass(cls):
        until(lambda: held(cls.s) == 0, "memory stays counted")
        cls.s.__exit__(None)

    def peak(self):
        with open(f"/proc/{self.s.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) << 10

    def test_answer_is_written_while_it_is_sent(self):
        """As one text it would be in memory three times and more."""
        count, before = 2 << 20, self.peak()
        job = {"wgsl": FILL, "wait": True, "outputs": {"y": {"shape": [count]}}}
        status, headers, job = self.s.call("POST", "/v1/jobs", job)
        self.assertEqual((status, headers["Transfer-Encoding"]), (200, "chunked"))
        self.assertEqual(job["outputs"]["y"]["data"][::4099], [i / 2 for i in range(0, count, 4099)])
        self.assertEqual(len(job["outputs"]["y"]["data"]), count)
        again = self.s.ok("GET", "/v1/jobs/" + job["id"])
        self.assertEqual(again["outputs"], job["outputs"])
        _, headers, raw = self.s.call("GET", f"/v1/jobs/{job['id']}/outputs/y")
        self.assertEqual(int(headers["Content-Length"]), count * 4)
        self.assertEqual(struct.unpack_from("<2f", raw, count * 4 - 8),
                         (count / 2 - 1, count / 2 - 0.5))
        self.assertLess(self.peak() - before, 12 * count * 4)

    def test_answer_in_base64_and_several_outputs(self):
        for size in (65536, 65540, 200000, 200004, 200008):
            job = self.s.ok("POST", "/v1/jobs", {
                "wgsl": BYTES, "wait": True, "outputs": {"y": {"size": size}}})
            raw = base64.b64decode(job["outputs"]["y"]["base64"], validate=True)
            self.assertEqual((len(raw), struct.unpack_from("<f", raw, 404)[0]), (size, 50))
        two = FILL.replace("{ y[i]", "{ z[i] = i; y[i]").replace(
            "@compute", "@group(0) @binding(1) var<storage, read_write> z : array<u32>;\n@compute")
        job = self.s.ok("POST", "/v1/jobs", {"wgsl": two, "wait": True, "outputs": {
            "z": {"shape": [30000], "dtype": "u32"}, "y": {"shape": [300, 100]}}})
        self.assertEqual(job["outputs"]["z"]["data"], list(range(30000)))
        self.assertEqual(job["outputs"]["y"]["shape"], [300, 100])
        self.assertEqual(job["outputs"]["y"]["data"][-1], 14999.5)

    def test_http_1_0_and_head(self):
        job = self.s.ok("POST", "/v1/jobs", {"wgsl": FILL, "wait": True,
                                            "outputs": {"y": {"shape": [50000]}}})
        path = f"/v1/jobs/{job['id']} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"
        head, body = self.s.raw(f"GET {path}".encode()).split(b"\r\n\r\n", 1)
        self.assertNotIn(b"chunked", head)
        self.assertEqual(json.loads(body)["outputs"], job["outputs"])
        head, body = self.s.raw(f"HEAD {path}".encode()).split(b"\r\n\r\n", 1)
        self.assertEqual((head.split()[1], body), (b"200", b""))

    def test_clients_that_leave(self):
        job = self.s.ok("POST", "/v1/jobs", {"wgsl": FILL, "wait": True,
                                            "outputs": {"y": {"shape": [1 << 20]}}})
        for _ in range(5):
            c = self.s.connect()
            c.request("GET", "/v1/jobs/" + job["id"])
            c.sock.recv(1000)
            c.close()
        self.assertEqual(self.s.ok("POST", "/v1/jobs", double([1]))["state"], "done")

    def test_beside_each_other(self):
        """Large bodies in every form, from several clients, and small ones between."""
        wrong = []

        def post(n):
            values = struct.pack("<40000f", *[n] * 40000)
            job = double([0] * 2, inputs={"x": {"base64": base64.b64encode(values).decode()}},
                         outputs={"y": {"shape": [40000]}})
            body, headers = json.dumps(job).encode(), {}
            if n % 3 == 1:
                body, headers = gzip.compress(body, 1), {"Content-Encoding": "gzip"}
            elif n % 3 == 2:
                job["inputs"] = {"x": {"part": "x"}}
                body = (b"--B\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n" + values
                        + b"\r\n--B\r\nContent-Disposition: form-data; name=\"job\"\r\n\r\n"
                        + json.dumps(job).encode() + b"\r\n--B--")
                headers = {"Content-Type": "multipart/form-data; boundary=B"}
            done = self.s.call("POST", "/v1/jobs", body, headers=headers)[2]
            small = self.s.call("POST", "/v1/jobs", double([n]))[2]
            if (done.get("outputs", {}).get("y", {}).get("data") != [2 * n] * 40000
                    or small["outputs"]["y"]["data"] != [2 * n]):
                wrong.append(str(done)[:200])
        threads = [threading.Thread(target=lambda n=n: [post(n), post(n + 1)])
                   for n in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_errors_of_large_bodies(self):
        for change, status in (({"surprise": 1}, 400), ({"wgsl": "fn f( {"}, 422)):
            job = double([0] * 40000, **change)
            self.assertEqual(self.s.call("POST", "/v1/jobs", job)[0], status)
        self.assertEqual(self.s.call("POST", "/v1/jobs", b" " * 100000 + b"{")[0], 400)
        self.assertEqual(self.s.call("PUT", "/v1/buffers/odd", b"x" * 100001)[0], 400)

    def test_same_key(self):
        job = {"wgsl": FILL, "wait": True, "outputs": {"y": {"shape": [40000]}}}
        head = {"Idempotency-Key": "large"}
        first, second = (self.s.ok("POST", "/v1/jobs", job, headers=head) for _ in range(2))
        self.assertEqual(first, second)


class Memory(unittest.TestCase):
    def test_of_a_tenant(self):
        with Server(WEFT, "auth.quotas.request_memory=1MiB", "auth.required=true",
                    start=False) as s:
            alice, bob = (key_of(WEFT, s.data, name) for name in ("alice", "bob"))
            s.start()

            def refused(body, headers):
                status, _, answer = s.call("POST", "/v1/jobs", body, key=alice, headers=headers)
                self.assertEqual((status, answer["error"]["kind"]), (429, "quota"), answer)
            self.assertEqual(announce(s, 2 << 20, alice), (429, "quota", "1"))
            refused((b" " * 65536 for _ in range(32)), {})          # without a length
            refused(gzip.compress(b" " * (2 << 20)), {"Content-Encoding": "gzip"})
            jobs = [s.ok("POST", "/v1/jobs", waiting(200000), key=alice)["id"]
                    for _ in range(3)]
            self.assertEqual(announce(s, 600000, alice)[0], 429)
            self.assertEqual(s.call("POST", "/v1/jobs", waiting(400000), key=bob)[0], 202)
            for job in jobs:
                s.ok("DELETE", "/v1/jobs/" + job, key=alice)
            self.assertEqual(s.call("POST", "/v1/jobs", waiting(400000), key=alice)[0], 202)

    def test_of_all(self):
        with Server(WEFT, "server.request_memory=1MiB", "auth.required=true", start=False) as s:
            alice, bob = (key_of(WEFT, s.data, name) for name in ("alice", "bob"))
            s.start()
            s.ok("POST", "/v1/jobs", waiting(300000), key=alice)
            s.ok("POST", "/v1/jobs", waiting(300000), key=bob)
            for size in (600000, 2 << 20):
                self.assertEqual(announce(s, size, bob), (503, "memory", "1"))
            self.assertGreater(held(s), 600000)
            self.assertEqual(s.ok("POST", "/v1/jobs", double([1]), key=bob)["state"], "done")

    def test_of_large_results(self):
        with Server(WEFT, "auth.quotas.request_memory=1MiB") as s:
            s.until_ready()
            job = {"wgsl": FILL, "wait": True, "outputs": {"y": {"shape": [500000]}}}
            self.assertEqual(s.call("POST", "/v1/jobs", job)[0], 429)
            stored = s.ok("GET", "/v1/jobs?state=done")["jobs"][0]["id"]
            for path in ("", "/outputs/y"):
                self.assertEqual(s.call("GET", f"/v1/jobs/{stored}{path}")[0], 429)
            job["outputs"]["y"]["shape"] = [50000]
            self.assertEqual(s.call("POST", "/v1/jobs", job)[0], 200)

    def test_jobs_of_an_earlier_run_count(self):
        with Server(WEFT) as s:
            s.ok("POST", "/v1/jobs", waiting(300000))
            before = held(s)
            s.stop()
            s.start()
            self.assertEqual(held(s), before)

    def test_bodies_that_nobody_asked_for_are_not_kept(self):
        with Server(WEFT, "auth.required=true") as s:
            c = s.connect()
            c.putrequest("GET", "/health")
            c.putheader("Content-Length", str(32 << 20))
            c.endheaders(b" " * (16 << 20))
            self.assertEqual(held(s), 0)
            c.send(b" " * (16 << 20))
            self.assertEqual(c.getresponse().status, 200)
            c.close()


if __name__ == "__main__":
    main(globals())
