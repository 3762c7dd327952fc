// SPDX-License-Identifier: Apache-2.0
/*
 * run.h - one program, on every way that Weft has to run it.
 *
 * The interpreter of the IR (support/interp.h), before any pass, says what is right.
 * Then the IR after all passes is interpreted, and machine code is made and run with
 * several numbers of lanes. Buffers that machine code works on end where memory ends.
 * Or a device runs it instead of machine code.
 */
#ifndef WEFT_FUZZ_DIFFER_RUN_H
#define WEFT_FUZZ_DIFFER_RUN_H

#include "base/text.h"
#include "gen.h"

typedef enum Verdict {
    VERDICT_SAME,
    VERDICT_INVALID,                /* not a program that has one right answer    */
    VERDICT_DIFFERENT,
    VERDICT_LEFT_OUT,               /* the device does not have what it needs     */
} Verdict;

typedef struct RunDevice {
    bool        (*can_run)(const GenProgram *p, uint32_t *subgroup_size);
    /* data: [nbuffers] before, and then after the run. What went wrong, or NULL. */
    const char *(*run)(const GenProgram *p, uint8_t *const *data);
} RunDevice;

typedef struct RunOptions {
    bool     all;                   /* lanes of every number, not two of them     */
    bool     no_code;               /* only what is interpreted                   */
    uint32_t choice;                /* which two                                  */
    const RunDevice *device;        /* instead of machine code; NULL: none        */
    char    *doing;                 /* [64] what is being done, should it crash   */
} RunOptions;

/* `why`: in the arena; NULL for SAME. */
Verdict run_program(Arena *a, const GenProgram *p, const RunOptions *options, const char **why);

#endif
