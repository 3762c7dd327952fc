/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agree_test.c - what is computed early and what is computed late agree.
 *
 * in     expressions of x, y and z, types and values for these
 * out    a failure for each expression whose value as a const-expression is not what
 *        the kernel computes from the same operands, read from memory
 * knows  the checker's constant evaluation and the interpreter: two accounts of
 *        WGSL that know nothing of each other
 *
 * Where WGSL forbids the early value (overflow, domain), there is nothing to compare.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "lower/lower.h"
#include "support/interp.h"
#include "syntax/syntax.h"

/* types: i u f h of x, y, z; 1: scalars, v: vectors of three
 * result: T as the operands, S a scalar of their kind, u i f that scalar, B truth of
 *         their width, b one truth value, W f32, I i32 and U u32 of their width, H f16 */
static const struct Row { const char *expr, *types, *widths, *result; } rows[] = {
    {"x + y",                              "iufh", "1v", "T"},
    {"x - y",                              "iufh", "1v", "T"},
    {"x * y",                              "iufh", "1v", "T"},
    {"x / y",                              "iufh", "1v", "T"},
    {"x % y",                              "iufh", "1v", "T"},
    {"-x",                                 "ifh",  "1v", "T"},
    {"~x",                                 "iu",   "1v", "T"},
    {"x & y",                              "iu",   "1v", "T"},
    {"x | y",                              "iu",   "1v", "T"},
    {"x ^ y",                              "iu",   "1v", "T"},
    {"x == y",                             "iufh", "1v", "B"},
    {"x != y",                             "iufh", "1v", "B"},
    {"x < y",                              "iufh", "1v", "B"},
    {"x <= y",                             "iufh", "1v", "B"},
    {"x > y",                              "iufh", "1v", "B"},
    {"x >= y",                             "iufh", "1v", "B"},
    {"x << (bitcast<u32>(y) & 31)",        "iu",   "1",  "T"},
    {"x >> (bitcast<u32>(y) & 31)",        "iu",   "1",  "T"},
    {"abs(x)",                             "iufh", "1v", "T"},
    {"acos(x)",                            "fh",   "1v", "T"},
    {"acosh(x)",                           "fh",   "1v", "T"},
    {"asin(x)",                            "fh",   "1v", "T"},
    {"asinh(x)",                           "fh",   "1v", "T"},
    {"atan(x)",                            "fh",   "1v", "T"},
    {"atan2(x, y)",                        "fh",   "1v", "T"},
    {"atanh(x)",                           "fh",   "1v", "T"},
    {"ceil(x)",                            "fh",   "1v", "T"},
    {"clamp(x, min(y, z), max(y, z))",     "iufh", "1v", "T"},
    {"cos(x)",                             "fh",   "1v", "T"},
    {"cosh(x)",                            "fh",   "1v", "T"},
    {"countLeadingZeros(x)",               "iu",   "1v", "T"},
    {"countOneBits(x)",                    "iu",   "1v", "T"},
    {"countTrailingZeros(x)",              "iu",   "1v", "T"},
    {"cross(x, y)",                        "fh",   "v",  "T"},
    {"degrees(x)",                         "fh",   "1v", "T"},
    {"distance(x, y)",                     "fh",   "1v", "S"},
    {"dot(x, y)",                          "iufh", "v",  "S"},
    {"dot4I8Packed(x, y)",                 "u",    "1",  "i"},
    {"dot4U8Packed(x, y)",                 "u",    "1",  "u"},
    {"exp(x)",                             "fh",   "1v", "T"},
    {"exp2(x)",                            "fh",   "1v", "T"},
    {"extractBits(x, 3, 7)",               "iu",   "1v", "T"},
    {"extractBits(x, 31, 1)",              "iu",   "1v", "T"},
    {"faceForward(x, y, z)",               "fh",   "v",  "T"},
    {"firstLeadingBit(x)",                 "iu",   "1v", "T"},
    {"firstTrailingBit(x)",                "iu",   "1v", "T"},
    {"floor(x)",                           "fh",   "1v", "T"},
    {"fma(x, y, z)",                       "fh",   "1v", "T"},
    {"fract(x)",                           "fh",   "1v", "T"},
    {"frexp(x).fract",                     "fh",   "1v", "T"},
    {"frexp(x).exp",                       "fh",   "1v", "I"},
    {"insertBits(x, y, 5, 9)",             "iu",   "1v", "T"},
    {"inverseSqrt(x)",                     "fh",   "1v", "T"},
    {"ldexp(x, 3)",                        "fh",   "1",  "T"},
    {"ldexp(x, vec3(-2, 0, 5))",           "fh",   "v",  "T"},
    {"length(x)",                          "fh",   "1v", "S"},
    {"log(x)",                             "fh",   "1v", "T"},
    {"log2(x)",                            "fh",   "1v", "T"},
    {"max(x, y)",                          "iufh", "1v", "T"},
    {"min(x, y)",                          "iufh", "1v", "T"},
    {"mix(x, y, z)",                       "fh",   "1v", "T"},
    {"mix(x, y, z.x)",                     "fh",   "v",  "T"},
    {"modf(x).fract",                      "fh",   "1v", "T"},
    {"modf(x).whole",                      "fh",   "1v", "T"},
    {"normalize(x)",                       "fh",   "v",  "T"},
    {"pack2x16float(vec2(x, y))",          "f",    "1",  "u"},
    {"pack2x16snorm(vec2(x, y))",          "f",    "1",  "u"},
    {"pack2x16unorm(vec2(x, y))",          "f",    "1",  "u"},
    {"pack4x8snorm(vec4(x, y, z, x))",     "f",    "1",  "u"},
    {"pack4x8unorm(vec4(x, y, z, y))",     "f",    "1",  "u"},
    {"pack4xI8(vec4(x, y, z, x))",         "i",    "1",  "u"},
    {"pack4xI8Clamp(vec4(x, y, z, x))",    "i",    "1",  "u"},
    {"pack4xU8(vec4(x, y, z, x))",         "u",    "1",  "u"},
    {"pack4xU8Clamp(vec4(x, y, z, x))",    "u",    "1",  "u"},
    {"pow(x, y)",                          "fh",   "1v", "T"},
    {"quantizeToF16(x)",                   "f",    "1v", "T"},
    {"radians(x)",                         "fh",   "1v", "T"},
    {"reflect(x, y)",                      "fh",   "v",  "T"},
    {"refract(x, y, z.y)",                 "fh",   "v",  "T"},
    {"reverseBits(x)",                     "iu",   "1v", "T"},
    {"round(x)",                           "fh",   "1v", "T"},
    {"saturate(x)",                        "fh",   "1v", "T"},
    {"select(x, y, x < z)",                "iufh", "1v", "T"},
    {"sign(x)",                            "ifh",  "1v", "T"},
    {"sin(x)",                             "fh",   "1v", "T"},
    {"sinh(x)",                            "fh",   "1v", "T"},
    {"smoothstep(x, y, z)",                "fh",   "1v", "T"},
    {"sqrt(x)",                            "fh",   "1v", "T"},
    {"step(x, y)",                         "fh",   "1v", "T"},
    {"tan(x)",                             "fh",   "1v", "T"},
    {"tanh(x)",                            "fh",   "1v", "T"},
    {"trunc(x)",                           "fh",   "1v", "T"},
    {"unpack2x16float(x).x",               "u",    "1",  "f"},
    {"unpack2x16snorm(x).y",               "u",    "1",  "f"},
    {"unpack2x16unorm(x).y",               "u",    "1",  "f"},
    {"unpack4x8snorm(x).z",                "u",    "1",  "f"},
    {"unpack4x8unorm(x).w",                "u",    "1",  "f"},
    {"unpack4xI8(x).y",                    "u",    "1",  "i"},
    {"unpack4xU8(x).z",                    "u",    "1",  "u"},
    {"all(x < y)",                         "iufh", "v",  "b"},
    {"any(x < y)",                         "iufh", "v",  "b"},
    {"x.zyx.yx.x",                         "iufh", "v",  "S"},
    {"vec2(x, y)[1]",                      "iufh", "1",  "S"},
    {"array(x, y, z)[2]",                  "iufh", "1v", "T"},
    {"transpose(mat3x3(x, y, z))[1]",      "fh",   "v",  "T"},
    {"determinant(mat3x3(x, y, z))",       "fh",   "v",  "S"},
    {"determinant(mat2x2(x, y, z, x))",    "fh",   "1",  "S"},
    {"determinant(mat4x4(x, y, z, x, y, x, z, z, x, z, y, x, z, x, x, y))", "fh", "1", "S"},
    {"mat3x3(x, y, z) * x",                "fh",   "v",  "T"},
    {"y * mat3x3(x, y, z)",                "fh",   "v",  "T"},
    {"(mat3x3(x, y, z) * mat3x3(y, x, z))[2]", "fh", "v", "T"},
    {"(mat3x3(x, y, z) - mat3x3(y, x, z) * 2)[0]", "fh", "v", "T"},
    {"bitcast<W>(x)",                      "iuf",  "1v", "W"},
    {"bitcast<U>(x)",                      "iuf",  "1v", "U"},
    {"bitcast<u32>(vec2(x, y))",           "h",    "1",  "u"},
    {"W(x)",                               "iufh", "1v", "W"},
    {"I(x)",                               "iufh", "1v", "I"},
    {"U(x)",                               "iufh", "1v", "U"},
    {"H(x)",                               "iufh", "1v", "H"},
    {"T(x > y)",                           "iufh", "1v", "T"},
    {"!(x > y)",                           "iufh", "1v", "B"},
    {"(x > y) == (y > z)",                 "iufh", "1v", "B"},
    {"(x > y) & (y > z)",                  "iufh", "1v", "B"},
    {"(x > y) | (y > z)",                  "iufh", "1v", "B"},
    {"(x > y && y > z) || x == z",           "iufh", "1",  "b"},
};

/* Nine numbers each: x, y and z, three components. */
static const double int_samples[][9] = {
    {1, 2, 3, 4, 5, 6, 7, 8, 9},
    {0, -1, 7, 3, 2, -5, 100, 0, 1},
    {2147483647, -2147483648.0, 65536, 2, -1, 16, 0, 1, -3},
    {-255, 127, -128, 31, 33, 1, -7, 128, 300},
};
static const double word_samples[][9] = {
    {1, 2, 3, 4, 5, 6, 7, 8, 9},
    {0, 4294967295.0, 2147483648.0, 3, 31, 2, 255, 256, 1},
    {305419896, 4275878552.0, 65535, 16909060, 2155905152.0, 7, 0, 1, 300},
};
static const double float_samples[][9] = {
    {0.5, -0.25, 0.75, 0.125, 1, -1, 0.25, 2, -3},
    {1.5, 2.5, 3.5, -2.25, 0.5, 4, 1, 0, 0.5},
    {10, 20.75, 30.0625, 2, 3, 1.5, 0.1, 0.7, -0.3},
    {0, 1, -1, 0.6, 0.8, 0, -0.5, 0.5, 0.25},
    {100.5, -7.75, 0.001, 9, -0.125, 12, 3, 1, 2},
};

/* ---- one module ---- */

typedef struct Trial {
    Arena       arena;
    const struct Row *row;
    char        kind;                   /* i u f h                                */
    bool        vector;
    const double *sample;
    Text        source;
    Span        early;                  /* where the early value is declared      */
    bool        compared;
    const char *wrong;
} Trial;

static const char *scalar_name(char kind)
{
    return kind == 'i' ? "i32" : kind == 'u' ? "u32" : kind == 'f' ? "f32" : "f16";
}

static const char *type_name(Trial *t, char kind)
{
    const char *scalar = scalar_name(kind);
    return t->vector ? arena_printf(&t->arena, "vec3<%s>", scalar) : scalar;
}

/* The type of the expression, truth apart. */
static const char *result_name(Trial *t)
{
    switch (t->row->result[0]) {
    case 'T': return type_name(t, t->kind);
    case 'S': return scalar_name(t->kind);
    case 'W': return type_name(t, 'f');
    case 'I': return type_name(t, 'i');
    case 'H': return type_name(t, 'h');
    case 'U': case 'B': return type_name(t, 'u');
    case 'b': return "u32";
    default:  return scalar_name(t->row->result[0]);
    }
}

/* The row's expression, with types for its letters W, I, U, H and T. */
static void write_expr(Trial *t)
{
    bool truth = t->row->result[0] == 'B' || t->row->result[0] == 'b';
    if (truth)
        text_printf(&t->source, "%s(", result_name(t));
    for (const char *p = t->row->expr; *p; p++) {
        bool alone = strchr("WIUHT", *p) && (p[1] == '(' || p[1] == '>')
                  && (p == t->row->expr || !strchr("abcdefghijklmnopqrstuvwxyz4", p[-1]));
        if (alone)
            text_printf(&t->source, "%s", *p == 'T' ? type_name(t, t->kind)
                        : type_name(t, *p == 'W' ? 'f' : (char)(*p - 'A' + 'a')));
        else
            text_char(&t->source, *p);
    }
    text_printf(&t->source, truth ? ")" : "");
}

static void write_number(Trial *t, double x)
{
    if (t->kind == 'f' || t->kind == 'h')
        text_printf(&t->source, "%.9g%s", x, x == floor(x) ? ".0" : "");
    else
        text_printf(&t->source, "%.0f", x);
}

static void write_operand(Trial *t, uint32_t which)
{
    text_printf(&t->source, "const %c = %s(", "xyz"[which], type_name(t, t->kind));
    for (uint32_t i = 0; i < (t->vector ? 3u : 1u); i++) {
        text_printf(&t->source, "%s", i ? ", " : "");
        write_number(t, t->sample[which * 3 + i]);
    }
    text_printf(&t->source, ");\n");
}

static void write_module(Trial *t)
{
    const char *type = type_name(t, t->kind), *result = result_name(t);
    text_printf(&t->source, "enable f16;\n"
                "struct In { x : %s, y : %s, z : %s }\n"
                "@group(0) @binding(0) var<storage, read_write> in : In;\n"
                "@group(0) @binding(1) var<storage, read_write> out : array<%s, 2>;\n",
                type, type, type, result);
    for (uint32_t i = 0; i < 3; i++)
        write_operand(t, i);
    t->early.start = (uint32_t)t->source.len;
    text_printf(&t->source, "const early : %s = ", result);
    write_expr(t);
    t->early.end = (uint32_t)t->source.len;
    text_printf(&t->source, ";\nfn late(x : %s, y : %s, z : %s) -> %s { return ", type, type,
                type, result);
    write_expr(t);
    text_printf(&t->source, "; }\n@compute @workgroup_size(1) fn fill() {\n"
                "  in = In(x, y, z);\n  out[0] = early;\n}\n"
                "@compute @workgroup_size(1) fn main() {\n"
                "  out[1] = late(in.x, in.y, in.z);\n}\n");
}

/* ---- running it ---- */

typedef struct Memory {
    uint8_t in[64], out[64];
} Memory;

static void run_entry(Trial *t, const Module *m, uint32_t entry, Memory *memory)
{
    Diag diag = {.arena = &t->arena};
    Specialization s;
    const Decl *d = m->info->entry_points.data[entry];
    Ir *ir = NULL;
    if (check_specialize(&s, &t->arena, m, d, NULL, 0, &diag))
        ir = lower_entry_point(&t->arena, m, d, &s, &diag);
    InterpBuffer buffers[] = {{0, 0, memory->in, 64}, {0, 1, memory->out, 64}};
    t->wrong = !ir ? "not lowered" : ir_verify(ir);
    if (!t->wrong)
        t->wrong = interp_run(&t->arena, &(InterpDesc){.ir = ir, .buffers = buffers,
                                                       .nbuffers = 2});
}

static bool close_enough(uint8_t kind, uint32_t x, uint32_t y)
{
    if (x == y)
        return true;
    if (kind == SCALAR_I32)
        return false;
    double a = interp_to_double(kind, x), b = interp_to_double(kind, y);
    double within = kind == SCALAR_F16 ? 4e-3 : 1e-5;
    return fabs(a - b) <= within * fmax(fmax(fabs(a), fabs(b)), kind == SCALAR_F16 ? 0.1 : 1e-2);
}

static void compare(Trial *t, const Memory *memory)
{
    const char *name = result_name(t);
    bool vector = name[0] == 'v', half = strstr(name, "f16") != NULL;
    uint8_t kind = half ? SCALAR_F16 : strstr(name, "f32") ? SCALAR_F32 : SCALAR_I32;
    uint32_t size = half ? 2 : 4, stride = vector ? 4 * size : size;
    for (uint32_t i = 0; i < (vector ? 3u : 1u); i++) {
        uint32_t early = 0, late = 0;
        memcpy(&early, memory->out + (size_t)i * size, size);
        memcpy(&late, memory->out + stride + (size_t)i * size, size);
        if (!close_enough(kind, early, late))
            t->wrong = arena_printf(&t->arena, "component %u: early %#x, late %#x", i, early,
                                    late);
    }
    t->compared = true;
}

static void work(void *context)
{
    Trial *t = context;
    Diag diag = {.arena = &t->arena};
    Memory memory = {{0}, {0}};
    t->source.arena = &t->arena;
    write_module(t);
    Str source = {t->source.data, (uint32_t)t->source.len};
    Module *m = syntax_parse(&t->arena, source, &diag);
    if (!check_module(m, &(CheckOptions){0}, &diag)) {
        const Diagnostic *d = &diag.list.data[0];
        if (d->span.start < t->early.start || d->span.start >= t->early.end)
            t->wrong = d->message;
        return;
    }
    run_entry(t, m, 0, &memory);
    if (!t->wrong)
        run_entry(t, m, 1, &memory);
    if (!t->wrong)
        compare(t, &memory);
}

/* True if there was something to compare. */
static bool try_one(const struct Row *row, char kind, bool vector, const double *sample,
                    unsigned *failures)
{
    Trial t = {.row = row, .kind = kind, .vector = vector, .sample = sample};
    arena_init(&t.arena, 0);
    if (!arena_try(&t.arena, work, &t))
        t.wrong = "out of memory";
    if (t.wrong) {
        print_error("%s of %s%s (%g ...): %s\n", row->expr, vector ? "vec3 of " : "",
                    scalar_name(kind), sample[0], t.wrong);
        ++*failures;
    }
    arena_fini(&t.arena);
    return t.compared;
}

static const double *samples_of(char kind, size_t *count)
{
    if (kind == 'i') {
        *count = COUNTOF(int_samples);
        return int_samples[0];
    }
    if (kind == 'u') {
        *count = COUNTOF(word_samples);
        return word_samples[0];
    }
    *count = COUNTOF(float_samples);
    return float_samples[0];
}

static void test_early_and_late_values_agree(void **state)
{
    (void)state;
    unsigned failures = 0, compared = 0;
    for (size_t r = 0; r < COUNTOF(rows); r++) {
        unsigned of_row = 0;
        for (const char *kind = rows[r].types; *kind; kind++) {
            size_t count;
            const double *samples = samples_of(*kind, &count);
            for (const char *width = rows[r].widths; *width; width++)
                for (size_t i = 0; i < count; i++)
                    of_row += try_one(&rows[r], *kind, *width == 'v', samples + 9 * i,
                                      &failures);
        }
        if (!of_row)
            print_error("%s: never compared\n", rows[r].expr);
        failures += !of_row;
        compared += of_row;
    }
    print_message("%u values compared\n", compared);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_early_and_late_values_agree),
    };
    return cmocka_run_group_tests_name("agree", tests, NULL, NULL);
}
