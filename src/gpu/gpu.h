// SPDX-License-Identifier: Apache-2.0
/*
 * gpu.h - what a device must do, and nothing of the API above it.
 *
 * One GpuBackend is one kind of device (cpu/, vulkan/). The API (the rest of this
 * folder) has validated everything before it calls: sizes, alignments, usages,
 * layouts. A backend checks only what the world may refuse: memory, the driver.
 *
 * in     plain structs and command lists
 * out    objects behind opaque pointers; completions on a thread of its own
 * knows  its hardware
 * not    webgpu.h, reference counts, labels, error scopes
 *
 * Threads    every function may be called from any thread. `submit` takes effect
 *            in the order of the calls on one device.
 * Ownership  what a `create` returns is given back with the matching `destroy`,
 *            which the API calls only when no submitted work uses it any more.
 */
#ifndef WEFT_GPU_GPU_H
#define WEFT_GPU_GPU_H

#include "base/diag.h"
#include "check/check.h"

typedef struct GpuBackend GpuBackend;
typedef struct GpuAdapter GpuAdapter;   /* the backend's                          */
typedef struct GpuDevice  GpuDevice;
typedef struct GpuBuffer  GpuBuffer;
typedef struct GpuKernel  GpuKernel;    /* a compiled entry point                 */
typedef struct GpuQueries GpuQueries;   /* timestamps                             */

/* What can be said about an adapter. Limits are WebGPU's, by its names. */
typedef struct GpuLimits {
    uint32_t max_bind_groups, max_bindings_per_bind_group;
    uint32_t max_dynamic_uniform_buffers, max_dynamic_storage_buffers;
    uint32_t max_storage_buffers, max_uniform_buffers;      /* per shader stage   */
    uint64_t max_uniform_binding, max_storage_binding, max_buffer;  /* bytes      */
    uint32_t min_uniform_alignment, min_storage_alignment;  /* of offsets         */
    uint32_t max_workgroup_storage;                         /* bytes              */
    uint32_t max_invocations, max_workgroup_size[3], max_workgroups;
    uint32_t max_immediates;                                /* bytes              */
} GpuLimits;

typedef enum GpuAdapterKind { GPU_CPU, GPU_DISCRETE, GPU_INTEGRATED, GPU_SOFTWARE } GpuAdapterKind;

typedef struct GpuAdapterInfo {
    const char *unfit;                  /* why there can be no device, in words; only
                                           kind and device count then. NULL: it can */
    GpuAdapterKind kind;
    const char *vendor, *architecture, *device, *description;
    const char *driver;                 /* with its version; NULL: there is none  */
    uint32_t    vendor_id, device_id;
    uint32_t    subgroup_min, subgroup_max;
    bool        has_f16, has_f64, has_timestamps, has_subgroups;
    bool        has_subgroup_sizes;     /* kernels choose one of them             */
    uint64_t    memory;                 /* bytes, for information                 */
    GpuLimits   limits;
} GpuAdapterInfo;

typedef struct GpuDeviceDesc {
    uint32_t    threads;                /* CPU                0: one a core       */
    uint32_t    lanes;                  /* CPU                0: what suits       */
    const char *cpu;                    /* CPU: its name      NULL: this machine  */
    uint64_t    deadline;               /* ns a dispatch      0: none             */
    bool        timed_help;             /* `help` has a limit: expected times may fit it */
    const char *cache_folder;           /* NULL: the user's                       */
    bool        no_disk_cache;
    bool        no_cache;               /* every kernel is compiled anew          */
    /* Called once if the device is lost by itself (deadline, driver), on any thread.
     * `tag`: of the dispatch that was at fault; NULL: none was. */
    void      (*lost)(void *user, const void *tag, const char *why);
    void       *lost_user;
    /* For what validation layers say of us, on any thread. May be NULL. */
    void      (*log)(void *user, const char *text);
    void       *log_user;
} GpuDeviceDesc;

/* ---- work ---- */

typedef struct GpuBinding {             /* a buffer in a bind group               */
    uint32_t   group, binding;
    GpuBuffer *buffer;
    uint64_t   offset, size;            /* bytes                                  */
} GpuBinding;

/* What dispatches run, and on what: one for all that follow one another unchanged. */
typedef struct GpuLaunch {
    GpuKernel        *kernel;
    const GpuBinding *bindings;         /* [nbindings], sorted by group, binding  */
    uint32_t          nbindings;
    const void       *immediates;       /* as many bytes as the kernel reads, or
                                           more                                   */
    uint64_t          most_groups;      /* of all together; 0: no bound           */
    const void       *tag;              /* for GpuDeviceDesc.lost                 */
} GpuLaunch;

typedef enum GpuCommandKind {
    GPU_DISPATCH, GPU_DISPATCH_INDIRECT, GPU_COPY, GPU_CLEAR, GPU_WRITE,
    GPU_TIMESTAMP, GPU_RESOLVE,
} GpuCommandKind;

typedef struct GpuCommand {
    GpuCommandKind kind;
    union {
        struct {
            GpuLaunch *launch;
            uint32_t   groups[3];
            uint32_t   again;           /* how often it follows itself, not INDIRECT;
                                           0 where each dispatch has a deadline   */
            /* INDIRECT: three u32 there, and `groups` is the most there may be in each
             * dimension. More than that, or than `most_groups`: none runs. */
            GpuBuffer *indirect;
            uint64_t   indirect_offset;
        } dispatch;
        struct { GpuBuffer *from, *to; uint64_t from_offset, to_offset, size; } copy;
        struct { GpuBuffer *to; uint64_t offset, size; } clear;
        struct { GpuBuffer *to; uint64_t offset, size; const void *data; } write;
        struct { GpuQueries *queries; uint32_t index; } timestamp;
        struct {
            GpuQueries *queries;
            uint32_t    first, count;
            GpuBuffer  *to;
            uint64_t    offset;
        } resolve;
    };
} GpuCommand;

/* Commands that run in this order. This struct, the list, and everything it points
 * to live until `done` is called. */
typedef struct GpuSubmit GpuSubmit;
struct GpuSubmit {
    GpuSubmit        *next;             /* the backend's, for its list            */
    const GpuCommand *commands;
    uint32_t          count;
    /* On the queue's thread, from within `submit` or `help`, once everything before and in
     * this submit is complete (or given up because the device is lost). The dones of
     * a device come one after another, in the order of the submits; only what is given
     * up may come before its turn. One may call any function of the backend but
     * device_destroy and kernel_create. */
    void (*done)(void *user);
    void  *user;
};

struct GpuBackend {
    const char *name;
    /* Quickly: may there be an adapter that is better than the CPU? NULL: yes. */
    bool        (*has_hardware)(void);
    /* Adapter `index` of this machine; NULL: no more. They live as long as the
     * process. */
    GpuAdapter *(*adapter)(uint32_t index);
    void        (*adapter_info)(GpuAdapter *a, GpuAdapterInfo *out);

    GpuDevice *(*device_create)(GpuAdapter *a, const GpuDeviceDesc *desc, Diag *diag);
    /* Waits until all that was submitted is done, and each `done` has returned. */
    void       (*device_destroy)(GpuDevice *d);

    /* Zeroed. NULL: out of memory. */
    GpuBuffer *(*buffer_create)(GpuDevice *d, uint64_t size, bool mappable);
    /* Over memory of the program, aligned to 16, that may change at any time while work reads
     * it. NULL: out of memory. The function is NULL where the device has memory of its own. */
    GpuBuffer *(*buffer_wrap)(GpuDevice *d, void *data, uint64_t size);
    void       (*buffer_destroy)(GpuDevice *d, GpuBuffer *b);
    /* The bytes of the buffer, for the host, aligned to 16; what it writes is visible
     * to work submitted afterwards, and the other way round after `done`. Never NULL
     * for a mappable buffer. A device whose memory is the host's gives those of all
     * its buffers: then data for an idle buffer is written there and not copied
     * twice. */
    void      *(*buffer_data)(GpuDevice *d, GpuBuffer *b);

    /* `settings` fit the entry point. NULL after a diagnostic. May take long: the API
     * calls it from a thread of its own for asynchronous creation, and never under
     * arena_try(). The module need not outlive the call. */
    GpuKernel *(*kernel_create)(GpuDevice *d, const Module *m, const Decl *entry,
                                const OverrideSetting *settings, uint32_t nsettings,
                                Diag *diag);
    void       (*kernel_destroy)(GpuDevice *d, GpuKernel *k);

    GpuQueries *(*queries_create)(GpuDevice *d, uint32_t count);
    void        (*queries_destroy)(GpuDevice *d, GpuQueries *q);

    /* Returns at once. False: the device is lost; `done` is called all the same. */
    bool (*submit)(GpuDevice *d, GpuSubmit *s);
    /* Carries out the next submit on the calling thread, if no thread is carrying one
     * out and it takes no longer than `limit` in nanoseconds, GPU_FOREVER or 0 for what is
     * done but for saying so; false: it did nothing. A thread that waits for the queue calls
     * it: work on its way is done sooner here than where a thread must wake up first. NULL:
     * the device has no use for it. */
    bool (*help)(GpuDevice *d, uint64_t limit);
    /* A callback wants the completion of what was submitted, and no thread waits for it.
     * NULL: the device completes every submit by itself. */
    void (*watch)(GpuDevice *d);
};

#define GPU_FOREVER UINT64_MAX      /* a limit of `help` */

/* All kinds of device, in the order of preference; ends with NULL. */
extern const GpuBackend *const gpu_backends[];
extern const GpuBackend gpu_cpu_backend;
extern const GpuBackend gpu_vulkan_backend;

#endif
