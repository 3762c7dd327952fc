// SPDX-License-Identifier: Apache-2.0
/*
 * machines.h - GPUs as they are in the world, as far as a program can see.
 *
 * What a row leaves zero is as the driver below has it.
 */
#ifndef WEFT_TESTS_GPU_VULKAN_MACHINES_H
#define WEFT_TESTS_GPU_VULKAN_MACHINES_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <stdbool.h>
#include <stdint.h>

enum {                                  /* features that are hidden               */
    HIDE_FLOAT16 = 1u << 0,
    HIDE_STORAGE16 = 1u << 1,
    HIDE_UNIFORM16 = 1u << 2,
    HIDE_PUSH16 = 1u << 3,
    HIDE_SUBGROUP_TYPES = 1u << 4,
    HIDE_STANDARD_LAYOUT = 1u << 5,
    HIDE_ZERO_INIT = 1u << 6,
    HIDE_DOT = 1u << 7,
    HIDE_SIZE_CONTROL = 1u << 8,
    HIDE_ROBUST2 = 1u << 9,
    HIDE_CORE = 1u << 10,               /* all of Vulkan 1.0 but robustBufferAccess */
    HIDE_ALL = (1u << 11) - 1,
};

typedef struct MachineHeap {
    uint64_t size;                      /* bytes that it says it has              */
    uint64_t free;                      /* of them; others have the rest. 0: all  */
    bool     local;
} MachineHeap;

typedef struct Machine {
    const char *name;
    uint32_t    version;                /* of Vulkan                              */
    VkPhysicalDeviceType type;
    uint32_t    hidden;
    bool        bare;                   /* it has no extension                    */
    bool        portability;            /* it is not quite Vulkan, and says so    */

    uint32_t                nfamilies;
    VkQueueFamilyProperties families[4];

    uint32_t     nheaps, ntypes;
    MachineHeap  heaps[3];
    VkMemoryType types[10];
    uint32_t     buffer_types;          /* bits: that buffers may have; 0: all    */
    uint32_t     most_allocations;
    uint64_t     most_allocation;       /* bytes of one                           */

    void (*limits)(VkPhysicalDeviceLimits *);
    VkSubgroupFeatureFlags no_operations;
    bool         no_subgroups;          /* in compute                             */
    bool         sizes_vary;            /* 4 to 64 in a subgroup, as the kernel suits it */
    bool         unordered;             /* commands wait for nothing but barriers */
    bool         impatient;             /* nothing is waited for longer than a moment */

    /* What Weft should make of it. */
    const char  *left_out;              /* a part of the reason; NULL: it is offered */
    bool         lacks_f16, lacks_subgroups, lacks_timestamps;
    uint32_t     megabytes;             /* that buffers must have room for together */
} Machine;

extern const Machine machines[];
extern const uint32_t machine_count;

/* NULL: there is none of this name. */
const Machine *driver_machine_find(const char *name);

#endif
