// SPDX-License-Identifier: Apache-2.0
/*
 * hazard.c - see the header.
 */
#include "gpu/vulkan/hazard.h"

#include "base/macro.h"

static bool overlap(const HazardRange *a, const HazardRange *b)
{
    return a->start < b->end && b->start < a->end;
}

bool hazard_conflicts(const Hazards *h, const HazardUse *use, HazardRange range)
{
    if (use->epoch != h->epoch)
        return false;
    for (uint32_t i = 0; i < use->count; i++)
        if ((use->ranges[i].write || range.write) && overlap(&use->ranges[i], &range))
            return true;
    return false;
}

static void join(HazardRange *to, HazardRange range)
{
    to->start = MIN_OF(to->start, range.start);
    to->end = MAX_OF(to->end, range.end);
    to->write = to->write || range.write;
}

void hazard_add(Hazards *h, HazardUse *use, HazardRange range)
{
    if (use->epoch != h->epoch)
        *use = (HazardUse){.epoch = h->epoch};
    for (uint32_t i = 0; i < use->count; i++) {
        HazardRange *r = &use->ranges[i];
        bool touches = range.start <= r->end && r->start <= range.end;
        if (r->write == range.write && touches) {
            join(r, range);
            return;
        }
    }
    if (use->count < HAZARD_RANGES)
        use->ranges[use->count++] = range;
    else
        join(&use->ranges[HAZARD_RANGES - 1], range);   /* too much rather than too little */
}
