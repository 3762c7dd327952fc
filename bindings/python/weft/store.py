# SPDX-License-Identifier: Apache-2.0
"""Tensors in files: weft/store.h. The format follows from the name: .safetensors, .npy, .npz,
else a folder of models."""
from __future__ import annotations

import ctypes
import os
from typing import Mapping

from . import _abi, errors
from ._library import encoded, lib, text
from .context import Context, Owned, default_context
from .tensor import Tensor, op

__all__ = ["Store", "load", "save"]


class Store(Owned):
    """A file or folder of tensors. Elements are read when a tensor is used."""

    __slots__ = ()
    _release = lib.weft_store_release
    _what = "store"

    def __init__(self, path: str | os.PathLike, *, model: str | None = None, write: bool = False,
                 replace: bool = False, verify: bool = False, context: Context | None = None):
        context = context or default_context()
        desc = _abi.weft_store_desc(path=os.fsencode(path), model=encoded(model), write=write,
                                    replace=replace, verify=verify)
        super().__init__(context.call(lib.weft_store_open, context, ctypes.byref(desc)), context)

    def names(self) -> list[str]:
        found, raw = [], _abi.weft_store_entry()
        for i in range(self.context.ask(lib.weft_store_count, self)):
            self.context.ask(lib.weft_store_entry_get, ctypes.byref(raw), self, i)
            found.append(text(raw.name))
        return found

    def __iter__(self):
        return iter(self.names())

    def __len__(self):
        return self.context.ask(lib.weft_store_count, self)

    def __contains__(self, name):
        raw = _abi.weft_store_entry()
        return self.context.ask(lib.weft_store_find, ctypes.byref(raw), self, encoded(name))

    def __getitem__(self, name: str) -> Tensor:
        return op(self.context, lib.weft_store_get, self, encoded(name))

    def __setitem__(self, name: str, tensor: Tensor) -> None:
        """Visible to others after commit()."""
        self.context.call(lib.weft_store_put, self, encoded(name), tensor)

    def __delitem__(self, name: str) -> None:
        self.context.call(lib.weft_store_remove, self, encoded(name))

    def commit(self) -> None:
        """Makes all changes visible in one step."""
        self.context.call(lib.weft_store_commit, self)

    def metadata(self, key: str) -> str | None:
        found = self.context.ask(lib.weft_store_metadata, self, encoded(key))
        return None if found is None else text(found)

    def set_metadata(self, key: str, value: str | None) -> None:
        self.context.call(lib.weft_store_set_metadata, self, encoded(key), encoded(value))


def load(path: str | os.PathLike, *, model: str | None = None,
         context: Context | None = None) -> dict[str, Tensor]:
    """All tensors of a file."""
    if not os.path.exists(path):
        raise errors.NotFoundError(f"{os.fspath(path)}: no such file", "not-found",
                                   (os.fspath(path),))
    with Store(path, model=model, context=context) as s:
        return {name: s[name] for name in s}


def save(path: str | os.PathLike, tensors: Mapping[str, Tensor], *, model: str | None = None,
         context: Context | None = None) -> None:
    """Writes tensors to a file, which is replaced as a whole."""
    if context is None and tensors:
        context = next(iter(tensors.values())).context
    with Store(path, model=model, write=True, replace=True, context=context) as s:
        for name, tensor in tensors.items():
            s[name] = tensor
        s.commit()
