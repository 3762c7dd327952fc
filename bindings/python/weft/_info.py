# SPDX-License-Identifier: Apache-2.0
"""What this array API namespace has: __array_namespace_info__()."""
from __future__ import annotations

from typing import Any

from . import _dtypes
from .context import default_context


class Info:
    def capabilities(self) -> dict:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> str:
        return default_context().device.get("backend", "none")

    def default_dtypes(self, *, device: Any = None) -> dict:
        return {"real floating": _dtypes.float32, "integral": _dtypes.int32,
                "indexing": _dtypes.int32}

    def devices(self) -> list[str]:
        return [self.default_device()]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict:
        """Types that are computed with; others of weft are for storage."""
        found = [_dtypes.bool, _dtypes.int32, _dtypes.uint32, _dtypes.float32]
        if default_context().device.get("f64"):
            found.append(_dtypes.float64)
        return {d.name: d for d in found if kind is None or _dtypes.isdtype(d, kind)}


def __array_namespace_info__() -> Info:
    return Info()
