/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context_test.c - contexts, their buffers and kernels as a program uses them.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define N 1000u

/* ---- contexts ---- */

static void test_a_context_says_which_device_and_why(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    const weft_device_info *info = weft_context_device(ctx);
    assert_non_null(info);
    assert_true(strlen(info->name) > 0);
    assert_non_null(strstr(info->reason, info->name));
    assert_true(info->limits.maxBufferSize >= 1 << 20);
    assert_non_null(weft_context_wgpu_instance(ctx));
    assert_non_null(weft_context_wgpu_device(ctx));
    assert_non_null(weft_context_wgpu_queue(ctx));
    assert_non_null(weft_context_wgpu_proc(ctx, "wgpuQueueSubmit"));
    assert_null(weft_context_wgpu_proc(ctx, "wgpuNoSuchFunction"));
    assert_null(weft_context_wgpu_proc(ctx, "malloc"));
    fixture_release(ctx);
}

static void test_what_is_available_needs_no_context(void **state)
{
    (void)state;
    char why[200] = "";
    assert_true(weft_context_available(NULL, why, sizeof why));
    assert_false(weft_context_available(&(weft_context_desc){.adapter = "no such thing"}, why,
                                        sizeof why));
    assert_non_null(strstr(why, "no such thing"));
    assert_false(weft_context_available(&(weft_context_desc){.library = "/no/such.so"}, NULL, 0));
    assert_false(weft_context_available(&(weft_context_desc){.no_device = true}, why, 1));
    assert_string_equal(why, "");
}

static void test_a_context_without_a_device_carries_the_reason(void **state)
{
    (void)state;
    weft_context *ctx = weft_context_create(&(weft_context_desc){.adapter = "no such thing"});
    fixture_expect_error(ctx, WEFT_ERROR_UNSUPPORTED, "no such thing");
    assert_null(weft_context_device(ctx));
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.size = 16}));
    fixture_expect_error(ctx, WEFT_ERROR_UNSUPPORTED, "no such thing");
    assert_false(weft_context_wait(ctx));
    weft_context_release(ctx);

    ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    fixture_no_error(ctx);
    assert_false(weft_context_submit(ctx));
    fixture_expect_error(ctx, WEFT_ERROR_UNSUPPORTED, "without a device");
    weft_context_release(ctx);
}

static void test_null_fails_quietly(void **state)
{
    (void)state;
    assert_int_equal(weft_context_error(NULL)->kind, WEFT_ERROR_INVALID);
    assert_null(weft_context_device(NULL));
    assert_null(weft_buffer_create(NULL, NULL));
    assert_null(weft_pipeline_create(NULL, NULL));
    assert_false(weft_buffer_write(NULL, 0, NULL, 0));
    assert_false(weft_buffer_copy(NULL, 0, NULL, 0, 0));
    assert_false(weft_buffer_read(NULL, NULL, 0, 0));
    assert_false(weft_context_dispatch(NULL, NULL));
    assert_false(weft_context_wait(NULL));
    assert_int_equal(weft_buffer_size(NULL), 0);
    weft_context_release(NULL);
    weft_buffer_release(NULL);
    weft_pipeline_release(NULL);
    weft_context_trim(NULL, 0);
    weft_context_poll(NULL);
    weft_context_error_clear(NULL);
}

/* ---- buffers ---- */

/* Large reads go in parts. */
static void test_many_bytes_come_back(void **state)
{
    (void)state;
    enum { SIZE = 17 * 1000 * 1000 + 4, SKIP = 5 };
    weft_context *ctx = fixture_context(NULL);
    uint8_t      *host = malloc(SIZE), *back = calloc(1, SIZE);
    assert_true(host && back);
    for (uint32_t i = 0; i < SIZE; i++)
        host[i] = (uint8_t)(i * 2654435761u >> 24);
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.data = host,
                                                                 .data_size = SIZE});
    assert_true(weft_buffer_read(back, b, SKIP, SIZE - 2 * SKIP));
    assert_memory_equal(back, host + SKIP, SIZE - 2 * SKIP);
    assert_int_equal(back[SIZE - 2 * SKIP], 0);
    weft_buffer_release(b);
    fixture_release(ctx);
    free(host);
    free(back);
}

static void test_bytes_go_to_any_place_and_come_back(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    uint8_t       host[64], back[64], more[16];
    memset(host, 0, sizeof host);
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = sizeof host});
    for (uint32_t offset = 0; offset < 9; offset++) {
        for (uint32_t size = 0; size <= sizeof more; size++) {
            for (uint32_t i = 0; i < size; i++)
                more[i] = (uint8_t)(offset * 16 + size + i * 7 + 1);
            memcpy(host + offset, more, size);
            assert_true(weft_buffer_write(b, offset, more, size));
        }
        assert_true(weft_buffer_read(back, b, 0, sizeof back));
        assert_memory_equal(back, host, sizeof host);
        assert_true(weft_buffer_read(back, b, offset, 13));
        assert_memory_equal(back, host + offset, 13);
    }
    weft_buffer_release(b);
    fixture_release(ctx);
}

static void test_copies_go_from_any_place_to_any_place(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    uint8_t       from[600], to[600], back[600];
    for (uint32_t i = 0; i < sizeof from; i++) {
        from[i] = (uint8_t)(i * 13 + 5);
        to[i] = (uint8_t)i;
    }
    weft_buffer *a = weft_buffer_create(ctx, &(weft_buffer_desc){.data = from,
                                                                 .data_size = sizeof from});
    weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){.data = to,
                                                                 .data_size = sizeof to});
    static const uint32_t cases[][3] = {    /* to, from, size */
        {0, 0, 600}, {1, 2, 3}, {4, 8, 12}, {301, 258, 299}, {3, 599, 1}, {255, 0, 257}, {7, 7, 0},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(to + cases[i][0], from + cases[i][1], cases[i][2]);
        assert_true(weft_buffer_copy(b, cases[i][0], a, cases[i][1], cases[i][2]));
    }
    memmove(to + 10, to, 500);              /* inside one buffer */
    assert_true(weft_buffer_copy(b, 10, b, 0, 500));
    assert_true(weft_buffer_read(back, b, 0, sizeof back));
    assert_memory_equal(back, to, sizeof to);
    weft_buffer_release(a);
    weft_buffer_release(b);
    fixture_release(ctx);
}

static void test_new_buffers_are_zero_though_reused(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    uint8_t       ones[200], back[200];
    memset(ones, 0xff, sizeof ones);
    for (int i = 0; i < 3; i++) {
        weft_buffer *b = weft_buffer_create(ctx, &(weft_buffer_desc){
            .size = sizeof ones, .data = ones, .data_size = i ? 5 : 0});
        assert_true(weft_buffer_read(back, b, 0, sizeof back));
        for (uint32_t k = 0; k < sizeof back; k++)
            assert_int_equal(back[k], i && k < 5 ? 0xff : 0);
        assert_true(weft_buffer_write(b, 0, ones, sizeof ones));
        weft_buffer_release(b);
    }
    assert_true(weft_context_counter(ctx, "context.buffers_reused") > 0);
    fixture_release(ctx);
}

static void test_wrong_buffer_calls_say_what_is_wrong(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    uint8_t       byte = 0;
    weft_buffer  *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 16});
    assert_null(weft_buffer_create(ctx, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "the size is zero");
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.size = UINT64_MAX}));
    fixture_expect_error(ctx, WEFT_ERROR_MEMORY, "largest buffer");
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.size = 4, .data = &byte,
                                                            .data_size = 5}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "data_size");
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.data_size = 5}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "without data");
    assert_false(weft_buffer_write(b, 16, &byte, 1));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "beyond the buffer's 16 bytes");
    assert_false(weft_buffer_write(b, UINT64_MAX, &byte, UINT64_MAX));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "beyond");
    assert_false(weft_buffer_write(b, 0, NULL, 1));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "NULL");
    assert_false(weft_buffer_read(&byte, b, 15, 2));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "beyond");
    assert_false(weft_buffer_copy(b, 0, b, 8, 9));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "beyond");
    assert_false(weft_buffer_copy(b, 0, NULL, 0, 1));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "NULL");
    weft_buffer_release(b);
    fixture_release(ctx);
}

static void test_borrowed_buffers_are_used_and_not_destroyed(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    uint32_t      value = 7, back = 0;
    weft_buffer  *a = weft_buffer_create(ctx, &(weft_buffer_desc){.data = &value, .data_size = 4});
    weft_memory   before, after;
    weft_context_memory(&before, ctx);
    weft_buffer  *b = weft_buffer_create(ctx, &(weft_buffer_desc){.borrow = weft_buffer_wgpu(a)});
    weft_context_memory(&after, ctx);
    assert_int_equal(before.live, after.live);
    assert_true(weft_buffer_read(&back, b, 0, 4));
    assert_int_equal(back, 7);
    weft_buffer_release(b);
    assert_true(weft_buffer_read(&back, a, 0, 4));
    assert_null(weft_buffer_create(ctx, &(weft_buffer_desc){.borrow = weft_buffer_wgpu(a),
                                                            .size = 1 << 20}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "borrowed");
    weft_buffer_release(a);
    fixture_release(ctx);
}

/* ---- kernels ---- */

typedef struct Axpy {
    weft_pipeline *pipeline;
    weft_buffer   *a, *b, *out;
    struct { float scale; uint32_t n; } params;
} Axpy;

static void axpy_init(Axpy *x, weft_context *ctx)
{
    float a[N], b[N];
    for (uint32_t i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 1;
    }
    x->pipeline = weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = fixture_axpy});
    x->a = weft_buffer_create(ctx, &(weft_buffer_desc){.data = a, .data_size = sizeof a});
    x->b = weft_buffer_create(ctx, &(weft_buffer_desc){.data = b, .data_size = sizeof b});
    x->out = weft_buffer_create(ctx, &(weft_buffer_desc){.size = sizeof a});
    x->params.scale = 2;
    x->params.n = N;
    fixture_no_error(ctx);
}

static void axpy_fini(Axpy *x)
{
    weft_pipeline_release(x->pipeline);
    weft_buffer_release(x->a);
    weft_buffer_release(x->b);
    weft_buffer_release(x->out);
}

static bool axpy_run(Axpy *x, weft_context *ctx, weft_buffer *a, weft_buffer *out)
{
    return weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = x->pipeline, .binding_count = 4, .groups = {(N + 63) / 64},
        .bindings = (weft_binding[]){{.buffer = a}, {.buffer = x->b}, {.buffer = out},
                                     {.data = &x->params, .data_size = sizeof x->params}}});
}

static void test_dispatches_run_in_order(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    Axpy          x;
    float         back[N];
    axpy_init(&x, ctx);
    weft_buffer *from = x.a, *to = x.out;
    float        sum = 0;
    for (int i = 0; i < 501; i++) {         /* more than one submit, more than one block */
        x.params.scale = (float)(i % 300);
        sum += x.params.scale;
        assert_true(axpy_run(&x, ctx, from, to));
        weft_buffer *other = from;
        from = to;
        to = other;
    }
    assert_true(weft_buffer_read(back, from, 0, sizeof back));
    for (uint32_t i = 0; i < N; i++)
        assert_true(back[i] == (float)i + sum);
    assert_int_equal(weft_context_counter(ctx, "context.dispatches"), 501);
    assert_true(weft_context_counter(ctx, "context.submits") > 1);
    axpy_fini(&x);
    fixture_release(ctx);
}

static void test_a_write_comes_after_what_was_recorded(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    Axpy          x;
    float         back[N], zeros[N] = {0};
    axpy_init(&x, ctx);
    assert_true(axpy_run(&x, ctx, x.a, x.out));
    assert_true(weft_buffer_write(x.a, 0, zeros, sizeof zeros));
    assert_true(weft_buffer_read(back, x.out, 0, sizeof back));
    assert_true(back[10] == 12);
    axpy_fini(&x);
    fixture_release(ctx);
}

static void test_a_pipeline_tells_its_bindings(void **state)
{
    (void)state;
    weft_context  *ctx = fixture_context(NULL);
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = fixture_axpy});
    static const char *const names[] = {"a", "b", "out", "params"};
    assert_int_equal(weft_pipeline_binding_count(p), 4);
    for (uint32_t i = 0; i < 4; i++) {
        const weft_pipeline_binding *b = weft_pipeline_binding_get(p, i);
        assert_string_equal(b->name, names[i]);
        assert_int_equal(b->binding, i);
        assert_int_equal(b->uniform, i == 3);
        assert_int_equal(b->writable, i == 2);
    }
    assert_int_equal(weft_pipeline_binding_get(p, 3)->min_size, 8);
    assert_null(weft_pipeline_binding_get(p, 4));
    uint32_t size[3];
    weft_pipeline_workgroup_size(size, p);
    assert_int_equal(size[0], 64);
    assert_int_equal(size[2], 1);
    weft_pipeline_release(p);
    fixture_release(ctx);
}

static void test_equal_kernels_are_compiled_once(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL), *other = fixture_context(&(weft_context_desc){
                                                    .share = ctx});
    static const char text[] = "override size : u32 = 8;\n"
        "@group(0) @binding(0) var<storage, read_write> out : array<u32>;\n"
        "@compute @workgroup_size(size) fn main() { out[0] = size; }";
    weft_constant  sixteen = {"size", 16};
    weft_pipeline *a = weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = text});
    weft_pipeline *b = weft_pipeline_create(other, &(weft_pipeline_desc){.wgsl = text});
    weft_pipeline *c = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = text, .constants = &sixteen, .constant_count = 1});
    uint32_t size[3];
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, c);
    weft_pipeline_workgroup_size(size, c);
    assert_int_equal(size[0], 16);
    assert_int_equal(weft_context_counter(ctx, "context.compiles"), 2);
    assert_int_equal(weft_context_counter(other, "context.pipeline_hits"), 1);
    weft_pipeline_release(a);
    weft_pipeline_release(b);
    fixture_release(ctx);
    weft_pipeline_release(c);               /* a pipeline outlives its context */
    fixture_release(other);
}

static void test_kernels_that_do_not_compile_say_where(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = "@compute @workgroup_size(1) fn main() {\n  let x : u32 = -1;\n}"}));
    assert_non_null(strstr(weft_context_error(ctx)->message, "2:"));
    fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "kernel");
    assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = ""}));
    fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "no compute entry point");
    assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = fixture_axpy,
                                                                .entry = "other"}));
    fixture_expect_error(ctx, WEFT_ERROR_NOT_FOUND, "other");
    assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = fixture_axpy, .constants = &(weft_constant){"none", 1}, .constant_count = 1}));
    fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "none");
    assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){0}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "NULL");
    assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = "@group(0) @binding(0) var t : texture_2d<f32>;\n"
                "@compute @workgroup_size(1) fn main() { _ = textureDimensions(t); }"}));
    fixture_expect_error(ctx, WEFT_ERROR_UNSUPPORTED, "'t'");
    fixture_release(ctx);
}

/* Correct WGSL that a compiler may refuse: calls with 80,000 bytes each. */
static char *large_kernel(int calls)
{
    enum { ROOM = 8192 };
    char  *text = malloc(ROOM);
    size_t at = (size_t)snprintf(text, ROOM,
        "@group(0) @binding(0) var<storage, read_write> b : array<u32>;\n"
        "fn f(x : u32) -> u32 { var a : array<u32, 20000>; a[x %% 20000u] = x;"
        " return a[x %% 20000u]; }\n"
        "@compute @workgroup_size(1) fn main() {\n");
    for (int i = 0; i < calls; i++)
        at += (size_t)snprintf(text + at, ROOM - at, "b[%d] = f(b[0]) + 1u;\n", i);
    snprintf(text + at, ROOM - at, "}\n");
    return text;
}

static void note_ok(void *user, bool ok)
{
    *(int *)user = ok;
}

/* weft_pipeline_create() may return before the compiler fails. */
static void test_results_of_kernels_that_could_not_be_made_are_errors(void **state)
{
    (void)state;
    if (getenv("WEFT_WEBGPU"))
        skip();                                 /* SwiftShader aborts on such kernels */
    weft_context  *ctx = fixture_context(NULL);
    char          *text = large_kernel(40);
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = text});
    weft_buffer   *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 256});
    weft_binding   binding = {.buffer = b};
    weft_dispatch  d = {.pipeline = p, .bindings = &binding, .binding_count = 1};
    uint32_t       words[4];
    if (p && weft_context_dispatch(ctx, &d) && weft_buffer_read(words, b, 0, sizeof words)) {
        assert_int_equal(words[1], 2);          /* this device takes it */
    } else {
        fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "bytes");
        assert_null(weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = text}));
        fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "bytes");
        if (p)
            assert_false(weft_context_dispatch(ctx, &d));
        if (p)
            fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "bytes");
    }
    weft_pipeline_release(p);
    weft_buffer_release(b);
    free(text);
    fixture_release(ctx);
}

static void test_work_whose_kernel_could_not_be_made_does_not_end_well(void **state)
{
    (void)state;
    if (getenv("WEFT_WEBGPU"))
        skip();                                 /* SwiftShader aborts on such kernels */
    weft_context  *ctx = fixture_context(NULL);
    char          *text = large_kernel(41);
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = text});
    weft_buffer   *b = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 256});
    weft_binding   binding = {.buffer = b};
    int            ok = -1;
    if (p && weft_context_dispatch(ctx, &(weft_dispatch){
            .pipeline = p, .bindings = &binding, .binding_count = 1})) {
        WGPUFuture future = weft_context_done_async(ctx, note_ok, &ok);
        weft_context_wait_future(ctx, future, UINT64_MAX);
        assert_int_equal(ok, weft_context_error(ctx)->kind == WEFT_ERROR_NONE);
    }
    if (weft_context_error(ctx)->kind)
        fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "bytes");
    weft_pipeline_release(p);
    weft_buffer_release(b);
    free(text);
    fixture_release(ctx);
}

static void test_wrong_dispatches_name_the_binding(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    Axpy          x;
    axpy_init(&x, ctx);
    weft_dispatch d = {.pipeline = x.pipeline, .binding_count = 4};
    weft_binding  good[4] = {{.buffer = x.a}, {.buffer = x.b}, {.buffer = x.out},
                             {.data = &x.params, .data_size = sizeof x.params}}, b[4];
    static const struct { uint32_t at; weft_binding bad; const char *part; } cases[] = {
        {0, {0}, "'a'"}, {3, {0}, "'params'"}, {3, {.data = "1234", .data_size = 4}, "data_size"},
        {3, {.data = "", .data_size = 2000}, "most that is copied"},
    };
    d.bindings = b;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(b, good, sizeof b);
        b[cases[i].at] = cases[i].bad;
        assert_false(weft_context_dispatch(ctx, &d));
        assert_int_equal(weft_context_error(ctx)->name_count, 1);
        fixture_expect_error(ctx, WEFT_ERROR_INVALID, cases[i].part);
    }
    memcpy(b, good, sizeof b);
    b[0].offset = 4;
    assert_false(weft_context_dispatch(ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "alignment");
    b[0].offset = UINT64_MAX - 255;
    assert_false(weft_context_dispatch(ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "beyond");
    b[0] = (weft_binding){.buffer = x.a, .size = UINT64_MAX};
    assert_false(weft_context_dispatch(ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "beyond");
    b[0] = (weft_binding){.buffer = x.out};
    assert_false(weft_context_dispatch(ctx, &d));
    assert_int_equal(weft_context_error(ctx)->name_count, 2);
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "only one of them is writable");
    d.binding_count = 3;
    assert_false(weft_context_dispatch(ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "3 bindings are given, the kernel has 4");
    d = (weft_dispatch){.pipeline = x.pipeline, .bindings = good, .binding_count = 4,
                        .groups = {1, 70000, 1}};
    assert_false(weft_context_dispatch(ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "70000 workgroups in y");
    assert_false(weft_context_dispatch(ctx, &(weft_dispatch){0}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "pipeline is NULL");
    axpy_fini(&x);
    fixture_release(ctx);
}

static bool count_progress(void *user, uint64_t done, uint64_t total)
{
    uint64_t *calls = user;
    assert_int_equal(done, ++*calls);
    return done < total / 2 || total < 8;
}

static void test_kernels_are_precompiled_together(void **state)
{
    (void)state;
    weft_context      *ctx = fixture_context(NULL);
    weft_pipeline_desc descs[8] = {0};
    char               texts[8][200];
    uint64_t           calls = 0;
    for (int i = 0; i < 8; i++) {
        snprintf(texts[i], sizeof texts[i], "@group(0) @binding(0) var<storage, read_write> "
                 "out : array<u32>;\n@compute @workgroup_size(1) fn main() { out[0] = %du; }", i);
        descs[i].wgsl = texts[i];
    }
    assert_true(weft_context_precompile(ctx, descs, 4, count_progress, &calls));
    assert_int_equal(calls, 4);
    assert_int_equal(weft_context_counter(ctx, "context.compiles"), 4);
    calls = 0;
    assert_false(weft_context_precompile(ctx, descs, 8, count_progress, &calls));
    fixture_expect_error(ctx, WEFT_ERROR_CANCELLED, "cancelled");
    descs[1].wgsl = "not WGSL";
    assert_false(weft_context_precompile(ctx, descs, 2, NULL, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "1:");
    fixture_release(ctx);
}

/* ---- futures ---- */

typedef struct Answer {
    uint32_t calls, value;
    bool     ok;
} Answer;

static void on_read(void *user, bool ok, const void *data, uint64_t size)
{
    Answer *a = user;
    a->calls++;
    a->ok = ok;
    if (ok) {
        assert_int_equal(size, 4);
        memcpy(&a->value, data, 4);
    }
}

static void on_done(void *user, bool ok)
{
    Answer *a = user;
    a->calls++;
    a->ok = ok;
}

static void test_reads_complete_by_waiting_and_by_polling(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    uint32_t      values[] = {3, 5};
    Answer        first = {0}, second = {0}, done = {0}, wrong = {0};
    weft_buffer  *b = weft_buffer_create(ctx, &(weft_buffer_desc){.data = values,
                                                                  .data_size = sizeof values});
    WGPUFuture future = weft_buffer_read_async(b, 4, 4, on_read, &first);
    assert_true(future.id != 0);
    assert_true(weft_context_wait_future(ctx, future, WEFT_OFF));
    assert_int_equal(first.calls, 1);
    assert_int_equal(first.value, 5);
    assert_true(weft_context_wait_future(ctx, future, 0));      /* again: it is complete */

    weft_buffer_read_async(b, 0, 4, on_read, &second);
    weft_context_done_async(ctx, on_done, &done);
    for (int i = 0; i < 1000000 && !(second.calls && done.calls); i++)
        weft_context_poll(ctx);
    assert_int_equal(second.value, 3);
    assert_true(done.ok);
    assert_int_equal(weft_buffer_read_async(b, 8, 4, on_read, &wrong).id, 0);
    assert_int_equal(wrong.calls, 1);
    assert_false(wrong.ok);
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "beyond");
    weft_buffer_release(b);
    fixture_release(ctx);
}

static void test_waits_with_a_timeout_that_help_give_what_others_do(void **state)
{
    (void)state;
    weft_context  *ctx = fixture_context(&(weft_context_desc){.timed_waits_help = true});
    Answer         a = {0};
    const uint32_t zero = 0;
    weft_buffer   *b = weft_buffer_create(ctx, &(weft_buffer_desc){.data = &zero, .data_size = 4});
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = "@group(0) @binding(0) var<storage, read_write> n : array<u32, 1>;"
                "@compute @workgroup_size(1) fn main() { n[0] += 1u; }"});
    for (uint32_t i = 1; i <= 200; i++) {
        weft_context_dispatch(ctx, &(weft_dispatch){
            .pipeline = p, .bindings = &(weft_binding){.buffer = b}, .binding_count = 1});
        WGPUFuture future = weft_buffer_read_async(b, 0, 4, on_read, &a);
        while (!weft_context_wait_future(ctx, future, i % 3 ? 1000000 : 1))
            weft_context_error_clear(ctx);
        assert_int_equal(a.calls, i);
        assert_int_equal(a.value, i);
    }
    weft_pipeline_release(p);
    weft_buffer_release(b);
    fixture_release(ctx);
}

static void test_reads_under_way_end_with_the_context(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    uint32_t      value = 9;
    Answer        a = {.ok = true};
    weft_buffer  *b = weft_buffer_create(ctx, &(weft_buffer_desc){.data = &value, .data_size = 4});
    weft_buffer_read_async(b, 0, 4, on_read, &a);
    weft_buffer_release(b);
    weft_context_release(ctx);
    assert_int_equal(a.calls, 1);
    assert_false(a.ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_context_says_which_device_and_why),
        cmocka_unit_test(test_what_is_available_needs_no_context),
        cmocka_unit_test(test_a_context_without_a_device_carries_the_reason),
        cmocka_unit_test(test_null_fails_quietly),
        cmocka_unit_test(test_many_bytes_come_back),
        cmocka_unit_test(test_bytes_go_to_any_place_and_come_back),
        cmocka_unit_test(test_copies_go_from_any_place_to_any_place),
        cmocka_unit_test(test_new_buffers_are_zero_though_reused),
        cmocka_unit_test(test_wrong_buffer_calls_say_what_is_wrong),
        cmocka_unit_test(test_borrowed_buffers_are_used_and_not_destroyed),
        cmocka_unit_test(test_dispatches_run_in_order),
        cmocka_unit_test(test_a_write_comes_after_what_was_recorded),
        cmocka_unit_test(test_a_pipeline_tells_its_bindings),
        cmocka_unit_test(test_equal_kernels_are_compiled_once),
        cmocka_unit_test(test_kernels_that_do_not_compile_say_where),
        cmocka_unit_test(test_results_of_kernels_that_could_not_be_made_are_errors),
        cmocka_unit_test(test_work_whose_kernel_could_not_be_made_does_not_end_well),
        cmocka_unit_test(test_wrong_dispatches_name_the_binding),
        cmocka_unit_test(test_kernels_are_precompiled_together),
        cmocka_unit_test(test_reads_complete_by_waiting_and_by_polling),
        cmocka_unit_test(test_waits_with_a_timeout_that_help_give_what_others_do),
        cmocka_unit_test(test_reads_under_way_end_with_the_context),
    };
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
