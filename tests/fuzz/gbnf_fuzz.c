// SPDX-License-Identifier: Apache-2.0
/*
 * gbnf_fuzz.c - any bytes as a GBNF grammar, and any bytes as a text that it matches.
 *
 * The input is a grammar, a NUL and a text. A mask must say of each token what accepting it
 * says.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/macro.h"
#include "model/grammar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Str token_bytes(void *user, uint32_t token)
{
    static const char *const texts[] = {"a",    "ab", "\"", "{",  "}",  "\xc3",
                                        "\xa9", "1",  " ",  "\n", "abc"};
    (void)user;
    return token < COUNTOF(texts) ? str_of(texts[token]) : (Str){"", 0};
}

static bool token_ends(void *user, uint32_t token)
{
    (void)user;
    return token == 11;
}

static void check_mask(Matcher *m, const TokenTrie *t)
{
    uint32_t bits = 0;
    Fault    f = {0};
    if (!matcher_mask(m, &bits, t, &f))
        return;
    for (uint32_t i = 0; i < 11; i++) {
        Matcher copy;
        if (!matcher_copy(&copy, m, &f))
            return;
        bool yes = matcher_accept(&copy, i, token_bytes(NULL, i), &f);
        matcher_fini(&copy);
        if (f.kind == FAULT_NONE && yes != (bits >> i & 1))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Grammar     g;
    Matcher     m;
    TokenTrie   t;
    Fault       f = {0};
    const char *text = (const char *)data;
    const char *end = size ? memchr(data, 0, size) : NULL;
    uint32_t    len = (uint32_t)(end ? (size_t)(end - text) : size);
    if (size > 20000 || !grammar_parse(&g, (Str){text, len}, NULL, NULL, &f))
        return 0;
    if (trie_init(&t, &(GrammarVocab){12, token_bytes, token_ends, NULL})) {
        if (matcher_init(&m, &g, 0, 1000, &f)) {
            check_mask(&m, &t);
            for (size_t i = len + 1u; i < size; i++)
                if (matcher_accept(&m, 0, (Str){text + i, 1}, &f) && i < len + 20u)
                    check_mask(&m, &t);
            matcher_fini(&m);
        }
        trie_fini(&t);
    }
    grammar_fini(&g);
    return 0;
}
