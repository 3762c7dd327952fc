// SPDX-License-Identifier: Apache-2.0
/*
 * executor_priv.h - what the files of the executor share.
 *
 * knows  webgpu.h, weft/wgsl.h
 * not    sockets
 */
#ifndef WEFT_SERVER_EXECUTOR_PRIV_H
#define WEFT_SERVER_EXECUTOR_PRIV_H

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>
#include <weft/kernel.h>
#include <weft/wgsl.h>

#include "base/arena.h"
#include "server/worker/executor.h"

#define EXEC_KERNELS  128u              /* compiled kernels kept                          */
#define EXEC_BINDINGS 64u

/* A compiled kernel, by what it was made from. */
typedef struct ExecKernel {
    uint8_t            *key;            /* malloc'ed; NULL: the place is free             */
    size_t              key_size;
    uint64_t            used;           /* of the last use, for replacement               */
    weft_wgsl          *module;
    const weft_entry_point *entry;
    weft_specialized    size;
    weft_kernel        *analysis;       /* NULL: none                                     */
    WGPUComputePipeline pipeline;
} ExecKernel;

struct Executor {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    WGPULimits   limits;
    char         name[256];
    bool         lost;
    uint64_t     clock;                 /* counts uses                                    */
    ExecKernel   kernels[EXEC_KERNELS];
};

bool exec_fail(ExecError *e, weft_error_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
void exec_wait(Executor *x, WGPUFuture future, const bool *done);
void exec_watch(Executor *x);
/* True if no error was raised since exec_watch(). */
bool exec_caught(Executor *x, weft_error_kind kind, ExecError *e);

/* The kernel of a spec, compiled now or before. */
ExecKernel *exec_kernel(Executor *x, const JobSpec *spec, bool *cached, ExecError *e);

/* Does the module use extensions, or limits beyond the default? Then `e` says which. */
bool exec_is_portable(const JobSpec *spec, const weft_wgsl *m, ExecError *e);

void exec_kernel_fini(ExecKernel *k);
/* Operations of one invocation, by analysis; names that `names` does not give count as 1. */
double exec_count_ops(const weft_kernel *analysis, const weft_override_value *names,
                      uint32_t count);

/* Writes numbers into the scalars of a layout, in their order. `path` names a member,
 * "centre.x", or is "". `size` is that of the buffer. */
bool fill_numbers(uint8_t *bytes, uint64_t size, const weft_type *type, const char *path,
                  const double *numbers, uint64_t count, const char *name, ExecError *e);
/* Bytes that a binding needs for so many numbers; 0 if that does not fit. */
uint64_t fill_size(const weft_type *type, uint64_t numbers, uint64_t min_size);
/* The one scalar of a layout, or WIRE_ANY where it has several. */
WireScalar fill_scalar(const weft_type *type);

#endif
