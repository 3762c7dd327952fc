// SPDX-License-Identifier: Apache-2.0
/*
 * repack.c - blocks of a file as the kernels read them.
 *
 * in     16 rows of blocks of any type that can be read
 * out    words with 16 rows interleaved (formats.def)
 * knows  scales, minima and small numbers of each type of block
 * not    devices
 */
#include "model/runtime/repack.h"

#include <math.h>
#include <string.h>

#include "model/dequant.h"

static const Format formats[] = {
#define FORMAT(name, words, scales, offset, code) {words, SCALES_##scales, offset, CODE_##code},
#include "model/runtime/formats.def"
#undef FORMAT
};

const Format *format_get(WeightFormat format)
{
    return format < FORMAT_QUANTISED ? NULL : &formats[format - FORMAT_QUANTISED];
}

WeightFormat repack_format(weft_gguf_type type)
{
    switch (type) {
    case WEFT_GGUF_TYPE_F32: case WEFT_GGUF_TYPE_F64: return FORMAT_F32;
    case WEFT_GGUF_TYPE_F16: return FORMAT_F16;
    case WEFT_GGUF_TYPE_BF16: return FORMAT_BF16;
    case WEFT_GGUF_TYPE_Q4_0: return FORMAT_Q4;
    case WEFT_GGUF_TYPE_Q4_1: return FORMAT_Q4M;
    case WEFT_GGUF_TYPE_Q5_0: return FORMAT_Q5;
    case WEFT_GGUF_TYPE_Q5_1: return FORMAT_Q5M;
    case WEFT_GGUF_TYPE_Q2_K: return FORMAT_Q4HM;
    case WEFT_GGUF_TYPE_Q3_K: return FORMAT_Q4H;
    case WEFT_GGUF_TYPE_Q4_K: return FORMAT_Q4K;
    case WEFT_GGUF_TYPE_Q5_K: return FORMAT_Q5K;
    case WEFT_GGUF_TYPE_Q6_K: return FORMAT_Q6H;
    case WEFT_GGUF_TYPE_IQ2_XXS: return FORMAT_IQ2;
    case WEFT_GGUF_TYPE_Q8_0: case WEFT_GGUF_TYPE_IQ4_NL: case WEFT_GGUF_TYPE_IQ4_XS:
    case WEFT_GGUF_TYPE_MXFP4:
        return FORMAT_Q8;
    default: return FORMAT_COUNT;
    }
}

uint32_t repack_pad(WeightFormat format, uint32_t k)
{
    uint32_t to = format >= FORMAT_QUANTISED ? 32 : 4;
    return (k + to - 1) / to * to;
}

RowWords repack_words(WeightFormat format, uint32_t k)
{
    const Format *f = format_get(format);
    k = repack_pad(format, k);
    uint32_t blocks = k / 32;
    if (!f)
        return (RowWords){format == FORMAT_F32 ? k : k / 2, 0, 0};
    RowWords n = {blocks * f->words, 0, 0};
    switch (f->scales) {
    case SCALES_S32: n.scales = (blocks + 1) / 2; break;
    case SCALES_M16: n.scales = n.least = blocks; break;
    case SCALES_K:
        n.scales = (blocks + 1) / 2;
        n.least = (blocks + 7) / 8;
        break;
    default: n.scales = blocks; break;
    }
    return n;
}

/* ---- scales and minima, for each 16 elements of one block ---- */

typedef struct Group {
    float scale, least;
} Group;

/* The small numbers of block g of 32 of a super-block of Q4_K or Q5_K. */
static void small_scales(int *scale, int *least, const uint8_t *s, uint32_t g)
{
    *scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | (s[g - 4] >> 6) << 4;
    *least = g < 4 ? s[g + 4] & 63 : (s[g + 4] >> 4) | (s[g] >> 6) << 4;
}

static void super_groups(Group *out, const uint8_t *in)
{
    float d = load_half(in), dmin = load_half(in + 2);
    for (uint32_t g = 0; g < 8; g++) {
        int scale, least;
        small_scales(&scale, &least, in + 4, g);
        out[2 * g] = (Group){d * (float)scale, -dmin * (float)least};
        out[2 * g + 1] = out[2 * g];
    }
}

static void small_super_groups(Group *out, weft_gguf_type type, const uint8_t *in)
{
    for (int g = 0; g < 16; g++) {
        if (type == WEFT_GGUF_TYPE_Q2_K) {
            out[g] = (Group){load_half(in + 80) * (float)(in[g] & 15),
                             -load_half(in + 82) * (float)(in[g] >> 4)};
        } else if (type == WEFT_GGUF_TYPE_Q3_K) {
            const uint8_t *s = in + 96;
            int low = g < 8 ? s[g] & 15 : s[g - 8] >> 4;
            int scale = low | (s[8 + g % 4] >> (g / 4 * 2) & 3) << 4;
            out[g] = (Group){load_half(in + 108) * (float)(scale - 32), 0};
        } else {
            out[g] = (Group){load_half(in + 208) * (float)(int8_t)in[192 + g], 0};
        }
    }
}

static void i_groups(Group *out, weft_gguf_type type, const uint8_t *in)
{
    float d = load_half(in);
    for (int g = 0; g < 8; g++) {
        float scale;
        if (type == WEFT_GGUF_TYPE_IQ4_XS) {
            int s = (in[4 + g / 2] >> (g % 2 * 4) & 15) |
                    (int)(load_u16(in + 2) >> (2 * g) & 3) << 4;
            scale = d * (float)(s - 32);
        } else {
            scale = d * (0.5f + (float)(load_u32(in + 2 + 8 * g + 4) >> 28)) * 0.25f;
        }
        out[2 * g] = out[2 * g + 1] = (Group){scale, 0};
    }
}

/* [elements / 16] */
static void groups_of(Group *out, weft_gguf_type type, const uint8_t *in)
{
    Group g = {0};
    switch (type) {
    case WEFT_GGUF_TYPE_Q4_K: case WEFT_GGUF_TYPE_Q5_K: super_groups(out, in); return;
    case WEFT_GGUF_TYPE_Q2_K: case WEFT_GGUF_TYPE_Q3_K: case WEFT_GGUF_TYPE_Q6_K:
        small_super_groups(out, type, in);
        return;
    case WEFT_GGUF_TYPE_IQ4_XS: case WEFT_GGUF_TYPE_IQ2_XXS: i_groups(out, type, in); return;
    case WEFT_GGUF_TYPE_Q4_1: case WEFT_GGUF_TYPE_Q5_1:
        g = (Group){load_half(in), load_half(in + 2)};
        break;
    case WEFT_GGUF_TYPE_MXFP4:
        g.scale = float_of_bits(in[0] < 2 ? 0x00200000u << in[0] : (uint32_t)(in[0] - 1) << 23);
        break;
    default: g.scale = load_half(in); break;
    }
    out[0] = out[1] = g;
}

/* No scale or minimum of a block is larger: found from the numbers that all of them share. */
static float block_bound(weft_gguf_type type, const uint8_t *in)
{
    Group g[2];
    switch (type) {
    case WEFT_GGUF_TYPE_Q2_K:
        return 15 * fmaxf(fabsf(load_half(in + 80)), fabsf(load_half(in + 82)));
    case WEFT_GGUF_TYPE_Q3_K: return 32 * fabsf(load_half(in + 108));
    case WEFT_GGUF_TYPE_Q6_K: return 128 * fabsf(load_half(in + 208));
    case WEFT_GGUF_TYPE_IQ4_XS: return 32 * fabsf(load_half(in));
    case WEFT_GGUF_TYPE_IQ2_XXS: return 4 * fabsf(load_half(in));
    case WEFT_GGUF_TYPE_MXFP4:
        groups_of(g, type, in);
        return g[0].scale;
    default: return 0;
    }
}

/* Their f16 numbers are taken as they are. */
static bool has_plain_scales(weft_gguf_type type)
{
    return type == WEFT_GGUF_TYPE_Q4_0 || type == WEFT_GGUF_TYPE_Q4_1 ||
           type == WEFT_GGUF_TYPE_Q5_0 || type == WEFT_GGUF_TYPE_Q5_1 ||
           type == WEFT_GGUF_TYPE_Q8_0 || type == WEFT_GGUF_TYPE_Q4_K ||
           type == WEFT_GGUF_TYPE_Q5_K || type == WEFT_GGUF_TYPE_IQ4_NL;
}

float repack_unit(weft_gguf_type type, const void *data, uint64_t rows, uint32_t k)
{
    uint32_t elements = weft_gguf_type_elements(type), bytes = weft_gguf_type_bytes(type);
    uint64_t blocks = rows * (k / elements);
    float    most = 0;
    if (repack_format(type) < FORMAT_QUANTISED || has_plain_scales(type))
        return 1;
    for (uint64_t i = 0; i < blocks; i++)
        most = fmaxf(most, block_bound(type, (const uint8_t *)data + i * bytes));
    if (!(most > 0) || !isfinite(most))
        return 1;
    int exponent;
    frexpf(most, &exponent);            /* most < 2^exponent */
    return ldexpf(1, 15 - exponent);
}

/* ---- small numbers: 32 of them, from element e of a block on ---- */

static void halves_codes(uint8_t *q, const uint8_t *in)
{
    for (int j = 0; j < 16; j++) {
        q[j] = in[j] & 15;
        q[16 + j] = in[j] >> 4;
    }
}

static void q4_k_codes(uint8_t *q, const uint8_t *in, uint32_t e)
{
    const uint8_t *from = in + 16 + e / 64 * 32;
    int shift = e % 64 ? 4 : 0;
    for (int j = 0; j < 32; j++)
        q[j] = from[j] >> shift & 15;
}

static void q6_k_codes(uint8_t *q, const uint8_t *in, uint32_t e)
{
    uint32_t half = e / 128, r = e % 128 / 32;
    const uint8_t *low = in + 64 * half + 32 * (r % 2), *high = in + 128 + 32 * half;
    int shift = r / 2 ? 4 : 0, top = (int)(2 * r);
    for (int j = 0; j < 32; j++)
        q[j] = (uint8_t)((low[j] >> shift & 15) | (high[j] >> top & 3) << 4);
}

/* From the values: (value - minimum) / scale is a whole number. */
static void value_codes(uint8_t *q, const float *v, const Group g[2], uint32_t offset)
{
    for (int i = 0; i < 2; i++) {
        float inverse = g[i].scale != 0 ? 1 / g[i].scale : 0;
        for (int j = 0; j < 16; j++) {
            /* added to 1.5 * 2^23 a number below 2^22 is in the low bits */
            float    shifted = (v[16 * i + j] - g[i].least) * inverse + (float)offset + 12582912.0f;
            uint32_t bits;
            memcpy(&bits, &shifted, sizeof bits);
            q[16 * i + j] = (uint8_t)bits;
        }
    }
}

/* ---- words ---- */

/* Nearest even; what is too large becomes the largest number. */
static uint16_t to_half(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest >= 0x477ff000)
        return (uint16_t)(sign | 0x7bff);
    if (rest < 0x38800000) {            /* below the smallest normal number */
        float whole = rintf(fabsf(f) * 0x1p24f);
        return (uint16_t)(sign | (uint32_t)whole);
    }
    uint32_t rounded = rest + 0xfff + (rest >> 13 & 1);
    return (uint16_t)(sign | ((rounded - (112u << 23)) >> 13));
}

static uint32_t half_pair(float low, float high)
{
    return to_half(low) | (uint32_t)to_half(high) << 16;
}

/* Block b of a row; `lane` is the row. */
static void put_codes(const RepackJob *job, const Format *f, uint32_t lane, uint32_t b,
                      const uint8_t *q)
{
    uint32_t *to = job->weights + (uint64_t)b * f->words * 16 + lane;
    uint32_t planes = f->words - 4, plane[2] = {0};
    if (f->words == 8) {
        for (int i = 0; i < 4; i++) {
            to[32 * i] = load_u32(q + 4 * i);
            to[32 * i + 16] = load_u32(q + 16 + 4 * i);
        }
        return;
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t low = load_u32(q + 4 * i), high = load_u32(q + 16 + 4 * i);
        to[(planes + i) * 16] = (low & 0x0f0f0f0f) | (high & 0x0f0f0f0f) << 4;
        if (planes == 1)
            plane[0] |= (low >> 4 & 0x01010101) << i | (high >> 4 & 0x01010101) << (4 + i);
        if (planes == 2) {
            plane[0] |= (low >> 4 & 0x03030303) << 2 * i;
            plane[1] |= (high >> 4 & 0x03030303) << 2 * i;
        }
    }
    for (uint32_t i = 0; i < planes; i++)
        to[i * 16] = plane[i];
}

/* Half a word: words start as zero. */
static void put_half_word(uint32_t *words, uint32_t b, uint32_t lane, uint32_t value)
{
    uint32_t *word = &words[b / 2 * 16 + lane];
    *word = b % 2 ? (*word & 0xffff) | value << 16 : value & 0xffff;
}

static void put_scales(const RepackJob *job, const Format *f, uint32_t lane, uint32_t b,
                       const Group g[2])
{
    float u = job->unit;
    switch (f->scales) {
    case SCALES_S32: put_half_word(job->scales, b, lane, to_half(g[0].scale * u)); break;
    case SCALES_M32:
        job->scales[b * 16 + lane] = half_pair(g[0].scale * u, g[0].least * u);
        break;
    case SCALES_M16:
        job->least[b * 16 + lane] = half_pair(g[0].least * u, g[1].least * u);
        job->scales[b * 16 + lane] = half_pair(g[0].scale * u, g[1].scale * u);
        break;
    default: job->scales[b * 16 + lane] = half_pair(g[0].scale * u, g[1].scale * u); break;
    }
}

/* The scales of a super-block of Q4_K or Q5_K stay small numbers. */
static void put_super(const RepackJob *job, uint32_t lane, uint32_t b, const uint8_t *in)
{
    job->least[b / 8 * 16 + lane] = half_pair(load_half(in) * job->unit,
                                              -load_half(in + 2) * job->unit);
    for (uint32_t g = 0; g < 8; g++) {
        int scale, least;
        small_scales(&scale, &least, in + 4, g);
        put_half_word(job->scales, b + g, lane, (uint32_t)(scale | least << 8));
    }
}

/* ---- rows ---- */

static void block_codes(uint8_t *q, const RepackJob *job, const Format *f, const uint8_t *in,
                        uint32_t e, const float *values, const Group *g)
{
    switch (job->type) {
    case WEFT_GGUF_TYPE_Q4_0: halves_codes(q, in + 2); break;
    case WEFT_GGUF_TYPE_Q4_1: halves_codes(q, in + 4); break;
    case WEFT_GGUF_TYPE_Q8_0: memcpy(q, in + 2, 32); break;
    case WEFT_GGUF_TYPE_Q4_K: q4_k_codes(q, in, e); break;
    case WEFT_GGUF_TYPE_Q6_K: q6_k_codes(q, in, e); break;
    default: value_codes(q, values + e, g + e / 16, f->offset); break;
    }
}

static bool needs_values(weft_gguf_type type)
{
    return type != WEFT_GGUF_TYPE_Q4_0 && type != WEFT_GGUF_TYPE_Q4_1 &&
           type != WEFT_GGUF_TYPE_Q8_0 && type != WEFT_GGUF_TYPE_Q4_K &&
           type != WEFT_GGUF_TYPE_Q6_K;
}

static void quantised_row(const RepackJob *job, uint32_t lane)
{
    const Format *f = format_get(job->format);
    uint32_t elements = weft_gguf_type_elements(job->type);
    uint32_t bytes = weft_gguf_type_bytes(job->type);
    const uint8_t *in = job->rows[lane];
    for (uint32_t at = 0; at < job->k; at += elements, in += bytes) {
        Group g[16];
        float values[256];
        if (f->scales == SCALES_K)
            put_super(job, lane, at / 32, in);
        if (f->scales != SCALES_K || needs_values(job->type))
            groups_of(g, job->type, in);
        if (needs_values(job->type))
            weft_gguf_dequantize(values, in, job->type, elements);
        for (uint32_t e = 0; e < elements; e += 32) {
            uint8_t q[32];
            block_codes(q, job, f, in, e, values, g);
            put_codes(job, f, lane, (at + e) / 32, q);
            if (f->scales != SCALES_K)
                put_scales(job, f, lane, (at + e) / 32, g + e / 16);
        }
    }
}

/* ---- IQ2_XXS by whole words: the other way takes most of the time to load ---- */

typedef struct Iq2Tables {
    uint64_t plus[256], minus[256];     /* eight codes for each point of the grid  */
    uint64_t signs[128];                /* eight masks for seven signs and their parity */
} Iq2Tables;

/* The code of 43 + a magnitude, and of 43 - it. */
static uint64_t iq2_code(uint32_t q)
{
    return q / 17 | q % 17 << 3;
}

static void iq2_tables(Iq2Tables *t)
{
    static const uint8_t sizes[4] = {8, 25, 43, 0};
    for (uint32_t i = 0; i < 256; i++) {
        t->plus[i] = t->minus[i] = 0;
        for (uint32_t j = 0; j < 8; j++) {
            uint32_t size = sizes[dequant_iq2_xxs_grid[i] >> 2 * j & 3];
            t->plus[i] |= iq2_code(43 + size) << 8 * j;
            t->minus[i] |= iq2_code(43 - size) << 8 * j;
        }
    }
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t bits = i, parity = 0;
        for (uint32_t j = 0; j < 7; j++)
            parity ^= i >> j & 1;
        bits |= parity << 7;
        t->signs[i] = 0;
        for (uint32_t j = 0; j < 8; j++)
            t->signs[i] |= (uint64_t)(bits >> j & 1 ? 0xff : 0) << 8 * j;
    }
}

static void iq2_row(const RepackJob *job, const Iq2Tables *t, uint32_t lane)
{
    const uint8_t *in = job->rows[lane];
    for (uint32_t b = 0; b < job->k / 32; b++) {
        const uint8_t *block = in + (uint64_t)(b / 8) * 66, *group = block + 2 + 8 * (b % 8);
        uint32_t  word = load_u32(group + 4), *to = job->weights + (uint64_t)b * 64 + lane;
        uint64_t  q[4];
        for (uint32_t l = 0; l < 4; l++) {
            uint64_t mask = t->signs[word >> 7 * l & 127];
            q[l] = (t->plus[group[l]] & ~mask) | (t->minus[group[l]] & mask);
        }
        to[0] = (uint32_t)(q[0] | q[2] << 4);
        to[16] = (uint32_t)(q[0] >> 32 | q[2] >> 32 << 4);
        to[32] = (uint32_t)(q[1] | q[3] << 4);
        to[48] = (uint32_t)(q[1] >> 32 | q[3] >> 32 << 4);
        float scale = load_half(block) * (0.5f + (float)(word >> 28)) * 0.25f * job->unit;
        put_half_word(job->scales, b, lane, to_half(scale));
    }
}

/* ---- plain rows ---- */

static void plain_row(const RepackJob *job, uint32_t lane)
{
    uint32_t padded = repack_pad(job->format, job->k);
    const uint8_t *in = job->rows[lane];
    for (uint32_t k = 0; k < padded; k += job->format == FORMAT_F32 ? 1 : 2) {
        uint32_t word = 0;
        if (job->format == FORMAT_F32) {
            if (k < job->k)
                memcpy(&word, &job->scratch[k], sizeof word);
            job->weights[k * 16 + lane] = word;
            continue;
        }
        word = k < job->k ? load_u16(in + 2 * k) : 0;
        word |= k + 1 < job->k ? (uint32_t)load_u16(in + 2 * k + 2) << 16 : 0;
        job->weights[k / 2 * 16 + lane] = word;
    }
}

static void zero_row(const RepackJob *job, uint32_t lane)
{
    RowWords n = repack_words(job->format, job->k);
    for (uint32_t i = 0; i < n.weights; i++)
        job->weights[i * 16 + lane] = 0;
    for (uint32_t i = 0; i < n.scales; i++)
        job->scales[i * 16 + lane] = 0;
    for (uint32_t i = 0; i < n.least; i++)
        job->least[i * 16 + lane] = 0;
}

void repack_group(const RepackJob *job)
{
    bool iq2 = job->type == WEFT_GGUF_TYPE_IQ2_XXS;
    Iq2Tables tables;
    if (iq2)
        iq2_tables(&tables);
    for (uint32_t lane = 0; lane < 16; lane++) {
        if (!job->rows[lane]) {
            zero_row(job, lane);
        } else if (iq2) {
            iq2_row(job, &tables, lane);
        } else if (job->format >= FORMAT_QUANTISED) {
            quantised_row(job, lane);
        } else {
            if (job->format == FORMAT_F32)
                weft_gguf_dequantize(job->scratch, job->rows[lane], job->type, job->k);
            plain_row(job, lane);
        }
    }
}
