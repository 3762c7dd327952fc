#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""terminal.py - runs a command as if on a terminal, and prints what it prints.

    tests/cli/terminal.py COMMAND...
"""
import os
import pty
import subprocess
import sys

primary, secondary = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=secondary)
os.close(secondary)
output = b""
while True:
    try:
        part = os.read(primary, 4096)
    except OSError:             # Linux: the other side is closed
        break
    if not part:
        break
    output += part
sys.stdout.buffer.write(output.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(child.wait())
