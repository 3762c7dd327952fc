#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simulate - a model of N servers that share Redis and NATS: where does throughput end?

    bench/scale/simulate.py [--measured=FILE] [--servers=1,2,4,...] [--cores=N] [--kernel=US]
                            [--wait=US] [--jobs=N]

Every job takes its way through queues: the core of the server that accepts it, Redis, NATS,
Redis again, a core of the server that runs it, Redis once more. Service times are CPU times
that bench/server/cluster.py measured (--measured), spread exponentially; each core, Redis's
one thread and NATS's threads serve one job at a time, in order. The load is raised until the
p99 of the time in the system exceeds 100 ms or a queue fills; what is printed is the largest
load below that, what limits it, and the latency there.
"""
import heapq
import json
import random
import sys

# CPU time a job in microseconds, of bench/server/cluster.py on two cores.
DEFAULTS = {"server": 103, "workers": 45, "redis": 67, "nats": 14}
# Which share of a part's CPU time falls on which visit.
REDIS_VISITS = (0.4, 0.2, 0.4)          # put, claim, end
NATS_THREADS = 2


class Queue:
    """A station with a number of identical places, served in order of arrival."""

    def __init__(self, name, places):
        self.name, self.free, self.busy = name, [0.0] * places, 0.0
        heapq.heapify(self.free)

    def serve(self, now, time):
        """When a job that arrives now is done."""
        start = max(now, heapq.heappop(self.free))
        heapq.heappush(self.free, start + time)
        self.busy += time
        return start + time


def run(load, servers, cores, cpu, kernel, wait, jobs, rng):
    """Jobs at `load` a second. The p50 and p99 of their times, and each station's use."""
    redis, nats = Queue("Redis", 1), Queue("NATS", NATS_THREADS)
    hosts = [Queue("servers and workers", cores) for _ in range(servers)]
    draw = lambda us: rng.expovariate(1) * us * 1e-6
    # Events in order of time: (time, number, stage, host, start).
    events, number, now = [], 0, 0.0
    for _ in range(jobs):
        now += rng.expovariate(load)
        events.append((now, number, 0, rng.randrange(servers), now))
        number += 1
    last, times = now, []
    heapq.heapify(events)
    while events:
        at, n, stage, host, start = heapq.heappop(events)
        if stage == 0:
            done = hosts[host].serve(at, draw(cpu["server"] / 2))
        elif stage == 1:
            done = redis.serve(at, draw(cpu["redis"] * REDIS_VISITS[0]))
        elif stage == 2:
            done = nats.serve(at, draw(cpu["nats"]))
        elif stage == 3:                # the first to ask: the one that is free first
            host = min(range(servers), key=lambda i: hosts[i].free[0])
            done = redis.serve(at, draw(cpu["redis"] * REDIS_VISITS[1]))
        elif stage == 4:
            done = hosts[host].serve(at, draw(cpu["workers"] + cpu["server"] / 2) + kernel * 1e-6)
        else:
            done = redis.serve(at, draw(cpu["redis"] * REDIS_VISITS[2])) + wait * 1e-6
        if stage < 5:
            heapq.heappush(events, (done, n, stage + 1, host, start))
        else:
            times.append(done - start)
    times.sort()
    span = max(last, 1e-9)
    use = {"Redis": redis.busy / span, "NATS": nats.busy / span / NATS_THREADS,
           "servers and workers": sum(h.busy for h in hosts) / span / cores / servers}
    return times[len(times) // 2], times[int(len(times) * 0.99)], use


def largest(servers, cores, cpu, kernel, wait, jobs):
    """The largest load whose p99 stays below 100 ms."""
    low, high, best = 10.0, 1e6, None
    for _ in range(14):
        load = (low * high) ** 0.5
        p50, p99, use = run(load, servers, cores, cpu, kernel, wait, jobs, random.Random(1))
        if p99 < 0.1 + kernel * 1e-6 and max(use.values()) < 0.98:
            low, best = load, (load, p50, p99, use)
        else:
            high = load
    return best


def main():
    options = dict(a[2:].split("=", 1) for a in sys.argv[1:] if a.startswith("--"))
    cpu = dict(DEFAULTS)
    if "measured" in options:
        with open(options["measured"]) as file:
            cpu.update(json.load(file)["cpu_us"])
    cores, kernel = int(options.get("cores", 2)), float(options.get("kernel", 0))
    wait, jobs = float(options.get("wait", 200)), int(options.get("jobs", 20000))
    print("CPU time a job, us: " + ", ".join(f"{k} {v:.0f}" for k, v in cpu.items())
          + f"; {cores} cores a server, {kernel:.0f} us of kernel")
    print(f"{'servers':>8} {'jobs/s':>9} {'each':>8} {'p50 ms':>8} {'p99 ms':>8}  limited by")
    for servers in map(int, options.get("servers", "1,2,3,4,8,16,32,64").split(",")):
        best = largest(servers, cores, cpu, kernel, wait, jobs)
        if not best:
            print(f"{servers:8d}  none: the kernel alone takes longer")
            continue
        load, p50, p99, use = best
        limit = max(use, key=use.get)
        print(f"{servers:8d} {load:9.0f} {load / servers:8.0f} {p50 * 1e3:8.2f} {p99 * 1e3:8.2f}"
              f"  {limit} ({use[limit] * 100:.0f} % busy)")


if __name__ == "__main__":
    main()
