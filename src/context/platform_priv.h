// SPDX-License-Identifier: Apache-2.0
/*
 * platform_priv.h - what the context layer asks of the operating system. Everything else
 * in this folder is plain C over webgpu.h, so that it can run in a browser as well.
 */
#ifndef WEFT_CONTEXT_PLATFORM_PRIV_H
#define WEFT_CONTEXT_PLATFORM_PRIV_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <webgpu/webgpu.h>

#include "context/files.h"

/* ---- environment, time ---- */

/* NULL if the variable is not set. */
const char *platform_env(const char *name);
void        platform_sleep(uint64_t ns);

/* ---- libraries ---- */

/* NULL: *why says why, valid until the next call. */
void    *platform_library_open(const char *path, const char **why);
WGPUProc platform_library_symbol(void *handle, const char *name);

/* ---- locks ---- */

typedef struct Lock {
    pthread_mutex_t mutex;
} Lock;

void lock_init(Lock *l);
void lock_fini(Lock *l);
void lock_take(Lock *l);
void lock_give(Lock *l);

#endif
