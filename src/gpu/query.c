// SPDX-License-Identifier: Apache-2.0
/*
 * query.c - query sets: numbers that the device measures.
 *
 * in     descriptors
 * out    sets of timestamps; sets of occlusion queries, which are always zero,
 *        since nothing is drawn that could be hidden
 * knows  WebGPU chapter 20 (queries)
 * not    the commands that write and resolve them (encoder.c)
 */
#include "gpu/gpu_priv.h"

#define MAX_QUERIES 4096u

static void query_set_free(Object *o)
{
    WGPUQuerySet set = (WGPUQuerySet)o;
    if (set->gpu)
        o->device->backend->queries_destroy(o->device->gpu, set->gpu);
}

const ObjectClass query_set_class = {"query set", query_set_free};

static const char *descriptor_fault(Fault *f, const WGPUQuerySetDescriptor *d,
                                    WGPUDevice device)
{
    if (chain_none_fault(f, "WGPUQuerySetDescriptor", d->nextInChain)
        || view_fault(f, "the label", d->label))
        return f->text;
    if (d->type != WGPUQueryType_Occlusion && d->type != WGPUQueryType_Timestamp)
        return fault(f, "the query type %u is not one there is", (unsigned)d->type);
    if (d->type == WGPUQueryType_Timestamp
        && !wgpuDeviceHasFeature(device, WGPUFeatureName_TimestampQuery))
        return "timestamps need the device feature TimestampQuery";
    if (d->count > MAX_QUERIES)
        return fault(f, "the count %u is above the most there may be, %u", d->count,
                     MAX_QUERIES);
    return NULL;
}

WGPUQuerySet wgpuDeviceCreateQuerySet(WGPUDevice device,
                                      const WGPUQuerySetDescriptor *descriptor)
{
    static const WGPUQuerySetDescriptor nothing = {0};
    if (!device)
        return NULL;
    Fault       f;
    const WGPUQuerySetDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = descriptor ? descriptor_fault(&f, d, device) : "the descriptor is NULL";
    WGPUQuerySet set = object_new(&query_set_class, sizeof *set, device, d->label);
    if (!set)
        return NULL;
    set->type = d->type;
    set->count = d->count;
    set->base.valid = !why && !device_is_lost(device);
    if (why)
        object_report(&set->base, WGPUErrorType_Validation, why);
    if (set->base.valid && d->type == WGPUQueryType_Timestamp) {
        set->gpu = device->backend->queries_create(device->gpu, MAX_OF(d->count, 1u));
        set->base.valid = set->gpu != NULL;
        if (!set->gpu)
            object_report(&set->base, WGPUErrorType_OutOfMemory,
                          fault(&f, "there is no memory for %u queries", d->count));
    }
    return set;
}

OBJECT_FUNCTIONS(QuerySet, querySet)

WGPUQueryType wgpuQuerySetGetType(WGPUQuerySet querySet)
{
    return querySet ? querySet->type : (WGPUQueryType)0;
}

uint32_t wgpuQuerySetGetCount(WGPUQuerySet querySet)
{
    return querySet ? querySet->count : 0;
}

void wgpuQuerySetDestroy(WGPUQuerySet querySet)
{
    if (!querySet)
        return;
    WGPUQueue queue = &querySet->base.device->queue;
    pthread_mutex_lock(&queue->lock);
    querySet->destroyed = true;
    pthread_mutex_unlock(&queue->lock);
}
