// SPDX-License-Identifier: Apache-2.0
/*
 * analysis.c - all facts of a kernel, in order.
 */
#include "analysis/analysis_priv.h"

Facts *analysis_run(Arena *a, const Ir *ir, uint32_t lanes)
{
    Facts *f = ARENA_NEW(a, Facts);
    *f = (Facts){.ir = ir, .lanes = lanes};
    f->of = ARENA_ARRAY(a, Fact, ir->next_id);
    for (uint32_t i = 0; i < ir->next_id; i++)
        f->of[i] = (Fact){.align = 0x80000000u, .high = UINT32_MAX};
    shape_run(f);
    wide_run(f);
    range_run(a, f);
    return f;
}
