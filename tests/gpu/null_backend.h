/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null_backend.h - a device whose memory and copies work and whose kernels do one
 * of a few fixed things, chosen by the name of the entry point:
 *
 *     copy     the bytes of the first binding go to the second
 *     count    adds 1 to each u32 of the last binding
 *     place    writes the offset and size of binding i into u32s of the last one
 *     notes    writes the immediate data into the last binding
 *     others   nothing
 *
 * A queue thread carries submits out. The knobs make what is rare happen.
 */
#ifndef WEFT_TESTS_GPU_NULL_BACKEND_H
#define WEFT_TESTS_GPU_NULL_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/gpu.h"

typedef struct NullKnobs {
    atomic_bool no_device;          /* device_create fails                        */
    atomic_bool no_memory;          /* buffers and queries cannot be had          */
    atomic_bool no_kernel;          /* kernel_create fails                        */
    atomic_bool far_memory;         /* the host reaches mappable buffers only     */
    atomic_bool at_once;            /* submits are carried out within the call    */
    atomic_bool gives_up;           /* submits lose the device, and are not run    */
} NullKnobs;

extern NullKnobs null_knobs;

/* Not zero while this thread gets memory for the null device itself. */
extern _Thread_local volatile int null_allocating;

/* What there is at the moment, of all devices: zero when nothing leaks. */
typedef struct NullCounts {
    atomic_int devices, buffers, kernels, queries;
    atomic_int kernels_made, submits, dispatches, watches;  /* ever */
} NullCounts;

extern NullCounts null_counts;

extern const GpuBackend null_backend;
extern const GpuBackend *const null_backends[];     /* that one alone */

/* Keeps the queues from carrying anything out, until they are let go. */
void null_hold(void);
void null_let_go(void);
/* Keeps kernel_create() from returning. */
void null_hold_kernels(void);
void null_let_kernels_go(void);
/* Waits until so many kernel_create() are being kept. */
void null_wait_for_kernels(int count);
/* The same for kernel_destroy(). */
void null_hold_ends(void);
void null_let_ends_go(void);
void null_wait_for_end(void);
/* The newest device loses itself; with the tag of the last dispatch it carried out,
 * if `blame`. */
void null_lose(const char *why, bool blame);
void null_reset(void);

#endif
