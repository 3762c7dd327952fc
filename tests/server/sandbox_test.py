#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker process tries what its sandbox forbids. Without the sandbox the same attempts
succeed: so it is the sandbox that denies them."""
import os
import socket
import struct
import subprocess
import unittest

from harness import PATIENCE, main

WEFT = None
HEAD = struct.Struct("<IIQQ")
MAGIC, HELLO, PROBE, PROBED = 0x54464557, 1, 7, 8
FORBIDDEN = ("open", "create", "socket", "ptrace", "kill", "limit", "fork", "unshare",
             "code")


class Worker:
    def __init__(self, *options):
        ours, theirs = socket.socketpair()
        self.socket = ours
        self.process = subprocess.Popen(
            [WEFT, "worker", f"--fd={theirs.fileno()}", "--threads=1", *options],
            pass_fds=[theirs.fileno()], stderr=subprocess.PIPE)
        theirs.close()
        ours.settimeout(PATIENCE)
        kind, body = self.read()
        assert kind == HELLO, (kind, body)
        self.protections = struct.unpack("<I", body[:4])[0]

    def read(self):
        head = self.exactly(HEAD.size)
        magic, kind, _, size = HEAD.unpack(head)
        assert magic == MAGIC
        return kind, self.exactly(size)

    def exactly(self, size):
        out = b""
        while len(out) < size:
            part = self.socket.recv(size - len(out))
            if not part:
                raise EOFError
            out += part
        return out

    def probe(self, payload=str(os.getpid()).encode()):
        """What happens to attempts, some of them on the process that the payload names."""
        self.socket.sendall(HEAD.pack(MAGIC, PROBE, 1, len(payload)) + payload)
        kind, body = self.read()
        assert kind == PROBED
        text = body[4:-1].decode()
        return dict(line.split() for line in text.splitlines())

    def close(self):
        self.socket.close()
        status = self.process.wait(PATIENCE)
        self.process.stderr.close()
        return status


class Sandbox(unittest.TestCase):
    def test_everything_is_denied(self):
        w = Worker("--sandbox")
        answers = w.probe()
        w.close()
        self.assertEqual(set(answers), set(FORBIDDEN))
        for what, answer in answers.items():
            self.assertIn(answer, ("EPERM", "EACCES"), what)

    def test_without_the_sandbox_it_is_allowed(self):
        w = Worker("--no-sandbox")
        answers = w.probe()
        w.close()
        for what in ("open", "socket", "ptrace", "kill", "limit", "fork", "code"):
            self.assertEqual(answers[what], "allowed", what)
        subprocess.run(["rm", "-f", "/tmp/weft-escape"], check=True)

    def test_execve_ends_the_process(self):
        w = Worker("--sandbox")
        with self.assertRaises((EOFError, ConnectionResetError)):
            w.probe(b"execve")
        self.assertEqual(w.close(), -31)        # SIGSYS

    def test_damaged_messages_end_the_worker_alone(self):
        for message in (b"\0" * 24, HEAD.pack(MAGIC, 2, 1, 1 << 60),
                        HEAD.pack(MAGIC, 99, 1, 0)):
            w = Worker("--sandbox")
            w.socket.sendall(message)
            with self.assertRaises((EOFError, ConnectionResetError)):
                w.read()
            self.assertEqual(w.close(), 0)

    def test_damaged_specs_are_answered(self):
        w = Worker("--sandbox")
        for payload in (b"", b"\xff" * 64, struct.pack("<I", 5) + b"hello\0" + b"\0" * 200):
            for kind in (2, 3):
                w.socket.sendall(HEAD.pack(MAGIC, kind, 1, len(payload)) + payload)
                answer, body = w.read()
                self.assertIn(answer, (5, 6))
        self.assertEqual(w.close(), 0)


if __name__ == "__main__":
    main(globals())
