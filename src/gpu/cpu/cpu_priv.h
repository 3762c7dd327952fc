// SPDX-License-Identifier: Apache-2.0
/*
 * cpu_priv.h - the CPU device's parts.
 *
 *   cpu.c      the adapter, the device, the table of the backend
 *   buffer.c   memory
 *   queue.c    the thread that carries out submits, in order
 *   pool.c     the threads that share the workgroups of one dispatch
 *   watch.c    the deadline of a dispatch
 *   copy.c     copies and clears
 */
#ifndef WEFT_GPU_CPU_CPU_PRIV_H
#define WEFT_GPU_CPU_CPU_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "compile/compile.h"
#include "gpu/gpu.h"

/* ---- pool.c ---- */

/* Memory that one thread gives to kernels; grows. */
typedef struct Scratch {
    void    *memory;
    uint64_t size;
} Scratch;

/* False: out of memory. */
bool scratch_reserve(Scratch *s, uint64_t size);
void scratch_fini(Scratch *s);

/* Some workgroups of a dispatch and the kernel that may run them. */
typedef struct PoolPart {
    const Kernel  *kernel;
    KernelDispatch dispatch;        /* the whole                                  */
    ProofBox       box;
} PoolPart;

/* One dispatch, handed out in runs of workgroups. Its creator sets the parts. */
typedef struct PoolJob {
    PoolPart       *parts;
    uint32_t        nparts;
    uint64_t        memory_size;    /* bytes a thread needs                       */
    uint64_t        total;          /* workgroups                                 */
    uint64_t        step;           /* workgroups in a run                        */
    atomic_ullong   next;           /* first workgroup that is not taken          */
    atomic_bool     failed;         /* no memory for a thread, or stopped         */
    KernelCache    *cache;          /* that improves its kernels                  */
    atomic_ullong   hot_at;         /* clock_ns() when it shall; 0: never         */
} PoolJob;

/* How long the workgroups of a kernel take. */
typedef struct Pace {
    uint64_t each;                  /* nanoseconds, when they were timed; 0: never */
    uint32_t untimed;               /* dispatches since then                      */
} Pace;

typedef struct Pool Pool;

/* `threads` includes the one that calls pool_run(). NULL: no memory, no threads. */
Pool    *pool_new(uint32_t threads);
void     pool_free(Pool *p);
uint32_t pool_threads(const Pool *p);
/* Divides it; it may then be run, more than once until another is planned. False: no
 * memory. */
bool     pool_plan(Pool *p, PoolJob *job);
/* Runs all workgroups; other threads are woken only if there is enough to do. Until
 * then the parts have KERNEL_ALONE. One call at a time. False: not all were run. */
bool     pool_run(Pool *p, PoolJob *job, Pace *pace);

/* ---- copy.c ---- */

/* As pool_run(): one call at a time. The ranges may overlap. `from` NULL: zeros. */
void     copy_run(Pool *p, Pace *pace, void *to, void *from, uint64_t size);

/* ---- watch.c ---- */

/* Sets a flag when a dispatch takes longer than it may. */
typedef struct Watch Watch;

Watch *watch_new(uint64_t deadline);            /* nanoseconds                    */
void   watch_free(Watch *w);
void   watch_begin(Watch *w, atomic_uint *flag);
void   watch_end(Watch *w);

/* ---- buffer.c ---- */

/* Buffers that were given back, for the next of the same size. */
typedef struct BufferPool BufferPool;

struct GpuBuffer {
    void      *data;
    uint64_t   size;                /* that was asked for                         */
    uint64_t   room;                /* that was taken; 0: the program's memory    */
    GpuBuffer *next;                /* in the pool                                */
};

BufferPool *buffer_pool_new(uint64_t limit);    /* most bytes of all buffers      */
void        buffer_pool_free(BufferPool *p);
GpuBuffer  *buffer_new(BufferPool *p, uint64_t size);   /* zeroed; NULL: no memory */
GpuBuffer  *buffer_wrap(void *data, uint64_t size);     /* NULL: no memory        */
void        buffer_free(BufferPool *p, GpuBuffer *b);

/* ---- parts.c ---- */

#define MAX_PARTS 7u                /* a box and what is around it                */

/* Boxes that a dispatch falls into. */
typedef struct Parts {
    PoolPart      parts[MAX_PARTS];
    uint32_t      count;
    KernelBuffer *buffers;          /* that they use                              */
    uint32_t      room;
    char          why[256];         /* there are none                             */
} Parts;

/* False: there is no memory, or a kernel cannot be made; Parts.why says which. */
bool parts_plan(Parts *p, GpuDevice *d, const GpuLaunch *l, const uint32_t given[3]);
void parts_fini(Parts *p);

/* ---- queue.c ---- */

#define KERNEL_ASSUMES ASSUME_USUAL

struct GpuKernel {
    const Kernel *forms[ASSUME_COUNT];  /* by what they assume; NULL: not needed yet.
                                       All but that of KERNEL_ASSUMES are the queue's */
    Pace pace;                      /* of its workgroups; the queue's             */
    uint64_t spent;                 /* ns in its dispatches while it is quick; the queue's */
    double workgroup_time;          /* ns, the last time; 0: never timed. Where waits with a
                                       timeout may help; the queue's              */
};

struct GpuQueries {
    uint32_t count;
    uint64_t times[];               /* nanoseconds                                */
};

typedef struct Queue Queue;

struct GpuDevice {
    GpuDeviceDesc desc;
    KernelCache  *cache;
    BufferPool   *buffers;
    Pool         *pool;
    Watch        *watch;            /* NULL: no deadline                          */
    Queue        *queue;
    GpuLimits     limits;
    uint64_t      cache_size;       /* bytes of the last level                    */
    atomic_bool   lost;
    atomic_uint   stop;             /* what kernels look at                       */
};

Queue *queue_new(GpuDevice *d);
void   queue_free(Queue *q);        /* after everything submitted is done         */
bool   queue_submit(Queue *q, GpuSubmit *s);
bool   queue_help(Queue *q, uint64_t limit);

#endif
