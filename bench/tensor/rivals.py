# SPDX-License-Identifier: Apache-2.0
"""rivals.py - the rows of bench/tensor in PyTorch and ONNX Runtime, two threads each.

usage  bench/tensor | rivals.py
out    a table: milliseconds of Weft and of each rival that is installed, and the ratio to the
       faster one; the geometric mean over all rows but the tiny ones
"""
import math
import sys
import time

THREADS = 2
TINY = ("1000 adds",)
OWN = ("gelu(x*w+b)+r unfused", "encoder peak")     # Weft alone
try:
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)
except ImportError:
    torch = None
try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    from onnx import TensorProto, helper
except ImportError:
    ort = None


def best(run, budget=0.7):
    run()
    least, start = 1e30, time.perf_counter()
    for i in range(60):
        t = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - t)
        if time.perf_counter() - start > budget and i >= 3:
            break
    return least * 1e3


# ---- PyTorch ----

def rand(*shape):
    return torch.rand(shape) - 0.5


def conv_row(image, weights, **more):
    t, k = rand(*image), rand(*weights)
    return lambda: F.conv2d(t, k, **more)


def sum_rows():
    big = rand(4096, 4096)
    return {
        "sum axis 0": lambda: big.sum(0),
        "sum axis -1": lambda: big.sum(-1),
        "sum all": lambda: big.sum(),
    }


def product_rows():
    a, b = rand(1024, 1024), rand(1024, 1024)
    v, m = rand(1, 4096), rand(4096, 4096)
    p, q = rand(12, 128, 64), rand(12, 64, 128)
    x, bias, r = rand(4096, 1024), rand(1024), rand(4096, 1024)
    s, w, c = rand(128, 768), rand(3072, 768), rand(3072)
    return {
        "matmul 1024": lambda: a @ b,
        "matvec 4096": lambda: v @ m,
        "bmm 12x128x64x128": lambda: p @ q,
        "linear 128x768x3072": lambda: F.gelu(F.linear(s, w, c)),
        "gelu(x@w+b)+r": lambda: F.gelu(x @ a + bias) + r,
        "conv 3x3": conv_row((1, 64, 56, 56), (64, 64, 3, 3), padding=1),
        "conv 1x1": conv_row((1, 256, 56, 56), (64, 256, 1, 1)),
        "conv 3x3 512": conv_row((1, 512, 7, 7), (512, 512, 3, 3), padding=1),
        "depthwise": conv_row((1, 96, 112, 112), (96, 1, 3, 3), padding=1, groups=96),
        "attention": lambda t=rand(1, 12, 512, 64): F.scaled_dot_product_attention(t, t, t),
    }


def torch_rows():
    x, w, bias, r = rand(4096, 1024), rand(4096, 1024), rand(1024), rand(4096, 1024)
    rows, norm, scale = rand(64, 32000), rand(512, 768), rand(768)
    heads, square = rand(8, 512, 12, 64), rand(2048, 2048)
    c, d, long = rand(2048, 1024), rand(2048, 1024), rand(1000000)
    table, at = rand(30522, 384), torch.randint(0, 30522, (4096,))
    small = rand(256), rand(256)
    return {
        **product_rows(), **sum_rows(),
        "gelu(x*w+b)+r": lambda: F.gelu(x * w + bias) + r,
        "relu(x+b)": lambda: torch.relu(x + bias),
        "softmax": lambda: torch.softmax(rows, -1),
        "layer_norm": lambda: F.layer_norm(norm, (768,), scale, scale),
        "argmax axis -1": lambda: rows.argmax(-1),
        "cumsum axis -1": lambda: rows.cumsum(-1),
        "take 4096": lambda: table[at],
        "topk 50": lambda: torch.topk(rows, 50),
        "sort 1000000": lambda: torch.sort(long),
        "permute 0213": lambda: heads.permute(0, 2, 1, 3).contiguous(),
        "transpose 2048": lambda: square.t().contiguous(),
        "concat": lambda: torch.cat([c, d]),
        "1000 adds": lambda: [torch.add(*small) for _ in range(1000)],
    }


# ---- ONNX Runtime ----

class Graph:
    """Nodes one after the other; the last output is what is asked for."""

    def __init__(self):
        self.nodes, self.inputs, self.feeds, self.kept = [], [], {}, []

    def data(self, *shape, kept=False, value=None):
        value = (np.random.rand(*shape) - 0.5).astype("float32") if value is None else value
        name = f"v{len(self.inputs) + len(self.kept)}"
        if kept:                        # weights: a session prepares them once
            self.kept.append(onnx.numpy_helper.from_array(value, name))
        else:
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            self.inputs.append(helper.make_tensor_value_info(name, kind, value.shape))
            self.feeds[name] = value
        return name

    def add(self, op, *inputs, outputs=1, domain="", **attributes):
        names = [f"n{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, domain=domain, **attributes))
        return names[0]

    def row(self, kind=None):
        out = helper.make_tensor_value_info(
            self.nodes[-1].output[0], kind or TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "row", self.inputs, [out], self.kept)
        model = helper.make_model(graph, ir_version=10, opset_imports=[
            helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)])
        options = ort.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.log_severity_level = 3
        session = ort.InferenceSession(model.SerializeToString(), options,
                                       providers=["CPUExecutionProvider"])
        wanted = [out.name]
        return lambda: session.run(wanted, self.feeds)


def onnx_node(op, *shapes, kind=None, kept=(), outputs=1, **attributes):
    g = Graph()
    names = [g.data(*s, kept=i in kept) if isinstance(s, tuple) else g.data(value=s, kept=True)
             for i, s in enumerate(shapes)]
    g.add(op, *names, outputs=outputs, **attributes)
    return g.row(kind)


def onnx_chain(product):
    g = Graph()
    x, r = g.data(4096, 1024), g.data(4096, 1024)
    w = g.data(1024, 1024, kept=True) if product else g.data(4096, 1024)
    y = g.add("Add", g.add("MatMul" if product else "Mul", x, w), g.data(1024, kept=True))
    g.add("Add", g.add("Gelu", y), r)
    return g.row()


def onnx_linear():
    g = Graph()
    y = g.add("Gemm", g.data(128, 768), g.data(3072, 768, kept=True), g.data(3072, kept=True),
              transB=1)
    g.add("Gelu", y)
    return g.row()


def onnx_bias_relu():
    g = Graph()
    g.add("Relu", g.add("Add", g.data(4096, 1024), g.data(1024)))
    return g.row()


def onnx_quantised():
    g = Graph()
    n = k = 4096
    weights = np.random.randint(0, 256, (n, k // 32, 16)).astype("uint8")
    g.add("MatMulNBits", g.data(1, k), g.data(value=weights, kept=True),
          g.data(n * k // 32, kept=True), domain="com.microsoft", K=k, N=n, bits=4, block_size=32)
    return g.row()


def integers(*values):
    return np.array(values, dtype="int64")


def onnx_rows():
    at = np.random.randint(0, 30522, 4096).astype("int64")
    image, pads = (1, 64, 56, 56), [1, 1, 1, 1]
    table = {
        "matmul 1024": lambda: onnx_node("MatMul", (1024, 1024), (1024, 1024)),
        "matvec 4096": lambda: onnx_node("MatMul", (1, 4096), (4096, 4096)),
        "matvec 4096 q4": onnx_quantised,
        "bmm 12x128x64x128": lambda: onnx_node("MatMul", (12, 128, 64), (12, 64, 128)),
        "gelu(x*w+b)+r": lambda: onnx_chain(False),
        "gelu(x@w+b)+r": lambda: onnx_chain(True),
        "linear 128x768x3072": onnx_linear,
        "relu(x+b)": onnx_bias_relu,
        "softmax": lambda: onnx_node("Softmax", (64, 32000)),
        "layer_norm": lambda: onnx_node("LayerNormalization", (512, 768), (768,), (768,)),
        "conv 3x3": lambda: onnx_node("Conv", image, (64, 64, 3, 3), kept=(1,), pads=pads),
        "conv 1x1": lambda: onnx_node("Conv", (1, 256, 56, 56), (64, 256, 1, 1), kept=(1,)),
        "conv 3x3 512": lambda: onnx_node("Conv", (1, 512, 7, 7), (512, 512, 3, 3), kept=(1,),
                                          pads=pads),
        "depthwise": lambda: onnx_node("Conv", (1, 96, 112, 112), (96, 1, 3, 3), kept=(1,),
                                       pads=pads, group=96),
        "attention": lambda: onnx_node("Attention", *[(1, 12, 512, 64)] * 3),
        "take 4096": lambda: onnx_node("Gather", (30522, 384), at),
        "topk 50": lambda: onnx_node("TopK", (64, 32000), integers(50), outputs=2),
        "sum axis 0": lambda: onnx_node("ReduceSum", (4096, 4096), integers(0)),
        "sum axis -1": lambda: onnx_node("ReduceSum", (4096, 4096), integers(1)),
        "sum all": lambda: onnx_node("ReduceSum", (4096, 4096)),
        "argmax axis -1": lambda: onnx_node("ArgMax", (64, 32000), axis=-1,
                                            kind=TensorProto.INT64),
        "cumsum axis -1": lambda: onnx_node("CumSum", (64, 32000), integers(1)),
        "permute 0213": lambda: onnx_node("Transpose", (8, 512, 12, 64), perm=[0, 2, 1, 3]),
        "transpose 2048": lambda: onnx_node("Transpose", (2048, 2048)),
        "concat": lambda: onnx_node("Concat", (2048, 1024), (2048, 1024), axis=0),
    }
    return table


# ---- the table ----

def times_of(name, torch_of, onnx_of):
    first = best(torch_of[name]) if name in torch_of else None
    second = best(onnx_of[name]()) if name in onnx_of else None
    return first, second


def cell(value):
    return f"{value:10.3f}" if value else f"{'-':>10}"


def main():
    torch_of = torch_rows() if torch else {}
    onnx_of = onnx_rows() if ort else {}
    ratios = []
    lines = sys.stdin.readlines()       # Weft is done before its rivals begin
    print(f"{'row':26}{'Weft':>10}{'PyTorch':>10}{'ONNX Rt':>10}{'ratio':>8}")
    for line in lines:
        name, rest = line[:24].strip(), line[24:].split()
        if not rest or not rest[0].replace(".", "").isdigit():
            continue
        if name in OWN:
            print(line.rstrip())
            continue
        ours = float(rest[0])
        rivals = times_of(name, torch_of, onnx_of)
        theirs = min((t for t in rivals if t), default=None)
        if theirs and name not in TINY:
            ratios.append(ours / theirs)
        ratio = f"{ours / theirs:8.2f}" if theirs else ""
        print(f"{name:26}{ours:10.3f}{cell(rivals[0])}{cell(rivals[1])}{ratio}", flush=True)
    if ratios:
        print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, "
              f"worst {max(ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
