// SPDX-License-Identifier: Apache-2.0
/*
 * program_test.c - derivatives as programs (elimination, simplification, fusion) against
 * immediate evaluation, and immediate evaluation against central differences.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grad/emit_priv.h"
#include "random_graph.h"

static weft_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weft_context_release(ctx);
    return 0;
}

static void assert_no_error(void)
{
    if (weft_context_error(ctx)->kind != WEFT_ERROR_NONE)
        fail_msg("%s", weft_context_error(ctx)->message);
}

/* Evaluates the nodes of a program in f64, as its kernel would. */
static double *interpret(const Program *p, const double *inputs, const double *data)
{
    const Nodes *n = &p->nodes;
    double *v = calloc(n->nodes.len + 1, sizeof *v);
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        double a[2 * SUM_TERMS + 1];
        for (uint32_t i = 0; i < node->count; i++)
            a[i] = v[nodes_args(n, id)[i]];
        switch (node->op) {
        case OP_CONST: v[id] = node->value; break;
        case OP_TINY:  v[id] = TINY_F64; break;
        case OP_INPUT: v[id] = inputs[node->slot]; break;
        case OP_DATA:  v[id] = data[node->slot]; break;
        case OP_WEIGHT: v[id] = 1.5 + (double)node->slot; break;
        case OP_TANGENT: v[id] = 0.5 - (double)node->slot; break;
        case OP_GIVEN: v[id] = a[0]; break;
        default:       v[id] = grad_value_of((Op)node->op, a, node->count);
        }
    }
    return v;
}

static void assert_close(double have, double want, double tolerance, const char *what)
{
    if (!(fabs(have - want) <= tolerance * fmax(1, fabs(want))) &&
        !(isnan(have) && isnan(want)) && have != want)
        fail_msg("%s: %.17g instead of %.17g", what, have, want);
}

/* Jacobian, gradient, normal matrix and directional derivative of one graph. */
static void compare(weft_grad_graph *g, const double *inputs, const double *data, bool fuse,
                    uint32_t uniform)
{
    Canon canon;
    assert_true(canon_make(&canon, g));
    const weft_grad_graph *c = canon.graph;
    /* inputs in canonical order */
    double *ci = calloc(c->inputs + 1, sizeof(double));
    double *cd = calloc(c->data.len + 1, sizeof(double));
    for (uint32_t b = 0; b < g->blocks.len; b++)
        for (uint32_t i = 0; canon.block[b] != NODE_NONE && i < g->blocks.data[b].size; i++)
            ci[c->blocks.data[canon.block[b]].first + i] = inputs[g->blocks.data[b].first + i];
    for (uint32_t d = 0; d < g->data.len; d++)
        if (canon.data[d] != NODE_NONE)
            cd[canon.data[d]] = data[d];

    uint32_t outputs = c->outputs.len, columns = c->active;
    double *values = calloc(outputs, sizeof(double));
    double *j = calloc((size_t)outputs * columns + 1, sizeof(double));
    assert_true(weft_grad_graph_evaluate(values, j, canon.graph, ci, cd));
    Program p;
    uint32_t all = WEFT_GRAD_VALUES | WEFT_GRAD_JACOBIAN | WEFT_GRAD_GRADIENT |
                   WEFT_GRAD_NORMAL | WEFT_GRAD_TANGENT | PRODUCT_COST;
    grad_program_make(&p, c, &(ProgramSpec){all, WEFT_GRAD_GIVEN, uniform, fuse});
    double *v = interpret(&p, ci, cd);
    const uint32_t *e = p.entries.data;
    for (uint32_t o = 0; o < outputs; o++)
        assert_close(v[e[o]], values[o], 1e-12, "value");
    for (uint32_t i = 0; i < outputs * columns; i++)
        assert_close(p.pattern[i].stored < 0 ? p.pattern[i].constant
                                             : v[e[p.first[PART_JACOBIAN] + p.pattern[i].stored]],
                     j[i], 1e-11, "Jacobian");
    for (uint32_t i = 0; i < columns; i++) {
        double want = 0;
        for (uint32_t o = 0; o < outputs; o++)
            want += j[o * columns + i] * (1.5 + o);
        assert_close(p.gradient[i] < 0 ? 0 : v[e[p.first[PART_GRADIENT] + p.gradient[i]]], want,
                     1e-11, "gradient");
    }
    for (uint32_t o = 0; o < outputs; o++) {
        double want = 0;
        for (uint32_t i = 0; i < columns; i++)
            want += j[o * columns + i] * (0.5 - i);
        assert_close(v[e[p.first[PART_TANGENT] + o]], want, 1e-11, "directional derivative");
    }
    for (uint32_t k = 0; k < p.normal.len; k++) {
        double want = 0;
        for (uint32_t o = 0; o < outputs; o++)
            want += j[o * columns + p.normal.data[k].row] *
                    j[o * columns + p.normal.data[k].column];
        assert_close(v[e[p.first[PART_NORMAL] + k]], want, 1e-11, "normal matrix");
    }
    free(v);
    grad_program_fini(&p);
    /* the gradient alone, by reverse mode */
    grad_program_make(&p, c, &(ProgramSpec){WEFT_GRAD_GRADIENT, WEFT_GRAD_RESIDUALS, uniform,
                                            fuse});
    v = interpret(&p, ci, cd);
    for (uint32_t i = 0; i < columns; i++) {
        double want = 0;
        for (uint32_t o = 0; o < outputs; o++)
            want += j[o * columns + i] * values[o];
        assert_close(p.gradient[i] < 0 ? 0 : v[p.entries.data[p.gradient[i]]], want, 1e-11,
                     "gradient by reverse mode");
    }
    free(v);
    grad_program_fini(&p);
    free(values);
    free(j);
    free(ci);
    free(cd);
    weft_grad_graph_release(canon.graph);
}

static void test_every_operator_is_differentiated(void **state)
{
    (void)state;
    Random r = {7};
    for (uint32_t op = 1; op < WEFT_GRAD_OP_COUNT; op++) {
        uint32_t arity = 0;
        assert_non_null(weft_grad_op_name((weft_grad_op)op, &arity));
        arity = arity ? arity : 5;
        weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
        weft_grad_node a[8];
        weft_grad_input(a, g, "a", arity);
        weft_grad_output(g, random_apply(g, (weft_grad_op)op, a, arity), NULL);
        assert_no_error();
        for (int trial = 0; trial < 8; trial++) {
            double x[8], error = 1;
            for (uint32_t i = 0; i < arity; i++)
                x[i] = random_between(&r, -1.5, 1.5);
            assert_true(weft_grad_graph_check(&error, NULL, NULL, g, x, NULL, 0));
            if (!(error < 1e-7))
                fail_msg("%s: %g from central differences",
                         weft_grad_op_name((weft_grad_op)op, NULL), error);
            compare(g, x, NULL, trial & 1, trial & 2 ? UNIFORM_ALL : NODE_NONE);
        }
        weft_grad_graph_release(g);
    }
}

static void test_random_graphs(void **state)
{
    (void)state;
    Random r = {1234};
    for (int trial = 0; trial < 300; trial++) {
        RandomGraphDesc desc = {1 + random_below(&r, 4), random_below(&r, 4),
                                1 + random_below(&r, 60), 1 + random_below(&r, 4)};
        weft_grad_graph *g = random_graph(ctx, &r, &desc);
        assert_no_error();
        double x[64], d[8];
        for (int i = 0; i < 64; i++)
            x[i] = random_between(&r, -2, 2);
        for (int i = 0; i < 8; i++)
            d[i] = random_between(&r, -2, 2);
        compare(g, x, d, trial & 1, trial & 2 ? 0 : NODE_NONE);
        weft_grad_graph_release(g);
    }
}

/* ---- kinks and branches ---- */

static double derivative_of(weft_grad_op op, double x, double y)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node a[3];
    uint32_t arity;
    weft_grad_op_name(op, &arity);
    weft_grad_input(a, g, "a", 1);
    a[1] = weft_grad_constant(g, y);
    a[2] = weft_grad_constant(g, 1);
    weft_grad_output(g, weft_grad_apply(g, op, a, arity), NULL);
    double v, d;
    assert_true(weft_grad_graph_evaluate(&v, &d, g, &x, NULL));
    compare(g, &x, NULL, false, NODE_NONE);
    weft_grad_graph_release(g);
    return d;
}

static void test_derivatives_at_kinks(void **state)
{
    (void)state;
    assert_true(derivative_of(WEFT_GRAD_ABS, 0, 0) == 1);
    assert_true(derivative_of(WEFT_GRAD_RELU, 0, 0) == 0);
    assert_true(derivative_of(WEFT_GRAD_MIN, 0.5, 0.5) == 0);
    assert_true(derivative_of(WEFT_GRAD_MAX, 0.5, 0.5) == 0);
    assert_true(derivative_of(WEFT_GRAD_CLAMP, -1, -1) == 0);
    assert_true(derivative_of(WEFT_GRAD_CLAMP, 1, -1) == 0);
    assert_true(derivative_of(WEFT_GRAD_CLAMP, 0.5, -1) == 1);
    assert_true(derivative_of(WEFT_GRAD_FLOOR, 1, 0) == 0);
    assert_true(derivative_of(WEFT_GRAD_ROUND, 0.5, 0) == 0);
    assert_true(derivative_of(WEFT_GRAD_SIGN, 0, 0) == 0);
    assert_true(derivative_of(WEFT_GRAD_MOD, 5.5, 2) == 1);
}

/* select(x > 0, log(x) or sqrt(x) or 1/x, x): at x <= 0 the branch not taken is not finite. */
static void test_a_branch_not_taken_does_not_poison(void **state)
{
    (void)state;
    static const weft_grad_op risky[] = {WEFT_GRAD_LOG, WEFT_GRAD_SQRT, WEFT_GRAD_RECIPROCAL,
                                         WEFT_GRAD_RSQRT, WEFT_GRAD_ACOSH};
    for (size_t i = 0; i < COUNTOF(risky); i++) {
        weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
        weft_grad_node x;
        weft_grad_input(&x, g, "x", 1);
        weft_grad_node deep = weft_grad_mul(g, weft_grad_apply(g, risky[i], &x, 1),
                                            weft_grad_exp(g, x));
        weft_grad_node c = weft_grad_gt(g, x, weft_grad_constant(g, 0));
        weft_grad_output(g, weft_grad_mul(g, weft_grad_constant(g, 3),
                                          weft_grad_select(g, c, deep, x)), NULL);
        double at[2] = {0, -2}, v, d;
        for (int k = 0; k < 2; k++) {
            assert_true(weft_grad_graph_evaluate(&v, &d, g, &at[k], NULL));
            assert_true(v == 3 * at[k] && d == 3);
            compare(g, &at[k], NULL, k, NODE_NONE);
        }
        weft_grad_graph_release(g);
    }
}

/* ---- vectors ---- */

static void test_vectors_and_quaternions(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node n[10];
    weft_grad_input(n, g, "v", 10);
    weft_grad_vec3 a = {n[0], n[1], n[2]}, b = {n[3], n[4], n[5]};
    weft_grad_vec4 q = {n[6], n[7], n[8], n[9]};
    weft_grad_vec3 r = weft_grad_quat_rotate(g, weft_grad_vec4_normalise(g, q), a);
    weft_grad_vec3 w = weft_grad_rotate_axis(g, b, a);
    weft_grad_vec4 s = weft_grad_quat_mul(g, q, weft_grad_quat_conjugate(g, q));
    weft_grad_output(g, weft_grad_vec3_length(g, r), "length");
    weft_grad_output(g, weft_grad_vec3_length(g, w), "turned");
    weft_grad_output(g, w.x, "x");
    weft_grad_output(g, r.y, "y");
    weft_grad_output(g, weft_grad_vec3_angle(g, a, b), "angle");
    weft_grad_output(g, s.w, "norm");
    weft_grad_output(g, s.x, "zero");
    weft_grad_output(g, weft_grad_vec3_distance(g, a, weft_grad_vec3_lerp(g, a, b, n[6])), "d");
    assert_no_error();
    double x[10] = {0.3, -1.2, 0.7, 0.4, 0.9, -0.2, 0.1, 0.5, -0.3, 0.8}, v[8], error;
    assert_true(weft_grad_graph_evaluate(v, NULL, g, x, NULL));
    double length = sqrt(0.09 + 1.44 + 0.49);
    assert_close(v[0], length, 1e-14, "rotation keeps the length");
    assert_close(v[1], length, 1e-14, "rotation keeps the length");
    assert_close(v[5], 0.01 + 0.25 + 0.09 + 0.64, 1e-14, "q q*");
    assert_true(fabs(v[6]) < 1e-15);
    assert_true(weft_grad_graph_check(&error, NULL, NULL, g, x, NULL, 0));
    assert_true(error < 1e-8);
    compare(g, x, NULL, true, NODE_NONE);
    /* no rotation at all, and vectors of length 0 */
    double zero[10] = {0.3, -1.2, 0.7, 0, 0, 0, 0, 0, 0, 1}, j[80];
    assert_true(weft_grad_graph_evaluate(v, j, g, zero, NULL));
    assert_close(v[2], 0.3, 1e-15, "no rotation");
    for (int i = 0; i < 40; i++)
        assert_true(isfinite(j[i]));
    assert_close(j[2 * 10 + 4], 0.7, 1e-15, "d x / d axis_y = z");
    weft_grad_graph_release(g);
}

static void test_eigenvalues(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node m[6], l[3];
    weft_grad_input(m, g, "m", 6);
    assert_true(weft_grad_eigenvalues(l, g, m));
    for (int i = 0; i < 3; i++)
        weft_grad_output(g, l[i], NULL);
    double diagonal[6] = {3, 0, 0, 1, 0, 2}, v[3], j[18], error;
    assert_true(weft_grad_graph_evaluate(v, j, g, diagonal, NULL));
    for (int i = 0; i < 3; i++)
        assert_close(v[i], i + 1, 1e-14, "eigenvalue");
    assert_close(j[3], 1, 1e-14, "d l0 / d m11");
    double dense[6] = {2, 0.5, -0.3, 1, 0.2, 0.4};
    assert_true(weft_grad_graph_check(&error, NULL, NULL, g, dense, NULL, 0));
    assert_true(error < 1e-7);
    compare(g, dense, NULL, true, NODE_NONE);
    /* equal eigenvalues: derivatives of a unit matrix's trace are those of one eigenvector */
    double unit[6] = {1, 0, 0, 1, 0, 1};
    assert_true(weft_grad_graph_evaluate(v, j, g, unit, NULL));
    for (int i = 0; i < 3; i++) {
        assert_close(v[i], 1, 1e-14, "eigenvalue of the unit matrix");
        assert_close(j[i * 6] + j[i * 6 + 3] + j[i * 6 + 5], 1, 1e-14, "unit eigenvector");
    }
    weft_grad_graph_release(g);
}

/* ---- transformations ---- */

static void test_signature_ignores_order_and_names(void **state)
{
    (void)state;
    uint8_t hash[3][32];
    uint32_t order[3][2];
    for (int k = 0; k < 3; k++) {
        weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
        weft_grad_node a, b, p, q;
        weft_grad_input(k == 1 ? &b : &a, g, k == 1 ? "second" : "a", 1);
        weft_grad_input(k == 1 ? &a : &b, g, k == 1 ? "first" : "b", 1);
        weft_grad_node unused = weft_grad_sin(g, b);
        (void)unused;
        p = weft_grad_square(g, a);
        q = weft_grad_exp(g, b);
        weft_grad_output(g, weft_grad_sub(g, p, weft_grad_mul(g, q,
                         weft_grad_constant(g, k == 2 ? 3 : 2))), NULL);
        assert_true(weft_grad_graph_signature(hash[k], order[k], g));
        weft_grad_graph_release(g);
    }
    assert_memory_equal(hash[0], hash[1], 32);
    assert_true(memcmp(hash[0], hash[2], 32) != 0);
    assert_int_equal(order[0][0], 0);
    assert_int_equal(order[1][0], 1);
}

static uint32_t statements(weft_grad_graph *g, uint32_t products)
{
    Canon canon;
    Program p;
    assert_true(canon_make(&canon, g));
    grad_program_make(&p, canon.graph, &(ProgramSpec){products, WEFT_GRAD_ONES, NODE_NONE, false});
    uint32_t count = p.statements;
    grad_program_fini(&p);
    weft_grad_graph_release(canon.graph);
    return count;
}

static void test_constants_and_repetitions_are_removed(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x;
    weft_grad_input(&x, g, "x", 1);
    weft_grad_node two = weft_grad_add(g, weft_grad_constant(g, 1), weft_grad_constant(g, 1));
    weft_grad_node s1 = weft_grad_mul(g, x, two), s2 = weft_grad_mul(g, two, x);
    weft_grad_sin(g, s1);                                           /* dead */
    weft_grad_output(g, weft_grad_add(g, weft_grad_pow(g, s1, two), weft_grad_mul(g, s2,
                     weft_grad_constant(g, 1))), NULL);
    assert_int_equal(statements(g, WEFT_GRAD_VALUES), 3);           /* s, s s, sum */
    weft_grad_graph_release(g);
}

/* f(x1..xn) -> one value: reverse mode is linear in n; one input and many outputs: forward. */
static void test_modes_by_cost(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x[64], y = weft_grad_constant(g, 1);
    weft_grad_input(x, g, "x", 64);
    for (int i = 0; i < 64; i++)
        y = weft_grad_mul(g, weft_grad_add(g, y, x[i]), x[i]);
    weft_grad_output(g, y, NULL);
    assert_true(statements(g, WEFT_GRAD_JACOBIAN) < 6 * 64);
    weft_grad_graph_release(g);

    g = weft_grad_graph_create(ctx, NULL);
    weft_grad_input(x, g, "x", 1);
    y = x[0];
    for (int i = 0; i < 64; i++) {
        y = weft_grad_mul(g, y, x[0]);
        weft_grad_output(g, y, NULL);
    }
    assert_true(statements(g, WEFT_GRAD_JACOBIAN) < 6 * 64);
    weft_grad_graph_release(g);
}

static void test_fused_graphs_share(void **state)
{
    (void)state;
    weft_grad_graph *g[2];
    for (int k = 0; k < 2; k++) {
        g[k] = weft_grad_graph_create(ctx, NULL);
        weft_grad_node x[2], s;
        weft_grad_input(x, g[k], "x", 2);
        s = weft_grad_hypot(g[k], x[0], x[1]);
        weft_grad_output(g[k], k ? weft_grad_log(g[k], s) : weft_grad_exp(g[k], s), NULL);
    }
    weft_grad_graph *both = weft_grad_graph_fuse(ctx, g, 2);
    assert_non_null(both);
    weft_grad_graph_info info;
    assert_true(weft_grad_graph_get_info(&info, both));
    assert_int_equal(info.outputs, 2);
    assert_int_equal(info.inputs, 2);
    assert_true(statements(both, WEFT_GRAD_VALUES) <
                statements(g[0], WEFT_GRAD_VALUES) + statements(g[1], WEFT_GRAD_VALUES));
    double x[2] = {3, 4}, v[2];
    assert_true(weft_grad_graph_evaluate(v, NULL, both, x, NULL));
    assert_close(v[0], exp(5), 1e-15, "exp");
    assert_close(v[1], log(5), 1e-15, "log");
    weft_grad_graph_release(both);
    weft_grad_graph_release(g[0]);
    weft_grad_graph_release(g[1]);
}

/* ---- huge, deep ---- */

#ifdef WEFT_STRESS                      /* arrays move at every push there */
#define CHAIN 500
#else
#define CHAIN 25000
#endif

static void test_a_graph_of_50000_nodes_in_a_chain(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x[4], y;
    weft_grad_input(x, g, "x", 4);
    y = x[0];
    for (int i = 0; i < CHAIN; i++)
        y = weft_grad_mul(g, weft_grad_add(g, y, x[i % 4]), weft_grad_constant(g, 0.5));
    weft_grad_output(g, y, NULL);
    assert_no_error();
    double in[4] = {1, 2, 3, 4};
    compare(g, in, NULL, true, NODE_NONE);
    Canon canon;
    Program p;
    Kernel kernel;
    Arena arena;
    arena_init(&arena, 0);
    assert_true(canon_make(&canon, g));
    grad_program_make(&p, canon.graph, &(ProgramSpec){WEFT_GRAD_VALUES | WEFT_GRAD_JACOBIAN,
                                                 WEFT_GRAD_ONES, NODE_NONE, false});
    grad_emit(&kernel, &arena, &p, &(KernelSpec){.layout = WEFT_GRAD_AUTO});
    assert_true(strlen(kernel.text) > 40 * CHAIN);
    grad_program_fini(&p);
    arena_fini(&arena);
    weft_grad_graph_release(canon.graph);
    weft_grad_graph_release(g);
}

/* ---- errors ---- */

static void expect_error(weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("'%s' instead of '%s'", e->message, part);
    weft_context_error_clear(ctx);
}

static void test_wrong_nodes_are_errors(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL), *h = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x, y;
    weft_grad_input(&x, g, "x", 1);
    weft_grad_input(&y, h, "y", 1);
    assert_true(weft_grad_add(g, x, y) == 0);
    expect_error(WEFT_ERROR_INVALID, "is not a node of this graph");
    assert_true(weft_grad_sin(g, x) == 0);          /* failed graphs stay failed */
    expect_error(WEFT_ERROR_INVALID, "an earlier call");
    assert_true(weft_grad_sin(h, 0) == 0);
    expect_error(WEFT_ERROR_INVALID, "a node is 0");
    weft_grad_graph_release(g);
    weft_grad_graph_release(h);

    g = weft_grad_graph_create(ctx, &(weft_grad_graph_desc){.node_limit = 10});
    weft_grad_input(&x, g, "x", 1);
    for (int i = 0; i < 20; i++)
        x = weft_grad_sin(g, x);
    assert_true(x == 0);
    expect_error(WEFT_ERROR_MEMORY, "node_limit");
    double v;
    assert_false(weft_grad_graph_evaluate(&v, NULL, g, &v, NULL));
    weft_context_error_clear(ctx);
    weft_grad_graph_release(g);

    g = weft_grad_graph_create(ctx, NULL);
    assert_true(weft_grad_constant(g, NAN) == 0);
    expect_error(WEFT_ERROR_INVALID, "NaN");
    weft_grad_graph_release(g);
    g = weft_grad_graph_create(ctx, NULL);
    assert_false(weft_grad_graph_evaluate(&v, NULL, g, &v, NULL));
    expect_error(WEFT_ERROR_INVALID, "no output");
    assert_true(weft_grad_apply(g, (weft_grad_op)9999, &x, 1) == 0);
    expect_error(WEFT_ERROR_INVALID, "unknown operator");
    weft_grad_graph_release(g);
    assert_true(weft_grad_sum(NULL, NULL, 0) == 0);
}

static void test_values_that_are_not_finite(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x;
    weft_grad_input(&x, g, "x", 1);
    weft_grad_output(g, weft_grad_reciprocal(g, x), NULL);
    weft_grad_output(g, weft_grad_log(g, x), NULL);
    double at[3] = {0, NAN, -INFINITY}, v[2];
    for (int i = 0; i < 3; i++) {
        assert_true(weft_grad_graph_evaluate(v, NULL, g, &at[i], NULL));
        compare(g, &at[i], NULL, false, NODE_NONE);
    }
    assert_true(weft_grad_graph_evaluate(v, NULL, g, &at[0], NULL));
    assert_true(isinf(v[0]) && isinf(v[1]));
    weft_grad_graph_release(g);
}

/* Calls with swapped arguments are one node, so NaN counts in either place. */
static void test_min_and_max_of_nan(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x[2];
    weft_grad_input(x, g, "x", 2);
    weft_grad_output(g, weft_grad_min(g, x[0], x[1]), NULL);
    weft_grad_output(g, weft_grad_max(g, x[0], x[1]), NULL);
    weft_grad_output(g, weft_grad_relu(g, weft_grad_add(g, x[0], x[1])), NULL);
    double at[2][2] = {{NAN, 1}, {1, NAN}}, v[3];
    for (int i = 0; i < 2; i++) {
        assert_true(weft_grad_graph_evaluate(v, NULL, g, at[i], NULL));
        assert_true(isnan(v[0]) && isnan(v[1]) && isnan(v[2]));
    }
    weft_grad_graph_release(g);
}

/* ---- text ---- */

static void test_the_kernel_of_a_times_2_plus_b(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, &(weft_grad_graph_desc){.label = "a*2 + b"});
    weft_grad_node a, b;
    weft_grad_input(&a, g, "a", 1);
    weft_grad_input(&b, g, "b", 1);
    weft_grad_output(g, weft_grad_add(g, weft_grad_mul(g, a, weft_grad_constant(g, 2)), b), "sum");
    const char *text = weft_grad_graph_wgsl(g, &(weft_grad_kernel_desc){
        .dialect = WEFT_GRAD_WGSL_F32, .layout = WEFT_GRAD_AOS});
    assert_non_null(text);
    FILE *file = fopen(WEFT_TEST_DIR "/a_times_2_plus_b.wgsl", "rb");
    assert_non_null(file);
    char golden[4096] = {0};
    size_t size = fread(golden, 1, sizeof golden - 1, file);
    fclose(file);
    assert_true(size > 0);
    assert_string_equal(text, golden);
    text = weft_grad_graph_wgsl(g, &(weft_grad_kernel_desc){.dialect = WEFT_GRAD_NAGA_F64});
    assert_non_null(text);
    assert_null(strstr(text, "enable"));
    assert_non_null(strstr(text, "a * 2.0lf"));
    weft_grad_graph_release(g);
}

static void test_the_kernel_of_min_and_max(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node a, b, one = weft_grad_constant(g, 1);
    weft_grad_input(&a, g, "a", 1);
    weft_grad_input(&b, g, "b", 1);
    weft_grad_output(g, weft_grad_min(g, a, b), NULL);
    weft_grad_output(g, weft_grad_max(g, a, b), NULL);
    weft_grad_output(g, weft_grad_min(g, one, a), NULL);
    weft_grad_output(g, weft_grad_relu(g, a), NULL);
    const char *text = weft_grad_graph_wgsl(g, &(weft_grad_kernel_desc){
        .dialect = WEFT_GRAD_WGSL_F32, .layout = WEFT_GRAD_AOS});
    assert_non_null(text);
    assert_non_null(strstr(text, "= select(a, b, b < a || b != b);"));
    assert_non_null(strstr(text, "= select(a, b, a < b || b != b);"));
    assert_non_null(strstr(text, "= select(a, 1.0, 1.0 < a);"));
    assert_non_null(strstr(text, "= select(a, 0.0, a < 0.0);"));
    weft_grad_graph_release(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator_is_differentiated),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_derivatives_at_kinks),
        cmocka_unit_test(test_a_branch_not_taken_does_not_poison),
        cmocka_unit_test(test_vectors_and_quaternions),
        cmocka_unit_test(test_eigenvalues),
        cmocka_unit_test(test_signature_ignores_order_and_names),
        cmocka_unit_test(test_constants_and_repetitions_are_removed),
        cmocka_unit_test(test_modes_by_cost),
        cmocka_unit_test(test_fused_graphs_share),
        cmocka_unit_test(test_a_graph_of_50000_nodes_in_a_chain),
        cmocka_unit_test(test_wrong_nodes_are_errors),
        cmocka_unit_test(test_values_that_are_not_finite),
        cmocka_unit_test(test_min_and_max_of_nan),
        cmocka_unit_test(test_the_kernel_of_a_times_2_plus_b),
        cmocka_unit_test(test_the_kernel_of_min_and_max),
    };
    return cmocka_run_group_tests_name("grad program", tests, setup, teardown);
}
