// SPDX-License-Identifier: Apache-2.0
/*
 * analysis_priv.h - the parts of analysis_run().
 */
#ifndef WEFT_ANALYSIS_ANALYSIS_PRIV_H
#define WEFT_ANALYSIS_ANALYSIS_PRIV_H

#include "analysis/analysis.h"

/* Shape, stride and align of one PURE or memory instruction from its operands. */
Fact shape_transfer(const Facts *f, const Inst *inst);
/* Shapes of all values, and how lanes part: runs until nothing changes. */
void shape_run(Facts *f);
/* Which constructs the whole workgroup goes through together. */
void wide_run(Facts *f);
/* Ranges of all integers, and which indices are in bounds. */
void range_run(Arena *a, Facts *f);

/* Which loops end soon. */
void count_run(Facts *f);

static inline Fact *fact_of(const Facts *f, const Inst *inst)
{
    return &f->of[inst->id];
}

#endif
