// SPDX-License-Identifier: Apache-2.0
/*
 * literal.c - what numbers are worth.
 *
 * in     the text of a number and all that is glued to it, of any length
 * out    its kind and value, or what is wrong with it
 * knows  WGSL "Numeric Literals"; IEEE 754 binary16, 32 and 64
 * not    whether f16 or f64 is enabled; signs: "-1" is a unary operation
 *
 * All of it is linear in the text. Decimal fractions go through strtod() and
 * strtof() as "digits e exponent", without a point, which no locale can spoil;
 * digits beyond those that can decide the rounding become one sticky digit.
 */
#include "syntax/lex_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A double lies within 767 significant digits of every midpoint of two. */
#define MAX_DIGITS   800
/* Past every exponent that matters, even after 2^32 digits shifted it. */
#define MAX_EXPONENT INT64_C(1000000000000)

/* A number taken apart. */
typedef struct Parts {
    bool    hex, has_point, has_exponent;
    Str     whole, fraction;        /* digits before and after the point           */
    int64_t exponent;               /* as written, cut off at MAX_EXPONENT         */
    char    suffix;                 /* i u f h, l for lf, or 0                     */
    Str     rest;                   /* what belongs to no number                   */
} Parts;

/* ---- taking apart ---- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

static Str take_digits(Str *text, int base)
{
    uint32_t n = 0;
    while (n < text->len && digit_value(text->data[n]) < base)
        n++;
    Str digits = {text->data, n};
    text->data += n;
    text->len -= n;
    return digits;
}

static bool take(Str *text, char lower)
{
    if (text->len == 0 || (text->data[0] | 0x20) != lower)
        return false;
    text->data++;
    text->len--;
    return true;
}

static bool take_exponent(Str *text, char letter, int64_t *exponent)
{
    Str saved = *text;
    if (!take(text, letter))
        return false;
    bool negative = text->len > 0 && text->data[0] == '-';
    if (negative || (text->len > 0 && text->data[0] == '+')) {
        text->data++;
        text->len--;
    }
    Str digits = take_digits(text, 10);
    if (digits.len == 0) {
        *text = saved;
        return false;
    }
    int64_t value = 0;
    for (uint32_t i = 0; i < digits.len; i++)
        value = MIN_OF(value * 10 + (digits.data[i] - '0'), MAX_EXPONENT);
    *exponent = negative ? -value : value;
    return true;
}

/* A suffix is all that is left: "1u" has one, "1u32" has none. */
static char take_suffix(Str *text, bool decimal)
{
    if (decimal && str_eq(*text, STR("lf"))) {
        text->len = 0;
        return 'l';
    }
    if (text->len != 1)
        return 0;
    char c = text->data[0];
    if (c != 'i' && c != 'u' && !(decimal && (c == 'f' || c == 'h')))
        return 0;
    text->len = 0;
    return c;
}

static Parts take_apart(Str text)
{
    Parts p = {0};
    p.hex = text.len > 1 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x';
    if (p.hex) {
        text.data += 2;
        text.len -= 2;
    }
    int base = p.hex ? 16 : 10;
    p.whole = take_digits(&text, base);
    if (text.len > 0 && text.data[0] == '.') {
        text.data++;
        text.len--;
        p.has_point = true;
        p.fraction = take_digits(&text, base);
    }
    p.has_exponent = take_exponent(&text, p.hex ? 'p' : 'e', &p.exponent);
    /* Of hexadecimal numbers, f, h and lf need an exponent before them. */
    p.suffix = take_suffix(&text, !p.hex || p.has_exponent);
    p.rest = text;
    return p;
}

/* What is wrong with the shape of a number, or NULL. */
static const char *shape_fault(const Parts *p)
{
    bool is_float = p->has_point || p->has_exponent;
    if (p->whole.len + p->fraction.len == 0)
        return "has no digits";
    if (p->rest.len > 0 && p->hex && !p->has_exponent
        && (p->rest.data[0] | 0x20) == 'p')
        return "has no digits in its exponent";
    if (p->rest.len > 0 && !p->hex && (p->rest.data[0] | 0x20) == 'e')
        return "has no digits in its exponent";
    if (p->rest.len == 1 && p->hex && p->rest.data[0] == 'h')
        return "needs an exponent before the suffix 'h', as in 0x1p0h";
    if (p->hex && str_eq(p->rest, STR("lf")))
        return "needs an exponent before the suffix 'lf', as in 0x1p0lf";
    if (p->rest.len > 0)
        return "has a suffix that WGSL does not know; there are i, u, f, h and lf";
    if (is_float && (p->suffix == 'i' || p->suffix == 'u'))
        return "has the suffix of an integer but is not one";
    if (!p->hex && !is_float && p->whole.len > 1 && p->whole.data[0] == '0')
        return "starts with 0; WGSL has no octal numbers";
    return NULL;
}

/* ---- integers ---- */

/* False if it is above UINT64_MAX. */
static bool read_integer(Str digits, uint64_t base, uint64_t *out)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)digit_value(digits.data[i]);
        if (value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

static const char *integer_value(const Parts *p, Number *out)
{
    bool fits = read_integer(p->whole, p->hex ? 16 : 10, &out->integer);
    switch (p->suffix) {
    case 'i':
        out->kind = LITERAL_I32;
        return fits && out->integer <= INT32_MAX ? NULL : "is above the largest i32";
    case 'u':
        out->kind = LITERAL_U32;
        return fits && out->integer <= UINT32_MAX ? NULL : "is above the largest u32";
    default:
        out->kind = LITERAL_ABSTRACT_INT;
        return fits && out->integer <= INT64_MAX ? NULL
            : "is above the largest integer, 9223372036854775807";
    }
}

/* ---- binary formats ---- */

typedef struct Format {
    int precision;                  /* bits of the significand, with the hidden one */
    int lowest;                     /* exponent of the smallest subnormal           */
    int highest;                    /* exponent of the largest power of two         */
} Format;

static const Format half = {11, -24, 15};
static const Format single = {24, -149, 127};
static const Format twice = {53, -1074, 1023};

/* significand * 2^exponent, and a little more if `sticky`. */
typedef struct Binary {
    uint64_t significand;
    int64_t  exponent;
    bool     sticky;
} Binary;

static int bit_length(uint64_t x)
{
    int n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
}

/* The significand without its last `shift` bits, rounded to the nearest, ties to
 * even. *exact: nothing was lost. */
static uint64_t shift_round(Binary b, int64_t shift, bool *exact)
{
    if (shift > 64) {
        *exact = false;
        return 0;
    }
    uint64_t kept = shift == 64 ? 0 : b.significand >> shift;
    uint64_t lost = shift == 64 ? b.significand
                                : b.significand & (((uint64_t)1 << shift) - 1);
    uint64_t middle = (uint64_t)1 << (shift - 1);
    *exact = lost == 0 && !b.sticky;
    bool up = lost > middle || (lost == middle && (b.sticky || (kept & 1)));
    return kept + up;
}

/* The nearest number of the format; infinity if that is past the largest. */
static double round_to(Format f, Binary b, bool *exact)
{
    *exact = !b.sticky;
    if (b.significand == 0)
        return 0;
    int64_t top = b.exponent + bit_length(b.significand) - 1;
    if (top > f.highest)
        return (double)INFINITY;
    int64_t last = MAX_OF(top - (f.precision - 1), f.lowest);
    int64_t shift = last - b.exponent;
    if (shift <= 0)
        return ldexp((double)b.significand, (int)b.exponent);
    double value = ldexp((double)shift_round(b, shift, exact), (int)last);
    return value < ldexp(1, f.highest + 1) ? value : (double)INFINITY;
}

static Binary binary_of(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return (Binary){(uint64_t)ldexp(fraction, 53), exponent - 53, false};
}

/* ---- hexadecimal floats ---- */

static void add_hex(Binary *b, Str digits, bool fraction)
{
    for (uint32_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)digit_value(digits.data[i]);
        bool room = b->significand >> 60 == 0;
        if (room)
            b->significand = b->significand << 4 | digit;
        else
            b->sticky |= digit != 0;
        b->exponent += (room ? 0 : 4) - (fraction ? 4 : 0);
    }
}

static const char *hex_value(const Parts *p, Format f, const char *inexact,
                             const char *overflow, double *out)
{
    Binary b = {.exponent = p->exponent};
    add_hex(&b, p->whole, false);
    add_hex(&b, p->fraction, true);
    bool exact;
    *out = round_to(f, b, &exact);
    if (isinf(*out))
        return overflow;
    /* Only with a suffix must it be exact. */
    return exact || !p->suffix ? NULL : inexact;
}

/* ---- decimal floats ---- */

/* The significant digits of a number, its value being digits * 10^exponent. */
typedef struct Decimal {
    char    digits[MAX_DIGITS + 32];    /* room for a sticky digit and an exponent */
    int     len;
    bool    sticky;
    int64_t exponent;
} Decimal;

static void add_decimal(Decimal *d, Str digits, bool fraction)
{
    for (uint32_t i = 0; i < digits.len; i++) {
        char digit = digits.data[i];
        bool leading = d->len == 0 && digit == '0';
        bool room = d->len < MAX_DIGITS;
        if (room && !leading)
            d->digits[d->len++] = digit;
        else if (!room)
            d->sticky |= digit != '0';
        d->exponent += (room ? 0 : 1) - (fraction ? 1 : 0);
    }
}

/* Writes "DIGITSeEXPONENT"; false if it is certainly zero or infinite, which
 * *extreme then says. */
static bool decimal_text(Decimal *d, const Parts *p, double *extreme)
{
    d->exponent = p->exponent;
    add_decimal(d, p->whole, false);
    add_decimal(d, p->fraction, true);
    if (d->sticky) {
        d->digits[d->len++] = '1';
        d->exponent--;
    }
    int64_t magnitude = d->exponent + d->len;
    *extreme = d->len == 0 || magnitude < -400 ? 0 : (double)INFINITY;
    if (d->len == 0 || magnitude < -400 || magnitude > 400)
        return false;
    snprintf(d->digits + d->len, sizeof d->digits - (size_t)d->len, "e%d",
             (int)d->exponent);
    return true;
}

static double decimal_value(const Parts *p, char suffix)
{
    Decimal d;
    d.len = 0;
    d.sticky = false;
    double value;
    if (!decimal_text(&d, p, &value))
        return value;
    if (suffix == 'f')
        return (double)strtof(d.digits, NULL);
    value = strtod(d.digits, NULL);
    bool exact;
    return suffix == 'h' && !isinf(value) ? round_to(half, binary_of(value), &exact)
                                          : value;
}

/* ---- */

static const char *float_value(const Parts *p, Number *out)
{
    static const struct {
        char          suffix;
        LiteralKind   kind;
        const Format *format;
        const char   *overflow, *inexact;
    } rows[] = {
        {'f', LITERAL_F32, &single, "is above the largest f32",
         "cannot be represented exactly as an f32"},
        {'h', LITERAL_F16, &half, "is above the largest f16",
         "cannot be represented exactly as an f16"},
        {'l', LITERAL_F64, &twice, "is above the largest f64",
         "cannot be represented exactly as an f64"},
        {0, LITERAL_ABSTRACT_FLOAT, &twice, "is above the largest float", NULL},
    };
    size_t i = p->suffix == 'f' ? 0 : p->suffix == 'h' ? 1 : p->suffix == 'l' ? 2 : 3;
    out->kind = rows[i].kind;
    if (p->hex)
        return hex_value(p, *rows[i].format, rows[i].inexact, rows[i].overflow,
                         &out->real);
    out->real = decimal_value(p, p->suffix);
    return isinf(out->real) ? rows[i].overflow : NULL;
}

const char *literal_read(Str text, Number *out, DiagId *id)
{
    *out = (Number){0};
    Parts p = take_apart(text);
    const char *fault = shape_fault(&p);
    *id = DIAG_invalid_literal;
    if (fault)
        return fault;
    *id = DIAG_literal_range;
    bool is_float = p.has_point || p.has_exponent || p.suffix == 'f' || p.suffix == 'h' ||
                    p.suffix == 'l';
    return is_float ? float_value(&p, out) : integer_value(&p, out);
}
