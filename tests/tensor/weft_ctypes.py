# SPDX-License-Identifier: Apache-2.0
"""weft_ctypes.py - weft/tensor.h for the Python tests of this folder, through ctypes.

    w = Weft()                          the library of $WEFT_LIB
    y = w.exp(w.array(x)).numpy()

Every tensor lives in the scope of the innermost `with w.scope():`.
"""
import ctypes as C
import os

import numpy as np

NAMES = ["f32", "f16", "bf16", "f64", "i32", "u32", "i8", "u8", "i64", "bool",
         "q4_0", "q8_0", "i4", "u4"]
DTYPE = {name: i + 1 for i, name in enumerate(NAMES)}
FROM_NUMPY = {"float32": "f32", "float16": "f16", "float64": "f64", "int32": "i32",
              "uint32": "u32", "int8": "i8", "uint8": "u8", "int64": "i64", "bool": "bool"}
TO_NUMPY = {v: k for k, v in FROM_NUMPY.items()}


class Desc(C.Structure):
    _fields_ = [("dtype", C.c_int), ("rank", C.c_uint32), ("shape", C.c_uint64 * 8),
                ("data", C.c_void_p), ("data_size", C.c_uint64), ("borrow", C.c_bool),
                ("borrow_end", C.c_void_p), ("borrow_user", C.c_void_p),
                ("buffer", C.c_void_p), ("buffer_offset", C.c_uint64), ("label", C.c_char_p)]


class Axes(C.Structure):
    _fields_ = [("count", C.c_uint32), ("axes", C.c_int * 8), ("keep", C.c_bool),
                ("none", C.c_bool)]


class Range(C.Structure):
    _fields_ = [("start", C.c_int64), ("stop", C.c_int64), ("step", C.c_int64),
                ("has_start", C.c_bool), ("has_stop", C.c_bool)]


class Scan(C.Structure):
    _fields_ = [("exclusive", C.c_bool), ("reverse", C.c_bool)]


class Conv(C.Structure):
    _fields_ = [("stride", C.c_uint32 * 2), ("dilation", C.c_uint32 * 2), ("groups", C.c_uint32),
                ("pad_before", C.c_uint32 * 2), ("pad_after", C.c_uint32 * 2),
                ("activation", C.c_int), ("output_pad", C.c_uint32 * 2)]


class Resize(C.Structure):
    _fields_ = [("size", C.c_uint64 * 2), ("scale", C.c_double * 2), ("mode", C.c_int),
                ("grid", C.c_int), ("rounding", C.c_int), ("cubic", C.c_double),
                ("exclude_outside", C.c_bool), ("antialias", C.c_bool)]


class Random(C.Structure):
    _fields_ = [("key", C.c_uint64), ("first", C.c_uint64), ("dtype", C.c_int),
                ("rank", C.c_uint32), ("shape", C.c_uint64 * 8)]


class Rope(C.Structure):
    _fields_ = [("positions", C.c_void_p), ("frequencies", C.c_void_p), ("base", C.c_double),
                ("dims", C.c_uint32), ("interleaved", C.c_bool)]


class Attention(C.Structure):
    _fields_ = [("mask", C.c_void_p), ("causal", C.c_bool), ("window", C.c_uint32),
                ("scale", C.c_double), ("soft_cap", C.c_double)]


class Scales(C.Structure):
    _fields_ = [("scale", C.c_void_p), ("zero", C.c_void_p), ("axis", C.c_int)]


class Quantize(C.Structure):
    _fields_ = [("dtype", C.c_int), ("per", C.c_int), ("axis", C.c_int), ("block", C.c_uint64)]


class Triangular(C.Structure):
    _fields_ = [("upper", C.c_bool), ("unit", C.c_bool)]


class Unique(C.Structure):
    _fields_ = [(name, C.c_void_p) for name in ("values", "indices", "inverse", "counts")]


class Pool(C.Structure):
    _fields_ = [("size", C.c_uint32 * 2), ("stride", C.c_uint32 * 2),
                ("dilation", C.c_uint32 * 2), ("pad_before", C.c_uint32 * 2),
                ("pad_after", C.c_uint32 * 2), ("ceil", C.c_bool), ("include_padding", C.c_bool)]


class Error(C.Structure):
    _fields_ = [("kind", C.c_int), ("message", C.c_char_p)]


class WeftError(Exception):
    """What weft_context_error() says."""


def u64s(values):
    return (C.c_uint64 * max(len(values), 1))(*[int(v) for v in values])


def i64s(values):
    return (C.c_int64 * max(len(values), 1))(*[int(v) for v in values])


def axes(list_=None, keep=False, none=False):
    a = Axes(keep=keep, none=none)
    if list_ is not None:
        a.count = len(list_)
        for i, v in enumerate(list_):
            a.axes[i] = int(v)
    return a


class Tensor:
    def __init__(self, w, ptr):
        self.w, self.ptr = w, ptr

    @property
    def shape(self):
        lib = self.w.lib
        rank = lib.weft_tensor_rank(C.c_void_p(self.ptr))
        lib.weft_tensor_shape.restype = C.POINTER(C.c_uint64)
        return tuple(lib.weft_tensor_shape(C.c_void_p(self.ptr))[i] for i in range(rank))

    @property
    def dtype(self):
        return NAMES[self.w.lib.weft_tensor_dtype(C.c_void_p(self.ptr)) - 1]

    def numpy(self):
        if self.dtype == "bf16":
            return self.w.cast(self, "f32").numpy()
        out = np.empty(self.shape, TO_NUMPY[self.dtype])
        ok = self.w.lib.weft_tensor_read(C.c_void_p(out.ctypes.data), C.c_uint64(out.nbytes),
                                         C.c_void_p(self.ptr))
        if not ok:
            raise WeftError(self.w.error())
        return out


class Scope:
    def __init__(self, w):
        self.w = w

    def __enter__(self):
        self.w.lib.weft_tensor_scope_begin(self.w.ctx)

    def __exit__(self, *_):
        self.w.lib.weft_tensor_scope_end(self.w.ctx, None, 0)


class Weft:
    def __init__(self):
        self.lib = C.CDLL(os.environ["WEFT_LIB"])
        self.lib.weft_context_create.restype = C.c_void_p
        self.lib.weft_context_error.restype = C.POINTER(Error)
        self.lib.weft_tensor_eval.restype = C.c_bool
        self.lib.weft_tensor_read.restype = C.c_bool
        self.ctx = C.c_void_p(self.lib.weft_context_create(None))
        self.check()

    def error(self):
        message = self.lib.weft_context_error(self.ctx).contents.message.decode()
        self.lib.weft_context_error_clear(self.ctx)
        return message

    def check(self):
        if self.lib.weft_context_error(self.ctx).contents.kind:
            raise WeftError(self.error())

    def scope(self):
        return Scope(self)

    def has(self, name):
        return hasattr(self.lib, "weft_tensor_" + name)

    def tensor(self, ptr):
        if not ptr:
            raise WeftError(self.error())
        return Tensor(self, ptr)

    def array(self, values):
        values = np.ascontiguousarray(values).reshape(np.shape(values))
        d = Desc(dtype=DTYPE[FROM_NUMPY[str(values.dtype)]], rank=values.ndim,
                 data=values.ctypes.data)
        for i, n in enumerate(values.shape):
            d.shape[i] = n
        self.lib.weft_tensor_create.restype = C.c_void_p
        return self.tensor(self.lib.weft_tensor_create(self.ctx, C.byref(d)))

    def scalar(self, value):
        self.lib.weft_tensor_scalar.restype = C.c_void_p
        return self.tensor(self.lib.weft_tensor_scalar(self.ctx, C.c_double(value)))

    def full(self, dtype, shape, value):
        self.lib.weft_tensor_full.restype = C.c_void_p
        return self.tensor(self.lib.weft_tensor_full(self.ctx, DTYPE[dtype], len(shape),
                                                     u64s(shape), C.c_double(value)))

    def arange(self, dtype, start, stop, step):
        self.lib.weft_tensor_arange.restype = C.c_void_p
        return self.tensor(self.lib.weft_tensor_arange(
            self.ctx, DTYPE[dtype], C.c_double(start), C.c_double(stop), C.c_double(step)))

    def eye(self, dtype, rows, columns, k):
        self.lib.weft_tensor_eye.restype = C.c_void_p
        return self.tensor(self.lib.weft_tensor_eye(
            self.ctx, DTYPE[dtype], C.c_uint64(rows), C.c_uint64(columns), C.c_int64(k)))

    def __getattr__(self, name):
        """weft_tensor_NAME(); tensors, numbers and structs are converted."""
        fn = getattr(self.lib, "weft_tensor_" + name)
        fn.restype = C.c_void_p

        def convert(a):
            if isinstance(a, Tensor):
                return C.c_void_p(a.ptr)
            if isinstance(a, str):
                return C.c_int(DTYPE[a])
            if isinstance(a, bool):
                return C.c_bool(a)
            if isinstance(a, float):
                return C.c_double(a)
            if isinstance(a, C.Structure):
                return C.byref(a)
            return a

        return lambda *args: self.tensor(fn(*[convert(a) for a in args]))

    def list_op(self, name, tensors, axis):
        fn = getattr(self.lib, "weft_tensor_" + name)
        fn.restype = C.c_void_p
        ptrs = (C.c_void_p * len(tensors))(*[t.ptr for t in tensors])
        return self.tensor(fn(ptrs, len(tensors), axis))

    def several(self, name, count, *args):
        """weft_tensor_NAME(out..., args...): that many results."""
        fn = getattr(self.lib, "weft_tensor_" + name)
        fn.restype = C.c_bool
        out = [C.c_void_p() for _ in range(count)]
        plain = [C.c_void_p(a.ptr) if isinstance(a, Tensor) else a for a in args]
        if not fn(*[C.byref(o) for o in out], *plain):
            raise WeftError(self.error())
        return [self.tensor(o.value) for o in out]

    def unique_of(self, t):
        fn, u = self.lib.weft_tensor_unique, Unique()
        fn.restype = C.c_bool
        if not fn(C.byref(u), C.c_void_p(t.ptr)):
            raise WeftError(self.error())
        return [self.tensor(getattr(u, n)) for n, _ in Unique._fields_]

    def quantized_of(self, t, how):
        """Values, scales and zeros (or None)."""
        fn, out = self.lib.weft_tensor_quantize_dynamic, [C.c_void_p() for _ in range(3)]
        fn.restype = C.c_bool
        if not fn(*[C.byref(o) for o in out], C.c_void_p(t.ptr), C.byref(how)):
            raise WeftError(self.error())
        return [self.tensor(o.value) if o.value else None for o in out]

    def einsum_of(self, equation, tensors):
        fn = self.lib.weft_tensor_einsum
        fn.restype = C.c_void_p
        ptrs = (C.c_void_p * len(tensors))(*[t.ptr for t in tensors])
        return self.tensor(fn(equation.encode(), ptrs, len(tensors)))

    def random_of(self, name, shape, *args, key=1, first=0, dtype=None):
        r = Random(key=key, first=first, dtype=DTYPE[dtype] if dtype else 0, rank=len(shape))
        for i, n in enumerate(shape):
            r.shape[i] = n
        fn = getattr(self.lib, "weft_tensor_" + name)
        fn.restype = C.c_void_p
        return self.tensor(fn(self.ctx, C.byref(r), *args))

    def reshape_to(self, t, shape):
        return self.reshape(t, len(shape), u64s([s if s >= 0 else 2 ** 64 - 1 for s in shape]))

    def expand_to(self, t, shape):
        return self.expand(t, len(shape), u64s(shape))

    def permute_to(self, t, order):
        return self.permute(t, (C.c_int * max(len(order), 1))(*order))

    @staticmethod
    def ranges_of(ranges):
        """ranges: (start, stop, step) for the first axes, None for a default."""
        list_ = (Range * max(len(ranges), 1))()
        for r, (start, stop, step) in zip(list_, ranges):
            r.has_start, r.has_stop = start is not None, stop is not None
            r.start, r.stop, r.step = start or 0, stop or 0, step or 1
        return list_

    def slice_to(self, t, ranges):
        return self.slice(t, len(ranges), self.ranges_of(ranges))

    def slice_update_to(self, t, updates, ranges):
        return self.slice_update(t, updates, len(ranges), self.ranges_of(ranges))

    def pad_to(self, t, before, after, mode, value):
        return self.pad(t, i64s(before), i64s(after), mode, C.c_double(value))
