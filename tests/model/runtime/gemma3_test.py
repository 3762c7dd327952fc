#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gemma3_test.py - the logits of a gemma3 model are those of its definition, written in NumPy.

    gemma3_test.py WEFT

The file has random weights, seven layers, so that one of them sees the whole text and the others a
window shorter than it, and rotations that are scaled in that one only. Weights are drawn so large
that the logits change by much if any one layer is left out; that is tested, too."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("left out: there is no NumPy")
    sys.exit(0)

WEFT = sys.argv.pop()
EMBEDDING, HEADS, KV_HEADS, HEAD, FEED, VOCABULARY, LAYERS = 48, 4, 2, 24, 80, 64, 7
WINDOW, PERIOD, EPSILON = 5, 6, 1e-6
BASE, LOCAL_BASE, SCALING = 1e6, 1e4, 8.0
TOKENS = [(7 * i + 3) % VOCABULARY for i in range(16)]


def make_weights(seed):
    """{name: array [rows][columns]} in f32, by the names of GGUF files."""
    rng = np.random.default_rng(seed)

    def matrix(rows, columns):
        return (rng.normal(size=(rows, columns)) * 1.5 / np.sqrt(columns)).astype("<f4")

    def norm(n):
        return (1 + 0.3 * rng.normal(size=n)).astype("<f4")

    w = {"token_embd.weight": matrix(VOCABULARY, EMBEDDING), "output_norm.weight": norm(EMBEDDING)}
    for i in range(LAYERS):
        for name in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            w[f"blk.{i}.{name}.weight"] = norm(EMBEDDING)
        w[f"blk.{i}.attn_q_norm.weight"] = norm(HEAD)
        w[f"blk.{i}.attn_k_norm.weight"] = norm(HEAD)
        w[f"blk.{i}.attn_q.weight"] = matrix(HEADS * HEAD, EMBEDDING)
        w[f"blk.{i}.attn_k.weight"] = matrix(KV_HEADS * HEAD, EMBEDDING)
        w[f"blk.{i}.attn_v.weight"] = matrix(KV_HEADS * HEAD, EMBEDDING)
        w[f"blk.{i}.attn_output.weight"] = matrix(EMBEDDING, HEADS * HEAD)
        w[f"blk.{i}.ffn_gate.weight"] = matrix(FEED, EMBEDDING)
        w[f"blk.{i}.ffn_up.weight"] = matrix(FEED, EMBEDDING)
        w[f"blk.{i}.ffn_down.weight"] = matrix(EMBEDDING, FEED)
    return w


# ---- the file ----

def string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def pair(key, value):
    if isinstance(value, str):
        return string(key) + struct.pack("<I", 8) + string(value)
    if isinstance(value, float):
        return string(key) + struct.pack("<If", 6, value)
    return string(key) + struct.pack("<II", 4, value)


def write_gguf(path, weights):
    keys = {
        "general.architecture": "gemma3", "gemma3.context_length": 128,
        "gemma3.embedding_length": EMBEDDING, "gemma3.block_count": LAYERS,
        "gemma3.feed_forward_length": FEED, "gemma3.attention.head_count": HEADS,
        "gemma3.attention.head_count_kv": KV_HEADS, "gemma3.attention.key_length": HEAD,
        "gemma3.attention.value_length": HEAD,
        "gemma3.attention.layer_norm_rms_epsilon": EPSILON,
        "gemma3.attention.sliding_window": WINDOW, "gemma3.rope.freq_base": BASE,
        "gemma3.rope.scaling.type": "linear", "gemma3.rope.scaling.factor": SCALING,
    }
    head = b"GGUF" + struct.pack("<IQQ", 3, len(weights), len(keys))
    head += b"".join(pair(k, v) for k, v in keys.items())
    data = b""
    for name, array in weights.items():
        head += string(name) + struct.pack("<I", array.ndim)
        head += struct.pack(f"<{array.ndim}Q", *reversed(array.shape))
        head += struct.pack("<IQ", 0, len(data))
        data += array.tobytes()
        data += bytes(-len(data) % 32)
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % 32) + data)


# ---- the definition ----

def rms_norm(x, gain):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + EPSILON) * gain


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def rotate(x, base, scaling):
    """x [tokens][heads][HEAD]: element i turns with element i + HEAD / 2."""
    half = HEAD // 2
    angle = np.arange(len(x))[:, None] / scaling * base ** (-np.arange(half) / half)
    cos, sin = np.cos(angle)[:, None, :], np.sin(angle)[:, None, :]
    low, high = x[..., :half], x[..., half:]
    return np.concatenate([low * cos - high * sin, high * cos + low * sin], axis=-1)


def attention(x, get, is_global):
    n = len(x)
    q = rms_norm((x @ get("attn_q").T).reshape(n, HEADS, HEAD), get("attn_q_norm"))
    k = rms_norm((x @ get("attn_k").T).reshape(n, KV_HEADS, HEAD), get("attn_k_norm"))
    v = (x @ get("attn_v").T).reshape(n, KV_HEADS, HEAD)
    turn = (BASE, SCALING) if is_global else (LOCAL_BASE, 1.0)
    q, k = rotate(q, *turn), rotate(k, *turn)
    k, v = (np.repeat(a, HEADS // KV_HEADS, axis=1) for a in (k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(HEAD)
    back = np.arange(n)[:, None] - np.arange(n)[None, :]
    scores[:, (back < 0) | (not is_global) & (back >= WINDOW)] = -np.inf
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = np.einsum("hij,jhd->ihd", e / e.sum(axis=-1, keepdims=True), v)
    return mixed.reshape(n, HEADS * HEAD) @ get("attn_output").T


def logits(weights, without=None):
    """[tokens][VOCABULARY]; `without` names a layer to leave out."""
    w = {name: array.astype("f8") for name, array in weights.items()}
    x = w["token_embd.weight"][TOKENS] * np.sqrt(EMBEDDING)
    for i in range(LAYERS):
        if i == without:
            continue
        def get(name, i=i):
            return w[f"blk.{i}.{name}.weight"]
        a = attention(rms_norm(x, get("attn_norm")), get, (i + 1) % PERIOD == 0)
        x = x + rms_norm(a, get("post_attention_norm"))
        h = rms_norm(x, get("ffn_norm"))
        f = (gelu(h @ get("ffn_gate").T) * (h @ get("ffn_up").T)) @ get("ffn_down").T
        x = x + rms_norm(f, get("post_ffw_norm"))
    return rms_norm(x, w["output_norm.weight"]) @ w["token_embd.weight"].T


def nmse(found, want):
    return np.sum((found - want) ** 2) / np.sum(want ** 2)


class Gemma3(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)

    def run_weft(self, weights, batch):
        model, out = (os.path.join(self.temp.name, name) for name in ("m.gguf", "l.f32"))
        write_gguf(model, weights)
        subprocess.run([WEFT, "model", "logits", model, "--ids", ",".join(map(str, TOKENS)),
                        "-o", out, "--device=cpu", "--activations=f32", f"--batch-size={batch}",
                        "--quiet"], check=True)
        return np.fromfile(out, "<f4").reshape(len(TOKENS), VOCABULARY)

    def test_logits(self):
        for seed in (1, 2):
            weights = make_weights(seed)
            want = logits(weights)
            for batch in (1, 5, 16):
                self.assertLessEqual(nmse(self.run_weft(weights, batch), want), 1e-9)
            for layer in range(LAYERS):
                self.assertGreater(nmse(logits(weights, layer), want), 1e-2)


unittest.main()
