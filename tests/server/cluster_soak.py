#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster_soak - three servers, random kills, for as long as asked: requests answered, errors.

    tests/server/cluster_soak.py WEFT [SECONDS [CLIENTS [PAUSE]]]

Servers and workers are killed; Redis and NATS stay up. A client tries all three servers, every
other time with the same idempotency key, before it counts a request as unanswered. Fails below 99.9 % answered,
above 1 % wrong answers, or if memory or descriptors of the last server grow.
"""
import http.client
import os
import random
import signal
import sys
import threading
import time

from harness import Server, double
from services import Nats, Redis, free_port, settings

WEFT = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 600
CLIENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
PAUSE = float(sys.argv[4]) if len(sys.argv) > 4 else 0.02


def ask(servers, rng, key, value):
    """(answered, right)"""
    for tries in range(6):
        for s in rng.sample(servers, 3):
            try:
                status, _, job = s.call("POST", "/v1/jobs", double([value]),
                                        headers={"Idempotency-Key": key} if value % 2 else {})
            except (OSError, AttributeError, ValueError, http.client.HTTPException):
                continue
            if status == 200 and job["outputs"]["y"]["data"] == [2 * value]:
                return True, True
            if status < 500:
                print(f"wrong: {key} {value}: {status} {job}", file=sys.stderr, flush=True)
                return True, False
        time.sleep(0.2 * (tries + 1))
    return False, False


def work(servers, seed, stop, counts):
    rng, n = random.Random(seed), 0
    while not stop.is_set():
        answered, right = ask(servers, rng, f"{seed}-{n}", n % 1000)
        counts[0] += 1
        counts[1] += not answered
        counts[2] += answered and not right
        n += 1
        time.sleep(PAUSE)


def harm(servers, rng):
    victim = rng.choice(servers[:2])    # the third one's memory is watched
    if rng.random() < 0.3:
        victim.kill()
        victim.start()
    else:
        workers = rng.choice(servers).workers()
        try:
            os.kill(rng.choice(workers or [0]) or os.getpid(), signal.SIGKILL if workers else 0)
        except ProcessLookupError:
            pass


def figures(s):
    with open(f"/proc/{s.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096, len(os.listdir(f"/proc/{s.process.pid}/fd"))


def main():
    with Redis() as redis, Nats() as nats:
        more = settings(redis, nats) + ("workers.max_attempts=1000", "store.result_ttl=60s")
        # A server keeps its port: another program must not answer while it is down.
        servers = [Server(WEFT, *more, "live.listen=off",
                          f"server.listen=127.0.0.1:{free_port()}") for _ in range(3)]
        for s in servers:
            s.until_ready()
        stop, counts = threading.Event(), [[0, 0, 0] for _ in range(CLIENTS)]
        threads = [threading.Thread(target=work, args=(servers, i, stop, counts[i]))
                   for i in range(CLIENTS)]
        for t in threads:
            t.start()
        rng, start, first, kills = random.Random(3), time.monotonic(), None, 0
        while time.monotonic() - start < SECONDS:
            time.sleep(1)
            harm(servers, rng)
            kills += 1
            if first is None and time.monotonic() - start > min(90, SECONDS / 3):
                first = figures(servers[2])
        stop.set()
        for t in threads:
            t.join()
        last = figures(servers[2])
        asked, unanswered, wrong = (sum(c[i] for c in counts) for i in range(3))
        print(f"{asked} requests, {kills} kills: {unanswered} unanswered, {wrong} wrong; memory "
              f"{first[0] / 1e6:.1f} -> {last[0] / 1e6:.1f} MB, descriptors {first[1]} -> "
              f"{last[1]}")
        for s in servers:
            s.__exit__(None)
        grew = last[0] > first[0] * 1.3 + 20e6 or last[1] > first[1] + 20
        return 1 if grew or unanswered * 1000 > asked or wrong * 100 > asked else 0


if __name__ == "__main__":
    sys.exit(main())
