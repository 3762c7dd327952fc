#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several servers share jobs through Redis and NATS: real processes, which are killed,
stopped and filled while jobs run."""
import base64
import os
import random
import signal
import struct
import subprocess
import sys
import threading
import time
import unittest

from harness import FOREVER, PATIENCE, Server, double, key_of, main, until
from live_client import Live
from services import Nats, Redis, settings

WEFT = None
JOBS = int(os.environ.get("WEFT_CRASH_JOBS", "600"))


def forever(**more):
    return {"wgsl": FOREVER, "outputs": {"y": {"shape": [2], "dtype": "u32"}},
            "workgroups": [1], **more}


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.redis, cls.nats = Redis(), Nats()
        cls.servers = [Server(WEFT, *settings(cls.redis, cls.nats)) for _ in range(3)]
        for s in cls.servers:
            s.until_ready()

    @classmethod
    def tearDownClass(cls):
        for s in cls.servers:
            s.__exit__(None)
        cls.redis.__exit__()
        cls.nats.__exit__()

    def test_any_server_runs_and_shows_a_job(self):
        a, b, c = self.servers
        def run():
            ids = [a.ok("POST", "/v1/jobs", double([n], wait=False))["id"] for n in range(60)]
            for n, job in enumerate(ids):
                self.assertEqual(b.wait(job)["outputs"]["y"]["data"], [2 * n])
            return ids

        def shares():
            return [int(s.call("GET", "/metrics")[2].decode().split(
                'weft_jobs_finished_total{outcome="done"} ')[1].split("\n")[0])
                for s in self.servers]

        ids = run()
        listed = {j["id"] for j in c.ok("GET", "/v1/jobs?limit=1000")["jobs"]}
        self.assertLessEqual(set(ids), listed)
        _, _, raw = c.call("GET", f"/v1/jobs/{ids[5]}/outputs/y")
        self.assertEqual(struct.unpack("<f", raw), (10,))
        for _ in range(20):             # a busy machine may let one of them do a lot alone
            if sum(share > 0 for share in shares()) > 1:
                break
            run()
        self.assertGreater(sum(share > 0 for share in shares()), 1, shares())

    def test_waiting_clients_of_all_servers(self):
        problems = []

        def work(s, n):
            for i in range(20):
                status, _, job = s.call("POST", "/v1/jobs", double([n, i]))
                if status != 200 or job["outputs"]["y"]["data"] != [2 * n, 2 * i]:
                    problems.append((status, job))
        threads = [threading.Thread(target=work, args=(self.servers[n % 3], n))
                   for n in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(problems, [])

    def test_cancel_from_another_server(self):
        a, b, c = self.servers
        made = a.ok("POST", "/v1/jobs", forever())
        until(lambda: b.ok("GET", "/v1/jobs/" + made["id"])["state"] == "running")
        status, _, answer = c.call("DELETE", "/v1/jobs/" + made["id"])
        self.assertEqual((status, answer["state"]), (200, "cancelled"))
        for s in (a, b):
            self.assertEqual(s.wait(made["id"])["state"], "cancelled")
        until(lambda: all("weft_jobs_running 0\n" in s.call("GET", "/metrics")[2].decode()
                          for s in self.servers))
        self.assertEqual(c.call("DELETE", "/v1/jobs/" + made["id"])[0], 409)

    def test_idempotency_keys_across_servers(self):
        a, b, c = self.servers
        head = {"Idempotency-Key": "once"}
        ids = [s.ok("POST", "/v1/jobs", double([3]), headers=head)["id"] for s in self.servers]
        self.assertEqual(len(set(ids)), 1)
        self.assertEqual(b.call("POST", "/v1/jobs", double([4]), headers=head)[0], 409)
        # While the job has not ended, too.
        job = {"runner": "later", "outputs": {"y": {"shape": [1]}}}
        head = {"Idempotency-Key": "later"}
        first = a.ok("POST", "/v1/jobs", job, headers=head)
        second = c.ok("POST", "/v1/jobs", job, headers=head)
        self.assertEqual(first["id"], second["id"])
        # And from the server that runs the job for another one.
        lease = None
        while not lease:
            status, _, answer = b.call("POST", "/v1/workers/w/lease", {"runner": "later"})
            lease = answer if status == 200 else None
        self.assertEqual(lease["job"], first["id"])
        third = b.ok("POST", "/v1/jobs", job, headers=head)
        self.assertEqual(first["id"], third["id"])
        self.assertEqual(b.call("POST", "/v1/jobs", double([4]), headers=head)[0], 409)
        b.ok("DELETE", "/v1/jobs/" + first["id"])

    def test_buffers_are_shared(self):
        a, b, c = self.servers
        a.ok("PUT", "/v1/buffers/w", struct.pack("<2f", 1, 2))
        job = double([0, 0])
        job["inputs"] = {"x": {"buffer": "w"}}
        job["outputs"]["y"]["buffer"] = "w"
        for s in (b, c, a):
            s.ok("POST", "/v1/jobs", job)
        self.assertEqual(struct.unpack("<2f", b.call("GET", "/v1/buffers/w")[2]), (8, 16))
        names = [x["name"] for x in c.ok("GET", "/v1/buffers")["buffers"]]
        self.assertIn("w", names)
        self.assertEqual(c.call("DELETE", "/v1/buffers/w")[0], 204)
        self.assertEqual(a.call("GET", "/v1/buffers/w")[0], 404)
        job["inputs"] = {"x": {"buffer": "w"}}
        self.assertEqual(a.call("POST", "/v1/jobs", job)[0], 404)

    def test_events_of_a_job_elsewhere(self):
        a, b, _ = self.servers
        made = a.ok("POST", "/v1/jobs", {"runner": "events", "outputs": {"y": {"shape": [1]}}})
        got = []
        reader = threading.Thread(target=lambda: got.append(
            b.call("GET", f"/v1/jobs/{made['id']}/events")[2]))
        reader.start()
        self.lease_and_end(a, "events")
        reader.join()
        self.assertIn(b'"state":"done"', got[0])

    def lease_and_end(self, s, runner):
        """As a foreign worker does."""
        lease = None
        while not lease:
            status, _, answer = s.call("POST", "/v1/workers/w/lease", {"runner": runner})
            lease = answer if status == 200 else None
            time.sleep(0.05)
        right = base64.b64encode(struct.pack("<f", 3)).decode()
        s.ok("POST", f"/v1/leases/{lease['lease']}/result", {
            "outputs": {"y": {"dtype": "f32", "base64": right}}})
        return lease["job"]

    def test_foreign_worker_of_another_server(self):
        a, b, c = self.servers
        made = a.ok("POST", "/v1/jobs", {"runner": "cuda", "outputs": {"y": {"shape": [1]}}})
        self.assertEqual(self.lease_and_end(b, "cuda"), made["id"])
        self.assertEqual(c.wait(made["id"])["outputs"]["y"]["data"], [3])

    def test_foreign_jobs_leave_room_for_others(self):
        with Redis() as redis:
            more = settings(redis, self.nats) + ("queue.name=room", "workers.kernel.running=1")
            with Server(WEFT, *more) as s:
                s.until_ready()
                for _ in range(40):
                    s.ok("POST", "/v1/jobs", {"runner": "cuda",
                                              "outputs": {"y": {"shape": [1]}}})
                leases = 0
                while leases < 40:      # all held by this server, none ended
                    leases += s.call("POST", "/v1/workers/w/lease", {"runner": "cuda"})[0] == 200
                for n in range(20):     # more than were asked for before
                    self.assertEqual(s.ok("POST", "/v1/jobs", double([n]))["state"], "done")

    def test_clearance_is_used_once_in_all(self):
        a, b, _ = self.servers
        token = a.ok("POST", "/v1/check", {"wgsl": double([1])["wgsl"]})
        token = token["clearance"]["execution_token"]
        self.assertEqual(a.ok("POST", "/v1/jobs", double([1], clearance=token))["state"], "done")
        self.assertEqual(a.call("POST", "/v1/jobs", double([1], clearance=token))[0], 403)

    def test_quotas_hold_for_all_servers_together(self):
        with Redis() as redis:
            more = settings(redis, self.nats) + ("queue.name=quotas", "auth.quotas.queued_jobs=3")
            with Server(WEFT, *more) as a, Server(WEFT, *more) as b:
                job = {"runner": "none", "outputs": {"y": {"shape": [1]}}}
                got = [s.call("POST", "/v1/jobs", job)[0] for s in (a, b, a, b, a)]
                self.assertEqual(got, [202, 202, 202, 429, 429])


class Kept(unittest.TestCase):
    """Jobs that a client waits for run where they came in, if a worker is free there."""

    def test_only_jobs_that_are_waited_for(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as s:
            s.until_ready()
            nats.pause()                # the queue gives nothing, and tells nobody
            self.assertEqual(s.ok("POST", "/v1/jobs", double([3]))["state"], "done")
            other = s.ok("POST", "/v1/jobs", double([4], wait=False))["id"]
            time.sleep(0.5)
            self.assertEqual(s.ok("GET", "/v1/jobs/" + other)["state"], "queued")
            nats.go_on()
            self.assertEqual(s.wait(other)["outputs"]["y"]["data"], [8])

    def test_job_of_a_server_that_dies(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as b:
            a = Server(WEFT, *settings(redis, nats))
            a.until_ready()
            b.until_ready()

            def ask():
                try:
                    a.call("POST", "/v1/jobs", forever(wait=True, limits={"time": "2s"}))
                except OSError:
                    pass                # its server dies
            client = threading.Thread(target=ask)
            client.start()
            running = "/v1/jobs?state=running"
            until(lambda: b.ok("GET", running)["jobs"])
            job = b.ok("GET", running)["jobs"][0]
            self.assertEqual(job["attempt"], 1)
            a.kill()
            client.join()
            ended = b.wait(job["id"])
            self.assertEqual((ended["state"], ended["error"]["kind"], ended["attempt"]),
                             ("failed", "timeout", 2), ended)
            a.__exit__(None)

    def test_quota_of_a_job_that_ran(self):
        with Redis() as redis, Nats() as nats, \
                Server(WEFT, *settings(redis, nats), "auth.quotas.stored_bytes=2KB") as s:
            s.until_ready()
            for _ in range(3):
                status, _, answer = s.call("POST", "/v1/jobs", double([1] * 1000))
                self.assertEqual((status, answer["error"]["kind"]), (429, "quota"), answer)
            self.assertEqual(s.ok("GET", "/v1/jobs")["jobs"], [])
            self.assertEqual(s.ok("POST", "/v1/jobs", double([1]))["state"], "done")


class Turns(unittest.TestCase):
    def test_jobs_that_did_not_begin_were_no_attempts(self):
        """Servers that are replaced, one after the other, give their waiting jobs back."""
        with Redis() as redis, Nats() as nats, Server(
                WEFT, *settings(redis, nats), "workers.kernel.running=1", "workers.max_attempts=2",
                "server.drain_timeout=30s") as s:
            def stored(field):
                return redis.value("HGET", "weft:job:" + waiting, field)

            for _ in range(3):
                s.until_ready()
                long = s.ok("POST", "/v1/jobs", forever())["id"]
                until(lambda: s.ok("GET", "/v1/jobs/" + long)["state"] == "running")
                waiting = s.ok("POST", "/v1/jobs", double([4], wait=False))["id"]
                until(lambda: stored("attempt") == "1")     # it is claimed, and waits here
                ends = threading.Thread(target=s.stop)
                ends.start()
                until(lambda: stored("attempt") == "0")
                self.assertEqual(stored("state"), "0")
                for pid in s.workers():     # does not wait for the long job
                    os.kill(pid, signal.SIGKILL)
                ends.join()
                s.start()
                s.call("DELETE", "/v1/jobs/" + long)
                done = s.wait(waiting)
                self.assertEqual((done["state"], done["attempt"]), ("done", 1), done)

    def test_long_jobs_do_not_keep_other_tenants_waiting(self):
        with Redis() as redis, Nats() as nats, Server(
                WEFT, *settings(redis, nats), "workers.kernel.running=1", "auth.required=true",
                "webgpu_integration.security.resource_limits.default_execution_time=10h",
                start=False) as s:
            alice, bob = key_of(WEFT, s.data, "alice"), key_of(WEFT, s.data, "bob")
            s.start()
            s.until_ready()
            long = [s.ok("POST", "/v1/jobs", forever(limits={"time": "10h"}), key=alice)["id"]
                    for _ in range(20)]
            until(lambda: s.ok("GET", "/v1/jobs?state=running", key=alice)["jobs"])
            for n in range(3):
                self.assertEqual(s.ok("POST", "/v1/jobs", double([n]), key=bob)["state"], "done")
            made = s.ok("POST", "/v1/jobs", double([7], wait=False), key=bob)["id"]
            done = s.wait(made, key=bob)
            self.assertEqual((done["state"], done["attempt"]), ("done", 1), done)
            for job in long:
                self.assertEqual(s.call("DELETE", "/v1/jobs/" + job, key=alice)[0], 200)


class Faults(unittest.TestCase):
    def test_redis_restarts(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as s:
            s.until_ready()
            before = s.ok("POST", "/v1/jobs", double([1]))["id"]
            waiting = s.ok("POST", "/v1/jobs", {"runner": "later",
                                                "outputs": {"y": {"shape": [1]}}})["id"]
            redis.kill()
            until(lambda: s.call("GET", "/ready")[0] == 503)
            self.assertIn("Redis cannot be reached", s.call("GET", "/ready")[2]["fault"])
            self.assertEqual(s.call("POST", "/v1/jobs", double([1]))[0], 507)
            self.assertEqual(s.call("GET", "/health")[0], 200)
            redis.start()
            s.until_ready()
            self.assertEqual(s.ok("POST", "/v1/jobs", double([2]))["state"], "done")
            self.assertEqual(s.ok("GET", "/v1/jobs/" + before)["state"], "done")
            self.assertEqual(s.ok("GET", "/v1/jobs/" + waiting)["state"], "queued")

    def test_messages_cross_servers_after_a_restart_of_redis(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as a, \
                Server(WEFT, *settings(redis, nats)) as b:
            a.until_ready()
            b.until_ready()
            client = Live(b.port)
            client.socket.settimeout(20)        # a message that is lost never comes
            client.subscribe("vector_updates", "job_results")
            a.ok("POST", "/v1/vectors", {"vectors": [[1, 0]]})
            self.assertEqual(client.until("vector_batch")["ids"], [0])
            redis.kill()
            until(lambda: all(s.call("GET", "/ready")[0] == 503 for s in (a, b)))
            time.sleep(0.5)                     # several tries to connect are refused
            redis.start()
            a.until_ready()
            b.until_ready()
            a.ok("POST", "/v1/vectors", {"vectors": [[0, 1]]})
            self.assertEqual(client.until("vector_batch")["ids"], [1])
            a.ok("POST", "/v1/jobs", double([4]))
            while (message := client.next()).get("result", {}).get("vector") != [8]:
                self.assertNotEqual(message["type"], "error")
            client.done()

    def test_nats_restarts(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as s:
            s.until_ready()
            nats.kill()
            until(lambda: s.call("GET", "/ready")[0] == 503)
            self.assertIn("NATS cannot be reached", s.call("GET", "/ready")[2]["fault"])
            ids = [s.ok("POST", "/v1/jobs", double([n], wait=False))["id"] for n in range(20)]
            nats.start()
            for n, job in enumerate(ids):
                self.assertEqual(s.wait(job)["outputs"]["y"]["data"], [2 * n])
            s.until_ready()

    def test_nats_that_lost_its_disk(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as s:
            s.until_ready()
            ids = [s.ok("POST", "/v1/jobs", {"runner": "later", "outputs": {
                "y": {"shape": [1]}}})["id"] for _ in range(5)]
            nats.kill()
            subprocess.run(["rm", "-rf", os.path.join(nats.folder, "js")], check=True)
            nats.start()
            s.until_ready()
            right = base64.b64encode(struct.pack("<f", 3)).decode()
            while ids:
                status, _, lease = s.call("POST", "/v1/workers/w/lease", {"runner": "later"})
                if status == 200:
                    ended = s.call("POST", f"/v1/leases/{lease['lease']}/result", {
                        "outputs": {"y": {"dtype": "f32", "base64": right}}})[0]
                    if ended == 200 and lease["job"] in ids:
                        ids.remove(lease["job"])
                time.sleep(0.05)

    def test_partitions(self):
        """A service that does not answer, though its connections stay open."""
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as s:
            s.until_ready()
            for service in (redis, nats):
                made = s.ok("POST", "/v1/jobs", double([1], wait=False))["id"]
                service.pause()
                until(lambda: s.call("GET", "/ready")[0] == 503)
                self.assertEqual(s.call("GET", "/health")[0], 200)
                service.go_on()
                s.until_ready()
                done = s.wait(made)     # and no attempt is counted that was none
                self.assertEqual((done["state"], done["attempt"]), ("done", 1), done)
                self.assertEqual(s.ok("POST", "/v1/jobs", double([2]))["state"], "done")

    def test_redis_that_fills(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as s:
            s.until_ready()
            redis.call("CONFIG", "SET", "maxmemory", "1")
            status, _, answer = s.call("POST", "/v1/jobs", double([1]))
            self.assertEqual((status, answer["error"]["kind"]), (507, "io"))
            redis.call("CONFIG", "SET", "maxmemory", "0")
            self.assertEqual(s.ok("POST", "/v1/jobs", double([2]))["state"], "done")

    def test_redis_that_evicts(self):
        with Redis() as redis, Nats() as nats, Server(WEFT, *settings(redis, nats)) as s:
            s.until_ready()
            redis.call("CONFIG", "SET", "maxmemory", "1gb")
            redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
            until(lambda: s.call("GET", "/ready")[0] == 503)
            self.assertIn("noeviction", s.call("GET", "/ready")[2]["fault"])
            redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction")
            s.until_ready()

    def test_long_jobs_stay_with_their_server(self):
        with Redis() as redis, Nats() as nats, \
                Server(WEFT, *settings(redis, nats, "4s")) as a, \
                Server(WEFT, *settings(redis, nats, "4s")) as b:
            a.until_ready()
            made = a.ok("POST", "/v1/jobs", forever(limits={"time": "10s"}))
            job = b.wait(made["id"])
            self.assertEqual((job["state"], job["error"]["kind"], job["attempt"]),
                             ("failed", "timeout", 1))

    def test_redis_alone_keeps_the_jobs_of_one_server(self):
        with Redis() as redis, Server(WEFT, "store.kind=redis",
                                      f"store.url={redis.url}") as s:
            s.until_ready()
            job = s.ok("POST", "/v1/jobs", double([4]))["id"]
            later = s.ok("POST", "/v1/jobs", {"runner": "x", "outputs": {"y": {"shape": [1]}}})
            s.kill()
            s.start()
            s.until_ready()
            self.assertEqual(s.ok("GET", "/v1/jobs/" + job)["outputs"]["y"]["data"], [8])
            self.assertEqual(s.call("POST", "/v1/workers/w/lease", {"runner": "x"})[2]["job"],
                             later["id"])

    def test_prefix(self):
        """Servers with other prefixes do not see each other's jobs in one Redis."""
        with Redis() as redis:
            more = ("store.kind=redis", f"store.url={redis.url}")
            with Server(WEFT, *more, "store.prefix=a:") as a, \
                    Server(WEFT, *more, "store.prefix=b:") as b:
                a.until_ready()
                b.until_ready()
                job = a.ok("POST", "/v1/jobs", double([1]))["id"]
                self.assertEqual(a.call("GET", "/v1/jobs/" + job)[0], 200)
                self.assertEqual(b.call("GET", "/v1/jobs/" + job)[0], 404)
                self.assertEqual(b.ok("GET", "/v1/jobs")["jobs"], [])
                self.assertEqual(redis.call("EXISTS", "a:job:" + job), ":1")

    def test_wrong_settings(self):
        for more, why in ((["queue.kind=nats"], "needs store.kind redis"),
                          (["store.kind=redis", "store.url=rediss://x"], "is not redis://"),
                          (["store.kind=redis", "store.url=redis://127.0.0.1:1"],
                           "Connection refused"), (["store.kind=mongo"], "sqlite or redis")):
            with Server(WEFT, start=False) as s:
                command = [WEFT, "serve", "--data", s.data, "--set", "server.listen=127.0.0.1:0",
                           "--set", "server.metrics_listen=off"]
                for setting in more:
                    command += ["--set", setting]
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 2)
                self.assertIn(why, done.stdout)

    def test_kill_everything(self):
        """Servers and workers die, Redis and NATS restart: every accepted job ends once."""
        rng = random.Random(11)
        with Redis() as redis, Nats() as nats:
            servers = [Server(WEFT, *settings(redis, nats), "workers.max_attempts=1000")
                       for _ in range(3)]
            for s in servers:
                s.until_ready()
            accepted, lock = {}, threading.Lock()

            def submit(n):
                own, count = random.Random(n), 0
                while count < JOBS // 4:
                    value = n * 1000000 + count
                    kept = count % 3 == 0       # these do not go through the queue
                    try:
                        status, _, job = own.choice(servers).call(
                            "POST", "/v1/jobs", double([value], wait=kept),
                            headers={} if kept else {"Idempotency-Key": f"{n}-{count}"})
                    except Exception as problem:    # the server is down: the same again
                        if not isinstance(problem, (OSError, EOFError, AttributeError,
                                                    ValueError)) \
                                and type(problem).__module__ != "http.client":
                            raise
                        time.sleep(0.02)
                        continue
                    if status in (200, 202):
                        with lock:
                            accepted[f"{n}-{count}"] = (job["id"], value)
                        count += 1

            threads = [threading.Thread(target=submit, args=(n,)) for n in range(4)]
            for t in threads:
                t.start()
            kills = 0
            while any(t.is_alive() for t in threads):
                time.sleep(0.3)
                victim = rng.choice(servers)
                if kills % 12 == 5:
                    redis.kill()
                    redis.start()
                elif kills % 12 == 11:
                    nats.kill()
                    nats.start()
                elif kills % 4 == 3:
                    victim.kill()
                    victim.start()
                else:
                    for pid in victim.workers():
                        if rng.random() < 0.5:
                            try:
                                os.kill(pid, signal.SIGKILL)
                            except ProcessLookupError:
                                pass
                kills += 1
            for t in threads:
                t.join()
            self.assertEqual(len(accepted), JOBS // 4 * 4)
            ids = [job for job, _ in accepted.values()]
            self.assertEqual(len(set(ids)), len(ids), "one key, two jobs")
            for job, value in accepted.values():
                done = rng.choice(servers).wait(job)
                self.assertEqual(done["state"], "done", done)
                self.assertAlmostEqual(done["outputs"]["y"]["data"][0] / 2, value,
                                       delta=abs(value) * 1e-6)
            print(f"{len(accepted)} jobs, {kills} kills: 0 lost, 0 twice", file=sys.stderr)
            for s in servers:
                s.__exit__(None)


if __name__ == "__main__":
    main(globals())
