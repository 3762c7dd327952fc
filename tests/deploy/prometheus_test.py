#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus scrapes a server, evaluates the rules of deploy/, and answers every query
of the dashboard."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/server"))

from harness import PATIENCE, Server, double, main  # noqa: E402
from services import Service, program  # noqa: E402

WEFT = None


class Prometheus(Service):
    name = "prometheus"

    def command(self):
        return [f"--config.file={self.folder}/prometheus.yaml",
                f"--storage.tsdb.path={self.folder}/data",
                f"--web.listen-address=127.0.0.1:{self.port}"]

    def extra(self):
        return ()

    def start(self):
        shutil.copy(os.path.join(TOP, "deploy/prometheus/rules.yaml"), self.folder)
        with open(os.path.join(TOP, "deploy/prometheus/prometheus.yaml")) as file:
            text = file.read()
        text = text.replace("127.0.0.1:9090", self.options[0]).replace("15s", "1s")
        with open(os.path.join(self.folder, "prometheus.yaml"), "w") as out:
            out.write(text)
        super().start()
        self.until_ready()

    def until_ready(self):
        """It listens before its database is open, and answers with 503 until then."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=PATIENCE):
                    return
            except urllib.error.HTTPError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def ask(self, path, **words):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?" + urllib.parse.urlencode(words)
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return json.load(answer)["data"]


class Scrape(unittest.TestCase):
    def test_rules_are_valid(self):
        path, env = program("promtool")
        for what, name in (("rules", "rules.yaml"), ("config", "prometheus.yaml")):
            subprocess.run([path, "check", what, os.path.join(TOP, "deploy/prometheus", name)],
                           check=True, env=env, capture_output=True)

    def test_scrape(self):
        with Server(WEFT, "server.metrics_listen=127.0.0.1:0") as s:
            s.until_ready()
            port = next(re.search(r"metrics on port (\d+)", line).group(1)
                        for line in iter(s.process.stdout.readline, "") if "metrics on" in line)
            for n in range(20):
                s.ok("POST", "/v1/jobs", double([n]))
            with Prometheus(f"127.0.0.1:{port}") as p:
                value = lambda q: p.ask("query", query=q)["result"]
                end = time.monotonic() + PATIENCE
                while not value('weft_jobs_finished_total{outcome="done"} >= 20'):
                    self.assertLess(time.monotonic(), end, "it was not scraped")
                    time.sleep(0.2)
                self.assertEqual(value("up")[0]["value"][1], "1")
                with open(os.path.join(TOP, "deploy/grafana/weft.json")) as file:
                    board = json.load(file)
                for panel in board["panels"]:
                    for target in panel["targets"]:
                        p.ask("query", query=target["expr"])    # an error raises
                while True:             # all rules have been evaluated
                    rules = [r for g in p.ask("rules")["groups"] for r in g["rules"]]
                    if all(r["health"] != "unknown" for r in rules):
                        break
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.2)
                self.assertGreater(len(rules), 7)
                self.assertEqual([r for r in rules if r["health"] != "ok"], [])


if __name__ == "__main__":
    main(globals())
