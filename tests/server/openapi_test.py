#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI description and the server say the same: every path is served, every answer
has the described shape."""
import unittest

from harness import DOUBLE, Server, double, main

WEFT = None


def fault(value, schema, root, where="answer"):
    """What does not fit the schema, or None."""
    if "$ref" in schema:
        schema = root["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool,
             "integer": int, "number": (int, float)}
    kind = schema.get("type")
    if kind and (not isinstance(value, kinds[kind])
                 or (kind in ("integer", "number") and isinstance(value, bool))):
        return f"{where} is not {kind}: {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where}: {value!r} is not one of {schema['enum']}"
    for name in schema.get("required", ()):
        if name not in value:
            return f"{where} lacks {name}"
    for name, item in (value.items() if isinstance(value, dict) else ()):
        inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        if inner is None and "properties" in schema:
            return f"{where}.{name} is not described"
        if isinstance(inner, dict):
            wrong = fault(item, inner, root, f"{where}.{name}")
            if wrong:
                return wrong
    for i, item in enumerate(value if isinstance(value, list) and "items" in schema else ()):
        wrong = fault(item, schema["items"], root, f"{where}[{i}]")
        if wrong:
            return wrong
    return None


class OpenApi(unittest.TestCase):
    def test_answers_fit(self):
        with Server(WEFT) as s:
            s.until_ready()
            root = s.ok("GET", "/openapi.json")
            job = s.ok("POST", "/v1/jobs", double([1, 2]))
            s.ok("PUT", "/v1/buffers/b", b"abcd")
            s.ok("POST", "/v1/jobs", {"runner": "r", "outputs": {"y": {"size": 4}}})
            lease = s.ok("POST", "/v1/workers/w/lease", {"runner": "r"})["lease"]
            bodies = {
                ("post", "/v1/jobs"): double([3]), ("post", "/v1/check"): {"wgsl": DOUBLE},
                ("post", "/v1/workers"): {"runner": "r"}, ("post", "/v1/tokens"): {},
                ("post", "/v1/workers/{id}/lease"): {"runner": "none"},
                ("post", "/v1/leases/{lease}/heartbeat"): {"progress": 0.1},
                ("post", "/v1/leases/{lease}/result"): {"outputs": {"y": {"base64": "AAAAAA=="}}},
                ("post", "/v1/leases/{lease}/fail"): {}, ("put", "/v1/buffers/{name}"): b"abcd",
            }
            bodies[("post", "/v1/chat/completions")] = {"messages": [
                {"role": "user", "content": "hello"}]}
            bodies[("post", "/v1/completions")] = {"prompt": "hello"}
            bodies[("post", "/v1/embeddings")] = {"input": "hello"}
            bodies[("post", "/v1/vectors")] = {"vectors": [[1, 2], [3, 4]], "labels": ["a", "b"]}
            bodies[("post", "/v1/vectors/search")] = {"vector": [1, 2]}
            bodies[("post", "/v1/vectors/places")] = {"ids": [0, 1]}
            bodies[("put", "/v1/vectors/view")] = {"camera": [1]}
            queries = {"/v1/vectors/search": "?id=1"}
            s.ok("POST", "/v1/vectors", bodies[("post", "/v1/vectors")])
            bodies[("post", "/tokenize")] = {"content": "hello"}
            names = {"{id}": job["id"], "{name}": "y", "{lease}": lease}
            tried = 0
            for path, methods in root["paths"].items():
                for method, about in sorted(methods.items(), reverse=True):
                    real = path.replace("/buffers/{name}", "/buffers/b")
                    for name, value in names.items():
                        real = real.replace(name, value)
                    if path == "/v1/vectors" and method == "delete":
                        continue        # what follows needs them
                    status, headers, answer = s.call(method.upper(), real + queries.get(path, ""),
                                                     bodies.get((method, path)))
                    if path != "/v1/models/{model}":    # there is none
                        self.assertNotIn(status, (404, 405), (method, path, answer))
                    described = about["responses"].get(str(status), about["responses"]["default"])
                    schema = described.get("content", {}).get("application/json", {}).get("schema")
                    if schema and isinstance(answer, (dict, list)):
                        self.assertIsNone(fault(answer, schema, root), (method, path))
                        tried += 1
            self.assertGreater(tried, 15)

    def test_errors_fit(self):
        with Server(WEFT) as s:
            root = s.ok("GET", "/openapi.json")
            for method, path, body in (("GET", "/v1/jobs/x", None), ("POST", "/v1/jobs", {}),
                                       ("GET", "/nothing", None)):
                _, _, answer = s.call(method, path, body)
                self.assertIsNone(fault(answer, {"$ref": "x/Error"}, root))


if __name__ == "__main__":
    main(globals())
