#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/protocol.md: its conversations happen as they are written."""
import json
import os
import re
import unittest

from harness import Server, main
from live_client import Live

WEFT = None
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/protocol.md")


def differs(got, shown, where="message"):
    """What is shown and did not come, or None."""
    if shown == "…":
        return None
    if isinstance(shown, dict) and isinstance(got, dict):
        for name, value in shown.items():
            if name not in got:
                return f"{where} lacks {name}"
            wrong = differs(got[name], value, f"{where}.{name}")
            if wrong:
                return wrong
        return None
    if isinstance(shown, list) and isinstance(got, list) and len(shown) == len(got):
        return next((w for w in (differs(a, b, f"{where}[{i}]")
                                 for i, (a, b) in enumerate(zip(got, shown))) if w), None)
    same = got == shown or (isinstance(got, float) and abs(got - shown) < 1e-5)
    return None if same else f"{where} is {got!r}, not {shown!r}"


class Protocol(unittest.TestCase):
    def talk(self, block):
        client, answer = Live(self.s.port), None
        for line in block.strip().split("\n"):
            sign, rest = line[0], line[2:]
            if sign == ">" and rest.startswith("binary "):
                client.binary(bytes.fromhex(rest[7:]))
            elif sign == ">":
                client.text(rest.replace("$stream", self.stream))
            elif sign == "<":
                got = client.next()
                if isinstance(got, dict):
                    self.stream = got.get("stream", self.stream)
                if rest.startswith("binary "):
                    self.assertEqual(got, bytes.fromhex(rest[7:]))
                else:
                    self.assertIsNone(differs(got, json.loads(rest)), (line, got))
            elif sign == "=":
                method, path, *body = rest.split(" ", 2)
                answer = self.s.ok(method, path, json.loads(body[0]) if body else None)
            elif sign == "#":
                self.assertIsNone(differs(answer, json.loads(rest)), (line, answer))
        client.done()

    def test_conversations(self):
        with open(PAGE) as file:
            blocks = re.findall(r"```live\n(.*?)```", file.read(), re.S)
        self.assertGreaterEqual(len(blocks), 6)
        self.stream = ""
        with Server(WEFT) as self.s:
            self.s.until_ready()
            for block in blocks:
                self.talk(block)


if __name__ == "__main__":
    main(globals())
