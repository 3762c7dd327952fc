// SPDX-License-Identifier: Apache-2.0
/*
 * copy.c - copies and clears of memory, large ones by all threads.
 *
 * in     bytes, and how many
 * out    the same bytes, or zeros, elsewhere
 * knows  that the threads of a device run any function of the form of a kernel
 * not    buffers, commands
 */
#include <string.h>

#include "gpu/cpu/cpu_priv.h"

#define CHUNK (64u << 10)           /* bytes of a workgroup                       */
#define LEAST (256u << 10)          /* bytes that are worth a second thread       */

/* Workgroups are chunks; buffers[0] is written, buffers[1] read: NULL, there are zeros. */
static uint32_t copy_chunks(const KernelDispatch *dispatch, void *memory, uint32_t first,
                            uint32_t last, uint32_t y, uint32_t z)
{
    const KernelBuffer *to = &dispatch->buffers[0], *from = &dispatch->buffers[1];
    uint64_t begin = (uint64_t)first * CHUNK, end = (uint64_t)last * CHUNK;
    size_t   size = (size_t)(MIN_OF(end, to->size) - begin);
    (void)memory, (void)y, (void)z;
    if (from->data)
        memcpy((uint8_t *)to->data + begin, (const uint8_t *)from->data + begin, size);
    else
        memset((uint8_t *)to->data + begin, 0, size);
    return 0;
}

static bool apart(const uint8_t *x, const uint8_t *y, uint64_t size)
{
    return !y || (uintptr_t)x + size <= (uintptr_t)y || (uintptr_t)y + size <= (uintptr_t)x;
}

void copy_run(Pool *p, Pace *pace, void *to, void *from, uint64_t size)
{
    if (size < LEAST || size > (uint64_t)CHUNK * UINT32_MAX || !apart(to, from, size)) {
        if (from)
            memmove(to, from, (size_t)size);
        else
            memset(to, 0, (size_t)size);
        return;
    }
    const uint32_t     chunks = (uint32_t)((size + CHUNK - 1) / CHUNK);
    const KernelBuffer buffers[] = {{to, size}, {from, size}};
    const Kernel       kernel = {.run = copy_chunks};
    PoolPart part = {.kernel = &kernel, .box = {.last = {chunks, 1, 1}},
                     .dispatch = {.buffers = buffers, .num_workgroups = {chunks, 1, 1}}};
    PoolJob  job = {.parts = &part, .nparts = 1};
    BUG_IF(!pool_plan(p, &job) || !pool_run(p, &job, pace), "a copy needs no memory");
}
