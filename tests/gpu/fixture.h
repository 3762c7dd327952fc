/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.h - a device of the null backend, and what it was told to complain about.
 *
 *     Fixture *fx = fixture_open(NULL);
 *     ...
 *     expect_fault(fx, "buffer: the usage is empty");
 *     fixture_close(fx);            fails if an error was left, or anything leaks
 */
#ifndef WEFT_TESTS_GPU_FIXTURE_H
#define WEFT_TESTS_GPU_FIXTURE_H

#include "support/test.h"

#include <pthread.h>
#include <string.h>

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

#include "base/macro.h"
#include "null_backend.h"

#define MAX_ERRORS 16

typedef struct Fixture {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    pthread_mutex_t lock;
    struct { WGPUErrorType type; char message[1400]; } errors[MAX_ERRORS];
    uint32_t     nerrors;
    char         log[1400];                 /* the last line */
    uint32_t     nlogs;
} Fixture;

/* How to open one; zero: as the standard has it. */
typedef struct FixtureDesc {
    const WGPUFeatureName *features;
    size_t                 nfeatures;
    const WGPULimits      *limits;
} FixtureDesc;

Fixture *fixture_open(const FixtureDesc *desc);
/* For a descriptor of the test's own: errors go to the fixture. */
WGPUUncapturedErrorCallbackInfo fixture_errors(Fixture *fx);
void     fixture_close(Fixture *fx);
/* An instance of the null backend, with the fixture's log. */
WGPUInstance fixture_instance(Fixture *fx);

/* Exactly one error was reported, of this type and with this message; forgets it. */
#define expect_error(fx, type, message) \
    fixture_expect((fx), (type), (message), __FILE__, __LINE__)
#define expect_fault(fx, message) expect_error(fx, WGPUErrorType_Validation, message)
/* None was. */
#define expect_none(fx) fixture_expect_none((fx), __FILE__, __LINE__)
/* The last line of the log; forgets it. */
#define expect_log(fx, message) fixture_expect_log((fx), (message), __FILE__, __LINE__)

void fixture_expect(Fixture *fx, WGPUErrorType type, const char *message, const char *file,
                    int line);
void fixture_expect_none(Fixture *fx, const char *file, int line);
void fixture_expect_log(Fixture *fx, const char *message, const char *file, int line);

/* ---- short ways ---- */

WGPUStringView sv(const char *text);

WGPUBuffer make_buffer(Fixture *fx, const char *label, WGPUBufferUsage usage, uint64_t size);
WGPUShaderModule make_module(Fixture *fx, const char *code);
/* With an automatic layout; `entry` NULL: the only one. */
WGPUComputePipeline make_pipeline(Fixture *fx, WGPUShaderModule module, const char *entry);
/* A group of whole buffers, bound from 0 on. */
WGPUBindGroup make_group(Fixture *fx, WGPUBindGroupLayout layout, uint32_t count,
                         const WGPUBuffer *buffers);
void submit(Fixture *fx, WGPUCommandEncoder encoder);       /* finishes and releases it */
/* Finishes an encoder and releases both. */
void finish(WGPUCommandEncoder encoder);

/* Waits until the future is complete. */
void wait_for(Fixture *fx, WGPUFuture future);
/* Waits until all work is done. */
void wait_idle(Fixture *fx);
/* Maps a buffer for reading, copies `size` bytes from `offset`, unmaps it. */
void read_buffer(Fixture *fx, WGPUBuffer buffer, size_t offset, void *out, size_t size);
/* The contents of any buffer with CopySrc. */
void read_back(Fixture *fx, WGPUBuffer buffer, void *out, size_t size);

/* What a callback was told. */
typedef struct Told {
    pthread_mutex_t lock;
    pthread_cond_t  came;
    int             count;                  /* calls */
    int             status;
    int             order;                  /* among all */
    WGPUErrorType   error;
    char            message[1400];
    void           *object;
    pthread_t       thread;
} Told;

#define TOLD_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, "", 0, 0}

void told(Told *t, int status, WGPUStringView message, void *object);
void told_wait(Told *t);                    /* until it was called */
int  told_count(Told *t);

WGPUBufferMapCallbackInfo     map_info(Told *t, WGPUCallbackMode mode);
WGPUQueueWorkDoneCallbackInfo work_info(Told *t, WGPUCallbackMode mode);
WGPUPopErrorScopeCallbackInfo scope_info(Told *t, WGPUCallbackMode mode);
WGPURequestAdapterCallbackInfo adapter_callback(Told *t, WGPUCallbackMode mode);
WGPURequestDeviceCallbackInfo device_callback(Told *t, WGPUCallbackMode mode);
WGPUDeviceLostCallbackInfo    lost_info(Told *t, WGPUCallbackMode mode);
WGPUCreateComputePipelineAsyncCallbackInfo pipeline_info(Told *t, WGPUCallbackMode mode);

#endif
