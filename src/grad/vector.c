// SPDX-License-Identifier: Apache-2.0
/*
 * vector.c - vectors, quaternions and symmetric 3x3 matrices as groups of scalar nodes.
 *
 * in     nodes
 * out    nodes
 * knows  the operators of weft/grad.h
 * not    kernels: those see scalars alone
 */
#include "grad/graph_priv.h"

typedef weft_grad_graph *G;
typedef weft_grad_node N;
typedef weft_grad_vec3 V3;

static N constant(G g, double value)
{
    return weft_grad_constant(g, value);
}

static N add(G g, N a, N b)
{
    return weft_grad_add(g, a, b);
}

static N sub(G g, N a, N b)
{
    return weft_grad_sub(g, a, b);
}

static N mul(G g, N a, N b)
{
    return weft_grad_mul(g, a, b);
}

/* ---- vectors of n components ---- */

static N dot_n(G g, const N *a, const N *b, uint32_t n)
{
    N terms[4];
    for (uint32_t i = 0; i < n; i++)
        terms[i] = mul(g, a[i], b[i]);
    return weft_grad_sum(g, terms, n);
}

/* 1 / sqrt(s), and 0 with derivative 0 where s is (nearly) 0. */
static N safe_inverse_root(G g, N s)
{
    N tiny = grad_tiny(g);
    N inverse = weft_grad_select(g, weft_grad_gt(g, s, tiny),
                                 weft_grad_rsqrt(g, weft_grad_max(g, s, tiny)), constant(g, 0));
    N slope = mul(g, mul(g, constant(g, -0.5), inverse), mul(g, inverse, inverse));
    return weft_grad_with_gradient(g, inverse, &s, &slope, 1);
}

static N safe_root(G g, N s)
{
    N inverse = safe_inverse_root(g, s);
    N slope = mul(g, constant(g, 0.5), inverse);
    return weft_grad_with_gradient(g, mul(g, s, inverse), &s, &slope, 1);
}

static void scale_n(G g, N *out, const N *a, N s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = mul(g, a[i], s);
}

static void each_n(G g, N *out, N (*op)(G, N, N), const N *a, const N *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = op(g, a[i], b[i]);
}

static void normalise_n(G g, N *out, const N *a, uint32_t n)
{
    scale_n(g, out, a, safe_inverse_root(g, dot_n(g, a, a, n)), n);
}

static void lerp_n(G g, N *out, const N *a, const N *b, N t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = weft_grad_mix(g, a[i], b[i], t);
}

#define VECTOR(V, n)                                                                         \
    V V##_add(G g, V a, V b)                                                                 \
    {                                                                                        \
        V r;                                                                                 \
        each_n(g, &r.x, add, &a.x, &b.x, n);                                                 \
        return r;                                                                            \
    }                                                                                        \
    V V##_sub(G g, V a, V b)                                                                 \
    {                                                                                        \
        V r;                                                                                 \
        each_n(g, &r.x, sub, &a.x, &b.x, n);                                                 \
        return r;                                                                            \
    }                                                                                        \
    V V##_scale(G g, V a, N s)                                                               \
    {                                                                                        \
        V r;                                                                                 \
        scale_n(g, &r.x, &a.x, s, n);                                                        \
        return r;                                                                            \
    }                                                                                        \
    V V##_normalise(G g, V a)                                                                \
    {                                                                                        \
        V r;                                                                                 \
        normalise_n(g, &r.x, &a.x, n);                                                       \
        return r;                                                                            \
    }                                                                                        \
    V V##_lerp(G g, V a, V b, N t)                                                           \
    {                                                                                        \
        V r;                                                                                 \
        lerp_n(g, &r.x, &a.x, &b.x, t, n);                                                   \
        return r;                                                                            \
    }                                                                                        \
    N V##_dot(G g, V a, V b)                                                                 \
    {                                                                                        \
        return dot_n(g, &a.x, &b.x, n);                                                      \
    }                                                                                        \
    N V##_length(G g, V a)                                                                   \
    {                                                                                        \
        return safe_root(g, dot_n(g, &a.x, &a.x, n));                                        \
    }                                                                                        \
    N V##_distance(G g, V a, V b)                                                            \
    {                                                                                        \
        return V##_length(g, V##_sub(g, a, b));                                              \
    }
VECTOR(weft_grad_vec2, 2)
VECTOR(weft_grad_vec3, 3)
VECTOR(weft_grad_vec4, 4)
#undef VECTOR

/* a b - c d */
static N cross_term(G g, N a, N b, N c, N d)
{
    return sub(g, mul(g, a, b), mul(g, c, d));
}

weft_grad_node weft_grad_vec2_cross(G g, weft_grad_vec2 a, weft_grad_vec2 b)
{
    return cross_term(g, a.x, b.y, a.y, b.x);
}

weft_grad_vec3 weft_grad_vec3_cross(G g, V3 a, V3 b)
{
    return (V3){cross_term(g, a.y, b.z, a.z, b.y), cross_term(g, a.z, b.x, a.x, b.z),
                cross_term(g, a.x, b.y, a.y, b.x)};
}

weft_grad_node weft_grad_vec3_angle(G g, V3 a, V3 b)
{
    return weft_grad_atan2(g, weft_grad_vec3_length(g, weft_grad_vec3_cross(g, a, b)),
                           weft_grad_vec3_dot(g, a, b));
}

/* ---- rotations ---- */

/* Below this squared angle the series are used; their first omitted terms are below 1e-18. */
#define SERIES_BELOW 1e-2

static N series(G g, N s, const double *c, uint32_t count)
{
    N value = constant(g, c[count - 1]);
    for (uint32_t i = count - 1; i-- > 0;)
        value = add(g, mul(g, value, s), constant(g, c[i]));
    return value;
}

/* sin(t)/t and (1 - cos(t))/t^2 as functions of s = t^2, smooth at 0. */
static void rotation_factors(G g, N out[2], N s)
{
    static const double a[] = {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880};
    static const double da[] = {-1.0 / 6, 1.0 / 60, -1.0 / 1680, 1.0 / 90720, -1.0 / 7983360};
    static const double b[] = {1.0 / 2, -1.0 / 24, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800};
    static const double db[] = {-1.0 / 24, 1.0 / 360, -1.0 / 13440, 1.0 / 907200,
                                -1.0 / 95800320};
    N large = weft_grad_gt(g, s, constant(g, SERIES_BELOW));
    N safe = weft_grad_max(g, s, constant(g, SERIES_BELOW));
    N root = weft_grad_rsqrt(g, safe), t = mul(g, safe, root);
    N sine = weft_grad_sin(g, t), cosine = weft_grad_cos(g, t), inverse = mul(g, root, root);
    N va = weft_grad_select(g, large, mul(g, sine, root), series(g, s, a, COUNTOF(a)));
    N vb = weft_grad_select(g, large, mul(g, sub(g, constant(g, 1), cosine), inverse),
                            series(g, s, b, COUNTOF(b)));
    N half = mul(g, constant(g, 0.5), inverse);
    N pa = weft_grad_select(g, large, mul(g, sub(g, cosine, va), half),
                            series(g, s, da, COUNTOF(da)));
    N pb = weft_grad_select(g, large, mul(g, sub(g, va, mul(g, constant(g, 2), vb)), half),
                            series(g, s, db, COUNTOF(db)));
    out[0] = weft_grad_with_gradient(g, va, &s, &pa, 1);
    out[1] = weft_grad_with_gradient(g, vb, &s, &pb, 1);
}

/* The rotation matrix first: its entries depend on w alone, so instances that share w share
 * them. R = I + A [w] + B (w w' - s I), A = sin(t)/t, B = (1 - cos(t))/t^2. */
weft_grad_vec3 weft_grad_rotate_axis(G g, V3 w, V3 v)
{
    N s = weft_grad_vec3_dot(g, w, w), f[2];
    rotation_factors(g, f, s);
    N ax = mul(g, f[0], w.x), ay = mul(g, f[0], w.y), az = mul(g, f[0], w.z);
    N bx = mul(g, f[1], w.x), by = mul(g, f[1], w.y), bz = mul(g, f[1], w.z);
    N c = sub(g, constant(g, 1), mul(g, f[1], s));
    N xy = mul(g, bx, w.y), xz = mul(g, bx, w.z), yz = mul(g, by, w.z);
    V3 rows[3] = {
        {add(g, c, mul(g, bx, w.x)), sub(g, xy, az), add(g, xz, ay)},
        {add(g, xy, az), add(g, c, mul(g, by, w.y)), sub(g, yz, ax)},
        {sub(g, xz, ay), add(g, yz, ax), add(g, c, mul(g, bz, w.z))},
    };
    return (V3){weft_grad_vec3_dot(g, rows[0], v), weft_grad_vec3_dot(g, rows[1], v),
                weft_grad_vec3_dot(g, rows[2], v)};
}

weft_grad_vec4 weft_grad_quat_conjugate(G g, weft_grad_vec4 q)
{
    return (weft_grad_vec4){weft_grad_neg(g, q.x), weft_grad_neg(g, q.y), weft_grad_neg(g, q.z),
                            q.w};
}

weft_grad_vec4 weft_grad_quat_mul(G g, weft_grad_vec4 a, weft_grad_vec4 b)
{
    V3 av = {a.x, a.y, a.z}, bv = {b.x, b.y, b.z}, c = weft_grad_vec3_cross(g, av, bv);
    V3 v = weft_grad_vec3_add(g, c, weft_grad_vec3_add(g, weft_grad_vec3_scale(g, bv, a.w),
                                                       weft_grad_vec3_scale(g, av, b.w)));
    return (weft_grad_vec4){v.x, v.y, v.z,
                            sub(g, mul(g, a.w, b.w), weft_grad_vec3_dot(g, av, bv))};
}

/* v + 2 w (q x v) + 2 q x (q x v) */
weft_grad_vec3 weft_grad_quat_rotate(G g, weft_grad_vec4 q, V3 v)
{
    V3 axis = {q.x, q.y, q.z}, t = weft_grad_vec3_cross(g, axis, v);
    t = weft_grad_vec3_scale(g, t, constant(g, 2));
    return weft_grad_vec3_add(g, v, weft_grad_vec3_add(g, weft_grad_vec3_scale(g, t, q.w),
                                                       weft_grad_vec3_cross(g, axis, t)));
}

/* ---- eigenvalues ---- */

static V3 choose(G g, N condition, V3 a, V3 b)
{
    return (V3){weft_grad_select(g, condition, a.x, b.x), weft_grad_select(g, condition, a.y, b.y),
                weft_grad_select(g, condition, a.z, b.z)};
}

static V3 longer(G g, V3 a, V3 b)
{
    return choose(g, weft_grad_ge(g, weft_grad_vec3_dot(g, a, a), weft_grad_vec3_dot(g, b, b)),
                  a, b);
}

/* A unit vector orthogonal to a, or the x axis if a is 0. */
static V3 orthogonal(G g, V3 a)
{
    N zero = constant(g, 0);
    N flat = weft_grad_gt(g, weft_grad_abs(g, a.x), weft_grad_abs(g, a.z));
    V3 one = {weft_grad_neg(g, a.y), a.x, zero}, two = {zero, weft_grad_neg(g, a.z), a.y};
    V3 v = weft_grad_vec3_normalise(g, choose(g, flat, one, two));
    V3 axis = {constant(g, 1), zero, zero};
    return choose(g, weft_grad_gt(g, weft_grad_vec3_dot(g, v, v), zero), v, axis);
}

/* A unit eigenvector of the matrix with rows r for its simple or double eigenvalue l: the
 * longest cross product of two rows of M - l I, or, where these vanish, a vector orthogonal to
 * its longest row. */
static V3 eigenvector(G g, const N m[6], N l, N scale)
{
    V3 r[3] = {{sub(g, m[0], l), m[1], m[2]}, {m[1], sub(g, m[3], l), m[4]},
               {m[2], m[4], sub(g, m[5], l)}};
    V3 best = longer(g, longer(g, weft_grad_vec3_cross(g, r[0], r[1]),
                               weft_grad_vec3_cross(g, r[0], r[2])),
                     weft_grad_vec3_cross(g, r[1], r[2]));
    V3 row = longer(g, longer(g, r[0], r[1]), r[2]);
    N limit = mul(g, constant(g, 1e-24), weft_grad_square(g, scale));
    N simple = weft_grad_gt(g, weft_grad_vec3_dot(g, best, best), limit);
    return choose(g, simple, weft_grad_vec3_normalise(g, best), orthogonal(g, row));
}

/* With the declared derivative dl = sum of v_i v_j dm_ij. */
static N eigenvalue(G g, const N m[6], N value, N scale)
{
    V3 v = eigenvector(g, m, value, scale);
    N two = constant(g, 2);
    N partials[6] = {
        mul(g, v.x, v.x), mul(g, two, mul(g, v.x, v.y)), mul(g, two, mul(g, v.x, v.z)),
        mul(g, v.y, v.y), mul(g, two, mul(g, v.y, v.z)), mul(g, v.z, v.z),
    };
    return weft_grad_with_gradient(g, value, m, partials, 6);
}

/* The trigonometric solution of the characteristic equation of (M - q I) / p. */
bool weft_grad_eigenvalues(weft_grad_node out[3], G g, const N m[6])
{
    for (int i = 0; i < 3; i++)
        out[i] = 0;
    N third = constant(g, 1.0 / 3), two = constant(g, 2);
    N q = mul(g, weft_grad_sum(g, (N[]){m[0], m[3], m[5]}, 3), third);
    V3 d = {sub(g, m[0], q), sub(g, m[3], q), sub(g, m[5], q)}, o = {m[1], m[2], m[4]};
    N spread = add(g, weft_grad_vec3_dot(g, d, d), mul(g, two, weft_grad_vec3_dot(g, o, o)));
    N p2 = mul(g, spread, constant(g, 1.0 / 6));
    N root = safe_inverse_root(g, p2), p = mul(g, p2, root);
    d = weft_grad_vec3_scale(g, d, root);
    o = weft_grad_vec3_scale(g, o, root);
    N minor = cross_term(g, d.y, d.z, o.z, o.z);
    N det = add(g, mul(g, d.x, minor), sub(g,
        mul(g, o.y, cross_term(g, o.x, o.z, d.y, o.y)),
        mul(g, o.x, cross_term(g, o.x, d.z, o.z, o.y))));
    N r = weft_grad_clamp(g, mul(g, constant(g, 0.5), det), constant(g, -1), constant(g, 1));
    N phi = mul(g, weft_grad_acos(g, r), third), p_2 = mul(g, two, p);
    N high = add(g, q, mul(g, p_2, weft_grad_cos(g, phi)));
    N low = add(g, q, mul(g, p_2, weft_grad_cos(g, add(g, phi,
                                                       constant(g, 2.09439510239319549231)))));
    N middle = sub(g, sub(g, mul(g, constant(g, 3), q), high), low);
    N values[3] = {low, middle, high};
    for (int i = 0; i < 3; i++)
        out[i] = eigenvalue(g, m, values[i], spread);
    return out[2] != 0;
}
