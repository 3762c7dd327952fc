# SPDX-License-Identifier: Apache-2.0
"""numpy_ops.py - properties of the larger operators of weft/tensor.h beside NumPy: products,
convolution, attention, norms, indexing, order, linear algebra, quantisation.

Each method of More makes one random case and returns None, or what is wrong with it.
"""
import ctypes as C

import numpy as np

from weft_ctypes import (Attention, Conv, DTYPE, Quantize, Rope, Scales, Triangular, WeftError)


def two(a, b):
    return (C.c_uint32 * 2)(int(a), int(b))


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def convolve(x, w, stride, dilation, pad, groups):
    n, c, h, wide = x.shape
    o, inside, kh, kw = w.shape
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad[0], pad[0]), (pad[1], pad[1])))
    oh = (x.shape[2] - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    ow = (x.shape[3] - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    y = np.zeros((n, o, oh, ow))
    each = o // groups
    for g in range(groups):
        part = x[:, g * inside:(g + 1) * inside]
        for i in range(kh):
            for k in range(kw):
                rows = slice(i * dilation[0], i * dilation[0] + (oh - 1) * stride[0] + 1, stride[0])
                cols = slice(k * dilation[1], k * dilation[1] + (ow - 1) * stride[1] + 1, stride[1])
                y[:, g * each:(g + 1) * each] += np.einsum(
                    "nchw,oc->nohw", part[:, :, rows, cols], w[g * each:(g + 1) * each, :, i, k])
    return y


class More:
    """Needs w, r (a RandomState), rand, views and compare of the suite."""

    def pick(self, *values):
        return values[self.r.randint(0, len(values))]

    # ---- products ----

    def matmul(self):
        m, n, k = (int(self.pick(1, 2, 5, 17, 40, 70)) for _ in range(3))
        batch = self.pick((), (3,), (2, 1), (2, 3))
        other = self.pick((), batch)
        x = self.rand.floats(batch + (m, k), special=False)
        y = self.rand.floats(other + (k, n), special=False)
        a, b = self.w.array(x), self.w.array(y)
        if self.r.rand() < 0.5:
            a = self.w.transpose(self.w.array(np.swapaxes(x, -1, -2)), -1, -2)
        if self.r.rand() < 0.5:
            b = self.w.transpose(self.w.array(np.swapaxes(y, -1, -2)), -1, -2)
        return self.compare(f"matmul {x.shape} {y.shape}", self.w.matmul(a, b).numpy(),
                            x.astype(np.float64) @ y, 1e-4)

    def convolution(self):
        groups = int(self.pick(1, 1, 2, 4))
        c, o = groups * int(self.pick(1, 2, 3)), groups * int(self.pick(1, 3, 9, 20))
        kh, kw = (int(self.pick(1, 2, 3)) for _ in range(2))
        stride, dilation, pad = ([int(self.pick(*v)) for _ in range(2)]
                                 for v in ((1, 1, 2), (1, 1, 2), (0, 1, 2)))
        x = self.rand.floats((int(self.pick(1, 2)), c, int(self.pick(5, 7, 12)),
                              int(self.pick(5, 9, 17))), special=False)
        w = self.rand.floats((o, c // groups, kh, kw), special=False)
        how = Conv(stride=two(*stride), dilation=two(*dilation), groups=groups,
                   pad_before=two(*pad), pad_after=two(*pad))
        got = self.w.conv2d(self.w.array(x), self.w.array(w), None, how).numpy()
        return self.compare(f"conv {x.shape} {w.shape} {stride} {dilation} {pad} {groups}", got,
                            convolve(x, w, stride, dilation, pad, groups), 1e-4)

    def attention(self):
        g, each = int(self.pick(1, 2)), int(self.pick(1, 3))
        b, t, s = int(self.pick(1, 2)), int(self.pick(1, 4, 20)), int(self.pick(3, 30, 70))
        d, e = int(self.pick(4, 9)), int(self.pick(3, 8))
        q, k, v = (self.rand.floats((b, h, n, m), special=False)
                   for h, n, m in ((g * each, t, d), (g, s, d), (g, s, e)))
        causal = bool(self.r.rand() < 0.4) and s >= t
        score = np.einsum("bhtd,bhsd->bhts", q.astype(np.float64),
                          np.repeat(k, each, 1)) / np.sqrt(d)
        if causal:
            hidden = np.arange(s)[None] > np.arange(t)[:, None] + s - t
            score = np.where(hidden, -np.inf, score)
        want = np.einsum("bhts,bhse->bhte", softmax(score, -1), np.repeat(v, each, 1))
        got = self.w.attention(*[self.w.array(x) for x in (q, k, v)], Attention(causal=causal))
        return self.compare(f"attention {q.shape} {k.shape} {causal}", got.numpy(), want, 2e-5)

    def norms(self):
        x = self.rand.floats(self.rand.shape(self.r.randint(1, 4)), special=False)
        if x.size == 0:
            return None
        t, v = self.views.apply(self.w.array(x), x)
        v = v.astype(np.float64)
        axis = int(self.r.randint(0, v.ndim))
        kind = self.pick("softmax", "log_softmax", "layer_norm", "rms_norm")
        if kind == "softmax":
            return self.compare(f"softmax {v.shape} {axis}", self.w.softmax(t, axis).numpy(),
                                softmax(v, axis), 1e-5)
        if kind == "log_softmax":
            return self.compare(f"log_softmax {v.shape}", self.w.log_softmax(t, axis).numpy(),
                                np.log(softmax(v, axis)), 1e-4)
        mean = v.mean(-1, keepdims=True) if kind == "layer_norm" else 0
        want = (v - mean) / np.sqrt(((v - mean) ** 2).mean(-1, keepdims=True) + 1e-2)
        got = self.w.layer_norm(t, None, None, 1e-2) if kind == "layer_norm" \
            else self.w.rms_norm(t, None, 1e-2)
        return self.compare(f"{kind} {v.shape}", got.numpy(), want, 1e-4)

    def einsum(self):
        letters = "abcd"
        size = {l: int(self.pick(1, 2, 3, 5)) for l in letters}
        terms = ["".join(self.r.permutation(list(letters))[:self.r.randint(1, 4)])
                 for _ in range(self.r.randint(1, 4))]
        used = sorted(set("".join(terms)))
        out = "".join(self.r.permutation(used)[:self.r.randint(0, len(used) + 1)])
        xs = [self.rand.floats(tuple(size[l] for l in t), special=False) for t in terms]
        equation = ",".join(terms) + "->" + out
        got = self.w.einsum_of(equation, [self.w.array(x) for x in xs]).numpy()
        return self.compare(equation, got, np.einsum(equation, *[x.astype(float) for x in xs]), 1e-4)

    def rope(self):
        t, d = int(self.pick(1, 5, 9)), int(self.pick(4, 8))
        x = self.rand.floats((2, 3, t, d), special=False)
        pairs, dims = bool(self.r.rand() < 0.5), int(self.pick(2, d))
        angle = np.arange(t)[:, None] * 100.0 ** (-2 * np.arange(dims // 2) / dims)
        c, s, want = np.cos(angle), np.sin(angle), x.astype(np.float64).copy()
        first = np.arange(0, dims, 2) if pairs else np.arange(dims // 2)
        second = first + (1 if pairs else dims // 2)
        want[..., first] = x[..., first] * c - x[..., second] * s
        want[..., second] = x[..., second] * c + x[..., first] * s
        got = self.w.rope(self.w.array(x), Rope(base=100.0, dims=dims, interleaved=pairs)).numpy()
        return self.compare(f"rope {t} {dims} {pairs}", got, want, 1e-5)

    # ---- indices ----

    def gathers(self):
        shape = self.rand.shape(self.r.randint(1, 4))
        if 0 in shape:
            return None
        x = self.rand.floats(shape)
        t, v = self.views.apply(self.w.array(x), x)
        axis = int(self.r.randint(0, v.ndim))
        n = v.shape[axis]
        if self.r.rand() < 0.5:
            i = self.r.randint(-n, n, self.rand.shape(self.r.randint(0, 3))).astype(np.int32)
            i = np.asarray(i, np.int32)
            if v.ndim - 1 + i.ndim > 8:
                return None
            return self.compare(f"take {v.shape} {i.shape}", self.w.take(t, self.w.array(i),
                                                                         axis).numpy(),
                                np.take(v, i, axis), 0)
        i = self.r.randint(0, n, v.shape).astype(np.int32)
        return self.compare(f"gather {v.shape}", self.w.gather(t, self.w.array(i), axis).numpy(),
                            np.take_along_axis(v, i, axis), 0)

    def scatters(self):
        n, m, k = int(self.pick(3, 17)), int(self.pick(1, 5)), int(self.pick(1, 4, 40))
        kind = self.pick("float32", "int32", "uint32")
        x = self.r.randint(0, 9, (n, m)).astype(kind)
        u = self.r.randint(1, 4, (k, m)).astype(kind)
        i = self.r.randint(0, n, (k, m)).astype(np.int32)
        how = self.r.randint(0, 5)
        want = x.copy()
        step = [lambda a, b: b, np.add, np.multiply, np.maximum, np.minimum][how]
        for a in range(k):
            for b in range(m):
                want[i[a, b], b] = step(want[i[a, b], b], u[a, b])
        if how == 2:
            want = want if np.abs(want.astype(np.float64)).max() < 1e6 else None
            if want is None:
                return None
        got = self.w.scatter(self.w.array(x), self.w.array(i), self.w.array(u), 0, how).numpy()
        return self.compare(f"scatter {kind} {how} {x.shape} {k}", got, want, 1e-6)

    def updates(self):
        x = self.rand.floats(tuple(int(self.pick(2, 5, 9)) for _ in range(2)))
        ranges, slices = [], []
        for n in x.shape:
            step = int(self.pick(1, 2, 3, -1, -2))
            start = int(self.r.randint(-n, n)) if self.r.rand() < 0.6 else None
            ranges.append((start, None, step))
            slices.append(slice(start, None, step))
        want = x.copy()
        part = self.rand.floats(want[tuple(slices)].shape)
        want[tuple(slices)] = part
        got = self.w.slice_update_to(self.w.array(x), self.w.array(part), ranges).numpy()
        return self.compare(f"slice_update {x.shape} {ranges}", got, want, 0)

    def positions(self):
        x = self.r.randint(0, 3, self.rand.shape(self.r.randint(1, 4))).astype(np.float32)
        t = self.w.array(x)
        if self.r.rand() < 0.5:
            return self.compare(f"nonzero {x.shape}", self.w.nonzero(t).numpy(),
                                np.array(np.nonzero(x)).reshape(x.ndim, -1), 0)
        want = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
        for name, a, b in zip(("values", "indices", "inverse", "counts"), self.w.unique_of(t),
                              want):
            fault = self.compare(f"unique {name} {x.shape}", a.numpy(), b.reshape(-1), 0)
            if fault:
                return fault
        return None

    # ---- order ----

    def sorts(self):
        kind = self.pick("float32", "int32", "uint32", "int8", "bool", "float16")
        n = int(self.pick(1, 2, 7, 40, 300, 2500))
        shape = self.pick((n,), (3, n), (n, 2))
        x = self.rand.floats(shape) * 7
        x = x.astype(kind) if kind[0] == "f" else np.clip(np.nan_to_num(x), 0, 100).astype(kind)
        t, axis = self.w.array(x), int(self.r.randint(-len(shape), len(shape)))
        want = np.argsort(x, axis, kind="stable")
        fault = self.compare(f"argsort {kind} {shape} {axis}",
                             self.w.argsort(t, axis, False).numpy(), want, 0)
        k = int(self.r.randint(0, x.shape[axis] + 1))
        v, i = self.w.several("topk", 2, t, C.c_uint64(k), axis, C.c_bool(True))
        i_want = np.take(want, np.arange(k), axis)
        return fault or self.compare(f"topk {kind} {shape} {k}", i.numpy(), i_want, 0) \
            or self.compare(f"sort {kind} {shape}", self.w.sort(t, axis, False).numpy(),
                            np.take_along_axis(x, want, axis), 0) \
            or self.compare("topk values", v.numpy(), np.take_along_axis(x, i_want, axis), 0)

    def searches(self):
        line = np.sort(self.rand.floats((int(self.pick(1, 5, 60)),)))
        v = np.concatenate([line[:3], self.rand.floats((11,))]).astype(np.float32)
        right = bool(self.r.rand() < 0.5)
        got = self.w.searchsorted(self.w.array(line), self.w.array(v), right).numpy()
        return self.compare(f"searchsorted {line.shape} {right}", got,
                            np.searchsorted(line, v, "right" if right else "left"), 0)

    # ---- linear algebra ----

    def algebra(self):
        n, batch = int(self.pick(1, 2, 5, 20, 70)), self.pick((), (3,))
        wide = self.r.rand() < 0.4
        kind, tolerance = ("float64", 1e-9) if wide else ("float32", 2e-3)
        a = (self.r.randn(*batch, n, n) + 3 * np.sqrt(n) * np.eye(n)).astype(kind)
        b = self.r.randn(*batch, n, int(self.pick(1, 4))).astype(kind)
        t, u = self.w.array(a), self.w.array(b)
        which = self.pick("cholesky", "solve", "inv", "det", "triangular", "qr")
        try:
            if which == "solve":
                return self.compare(f"solve {a.shape}", self.w.solve(t, u).numpy(),
                                    np.linalg.solve(a, b), tolerance)
            if which == "inv":
                return self.compare(f"inv {a.shape}", self.w.inv(t).numpy(), np.linalg.inv(a),
                                    tolerance)
            if which == "det":
                want = np.linalg.det(a / 3 / np.sqrt(n))
                scaled = self.w.array((a / 3 / np.sqrt(n)).astype(kind))
                return self.compare(f"det {a.shape}", self.w.det(scaled).numpy(), want, tolerance)
            if which == "triangular":
                upper = bool(self.r.rand() < 0.5)
                tri = np.triu(a) if upper else np.tril(a)
                got = self.w.triangular_solve(t, u, Triangular(upper=upper)).numpy()
                return self.compare(f"triangular {a.shape}", got, np.linalg.solve(tri, b),
                                    tolerance)
            if which == "cholesky":
                s = (a @ np.swapaxes(a, -1, -2)).astype(kind)
                got = self.w.cholesky(self.w.array(s), False).numpy()
                return self.compare(f"cholesky {a.shape}", got, np.linalg.cholesky(s),
                                    tolerance * 5)
            q, r = (x.numpy() for x in self.w.several("qr", 2, u if n > 1 else t))
            m = b if n > 1 else a
            eye = np.broadcast_to(np.eye(q.shape[-1]), q.shape[:-2] + (q.shape[-1],) * 2)
            return self.compare(f"qr {m.shape}", q @ r, m, tolerance) \
                or self.compare("q", np.swapaxes(q, -1, -2) @ q, eye, tolerance)
        except WeftError as e:
            return None if "f64" in str(e) else str(e)

    # ---- quantisation ----

    def quantisation(self):
        n, k, m = int(self.pick(1, 5, 20)), 32 * int(self.pick(1, 2, 3)), int(self.pick(1, 3, 20))
        w = self.rand.floats((n, k), special=False)
        x = self.w.array(self.rand.floats((m, k), special=False))
        t = self.w.array(w)
        if self.r.rand() < 0.4:
            kind = self.pick("q8_0", "q4_0")
            q = self.w.quantize(t, kind)
            d, scales = self.w.dequantize(q).numpy(), None
            step = np.abs(w.reshape(-1, 32)).max(1) / (127 if kind == "q8_0" else 8) * 1.01
            far = np.abs(d - w).reshape(-1, 32).max(1) > step + 1e-6
            if far.any():
                return f"{kind}: block {np.argmax(far)} is off"
        else:
            kind, per = self.pick("i8", "u8", "i4", "u4"), int(self.r.randint(0, 3))
            how = Quantize(dtype=DTYPE[kind], per=per, axis=1 if per == 2 else 0, block=16)
            q, s, z = self.w.quantized_of(t, how)
            scales = Scales(scale=s.ptr, zero=z.ptr if z else None, axis=how.axis)
            d = self.w.dequantize_linear(q, scales).numpy()
            steps = s.numpy().reshape({0: (1, 1), 1: (n, 1), 2: (n, k // 16)}[per])
            steps = np.repeat(steps, 16, 1) if per == 2 else steps
            if (np.abs(d - w) > 0.51 * steps + 1e-6).any():
                return f"{kind} per {per}: values are off by more than half a step"
        got = self.w.matmul_quantized(x, q, scales).numpy()
        return self.compare(f"matmul_quantized {kind} {m} {n} {k}", got,
                            x.numpy().astype(np.float64) @ d.T, 2e-4)

    def random_numbers(self):
        key, n = int(self.r.randint(0, 2 ** 31)), 40000
        u = self.w.random_of("uniform", (n,), C.c_double(-1), C.c_double(3), key=key).numpy()
        z = self.w.random_of("normal", (n,), C.c_double(2), C.c_double(0.5), key=key).numpy()
        i = self.w.random_of("randint", (n,), C.c_int64(-2), C.c_int64(3), key=key).numpy()
        again = self.w.random_of("uniform", (n // 2,), C.c_double(-1), C.c_double(3), key=key,
                                 first=n // 2).numpy()
        near = lambda a, b, spread: abs(a - b) < 6 * spread / np.sqrt(n)
        ok = u.min() >= -1 and u.max() < 3 and near(u.mean(), 1, 4 / 12 ** 0.5) \
            and near(z.mean(), 2, 0.5) and near(z.std(), 0.5, 0.5) and np.isfinite(z).all() \
            and i.min() == -2 and i.max() == 2 and near(i.mean(), 0, 2 ** 0.5) \
            and np.array_equal(again, u[n // 2:])
        return None if ok else f"random numbers of key {key} are not distributed as they should be"

    def all_kinds(self):
        return [self.matmul, self.convolution, self.attention, self.norms, self.einsum, self.rope,
                self.gathers, self.scatters, self.updates, self.positions, self.sorts,
                self.searches, self.algebra, self.quantisation, self.random_numbers]
