// SPDX-License-Identifier: Apache-2.0
/*
 * context.c - libweft's contexts: two that share a device, one kernel for both, a memory
 * budget that holds, a read that is waited for later.
 *
 * in     nothing
 * out    which device was chosen and why; the sum of squares of two ranges, each computed by
 *        a context of its own; what happens when the budget is exhausted
 *
 * Calls are not checked one by one: a failed one makes those after it fail, and the context
 * keeps the first reason.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weft/context.h>

#define N 4096u

/* sums[workgroup] = sum of the squares of 64 numbers */
static const char text[] =
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> sums : array<f32>;\n"
    "var<workgroup> partial : array<f32, 64>;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u,\n"
    "        @builtin(local_invocation_index) i : u32,\n"
    "        @builtin(workgroup_id) group : vec3u) {\n"
    "    partial[i] = x[id.x] * x[id.x];\n"
    "    for (var half = 32u; half > 0u; half /= 2u) {\n"
    "        workgroupBarrier();\n"
    "        if i < half { partial[i] += partial[i + half]; }\n"
    "    }\n"
    "    if i == 0u { sums[group.x] = partial[0]; }\n"
    "}\n";

static void add_up(void *user, bool ok, const void *data, uint64_t size)
{
    double      *total = user;
    const float *sums = data;
    for (uint64_t i = 0; ok && i < size / sizeof *sums; i++)
        *total += (double)sums[i];
}

/* Starts the work and returns; *total is there once the future is complete. */
static WGPUFuture sum_of_squares(double *total, weft_context *ctx, float first)
{
    float numbers[N];
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = (first + (float)i) / N;
    weft_pipeline *squares = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = text, .label = "squares" });
    weft_buffer *x = weft_buffer_create(ctx, &(weft_buffer_desc){
        .data = numbers, .data_size = sizeof numbers });
    weft_buffer *sums = weft_buffer_create(ctx, &(weft_buffer_desc){ .size = N / 64 * 4 });
    weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = squares, .binding_count = 2, .groups = { N / 64 },
        .bindings = (weft_binding[]){ { .buffer = x }, { .buffer = sums } } });
    *total = 0;
    WGPUFuture future = weft_buffer_read_async(sums, 0, N / 64 * 4, add_up, total);
    weft_buffer_release(x);                 /* safe: queued work keeps what it needs */
    weft_buffer_release(sums);
    weft_pipeline_release(squares);
    return future;
}

static void check(weft_context *ctx)
{
    const weft_error *e = weft_context_error(ctx);
    if (!e->kind)
        return;
    printf("%s: %s\n", weft_error_kind_name(e->kind), e->message);
    exit(1);
}

int main(void)
{
    weft_context *first = weft_context_create(NULL);
    check(first);
    puts(weft_context_device(first)->reason);
    weft_context *second = weft_context_create(&(weft_context_desc){
        .share = first, .memory_budget = 1 << 20, .label = "second" });

    double     a, b;
    WGPUFuture one = sum_of_squares(&a, first, 0), two = sum_of_squares(&b, second, N);
    weft_context_wait_future(first, one, WEFT_OFF);
    weft_context_wait_future(second, two, WEFT_OFF);
    check(first);
    check(second);
    printf("sums of squares: %.3f and %.3f; the kernel was compiled %llu time\n", a, b,
           (unsigned long long)(weft_context_counter(first, "context.compiles")
                                + weft_context_counter(second, "context.compiles")));

    weft_buffer *large = weft_buffer_create(second, &(weft_buffer_desc){ .size = 2 << 20 });
    const weft_error *e = weft_context_error(second);
    printf("2 MiB: %s (%s)\n", large ? "there" : "no", weft_error_kind_name(e->kind));
    bool as_expected = !large && e->kind == WEFT_ERROR_MEMORY && a > 1364 && b > 9555;
    weft_context_release(first);
    weft_context_release(second);
    return as_expected ? 0 : 1;
}
