// SPDX-License-Identifier: Apache-2.0
/*
 * format_text.c - the lines of kernels that read quantised weights, for each format.
 *
 * in     a format
 * out    parameters of the texts of kernels
 * knows  formats.def; the names that the kernels use: g a group of 16 rows, lane one of them,
 *        b a block of 32, i a quarter of it
 * not    where tokens come from (kernels.c)
 *
 *   SCALES    d and m, or vectors d2 and m2 for the two halves of a block
 *   PLANES    words with the higher bits of q
 *   WORDS     low, high: four q each as bytes
 *   LOW, HIGH the weights of these as vec4f
 *   SUM       what a block adds to the sum of token #t
 */
#include "model/runtime/runtime_priv.h"

static const char *scales_text(ScaleKind kind)
{
    switch (kind) {
    case SCALES_S32:
        return "let pair = scale[(g * ((blocks + 1u) / 2u) + b / 2u) * 16u + lane] >>\n"
               "               ((b & 1u) * 16u);\n"
               "    let d = unpack2x16float(pair).x;";
    case SCALES_S16:
        return "let d2 = unpack2x16float(scale[(g * blocks + b) * 16u + lane]);";
    case SCALES_M32:
        return "let dm = unpack2x16float(scale[(g * blocks + b) * 16u + lane]);\n"
               "    let d = dm.x;\n"
               "    let m = dm.y;";
    case SCALES_M16:
        return "let d2 = unpack2x16float(scale[(g * blocks + b) * 16u + lane]);\n"
               "    let m2 = unpack2x16float(least[(g * blocks + b) * 16u + lane]);";
    default:
        return "let pair = scale[(g * ((blocks + 1u) / 2u) + b / 2u) * 16u + lane] >>\n"
               "               ((b & 1u) * 16u);\n"
               "    let both = unpack2x16float(least[(g * ((blocks + 7u) / 8u) + b / 8u) * 16u +\n"
               "                                     lane]);\n"
               "    let d = both.x * f32(pair & 255u);\n"
               "    let m = both.y * f32((pair >> 8u) & 255u);";
    }
}

/* Words of a block before those of halves of bytes. */
static const char *planes_text(uint32_t words)
{
    if (words == 5)
        return "let plane = w[(g * blocks + b) * 80u + lane];";
    if (words == 6)
        return "let plane = w[(g * blocks + b) * 96u + lane];\n"
               "    let plane2 = w[(g * blocks + b) * 96u + 16u + lane];";
    return "";
}

static const char *words_text(const Format *f)
{
    if (f->code == CODE_IQ2)
        return "let q = w[((g * blocks + b) * 4u + i) * 16u + lane];\n"
               "      let q_low = q & 0x07070707u;\n"
               "      let q_high = (q >> 4u) & 0x07070707u;\n"
               "      let low = ((q_low << 4u) + q_low + ((q >> 3u) & 0x01010101u)) &\n"
               "                0x7f7f7f7fu;\n"
               "      let high = ((q_high << 4u) + q_high + ((q >> 7u) & 0x01010101u)) &\n"
               "                 0x7f7f7f7fu;";
    switch (f->words) {
    case 4:
        return "let q = w[((g * blocks + b) * 4u + i) * 16u + lane];\n"
               "      let low = q & 0x0f0f0f0fu;\n"
               "      let high = (q >> 4u) & 0x0f0f0f0fu;";
    case 5:
        return "let q = w[((g * blocks + b) * 5u + 1u + i) * 16u + lane];\n"
               "      let low = (q & 0x0f0f0f0fu) | (((plane >> i) & 0x01010101u) << 4u);\n"
               "      let high = ((q >> 4u) & 0x0f0f0f0fu) |\n"
               "                 (((plane >> (4u + i)) & 0x01010101u) << 4u);";
    case 6:
        return "let q = w[((g * blocks + b) * 6u + 2u + i) * 16u + lane];\n"
               "      let low = (q & 0x0f0f0f0fu) | (((plane >> (2u * i)) & 0x03030303u) << 4u);\n"
               "      let high = ((q >> 4u) & 0x0f0f0f0fu) |\n"
               "                 (((plane2 >> (2u * i)) & 0x03030303u) << 4u);";
    default:
        return "let low = w[((g * blocks + b) * 8u + 2u * i) * 16u + lane];\n"
               "      let high = w[((g * blocks + b) * 8u + 2u * i + 1u) * 16u + lane];";
    }
}

static bool has_halves(const Format *f)
{
    return f->scales == SCALES_S16 || f->scales == SCALES_M16;
}

static bool has_least(const Format *f)
{
    return f->scales == SCALES_M32 || f->scales == SCALES_M16 || f->scales == SCALES_K;
}

static const char *value_text(Arena *a, const Format *f, bool high)
{
    const char *word = high ? "high" : "low", *half = high ? ".y" : ".x";
    const char *q = arena_printf(a, f->offset ? "(vec4f(unpack4xI8(%s)) - %u.0)"
                                              : "vec4f(unpack4xI8(%s))", word, f->offset);
    bool two = has_halves(f);
    return arena_printf(a, "%s * %s%s%s%s", q, two ? "d2" : "d", two ? half : "",
                        !has_least(f) ? "" : two ? " + m2" : " + m",
                        has_least(f) && two ? half : "");
}

/* part is what prepare_i8 knows of the activations: scale, sums of the halves, of all. */
static const char *sum_text(Arena *a, const Format *f)
{
    if (f->scales == SCALES_M16)
        return "(d2.x * f32(low_dot#t) + d2.y * f32(high_dot#t)) * part#t.x + "
               "m2.x * part#t.y + m2.y * part#t.z";
    if (f->scales == SCALES_S16)
        return arena_printf(a, "d2.x * (f32(low_dot#t) * part#t.x - %u.0 * part#t.y) + "
                               "d2.y * (f32(high_dot#t) * part#t.x - %u.0 * part#t.z)",
                            f->offset, f->offset);
    if (has_least(f))
        return "d * f32(low_dot#t) * part#t.x + m * part#t.w";
    if (f->offset)
        return arena_printf(a, "d * (f32(low_dot#t) * part#t.x - %u.0 * part#t.w)", f->offset);
    return "d * f32(low_dot#t) * part#t.x";
}

uint32_t format_params(const char **out, Arena *a, WeightFormat format, const char *column)
{
    const Format *f = format_get(format);
    bool apart = f->scales == SCALES_M16 || f->scales == SCALES_K, two = has_halves(f);
    const char *all[] = {
        "LEAST_BINDING",
        apart ? "@group(0) @binding(2) var<storage, read> least : array<u32>;" : "",
        "SCALES", scales_text(f->scales), "PLANES", planes_text(f->words),
        "WORDS", words_text(f), "LOW", value_text(a, f, false), "HIGH", value_text(a, f, true),
        "HIGH_START", two ? "var high_dot#t = 0;" : "",
        "HIGH_DOT", arena_printf(a, "%s_dot#t += dot4I8Packed(high, x[then + %s]);",
                                 two ? "high" : "low", column),
        "SUM", sum_text(a, f),
    };
    for (size_t i = 0; i < COUNTOF(all); i++)
        out[i] = all[i];
    return COUNTOF(all);
}
