# SPDX-License-Identifier: Apache-2.0
"""One execution: arguments of Python become a weft_execute_desc, its report a result."""
from __future__ import annotations

import asyncio
import ctypes
import itertools
import math
import numbers
import struct
import threading
from typing import Any, Mapping, Sequence

from . import _abi, errors
from ._buffers import CODES, SIZES, Memory, allocate, memory
from ._library import OFF, Handle, encoded, lib, text
from ._reflect import variables

SCALARS = {"i32": 2, "u32": 3, "f32": 4, "f16": 5, "f64": 6, "bytes": 0, "u8": 0, "i8": 0}


class Report:
    """Where and how long an execution ran."""

    __slots__ = ("_raw",)

    def __init__(self, raw: _abi.weft_execute_report):
        self._raw = raw

    def __getattr__(self, name: str):
        value = getattr(self._raw, name)
        if isinstance(value, bytes):
            return text(value)
        return tuple(value) if isinstance(value, ctypes.Array) else value

    def __dir__(self):
        return [n for n, _ in self._raw._fields_]

    def __repr__(self):
        return f"<Report device={self.device!r} total_ns={self.total_ns}>"


class Result(dict):
    """Outputs by name; `report` says where and how long it ran."""

    __slots__ = ("report",)


def report_error(raw: _abi.weft_pool_error) -> errors.WeftError:
    name = text(raw.name)
    return errors.make(text(lib.weft_error_kind_name(raw.kind)), text(raw.message),
                       (name,) if name else ())


# ---- values ----

def _flat(value: Any):
    """The numbers of nested lists."""
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _flat(v)
    else:
        yield value


def _nested_shape(value: Any) -> tuple:
    if not isinstance(value, (list, tuple)):
        return ()
    inner = {_nested_shape(v) for v in value}
    if len(inner) > 1:
        raise errors.ShapeError("the lists have different lengths")
    return (len(value), *(inner.pop() if inner else ()))


def _pack(name: str, value: Any, kind: str | None) -> Memory:
    """Numbers and lists in the type that the kernel declares."""
    shape, flat = _nested_shape(value), list(_flat(value))
    for v in flat:
        if not isinstance(v, (numbers.Real, bool)):
            raise errors.DTypeError(f"'{name}': {type(v).__name__} is neither memory nor a number",
                                    "type", (name,))
    if kind is None:                    # the library will say what is wrong
        kind = "f32" if any(isinstance(v, float) for v in flat) else "i32"
    try:
        values = flat if kind[0] == "f" else [int(v) for v in flat]
        if any(a != b for a, b in zip(values, flat)):
            raise struct.error("fractions are lost")
        data = struct.pack(f"<{len(flat)}{CODES[kind]}", *values)
    except (struct.error, OverflowError) as e:
        raise errors.DTypeError(f"'{name}' is {kind} in the kernel: {e}", "type", (name,)) from None
    keep = ctypes.create_string_buffer(data, len(data)) if data else ctypes.create_string_buffer(1)
    return Memory(ctypes.addressof(keep), kind, shape, len(data), keep)


def _typed(name: str, value: tuple) -> Memory:
    """(type, memory[, shape]): memory that does not tell its type itself, such as f16 in bytes."""
    kind, data, *shape = value
    found = memory(data)
    if found is None or kind not in SIZES or found.size % SIZES[kind]:
        raise errors.DTypeError(f"'{name}': a type and memory of it are expected", "type", (name,))
    whole = tuple(shape[0]) if shape else (found.size // SIZES[kind],)
    if math.prod(whole) * SIZES[kind] != found.size:
        raise errors.ShapeError(f"'{name}': {whole} of {kind} are not {found.size} bytes", "shape",
                                (name,))
    return Memory(found.address, kind, whole, found.size, found.keep)


def _input_memory(name: str, value: Any, wgsl: str) -> Memory:
    if isinstance(value, tuple) and len(value) in (2, 3) and isinstance(value[0], str):
        return _typed(name, value)
    if not isinstance(value, (int, float, list, tuple)):
        found = memory(value)
        if found is not None:
            return found
    return _pack(name, value, variables(wgsl).get(name)[0])


_SPECIAL: dict = {"i64": "int64 is not a type of kernels: convert it to int32 or uint32",
                  "u64": "uint64 is not a type of kernels: convert it to int32 or uint32",
                  "i16": "int16 is not a type of kernels: convert it to int32",
                  "u16": "uint16 is not a type of kernels: convert it to uint32",
                  "bool": "bool is not a type of kernels: convert it to uint32"}


def _set_shape(row, name: str, found: Memory) -> None:
    scalar = SCALARS.get(found.type)
    if scalar is None:
        raise errors.DTypeError(f"'{name}': {_SPECIAL[found.type]}", "type", (name,))
    if not scalar:
        row.rank, row.shape[0] = 1, found.size
        return
    rank = len(found.shape)
    if rank > 8:
        raise errors.ShapeError(f"'{name}': rank {rank}, at most 8 is possible", "shape", (name,))
    row.type, row.rank = scalar, rank
    if rank == 1:
        row.shape[0] = found.shape[0]
    else:
        row.shape[:rank] = found.shape


# ---- calls ----

_OPTIONS = {"entry", "constants", "groups", "invocations", "policy", "device", "priority",
            "deadline", "time_limit", "memory_limit", "optimize", "no_retry", "label"}


class Call:
    """The arguments of one execution, kept alive while it runs."""

    __slots__ = ("context", "desc", "keep", "results", "owner")

    def __init__(self, context: Handle, wgsl: str, inputs: Mapping[str, Any] | None,
                 outputs: Mapping[str, Any] | Sequence[str] | None, options: dict):
        self.context, self.results = context, {}
        self.desc = desc = _abi.weft_execute_desc()
        source = encoded(wgsl)
        self.keep: list = [source]
        desc.wgsl = source
        if inputs:
            self._inputs(inputs, wgsl)
        if outputs:
            self._outputs(outputs, inputs or {}, wgsl)
        if options:
            self._options(options)

    def _inputs(self, inputs: Mapping[str, Any], wgsl: str) -> None:
        rows = (_abi.weft_execute_input * len(inputs))()
        keep = self.keep
        for row, (name, value) in zip(rows, inputs.items()):
            row.name = name.encode()
            if isinstance(value, Handle):
                row.resident = value._as_parameter_
                keep.append(value)
                continue
            found = _input_memory(name, value, wgsl)
            keep.append(found.keep)
            row.data = found.address
            _set_shape(row, name, found)
            if not found.address or not found.size:
                row.rank = row.rank or 1        # an empty array, not "as the kernel says"
        keep.append(rows)
        self.desc.inputs = ctypes.addressof(rows)
        self.desc.input_count = len(inputs)

    def _outputs(self, outputs, inputs: Mapping[str, Any], wgsl: str) -> None:
        if not isinstance(outputs, Mapping):
            outputs = dict.fromkeys([outputs] if isinstance(outputs, str) else outputs)
        rows = (_abi.weft_execute_output * len(outputs))()
        for row, (name, spec) in zip(rows, outputs.items()):
            row.name = name.encode()
            if isinstance(spec, Handle):
                row.resident = spec._as_parameter_
                self.results[name] = spec
                continue
            value, place = _output_place(name, spec, inputs, wgsl)
            self.results[name] = value
            self.keep.append(place.keep)
            row.data = place.address
            _set_shape(row, name, place)
        self.keep.append(rows)
        self.desc.outputs = ctypes.addressof(rows)
        self.desc.output_count = len(outputs)

    def _options(self, options: dict) -> None:
        from .pool import nanoseconds, policy
        for name in options:
            if name not in _OPTIONS:
                raise TypeError(f"execute() has no option '{name}'; it has "
                                + ", ".join(sorted(_OPTIONS)))
        desc, get = self.desc, options.get
        for name in ("entry", "device", "label"):
            data = encoded(get(name))
            self.keep.append(data)
            setattr(desc, name, data)
        for name in ("groups", "invocations"):
            if (value := get(name)) is not None:
                value = (value,) if isinstance(value, int) else tuple(value)
                if len(value) > 3 or not all(0 <= v < 2**32 for v in value):
                    raise errors.InvalidError(f"{name} are up to 3 counts, not {value}")
                getattr(desc, name)[:] = [*value, *[1] * (3 - len(value))]
        desc.policy = policy(get("policy"))
        for name in ("deadline", "time_limit"):
            setattr(desc, name, nanoseconds(get(name)))
        for name in ("priority", "memory_limit", "optimize", "no_retry"):
            setattr(desc, name, get(name) or 0)
        if constants := get("constants"):
            rows = (_abi.weft_constant * len(constants))(
                *[(encoded(str(k)), float(v)) for k, v in constants.items()])
            self.keep.append(rows)
            desc.constants, desc.constant_count = ctypes.addressof(rows), len(constants)

    # ---- running ----

    def result(self, report: _abi.weft_execute_report) -> Result:
        if report.error.kind:
            raise report_error(report.error)
        result = Result(self.results)
        result.report = Report(report)
        return result

    def run(self) -> Result:
        report = _abi.weft_execute_report()
        lib.weft_execute(self.context._as_parameter_, ctypes.byref(self.desc),
                         ctypes.byref(report))
        return self.result(report)

    def start(self) -> "Execution":
        return Execution(self)

    def explain(self) -> str:
        target = self.context._as_parameter_
        size = lib.weft_pool_explain(None, 0, target, ctypes.byref(self.desc))
        if not size:
            self.context._raise()
        out = ctypes.create_string_buffer(size + 1)
        lib.weft_pool_explain(out, size + 1, target, ctypes.byref(self.desc))
        return text(out.value)


def _output_place(name: str, spec: Any, inputs: Mapping[str, Any], wgsl: str):
    """Where an output goes: the object that is returned, and its memory."""
    kind = None
    if spec is None:
        if (given := inputs.get(name)) is not None:
            found = _input_memory(name, given, wgsl)
            return allocate(found.type, found.shape)
        kind, count = variables(wgsl).get(name)
        if count is None:
            raise errors.ShapeError(f"output '{name}': give a shape", "shape", (name,))
        spec = (count,)
    if isinstance(spec, tuple) and len(spec) == 2 and isinstance(spec[0], str):
        kind, spec = spec
        if kind not in SIZES:
            raise errors.DTypeError(f"output '{name}': unknown type '{kind}'", "type", (name,))
    if isinstance(spec, numbers.Integral):
        spec = (int(spec),)
    if isinstance(spec, (tuple, list)):
        if not all(isinstance(n, numbers.Integral) and n >= 0 for n in spec):
            raise errors.ShapeError(f"output '{name}': {spec!r} is not a shape", "shape", (name,))
        kind = kind or variables(wgsl).get(name)[0] or "bytes"
        return allocate(kind, tuple(map(int, spec)))
    place = memory(spec, writable=True)
    if place is None:
        raise errors.DTypeError(f"output '{name}': {type(spec).__name__} is neither memory nor a "
                                "shape", "type", (name,))
    return spec, place


# ---- asynchronous executions ----

_numbers = itertools.count(1)
_running: dict[int, "Execution"] = {}


@_abi.weft_execute_callback
def _on_end(user, _execution, _report):
    execution = _running.pop(user, None)
    if execution is not None:
        execution._ended()


class Execution(Handle):
    """A kernel that was started. `await` it, or call result()."""

    __slots__ = ("_call", "_waiting", "_lock", "_done")
    _release = lib.weft_execution_release
    _what = "execution"

    def __init__(self, call: Call):
        self._call, self._waiting = call, []
        self._lock, self._done = threading.Lock(), False
        target, number = call.context._as_parameter_, next(_numbers)
        call.desc.callback, call.desc.user = _on_end, number
        _running[number] = self
        pointer = lib.weft_execute_async(target, ctypes.byref(call.desc))
        if not pointer:
            _running.pop(number, None)
            raise errors.MemoryError("no memory for an execution")
        super().__init__(pointer)

    def _ended(self) -> None:
        """On a thread of the pool."""
        with self._lock:
            self._done = True
            waiting, self._waiting = self._waiting, []
        for loop, future in waiting:
            try:
                loop.call_soon_threadsafe(lambda f=future: f.done() or f.set_result(None))
            except RuntimeError:        # the loop was closed
                pass

    def done(self) -> bool:
        return lib.weft_execution_done(self._as_parameter_)

    def cancel(self) -> bool:
        """False if it had ended before."""
        return lib.weft_execution_cancel(self._as_parameter_)

    def wait(self, timeout: float | None = None) -> bool:
        """True once it has ended."""
        limit = OFF if timeout is None else max(0, int(timeout * 1e9))
        return lib.weft_execution_wait(self._as_parameter_, limit)

    def result(self, timeout: float | None = None) -> Result:
        """Waits; raises the execution's error."""
        if not self.wait(timeout):
            raise errors.TimeoutError(f"the execution has not ended after {timeout} s")
        report = _abi.weft_execute_report()
        lib.weft_execution_report(ctypes.byref(report), self._as_parameter_)
        return self._call.result(report)

    def __await__(self):
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        with self._lock:
            if self._done:
                future.set_result(None)
            else:
                self._waiting.append((loop, future))
        try:
            yield from future
        except asyncio.CancelledError:
            self.cancel()
            raise
        return self.result()
