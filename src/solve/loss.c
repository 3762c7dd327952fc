// SPDX-License-Identifier: Apache-2.0
/*
 * loss.c - robust losses: functions of the squared norm of an instance's residuals.
 *
 * in     a loss, a squared norm
 * out    its value and two derivatives
 * knows  weft/solve.h
 * not    problems, terms
 */
#include "solve/problem_priv.h"

#include <float.h>
#include <math.h>

static const char *fault_at(const weft_solve_loss *loss, int depth)
{
    if (!loss)
        return NULL;
    if (depth > WEFT_SOLVE_LOSS_DEPTH)
        return "a loss is nested too deeply";
    if ((unsigned)loss->kind >= WEFT_SOLVE_LOSS_COUNT)
        return "unknown kind of loss";
    bool scale = loss->kind != WEFT_SOLVE_SQUARES && loss->kind != WEFT_SOLVE_COMPOSED;
    if (scale && !(loss->a > 0 && isfinite(loss->a)))
        return "the scale a of a loss is not above 0";
    if (loss->kind == WEFT_SOLVE_TOLERANT && !(loss->b > 0 && isfinite(loss->b)))
        return "the width b of a tolerant loss is not above 0";
    if (loss->kind != WEFT_SOLVE_SCALED && loss->kind != WEFT_SOLVE_COMPOSED)
        return NULL;
    const char *fault = fault_at(loss->f, depth + 1);
    return fault || loss->kind == WEFT_SOLVE_SCALED ? fault : fault_at(loss->g, depth + 1);
}

const char *loss_fault(const weft_solve_loss *loss)
{
    return fault_at(loss, 1);
}

const weft_solve_loss *loss_copy(Arena *arena, const weft_solve_loss *loss)
{
    if (!loss)
        return NULL;
    weft_solve_loss *copy = arena_copy(arena, loss, sizeof *loss);
    bool nested = loss->kind == WEFT_SOLVE_SCALED || loss->kind == WEFT_SOLVE_COMPOSED;
    copy->f = nested ? loss_copy(arena, loss->f) : NULL;
    copy->g = loss->kind == WEFT_SOLVE_COMPOSED ? loss_copy(arena, loss->g) : NULL;
    return copy;
}

static void huber(double out[3], double a, double s)
{
    double r = sqrt(s);
    bool far = s > a * a;
    out[0] = far ? 2 * a * r - a * a : s;
    out[1] = far ? fmax(a / r, DBL_MIN) : 1;
    out[2] = far ? -out[1] / (2 * s) : 0;
}

static void tukey(double out[3], double a, double s)
{
    double v = 1 - s / (a * a);
    bool near = s <= a * a;
    out[0] = a * a / 3 * (near ? 1 - v * v * v : 1);
    out[1] = near ? v * v : 0;
    out[2] = near ? -2 / (a * a) * v : 0;
}

/* log(1 + e^x) without overflow. */
static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static void tolerant(double out[3], double a, double b, double s)
{
    double x = (s - a) / b, e = exp(-fabs(x)), q = 1 + e;
    out[0] = b * (softplus(x) - softplus(-a / b));
    out[1] = fmax(x > 0 ? 1 / q : e / q, DBL_MIN);
    out[2] = e / (q * q * b);
}

static void composed(double out[3], const weft_solve_loss *loss, double s)
{
    double f[3], g[3];
    loss_at(g, loss->g, s);
    loss_at(f, loss->f, g[0]);
    out[0] = f[0];
    out[1] = f[1] * g[1];
    out[2] = f[2] * g[1] * g[1] + f[1] * g[2];
}

void loss_at(double out[3], const weft_solve_loss *loss, double s)
{
    double a = loss ? loss->a : 0, c = 1 / (a * a), sum = 1 + s * c, root = sqrt(sum);
    out[0] = s;
    out[1] = 1;
    out[2] = 0;
    switch (loss ? loss->kind : WEFT_SOLVE_SQUARES) {
    case WEFT_SOLVE_HUBER:    huber(out, a, s); return;
    case WEFT_SOLVE_TUKEY:    tukey(out, a, s); return;
    case WEFT_SOLVE_TOLERANT: tolerant(out, a, loss->b, s); return;
    case WEFT_SOLVE_COMPOSED: composed(out, loss, s); return;
    case WEFT_SOLVE_SOFT_L1:
        /* without the cancellation of root - 1 */
        out[0] = 2 * s / (1 + root);
        out[1] = fmax(1 / root, DBL_MIN);
        out[2] = -c * out[1] / (2 * sum);
        return;
    case WEFT_SOLVE_CAUCHY:
        out[0] = a * a * log1p(s * c);
        out[1] = fmax(1 / sum, DBL_MIN);
        out[2] = -c * out[1] * out[1];
        return;
    case WEFT_SOLVE_ARCTAN:
        out[0] = a * atan(s / a);
        out[1] = fmax(1 / (1 + s * s * c), DBL_MIN);
        out[2] = -2 * s * c * out[1] * out[1];
        return;
    case WEFT_SOLVE_SCALED:
        loss_at(out, loss->f, s);
        for (int i = 0; i < 3; i++)
            out[i] *= a;
        return;
    default:
        return;
    }
}

bool weft_solve_loss_evaluate(double out[3], const weft_solve_loss *loss, double s)
{
    out[0] = out[1] = out[2] = 0;
    if (loss_fault(loss) || !(s >= 0))
        return false;
    loss_at(out, loss, s);
    return true;
}
