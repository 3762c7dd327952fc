// SPDX-License-Identifier: Apache-2.0
/*
 * elementwise_helpers.c - WGSL functions that elementwise expressions and loads call.
 *
 * in     the text of a kernel's body
 * out    the functions it needs, before it
 * not    which operators exist
 *
 * WGSL lets compilers assume that there are no NaNs and infinities: they are told apart by
 * their bits, and made at run time (writer_specials()).
 */
#include <string.h>

#include "tensor/elementwise_priv.h"

typedef struct Helper {
    const char *name;               /* without the type                                     */
    const char *text;               /* $T the type                                          */
} Helper;

/* A function may call others: those stand above it. */
static const Helper helpers[] = {
    {"is_nan_f32", "fn is_nan_f32(x : f32) -> bool {\n"
                   "  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;\n}"},
    {"is_inf_f32", "fn is_inf_f32(x : f32) -> bool {\n"
                   "  return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;\n}"},
    {"is_finite_f32", "fn is_finite_f32(x : f32) -> bool {\n"
                      "  return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;\n}"},
    {"is_nan_f64", "fn is_nan_f64(x : f64) -> bool {\n  return x != x;\n}"},
    {"is_inf_f64", "fn is_inf_f64(x : f64) -> bool {\n  return x == x && x - x != x - x;\n}"},
    {"is_finite_f64", "fn is_finite_f64(x : f64) -> bool {\n  return x - x == 0.0;\n}"},
    {"sign_$T", "fn sign_$T(x : $T) -> $T {\n"
                "  return select(sign(x), x, is_nan_$T(x));\n}"},
    {"max_$T", "fn max_$T(a : $T, b : $T) -> $T {\n"
               "  return select(b, a, a > b || is_nan_$T(a));\n}"},
    {"min_$T", "fn min_$T(a : $T, b : $T) -> $T {\n"
               "  return select(b, a, a < b || is_nan_$T(a));\n}"},
    {"clip_$T", "fn clip_$T(x : $T, low : $T, high : $T) -> $T {\n"
                "  let above = select(x, low, x < low);\n"
                "  return select(above, high, above > high);\n}"},
    {"expm1_$T", "// e^x - 1: the quotient cancels the rounding error of exp() near 0\n"
                 "fn expm1_$T(x : $T) -> $T {\n"
                 "  let u = exp(x);\n"
                 "  let d = u - 1.0;\n"
                 "  if u == 1.0 { return x; }\n"
                 "  if x > 80.0 || x < -20.0 || is_nan_$T(x) { return d; }\n"
                 "  return d * x / log(u);\n}"},
    {"log1p_$T", "// log(1 + x), by the same cancellation\n"
                 "fn log1p_$T(x : $T) -> $T {\n"
                 "  let u = 1.0 + x;\n"
                 "  if u == 1.0 { return x; }\n"
                 "  if x > 1e20 || is_nan_$T(x) { return log(x); }\n"
                 "  return log(u) * x / (u - 1.0);\n}"},
    {"tanh_$T", "fn tanh_$T(x : $T) -> $T {\n"
                "  return tanh(clip_$T(x, -20.0, 20.0));\n}"},
    {"sinh_$T", "// small arguments through expm1, where e^x - e^-x cancels\n"
                "fn sinh_$T(x : $T) -> $T {\n"
                "  if abs(x) > 1.0 { return sinh(x); }\n"
                "  let e = expm1_$T(x);\n"
                "  return 0.5 * (e + e / (e + 1.0));\n}"},
    {"asinh_$T", "fn asinh_$T(x : $T) -> $T {\n"
                 "  let a = abs(x);\n"
                 "  let y = select(log1p_$T(a + a * a / (1.0 + sqrt(a * a + 1.0))),\n"
                 "                 log(a) + 0.69314718055994531, a > 1e9);\n"
                 "  return select(y, -y, x < 0.0);\n}"},
    {"acosh_$T", "fn acosh_$T(x : $T) -> $T {\n"
                 "  if x > 1e9 { return log(x) + 0.69314718055994531; }\n"
                 "  let y = x - 1.0;\n"
                 "  return log1p_$T(y + sqrt(y * y + 2.0 * y));\n}"},
    {"atanh_$T", "fn atanh_$T(x : $T) -> $T {\n"
                 "  let a = abs(x);\n"
                 "  let y = 0.5 * log1p_$T(2.0 * a / (1.0 - a));\n"
                 "  return select(y, -y, x < 0.0);\n}"},
    {"softplus_$T", "fn softplus_$T(x : $T) -> $T {\n"
                    "  return select(x, 0.0, x < 0.0) + log1p_$T(exp(-abs(x)));\n}"},
    {"erf_f32", "// the error function: x P(x^2) / Q(x^2), absolute error below 4e-7\n"
                "fn erf_f32(v : f32) -> f32 {\n"
                "  let x = clip_f32(v, -3.92, 3.92);\n"
                "  let t = x * x;\n"
                "  var p = fma(t, 2.05007927e-06, 0.000284883659);\n"
                "  p = fma(t, p, 0.00376566057);\n"
                "  p = fma(t, p, 0.0527488589);\n"
                "  p = fma(t, p, 0.190407485);\n"
                "  p = fma(t, p, 1.12837911);\n"
                "  var q = fma(t, 3.8091679e-05, 0.00116254599);\n"
                "  q = fma(t, q, 0.0149693051);\n"
                "  q = fma(t, q, 0.114109538);\n"
                "  q = fma(t, q, 0.502076983);\n"
                "  q = fma(t, q, 1.0);\n"
                "  return clip_f32(x * p / q, -1.0, 1.0);\n}"},
    {"erf_f64", "// Kummer's series below 2, the continued fraction of erfc above\n"
                "fn erf_f64(v : f64) -> f64 {\n"
                "  let x = clip_f64(v, -6.0, 6.0);\n"
                "  let t = x * x;\n"
                "  let e = 1.1283791670955126 * exp(-t);\n"
                "  if abs(x) < 2.0 {\n"
                "    var sum : f64 = 1.0;\n"
                "    for (var k : f64 = 81.0; k > 2.0; k -= 2.0) {\n"
                "      sum = 1.0 + sum * (2.0 * t / k);\n"
                "    }\n"
                "    return x * e * sum;\n"
                "  }\n"
                "  let a = abs(x);\n"
                "  var tail = a;\n"
                "  for (var k : f64 = 30.0; k > 0.0; k -= 0.5) {\n"
                "    tail = a + k / tail;\n"
                "  }\n"
                "  let y = 1.0 - 0.5 * e / tail;\n"
                "  return select(y, -y, x < 0.0);\n}"},
    {"floor_div_i32", "fn floor_div_i32(a : i32, b : i32) -> i32 {\n"
                      "  let q = a / b;\n"
                      "  return select(q, q - 1, q * b != a && (a < 0) != (b < 0));\n}"},
    {"remainder_i32", "fn remainder_i32(a : i32, b : i32) -> i32 {\n"
                      "  let r = a % b;\n"
                      "  return select(r, r + b, r != 0 && (r < 0) != (b < 0));\n}"},
    {"fmod_$T", "fn fmod_$T(a : $T, b : $T) -> $T {\n"
                "  return select(a % b, a, is_inf_$T(b) && is_finite_$T(a));\n}"},
    {"remainder_$T", "fn remainder_$T(a : $T, b : $T) -> $T {\n"
                     "  let r = fmod_$T(a, b);\n"
                     "  return select(r, r + b, r != 0.0 && (r < 0.0) != (b < 0.0));\n}"},
    {"pow_$T", "// defined for negative bases with integral exponents\n"
               "fn pow_$T(a : $T, b : $T) -> $T {\n"
               "  if b == 0.0 || a == 1.0 { return 1.0; }\n"
               "  if b == 2.0 { return a * a; }\n"
               "  if is_nan_$T(a) { return a; }\n"
               "  let r = pow(abs(a), b);\n"
               "  if a >= 0.0 { return r; }\n"
               "  let odd = fract(0.5 * b) != 0.0;\n"
               "  if floor(b) == b { return select(r, -r, odd); }\n"
               "  return select(log(a), r, is_inf_$T(a));\n}"},
    {"pow_i32", "fn pow_i32(a : i32, b : i32) -> i32 {\n"
                "  if b < 0 {\n"
                "    return select(select(0, select(1, -1, (b & 1) != 0), a == -1), 1, a == 1);\n"
                "  }\n"
                "  var r = 1;\n"
                "  var x = a;\n"
                "  for (var n = b; n > 0; n >>= 1u) {\n"
                "    if (n & 1) != 0 { r *= x; }\n"
                "    x *= x;\n"
                "  }\n"
                "  return r;\n}"},
    {"pow_u32", "fn pow_u32(a : u32, b : u32) -> u32 {\n"
                "  var r = 1u;\n"
                "  var x = a;\n"
                "  for (var n = b; n > 0u; n >>= 1u) {\n"
                "    if (n & 1u) != 0u { r *= x; }\n"
                "    x *= x;\n"
                "  }\n"
                "  return r;\n}"},
    {"hypot_$T", "fn hypot_$T(a : $T, b : $T) -> $T {\n"
                 "  let high = max(abs(a), abs(b));\n"
                 "  let low = min(abs(a), abs(b));\n"
                 "  if high == 0.0 || is_inf_$T(high) { return high; }\n"
                 "  let r = low / high;\n"
                 "  return high * sqrt(1.0 + r * r) + (a - a) + (b - b);\n}"},
    {"copysign_f32", "fn copysign_f32(a : f32, b : f32) -> f32 {\n"
                     "  return bitcast<f32>((bitcast<u32>(a) & 0x7fffffffu)"
                     " | (bitcast<u32>(b) & 0x80000000u));\n}"},
    {"copysign_f64", "fn copysign_f64(a : f64, b : f64) -> f64 {\n"
                     "  return select(abs(a), -abs(a), b < 0.0 || 1.0 / b < 0.0);\n}"},
    {"i32_of_f32", "// truncates and clamps; NaN gives 0\n"
                   "fn i32_of_f32(x : f32) -> i32 {\n"
                   "  return select(i32(clamp(x, -2147483648.0, 2147483520.0)), 0,"
                   " is_nan_f32(x));\n}"},
    {"u32_of_f32", "// truncates and clamps; NaN gives 0\n"
                   "fn u32_of_f32(x : f32) -> u32 {\n"
                   "  return select(u32(clamp(x, 0.0, 4294967040.0)), 0u, is_nan_f32(x));\n}"},
    {"round_f16", "// to the nearest f16\n"
                  "fn round_f16(x : f32) -> f32 {\n"
                  "  return unpack2x16float(pack2x16float(vec2f(x, 0.0))).x;\n}"},
    {"bits_bf16", "// the nearest bf16, halves to even, as the upper half of an f32\n"
                  "fn bits_bf16(x : f32) -> u32 {\n"
                  "  let b = bitcast<u32>(x);\n"
                  "  if is_nan_f32(x) { return (b >> 16u) | 0x40u; }\n"
                  "  return (b + 0x7fffu + ((b >> 16u) & 1u)) >> 16u;\n}"},
    {"round_bf16", "fn round_bf16(x : f32) -> f32 {\n"
                   "  return bitcast<f32>(bits_bf16(x) << 16u);\n}"},
    {"half_at", "// f16 number i of a buffer, from the word that holds it\n"
                "fn half_at(word : u32, i : u32) -> f32 {\n"
                "  return unpack2x16float(word >> ((i & 1u) << 4u)).x;\n}"},
    {"bf16_at", "fn bf16_at(word : u32, i : u32) -> f32 {\n"
                "  return bitcast<f32>((word >> ((i & 1u) << 4u)) << 16u);\n}"},
    {"u8_at", "fn u8_at(word : u32, i : u32) -> u32 {\n"
              "  return (word >> ((i & 3u) << 3u)) & 0xffu;\n}"},
    {"i8_at", "fn i8_at(word : u32, i : u32) -> i32 {\n"
              "  return bitcast<i32>(word << (24u - ((i & 3u) << 3u))) >> 24u;\n}"},
    {"mul_wide", "// low and high half of a * b\n"
                 "fn mul_wide(a : u32, b : u32) -> vec2u {\n"
                 "  let al = a & 0xffffu;\n"
                 "  let ah = a >> 16u;\n"
                 "  let bl = b & 0xffffu;\n"
                 "  let bh = b >> 16u;\n"
                 "  let low = al * bl;\n"
                 "  let mid = ah * bl + (low >> 16u);\n"
                 "  let cross = al * bh + (mid & 0xffffu);\n"
                 "  return vec2u(a * b, ah * bh + (mid >> 16u) + (cross >> 16u));\n}"},
    {"philox", "// Philox 4x32-10: random bits that depend on a counter and a key alone\n"
               "fn philox(counter : vec4u, start : vec2u) -> vec4u {\n"
               "  var c = counter;\n"
               "  var key = start;\n"
               "  for (var round = 0u; round < 10u; round++) {\n"
               "    let a = mul_wide(0xd2511f53u, c.x);\n"
               "    let b = mul_wide(0xcd9e8d57u, c.z);\n"
               "    c = vec4u(b.y ^ c.y ^ key.x, b.x, a.y ^ c.w ^ key.y, a.x);\n"
               "    key += vec2u(0x9e3779b9u, 0xbb67ae85u);\n"
               "  }\n"
               "  return c;\n}"},
    {"random_words", "// number i of a stream: its key, then where it starts\n"
                     "fn random_words(key_low : u32, key_high : u32, first_low : u32,\n"
                     "                first_high : u32, i : u32) -> vec4u {\n"
                     "  let low = first_low + i;\n"
                     "  let high = first_high + select(0u, 1u, low < i);\n"
                     "  return philox(vec4u(low, high, 0u, 0u), vec2u(key_low, key_high));\n}"},
    {"turn_f32", "// an angle brought near 0: a - 2 pi round(a / 2 pi), with 2 pi in three parts\n"
                 "fn turn_f32(a : f32) -> f32 {\n"
                 "  let n = floor(fma(a, 0.15915494, 0.5));\n"
                 "  return fma(n, -3.019915981956753e-07, fma(n, -0.0019350051879882812,\n"
                 "                                             fma(n, -6.28125, a)));\n}"},
    {"i4_at", "fn i4_at(word : u32, i : u32) -> f32 {\n"
              "  return f32(bitcast<i32>(word << (28u - ((i & 7u) << 2u))) >> 28u);\n}"},
    {"u4_at", "fn u4_at(word : u32, i : u32) -> f32 {\n"
              "  return f32((word >> ((i & 7u) << 2u)) & 15u);\n}"},
    {"i32_of_i64", "// saturates\n"
                   "fn i32_of_i64(v : vec2u) -> i32 {\n"
                   "  let low = bitcast<i32>(v.x);\n"
                   "  let high = bitcast<i32>(v.y);\n"
                   "  if high == (low >> 31u) { return low; }\n"
                   "  return select(2147483647, -2147483647 - 1, high < 0);\n}"},
    {"i64_of_i32", "fn i64_of_i32(v : i32) -> vec2u {\n"
                   "  return vec2u(bitcast<u32>(v), bitcast<u32>(v >> 31u));\n}"},
};

/* `text` with each $T replaced. */
static const char *with_type(Arena *arena, const char *text, const char *type)
{
    Text out = {.arena = arena};
    for (const char *p = text; *p; p++) {
        if (p[0] == '$' && p[1] == 'T') {
            text_printf(&out, "%s", type);
            p++;
        } else {
            text_char(&out, *p);
        }
    }
    text_char(&out, '\0');
    return out.data;
}

static bool calls(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += n) {
        bool starts = at == text || !strchr("abcdefghijklmnopqrstuvwxyz0123456789_", at[-1]);
        if (starts && at[n] == '(')
            return true;
    }
    return false;
}

void helpers_write(Writer *w, Arena *arena, const char *text)
{
    static const char *const types[] = {"f32", "f64"};
    const char *needed[COUNTOF(helpers) * 2];
    uint32_t    count = 0;
    Text        all = {.arena = arena};
    text_printf(&all, "%s", text);
    /* From the last on, since functions call only those above them. */
    for (size_t t = 0; t < COUNTOF(types); t++)
        for (size_t i = COUNTOF(helpers); i-- > 0;) {
            bool typed = strstr(helpers[i].name, "$T") != NULL;
            if (!typed && t == 0 && strstr(helpers[i].name, "f64"))
                continue;
            if (!typed && t == 1 && !strstr(helpers[i].name, "f64"))
                continue;
            if (!calls(all.data, with_type(arena, helpers[i].name, types[t])))
                continue;
            needed[count] = with_type(arena, helpers[i].text, types[t]);
            text_printf(&all, "\n%s", needed[count++]);
        }
    while (count-- > 0) {
        writer_line(w, "%s", needed[count]);
        writer_blank(w);
    }
}
