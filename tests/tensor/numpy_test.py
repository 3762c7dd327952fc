# SPDX-License-Identifier: Apache-2.0
"""numpy_test.py - random shapes, strides, types, NaNs and infinities: Weft beside NumPy.

usage  WEFT_LIB=libweft.so numpy_test.py [--cases N] [--seed N]
"""
import argparse
import ctypes as C
import sys
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not there (Debian package python3-numpy)")
    sys.exit(77)

from numpy_ops import More
from weft_ctypes import FROM_NUMPY, Weft, WeftError, Scan, axes

warnings.simplefilter("ignore")

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-30, 1e30, 0.5, -2.5, 1.5]
UNARY = {"neg": np.negative, "abs": np.abs, "sign": np.sign, "exp": np.exp, "expm1": np.expm1,
         "log": np.log, "log1p": np.log1p, "log2": np.log2, "sqrt": np.sqrt,
         "reciprocal": np.reciprocal, "square": np.square, "sin": np.sin, "cos": np.cos,
         "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
         "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
         "acosh": np.arccosh, "atanh": np.arctanh, "floor": np.floor, "ceil": np.ceil,
         "round": np.rint, "trunc": np.trunc, "relu": lambda x: np.where(x < 0, 0, x),
         "is_nan": np.isnan, "is_inf": np.isinf, "is_finite": np.isfinite}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
          "maximum": np.maximum, "minimum": np.minimum, "atan2": np.arctan2,
          "hypot": np.hypot, "copysign": np.copysign, "equal": np.equal,
          "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
          "greater": np.greater, "greater_equal": np.greater_equal, "pow": np.power,
          "remainder": np.remainder, "fmod": np.fmod}
INTEGER = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum,
           "minimum": np.minimum, "floor_div": np.floor_divide, "remainder": np.remainder,
           "fmod": np.fmod, "bit_and": np.bitwise_and, "bit_or": np.bitwise_or,
           "bit_xor": np.bitwise_xor, "equal": np.equal, "less": np.less}
REDUCE = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "max": np.max, "min": np.min,
          "any": np.any, "all": np.all}
# relative to the larger of 1 and the result; WGSL gives some functions an absolute error
LOOSE = {"sin": 1e-5, "cos": 1e-5, "tan": 1e-4, "asin": 1e-4, "acos": 1e-4, "atan2": 1e-5,
         "pow": 1e-4, "atanh": 1e-5, "acosh": 1e-5, "sinh": 1e-5, "cosh": 1e-5,
         "remainder": 1e-4, "fmod": 1e-4}


class Random:
    def __init__(self, seed):
        self.r = np.random.RandomState(seed)

    def shape(self, rank=None):
        rank = self.r.randint(0, 5) if rank is None else rank
        return tuple(int(self.r.choice([0, 1, 2, 3, 5, 17, 40], p=[.03, .17, .2, .2, .2, .12, .08]))
                     for _ in range(rank))

    def floats(self, shape, special=True):
        x = np.asarray(self.r.randn(*shape) * 3, np.float32)
        if special and x.size:
            hit = self.r.rand(*shape) < 0.1
            x = np.where(hit, self.r.choice(SPECIAL, shape), x).astype(np.float32)
        return np.asarray(x, np.float32).reshape(shape)

    def broadcast_pair(self):
        shape = self.shape()
        other = tuple(1 if self.r.rand() < 0.3 else n for n in shape)
        other = other[self.r.randint(0, len(other) + 1):]
        return (shape, other) if self.r.rand() < 0.5 else (other, shape)


class Views:
    """The same random views of a tensor and of an array."""

    def __init__(self, w, rand):
        self.w, self.r = w, rand.r

    def apply(self, t, x):
        for _ in range(self.r.randint(0, 3)):
            kind = self.r.randint(0, 5)
            if x.ndim == 0:
                kind = 4
            if kind == 0:
                order = [int(v) for v in self.r.permutation(x.ndim)]
                t, x = self.w.permute_to(t, order), x.transpose(order)
            elif kind == 1:
                axis = int(self.r.randint(0, x.ndim))
                t, x = self.w.flip(t, axis), np.flip(x, axis)
            elif kind == 2:
                step = int(self.r.choice([-3, -2, -1, 1, 2, 3]))
                t, x = self.w.slice_to(t, [(None, None, step)]), x[::step]
            elif kind == 3:
                t, x = self.w.reshape_to(t, [x.size]), x.reshape(-1)
            elif x.ndim < 6:
                t, x = self.w.unsqueeze(t, 0), x[None]
        return t, x


def compare(what, got, want, tolerance):
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"{what}: shape {got.shape}, expected {want.shape}"
    g, n = got.astype(np.float64), want.astype(np.float64)
    same = (g == n) | (np.isnan(g) & np.isnan(n))
    same |= np.abs(g - n) <= tolerance * np.maximum(1, np.abs(n))
    same |= (np.abs(n) > 3e38) & (np.abs(g) > 3e38) & (np.sign(g) == np.sign(n))
    if same.all():
        return None
    at = tuple(int(v) for v in np.argwhere(~same)[0])
    return f"{what}: {got[at]!r} at {at}, expected {want[at]!r}"


class Suite(More):
    def __init__(self, seed):
        self.w, self.rand = Weft(), Random(seed)
        self.views = Views(self.w, self.rand)
        self.r = self.rand.r
        self.compare = compare

    def unary(self):
        name = str(self.r.choice(list(UNARY)))
        x = self.rand.floats(self.rand.shape())
        t, v = self.views.apply(self.w.array(x), x)
        if name in ("sin", "cos", "tan"):
            t, v = self.w.clip(t, -100.0, 100.0), np.clip(v, -100, 100)
        return compare(name, getattr(self.w, name)(t).numpy(),
                       UNARY[name](v.astype(np.float32)), LOOSE.get(name, 3e-6))

    def binary(self):
        name = str(self.r.choice(list(BINARY)))
        a, b = self.rand.broadcast_pair()
        x, y = self.rand.floats(a), self.rand.floats(b)
        if name in ("remainder", "fmod", "pow"):    # the quotient's rounding decides for others
            x = np.trunc(np.clip(np.nan_to_num(x), -9, 9))
            y = np.trunc(np.clip(np.nan_to_num(y), 1, 7))
        if name == "atan2":
            x, y = np.nan_to_num(x, posinf=5, neginf=-5) + 9, np.nan_to_num(y, posinf=5, neginf=-5)
        x, y = x.astype(np.float32), y.astype(np.float32)
        got = getattr(self.w, name)(self.w.array(x), self.w.array(y)).numpy()
        return compare(f"{name} {a} {b}", got, BINARY[name](x, y), LOOSE.get(name, 3e-6))

    def integer(self):
        name = str(self.r.choice(list(INTEGER)))
        kind = str(self.r.choice(["int32", "uint32", "int8", "uint8"]))
        a, b = self.rand.broadcast_pair()
        low = 0 if kind[0] == "u" else -90
        x, y = self.r.randint(low, 100, a).astype(kind), self.r.randint(low, 100, b).astype(kind)
        if name in ("floor_div", "remainder", "fmod"):
            y = np.where(y == 0, 7, y).astype(kind)
        x, y = np.asarray(x, kind).reshape(a), np.asarray(y, kind).reshape(b)
        got = getattr(self.w, name)(self.w.array(x), self.w.array(y)).numpy()
        return compare(f"{name} {kind}", got, INTEGER[name](x, y), 0)

    def reduce(self):
        name = str(self.r.choice(list(REDUCE)))
        x = self.rand.floats(self.rand.shape(), special=name in ("max", "min", "any", "all"))
        if name == "prod":
            x = np.clip(x, -1.5, 1.5)
        t, v = self.views.apply(self.w.array(x), x)
        count = self.r.randint(0, v.ndim + 1)
        list_ = [int(a) for a in self.r.permutation(v.ndim)[:count]]
        keep = bool(self.r.rand() < 0.5)
        if name in ("max", "min") and any(v.shape[a] == 0 for a in list_):
            return None
        got = getattr(self.w, name)(t, axes(list_, keep, True)).numpy()
        want = REDUCE[name](v.astype(np.float64 if name != "any" else np.float32),
                            axis=tuple(list_), keepdims=keep)
        return compare(f"{name} {v.shape} {list_}", got, want, 2e-5)

    def long_reduce(self):
        name = str(self.r.choice(["sum", "max", "mean", "min"]))
        shape = tuple(int(self.r.choice([1, 3, 70, 300, 5000])) for _ in range(2))
        x = self.rand.floats(shape, special=False)
        list_ = [[0], [1], [0, 1]][self.r.randint(0, 3)]
        got = getattr(self.w, name)(self.w.array(x), axes(list_)).numpy()
        want = REDUCE[name](x.astype(np.float64), axis=tuple(list_))
        return compare(f"{name} {shape} {list_}", got / 100, want / 100, 1e-4)

    def position(self):
        x = self.rand.floats(self.rand.shape(self.r.randint(1, 4)))
        t, v = self.views.apply(self.w.array(x), x)
        axis = int(self.r.randint(0, v.ndim))
        if v.shape[axis] == 0:
            return None
        name = str(self.r.choice(["argmax", "argmin"]))
        got = getattr(self.w, name)(t, axis, False).numpy()
        return compare(f"{name} {v.shape} {axis}", got, getattr(np, name)(v, axis=axis), 0)

    def scan(self):
        x = self.rand.floats(self.rand.shape(self.r.randint(1, 4)), special=False)
        t, v = self.views.apply(self.w.array(x), x)
        axis = int(self.r.randint(0, v.ndim))
        back = bool(self.r.rand() < 0.3)
        got = self.w.cumsum(t, axis, Scan(reverse=back)).numpy()
        want = np.flip(np.cumsum(np.flip(v, axis).astype(np.float64), axis), axis) if back \
            else np.cumsum(v.astype(np.float64), axis)
        return compare(f"cumsum {v.shape} {axis}", got, want, 1e-5)

    def cast(self):
        kinds = list(FROM_NUMPY)
        a, b = str(self.r.choice(kinds)), str(self.r.choice(kinds))
        x = np.clip(np.nan_to_num(self.rand.floats(self.rand.shape()) * 10), 0, 100)
        x = np.asarray(x).astype(a)
        t, v = self.views.apply(self.w.array(x), x)
        try:
            got = self.w.cast(t, FROM_NUMPY[b]).numpy()
        except WeftError as e:
            return None if "f64" in str(e) else str(e)
        return compare(f"cast {a} {b}", got, v.astype(b), 0)

    def copies(self):
        x = self.rand.floats(self.rand.shape(self.r.randint(1, 4)))
        t, v = self.views.apply(self.w.array(x), x)
        axis = int(self.r.randint(0, v.ndim))
        kind = self.r.randint(0, 5)
        if kind == 0:
            n = int(self.r.randint(1, 14))
            return compare("concat", self.w.list_op("concat", [t] * n, axis).numpy(),
                           np.concatenate([v] * n, axis), 0)
        if kind == 1:
            mode = ["constant", "edge", "reflect", "wrap"][self.r.randint(0, 4)]
            if v.size == 0 and mode != "constant":
                return None
            # NumPy 1.24 is wrong where it wraps more than once
            most = [min(3, n) if mode == "wrap" else 3 for n in v.shape]
            before = [int(self.r.randint(0, n + 1)) for n in most]
            after = [int(self.r.randint(0, n + 1)) for n in most]
            number = ["constant", "edge", "reflect", "wrap"].index(mode)
            got = self.w.pad_to(t, before, after, number, 0)
            return compare(f"pad {mode} {v.shape}", got.numpy(),
                           np.pad(v, list(zip(before, after)), mode), 0)
        if kind == 2:
            shift = int(self.r.randint(-9, 9))
            return compare("roll", self.w.roll(t, axis, C.c_int64(shift)).numpy(),
                           np.roll(v, shift, axis), 0)
        if kind == 3:
            return compare("repeat", self.w.repeat(t, axis, C.c_uint64(3)).numpy(),
                           np.repeat(v, 3, axis), 0)
        return compare("stack", self.w.list_op("stack", [t, t, t], axis).numpy(),
                       np.stack([v] * 3, axis), 0)

    def run(self, cases):
        kinds = [self.unary, self.binary, self.integer, self.reduce, self.long_reduce,
                 self.position, self.scan, self.cast, self.copies] + self.all_kinds()
        failures = 0
        for i in range(cases):
            kind = kinds[i % len(kinds)]
            with self.w.scope():
                try:
                    fault = kind()
                except WeftError as e:
                    fault = f"{kind.__name__}: {e}"
            if fault:
                failures += 1
                print(f"case {i}: {fault}")
                if failures == 20:
                    break
        print(f"{cases} cases, {failures} failures")
        return failures == 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=216)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bar", type=int, default=0)    # of the other script
    options = parser.parse_args()
    sys.exit(0 if Suite(options.seed).run(options.cases) else 1)
