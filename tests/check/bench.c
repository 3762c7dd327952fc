/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.c - types and values from text, for the tests of the evaluator.
 */
#include "bench.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_init(Bench *b)
{
    *b = (Bench){0};
    arena_init(&b->arena, 0);
    type_table_init(&b->types, &b->arena);
    b->diag = (Diag){.arena = &b->arena};
    b->fold = (FoldContext){.arena = &b->arena, .types = &b->types, .diag = &b->diag};
}

void bench_fini(Bench *b)
{
    arena_fini(&b->arena);
}

void bench_reset(Bench *b)
{
    bench_fini(b);
    bench_init(b);
}

/* ---- types ---- */

static bool eat(const char **at, const char *word)
{
    size_t len = strlen(word);
    while (**at == ' ')
        ++*at;
    if (strncmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

static void need(const char **at, const char *word)
{
    if (!eat(at, word))
        fail_msg("'%s' expected at '%s'", word, *at);
}

static const Type *read_type(Bench *b, const char **at);

static const Type *read_argument(Bench *b, const char **at)
{
    need(at, "<");
    return read_type(b, at);
}

/* NULL: this is no type. */
static const Type *read_type(Bench *b, const char **at)
{
    TypeTable *t = &b->types;
    const struct { const char *name; const Type *type; } scalars[] = {
        { "bool", t->boolean }, { "i32", t->i32 }, { "u32", t->u32 }, { "f32", t->f32 },
        { "f16", t->f16 }, { "int", t->abstract_int }, { "float", t->abstract_float },
    };
    for (size_t i = 0; i < COUNTOF(scalars); i++)
        if (eat(at, scalars[i].name))
            return scalars[i].type;
    const Type *of, *made = NULL;
    if (eat(at, "vec")) {
        uint32_t width = (uint32_t)(*(*at)++ - '0');
        of = read_argument(b, at);
        made = type_vector(t, of, width);
    } else if (eat(at, "mat")) {
        uint32_t columns = (uint32_t)((*at)[0] - '0'), rows = (uint32_t)((*at)[2] - '0');
        *at += 3;
        of = read_argument(b, at);
        made = type_matrix(t, of, columns, rows);
    } else if (eat(at, "array")) {
        of = read_argument(b, at);
        need(at, ",");
        char *end;
        uint64_t count = strtoull(*at, &end, 10);
        made = type_array_fixed(t, of, count);
        *at = end;
    } else if (eat(at, "frexp")) {
        made = type_result_struct(t, RESULT_FREXP, read_argument(b, at));
    } else if (eat(at, "modf")) {
        made = type_result_struct(t, RESULT_MODF, read_argument(b, at));
    }
    if (made)
        need(at, ">");
    return made;
}

const Type *bench_type(Bench *b, const char *text)
{
    const char *at = text;
    const Type *type = read_type(b, &at);
    if (!type || *at)
        fail_msg("'%s' is no type", text);
    return type;
}

/* ---- values ---- */

static const Type *suffix_type(Bench *b, const char **at, bool is_float)
{
    TypeTable *t = &b->types;
    if (eat(at, "i")) return t->i32;
    if (eat(at, "u")) return t->u32;
    if (eat(at, "f")) return t->f32;
    if (eat(at, "h")) return t->f16;
    return is_float ? t->abstract_float : t->abstract_int;
}

/* The float a decimal or hexadecimal text means: hexadecimal digits and the suffix
 * f are told apart by "0x...p". */
static const Value *read_number(Bench *b, const char **at, const Type *type)
{
    char digits[64];
    size_t len = 0;
    bool hex = strncmp(*at + (**at == '-'), "0x", 2) == 0, exponent = false;
    while (len + 1 < sizeof digits) {
        char c = **at, last = len ? digits[len - 1] : ' ';
        bool sign = (c == '-' || c == '+') && (len == 0 || strchr(hex ? "p" : "e", last));
        bool digit = hex && !exponent ? isxdigit((unsigned char)c) : isdigit((unsigned char)c);
        if (!(sign || digit || (c && strchr(".xp", c)) || (c == 'e' && !hex)))
            break;
        exponent = exponent || c == 'p';
        digits[len++] = c;
        ++*at;
    }
    digits[len] = '\0';
    bool is_float = strpbrk(digits, hex ? ".p" : ".e") != NULL;
    if (!type)
        type = suffix_type(b, at, is_float);
    if (type_is_float_scalar(type)) {
        double x = strtod(digits, NULL);
        if (type->kind == TYPE_F32)
            x = (double)strtof(digits, NULL);
        else if (type->kind == TYPE_F16)
            x = fold_round_f16(x);
        return value_real(&b->arena, type, x);
    }
    return value_int(&b->arena, type, strtoll(digits, NULL, 0));
}

static const Value *read_value(Bench *b, const char **at, const Type *type);

static const Type *part_type(Bench *b, const Type *type, uint64_t i)
{
    if (type->kind == TYPE_STRUCT)
        return type->structure.decl->structure.members[i].type;
    return type_element(&b->types, type);
}

/* The parts, without their own parentheses: a matrix lists its numbers. */
static const Value *read_parts(Bench *b, const char **at, const Type *type)
{
    uint64_t count = value_part_count(type);
    const Value **parts = ARENA_ARRAY(&b->arena, const Value *, count);
    for (uint64_t i = 0; i < count; i++) {
        const Type *part = part_type(b, type, i);
        if (i)
            need(at, ",");
        parts[i] = type->kind == TYPE_MATRIX ? read_parts(b, at, part)
                                             : read_value(b, at, part);
    }
    return value_composite(&b->arena, type, parts);
}

/* `type` is what is expected there, or NULL. */
static const Value *read_value(Bench *b, const char **at, const Type *type)
{
    if (eat(at, "true"))
        return value_bool(&b->arena, &b->types, true);
    if (eat(at, "false"))
        return value_bool(&b->arena, &b->types, false);
    const Type *written = read_type(b, at);
    if (!written && type && !type_is_scalar(type))
        written = type;
    if (!written)
        return read_number(b, at, type);
    need(at, "(");
    if (eat(at, ")"))
        return value_zero(&b->arena, written);
    const Value *v = type_is_scalar(written) ? read_value(b, at, written)
                                             : read_parts(b, at, written);
    need(at, ")");
    return v;
}

const Value *bench_value(Bench *b, const char *text)
{
    const char *at = text;
    const Value *v = read_value(b, &at, NULL);
    if (*at)
        fail_msg("'%s' is not a value: '%s' is left", text, at);
    return v;
}

/* ---- expectations ---- */

static const char *printed(Bench *b, const Value *v)
{
    Text out = {.arena = &b->arena};
    if (v)
        value_print(&out, v);
    else if (b->diag.list.len == 0)
        text_add(&out, STR("an error without a diagnostic"));
    else
        text_printf(&out, "!%s (%s)", diag_id_name(b->diag.list.data[0].id),
                    b->diag.list.data[0].message);
    return out.data;
}

void bench_expect(Bench *b, const char *what, const Value *got, const char *want)
{
    bool same;
    if (want[0] == '!')
        same = !got && b->diag.list.len == 1
            && strcmp(diag_id_name(b->diag.list.data[0].id), want + 1) == 0;
    else
        same = got && b->diag.list.len == 0 && value_equal(got, bench_value(b, want));
    if (!same)
        fail_msg("%s gives %s, not %s", what, printed(b, got), want);
    b->diag.list.len = 0;
    b->diag.errors = 0;
}
