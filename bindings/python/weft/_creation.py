# SPDX-License-Identifier: Apache-2.0
"""Making tensors: the creation functions of the array API standard."""
from __future__ import annotations

import builtins
import ctypes
import math
import struct
from typing import Any

from . import _abi, _dtypes, errors
from ._buffers import CODES, memory
from ._dtypes import find
from ._library import lib
from .context import Context, default_context
from .tensor import MAX_RANK, Tensor, op, sizes

__all__ = ["arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
           "linspace", "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
           "one_hot"]

_BUFFER_TYPES = {"f32": "f32", "f16": "f16", "f64": "f64", "i32": "i32", "u32": "u32", "i8": "i8",
                 "u8": "u8", "i64": "i64", "bool": "bool"}


def place(context: Context | None, device: Any) -> Context:
    """The context to make a tensor in."""
    found = context or default_context()
    if device is not None and device != found.device.get("backend"):
        raise errors.UnsupportedError(f"no device '{device}' here: make a weft.Context of it and "
                                      "give it as `context`")
    return found


# ---- from memory ----

_borrowed: dict[int, Any] = {}          # memory that tensors read when they are used
_ended = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda key: _borrowed.pop(key, None) and None)


def create(context: Context, dtype: _dtypes.DType, shape: tuple, address: int, size: int,
           borrow: Any = None) -> Tensor:
    """A tensor with the elements at an address. With `borrow`, that object is kept until the
    library has read the memory; else the elements are copied now."""
    if len(shape) > MAX_RANK:
        raise errors.ShapeError(f"rank {len(shape)}: at most {MAX_RANK} is possible")
    desc = _abi.weft_tensor_desc(dtype=dtype.number, rank=len(shape), data=address or None,
                                 data_size=size)
    desc.shape[:len(shape)] = shape
    key = 0
    if borrow is not None and size:
        holder = object()
        key = id(holder)
        _borrowed[key] = (holder, borrow)
        desc.borrow, desc.borrow_user = True, key
        desc.borrow_end = type(desc.borrow_end)(ctypes.cast(_ended, ctypes.c_void_p).value)
    try:
        return op(context, lib.weft_tensor_create, context, ctypes.byref(desc))
    except errors.WeftError:
        _borrowed.pop(key, None)
        raise


def _shape_of(value: Any) -> tuple:
    if isinstance(value, Tensor):
        return value.shape
    if not isinstance(value, (list, tuple)):
        return ()
    inner = {_shape_of(v) for v in value}
    if len(inner) > 1:
        raise errors.ShapeError("the lists have different lengths")
    return (len(value), *(inner.pop() if inner else ()))


def _numbers(value: Any, out: list) -> None:
    if isinstance(value, (list, tuple)):
        for v in value:
            _numbers(v, out)
    elif isinstance(value, Tensor):
        out.extend(value._numbers())
    elif isinstance(value, (builtins.bool, int, float)):
        out.append(value)
    elif hasattr(value, "__float__") or hasattr(value, "__index__"):
        out.append(value.__index__() if hasattr(value, "__index__") else float(value))
    else:
        raise errors.DTypeError(f"a tensor cannot be made of {type(value).__name__}")


def _from_numbers(value: Any, dtype: _dtypes.DType | None, context: Context) -> Tensor:
    shape, flat = _shape_of(value), []
    _numbers(value, flat)
    if dtype is None:
        dtype = _dtypes.bool if flat and all(isinstance(v, builtins.bool) for v in flat) else \
            _dtypes.int32 if flat and all(isinstance(v, int) for v in flat) else _dtypes.float32
    target = dtype if dtype.code in CODES else _dtypes.float32
    try:
        flat = [builtins.bool(v) for v in flat] if target is _dtypes.bool else \
            [float(v) for v in flat] if target.kind == "float" else [int(v) for v in flat]
        data = struct.pack(f"<{len(flat)}{CODES[target.code]}", *_finite(flat, target))
    except (struct.error, OverflowError, ValueError) as e:
        raise errors.InvalidError(f"the numbers do not fit {dtype}: {e}") from None
    keep = ctypes.create_string_buffer(data, max(1, len(data)))
    made = create(context, target, shape, ctypes.addressof(keep), len(data))
    return made if target is dtype else op(context, lib.weft_tensor_cast, made, dtype.number)


def _finite(flat: list, dtype: _dtypes.DType) -> list:
    """struct refuses what rounds to infinity; arrays do not."""
    if dtype.code in ("f32", "f16"):
        top = _dtypes.finfo(dtype).max
        return [math.copysign(math.inf, v) if abs(v) > top and math.isfinite(v) else v
                for v in flat]
    return flat


def asarray(value: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None,
            context: Context | None = None) -> Tensor:
    """A tensor of nested lists, numbers, memory (NumPy, array.array, ...), DLPack or a tensor.

    With copy=False, memory is not copied but read when the tensor is first used: it must stay
    unchanged until then."""
    dtype = None if dtype is None else find(dtype)
    if isinstance(value, Tensor):
        return _again(value, dtype, copy)
    context = place(context, device)
    if not isinstance(value, (builtins.bool, int, float, list, tuple)):
        found = memory(value)
        if found is not None:
            return _from_memory(found, dtype, copy, context)
        if hasattr(value, "__dlpack__"):
            return from_dlpack(value, context=context)
    if copy is False:
        raise errors.InvalidError("numbers of Python cannot be used without a copy")
    return _from_numbers(value, dtype, context)


def _again(value: Tensor, dtype: _dtypes.DType | None, copy: bool | None) -> Tensor:
    if dtype is not None and dtype is not value.dtype:
        if copy is False:
            raise errors.InvalidError(f"{value.dtype} becomes {dtype} only with a copy")
        return op(value.context, lib.weft_tensor_cast, value, dtype.number)
    return op(value.context, lib.weft_tensor_copy, value) if copy else value


def _from_memory(found: Any, dtype: _dtypes.DType | None, copy: bool | None,
                 context: Context) -> Tensor:
    code = _BUFFER_TYPES.get(found.type)
    if code is None:
        raise errors.DTypeError(f"tensors have no type {found.type}: convert the memory first")
    have = find(code)
    made = create(context, have, found.shape, found.address, found.size,
                  found.keep if copy is False else None)
    if dtype is None or dtype is have:
        return made
    return op(context, lib.weft_tensor_cast, made, dtype.number)


def from_dlpack(value: Any, /, *, device: Any = None, copy: bool | None = None,
                context: Context | None = None) -> Tensor:
    """The elements of another library's array. Contiguous memory is not copied by this call."""
    from . import dlpack
    return dlpack.take(value, place(context, device), copy)


# ---- filled ----

def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
         context: Context | None = None) -> Tensor:
    context = place(context, device)
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    dtype = find(type(fill_value)) if dtype is None else find(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return op(context, lib.weft_tensor_full, context, dtype.number, len(shape), sizes(shape),
              float(fill_value))


def zeros(shape: Any, *, dtype: Any = None, device: Any = None,
          context: Context | None = None) -> Tensor:
    return full(shape, 0, dtype=_dtypes.float32 if dtype is None else dtype, device=device,
                context=context)


def ones(shape: Any, *, dtype: Any = None, device: Any = None,
         context: Context | None = None) -> Tensor:
    return full(shape, 1, dtype=_dtypes.float32 if dtype is None else dtype, device=device,
                context=context)


empty = zeros


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device, context=x.context)


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    return full_like(x, 1, dtype=dtype, device=device)


empty_like = zeros_like


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None,
        device: Any = None, context: Context | None = None) -> Tensor:
    context = place(context, device)
    dtype = _dtypes.float32 if dtype is None else find(dtype)
    columns = n_rows if n_cols is None else n_cols
    if n_rows == 0 or columns == 0:
        return zeros((n_rows, columns), dtype=dtype, context=context)
    k = max(-n_rows, min(k, columns))
    return op(context, lib.weft_tensor_eye, context, dtype.number, n_rows, columns, k)


# ---- ranges ----

def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None,
           device: Any = None, context: Context | None = None) -> Tensor:
    if stop is None:
        start, stop = 0, start
    context = place(context, device)
    if dtype is None:
        dtype = _dtypes.int32 if all(isinstance(v, int) for v in (start, stop, step)) \
            else _dtypes.float32
    dtype = find(dtype)
    count = max(0, math.ceil((stop - start) / step))
    if count == 0:
        return zeros(0, dtype=dtype, context=context)
    if dtype.kind != "float":           # exact, whatever their size
        return _from_numbers([int(start + i * step) for i in range(count)], dtype, context) \
            if count <= 4096 or dtype.bits > 32 else op(
                context, lib.weft_tensor_arange, context, dtype.number, float(start),
                float(stop), float(step))
    return op(context, lib.weft_tensor_arange, context, dtype.number, float(start), float(stop),
              float(step))


def linspace(start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None,
             endpoint: bool = True, context: Context | None = None) -> Tensor:
    context = place(context, device)
    dtype = _dtypes.float32 if dtype is None else find(dtype)
    if num < 0:
        raise errors.InvalidError(f"linspace() of {num} numbers")
    if num <= 4096:                     # computed in f64, rounded once
        steps = num - 1 if endpoint else num
        values = [start + (stop - start) * (i / steps) if steps else start for i in range(num)]
        if endpoint and num > 1:
            values[-1] = stop
        return _from_numbers(values, dtype, context)
    last = stop if endpoint else start + (stop - start) * ((num - 1) / num)
    return op(context, lib.weft_tensor_linspace, context, dtype.number, float(start),
              float(last), num)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    from ._manipulation import broadcast_to, permute_dims, reshape
    if indexing not in ("xy", "ij"):
        raise errors.InvalidError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    shape = tuple(a.size for a in arrays)
    out = []
    for i, a in enumerate(arrays):
        own = [1] * len(arrays)
        own[i] = -1 if a.size else 0
        out.append(broadcast_to(reshape(a, tuple(own)), shape))
    if indexing == "xy" and len(arrays) > 1:
        axes = (1, 0, *range(2, len(arrays)))
        out = [permute_dims(a, axes) for a in out]
    return out


# ---- triangles ----

def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    return _triangle(x, False, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    return _triangle(x, True, k)


def _triangle(x: Tensor, upper: bool, k: int) -> Tensor:
    if x.size == 0:
        return op(x.context, lib.weft_tensor_copy, x)
    return op(x.context, lib.weft_tensor_tri, x, upper, k)


def one_hot(indices: Tensor, depth: int, *, dtype: Any = None) -> Tensor:
    """indices[...] -> [..., depth]: 1 where the index is, else 0."""
    dtype = _dtypes.float32 if dtype is None else find(dtype)
    return op(indices.context, lib.weft_tensor_one_hot, indices, depth, dtype.number)
