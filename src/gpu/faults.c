// SPDX-License-Identifier: Apache-2.0
/*
 * faults.c - sentences about what is wrong, strings and chains of the API.
 *
 * in     what the program passed: any pointers, lengths and sTypes
 * out    a sentence, or the same thing in a form that is safe to use
 * not    what any struct means
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

const char *fault(Fault *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, args);
    va_end(args);
    return f->text;
}

/* ---- strings ---- */

bool view_of(WGPUStringView s, View *out)
{
    *out = (View){s.data, s.length};
    if (s.length == WGPU_STRLEN)
        out->len = s.data ? strlen(s.data) : 0;
    return s.data || out->len == 0;
}

const char *view_fault(Fault *f, const char *what, WGPUStringView s)
{
    View v;
    if (view_of(s, &v))
        return NULL;
    return fault(f, "%s is NULL with a length of %zu", what, s.length);
}

/* ---- chains ---- */

static bool find_stype(WGPUSType stype, const WGPUSType *allowed, uint32_t n, uint32_t *at)
{
    for (*at = 0; *at < n; ++*at)
        if (allowed[*at] == stype)
            return true;
    return false;
}

const char *chain_fault(Fault *f, const char *where, const WGPUChainedStruct *chain,
                        const WGPUSType *allowed, uint32_t nallowed,
                        const WGPUChainedStruct **found)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; found && i < nallowed; i++)
        found[i] = NULL;
    for (; chain; chain = chain->next) {
        uint32_t at;
        if (!find_stype(chain->sType, allowed, nallowed, &at))
            return fault(f, "%s has a struct in its chain that does not belong there: "
                            "sType 0x%08x", where, (unsigned)chain->sType);
        /* A chain that goes in a circle ends here, too. */
        if (seen & 1u << at)
            return fault(f, "%s has a struct twice in its chain: sType 0x%08x", where,
                         (unsigned)chain->sType);
        seen |= 1u << at;
        if (found)
            found[at] = chain;
    }
    return NULL;
}

const char *chain_none_fault(Fault *f, const char *where, const WGPUChainedStruct *chain)
{
    return chain ? chain_fault(f, where, chain, NULL, 0, NULL) : NULL;
}

/* ---- odds and ends ---- */

void free_const(const void *p)
{
    union { const void *from; void *to; } u = {p};
    free(u.to);
}

uint64_t thread_id(void)
{
    static atomic_ullong last;
    static _Thread_local uint64_t mine;
    if (mine == 0)
        mine = atomic_fetch_add(&last, 1) + 1;
    return mine;
}
