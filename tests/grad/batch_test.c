// SPDX-License-Identifier: Apache-2.0
/*
 * batch_test.c - batches on the device against immediate evaluation: every operator, random
 * graphs, layouts, products, precisions; structure; asynchronous and divided evaluation; errors.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_graph.h"

static weft_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = weft_context_create(NULL);
    return weft_context_device(ctx) ? 0 : -1;
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

static void expect_error(weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("'%s' instead of '%s'", e->message, part);
    weft_context_error_clear(ctx);
}

static bool has_f64(void)
{
    return weft_context_device(ctx)->f64;
}

/* ---- all products of a batch, from the device and immediately ---- */

typedef struct Results {
    double *values, *jacobian, *gradient, *normal, *directional, cost;
    uint64_t normal_entries;
} Results;

static Results results_of(weft_grad_batch *b, const double *x, const double *weights,
                          const double *tangent, weft_grad_weights weighting)
{
    weft_grad_batch_info info;
    weft_grad_normal normal;
    assert_true(weft_grad_batch_get_info(&info, b));
    assert_true(weft_grad_batch_normal(&normal, b));
    size_t rows = (size_t)info.count * info.outputs;
    Results r = {calloc(rows + 1, 8), calloc(rows * info.inputs + 1, 8),
                 calloc(info.parameter_count + 1, 8), calloc(normal.entries + 1, 8),
                 calloc(rows + 1, 8), 0, normal.entries};
    bool ok = weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
        .x = x, .weighting = weighting, .weights = weights, .tangent = tangent,
        .values = r.values, .jacobian = r.jacobian, .gradient = r.gradient,
        .normal = r.normal, .directional = r.directional, .cost = &r.cost});
    assert_no_error();
    assert_true(ok);
    return r;
}

static void results_free(Results *r)
{
    free(r->values);
    free(r->jacobian);
    free(r->gradient);
    free(r->normal);
    free(r->directional);
}

static double worst_of(const double *a, const double *b, size_t count)
{
    double worst = 0, scale = 1;
    for (size_t i = 0; i < count; i++)
        scale = isfinite(b[i]) ? fmax(scale, fabs(b[i])) : scale;
    for (size_t i = 0; i < count; i++) {
        if (a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))
            continue;
        double error = fabs(a[i] - b[i]) / scale;
        worst = isnan(error) ? INFINITY : fmax(worst, error);
    }
    return worst;
}

static void compare(weft_grad_batch_desc desc, const double *x, weft_grad_weights weighting,
                    double tolerance)
{
    weft_grad_graph_info g;
    assert_true(weft_grad_graph_get_info(&g, desc.graph));
    Random r = {99};
    double *weights = calloc((size_t)desc.count * g.outputs + 1, 8);
    double *tangent = calloc(desc.parameter_count + 1, 8);
    for (size_t i = 0; i < (size_t)desc.count * g.outputs; i++)
        weights[i] = random_between(&r, -1, 1);
    for (uint32_t i = 0; i < desc.parameter_count; i++)
        tangent[i] = random_between(&r, -1, 1);
    desc.fallback_threshold = WEFT_OFF;
    weft_grad_batch *device = weft_grad_batch_create(ctx, &desc);
    desc.fallback_threshold = WEFT_OFF - 1;
    weft_grad_batch *host = weft_grad_batch_create(ctx, &desc);
    assert_no_error();
    Results a = results_of(device, x, weights, tangent, weighting);
    Results b = results_of(host, x, weights, tangent, weighting);
    weft_grad_batch_info info;
    assert_true(weft_grad_batch_get_info(&info, host) && info.immediate);
    assert_true(weft_grad_batch_get_info(&info, device));
    if (desc.precision != WEFT_GRAD_F64 || has_f64())
        assert_false(info.immediate);
    size_t rows = (size_t)desc.count * g.outputs;
    struct { const char *what; double error; } all[] = {
        {"values", worst_of(a.values, b.values, rows)},
        {"Jacobian", worst_of(a.jacobian, b.jacobian, rows * g.inputs)},
        {"gradient", worst_of(a.gradient, b.gradient, desc.parameter_count)},
        {"normal matrix", worst_of(a.normal, b.normal, a.normal_entries)},
        {"directional", worst_of(a.directional, b.directional, rows)},
        {"cost", worst_of(&a.cost, &b.cost, 1)},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!(all[i].error <= tolerance))
            fail_msg("%s of %u instances, layout %d: error %g (%s)", all[i].what, desc.count,
                     (int)desc.layout, all[i].error, info.reason);
    /* again: bitwise the same */
    Results c = results_of(device, x, weights, tangent, weighting);
    assert_memory_equal(a.gradient, c.gradient, desc.parameter_count * 8);
    assert_memory_equal(a.normal, c.normal, a.normal_entries * 8);
    assert_memory_equal(&a.cost, &c.cost, 8);
    results_free(&a);
    results_free(&b);
    results_free(&c);
    free(weights);
    free(tangent);
    weft_grad_batch_release(device);
    weft_grad_batch_release(host);
}

#define PARAMETERS 60

static double *random_vector(Random *r, size_t count)
{
    double *x = calloc(count + 1, 8);
    for (size_t i = 0; i < count; i++)
        x[i] = random_between(r, -2, 2);
    return x;
}

static void test_every_operator_on_the_device(void **state)
{
    (void)state;
    Random r = {5};
    double *x = random_vector(&r, PARAMETERS);
    /* all operators in a few kernels, so that the test is quick */
    for (uint32_t first = 1; first < WEFT_GRAD_OP_COUNT; first += 14) {
        weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
        weft_grad_node a[5];
        weft_grad_input(a, g, "a", 5);
        for (uint32_t op = first; op < first + 14 && op < WEFT_GRAD_OP_COUNT; op++) {
            uint32_t arity;
            weft_grad_op_name((weft_grad_op)op, &arity);
            weft_grad_output(g, random_apply(g, (weft_grad_op)op, a, arity ? arity : 5), NULL);
        }
        uint32_t index[50];
        for (uint32_t i = 0; i < 50; i++)
            index[i] = random_below(&r, PARAMETERS - 5);
        weft_grad_batch_desc desc = {.graph = g, .count = 50, .parameter_count = PARAMETERS,
                                     .index = index};
        compare(desc, x, WEFT_GRAD_RESIDUALS, 1e-13);
        desc.precision = WEFT_GRAD_F32;
        compare(desc, x, WEFT_GRAD_ONES, 2e-4);
        weft_grad_graph_release(g);
    }
    free(x);
}

/* `kind`: 0 blocks at random; 1 one combination for all; 2 the first block shared by many. */
static uint32_t *random_index(Random *r, uint32_t count, uint32_t blocks, int kind)
{
    uint32_t *index = calloc((size_t)count * blocks + 1, 4);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t b = 0; b < blocks; b++)
            index[i * blocks + b] =
                kind == 1 ? b * 7
                : kind == 2 && b == 0 ? i * 5 / count * 6 : random_below(r, PARAMETERS - 6);
    return index;
}

static void random_batches(Random *r, int trials, uint32_t operators)
{
    for (int trial = 0; trial < trials; trial++) {
        RandomGraphDesc shape = {1 + random_below(r, 3), random_below(r, 4),
                                 1 + random_below(r, operators), 1 + random_below(r, 3)};
        weft_grad_graph *g = random_graph(ctx, r, &shape);
        weft_grad_graph_info info;
        assert_true(weft_grad_graph_get_info(&info, g));
        uint32_t count = 1 + random_below(r, 700);
        uint32_t *index = random_index(r, count, info.blocks, trial % 3);
        double *x = random_vector(r, PARAMETERS);
        double *data = random_vector(r, (size_t)count * info.data);
        weft_grad_batch_desc desc = {.graph = g, .count = count, .parameter_count = PARAMETERS,
                                     .index = index, .data = data,
                                     .layout = trial % 7 == 5 ? WEFT_GRAD_SOA
                                             : trial % 7 == 6 ? WEFT_GRAD_AOS : WEFT_GRAD_AUTO};
        compare(desc, x, (weft_grad_weights)(trial % 3), 1e-11);
        free(index);
        free(x);
        free(data);
        weft_grad_graph_release(g);
    }
}

static void test_random_graphs_on_the_device(void **state)
{
    (void)state;
    Random r = {77};
    random_batches(&r, 24, 30);
}

/* Points on a circle: one combination of blocks for all instances. */
static weft_grad_graph *circle(void)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, &(weft_grad_graph_desc){.label = "circle"});
    weft_grad_node c[3], p[2];
    weft_grad_input(c, g, "circle", 3);
    weft_grad_data(p, g, "point", 2);
    weft_grad_node d = weft_grad_hypot(g, weft_grad_sub(g, p[0], c[0]),
                                       weft_grad_sub(g, p[1], c[1]));
    weft_grad_output(g, weft_grad_sub(g, d, c[2]), "distance");
    assert_no_error();
    return g;
}

static void test_precisions(void **state)
{
    (void)state;
    Random r = {3};
    weft_grad_graph *g = circle();
    uint32_t count = 20000;
    double *data = random_vector(&r, 2 * count), x[3] = {0.25, -0.5, 1.5};
    weft_grad_batch_desc desc = {.graph = g, .count = count, .parameter_count = 3, .data = data};
    compare(desc, x, WEFT_GRAD_RESIDUALS, 1e-12);
    desc.precision = WEFT_GRAD_F32;
    compare(desc, x, WEFT_GRAD_RESIDUALS, 1e-4);
    desc.precision = WEFT_GRAD_MIXED;
    compare(desc, x, WEFT_GRAD_RESIDUALS, 2e-6);
    free(data);
    weft_grad_graph_release(g);
}

/* ---- structure ---- */

static void test_structure_for_solvers(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node a[2], f, b[3], d;
    weft_grad_input(a, g, "a", 2);
    weft_grad_fixed(&f, g, "f", 1);
    weft_grad_input(b, g, "b", 3);
    weft_grad_data(&d, g, "d", 1);
    weft_grad_output(g, weft_grad_add(g, weft_grad_mul(g, a[0], f), weft_grad_mul(g,
                     weft_grad_constant(g, 3), b[1])), NULL);
    weft_grad_output(g, weft_grad_mul(g, a[1], weft_grad_mul(g, b[2], d)), NULL);
    uint32_t index[] = {0, 9, 3, 0, 9, 6};
    double x[10] = {1, 2, 0, 4, 5, 6, 7, 8, 9, 10}, data[] = {0.5, 2}, j[20], v[4];
    weft_grad_batch *batch = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 2, .parameter_count = 10, .index = index, .data = data,
        .fallback_threshold = WEFT_OFF});
    assert_no_error();
    assert_true(weft_grad_batch_evaluate(batch, &(weft_grad_evaluation){
        .x = x, .values = v, .jacobian = j}));
    const double want[20] = {10, 0, 0, 3, 0, 0, 3, 0, 0, 1, 10, 0, 0, 3, 0, 0, 18, 0, 0, 4};
    for (int i = 0; i < 20; i++)
        assert_true(fabs(j[i] - want[i]) < 1e-5);
    const weft_grad_entry *p = weft_grad_batch_pattern(batch);
    assert_non_null(p);
    assert_true(p[3].stored == -1 && p[3].constant == 3);       /* d r0 / d b1 */
    assert_true(p[1].stored == -1 && p[1].constant == 0);
    assert_true(p[6].stored >= 0 && p[9].stored >= 0);
    weft_grad_block block;
    assert_true(weft_grad_batch_block(&block, batch, 2));
    assert_int_equal(block.input, 2);
    assert_int_equal(block.size, 3);
    assert_false(block.fixed);
    assert_true(weft_grad_batch_block(&block, batch, 1) && block.fixed);
    assert_false(weft_grad_batch_block(&block, batch, 3));
    expect_error(WEFT_ERROR_INVALID, "no block 3");
    weft_grad_view view;
    assert_true(weft_grad_batch_view(&view, batch, WEFT_GRAD_JACOBIAN) || !has_f64());
    if (has_f64()) {
        double raw[1024];
        assert_true(view.f64 && view.slots >= 2);
        assert_true(weft_buffer_read(raw, view.buffer, 0, weft_buffer_size(view.buffer)));
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t at = view.position ? view.position[i] : i;
            uint32_t e = view.first + (uint32_t)p[9].stored;
            assert_true(raw[(at / 16 * view.entries + e) * 16 + at % 16] == want[i * 10 + 9]);
        }
    }
    assert_memory_equal(weft_grad_batch_index(batch), index, sizeof index);
    weft_grad_batch_release(batch);
    weft_grad_graph_release(g);
}

/* One dispatch per topology, kernels found again, whatever the order of the parameters. */
static void test_one_kernel_per_topology(void **state)
{
    (void)state;
    weft_grad_set *set = weft_grad_set_create(ctx);
    double x[30], sum = 0;
    for (int i = 0; i < 30; i++)
        x[i] = i * i * 0.01;
    for (uint32_t i = 0; i < 29; i++) {
        weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
        weft_grad_node a, b;
        bool turned = i % 2;
        weft_grad_input(turned ? &b : &a, g, NULL, 1);
        weft_grad_input(turned ? &a : &b, g, NULL, 1);
        weft_grad_node d = weft_grad_sub(g, a, b);
        weft_grad_output(g, i % 3 ? weft_grad_square(g, d) : weft_grad_sin(g, d), NULL);
        uint32_t index[2] = {i + turned, i + 1 - turned};
        assert_true(weft_grad_set_add(set, g, index, NULL));
        double d_i = x[i] - x[i + 1];
        sum += i % 3 ? d_i * d_i : sin(d_i);
        weft_grad_graph_release(g);
    }
    assert_int_equal(weft_grad_set_topologies(set), 2);
    uint64_t dispatches = weft_context_counter(ctx, "grad.dispatches");
    double total = 0;
    for (uint32_t t = 0; t < 2; t++) {
        uint32_t members[29];
        weft_grad_batch *b = weft_grad_set_batch(members, set, t, &(weft_grad_batch_desc){
            .parameter_count = 30, .fallback_threshold = WEFT_OFF});
        double cost;
        assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
            .x = x, .weighting = WEFT_GRAD_ONES, .cost = &cost}));
        total += cost;
        assert_true(members[0] == (t == 0 ? 0 : 1));
        weft_grad_batch_release(b);
    }
    assert_true(fabs(total - sum) < 1e-5);
    if (has_f64()) {
        assert_int_equal(weft_context_counter(ctx, "grad.dispatches") - dispatches, 2);
        uint64_t kernels = weft_context_counter(ctx, "grad.kernels");
        uint64_t hits = weft_context_counter(ctx, "grad.cache_hits");
        weft_grad_batch *b = weft_grad_set_batch(NULL, set, 0, &(weft_grad_batch_desc){
            .parameter_count = 30, .fallback_threshold = WEFT_OFF});
        double cost;
        assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
            .x = x, .weighting = WEFT_GRAD_ONES, .cost = &cost}));
        assert_int_equal(weft_context_counter(ctx, "grad.kernels"), kernels);
        assert_true(weft_context_counter(ctx, "grad.cache_hits") > hits);
        weft_grad_batch_release(b);
    }
    weft_grad_set_release(set);
}

/* ---- other ways to evaluate ---- */

static void on_done(void *user, bool ok)
{
    *(int *)user = ok ? 1 : 2;
}

static void test_asynchronous_evaluation(void **state)
{
    (void)state;
    Random r = {8};
    weft_grad_graph *g = circle();
    double *data = random_vector(&r, 2000), x[3] = {0.1, 0.2, 1}, a[3], b[3], cost;
    weft_grad_batch *batch = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 1000, .parameter_count = 3, .data = data,
        .fallback_threshold = WEFT_OFF});
    weft_grad_evaluation e = {.x = x, .gradient = a, .cost = &cost};
    assert_true(weft_grad_batch_evaluate(batch, &e));
    int done = 0;
    e.gradient = b;
    WGPUFuture future = weft_grad_batch_evaluate_async(batch, &e, on_done, &done);
    assert_true(future.id != 0);
    weft_grad_graph_release(g);
    assert_true(weft_context_wait_future(ctx, future, WEFT_OFF));
    assert_int_equal(done, 1);
    assert_memory_equal(a, b, sizeof a);
    done = 0;
    e.x = NULL;
    future = weft_grad_batch_evaluate_async(batch, &e, on_done, &done);
    assert_true(future.id == 0 && done == 2);
    expect_error(WEFT_ERROR_INVALID, "parameters are NULL");
    weft_grad_batch_release(batch);
    free(data);
}

static void test_a_batch_over_two_contexts(void **state)
{
    (void)state;
    Random r = {8};
    weft_context *second = weft_context_create(&(weft_context_desc){.share = ctx});
    weft_grad_graph *g = circle();
    double *data = random_vector(&r, 2000), x[3] = {0.1, 0.2, 1}, a[3], b[3], va[1000], vb[1000];
    weft_grad_batch_desc desc = {.graph = g, .count = 1000, .parameter_count = 3, .data = data,
                                 .fallback_threshold = WEFT_OFF};
    weft_grad_batch *one = weft_grad_batch_create(ctx, &desc);
    desc.contexts = &second;
    desc.context_count = 1;
    weft_grad_batch *two = weft_grad_batch_create(ctx, &desc);
    assert_true(weft_grad_batch_evaluate(one, &(weft_grad_evaluation){
        .x = x, .gradient = a, .values = va}));
    assert_true(weft_grad_batch_evaluate(two, &(weft_grad_evaluation){
        .x = x, .gradient = b, .values = vb}));
    assert_true(worst_of(b, a, 3) < 1e-12);
    assert_true(worst_of(vb, va, 1000) == 0);
    if (has_f64())
        assert_true(weft_context_counter(second, "grad.dispatches") == 1);
    weft_grad_batch_release(one);
    weft_grad_batch_release(two);
    weft_grad_graph_release(g);
    weft_context_release(second);
    free(data);
}

static double cubed(void *user, const double *a)
{
    (void)user;
    return a[0] * a[0] * a[0] + a[1];
}

static void cubed_partials(void *user, double *p, const double *a)
{
    (void)user;
    p[0] = 3 * a[0] * a[0];
    p[1] = 1;
}

static void test_custom_operators(void **state)
{
    (void)state;
    static const char *const partials[] = {"return 3 * a * a;", "return real(1);"};
    for (int way = 0; way < 3; way++) {
        weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
        weft_grad_node x[2];
        weft_grad_input(x, g, "x", 2);
        weft_grad_custom_desc custom = {.name = "cubed", .arity = 2};
        if (way != 1) {
            custom.value = "return a * a * a + b;";
            custom.partials = partials;
        }
        if (way != 2) {
            custom.evaluate = cubed;
            custom.differentiate = cubed_partials;
        }
        weft_grad_output(g, weft_grad_mul(g, weft_grad_custom(g, &custom, x), x[1]), NULL);
        assert_no_error();
        double at[2] = {2, 5}, j[2], v;
        weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
            .graph = g, .count = 1, .parameter_count = 2, .fallback_threshold = WEFT_OFF,
            .precision = has_f64() ? WEFT_GRAD_F64 : WEFT_GRAD_F32});
        assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
            .x = at, .values = &v, .jacobian = j}));
        assert_true(v == 65 && j[0] == 60 && j[1] == 18);
        weft_grad_batch_info info;
        assert_true(weft_grad_batch_get_info(&info, b));
        assert_int_equal(info.immediate, way == 1);
        if (way == 1)
            assert_non_null(strstr(info.reason, "has no WGSL"));
        if (way == 2) {
            assert_false(weft_grad_graph_evaluate(&v, NULL, g, at, NULL));
            expect_error(WEFT_ERROR_UNSUPPORTED, "no functions");
        }
        weft_grad_batch_release(b);
        weft_grad_graph_release(g);
    }
}

static void test_the_choice_is_made_once_and_named(void **state)
{
    (void)state;
    weft_grad_graph *g = circle();
    double data[4] = {1, 2, 3, 4}, x[3] = {0, 0, 1}, v[2];
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 2, .parameter_count = 3, .data = data});
    assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = x, .values = v}));
    weft_grad_batch_info info;
    assert_true(weft_grad_batch_get_info(&info, b));
    assert_true(info.immediate);                                /* 2 instances */
    assert_non_null(strstr(info.reason, "too few instances"));
    weft_grad_batch_release(b);

    Random r = {2};
    double *many = random_vector(&r, 400000);
    b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 200000, .parameter_count = 3, .data = many});
    double cost;
    assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = x, .cost = &cost}));
    assert_true(weft_grad_batch_get_info(&info, b));
    assert_int_equal(info.immediate, !has_f64());
    weft_grad_batch_release(b);
    free(many);
    weft_grad_graph_release(g);

    weft_context *none = weft_context_create(&(weft_context_desc){.no_device = true});
    g = weft_grad_graph_create(none, NULL);
    weft_grad_node a;
    weft_grad_input(&a, g, "a", 1);
    weft_grad_output(g, weft_grad_exp(g, a), NULL);
    b = weft_grad_batch_create(none, &(weft_grad_batch_desc){
        .graph = g, .count = 1, .parameter_count = 1});
    assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = x, .values = v}));
    assert_true(v[0] == 1);
    assert_true(weft_grad_batch_get_info(&info, b));
    assert_non_null(strstr(info.reason, "no device"));
    assert_int_equal(weft_context_counter(none, "grad.fallbacks"), 1);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
    weft_context_release(none);
}

/* sin(sin(... x)) of one parameter per instance */
static weft_grad_graph *chain(uint32_t length)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x;
    weft_grad_input(&x, g, "x", 1);
    for (uint32_t i = 0; i < length; i++)
        x = weft_grad_sin(g, x);
    weft_grad_output(g, x, NULL);
    return g;
}

static void test_kernels_that_do_not_pay_are_not_compiled(void **state)
{
    (void)state;
    weft_grad_graph *g = chain(5000);
    uint64_t kernels = weft_context_counter(ctx, "grad.kernels");
    double x[2] = {0.5, 0.25}, v[2], j[2], want[2];
    uint32_t index[2] = {0, 1};
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 2, .parameter_count = 2, .index = index});
    assert_true(weft_grad_batch_prepare(b, WEFT_GRAD_VALUES | WEFT_GRAD_JACOBIAN, 0));
    assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
        .x = x, .values = v, .jacobian = j}));
    assert_true(weft_grad_graph_evaluate(want, want + 1, g, x + 1, NULL));
    assert_true(v[1] == want[0] && j[1] == want[1]);
    assert_int_equal(weft_context_counter(ctx, "grad.kernels"), kernels);
    weft_grad_batch_info info;
    assert_true(weft_grad_batch_get_info(&info, b));
    assert_true(info.immediate);
    if (has_f64())
        assert_non_null(strstr(info.reason, "longer to compile than it saves"));
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
}

static double first_of(void *user, const double *a)
{
    (void)user;
    return a[0];
}

static void slope_one(void *user, double *p, const double *a)
{
    (void)user;
    (void)a;
    p[0] = 1;
}

/* An operator whose kernel keeps so much memory for each call that the CPU device refuses it. */
static weft_grad_node large_operator(weft_grad_graph *g, weft_grad_node x, bool functions)
{
    static const char *const partials[] = {"return real(1);"};
    return weft_grad_custom(g, &(weft_grad_custom_desc){
        .name = "large", .arity = 1, .partials = partials,
        .value = "var t : array<real, 20000>; t[u32(a) % 20000u] = a; return t[u32(a) % 20000u];",
        .evaluate = functions ? first_of : NULL,
        .differentiate = functions ? slope_one : NULL}, &x);
}

static weft_grad_graph *large_kernel(bool functions)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x;
    weft_grad_input(&x, g, "x", 1);
    for (int i = 0; i < 40; i++)
        x = weft_grad_add(g, large_operator(g, x, functions), weft_grad_constant(g, i));
    weft_grad_output(g, x, NULL);
    return g;
}

static void test_a_kernel_that_cannot_be_compiled_leaves_immediate_evaluation(void **state)
{
    (void)state;
    weft_grad_graph *g = large_kernel(true);
    uint64_t fallbacks = weft_context_counter(ctx, "grad.fallbacks");
    double x = 3, v = 0, j = 0;
    for (int way = 0; way < 2; way++) {         /* the second finds the kernel in the cache */
        weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
            .graph = g, .count = 1, .parameter_count = 1, .fallback_threshold = WEFT_OFF,
            .precision = WEFT_GRAD_F32});
        assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
            .x = &x, .values = &v, .jacobian = &j}));
        assert_no_error();
        assert_true(v == 3 + 39 * 40 / 2 && j == 1);
        weft_grad_batch_info info;
        assert_true(weft_grad_batch_get_info(&info, b));
        if (info.immediate)                     /* other devices may take it */
            assert_non_null(strstr(info.reason, "bytes"));
        assert_int_equal(weft_context_counter(ctx, "grad.fallbacks") - fallbacks,
                         info.immediate ? way + 1 : 0);
        weft_grad_batch_release(b);
    }
    weft_grad_graph_release(g);

    g = large_kernel(false);                    /* without functions that is an error */
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 1, .parameter_count = 1, .precision = WEFT_GRAD_F32});
    if (weft_context_counter(ctx, "grad.fallbacks") > fallbacks) {
        assert_false(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
            .x = &x, .values = &v, .jacobian = &j}));
        expect_error(WEFT_ERROR_COMPILE, "bytes");
    }
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
}

/* ---- unusual input ---- */

static void test_no_instances_no_blocks_no_data(void **state)
{
    (void)state;
    weft_grad_graph *g = circle();
    double x[3] = {0, 0, 1}, gradient[3] = {7, 7, 7}, cost = 7;
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 0, .parameter_count = 3});
    assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
        .x = x, .gradient = gradient, .cost = &cost}));
    assert_true(gradient[0] == 0 && gradient[2] == 0 && cost == 0);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);

    g = weft_grad_graph_create(ctx, NULL);      /* a constant */
    weft_grad_output(g, weft_grad_constant(g, 2.5), NULL);
    double v[3];
    b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 3, .fallback_threshold = WEFT_OFF});
    assert_no_error();
    assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.values = v}));
    assert_true(v[0] == 2.5 && v[2] == 2.5);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
}

static void test_values_that_are_not_finite_on_the_device(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x;
    weft_grad_input(&x, g, "x", 1);
    weft_grad_node c = weft_grad_gt(g, x, weft_grad_constant(g, 0));
    weft_grad_output(g, weft_grad_select(g, c, weft_grad_log(g, x), weft_grad_square(g, x)), NULL);
    weft_grad_node zero = weft_grad_constant(g, 0);
    weft_grad_output(g, weft_grad_min(g, weft_grad_reciprocal(g, zero), weft_grad_reciprocal(g, x)),
                     NULL);
    double at[6] = {0, -1, 2, INFINITY, 1e300, -1e-300};
    uint32_t index[6] = {0, 1, 2, 3, 4, 5};
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 6, .parameter_count = 6, .index = index,
        .fallback_threshold = WEFT_OFF});
    double v[12], j[12];
    assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
        .x = at, .values = v, .jacobian = j}));
    assert_true(v[0] == 0 && j[0] == 0);        /* the branch not taken is log(0) */
    assert_true(v[2] == 1 && j[2] == -2);
    assert_true(isinf(v[1]));
    assert_true(v[6] == INFINITY);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
}

static void test_choices_keep_nan_on_the_device(void **state)
{
    (void)state;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node x[2], zero = weft_grad_constant(g, 0), one = weft_grad_constant(g, 1);
    weft_grad_input(x, g, "x", 2);
    weft_grad_output(g, weft_grad_relu(g, x[0]), NULL);
    weft_grad_output(g, weft_grad_min(g, x[0], one), NULL);
    weft_grad_output(g, weft_grad_max(g, one, x[0]), NULL);
    weft_grad_output(g, weft_grad_clamp(g, x[0], zero, zero), NULL);
    weft_grad_output(g, weft_grad_min(g, x[0], x[1]), NULL);
    weft_grad_output(g, weft_grad_max(g, x[0], x[1]), NULL);
    const double at[5] = {NAN, 2, NAN, NAN, 3};
    const double want[4][6] = {{NAN, NAN, NAN, NAN, NAN, NAN}, {2, 1, 2, 0, NAN, NAN},
                               {NAN, NAN, NAN, NAN, NAN, NAN}, {NAN, NAN, NAN, NAN, NAN, NAN}};
    const uint32_t index[4] = {0, 1, 2, 3};
    for (int way = 0; way < 3; way++) {         /* kernels in f64 and f32, immediately */
        double v[24];
        weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
            .graph = g, .count = 4, .parameter_count = 5, .index = index,
            .precision = way == 1 ? WEFT_GRAD_F32 : WEFT_GRAD_F64,
            .fallback_threshold = way == 2 ? WEFT_OFF - 1 : WEFT_OFF});
        assert_true(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = at, .values = v}));
        assert_no_error();
        assert_true(worst_of(v, want[0], 24) == 0);
        weft_grad_batch_release(b);
    }
    weft_grad_graph_release(g);
}

static void test_wrong_batches_are_errors(void **state)
{
    (void)state;
    weft_grad_graph *g = circle();
    uint32_t index[2] = {0, 1};
    assert_null(weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 2, .parameter_count = 3, .index = index}));
    expect_error(WEFT_ERROR_INVALID, "block 'circle' of instance 1");
    index[1] = UINT32_MAX;
    assert_null(weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 2, .parameter_count = 3, .index = index}));
    expect_error(WEFT_ERROR_INVALID, "block 'circle' of instance 1");
    assert_null(weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 1, .parameter_count = 2}));
    expect_error(WEFT_ERROR_INVALID, "without an index");
    assert_null(weft_grad_batch_create(ctx, &(weft_grad_batch_desc){.count = 1}));
    expect_error(WEFT_ERROR_INVALID, "needs a graph");
    weft_context *other = weft_context_create(&(weft_context_desc){.share = ctx});
    assert_null(weft_grad_batch_create(other, &(weft_grad_batch_desc){.graph = g}));
    assert_int_equal(weft_context_error(other)->kind, WEFT_ERROR_INVALID);
    weft_context_release(other);
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 1, .parameter_count = 3});
    double x[3] = {0}, v;
    assert_false(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.values = &v}));
    expect_error(WEFT_ERROR_INVALID, "parameters are NULL");
    assert_false(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){.x = x}));
    expect_error(WEFT_ERROR_INVALID, "nothing to compute");
    assert_false(weft_grad_batch_evaluate(b, &(weft_grad_evaluation){
        .x = x, .weighting = WEFT_GRAD_GIVEN, .cost = &v}));
    expect_error(WEFT_ERROR_INVALID, "weights are NULL");
    assert_false(weft_grad_batch_evaluate(NULL, NULL));
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator_on_the_device),
        cmocka_unit_test(test_random_graphs_on_the_device),
        cmocka_unit_test(test_precisions),
        cmocka_unit_test(test_structure_for_solvers),
        cmocka_unit_test(test_one_kernel_per_topology),
        cmocka_unit_test(test_asynchronous_evaluation),
        cmocka_unit_test(test_a_batch_over_two_contexts),
        cmocka_unit_test(test_custom_operators),
        cmocka_unit_test(test_the_choice_is_made_once_and_named),
        cmocka_unit_test(test_kernels_that_do_not_pay_are_not_compiled),
        cmocka_unit_test(test_a_kernel_that_cannot_be_compiled_leaves_immediate_evaluation),
        cmocka_unit_test(test_no_instances_no_blocks_no_data),
        cmocka_unit_test(test_values_that_are_not_finite_on_the_device),
        cmocka_unit_test(test_choices_keep_nan_on_the_device),
        cmocka_unit_test(test_wrong_batches_are_errors),
    };
    return cmocka_run_group_tests_name("grad batch", tests, setup, teardown);
}
