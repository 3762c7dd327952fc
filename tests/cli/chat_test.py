#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chat_test.py - `weft model chat` on a terminal: messages of several lines, Ctrl-C, /clear.

    tests/cli/chat_test.py WEFT

The model knows a single sentence; --ignore-eos makes its answer go on until it is stopped.
"""
import os
import pty
import select
import signal
import subprocess
import sys
import time
import unittest

WEFT = sys.argv[1]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(TOP, "tests/model/seeds/sentence.gguf")
SENTENCE = "Weft runs this model on every machine."
PATIENCE = 120                  # seconds until a test gives up


class Terminal:
    """A command whose input and output are a terminal, which is its controlling one."""

    def __init__(self, *arguments):
        self.primary, secondary = pty.openpty()
        self.child = subprocess.Popen([WEFT, "model", "chat", MODEL, "--device=cpu", *arguments],
                                      stdin=secondary, stdout=secondary, stderr=secondary,
                                      start_new_session=True, preexec_fn=self.control)
        os.close(secondary)
        self.text = ""

    @staticmethod
    def control():
        import fcntl
        import termios
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def type(self, text):
        os.write(self.primary, text.encode())

    def read(self):
        """Some more output; False at its end."""
        if not select.select([self.primary], [], [], 1)[0]:
            return True
        try:
            part = os.read(self.primary, 65536)
        except OSError:         # Linux: the other side is closed
            return False
        self.text += part.decode(errors="replace").replace("\r\n", "\n")
        return bool(part)

    def wait_for(self, text):
        """What comes before `text`, which is taken away with it."""
        end = time.monotonic() + PATIENCE
        while text not in self.text:
            if time.monotonic() > end or not self.read():
                raise AssertionError(f"no {text!r} in {self.text!r}")
        before, self.text = self.text.split(text, 1)
        return before

    def end(self):
        """The status of the command, once it has ended."""
        end = time.monotonic() + PATIENCE
        while self.child.poll() is None and time.monotonic() < end:
            self.read()
        if self.child.poll() is None:
            self.child.kill()
        os.close(self.primary)
        return self.child.wait()


class Chat(unittest.TestCase):
    def test_messages_of_several_lines(self):
        t = Terminal("--temp", "0", "--chat-template", "chatml")
        t.wait_for("> ")
        t.type("one \\\n")
        t.type("two\n")
        self.assertIn(SENTENCE, t.wait_for("> "))
        t.type("/exit\n")
        self.assertEqual(t.end(), 0)

    def test_a_conversation_grows_until_it_is_cleared(self):
        t = Terminal("--temp", "0")
        sizes = []
        for message in ("Hi", "Hi", "/clear", "Hi"):
            t.wait_for("> ")
            t.type(message + "\n")
            if message != "/clear":
                sizes.append(int(t.wait_for(" tokens of prompt").split()[-1]))
        t.wait_for("> ")
        t.type("\x04")                          # the end of input
        self.assertEqual(t.end(), 0)
        self.assertGreater(sizes[1], sizes[0])
        self.assertEqual(sizes[2], sizes[0])

    def test_ctrl_c_stops_an_answer_and_not_the_program(self):
        t = Terminal("--temp", "0", "--ignore-eos", "-c", "200000")
        t.wait_for("> ")
        for _ in range(2):
            t.type("Hello\n")
            t.wait_for("Weft runs")
            t.type("\x03")
            t.wait_for("of answer")
            t.wait_for("> ")
        t.type("\x03")                          # at the prompt it ends the program
        self.assertEqual(t.end(), -signal.SIGINT)


unittest.main(argv=sys.argv[:1])
