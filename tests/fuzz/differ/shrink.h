// SPDX-License-Identifier: Apache-2.0
/*
 * shrink.h - a program in a process of its own; a smaller one that still fails.
 */
#ifndef WEFT_FUZZ_DIFFER_SHRINK_H
#define WEFT_FUZZ_DIFFER_SHRINK_H

#include "run.h"

typedef struct Trial {
    Verdict verdict;                /* a crash or a hang is DIFFERENT             */
    char    why[300];
} Trial;

Trial trial(Arena *a, const GenProgram *p, const RunOptions *options);
/* Takes lines and parts of expressions out of the text as long as what is left
 * fails. How the smallest fails. */
Trial shrink(Arena *a, GenProgram *p, const RunOptions *options);

#endif
