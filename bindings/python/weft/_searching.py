# SPDX-License-Identifier: Apache-2.0
"""Searching, sorting, sets and element selection of the array API standard."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from . import _abi, _dtypes, errors
from ._library import lib
from .tensor import Tensor, axes_of, op

__all__ = ["argmax", "argmin", "argsort", "nonzero", "searchsorted", "sort", "take",
           "take_along_axis", "topk", "unique_all", "unique_counts", "unique_inverse",
           "unique_values", "where"]


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    from ._elementwise import pair
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        from ._creation import asarray
        x1 = asarray(x1, dtype=_dtypes.result_type(x1, x2), context=condition.context)
    a, b = pair(x1, x2)
    return op(condition.context, lib.weft_tensor_where, condition, a, b)


# ---- searching ----

def _arg(function: Any, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    from ._manipulation import reshape
    if axis is not None:
        return op(x.context, function, x, axes_of(axis, x.ndim)[0], keepdims)
    found = op(x.context, function, reshape(x, (x.size,)), 0, False)
    return reshape(found, (1,) * x.ndim) if keepdims else found


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return _arg(lib.weft_tensor_argmax, x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return _arg(lib.weft_tensor_argmin, x, axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    if x.ndim == 0:
        raise errors.ShapeError("nonzero() is not defined for rank 0")
    found = op(x.context, lib.weft_tensor_nonzero, x)
    return tuple(op(x.context, lib.weft_tensor_select, found, 0, i) for i in range(x.ndim))


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left",
                 sorter: Tensor | None = None) -> Tensor:
    if side not in ("left", "right"):
        raise errors.InvalidError(f"side is 'left' or 'right', not {side!r}")
    if sorter is not None:
        x1 = take(x1, sorter, axis=0)
    from ._manipulation import reshape
    flat = reshape(x2, (x2.size,))
    found = op(x1.context, lib.weft_tensor_searchsorted, x1, flat, side == "right")
    return reshape(found, x2.shape)


def topk(x: Tensor, k: int, /, *, axis: int = -1, smallest: bool = False) -> tuple[Tensor, Tensor]:
    """The k largest (smallest) elements of an axis, and where they are."""
    values, indices = ctypes.c_void_p(), ctypes.c_void_p()
    x.context.call(lib.weft_tensor_topk, ctypes.byref(values), ctypes.byref(indices), x, k, axis,
                   smallest)
    return Tensor(values.value, x.context), Tensor(indices.value, x.context)


# ---- sorting ----

def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    return op(x.context, lib.weft_tensor_sort, x, axes_of(axis, x.ndim)[0], descending)


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False,
            stable: bool = True) -> Tensor:
    return op(x.context, lib.weft_tensor_argsort, x, axes_of(axis, x.ndim)[0], descending)


# ---- selecting ----

def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    if axis is None:
        if x.ndim != 1:
            raise errors.ShapeError(f"give an axis for a tensor of rank {x.ndim}")
        axis = 0
    return op(x.context, lib.weft_tensor_take, x, indices, axes_of(axis, x.ndim)[0])


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    from ._manipulation import broadcast_shapes, broadcast_to
    axis = axes_of(axis, x.ndim)[0]
    rest = broadcast_shapes(*((*t.shape[:axis], 1, *t.shape[axis + 1:]) for t in (x, indices)))
    x, indices = (broadcast_to(t, (*rest[:axis], t.shape[axis], *rest[axis + 1:]))
                  for t in (x, indices))
    return op(x.context, lib.weft_tensor_gather, x, indices, axis)


# ---- sets ----

class UniqueAll(NamedTuple):
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAll:
    from ._manipulation import reshape
    raw = _abi.weft_unique()
    x.context.call(lib.weft_tensor_unique, ctypes.byref(raw), x)
    values, indices, inverse, counts = (Tensor(p, x.context) for p in (
        raw.values, raw.indices, raw.inverse, raw.counts))
    return UniqueAll(values, indices, reshape(inverse, x.shape), counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    return unique_all(x).values
