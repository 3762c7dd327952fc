/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_test.c - contexts that share a device: on one thread, and each on its own.
 */
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

#define THREADS 4
#define ROUNDS  40
#define N       256u

static void test_one_context_uses_the_buffers_of_another(void **state)
{
    (void)state;
    weft_context *a = fixture_context(NULL);
    weft_context *b = fixture_context(&(weft_context_desc){.share = a});
    float ones[N], back[N];
    for (uint32_t i = 0; i < N; i++)
        ones[i] = 1;
    weft_pipeline *p = weft_pipeline_create(a, &(weft_pipeline_desc){.wgsl = fixture_axpy});
    weft_buffer   *x = weft_buffer_create(a, &(weft_buffer_desc){.data = ones,
                                                                 .data_size = sizeof ones});
    weft_buffer   *y = weft_buffer_create(a, &(weft_buffer_desc){.size = sizeof ones});
    weft_buffer   *z = weft_buffer_create(b, &(weft_buffer_desc){.size = sizeof ones});
    struct { float scale; uint32_t n; } params = {3, N};
    weft_binding values = {.data = &params, .data_size = sizeof params};
    /* y is written by a, read by b, without a submit in between. */
    assert_true(weft_context_dispatch(a, &(weft_dispatch){
        .pipeline = p, .binding_count = 4, .groups = {N / 64},
        .bindings = (weft_binding[]){{.buffer = x}, {.buffer = x}, {.buffer = y}, values}}));
    assert_true(weft_context_dispatch(b, &(weft_dispatch){
        .pipeline = p, .binding_count = 4, .groups = {N / 64},
        .bindings = (weft_binding[]){{.buffer = y}, {.buffer = x}, {.buffer = z}, values}}));
    assert_true(weft_buffer_copy(y, 0, z, 0, sizeof back));
    assert_true(weft_buffer_read(back, y, 0, sizeof back));
    assert_true(back[N - 1] == 7);
    weft_buffer_release(x);
    weft_buffer_release(y);
    weft_pipeline_release(p);
    fixture_release(a);
    weft_buffer_release(z);
    fixture_release(b);
}

static void test_buffers_of_another_device_are_refused(void **state)
{
    (void)state;
    weft_context *a = fixture_context(NULL), *b = fixture_context(NULL);
    weft_pipeline *p = weft_pipeline_create(a, &(weft_pipeline_desc){
        .wgsl = "@group(0) @binding(0) var<storage, read_write> x : array<u32>;\n"
                "@compute @workgroup_size(1) fn main() { x[0] = 1u; }"});
    weft_buffer *x = weft_buffer_create(a, &(weft_buffer_desc){.size = 16});
    weft_buffer *y = weft_buffer_create(b, &(weft_buffer_desc){.size = 16});
    assert_false(weft_context_dispatch(a, &(weft_dispatch){
        .pipeline = p, .bindings = &(weft_binding){.buffer = y}, .binding_count = 1}));
    fixture_expect_error(a, WEFT_ERROR_INVALID, "another device");
    assert_false(weft_context_dispatch(b, &(weft_dispatch){
        .pipeline = p, .bindings = &(weft_binding){.buffer = y}, .binding_count = 1}));
    fixture_expect_error(b, WEFT_ERROR_INVALID, "another device");
    assert_false(weft_buffer_copy(x, 0, y, 0, 16));
    fixture_expect_error(a, WEFT_ERROR_INVALID, "different devices");
    weft_buffer_release(x);
    weft_buffer_release(y);
    weft_pipeline_release(p);
    fixture_release(a);
    fixture_release(b);
}

/* ---- threads ---- */

typedef struct Worker {
    pthread_t     thread;
    weft_context *ctx;
    uint32_t      number, good;
} Worker;

/* A sum of its own numbers, with kernels that all threads want and one of its own. */
static bool round_of(Worker *w, uint32_t round)
{
    char  own[1024];
    float values[N], back[N];
    struct { float scale; uint32_t n; } params = {(float)round, N};
    snprintf(own, sizeof own, "%s// %u\n", fixture_axpy, (round + w->number) % 5);
    for (uint32_t i = 0; i < N; i++)
        values[i] = (float)(i + w->number);
    weft_pipeline *p = weft_pipeline_create(w->ctx, &(weft_pipeline_desc){.wgsl = own});
    weft_buffer *x = weft_buffer_create(w->ctx, &(weft_buffer_desc){.data = values,
                                                                    .data_size = sizeof values});
    weft_buffer *y = weft_buffer_create(w->ctx, &(weft_buffer_desc){.size = sizeof values});
    bool ok = weft_context_dispatch(w->ctx, &(weft_dispatch){
        .pipeline = p, .binding_count = 4, .groups = {N / 64},
        .bindings = (weft_binding[]){{.buffer = x}, {.buffer = x}, {.buffer = y},
                                     {.data = &params, .data_size = sizeof params}}});
    ok = ok && weft_buffer_read(back, y, 0, sizeof back);
    for (uint32_t i = 0; ok && i < N; i++)
        ok = back[i] == values[i] + values[i] * (float)round;
    weft_buffer_release(x);
    weft_buffer_release(y);
    weft_pipeline_release(p);
    return ok;
}

static void *work(void *user)
{
    Worker *w = user;
    for (uint32_t round = 0; round < ROUNDS; round++)
        w->good += round_of(w, round);
    weft_context_release(w->ctx);
    return NULL;
}

static void test_contexts_on_threads_share_a_device(void **state)
{
    (void)state;
    Worker        workers[THREADS] = {0};
    weft_context *first = fixture_context(&(weft_context_desc){.pipeline_limit = 3});
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].ctx = fixture_context(&(weft_context_desc){.share = first});
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    fixture_release(first);
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].good, ROUNDS);
    }
}

/* ---- libraries ---- */

/* Weft's own library as another one: its functions by their addresses in the file. */
static void test_libraries_may_differ_between_contexts(void **state)
{
    (void)state;
    weft_context *own = fixture_context(&(weft_context_desc){.library = "weft"});
    weft_context *other = fixture_context(&(weft_context_desc){.library = WEFT_TEST_LIBRARY});
    assert_string_equal(weft_context_device(own)->library, "weft");
    assert_string_equal(weft_context_device(other)->library, WEFT_TEST_LIBRARY);
    assert_true((void (*)(void))weft_context_wgpu_proc(own, "wgpuQueueSubmit")
                != (void (*)(void))weft_context_wgpu_proc(other, "wgpuQueueSubmit"));
    Worker a = {.ctx = own}, b = {.ctx = other, .number = 1};
    assert_true(round_of(&a, 2) && round_of(&b, 3));
    fixture_release(own);
    fixture_release(other);
    weft_context *none = weft_context_create(&(weft_context_desc){.library = "/dev/null"});
    fixture_expect_error(none, WEFT_ERROR_UNSUPPORTED, "/dev/null");
    weft_context_release(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_context_uses_the_buffers_of_another),
        cmocka_unit_test(test_buffers_of_another_device_are_refused),
        cmocka_unit_test(test_contexts_on_threads_share_a_device),
        cmocka_unit_test(test_libraries_may_differ_between_contexts),
    };
    return cmocka_run_group_tests_name("context_share", tests, NULL, NULL);
}
