#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile time of generated kernels: how it grows, family by family.

Prints, for each family of families.py, the processor time of `weft compile
--assume=inner` at sizes n, 2n, 4n, 8n, the growth of the largest step above 0.3 s, and the
largest memory; then single kernels with a limit each, the common kernels, with --shaders the
files of a folder, and at the end one table of it all. Exit status 1 if a bar is missed.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

from families import FAMILIES

BAR = 2.6           # growth for twice the input
FLOOR = 0.3         # seconds below which growth says nothing
MEMORY_BAR = 1024   # megabytes

# name, family, size, bar in seconds
SINGLE = [
    ("10,000 statements: sin, exp, /", "straight_mixed", 10000, 1.5),
    ("500 pow lines", "pows", 500, 1.0),
    ("2,000 sin/cos lines", "sincos_wide", 2000, 1.0),
    ("400 ifs with stores", "if_with_stores", 400, 1.0),
    ("nesting depth 100", "nested_if", 100, 1.0),
]


SUMMARY = []        # (figure, value, bar) of each part
MOST = [0]          # megabytes of any compile that succeeded


def compile_once(weft, text, timeout):
    """(processor seconds, megabytes, status); status 124: too slow."""
    with tempfile.NamedTemporaryFile("w", suffix=".wgsl") as file:
        file.write(text)
        file.flush()
        child = subprocess.Popen([weft, "compile", "--assume=inner", file.name],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=lambda: resource.setrlimit(
                                     resource.RLIMIT_CPU, (timeout, timeout)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode == 0:
            MOST[0] = max(MOST[0], usage.ru_maxrss / 1024)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, child.returncode


def cell(seconds, status):
    if status in (-9, -24):
        return "slow"
    return f"{seconds:.2f}" if status == 0 else "refused" if status == 1 else f"status {status}"


def growth(times):
    """The largest step above FLOOR of those that both compiled."""
    steps = [(y / x) for (x, s), (y, t) in zip(times, times[1:]) if s == t == 0 and x >= FLOOR]
    return max(steps, default=None)


def measure_family(weft, name, options):
    make, n = FAMILIES[name]
    times, most = [], 0
    for i in range(options.doublings + 1):
        seconds, memory, status = compile_once(weft, make(n << i), options.timeout)
        times.append((seconds, status))
        if status == 0:
            most = max(most, memory)
        if status != 0 or seconds > options.enough:
            break
    grown = growth(times)
    slow = any(s not in (0, 1) for _, s in times)
    bad = slow or (grown or 0) > BAR or most > MEMORY_BAR
    cells = [cell(*t) for t in times] + [""] * (options.doublings + 1 - len(times))
    print(f"| {name} | {n} | " + " | ".join(cells) +
          f" | {'' if grown is None else f'{grown:.1f}'} | {most:.0f} |{' **bar**' if bad else ''}", flush=True)
    return not bad, grown or 0, name


def families(weft, options):
    heads = ["n", "2n", "4n", "8n", "16n"][:options.doublings + 1]
    print("| family | n | " + " | ".join(heads) + " | growth | MB |")
    print("|---" * (len(heads) + 4) + "|")
    names = [n for n in FAMILIES if not options.only or any(o in n for o in options.only)]
    measured = [measure_family(weft, name, options) for name in names]
    if measured:
        _, grown, name = max(measured, key=lambda m: m[1])
        held = sum(ok for ok, _, _ in measured)
        SUMMARY.append((f"growth of families for twice the input ({held} of {len(measured)} hold), most",
                        f"{grown:.1f} ({name})", BAR))
    return all(ok for ok, _, _ in measured)


def singles(weft, options):
    ok = True
    print("\n| kernel | s | bar | MB |\n|---|---|---|---|")
    for title, name, n, bar in SINGLE:
        seconds, memory, status = compile_once(weft, FAMILIES[name][0](n), options.timeout)
        bad = status != 0 or seconds > bar or memory > MEMORY_BAR
        ok = ok and not bad
        SUMMARY.append((f"{title}, s", cell(seconds, status), bar))
        print(f"| {title} | {cell(seconds, status)} | {bar} | {memory:.0f} |{' **bar**' if bad else ''}", flush=True)
    return ok


SHADER_BAR = 0.8    # seconds


def in_half(text):
    """A shader in f16 instead of f32; the libraries make theirs from one template."""
    return "enable f16;\n" + re.sub(r"\bvec([234])f\b", r"vec\1<f16>", text.replace("f32", "f16"))


def shaders(weft, folder, options):
    """Every .wgsl of a folder, as it is and in f16: the slowest of each library."""
    slowest, bad, refused = {}, [], 0
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".wgsl")):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        for kind, source in (("f32", text), ("f16", in_half(text))):
            seconds, memory, status = compile_once(weft, source, options.timeout)
            if status == 1 and kind == "f16":
                refused += 1        # it needs f32: an atomic, a bitcast, a large number
                continue
            if status != 0 or seconds > SHADER_BAR or memory > MEMORY_BAR:
                bad.append((name, kind, cell(seconds, status)))
            key = (name.split("-")[0], kind)
            slowest[key] = max(slowest.get(key, (0, "")), (seconds, name))
    print("\n| shaders of | type | slowest, s | which |\n|---|---|---|---|")
    for (library, kind), (seconds, name) in sorted(slowest.items()):
        print(f"| {library} | {kind} | {seconds:.2f} | {name} |")
        SUMMARY.append((f"shaders of {library} in {kind}, slowest, s", f"{seconds:.2f}", SHADER_BAR))
    for name, kind, what in bad:
        print(f"{name}, {kind}: {what} **bar**")
    print(f"{refused} have no f16 form")
    return not bad


COMMON = ["saxpy", "matmul_naive", "matmul_tiled", "softmax", "mandelbrot", "nbody", "histogram"]
COMMON_BAR = (20, 80)   # milliseconds: median, worst


def common(weft, options):
    """Cold compiles of the common kernels: the version made first, and the fast one."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels")
    print("\n| common kernels, ms | " + " | ".join(COMMON) + " | median | worst |\n" + "|---" * 10 + "|")
    ok = True
    for title, flags in (("first version", ["--quick"]), ("fast version", [])):
        times = []
        for name in COMMON:
            command = [weft, "compile", "--assume=usual", *flags, os.path.join(here, name + ".wgsl")]
            texts = [subprocess.run(command, capture_output=True, text=True, check=True).stdout
                     for _ in range(5)]
            times.append(min(float(t.split(" ms compiled")[0].split()[-1]) for t in texts))
        median, worst = sorted(times)[3], max(times)
        bad = bool(flags) and (median > COMMON_BAR[0] or worst > COMMON_BAR[1])
        ok = ok and not bad
        print(f"| {title} | " + " | ".join(f"{t:.1f}" for t in times) +
              f" | {median:.1f} | {worst:.1f} |{' **bar**' if bad else ''}", flush=True)
        SUMMARY.append((f"common kernels cold, {title}, median / worst, ms", f"{median:.1f} / {worst:.1f}",
                        f"{COMMON_BAR[0]} / {COMMON_BAR[1]}" if flags else ""))
    return ok


def summary():
    print("\n| figure | here | bar |\n|---|---|---|")
    for figure, value, bar in SUMMARY + [("memory of any compile that succeeds, MB", f"{MOST[0]:.0f}", MEMORY_BAR)]:
        print(f"| {figure} | {value} | {bar} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--weft", default=os.path.join(here, "../../build/release/bin/weft"))
    parser.add_argument("--doublings", type=int, default=3, help="of n (default: 3)")
    parser.add_argument("--timeout", type=int, default=60, help="processor seconds a compile may take")
    parser.add_argument("--enough", type=float, default=3, help="seconds after which a family stops growing")
    parser.add_argument("--print", metavar="FAMILY:N", help="print this kernel instead")
    parser.add_argument("--shaders", metavar="DIR", help="compile the .wgsl files of this folder, too")
    parser.add_argument("--skip-families", action="store_true", help="all but the families")
    parser.add_argument("only", nargs="*", help="families whose name contains this")
    options = parser.parse_args()
    if options.print:
        name, n = options.print.split(":")
        print(FAMILIES[name][0](int(n)), end="")
        return 0
    start = time.monotonic()
    ok = options.skip_families or families(options.weft, options)
    if not options.only:
        ok = singles(options.weft, options) and ok
        ok = common(options.weft, options) and ok
    if options.shaders:
        ok = shaders(options.weft, options.shaders, options) and ok
    summary()
    print(f"\n{len(FAMILIES)} families, {time.monotonic() - start:.0f} s")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
