// SPDX-License-Identifier: Apache-2.0
/*
 * procs.c - the functions of webgpu.h by name.
 */
#include <string.h>

#include "gpu/gpu_priv.h"

static const struct Proc {
    const char *name;                   /* without "wgpu" */
    WGPUProc    proc;
} procs[] = {
#define PROC(name) {#name, (WGPUProc)wgpu##name},
#include "gpu/procs.def"
#undef PROC
};

/* As strcmp() of the two, where the first is a view. */
static int compare(View v, const char *name)
{
    size_t len = strlen(name);
    int    order = memcmp(v.data, name, MIN_OF(v.len, len));
    return order ? order : v.len < len ? -1 : v.len > len;
}

WGPUProc wgpuGetProcAddress(WGPUStringView procName)
{
    static const char prefix[] = "wgpu";
    const size_t      skip = sizeof prefix - 1;
    View v;
    if (!view_of(procName, &v) || v.len <= skip || memcmp(v.data, prefix, skip) != 0)
        return NULL;
    v = (View){v.data + skip, v.len - skip};
    size_t low = 0, high = COUNTOF(procs);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int    order = compare(v, procs[middle].name);
        if (order == 0)
            return procs[middle].proc;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
