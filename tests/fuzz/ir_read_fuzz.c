// SPDX-License-Identifier: Apache-2.0
/*
 * ir_read_fuzz.c - a kernel from any bytes.
 *
 * in     a text, IR or not
 * out    aborts if a text is refused without a word or with a place outside of it,
 *        or if what was read does not verify, or prints as something else
 */
#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input {
    Arena *arena;
    Str    text;
} Input;

static Str printed(Arena *a, const Ir *ir)
{
    Text t = {.arena = a};
    ir_print(&t, ir);
    return (Str){t.data, (uint32_t)t.len};
}

static void check_refusal(const Diag *diag, Str text)
{
    BUG_IF(diag->errors != 1 || diag->list.len != 1, "refused without a word");
    Span span = diag->list.data[0].span;
    BUG_IF(span.start > span.end || span.end > text.len, "a place outside of the text");
}

static void check(void *context)
{
    Input *in = context;
    Diag diag = {.arena = in->arena};
    Ir *ir = ir_read(in->arena, in->text, &diag);
    if (!ir) {
        check_refusal(&diag, in->text);
        return;
    }
    BUG_IF(diag.errors, "read, and refused");
    BUG_IF(ir_verify(ir), "%s", ir_verify(ir));
    Str once = printed(in->arena, ir);
    Ir *again = ir_read(in->arena, once, &diag);
    BUG_IF(!again, "what is printed is refused: %s", diag.list.data[0].message);
    BUG_IF(!str_eq(once, printed(in->arena, again)), "what is printed is read differently");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena;
    Input in = {.arena = &arena, .text = {(const char *)data, (uint32_t)size}};
    arena_init(&arena, 1u << 30);
    if (!arena_try(&arena, check, &in))
        in.text.len = 0;                /* out of memory is an answer, too */
    arena_fini(&arena);
    return 0;
}
