// SPDX-License-Identifier: Apache-2.0
/*
 * value.c - primitive operators and their partial derivatives in f64.
 *
 * in     an operator and the values of its arguments
 * out    its value; its partials, with the choices at kinks that weft/grad.h documents
 * knows  nodes.h, libm
 * not    graphs, WGSL
 */
#include "grad/nodes.h"

#include <math.h>

static double sum_of(const double *args, uint32_t count)
{
    double total = args[0];
    for (uint32_t i = 1; i < count; i++)
        total += args[i];
    return total;
}

double grad_value_of(Op op, const double *args, uint32_t count)
{
    double a = args[0], b = count > 1 ? args[1] : 0;
    switch (op) {
    case OP_NEG:    return -a;
    case OP_ABS:    return fabs(a);
    case OP_SIGN:   return (a > 0) - (a < 0);
    case OP_FLOOR:  return floor(a);
    case OP_CEIL:   return ceil(a);
    case OP_TRUNC:  return trunc(a);
    case OP_EXP:    return exp(a);
    case OP_LOG:    return log(a);
    case OP_SQRT:   return sqrt(a);
    case OP_RSQRT:  return 1 / sqrt(a);
    case OP_SIN:    return sin(a);
    case OP_COS:    return cos(a);
    case OP_TAN:    return tan(a);
    case OP_ASIN:   return asin(a);
    case OP_ACOS:   return acos(a);
    case OP_ATAN:   return atan(a);
    case OP_SINH:   return sinh(a);
    case OP_COSH:   return cosh(a);
    case OP_TANH:   return tanh(a);
    case OP_ASINH:  return asinh(a);
    case OP_ACOSH:  return acosh(a);
    case OP_ATANH:  return atanh(a);
    case OP_ADD:    return a + b;
    case OP_SUB:    return a - b;
    case OP_MUL:    return a * b;
    case OP_DIV:    return a / b;
    case OP_POW:    return pow(a, b);
    case OP_MIN:    return b < a || isnan(b) ? b : a;
    case OP_MAX:    return a < b || isnan(b) ? b : a;
    case OP_ATAN2:  return atan2(a, b);
    case OP_EQ:     return a == b;
    case OP_NE:     return a != b;
    case OP_LT:     return a < b;
    case OP_LE:     return a <= b;
    case OP_GT:     return a > b;
    case OP_GE:     return a >= b;
    case OP_FMA:    return fma(a, b, args[2]);
    case OP_FNMA:   return fma(-a, b, args[2]);
    case OP_FMS:    return fma(a, b, -args[2]);
    case OP_SELECT: return a != 0 ? b : args[2];
    case OP_SUM:    return sum_of(args, count);
    default: BUG("value of operator %d", (int)op);
    }
}

/* The base below which the logarithm in the derivative of pow for its exponent stays. */
#define POW_BASE_MIN 1e-12

static void partials_1(double *p, Op op, double v, double a)
{
    switch (op) {
    case OP_NEG:   *p = -1; break;
    case OP_ABS:   *p = a >= 0 ? 1 : -1; break;
    case OP_EXP:   *p = v; break;
    case OP_LOG:   *p = 1 / a; break;
    case OP_SQRT:  *p = 0.5 / v; break;
    case OP_RSQRT: *p = -0.5 * v * v * v; break;
    case OP_SIN:   *p = cos(a); break;
    case OP_COS:   *p = -sin(a); break;
    case OP_TAN:   *p = 1 + v * v; break;
    case OP_ASIN:  *p = 1 / sqrt((1 - a) * (1 + a)); break;
    case OP_ACOS:  *p = -1 / sqrt((1 - a) * (1 + a)); break;
    case OP_ATAN:  *p = 1 / (1 + a * a); break;
    case OP_SINH:  *p = cosh(a); break;
    case OP_COSH:  *p = sinh(a); break;
    case OP_TANH:  *p = (1 - v) * (1 + v); break;
    case OP_ASINH: *p = 1 / sqrt(a * a + 1); break;
    case OP_ACOSH: *p = 1 / sqrt((a - 1) * (a + 1)); break;
    case OP_ATANH: *p = 1 / ((1 - a) * (1 + a)); break;
    default:       *p = 0; break;
    }
}

void grad_value_partials(double *p, PartialKind *kinds, Op op, double v, const double *args,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        p[i] = op == OP_SUM ? 1 : 0;
        kinds[i] = PARTIAL_FACTOR;
    }
    double a = args[0], b = count > 1 ? args[1] : 0;
    switch (op) {
    case OP_ADD: p[0] = 1; p[1] = 1; break;
    case OP_SUB: p[0] = 1; p[1] = -1; break;
    case OP_MUL: p[0] = b; p[1] = a; break;
    case OP_DIV: p[0] = 1 / b; p[1] = -v / b; break;
    case OP_POW:
        p[0] = b == 0 ? 0 : b * pow(a, b - 1);
        p[1] = v * log(a < POW_BASE_MIN ? POW_BASE_MIN : a);
        break;
    case OP_MIN:
    case OP_MAX: {
        bool first = op == OP_MIN ? a < b : a > b, second = op == OP_MIN ? b < a : b > a;
        kinds[0] = first ? PARTIAL_TAKEN : PARTIAL_NOT_TAKEN;
        kinds[1] = second ? PARTIAL_TAKEN : PARTIAL_NOT_TAKEN;
        break;
    }
    case OP_ATAN2: {
        double d = a * a + b * b;
        p[0] = b / d;
        p[1] = -a / d;
        break;
    }
    case OP_FMA: p[0] = b; p[1] = a; p[2] = 1; break;
    case OP_SELECT:
        kinds[1] = a != 0 ? PARTIAL_TAKEN : PARTIAL_NOT_TAKEN;
        kinds[2] = a != 0 ? PARTIAL_NOT_TAKEN : PARTIAL_TAKEN;
        break;
    default:
        if (count == 1)
            partials_1(p, op, v, a);
        break;
    }
}
