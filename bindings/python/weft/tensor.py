# SPDX-License-Identifier: Apache-2.0
"""The tensor: weft/tensor.h behind the array object of the Python array API standard.

Operations build a graph and return at once; elements are computed when they are asked for.
Slices are views: writes through a view are seen in its parent. A single element is a copy."""
from __future__ import annotations

import builtins
import ctypes
import math
import struct
from typing import Any

from . import _dtypes, errors
from ._buffers import CODES, allocate, numpy
from ._library import lib, text
from .context import Context, Owned

MAX_RANK = 8
_CACHED_BYTES = 1 << 16                 # tensors up to this size keep a copy on the host


class Tensor(Owned):
    """An array on a device. Make one with weft.asarray()."""

    __slots__ = ("dtype", "shape", "_host", "_stamp")
    _release = lib.weft_tensor_release
    _what = "tensor"
    __array_priority__ = 100            # NumPy leaves operators to us

    def __init__(self, pointer: int, context: Context):
        super().__init__(pointer, context)
        self.dtype = _dtypes.by_number(lib.weft_tensor_dtype(pointer))
        rank = lib.weft_tensor_rank(pointer)
        self.shape = tuple((ctypes.c_uint64 * rank).from_address(
            lib.weft_tensor_shape(pointer))) if rank else ()
        self._host, self._stamp = None, -1

    # ---- what it is ----

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return lib.weft_tensor_bytes(self._as_parameter_)

    @property
    def device(self) -> str:
        return self.context.device.get("backend", "none")

    @property
    def T(self) -> "Tensor":
        if self.ndim != 2:
            raise errors.ShapeError(f"T is for matrices, not for rank {self.ndim}")
        return self.mT

    @property
    def mT(self) -> "Tensor":
        if self.ndim < 2:
            raise errors.ShapeError(f"mT is for rank 2 and more, not for {self.ndim}")
        return op(self.context, lib.weft_tensor_transpose, self, -2, -1)

    def to_device(self, device: Any, /, *, stream: Any = None) -> "Tensor":
        if device != self.device:
            raise errors.UnsupportedError(f"this tensor is on '{self.device}'; read it and make "
                                          f"one in a context of '{device}'")
        return self

    def __array_namespace__(self, *, api_version: str | None = None):
        import weft
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise errors.UnsupportedError(f"array API version {api_version}")
        return weft

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor of rank 0 has no length")
        return self.shape[0]

    def __repr__(self):
        if self.size > 1000:
            return f"<Tensor {self.dtype} {self.shape} on {self.device}>"
        return f"Tensor({self.tolist()}, dtype={self.dtype})"

    def explain(self) -> str:
        """The kernels that compute it, and why they are what they are."""
        pointer = self.context.call(lib.weft_tensor_explain, self)
        found = text(ctypes.string_at(pointer))
        lib.weft_string_release(pointer)
        return found

    # ---- its elements ----

    def eval(self) -> "Tensor":
        """Computes it now."""
        pointers = (ctypes.c_void_p * 1)(self._as_parameter_)
        self.context.call(lib.weft_tensor_eval, pointers, 1)
        return self

    def _read(self, address: int, size: int) -> None:
        if size:
            self.context.call(lib.weft_tensor_read, address, size, self)

    def tobytes(self) -> bytes:
        """The elements, last axis fastest."""
        if self._host is not None and self._stamp == self.context.writes:
            return self._host
        self._as_parameter_
        out = ctypes.create_string_buffer(max(1, self.nbytes))
        self._read(ctypes.addressof(out), self.nbytes)
        data = out.raw[:self.nbytes]
        if len(data) <= _CACHED_BYTES:
            self._host, self._stamp = data, self.context.writes
        return data

    def host(self) -> Any:
        """A copy in memory of Python: of NumPy, else a memoryview."""
        if self.dtype.code not in CODES:
            raise errors.DTypeError(f"{self.dtype} has no equal in Python: cast it to float32")
        array, place = allocate(self.dtype.code, self.shape)
        if place.size:
            self._read(place.address, place.size)
        return array

    def numpy(self) -> Any:
        """A NumPy array with a copy of the elements."""
        if numpy() is None:
            raise errors.UnsupportedError("NumPy is not installed")
        return self.host()

    def __array__(self, dtype: Any = None, copy: Any = None):
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def _numbers(self) -> tuple:
        """Flat, as Python numbers."""
        t = self
        if self.dtype.code == "bf16":
            t = op(self.context, lib.weft_tensor_cast, self, _dtypes.float32.number)
        return struct.unpack(f"<{self.size}{CODES[t.dtype.code]}", t.tobytes())

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        def nest(values, shape):
            if len(shape) <= 1:
                return list(values)
            step = len(values) // shape[0] if shape[0] else 0
            return [nest(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]
        values = self._numbers()
        return nest(values, self.shape) if self.shape else values[0]

    def item(self) -> Any:
        """The only element as a Python number."""
        if self.size != 1:
            raise errors.ShapeError(f"item() is for one element, not for shape {self.shape}")
        return self._numbers()[0]

    def __bool__(self):
        return builtins.bool(self._scalar("bool"))

    def __int__(self):
        return int(self._scalar("int"))

    def __float__(self):
        return float(self._scalar("float"))

    def __index__(self):
        if self.dtype.kind not in ("int", "uint"):
            raise errors.DTypeError(f"{self.dtype} cannot be an index")
        return int(self._scalar("index"))

    def __complex__(self):
        return complex(self._scalar("complex"))

    def _scalar(self, what: str):
        if self.size != 1:
            raise errors.ShapeError(f"{what}() of a tensor needs one element, not shape "
                                    f"{self.shape}")
        return self._numbers()[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("a tensor of rank 0 cannot be iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: Any = None):
        from . import dlpack
        return dlpack.export(self, copy)

    def __dlpack_device__(self):
        return 1, 0                     # memory of the host: kDLCPU

    # ---- indexing ----

    def __getitem__(self, key: Any) -> "Tensor":
        from . import _indexing
        return _indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from . import _indexing
        _indexing.set(self, key, value)

    def write(self, value: Any) -> None:
        """Replaces all elements by those of memory or of another tensor."""
        from ._creation import asarray
        source = asarray(value, context=self.context)
        self.context.writes += 1
        self.context.call(lib.weft_tensor_assign, self, source)

    __hash__ = None                     # type: ignore[assignment]


def op(context: Context, function: Any, *args: Any) -> Tensor:
    """A function of the library that returns a tensor."""
    return Tensor(context.call(function, *args), context)


def axes_of(axis: Any, rank: int) -> list[int]:
    """Axes as a list from 0 on; None: all."""
    if axis is None:
        return list(range(rank))
    found = []
    for a in axis if isinstance(axis, (tuple, list)) else (axis,):
        if not -rank <= a < rank:
            raise errors.ShapeError(f"axis {a} of a tensor of rank {rank}")
        found.append(a % rank)
    if len(set(found)) != len(found):
        raise errors.ShapeError(f"axes {axis} have duplicates")
    return found


def sizes(shape: Any) -> Any:
    """A shape for the library."""
    shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    if len(shape) > MAX_RANK:
        raise errors.ShapeError(f"rank {len(shape)}: at most {MAX_RANK} is possible")
    if any(n < 0 for n in shape):
        raise errors.ShapeError(f"the shape {shape} has a negative size")
    return (ctypes.c_uint64 * max(1, len(shape)))(*shape)


def pointers(tensors: Any) -> Any:
    return (ctypes.c_void_p * max(1, len(tensors)))(*[t._as_parameter_ for t in tensors])


__all__ = ["Tensor"]
