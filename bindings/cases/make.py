#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make.py - writes the table of cases, cases.json and cases.txt, from kernels/ and this file.

    bindings/cases/make.py [--check]

Expected results are computed here, in Python, and not by Weft. --check compares the files with
what would be written. README.md describes the format.
"""
import json
import math
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CODES = {"f32": "f", "f16": "e", "f64": "d", "i32": "i", "u32": "I"}
MASK = 0xFFFFFFFF


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def array(name, kind, values, shape=None):
    """An input or an expected output: name, type, shape, bytes."""
    data = values if kind == "bytes" else struct.pack(f"<{len(values)}{CODES[kind]}", *values)
    shape = [len(values)] if shape is None else shape
    return {"name": name, "type": kind, "shape": shape, "data": data.hex()}


def place(name, kind, shape):
    return {"name": name, "type": kind, "shape": shape}


def number(name, kind, value):
    return array(name, kind, [value], [])


def run(name, inputs, expected, kernel=None, **more):
    """A case that computes: its outputs are those that are expected."""
    outputs = [{k: e[k] for k in ("name", "type", "shape")} for e in expected]
    return {"name": name, "wgsl": f"kernels/{kernel or name}.wgsl", "inputs": inputs,
            "outputs": outputs, **more,
            "expected": [{"name": e["name"], "data": e["data"]} for e in expected]}


def error(name, kernel, inputs, outputs, kind, about="", **more):
    return {"name": name, "wgsl": f"kernels/{kernel}.wgsl", "inputs": inputs, "outputs": outputs,
            **more, "error": {"kind": kind, "name": about}}


def noise(count, seed=1):
    """u32 numbers that are the same everywhere."""
    out, state = [], seed
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & MASK
        out.append(state)
    return out


# ---- references ----

def hashed(h):
    h ^= h >> 16
    h = h * 0x7FEB352D & MASK
    h ^= h >> 15
    h = h * 0x846CA68B & MASK
    return h ^ h >> 16


def divided(a, b):
    """WGSL: a / 0 is a and a % 0 is 0; so it is if the quotient does not fit."""
    if b == 0 or (a == -2**31 and b == -1):
        return a, 0
    q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return q, a - q * b


def blurred(image, width, height):
    def at(x, y):
        return image[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]
    sums = [sum(at(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1))
            for y in range(height) for x in range(width)]
    return [divided(s, 9)[0] for s in sums]


def lived(cells):
    out = []
    for y in range(8):
        for x in range(8):
            count = sum(cells[(y + dy) % 8 * 8 + (x + dx) % 8]
                        for dy in (7, 8, 9) for dx in (7, 8, 9))
            out.append(int(count == 3 or (cells[y * 8 + x] == 1 and count == 4)))
    return out


def collatz(n):
    count = 0
    while n > 1:
        n = 3 * n + 1 if n % 2 else n // 2
        count += 1
    return count


def bits(x):
    word = struct.unpack("<I", struct.pack("<f", x))[0]
    return (int(f"{word:032b}"[::-1], 2) + bin(word).count("1")) & MASK


# ---- cases that compute ----

def floats():
    x = [float(i - 20) / 4 for i in range(100)]
    y = [float(i % 7) for i in range(100)]
    odd = [f32(0.1 * i - 3.3) for i in range(75)]
    yield run("saxpy", [array("x", "f32", x), array("y", "f32", y), number("params.a", "f32", 2.0),
                        number("params.n", "u32", 100)],
              [array("y", "f32", [2 * a + b for a, b in zip(x, y)])])
    yield run("scale", [array("x", "f32", odd), number("params.factor", "f32", 1.7),
                        number("params.n", "u32", 75)],
              [array("y", "f32", [f32(v * f32(1.7)) for v in odd])])
    whole = [float(v % 100) for v in noise(256)]
    yield run("sum", [array("x", "f32", whole)],
              [array("total", "f32", [sum(whole[i:i + 64]) for i in range(0, 256, 64)])],
              groups=[4, 1, 1])
    a = [float(v % 9) - 4 for v in noise(6 * 5)]
    b = [float(v % 7) - 3 for v in noise(5 * 11, 2)]
    c = [sum(a[i * 5 + k] * b[k * 11 + j] for k in range(5)) for i in range(6) for j in range(11)]
    yield run("matmul", [array("a", "f32", a, [6, 5]), array("b", "f32", b, [5, 11]),
                         number("sizes.m", "u32", 6), number("sizes.k", "u32", 5),
                         number("sizes.n", "u32", 11)],
              [array("c", "f32", c, [6, 11])], groups=[2, 1, 1])
    logits = [f32(v % 1000 / 100) for v in noise(32, 3)]
    powers = [math.exp(v - max(logits)) for v in logits]
    yield run("softmax", [array("x", "f32", logits)],
              [array("y", "f32", [p / sum(powers) for p in powers])], tolerance=1e-5)
    times = [f32(i / 8) for i in range(48)]
    yield run("waves", [array("x", "f32", times)],
              [array("y", "f32", [math.sin(t) * math.exp(-t) + math.sqrt(t) for t in times])],
              tolerance=1e-3)
    yield from vectors()


def vectors():
    points = [float(v % 50) for v in noise(24, 4)]
    moved = [0.0 if i % 4 == 3 else 2 * p + (1.0, -2.0, 0.5)[i % 4]
             for i, p in enumerate(points)]
    yield run("points", [array("points", "f32", points, [6, 4]),
                         array("shift", "f32", [1.0, -2.0, 0.5], [3])],
              [array("moved", "f32", moved, [6, 4])], groups=[2, 1, 1])
    m = [float(i % 5) - 1 for i in range(16)]
    x = [float(v % 16) for v in noise(32, 5)]
    y = [sum(m[c * 4 + r] * x[i + c] for c in range(4)) for i in range(0, 32, 4)
         for r in range(4)]
    yield run("matrix", [array("m", "f32", m, [4, 4]), array("x", "f32", x, [8, 4])],
              [array("y", "f32", y, [8, 4])])
    values = [float(i) / 2 for i in range(10)]
    yield run("tail", [number("list.count", "u32", 10), array("list.values", "f32", values)],
              [array("y", "f32", [v + 10 for v in values])])
    records = b"".join(struct.pack("<If", i, i / 4) for i in range(12))
    doubled = b"".join(struct.pack("<If", i + 100, i / 2) for i in range(12))
    yield run("records", [array("records", "bytes", records)],
              [array("doubled", "bytes", doubled)], groups=[3, 1, 1])


def integers():
    v = noise(200, 6)
    yield run("hash", [array("v", "u32", v)], [array("v", "u32", [hashed(h) for h in v])],
              invocations=[200, 1, 1])
    yield run("scan", [array("v", "u32", noise(128, 7))],
              [array("v", "u32", [sum(noise(128, 7)[:i + 1]) & MASK for i in range(128)])])
    yield run("sort", [array("v", "u32", noise(64, 8))],
              [array("v", "u32", sorted(noise(64, 8)))], groups=[1, 1, 1])
    matrix = [int(n % 200) - 100 for n in noise(96, 9)]
    yield run("transpose", [array("rows", "i32", matrix, [8, 12])],
              [array("columns", "i32", [matrix[r * 12 + c] for c in range(12) for r in range(8)],
                     [12, 8])], groups=[3, 2, 1])
    values = noise(150, 10)
    yield run("histogram", [array("values", "u32", values)],
              [array("bins", "u32", [sum(n % 16 == i for n in values) for i in range(16)])],
              invocations=[150, 1, 1])
    a = [7, -7, 7, -7, -2**31, -2**31, 2**31 - 1, 0, 100, -100, 5, -5, 1, 9, -9, 12345]
    b = [2, 2, -2, -2, -1, 0, -1, 3, 0, 0, 7, 7, 1, 10, 10, -67]
    pairs = [divided(i, j) for i, j in zip(a, b)]
    yield run("divide", [array("a", "i32", a), array("b", "i32", b)],
              [array("quotient", "i32", [p[0] for p in pairs]),
               array("rest", "i32", [p[1] for p in pairs])])
    pairs = [int(n % 1000) - 500 for n in noise(50, 11)]
    yield run("increment", [array("v", "i32", pairs, [25, 2])],
              [array("v", "i32", [n + (1, -1)[i % 2] for i, n in enumerate(pairs)], [25, 2])])
    image = [int(n % 256) - 128 for n in noise(70, 12)]
    yield run("blur", [array("image", "i32", image, [7, 10]), array("size", "i32", [10, 7])],
              [array("smooth_image", "i32", blurred(image, 10, 7), [7, 10])], groups=[3, 2, 1])
    yield from more_integers()


def more_integers():
    cells = [int(n >> 31) for n in noise(64, 13)]
    yield run("life", [array("cells", "u32", cells, [8, 8])],
              [array("next", "u32", lived(cells), [8, 8])], groups=[1, 1, 1])
    yield run("collatz", [array("x", "u32", list(range(1, 65)))],
              [array("steps", "u32", [collatz(n) for n in range(1, 65)])])
    x = [f32(v) for v in (0.0, 1.0, -1.0, 0.5, 3.25, -7e20, 1e-30, 123456.0)] * 2
    yield run("bits", [array("x", "f32", x)], [array("y", "u32", [bits(v) for v in x])])
    yield run("scratch", [], [array("y", "u32", list(range(64)))])
    x = [int(n % 10000) - 9000 for n in noise(48, 14)]
    yield run("largest", [array("x", "i32", x)],
              [array("largest", "i32", [max(max(x), 0)], [])], groups=[3, 1, 1])
    size = (6, 4, 8)
    local = [(z % 2 * 2 + y % 2) * 2 + x % 2 for z in range(8) for y in range(4) for x in range(6)]
    yield run("grid", [], [array("y", "u32", [n * 1000 + 304 for n in local],
                                 list(reversed(size)))], groups=[3, 2, 4])
    yield run("override", [array("v", "i32", list(range(-16, 16)))],
              [array("v", "i32", [n * 3 + 5 for n in range(-16, 16)])],
              constants={"step": 5, "7": 3})
    yield run("override-default", [array("v", "i32", list(range(16)))],
              [array("v", "i32", [n * 10 + 1 for n in range(16)])], "override")
    yield run("entries", [], [array("v", "u32", [i * i for i in range(24)])], entry="second")


def other_types():
    x = [i / 4 - 5 for i in range(40)]
    yield run("half", [array("x", "f16", x)], [array("y", "f16", [v * 2 + 0.5 for v in x])],
              requires=["f16"])
    a = [float(n % 8) - 4 for n in noise(64, 15)]
    b = [float(n % 4) for n in noise(64, 16)]
    dots = [sum(a[i + k] * b[i + k] for k in range(4)) for i in range(0, 64, 4)]
    yield run("half-dot", [array("a", "f16", a, [16, 4]), array("b", "f16", b, [16, 4])],
              [array("c", "f16", dots)], "half_dot", requires=["f16"])
    x = [math.pi * i - 30 for i in range(33)]
    yield run("double", [array("x", "f64", x)],
              [array("y", "f64", [v / 3.0 + i for i, v in enumerate(x)])], requires=["f64"])
    x = [1.1 * i for i in range(20)]
    yield run("double-root", [array("x", "f64", x), number("params.shift", "f64", 0.1),
                              number("params.n", "u32", 20)],
              [array("y", "f64", [math.sqrt(v) + 0.1 for v in x])], "double_root",
              requires=["f64"])
    x = [0.1 * i - 1 / 3 for i in range(50)]
    scaled = [f32(f32(v) * f32(0.7)) for v in x]
    yield run("f64-to-f32", [array("x", "f64", x), number("params.factor", "f32", 0.7),
                             number("params.n", "u32", 50)],
              [array("y", "f32", scaled)], "scale")
    yield run("f64-both-ways", [array("x", "f64", x, [5, 10]),
                                number("params.factor", "f64", 0.7),
                                number("params.n", "u32", 50)],
              [array("y", "f64", scaled, [5, 10])], "scale")


# ---- cases that fail ----

def refused():
    x = array("x", "f32", [1.0, 2.0, 3.0, 4.0])
    y = place("y", "f32", [4])
    scale = [number("params.factor", "f32", 2.0), number("params.n", "u32", 4)]
    yield error("fails-unsupported", "texture", [], [place("y", "f32", [1])], "unsupported",
                "picture")
    yield error("fails-invalid", "scale", [x, *scale], [place("x", "f32", [4])], "invalid", "x")
    yield error("fails-shape", "transpose", [array("rows", "i32", list(range(95)))],
                [place("columns", "i32", [12, 8])], "shape", "rows")
    yield error("fails-shape-elements", "increment", [array("v", "i32", [1, 2, 3])],
                [place("v", "i32", [3])], "shape", "v")
    yield error("fails-type", "scale", [array("x", "i32", [1, 2, 3, 4]), *scale], [y], "type", "x")
    yield error("fails-type-f64", "hash", [array("v", "f64", [1.0, 2.0])],
                [place("v", "f64", [2])], "type", "v")
    yield error("fails-not-found", "scale", [x, array("z", "f32", [1.0]), *scale], [y],
                "not-found", "z")
    yield error("fails-missing", "scale", [*scale], [y], "not-found", "x")
    yield error("fails-member", "scale", [x, *scale, number("params.k", "u32", 1)], [y],
                "not-found", "params.k")
    yield error("fails-entry", "entries", [], [place("v", "u32", [4])], "not-found", entry="third")
    yield error("fails-exists", "blur",
                [array("image", "i32", [1] * 4), array("size", "i32", [2, 2]),
                 number("size.width", "i32", 2)],
                [place("smooth_image", "i32", [4])], "exists", "size.width")
    yield error("fails-compile", "syntax", [], [place("y", "f32", [1])], "compile")
    yield error("fails-compile-type", "mismatch", [], [place("y", "f32", [1])], "compile")
    yield from limited(x, y, scale)


def limited(x, y, scale):
    slow = [place("y", "u32", [1])]
    yield error("fails-memory", "scale", [x, *scale], [y], "memory", memory_limit=16)
    yield error("fails-quota", "scale", [x, *scale], [y], "quota", context={"memory_quota": 16})
    yield error("fails-timeout", "scale", [x, *scale], [y], "timeout", deadline=1)
    yield error("fails-cancelled", "slow", [], slow, "cancelled", cancel=True)
    yield error("fails-timeout-dispatch", "slow", [], slow, "timeout", no_retry=True,
                pool={"dispatch_deadline": 20000000})
    yield error("fails-denied", "scale", [x, *scale], [y], "denied", "x", foreign=["x"])


# ---- files ----

def words(shape):
    return "x".join(map(str, shape)) or "-"


def lines(case):
    """The case as lines of cases.txt."""
    yield f"case {case['name']}"
    yield f"wgsl {case['wgsl']}"
    for key in ("entry", "memory_limit", "deadline", "tolerance"):
        if key in case:
            yield f"{key} {case[key]}"
    for key in ("cancel", "no_retry"):
        if key in case:
            yield key
    for key in ("groups", "invocations"):
        if key in case:
            yield key + " " + " ".join(map(str, case[key]))
    for value in case.get("requires", []):
        yield f"requires {value}"
    for key, prefix in (("constants", "constant"), ("context", "context"), ("pool", "pool")):
        for name, value in case.get(key, {}).items():
            yield f"{prefix} {name} {value}"
    for i in case["inputs"]:
        yield f"input {i['name']} {i['type']} {words(i['shape'])} {i['data']}"
    for value in case.get("foreign", []):
        yield f"foreign {value}"
    for o in case["outputs"]:
        yield f"output {o['name']} {o['type']} {words(o['shape'])}"
    for e in case.get("expected", []):
        yield f"expect {e['name']} {e['data']}"
    if "error" in case:
        yield f"error {case['error']['kind']} {case['error']['name'] or '-'}"
    yield "end"


def files():
    cases = [*floats(), *integers(), *other_types(), *refused()]
    rows = ",\n".join(json.dumps(c) for c in cases)
    text = "\n".join("\n".join(lines(c)) for c in cases)
    return {"cases.json": f"[\n{rows}\n]\n", "cases.txt": text + "\n"}


def main():
    for name, text in files().items():
        path = os.path.join(HERE, name)
        if "--check" not in sys.argv:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        elif open(path, encoding="utf-8").read() != text:
            sys.exit(f"{path} is stale: run bindings/cases/make.py")


if __name__ == "__main__":
    main()
