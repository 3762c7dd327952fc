// SPDX-License-Identifier: Apache-2.0
/*
 * features.c - what a device can do beyond the minimum.
 *
 * in     names of features, what a backend says of its hardware
 * out    sets of features, one bit for each row of the table
 * knows  which features there are in compute, which need others, and which of
 *        them let WGSL enable something
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

typedef struct FeatureRow {
    WGPUFeatureName feature;
    const char     *name;
    uint32_t        needs;              /* rows it brings with it                 */
    const char     *wgsl;               /* what it lets be enabled; NULL: nothing */
    size_t          has;                /* bool in GpuAdapterInfo                 */
    bool            always;
    bool            unlisted;           /* to be had, but not of the standard     */
} FeatureRow;

/* Dawn's: calls from any thread at any time. Its programs ask for it; here it is always so. */
#define FEATURE_DAWN_SYNCHRONIZATION ((WGPUFeatureName)0x00050004)

enum { SUBGROUPS = 3 };                 /* its row                                */

static const FeatureRow rows[] = {
#define FEATURE(name) WGPUFeatureName_##name, #name
#define HAS(member)   offsetof(GpuAdapterInfo, member), false, false
    {FEATURE(CoreFeaturesAndLimits), 0, NULL, 0, true, false},
    {FEATURE(TimestampQuery), 0, NULL, HAS(has_timestamps)},
    {FEATURE(ShaderF16), 0, "f16", HAS(has_f16)},
    [SUBGROUPS] = {FEATURE(Subgroups), 0, "subgroups", HAS(has_subgroups)},
    {FEATURE(SubgroupSizeControl), 1u << SUBGROUPS, "subgroup_size_control",
     HAS(has_subgroup_sizes)},
    {FEATURE(WeftShaderF64), 0, "weft_f64", HAS(has_f64)},
    {FEATURE_DAWN_SYNCHRONIZATION, "ImplicitDeviceSynchronization", 0, NULL, 0, true, true},
#undef HAS
#undef FEATURE
};
_Static_assert(COUNTOF(rows) < FEATURE_WGSL_MAX, "no room for the names of WGSL");

uint32_t features_of_adapter(const GpuAdapterInfo *info)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        const bool *has = (const bool *)((const char *)info + rows[i].has);
        if (rows[i].always || *has)
            bits |= 1u << i;
    }
    return bits;
}

uint32_t feature_bits(WGPUFeatureName name)
{
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (rows[i].feature == name)
            return 1u << i | rows[i].needs;
    return 0;
}

const char *feature_name(WGPUFeatureName name)
{
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (rows[i].feature == name)
            return rows[i].name;
    return NULL;
}

bool features_write(uint32_t features, WGPUSupportedFeatures *out)
{
    *out = (WGPUSupportedFeatures){0};
    WGPUFeatureName *list = calloc(COUNTOF(rows), sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (features & 1u << i && !rows[i].unlisted)
            list[out->featureCount++] = rows[i].feature;
    out->features = list;
    return true;
}

void features_wgsl(uint32_t features, const char *names[FEATURE_WGSL_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < COUNTOF(rows); i++)
        if (features & 1u << i && rows[i].wgsl)
            names[count++] = rows[i].wgsl;
    names[count] = NULL;
}

void wgpuSupportedFeaturesFreeMembers(WGPUSupportedFeatures supportedFeatures)
{
    free_const(supportedFeatures.features);
}
