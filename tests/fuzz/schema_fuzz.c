// SPDX-License-Identifier: Apache-2.0
/*
 * schema_fuzz.c - any bytes as a JSON schema. What is converted is a grammar that parses,
 * unless repetitions of the schema exceed the bounds of grammars.
 */
#include <stdint.h>
#include <stdlib.h>

#include "model/grammar.h"
#include "model/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena   a;
    Grammar g;
    Str     gbnf = {0};
    Fault   f = {0};
    if (size > 20000)
        return 0;
    arena_init(&a, 32u << 20);
    if (schema_to_grammar(&gbnf, &a, (Str){(const char *)data, (uint32_t)size}, &f)) {
        if (grammar_parse(&g, gbnf, NULL, NULL, &f))
            grammar_fini(&g);
        else if (f.kind != FAULT_LIMIT && !strstr(f.text, "repetition"))
            abort();
    }
    arena_fini(&a);
    return 0;
}
