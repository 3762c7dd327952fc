// SPDX-License-Identifier: Apache-2.0
/*
 * dequant.c - plain numbers and blocks of 32 as f32.
 *
 * in     blocks as they are in GGUF files
 * out    f32: the reference that kernels are tested against
 * knows  the layout of one block of each type
 * not    files, tensors, devices
 *
 * A block of 32 four-bit numbers has elements 0 to 15 in the low halves of its bytes
 * and 16 to 31 in the high ones.
 */
#include "model/dequant.h"

/* ---- plain numbers ---- */

void dequant_f32(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++)
        out[i] = float_of_bits(load_u32(in + 4 * i));
}

void dequant_f16(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++)
        out[i] = load_half(in + 2 * i);
}

void dequant_bf16(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++)
        out[i] = float_of_bits((uint32_t)load_u16(in + 2 * i) << 16);
}

void dequant_f64(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t bits = load_u64(in + 8 * i);
        double   value;
        memcpy(&value, &bits, sizeof value);
        out[i] = (float)value;
    }
}

void dequant_i8(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++)
        out[i] = (float)(int8_t)in[i];
}

void dequant_i16(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++)
        out[i] = (float)(int16_t)load_u16(in + 2 * i);
}

void dequant_i32(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++)
        out[i] = (float)(int32_t)load_u32(in + 4 * i);
}

void dequant_i64(float *out, const uint8_t *in, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++)
        out[i] = (float)(int64_t)load_u64(in + 8 * i);
}

/* ---- blocks of 32 ---- */

/* d: f16, 16 bytes of nibbles */
void dequant_q4_0(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 18, out += 32) {
        float d = load_half(in);
        for (int j = 0; j < 16; j++) {
            out[j] = (float)((in[2 + j] & 15) - 8) * d;
            out[j + 16] = (float)((in[2 + j] >> 4) - 8) * d;
        }
    }
}

/* d, m: f16, 16 bytes of nibbles */
void dequant_q4_1(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 20, out += 32) {
        float d = load_half(in), m = load_half(in + 2);
        for (int j = 0; j < 16; j++) {
            out[j] = (float)(in[4 + j] & 15) * d + m;
            out[j + 16] = (float)(in[4 + j] >> 4) * d + m;
        }
    }
}

/* Element j, 0 to 31, of five-bit numbers: nibbles and a word of fifth bits. */
static int five_bits(const uint8_t *nibbles, uint32_t high, int j)
{
    int low = j < 16 ? nibbles[j] & 15 : nibbles[j - 16] >> 4;
    return low | (int)(high >> j & 1) << 4;
}

/* d: f16, fifth bits, 16 bytes of nibbles */
void dequant_q5_0(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 22, out += 32) {
        float    d = load_half(in);
        uint32_t high = load_u32(in + 2);
        for (int j = 0; j < 32; j++)
            out[j] = (float)(five_bits(in + 6, high, j) - 16) * d;
    }
}

/* d, m: f16, fifth bits, 16 bytes of nibbles */
void dequant_q5_1(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 24, out += 32) {
        float    d = load_half(in), m = load_half(in + 2);
        uint32_t high = load_u32(in + 4);
        for (int j = 0; j < 32; j++)
            out[j] = (float)five_bits(in + 8, high, j) * d + m;
    }
}

/* d: f16, 32 signed bytes */
void dequant_q8_0(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 34, out += 32) {
        float d = load_half(in);
        for (int j = 0; j < 32; j++)
            out[j] = (float)(int8_t)in[2 + j] * d;
    }
}

const int8_t dequant_iq4_values[16] = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
};

/* d: f16, 16 bytes of indices */
void dequant_iq4_nl(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 18, out += 32) {
        float d = load_half(in);
        for (int j = 0; j < 16; j++) {
            out[j] = d * (float)dequant_iq4_values[in[2 + j] & 15];
            out[j + 16] = d * (float)dequant_iq4_values[in[2 + j] >> 4];
        }
    }
}

/* 2^(e - 128): half of an E8M0 scale, because the values below are doubled. */
static float half_e8m0(uint8_t e)
{
    return float_of_bits(e < 2 ? 0x00200000u << e : (uint32_t)(e - 1) << 23);
}

/* e: an exponent (E8M0), 16 bytes of E2M1 numbers */
void dequant_mxfp4(float *out, const uint8_t *in, uint64_t blocks)
{
    static const int8_t doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    for (; blocks; blocks--, in += 17, out += 32) {
        float d = half_e8m0(in[0]);
        for (int j = 0; j < 16; j++) {
            out[j] = (float)doubled[in[1 + j] & 15] * d;
            out[j + 16] = (float)doubled[in[1 + j] >> 4] * d;
        }
    }
}
