#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RFC 6455 on the wire: handshakes, frames, fragments, control frames, closing."""
import base64
import hashlib
import os
import socket
import struct
import unittest

from harness import PATIENCE, Server, double, main

WEFT = None
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Client:
    def __init__(self, port, protocol="weft.echo", extra=b"", **headers):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = {"Host": "127.0.0.1", "Upgrade": "websocket", "Connection": "Upgrade",
                 "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
                 "Sec-WebSocket-Protocol": protocol,
                 **{k.replace("_", "-"): v for k, v in headers.items()}}
        text = "GET /v1/live HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()
                                                     if v is not None) + "\r\n"
        self.socket.sendall(text.encode() + extra)
        head = b""
        while b"\r\n\r\n" not in head:
            part = self.socket.recv(1)
            if not part:
                break
            head += part
        self.status = int(head.split()[1])
        self.head = head.decode()
        self.expected = base64.b64encode(hashlib.sha1(
            (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()

    def exactly(self, n):
        out = b""
        while len(out) < n:
            part = self.socket.recv(n - len(out))
            if not part:
                raise EOFError
            out += part
        return out

    def read(self):
        first, second = self.exactly(2)
        size = second & 127
        if size == 126:
            size = struct.unpack(">H", self.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.exactly(8))[0]
        return first & 15, bool(first & 128), bool(second & 128), self.exactly(size)

    def message(self):
        """The next message, its fragments joined."""
        opcode, fin, masked, data = self.read()
        assert not masked, "a server's frame must not be masked"
        while not fin:
            _, fin, _, more = self.read()
            data += more
        return opcode, data

    def close_code(self):
        try:
            while True:
                opcode, data = self.message()
                if opcode == CLOSE:
                    return struct.unpack(">H", data[:2])[0] if data else 0
        except (EOFError, ConnectionResetError):
            return None

    def done(self):
        self.socket.close()


def frame(opcode, data=b"", fin=True, mask=True, rsv=0, length=None):
    head = bytes([(128 if fin else 0) | rsv << 4 | opcode])
    size = len(data) if length is None else length
    bit = 128 if mask else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size)
    if not mask:
        return head + data
    key = os.urandom(4)
    return head + key + bytes(b ^ key[i % 4] for i, b in enumerate(data))


class WebSocket(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT, "live.max_message=128KiB", "live.ping=1h")

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def client(self, **more):
        c = Client(self.s.port, **more)
        self.addCleanup(c.done)
        return c

    def test_handshake(self):
        c = self.client()
        self.assertEqual(c.status, 101)
        self.assertIn("Sec-WebSocket-Accept: " + c.expected, c.head)
        self.assertIn("Sec-WebSocket-Protocol: weft.echo", c.head)

    def test_wrong_handshakes(self):
        for headers in ({"Sec_WebSocket_Version": "8"}, {"Sec_WebSocket_Key": "short"},
                        {"Sec_WebSocket_Key": None}, {"Upgrade": "h2c"},
                        {"Connection": "keep-alive"}):
            with self.subTest(headers=headers):
                self.assertEqual(self.client(**headers).status, 426)
        self.assertEqual(self.client(Origin="https://evil.example").status, 403)
        self.assertIn(self.client(Host="evil.example").status, (400, 421))

    def test_echo(self):
        c = self.client()
        for opcode in (TEXT, BINARY):
            for size in (0, 1, 125, 126, 127, 65535, 65536, 131072):
                data = b"a" * size
                c.socket.sendall(frame(opcode, data))
                self.assertEqual(c.message(), (opcode, data))

    def test_bytes_behind_the_handshake(self):
        c = self.client(extra=frame(TEXT, b"early"))
        self.assertEqual(c.message(), (TEXT, b"early"))

    def test_fragments_with_control_frames_between(self):
        c = self.client()
        c.socket.sendall(frame(TEXT, b"frag", fin=False) + frame(PING, b"p")
                         + frame(0, b"ment", fin=False) + frame(0, b"s"))
        self.assertEqual(c.read()[0::3], (PONG, b"p"))
        self.assertEqual(c.message(), (TEXT, b"fragments"))

    def test_one_byte_at_a_time(self):
        c = self.client()
        for byte in frame(TEXT, "Grüße".encode()):
            c.socket.sendall(bytes([byte]))
        self.assertEqual(c.message(), (TEXT, "Grüße".encode()))

    def test_protocol_errors(self):
        cases = [
            (frame(TEXT, b"x", mask=False), 1002), (frame(TEXT, b"x", rsv=4), 1002),
            (frame(3, b"x"), 1002), (frame(11, b"x"), 1002),
            (frame(0, b"x"), 1002), (frame(PING, b"x" * 126), 1002),
            (frame(PING, b"x", fin=False), 1002),
            (frame(TEXT, b"a", fin=False) + frame(TEXT, b"b"), 1002),
            (frame(TEXT, b"\xff\xfe"), 1007), (frame(TEXT, b"\xed\xa0\x80"), 1007),
            (frame(TEXT, b"\xc3", fin=False) + frame(0, b"x"), 1007),
            (frame(BINARY, b"x" * 131073), 1009),
            (frame(BINARY, b"x", length=1 << 62), 1009),
            (frame(CLOSE, b"\x03"), 1002), (frame(CLOSE, struct.pack(">H", 1005)), 1002),
            (frame(CLOSE, struct.pack(">H", 999)), 1002),
        ]
        for data, code in cases:
            with self.subTest(data=data[:16]):
                c = self.client()
                try:
                    c.socket.sendall(data)
                except (BrokenPipeError, ConnectionResetError):
                    pass                # it was closed before all was sent
                got = c.close_code()
                self.assertIn(got, (code, None, 1002, 0), data[:16])
                self.assertNotEqual(got, 1000)

    def test_close(self):
        c = self.client()
        c.socket.sendall(frame(CLOSE, struct.pack(">H", 1000) + b"bye"))
        self.assertEqual(c.close_code(), 1000)
        self.assertEqual(c.socket.recv(1), b"")

    def test_ping_from_the_server(self):
        with Server(WEFT, "live.ping=1s") as s:
            c = Client(s.port)
            self.assertEqual(c.read()[0], PING)
            self.assertIsNone(c.close_code())       # it answered none
            c.done()

    def test_server_says_goodbye(self):
        with Server(WEFT) as s:
            c = Client(s.port)
            s.stop()
            self.assertIn(c.close_code(), (1001, None))
            c.done()

    def test_off(self):
        with Server(WEFT, "live.enabled=false") as s:
            c = Client(s.port)
            self.assertEqual(c.status, 404)
            c.done()

    def test_many(self):
        clients = [Client(self.s.port) for _ in range(100)]
        for i, c in enumerate(clients):
            c.socket.sendall(frame(TEXT, b"%d" % i))
        for i, c in enumerate(clients):
            opcode, data = c.message()
            while opcode == PING:
                opcode, data = c.message()
            self.assertEqual(data, b"%d" % i)
            c.done()


if __name__ == "__main__":
    main(globals())
