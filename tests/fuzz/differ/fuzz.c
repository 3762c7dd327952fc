// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz.c - programs from a fuzzer's bytes: aborts if two ways to run one differ.
 */
#include <stddef.h>
#include <stdint.h>

#include "run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena;
    GenProgram p;
    const char *why = NULL;
    arena_init(&arena, 0);
    gen_from_bytes(&p, &arena, data, size);
    uint32_t choice = size ? data[size - 1] : 0;
    Verdict v = run_program(&arena, &p, &(RunOptions){.choice = choice}, &why);
    BUG_IF(v != VERDICT_SAME, "%s\n%.*s", why, STR_ARG(p.text));
    arena_fini(&arena);
    return 0;
}
