#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - what Python and C++ add to calls of the library; Python beside NumPy and memcpy.

    bench/bindings/run.py [BUILD]       default: build/release

Needs NumPy and g++. Players take turns; times are medians. Results are checked.
"""
import ctypes
import os
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build/release"))

SMALL = """
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }
}
"""
SAXPY = """
override a : f32 = 2.0;
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&y) { y[id.x] = a * x[id.x] + y[id.x]; }
}
"""


def seconds(call, count=1):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def beside(first, second, turns, count=1):
    """Medians of both, and of the ratios turn by turn."""
    first(), second()
    pairs = [(seconds(first, count), seconds(second, count)) for _ in range(turns)]
    a, b = zip(*pairs)
    return (statistics.median(a), statistics.median(b),
            statistics.median(x / y for x, y in pairs))


def peak():
    """Bytes: the most that was resident."""
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))


def forget_peak():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
        f.write("5")


# ---- rows ----

def calls(ctx, np):
    program = os.path.join(BUILD, "bench", "bindings_execute")
    os.makedirs(os.path.dirname(program), exist_ok=True)
    subprocess.run(["g++", "-std=c++17", "-O2", "-I" + TOP + "/include", "-I" + TOP + "/bindings/cpp",
                    TOP + "/bench/bindings/execute.cpp", "-o", program, "-L" + BUILD + "/lib",
                    "-lweft", "-lwebgpu_weft", "-Wl,-rpath," + BUILD + "/lib", "-pthread"],
                   check=True)
    out = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    c, cpp = (float(line.split()[1]) for line in out.splitlines())
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    inputs, outputs = {"x": x}, {"y": y}
    for _ in range(200):
        ctx.execute(SMALL, inputs, outputs)
    python = statistics.median(seconds(lambda: ctx.execute(SMALL, inputs, outputs), 200) * 1e6
                               for _ in range(60))
    assert y[63] == 2
    print(f"execute, small kernel   C {c:.1f} us   C++ +{cpp - c:.1f} us   "
          f"Python +{python - c:.1f} us")


def saxpy(ctx, np):
    count = 1_000_000
    x, y = np.arange(count, dtype=np.float32) % 7, np.ones(count, np.float32)
    out = np.empty_like(y)
    inputs, outputs = {"x": x, "y": y}, {"y": out}
    a, b, ratio = beside(lambda: ctx.execute(SAXPY, inputs, outputs),
                         lambda: np.float32(2) * x + y, 100)
    assert (out == 2 * x + y).all()
    print(f"saxpy of 1,000,000      execute {a * 1e3:.2f} ms   NumPy {b * 1e3:.2f} ms   "
          f"ratio {ratio:.2f}")
    dx, dy = ctx.data(x), ctx.data(y)
    a, b, ratio = beside(lambda: ctx.execute(SAXPY, {"x": dx}, {"y": dy}),
                         lambda: np.float32(2) * x + y, 100)
    print(f"  data on the device    execute {a * 1e3:.2f} ms   NumPy {b * 1e3:.2f} ms   "
          f"ratio {ratio:.2f}")


def read_back(weft, np):
    size = 64 << 20
    t = weft.asarray(np.ones(size // 4, np.float32)) + 1
    t.eval()
    t.numpy()
    source = np.ones(size // 4, np.float32)

    def memcpy():
        fresh = np.empty(size // 4, np.float32)
        ctypes.memmove(fresh.ctypes.data, source.ctypes.data, size)
        return fresh
    a, b, ratio = beside(t.numpy, memcpy, 15)
    forget_peak()
    before = peak()
    found = t.numpy()
    grown = peak() - before
    assert found[-1] == 2
    print(f"64 MB to NumPy          read {a * 1e3:.1f} ms   memcpy {b * 1e3:.1f} ms   "
          f"ratio {ratio:.2f}   peak memory +{grown / 1e6:.1f} MB")


def main():
    try:
        import numpy as np
    except ImportError:
        sys.exit("bench/bindings/run.py: NumPy is not installed")
    subprocess.run([sys.executable, TOP + "/bindings/python/stage.py", BUILD + "/python",
                    BUILD + "/lib/libweft.so", BUILD + "/lib/libwebgpu_weft.so"], check=True)
    sys.path.insert(0, BUILD + "/python")
    os.environ.setdefault("WEFT_ADAPTER", "cpu")
    import weft
    with weft.Pool(["cpu"], measure=False) as pool:
        ctx = pool.context()
        calls(ctx, np)
        saxpy(ctx, np)
    read_back(weft, np)


if __name__ == "__main__":
    main()
