#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deploy/: configurations are valid, dashboards and rules name metrics that exist."""
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/server"))

from harness import Server, double, main  # noqa: E402

WEFT = None


def read(name):
    with open(os.path.join(TOP, "deploy", name)) as file:
        return file.read()


def cluster_config(text):
    """The server's configuration inside a config map."""
    return textwrap.dedent(text.split("weft.yaml: |\n")[1])


def metrics():
    """Names in /metrics, with those of histograms."""
    with Server(WEFT) as s:
        s.until_ready()
        s.ok("POST", "/v1/jobs", double([1]))
        text = s.call("GET", "/metrics")[2].decode()
    return {re.split(r"[{ ]", line)[0] for line in text.splitlines() if line[0] != "#"}


def named(expression):
    return set(re.findall(r"\bweft_[a-z_]+\b", expression))


class Files(unittest.TestCase):
    def check(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            return subprocess.run([WEFT, "serve", "--check", "--config", file.name],
                                  capture_output=True, text=True)

    def test_configurations_are_valid(self):
        for text in (read("weft.yaml"), cluster_config(read("kubernetes/config.yaml"))):
            done = self.check(text)
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotEqual(self.check(read("weft.yaml") + "surprise: 1\n").returncode, 0)

    def test_queries_name_metrics_that_exist(self):
        known = metrics()
        board = json.loads(read("grafana/weft.json"))
        self.assertGreater(len(board["panels"]), 10)
        ids = [p["id"] for p in board["panels"]]
        self.assertEqual(len(set(ids)), len(ids))
        for panel in board["panels"]:
            self.assertTrue({"title", "type", "gridPos", "targets", "datasource"} <= set(panel))
            for target in panel["targets"]:
                names = named(target["expr"])
                self.assertTrue(names, target)
                self.assertLessEqual(names, known, panel["title"])
        rules = read("prometheus/rules.yaml")
        self.assertLessEqual(named(rules), known | named("weft_jobs"))

    def test_log_lines_are_in_the_common_schema(self):
        with Server(WEFT, "server.log_level=debug") as s:
            s.until_ready()
            s.ok("POST", "/v1/jobs", double([1]))
            lines = [json.loads(line) for line in s.log_text().splitlines()]
        self.assertGreater(len(lines), 3)
        for line in lines:
            self.assertTrue({"@timestamp", "log.level", "message", "ecs.version",
                             "service.name", "event.action"} <= set(line), line)
            for name in line:           # own fields have a name space of their own
                self.assertTrue(name == "@timestamp" or name == "message" or "." in name, name)
        json.loads(read("elastic/pipeline.json"))

    def test_unit_runs_the_command(self):
        unit = read("weft.service")
        self.assertRegex(unit, r"ExecStart=/usr/local/bin/weft serve --config \S+ --data \S+")
        namespaces = re.search(r"RestrictNamespaces=(.*)", unit).group(1).split()
        self.assertLessEqual({"user", "net", "mnt", "ipc", "uts"}, set(namespaces),
                             "the sandbox of workers needs these")
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", os.path.join(
            TOP, "deploy/weft.service")], capture_output=True, text=True) if os.path.exists(
                "/usr/bin/systemd-analyze") else None
        for line in done.stderr.splitlines() if done else ():
            # The command is not installed here; everything else counts.
            if "weft.service" in line and "is not executable" not in line:
                self.fail(line)


if __name__ == "__main__":
    main(globals())
