#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may do what: keys, tokens, sessions, origins, hosts, quotas, the audit log."""
import hashlib
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import time
import unittest

from harness import DOUBLE, FOREVER, PATIENCE, Server, double, key_of, main, until

WEFT = None


class Kratos(http.server.BaseHTTPRequestHandler):
    """Stands in for Ory Kratos: /sessions/whoami and nothing else."""
    protocol_version = "HTTP/1.1"
    asked = 0
    sessions = {}

    def do_GET(self):
        Kratos.asked += 1
        name = self.headers.get("X-Session-Token", "")
        for part in self.headers.get("Cookie", "").split(";"):
            if part.strip().startswith("ory_kratos_session="):
                name = part.strip().split("=", 1)[1]
        status, session = Kratos.sessions.get(name, (401, {"error": {
            "code": 401, "status": "Unauthorized", "reason": "No valid session cookie found."}}))
        body = json.dumps(session).encode()
        self.send_response(status if self.path == "/sessions/whoami" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def session(tenant, **more):
    return {"id": "s-1", "active": True, "expires_at": "2099-01-01T00:00:00.5Z",
            "authenticator_assurance_level": "aal1",
            "identity": {"id": tenant, "schema_id": "default", "schema_url": "", "traits": {},
                         "state": "active"}, **more}


def other_key(key):
    """A key that differs from `key` in its last digit."""
    return key[:-1] + ("1" if key[-1] == "0" else "0")


class Keys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT, config="auth:\n  required: true\n", start=False)
        cls.alice = key_of(WEFT, cls.s.data, "alice")
        cls.bob = key_of(WEFT, cls.s.data, "bob")
        cls.admin = key_of(WEFT, cls.s.data, "root", "all")
        cls.s.start()
        cls.s.until_ready()

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def test_strangers_are_refused(self):
        for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic QQ=="},
                        {"X-Api-Key": "weft_00000000_" + "0" * 64},
                        {"Authorization": "Bearer " + other_key(self.alice)},
                        {"Authorization": "Bearer wt1.e30.e30"}):
            status, got, answer = self.s.call("GET", "/v1/jobs", headers=headers)
            self.assertEqual((status, answer["error"]["kind"]), (401, "denied"))
            self.assertIn("Bearer", got["WWW-Authenticate"])
        self.assertEqual(self.s.call("GET", "/health")[0], 200)

    def test_keys_are_not_in_the_file(self):
        with open(os.path.join(self.s.data, "keys.json")) as keys:
            text = keys.read()
        self.assertNotIn(self.alice.split("_")[2], text)
        self.assertEqual(os.stat(os.path.join(self.s.data, "keys.json")).st_mode & 0o77, 0)

    def test_tenants_do_not_see_each_other(self):
        job = self.s.ok("POST", "/v1/jobs", double([1]), key=self.alice)
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events"),
                             ("GET", "/outputs/y")):
            status, _, _ = self.s.call(method, f"/v1/jobs/{job['id']}{path}", key=self.bob)
            self.assertEqual(status, 404)
        listed = self.s.ok("GET", "/v1/jobs", key=self.bob)["jobs"]
        self.assertNotIn(job["id"], [j["id"] for j in listed])
        self.s.ok("PUT", "/v1/buffers/secret", b"abcd", key=self.alice)
        self.assertEqual(self.s.call("GET", "/v1/buffers/secret", key=self.bob)[0], 404)
        probe = double([0])
        probe["inputs"] = {"x": {"buffer": "secret"}}
        self.assertEqual(self.s.call("POST", "/v1/jobs", probe, key=self.bob)[0], 404)
        # The same idempotency key of two tenants is two jobs.
        head = {"Idempotency-Key": "k"}
        one = self.s.ok("POST", "/v1/jobs", double([1]), key=self.alice, headers=head)
        two = self.s.ok("POST", "/v1/jobs", double([1]), key=self.bob, headers=head)
        self.assertNotEqual(one["id"], two["id"])

    def test_workers_serve_one_tenant(self):
        uninitialised = """
            @group(0) @binding(0) var<storage, read_write> y : array<u32>;
            var<workgroup> w : array<u32, 1024>;
            @compute @workgroup_size(1) fn main() {
              for (var i = 0u; i < 1024u; i++) { y[i] = w[i]; } }"""
        secret = double([123456.0] * 1024)
        self.s.ok("POST", "/v1/jobs", secret, key=self.alice)
        seen = self.s.ok("POST", "/v1/jobs", {
            "wgsl": uninitialised, "wait": True, "workgroups": [1],
            "outputs": {"y": {"shape": [1024], "dtype": "u32"}}}, key=self.bob)
        self.assertEqual(set(seen["outputs"]["y"]["data"]), {0})

    def test_scopes_and_tokens(self):
        self.assertEqual(self.s.call("POST", "/v1/workers", {"runner": "x"}, key=self.alice)[0],
                         403)
        token = self.s.ok("POST", "/v1/tokens", {"scopes": "jobs", "ttl": "10m"},
                          key=self.alice)["token"]
        self.assertEqual(self.s.ok("POST", "/v1/jobs", double([2]), key=token)["state"], "done")
        self.assertEqual(self.s.call("GET", "/v1/buffers", key=token)[0], 403)
        self.assertEqual(self.s.call("POST", "/v1/tokens", {"tenant": "bob"}, key=self.alice)[0],
                         403)
        self.assertEqual(self.s.call("POST", "/v1/tokens", {"scopes": "admin"},
                                     key=self.alice)[0], 400)
        short = self.s.ok("POST", "/v1/tokens", {"tenant": "carol", "ttl": "1ms"},
                          key=self.admin)["token"]
        time.sleep(0.05)
        status, _, answer = self.s.call("GET", "/v1/jobs", key=short)
        self.assertEqual((status, answer["error"]["message"]), (401, "the token has expired"))

    def test_reload_and_revoke(self):
        fresh = key_of(WEFT, self.s.data, "dora")
        self.assertEqual(self.s.call("GET", "/v1/jobs", key=fresh)[0], 401)
        os.kill(self.s.process.pid, signal.SIGHUP)
        until(lambda: self.s.call("GET", "/v1/jobs", key=fresh)[0] == 200)
        subprocess.run([WEFT, "key", "revoke", fresh.split("_")[1], "--data", self.s.data],
                       check=True)
        os.kill(self.s.process.pid, signal.SIGHUP)
        until(lambda: self.s.call("GET", "/v1/jobs", key=fresh)[0] == 401)

    def test_hosts_and_origins(self):
        for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "[::1",
                     "localhost:1"):
            status, _, _ = self.s.call("GET", "/health", headers={"Host": host})
            self.assertIn(status, (400, 421), host)
        for origin, status in (("https://evil.example", 403), ("null", 403),
                               (f"http://127.0.0.1:{self.s.port}", 200)):
            got, _, _ = self.s.call("GET", "/v1/jobs", key=self.alice,
                                    headers={"Origin": origin})
            self.assertEqual(got, status, origin)


class Sessions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kratos = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Kratos)
        threading.Thread(target=cls.kratos.serve_forever, daemon=True).start()
        cls.url = f"http://127.0.0.1:{cls.kratos.server_port}"
        Kratos.sessions = {
            "good": (200, session("tenant-1")), "other": (200, session("tenant-2")),
            "inactive": (200, session("t", active=False)),
            "old": (200, session("t", expires_at="2001-01-01T00:00:00Z")),
            "bare": (200, {"id": "s"}), "aal2": (403, {"error": {"id": "session_aal2_required"}}),
            "odd": (200, {**session("t"), "identity": None}), "broken": (500, {}),
            "spaces": (200, session("a b\r\nX: y")),
        }
        cls.s = Server(WEFT, config=f"""
auth:
  kratos_url: {cls.url}
  origins: [https://app.example]
  kratos_cache: 10m
  kratos_timeout: 30s
""")
        cls.s.until_ready()

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)
        cls.kratos.shutdown()

    def get(self, **headers):
        return self.s.call("GET", "/v1/jobs", headers={k.replace("_", "-"): v
                                                       for k, v in headers.items()})

    def test_sessions(self):
        self.assertEqual(self.get(X_Session_Token="good")[0], 200)
        self.assertEqual(self.get(Cookie="a=b; ory_kratos_session=good")[0], 200)
        for name, status in (("inactive", 401), ("old", 401), ("bare", 401), ("odd", 401),
                             ("nobody", 401), ("aal2", 403), ("broken", 503), ("spaces", 401)):
            with self.subTest(name=name):
                self.assertEqual(self.get(X_Session_Token=name)[0], status)

    def test_answers_are_cached(self):
        self.get(X_Session_Token="other")
        before = Kratos.asked
        for _ in range(5):
            self.assertEqual(self.get(X_Session_Token="other")[0], 200)
        self.assertEqual(Kratos.asked, before)

    def test_cookies_need_csrf_protection(self):
        cookie = {"Cookie": "ory_kratos_session=good"}
        status, _, _ = self.s.call("POST", "/v1/jobs", double([1]), headers=cookie)
        self.assertEqual(status, 403)
        status, _, _ = self.s.call("POST", "/v1/jobs", double([1]), headers={
            **cookie, "Origin": "https://app.example"})
        self.assertEqual(status, 403)
        status, got, _ = self.s.call("POST", "/v1/jobs", double([1]), headers={
            **cookie, "Origin": "https://app.example", "X-Weft-Csrf": "1"})
        self.assertEqual((status, got["Access-Control-Allow-Origin"]),
                         (200, "https://app.example"))

    def test_preflight(self):
        status, headers, _ = self.s.call("OPTIONS", "/v1/jobs", headers={
            "Origin": "https://app.example", "Access-Control-Request-Method": "POST"})
        self.assertEqual(status, 204)
        self.assertIn("POST", headers["Access-Control-Allow-Methods"])
        status, _, _ = self.s.call("OPTIONS", "/v1/jobs",
                                   headers={"Origin": "https://evil.example"})
        self.assertEqual(status, 403)

    def test_unreachable_is_not_allowed(self):
        with Server(WEFT, config="auth:\n  kratos_url: http://127.0.0.1:1\n"
                                 "  kratos_timeout: 500ms\n") as s:
            self.assertEqual(s.call("GET", "/v1/jobs", headers={"X-Session-Token": "t"})[0], 503)
            self.assertEqual(s.call("GET", "/v1/jobs")[0], 401)

    def test_only_browser_sessions(self):
        data = "webgpu_integration:\n  integration:\n    multi_language_bindings: false\n" \
               f"auth:\n  kratos_url: {self.url}\n  kratos_timeout: 30s\n"
        with Server(WEFT, config=data, start=False) as s:
            key = key_of(WEFT, s.data, "alice")
            s.start()
            self.assertEqual(s.call("GET", "/v1/jobs", key=key)[0], 401)
            self.assertEqual(s.call("GET", "/v1/jobs", headers={
                "Cookie": "ory_kratos_session=good"})[0], 200)


class Audit(unittest.TestCase):
    def test_every_execution_has_a_validation(self):
        with Server(WEFT, config="auth:\n  required: false\n") as s:
            s.until_ready()
            for i in range(12):
                s.ok("POST", "/v1/jobs", double([i]))
            s.call("POST", "/v1/jobs", double([1], clearance="nonsense"))
            s.stop()
            out = subprocess.run([WEFT, "audit", "--data", s.data], capture_output=True,
                                 text=True, check=True).stdout
            self.assertIn("12 validations, 12 executions", out)
            self.check_by_hand(os.path.join(s.data, "audit", "audit-000001.log"))
            self.change_a_line(s)

    def check_by_hand(self, path):
        """The chain as anyone may check it, with SHA-256 alone."""
        last = "0" * 64
        with open(path) as lines:
            for line in lines:
                body, _, end = line.rstrip("\n").rpartition(',"hash":"')
                event = json.loads(line)
                self.assertEqual(event["prev"], last)
                last = hashlib.sha256(body.encode()).hexdigest()
                self.assertEqual(end, last + '"}')

    def change_a_line(self, s):
        path = os.path.join(s.data, "audit", "audit-000001.log")
        with open(path) as file:
            lines = file.readlines()
        for change, why in ((lambda t: t[:3] + t[4:], "missing"),
                            (lambda t: t[:3] + [t[3].replace("allowed", "denied ")] + t[4:],
                             "was changed"),
                            (lambda t: t[:-1] + [t[-1][:40]], "cut off")):
            with open(path, "w") as file:
                file.writelines(change(lines))
            done = subprocess.run([WEFT, "audit", "--data", s.data], capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
        with open(path, "w") as file:      # a cut line is what a crash leaves
            file.writelines(lines[:-1] + [lines[-1][:40]])
        s.start()
        s.stop()
        subprocess.run([WEFT, "audit", "--data", s.data], check=True, capture_output=True)

    def test_off(self):
        with Server(WEFT, "webgpu_integration.security.audit_logging_enabled=false") as s:
            s.until_ready()
            s.ok("POST", "/v1/jobs", double([1]))
            self.assertFalse(os.path.exists(os.path.join(s.data, "audit")))


class Refusals(unittest.TestCase):
    def start(self, config, *arguments):
        with Server(WEFT, start=False) as s:
            path = os.path.join(s.data, "c.yaml")
            with open(path, "w") as out:
                out.write(config)
            return subprocess.run([WEFT, "serve", "--data", s.data, "--config", path,
                                   *arguments], capture_output=True, text=True, timeout=PATIENCE)

    def test_origins_that_are_not_validated(self):
        for flag, status in (("true", 403), ("false", 200)):
            with Server(WEFT, "webgpu_integration.security.enable_origin_validation=" + flag) as s:
                self.assertEqual(s.call("GET", "/v1/jobs", headers={
                    "Origin": "https://evil.example"})[0], status)

    def test_open_server_on_all_addresses(self):
        done = self.start("server: {listen: '0.0.0.0:0'}\nauth: {required: false}\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("only on a loopback address", done.stdout)

    def test_unknown_key(self):
        done = self.start("server:\n  lisen: x\n")
        self.assertIn("line 2: unknown key 'server.lisen'; did you mean 'server.listen'?",
                      done.stdout)

    def test_check(self):
        done = self.start("", "--check")
        self.assertEqual(done.returncode, 0)
        self.assertIn("seccomp        active", done.stdout)
        self.assertIn("the configuration is valid", done.stdout)

    def test_sandbox_off_needs_a_second_word(self):
        done = self.start("webgpu_integration:\n  security:\n"
                          "    enable_shader_sandboxing: false\n")
        self.assertIn("workers.allow_without_seccomp", done.stdout)


def pipelined(s):
    """So many requests in one packet that some second has too many of them."""
    get = b"GET /v1/state HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    answers = s.raw((get + b"\r\n") * 200 + get + b"Connection: close\r\n\r\n")
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", answers)]


class Quotas(unittest.TestCase):
    def test_connections_are_counted_by_tenant(self):
        with Server(WEFT, "auth.quotas.connections=3", config="auth:\n  required: true\n",
                    start=False) as s:
            alice, bob = key_of(WEFT, s.data, "alice"), key_of(WEFT, s.data, "bob")
            s.start()
            held = [s.connect() for _ in range(6)]
            for c in held:
                self.addCleanup(c.close)
            ask = lambda n, key: s.call("GET", "/v1/state", key=key, connection=held[n])[0]
            self.assertEqual([ask(n, alice) for n in range(4)], [200, 200, 200, 429])
            self.assertEqual(ask(3, bob), 200)      # another tenant's now
            self.assertEqual(ask(0, bob), 200)      # alice has one less
            self.assertEqual(ask(4, alice), 200)
            held[1].close()
            until(lambda: ask(5, alice) == 200)

    def test_quotas(self):
        cases = [
            ("auth.quotas.request_rate=3", pipelined, 429),
            ("auth.quotas.queued_jobs=2", lambda s: [s.call("POST", "/v1/jobs", {
                "runner": "none", "outputs": {"y": {"shape": [1]}}})[0] for _ in range(4)], 429),
            ("auth.quotas.stored_bytes=2kB", lambda s: [s.call(
                "PUT", f"/v1/buffers/b{i}", b"x" * 1024)[0] for i in range(4)], 429),
            ("auth.quotas.compute=1000", lambda s: [s.call(
                "POST", "/v1/jobs", double([1] * 500))[0] for _ in range(4)], 429),
            ("auth.quotas.dispatch_time=1ns", lambda s: [s.call(
                "POST", "/v1/jobs", double([1]))[0] for _ in range(3)], 429),
            ("auth.quotas.memory=1MB", lambda s: [s.call(
                "POST", "/v1/jobs", double([1]))[0] for _ in range(2)], 429),
            ("webgpu_integration.security.resource_limits.default_compute_limit=10",
             lambda s: [s.call("POST", "/v1/jobs", double([1] * 500))[0]], 429),
            ("webgpu_integration.security.resource_limits.default_memory_limit=1kB",
             lambda s: [s.call("POST", "/v1/jobs", double([1] * 100))[0]], 429),
        ]
        for setting, work, status in cases:
            with self.subTest(setting=setting), Server(WEFT, setting) as s:
                s.until_ready()
                self.assertIn(status, work(s))
        with Server(WEFT, "auth.quotas.compute=10", "webgpu_integration.security."
                    "enable_resource_limiting=false") as s:
            s.until_ready()
            self.assertEqual([s.call("POST", "/v1/jobs", double([1] * 50))[0]
                              for _ in range(3)], [200] * 3)

    def test_long_jobs_do_not_keep_other_tenants_waiting(self):
        def forever(s, key):
            return s.ok("POST", "/v1/jobs", {
                "wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
                "workgroups": [1], "limits": {"time": "10h"}}, key=key)["id"]

        def states(s, key, ids):
            return sorted(s.ok("GET", "/v1/jobs/" + i, key=key)["state"] for i in ids)

        with Server(WEFT, "workers.kernel.running=2", "auth.required=true",
                    "webgpu_integration.security.resource_limits.default_execution_time=10h",
                    start=False) as s:
            alice, bob, carol = (key_of(WEFT, s.data, name) for name in ("alice", "bob", "carol"))
            s.start()
            s.until_ready()
            of_alice = [forever(s, alice) for _ in range(5)]
            two = ["queued"] * 3 + ["running"] * 2
            until(lambda: states(s, alice, of_alice) == two)
            for _ in range(3):
                self.assertEqual(s.ok("POST", "/v1/jobs", double([1]), key=bob)["state"], "done")
            self.assertEqual(s.ok("POST", "/v1/check", {"wgsl": DOUBLE}, key=bob)["report"]
                             ["verdict"], "accepted")
            # One beside the long ones of others, and not more.
            of_bob = [forever(s, bob) for _ in range(2)]
            until(lambda: states(s, bob, of_bob) == ["queued", "running"])
            self.assertEqual(s.ok("POST", "/v1/jobs", double([2]), key=carol)["state"], "done")
            self.assertEqual(states(s, bob, of_bob), ["queued", "running"])
            self.assertEqual(states(s, alice, of_alice), two)
            for key, ids in ((alice, of_alice), (bob, of_bob)):
                for i in ids:
                    s.ok("DELETE", "/v1/jobs/" + i, key=key)

    def test_jobs_without_a_result_use_up_dispatch_time(self):
        def forever(**more):
            return {"wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
                    "workgroups": [1], **more}

        def running(s):
            made = s.ok("POST", "/v1/jobs", forever())["id"]
            until(lambda: s.ok("GET", "/v1/jobs/" + made)["state"] == "running")
            time.sleep(0.2)
            return made

        def cancel(s):
            made = running(s)
            s.ok("DELETE", "/v1/jobs/" + made)
            return s.wait(made)["error"]["kind"]

        def time_out(s):
            made = s.ok("POST", "/v1/jobs", forever(limits={"time": "200ms"}))["id"]
            return s.wait(made)["error"]["kind"]

        def lose_the_worker(s):
            made = running(s)
            for pid in s.workers():
                os.kill(pid, signal.SIGKILL)
            return s.wait(made)["error"]["kind"]

        for work, kind in ((cancel, "cancelled"), (time_out, "timeout"),
                           (lose_the_worker, "device-lost")):
            with self.subTest(kind=kind), Server(WEFT, "auth.quotas.dispatch_time=100ms",
                                                 "workers.max_attempts=1") as s:
                s.until_ready()
                for _ in range(3):      # a new minute may begin meanwhile
                    self.assertEqual(work(s), kind)
                    status, _, answer = s.call("POST", "/v1/jobs", double([1]))
                    if status == 429:
                        break
                self.assertEqual(status, 429, answer)
                self.assertIn("dispatch time", answer["error"]["message"])


if __name__ == "__main__":
    main(globals())
