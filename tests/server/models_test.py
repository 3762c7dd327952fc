#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Language models over HTTP: OpenAI's API, several users at a time, tenants kept apart."""
import base64
import json
import os
import signal
import socket
import struct
import threading
import unittest

from harness import Server, key_of, main, until

WEFT = None
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(os.path.dirname(TOP), "shared", "data", "llm")
MODEL = os.path.join(DATA, "stories260K-f32.gguf")
SLOWER = os.path.join(DATA, "stories15M-q4_0.gguf")
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}},
          "required": ["a", "b"], "additionalProperties": False}


def until_loaded(s, key=None):
    until(lambda: all(m["ready"] for m in s.ok("GET", "/v1/models", key=key)["data"]))


def events(raw):
    """The JSON of server-sent events; the last must be [DONE]."""
    lines = [line[6:] for line in raw.decode().split("\n") if line.startswith("data: ")]
    assert lines[-1] == "[DONE]", lines[-1]
    return [json.loads(line) for line in lines[:-1]]


def prompt(text="Once upon a time", **more):
    return {"prompt": text, "max_tokens": 20, "temperature": 0, **more}


@unittest.skipUnless(os.path.exists(MODEL), "../shared/data/llm is missing")
class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s = Server(WEFT, f"models.files={MODEL}")
        until_loaded(cls.s)

    @classmethod
    def tearDownClass(cls):
        cls.s.__exit__(None)

    def text(self, **more):
        return self.s.ok("POST", "/v1/completions", prompt(**more))["choices"][0]["text"]

    def test_greedy_text_is_the_expected_one(self):
        with open(os.path.join(DATA, "expected", "stories260K.greedy.n256.txt")) as file:
            wanted = file.read()
        answer = self.s.ok("POST", "/v1/completions", prompt(max_tokens=60))
        text = "Once upon a time" + answer["choices"][0]["text"]
        self.assertEqual(text, wanted[:len(text)])
        self.assertEqual(answer["usage"]["completion_tokens"], 60)
        self.assertEqual(answer["choices"][0]["finish_reason"], "length")

    def test_many_users_get_the_same_as_one(self):
        starts = ["Once upon a time", "The cat", "Lily and Tom", "One day", "A big dog", "Mom",
                  "In the park", "He was", "She had", "They went", "It was", "There was"]
        alone = [self.text(text=start, max_tokens=40) for start in starts]
        got = [None] * len(starts)

        def ask(i):
            got[i] = self.text(text=starts[i], max_tokens=40)
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(starts))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(got, alone)

    def test_stream_is_the_whole_in_pieces(self):
        whole = self.text(max_tokens=30)
        _, headers, raw = self.s.call("POST", "/v1/completions", prompt(
            max_tokens=30, stream=True, stream_options={"include_usage": True}))
        self.assertEqual(headers["Content-Type"], "text/event-stream")
        chunks = events(raw)
        self.assertEqual("".join(c["choices"][0]["text"] for c in chunks if c["choices"]), whole)
        self.assertEqual(chunks[-1]["usage"]["completion_tokens"], 30)
        self.assertEqual(chunks[-2]["choices"][0]["finish_reason"], "length")

    def test_chat(self):
        body = {"messages": [{"role": "system", "content": "You tell stories."},
                             {"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
                "max_completion_tokens": 12, "seed": 7}
        one = self.s.ok("POST", "/v1/chat/completions", body)
        two = self.s.ok("POST", "/v1/chat/completions", body)
        self.assertEqual(one["object"], "chat.completion")
        self.assertEqual(one["choices"][0]["message"]["role"], "assistant")
        self.assertEqual(one["choices"][0]["message"], two["choices"][0]["message"])
        _, _, raw = self.s.call("POST", "/v1/chat/completions", {**body, "stream": True})
        chunks = events(raw)
        self.assertEqual(chunks[0]["choices"][0]["delta"]["role"], "assistant")
        self.assertEqual("".join(c["choices"][0]["delta"].get("content", "") for c in chunks),
                         one["choices"][0]["message"]["content"])

    def test_stop(self):
        whole = self.text(max_tokens=40)
        word = whole.split()[5]
        answer = self.s.ok("POST", "/v1/completions", prompt(max_tokens=40, stop=[word]))
        self.assertEqual(answer["choices"][0]["text"], whole[:whole.index(word)])
        self.assertEqual(answer["choices"][0]["finish_reason"], "stop")

    def test_log_probabilities(self):
        body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 5,
                "temperature": 0, "logprobs": True, "top_logprobs": 3}
        got = self.s.ok("POST", "/v1/chat/completions", body)["choices"][0]["logprobs"]["content"]
        self.assertEqual(len(got), 5)
        for token in got:
            self.assertEqual(len(token["top_logprobs"]), 3)
            self.assertLessEqual(token["logprob"], 0)
            # The likeliest is chosen.
            self.assertAlmostEqual(token["logprob"], token["top_logprobs"][0]["logprob"], 5)
            self.assertEqual(bytes(token["bytes"]).decode(errors="replace"), token["token"])
        text = self.s.ok("POST", "/v1/completions", prompt(logprobs=2, max_tokens=4))
        text = text["choices"][0]["logprobs"]
        self.assertEqual([len(text["tokens"]), len(text["token_logprobs"])], [4, 4])
        self.assertEqual(len(text["top_logprobs"][0]), 2)

    def test_json_schema(self):
        for seed in range(5):
            answer = self.s.ok("POST", "/v1/completions", prompt(
                temperature=1, seed=seed, max_tokens=200, response_format={
                    "type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}))
            choice = answer["choices"][0]
            if choice["finish_reason"] == "stop":
                value = json.loads(choice["text"])
                self.assertEqual(set(value), {"a", "b"})
                self.assertIsInstance(value["a"], int)
        bad = self.s.call("POST", "/v1/completions", prompt(response_format={
            "type": "json_schema", "json_schema": {"schema": {"type": "nonsense"}}}))
        self.assertIn(bad[0], (400, 422), bad)

    def test_embeddings(self):
        answer = self.s.ok("POST", "/v1/embeddings", {"input": ["a cat", "a cat", "the sun"]})
        one, two, three = (d["embedding"] for d in answer["data"])
        self.assertEqual(one, two)
        self.assertNotEqual(one, three)
        self.assertAlmostEqual(sum(x * x for x in one), 1, 4)
        packed = self.s.ok("POST", "/v1/embeddings", {"input": "a cat",
                                                      "encoding_format": "base64"})
        raw = base64.b64decode(packed["data"][0]["embedding"])
        self.assertEqual(struct.unpack(f"<{len(one)}f", raw),
                         struct.unpack(f"<{len(one)}f", struct.pack(f"<{len(one)}f", *one)))

    def test_tokenize_and_list(self):
        tokens = self.s.ok("POST", "/tokenize", {"content": "Once upon a time"})["tokens"]
        more = self.s.ok("POST", "/tokenize", {"content": "Once upon a time",
                                               "add_special": True})["tokens"]
        self.assertEqual(more[-len(tokens):], tokens)
        self.assertEqual(self.text(text=more, max_tokens=10), self.text(max_tokens=10))
        model = self.s.ok("GET", "/v1/models")["data"][0]
        self.assertEqual(model["id"], "stories260K-f32")
        self.assertEqual(self.s.ok("GET", "/v1/models/stories260K-f32"), model)
        self.assertEqual(self.s.call("GET", "/v1/models/other")[0], 404)

    def test_wrong_requests(self):
        chat = "/v1/chat/completions"
        user = {"messages": [{"role": "user", "content": "x"}]}
        cases = [
            (chat, {}, 400), (chat, {"messages": []}, 400), (chat, {"messages": "x"}, 400),
            (chat, {"messages": [{"role": "robot", "content": "x"}]}, 400),
            (chat, {"messages": [{"role": "user"}]}, 400),
            (chat, {**user, "model": "gpt-4"}, 404), (chat, {**user, "temperature": -1}, 400),
            (chat, {**user, "temperature": "hot"}, 400), (chat, {**user, "max_tokens": 0}, 400),
            (chat, {**user, "n": 3}, 400), (chat, {**user, "stop": [1]}, 400),
            (chat, {**user, "logprobs": True, "top_logprobs": 99}, 400),
            (chat, {**user, "response_format": {"type": "xml"}}, 400),
            (chat, {**user, "logit_bias": {"x": 1}}, 400),
            (chat, {**user, "tools": [{}]}, 400), (chat, {**user, "functions": [{}]}, 400),
            (chat, {**user, "tool_choice": "required"}, 400),
            (chat, {**user, "modalities": ["text", "audio"]}, 400),
            (chat, {**user, "stream": "yes"}, 400), (chat, {**user, "model": 7}, 400),
            ("/v1/completions", prompt(best_of=2), 400),
            ("/v1/completions", prompt(suffix="x"), 400),
            ("/v1/completions", prompt(echo=True), 400),
            # What changes nothing may be asked for.
            (chat, {**user, "n": 1, "tools": [], "tool_choice": "none", "modalities": ["text"],
                    "stream": None, "max_tokens": 1}, 200),
            ("/v1/completions", prompt(best_of=1, suffix=None, echo=False), 200),
            ("/v1/completions", {"prompt": 7}, 400), ("/v1/completions", {"prompt": [-1]}, 400),
            ("/v1/completions", {"prompt": [999999]}, 400),
            ("/v1/completions", prompt(text="word " * 5000), 400),
            ("/v1/completions", prompt(grammar="root ::= ("), 422),
            ("/v1/embeddings", {"input": []}, 400), ("/v1/embeddings", {"input": [1]}, 400),
            ("/tokenize", {}, 400),
        ]
        for path, body, status in cases:
            with self.subTest(body=str(body)[:80]):
                got, _, answer = self.s.call("POST", path, body)
                self.assertEqual(got, status, answer)
                if status != 200:
                    self.assertGreater(len(answer["error"]["message"]), 5)
                    self.assertEqual(answer["error"]["type"], "invalid_request_error")
        self.assertTrue(self.text())

    def test_codes_of_errors(self):
        for stream in (False, True):    # a stream that cannot begin has a status, too
            for body, status, code in ((prompt(text="word " * 5000), 400,
                                        "context_length_exceeded"),
                                       (prompt(model="gpt-4"), 404, "model_not_found"),
                                       (prompt(temperature=-1), 400, None)):
                got, _, answer = self.s.call("POST", "/v1/completions", {**body,
                                                                         "stream": stream})
                self.assertEqual((got, answer["error"]["code"]), (status, code), answer)

    def test_cancel_on_disconnect(self):
        def ended(outcome=""):
            """How many requests have."""
            text = self.s.call("GET", "/metrics")[2].decode()
            return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                       if line.startswith("weft_model_requests_total{") and outcome in line)

        for stream in (True, False):
            before, n = ended("cancelled"), 0
            while ended("cancelled") == before:     # an answer may end before its client leaves
                all_before = ended()
                body = json.dumps(prompt(max_tokens=400, temperature=1, seed=n, stream=stream,
                                         logit_bias={"1": -100, "2": -100})).encode()
                with socket.create_connection(("127.0.0.1", self.s.port)) as c:
                    c.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                              b"Content-Length: %d\r\n\r\n" % len(body) + body)
                    if stream:
                        c.recv(200)
                until(lambda: ended() > all_before)
                n += 1
                self.assertLess(n, 300)
        self.assertTrue(self.text())


    def test_embeddings_of_many_texts(self):
        texts = [f"the number {i} " * (1 + i % 10) for i in range(100)]
        whole = self.s.ok("POST", "/v1/embeddings", {"input": texts})
        self.assertEqual([d["index"] for d in whole["data"]], list(range(100)))
        tokens = 0
        for i in (0, 31, 32, 49, 99):
            alone = self.s.ok("POST", "/v1/embeddings", {"input": texts[i]})
            for a, b in zip(whole["data"][i]["embedding"], alone["data"][0]["embedding"]):
                self.assertAlmostEqual(a, b, 4)
            tokens += alone["usage"]["prompt_tokens"]
        self.assertGreater(whole["usage"]["prompt_tokens"], tokens)


@unittest.skipUnless(os.path.exists(SLOWER), "../shared/data/llm is missing")
class Turns(unittest.TestCase):
    def test_many_embeddings_keep_nobody_waiting(self):
        """They take turns with other requests, and end when their client leaves."""
        with Server(WEFT, f"models.files={SLOWER}") as s:
            def active():
                text = s.call("GET", "/metrics")[2].decode()
                return int(text.split("\nweft_model_requests_active ")[1].split("\n")[0])

            until_loaded(s)
            text = "once upon a time there was a cat " * 12
            body = json.dumps({"input": [text] * 2048}).encode()
            with socket.create_connection(("127.0.0.1", s.port)) as c:
                c.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                          b"Content-Length: %d\r\n\r\n" % len(body) + body)
                until(lambda: active() == 1)
                s.ok("POST", "/v1/completions", prompt(max_tokens=2))
                self.assertEqual(len(s.ok("POST", "/v1/embeddings", {"input": "a"})["data"]), 1)
                self.assertEqual(active(), 1)       # the large one has not ended
            until(lambda: active() == 0)


@unittest.skipUnless(os.path.exists(MODEL), "../shared/data/llm is missing")
class Tenants(unittest.TestCase):
    def test_tenants_take_turns(self):
        """One with many requests, of whom some are refused, and one with a single request."""
        with Server(WEFT, f"models.files={MODEL}", "models.parallel=1", "models.max_waiting=20",
                    "auth.required=true", start=False) as s:
            alice, bob = key_of(WEFT, s.data, "alice"), key_of(WEFT, s.data, "bob")
            s.start()
            until_loaded(s, alice)
            got = []
            long = prompt(max_tokens=400, temperature=1, logit_bias={"1": -100, "2": -100})
            threads = [threading.Thread(target=lambda: got.append(s.call(
                "POST", "/v1/completions", long, key=alice)[0])) for _ in range(40)]
            for t in threads:
                t.start()
            until(lambda: len(got) >= 5)
            status, _, answer = s.call("POST", "/v1/completions", prompt(), key=bob)
            self.assertEqual(status, 200, answer)
            for t in threads:
                t.join()
            self.assertLessEqual(set(got), {200, 429})

    def test_prefixes_are_not_shared_between_tenants(self):
        with Server(WEFT, f"models.files={MODEL}", config="auth:\n  required: true\n",
                    start=False) as s:
            alice, bob = key_of(WEFT, s.data, "alice"), key_of(WEFT, s.data, "bob")
            s.start()
            until_loaded(s, alice)
            cached = lambda key: s.ok("POST", "/v1/completions", prompt(
                text="The secret of the house is in the garden"), key=key)["usage"][
                    "prompt_tokens_details"]["cached_tokens"]
            self.assertEqual(cached(alice), 0)
            self.assertGreater(cached(alice), 5)
            self.assertEqual(cached(bob), 0)

    def test_quota_of_tokens(self):
        with Server(WEFT, f"models.files={MODEL}", "auth.quotas.tokens=30") as s:
            until_loaded(s)
            for _ in range(2):          # a minute may end between two requests
                got = [s.call("POST", "/v1/completions", prompt(max_tokens=40))
                       for _ in range(3)]
                refused = [answer for answer in got if answer[0] == 429]
                if refused:
                    break
            self.assertEqual(got[0][0], 200)
            self.assertEqual(refused[0][2]["error"]["code"], "rate_limit_exceeded")
            self.assertIn(int(refused[0][1]["Retry-After"]), range(1, 61))

    def test_too_many_wait(self):
        with Server(WEFT, f"models.files={MODEL}", "models.parallel=1",
                    "models.max_waiting=1") as s:
            until_loaded(s)
            got, n = [], 12
            threads = [threading.Thread(target=lambda: got.append(s.call(
                "POST", "/v1/completions", prompt(max_tokens=400, temperature=1))[0]))
                for _ in range(n)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertLessEqual(set(got), {200, 429})
            self.assertIn(200, got)

    def test_option(self):
        other = os.path.join(DATA, "stories260K-f16.gguf")
        with Server(WEFT, options=("--model", MODEL, "--model", other)) as s:
            until_loaded(s)
            names = ["stories260K-f32", "stories260K-f16"]
            self.assertEqual([m["id"] for m in s.ok("GET", "/v1/models")["data"]], names)
            for name in names:
                self.assertTrue(s.ok("POST", "/v1/completions", prompt(model=name))["choices"])
            self.assertEqual(s.call("POST", "/v1/completions", prompt())[0], 404)

    def test_context_and_threads(self):
        def model_pid(s):
            for pid in s.workers():
                with open(f"/proc/{pid}/cmdline", "rb") as line:
                    if b"--model=" in line.read():
                        return pid

        threads = []
        for n in (1, 5):
            with Server(WEFT, f"models.files={MODEL}", "models.context=40",
                        f"models.threads={n}") as s:
                until_loaded(s)
                self.assertEqual(s.ok("GET", "/v1/models")["data"][0]["context_length"], 40)
                self.assertEqual(s.call("POST", "/v1/completions", prompt())[0], 200)
                status, _, answer = s.call("POST", "/v1/completions", prompt(text="word " * 60))
                self.assertEqual((status, answer["error"]["code"]),
                                 (400, "context_length_exceeded"))
                threads.append(len(os.listdir(f"/proc/{model_pid(s)}/task")))
        self.assertEqual(threads[1] - threads[0], 4)

    def test_process_that_dies_is_replaced(self):
        with Server(WEFT, f"models.files={MODEL}", "workers.kernel.spare=0") as s:
            until_loaded(s)
            for pid in s.workers():
                os.kill(pid, signal.SIGKILL)
            until(lambda: s.call("POST", "/v1/completions", prompt())[0] == 200)

    def test_model_process_is_closed_off(self):
        with Server(WEFT, f"models.files={MODEL}", "server.log_level=info") as s:
            until_loaded(s)
            with open("/proc/%d/status" % next(
                    pid for pid in s.workers()
                    if b"--model=" in open(f"/proc/{pid}/cmdline", "rb").read())) as status:
                text = status.read()
            self.assertIn("Seccomp:\t2", text)
            self.assertIn("NoNewPrivs:\t1", text)

    def test_file_that_is_no_model(self):
        with Server(WEFT, start=False) as s:
            path = os.path.join(s.data, "bad.gguf")
            with open(path, "wb") as out:
                out.write(b"GGUF" + b"\xff" * 100)
            s.settings = (f"models.files={path}",)
            s.start()
            until(lambda: "starts" not in s.ok("GET", "/v1/models")["data"][0]["detail"])
            status, _, answer = s.call("POST", "/v1/completions", prompt())
            self.assertEqual(status, 503, answer)
            self.assertEqual(s.call("GET", "/health")[0], 200)


if __name__ == "__main__":
    main(globals())
