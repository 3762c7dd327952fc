# SPDX-License-Identifier: Apache-2.0
"""harness - starts a server on a free port, in a folder of its own, and talks to it.

    with Server(weft, "auth.required=false") as s:
        status, headers, body = s.call("POST", "/v1/jobs", {...})
"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 300                          # seconds, for a machine that is busy with other things

DOUBLE = """
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at : vec3u) {
  if at.x < arrayLength(&y) { y[at.x] = x[at.x] * 2; }
}
"""
FOREVER = """
@group(0) @binding(0) var<storage, read_write> y : array<u32>;
@compute @workgroup_size(1) fn main() {
  loop { y[0] += 1u; if y[0] == 0u && y[1] == 7u { break; } }
}
"""
SLOW = """
@group(0) @binding(0) var<storage, read_write> y : array<u32>;
override rounds : u32 = 1000u;
@compute @workgroup_size(1) fn main() {
  var x = y[0] + 1u;
  for (var i = 0u; i < rounds; i++) { for (var j = 0u; j < 1000u; j++) {
    x = x * 1664525u + 1013904223u; if x == 3u { x += y[1]; } } }
  y[0] = x;
}
"""


def double(values, **more):
    """A job that doubles values."""
    return {"wgsl": DOUBLE, "inputs": {"x": values}, "wait": True,
            "outputs": {"y": {"shape": [len(values)], "dtype": "f32"}}, **more}


class Server:
    def __init__(self, weft, *settings, config=None, data=None, env=None, start=True,
                 options=()):
        self.weft = weft
        self.options = options
        self.settings = settings
        self.own_data = data is None
        self.data = data or tempfile.mkdtemp(prefix="weft-server-")
        self.config = None
        self.env = env
        if config is not None:
            self.config = os.path.join(self.data, "config.yaml")
            with open(self.config, "w") as out:
                out.write(config)
        self.process = None
        if start:
            self.start()

    def start(self):
        command = [self.weft, "serve", "--data", self.data, *self.options]
        if self.config:
            command += ["--config", self.config]
        for setting in ("server.listen=127.0.0.1:0", "server.metrics_listen=off",
                        "server.log_level=warn") + self.settings:
            command += ["--set", setting]
        self.log = open(os.path.join(self.data, "log"), "ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log,
                                        start_new_session=True, text=True, env=self.env)
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line.strip())
            found = re.search(r"listening on (https?)://\S*:(\d+)$", line)
            if found:
                self.port = int(found.group(2))
                return
        raise AssertionError("the server did not start: " + " | ".join(self.lines))

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        self.stop()
        if kind:
            with open(os.path.join(self.data, "log")) as log:
                sys.stderr.write("--- the server's log\n" + log.read()[-4000:])
        if self.own_data:
            shutil.rmtree(self.data, ignore_errors=True)

    def kill(self):
        """As a power cut would: no chance to clean up."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.log.close()
        self.process = None

    def stop(self):
        if not self.process:
            return 0
        self.process.terminate()
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError("the server does not end after SIGTERM") from None
        self.process.stdout.close()
        self.log.close()
        self.process = None
        assert status == 0, f"the server ended with status {status}"
        return status

    def log_text(self):
        with open(os.path.join(self.data, "log")) as log:
            return log.read()

    def connect(self, timeout=PATIENCE):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, headers=None, key=None, connection=None):
        """A request with a JSON body; the answer's status, headers and JSON or bytes."""
        c = connection or self.connect()
        sent = {"Content-Type": "application/json", **(headers or {})}
        if key:
            sent["Authorization"] = "Bearer " + key
        data = json.dumps(body) if isinstance(body, (dict, list)) else body
        c.request(method, path, data, sent)
        answer = c.getresponse()
        raw = answer.read()
        if answer.getheader("Content-Type", "").startswith("application/json") and raw:
            raw = json.loads(raw)
        if not connection:
            c.close()
        return answer.status, answer.headers, raw

    def ok(self, method, path, body=None, **more):
        status, _, answer = self.call(method, path, body, **more)
        assert status in (200, 202, 204), (status, answer)
        return answer

    def raw(self, data, timeout=PATIENCE):
        """Sends bytes as they are; what comes back until the other side closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as c:
            out = b""
            try:
                c.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass                    # refused before all was sent
            try:
                while True:
                    part = c.recv(65536)
                    if not part:
                        break
                    out += part
            except (socket.timeout, ConnectionResetError):
                pass
            return out

    def wait(self, job, seconds=PATIENCE, key=None):
        """The job, once it has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status, _, answer = self.call("GET", "/v1/jobs/" + job, key=key)
            assert status in (200, 503), (status, answer)
            if status == 200 and answer["state"] in ("done", "failed", "cancelled"):
                return answer
            time.sleep(0.02)
        raise AssertionError(f"job {job} has not ended: {answer}")

    def live_port(self):
        """The port for WebSocket alone, which is told after the other."""
        while not any("live on port" in line for line in self.lines):
            self.lines.append(self.process.stdout.readline().strip())
        return int([line for line in self.lines if "live on port" in line][0].rsplit(" ", 1)[1])

    def until_ready(self, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.call("GET", "/ready")[0] == 200:
                return
            time.sleep(0.05)
        raise AssertionError("the server is not ready")

    def workers(self):
        """Process ids of its workers."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/stat") as stat, \
                        open(f"/proc/{entry}/cmdline", "rb") as line:
                    parent = int(stat.read().rsplit(")", 1)[1].split()[1])
                    if parent == self.process.pid and b"worker" in line.read():
                        found.append(int(entry))
            except (OSError, ValueError, IndexError):
                continue
        return found


def until(condition, what="it did not happen"):
    """Returns as soon as the condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def key_of(weft, data, tenant, scopes=None):
    command = [weft, "key", "create", "--data", data, "--tenant", tenant]
    if scopes:
        command += ["--scopes", scopes]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main(tests):
    """Runs unittest over the globals of a script: SCRIPT WEFT [TEST...]."""
    import unittest
    if len(sys.argv) < 2:
        sys.exit("usage: SCRIPT WEFT [TEST...]")
    weft = os.path.abspath(sys.argv.pop(1))
    tests["WEFT"] = weft
    unittest.main(module="__main__", verbosity=1)
