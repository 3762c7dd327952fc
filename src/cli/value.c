// SPDX-License-Identifier: Apache-2.0
/*
 * value.c - what the text behind NAME= means.
 *
 * in     the text
 * out    a Value: a list, a file, or a rule that makes numbers
 * not    the items of a list (value_list.c)
 */
#include "cli/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/value_priv.h"

/* ---- counts ---- */

static bool parse_factor(Str text, uint64_t *out)
{
    double value;
    if (!double_parse(text, &value) || value < 0 || value > 0x1p53 || value != floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

bool count_parse(Str text, uint64_t *out)
{
    uint64_t product = 1, factor;
    for (uint32_t at = 0; at <= text.len;) {
        const char *cross = at < text.len ? memchr(text.data + at, 'x', text.len - at) : NULL;
        uint32_t    end = cross ? (uint32_t)(cross - text.data) : text.len;
        if (!parse_factor((Str){text.data + at, end - at}, &factor))
            return false;
        if (factor && product > UINT64_MAX / factor)
            return false;
        product *= factor;
        at = end + 1;
    }
    *out = product;
    return true;
}

/* ---- rules: zeros:N, random:N:SEED:LOW:HIGH ---- */

#define MAX_PARTS 5

/* Splits at colons; 0: there are too many. */
static uint32_t split(const char *text, Str parts[MAX_PARTS])
{
    for (uint32_t n = 0; n < MAX_PARTS; n++) {
        size_t len = strcspn(text, ":");
        parts[n] = (Str){text, (uint32_t)len};
        text += len;
        if (!*text)
            return n + 1;
        text++;
    }
    return 0;
}

static bool parse_rule_count(Value *v, Str part)
{
    if (part.len == 0)
        return true;
    v->has_count = count_parse(part, &v->count);
    return v->has_count
        || value_fail(v, "'%.*s' is not a number of elements", STR_ARG(part));
}

static bool parse_constant(Value *v, const char *text, double constant)
{
    Str parts[MAX_PARTS];
    v->kind = VALUE_CONSTANT;
    v->constant = constant;
    uint32_t n = split(text, parts);
    if (n == 0 || n > 2)
        return value_fail(v, "'%s': only a number of elements may follow, as in %.*s:1024",
                          text, STR_ARG(parts[0]));
    return n == 1 || parse_rule_count(v, parts[1]);
}

static bool parse_random(Value *v, const char *text)
{
    Str parts[MAX_PARTS];
    v->kind = VALUE_RANDOM;
    uint32_t n = split(text, parts);
    if (n == 0 || n == 4)
        return value_fail(v, "'%s': it is random:N, random:N:SEED or random:N:SEED:LOW:HIGH",
                          text);
    if (n > 1 && !parse_rule_count(v, parts[1]))
        return false;
    if (n > 2 && parts[2].len && !parse_factor(parts[2], &v->seed))
        return value_fail(v, "'%.*s' is not a seed; one is a whole number", STR_ARG(parts[2]));
    if (n < 5)
        return true;
    v->has_range = true;
    for (int i = 3; i < 5; i++)
        if (!double_parse(parts[i], i == 3 ? &v->low : &v->high)
            || !isfinite(i == 3 ? v->low : v->high))
            return value_fail(v, "'%.*s' is not a number", STR_ARG(parts[i]));
    return v->low <= v->high
        || value_fail(v, "'%s': the lower end is above the upper one", text);
}

static const struct { const char *word; double constant; bool random; } rules[] = {
    {"zeros", 0, false}, {"ones", 1, false}, {"size", 0, false}, {"random", 0, true},
};

/* ---- files ---- */

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);
    return len > n && strcmp(text + len - n, end) == 0;
}

static const struct { const char *end; ValueKind kind; } endings[] = {
    {".npy", VALUE_NPY}, {".txt", VALUE_TEXT}, {".csv", VALUE_TEXT},
    {".bin", VALUE_RAW}, {".raw", VALUE_RAW}, {".dat", VALUE_RAW},
};

/* What a file of this name holds; what has no known ending is raw. */
static ValueKind file_kind(const char *path, bool *known)
{
    for (size_t i = 0; i < COUNTOF(endings); i++)
        if (ends_in(path, endings[i].end)) {
            *known = true;
            return endings[i].kind;
        }
    *known = false;
    return VALUE_RAW;
}

static bool parse_file(Value *v, const char *path)
{
    bool known;
    v->path = path;
    v->kind = strcmp(path, "-") == 0 ? VALUE_TEXT : file_kind(path, &known);
    return *path || value_fail(v, "'@' without the name of a file");
}

/* ---- all of them ---- */

bool value_parse(Value *v, Arena *arena, const char *text)
{
    bool is_file;
    *v = (Value){.arena = arena, .text = text};
    if (text[0] == '@')
        return parse_file(v, text + 1);
    file_kind(text, &is_file);
    if (is_file)
        return parse_file(v, text);
    size_t len = strcspn(text, ":");
    for (size_t i = 0; i < COUNTOF(rules); i++)
        if (strlen(rules[i].word) == len && strncmp(rules[i].word, text, len) == 0)
            return rules[i].random ? parse_random(v, text)
                                   : parse_constant(v, text, rules[i].constant);
    v->kind = VALUE_LIST;
    v->list = str_of(text);
    return true;
}

bool value_open(Value *v, uint64_t limit)
{
    const char *why = NULL;
    if (!v->path)
        return true;
    v->file = input_read_limited(v->arena, v->path, limit);
    if (v->file.why)
        return value_fail(v, "cannot read %s: %s", v->file.name, v->file.why);
    const uint8_t *bytes = (const uint8_t *)v->file.text;
    if (v->kind == VALUE_NPY && !npy_open(&v->npy, v->arena, bytes, v->file.size, &why))
        return value_fail(v, "cannot read %s: %s", v->file.name, why);
    if (v->kind == VALUE_NPY && v->npy.fortran)
        return value_fail(v, "cannot read %s: it is in Fortran order; "
                          "numpy.ascontiguousarray() turns it round", v->file.name);
    if (v->kind == VALUE_TEXT && v->file.size > UINT32_MAX)
        return value_fail(v, "cannot read %s: a text of more than 4 GiB", v->file.name);
    if (v->kind == VALUE_TEXT)
        v->list = (Str){v->file.text, (uint32_t)v->file.size};
    return true;
}

void value_close(Value *v)
{
    input_release(&v->file);
}

/* ---- numbers ---- */

/* 64 bits that look random; the same on every machine for a seed and an index. */
static uint64_t scramble(uint64_t seed, uint64_t index)
{
    uint64_t z = (seed + 1) * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Floats from 0 up to 1, without it; integers, all of them. With a range: from the
 * low end to the high one. */
static bool next_random(Value *v, weft_scalar scalar, double *out)
{
    uint64_t bits = scramble(v->seed, v->index);
    bool     is_float = scalar_is_float(scalar);
    if (is_float && !v->has_range) {
        int digits = scalar == WEFT_SCALAR_F16 ? 11 : scalar == WEFT_SCALAR_F64 ? 53 : 24;
        *out = ldexp((double)(bits >> (64 - digits)), -digits);
        return true;
    }
    if (!v->has_range) {
        *out = (double)(bits >> 32) + (scalar == WEFT_SCALAR_I32 ? INT32_MIN : 0);
        return true;
    }
    double x = ldexp((double)(bits >> 11), -53);
    *out = is_float ? v->low + x * (v->high - v->low)
                    : v->low + floor(x * (v->high - v->low + 1));
    NumberFault fault = scalar_fit(scalar, out);
    return fault == NUMBER_OK
        || value_fail(v, "'%s': %s cannot hold all numbers of this range", v->text,
                      scalar_name(scalar));
}

static bool next_npy(Value *v, weft_scalar scalar, double *out)
{
    if (v->index >= v->npy.count)
        return value_fail(v, "%s holds too few numbers", v->path);
    *out = npy_at(&v->npy, v->index);
    NumberFault fault = scalar_fit(scalar, out);
    if (fault == NUMBER_OK)
        return true;
    const char *text = arena_printf(v->arena, "%.17g", npy_at(&v->npy, v->index));
    return value_fail(v, "%s: number %llu, %s", v->path, (unsigned long long)v->index,
                      number_fault_text(v->arena, fault, str_of(text), scalar));
}

bool value_count(Value *v, uint64_t *count)
{
    if (v->kind == VALUE_NPY) {
        *count = v->npy.count;
        return true;
    }
    return list_count(v, count);
}

bool value_next(Value *v, weft_scalar scalar, double *out)
{
    bool ok = true;
    switch (v->kind) {
    case VALUE_CONSTANT: *out = v->constant; break;
    case VALUE_RANDOM:   ok = next_random(v, scalar, out); break;
    case VALUE_NPY:      ok = next_npy(v, scalar, out); break;
    case VALUE_LIST:
    case VALUE_TEXT:     ok = list_next(v, scalar, out); break;
    case VALUE_RAW:      BUG("bytes are not read as numbers");
    }
    v->index++;
    return ok;
}
