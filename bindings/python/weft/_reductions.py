# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes: the statistical and utility functions of the array API standard."""
from __future__ import annotations

import ctypes
from typing import Any

from . import _abi, _dtypes, errors
from ._library import lib
from .tensor import Tensor, axes_of, op

__all__ = ["all", "any", "cumulative_prod", "cumulative_sum", "logsumexp", "max", "mean", "min",
           "norm", "prod", "std", "sum", "var", "count_nonzero", "diff"]

Axis = Any


def _axes(x: Tensor, axis: Axis, keepdims: bool) -> Any:
    found = axes_of(axis, x.ndim)
    raw = _abi.weft_axes(count=len(found), keep=keepdims, none=not found)
    raw.axes[:len(found)] = found
    return ctypes.byref(raw)


def _cast(x: Tensor, dtype: _dtypes.DType) -> Tensor:
    return x if x.dtype is dtype else op(x.context, lib.weft_tensor_cast, x, dtype.number)


def _sum_type(x: Tensor, dtype: Any) -> _dtypes.DType:
    """Sums of small integers and of booleans have the default type."""
    if dtype is not None:
        return _dtypes.find(dtype)
    return {"bool": _dtypes.int32, "i8": _dtypes.int32, "u8": _dtypes.uint32}.get(
        x.dtype.code, x.dtype)


def sum(x: Tensor, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    x = _cast(x, _sum_type(x, dtype))
    return op(x.context, lib.weft_tensor_sum, x, _axes(x, axis, keepdims))


def prod(x: Tensor, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    x = _cast(x, _sum_type(x, dtype))
    return op(x.context, lib.weft_tensor_prod, x, _axes(x, axis, keepdims))


def _reduction(name: str):
    function = getattr(lib, f"weft_tensor_{name}")

    def apply(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
        return op(x.context, function, x, _axes(x, axis, keepdims))
    apply.__name__ = apply.__qualname__ = name
    return apply


mean = _reduction("mean")
max = _reduction("max")
min = _reduction("min")
all = _reduction("all")
any = _reduction("any")
logsumexp = _reduction("logsumexp")


def var(x: Tensor, /, *, axis: Axis = None, correction: float = 0.0,
        keepdims: bool = False) -> Tensor:
    return op(x.context, lib.weft_tensor_var, x, _axes(x, axis, keepdims), float(correction))


def std(x: Tensor, /, *, axis: Axis = None, correction: float = 0.0,
        keepdims: bool = False) -> Tensor:
    found = var(x, axis=axis, correction=correction, keepdims=keepdims)
    return op(x.context, lib.weft_tensor_sqrt, found)


def norm(x: Tensor, /, *, axis: Axis = None, order: float = 2, keepdims: bool = False) -> Tensor:
    """(sum |x|^order)^(1/order); order 1, 2 or infinity."""
    return op(x.context, lib.weft_tensor_norm, x, _axes(x, axis, keepdims), float(order))


def count_nonzero(x: Tensor, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return sum(_cast(x, _dtypes.bool), axis=axis, keepdims=keepdims)


# ---- scans ----

def _scan(function: Any, first: float, x: Tensor, axis: int | None, dtype: Any,
          include_initial: bool) -> Tensor:
    from ._creation import full
    from ._manipulation import concat
    if axis is None:
        if x.ndim != 1:
            raise errors.ShapeError(f"give an axis for a tensor of rank {x.ndim}")
        axis = 0
    axis = axes_of(axis, x.ndim)[0]
    x = _cast(x, _sum_type(x, dtype))
    out = op(x.context, function, x, axis, None) if x.size else \
        op(x.context, lib.weft_tensor_copy, x)
    if not include_initial:
        return out
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1:])
    start = full(shape, first, dtype=x.dtype, context=x.context)
    return concat([start, out], axis=axis)


def cumulative_sum(x: Tensor, /, *, axis: int | None = None, dtype: Any = None,
                   include_initial: bool = False) -> Tensor:
    return _scan(lib.weft_tensor_cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x: Tensor, /, *, axis: int | None = None, dtype: Any = None,
                    include_initial: bool = False) -> Tensor:
    return _scan(lib.weft_tensor_cumprod, 1, x, axis, dtype, include_initial)


def diff(x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None,
         append: Tensor | None = None) -> Tensor:
    from ._elementwise import not_equal, subtract
    from ._manipulation import concat
    axis = axes_of(axis, x.ndim)[0]
    parts = [p for p in (prepend, x, append) if p is not None]
    x = concat(parts, axis=axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(n):
        late, early = x[(*before, slice(1, None))], x[(*before, slice(None, -1))]
        x = not_equal(late, early) if x.dtype is _dtypes.bool else subtract(late, early)
    return x


