// SPDX-License-Identifier: Apache-2.0
/*
 * small.c - small operations on tensors from C, for small.mjs to be compared with.
 *
 * in     nothing
 * out    a line for each row: its name, microseconds an operation (the median of some rounds)
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weft/tensor.h>

enum { ELEMENTS = 256, ROUNDS = 60, OPERATIONS = 500 };

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static weft_tensor *x, *y;

static void build(void)
{
    weft_tensor_release(weft_tensor_add(x, y));
}

static void evaluate(void)
{
    weft_tensor *z = weft_tensor_add(x, y);
    weft_tensor_eval(&z, 1);
    weft_tensor_release(z);
}

static void read_back(void)
{
    float        out[ELEMENTS];
    weft_tensor *z = weft_tensor_add(x, y);
    weft_tensor_read(out, sizeof out, z);
    weft_tensor_release(z);
}

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void measure(const char *name, void (*run)(void))
{
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < OPERATIONS; i++)
            run();
        times[round] = (now() - start) / OPERATIONS;
        weft_context_wait(weft_tensor_context(x));
    }
    qsort(times, ROUNDS, sizeof times[0], by_value);
    printf("%s %.3f\n", name, times[ROUNDS / 2]);
}

int main(void)
{
    weft_context  *ctx = weft_context_create(&(weft_context_desc){ .threads = 2 });
    const uint64_t shape[] = { ELEMENTS };
    x = weft_tensor_ones(ctx, WEFT_F32, 1, shape);
    y = weft_tensor_full(ctx, WEFT_F32, 1, shape, 2);
    weft_tensor_eval((weft_tensor *[]){ x, y }, 2);
    measure("build", build);
    measure("evaluate", evaluate);
    measure("read", read_back);
    weft_tensor_release(x);
    weft_tensor_release(y);
    const bool ok = !weft_context_error(ctx)->kind;
    if (!ok)
        fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
    weft_context_release(ctx);
    return ok ? 0 : 1;
}
