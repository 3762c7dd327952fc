#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The live protocol and bad clients: clear errors, bounded memory, nothing for others to notice."""
import json
import math
import os
import random
import resource
import socket
import struct
import unittest

from harness import PATIENCE, Server, main, until
from live_client import Live
from websocket_test import BINARY, TEXT, frame

WEFT = None


def resident(s):
    """Bytes that the server's process has in memory."""
    with open(f"/proc/{s.process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def send_buffer():
    """Bytes of a connection that the kernel may hold for its sender."""
    with open("/proc/sys/net/ipv4/tcp_wmem") as file:
        return int(file.read().split()[2])


def descriptors(count):
    """Whether this process may have so many files open; it may afterwards, if at all."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard == resource.RLIM_INFINITY or hard >= count


def handshake(port):
    """A connection that has been upgraded and then says nothing."""
    c = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    c.sendall(b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade"
              b"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
              b"\r\n")
    head = b""
    while b"\r\n\r\n" not in head:
        head += c.recv(4096)
    assert b" 101 " in head
    return c


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT, "live.queue=256KiB", "live.history=1MiB", "vectors.enabled=false",
                       "vectors.max_vectors=100_000_000")

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def client(self, **more):
        c = Live(self.s.port, **more)
        self.addCleanup(c.done)
        return c

    def well(self):
        """The server serves others as before."""
        c = self.client()
        c.subscribe("vector_updates")
        self.s.ok("POST", "/v1/vectors", {"vectors": [[1, 2, 3, 4]]})
        self.assertEqual(c.next()["vectors"], [[1, 2, 3, 4]])

    def test_messages_that_are_none(self):
        c = self.client()
        cases = [
            ("{", "not JSON"), ("", "not JSON"), ("[]", "type"), ("3", "not JSON"), ("{}", "type"),
            ('{"type":3}', "type"), ('{"type":"fly"}', "unknown type"),
            ('{"type":"ping","type":"ping"}', "not JSON"), ("[" * 3000, "not JSON"),
            ('{"type":"subscribe","channels":"vector_updates"}', "channels"),
            ('{"type":"subscribe","channels":[3]}', "no channel"),
            ('{"type":"subscribe","channels":["x"]}', "no channel"),
            ('{"type":"subscribe","since":-1}', "since"),
            ('{"type":"subscribe","since":1e3}', "since"),
            ('{"type":"request_vectors","limit":10001}', "limit"),
            ('{"type":"request_vectors","limit":"all"}', "limit"),
            ('{"type":"submit_job"}', "job"), ('{"type":"submit_job","job":{}}', "wgsl"),
            ('{"type":"vectors"}', "vectors"), ('{"type":"vectors","vectors":[]}', "vectors"),
            ('{"type":"vectors","vectors":[[]]}', "vectors"),
            ('{"type":"vectors","vectors":[[1,2,3,4],[1]]}', "row 1 has 1"),
            ('{"type":"vectors","vectors":[[1,null,3,4]]}', "not a number"),
            ('{"type":"vectors","vectors":[[1,2,3,4]],"ids":[-1]}', "ids"),
            ('{"type":"vectors","vectors":[[1,2,3,4]],"ids":[1,2]}', "ids"),
            ('{"type":"vectors","vectors":[[1,2,3,4],[1,2,3,5]],"ids":[7,7]}', "twice"),
            ('{"type":"vectors","vectors":[[1,2,3,4]],"labels":["a","b"]}', "labels"),
            ('{"type":"vectors","vectors":[[1,2,3,4]],"labels":[3]}', "labels"),
            ('{"type":"vectors","vectors":[[1e300,2,3,4]]}', "not finite"),
            ('{"type":"vectors","vectors":[[0,0,0,0]]}', "no direction"),
            ('{"type":"set_view","view":3}', "view"),
            ('{"type":"set_view","view":{"x":"%s"}}' % ("y" * 20000), "view"),
            ('{"type":"vector_stream","dimension":5000}', "dimension"),
        ]
        self.well()                     # vectors have four numbers from now on
        for text, reason in cases:
            with self.subTest(text=text[:60]):
                c.text(text)
                self.assertIn(reason, c.until("error")["reason"])
        c.say("vectors", vectors=[[1, 2]])
        self.assertIn("those that are there have 4", c.until("error")["reason"])
        self.well()

    def test_binary_messages_that_are_none(self):
        c, h = self.client(), self.client(protocol="weft.live")
        self.well()
        c.binary(struct.pack("<4f", 1, 2, 3, 4))
        self.assertIn("announce the dimension", c.until("error")["reason"])
        c.say("vector_stream", dimension=4)
        for data, reason in ((b"", "whole number"), (b"abc", "whole number"),
                             (struct.pack("<5f", *range(5)), "whole number"),
                             (struct.pack("<4f", 1, math.nan, 3, 4), "not finite"),
                             (struct.pack("<4f", 1, math.inf, 3, 4), "not finite"),
                             (struct.pack("<4f", 1, 2e15, 3, 4), "above 1e15")):
            with self.subTest(data=data):
                c.binary(data)
                self.assertIn(reason, c.until("error")["reason"])
        row = struct.pack("<4f", 1, 2, 3, 4)
        for head, rest, reason in (
                (b"short", b"", "32 bytes"),
                (struct.pack("<QQIIII", 0, 0, 4, 1, 2, 0), row, "dtype"),
                (struct.pack("<QQIIII", 0, 0, 0, 1, 1, 0), row, "must not be 0"),
                (struct.pack("<QQIIII", 0, 0, 4, 0, 1, 0), row, "must not be 0"),
                (struct.pack("<QQIIII", 0, 0, 4, 1, 1, 8), row, "flags"),
                (struct.pack("<QQIIII", 0, 0, 4, 2, 1, 0), row, "shorter"),
                (struct.pack("<QQIIII", 0, 0, 2**32 - 1, 2**32 - 1, 1, 1), row, "shorter"),
                (struct.pack("<QQIIII", 0, 0, 4, 1, 1, 0), row + b"more", "longer"),
                (struct.pack("<QQIIII", 0, 0, 4, 1, 1, 2), row + b"[3", "labels"),
                (struct.pack("<QQIIII", 0, 0, 4, 1, 1, 2), row + b"[{}]", "labels"),
                (struct.pack("<QQIIIIQ", 0, 0, 4, 1, 1, 1, 2**64 - 1), row, "2^53"),
                (struct.pack("<QQIIII", 0, 0, 4, 1, 1, 1), row, "shorter")):
            with self.subTest(head=head):
                h.binary(head + rest)
                self.assertIn(reason, h.until("error")["reason"])
        self.well()

    def test_requests_that_are_none(self):
        self.well()
        for method, path, body, status in (
                ("POST", "/v1/vectors", {"vectors": [[1, 2]]}, 422),
                ("POST", "/v1/vectors", {"vectors": 3}, 400),
                ("POST", "/v1/vectors", {"vectors": [[1, 2, 3, 4]], "speed": 3}, 400),
                ("POST", "/v1/vectors", b"[", 400),
                ("GET", "/v1/vectors?limit=many", None, 400),
                ("GET", "/v1/vectors/search", None, 400),
                ("GET", "/v1/vectors/search?id=1&label=x", None, 400),
                ("GET", "/v1/vectors/search?vector=1,,2", None, 400),
                ("POST", "/v1/vectors/search", {"vector": ["x"]}, 400),
                ("POST", "/v1/vectors/places", {"ids": ["x"]}, 400),
                ("PUT", "/v1/vectors/view", {"x": "y" * 20000}, 400)):
            with self.subTest(path=path, body=body):
                got, _, answer = self.s.call(method, path, body)
                self.assertIn(got, (status, 400, 422), answer)
                self.assertIn("message", answer["error"])
        binary = {"Content-Type": "application/octet-stream"}
        npy = {"Content-Type": "application/x-npy"}
        for data, headers in ((b"abc", binary), (struct.pack("<5f", *range(1, 6)), binary),
                              (b"", binary), (b"\x93NUMPY", npy), (b"", npy)):
            status, _, answer = self.s.call("POST", "/v1/vectors", data, headers)
            self.assertIn(status, (400, 422), answer)
        self.s.ok("POST", "/v1/vectors", struct.pack("<8f", *range(1, 9)), headers=binary)
        self.well()

    def test_random_bytes(self):
        r = random.Random(1)
        for _ in range(60):
            c = self.client(protocol=r.choice((None, "weft.live")))
            try:
                for _ in range(5):
                    c.socket.sendall(frame(r.choice((TEXT, BINARY, 0, 3, 8, 9)),
                                           r.randbytes(r.randrange(200)), fin=r.random() < 0.7))
            except (BrokenPipeError, ConnectionResetError):
                pass                    # it was closed for what it said
            c.done()
        self.well()

    def test_clients_that_never_read(self):
        deaf, slow = [handshake(self.s.port) for _ in range(20)], self.client(protocol="weft.live")
        for c in deaf:
            c.sendall(frame(TEXT, json.dumps({"type": "subscribe", "channels": [
                "vector_updates"]}).encode()))
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.subscribe("vector_updates")
        quick = self.client(protocol="weft.live")
        quick.subscribe("vector_updates")
        block = struct.pack("<16384f", *([1.5, 2, 3, 4] * 4096))
        headers = {"Content-Type": "application/octet-stream"}
        count = 300 + 2 * send_buffer() // len(block)      # more than the kernel takes
        for _ in range(count):
            self.s.ok("POST", "/v1/vectors?dimension=4", block, headers=headers)
            self.assertEqual(len(quick.next()), 32 + len(block))    # nobody holds it up
        self.assertLess(resident(self.s), 400 << 20)
        seen, missed, last = 0, None, 0
        while True:
            message = slow.next()
            if isinstance(message, dict):
                self.assertEqual(message["type"], "missed")
                missed = message["channels"]["vector_updates"]
                continue
            seen += 1
            last = struct.unpack_from("<Q", message)[0]
            if missed is not None:
                break
        self.assertEqual(seen + missed, count)      # told exactly what it missed
        slow.say("ping")
        self.assertEqual(slow.until("pong")["seq"], last)       # and got the latest
        for c in deaf:
            c.close()
        self.well()

    def test_a_slow_client_is_told_of_another_dimension(self):
        with Server(WEFT, "live.queue=256KiB", "vectors.enabled=false",
                    "vectors.max_vectors=100_000_000") as s:
            slow = Live(s.port)
            slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            slow.subscribe("vector_updates", binary=True)
            block = struct.pack("<16384f", *([1.5, 2, 3, 4] * 4096))
            headers = {"Content-Type": "application/octet-stream"}
            for _ in range(30 + 2 * send_buffer() // len(block)):    # more than the kernel takes
                status, _, _ = s.call("POST", "/v1/vectors?dimension=4", block, headers)
                self.assertEqual(status, 200)
            s.ok("DELETE", "/v1/vectors")
            s.ok("POST", "/v1/vectors", {"vectors": [[5, 6]]})
            dimension, missed, message = 0, 0, b""
            while message != struct.pack("<2f", 5, 6):
                message = slow.next()
                if isinstance(message, dict):
                    dimension = message.get("dimension", dimension)
                    missed += message["type"] == "missed"
            self.assertEqual((dimension, missed), (2, 1))
            slow.done()

    def test_half_open_connections(self):
        if not descriptors(1500):
            self.skipTest("fewer than 1500 open files are allowed")
        clients = [handshake(self.s.port) for _ in range(1000)]
        half = [socket.create_connection(("127.0.0.1", self.s.port)) for _ in range(200)]
        for c in half:
            c.sendall(b"GET /ws HTTP/1.1\r\nHost: 127")
        for c in clients:               # a frame that does not end
            c.sendall(b"\x81\xfe\xff")
        self.well()
        self.assertLess(resident(self.s), 600 << 20)
        for c in clients + half:
            c.close()
        c = self.client()
        c.subscribe("metrics")
        while c.until("metrics")["connections"] >= 100:
            pass
        self.well()

    def test_a_flood(self):
        with Server(WEFT, "live.queue=256KiB") as s:    # requests are counted by tenant
            self.flood(s)

    def flood(self, s):
        c = Live(s.port)
        flood = frame(TEXT, b'{"type":"ping"}') * 30000
        c.socket.settimeout(0.2)
        at = 0
        try:
            while at < len(flood):
                at += c.socket.send(flood[at:at + 65536])
        except (socket.timeout, BrokenPipeError, ConnectionResetError):
            pass                        # it reads nothing, and at some time neither do we
        self.assertLess(resident(s), 400 << 20)
        c.done()                        # what is in its socket is still counted by the second
        until(lambda: s.call("POST", "/v1/vectors", {"vectors": [[1, 2]]})[0] in (200, 202))


class Limits(unittest.TestCase):
    def test_limits_of_a_tenant(self):
        with Server(WEFT, "vectors.max_vectors=10", "vectors.enabled=false",
                    "auth.quotas.request_rate=50") as s:
            s.ok("POST", "/v1/vectors", {"vectors": [[1, 2]] * 8})
            status, _, answer = s.call("POST", "/v1/vectors", {"vectors": [[1, 2]] * 3})
            self.assertEqual((status, answer["error"]["kind"]), (429, "quota"))
            c = Live(s.port)
            c.socket.sendall(frame(TEXT, b'{"type":"ping"}') * 2000)
            reasons = [c.next() for _ in range(2000)]
            self.assertTrue(any("too many requests" in m.get("reason", "") for m in reasons))
            c.done()

    def test_the_limit_holds_while_vectors_wait_for_the_index(self):
        with Server(WEFT, "vectors.max_vectors=100") as s:
            c = Live(s.port)
            c.subscribe("vector_updates")
            for i in range(25):         # more than the index has answered when the next come
                c.say("vectors", vectors=[[1, i]] * 10, request=str(i))
            answers = []
            while len(answers) < 25:
                m = c.next()
                answers += [m] if m["type"] in ("ingested", "error") else []
            refused = [m for m in answers if m["type"] == "error"]
            self.assertEqual((len(refused), {m["kind"] for m in refused}), (15, {"quota"}))
            self.assertEqual(s.ok("GET", "/v1/vectors")["count"], 100)
            s.ok("DELETE", "/v1/vectors")
            self.assertEqual(s.ok("POST", "/v1/vectors", {"vectors": [[1, 2, 3]] * 100})["total"],
                             100)
            c.done()

    def test_dead_connections_are_found(self):
        with Server(WEFT, "live.ping=3s") as s:
            clients = [handshake(s.port) for _ in range(50)]
            c = Live(s.port)            # this one answers pings
            c.subscribe("metrics")
            while c.until("metrics")["connections"] != 1:
                pass
            for k in clients:
                k.close()
            c.done()


if __name__ == "__main__":
    main(globals())
