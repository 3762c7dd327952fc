// SPDX-License-Identifier: Apache-2.0
/*
 * fold_builtin.c - which code evaluates which builtin function, and the rules
 * that some of their arguments must keep even if the call is not evaluated.
 *
 * in     a function that may be a const-expression, and its arguments
 * out    the value, or NULL after a diagnostic
 * not    overloads: the arguments have the types of the one that was chosen
 */
#include "check/fold_priv.h"

#define EACH(fn)  { .scalar = (fn) }        /* component by component */
#define WHOLE(fn) { .whole = (fn) }

static const FoldRow rows[BUILTIN_ID_COUNT] = {
    [BUILTIN_abs]                = EACH(fold_abs),
    [BUILTIN_acos]               = EACH(fold_unary_math),
    [BUILTIN_acosh]              = EACH(fold_unary_math),
    [BUILTIN_all]                = WHOLE(fold_all),
    [BUILTIN_any]                = WHOLE(fold_any),
    [BUILTIN_asin]               = EACH(fold_unary_math),
    [BUILTIN_asinh]              = EACH(fold_unary_math),
    [BUILTIN_atan]               = EACH(fold_unary_math),
    [BUILTIN_atan2]              = EACH(fold_atan2),
    [BUILTIN_atanh]              = EACH(fold_unary_math),
    [BUILTIN_bitcast]            = WHOLE(fold_bitcast),
    [BUILTIN_ceil]               = EACH(fold_unary_math),
    [BUILTIN_clamp]              = EACH(fold_clamp),
    [BUILTIN_cos]                = EACH(fold_unary_math),
    [BUILTIN_cosh]               = EACH(fold_unary_math),
    [BUILTIN_countLeadingZeros]  = EACH(fold_count_leading_zeros),
    [BUILTIN_countOneBits]       = EACH(fold_count_one_bits),
    [BUILTIN_countTrailingZeros] = EACH(fold_count_trailing_zeros),
    [BUILTIN_cross]              = WHOLE(fold_cross),
    [BUILTIN_degrees]            = EACH(fold_unary_math),
    [BUILTIN_determinant]        = WHOLE(fold_determinant),
    [BUILTIN_distance]           = WHOLE(fold_distance),
    [BUILTIN_dot]                = WHOLE(fold_dot),
    [BUILTIN_dot4I8Packed]       = WHOLE(fold_dot4_packed),
    [BUILTIN_dot4U8Packed]       = WHOLE(fold_dot4_packed),
    [BUILTIN_exp]                = EACH(fold_unary_math),
    [BUILTIN_exp2]               = EACH(fold_unary_math),
    [BUILTIN_extractBits]        = EACH(fold_extract_bits),
    [BUILTIN_faceForward]        = WHOLE(fold_face_forward),
    [BUILTIN_firstLeadingBit]    = EACH(fold_first_leading_bit),
    [BUILTIN_firstTrailingBit]   = EACH(fold_first_trailing_bit),
    [BUILTIN_floor]              = EACH(fold_unary_math),
    [BUILTIN_fma]                = EACH(fold_fma),
    [BUILTIN_fract]              = EACH(fold_unary_math),
    [BUILTIN_frexp]              = WHOLE(fold_frexp),
    [BUILTIN_insertBits]         = EACH(fold_insert_bits),
    [BUILTIN_inverseSqrt]        = EACH(fold_unary_math),
    [BUILTIN_ldexp]              = EACH(fold_ldexp),
    [BUILTIN_length]             = WHOLE(fold_length),
    [BUILTIN_log]                = EACH(fold_unary_math),
    [BUILTIN_log2]               = EACH(fold_unary_math),
    [BUILTIN_max]                = EACH(fold_max),
    [BUILTIN_min]                = EACH(fold_min),
    [BUILTIN_mix]                = EACH(fold_mix),
    [BUILTIN_modf]               = WHOLE(fold_modf),
    [BUILTIN_normalize]          = WHOLE(fold_normalize),
    [BUILTIN_pack2x16float]      = WHOLE(fold_pack),
    [BUILTIN_pack2x16snorm]      = WHOLE(fold_pack),
    [BUILTIN_pack2x16unorm]      = WHOLE(fold_pack),
    [BUILTIN_pack4x8snorm]       = WHOLE(fold_pack),
    [BUILTIN_pack4x8unorm]       = WHOLE(fold_pack),
    [BUILTIN_pack4xI8]           = WHOLE(fold_pack),
    [BUILTIN_pack4xI8Clamp]      = WHOLE(fold_pack),
    [BUILTIN_pack4xU8]           = WHOLE(fold_pack),
    [BUILTIN_pack4xU8Clamp]      = WHOLE(fold_pack),
    [BUILTIN_pow]                = EACH(fold_pow),
    [BUILTIN_quantizeToF16]      = EACH(fold_quantize_to_f16),
    [BUILTIN_radians]            = EACH(fold_unary_math),
    [BUILTIN_reflect]            = WHOLE(fold_reflect),
    [BUILTIN_refract]            = WHOLE(fold_refract),
    [BUILTIN_reverseBits]        = EACH(fold_reverse_bits),
    [BUILTIN_round]              = EACH(fold_unary_math),
    [BUILTIN_saturate]           = EACH(fold_unary_math),
    [BUILTIN_select]             = EACH(fold_select),
    [BUILTIN_sign]               = EACH(fold_sign),
    [BUILTIN_sin]                = EACH(fold_unary_math),
    [BUILTIN_sinh]               = EACH(fold_unary_math),
    [BUILTIN_smoothstep]         = EACH(fold_smoothstep),
    [BUILTIN_sqrt]               = EACH(fold_unary_math),
    [BUILTIN_step]               = EACH(fold_step_edge),
    [BUILTIN_tan]                = EACH(fold_unary_math),
    [BUILTIN_tanh]               = EACH(fold_unary_math),
    [BUILTIN_transpose]          = WHOLE(fold_transpose),
    [BUILTIN_trunc]              = EACH(fold_unary_math),
    [BUILTIN_unpack2x16float]    = WHOLE(fold_unpack),
    [BUILTIN_unpack2x16snorm]    = WHOLE(fold_unpack),
    [BUILTIN_unpack2x16unorm]    = WHOLE(fold_unpack),
    [BUILTIN_unpack4x8snorm]     = WHOLE(fold_unpack),
    [BUILTIN_unpack4x8unorm]     = WHOLE(fold_unpack),
    [BUILTIN_unpack4xI8]         = WHOLE(fold_unpack),
    [BUILTIN_unpack4xU8]         = WHOLE(fold_unpack),
};

bool fold_has_builtin(BuiltinId id)
{
    return rows[id].scalar || rows[id].whole;
}

const Value *fold_builtin(FoldContext *f, Span span, BuiltinId id,
                          const Type *result, const Value *const *args,
                          uint32_t nargs)
{
    const FoldRow *row = &rows[id];
    Eval e = {.f = f, .span = span, .form = FORM_CALL, .name = builtin_name(id),
              .builtin = id, .args = args, .nargs = nargs};
    BUG_IF(!fold_has_builtin(id), "'%s' is not evaluated early", builtin_name(id));
    BUG_IF(nargs > FOLD_MAX_ARGS, "'%s' with %u arguments", builtin_name(id), nargs);
    return row->scalar ? fold_map(&e, result, args, nargs, row->scalar)
                       : row->whole(&e, result);
}

/* ---- partial checks ---- */

/* A rule about two arguments, for each component: both scalars or both vectors. */
static bool check_pair(Eval *e, const Value *x, const Value *y,
                       bool (*rule)(Eval *, const Value *, const Value *))
{
    if (!x || !y)
        return true;
    if (type_is_scalar(x->type))
        return rule(e, x, y);
    for (uint64_t i = 0; i < value_part_count(x->type); i++)
        if (!rule(e, fold_part(e, x, i), fold_part(e, y, i)))
            return false;
    return true;
}

static bool check_ldexp(Eval *e, const Type *result, const Value *exponent)
{
    const Type *scalar = type_scalar_of(result);
    if (!exponent)
        return true;
    if (type_is_scalar(exponent->type))
        return fold_rule_ldexp(e, scalar, exponent);
    for (uint64_t i = 0; i < value_part_count(exponent->type); i++)
        if (!fold_rule_ldexp(e, scalar, fold_part(e, exponent, i)))
            return false;
    return true;
}

bool fold_check_builtin(FoldContext *f, Span span, BuiltinId id, const Type *result,
                        const Value *const *args, uint32_t nargs)
{
    Eval e = {.f = f, .span = span, .name = builtin_name(id), .builtin = id,
              .args = args, .nargs = nargs};
    switch (id) {
    case BUILTIN_clamp:
        return check_pair(&e, args[1], args[2], fold_rule_clamp);
    case BUILTIN_smoothstep:
        return check_pair(&e, args[0], args[1], fold_rule_smoothstep);
    case BUILTIN_extractBits:
        return check_pair(&e, args[1], args[2], fold_rule_bit_field);
    case BUILTIN_insertBits:
        return check_pair(&e, args[2], args[3], fold_rule_bit_field);
    case BUILTIN_ldexp:
        return check_ldexp(&e, result, args[1]);
    default:
        return true;
    }
}
