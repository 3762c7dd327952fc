// SPDX-License-Identifier: Apache-2.0
/*
 * kernel_abi.h - how generated machine code is called.
 *
 * Shared by emit/llvm (which generates code for it) and gpu/cpu (which calls).
 * Change KERNEL_ABI_VERSION with every change: it is part of the cache key.
 */
#ifndef WEFT_EMIT_LLVM_KERNEL_ABI_H
#define WEFT_EMIT_LLVM_KERNEL_ABI_H

#include <stdatomic.h>
#include <stdint.h>

#define KERNEL_ABI_VERSION 3u
#define KERNEL_ALIGN       64u      /* of buffers, workgroup memory and scratch   */

typedef struct KernelBuffer {
    void    *data;                  /* at least 4 bytes long, 4-aligned           */
    uint64_t size;                  /* bytes of the binding                       */
} KernelBuffer;

/* The dispatch goes through more memory than the caches hold. */
#define KERNEL_STREAMS 1u
/* While this call runs, no other thread runs workgroups of the dispatch. */
#define KERNEL_ALONE   2u

/* One dispatch; the same for all its workgroups and threads. */
typedef struct KernelDispatch {
    const KernelBuffer *buffers;    /* [Kernel.nbuffers]                          */
    const void         *immediates;
    uint32_t            num_workgroups[3];
    uint32_t            flags;      /* KERNEL_...                                 */
    const atomic_uint  *stop;       /* becomes non-zero: leave as soon as possible */
    uint32_t            band;       /* rows that a call runs, at most Kernel.band and
                                       2^24; 0: one                               */
    uint32_t            band_end;   /* unless it is one: all rows are below this  */
} KernelDispatch;

/*
 * Runs the workgroups [first, last) of row (y, z), and of those that follow it along y as
 * far as `band` and `band_end` let it. `memory` is the thread's own:
 * Kernel.memory_size bytes (workgroup variables, then scratch), any contents.
 * Returns 0, or 1 if it left because of `stop`.
 */
typedef uint32_t KernelFn(const KernelDispatch *dispatch, void *memory,
                          uint32_t first, uint32_t last, uint32_t y, uint32_t z);

#endif
