// SPDX-License-Identifier: Apache-2.0
/*
 * vulkan_priv.h - the Vulkan device's parts.
 *
 *   vulkan.c     the table of the backend
 *   load.c       the loader, opened at run time; the functions; validation messages
 *   result.c     what Vulkan's results mean, in words
 *   adapter.c    physical devices: what they are and what they can do
 *   device.c     a device, its loss, its end
 *   heap.c       ranges of a block of memory (pure)
 *   memory.c     blocks of device memory, and who has which part of them
 *   buffer.c     buffers, and memory that is staged for a submit
 *   kernel.c     pipelines, and the kernels that the device itself needs
 *   cache.c      the driver's pipeline cache, kept on disk
 *   bind.c       descriptor sets, reused
 *   hazard.c     which commands must wait for which (pure)
 *   record.c     command lists become command buffers
 *   queue.c      submits, and the thread that waits for them
 *
 * Locks      in the order they may be taken; none is held while the API above is
 *            called:
 *              record_lock    of a device: command buffers, hazards, descriptor sets
 *              lock           of a queue: what is under way
 *              lock           of the memory
 */
#ifndef WEFT_GPU_VULKAN_VULKAN_PRIV_H
#define WEFT_GPU_VULKAN_VULKAN_PRIV_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/macro.h"
#include "compile/spirv.h"
#include "emit/spirv/spirv.h"
#include "gpu/gpu.h"
#include "gpu/vulkan/hazard.h"
#include "gpu/vulkan/heap.h"

/* ---- result.c ---- */

/* "the driver has no memory left (VK_ERROR_OUT_OF_DEVICE_MEMORY)". */
const char *vulkan_result_text(VkResult result);

/* ---- load.c ---- */

/* The loader and its one instance; lives as long as the process. */
typedef struct Vulkan {
    void       *library;
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
#define GLOBAL(name)   PFN_vk##name name;
#define INSTANCE(name) PFN_vk##name name;
#define OPTIONAL(name) PFN_vk##name name;
#define DEVICE(name)
#include "gpu/vulkan/functions.def"
#undef DEVICE
#undef OPTIONAL
#undef INSTANCE
#undef GLOBAL
    VkInstance  instance;           /* NULL: there is no Vulkan                   */
    uint32_t    version;            /* of the instance                            */
    GpuAdapter *adapters;           /* [nadapters]                                */
    uint32_t    nadapters;
} Vulkan;

typedef struct VulkanDeviceFns {
#define GLOBAL(name)
#define INSTANCE(name)
#define OPTIONAL(name)
#define DEVICE(name) PFN_vk##name name;
#include "gpu/vulkan/functions.def"
#undef DEVICE
#undef OPTIONAL
#undef INSTANCE
#undef GLOBAL
} VulkanDeviceFns;

/* May this machine have a GPU? Opens nothing. */
bool vulkan_has_hardware(void);
/* The same for a machine with these files in place of /dev. */
bool vulkan_has_hardware_in(const char *dev);
/* Opened at the first call; never NULL. */
const Vulkan *vulkan_get(void);
/* False: one is missing. */
bool vulkan_device_functions(const Vulkan *v, VkDevice device, VulkanDeviceFns *out);

/* Those that hear what the validation layer says. */
typedef struct VulkanListener VulkanListener;
struct VulkanListener {
    VulkanListener *next;
    void (*log)(void *user, const char *text);
    void *user;
};
void vulkan_listen(VulkanListener *l);
void vulkan_unlisten(VulkanListener *l);

/* ---- adapter.c ---- */

/* Structs of features, in one chain; those that the driver does not know stay out. */
typedef struct VulkanFeatures {
    VkPhysicalDeviceFeatures2                            core;
    VkPhysicalDevice16BitStorageFeatures                 storage16;
    VkPhysicalDeviceShaderFloat16Int8Features            float16;
    VkPhysicalDeviceRobustness2FeaturesEXT               robust2;
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures  subgroup_types;
    VkPhysicalDeviceUniformBufferStandardLayoutFeatures  standard_layout;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_init;
    VkPhysicalDeviceShaderIntegerDotProductFeatures      dot_product;
    VkPhysicalDeviceSubgroupSizeControlFeatures          subgroup_size;
} VulkanFeatures;

#define VULKAN_MAX_EXTENSIONS 12u

struct GpuAdapter {
    const Vulkan    *vulkan;
    VkPhysicalDevice physical;
    uint32_t         version;       /* VK_API_VERSION that the device has         */
    uint32_t         family;        /* of queues                                  */
    VkPhysicalDeviceProperties       properties;
    VkPhysicalDeviceMemoryProperties memory;
    VulkanFeatures   features;      /* to be enabled; see vulkan_features_link()  */
    const char      *extensions[VULKAN_MAX_EXTENSIONS];     /* to be enabled      */
    uint32_t         nextensions;
    uint64_t         max_allocation;        /* bytes                              */
    uint32_t         timestamp_bits;        /* 0: there are none                  */
    bool             shares_memory; /* the device's memory is the host's          */
    bool             sizes_vary;    /* subgroups of kernels have different sizes  */
    SpirvTarget      target;        /* what kernels may use                       */
    char             device[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char             driver[2 * VK_MAX_DRIVER_NAME_SIZE];
    char             description[640];
    GpuAdapterInfo   info;
};

/* Fills in the adapter of a physical device; info.unfit: it cannot be one. */
void vulkan_adapter_init(GpuAdapter *a, const Vulkan *v, VkPhysicalDevice physical);
/* Puts the structs that the adapter knows into one chain, which begins at `core`. */
void vulkan_features_link(VulkanFeatures *f, const GpuAdapter *a);

/* ---- memory.c ---- */

typedef struct VulkanBlock VulkanBlock;

/* A part of a block. */
typedef struct VulkanMemory {
    VulkanBlock *block;             /* NULL: none                                 */
    uint64_t     offset, size;
    void        *data;              /* for the host; NULL: out of its reach       */
} VulkanMemory;

typedef struct VulkanHeaps {
    pthread_mutex_t lock;
    VulkanBlock    *blocks;
} VulkanHeaps;

typedef enum VulkanPlace {
    PLACE_DEVICE,                   /* where kernels are fastest                  */
    PLACE_HOST,                     /* within the host's reach, and cached        */
} VulkanPlace;

void vulkan_heaps_init(VulkanHeaps *h);
void vulkan_heaps_fini(GpuDevice *d);
VkResult vulkan_memory_take(GpuDevice *d, VulkanPlace place, const VkMemoryRequirements *need,
                            VulkanMemory *out);
void vulkan_memory_give(GpuDevice *d, VulkanMemory *m);
VkDeviceMemory vulkan_memory_handle(const VulkanMemory *m);

/* ---- buffer.c ---- */

struct GpuBuffer {
    VkBuffer     handle;
    VulkanMemory memory;
    uint64_t     size;              /* that was asked for                         */
    uint64_t     room;              /* a multiple of 16                           */
    uint64_t     id;                /* never used again                           */
    HazardUse    use;               /* record_lock                                */
    bool         unset;             /* its first use must zero it; record_lock    */
    GpuBuffer   *next;              /* in a list of the device's                  */
};

GpuBuffer *vulkan_buffer_new(GpuDevice *d, uint64_t size, VulkanPlace place, bool zeroed);
void       vulkan_buffer_free(GpuDevice *d, GpuBuffer *b);

/* Memory that one submit needs: data on its way to the device, arguments of
 * dispatches. Taken piece by piece, given back all at once. */
typedef struct VulkanStaging {
    GpuBuffer *chunks;              /* by next; the first one has room            */
    uint64_t   used;                /* of the first one                           */
} VulkanStaging;

typedef struct VulkanPiece {
    GpuBuffer *buffer;
    uint64_t   offset;
    void      *data;
} VulkanPiece;

/* False: no memory. */
bool vulkan_staging_take(GpuDevice *d, VulkanStaging *s, uint64_t size, uint64_t align,
                         VulkanPiece *out);
void vulkan_staging_clear(GpuDevice *d, VulkanStaging *s);

/* ---- cache.c ---- */

/* Made from what is on disk, if that is of this driver. NULL: the driver refuses. */
VkPipelineCache vulkan_cache_open(GpuDevice *d);
/* Writes what has been added, and ends it. */
void            vulkan_cache_close(GpuDevice *d, VkPipelineCache cache);

/* ---- kernel.c ---- */

typedef enum VulkanSlotKind { SLOT_UNIFORM, SLOT_READ, SLOT_WRITABLE } VulkanSlotKind;

typedef struct VulkanBinding {
    uint32_t     group, binding;
    VulkanSlotKind kind;
} VulkanBinding;

struct GpuKernel {
    uint64_t              id;       /* never used again                           */
    VulkanBinding        *bindings; /* [nbindings], by group, then binding        */
    uint32_t              nbindings;
    uint32_t              nsets;    /* last group + 1                             */
    VkDescriptorSetLayout sets[8];
    VkPipelineLayout      layout;
    VkPipeline            pipeline; /* vulkan_kernel_check(); may be none yet     */
    VkPipeline            unchecked;        /* for dispatches of which the proof
                                       holds: indices go unchecked. May be none    */
    Proof                 proof;    /* of `unchecked`; nodes and checks malloc'ed  */
    uint32_t             *words;    /* [nwords] the code of `pipeline`, if there is
                                       `unchecked`; malloc'ed                      */
    size_t                nwords;
    uint32_t              immediates;       /* bytes                              */
    bool                  uses_subgroups;
    GpuKernel            *next;     /* in a list of the device's                  */
};

GpuKernel *vulkan_kernel_new(GpuDevice *d, const Module *m, const Decl *entry,
                             const OverrideSetting *settings, uint32_t nsettings, Diag *diag);
void       vulkan_kernel_free(GpuDevice *d, GpuKernel *k);
/* Makes k->pipeline, if it is not there yet. With record_lock. */
VkResult   vulkan_kernel_check(GpuDevice *d, GpuKernel *k);

/* Kernels of the device's own, in WGSL. */
typedef enum VulkanHelper {
    HELPER_INDIRECT,                /* arguments of a dispatch, or none           */
    HELPER_TIMES,                   /* ticks become nanoseconds                   */
    HELPER_COUNT
} VulkanHelper;

/* With record_lock. NULL: it cannot be made. */
GpuKernel *vulkan_helper_get(GpuDevice *d, VulkanHelper helper);

/* ---- bind.c ---- */

#define VULKAN_MAX_SETS 8u

typedef struct VulkanSets VulkanSets;

VulkanSets *vulkan_sets_new(void);
void        vulkan_sets_free(GpuDevice *d);
/* The set of a group with these buffers, filled. `serial` is of the submit that uses
 * it. With record_lock. */
VkResult vulkan_sets_get(GpuDevice *d, const GpuKernel *k, uint32_t group,
                         const GpuBinding *const *bindings, uint64_t serial,
                         VkDescriptorSet *out);
/* The kernel ends. With record_lock. */
void     vulkan_sets_forget(GpuDevice *d, const GpuKernel *k);

/* ---- record.c ---- */

struct GpuQueries {
    VkQueryPool pool;
    uint32_t    count;
    GpuQueries *next;               /* in a list of the device's                  */
    bool        written[];          /* [count]; record_lock                       */
};

/* One command buffer on its way. */
typedef struct VulkanFlight VulkanFlight;
struct VulkanFlight {
    VulkanFlight   *next;
    VkCommandPool   pool;
    VkCommandBuffer commands;
    VkFence         fence;
    VulkanStaging   staging;
    uint64_t        serial;
    const void     *tag;            /* of its only dispatch; NULL: many, or none  */
    uint32_t        dispatches;
    bool            last;           /* of the submit                              */
    GpuSubmit      *submit;         /* last: done is called                       */
};


/* Records the commands from `*at` on, and moves it; `one_dispatch`: stops after the
 * first. The command buffer has begun, and ends here. With record_lock. False: `*why` says
 * why. */
bool vulkan_record(GpuDevice *d, VulkanFlight *f, const GpuSubmit *s, uint32_t *at,
                   bool one_dispatch, const char **why);

/* ---- queue.c ---- */

/* When the thread is to see to the flights. */
typedef enum VulkanCall { CALL_NONE, CALL_LATER, CALL_NOW } VulkanCall;

typedef struct VulkanQueue {
    pthread_t       thread;
    bool            started;
    pthread_mutex_t lock;
    pthread_cond_t  more;
    VulkanFlight   *first, **last;  /* in order                                   */
    VulkanFlight   *ready;          /* begun, for the next; NULL: none; record_lock */
    VulkanFlight   *spare;          /* to be used again                           */
    VulkanFlight   *adrift;         /* given up, and still under way              */
    uint32_t        nspare;
    bool            busy;           /* a thread is waiting for a flight           */
    VulkanCall      call;           /* not NONE while there are flights           */
    uint64_t        sent;           /* serial of the last flight                  */
    uint64_t        called_for;     /* CALL_NOW: up to this serial                */
    bool            awaited;        /* the next flight has a waiter already       */
    bool            ends;
    uint64_t        serial;         /* of the newest flight; record_lock          */
    atomic_ullong   completed;      /* serial                                     */
} VulkanQueue;

bool vulkan_queue_start(GpuDevice *d);
void vulkan_queue_end(GpuDevice *d);        /* after everything submitted is done */
bool vulkan_queue_submit(GpuDevice *d, GpuSubmit *s);
bool vulkan_queue_help(GpuDevice *d, uint64_t limit);
void vulkan_queue_watch(GpuDevice *d);
/* Is nothing of what was given up under way any more? */
bool vulkan_queue_is_idle(GpuDevice *d);
void vulkan_queue_free(GpuDevice *d);

/* ---- device.c ---- */

struct GpuDevice {
    GpuDeviceDesc     desc;
    char             *cache_folder; /* NULL: the user's                           */
    const GpuAdapter *adapter;
    const Vulkan     *vulkan;
    VkDevice          device;
    VkQueue           handle;
    VulkanDeviceFns   fn;
    VulkanListener    listener;
    VulkanHeaps       heaps;
    VkPipelineCache   cache;        /* NULL: none                                 */
    size_t            cache_size;   /* bytes that came from the disk              */
    atomic_ullong     next_id;
    atomic_bool       lost;
    atomic_bool       adrift;       /* lost, and its work may be under way still  */
    bool              overdue;      /* beyond its deadline; of the thread that waits */

    pthread_mutex_t   record_lock;
    Hazards           hazards;
    VulkanSets       *sets;
    GpuKernel        *helpers[HELPER_COUNT];
    VulkanQueue       queue;

    pthread_mutex_t   grave_lock;   /* what was destroyed while adrift            */
    GpuBuffer        *dead_buffers;
    GpuKernel        *dead_kernels;
    GpuQueries       *dead_queries;
    GpuDevice        *next;         /* among those that never ended               */
};

GpuDevice *vulkan_device_new(GpuAdapter *a, const GpuDeviceDesc *desc, Diag *diag);
void       vulkan_device_free(GpuDevice *d);
/* Says so once. Without a lock. */
void       vulkan_device_lose(GpuDevice *d, const void *tag, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
