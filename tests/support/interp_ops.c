/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/interp_ops.c - what each pure operation of the IR computes.
 *
 * in     one instruction and the values of its operands
 * out    its value
 * knows  ops.def; IEEE 754
 * not    memory, control flow
 */
#include <math.h>

#include "support/interp.h"

/* ---- numbers ---- */

static double half_to_double(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023;
    double x;
    if (exponent == 31)
        x = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        x = ldexp(fraction, -24);
    else
        x = ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -x : x;
}

/* To the nearest, ties to even. */
static uint32_t half_from_double(double x)
{
    uint32_t sign = signbit(x) ? 0x8000u : 0;
    double m = fabs(x);
    if (isnan(x))
        return sign | 0x7e00u;
    if (m >= 65520)
        return sign | 0x7c00u;
    int exponent = -14;                 /* of the unit in the last place: + -10 */
    if (m >= 0x1p-14)
        exponent = ilogb(m);
    uint32_t units = (uint32_t)nearbyint(ldexp(m, 10 - exponent));
    /* A unit of 1024 is the implicit bit; rounding up to 2048 carries over. */
    return sign | (units + ((uint32_t)(exponent + 14) << 10));
}

double interp_to_double(uint8_t kind, uint64_t bits)
{
    float f;
    double d;
    uint32_t word = (uint32_t)bits;
    if (kind == SCALAR_F16)
        return half_to_double(word);
    memcpy(&f, &word, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return kind == SCALAR_F64 ? d : (double)f;
}

uint64_t interp_from_double(uint8_t kind, double x)
{
    if (kind == SCALAR_F16)
        return half_from_double(x);
    if (kind == SCALAR_F64) {
        uint64_t twice;
        memcpy(&twice, &x, sizeof twice);
        return twice;
    }
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* ---- floating point ---- */

static double rsqrt(double x)       { return 1 / sqrt(x); }
static double absolute(double x)    { return fabs(x); }
static double negative(double x)    { return -x; }
static double sum(double x, double y)        { return x + y; }
static double difference(double x, double y) { return x - y; }
static double product(double x, double y)    { return x * y; }
static double quotient(double x, double y)   { return x / y; }
static double least(double x, double y)      { return y < x ? y : x; }
static double most(double x, double y)       { return x < y ? y : x; }

static double fraction_of(double x)
{
    int exponent;
    return frexp(x, &exponent);
}

static double significand_of(double x)
{
    return x / exp2(logb(x));
}

static double (*const float1[IR_OP_COUNT])(double) = {
    [IR_FNEG] = negative, [IR_FABS] = absolute, [IR_FLOOR] = floor, [IR_CEIL] = ceil,
    [IR_TRUNC] = trunc, [IR_ROUND] = nearbyint, [IR_SQRT] = sqrt, [IR_RSQRT] = rsqrt,
    [IR_EXP] = exp, [IR_EXP2] = exp2, [IR_LOG] = log, [IR_LOG2] = log2, [IR_SIN] = sin,
    [IR_COS] = cos, [IR_TAN] = tan, [IR_ASIN] = asin, [IR_ACOS] = acos,
    [IR_ATAN] = atan, [IR_SINH] = sinh, [IR_COSH] = cosh, [IR_TANH] = tanh,
    [IR_ASINH] = asinh, [IR_ACOSH] = acosh, [IR_ATANH] = atanh,
    [IR_FREXP_FRACT] = fraction_of,
    [IR_POWER] = exp2, [IR_LOGB] = logb, [IR_SIGNIFICAND] = significand_of,
};

static double (*const float2[IR_OP_COUNT])(double, double) = {
    [IR_FADD] = sum, [IR_FSUB] = difference, [IR_FMUL] = product, [IR_FDIV] = quotient,
    [IR_FREM] = fmod, [IR_FMIN] = least, [IR_FMAX] = most, [IR_POW] = pow,
    [IR_ATAN2] = atan2, [IR_COPYSIGN] = copysign,
};

static bool float_op(const Inst *inst, const InterpCell *const *args, InterpCell *out)
{
    uint8_t kind = inst->type.kind;
    if (!float1[inst->op] && !float2[inst->op])
        return false;
    for (uint32_t i = 0; i < inst->type.width; i++) {
        double x = interp_to_double(kind, interp_bits(args[0], i));
        double z = float1[inst->op]
                       ? float1[inst->op](x)
                       : float2[inst->op](x, interp_to_double(kind, interp_bits(args[1], i)));
        interp_set(out, i, interp_from_double(kind, z));
    }
    return true;
}

static uint64_t fused(uint8_t kind, uint64_t x, uint64_t y, uint64_t z)
{
    double a = interp_to_double(kind, x), b = interp_to_double(kind, y);
    double c = interp_to_double(kind, z);
    if (kind == SCALAR_F16)
        return half_from_double(fma(a, b, c));
    if (kind == SCALAR_F64)
        return interp_from_double(kind, fma(a, b, c));
    return interp_from_double(kind, (double)fmaf((float)a, (float)b, (float)c));
}

/* ---- integers ---- */

static uint32_t divide(uint32_t x, uint32_t y)      { return y ? x / y : x; }
static uint32_t remainder_of(uint32_t x, uint32_t y) { return y ? x % y : 0; }

static uint32_t divide_signed(uint32_t x, uint32_t y)
{
    if (y == 0 || (x == 0x80000000u && y == UINT32_MAX))
        return x;
    return (uint32_t)((int32_t)x / (int32_t)y);
}

static uint32_t remainder_signed(uint32_t x, uint32_t y)
{
    if (y == 0 || y == UINT32_MAX)
        return 0;
    return (uint32_t)((int32_t)x % (int32_t)y);
}

static uint32_t shift_signed(uint32_t x, uint32_t n)
{
    uint32_t down = x >> n;
    return x & 0x80000000u && n ? down | UINT32_MAX << (32 - n) : down;
}

static uint32_t count_bits(uint32_t x)
{
    uint32_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static uint32_t leading_zeros(uint32_t x)
{
    uint32_t n = 0;
    while (n < 32 && !(x << n & 0x80000000u))
        n++;
    return n;
}

static uint32_t trailing_zeros(uint32_t x)
{
    uint32_t n = 0;
    while (n < 32 && !(x >> n & 1))
        n++;
    return n;
}

static uint32_t reverse(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t dot4(uint32_t x, uint32_t y, bool is_signed)
{
    int32_t total = 0;
    for (int i = 0; i < 32; i += 8) {
        int32_t a = (int32_t)(x >> i & 255), b = (int32_t)(y >> i & 255);
        if (is_signed) {
            a = a > 127 ? a - 256 : a;
            b = b > 127 ? b - 256 : b;
        }
        total += a * b;
    }
    return (uint32_t)total;
}

static bool int_op(uint8_t op, uint32_t x, uint32_t y, uint32_t *out)
{
    int32_t s = (int32_t)x, t = (int32_t)y;
    switch (op) {
    case IR_IADD:     *out = x + y;                         return true;
    case IR_ISUB:     *out = x - y;                         return true;
    case IR_IMUL:     *out = x * y;                         return true;
    case IR_SDIV:     *out = divide_signed(x, y);           return true;
    case IR_UDIV:     *out = divide(x, y);                  return true;
    case IR_SREM:     *out = remainder_signed(x, y);        return true;
    case IR_UREM:     *out = remainder_of(x, y);            return true;
    case IR_SMIN:     *out = s < t ? x : y;                 return true;
    case IR_SMAX:     *out = s > t ? x : y;                 return true;
    case IR_UMIN:     *out = x < y ? x : y;                 return true;
    case IR_UMAX:     *out = x > y ? x : y;                 return true;
    case IR_SHL:      *out = x << (y & 31);                 return true;
    case IR_SHR:      *out = x >> (y & 31);                 return true;
    case IR_SAR:      *out = shift_signed(x, y & 31);       return true;
    case IR_CLZ:      *out = leading_zeros(x);              return true;
    case IR_CTZ:      *out = trailing_zeros(x);             return true;
    case IR_POPCOUNT: *out = count_bits(x);                 return true;
    case IR_BITREV:   *out = reverse(x);                    return true;
    case IR_DOT4I8:   *out = dot4(x, y, true);              return true;
    case IR_DOT4U8:   *out = dot4(x, y, false);             return true;
    case IR_AND:      *out = x & y;                         return true;
    case IR_OR:       *out = x | y;                         return true;
    case IR_XOR:      *out = x ^ y;                         return true;
    case IR_IEQ:      *out = x == y;                        return true;
    case IR_INE:      *out = x != y;                        return true;
    case IR_SLT:      *out = s < t;                         return true;
    case IR_SLE:      *out = s <= t;                        return true;
    case IR_ULT:      *out = x < y;                         return true;
    case IR_ULE:      *out = x <= y;                        return true;
    case IR_BITCAST:  *out = x;                             return true;
    default:                                                return false;
    }
}

/* ---- between kinds ---- */

static bool compare(uint8_t op, double x, double y)
{
    switch (op) {
    case IR_FEQ: return x == y;
    case IR_FNE: return !(x == y);
    case IR_FLT: return x < y;
    default:     return x <= y;
    }
}

static uint32_t saturate(double x, double low, double high)
{
    if (isnan(x))
        return 0;
    double whole = trunc(x);
    whole = whole < low ? low : whole > high ? high : whole;
    return (uint32_t)(int64_t)whole;
}

static uint32_t exponent_of(double x)
{
    int exponent = 0;
    if (isfinite(x))
        frexp(x, &exponent);
    return (uint32_t)exponent;
}

/* Operations whose operands are of another kind than the result. */
static bool mixed_op(const Inst *inst, uint32_t i, const InterpCell *const *args,
                     uint64_t *out)
{
    uint8_t to = inst->type.kind, from = inst->nargs ? inst->args[0]->type.kind : 0;
    uint64_t bits = interp_bits(args[0], i);
    uint32_t word = (uint32_t)bits;
    bool     half = from == SCALAR_F16, twice = from == SCALAR_F64;
    switch (inst->op) {
    case IR_FEQ: case IR_FNE: case IR_FLT: case IR_FLE:
        *out = compare(inst->op, interp_to_double(from, bits),
                       interp_to_double(from, interp_bits(args[1], i)));
        return true;
    case IR_S2F:
        *out = interp_from_double(to, (double)(int32_t)word);
        return true;
    case IR_U2F:
        *out = interp_from_double(to, (double)word);
        return true;
    case IR_F2S:
        *out = saturate(interp_to_double(from, bits), half ? -65504 : INT32_MIN,
                        half ? 65504 : twice ? INT32_MAX : 2147483520);
        return true;
    case IR_F2U:
        *out = saturate(interp_to_double(from, bits), 0,
                        half ? 65504 : twice ? UINT32_MAX : 4294967040);
        return true;
    case IR_F2F:
        *out = interp_from_double(to, interp_to_double(from, bits));
        return true;
    case IR_LDEXP:
        *out = interp_from_double(to, ldexp(interp_to_double(to, bits),
                                            (int)(int32_t)args[1]->u[i]));
        return true;
    case IR_FREXP_EXP:
        *out = exponent_of(interp_to_double(from, bits));
        return true;
    case IR_FMA:
        *out = fused(to, bits, interp_bits(args[1], i), interp_bits(args[2], i));
        return true;
    case IR_SELECT:
        *out = interp_bits(args[bits ? 1 : 2], i);
        return true;
    case IR_NOT:
        *out = to == SCALAR_BOOL ? !word : ~word;
        return true;
    case IR_HIGH_WORD:
        *out = bits >> 32;
        return true;
    case IR_LOW_WORD:
        *out = word;
        return true;
    case IR_FROM_WORDS:
        *out = (uint64_t)args[1]->u[i] << 32 | word;
        return true;
    case IR_UNIFORM: case IR_FIRST:         /* a lane group is one invocation */
        *out = bits;
        return true;
    default:
        return false;
    }
}

/* ---- vectors ---- */

static uint32_t clamp_index(uint32_t i, uint32_t width)
{
    return i < width ? i : width - 1;
}

static bool vector_op(const Inst *inst, const InterpCell *const *args, InterpCell *out)
{
    uint32_t width = inst->type.width;
    uint32_t from = inst->nargs ? inst->args[0]->type.width : 0;
    switch (inst->op) {
    case IR_CONST:
        for (uint32_t i = 0; i < width; i++)
            interp_set(out, i, ir_constant_bits64(&inst->constant, i));
        return true;
    case IR_VEC:
        for (uint32_t i = 0; i < width; i++)
            interp_set(out, i, interp_bits(args[i], 0));
        return true;
    case IR_EXTRACT:
        interp_set(out, 0, interp_bits(args[0], inst->index));
        return true;
    case IR_EXTRACT_AT:
        interp_set(out, 0, interp_bits(args[0], clamp_index(args[1]->u[0], from)));
        return true;
    case IR_INSERT_AT:
        *out = *args[0];
        interp_set(out, clamp_index(args[2]->u[0], from), interp_bits(args[1], 0));
        return true;
    case IR_SWIZZLE:
        for (uint32_t i = 0; i < width; i++)
            interp_set(out, i, interp_bits(args[0], inst->swizzle[i]));
        return true;
    case IR_ALL: case IR_ANY: {
        uint32_t set = 0;
        for (uint32_t i = 0; i < from; i++)
            set += args[0]->u[i] != 0;
        out->u[0] = inst->op == IR_ALL ? set == from : set > 0;
        return true;
    }
    case IR_PACK_HALF:
        out->u[0] = (args[0]->u[0] & 0xffff) | args[0]->u[1] << 16;
        return true;
    case IR_UNPACK_HALF:
        out->u[0] = args[0]->u[0] & 0xffff;
        out->u[1] = args[0]->u[0] >> 16;
        return true;
    default:
        return false;
    }
}

bool interp_pure(const Inst *inst, const InterpCell *const *args, InterpCell *out)
{
    InterpCell result = {{0}};
    bool done = vector_op(inst, args, &result);
    if (!done && inst->nargs == 0)
        return false;
    done = done || float_op(inst, args, &result);
    for (uint32_t i = 0; !done && i < inst->type.width; i++) {
        uint32_t y = inst->nargs > 1 ? args[1]->u[i] : 0;
        uint64_t mixed;
        if (mixed_op(inst, i, args, &mixed))
            interp_set(&result, i, mixed);
        else if (!int_op(inst->op, args[0]->u[i], y, &result.u[i]))
            return false;
    }
    *out = result;
    return true;
}
