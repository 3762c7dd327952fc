#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rivals.py - the encoders of examples/multimodal in ONNX Runtime, from the same weights.

usage  rivals.py DATA VISION
out    a line for each: its name, milliseconds (the shortest), a number to compare results by
needs  onnx, onnxruntime, numpy
"""
import json
import pathlib
import struct
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

THREADS = 2


class Graph:
    """Nodes and weights in the order they are made."""

    def __init__(self):
        self.nodes, self.weights = [], {}

    def weight(self, name, array):
        self.weights[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def op(self, kind, *inputs, **attributes):
        out = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def session(self, name, kind, shape, out):
        value = helper.make_tensor_value_info(out, TensorProto.FLOAT, None)
        given = helper.make_tensor_value_info(name, kind, shape)
        graph = helper.make_graph(self.nodes, "g", [given], [value], list(self.weights.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                            providers=["CPUExecutionProvider"])


def safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    head, out = json.loads(data[8:8 + size]), {}
    for name, entry in head.items():
        if entry.get("dtype") == "F16":
            start, end = (8 + size + at for at in entry["data_offsets"])
            flat = np.frombuffer(data[start:end], np.float16)
            out[name] = flat.astype(np.float32).reshape(entry["shape"])
    return out


def minilm(folder):
    w, g = safetensors(folder / "model.fp16.safetensors"), Graph()

    def norm(x, name):
        return g.op("LayerNormalization", x, g.weight(name + ".w", w[name + ".weight"]),
                    g.weight(name + ".b", w[name + ".bias"]), epsilon=1e-12, axis=-1)

    def linear(x, name):
        y = g.op("MatMul", x, g.weight(name + ".w", w[name + ".weight"].T))
        return g.op("Add", y, g.weight(name + ".b", w[name + ".bias"]))

    place = w["embeddings.position_embeddings.weight"][:128] \
        + w["embeddings.token_type_embeddings.weight"][0]
    words = g.op("Gather", g.weight("words", w["embeddings.word_embeddings.weight"]), "ids")
    x = norm(g.op("Add", words, g.weight("place", place)), "embeddings.LayerNorm")
    split = g.weight("split", np.array([1, 128, 12, 32], np.int64))
    join = g.weight("join", np.array([1, 128, 384], np.int64))
    scale = g.weight("scale", np.array(32 ** -0.5, np.float32))
    for i in range(6):
        p = f"encoder.layer.{i}."
        q, k, v = (g.op("Reshape", linear(x, p + "attention.self." + s), split)
                   for s in ("query", "key", "value"))
        q, v = (g.op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 3, 1]))
        seen = g.op("MatMul", g.op("Softmax", g.op("Mul", scores, scale), axis=-1), v)
        seen = g.op("Reshape", g.op("Transpose", seen, perm=[0, 2, 1, 3]), join)
        x = norm(g.op("Add", linear(seen, p + "attention.output.dense"), x),
                 p + "attention.output.LayerNorm")
        y = g.op("Gelu", linear(x, p + "intermediate.dense"))
        x = norm(g.op("Add", linear(y, p + "output.dense"), x), p + "output.LayerNorm")
    ids = (1000 + 7 * np.arange(128, dtype=np.int64))[None]
    return g.session("ids", TensorProto.INT64, [1, 128], x), {"ids": ids}


def squeezenet(folder):
    g = Graph()

    def load(name):
        return g.weight(name, np.load(folder / "weights" / f"squeezenet0_{name}.npy"))

    def conv(i, x, **attributes):
        return g.op("Relu", g.op("Conv", x, load(f"conv{i}_weight"), load(f"conv{i}_bias"),
                                 **attributes))

    def halve(x):
        return g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)

    x = halve(conv(0, "image", strides=[2, 2]))
    for fire in range(8):
        if fire in (2, 4):
            x = halve(x)
        s = conv(3 * fire + 1, x)
        x = g.op("Concat", conv(3 * fire + 2, s), conv(3 * fire + 3, s, pads=[1, 1, 1, 1]), axis=1)
    x = g.op("Flatten", g.op("GlobalAveragePool", conv(25, x)))
    image = ((np.arange(3 * 224 * 224) % 255).astype(np.float32) / 255 - np.float32(0.5))
    return (g.session("image", TensorProto.FLOAT, [1, 3, 224, 224], x),
            {"image": image.reshape(1, 3, 224, 224)})


def main():
    data, vision = map(pathlib.Path, sys.argv[1:3])
    for name, (session, given) in (("minilm", minilm(data / "minilm")),
                                   ("squeezenet", squeezenet(vision))):
        times = []
        until = time.perf_counter() + 1.5
        while len(times) < 40 or time.perf_counter() < until:
            start = time.perf_counter()
            (out,) = session.run(None, given)
            times.append((time.perf_counter() - start) * 1e3)
        print(f"{name} {min(times):.3f} {out.ravel()[7]:.4f}")


main()
