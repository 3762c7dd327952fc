// SPDX-License-Identifier: Apache-2.0
/*
 * fold_priv.h - what the files of the evaluator share.
 *
 *   fold.c            operators, indexing, swizzles; failures; component-wise work
 *   fold_round.c      rounding to f32 and f16, their bits
 *   fold_convert.c    conversions between scalars, automatic conversion
 *   fold_construct.c  value constructors
 *   fold_builtin.c    the table of builtin functions; partial checks
 *   fold_math.c       builtin functions of single numbers
 *   fold_vector.c     builtin functions and products of vectors and matrices
 *   fold_bits.c       bit counting, bit fields
 *   fold_pack.c       bitcast, packing and unpacking
 */
#ifndef WEFT_CHECK_FOLD_PRIV_H
#define WEFT_CHECK_FOLD_PRIV_H

#include "check/fold.h"

typedef enum EvalForm {
    FORM_PREFIX,                    /* -1                                        */
    FORM_INFIX,                     /* 1 + 2                                     */
    FORM_CALL,                      /* sqrt(2.0)                                 */
} EvalForm;

/* One operation at work. */
typedef struct Eval {
    FoldContext *f;
    Span         span;
    EvalForm     form;
    const char  *name;              /* operator, function or type                */
    BuiltinId    builtin;           /* FORM_CALL of a builtin function           */
    BinOp        op;                /* FORM_INFIX                                */
    const Value *const *args;       /* of the component that is being computed   */
    uint32_t     nargs;
} Eval;

#define FOLD_MAX_ARGS 4

/* ---- failure ---- */

/* Reports, if there is a Diag. Always false. */
bool fold_fail(Eval *e, DiagId id, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The operation with its arguments: "2147483647 + 1", "sqrt(-1.0)". */
const char *fold_what(Eval *e);
const char *fold_text(Eval *e, const Value *v);         /* "1", "vec2<f32>(1.0, 2.0)" */
const char *fold_type_text(Eval *e, const Type *t);
/* The result overflows `t`. Always false. */
bool fold_overflow(Eval *e, const Type *t);

/* ---- component by component ---- */

/* Computes one scalar of type out->type from e->args, which are scalars. False
 * after fold_fail(). */
typedef bool (*ScalarFn)(Eval *e, Value *out);

/*
 * Applies `fn` to each component of a scalar, vector or matrix `result`; scalar
 * arguments stand for all components. NULL after a failure.
 */
const Value *fold_map(Eval *e, const Type *result, const Value *const *args,
                      uint32_t nargs, ScalarFn fn);
const Value *fold_part(Eval *e, const Value *v, uint64_t i);
const Value *fold_keep(Eval *e, Value v);               /* a copy in the arena   */

/* ---- numbers ---- */

/* `x` rounded to the float type `t`. */
double fold_round(const Type *t, double x);
/* Rounds `x` into out; infinity and NaN fail. */
bool fold_real(Eval *e, double x, Value *out);
/* The low bits of `bits` as a value of out's integer type, wrapped around. */
void fold_wrap(uint64_t bits, Value *out);
/* x + y and x * y in the integer type of out: wrapped, or checked if abstract. */
bool fold_int_add(Eval *e, int64_t x, int64_t y, Value *out);
bool fold_int_mul(Eval *e, int64_t x, int64_t y, Value *out);

uint16_t fold_f16_bits(double x);                       /* x is an f16 value     */
double   fold_f16_from_bits(uint16_t bits);             /* inf and NaN too       */
uint32_t fold_f32_bits(double x);                       /* x is an f32 value     */
double   fold_f32_from_bits(uint32_t bits);

/* A chain of float operations, each rounded to `type`. */
typedef struct Steps {
    const Type *type;
    bool        overflowed;         /* some step gave an infinity or NaN         */
} Steps;

double fold_step(Steps *s, double x);

/* ---- conversions ---- */

/* The value constructor of a scalar type, from any scalar. */
bool fold_convert_scalar(Eval *e, const Value *x, Value *out);

/* ---- builtin functions ---- */

typedef const Value *(*WholeFn)(Eval *e, const Type *result);

/* How a function is evaluated: component by component, or as a whole. */
typedef struct FoldRow {
    ScalarFn scalar;
    WholeFn  whole;
} FoldRow;

/* Is there code for it? */
bool fold_has_builtin(BuiltinId id);

/* Rules about arguments that hold as soon as these are known; scalars. */
bool fold_rule_clamp(Eval *e, const Value *low, const Value *high);
bool fold_rule_smoothstep(Eval *e, const Value *edge0, const Value *edge1);
bool fold_rule_ldexp(Eval *e, const Type *scalar, const Value *exponent);
bool fold_rule_bit_field(Eval *e, const Value *offset, const Value *count);

/* fold_math.c: builtin functions, the first by the row of e->builtin */
bool fold_unary_math(Eval *e, Value *out);
bool fold_abs(Eval *e, Value *out);
bool fold_atan2(Eval *e, Value *out);
bool fold_clamp(Eval *e, Value *out);
bool fold_fma(Eval *e, Value *out);
bool fold_ldexp(Eval *e, Value *out);
bool fold_max(Eval *e, Value *out);
bool fold_min(Eval *e, Value *out);
bool fold_mix(Eval *e, Value *out);
bool fold_pow(Eval *e, Value *out);
bool fold_quantize_to_f16(Eval *e, Value *out);
bool fold_select(Eval *e, Value *out);
bool fold_sign(Eval *e, Value *out);
bool fold_smoothstep(Eval *e, Value *out);
bool fold_step_edge(Eval *e, Value *out);
const Value *fold_frexp(Eval *e, const Type *result);
const Value *fold_modf(Eval *e, const Type *result);

/* fold_vector.c */
const Value *fold_all(Eval *e, const Type *result);
const Value *fold_any(Eval *e, const Type *result);
const Value *fold_cross(Eval *e, const Type *result);
const Value *fold_determinant(Eval *e, const Type *result);
const Value *fold_distance(Eval *e, const Type *result);
const Value *fold_dot(Eval *e, const Type *result);
const Value *fold_face_forward(Eval *e, const Type *result);
const Value *fold_length(Eval *e, const Type *result);
const Value *fold_normalize(Eval *e, const Type *result);
const Value *fold_reflect(Eval *e, const Type *result);
const Value *fold_refract(Eval *e, const Type *result);
const Value *fold_transpose(Eval *e, const Type *result);
/* The operator * where one of e->args is a matrix and none a scalar. */
const Value *fold_matrix_product(Eval *e, const Type *result);

/* fold_bits.c */
bool fold_count_leading_zeros(Eval *e, Value *out);
bool fold_count_one_bits(Eval *e, Value *out);
bool fold_count_trailing_zeros(Eval *e, Value *out);
bool fold_extract_bits(Eval *e, Value *out);
bool fold_first_leading_bit(Eval *e, Value *out);
bool fold_first_trailing_bit(Eval *e, Value *out);
bool fold_insert_bits(Eval *e, Value *out);
bool fold_reverse_bits(Eval *e, Value *out);

/* fold_pack.c: all packing functions, all unpacking ones, by e->builtin */
const Value *fold_bitcast(Eval *e, const Type *result);
const Value *fold_dot4_packed(Eval *e, const Type *result);
const Value *fold_pack(Eval *e, const Type *result);
const Value *fold_unpack(Eval *e, const Type *result);

#endif
