#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile requests and kernels, each with the answer that it must get; afterwards the
server still serves."""
import gzip
import http.client
import json
import re
import socket
import threading
import time
import unittest
import zlib

from harness import DOUBLE, FOREVER, PATIENCE, Server, double, main, until

WEFT = None


def request(method, path, *headers, body=b"", host=True, last=True):
    lines = ([f"{method} {path} HTTP/1.1"] + (["Host: 127.0.0.1"] if host else [])
             + (["Connection: close"] if last else []) + list(headers))
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def statuses(answer):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d\d\d) ", answer)]


class Requests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT, "server.max_body=4MiB", "server.max_json_values=10_000",
                       "server.idle_timeout=10s")
        cls.s.until_ready()

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def tearDown(self):
        job = self.s.ok("POST", "/v1/jobs", double([21]))
        self.assertEqual(job["outputs"]["y"]["data"], [42])

    def expect(self, data, *allowed):
        got = statuses(self.s.raw(data))
        self.assertTrue(got and got[0] in allowed, (data[:120], got))

    def post(self, body, *headers, last=True):
        return request("POST", "/v1/jobs", f"Content-Length: {len(body)}",
                       "Content-Type: application/json", *headers, body=body, last=last)

    def test_pipelined_requests_are_all_answered(self):
        body = json.dumps(double([1])).encode()
        get = request("GET", "/health", last=False)
        post = self.post(body, last=False)
        self.assertEqual(statuses(self.s.raw(post + post + get + self.post(body))),
                         [200, 200, 200, 200])

    def test_chunked(self):
        body = json.dumps(double([1])).encode()
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 7]), body[i:i + 7])
                          for i in range(0, len(body), 7)) + b"0\r\n\r\n"
        self.expect(request("POST", "/v1/jobs", "Transfer-Encoding: chunked", body=chunks), 200)
        self.expect(request("POST", "/v1/jobs", "Transfer-Encoding: chunked",
                            body=b"zz\r\nabc\r\n0\r\n\r\n"), 400)
        # A chunk that never comes: closed when the connection has been idle too long.
        self.assertNotIn(200, statuses(self.s.raw(request(
            "POST", "/v1/jobs", "Transfer-Encoding: chunked",
            body=b"ffffffffffffffff\r\nabc\r\n"))))

    def test_chunks_of_every_kind(self):
        body = json.dumps(double([1])).encode()
        whole = b"%x\r\n%s\r\n0\r\n" % (len(body), body)
        for chunks in (b"".join(b"1\r\n%c\r\n" % c for c in body) + b"0\r\n\r\n",
                       b"%x;name=\"value\"\r\n%s\r\n0;last\r\n\r\n" % (len(body), body),
                       b"%s%X\r\n%s\r\n000\r\n\r\n" % (b"0" * 30, len(body), body),
                       whole + b"X-Trailer: y\r\nContent-Length: 5\r\n\r\n"):
            self.expect(request("POST", "/v1/jobs", "Transfer-Encoding: chunked", body=chunks),
                        200)
        for chunks in (b"-1\r\n", b" 5\r\n", b"0x5\r\n", b"5\r\nabcdefgh\r\n0\r\n\r\n",
                       b"11111111111111111\r\n"):
            self.expect(request("POST", "/v1/jobs", "Transfer-Encoding: chunked", body=chunks),
                        400, 413)
        self.expect(request("POST", "/v1/jobs", "Transfer-Encoding: chunked",
                            body=whole + b"X: y\r\n" * 10000 + b"\r\n"), 431, 413)

    def test_transfer_codings(self):
        for coding in ("gzip, chunked", "identity", "xchunked", "chunked, chunked", "chunked;q=1"):
            self.expect(request("POST", "/v1/jobs", "Transfer-Encoding: " + coding,
                                body=b"2\r\n{}\r\n0\r\n\r\n"), 501)
        old = self.post(b"{}").replace(b"Content-Length: 2", b"Transfer-Encoding: chunked")
        self.expect(old.replace(b"HTTP/1.1", b"HTTP/1.0"), 400)

    def test_versions(self):
        self.expect(self.post(json.dumps(double([1])).encode()).replace(b"1.1", b"1.0"), 200)
        self.expect(b"GET /health HTTP/1.0\r\n\r\n", 421)
        self.expect(self.post(b"{}").replace(b"HTTP/1.1", b"HTTP/2.0"), 505)
        self.expect(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505)
        self.expect(b"GET /health\r\n\r\n", 400)

    def test_targets(self):
        port = self.s.port
        self.expect(request("GET", f"http://127.0.0.1:{port}/health"), 200)
        self.expect(request("GET", f"HTTP://localhost:{port}/health"), 200)
        self.expect(request("GET", f"http://127.0.0.1:{port}"), 200)
        for target in ("http://evil.example/health", f"http://evil@127.0.0.1:{port}/health",
                       "http:///health", "https://evil.example:443/v1/jobs"):
            self.expect(request("GET", target), 421)
        for target in ("*", "127.0.0.1:22", "health", "/health#x", "ftp://127.0.0.1/"):
            self.expect(request("GET", target), 404)
        self.expect(request("CONNECT", "127.0.0.1:22"), 404)
        self.expect(request("TRACE", "/health"), 405)

    def test_answers_before_the_body(self):
        """What follows a refused head is not taken for a request."""
        inner = self.post(json.dumps(double([1])).encode())
        for path, status in (("/nothing", 404), ("/v1/jobs/x", 405)):
            got = statuses(self.s.raw(request(
                "POST", path, f"Content-Length: {len(inner)}", body=inner, last=False) + inner))
            self.assertEqual(got, [status])
        got = statuses(self.s.raw(request("POST", "/v1/jobs", "Content-Length: 99999999",
                                          last=False) + inner))
        self.assertEqual(got, [413])
        self.assertEqual(statuses(self.s.raw(self.post(b"{", last=False) + inner)), [400, 200])
        self.expect(request("POST", "/nothing", "Content-Length: 9", "Expect: 100-continue"), 404)

    def test_expect_continue(self):
        body = json.dumps(double([1])).encode()
        with socket.create_connection(("127.0.0.1", self.s.port), timeout=PATIENCE) as c:
            c.sendall(request("POST", "/v1/jobs", f"Content-Length: {len(body)}",
                              "Expect: 100-continue"))
            self.assertIn(b"100 Continue", c.recv(4096))
            c.sendall(body)
            self.assertIn(b"HTTP/1.1 200", c.recv(4096))
        big = request("POST", "/v1/jobs", "Content-Length: 99999999", "Expect: 100-continue")
        self.expect(big, 413)

    def test_ambiguous_lengths(self):
        self.expect(request("POST", "/v1/jobs", "Content-Length: 5",
                            "Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 400)
        self.expect(request("POST", "/v1/jobs", "Content-Length: 2", "Content-Length: 2",
                            body=b"{}"), 400)
        self.expect(request("POST", "/v1/jobs", "Content-Length: 2", "Content-Length: 7",
                            body=b"{}"), 400)
        for length in ("-1", "3x", "+2", "0x2", "18446744073709551616", ""):
            self.expect(request("POST", "/v1/jobs", f"Content-Length: {length}", body=b"{}"),
                        400, 413)

    def test_odd_headers(self):
        self.expect(request("GET", "/health", "X: " + "a" * 100000), 431, 413, 400, 414)
        self.expect(request("GET", "/health", *[f"X{i}: y" for i in range(5000)]), 431, 413, 400)
        self.expect(request("GET", "/" + "a" * 100000), 414, 431, 400)
        self.expect(request("GET", "/health", host=False), 400, 421)
        self.expect(request("GET", "/health", "Host: evil.example"), 400)
        self.expect(request("GET", "/health", "Host : 127.0.0.1"), 400)
        self.expect(request("GET", "/health", "Bad Name: x"), 400)
        self.expect(request("GET", "/health", "X: a\rb"), 400)
        self.expect(request("GET", "/health", "X: a\x01b"), 400)
        self.expect(request("GET", "/health", "X: a\tb", "Y:", "Z: \xe9"), 200)
        self.expect(request("GET", "/health", " folded: x"), 400)
        self.expect(request("GET", "/health", "nothing"), 400)
        self.expect(bytes(range(256)) * 4 + b"\r\n\r\n", 400)
        for name in ("Host", "Origin", "Authorization", "Content-Type", "X-Api-Key",
                     "Content-Encoding", "Idempotency-Key", "X-Session-Token"):
            self.expect(request("GET", "/health", name + ": x", name + ": y"), 400)
        for host in ("127.0.0.1, evil", "evil@127.0.0.1", "127.0.0.1:x", "127.0.0.1.",
                     "localhost.evil", "[::1", "127.0.0.1:99999", "127.1", "2130706433"):
            self.expect(request("GET", "/health", "Host: " + host, host=False), 421)
        self.expect(request("GET", "/health", "Cookie: " + "c" * 10000), 200)

    def test_paths(self):
        for path in ("/../etc/passwd", "/v1/jobs/../../x", "/v1/jobs/%2e%2e%2fx", "//", "/%00",
                     "/v1/jobs/%00", "/v1/jobs/" + "A" * 26, "/v1/jobs//outputs/y",
                     "/v1/jobs/x/outputs/", "/V1/jobs", "/v1/jobs/%", "/v1/buffers/%2f"):
            self.expect(request("GET", path), 404, 400)
        self.assertIn(b"\r\nAllow: POST, GET\r\n", self.s.raw(request("PUT", "/v1/jobs")))
        self.expect(request("BREW", "/v1/jobs"), 405, 501, 400)
        self.expect(request("PATCH", "/v1/jobs"), 405)

    def test_json(self):
        wrong = [
            (b"", 400), (b"{", 400), (b"[]", 400), (b"nul", 400), (b"{}", 400),
            (b'{"wgsl":1}', 400), (b'{"wgsl":"a","wgsl":"b"}', 400),
            (b'{"wgsl":"\xff\xfe"}', 400), (b'{"wgsl":"\\u0000"}', 400),
            (b'{"x":NaN}', 400), (b'{"x":1e999}', 400), (b'{"x":Infinity}', 400),
            (b"[" * 100000, 413), (b'{"a":' * 1000 + b"1" + b"}" * 1000, 413),
            (b'{"inputs":{"x":[' + b"1," * 20000 + b"1]}}", 413),
            (b'{"inputs":{"x":{"base64":"!!!"}},"wgsl":"x","outputs":{"y":{"size":4}}}', 400),
            (b'{"wgsl":"x","outputs":{"y":{"size":9223372036854775807}}}', 400),
            (b'{"wgsl":"x","outputs":{"y":{"shape":[9223372036854775807,2]}}}', 400),
            (b'{"wgsl":"x","outputs":{"y":{"shape":[4294967296,4294967296]}}}', 400),
            (b'{"wgsl":"x","outputs":{"y":{"shape":[1.5]}}}', 400),
            (b'{"wgsl":"x","outputs":{"y":{"shape":[' + b"1," * 8 + b"1]}}}", 400),
            (b'{"wgsl":"x","outputs":{"../y":{"size":4}}}', 400),
            (b'{"wgsl":"x","limits":{"time":-5},"outputs":{"y":{"size":4}}}', 400),
        ]
        for body, status in wrong:
            with self.subTest(body=body[:60]):
                self.expect(self.post(body), status)

    def test_bodies(self):
        self.expect(self.post(b"x" * (5 << 20)), 413)
        bomb = gzip.compress(b"\0" * (256 << 20))
        self.expect(self.post(bomb, "Content-Encoding: gzip"), 413)
        self.expect(self.post(b"not gzip", "Content-Encoding: gzip"), 400)
        self.expect(self.post(gzip.compress(b"{}")[:-6], "Content-Encoding: gzip"), 400)
        self.expect(self.post(zlib.compress(b"{}"), "Content-Encoding: br"), 415)
        self.expect(request("POST", "/v1/jobs", "Content-Type: text/xml", "Content-Length: 2",
                            body=b"<>"), 415)

    def test_multipart(self):
        part = b'\r\nContent-Disposition: form-data; name="job"\r\n\r\n{}'
        for body in (b"", b"--B", b"--B\r\n", b"--B--", b"--B\r\n\r\n--B--", b"--X\r\n--X--",
                     b"--B" + part, b"--B" + part + b"\r\n--Bx", b"--B" + part + b"\r\n--B",
                     (b"--B" + part + b"\r\n") * 100 + b"--B--",
                     b'--B\r\nContent-Disposition: form-data; name="\r\n\r\n\r\n--B--',
                     b"--B\r\n" + b"X: y\r\n" * 2000 + b"\r\n\r\n--B--"):
            with self.subTest(body=body[:40]):
                self.expect(request("POST", "/v1/jobs", f"Content-Length: {len(body)}",
                                    "Content-Type: multipart/form-data; boundary=B", body=body),
                            400)
        self.expect(request("POST", "/v1/jobs", "Content-Length: 5",
                            "Content-Type: multipart/form-data; boundary=" + "b" * 200,
                            body=b"--bbb"), 400)
        self.expect(request("POST", "/v1/jobs", "Content-Length: 0",
                            "Content-Type: multipart/form-data"), 400)

    def test_slow_clients_do_not_stop_others(self):
        slow = []
        for _ in range(50):
            c = socket.create_connection(("127.0.0.1", self.s.port), timeout=PATIENCE)
            c.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n")
            slow.append(c)
        self.assertEqual(self.s.ok("POST", "/v1/jobs", double([1]))["state"], "done")
        for c in slow:                  # the server closes them, not we
            while c.recv(4096):
                pass
            c.close()

    def test_aborted_requests(self):
        body = json.dumps(double([1])).encode()
        for cut in range(1, len(self.post(body)), 97):
            with socket.create_connection(("127.0.0.1", self.s.port)) as c:
                c.sendall(self.post(body)[:cut])
        for _ in range(20):             # gone before the answer
            with socket.create_connection(("127.0.0.1", self.s.port)) as c:
                c.sendall(self.post(body))


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT, "workers.kernel.address_space=6GiB")
        cls.s.until_ready()

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def run_kernel(self, wgsl, outputs=None, **more):
        return self.s.call("POST", "/v1/jobs", {
            "wgsl": wgsl, "wait": True, "workgroups": [1],
            "outputs": outputs or {"y": {"shape": [4], "dtype": "u32"}}, **more})

    def tearDown(self):
        job = self.s.ok("POST", "/v1/jobs", double([21]))
        self.assertEqual(job["outputs"]["y"]["data"], [42])

    def test_endless_loop(self):
        status, _, job = self.run_kernel(FOREVER, limits={"time": "1s"})
        self.assertEqual((status, job["error"]["kind"]), (504, "timeout"))

    def test_out_of_bounds_stays_inside(self):
        head = "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
        status, _, job = self.run_kernel(head + """
            @compute @workgroup_size(1) fn main() {
              for (var i = 0u; i < 100000u; i++) { y[i * 4099u] = 7u; }
              y[1] = y[4294967295u]; }""")
        self.assertEqual(status, 200, job)

    def test_compile_bombs(self):
        head = "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
        nest = "(" * 100000 + "1u" + ")" * 100000
        blocks = "{" * 50000 + "}" * 50000
        calls = "".join(f"fn f{i}(x : u32) -> u32 {{ return f{i + 1}(x) + f{i + 1}(x * 3u); }}\n"
                        for i in range(40)) + "fn f40(x : u32) -> u32 { return x; }\n"
        texts = [
            head + "@compute @workgroup_size(1) fn main() { y[0] = " + nest + "; }",
            head + "@compute @workgroup_size(1) fn main() " + blocks,
            calls + head + "@compute @workgroup_size(1) fn main() { y[0] = f0(1u); }",
            head + "const a = array<array<u32, 65536>, 65536>();\n"
                   "@compute @workgroup_size(1) fn main() { y[0] = a[0][0]; }",
            head + "@compute @workgroup_size(1) fn main() { var a : array<u32, 4294967295>; "
                   "y[0] = a[y[1]]; }",
            "alias " + "A" * 200000 + " = u32;",
        ]
        for text in texts:
            with self.subTest(text=text[:80]):
                status, _, job = self.run_kernel(text, limits={"time": "2s"})
                self.assertIn(status, (200, 400, 422, 404, 504, 503, 507), job)

    def test_memory_bombs(self):
        head = "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
        main_fn = "@compute @workgroup_size(1) fn main() { y[0] = 1u; }"
        status, _, job = self.run_kernel(head + main_fn,
                                         {"y": {"shape": [1 << 34], "dtype": "u32"}})
        self.assertEqual((status, job["error"]["kind"]), (403, "quota"))
        status, _, job = self.run_kernel(head + main_fn, {"y": {"size": 900000000}})
        self.assertEqual((status, job["error"]["kind"]), (429, "quota"))
        big = "var<workgroup> w : array<u32, 100000000>;\n"
        status, _, job = self.run_kernel(head + big + "@compute @workgroup_size(1) fn main() "
                                         "{ y[0] = w[y[1]]; }")
        self.assertEqual((status, job["error"]["kind"]), (422, "compile"))

    def test_many_workgroups_are_estimated_before(self):
        status, _, job = self.s.call("POST", "/v1/jobs", double(
            [1], workgroups=[65535, 65535, 65535]))
        self.assertEqual((status, job["error"]["kind"]), (429, "quota"))

    def test_portable_only(self):
        with Server(WEFT, "webgpu_integration.integration.cross_platform_compatibility=true") as s:
            s.until_ready()
            half = DOUBLE.replace("f32", "f16")
            status, _, job = s.call("POST", "/v1/jobs", {
                "wgsl": "enable f16;\n" + half, "inputs": {"x": [1]}, "wait": True,
                "outputs": {"y": {"shape": [2], "dtype": "f16"}}})
            self.assertEqual((status, job["error"]["kind"]), (501, "unsupported"), job)
            self.assertEqual(s.ok("POST", "/v1/jobs", double([1]))["state"], "done")


class Limits(unittest.TestCase):
    def test_concurrent_contexts_limit(self):
        with Server(WEFT, "webgpu_integration.performance.concurrent_contexts_limit=2") as s:
            job = {"runner": "nobody", "wait": True, "outputs": {"y": {"shape": [1]}}}
            got = []
            threads = [threading.Thread(target=lambda: got.append(s.call("POST", "/v1/jobs",
                                                                         job)[0]))
                       for _ in range(2)]
            for t in threads:
                t.start()
            waiting = []
            while len(waiting) < 2:
                waiting = s.ok("GET", "/v1/jobs?state=queued")["jobs"]
                time.sleep(0.02)
            self.assertEqual([s.call("POST", "/v1/jobs", job)[0] for _ in range(2)], [429, 429])
            for made in waiting:
                s.ok("DELETE", "/v1/jobs/" + made["id"])
            for t in threads:
                t.join()
            self.assertEqual(s.ok("POST", "/v1/jobs", double([1]))["state"], "done")

    def test_body_that_takes_too_long(self):
        with Server(WEFT, "server.body_timeout=500ms") as s, \
                socket.create_connection(("127.0.0.1", s.port), timeout=PATIENCE) as c:
            c.sendall(request("POST", "/v1/jobs", "Content-Length: 1000000"))
            with self.assertRaises(OSError):
                while True:             # a byte now and then keeps the connection alive
                    c.sendall(b" ")
                    time.sleep(0.05)

    def test_clients_that_leave_in_the_middle(self):
        """Their connections are closed, long before they would be idle for too long."""
        with Server(WEFT, "server.idle_timeout=1h", "server.body_timeout=1h") as s:
            for part in (b"", b"\r\n\r\n{\"wgsl\""):
                for _ in range(20):
                    with socket.create_connection(("127.0.0.1", s.port)) as c:
                        c.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                  b"Content-Length: 90" + part)
            until(lambda: int(s.call("GET", "/metrics")[2].decode().split(
                "\nweft_http_connections ")[1].split("\n")[0]) <= 2)

    def test_endless_body(self):
        with Server(WEFT, "server.max_body=1MiB") as s, \
                socket.create_connection(("127.0.0.1", s.port), timeout=PATIENCE) as c:
            c.sendall(request("POST", "/v1/jobs", "Transfer-Encoding: chunked"))
            with self.assertRaises(OSError):
                while True:
                    c.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
            chunks = b"10000\r\n" + b" " * 65536 + b"\r\n"
            self.assertEqual(statuses(s.raw(request(
                "POST", "/v1/jobs", "Transfer-Encoding: chunked",
                body=chunks * 20 + b"0\r\n\r\n"))), [413])

    def test_too_many_connections(self):
        with Server(WEFT, "server.max_connections_per_address=3") as s:
            held = [s.connect() for _ in range(3)]
            for c in held:
                self.assertEqual(s.call("GET", "/health", connection=c)[0], 200)
            with self.assertRaises((OSError, http.client.HTTPException)):
                s.call("GET", "/health")
            for c in held:
                c.close()

    def test_queue_that_is_full(self):
        with Server(WEFT, "queue.max_jobs=2") as s:
            job = {"runner": "nobody", "outputs": {"y": {"shape": [1]}}}
            self.assertEqual([s.call("POST", "/v1/jobs", job)[0] for _ in range(4)],
                             [202, 202, 503, 503])


if __name__ == "__main__":
    main(globals())
