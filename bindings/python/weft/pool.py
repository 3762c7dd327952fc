# SPDX-License-Identifier: Apache-2.0
"""Devices, and kernels on named data: weft/pool.h.

    pool = weft.Pool()
    with pool.context() as ctx:
        result = ctx.execute(wgsl, {"x": x, "params.n": 100}, {"y": 100})

Pools and contexts may be used from any thread. Times are in seconds."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Mapping, Sequence

from . import _abi, errors
from ._buffers import allocate, memory
from ._execute import Call, Execution, Report, Result, report_error
from ._library import OFF, Handle, Once, encoded, lib, text

__all__ = ["Data", "Device", "Execution", "Pool", "PoolContext", "Report", "Result",
           "devices", "execute", "execute_async", "submit"]


@dataclasses.dataclass(frozen=True)
class Device:
    """A device of a pool."""
    index: int
    id: str
    name: str
    vendor: str
    architecture: str
    driver: str
    backend: str
    type: str
    library: str
    hardware_gpu: bool
    f16: bool
    f64: bool
    subgroups: bool
    memory: int
    state: str
    profile: Mapping[str, float]


_STATES = {1: "ready", 2: "lost", 3: "given-up"}


def _device(raw: _abi.weft_pool_device) -> Device:
    names = ("id", "name", "vendor", "architecture", "driver", "backend", "type", "library")
    flags = ("hardware_gpu", "f16", "f64", "subgroups", "memory", "index")
    profile = {f: getattr(raw.profile, f) for f, _ in raw.profile._fields_}
    return Device(**{n: text(getattr(raw, n)) for n in names},
                  **{n: getattr(raw, n) for n in flags},
                  state=_STATES.get(raw.state, "unknown"), profile=profile)


def nanoseconds(seconds: float | None) -> int:
    if seconds is None:
        return 0
    if not seconds > 0:
        raise errors.InvalidError(f"a time must be above 0 seconds, not {seconds!r}")
    return max(1, min(int(seconds * 1e9), OFF - 1))


def _words(values: Sequence[str] | None):
    if values is None:
        return None
    array = (ctypes.c_char_p * (len(values) + 1))(*[encoded(v) for v in values], None)
    return array


def policy(name: str | None) -> int:
    if name is None:
        return 0
    found = lib.weft_policy_find(encoded(name))
    if not found:
        raise errors.InvalidError(f"unknown policy '{name}'")
    return found


class Pool(Handle):
    """The devices of this machine behind one call.

    `adapters` keeps those that one of the words means ("cpu", "gpu", part of a name); `libraries`
    adds libraries with webgpu.h. With `measure` false, devices are not measured."""

    __slots__ = ()
    _release = lib.weft_pool_release
    _what = "pool"

    def __init__(self, adapters: Sequence[str] | None = None,
                 libraries: Sequence[str] | None = None, *, own: bool = True,
                 measure: bool = True, probe_in_process: bool = False, cache: bool = True,
                 threads: int = 0, policy: str | None = None, device: str | None = None,
                 dispatch_deadline: float | None = None, time_limit: float | None = None,
                 memory_limit: int = 0, device_memory: int = 0, retries: int = 0):
        kept = _words(adapters), _words(libraries)
        desc = _abi.weft_pool_desc(
            no_own=not own, probe_in_process=probe_in_process, no_cache=not cache,
            benchmark_timeout=0 if measure else OFF, threads=threads,
            policy=globals()["policy"](policy), device=encoded(device),
            dispatch_deadline=nanoseconds(dispatch_deadline), time_limit=nanoseconds(time_limit),
            memory_limit=memory_limit, device_memory=device_memory, retries=retries)
        desc.adapters, desc.libraries = (ctypes.cast(k, ctypes.c_void_p) for k in kept)
        pointer = lib.weft_pool_create(ctypes.byref(desc))
        if not pointer:
            raise errors.MemoryError("no memory for a pool")
        super().__init__(pointer)

    def devices(self) -> list[Device]:
        found, raw = [], _abi.weft_pool_device()
        for i in range(lib.weft_pool_device_count(self._as_parameter_)):
            if lib.weft_pool_device_get(ctypes.byref(raw), self._as_parameter_, i):
                found.append(_device(raw))
        return found

    def sources(self) -> list[tuple[str, int, str | None]]:
        """Libraries that were asked: path, devices found, what went wrong."""
        found, raw = [], _abi.weft_pool_source()
        for i in range(lib.weft_pool_source_count(self._as_parameter_)):
            lib.weft_pool_source_get(ctypes.byref(raw), self._as_parameter_, i)
            found.append((text(raw.library), raw.devices, text(raw.error) or None))
        return found

    def context(self, **settings) -> "PoolContext":
        """One user of the pool: see PoolContext."""
        return PoolContext(self, **settings)


class PoolContext(Handle):
    """One user of a pool, with quotas, named data and a fair share of the devices."""

    __slots__ = ("pool",)
    _release = lib.weft_pool_context_release
    _what = "context"

    def __init__(self, pool: Pool, *, label: str | None = None, memory_quota: int = 0,
                 execution_quota: int = 0, time_quota: float | None = None, weight: int = 0,
                 policy: str | None = None, device: str | None = None):
        if policy is None and device is not None:
            policy = "device"
        desc = _abi.weft_pool_context_desc(
            label=encoded(label), memory_quota=memory_quota, execution_quota=execution_quota,
            time_quota=nanoseconds(time_quota), weight=weight,
            policy=globals()["policy"](policy), device=encoded(device))
        pointer = lib.weft_pool_context_create(pool._as_parameter_, ctypes.byref(desc))
        if not pointer:
            raise errors.MemoryError("no memory for a context")
        super().__init__(pointer)
        self.pool = pool

    def execute(self, wgsl: str, inputs: Mapping[str, Any] | None = None,
                outputs: Mapping[str, Any] | Sequence[str] | None = None,
                **options) -> Result:
        """Runs a kernel and waits.

        inputs   variables or members ("params.n"): arrays with the buffer protocol, Data,
                 numbers or lists (they become the type that the kernel declares), or
                 (type, memory[, shape]) for memory that does not tell its type
        outputs  variables: a shape, (type, shape), writable memory, Data, or None: as the
                 input of that name, or as the kernel declares it. A list of names is the same
                 as None for each.
        options  entry, constants, groups, invocations, policy, device, priority, deadline,
                 time_limit, memory_limit, optimize, no_retry, label
        result   name -> array of NumPy, or memoryview where there is none (f16 as 16-bit words);
                 `result.report` has device and times
        """
        return Call(self, wgsl, inputs, outputs, options).run()

    def submit(self, wgsl: str, inputs: Mapping[str, Any] | None = None,
               outputs: Mapping[str, Any] | Sequence[str] | None = None,
               **options) -> Execution:
        """Starts a kernel: the arguments of execute(). The result is awaited, or waited for."""
        return Call(self, wgsl, inputs, outputs, options).start()

    async def execute_async(self, wgsl: str, inputs: Mapping[str, Any] | None = None,
                            outputs: Mapping[str, Any] | Sequence[str] | None = None,
                            **options) -> Result:
        """execute() for asyncio. Cancelling the task cancels the execution."""
        return await self.submit(wgsl, inputs, outputs, **options)

    def explain(self, wgsl: str, inputs: Mapping[str, Any] | None = None,
                outputs: Mapping[str, Any] | Sequence[str] | None = None, **options) -> str:
        """Which device would be chosen, and why."""
        return Call(self, wgsl, inputs, outputs, options).explain()

    def data(self, value: Any, name: str | None = None) -> "Data":
        """Data that stays on devices between executions."""
        return Data(self, value, name)

    def usage(self) -> dict:
        raw = _abi.weft_pool_usage()
        lib.weft_pool_context_usage(ctypes.byref(raw), self._as_parameter_)
        return {n: getattr(raw, n) for n, _ in raw._fields_}

    def _raise(self) -> None:
        raw = _abi.weft_pool_error()
        if lib.weft_pool_context_error(ctypes.byref(raw), self._as_parameter_):
            lib.weft_pool_context_error_clear(self._as_parameter_)
            raise report_error(raw)
        raise errors.InternalError("a call failed without an error")


class Data(Handle):
    """An array that stays on devices: an input, or an output that is not read back."""

    __slots__ = ("type", "shape", "context")
    _release = lib.weft_pool_data_release
    _what = "data"

    def __init__(self, context: PoolContext, value: Any, name: str | None = None):
        found = memory(value)
        if found is None:
            raise errors.DTypeError(f"data is made of memory, not of {type(value).__name__}")
        desc = _abi.weft_pool_data_desc(name=encoded(name), rank=len(found.shape),
                                        type=SCALARS.get(found.type, 0), data=found.address,
                                        size=found.size)
        desc.shape[:len(found.shape)] = found.shape
        if not desc.type:
            desc.rank, desc.shape[0] = 1, found.size
        pointer = lib.weft_pool_data_create(context._as_parameter_, ctypes.byref(desc))
        if not pointer:
            context._raise()
        super().__init__(pointer)
        self.type, self.shape, self.context = found.type, found.shape, context

    def read(self) -> Any:
        """A copy, after the executions that were submitted before."""
        array, place = allocate(self.type, self.shape)
        if not lib.weft_pool_data_read(place.address, self._as_parameter_, 0, place.size):
            self.context._raise()
        return array

    def write(self, value: Any, offset: int = 0) -> None:
        """Replaces bytes from `offset` on."""
        found = memory(value)
        if found is None or (SCALARS.get(self.type) and found.type != self.type):
            raise errors.DTypeError(f"memory of {self.type} is expected")
        if not lib.weft_pool_data_write(self._as_parameter_, offset, found.address, found.size):
            self.context._raise()


SCALARS = {"i32": 2, "u32": 3, "f32": 4, "f16": 5, "f64": 6}


# ---- without a pool of one's own ----

_pool = Once(Pool)
_context = Once(lambda: PoolContext(_pool.get()))


def devices() -> list[Device]:
    """The devices of this machine."""
    return _pool.get().devices()


def execute(wgsl: str, inputs: Mapping[str, Any] | None = None,
            outputs: Mapping[str, Any] | Sequence[str] | None = None, **options) -> Result:
    """PoolContext.execute() on a pool of all devices."""
    return _context.get().execute(wgsl, inputs, outputs, **options)


def submit(wgsl: str, inputs: Mapping[str, Any] | None = None,
           outputs: Mapping[str, Any] | Sequence[str] | None = None, **options) -> Execution:
    """PoolContext.submit() on a pool of all devices."""
    return _context.get().submit(wgsl, inputs, outputs, **options)


async def execute_async(wgsl: str, inputs: Mapping[str, Any] | None = None,
                        outputs: Mapping[str, Any] | Sequence[str] | None = None,
                        **options) -> Result:
    """PoolContext.execute_async() on a pool of all devices."""
    return await _context.get().submit(wgsl, inputs, outputs, **options)
