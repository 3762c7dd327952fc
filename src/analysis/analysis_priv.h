// SPDX-License-Identifier: Apache-2.0
/*
 * analysis_priv.h - the parts of analysis_run().
 */
#ifndef WEFT_ANALYSIS_ANALYSIS_PRIV_H
#define WEFT_ANALYSIS_ANALYSIS_PRIV_H

#include "analysis/analysis.h"

/* Shapes of all values, and how lanes part: runs until nothing changes. */
void shape_run(Facts *f);
/* Which constructs the whole workgroup goes through together. */
void wide_run(Facts *f);
/* Ranges of all integers, and which indices are in bounds. */
void range_run(Arena *a, Facts *f);
/* Does a loop read storage in order but for the atomics that it is for? These go lane
 * by lane anyway: all lane groups should take each round of it before the next. */
bool jam_is_atomic_stream(const Facts *f, const Inst *loop);

/* Does each lane look elsewhere, further than from element to element? */
bool scalar_is_scattered(const Facts *f, const Inst *place);

/* Which loops end soon. */
void count_run(Facts *f);
/* Upper bound on the trip count, for any data; COUNT_MANY: large or unknown. */
#define COUNT_MANY 1025u
uint32_t count_rounds(const Inst *loop);

static inline Fact *fact_of(const Facts *f, const Inst *inst)
{
    return &f->of[inst->id];
}

#endif
