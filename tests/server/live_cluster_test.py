#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that share Redis: clients of each see the vectors and results of all, with the same numbers."""
import time
import unittest

from harness import Server, double, main, until
from live_client import Live
from services import Nats, Redis, settings

WEFT = None


class LiveCluster(unittest.TestCase):
    def test_all_servers_agree(self):
        with Redis() as redis, Nats() as nats:
            shared = settings(redis, nats)
            with Server(WEFT, *shared) as a, Server(WEFT, *shared) as b:
                a.until_ready()
                b.until_ready()
                ca, cb = Live(a.port), Live(b.port)
                stream = ca.subscribe("vector_updates", "job_results")["stream"]
                self.assertEqual(cb.subscribe("vector_updates", "job_results")["stream"], stream)
                self.assertEqual(a.ok("POST", "/v1/vectors", {"vectors": [[1, 0], [0, 1]],
                                                              "labels": ["x", "y"]})["ids"], [0, 1])
                self.assertEqual(b.ok("POST", "/v1/vectors", {"vectors": [[1, 1]]})["ids"], [2])
                b.ok("POST", "/v1/jobs", double([4]))
                for c in (ca, cb):
                    first, second = c.next(), c.next()
                    self.assertEqual((first["ids"], second["ids"]), ([0, 1], [2]))
                    self.assertLess(first["seq"], second["seq"])
                    self.assertEqual(c.next()["result"]["vector"], [8])
                def all_found(s):
                    return len(s.ok("GET", "/v1/vectors/search?label=x")["results"]) == 3

                for s in (a, b):        # each has all of them in its index
                    until(lambda: all_found(s))
                resumed = Live(b.port)  # a client moves to another server
                self.assertTrue(resumed.subscribe("vector_updates", since=first["seq"],
                                                  stream=stream)["resumed"])
                self.assertEqual(resumed.next()["ids"], [2])
                # until what is new has been kept, by each server
                until(lambda: redis.call("EVAL", "return #redis.call('KEYS', ARGV[1])", "0",
                                         "*buffer:*weft/vectors/*/00000000") == ":2")
                with Server(WEFT, *shared) as c:    # one that comes later
                    c.until_ready()
                    until(lambda: all_found(c))
                    self.assertEqual(c.ok("POST", "/v1/vectors", {"vectors": [[2, 1]]})["ids"], [3])
                    self.assertEqual(ca.until("vector_batch")["ids"], [3])
                    self.assertEqual(cb.until("vector_batch")["ids"], [3])
                for client in (ca, cb, resumed):
                    client.done()

    def test_redis_hangs_and_goes_on(self):
        """Requests are answered in a bounded time, and all servers agree afterwards."""
        with Redis() as redis, Nats() as nats:
            shared = settings(redis, nats)
            with Server(WEFT, *shared) as a, Server(WEFT, *shared) as b:
                a.until_ready()
                b.until_ready()
                client = Live(b.port)
                client.subscribe("vector_updates")
                self.assertEqual(a.ok("POST", "/v1/vectors", {"vectors": [[1, 0]]})["ids"], [0])
                self.assertEqual(client.until("vector_batch")["ids"], [0])
                redis.pause()
                begin = time.monotonic()
                for n in range(5):      # the first ones have to find out
                    status, _, answer = a.call("POST", "/v1/vectors", {"vectors": [[n, 1]]})
                    self.assertEqual((status, answer["error"]["kind"]), (503, "io"))
                self.assertLess(time.monotonic() - begin, 60)
                until(lambda: all(s.call("GET", "/ready")[0] == 503 for s in (a, b)))
                self.assertIn("Redis cannot be reached", a.call("GET", "/ready")[2]["fault"])
                self.assertEqual(a.call("GET", "/v1/vectors")[0], 200)     # from memory
                redis.go_on()
                a.until_ready()
                b.until_ready()
                mine = a.ok("POST", "/v1/vectors", {"vectors": [[0, 1]]})["ids"]
                while client.until("vector_batch")["ids"] != mine:
                    pass                # what was sent meanwhile may have come, too
                counts = [s.ok("GET", "/v1/vectors")["count"] for s in (a, b)]
                self.assertEqual(counts, [mine[0] + 1] * 2)
                client.done()

    def test_redis_loses_everything(self):
        """Numbers go on, and so do the servers."""
        with Redis() as redis, Nats() as nats:
            shared = settings(redis, nats)
            with Server(WEFT, *shared) as a, Server(WEFT, *shared) as b:
                a.until_ready()
                b.until_ready()
                client = Live(b.port)
                client.subscribe("vector_updates")
                for n in range(3):
                    self.assertEqual(a.ok("POST", "/v1/vectors", {"vectors": [[1, n]]})["ids"], [n])
                    before = client.until("vector_batch")
                redis.call("FLUSHALL")
                self.assertEqual(a.ok("POST", "/v1/vectors", {"vectors": [[2, 3]]})["ids"], [3])
                after = client.until("vector_batch")
                self.assertEqual(after["ids"], [3])
                self.assertGreater(after["seq"], before["seq"])
                client.done()


if __name__ == "__main__":
    main(globals())
