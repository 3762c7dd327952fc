// SPDX-License-Identifier: Apache-2.0
/*
 * executor.h - runs and checks jobs on a device, inside a worker process.
 *
 * in     a JobSpec with all its data
 * out    the bytes of its outputs and figures; or an error kind and a sentence
 * knows  webgpu.h, weft/wgsl.h
 * not    sockets, tenants, sandboxes
 *
 * Ownership  executor_open() to executor_close(). Compiled kernels are kept inside.
 * Threads    one at a time.
 */
#ifndef WEFT_SERVER_EXECUTOR_H
#define WEFT_SERVER_EXECUTOR_H

#include <weft/error.h>

#include "server/worker/wire.h"

typedef struct Executor Executor;

typedef struct ExecError {
    weft_error_kind kind;
    char            message[4096];
} ExecError;

/* The CPU device. NULL: there is none, and `e` says why. `threads` 0: one for each core. */
Executor *executor_open(uint32_t threads, ExecError *e);
/* A device of Vulkan, a GPU before software. */
Executor *executor_open_gpu(ExecError *e);
void      executor_close(Executor *x);
/* One line: "CPU: AMD EPYC, 2 threads". */
const char *executor_device(const Executor *x);

/* Runs a job. Its outputs are added to `out`, each with pack_u32(scalar) and
 * pack_bytes(). False: `e` says why, and `out` has to be thrown away. */
bool executor_run(Executor *x, const JobSpec *spec, Pack *out, WireDone *done, ExecError *e);

/* Checks WGSL; adds a JSON object with diagnostics, entry points and a verdict. */
void executor_check(Executor *x, const JobSpec *spec, Pack *out);

/* Measures the device: bytes a second that a copy moves, operations a second. */
bool executor_profile(Executor *x, double *bandwidth, double *arithmetic, ExecError *e);

#endif
