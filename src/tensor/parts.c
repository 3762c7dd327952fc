// SPDX-License-Identifier: Apache-2.0
/*
 * parts.c - kernels whose bindings are larger than the device allows: several bindings of one
 * buffer, and functions that find an element among them.
 *
 * in     a step: its WGSL, and the buffers behind its bindings
 * out    the same step, in which `NAME[i]` of a large binding is a call of NAME_get or NAME_set
 * knows  how the emitters and kernels/ write bindings: one line each, plain indexing
 * not    what the kernel computes
 */
#include "tensor/plan_priv.h"

#include <ctype.h>
#include <string.h>

typedef struct Large {
    uint32_t slot;
    uint32_t count;                 /* of parts                                             */
    uint64_t bytes, part;           /* of all; of each part but the last                    */
    Str      access, name, type;    /* as declared: "storage, read", "x", "f32"             */
} Large;

typedef struct Parts {
    Arena   *arena;
    Large    large[MAX_BINDS];
    uint32_t large_count;
    bool     failed;                /* the text uses a large binding in another way         */
} Parts;

/* ---- sizes ---- */

static uint64_t slot_bytes(const Planner *p, const Slot *slot)
{
    uint64_t start, end;
    if (slot->size)
        return slot->size;
    switch (slot->kind) {
    case SLOT_LEAF:
        leaf_range(&start, &end, p->graph->leaves[slot->index]);
        return end - start;
    case SLOT_NODE:
        return (weft_tensor_bytes(p->graph->nodes[slot->index]) + 3) & ~UINT64_C(3);
    case SLOT_TEMP:
        return p->temps.data[slot->index];
    case SLOT_SCALARS:
        break;
    }
    return 0;
}

static uint32_t type_bytes(Str type)
{
    if (str_eq(type, STR("f16")))
        return 2;
    return str_eq(type, STR("f64")) || str_eq(type, STR("vec2u")) ? 8 : 4;
}

/* ---- reading the text ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static Str between(const char *from, const char *to)
{
    return (Str){from, (uint32_t)(to - from)};
}

/* The declaration of binding `slot`, from its '@' to after its ';'. */
static bool find_declaration(Large *l, Str *whole, Arena *arena, const char *text, uint32_t slot)
{
    const char *head = arena_printf(arena, "@group(0) @binding(%u) var<", slot);
    const char *at = strstr(text, head), *access = at ? at + strlen(head) : NULL;
    const char *name = access ? strstr(access, "> ") : NULL;
    const char *type = name ? strstr(name, " : array<") : NULL;
    const char *end = type ? strstr(type, ">;") : NULL;
    if (!end)
        return false;
    l->access = between(access, name);
    l->name = between(name + 2, type);
    l->type = between(type + strlen(" : array<"), end);
    *whole = between(at, end + 2);
    return strncmp(l->type.data, "atomic", 6) != 0;
}

static const Large *large_named(const Parts *p, Str name)
{
    for (uint32_t i = 0; i < p->large_count; i++)
        if (str_eq(p->large[i].name, name))
            return &p->large[i];
    return NULL;
}

/* After the bracket that closes the one at `at`; NULL: it is not closed. */
static const char *after_bracket(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        depth += *at == '[' || *at == '(';
        depth -= *at == ']' || *at == ')';
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

/* ---- writing it again ---- */

static void rewrite(Parts *p, Text *out, const char *at, const char *end);

/* What follows `NAME[index]`: "", "=" or an operator before '='. */
static const char *assignment(const char *at, Str *op)
{
    while (*at == ' ')
        at++;
    *op = between(at, strchr("+-*/|&", *at) && *at ? at + 1 : at);
    at += op->len;
    return at[0] == '=' && at[1] != '=' ? at + 1 : NULL;
}

/* `NAME[index]`, and the assignment to it if it is one; gives where the text goes on. */
static const char *rewrite_use(Parts *p, Text *out, const Large *l, const char *bracket,
                               const char *end)
{
    Str         op, name = l->name;
    Text        index = {.arena = p->arena};
    const char *close = after_bracket(bracket, end);
    if (!close) {
        p->failed = true;
        return end;
    }
    rewrite(p, &index, bracket + 1, close - 1);
    const char *value = assignment(close, &op);
    if (!value) {
        text_printf(out, "%.*s_get(%s)", STR_ARG(name), index.data);
        return close;
    }
    const char *stop = memchr(value, ';', (size_t)(end - value));
    text_printf(out, "%.*s_set(%s, ", STR_ARG(name), index.data);
    if (op.len)
        text_printf(out, "%.*s_get(%s) %.*s (", STR_ARG(name), index.data, STR_ARG(op));
    stop = stop ? stop : end;
    rewrite(p, out, value + (*value == ' '), stop);
    text_printf(out, op.len ? "))" : ")");
    return stop;
}

/* A name that is a large binding, or a parameter of that name, which is not indexed. */
static const char *rewrite_large(Parts *p, Text *out, const Large *l, const char *name,
                                 const char *after, const char *end)
{
    static const char length[] = "arrayLength(&";
    size_t            n = strlen(length);
    if (*after == '[' && name[-1] != '&')
        return rewrite_use(p, out, l, after, end);
    if (out->len >= n && strcmp(out->data + out->len - n, length) == 0 && *after == ')') {
        out->len -= n;
        text_printf(out, "%lluu", (unsigned long long)(l->bytes / type_bytes(l->type)));
        return after + 1;
    }
    p->failed |= name[-1] == '&';
    text_add(out, between(name, after));
    return after;
}

static void rewrite(Parts *p, Text *out, const char *at, const char *end)
{
    text_printf(out, "%s", "");     /* the result is a text even if nothing follows */
    while (at < end) {
        if (at[0] == '/' && at[1] == '/') {
            const char *line = memchr(at, '\n', (size_t)(end - at));
            text_add(out, between(at, line ? line : end));
            at = line ? line : end;
        } else if (is_name(*at)) {
            const char *name = at;
            while (at < end && is_name(*at))
                at++;
            const Large *l = large_named(p, between(name, at));
            if (l && name[-1] != '.')
                at = rewrite_large(p, out, l, name, at, end);
            else
                text_add(out, between(name, at));
        } else {
            text_char(out, *at++);
        }
    }
}

/* ---- declarations ---- */

static void declare_part(Text *out, const Large *l, uint32_t binding, uint32_t part)
{
    text_printf(out, "@group(0) @binding(%u) var<%.*s> %.*s_%u : array<%.*s>;", binding,
                STR_ARG(l->access), STR_ARG(l->name), part, STR_ARG(l->type));
}

/* fn NAME_get(i) and, if it is written, NAME_set(i, v): the part by comparing with its end. */
static void declare_functions(Text *out, const Large *l)
{
    uint64_t each = l->part / type_bytes(l->type);
    bool     writes = str_eq(l->access, STR("storage, read_write"));
    for (int set = 0; set <= writes; set++) {
        if (set)
            text_printf(out, "\nfn %.*s_set(i : u32, v : %.*s) {\n", STR_ARG(l->name),
                        STR_ARG(l->type));
        else
            text_printf(out, "\nfn %.*s_get(i : u32) -> %.*s {\n", STR_ARG(l->name),
                        STR_ARG(l->type));
        for (uint32_t k = 0; k < l->count; k++) {
            unsigned long long from = k * each;
            if (k + 1 < l->count)
                text_printf(out, "  if i < %lluu {\n  ", from + each);
            text_printf(out, set ? "  %.*s_%u[i - %lluu] = v;\n" : "  return %.*s_%u[i - %lluu];\n",
                        STR_ARG(l->name), k, from);
            if (k + 1 < l->count)
                text_printf(out, set ? "    return;\n  }\n" : "  }\n");
        }
        text_printf(out, "}\n");
    }
}

/* The text from `at` on, with the large bindings that are declared in it in parts. */
static void write_all(Parts *p, Text *out, const char *text, const Str *declared,
                      uint32_t slot_count)
{
    uint32_t next = slot_count;
    for (uint32_t i = 0; i < p->large_count; i++) {
        const Large *l = &p->large[i];
        rewrite(p, out, text, declared[i].data);
        declare_part(out, l, l->slot, 0);
        for (uint32_t k = 1; k < l->count; k++) {
            text_char(out, '\n');
            declare_part(out, l, next++, k);
        }
        text = declared[i].data + declared[i].len;
    }
    rewrite(p, out, text, text + strlen(text));
    for (uint32_t i = 0; i < p->large_count; i++)
        declare_functions(out, &p->large[i]);
}

/* ---- the step ---- */

static void split_slots(const Parts *p, Step *step)
{
    for (uint32_t i = 0; i < p->large_count; i++) {
        const Large *l = &p->large[i];
        Slot         whole = step->slots[l->slot];
        for (uint32_t k = 0; k < l->count; k++) {
            Slot *part = k ? &step->slots[step->slot_count++] : &step->slots[l->slot];
            *part = whole;
            part->start = whole.start + k * l->part;
            part->size = MIN_OF(l->part, l->bytes - k * l->part);
        }
    }
}

/* The bindings above the limit, and where they are declared. Gives how many storage bindings the
 * kernel then has. */
static uint32_t find_large(Parts *p, Str *declared, const Planner *planner, const Step *step)
{
    const TensorState *s = planner->graph->s;
    uint64_t align = MAX_OF(s->offset_align, 256u), part = s->binding_limit / align * align;
    uint32_t storages = 0;
    for (uint32_t i = 0; i < step->slot_count; i++) {
        uint64_t bytes = slot_bytes(planner, &step->slots[i]);
        storages += step->slots[i].kind != SLOT_SCALARS;
        if (bytes <= s->binding_limit || part == 0 || p->large_count == MAX_BINDS)
            continue;
        Large *l = &p->large[p->large_count];
        *l = (Large){.slot = i, .bytes = bytes, .part = part,
                     .count = (uint32_t)MIN_OF((bytes + part - 1) / part, UINT64_C(1000))};
        storages += l->count - 1;
        p->failed |= !find_declaration(l, &declared[p->large_count++], p->arena, step->text, i);
    }
    return storages;
}

bool parts_step(Planner *planner, Step *step)
{
    const TensorState *s = planner->graph->s;
    Str      declared[MAX_BINDS];
    Text     out = {.arena = planner->arena};
    Parts   *p = ARENA_NEW(planner->arena, Parts);
    p->arena = planner->arena;
    uint32_t storages = find_large(p, declared, planner, step);
    if (p->large_count == 0)
        return true;
    p->failed |= storages > MIN_OF(s->storage_limit, (uint32_t)MAX_BINDS);
    if (!p->failed) {
        Slot *slots = ARENA_ARRAY(p->arena, Slot, step->slot_count + storages);
        memcpy(slots, step->slots, step->slot_count * sizeof *slots);
        step->slots = slots;
        write_all(p, &out, step->text, declared, step->slot_count);
        split_slots(p, step);
        step->text = out.data;
    }
    if (p->failed)
        return context_fail(s->ctx, WEFT_ERROR_UNSUPPORTED, "%s: a kernel needs %llu bytes in one "
                            "place, more than the device's bindings of %llu bytes can hold",
                            step->label, (unsigned long long)p->large[0].bytes,
                            (unsigned long long)s->binding_limit);
    return true;
}
