# SPDX-License-Identifier: Apache-2.0
"""Shapes: the manipulation functions of the array API standard, and views of weft/tensor.h."""
from __future__ import annotations

import builtins
import ctypes
import math
from typing import Any, Sequence

from . import _dtypes, errors
from ._library import lib
from .tensor import Tensor, axes_of, op, pointers, sizes

__all__ = ["broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis",
           "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack",
           "matrix_transpose", "pad", "windows", "bitcast", "contiguous"]

_INFER = 2**64 - 1


def reshape(x: Tensor, /, shape: Any, *, copy: bool | None = None) -> Tensor:
    shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    if len(shape) > 8:
        raise errors.ShapeError(f"rank {len(shape)}: at most 8 is possible")
    if shape.count(-1) > 1 or any(n < -1 for n in shape):
        raise errors.ShapeError(f"the shape {shape} must have sizes, and -1 at most once")
    if -1 in shape and math.prod(n for n in shape if n != -1) == 0:
        raise errors.ShapeError(f"-1 in {shape} can be anything")
    wanted = (ctypes.c_uint64 * builtins.max(1, len(shape)))(
        *[_INFER if n == -1 else n for n in shape])
    source = op(x.context, lib.weft_tensor_copy, x) if copy else x
    return op(x.context, lib.weft_tensor_reshape, source, len(shape), wanted)


def broadcast_to(x: Tensor, /, shape: Any) -> Tensor:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return op(x.context, lib.weft_tensor_expand, x, len(shape), sizes(shape))


def broadcast_shapes(*shapes: tuple) -> tuple:
    rank = builtins.max((len(s) for s in shapes), default=0)
    out = []
    for i in range(-rank, 0):
        found = {s[i] for s in shapes if len(s) >= -i} - {1}
        if len(found) > 1:
            raise errors.ShapeError(f"the shapes {', '.join(map(str, shapes))} do not broadcast")
        out.append(found.pop() if found else 1)
    return tuple(out)


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return [broadcast_to(a, shape) for a in arrays]


def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    order = axes_of(tuple(axes), x.ndim)
    if len(order) != x.ndim:
        raise errors.ShapeError(f"axes {tuple(axes)} for a tensor of rank {x.ndim}")
    raw = (ctypes.c_int * builtins.max(1, x.ndim))(*order)
    return op(x.context, lib.weft_tensor_permute, x, raw)


def matrix_transpose(x: Tensor, /) -> Tensor:
    return x.mT


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    source, destination = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(source) != len(destination):
        raise errors.ShapeError("moveaxis() needs as many destinations as sources")
    order = [a for a in range(x.ndim) if a not in source]
    for to, a in sorted(zip(destination, source)):
        order.insert(to, a)
    return permute_dims(x, order)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise IndexError(f"axis {axis} of a tensor of rank {x.ndim}")
    return op(x.context, lib.weft_tensor_unsqueeze, x, axis % (x.ndim + 1))


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    for a in sorted(axes_of(axis, x.ndim), reverse=True):
        if x.shape[a] != 1:
            raise errors.ShapeError(f"axis {a} has {x.shape[a]} elements: it cannot be dropped")
        x = op(x.context, lib.weft_tensor_squeeze, x, a)
    return x


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    out = x
    for a in axes_of(axis, x.ndim):
        out = op(x.context, lib.weft_tensor_flip, out, a)
    return op(x.context, lib.weft_tensor_copy, x) if out is x else out


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    if x.size == 0:
        return op(x.context, lib.weft_tensor_copy, x)
    if axis is None:
        if not isinstance(shift, int):
            raise errors.InvalidError("several shifts need as many axes")
        flat = op(x.context, lib.weft_tensor_roll, reshape(x, (-1,)), 0, shift)
        return reshape(flat, x.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise errors.InvalidError("as many shifts as axes are needed")
    for a, s in zip(axes, shifts):
        x = op(x.context, lib.weft_tensor_roll, x, axes_of(a, x.ndim)[0], s)
    return x


def _alike(arrays: Sequence[Tensor]) -> list[Tensor]:
    """All in the type that they promote to."""
    if not arrays:
        raise errors.InvalidError("at least one tensor is needed")
    dtype = _dtypes.result_type(*arrays)
    return [a if a.dtype is dtype else op(a.context, lib.weft_tensor_cast, a, dtype.number)
            for a in arrays]


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    arrays = _alike(list(arrays))
    if axis is None:
        arrays, axis = [reshape(a, (a.size,)) for a in arrays], 0
    axis = axes_of(axis, arrays[0].ndim)[0]
    return op(arrays[0].context, lib.weft_tensor_concat, pointers(arrays), len(arrays), axis)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    arrays = _alike(list(arrays))
    axis = axes_of(axis, arrays[0].ndim + 1)[0]
    return op(arrays[0].context, lib.weft_tensor_stack, pointers(arrays), len(arrays), axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    axis = axes_of(axis, x.ndim)[0]
    return tuple(op(x.context, lib.weft_tensor_select, x, axis, i) for i in range(x.shape[axis]))


def tile(x: Tensor, repetitions: Sequence[int], /) -> Tensor:
    counts = tuple(repetitions)
    rank = builtins.max(x.ndim, len(counts))
    counts = (1,) * (rank - len(counts)) + counts
    x = reshape(x, (1,) * (rank - x.ndim) + x.shape)
    if not counts:
        return op(x.context, lib.weft_tensor_copy, x)
    return op(x.context, lib.weft_tensor_tile, x, sizes(counts))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    from ._creation import asarray
    if axis is None:
        x, axis = reshape(x, (x.size,)), 0
    axis = axes_of(axis, x.ndim)[0]
    if isinstance(repeats, int):
        return op(x.context, lib.weft_tensor_repeat, x, axis, repeats)
    counts = repeats.tolist() if isinstance(repeats, Tensor) else list(repeats)
    counts = counts if isinstance(counts, list) else [counts]
    if len(counts) == 1:
        counts = counts * x.shape[axis]
    if len(counts) != x.shape[axis] or any(c < 0 for c in counts):
        raise errors.ShapeError(f"{x.shape[axis]} counts of 0 or more are needed")
    places = [i for i, c in enumerate(counts) for _ in range(c)]
    index = asarray(places, dtype=_dtypes.int32, context=x.context)
    return op(x.context, lib.weft_tensor_take, x, index, axis)


_PAD_MODES = {"constant": 0, "edge": 1, "reflect": 2, "wrap": 3}


def pad(x: Tensor, widths: Sequence[tuple[int, int]], mode: str = "constant",
        value: float = 0.0) -> Tensor:
    """widths: (before, after) of each axis; negative ones cut."""
    if mode not in _PAD_MODES or len(widths) != x.ndim:
        raise errors.InvalidError(f"pad(): a mode of {', '.join(_PAD_MODES)}, and a pair for each "
                                  "axis")
    before, after = ((ctypes.c_int64 * 8)(*[w[i] for w in widths]) for i in (0, 1))
    return op(x.context, lib.weft_tensor_pad, x, before, after, _PAD_MODES[mode], value)


def windows(x: Tensor, axis: int, size: int, step: int = 1) -> Tensor:
    """Sliding windows as a new last axis."""
    return op(x.context, lib.weft_tensor_windows, x, axis, size, step)


def bitcast(x: Tensor, dtype: Any) -> Tensor:
    """The same bits as another type of the same size."""
    return op(x.context, lib.weft_tensor_bitcast, x, _dtypes.find(dtype).number)


def contiguous(x: Tensor) -> Tensor:
    """Itself, or a copy of a view whose elements are not one after the other."""
    return op(x.context, lib.weft_tensor_contiguous, x)
