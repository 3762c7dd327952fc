/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lend_test.c - large arguments, which the CPU device uses in place: results are those of
 * copies, whatever the arguments share, and nothing touches them after the end.
 */
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixture.h"
#include "pool/pool_priv.h"

#define N 100000u                       /* words: above what is worth lending */

/* y[i] = y[i] + 3 x[i], z[i] = y[i] as it was */
static const char text[] =
    "@group(0) @binding(0) var<storage, read> x : array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
    "@group(0) @binding(2) var<storage, read_write> z : array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x >= arrayLength(&y) { return; }\n"
    "  let was = y[id.x];\n"
    "  y[id.x] = was + 3u * x[id.x];\n"
    "  z[id.x] = was;\n"
    "}\n";

typedef struct Job {
    weft_execute_input  in[2];
    weft_execute_output out[2];
    weft_execute_desc   desc;
} Job;

/* `y` NULL: it starts with zeros. */
static void job_set(Job *j, const uint32_t *x, const uint32_t *y, uint32_t *new_y, uint32_t *z)
{
    *j = (Job){.in = {{.name = "x", .type = WEFT_SCALAR_U32, .shape = {N}, .data = x},
                      {.name = "y", .type = WEFT_SCALAR_U32, .shape = {N}, .data = y}},
               .out = {{.name = "y", .type = WEFT_SCALAR_U32, .shape = {N}, .data = new_y},
                       {.name = "z", .type = WEFT_SCALAR_U32, .shape = {N}, .data = z}}};
    j->desc = (weft_execute_desc){.wgsl = text, .inputs = j->in, .input_count = y ? 2 : 1,
                                  .outputs = j->out, .output_count = 2};
}

typedef struct Words {
    uint32_t *x, *y, *new_y, *z;
    uint32_t *all;
} Words;

/* Four arrays one after the other, each at `skew` words behind a multiple of 64 bytes. */
static Words words_new(uint32_t skew)
{
    enum { STEP = (N + 64) / 16 * 16 };
    Words w = {.all = aligned_alloc(64, 4 * STEP * sizeof(uint32_t))};
    uint32_t *at[4];
    for (uint32_t i = 0; i < 4; i++)
        at[i] = w.all + (size_t)i * STEP + skew;
    w.x = at[0], w.y = at[1], w.new_y = at[2], w.z = at[3];
    for (uint32_t i = 0; i < N; i++) {
        w.x[i] = i * 7 + 1;
        w.y[i] = i * 11 + 5;
        w.new_y[i] = w.z[i] = 0xDEADBEEF;
    }
    return w;
}

static void expect_words(const uint32_t *new_y, const uint32_t *z, bool had_y)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t was = had_y ? i * 11 + 5 : 0;
        assert_int_equal(new_y[i], was + 3 * (i * 7 + 1));
        assert_int_equal(z[i], was);
    }
}

static void test_results_are_those_of_copies(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    for (uint32_t skew = 0; skew < 6; skew++) {
        Words w = words_new(skew);
        Job   j;
        job_set(&j, w.x, skew % 2 ? w.y : NULL, w.new_y, w.z);
        weft_execute(ctx, &j.desc, &r);
        expect_ok(&r);
        expect_words(w.new_y, w.z, skew % 2);
        assert_int_equal(r.bytes_uploaded, (skew % 2 ? 2 : 1) * N * 4);
        assert_int_equal(r.bytes_read, 2 * N * 4);
        assert_int_equal(w.y[N - 1], (N - 1) * 11 + 5);
        assert_int_equal(w.x[N - 1], (N - 1) * 7 + 1);
        free(w.all);
    }
    fixture_release(pool, ctx);
}

/* What a caller passes twice is as if it had been copied first. */
static void test_arguments_share_memory(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    Words    w = words_new(0);
    Job      j;
    uint32_t y[4] = {w.y[0], w.y[1], w.y[N - 2], w.y[N - 1]};
    job_set(&j, w.x, w.y, w.y, w.z);            /* in place */
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    expect_words(w.y, w.z, true);
    free(w.all);
    w = words_new(0);
    job_set(&j, w.x, w.y, w.new_y, w.x);        /* an output over another variable's input */
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    expect_words(w.new_y, w.x, true);
    free(w.all);
    w = words_new(0);
    job_set(&j, w.x, w.y, w.y + 16, w.z);       /* over its own, a little later */
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    expect_words(w.y + 16, w.z, true);
    assert_int_equal(w.y[0], y[0]);
    free(w.all);
    w = words_new(0);
    job_set(&j, w.x, w.x, w.new_y, w.z);        /* two inputs */
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    assert_int_equal(w.new_y[N - 1], 4 * ((N - 1) * 7 + 1));
    free(w.all);
    fixture_release(pool, ctx);
}

static void test_asynchronous_and_limited_ones(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    for (uint64_t limit = 0; limit <= 60000000000u; limit += 60000000000u) {
        Words w = words_new(0);
        Job   j;
        weft_execute_report r;
        job_set(&j, w.x, w.y, w.new_y, NULL);
        j.desc.time_limit = limit;
        weft_execution *e = weft_execute_async(ctx, &j.desc);
        memset(w.x, 0x55, N * 4);               /* both were copied */
        memset(w.y, 0x55, N * 4);
        assert_true(weft_execution_wait(e, UINT64_MAX));
        assert_true(weft_execution_report(&r, e));
        expect_ok(&r);
        expect_words(w.new_y, weft_execution_output(e, "z", NULL), true);
        weft_execution_release(e);
        free(w.all);
    }
    fixture_release(pool, ctx);
}

static void test_refused_executions_leave_outputs_alone(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    Words w = words_new(0);
    Job   j;
    job_set(&j, w.x, w.y, w.new_y, w.z);
    j.desc.memory_limit = 1000;
    assert_false(weft_execute(ctx, &j.desc, &r));
    j.desc.memory_limit = 0;
    j.in[0].type = WEFT_SCALAR_I32;
    assert_false(weft_execute(ctx, &j.desc, &r));
    for (uint32_t i = 0; i < N; i++)
        assert_true(w.new_y[i] == 0xDEADBEEF && w.z[i] == 0xDEADBEEF);
    free(w.all);
    fixture_release(pool, ctx);
}

/* The device goes while a kernel works in the caller's memory: that one is over before the
 * call is, and the next starts anew from the inputs. */
static void test_a_loss_in_the_midst(void **state)
{
    (void)state;
    static const char endless[] =
        "@group(0) @binding(0) var<storage, read> x : array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "  var a = 1u;\n"
        "  while a != 0u { a = (a * 5u) | 1u; y[a % 1024u] = a + x[0]; }\n"
        "}\n";
    weft_pool          *pool = fixture_pool(&(weft_pool_desc){
        .dispatch_deadline = 300000000, .backoff_ns = 1,
        .adapters = (const char *[]){"cpu", NULL}});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    Words w = words_new(0);
    Job   j;
    job_set(&j, w.x, NULL, w.new_y, NULL);
    j.desc.wgsl = endless;
    j.desc.output_count = 1;
    j.desc.groups[0] = j.desc.groups[1] = j.desc.groups[2] = 1;
    assert_false(weft_execute(ctx, &j.desc, &r));
    expect_error(&r, WEFT_ERROR_TIMEOUT, "deadline");
    memset(w.new_y, 0, N * 4);
    job_set(&j, w.x, w.y, w.new_y, w.z);
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    expect_words(w.new_y, w.z, true);
    free(w.all);
    fixture_release(pool, ctx);
}

static void *destroy(void *context)
{
    struct timespec soon = {.tv_nsec = 20000000};
    nanosleep(&soon, NULL);
    wgpuDeviceDestroy(weft_context_wgpu_device(context));
    return NULL;
}

/* Another user of the device destroys it while a kernel works in the caller's memory: the work
 * that runs again does not meet what is left of the first. */
static void test_a_device_that_is_destroyed(void **state)
{
    (void)state;
    static const char slow[] =
        "@group(0) @binding(0) var<storage, read> x : array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x >= arrayLength(&y) { return; }\n"
        "  for (var i = 0u; i < 2000u; i++) { y[id.x] = y[id.x] * 5u + x[(id.x + i) % 1000u]; }\n"
        "}\n";
    weft_pool          *pool = fixture_pool(&(weft_pool_desc){
        .backoff_ns = 1, .adapters = (const char *[]){"cpu", NULL}});
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    Words w = words_new(0), v = words_new(0);
    Job   j;
    job_set(&j, w.x, w.y, w.new_y, NULL);
    j.desc.wgsl = slow;
    j.desc.output_count = 1;
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    for (int i = 0; i < 3; i++) {
        weft_context *other = weft_pool_open(ctx, NULL);
        pthread_t     thread;
        j.out[0].data = v.new_y;
        assert_int_equal(pthread_create(&thread, NULL, destroy, other), 0);
        weft_execute(ctx, &j.desc, &r);
        expect_ok(&r);
        pthread_join(thread, NULL);
        assert_memory_equal(v.new_y, w.new_y, N * 4);
        weft_context_release(other);
    }
    free(w.all);
    free(v.all);
    fixture_release(pool, ctx);
}

/* ---- inputs that change ---- */

typedef struct Changer {
    uint32_t   *words;
    atomic_bool ends;
} Changer;

/* Plain stores, as those of a program that ignores the rule. */
static void *change(void *argument)
{
    Changer           *c = argument;
    volatile uint32_t *words = c->words;
    while (!atomic_load(&c->ends))
        for (uint32_t i = 0; i < 64; i++)
            words[i] = words[i] ? 0 : 0x3FFFFFF0u;
    return NULL;
}

/* Counts and places are in an input whose words another thread changes: results are anything,
 * but no access leaves the arrays. What a dispatch is shown to fulfil beforehand does not
 * depend on them. */
static void test_inputs_that_change_are_no_danger(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    static const char hostile[] =
        "struct Head { n : u32, base : u32, rest : array<u32> }\n"
        "@group(0) @binding(0) var<storage, read> h : Head;\n"
        "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < h.n { y[h.base + id.x] = h.rest[id.x % 16u]; }\n"
        "  for (var i = 0u; i < min(h.n, 8u); i++) { y[h.rest[i] + i] += 1u; }\n"
        "}\n";
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    Words     w = words_new(0);
    Changer   c = {.words = w.x};
    pthread_t thread;
    memset(w.x, 0, 64 * sizeof *w.x);
    assert_int_equal(pthread_create(&thread, NULL, change, &c), 0);
    for (uint32_t i = 0; i < 200; i++) {
        weft_execute_report r;
        weft_execute(ctx, &(weft_execute_desc){
            .wgsl = hostile, .input_count = 1, .output_count = 1, .invocations = {N},
            .inputs = &(weft_execute_input){.name = "h", .size = N * 4, .data = w.x},
            .outputs = &(weft_execute_output){.name = "y", .size = N * 4, .data = w.new_y}}, &r);
        expect_ok(&r);
    }
    atomic_store(&c.ends, true);
    pthread_join(thread, NULL);
    for (uint32_t i = 0; i < N; i++)            /* what is beside it is as it was */
        assert_true(w.y[i] == i * 11 + 5 && w.z[i] == 0xDEADBEEF);
    free(w.all);
    fixture_release(pool, ctx);
}

/* ---- the rule ---- */

static void test_what_is_lent(void **state)
{
    (void)state;
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    Words w = words_new(0);
    for (int i = 0; i < 2; i++) {
        Job            j;
        weft_execution e;
        job_set(&j, w.x, w.y, i ? w.y : w.new_y, w.z + 1);
        exe_init(&e, ctx);
        e.program = program_get(pool, &j.desc);
        e.time_limit = 0;
        assert_true(arguments_set(&e, &j.desc, false));
        lend_choose(&e);
        assert_true(e.args[0].lend);            /* x */
        assert_int_equal(e.args[1].lend, !i);   /* y: not in place */
        assert_false(e.args[2].lend);           /* z: not aligned */
        exe_fini(&e);
    }
    free(w.all);
    fixture_release(pool, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_are_those_of_copies),
        cmocka_unit_test(test_arguments_share_memory),
        cmocka_unit_test(test_asynchronous_and_limited_ones),
        cmocka_unit_test(test_refused_executions_leave_outputs_alone),
        cmocka_unit_test(test_a_loss_in_the_midst),
        cmocka_unit_test(test_a_device_that_is_destroyed),
        cmocka_unit_test(test_inputs_that_change_are_no_danger),
        cmocka_unit_test(test_what_is_lent),
    };
    return cmocka_run_group_tests_name("lend", tests, NULL, NULL);
}
