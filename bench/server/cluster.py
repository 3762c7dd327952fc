#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster - servers that share Redis and NATS, measured beside one server alone.

    bench/server/cluster.py WEFT [--seconds=S] [--json=FILE] [--model=FILE [--tokens=N]]
                                 [--only=latency|throughput|chat]

Prints the latency that Redis and NATS add to a small cached job, jobs a second and CPU time
a job with one, two and three servers on this machine's cores, and with a model the tokens a
second of eight users beside one. --json writes what bench/scale/simulate.py starts from.
"""
import json
import os
import selectors
import socket
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/server"))

from harness import Server, double  # noqa: E402
from services import Nats, Redis, settings  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
OPTIONS = dict(a[2:].split("=", 1) for a in sys.argv[2:] if a.startswith("--"))
SECONDS = float(OPTIONS.get("seconds", 5))
CONNECTIONS = 64                        # of the measurements of throughput, over all servers


def cpu(pids):
    """CPU seconds of processes so far; those that have ended count nothing."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / TICKS
        except OSError:
            pass
    return total


def request():
    body = json.dumps(double([1, 2, 3])).encode()
    return (b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body) + body)


def ask(connection, data):
    connection.sendall(data)
    answer = b""
    while b"\r\n\r\n" not in answer or b"]}}}" not in answer:
        part = connection.recv(65536)
        if not part:
            raise OSError("the connection was closed")
        answer += part
    if b"[2,4,6]" not in answer:
        raise ValueError(answer)


def connect(server):
    c = socket.create_connection(("127.0.0.1", server.port))
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return c


def latencies(server, count, pause=0.01):
    """Milliseconds of jobs, one after the other."""
    data, times = request(), []
    with connect(server) as c:
        for i in range(count + 30):
            start = time.perf_counter()
            ask(c, data)
            if i >= 30:
                times.append((time.perf_counter() - start) * 1e3)
            time.sleep(pause)
    return sorted(times)


def quantile(times, share):
    return times[int(share * (len(times) - 1))]


def flood(servers, connections, seconds):
    """Jobs answered, over all servers: every connection sends its next at once."""
    stop, count, data = time.monotonic() + seconds, 0, request()
    selector, answers = selectors.DefaultSelector(), {}
    for n in range(connections):
        c = connect(servers[n % len(servers)])
        selector.register(c, selectors.EVENT_READ)
        answers[c] = b""
        c.sendall(data)
    while time.monotonic() < stop:
        for key, _ in selector.select(1):
            c = key.fileobj
            part = c.recv(65536)
            if not part:
                raise OSError("the connection was closed")
            answers[c] += part
            if b"]}}}" in answers[c]:
                if b"[2,4,6]" not in answers[c]:
                    raise ValueError(answers[c])
                answers[c] = b""
                count += 1
                c.sendall(data)
    for c in answers:
        c.close()
    return count


def measure_added(weft, services, out):
    with Server(weft) as alone, Server(weft, *settings(*services)) as shared:
        alone.until_ready()
        shared.until_ready()
        rounds = [(latencies(alone, 100), latencies(shared, 100))
                  for _ in range(max(2, int(SECONDS / 2)))]
    one = sorted(t for r in rounds for t in r[0])
    two = sorted(t for r in rounds for t in r[1])
    for share in (0.5, 0.99):
        name = f"p{int(share * 100)}"
        print(f"job latency {name}: alone {quantile(one, share):.3f} ms, with Redis and NATS "
              f"{quantile(two, share):.3f} ms, added "
              f"{quantile(two, share) - quantile(one, share):.3f} ms")
        out[f"added_{name}_ms"] = quantile(two, share) - quantile(one, share)


def measure_throughput(weft, services, out):
    first = None
    for count in (1, 2, 3):
        servers = [Server(weft, *settings(*services)) for _ in range(count)]
        for s in servers:
            s.until_ready()
        flood(servers, CONNECTIONS, 1)
        parts = {"server": [s.process.pid for s in servers],
                 "workers": [p for s in servers for p in s.workers()],
                 "redis": [services[0].process.pid], "nats": [services[1].process.pid]}
        before = {name: cpu(pids) for name, pids in parts.items()}
        start, own = time.monotonic(), time.process_time()
        jobs = flood(servers, CONNECTIONS, SECONDS)
        rate = jobs / (time.monotonic() - start)
        own = (time.process_time() - own) / jobs * 1e6
        used = {name: (cpu(pids) - before[name]) / jobs * 1e6 for name, pids in parts.items()}
        total = sum(used.values())
        first = first or total
        print(f"{count} server(s): {rate:6.0f} jobs/s, CPU a job {total:5.0f} us "
              f"({total / first:.2f} of one server's): "
              + ", ".join(f"{name} {value:.0f}" for name, value in used.items())
              + f"; the client {own:.0f}, so {os.cpu_count()} cores could do "
              + f"{os.cpu_count() / (total + own) * 1e6:.0f}")
        if count == 1:
            out["cpu_us"] = used
        out[f"ratio_{count}"] = total / first
        for s in servers:
            s.__exit__(None)


def tokens_a_second(server, users, count):
    got = [0] * users

    def work(n):
        for k in range(count):
            answer = server.ok("POST", "/v1/completions", {
                "prompt": "Once upon a time", "max_tokens": int(OPTIONS.get("tokens", 100)),
                "seed": n * 100 + k, "temperature": 0.8})
            got[n] += answer["usage"]["completion_tokens"]
    threads = [threading.Thread(target=work, args=(n,)) for n in range(users)]
    start = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(got) / (time.monotonic() - start)


def measure_chat(weft, model, out):
    with Server(weft, f"models.files={model}") as s:
        while not s.ok("GET", "/v1/models")["data"][0]["ready"]:
            time.sleep(0.05)
        tokens_a_second(s, 1, 1)
        one, eight = [], []
        for _ in range(3):
            one.append(tokens_a_second(s, 1, 4))
            eight.append(tokens_a_second(s, 8, 2))
    one, eight = sorted(one)[1], sorted(eight)[1]
    print(f"chat: 1 user {one:.0f} tokens/s, 8 users {eight:.0f} tokens/s: {eight / one:.2f}x")
    out["chat_ratio"] = eight / one


def measure_shared(weft, out, only):
    with Redis() as redis, Nats() as nats:
        # Redis as fast as it can be; with appendfsync always every change waits for the disk.
        redis.call("CONFIG", "SET", "appendfsync", OPTIONS.get("appendfsync", "everysec"))
        if only != "throughput":
            measure_added(weft, (redis, nats), out)
        if only != "latency":
            measure_throughput(weft, (redis, nats), out)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    weft, out = os.path.abspath(sys.argv[1]), {}
    if OPTIONS.get("only") != "chat":
        measure_shared(weft, out, OPTIONS.get("only"))
    if OPTIONS.get("model"):
        measure_chat(weft, OPTIONS["model"], out)
    if OPTIONS.get("json"):
        with open(OPTIONS["json"], "w") as file:
            json.dump(out, file, indent=1)


if __name__ == "__main__":
    main()
