#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reference.py - what PyTorch computes with the same weights of MiniLM; writes reference.json.

usage  reference.py DIR            DIR: model.fp16.safetensors and tokenizer.json

For each text: its tokens, of each hidden state the first four numbers of the first token and the
mean of the absolute values of all, and the vector of the text.
"""
import json
import pathlib
import struct
import sys

import torch
import torch.nn.functional as F

TEXTS = [
    "a cat",
    "The quick brown fox jumps over the lazy dog.",
    "Weft runs WGSL compute kernels wherever C runs, behind webgpu.h.",
    "na\u00efve caf\u00e9 \u2014 d\u00e9j\u00e0 vu! \u6f22\u5b57 42.5%",
]
HEADS, LAYERS, EPSILON = 12, 6, 1e-12


def load(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    head = json.loads(data[8:8 + size])
    body = data[8 + size:]
    out = {}
    for name, entry in head.items():
        if name == "__metadata__" or entry["dtype"] != "F16":
            continue
        start, end = entry["data_offsets"]
        flat = torch.frombuffer(bytearray(body[start:end]), dtype=torch.float16)
        out[name] = flat.reshape(entry["shape"]).float()
    return out


def tokens(text, vocab):
    """By hand: the texts above need no more than this."""
    import unicodedata
    text = "".join(c for c in unicodedata.normalize("NFD", text.lower())
                   if unicodedata.category(c) != "Mn")
    spaced = "".join(f" {c} " if unicodedata.category(c).startswith("P") or c in "$+<=>^`|~"
                     or 0x4e00 <= ord(c) <= 0x9fff else c for c in text)
    ids = [vocab["[CLS]"]]
    for word in spaced.split():
        at, pieces = 0, []
        while at < len(word):
            end = next((e for e in range(len(word), at, -1)
                        if ("##" if at else "") + word[at:e] in vocab), None)
            if end is None:
                pieces = [vocab["[UNK]"]]
                break
            pieces.append(vocab[("##" if at else "") + word[at:end]])
            at = end
        ids += pieces
    return ids + [vocab["[SEP]"]]


def states(w, ids):
    def linear(x, name):
        return F.linear(x, w[name + ".weight"], w[name + ".bias"])

    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], EPSILON)

    n = len(ids)
    x = norm(w["embeddings.word_embeddings.weight"][ids]
             + w["embeddings.position_embeddings.weight"][:n]
             + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    out = [x]
    for i in range(LAYERS):
        p = f"encoder.layer.{i}."
        q, k, v = (linear(x, p + "attention.self." + s).reshape(n, HEADS, -1).transpose(0, 1)
                   for s in ("query", "key", "value"))
        seen = F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
        y = seen.transpose(0, 1).reshape(n, -1)
        x = norm(linear(y, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
        y = linear(F.gelu(linear(x, p + "intermediate.dense")), p + "output.dense")
        x = norm(y + x, p + "output.LayerNorm")
        out.append(x)
    return out


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_grad_enabled(False)
    w = load(folder / "model.fp16.safetensors")
    vocab = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    rows = []
    for text in TEXTS:
        ids = tokens(text, vocab)
        all_states = states(w, ids)
        vector = F.normalize(all_states[-1].mean(0), dim=0)
        rows.append({
            "text": text, "tokens": ids,
            "states": [{"first": s[0, :4].tolist(), "mean": s.abs().mean().item()}
                       for s in all_states],
            "vector": vector.tolist(),
        })
    out = pathlib.Path(__file__).with_name("reference.json")
    number = lambda x: float(f"{x:.7g}")
    text = json.dumps(json.loads(json.dumps(rows), parse_float=lambda s: number(float(s))))
    out.write_text(text.replace("}, {\"text\"", "},\n{\"text\"") + "\n")


main()
