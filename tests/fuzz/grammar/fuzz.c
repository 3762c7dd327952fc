// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz.c - valid modules through the whole front end, and modules with mistakes.
 *
 * in     a fuzzer's bytes: the first eight choose the mistakes, the others the module
 * out    aborts if a valid module is refused, or if a promise is broken
 */
#include <stdlib.h>

#include "../differ/gen.h"
#include "../front.h"
#include "grammar.h"

#define HEAD 8u                         /* bytes about mistakes                   */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Str valid_module(Arena *a, const uint8_t *data, size_t size)
{
    GenProgram kernel;
    if (size % 4 != 3)
        return grammar_module(a, data, size);
    gen_from_bytes(&kernel, a, data, size);
    return kernel.text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t head[HEAD] = {0};
    char *why = NULL;
    Arena arena;
    size_t used = size < HEAD ? size : HEAD;
    for (size_t i = 0; i < used; i++)
        head[i] = data[i];
    arena_init(&arena, 0);

    Str text = valid_module(&arena, data + used, size - used);
    if (!front_check(text, &why))
        BUG("%s\n%.*s", why ? why : "too large", STR_ARG(text));
    BUG_IF(!front_wgsl(text, head[0] & 0x1f), "refused:\n%.*s", STR_ARG(text));

    uint32_t seed = (uint32_t)head[1] << 24 | (uint32_t)head[2] << 16
                    | (uint32_t)head[3] << 8 | head[4];
    Str wrong = grammar_mutate(&arena, text, seed, 1 + head[5] % 4);
    bool ok = front_check(wrong, NULL);
    bool also = front_wgsl(wrong, head[0]);
    BUG_IF(also && !ok, "one way accepts it, the other does not:\n%.*s", STR_ARG(wrong));
    free(why);
    arena_fini(&arena);
    return 0;
}
