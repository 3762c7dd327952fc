// SPDX-License-Identifier: Apache-2.0
/*
 * lex_fuzz.c - the tokens of any bytes.
 *
 * in     a text, UTF-8 or not
 * out    aborts if tokens overlap, are empty, or leave out anything but blankspace
 *        and comments, or if template lists do not pair up
 */
#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "syntax/lex_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_token(Str s, Token t, uint32_t last)
{
    BUG_IF(t.span.start < last, "a token starts before the last ended");
    BUG_IF(t.span.end <= t.span.start, "an empty token");
    BUG_IF(t.span.end > s.len, "a token past the end");
    BUG_IF(lex_skip_blank(s, last) != t.span.start, "text that is in no token");
    BUG_IF((t.kind == TOKEN_NAME) && !t.name, "a name without a name");
}

static void check_number(Str s, Token t)
{
    Number n;
    DiagId id;
    Str text = {s.data + t.span.start, t.span.end - t.span.start};
    const char *fault = literal_read(text, &n, &id);
    BUG_IF(!fault && !(n.real >= 0 && n.real <= DBL_MAX), "a number that is none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena a;
    arena_init(&a, 0);
    Module *m = ARENA_NEW(&a, Module);
    *m = (Module){.arena = &a, .source = {(const char *)data, (uint32_t)size}};
    Lexer x;
    lex_init(&x, m);
    uint32_t last = 0, open = 0;
    bool valid = true;
    for (Token t = lex_next(&x); t.kind != TOKEN_END; t = lex_next(&x)) {
        check_token(m->source, t, last);
        if (t.kind == TOKEN_NUMBER)
            check_number(m->source, t);
        /* A text in quotes may hide a delimiter. */
        valid = valid && t.kind != TOKEN_INVALID;
        open += t.kind == TOKEN_TEMPLATE_START;
        open -= t.kind == TOKEN_TEMPLATE_END;
        BUG_IF(valid && open > size, "'>' without '<'");
        last = t.span.end;
    }
    BUG_IF(valid && open > 0, "'<' without '>'");
    arena_fini(&a);
    return 0;
}
