# SPDX-License-Identifier: Apache-2.0
"""Random numbers: functions of a key and of the position, the same on every device."""
from __future__ import annotations

import ctypes
from typing import Any

from . import _abi, _dtypes
from ._library import lib
from .context import Context, default_context
from .tensor import Tensor, op

__all__ = ["bernoulli", "bits", "dropout", "integers", "normal", "permutation", "uniform"]


def _desc(key: int, shape: Any, dtype: Any) -> Any:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    raw = _abi.weft_random(key=key, rank=len(shape),
                           dtype=0 if dtype is None else _dtypes.find(dtype).number)
    raw.shape[:len(shape)] = shape
    return ctypes.byref(raw)


def uniform(key: int, shape: Any, low: float = 0.0, high: float = 1.0, *, dtype: Any = None,
            context: Context | None = None) -> Tensor:
    """In [low, high)."""
    context = context or default_context()
    return op(context, lib.weft_tensor_uniform, context, _desc(key, shape, dtype), low, high)


def normal(key: int, shape: Any, mean: float = 0.0, deviation: float = 1.0, *, dtype: Any = None,
           context: Context | None = None) -> Tensor:
    context = context or default_context()
    return op(context, lib.weft_tensor_normal, context, _desc(key, shape, dtype), mean, deviation)


def integers(key: int, shape: Any, low: int, high: int, *,
             context: Context | None = None) -> Tensor:
    """low, low + 1, ... below high."""
    context = context or default_context()
    return op(context, lib.weft_tensor_randint, context, _desc(key, shape, None), low, high)


def bits(key: int, shape: Any, *, context: Context | None = None) -> Tensor:
    """32 random bits an element, uint32."""
    context = context or default_context()
    return op(context, lib.weft_tensor_random_bits, context, _desc(key, shape, None))


def permutation(key: int, n: int, *, context: Context | None = None) -> Tensor:
    """0 to n - 1 in random order."""
    context = context or default_context()
    return op(context, lib.weft_tensor_permutation, context, n, key)


def bernoulli(key: int, p: Tensor) -> Tensor:
    """True with the probability p, element by element."""
    return op(p.context, lib.weft_tensor_bernoulli, p, key)


def dropout(key: int, x: Tensor, rate: float) -> Tensor:
    """0 with the probability `rate`, else x / (1 - rate)."""
    return op(x.context, lib.weft_tensor_dropout, x, rate, key)
