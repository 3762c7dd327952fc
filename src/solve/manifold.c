// SPDX-License-Identifier: Apache-2.0
/*
 * manifold.c - rotations, poses, directions: steps on them, differences, derivatives of steps.
 *
 * in     a point, a step of its tangent space
 * out    the point after the step; the step between two points; d plus(x, step) / d step at 0
 * knows  weft/solve.h
 * not    problems
 */
#include "solve/problem_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rotations ---- */

static double norm3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross(double out[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

/* Quaternions are x, y, z, w. */
static void quat_mul(double out[4], const double a[4], const double b[4])
{
    double r[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                   a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                   a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                   a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(out, r, sizeof r);
}

static void quat_exp(double out[4], const double w[3])
{
    double angle = norm3(w), half = angle / 2;
    double k = angle < 1e-8 ? 0.5 - angle * angle / 48 : sin(half) / angle;
    for (int i = 0; i < 3; i++)
        out[i] = k * w[i];
    out[3] = cos(half);
}

/* The rotation vector of length at most pi. */
static void quat_log(double out[3], const double q[4])
{
    double s = norm3(q), sign = q[3] < 0 ? -1 : 1;
    double k = s < 1e-150 ? 2 / fabs(q[3] == 0 ? 1 : q[3]) : 2 * atan2(s, fabs(q[3])) / s;
    for (int i = 0; i < 3; i++)
        out[i] = sign * k * q[i];
}

static void quat_conjugate(double out[4], const double q[4])
{
    for (int i = 0; i < 3; i++)
        out[i] = -q[i];
    out[3] = q[3];
}

static void quat_rotate(double out[3], const double q[4], const double v[3])
{
    double u[3], t[3];
    cross(u, q, v);
    cross(t, q, u);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + 2 * (q[3] * u[i] + t[i]);
}

static bool quat_normalise(double q[4])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= n;
    return n > 0 && isfinite(n);
}

/* q (step/2, 0): [4][3], row length `stride`. */
static void quat_jacobian(double *j, const double q[4], uint32_t stride)
{
    const double rows[4][3] = {{q[3], -q[2], q[1]}, {q[2], q[3], -q[0]}, {-q[1], q[0], q[3]},
                               {-q[0], -q[1], -q[2]}};
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 3; c++)
            j[(size_t)r * stride + c] = rows[r][c] / 2;
}

static void so3_plus(double out[3], const double w[3], const double step[3])
{
    double a[4], b[4];
    quat_exp(a, w);
    quat_exp(b, step);
    quat_mul(a, a, b);
    quat_log(out, a);
}

static void so3_minus(double step[3], const double y[3], const double x[3])
{
    double a[4], b[4];
    quat_exp(a, x);
    quat_conjugate(a, a);
    quat_exp(b, y);
    quat_mul(a, a, b);
    quat_log(step, a);
}

/* The inverse of the right Jacobian: I + [w]/2 + c [w][w]. */
static void so3_jacobian(double j[9], const double w[3])
{
    double angle = norm3(w), a2 = angle * angle;
    double c = angle < 1e-3 ? 1.0 / 12 + a2 / 720 + a2 * a2 / 30240
                            : 1 / a2 - 1 / (2 * angle * tan(angle / 2));
    const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            j[3 * r + k] = (r == k) + skew[3 * r + k] / 2 +
                           c * (w[r] * w[k] - (r == k ? a2 : 0));
}

/* ---- poses ---- */

/* V(w) v, or inverse(V(w)) v: how a rotating frame moves. */
static void se3_carry(double out[3], const double w[3], const double v[3], bool inverse)
{
    double angle = norm3(w), a2 = angle * angle, a, b, u[3], t[3];
    if (inverse) {
        a = -0.5;
        b = angle < 1e-3 ? 1.0 / 12 + a2 / 720 : 1 / a2 - 1 / (2 * angle * tan(angle / 2));
    } else {
        a = angle < 1e-3 ? 0.5 - a2 / 24 : (1 - cos(angle)) / a2;
        b = angle < 1e-3 ? 1.0 / 6 - a2 / 120 : (angle - sin(angle)) / (a2 * angle);
    }
    cross(u, w, v);
    cross(t, w, u);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + a * u[i] + b * t[i];
}

static void se3_plus(double out[7], const double x[7], const double step[6])
{
    double moved[3], q[4];
    se3_carry(moved, step + 3, step, false);
    quat_rotate(moved, x + 3, moved);
    quat_exp(q, step + 3);
    quat_mul(q, x + 3, q);
    quat_normalise(q);
    for (int i = 0; i < 3; i++)
        out[i] = x[i] + moved[i];
    memcpy(out + 3, q, sizeof q);
}

static void se3_minus(double step[6], const double y[7], const double x[7])
{
    double back[4], q[4], v[3];
    quat_conjugate(back, x + 3);
    quat_mul(q, back, y + 3);
    quat_log(step + 3, q);
    for (int i = 0; i < 3; i++)
        v[i] = y[i] - x[i];
    quat_rotate(v, back, v);
    se3_carry(step, step + 3, v, true);
}

static void se3_jacobian(double j[42], const double x[7])
{
    memset(j, 0, 42 * sizeof *j);
    for (int c = 0; c < 3; c++) {
        double unit[3] = {0}, column[3];
        unit[c] = 1;
        quat_rotate(column, x + 3, unit);
        for (int r = 0; r < 3; r++)
            j[6 * r + c] = column[r];
    }
    quat_jacobian(j + 6 * 3 + 3, x + 3, 6);
}

/* ---- spheres ---- */

static double norm(const double *x, uint32_t n)
{
    double largest = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    for (uint32_t i = 0; largest > 0 && i < n; i++)
        sum += x[i] / largest * (x[i] / largest);
    return largest * sqrt(sum);
}

/* The reflection I - beta v v^T that maps x to the last axis. v is x / |x| with another last
 * component; returns beta. */
static double reflection(double *v, const double *x, uint32_t n, double length)
{
    double head = 0;
    for (uint32_t i = 0; i < n; i++)
        v[i] = x[i] / length;
    for (uint32_t i = 0; i + 1 < n; i++)
        head += v[i] * v[i];
    double last = v[n - 1];
    if (head == 0 && last > 0)
        return 0;
    /* last - 1, without cancellation */
    v[n - 1] = last <= 0 ? last - 1 : -head / (last + 1);
    return 2 / (head + v[n - 1] * v[n - 1]);
}

static void reflect(double *y, const double *v, double beta, uint32_t n)
{
    double dot = 0;
    for (uint32_t i = 0; i < n; i++)
        dot += v[i] * y[i];
    for (uint32_t i = 0; i < n; i++)
        y[i] -= beta * dot * v[i];
}

static void sphere_plus(double *out, const double *x, const double *step, uint32_t n)
{
    double v[SPHERE_LARGEST], length = norm(x, n), angle = norm(step, n - 1);
    double beta = reflection(v, x, n, length), k = angle == 0 ? 1 : sin(angle) / angle;
    for (uint32_t i = 0; i + 1 < n; i++)
        out[i] = length * k * step[i];
    out[n - 1] = length * cos(angle);
    reflect(out, v, beta, n);
}

static void sphere_minus(double *step, const double *y, const double *x, uint32_t n)
{
    double v[SPHERE_LARGEST], z[SPHERE_LARGEST];
    double beta = reflection(v, x, n, norm(x, n));
    memcpy(z, y, n * sizeof *z);
    reflect(z, v, beta, n);
    double head = norm(z, n - 1), k = head == 0 ? 0 : atan2(head, z[n - 1]) / head;
    for (uint32_t i = 0; i + 1 < n; i++)
        step[i] = k * z[i];
}

static void sphere_jacobian(double *j, const double *x, uint32_t n)
{
    double v[SPHERE_LARGEST], length = norm(x, n), beta = reflection(v, x, n, length);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t c = 0; c + 1 < n; c++)
            j[(size_t)r * (n - 1) + c] = length * ((r == c) - beta * v[r] * v[c]);
}

/* ---- one part ---- */

void curved_plus(double *out, weft_solve_manifold_kind kind, uint32_t size, const double *x,
                 const double *step)
{
    double q[4];
    switch (kind) {
    case WEFT_SOLVE_SO3:    so3_plus(out, x, step); break;
    case WEFT_SOLVE_SE3:    se3_plus(out, x, step); break;
    case WEFT_SOLVE_SPHERE: sphere_plus(out, x, step, size); break;
    case WEFT_SOLVE_QUATERNION:
        quat_exp(q, step);
        quat_mul(out, x, q);
        quat_normalise(out);
        break;
    default:
        for (uint32_t i = 0; i < size; i++)
            out[i] = x[i] + step[i];
    }
}

void curved_minus(double *step, weft_solve_manifold_kind kind, uint32_t size, const double *y,
                  const double *x)
{
    double q[4];
    switch (kind) {
    case WEFT_SOLVE_SO3:    so3_minus(step, y, x); break;
    case WEFT_SOLVE_SE3:    se3_minus(step, y, x); break;
    case WEFT_SOLVE_SPHERE: sphere_minus(step, y, x, size); break;
    case WEFT_SOLVE_QUATERNION:
        quat_conjugate(q, x);
        quat_mul(q, q, y);
        quat_log(step, q);
        break;
    default:
        for (uint32_t i = 0; i < size; i++)
            step[i] = y[i] - x[i];
    }
}

void curved_jacobian(double *jacobian, weft_solve_manifold_kind kind, uint32_t size,
                     const double *x)
{
    switch (kind) {
    case WEFT_SOLVE_SO3:        so3_jacobian(jacobian, x); break;
    case WEFT_SOLVE_SE3:        se3_jacobian(jacobian, x); break;
    case WEFT_SOLVE_SPHERE:     sphere_jacobian(jacobian, x, size); break;
    case WEFT_SOLVE_QUATERNION: quat_jacobian(jacobian, x, 3); break;
    default:
        for (uint32_t i = 0; i < size * size; i++)
            jacobian[i] = i % (size + 1) == 0;
    }
}

bool curved_normalise(double *x, weft_solve_manifold_kind kind, uint32_t size)
{
    double zero[3] = {0}, length;
    for (uint32_t i = 0; i < size; i++)
        if (!isfinite(x[i]))
            return false;
    switch (kind) {
    case WEFT_SOLVE_QUATERNION: return quat_normalise(x);
    case WEFT_SOLVE_SE3:        return quat_normalise(x + 3);
    case WEFT_SOLVE_SO3:
        if (norm3(x) > 3.141592653589793)
            so3_plus(x, x, zero);
        return true;
    case WEFT_SOLVE_SPHERE:
        length = norm(x, size);
        return length > 0 && isfinite(length);
    default:
        return true;
    }
}

/* ---- whole manifolds ---- */

static bool part_sizes(ManifoldPart *p)
{
    const weft_solve_manifold *m = p->part;
    p->size = p->tangent = 3;
    switch (m->kind) {
    case WEFT_SOLVE_SO3:
        return true;
    case WEFT_SOLVE_QUATERNION:
        p->size = 4;
        return true;
    case WEFT_SOLVE_SE3:
        p->size = 7;
        p->tangent = 6;
        return true;
    case WEFT_SOLVE_SPHERE:
        p->size = m->size;
        p->tangent = m->size - 1;
        return m->size >= 2 && m->size <= SPHERE_LARGEST;
    case WEFT_SOLVE_EUCLIDEAN:
        p->size = p->tangent = m->size;
        return m->size >= 1;
    case WEFT_SOLVE_SUBSET:
        p->size = p->tangent = m->size;
        for (uint32_t i = 0; m->constant && i < m->size; i++)
            p->tangent -= m->constant[i];
        return m->size >= 1 && m->constant;
    default:
        return false;
    }
}

#define PRODUCT_DEPTH 8

static bool walk(const weft_solve_manifold *m, ManifoldPart *at,
                 bool (*visit)(void *, const ManifoldPart *), void *user, int depth)
{
    if (!m || depth > PRODUCT_DEPTH)
        return false;
    if (m->kind == WEFT_SOLVE_PRODUCT) {
        for (uint32_t i = 0; m->parts && i < m->part_count; i++)
            if (!walk(&m->parts[i], at, visit, user, depth + 1))
                return false;
        return m->parts && m->part_count > 0;
    }
    at->part = m;
    if (!part_sizes(at) || (uint64_t)at->first + at->size > UINT32_MAX || !visit(user, at))
        return false;
    at->first += at->size;
    at->at += at->tangent;
    return true;
}

bool manifold_walk(const weft_solve_manifold *m, bool (*visit)(void *user, const ManifoldPart *),
                   void *user)
{
    ManifoldPart at = {0};
    return walk(m, &at, visit, user, 1);
}

typedef struct Use {
    double       *out;
    const double *x, *y;
    uint32_t      size, tangent;
} Use;

static bool add_size(void *user, const ManifoldPart *p)
{
    Use *u = user;
    u->size += p->size;
    u->tangent += p->tangent;
    return true;
}

bool weft_solve_manifold_size(uint32_t *size, uint32_t *tangent, const weft_solve_manifold *m)
{
    Use u = {0};
    bool ok = manifold_walk(m, add_size, &u);
    *size = ok ? u.size : 0;
    *tangent = ok ? u.tangent : 0;
    return ok;
}

static bool part_plus(void *user, const ManifoldPart *p)
{
    Use *u = user;
    const double *x = u->x + p->first, *step = u->y + p->at;
    double *out = u->out + p->first;
    if (p->part->kind != WEFT_SOLVE_SUBSET) {
        curved_plus(out, p->part->kind, p->size, x, step);
        return true;
    }
    for (uint32_t i = 0; i < p->size; i++)
        out[i] = p->part->constant[i] ? x[i] : x[i] + *step++;
    return true;
}

bool weft_solve_manifold_plus(double *out, const weft_solve_manifold *m, const double *x,
                              const double *step)
{
    uint32_t size, tangent;
    return weft_solve_manifold_size(&size, &tangent, m) &&
           manifold_walk(m, part_plus, &(Use){.out = out, .x = x, .y = step});
}

static bool part_minus(void *user, const ManifoldPart *p)
{
    Use *u = user;
    const double *x = u->x + p->first, *y = u->y + p->first;
    double *out = u->out + p->at;
    if (p->part->kind != WEFT_SOLVE_SUBSET) {
        curved_minus(out, p->part->kind, p->size, y, x);
        return true;
    }
    for (uint32_t i = 0; i < p->size; i++)
        if (!p->part->constant[i])
            *out++ = y[i] - x[i];
    return true;
}

bool weft_solve_manifold_minus(double *step, const weft_solve_manifold *m, const double *y,
                               const double *x)
{
    uint32_t size, tangent;
    return weft_solve_manifold_size(&size, &tangent, m) &&
           manifold_walk(m, part_minus, &(Use){.out = step, .x = x, .y = y});
}

static bool part_jacobian(void *user, const ManifoldPart *p)
{
    Use *u = user;
    const weft_solve_manifold *m = p->part;
    bool curved = m->kind != WEFT_SOLVE_SUBSET && m->kind != WEFT_SOLVE_EUCLIDEAN;
    double one[42], *big = NULL, *j = one;
    if (m->kind == WEFT_SOLVE_SPHERE && !(j = big = malloc((size_t)p->size * p->size * 8)))
        return false;
    if (curved)
        curved_jacobian(j, m->kind, p->size, u->x + p->first);
    for (uint32_t r = 0, free_columns = 0; r < p->size; r++) {
        double *row = u->out + (size_t)(p->first + r) * u->tangent + p->at;
        for (uint32_t c = 0; curved && c < p->tangent; c++)
            row[c] = j[(size_t)r * p->tangent + c];
        if (!curved && !(m->kind == WEFT_SOLVE_SUBSET && m->constant[r]))
            row[free_columns++] = 1;
    }
    free(big);
    return true;
}

bool weft_solve_manifold_jacobian(double *jacobian, const weft_solve_manifold *m, const double *x)
{
    uint32_t size, tangent;
    if (!weft_solve_manifold_size(&size, &tangent, m))
        return false;
    memset(jacobian, 0, (size_t)size * tangent * sizeof *jacobian);
    return manifold_walk(m, part_jacobian,
                         &(Use){.out = jacobian, .x = x, .tangent = tangent});
}
