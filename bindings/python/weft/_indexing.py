# SPDX-License-Identifier: Apache-2.0
"""x[key] and x[key] = value: integers, slices, ..., None, tensors of integers, masks."""
from __future__ import annotations

import builtins
import ctypes
from typing import Any

from . import _abi, _dtypes, errors
from ._buffers import CODES
from ._library import lib
from .tensor import Tensor, op

_SMALL = 1 << 16


def _is_int(k: Any) -> bool:
    return isinstance(k, int) and not isinstance(k, builtins.bool) or (
        hasattr(k, "__index__") and not isinstance(k, (Tensor, builtins.bool)))


def _is_mask(k: Any) -> bool:
    return isinstance(k, builtins.bool) or (isinstance(k, Tensor) and k.dtype is _dtypes.bool)


def _expand(x: Tensor, key: Any) -> list:
    """The key with ... written out: one entry for each axis, and None where axes are added."""
    key = list(key) if isinstance(key, tuple) else [key]
    key = [_converted(k, x) for k in key]
    used = sum(k.ndim if isinstance(k, Tensor) and _is_mask(k) else
               k is not None and k is not Ellipsis for k in key)
    if used > x.ndim:
        raise IndexError(f"{used} indices for a tensor of rank {x.ndim}")
    dots = [i for i, k in enumerate(key) if k is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index has '...' at most once")
    at = dots[0] if dots else len(key)
    return key[:at] + [slice(None)] * (x.ndim - used) + key[at + 1:]


def _converted(k: Any, x: Tensor) -> Any:
    """Lists and arrays of other libraries become tensors."""
    if k is None or k is Ellipsis or isinstance(k, (slice, Tensor, int)):
        return k
    if _is_int(k):
        return k.__index__()
    from ._creation import asarray
    return asarray(k, context=x.context)


def _checked(k: int, size: int) -> int:
    if not -size <= k < size:
        raise IndexError(f"index {k} of an axis with {size} elements")
    return k % size


# ---- integers, slices, None: views ----

def _range(k: slice) -> _abi.weft_range:
    step = 1 if k.step is None else k.step.__index__()
    if step == 0:
        raise errors.InvalidError("the step of a slice is 0")
    return _abi.weft_range(start=0 if k.start is None else k.start.__index__(),
                           stop=0 if k.stop is None else k.stop.__index__(), step=step,
                           has_start=k.start is not None, has_stop=k.stop is not None)


def view(x: Tensor, key: list) -> Tensor:
    entries = [k for k in key if k is not None]
    ranges = [_range(k) if isinstance(k, slice) else _abi.weft_range() for k in entries]
    if any(isinstance(k, slice) and k != slice(None) for k in entries):
        x = op(x.context, lib.weft_tensor_slice, x, len(ranges),
               (_abi.weft_range * len(ranges))(*ranges))
    axis = 0
    for k in key:
        if k is None:
            x = op(x.context, lib.weft_tensor_unsqueeze, x, axis)
            axis += 1
        elif isinstance(k, slice):
            axis += 1
        else:
            x = op(x.context, lib.weft_tensor_select, x, axis, _checked(k, x.shape[axis]))
    return x


def _element(x: Tensor, key: list) -> Tensor | None:
    """One element of a small tensor, from its copy on the host."""
    if x.nbytes > _SMALL or x.dtype.code not in CODES or not key:
        return None
    at = 0
    for k, size in zip(key, x.shape):
        at = at * size + _checked(k, size)
    from ._creation import create
    data = x.tobytes()[at * x.itemsize:(at + 1) * x.itemsize]
    keep = ctypes.create_string_buffer(data, len(data))
    made = create(x.context, x.dtype, (), ctypes.addressof(keep), len(data))
    made._host, made._stamp = data, x.context.writes
    return made


def get(x: Tensor, key: Any) -> Tensor:
    key = _expand(x, key)
    arrays = [k for k in key if isinstance(k, (Tensor, builtins.bool))]
    if not arrays:
        if len(key) == x.ndim and all(type(k) is int for k in key):
            if (found := _element(x, key)) is not None:
                return found
        return view(x, key)
    if any(map(_is_mask, arrays)):
        return _masked(x, key)
    return _gathered(x, key)


# ---- tensors of integers ----

def _index_of(k: Any, size: int, shape: tuple, x: Tensor) -> Tensor:
    """An index as a tensor of that shape, from 0 on."""
    from ._creation import full
    from ._elementwise import add, astype, less
    from ._manipulation import broadcast_to
    from ._searching import where
    if not isinstance(k, Tensor):
        return full(shape, _checked(k, size), dtype=_dtypes.int32, context=x.context)
    if k.dtype.kind not in ("int", "uint"):
        raise IndexError(f"an index of {k.dtype}: integers or booleans are needed")
    k = astype(k, _dtypes.int32, copy=False)
    return broadcast_to(where(less(k, 0), add(k, size), k), shape)


def _split(x: Tensor, key: list) -> tuple[Tensor, list, list]:
    """Slices and None are applied; what is left are axes with indices, and their indices."""
    plain = [slice(None) if isinstance(k, Tensor) or type(k) is int else k for k in key]
    base = view(x, plain)
    axes, indices = [], []
    for i, k in enumerate(key):
        if isinstance(k, Tensor) or type(k) is int:
            axes.append(i)
            indices.append(k)
    return base, axes, indices


def _gathered(x: Tensor, key: list) -> Tensor:
    from ._manipulation import broadcast_shapes, permute_dims, stack
    base, axes, indices = _split(x, key)
    if len(axes) == 1 and indices[0].dtype.kind in ("int", "uint"):
        return op(x.context, lib.weft_tensor_take, base, indices[0], axes[0])
    shape = broadcast_shapes(*(k.shape for k in indices if isinstance(k, Tensor)))
    tuples = stack([_index_of(k, base.shape[a], shape, x) for a, k in zip(axes, indices)], axis=-1)
    rest = [a for a in range(base.ndim) if a not in axes]
    out = op(x.context, lib.weft_tensor_gather_nd, permute_dims(base, axes + rest), tuples, 0)
    if axes != list(range(axes[0], axes[-1] + 1)):
        return out                      # indices apart: their axes come first
    first, rank = axes[0], len(shape)
    order = [*range(rank, rank + first), *range(rank), *range(rank + first, out.ndim)]
    return permute_dims(out, order)


# ---- masks ----

def _positions(mask: Tensor) -> Tensor:
    """Where a mask is true, in a line of its elements."""
    from ._manipulation import reshape
    found = op(mask.context, lib.weft_tensor_nonzero, reshape(mask, (mask.size,)))
    return op(mask.context, lib.weft_tensor_select, found, 0, 0)


def _mask_parts(x: Tensor, key: list) -> tuple[Tensor, Tensor, int]:
    """The tensor after slices, the mask, its first axis."""
    masks = [k for k in key if _is_mask(k)]
    if len(masks) != 1 or any(isinstance(k, Tensor) and not _is_mask(k) for k in key):
        raise IndexError("one mask is possible, and no tensors of integers beside it")
    at = [i for i, k in enumerate(key) if _is_mask(k)][0]
    mask = masks[0]
    if isinstance(mask, builtins.bool):
        from ._creation import asarray
        mask = asarray(mask, context=x.context)
    plain = key[:at] + [slice(None)] * mask.ndim + key[at + 1:]
    base = view(x, plain)
    first = sum(k is None or isinstance(k, slice) for k in key[:at])
    if base.shape[first:first + mask.ndim] != mask.shape:
        raise IndexError(f"a mask of shape {mask.shape} for axes of "
                         f"{base.shape[first:first + mask.ndim]}")
    return base, mask, first


def _masked(x: Tensor, key: list) -> Tensor:
    from ._manipulation import reshape
    base, mask, first = _mask_parts(x, key)
    shape = (*base.shape[:first], mask.size, *base.shape[first + mask.ndim:])
    return op(x.context, lib.weft_tensor_take, reshape(base, shape), _positions(mask), first)


# ---- writing ----

def _source(x: Tensor, value: Any) -> Tensor:
    from ._creation import asarray
    if isinstance(value, Tensor):
        return value
    return asarray(value, dtype=x.dtype, context=x.context)


def set(x: Tensor, key: Any, value: Any) -> None:
    key = _expand(x, key)
    source = _source(x, value)
    if not any(isinstance(k, (Tensor, builtins.bool)) for k in key):
        target = view(x, key)
        x.context.writes += 1
        if target.size:
            x.context.call(lib.weft_tensor_assign, target, source)
        return
    changed = _set_masked(x, key, source) if any(map(_is_mask, key)) else \
        _set_gathered(x, key, source)
    x.context.writes += 1
    x.context.call(lib.weft_tensor_assign, x, changed)


def _set_masked(x: Tensor, key: list, source: Tensor) -> Tensor:
    from ._manipulation import broadcast_to, reshape
    from ._searching import where
    base, mask, first = _mask_parts(x, key)
    if base.shape != x.shape:
        raise IndexError("with a mask, only whole axes can be written")
    wide = reshape(mask, (*mask.shape, *(1,) * (x.ndim - first - mask.ndim)))
    if source.size == 1:
        return where(wide, reshape(source, ()), x)
    at = _positions(mask)
    if first:
        raise IndexError("several values are written where the mask is the first index")
    rest = x.shape[mask.ndim:]
    updates = broadcast_to(source, (at.shape[0], *rest))
    flat = op(x.context, lib.weft_tensor_scatter_nd, reshape(x, (mask.size, *rest)),
              reshape(at, (at.shape[0], 1)), updates, 0)
    return reshape(flat, x.shape)


def _set_gathered(x: Tensor, key: list, source: Tensor) -> Tensor:
    from ._manipulation import broadcast_shapes, broadcast_to, permute_dims, stack
    if not all(isinstance(k, Tensor) or type(k) is int or k == slice(None) for k in key):
        raise IndexError("with tensors of integers, only whole axes can be written")
    base, axes, indices = _split(x, key)
    shape = broadcast_shapes(*(k.shape for k in indices if isinstance(k, Tensor)))
    tuples = stack([_index_of(k, base.shape[a], shape, x) for a, k in zip(axes, indices)], axis=-1)
    order = axes + [a for a in range(base.ndim) if a not in axes]
    moved = permute_dims(base, order)
    updates = broadcast_to(source, (*shape, *moved.shape[len(axes):]))
    changed = op(x.context, lib.weft_tensor_scatter_nd, moved, tuples, updates, 0)
    return permute_dims(changed, [order.index(a) for a in range(x.ndim)])

