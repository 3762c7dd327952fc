// SPDX-License-Identifier: Apache-2.0
/*
 * fold.h - evaluation of const- and override-expressions, one operation at a
 * time.
 *
 * in     an operation that type checking has already accepted, and the values
 *        of its operands, converted to the types the operation works on
 * out    its value; or NULL after a diagnostic at `span` (overflow, division by
 *        zero, NaN or infinity, index, shift, domain: as WGSL says)
 * knows  WGSL 8 (expressions), 15.7 (floating point), 17 (builtin functions)
 * not    trees: the checker and override.c walk them
 *
 * Results agree with what the devices compute: i32 and u32 wrap around; f32 and
 * f16 operations round once, to nearest even, and keep subnormals; functions that
 * WGSL defines by a formula round at each step of it. What a device would make
 * an infinity or NaN is an error here. The abstract types are int64_t and double
 * and never wrap.
 */
#ifndef WEFT_CHECK_FOLD_H
#define WEFT_CHECK_FOLD_H

#include "check/builtin.h"
#include "check/value.h"

typedef struct FoldContext {
    Arena     *arena;
    TypeTable *types;
    Diag      *diag;                /* NULL: no messages, just NULL results      */
} FoldContext;

const Value *fold_unary(FoldContext *f, Span span, UnOp op, const Type *result,
                        const Value *x);
/* Operands are scalars, vectors or matrices; scalar with vector is allowed. Not
 * for && and ||, whose right side may not be evaluated at all. */
const Value *fold_binary(FoldContext *f, Span span, BinOp op, const Type *result,
                         const Value *x, const Value *y);
/* Automatic conversion (abstract to concrete; also element-wise inside
 * composites). An out-of-range value is an error. */
const Value *fold_convert(FoldContext *f, Span span, const Type *to, const Value *x);
/* The value constructor `result(args...)`: zero value, conversion, splat,
 * composition from vectors and scalars, arrays, structures. */
const Value *fold_construct(FoldContext *f, Span span, const Type *result,
                            const Value *const *args, uint32_t nargs);
const Value *fold_index(FoldContext *f, Span span, const Value *of, const Value *at);
/* The same check where only the index is known: `of` is the type of a value or
 * what memory holds; an array whose size is not known yet only has to have an
 * index that is not negative. False after a diagnostic. */
bool fold_check_index(FoldContext *f, Span span, const Type *of, const Value *at);
const Value *fold_swizzle(FoldContext *f, const Type *result, const Value *of,
                          const uint8_t *components, uint32_t width);
/* A builtin function that may be evaluated early (BUILTIN_CONST). For bitcast
 * the target is `result`. */
const Value *fold_builtin(FoldContext *f, Span span, BuiltinId id,
                          const Type *result, const Value *const *args,
                          uint32_t nargs);
/* Partial checks, WGSL 17: some rules apply as soon as the arguments they
 * concern are known early, even if the call is not: clamp(low > high),
 * smoothstep edges, extractBits/insertBits ranges, ldexp exponents, shifts and
 * divisors. args[i], x, y are NULL where unknown. False after a diagnostic.
 * fold_builtin() and fold_binary() check the same, so with all arguments known
 * they are enough. `lhs` is the type of the left operand. */
bool fold_check_builtin(FoldContext *f, Span span, BuiltinId id, const Type *result,
                        const Value *const *args, uint32_t nargs);
bool fold_check_binary(FoldContext *f, Span span, BinOp op, const Type *lhs,
                       const Value *x, const Value *y);

/* Rounds to the nearest f16 or f32 value, ties to even; overflow gives infinity. */
double fold_round_f16(double x);
double fold_round_f32(double x);

#endif
