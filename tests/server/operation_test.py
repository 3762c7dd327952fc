#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operation: alerts and the keys that raise them, metrics, TLS, reload, a full disk."""
import json
import os
import re
import resource
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from harness import DOUBLE, PATIENCE, SLOW, Server, double, key_of, main, until

WEFT = None
SPEED = "webgpu_integration.performance."
WATCH = "webgpu_integration.monitoring."
ADAPTERS = "webgpu_integration.adapters."
COPY = """
@group(0) @binding(0) var<storage, read> x : array<vec4f>;
@group(0) @binding(1) var<storage, read_write> y : array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at : vec3u) {
  y[at.x] = x[at.x];
}
"""


def slow_job():
    return {"wgsl": SLOW, "outputs": {"y": {"shape": [2], "dtype": "u32"}}, "wait": True,
            "workgroups": [1], "constants": {"rounds": 2000}}


def alerts(s):
    return {a["name"]: a["active"] for a in s.ok("GET", "/v1/alerts")["alerts"]}


class Alerts(unittest.TestCase):
    def test_speed(self):
        with Server(WEFT, SPEED + "target_performance_ratio=1000") as s:
            s.until_ready()
            for _ in range(10):
                s.ok("POST", "/v1/jobs", slow_job())
            self.assertTrue(alerts(s).get("performance_ratio"))
            self.assertRegex(s.call("GET", "/metrics")[2].decode(), r"\nweft_alerts [1-9]")
        with Server(WEFT, SPEED + "target_performance_ratio=1000",
                    WATCH + "baseline_comparison=false") as s:
            s.until_ready()
            for _ in range(10):
                s.ok("POST", "/v1/jobs", slow_job())
            self.assertNotIn("performance_ratio", alerts(s))

    def test_degradation(self):
        for threshold, raised in (("0", True), ("1000000", False)):
            with Server(WEFT, WATCH + f"alert_thresholds.performance_degradation={threshold}") as s:
                s.until_ready()
                for _ in range(10):
                    s.ok("POST", "/v1/jobs", slow_job())
                self.assertEqual(alerts(s).get("performance_degradation", False), raised)

    def test_latency(self):
        with Server(WEFT, SPEED + "latency_overhead_limit=1ns") as s:
            s.until_ready()
            for i in range(130):
                s.ok("POST", "/v1/jobs", double([i]))
            self.assertTrue(alerts(s)["latency_overhead"])
        with Server(WEFT, SPEED + "latency_overhead_limit=1h") as s:
            s.until_ready()
            for i in range(130):
                s.ok("POST", "/v1/jobs", double([i]))
            self.assertNotIn("latency_overhead", alerts(s))

    def test_bandwidth(self):
        with Server(WEFT, SPEED + "memory_bandwidth_target=1000") as s:
            s.until_ready()
            until(lambda: s.ok("GET", "/v1/devices")["devices"][0]
                  ["bandwidth_bytes_per_second"] > 0)
            for i in range(20):         # too small to say anything of the bandwidth
                s.ok("POST", "/v1/jobs", double([i]))
            self.assertNotIn("memory_bandwidth", alerts(s))
            s.ok("PUT", "/v1/buffers/x", b"\0" * (32 << 20))
            s.ok("POST", "/v1/jobs", {
                "wgsl": COPY, "inputs": {"x": {"buffer": "x"}}, "wait": True,
                "workgroups": [32768], "outputs": {"y": {"size": 32 << 20, "buffer": "y"}}})
            self.assertTrue(alerts(s).get("memory_bandwidth"))
        with Server(WEFT, "webgpu_integration.adapters.performance_profiling=false") as s:
            s.until_ready()
            self.assertEqual(s.ok("GET", "/v1/devices")["devices"][0]
                             ["bandwidth_bytes_per_second"], 0)

    def test_errors_and_memory(self):
        with Server(WEFT, WATCH + "alert_thresholds.error_rate=0.5",
                    WATCH + "alert_thresholds.memory_usage=0.0001") as s:
            s.until_ready()
            for _ in range(25):
                s.call("POST", "/v1/jobs", double([1], wgsl="fn f( {"))
            self.assertTrue(alerts(s)["error_rate"])
            until(lambda: alerts(s).get("memory_usage"))
            for _ in range(60):
                s.ok("POST", "/v1/jobs", double([1]))
            self.assertFalse(alerts(s)["error_rate"])

    def test_off(self):
        with Server(WEFT, SPEED + "latency_overhead_limit=1ns",
                    WATCH + "performance_monitoring=false",
                    WATCH + "realtime_metrics=false") as s:
            s.until_ready()
            for i in range(130):
                s.ok("POST", "/v1/jobs", double([i]))
            self.assertEqual(alerts(s), {})
            text = s.call("GET", "/metrics")[2].decode()
            self.assertIn("weft_job_run_seconds_count 0\n", text)
            self.assertIn('weft_jobs_finished_total{outcome="done"} 130\n', text)


class Operation(unittest.TestCase):
    def test_metrics_are_well_formed(self):
        with Server(WEFT, "server.metrics_listen=127.0.0.1:0") as s:
            s.until_ready()
            s.ok("POST", "/v1/jobs", double([1]))
            port = None
            for line in iter(s.process.stdout.readline, ""):
                found = re.search(r"metrics on port (\d+)", line)
                if found:
                    port = int(found.group(1))
                    break
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                text = answer.read().decode()
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/jobs")
        self.check_format(text)
        if shutil.which("promtool"):
            subprocess.run(["promtool", "check", "metrics"], input=text, text=True, check=True)

    def check_format(self, text):
        known = {}
        for line in text.splitlines():
            if line.startswith("# HELP "):
                known[line.split()[2]] = None
            elif line.startswith("# TYPE "):
                _, _, name, kind = line.split()
                self.assertIn(name, known)
                known[name] = kind
                self.assertEqual(kind == "counter", name.endswith("_total"))
            else:
                name, value = re.fullmatch(r'(\w+)(?:\{\w+="[^"]*"\})? (\S+)', line).groups()
                float(value)
                base = re.sub("_(bucket|sum|count)$", "", name)
                self.assertTrue(name in known or known[base] == "histogram", name)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is missing")
    def test_tls(self):
        with Server(WEFT, start=False) as s:
            cert, key = os.path.join(s.data, "c.pem"), os.path.join(s.data, "k.pem")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                            "2", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out",
                            cert], check=True, capture_output=True)
            s.settings = (f"server.tls_certificate={cert}", f"server.tls_key={key}")
            s.start()
            trust = ssl.create_default_context(cafile=cert)
            body = json.dumps(double([1, 2])).encode()
            with urllib.request.urlopen(urllib.request.Request(
                    f"https://localhost:{s.port}/v1/jobs", body,
                    {"Content-Type": "application/json"}), context=trust, timeout=PATIENCE) as answer:
                self.assertEqual(json.load(answer)["outputs"]["y"]["data"], [2, 4])
            s.settings = (f"server.tls_certificate={cert}", f"server.tls_key={cert}")
            s.stop()
            with self.assertRaises(AssertionError):
                s.start()
            s.process.wait()
            s.process.stdout.close()
            s.process = None

    def test_reload_of_limits(self):
        config = "auth: {required: false}\nwebgpu_integration:\n  security:\n" \
                 "    resource_limits: {default_execution_time: %s}\n"
        with Server(WEFT, config=config % "30s") as s:
            s.until_ready()
            check = lambda: s.ok("POST", "/v1/check", {"wgsl": DOUBLE})["clearance"]["limits"]
            self.assertEqual(check()["time"], 30)
            with open(s.config, "w") as out:
                out.write(config % "7s")
            os.kill(s.process.pid, signal.SIGHUP)
            until(lambda: check()["time"] == 7)
            with open(s.config, "w") as out:
                out.write("nonsense: true\n")
            os.kill(s.process.pid, signal.SIGHUP)
            until(lambda: "unknown key 'nonsense'" in s.log_text())
            self.assertEqual(check()["time"], 7)
            with open(s.config, "w") as out:
                out.write(config % "5s" + "vectors: {metric: taxi}\n")
            os.kill(s.process.pid, signal.SIGHUP)
            until(lambda: "vectors.metric: 'taxi' is not cosine, dot or euclidean"
                  in s.log_text())
            self.assertEqual(check()["time"], 7)

    def test_traces_are_logged(self):
        """Jobs that end and requests that fail, with the trace of the caller."""
        trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
        head = {"traceparent": f"00-{trace}-{span}-01"}
        with Server(WEFT, "server.log_level=debug") as s:
            s.until_ready()
            job = s.ok("POST", "/v1/jobs", double([1]), headers=head)["id"]
            s.call("POST", "/v1/jobs", double([1], wgsl="fn f( {"), headers=head)
            s.raw(b"GET /no\xff\x22where HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                  + f"traceparent: {head['traceparent']}\r\n\r\n".encode())
            s.stop()
            with open(os.path.join(s.data, "log"), "rb") as file:
                lines = [json.loads(line) for line in file]     # all of it is UTF-8
            seen = [line for line in lines if line.get("trace.id") == trace]
            ends = [(line["event.outcome"], line["log.level"]) for line in seen
                    if line["event.action"] == "job-end"]
            self.assertEqual(ends, [("success", "debug"), ("failure", "info")])
            self.assertEqual([line["weft.job"] for line in seen if "weft.job" in line][0], job)
            errors = [line for line in seen if line["event.action"] == "http-error"]
            self.assertEqual(errors[-1]["http.response.status_code"], "404")
            self.assertNotIn("weft.trace", "".join(map(str, lines)))

    def test_transitions_are_logged(self):
        def seen(s, action):
            lines = [json.loads(line) for line in s.log_text().splitlines()]
            return [(line["weft.from"], line["weft.event"], line["message"]) for line in lines
                    if line["event.action"] == action]
        with Server(WEFT, "server.log_level=info") as s:
            s.until_ready()
            s.ok("POST", "/v1/jobs", double([1]))
            s.stop()
            self.assertEqual(seen(s, "server-state")[0], ("starting", "opened", "idle"))
            self.assertEqual([step[1:] for step in seen(s, "server-state")][-2:],
                             [("drain", "draining"), ("stop", "stopped")])
            devices = seen(s, "device-state")
            self.assertIn(("absent", "spawn", "initialising"), devices)
            self.assertIn(("initialising", "opened", "ready"), devices)
            self.assertNotIn(("ready", "work", "busy"), devices)    # at the level debug
            s.settings = ("server.log_level=debug",)
            s.start()
            s.until_ready()
            s.ok("POST", "/v1/jobs", double([1]))
            s.stop()
            self.assertIn(("idle", "work", "processing"), seen(s, "server-state"))
            self.assertIn(("ready", "work", "busy"), seen(s, "device-state"))

    def test_full_disk(self):
        with Server(WEFT) as s:
            s.until_ready()
            s.ok("POST", "/v1/jobs", double([1]))
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE,
                             (4096, resource.RLIM_INFINITY))
            status, _, answer = s.call("POST", "/v1/jobs", {
                "runner": "none", "outputs": {"y": {"shape": [1]}}})
            self.assertEqual((status, answer["error"]["kind"]), (507, "io"))
            self.assertEqual(s.ok("GET", "/v1/state")["state"], "degraded")
            self.assertEqual(s.call("GET", "/ready")[0], 503)
            self.assertTrue(alerts(s)["store"])
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE,
                             (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            self.assertEqual(s.ok("POST", "/v1/jobs", double([2]))["state"], "done")
            self.assertFalse(alerts(s)["store"])
            self.assertIn(s.ok("GET", "/v1/state")["state"], ("idle", "processing"))

    def test_end_that_the_disk_refused_is_tried_again(self):
        """Even if the store has taken other changes meanwhile."""
        with Server(WEFT) as s:
            s.until_ready()
            made = s.ok("POST", "/v1/jobs", {"runner": "x", "outputs": {"y": {"shape": [1]}}})
            lease = s.ok("POST", "/v1/workers/w/lease", {"runner": "x"})["lease"]
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE,
                             (4096, resource.RLIM_INFINITY))
            end = threading.Thread(target=lambda: s.call(
                "POST", f"/v1/leases/{lease}/result",
                {"outputs": {"y": {"dtype": "f32", "base64": "AABAQA=="}}}))
            end.start()
            until(lambda: alerts(s).get("store"))
            resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE,
                             (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            self.assertEqual(s.ok("POST", "/v1/jobs", double([2]))["state"], "done")
            self.assertFalse(alerts(s)["store"])
            self.assertEqual(s.wait(made["id"])["outputs"]["y"]["data"], [3])
            end.join()

    def test_devices_that_do_not_open_in_time(self):
        with Server(WEFT, ADAPTERS + "discovery_timeout=1ms",
                    ADAPTERS + "benchmark_timeout=1ms") as s:
            until(lambda: s.ok("GET", "/v1/state")["workers"]["died"] >= 2)
            self.assertEqual(s.call("GET", "/ready")[0], 503)
        # The profile has a time of its own.
        with Server(WEFT, ADAPTERS + "discovery_timeout=1ms",
                    ADAPTERS + "benchmark_timeout=10m") as s:
            s.until_ready()

    def test_path_of_the_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "weft.yaml")
            with open(path, "w") as out:
                out.write("auth: {required: true}\n")
            with Server(WEFT, env={**os.environ, "WEBGPU_CONFIG_PATH": path}) as s:
                self.assertEqual(s.call("GET", "/v1/jobs")[0], 401)
            # --config comes first
            with Server(WEFT, config="auth: {required: false}\n",
                        env={**os.environ, "WEBGPU_CONFIG_PATH": path}) as s:
                self.assertEqual(s.call("GET", "/v1/jobs")[0], 200)

    def test_lives_of_tokens(self):
        with Server(WEFT, "auth.clearance_ttl=1ms", "auth.token_ttl=1ms",
                    "auth.required=true", start=False) as s:
            key = key_of(WEFT, s.data, "alice")
            s.start()
            s.until_ready()
            token = s.ok("POST", "/v1/check", {"wgsl": DOUBLE}, key=key)["clearance"]
            short = s.ok("POST", "/v1/tokens", {"ttl": "10m"}, key=key)["token"]
            time.sleep(0.05)
            status, _, answer = s.call(
                "POST", "/v1/jobs", double([1], clearance=token["execution_token"]), key=key)
            self.assertEqual(status, 403)
            self.assertIn("expired", answer["error"]["message"])
            self.assertEqual(s.call("GET", "/v1/jobs", key=short)[0], 401)

    def test_tenants_with_vectors_are_limited(self):
        with Server(WEFT, "vectors.max_tenants=1", "auth.required=true", start=False) as s:
            alice, bob = (key_of(WEFT, s.data, name) for name in ("alice", "bob"))
            s.start()
            rows = {"vectors": [[1, 2]]}
            self.assertEqual(s.call("POST", "/v1/vectors", rows, key=alice)[0], 200)
            status, _, answer = s.call("POST", "/v1/vectors", rows, key=bob)
            self.assertEqual((status, answer["error"]["kind"]), (429, "quota"))
            self.assertEqual(s.call("POST", "/v1/vectors", rows, key=alice)[0], 200)

    def test_results_are_swept(self):
        with Server(WEFT, "store.result_ttl=1ms") as s:
            s.until_ready()
            job = s.ok("POST", "/v1/jobs", double([1]))["id"]
            until(lambda: s.call("GET", "/v1/jobs/" + job)[0] == 404)

    def test_many_results_are_swept_at_once(self):
        """One sweep takes a few hundred; as long as more are due, the next one follows."""
        with Server(WEFT) as s:
            s.until_ready()
            connection = s.connect()
            for n in range(600):
                s.ok("POST", "/v1/jobs", double([n]), connection=connection)
            tenant = s.ok("GET", "/v1/tenants")["tenants"][0]
            self.assertGreaterEqual(tenant["stored"], 600 * 4)
            s.settings = ("store.result_ttl=1ms",)
            s.stop()
            s.start()
            until(lambda: not s.ok("GET", "/v1/jobs?limit=1")["jobs"])
            until(lambda: s.ok("GET", "/v1/tenants")["tenants"][0]["stored"] == 0)

    def test_one_server_a_folder(self):
        with Server(WEFT) as s:
            done = subprocess.run([WEFT, "serve", "--data", s.data, "--set",
                                   "server.listen=127.0.0.1:0"], capture_output=True, text=True,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 2)
            self.assertIn("another server uses this folder", done.stdout)


if __name__ == "__main__":
    main(globals())
