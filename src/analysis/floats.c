// SPDX-License-Identifier: Apache-2.0
/*
 * floats.c - between which numbers a float must be.
 *
 * in     a value of the IR
 * out    bounds for all of its components, if it is never NaN and has bounds
 * knows  that min and max give their second operand where the first is NaN; that what
 *        is computed is rounded, up or down
 * not    conditions around: what is found holds everywhere
 */
#include "analysis/analysis.h"

#include <math.h>

#define MAX_DEPTH 10u
#define SLACK     1e-6                  /* of a bound: more than rounding adds       */

typedef struct Bounds {
    double low, high;
} Bounds;

static bool bounds_of(const Inst *v, uint32_t depth, Bounds *out);

static double least(double x, double y)
{
    return x < y ? x : y;
}

static double most(double x, double y)
{
    return x > y ? x : y;
}

static Bounds widened(double low, double high)
{
    return (Bounds){low - (low < 0 ? -low : low) * SLACK, high + (high < 0 ? -high : high) * SLACK};
}

static bool of_constant(const Inst *v, Bounds *out)
{
    *out = (Bounds){INFINITY, -INFINITY};
    for (uint32_t i = 0; i < v->type.width; i++) {
        union { uint32_t bits; float f; } k = {v->constant.bits[i]};
        if (!isfinite(k.f))
            return false;
        *out = (Bounds){least(out->low, k.f), most(out->high, k.f)};
    }
    return true;
}

/* The first operand may be anything: then the second is what bounds it. */
static bool of_choice(const Inst *v, uint32_t depth, Bounds *out)
{
    Bounds x = {-INFINITY, INFINITY}, y;
    if (!bounds_of(v->args[1], depth, &y))
        return false;
    if (!bounds_of(v->args[0], depth, &x))
        x = (Bounds){-INFINITY, INFINITY};
    *out = v->op == IR_FMIN ? (Bounds){least(x.low, y.low), least(x.high, y.high)}
                            : (Bounds){most(x.low, y.low), most(x.high, y.high)};
    return true;
}

static bool of_arithmetic(const Inst *v, uint32_t depth, Bounds *out)
{
    Bounds x, y;
    if (!bounds_of(v->args[0], depth, &x) || !bounds_of(v->args[1], depth, &y) ||
        !isfinite(x.low) || !isfinite(x.high) || !isfinite(y.low) || !isfinite(y.high))
        return false;
    if (v->op == IR_FADD) {
        *out = widened(x.low + y.low, x.high + y.high);
    } else if (v->op == IR_FSUB) {
        *out = widened(x.low - y.high, x.high - y.low);
    } else {
        double a = x.low * y.low, b = x.low * y.high, c = x.high * y.low, d = x.high * y.high;
        *out = widened(least(least(a, b), least(c, d)), most(most(a, b), most(c, d)));
    }
    return true;
}

static bool of_join(Inst *const *args, uint32_t n, uint32_t depth, Bounds *out)
{
    *out = (Bounds){INFINITY, -INFINITY};
    for (uint32_t i = 0; i < n; i++) {
        Bounds x;
        if (!bounds_of(args[i], depth, &x))
            return false;
        *out = (Bounds){least(out->low, x.low), most(out->high, x.high)};
    }
    return true;
}

static bool of_rounded(const Inst *v, uint32_t depth, Bounds *out)
{
    Bounds x;
    if (!bounds_of(v->args[0], depth, &x))
        return false;
    *out = (Bounds){x.low >= 0 ? 0 : x.low - 1, x.high + 1};
    return true;
}

static bool bounds_of(const Inst *v, uint32_t depth, Bounds *out)
{
    if (v->type.kind != SCALAR_F32 || depth == 0)
        return false;
    switch (v->op) {
    case IR_CONST: return of_constant(v, out);
    case IR_FMIN: case IR_FMAX: return of_choice(v, depth - 1, out);
    case IR_FADD: case IR_FSUB: case IR_FMUL: return of_arithmetic(v, depth - 1, out);
    case IR_FLOOR: case IR_CEIL: case IR_TRUNC: case IR_ROUND:
        return of_rounded(v, depth - 1, out);
    case IR_SELECT: return of_join(v->args + 1, 2, depth - 1, out);
    case IR_VEC: return of_join(v->args, v->nargs, depth - 1, out);
    case IR_EXTRACT: return bounds_of(v->args[0], depth - 1, out);
    case IR_U2F: *out = (Bounds){0, 4294967296.0}; return true;
    case IR_S2F: *out = (Bounds){-2147483648.0, 2147483648.0}; return true;
    default: return false;
    }
}

bool analysis_is_between(const Inst *v, double low, double high)
{
    Bounds x;
    return bounds_of(v, MAX_DEPTH, &x) && x.low >= low && x.high <= high;
}
