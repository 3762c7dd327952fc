// SPDX-License-Identifier: Apache-2.0
/*
 * dequant.h - numbers of GGUF blocks as f32, one function a type.
 *
 * A reader turns `blocks` blocks at `in`, of any alignment, little-endian, into
 * out[blocks * elements of a block].
 */
#ifndef WEFT_MODEL_DEQUANT_H
#define WEFT_MODEL_DEQUANT_H

#include <stdint.h>
#include <string.h>

typedef void (*DequantReader)(float *out, const uint8_t *in, uint64_t blocks);

void dequant_f32(float *out, const uint8_t *in, uint64_t blocks);
void dequant_f16(float *out, const uint8_t *in, uint64_t blocks);
void dequant_bf16(float *out, const uint8_t *in, uint64_t blocks);
void dequant_f64(float *out, const uint8_t *in, uint64_t blocks);
void dequant_i8(float *out, const uint8_t *in, uint64_t blocks);
void dequant_i16(float *out, const uint8_t *in, uint64_t blocks);
void dequant_i32(float *out, const uint8_t *in, uint64_t blocks);
void dequant_i64(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q4_0(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q4_1(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q5_0(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q5_1(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q8_0(float *out, const uint8_t *in, uint64_t blocks);
void dequant_mxfp4(float *out, const uint8_t *in, uint64_t blocks);
void dequant_iq4_nl(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q2_k(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q3_k(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q4_k(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q5_k(float *out, const uint8_t *in, uint64_t blocks);
void dequant_q6_k(float *out, const uint8_t *in, uint64_t blocks);
void dequant_iq2_xxs(float *out, const uint8_t *in, uint64_t blocks);
void dequant_iq4_xs(float *out, const uint8_t *in, uint64_t blocks);

/* The sixteen values that IQ4_NL and IQ4_XS index. */
extern const int8_t dequant_iq4_values[16];
/* The points of the grid of IQ2_XXS: eight magnitudes, two bits each (0: 8, 1: 25, 2: 43), the
 * first lowest. */
extern const uint16_t dequant_iq2_xxs_grid[256];

static inline uint16_t load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load_u64(const uint8_t *p)
{
    return load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

static inline float float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Exact for every value; a NaN keeps its payload. */
static inline float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00)
        return float_of_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x400)
        return float_of_bits(sign | ((rest << 13) + (112u << 23)));
    float small = (float)rest * 0x1p-24f;
    return sign ? -small : small;
}

static inline float load_half(const uint8_t *p)
{
    return half_to_float(load_u16(p));
}

#endif
