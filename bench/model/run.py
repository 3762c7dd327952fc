#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - language models on the CPU device, beside a build of llama.cpp.

    bench/model/run.py [--rival=BUILD] [--weft=COMMAND] [--threads=N] [--prompt=N] [--tokens=N]
                       [--rounds=N] [--busy=N] [--start] FILE.gguf...

BUILD is the folder of a build of llama.cpp, with bin/llama-bench. Both sides take turns; a figure
is the median of the rounds, a ratio the median of the ratios within rounds: Weft's speed by the
other's, higher is better. --busy=N measures decoding again beside N processes that compute.
--start measures the seconds from the start of the command to its first token, with kernels in the
cache and without, and the memory beyond weights and KV cache.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read_options():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("files", nargs="+", metavar="FILE")
    p.add_argument("--rival")
    p.add_argument("--weft", default=os.path.join(TOP, "build/release/bin/weft"))
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--prompt", type=int, default=128)
    p.add_argument("--tokens", type=int, default=32)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--busy", type=int, default=0)
    p.add_argument("--start", action="store_true")
    return p.parse_args()


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


def weft(o, file, prompt, tokens):
    """Tokens a second: of a prompt, one by one."""
    found = json.loads(output([o.weft, "model", "bench", file, "-t", str(o.threads), "-p", str(prompt),
                               "-n", str(tokens), "-r", "1", "--device=cpu", "--quiet", "--json"]))
    return found["prompt_rate"], found["token_rate"]


def rival(o, file, prompt, tokens):
    rows = json.loads(output([os.path.join(o.rival, "bin/llama-bench"), "-m", file, "-t",
                              str(o.threads), "-p", str(prompt), "-n", str(tokens), "-r", "1",
                              "-o", "json"]))
    rates = {row["n_prompt"] > 0: row["avg_ts"] for row in rows}
    return rates.get(True, 0), rates.get(False, 0)


def rounds(o, file, prompt, tokens):
    """[(Weft's rates, the other's)]"""
    return [(weft(o, file, prompt, tokens), rival(o, file, prompt, tokens) if o.rival else None)
            for _ in range(o.rounds)]


def row(file, what, pairs):
    """A line of the table: pairs of rates, Weft's and the other's."""
    ours = statistics.median(a for a, _ in pairs)
    line = f"{os.path.basename(file)[:28]:28} {what:22} {ours:10.1f}"
    if pairs[0][1] is not None:
        theirs = statistics.median(b for _, b in pairs)
        ratio = statistics.median(a / b for a, b in pairs)
        line += f" {theirs:10.1f} {ratio:8.2f}"
    print(line, flush=True)


def pick(found, which):
    return [(a[which], b and b[which]) for a, b in found]


def with_busy(o, work):
    """work() while o.busy processes compute."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(o.busy)]
    try:
        return work()
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def first_token(o, file, cache):
    """Seconds from the start of a process to the end of one token."""
    start = os.times().elapsed
    subprocess.run([o.weft, "model", "run", file, "-p", "Once upon a time", "-n", "1", "--device=cpu",
                    "-t", str(o.threads), "-q"], stdout=subprocess.DEVNULL, check=True,
                   env={**os.environ, "XDG_CACHE_HOME": cache})
    return os.times().elapsed - start


def start_times(o, file):
    with tempfile.TemporaryDirectory() as cache:
        cold = first_token(o, file, cache)
        warm = min(first_token(o, file, cache) for _ in range(o.rounds))
    print(f"{os.path.basename(file)[:28]:28} first token            {warm:9.2f} s"
          f"   kernels compiled: {cold:.2f} s", flush=True)


def memory(o, file):
    """Peak memory of a process beyond weights and KV cache."""
    with subprocess.Popen([o.weft, "model", "bench", file, "-t", str(o.threads), "-p", "128", "-n", "8",
                           "-r", "1", "-c", "512", "--device=cpu", "--quiet", "--json"],
                          stdout=subprocess.PIPE) as child:
        found = json.loads(child.stdout.read())
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    peak = usage.ru_maxrss * 1024
    more = peak - found["weight_bytes"] - found["cache_bytes"]
    print(f"{os.path.basename(file)[:28]:28} memory beyond weights  {more / 1e6:9.0f} MB"
          f"  of {peak / 1e6:.0f} MB at most", flush=True)


def main():
    o = read_options()
    head = f"{'':28} {'tokens a second':22} {'Weft':>10}"
    print(head + (f" {'llama.cpp':>10} {'ratio':>8}" if o.rival else ""))
    for file in o.files:
        found = rounds(o, file, o.prompt, o.tokens)
        row(file, f"prompt of {o.prompt}", pick(found, 0))
        row(file, "one by one", pick(found, 1))
        if o.busy:
            found = with_busy(o, lambda f=file: rounds(o, f, 0, o.tokens))
            row(file, f"one by one, {o.busy} busy", pick(found, 1))
        if o.start:
            start_times(o, file)
            memory(o, file)


main()
