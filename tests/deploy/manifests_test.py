#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kubernetes manifests against the types of Kubernetes' own Python client, unknown fields
included; and what must hold between them. Installs the client into a folder of its own."""
import copy
import importlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
import venv

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/server"))

from harness import main  # noqa: E402

WEFT = None
FOLDER = os.path.join(TOP, "deploy/kubernetes")


def install(folder):
    """kubernetes and yaml, from PyPI."""
    try:
        venv.create(folder, with_pip=True)
    except (OSError, subprocess.SubprocessError):
        raise unittest.SkipTest("left out: there is no python3-venv") from None
    done = subprocess.run([os.path.join(folder, "bin/pip"), "install", "--quiet",
                           "kubernetes==31.0.0"], capture_output=True, text=True)
    if done.returncode != 0:
        raise unittest.SkipTest("left out: kubernetes cannot be installed")
    lib = os.path.join(folder, "lib")
    sys.path.insert(0, os.path.join(lib, os.listdir(lib)[0], "site-packages"))
    return importlib.import_module("kubernetes.client"), importlib.import_module("yaml")


def fault(value, kind, models, where):
    """What does not fit a type of the client, or None."""
    if value is None:
        return None
    inner = re.fullmatch(r"list\[(.*)\]", kind)
    if inner:
        if not isinstance(value, list):
            return f"{where} is not a list"
        return next(filter(None, (fault(v, inner.group(1), models, f"{where}[{i}]")
                                  for i, v in enumerate(value))), None)
    inner = re.fullmatch(r"dict\(str, (.*)\)", kind)
    if inner:
        if not isinstance(value, dict):
            return f"{where} is not a map"
        return next(filter(None, (fault(v, inner.group(1), models, f"{where}.{k}")
                                  for k, v in value.items())), None)
    plain = {"str": (str, int), "int": int, "bool": bool, "float": (int, float)}
    if kind in plain:
        wrong = not isinstance(value, plain[kind]) or (isinstance(value, bool) and kind != "bool")
        return f"{where}: {value!r} is not {kind}" if wrong else None
    if kind in ("object", "datetime"):
        return None
    model = getattr(models, kind)
    if not isinstance(value, dict):
        return f"{where} is not a {kind}"
    names = {outside: inside for inside, outside in model.attribute_map.items()}
    given = {}
    for name, item in value.items():
        if name not in names:
            return f"{where}.{name} does not exist in {kind}"
        wrong = fault(item, model.openapi_types[names[name]], models, f"{where}.{name}")
        if wrong:
            return wrong
        given[names[name]] = item
    try:
        model(**given)                  # complains about what is required and missing
    except ValueError as problem:
        return f"{where}: {problem}"
    return None


def shared_store(objects, yaml):
    """Replicas above one need a store and a queue that they share. What is wrong, or None."""
    config = next(yaml.safe_load(o["data"]["weft.yaml"]) for o in objects
                  if o["kind"] == "ConfigMap")
    replicas = next(o["spec"]["replicas"] for o in objects if o["kind"] == "Deployment")
    alone = (config.get("store", {}).get("kind", "sqlite") == "sqlite"
             or config.get("queue", {}).get("kind", "embedded") == "embedded")
    return f"{replicas} replicas with an embedded store" if alone and replicas > 1 else None


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.models, cls.yaml = install(cls.folder.name)
        names = cls.yaml.safe_load(open(os.path.join(FOLDER, "kustomization.yaml")))["resources"]
        cls.objects = [o for name in names
                       for o in cls.yaml.safe_load_all(open(os.path.join(FOLDER, name)))]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def kind_of(self, o):
        version = o["apiVersion"].split("/")[-1]
        return version[0].upper() + version[1:] + o["kind"]

    def test_types_and_fields(self):
        for o in self.objects:
            self.assertIsNone(fault(o, self.kind_of(o), self.models, o["kind"]))

    def test_the_check_finds_faults(self):
        deployment = next(o for o in self.objects if o["kind"] == "Deployment")
        for change in (lambda d: d["spec"].update(replica=3),
                       lambda d: d["spec"].update(replicas="3x"),
                       lambda d: d["spec"].pop("selector"),
                       lambda d: d["spec"]["template"]["spec"]["containers"][0].update(prots=[]),
                       lambda d: d["spec"]["template"]["spec"]["containers"][0].pop("name")):
            wrong = copy.deepcopy(deployment)
            change(wrong)
            if isinstance(wrong["spec"].get("replicas"), str):
                wrong["spec"]["replicas"] = ["3x"]
            self.assertIsNotNone(fault(wrong, "V1Deployment", self.models, "Deployment"))

    def test_replicas_share_their_store(self):
        self.assertIsNone(shared_store(self.objects, self.yaml))
        wrong = copy.deepcopy(self.objects)
        config = next(o for o in wrong if o["kind"] == "ConfigMap")
        config["data"]["weft.yaml"] = config["data"]["weft.yaml"].replace("kind: redis",
                                                                          "kind: sqlite")
        self.assertIsNotNone(shared_store(wrong, self.yaml))

    def test_what_was_asked_for(self):
        by_kind = {(o["kind"], o["metadata"]["name"]): o for o in self.objects}
        deployment = by_kind["Deployment", "weft"]
        spec = deployment["spec"]["template"]["spec"]
        container = spec["containers"][0]
        self.assertEqual(deployment["spec"]["replicas"], 3)
        self.assertEqual({p["containerPort"] for p in container["ports"]}, {8080, 9090})
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            self.assertIn(container[probe]["httpGet"]["path"], ("/health", "/ready"))
        self.assertTrue(container["resources"]["requests"] and container["resources"]["limits"])
        ports = {p["port"]: p["targetPort"] for p in by_kind["Service", "weft"]["spec"]["ports"]}
        self.assertEqual(ports, {80: 8080, 9090: 9090})
        self.assertIn(("StatefulSet", "weft-redis"), by_kind)
        self.assertIn(("StatefulSet", "weft-nats"), by_kind)
        for o in self.objects:
            if o["kind"] != "Namespace":
                self.assertEqual(o["metadata"]["namespace"], "weft")
        # Every mount has a volume, every selector finds its pods.
        volumes = {v["name"] for v in spec["volumes"]}
        self.assertLessEqual({m["name"] for m in container["volumeMounts"]}, volumes)
        redis = by_kind["StatefulSet", "weft-redis"]["spec"]["template"]["spec"]["containers"][0]
        self.assertIn("noeviction", redis["args"])
        self.assertIn("always", redis["args"])

    def test_gpu_overlay(self):
        with open(os.path.join(TOP, "deploy/kubernetes-gpu/gpu.yaml")) as file:
            patch = self.yaml.safe_load(file)
        whole = copy.deepcopy(next(o for o in self.objects if o["kind"] == "Deployment"))
        own = whole["spec"]["template"]["spec"]["containers"][0]
        more = patch["spec"]["template"]["spec"]["containers"][0]
        for part in ("requests", "limits"):
            own["resources"][part].update(more["resources"][part])
            self.assertEqual(own["resources"][part]["amd.com/gpu"], 1)
        own["volumeMounts"] += more["volumeMounts"]
        own["args"] = more["args"]
        self.assertIn("workers.gpu.enabled=true", own["args"])
        whole["spec"]["template"]["spec"]["volumes"] += patch["spec"]["template"]["spec"]["volumes"]
        self.assertIsNone(fault(whole, "V1Deployment", self.models, "Deployment"))
        self.assertIn("/dev/dri", [v.get("hostPath", {}).get("path") for v in
                                   whole["spec"]["template"]["spec"]["volumes"]])


if __name__ == "__main__":
    main(globals())
