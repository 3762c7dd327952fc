// SPDX-License-Identifier: Apache-2.0
/*
 * calls.c - calls every function that Weft.jl calls, with the structs and signatures of Weft.jl.
 *
 * in     jl.h, which check.py writes from the files of Weft.jl; a language model
 * out    status 0, or the line that is wrong
 * not    the headers of Weft, but for the names of operators
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jl.h"

#define CHECK(condition) \
    do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); exit(1); } } while (0)

static char twice[] =
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"
    "override factor : f32 = 2.0;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x < arrayLength(&x) { y[id.x] = x[id.x] * factor; }\n"
    "}\n";

/* ---- pools and executions ---- */

static void *open_pool(void)
{
    const char           *adapters[] = { "cpu", NULL };
    struct jl_weft_pool_desc d = { .adapters = adapters, .benchmark_timeout = UINT64_MAX };
    void *pool = weft_pool_create(&d);
    CHECK(pool && weft_pool_device_count(pool) == 1);
    return pool;
}

static void check_arrays(void *ctx)
{
    struct jl_weft_execute_report report;
    double                        x[3] = { 1, 2, 3 }, y[3];
    uint64_t                      count = 0;
    struct jl_weft_execute_array_desc d = {
        .wgsl = twice, .type = 6, .data = x, .count = 3, .groups = { 1, 1, 1 } };
    CHECK(weft_execute_array(NULL, &count, ctx, &d, &report) && count == 3);
    CHECK(weft_execute_array(y, &count, ctx, &d, &report) && y[2] == 6);
    CHECK(report.error.kind == 0 && report.groups[0] == 1 && report.attempts == 1);
    d.wgsl = "fn";
    CHECK(!weft_execute_array(y, &count, ctx, &d, &report) && report.error.message[0]);
    CHECK(strcmp(weft_error_kind_name(report.error.kind), "compile") == 0);
    size_t room = 3;
    CHECK(julia_webgpu_execute(twice, x, 3, y, &room) == 0 && room == 3 && y[0] == 2);
    CHECK(julia_webgpu_execute("fn", x, 3, y, &room) == -1);
    CHECK(weft_pool_shared());
}

static void check_names(void *ctx)
{
    float x[2] = { 1, 2 }, y[2] = { 0, 0 };
    struct jl_weft_execute_input  in = {
        .name = "x", .type = 4, .rank = 1, .shape = { 2 }, .data = x, .size = sizeof x };
    struct jl_weft_execute_output out = {
        .name = "y", .type = 4, .rank = 1, .shape = { 2 }, .data = y, .size = sizeof y };
    struct jl_weft_constant       factor = { "factor", 3 };
    struct jl_weft_execute_desc   d = {
        .wgsl = twice, .inputs = &in, .input_count = 1, .outputs = &out, .output_count = 1,
        .constants = &factor, .constant_count = 1 };
    struct jl_weft_execute_report report;
    CHECK(weft_execute(ctx, &d, &report) && y[1] == 6 && report.total_ns > 0);
    in.type = 2;
    CHECK(!weft_execute(ctx, &d, &report) && strcmp((char *)report.error.name, "x") == 0);
    in.type = 4;
    out.data = NULL;
    void *e = weft_execute_async(ctx, &d);
    while (!weft_execution_wait(e, 1000000)) {}
    CHECK(e && weft_execution_done(e) && !weft_execution_cancel(e));
    CHECK(weft_execution_report(&report, e));
    uint64_t size = 0;
    const float *made = weft_execution_output(e, "y", &size);
    CHECK(made && size == 8 && made[0] == 3);
    weft_execution_release(e);
}

static void check_data(void *ctx)
{
    float x[2] = { 5, 6 }, y[2];
    struct jl_weft_pool_data_desc d = { .type = 4, .data = x, .size = sizeof x };
    void *data = weft_pool_data_create(ctx, &d);
    CHECK(data && weft_pool_data_size(data) == 8);
    CHECK(weft_pool_data_read(y, data, 0, 8) && y[1] == 6);
    weft_pool_data_release(data);
    struct jl_weft_pool_error error;
    weft_pool_context_error_clear(ctx);
    CHECK(!weft_pool_context_error(&error, ctx));
}

static void check_pool(void)
{
    void *pool = open_pool();
    struct jl_weft_pool_context_desc d = { .memory_quota = 1 << 20, .policy = 6, .device = "cpu" };
    void *ctx = weft_pool_context_create(pool, &d);
    CHECK(ctx);
    check_arrays(ctx);
    check_names(ctx);
    check_data(ctx);
    weft_pool_context_release(ctx);
    weft_pool_release(pool);
}

/* ---- tensors ---- */

typedef void *(*Unary)(void *);
typedef void *(*Binary)(void *, void *);

static void use(void *ctx, void *made, const char *name)
{
    if (!made) {                        /* an integer operation on floats is refused */
        const struct jl_weft_error *e = weft_context_error(ctx);
        CHECK(e->kind && e->message);
        CHECK(strcmp(weft_error_kind_name(e->kind), "type") == 0 || !printf("%s\n", name));
        weft_context_error_clear(ctx);
        return;
    }
    CHECK(weft_tensor_rank(made) <= 2);
    weft_tensor_release(made);
}

static void check_operators(void *ctx, void *x)
{
    static const struct { const char *name; Unary run; } unary[] = {
#define UNARY(name, types, meaning) { #name, weft_tensor_##name },
#include <weft/tensor_ops.def>
    };
    static const struct { const char *name; Binary run; } binary[] = {
#define BINARY(name, types, meaning) { #name, weft_tensor_##name },
#include <weft/tensor_ops.def>
    };
    static const struct { const char *name; Binary run; } reduction[] = {
#define REDUCTION(name, types, meaning) { #name, weft_tensor_##name },
#include <weft/tensor_ops.def>
    };
    struct jl_weft_axes axes = { .count = 1, .axes = { -1 } };
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        use(ctx, unary[i].run(x), unary[i].name);
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        use(ctx, binary[i].run(x, x), binary[i].name);
    for (size_t i = 0; i < sizeof reduction / sizeof *reduction; i++)
        use(ctx, reduction[i].run(x, &axes), reduction[i].name);
}

static void check_tensors(void *ctx)
{
    float    data[4] = { 1, 2, 3, 4 }, out[4];
    uint64_t flat[] = { 4 };
    struct jl_weft_tensor_desc d = {
        .dtype = 1, .rank = 2, .shape = { 2, 2 }, .data = data, .data_size = sizeof data };
    void *x = weft_tensor_create(ctx, &d);
    CHECK(x && weft_tensor_dtype(x) == 1 && ((uint64_t *)weft_tensor_shape(x))[1] == 2);
    void *product = weft_tensor_matmul(x, x), *line = weft_tensor_reshape(product, 1, flat);
    CHECK(line && weft_tensor_read(out, sizeof out, line) && out[3] == 22);
    void *shares = weft_tensor_softmax(x, -1);
    CHECK(shares && weft_tensor_read(out, sizeof out, shares));
    CHECK(fabsf(out[0] + out[1] - 1) < 1e-6f);
    CHECK(!weft_tensor_reshape(x, 1, (uint64_t[]){ 3 }));
    weft_context_error_clear(ctx);
    check_operators(ctx, x);
    CHECK(weft_context_wait(ctx));
    weft_tensor_release(shares);
    weft_tensor_release(line);
    weft_tensor_release(product);
    weft_tensor_release(x);
}

/* ---- fits and models ---- */

static void check_fit(void *ctx)
{
    enum { POINTS = 20 };
    double      rows[POINTS][2];
    const char *names[] = { "x", "y" };
    for (int i = 0; i < POINTS; i++) {
        rows[i][0] = i / 4.0;
        rows[i][1] = 3 * exp(-0.5 * rows[i][0]) + 1;
    }
    struct jl_weft_solve_guess    guess = { .name = "b", .start = 0.4 };
    struct jl_weft_solve_fit_desc d = {
        .formula = "y = a*exp(-b*x) + c", .columns = names, .column_count = 2,
        .data = &rows[0][0], .count = POINTS, .guesses = &guess, .guess_count = 1 };
    struct jl_weft_solve_fit_parameter p;
    void *fit = weft_solve_fit_create(ctx, &d);
    bool  found = false;
    CHECK(fit);
    for (uint32_t i = 0; weft_solve_fit_parameter_get(&p, fit, i); i++)
        found |= strcmp(p.name, "b") == 0 && fabs(p.value - 0.5) < 1e-6;
    CHECK(found);
    weft_solve_fit_release(fit);
}

static void check_model(void *ctx, const char *path)
{
    struct jl_weft_model_desc   d = { .path = path };
    struct jl_weft_model_answer answer = { 0 };
    void *model = weft_model_create(ctx, &d);
    void *session = model ? weft_model_session_create(model, NULL) : NULL;
    CHECK(session);
    CHECK(weft_model_session_generate(&answer, session, "Hello", NULL));
    CHECK(answer.text && strlen(answer.text) == answer.size && answer.tokens > 0);
    weft_model_answer_fini(&answer);
    weft_model_session_release(session);
    weft_model_release(model);
}

int main(int argc, char **argv)
{
    struct jl_weft_context_desc d = { .adapter = "cpu" };
    CHECK(argc == 2);
    check_pool();
    void *ctx = weft_context_create(&d);
    CHECK(ctx && ((struct jl_weft_error *)weft_context_error(ctx))->kind == 0);
    check_tensors(ctx);
    check_fit(ctx);
    check_model(ctx, argv[1]);
    weft_context_release(ctx);
    return 0;
}
