#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak - mixed load with faults, for as long as asked: errors, memory and descriptors.

    tests/server/soak.py WEFT [SECONDS]

Jobs of every kind, wrong requests, aborted connections, cancelled jobs and killed workers.
Fails if more than 1 % of the answers are not what they should be, or if memory or open
descriptors of the server grow.
"""
import os
import random
import signal
import socket
import sys
import threading
import time

from harness import FOREVER, SLOW, Server, double

WEFT = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 600


def figures(s):
    with open(f"/proc/{s.process.pid}/statm") as file:
        resident = int(file.read().split()[1]) * 4096
    return resident, len(os.listdir(f"/proc/{s.process.pid}/fd"))


def work(s, seed, stop, counts):
    rng = random.Random(seed)
    connection = s.connect()
    while not stop.is_set():
        n = rng.randrange(100)
        try:
            if n < 70:
                values = [rng.randrange(1000) for _ in range(rng.choice([1, 3, 100, 5000]))]
                status, _, job = s.call("POST", "/v1/jobs", double(values), connection=connection)
                good = status == 200 and job["outputs"]["y"]["data"] == [2 * v for v in values]
            elif n < 80:
                status, _, _ = s.call("POST", "/v1/jobs", double([1], wgsl="fn f( {"),
                                      connection=connection)
                good = status == 422
            elif n < 90:
                status, _, _ = s.call("GET", "/v1/jobs?limit=20", connection=connection)
                good = status == 200
            elif n < 94:
                status, _, _ = s.call("PUT", f"/v1/buffers/b{seed}", b"\0" * 40000,
                                      connection=connection)
                good = status == 200
            elif n < 96:
                made = s.ok("POST", "/v1/jobs", {
                    "wgsl": FOREVER, "workgroups": [1],
                    "outputs": {"y": {"shape": [2], "dtype": "u32"}}}, connection=connection)
                status, _, _ = s.call("DELETE", "/v1/jobs/" + made["id"], connection=connection)
                good = status == 200
            else:
                with socket.create_connection(("127.0.0.1", s.port)) as c:
                    c.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9")
                good = True
        except Exception as problem:    # whatever it is, it counts
            print(repr(problem), file=sys.stderr)
            connection.close()
            connection = s.connect()
            good = False
        counts[0 if good else 1] += 1
    connection.close()


def main():
    with Server(WEFT, "store.result_ttl=5s", "workers.max_attempts=50") as s:
        s.until_ready()
        stop, all_counts = threading.Event(), [[0, 0] for _ in range(6)]
        threads = [threading.Thread(target=work, args=(s, i, stop, all_counts[i]))
                   for i in range(6)]
        for t in threads:
            t.start()
        rng, start, first = random.Random(1), time.monotonic(), None
        while time.monotonic() - start < SECONDS:
            time.sleep(1)
            workers = s.workers()
            if workers and rng.random() < 0.5:
                try:
                    os.kill(rng.choice(workers), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if first is None and time.monotonic() - start > min(60, SECONDS / 4):
                first = figures(s)      # caches are full by now
        stop.set()
        for t in threads:
            t.join()
        time.sleep(1)
        last = figures(s)
        good, bad = (sum(c[i] for c in all_counts) for i in (0, 1))
        print(f"{good + bad} requests, {bad} wrong; memory {first[0] / 1e6:.1f} -> "
              f"{last[0] / 1e6:.1f} MB, descriptors {first[1]} -> {last[1]}")
        grew = last[0] > first[0] * 1.3 + 20e6 or last[1] > first[1] + 20
        return 1 if grew or bad * 100 > good else 0


if __name__ == "__main__":
    sys.exit(main())
