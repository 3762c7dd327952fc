# SPDX-License-Identifier: Apache-2.0
"""live_client - a client of the live protocol over one socket, for tests."""
import json
import struct
import zlib

from harness import PATIENCE
from websocket_test import BINARY, CLOSE, PING, PONG, TEXT, Client, frame


class Live(Client):
    """Messages as they come: objects, or bytes of binary ones."""

    def __init__(self, port, protocol=None, deflate=False, **headers):
        if deflate:
            headers["Sec_WebSocket_Extensions"] = "permessage-deflate"
        super().__init__(port, protocol=protocol, **headers)
        assert self.status == 101, self.head
        self.compressed = 0             # messages that came so
        self.socket.settimeout(PATIENCE)

    def say(self, kind, **members):
        self.text(json.dumps({"type": kind, **members}))

    def text(self, text):
        self.socket.sendall(frame(TEXT, text.encode()))

    def binary(self, data):
        self.socket.sendall(frame(BINARY, data))

    def next(self):
        """The next message that is no control frame."""
        while True:
            first, second = self.exactly(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.exactly(8))[0]
            data, opcode = self.exactly(size), first & 15
            if opcode == PING:
                self.socket.sendall(frame(PONG, data))
                continue
            if opcode == PONG:
                continue
            if opcode == CLOSE:
                raise EOFError(data)
            if first & 64:
                self.compressed += 1
                data = zlib.decompressobj(-15).decompress(data + b"\0\0\xff\xff")
            return json.loads(data) if opcode == TEXT else data

    def until(self, kind):
        """The next message of a type, what is between it is dropped."""
        while True:
            message = self.next()
            if isinstance(message, dict) and message["type"] == kind:
                return message
            if isinstance(message, dict) and message["type"] == "error" and kind != "error":
                raise AssertionError(message)

    def subscribe(self, *channels, **more):
        self.say("subscribe", channels=list(channels), **more)
        return self.until("subscribed")
