// SPDX-License-Identifier: Apache-2.0
/*
 * run.h - one program, on every way that Weft has to run it.
 *
 * The interpreter of the IR (support/interp.h), before any pass, says what is right.
 * Then the IR after all passes is interpreted, and machine code is made and run with
 * several numbers of lanes. Buffers that machine code works on end where memory ends.
 */
#ifndef WEFT_FUZZ_DIFFER_RUN_H
#define WEFT_FUZZ_DIFFER_RUN_H

#include "base/text.h"
#include "gen.h"

typedef enum Verdict {
    VERDICT_SAME,
    VERDICT_INVALID,                /* not a program that has one right answer    */
    VERDICT_DIFFERENT,
} Verdict;

typedef struct RunOptions {
    bool     all;                   /* lanes of every number, not two of them     */
    bool     no_code;               /* only what is interpreted                   */
    uint32_t choice;                /* which two                                  */
    char    *doing;                 /* [64] what is being done, should it crash   */
} RunOptions;

/* `why`: in the arena; NULL for SAME. */
Verdict run_program(Arena *a, const GenProgram *p, const RunOptions *options, const char **why);

#endif
