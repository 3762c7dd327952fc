// SPDX-License-Identifier: Apache-2.0
/*
 * number.c - the scalars of WGSL as text and as bytes.
 *
 * in     texts from outside, bytes of buffers
 * out    values, or what is wrong with a text
 * not    where in a buffer a scalar lies (layout.c)
 */
#include "cli/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 63                   /* characters of one number                  */

/* ---- scalars ---- */

static const struct { const char *name; uint32_t size; bool is_float; } scalars[] = {
    [WEFT_SCALAR_BOOL] = {"bool", 4, false},
    [WEFT_SCALAR_I32] = {"i32", 4, false},
    [WEFT_SCALAR_U32] = {"u32", 4, false},
    [WEFT_SCALAR_F32] = {"f32", 4, true},
    [WEFT_SCALAR_F16] = {"f16", 2, true},
    [WEFT_SCALAR_F64] = {"f64", 8, true},
};

uint32_t scalar_size(weft_scalar scalar)
{
    return scalars[scalar].size;
}

const char *scalar_name(weft_scalar scalar)
{
    return scalars[scalar].name;
}

bool scalar_is_float(weft_scalar scalar)
{
    return scalars[scalar].is_float;
}

/* ---- halves ---- */

/* x, not negative, to the nearest whole number, ties to even; below 2^52. */
static uint64_t round_even(double x)
{
    uint64_t whole = (uint64_t)x;
    double   rest = x - (double)whole;
    return whole + (rest > 0.5 || (rest == 0.5 && (whole & 1)));
}

uint16_t half_from_double(double value)
{
    uint32_t sign = signbit(value) ? 0x8000u : 0;
    double   x = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00);
    if (x < 0x1p-14)                    /* subnormal: units of 2^-24; may round up */
        return (uint16_t)(sign | round_even(x * 0x1p24));
    if (x >= 65520)                     /* half way from the largest to what would follow */
        return (uint16_t)(sign | 0x7c00);
    int      exponent = ilogb(x);
    uint64_t bits = round_even(ldexp(x, 10 - exponent));    /* 1024 to 2048 */
    return (uint16_t)(sign | (((uint64_t)(exponent + 14) << 10) + bits));
}

double half_to_double(uint16_t half)
{
    int    exponent = half >> 10 & 31;
    int    bits = half & 1023;
    double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return bits ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(bits, -24);
    return sign * ldexp(1024 + bits, exponent - 25);
}

/* ---- bytes ---- */

void scalar_store(uint8_t *to, weft_scalar scalar, double value)
{
    if (scalar == WEFT_SCALAR_F32) {
        float f = (float)value;
        memcpy(to, &f, sizeof f);
    } else if (scalar == WEFT_SCALAR_F64) {
        memcpy(to, &value, sizeof value);
    } else if (scalar == WEFT_SCALAR_F16) {
        uint16_t h = half_from_double(value);
        memcpy(to, &h, sizeof h);
    } else if (scalar == WEFT_SCALAR_I32) {
        int32_t i = (int32_t)value;
        memcpy(to, &i, sizeof i);
    } else {
        uint32_t u = (uint32_t)value;
        memcpy(to, &u, sizeof u);
    }
}

double scalar_load(const uint8_t *from, weft_scalar scalar)
{
    uint32_t u = 0;
    int32_t  i;
    float    f;
    double   d;
    if (scalar == WEFT_SCALAR_F64) {
        memcpy(&d, from, sizeof d);
        return d;
    }
    memcpy(&u, from, scalar_size(scalar));
    memcpy(&i, &u, sizeof i);
    memcpy(&f, &u, sizeof f);
    switch (scalar) {
    case WEFT_SCALAR_I32: return i;
    case WEFT_SCALAR_F32: return (double)f;
    case WEFT_SCALAR_F16: return half_to_double((uint16_t)u);
    case WEFT_SCALAR_U32:
    case WEFT_SCALAR_F64:
    case WEFT_SCALAR_BOOL: break;
    }
    return u;
}

NumberFault scalar_fit(weft_scalar scalar, double *value)
{
    double low = scalar == WEFT_SCALAR_I32 ? INT32_MIN : 0;
    double high = scalar == WEFT_SCALAR_I32 ? INT32_MAX : UINT32_MAX;
    double given = *value;
    if (!scalar_is_float(scalar)) {
        if (given != floor(given))      /* NaN is not equal to itself */
            return NUMBER_NOT_WHOLE;
        return given < low || given > high ? NUMBER_OUT_OF_RANGE : NUMBER_OK;
    }
    if (scalar == WEFT_SCALAR_F32)
        *value = isfinite(given) && fabs(given) >= 0x1.ffffffp127
                     ? copysign((double)INFINITY, given) : (double)(float)given;
    else if (scalar == WEFT_SCALAR_F16)
        *value = half_to_double(half_from_double(given));
    return isinf(*value) && !isinf(given) ? NUMBER_OUT_OF_RANGE : NUMBER_OK;
}

/* ---- text ---- */

/* An f32 is not read as a double first: rounding twice can go astray. */
static NumberFault parse_float(const char *text, weft_scalar scalar, double *out)
{
    char  *end;
    double value = strtod(text, &end);
    if (end == text || *end)
        return NUMBER_NOT_ONE;
    if (scalar == WEFT_SCALAR_F32 && isfinite(value) && fabs(value) < 0x1.ffffffp127)
        value = (double)strtof(text, NULL);
    bool too_large = isinf(value) && strpbrk(text, "0123456789");
    *out = value;
    return too_large ? NUMBER_OUT_OF_RANGE : scalar_fit(scalar, out);
}

NumberFault number_parse(Str text, weft_scalar scalar, double *out)
{
    char copy[MAX_NUMBER + 1];
    if (text.len == 0 || text.len > MAX_NUMBER)
        return NUMBER_NOT_ONE;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    /* strtod() would skip blanks. */
    if (strlen(copy) != text.len || !strchr("+-.0123456789inIN", copy[0]))
        return NUMBER_NOT_ONE;
    return parse_float(copy, scalar, out);
}

const char *number_fault_text(Arena *arena, NumberFault fault, Str text, weft_scalar scalar)
{
    static const char *const sentences[] = {
        [NUMBER_NOT_ONE] = "is not a number",
        [NUMBER_NOT_WHOLE] = "is not a whole number",
        [NUMBER_OUT_OF_RANGE] = "is out of range",
    };
    return arena_printf(arena, "'%.*s%s' %s; the type is %s", (int)MIN_OF(text.len, 40),
                        text.data, text.len > 40 ? "..." : "", sentences[fault],
                        scalar_name(scalar));
}

static bool reads_back(const char *text, weft_scalar scalar, double value)
{
    double again;
    return number_parse(str_of(text), scalar, &again) == NUMBER_OK && again == value;
}

void number_print(Text *out, weft_scalar scalar, double value)
{
    char text[40];
    if (!scalar_is_float(scalar)) {
        text_printf(out, "%.0f", value);
        return;
    }
    if (isnan(value)) {
        text_add(out, STR("nan"));
        return;
    }
    for (int digits = scalar == WEFT_SCALAR_F16 ? 3 : 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (reads_back(text, scalar, value))
            break;
    }
    text_add(out, str_of(text));
}

void number_json(Text *out, weft_scalar scalar, double value)
{
    bool quoted = !isfinite(value);
    if (quoted)
        text_char(out, '"');
    number_print(out, scalar, value);
    if (quoted)
        text_char(out, '"');
}
