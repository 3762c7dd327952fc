// SPDX-License-Identifier: Apache-2.0
/*
 * dequant_super.c - blocks of 256 as f32: Q2_K to Q6_K, IQ4_XS, IQ2_XXS.
 *
 * in     blocks as they are in GGUF files
 * out    f32: the reference that kernels are tested against
 * knows  the layout of one block of each type
 * not    files, tensors, devices
 *
 * A block has one or two f16 scales, and a small scale for each group of 16 or 32.
 */
#include "model/dequant.h"

/* Two bits of element `e` of 256: byte e%32 of each half of 128, by quarters. */
static int two_bits(const uint8_t *q, int e)
{
    return q[e / 128 * 32 + e % 32] >> (e / 32 % 4 * 2) & 3;
}

/* scales[16]: low half scale, high half minimum; quants[64]; d, dmin: f16 */
void dequant_q2_k(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 84, out += 256) {
        float d = load_half(in + 80), min = load_half(in + 82);
        for (int g = 0; g < 16; g++) {
            float scale = d * (float)(in[g] & 15), low = min * (float)(in[g] >> 4);
            for (int e = 16 * g; e < 16 * g + 16; e++)
                out[e] = scale * (float)two_bits(in + 16, e) - low;
        }
    }
}

/* Scale of group g, 0 to 15: four low bits in bytes 0 to 7, two high ones in 8 to 11. */
static int six_bit_scale(const uint8_t *s, int g)
{
    int low = g < 8 ? s[g] & 15 : s[g - 8] >> 4;
    return low | (s[8 + g % 4] >> (g / 4 * 2) & 3) << 4;
}

/* high bits[32], quants[64], scales[12], d: f16 */
void dequant_q3_k(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 110, out += 256) {
        float d = load_half(in + 108);
        for (int g = 0; g < 16; g++) {
            float scale = d * (float)(six_bit_scale(in + 96, g) - 32);
            for (int e = 16 * g; e < 16 * g + 16; e++) {
                int high = in[e % 32] >> (e / 32) & 1;
                out[e] = scale * (float)(two_bits(in + 32, e) - (high ? 0 : 4));
            }
        }
    }
}

/* Scale and minimum of group g, 0 to 7, six bits each, in twelve bytes. */
static void scale_and_min(int *scale, int *min, const uint8_t *s, int g)
{
    if (g < 4) {
        *scale = s[g] & 63;
        *min = s[g + 4] & 63;
    } else {
        *scale = (s[g + 4] & 15) | (s[g - 4] >> 6) << 4;
        *min = (s[g + 4] >> 4) | (s[g] >> 6) << 4;
    }
}

/* Groups of 32: group g has the low or high halves of 32 bytes, g even or odd, and
 * bit g of `high`[32] as fifth bit; high NULL: four bits only. */
static void k_groups(float *out, const uint8_t *in, const uint8_t *high, const uint8_t *quants)
{
    float d = load_half(in), dmin = load_half(in + 2);
    for (int g = 0; g < 8; g++) {
        int s, m;
        scale_and_min(&s, &m, in + 4, g);
        float scale = d * (float)s, min = dmin * (float)m;
        for (int l = 0; l < 32; l++) {
            int q = quants[g / 2 * 32 + l] >> (g % 2 * 4) & 15;
            if (high)
                q |= (high[l] >> g & 1) << 4;
            out[32 * g + l] = scale * (float)q - min;
        }
    }
}

/* d, dmin: f16, scales[12], quants[128] */
void dequant_q4_k(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 144, out += 256)
        k_groups(out, in, NULL, in + 16);
}

/* d, dmin: f16, scales[12], high bits[32], quants[128] */
void dequant_q5_k(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 176, out += 256)
        k_groups(out, in, in + 16, in + 48);
}

/* low four bits[128], high two bits[64], scales[16]: i8, d: f16 */
void dequant_q6_k(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 210, out += 256) {
        float d = load_half(in + 208);
        for (int e = 0; e < 256; e++) {
            int half = e / 128, part = e / 32 % 4;
            int low = in[half * 64 + e % 64] >> (part / 2 * 4) & 15;
            int high = in[128 + half * 32 + e % 32] >> (part * 2) & 3;
            out[e] = d * (float)(int8_t)in[192 + e / 16] * (float)((low | high << 4) - 32);
        }
    }
}

/* d: f16, high bits of scales: u16, low bits of scales[4], indices[128] */
void dequant_iq4_xs(float *out, const uint8_t *in, uint64_t blocks)
{
    for (; blocks; blocks--, in += 136, out += 256) {
        float    d = load_half(in);
        uint32_t high = load_u16(in + 2);
        for (int g = 0; g < 8; g++) {
            int   s = (in[4 + g / 2] >> (g % 2 * 4) & 15) | (int)(high >> (2 * g) & 3) << 4;
            float scale = d * (float)(s - 32);
            for (int j = 0; j < 16; j++) {
                uint8_t q = in[8 + 16 * g + j];
                out[32 * g + j] = scale * (float)dequant_iq4_values[q & 15];
                out[32 * g + j + 16] = scale * (float)dequant_iq4_values[q >> 4];
            }
        }
    }
}

/* A constant of the format. */
const uint16_t dequant_iq2_xxs_grid[256] = {
    0x0000, 0x0002, 0x0005, 0x0008, 0x000a, 0x0011, 0x0014, 0x0020, 0x0022, 0x0028, 0x002a, 0x0041,
    0x0044, 0x0050, 0x0058, 0x0061, 0x0064, 0x0080, 0x0082, 0x008a, 0x00a2, 0x0101, 0x0104, 0x0110,
    0x0115, 0x0140, 0x0184, 0x0198, 0x0200, 0x0202, 0x0222, 0x0282, 0x0401, 0x0404, 0x0410, 0x0421,
    0x0424, 0x0440, 0x0442, 0x0448, 0x0460, 0x0481, 0x0484, 0x0490, 0x04a4, 0x0500, 0x0502, 0x0508,
    0x0520, 0x0546, 0x0569, 0x0580, 0x0591, 0x0609, 0x0610, 0x0640, 0x0684, 0x06a4, 0x0800, 0x0805,
    0x0808, 0x0814, 0x0828, 0x0841, 0x0844, 0x0850, 0x0852, 0x0888, 0x0904, 0x0940, 0x0a02, 0x0a14,
    0x1001, 0x1004, 0x1010, 0x1021, 0x1040, 0x1060, 0x1084, 0x1090, 0x1095, 0x1100, 0x1108, 0x1120,
    0x1150, 0x115a, 0x1180, 0x1224, 0x1245, 0x1400, 0x1408, 0x1420, 0x1425, 0x1449, 0x1480, 0x1518,
    0x1562, 0x1600, 0x1616, 0x1801, 0x1804, 0x1810, 0x1840, 0x1881, 0x1900, 0x1905, 0x19a0, 0x1a51,
    0x2000, 0x2002, 0x200a, 0x2044, 0x2061, 0x2080, 0x2082, 0x2129, 0x2148, 0x2200, 0x2202, 0x2401,
    0x2404, 0x2410, 0x2440, 0x2456, 0x2500, 0x2541, 0x2564, 0x2690, 0x2808, 0x2820, 0x2894, 0x2a44,
    0x4001, 0x4004, 0x4010, 0x4018, 0x4021, 0x4024, 0x4040, 0x4048, 0x4056, 0x4060, 0x4081, 0x4084,
    0x4090, 0x4100, 0x4120, 0x4161, 0x4180, 0x4185, 0x4201, 0x4210, 0x4248, 0x4256, 0x4268, 0x4400,
    0x4408, 0x4420, 0x4480, 0x4499, 0x4512, 0x4524, 0x4600, 0x4801, 0x4804, 0x4810, 0x4840, 0x4845,
    0x4900, 0x4958, 0x4961, 0x4982, 0x4a45, 0x4a90, 0x5000, 0x5008, 0x5011, 0x5019, 0x5020, 0x5080,
    0x5088, 0x5104, 0x5142, 0x51a4, 0x5291, 0x5490, 0x5492, 0x550a, 0x5601, 0x5654, 0x5800, 0x5811,
    0x5819, 0x5864, 0x5940, 0x5a08, 0x6004, 0x6010, 0x6040, 0x6068, 0x6100, 0x6155, 0x6218, 0x6260,
    0x6400, 0x6405, 0x6510, 0x6512, 0x6584, 0x6842, 0x8000, 0x8002, 0x800a, 0x8041, 0x8082, 0x8104,
    0x8118, 0x8140, 0x8211, 0x8401, 0x8404, 0x8410, 0x8415, 0x8440, 0x8460, 0x8500, 0x8546, 0x8594,
    0x8609, 0x8640, 0x8660, 0x8802, 0x8904, 0x8a11, 0x9004, 0x9010, 0x9024, 0x9040, 0x90a1, 0x9116,
    0x9180, 0x9245, 0x9400, 0x9422, 0x9444, 0x9551, 0x9881, 0x9920, 0xa002, 0xa050, 0xa085, 0xa109,
    0xa200, 0xa418, 0xa850, 0xa904,
};

static uint32_t parity(uint32_t bits)
{
    bits ^= bits >> 4;
    return (bits ^ bits >> 2 ^ bits >> 1 ^ bits >> 3) & 1;
}

/* d: f16; for each 32: four bytes of grid indices, four times seven signs, the eighth of
 * which makes their number even, and a scale of four bits */
void dequant_iq2_xxs(float *out, const uint8_t *in, uint64_t blocks)
{
    static const float magnitude[4] = {8, 25, 43, 0};
    for (; blocks; blocks--, in += 66) {
        float d = load_half(in);
        for (int g = 0; g < 8; g++) {
            const uint8_t *group = in + 2 + 8 * g;
            uint32_t       word = load_u32(group + 4);
            float          scale = d * (0.5f + (float)(word >> 28)) * 0.25f;
            for (int l = 0; l < 4; l++, out += 8) {
                uint32_t signs = word >> (7 * l) & 127;
                signs |= parity(signs) << 7;
                for (int j = 0; j < 8; j++) {
                    float value = scale * magnitude[dequant_iq2_xxs_grid[group[l]] >> (2 * j) & 3];
                    out[j] = signs >> j & 1 ? -value : value;
                }
            }
        }
    }
}
