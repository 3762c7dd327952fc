// SPDX-License-Identifier: Apache-2.0
/*
 * data.c - numbers into the bytes of a buffer, as the layout of its type says.
 *
 * in     a type, a Value
 * out    bytes, or why the value does not fit
 * not    which buffer they are for
 */
#include "cli/data.h"

#include <string.h>

/* ---- shapes ---- */

uint64_t type_scalars(const weft_type *t)
{
    uint64_t sum = 0;
    switch (t->kind) {
    case WEFT_TYPE_SCALAR:
        return 1;
    case WEFT_TYPE_VECTOR:
    case WEFT_TYPE_MATRIX:
    case WEFT_TYPE_ARRAY:
        return t->count * type_scalars(t->element);
    case WEFT_TYPE_STRUCT:
        for (uint32_t i = 0; i < t->structure->member_count; i++)
            sum += type_scalars(t->structure->members[i].layout);
        return sum;
    case WEFT_TYPE_BYTES:
        break;
    }
    return t->size / 4;
}

static const weft_type *words_of(Arena *arena, const weft_type *bytes)
{
    static const weft_type word = {
        .kind = WEFT_TYPE_SCALAR, .name = "u32", .scalar = WEFT_SCALAR_U32, .align = 4,
        .size = 4,
    };
    weft_type *t = ARENA_NEW(arena, weft_type);
    *t = (weft_type){.kind = WEFT_TYPE_ARRAY, .name = bytes->name, .align = 4,
                     .size = bytes->size, .element = &word, .count = bytes->size / 4,
                     .stride = 4};
    return t;
}

Shape data_shape(Arena *arena, const weft_type *type)
{
    if (type->kind == WEFT_TYPE_BYTES)
        type = words_of(arena, type);
    Shape            s = {.type = type};
    const weft_type *last = type;
    while (last->size == 0 && last->kind == WEFT_TYPE_STRUCT) {
        const weft_struct *in = last->structure;
        const weft_member *member = &in->members[in->member_count - 1];
        s.tail_offset += member->offset;
        last = member->layout;
    }
    s.fixed = type_scalars(type);       /* a tail has a count of 0 */
    if (last->kind == WEFT_TYPE_ARRAY && last->count == 0) {
        s.tail = last;
        s.each = type_scalars(last->element);
    } else
        s.tail_offset = 0;
    return s;
}

uint64_t shape_size(const Shape *s, uint64_t count)
{
    if (!s->tail)
        return s->type->size;
    if (count > (UINT64_MAX - s->tail_offset) / s->tail->stride)
        return UINT64_MAX;
    return s->tail_offset + count * s->tail->stride;
}

uint64_t data_shape_count(const Shape *s, uint64_t size)
{
    if (s->tail)
        return size > s->tail_offset ? (size - s->tail_offset) / s->tail->stride : 0;
    return s->type->kind == WEFT_TYPE_ARRAY ? s->type->count : 1;
}

bool type_walk(const weft_type *t, uint64_t offset, uint64_t count, ScalarVisit *visit,
               void *context)
{
    if (t->kind == WEFT_TYPE_SCALAR)
        return visit(context, offset, t->scalar);
    if (t->kind == WEFT_TYPE_STRUCT) {
        for (uint32_t i = 0; i < t->structure->member_count; i++) {
            const weft_member *m = &t->structure->members[i];
            if (!type_walk(m->layout, offset + m->offset, count, visit, context))
                return false;
        }
        return true;
    }
    uint64_t n = t->count ? t->count : count;
    for (uint64_t i = 0; i < n; i++)
        if (!type_walk(t->element, offset + i * t->stride, count, visit, context))
            return false;
    return true;
}

/* ---- how much ---- */

/* "2 for centre, 1 for scale": what a structure is made of, "" for other types. */
static const char *parts_text(const Shape *s, Arena *arena)
{
    Text out = {.arena = arena};
    if (s->type->kind != WEFT_TYPE_STRUCT)
        return "";
    const weft_struct *in = s->type->structure;
    for (uint32_t i = 0; i < in->member_count; i++) {
        const weft_member *m = &in->members[i];
        uint64_t n = type_scalars(m->layout);
        text_printf(&out, "%s", i ? ", " : " (");
        if (n)
            text_printf(&out, "%llu for %s", (unsigned long long)n, m->name);
        else
            text_printf(&out, "the rest for %s", m->name);
    }
    text_char(&out, ')');
    return out.data;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static const char *wrong_count(const Shape *s, Arena *arena, uint64_t given)
{
    unsigned long long fixed = s->fixed, each = s->each, got = given;
    const char *parts = parts_text(s, arena);
    if (given == 0)
        return arena_printf(arena, "there are no numbers for %s", s->type->name);
    if (!s->tail)
        return arena_printf(arena, "%s takes %llu number%s%s, but there %s %llu",
                            s->type->name, fixed, plural(fixed), parts,
                            given == 1 ? "is" : "are", got);
    if (s->fixed == 0)
        return arena_printf(arena, "%s takes a multiple of %llu number%s, but there %s %llu",
                            s->type->name, each, plural(each), given == 1 ? "is" : "are", got);
    return arena_printf(arena, "%s takes %llu number%s and then a multiple of %llu%s, but "
                        "there %s %llu", s->type->name, fixed, plural(fixed), each, parts,
                        given == 1 ? "is" : "are", got);
}

static bool measure_numbers(const Shape *s, Value *v, Arena *arena, uint64_t *count,
                            const char **why)
{
    uint64_t given;
    if (!value_count(v, &given)) {
        *why = v->why;
        return false;
    }
    bool fits = s->tail ? given >= s->fixed + s->each && (given - s->fixed) % s->each == 0
                        : given == s->fixed;
    if (!fits) {
        *why = wrong_count(s, arena, given);
        return false;
    }
    *count = s->tail ? (given - s->fixed) / s->each : 0;
    return true;
}

static bool measure_bytes(const Shape *s, const Value *v, Arena *arena, uint64_t *count,
                          const char **why)
{
    unsigned long long size = v->file.size;
    if (!s->tail && size != s->type->size) {
        *why = arena_printf(arena, "%s takes %llu bytes, but %s has %llu", s->type->name,
                            (unsigned long long)s->type->size, v->path, size);
        return false;
    }
    if (!s->tail)
        return true;
    *count = data_shape_count(s, size);
    if (*count && shape_size(s, *count) == size)
        return true;
    *why = arena_printf(arena, "%s takes a multiple of %llu bytes%s, but %s has %llu",
                        s->type->name, (unsigned long long)s->tail->stride,
                        s->tail_offset ? arena_printf(arena, " after the first %llu",
                                         (unsigned long long)s->tail_offset) : "",
                        v->path, size);
    return false;
}

/* zeros, random: as many as there must be, or as the rule says. */
static bool measure_rule(const Shape *s, const Value *v, Arena *arena, uint64_t *count,
                         const char **why)
{
    uint64_t own = s->type->kind == WEFT_TYPE_ARRAY ? s->type->count : 1;
    size_t   word = strcspn(v->text, ":");
    if (s->tail && !v->has_count)
        *why = arena_printf(arena, "%s has no size of its own; give it a number of elements, "
                            "as in %.*s:1024", s->type->name, (int)word, v->text);
    else if (s->tail && v->count == 0)
        *why = arena_printf(arena, "%s needs at least one element", s->type->name);
    else if (!s->tail && v->has_count && v->count != own)
        *why = arena_printf(arena, "%s has %llu element%s; '%.*s' alone is enough",
                            s->type->name, (unsigned long long)own, plural(own), (int)word,
                            v->text);
    *count = s->tail ? v->count : 0;
    return !*why;
}

bool data_measure(const Shape *s, Value *v, Arena *arena, uint64_t *count, const char **why)
{
    *count = 0;
    *why = NULL;
    if (v->kind == VALUE_RAW)
        return measure_bytes(s, v, arena, count, why);
    if (v->kind == VALUE_CONSTANT || v->kind == VALUE_RANDOM)
        return measure_rule(s, v, arena, count, why);
    return measure_numbers(s, v, arena, count, why);
}

/* ---- filling ---- */

typedef struct Filling {
    Value   *value;
    uint8_t *bytes;
} Filling;

static bool fill_scalar(void *context, uint64_t offset, weft_scalar scalar)
{
    Filling *f = context;
    double   number;
    if (!value_next(f->value, scalar, &number))
        return false;
    scalar_store(f->bytes + offset, scalar, number);
    return true;
}

bool data_fill(const Shape *s, Value *v, uint64_t count, uint8_t *bytes, const char **why)
{
    Filling f = {v, bytes};
    if (v->kind == VALUE_RAW) {
        if (v->file.size)
            memcpy(bytes, v->file.text, v->file.size);
        return true;
    }
    if (v->kind == VALUE_CONSTANT && v->constant == 0)
        return true;
    if (type_walk(s->type, 0, count, fill_scalar, &f))
        return true;
    *why = v->why;
    return false;
}
