# SPDX-License-Identifier: Apache-2.0
"""onnx_ops.py - ONNX operators from those of weft/tensor.h.

Each function takes (w, inputs, attributes, case): inputs are Weft tensors or None, `case.raw`
the same as NumPy arrays, for operands that decide a shape. It returns a list of tensors.
"""
import ctypes as C
import math

import numpy as np

from onnx_file import Unsupported
from weft_ctypes import Conv, Pool, Resize, Scan, axes, i64s, u64s

OPS = {}


def op(*names):
    def add(fn):
        for name in names:
            OPS[name] = fn
        return fn
    return add


def simple(onnx, name):
    OPS[onnx] = lambda w, x, a, c: [getattr(w, name)(*x)]


for _onnx, _name in {
        "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh",
        "Atan": "atan", "Atanh": "atanh", "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh",
        "Erf": "erf", "Exp": "exp", "Floor": "floor", "Log": "log", "Neg": "neg",
        "Not": "logical_not", "Reciprocal": "reciprocal", "Relu": "relu", "Round": "round",
        "Sigmoid": "sigmoid", "Sign": "sign", "Sin": "sin", "Sinh": "sinh",
        "Softplus": "softplus", "Softsign": "softsign", "Sqrt": "sqrt", "Tan": "tan",
        "Tanh": "tanh", "IsNaN": "is_nan", "HardSwish": "hard_swish", "Identity": "copy",
        "Add": "add", "Sub": "sub", "Mul": "mul", "And": "logical_and", "Or": "logical_or",
        "Xor": "logical_xor", "Equal": "equal", "Greater": "greater", "Less": "less",
        "GreaterOrEqual": "greater_equal", "LessOrEqual": "less_equal", "Where": "where",
        "MatMul": "matmul"}.items():
    simple(_onnx, _name)


def as_type(w, t, dtype):
    return t if t.dtype == dtype else w.cast(t, dtype)


def wide(w, t):
    """f16 computed as f32."""
    return as_type(w, t, "f32") if t.dtype == "f16" else t


@op("Div")
def div(w, x, a, c):
    whole = x[0].dtype[0] in "iu"
    return [as_type(w, w.floor_div(x[0], x[1]), x[0].dtype) if whole else w.div(x[0], x[1])]


@op("Pow")
def power(w, x, a, c):
    base = x[0].dtype
    kind = "f32" if "f" in base + x[1].dtype else base
    return [as_type(w, w.pow(as_type(w, x[0], kind), as_type(w, x[1], kind)), base)]


@op("Mod")
def mod(w, x, a, c):
    return [w.fmod(*x) if a.get("fmod") else w.remainder(*x)]


@op("BitShift")
def shift(w, x, a, c):
    return [as_type(w, (w.shl if a["direction"] == "LEFT" else w.shr)(*x), x[0].dtype)]


def fold(name):
    def run(w, x, a, c):
        out = x[0]
        for other in x[1:]:
            out = getattr(w, name)(out, other)
        return [w.copy(out) if len(x) == 1 else out]
    return run


OPS["Max"], OPS["Min"], OPS["Sum"] = fold("maximum"), fold("minimum"), fold("add")


@op("Mean")
def mean(w, x, a, c):
    return [w.div(OPS["Sum"](w, x, a, c)[0], w.scalar(float(len(x))))]


# ---- activations ----

@op("LeakyRelu")
def leaky(w, x, a, c):
    return [w.leaky_relu(x[0], a.get("alpha", 0.01))]


@op("Elu")
def elu(w, x, a, c):
    return [w.elu(x[0], a.get("alpha", 1.0))]


@op("Celu")
def celu(w, x, a, c):
    alpha = a.get("alpha", 1.0)
    return [w.mul(w.elu(w.div(x[0], w.scalar(alpha)), 1.0), w.scalar(alpha))]


@op("Selu")
def selu(w, x, a, c):
    alpha = a.get("alpha", 1.67326319217681884765625)
    gamma = a.get("gamma", 1.05070102214813232421875)
    return [w.mul(w.elu(x[0], alpha), w.scalar(gamma))]


@op("HardSigmoid")
def hard_sigmoid(w, x, a, c):
    y = w.add(w.mul(x[0], w.scalar(a.get("alpha", 0.2))), w.scalar(a.get("beta", 0.5)))
    return [w.clip(y, 0.0, 1.0)]


@op("ThresholdedRelu")
def thresholded(w, x, a, c):
    return [w.where(w.greater(x[0], w.scalar(a.get("alpha", 1.0))), x[0], w.scalar(0))]


@op("PRelu")
def prelu(w, x, a, c):
    return [w.where(w.less(x[0], w.scalar(0)), w.mul(x[0], x[1]), x[0])]


@op("Shrink")
def shrink(w, x, a, c):
    l, b = a.get("lambd", 0.5), a.get("bias", 0.0)
    low, high = w.add(x[0], w.scalar(b)), w.sub(x[0], w.scalar(b))
    zero = w.where(w.greater(x[0], w.scalar(l)), high, w.scalar(0))
    return [w.where(w.less(x[0], w.scalar(-l)), low, zero)]


@op("Clip")
def clip(w, x, a, c):
    low = float(c.raw[1]) if len(x) > 1 and x[1] else a.get("min", -math.inf)
    high = float(c.raw[2]) if len(x) > 2 and x[2] else a.get("max", math.inf)
    return [w.clip(x[0], float(low), float(high))]


@op("IsInf")
def is_inf(w, x, a, c):
    inf, zero = w.is_inf(x[0]), w.scalar(0)
    if not a.get("detect_negative", 1):
        inf = w.logical_and(inf, w.greater(x[0], zero))
    if not a.get("detect_positive", 1):
        inf = w.logical_and(inf, w.less(x[0], zero))
    return [inf]


@op("Dropout")
def dropout(w, x, a, c):
    if len(x) > 2 and x[2] and bool(c.raw[2]) and (len(x) < 2 or not x[1] or float(c.raw[1])):
        raise Unsupported("random training mode")
    return [w.copy(x[0]), w.full("bool", c.raw[0].shape, 1)]


# ---- types ----

ONNX_TYPES = {1: "f32", 2: "u8", 3: "i8", 6: "i32", 7: "i64", 9: "bool", 10: "f16", 11: "f64",
              12: "u32"}


@op("Cast")
def cast(w, x, a, c):
    if a["to"] not in ONNX_TYPES:
        raise Unsupported("type of the result")
    return [w.cast(x[0], ONNX_TYPES[a["to"]])]


@op("CastLike")
def cast_like(w, x, a, c):
    return [w.cast(x[0], x[1].dtype)]


@op("Bernoulli")
def bernoulli(w, x, a, c):
    raise Unsupported("random numbers of another generator")


# ---- shapes ----

@op("Reshape")
def reshape(w, x, a, c):
    old, want = c.raw[0].shape, [int(v) for v in c.raw[1]]
    if not a.get("allowzero"):
        want = [old[i] if v == 0 else v for i, v in enumerate(want)]
    return [w.reshape_to(x[0], want)]


@op("Flatten")
def flatten(w, x, a, c):
    shape, axis = c.raw[0].shape, a.get("axis", 1)
    axis += len(shape) if axis < 0 else 0
    return [w.reshape_to(x[0], [int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))])]


@op("Transpose")
def transpose(w, x, a, c):
    n = c.raw[0].ndim
    return [w.permute_to(x[0], a.get("perm", list(range(n))[::-1]))]


@op("Squeeze")
def squeeze(w, x, a, c):
    shape = c.raw[0].shape
    ones = [i for i, n in enumerate(shape) if n == 1]
    list_ = a.get("axes", list(c.raw[1]) if len(x) > 1 else ones)
    gone = {int(i) % len(shape) for i in list_}
    return [w.reshape_to(x[0], [n for i, n in enumerate(shape) if i not in gone])]


@op("Unsqueeze")
def unsqueeze(w, x, a, c):
    list_ = [int(v) for v in a.get("axes", c.raw[1] if len(x) > 1 else [])]
    rank = c.raw[0].ndim + len(list_)
    for axis in sorted(v % rank for v in list_):
        x = [w.unsqueeze(x[0], axis)]
    return x


@op("Expand")
def expand(w, x, a, c):
    return [w.expand_to(x[0], np.broadcast_shapes(c.raw[0].shape, tuple(c.raw[1])))]


@op("Tile")
def tile(w, x, a, c):
    return [w.tile(x[0], u64s(c.raw[1]))]


@op("Concat")
def concat(w, x, a, c):
    return [w.list_op("concat", x, a["axis"])]


@op("Split")
def split(w, x, a, c):
    axis, n = a.get("axis", 0), len(c.outputs)
    size = c.raw[0].shape[axis]
    parts = list(c.raw[1]) if len(x) > 1 and x[1] else a.get("split", [size // n] * n)
    out, at = [], 0
    for part in parts:
        out.append(w.narrow(x[0], axis, C.c_uint64(at), C.c_uint64(int(part))))
        at += int(part)
    return out


@op("Slice")
def slice_(w, x, a, c):
    rank = c.raw[0].ndim
    starts = a.get("starts", c.raw[1] if len(x) > 1 else None)
    ends = a.get("ends", c.raw[2] if len(x) > 2 else None)
    list_ = a.get("axes", c.raw[3] if len(x) > 3 and x[3] else range(len(starts)))
    steps = c.raw[4] if len(x) > 4 and x[4] else [1] * len(starts)
    ranges = [(None, None, None)] * rank
    for axis, start, stop, step in zip(list_, starts, ends, steps):
        start, stop = int(start), int(stop)
        n = c.raw[0].shape[int(axis)]
        if step < 0 and stop < -n:
            stop = None
        ranges[int(axis)] = (start, stop, int(step))
    return [w.slice_to(x[0], ranges)]


@op("Pad")
def pad(w, x, a, c):
    pads = [int(v) for v in a.get("pads", c.raw[1] if len(x) > 1 else [])]
    mode = {"constant": 0, "edge": 1, "reflect": 2}[a.get("mode", "constant")]
    value = float(c.raw[2]) if len(x) > 2 and x[2] else a.get("value", 0.0)
    n = len(pads) // 2
    return [w.pad_to(x[0], pads[:n], pads[n:], mode, value)]


@op("Shape")
def shape(w, x, a, c):
    shape_ = np.array(c.raw[0].shape, np.int64)
    n = len(shape_)
    return [w.array(shape_[slice(a.get("start", 0), a.get("end", n))])]


@op("Size")
def size(w, x, a, c):
    return [w.array(np.array(c.raw[0].size, np.int64))]


@op("Constant")
def constant(w, x, a, c):
    return [w.array(a["value"])]


@op("ConstantOfShape")
def constant_of_shape(w, x, a, c):
    value = a.get("value", np.zeros(1, np.float32))
    from weft_ctypes import FROM_NUMPY
    return [w.full(FROM_NUMPY[str(value.dtype)], [int(v) for v in c.raw[0]], float(value[0]))]


@op("EyeLike")
def eye_like(w, x, a, c):
    rows, columns = c.raw[0].shape
    kind = ONNX_TYPES[a["dtype"]] if "dtype" in a else x[0].dtype
    return [w.eye(kind, rows, columns, a.get("k", 0))]


@op("Range")
def range_(w, x, a, c):
    return [w.arange(x[0].dtype, *[float(v) for v in c.raw[:3]])]


@op("OneHot")
def one_hot(w, x, a, c):
    depth, (off, on) = int(np.ravel(c.raw[1])[0]), c.raw[2]
    hot = w.one_hot(w.cast(x[0], "i32"), C.c_uint64(depth), "f32")
    axis = a.get("axis", -1)
    rank = c.raw[0].ndim + 1
    order = list(range(rank - 1))
    order.insert(axis % rank, rank - 1)
    scale = w.scalar(float(on) - float(off))
    y = w.add(w.mul(w.permute_to(hot, order), scale), w.scalar(float(off)))
    return [w.cast(y, x[2].dtype)]


@op("Trilu")
def trilu(w, x, a, c):
    k = int(np.ravel(c.raw[1])[0]) if len(x) > 1 and x[1] else 0
    return [w.tri(x[0], bool(a.get("upper", 1)), C.c_int64(k))]


@op("DepthToSpace")
def depth_to_space(w, x, a, c):
    n, ch, h, wd = c.raw[0].shape
    b = a["blocksize"]
    if a.get("mode", "DCR") == "DCR":
        y = w.permute_to(w.reshape_to(x[0], [n, b, b, ch // b // b, h, wd]), [0, 3, 4, 1, 5, 2])
    else:
        y = w.permute_to(w.reshape_to(x[0], [n, ch // b // b, b, b, h, wd]), [0, 1, 4, 2, 5, 3])
    return [w.reshape_to(y, [n, ch // b // b, h * b, wd * b])]


@op("SpaceToDepth")
def space_to_depth(w, x, a, c):
    n, ch, h, wd = c.raw[0].shape
    b = a["blocksize"]
    y = w.permute_to(w.reshape_to(x[0], [n, ch, h // b, b, wd // b, b]), [0, 3, 5, 1, 2, 4])
    return [w.reshape_to(y, [n, ch * b * b, h // b, wd // b])]


@op("ReverseSequence")
def reverse_sequence(w, x, a, c):
    time, batch = a.get("time_axis", 0), a.get("batch_axis", 1)
    rows = []
    for i, n in enumerate(c.raw[1]):
        row = w.narrow(x[0], batch, C.c_uint64(i), C.c_uint64(1))
        t = c.raw[0].shape[time]
        parts = [w.flip(w.narrow(row, time, C.c_uint64(0), C.c_uint64(int(n))), time)]
        if n < t:
            parts.append(w.narrow(row, time, C.c_uint64(int(n)), C.c_uint64(int(t - n))))
        rows.append(w.list_op("concat", parts, time))
    return [w.list_op("concat", rows, batch)]


# ---- reductions ----

def reduce_axes(x, a, c):
    list_ = a.get("axes")
    if list_ is None and len(x) > 1 and x[1]:
        list_ = [int(v) for v in c.raw[1]]
    none = bool(a.get("noop_with_empty_axes")) and not list_
    return axes(list_ or None, bool(a.get("keepdims", 1)), none)


def reducer(name, before=None, after=None):
    def run(w, x, a, c):
        t = getattr(w, before)(x[0]) if before else x[0]
        t = getattr(w, name)(t, reduce_axes(x, a, c))
        return [getattr(w, after)(t) if after else t]
    return run


OPS.update({
    "ReduceSum": reducer("sum"), "ReduceMean": reducer("mean"), "ReduceMax": reducer("max"),
    "ReduceMin": reducer("min"), "ReduceProd": reducer("prod"), "ReduceL1": reducer("sum", "abs"),
    "ReduceL2": reducer("sum", "square", "sqrt"), "ReduceLogSum": reducer("sum", None, "log"),
    "ReduceLogSumExp": reducer("logsumexp"), "ReduceSumSquare": reducer("sum", "square")})


def arg_reduce(name):
    def run(w, x, a, c):
        axis, keep, t = a.get("axis", 0), bool(a.get("keepdims", 1)), x[0]
        last = a.get("select_last_index", 0)
        if last:
            t = w.flip(t, axis)
        y = w.cast(getattr(w, name)(t, axis, keep), "i64")
        if last:
            y = w.sub(w.scalar(float(c.raw[0].shape[axis] - 1)), y)
        return [y]
    return run


OPS["ArgMax"], OPS["ArgMin"] = arg_reduce("argmax"), arg_reduce("argmin")


@op("CumSum")
def cumsum(w, x, a, c):
    return [w.cumsum(x[0], int(np.ravel(c.raw[1])[0]),
                     Scan(bool(a.get("exclusive", 0)), bool(a.get("reverse", 0))))]


@op("Hardmax")
def hardmax(w, x, a, c):
    axis = a.get("axis", -1)
    n = c.raw[0].shape[axis]
    hot = w.one_hot(w.argmax(x[0], axis, False), C.c_uint64(n), x[0].dtype)
    rank = c.raw[0].ndim
    order = list(range(rank - 1))
    order.insert(axis % rank, rank - 1)
    return [w.permute_to(hot, order)]


@op("GlobalAveragePool")
def global_average(w, x, a, c):
    return [w.mean(x[0], axes(list(range(2, c.raw[0].ndim)), True))]


@op("GlobalMaxPool")
def global_max(w, x, a, c):
    return [w.max(x[0], axes(list(range(2, c.raw[0].ndim)), True))]


@op("MeanVarianceNormalization")
def mvn(w, x, a, c):
    list_ = a.get("axes", [0, 2, 3])
    d = w.sub(x[0], w.mean(x[0], axes(list_, True)))
    v = w.mean(w.square(d), axes(list_, True))
    return [w.div(d, w.add(w.sqrt(v), w.scalar(1e-9)))]


# ---- normalisation ----

@op("Softmax")
def softmax(w, x, a, c):
    return [w.softmax(x[0], a.get("axis", -1))]


@op("LogSoftmax")
def log_softmax(w, x, a, c):
    return [w.log_softmax(x[0], a.get("axis", -1))]


@op("LayerNormalization")
def layer_norm(w, x, a, c):
    axis, rank = a.get("axis", -1), c.raw[0].ndim
    list_ = axes(list(range(axis % rank, rank)), True)
    m = w.mean(x[0], list_)
    d = w.sub(x[0], m)
    r = w.rsqrt(w.add(w.mean(w.square(d), list_), w.scalar(a.get("epsilon", 1e-5))))
    y = w.mul(w.mul(d, r), x[1])
    return [w.add(y, x[2]) if len(x) > 2 and x[2] else y, m, r][:len(c.outputs)]


def channels(w, t, rank):
    return w.reshape_to(t, [-1] + [1] * (rank - 2))


@op("BatchNormalization")
def batch_norm(w, x, a, c):
    rank, eps = c.raw[0].ndim, a.get("epsilon", 1e-5)
    s, b, m, v = x[1:5]
    out = []
    if a.get("training_mode"):
        list_, momentum = axes([0] + list(range(2, rank))), a.get("momentum", 0.9)
        mean_, var_ = w.mean(x[0], list_), w.var(x[0], list_, 0.0)
        mix = lambda old, new: w.add(w.mul(old, w.scalar(momentum)),
                                     w.mul(new, w.scalar(1 - momentum)))
        out, m, v = [mix(m, mean_), mix(v, var_)], mean_, var_
    return [w.batch_norm(x[0], m, v, s, b, float(eps))] + out


@op("InstanceNormalization")
def instance_norm(w, x, a, c):
    return [w.instance_norm(x[0], x[1], x[2], float(a.get("epsilon", 1e-5)))]


@op("LRN")
def lrn(w, x, a, c):
    n, size_ = c.raw[0].shape, a["size"]
    before = [0] * len(n)
    after = list(before)
    before[1], after[1] = (size_ - 1) // 2, size_ // 2
    padded = w.pad_to(w.square(x[0]), before, after, 0, 0.0)
    win = w.windows(padded, 1, C.c_uint64(size_), C.c_uint64(1))
    s = w.sum(win, axes([-1]))
    f = w.add(w.mul(s, w.scalar(a.get("alpha", 1e-4) / size_)), w.scalar(a.get("bias", 1.0)))
    return [w.div(x[0], w.pow(f, w.scalar(a.get("beta", 0.75))))]


# ---- products, convolution, pooling ----

@op("Gemm")
def gemm(w, x, a, c):
    p = w.transpose(x[0], 0, 1) if a.get("transA") else x[0]
    q = w.transpose(x[1], 0, 1) if a.get("transB") else x[1]
    y = w.mul(w.matmul(p, q), w.scalar(a.get("alpha", 1.0)))
    if len(x) > 2 and x[2]:
        y = w.add(y, w.mul(x[2], w.scalar(a.get("beta", 1.0))))
    return [y]


@op("MatMulInteger")
def matmul_integer(w, x, a, c):
    p, q = w.cast(x[0], "i32"), w.cast(x[1], "i32")
    if len(x) > 2 and x[2]:
        p = w.sub(p, w.cast(x[2], "i32"))
    if len(x) > 3 and x[3]:
        q = w.sub(q, w.cast(x[3], "i32"))
    return [w.matmul(p, q)]


def spatial(a, shape_, kernel, strides, dilations):
    """Padding before and after each spatial axis."""
    n = len(kernel)
    auto = a.get("auto_pad", "NOTSET")
    pads = a.get("pads", [0] * 2 * n)
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        before, after = [], []
        for i in range(n):
            out = -(-shape_[i] // strides[i])
            need = max((out - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - shape_[i], 0)
            small, large = need // 2, need - need // 2
            before.append(large if auto == "SAME_LOWER" else small)
            after.append(small if auto == "SAME_LOWER" else large)
        return before, after
    return list(pads[:n]), list(pads[n:])


def two(values, fill):
    values = [int(v) for v in values]
    return (C.c_uint32 * 2)(*(values if len(values) == 2 else values + [fill]))


@op("Conv")
def conv(w, x, a, c):
    kernel = list(c.raw[1].shape[2:])
    n = len(kernel)
    if n > 2:
        raise Unsupported("more than two spatial axes")
    strides, dilations = a.get("strides", [1] * n), a.get("dilations", [1] * n)
    before, after = spatial(a, c.raw[0].shape[2:], kernel, strides, dilations)
    how = Conv(stride=two(strides, 1), dilation=two(dilations, 1), groups=a.get("group", 1),
               pad_before=two(before, 0), pad_after=two(after, 0))
    bias = x[2] if len(x) > 2 else None
    return [(w.conv1d if n == 1 else w.conv2d)(x[0], x[1], bias, how)]


def pool(w, x, a, c, name):
    kernel = a["kernel_shape"]
    n = len(kernel)
    if n > 2 or len(c.outputs) > 1:
        raise Unsupported("three spatial axes, or positions of maxima")
    strides, dilations = a.get("strides", [1] * n), a.get("dilations", [1] * n)
    before, after = spatial(a, c.raw[0].shape[2:], kernel, strides, dilations)
    how = Pool(size=two(kernel, 1), stride=two(strides, 1), dilation=two(dilations, 1),
               pad_before=two(before, 0), pad_after=two(after, 0), ceil=bool(a.get("ceil_mode", 0)),
               include_padding=bool(a.get("count_include_pad", 0)))
    return [getattr(w, name)(x[0], how)]


OPS["MaxPool"] = lambda w, x, a, c: pool(w, x, a, c, "max_pool")
OPS["AveragePool"] = lambda w, x, a, c: pool(w, x, a, c, "avg_pool")


@op("ConvTranspose")
def conv_transpose(w, x, a, c):
    kernel, given = list(c.raw[1].shape[2:]), list(c.raw[0].shape[2:])
    n = len(kernel)
    if n > 2:
        raise Unsupported("more than two spatial axes")
    strides, dilations = a.get("strides", [1] * n), a.get("dilations", [1] * n)
    extra = a.get("output_padding", [0] * n)
    full = [(given[i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + extra[i]
            for i in range(n)]
    before, after = list(a.get("pads", [0] * 2 * n)[:n]), list(a.get("pads", [0] * 2 * n)[n:])
    auto = a.get("auto_pad", "NOTSET")
    want = a.get("output_shape", [given[i] * strides[i] for i in range(n)])
    if "output_shape" in a or auto.startswith("SAME"):
        for i in range(n):
            cut = full[i] - want[i]
            small, large = cut // 2, cut - cut // 2
            before[i], after[i] = (small, large) if auto == "SAME_UPPER" else (large, small)
            if cut < 0:                     # the result is longer than the sums: zeros at its end
                before[i], after[i], extra = 0, 0, [e + (-cut if k == i else 0)
                                                    for k, e in enumerate(extra)]
    how = Conv(stride=two(strides, 1), dilation=two(dilations, 1), groups=a.get("group", 1),
               pad_before=two(before, 0), pad_after=two(after, 0), output_pad=two(extra, 0))
    return [w.conv_transpose(x[0], x[1], x[2] if len(x) > 2 else None, how)]


GRIDS = {"half_pixel": 0, "align_corners": 1, "asymmetric": 2, "pytorch_half_pixel": 3}
ROUNDING = {"round_prefer_floor": 0, "round_prefer_ceil": 1, "floor": 2, "ceil": 3}


@op("Resize")
def resize(w, x, a, c):
    grid = a.get("coordinate_transformation_mode", "half_pixel")
    sizes = c.raw[3] if len(c.raw) > 3 and c.raw[3] is not None else None
    scales = c.raw[2] if sizes is None else None
    if grid not in GRIDS or c.raw[0].ndim != 4:
        raise Unsupported("grid or rank")
    how = Resize(mode=["nearest", "linear", "cubic"].index(a.get("mode", "nearest")),
                 grid=GRIDS[grid], rounding=ROUNDING[a.get("nearest_mode", "round_prefer_floor")],
                 cubic=a.get("cubic_coeff_a", -0.75),
                 exclude_outside=bool(a.get("exclude_outside", 0)))
    for i in range(2):
        if sizes is not None:
            how.size[i] = int(sizes[2 + i])
        else:
            how.scale[i] = float(scales[2 + i])
    return [w.resize(x[0], how)]


@op("Einsum")
def einsum(w, x, a, c):
    return [w.einsum_of(a["equation"].replace(" ", ""), x)]


# ---- indexing ----

def index(w, t):
    return t if t.dtype != "i64" else w.cast(t, "i32")


@op("Gather")
def gather(w, x, a, c):
    return [w.take(x[0], index(w, x[1]), a.get("axis", 0))]


@op("GatherElements")
def gather_elements(w, x, a, c):
    return [w.gather(x[0], index(w, x[1]), a.get("axis", 0))]


@op("GatherND")
def gather_nd(w, x, a, c):
    return [w.gather_nd(x[0], index(w, x[1]), C.c_uint32(a.get("batch_dims", 0)))]


HOW = {"none": 0, "add": 1, "mul": 2, "max": 3, "min": 4}


@op("Scatter", "ScatterElements")
def scatter(w, x, a, c):
    how = HOW[a.get("reduction", "none")]
    return [w.scatter(x[0], index(w, x[1]), x[2], a.get("axis", 0), how)]


@op("ScatterND")
def scatter_nd(w, x, a, c):
    return [w.scatter_nd(x[0], index(w, x[1]), x[2], HOW[a.get("reduction", "none")])]


@op("NonZero")
def nonzero(w, x, a, c):
    return [w.cast(w.nonzero(x[0]), "i64")]


@op("Compress")
def compress(w, x, a, c):
    at = np.nonzero(c.raw[1])[0].astype(np.int32)
    t = x[0] if "axis" in a else w.reshape_to(x[0], [-1])
    return [w.take(t, w.array(at), a.get("axis", 0))]


@op("TopK")
def topk(w, x, a, c):
    v, i = w.several("topk", 2, x[0], C.c_uint64(int(c.raw[1][0])), a.get("axis", -1),
                     C.c_bool(not a.get("largest", 1)))
    return [v, w.cast(i, "i64")]


@op("Unique")
def unique(w, x, a, c):
    if "axis" in a or not a.get("sorted", 1):
        raise Unsupported("slices of an axis, or the order of the input")
    u = w.unique_of(x[0])
    return ([u[0]] + [w.cast(t, "i64") for t in u[1:]])[:len(c.outputs)]


@op("Det")
def det(w, x, a, c):
    return [w.det(x[0])]


# ---- quantisation ----

@op("QuantizeLinear")
def quantize(w, x, a, c):
    axis = a.get("axis", 1)
    s, z = x[1], w.cast(x[2], "f32")
    if c.raw[1].ndim:
        shape_ = [1] * c.raw[0].ndim
        shape_[axis] = -1
        s, z = w.reshape_to(s, shape_), w.reshape_to(z, shape_)
    return [w.cast(w.add(w.round(w.div(x[0], s)), z), x[2].dtype)]


@op("DequantizeLinear")
def dequantize(w, x, a, c):
    axis = a.get("axis", 1)
    s, t = x[1], w.cast(x[0], "f32")
    z = w.cast(x[2], "f32") if len(x) > 2 and x[2] else w.scalar(0)
    if c.raw[1].ndim:
        shape_ = [1] * c.raw[0].ndim
        shape_[axis] = -1
        s = w.reshape_to(s, shape_)
        z = w.reshape_to(z, shape_) if len(x) > 2 and x[2] else z
    return [w.mul(w.sub(t, z), s)]


@op("DynamicQuantizeLinear")
def dynamic_quantize(w, x, a, c):
    zero = w.scalar(0)
    high, low = w.maximum(w.max(x[0], None), zero), w.minimum(w.min(x[0], None), zero)
    s = w.div(w.sub(high, low), w.scalar(255))
    z = w.clip(w.round(w.div(w.neg(low), s)), 0.0, 255.0)
    y = w.cast(w.clip(w.add(w.round(w.div(x[0], s)), z), 0.0, 255.0), "u8")
    return [y, s, w.cast(z, "u8")]


@op("QLinearMatMul")
def qlinear_matmul(w, x, a, c):
    p = w.sub(w.cast(x[0], "f32"), w.cast(x[2], "f32"))
    q = w.sub(w.cast(x[3], "f32"), w.cast(x[5], "f32"))
    s = w.div(w.mul(x[1], x[4]), x[6])
    y = w.add(w.round(w.mul(w.matmul(p, q), s)), w.cast(x[7], "f32"))
    return [w.cast(y, x[7].dtype)]


@op("ConvInteger")
def conv_integer(w, x, a, c):
    t, k = w.cast(x[0], "f32"), w.cast(x[1], "f32")
    if len(x) > 2 and x[2]:
        t = w.sub(t, w.cast(x[2], "f32"))
    if len(x) > 3 and x[3]:
        k = w.sub(k, w.cast(x[3], "f32"))
    return [w.cast(conv(w, [t, k], a, c)[0], "i32")]


# ---- losses ----

@op("NegativeLogLikelihoodLoss")
def nll_loss(w, x, a, c):
    return [nll(w, x[0], x[1], x[2] if len(x) > 2 else None, a, c)]


def nll(w, log_p, target, weight, a, c):
    classes = c.raw[0].shape[1]
    target = w.cast(target, "i32")
    ignore = a.get("ignore_index")
    hot = w.one_hot(target, C.c_uint64(classes), "f32")         # [N, ..., C]
    rank = c.raw[0].ndim
    order = [0, rank - 1] + list(range(1, rank - 1))
    hot = w.permute_to(hot, order)                               # [N, C, ...]
    scale = hot
    if weight:
        scale = w.mul(hot, w.reshape_to(weight, [1, classes] + [1] * (rank - 2)))
    if ignore is not None:
        keep = w.cast(w.not_equal(target, w.scalar(float(ignore))), "f32")
        scale = w.mul(scale, w.unsqueeze(keep, 1))
    loss = w.neg(w.sum(w.mul(w.where(w.greater(scale, w.scalar(0)), log_p, w.scalar(0)), scale),
                       axes([1])))
    how = a.get("reduction", "mean")
    if how == "none":
        return loss
    total = w.sum(loss, None)
    return total if how == "sum" else w.div(total, w.sum(scale, None))


@op("SoftmaxCrossEntropyLoss")
def cross_entropy(w, x, a, c):
    log_p = w.log_softmax(x[0], 1)
    out = [nll(w, log_p, x[1], x[2] if len(x) > 2 else None, a, c), log_p]
    return out[:len(c.outputs)]


# ---- optimisers, windows ----

@op("Momentum")
def momentum(w, x, a, c):
    rate, step = x[0], float(c.raw[1])
    n = (len(x) - 2) // 3
    p, g, v = x[2:2 + n], x[2 + n:2 + 2 * n], x[2 + 2 * n:]
    new_p, new_v = [], []
    for i in range(n):
        grad = w.add(g[i], w.mul(p[i], w.scalar(a.get("norm_coefficient", 0.0))))
        beta = a.get("beta", 1.0) if step > 0 else 1.0
        vel = w.add(w.mul(v[i], w.scalar(a.get("alpha", 0.9))), w.mul(grad, w.scalar(beta)))
        move = vel if a.get("mode") == "standard" else w.add(grad, w.mul(vel, w.scalar(a["alpha"])))
        new_p.append(w.sub(p[i], w.mul(rate, move)))
        new_v.append(vel)
    return new_p + new_v


@op("Adagrad")
def adagrad(w, x, a, c):
    rate = float(c.raw[0]) / (1 + float(c.raw[1]) * a.get("decay_factor", 0.0))
    n = (len(x) - 2) // 3
    p, g, h = x[2:2 + n], x[2 + n:2 + 2 * n], x[2 + 2 * n:]
    new_p, new_h = [], []
    for i in range(n):
        grad = w.add(g[i], w.mul(p[i], w.scalar(a.get("norm_coefficient", 0.0))))
        hist = w.add(h[i], w.square(grad))
        step = w.div(grad, w.add(w.sqrt(hist), w.scalar(a.get("epsilon", 0.0))))
        new_p.append(w.sub(p[i], w.mul(step, w.scalar(rate))))
        new_h.append(hist)
    return new_p + new_h


@op("Adam")
def adam(w, x, a, c):
    rate, t = float(c.raw[0]), float(c.raw[1])
    al, be = a.get("alpha", 0.9), a.get("beta", 0.999)
    n = (len(x) - 2) // 4
    p, g, v, h = (x[2 + i * n:2 + (i + 1) * n] for i in range(4))
    if t > 0:
        rate *= math.sqrt(1 - be ** t) / (1 - al ** t)
    new_p, new_v, new_h = [], [], []
    for i in range(n):
        grad = w.add(g[i], w.mul(p[i], w.scalar(a.get("norm_coefficient", 0.0))))
        vel = w.add(w.mul(v[i], w.scalar(al)), w.mul(grad, w.scalar(1 - al)))
        sq = w.add(w.mul(h[i], w.scalar(be)), w.mul(w.square(grad), w.scalar(1 - be)))
        step = w.div(vel, w.add(w.sqrt(sq), w.scalar(a.get("epsilon", 0.0))))
        new_p.append(w.sub(p[i], w.mul(step, w.scalar(rate))))
        new_v.append(vel)
        new_h.append(sq)
    return new_p + new_v + new_h


def window(*terms):
    def run(w, x, a, c):
        n = int(c.raw[0])
        size_ = n if a.get("periodic", 1) else n - 1
        i = w.mul(w.arange("f32", 0.0, float(n), 1.0), w.scalar(2 * math.pi / size_))
        y = w.full("f32", [n], terms[0])
        for k, f in enumerate(terms[1:]):
            y = w.add(y, w.mul(w.cos(w.mul(i, w.scalar(float(k + 1)))), w.scalar(f)))
        return [y]
    return run


OPS["HannWindow"] = window(0.5, -0.5)
OPS["HammingWindow"] = window(25 / 46, -21 / 46)
OPS["BlackmanWindow"] = window(0.42, -0.5, 0.08)
