#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/live - broadcasts of weft serve beside Node.js with npm `ws`, on one machine in one run.

    bench/live/run.py [--weft build/release/bin/weft] [--clients build/release/bench/live] [CASE...]

Each case: clients connect and subscribe, a vector of 384 numbers is published again and again. Printed
are microseconds of the server's CPU time (all threads) for a message to a client, their share of
`ws`, the time to connect, and how long messages were under way. Indexing is off: it is another process's.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
#        name       clients  form      messages  rate  burst  bar of the share
CASES = {"single":  (1000, "binary", 300, 20, 1, 0.8),
         "bursts":  (1000, "binary", 200, 20, 5, 0.3),
         "deflate": (1000, "deflate", 40, 20, 1, 0.1),
         "many":    (9000, "binary", 20, 2, 1, 0.9)}


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def npm_ws():
    """The folder of `ws`, fetched once."""
    folder = os.path.join(TOP, "build", "bench-live")
    where = os.path.join(folder, "node_modules", "ws")
    if not os.path.exists(where):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder,
                        "ws@8"], check=True, stdout=subprocess.DEVNULL)
    return where


def start_weft(args, form, data):
    command = [args.weft, "serve", "--data", data]
    for setting in ("server.listen=127.0.0.1:0", "server.metrics_listen=off", "vectors.enabled=false",
                    "server.log_level=warn", "live.listen=off", "vectors.max_vectors=100_000_000"):
        command += ["--set", setting]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True), r"listening on http://\S*:(\d+)"


def start_ws(args, form, data):
    return subprocess.Popen(["node", os.path.join(HERE, "ws-server.mjs"), npm_ws(), form],
                            stdout=subprocess.PIPE, text=True), r"port (\d+)"


def measure(start, args, case):
    clients, form, messages, rate, burst, _ = case
    with tempfile.TemporaryDirectory() as data:
        server, pattern = start(args, form, data)
        try:
            port = next(found.group(1) for line in server.stdout if (found := re.search(pattern, line)))
            load = subprocess.Popen([args.clients, port, *map(str, (clients, form, messages, rate, burst))],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            connected = float(load.stdout.readline().split()[1])
            before = cpu_seconds(server.pid)
            load.stdin.write("go\n")
            load.stdin.flush()
            _, _, received, p50, p99 = load.stdout.readline().split()
            used = cpu_seconds(server.pid) - before
            memory = resident_mb(server.pid)
            load.wait(60)
        finally:
            server.terminate()
            server.wait(60)
    if int(received) != clients * messages:
        sys.exit(f"only {received} of {clients * messages} messages came")
    return {"us": used * 1e6 / int(received), "connect": connected, "p50": float(p50),
            "p99": float(p99), "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--weft", default=os.path.join(TOP, "build/release/bin/weft"))
    parser.add_argument("--clients", default=os.path.join(TOP, "build/release/bench/live"))
    parser.add_argument("--small", action="store_true", help="few clients and messages, to see that it runs")
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], metavar="CASE")
    args = parser.parse_args()
    print("case     server    us/message  share  bar   connect s  p50 ms  p99 ms     MB")
    for name in args.cases or CASES:
        case = CASES[name]
        if args.small:
            case = (20, case[1], 10, case[3], case[4], case[5])
        ws, weft = measure(start_ws, args, case), measure(start_weft, args, case)
        for who, m in (("ws", ws), ("weft", weft)):
            share = f"{m['us'] / ws['us']:5.2f}  {case[5]:<4}" if who == "weft" and ws["us"] else " " * 11
            print(f"{name:8} {who:8} {m['us']:11.2f}  {share} {m['connect']:10.2f} {m['p50']:7.2f} {m['p99']:7.2f} "
                  f"{m['memory']:6.0f}", flush=True)


if __name__ == "__main__":
    main()
