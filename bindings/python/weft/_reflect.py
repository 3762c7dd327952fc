# SPDX-License-Identifier: Apache-2.0
"""What a kernel declares (weft/wgsl.h): types and sizes of its variables, so that Python numbers
and lists become what the kernel expects."""
from __future__ import annotations

import ctypes
import functools
import re

from . import _abi
from ._library import lib, text

_SCALARS = {1: "u32", 2: "i32", 3: "u32", 4: "f32", 5: "f16", 6: "f64"}


class Variables:
    """name -> (scalar type or None, elements or None) of the variables and their members."""

    def __init__(self, wgsl: str):
        self._known: dict = {}
        data = wgsl.encode()
        desc = _abi.weft_wgsl_desc(source=data, source_size=len(data))
        module = lib.weft_wgsl_create(ctypes.byref(desc))
        if not module:
            return
        if lib.weft_wgsl_ok(module):
            for i in range(lib.weft_wgsl_entry_point_count(module)):
                self._add(_at(_abi.weft_entry_point, lib.weft_wgsl_entry_point_get(module, i)))
        lib.weft_wgsl_release(module)

    def _add(self, point) -> None:
        bindings = (_abi.weft_wgsl_binding * point.binding_count).from_address(
            point.bindings) if point.binding_count else []
        for b in bindings:
            if b.layout:
                self._walk(text(b.name), _at(_abi.weft_type, b.layout))

    def _walk(self, name: str, layout) -> None:
        self._known[name] = (_scalar(layout), _count(layout))
        if layout.kind != _abi.WEFT_TYPE_STRUCT:
            return
        for m in _members(layout):
            if m.layout:
                self._walk(f"{name}.{text(m.name)}", _at(_abi.weft_type, m.layout))

    def get(self, name: str) -> tuple[str | None, int | None]:
        """Members by index, rows[2].x, are those of the element."""
        if name in self._known:
            return self._known[name]
        scalar, _ = self._known.get(re.sub(r"\[\d+\]", "", name), (None, None))
        return scalar, None


def _at(kind, address):
    return kind.from_address(address)


def _members(layout):
    structure = _at(_abi.weft_struct, layout.structure)
    return (_abi.weft_member * structure.member_count).from_address(structure.members)


def _scalar(layout) -> str | None:
    """The scalar that all of a value consists of."""
    if layout.kind in (_abi.WEFT_TYPE_SCALAR, _abi.WEFT_TYPE_VECTOR, _abi.WEFT_TYPE_MATRIX):
        return _SCALARS.get(layout.scalar)
    if layout.kind == _abi.WEFT_TYPE_ARRAY:
        return _scalar(_at(_abi.weft_type, layout.element))
    if layout.kind == _abi.WEFT_TYPE_STRUCT:
        kinds = {_scalar(_at(_abi.weft_type, m.layout)) if m.layout else None
                 for m in _members(layout)}
        return kinds.pop() if len(kinds) == 1 else None
    return None


def _count(layout) -> int | None:
    """How many scalars a value has; None if the binding decides."""
    scalar = _scalar(layout)
    size = {"f16": 2, "f64": 8}.get(scalar, 4)
    return layout.size // size if layout.size and scalar else None


@functools.lru_cache(maxsize=256)
def variables(wgsl: str) -> Variables:
    return Variables(wgsl)
