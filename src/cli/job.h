// SPDX-License-Identifier: Apache-2.0
/*
 * job.h - one kernel with its buffers, on a device.
 *
 * in     an open device, WGSL, bytes for each binding
 * out    the bytes after a dispatch; how long things took
 * knows  webgpu.h
 * not    where the bytes come from and where they go
 *
 * Ownership  everything that is made is the job's; job_close() gives it back, at
 *            any stage. Functions return NULL, or what is wrong, in the arena of the
 *            device.
 */
#ifndef WEFT_CLI_JOB_H
#define WEFT_CLI_JOB_H

#include "cli/device.h"

#define JOB_MAX_GROUPS 16u

typedef struct JobBinding {
    uint32_t   group, binding;
    bool       uniform;
    uint64_t   size;                /* bytes, a multiple of 4                      */
    WGPUBuffer buffer;              /* the job's                                   */
} JobBinding;

typedef struct JobConstant {
    const char *key;
    double      value;
} JobConstant;

typedef struct JobDesc {
    const char        *source;
    size_t             source_size;
    const char        *entry;
    const JobConstant *constants;   /* [constant_count]                            */
    uint32_t           constant_count;
    const void        *immediates;  /* [immediate_size] bytes, a multiple of 4     */
    uint32_t           immediate_size;
    JobBinding        *bindings;    /* [binding_count], by group                   */
    uint32_t           binding_count;
    uint32_t           groups[3];
    double             deadline_ms; /* of the device; 0: none                      */
} JobDesc;

typedef struct Job {
    Device             *device;
    JobDesc             desc;
    WGPUShaderModule    module;
    WGPUComputePipeline pipeline;
    WGPUBindGroup       bind_groups[JOB_MAX_GROUPS];    /* NULL: it has no such group */
    double              compile_ms;     /* of the module and the pipeline           */
} Job;

/* Compiles the kernel. */
const char *job_compile(Job *job, Device *device, const JobDesc *desc);
/* Compiles it once more, to see how long that takes. */
const char *job_compile_again(Job *job, double *ms);
/* Makes the buffers, empty, and binds them. */
const char *job_bind(Job *job);
/* Puts bytes into a buffer: all of it. */
void        job_write(Job *job, uint32_t index, const uint8_t *bytes);
/* Waits until all that was asked for is done. */
const char *job_settle(Job *job);
/* Dispatches once and waits for the end. */
const char *job_run(Job *job, double *ms);
/* The bytes of a buffer, all of it. */
const char *job_read(Job *job, uint32_t index, uint8_t *bytes);
void        job_close(Job *job);

#endif
