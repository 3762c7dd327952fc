# SPDX-License-Identifier: Apache-2.0
"""services - real Redis, NATS and Prometheus processes on free ports of loopback, for tests.

A program that is not installed is taken out of its Debian package, without installing it;
where that cannot be had, the test is skipped.
"""
import fcntl
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from harness import PATIENCE

# program -> packages, and where the program is in them
PROGRAMS = {
    "redis-server": (["redis-tools", "libjemalloc2", "liblua5.1-0", "liblzf1", "libatomic1",
                      "lua-cjson", "lua-bitop"], "usr/bin/redis-check-rdb"),
    "nats-server": (["nats-server"], "usr/sbin/nats-server"),
    "prometheus": (["prometheus"], "usr/bin/prometheus"),
    "promtool": (["prometheus"], "usr/bin/promtool"),
}


def unpack(name, packages, root):
    """Debian packages below a folder, without installing them."""
    with tempfile.TemporaryDirectory() as folder:
        got = subprocess.run(["apt-get", "-o", "Acquire::Retries=3", "download", *packages],
                             cwd=folder, capture_output=True, text=True)
        if got.returncode != 0:
            raise unittest.SkipTest(f"{name} is not installed and cannot be fetched")
        for file in os.listdir(folder):
            subprocess.run(["dpkg", "-x", os.path.join(folder, file), root], check=True)


def program(name):
    """The command line and environment that start a program."""
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if path:
        return path, os.environ
    packages, inside = PROGRAMS[name]
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    root = os.path.join(cache, "weft", "test-programs")
    os.makedirs(root, exist_ok=True)
    with open(root + ".lock", "w") as lock:     # two tests may fetch at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(root, inside + ".complete")):
            unpack(name, packages, root)
            open(os.path.join(root, inside + ".complete"), "w").close()
    libraries = ":".join(os.path.join(root, "usr/lib", d)
                         for d in os.listdir(os.path.join(root, "usr/lib"))
                         if d.endswith("linux-gnu")) if os.path.isdir(
                             os.path.join(root, "usr/lib")) else ""
    return os.path.join(root, inside), {**os.environ, "LD_LIBRARY_PATH": libraries}


def free_port():
    """A port that nobody listens on, below those that the kernel gives to connections: none of
    them takes it before its service does."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first = int(file.read().split()[0])
    while True:
        port = random.randrange(10000, first) if first > 20000 else 0
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return s.getsockname()[1]
            except OSError:
                continue


class Service:
    """A process with a port and a folder, that can be killed and started again."""
    name = None

    def __init__(self, *options):
        self.path, self.env = program(self.name)
        self.folder = tempfile.mkdtemp(prefix=f"weft-{self.name}-")
        self.options = options
        self.process = None
        for last in (False, False, True):       # another process may be as quick
            self.port = free_port()
            try:
                self.start()
                return
            except AssertionError:
                if last:
                    raise

    def start(self):
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen([self.name, *self.command(), *self.extra()],
                                        executable=self.path, env=self.env, stdout=self.log,
                                        stderr=self.log, start_new_session=True)
        end = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < end and self.process.poll() is None, \
                open(os.path.join(self.folder, "log")).read()[-2000:]
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)

    def extra(self):
        return self.options

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def pause(self):
        """As if the network to it were cut."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Redis(Service):
    name = "redis-server"

    def command(self):
        return ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save",
                "", "--appendonly", "yes", "--appendfsync", "always"]

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def value(self, *words):
        """The text that a command replies with."""
        return self.call(*words, line=1)

    def call(self, *words, line=0):
        """A command in RESP; the first line of the reply, or another."""
        text = f"*{len(words)}\r\n" + "".join(f"${len(w.encode())}\r\n{w}\r\n" for w in words)
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as c:
            c.sendall(text.encode())
            return c.recv(65536).decode(errors="replace").split("\r\n")[line]


class Nats(Service):
    name = "nats-server"

    def command(self):
        return ["-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd",
                os.path.join(self.folder, "js")]

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def publish(self, subject, data):
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as c:
            c.recv(65536)
            c.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\n'
                      + f"PUB {subject} {len(data)}\r\n".encode() + data + b"\r\nPING\r\n")
            while b"PONG" not in c.recv(65536):
                pass


def settings(redis, nats, ack_wait="2s"):
    """Of servers that share their jobs."""
    return ("store.kind=redis", f"store.url={redis.url}", "queue.kind=nats",
            f"queue.url={nats.url}", f"queue.ack_wait={ack_wait}")
