// SPDX-License-Identifier: Apache-2.0
/*
 * hazard.h - which commands must wait for which.
 *
 * in     the ranges of buffers that each command reads and writes, in order
 * out    where a barrier is needed: before a command that reads what was written, or
 *        writes what was read or written, since the last barrier
 * knows  ranges
 * not    Vulkan
 *
 * A barrier orders all commands before it against all after it. So there is nothing
 * to forget at a barrier but its number: a use of an earlier number does not count.
 */
#ifndef WEFT_GPU_VULKAN_HAZARD_H
#define WEFT_GPU_VULKAN_HAZARD_H

#include <stdbool.h>
#include <stdint.h>

#define HAZARD_RANGES 6u

typedef struct HazardRange {
    uint64_t start, end;
    bool     write;
} HazardRange;

/* What has been done to one buffer since the barrier `epoch`. */
typedef struct HazardUse {
    uint64_t    epoch;
    uint32_t    count;
    HazardRange ranges[HAZARD_RANGES];
} HazardUse;

typedef struct Hazards {
    uint64_t epoch;                 /* barriers so far, and one                   */
    uint32_t stages, writes;        /* since the last one: the user's flags       */
} Hazards;

static inline void hazards_init(Hazards *h)
{
    *h = (Hazards){.epoch = 1};
}

static inline void hazards_barrier(Hazards *h)
{
    *h = (Hazards){.epoch = h->epoch + 1};
}

/* Must this use wait for an earlier one? */
bool hazard_conflicts(const Hazards *h, const HazardUse *use, HazardRange range);
void hazard_add(Hazards *h, HazardUse *use, HazardRange range);

#endif
