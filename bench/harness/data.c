/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - the arrays of a benchmark, and whether a result is right.
 *
 * in     sizes and seeds
 * out    the same data on every machine; NULL or what is wrong
 * not    kernels, devices
 */
#define _DEFAULT_SOURCE
#include "harness/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- memory ---- */

#define HUGE ((size_t)2 << 20)

/* As the CPU device takes it for its buffers: the comparison is of code, not of page
 * tables and alignments. */
void *memory_new(size_t size)
{
    void *data = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        stop("no memory for %zu bytes", size);
    if (size >= HUGE)
        madvise(data, size, MADV_HUGEPAGE);
    return data;
}

void memory_free(void *data, size_t size)
{
    if (data)
        munmap(data, size ? size : 1);
}

/* ---- the work ---- */

void work_init(Work *w, const Bench *b, bool small)
{
    memset(w, 0, sizeof *w);
    for (uint32_t i = 0; i < MAX_SIZES; i++)
        w->size[i] = small ? b->sizes[i].small : b->sizes[i].full;
    b->make(w);
}

void work_fini(Work *w)
{
    for (uint32_t i = 0; i < w->narrays; i++)
        memory_free(w->array[i].data, w->array[i].size);
    memory_free(w->extra, w->extra_size);
}

void *work_array(Work *w, size_t size)
{
    if (w->narrays == MAX_BUFFERS)
        stop("more than %d arrays", MAX_BUFFERS);
    Array *a = &w->array[w->narrays++];
    a->data = memory_new(size);
    a->size = size;
    return a->data;
}

void *work_extra(Work *w, size_t size)
{
    w->extra = memory_new(size);
    w->extra_size = size;
    return w->extra;
}

float *work_floats(Work *w, size_t n, uint32_t seed, double lo, double hi)
{
    float *data = work_array(w, n * sizeof *data);
    for (size_t i = 0; i < n; i++)
        data[i] = (float)(lo + (hi - lo) * random_next(&seed));
    return data;
}

double *work_doubles(Work *w, size_t n, uint32_t seed, double lo, double hi)
{
    double *data = work_array(w, n * sizeof *data);
    for (size_t i = 0; i < n; i++)
        data[i] = lo + (hi - lo) * random_next(&seed);
    return data;
}

Step *work_step(Work *w, StepKind kind)
{
    if (w->nsteps == MAX_STEPS)
        stop("more than %d steps", MAX_STEPS);
    Step *s = &w->step[w->nsteps++];
    s->kind = kind;
    return s;
}

Step *work_run(Work *w, const char *entry, uint32_t x, uint32_t y, uint32_t bound)
{
    Step *s = work_step(w, STEP_RUN);
    s->entry = entry;
    s->groups[0] = x;
    s->groups[1] = y;
    s->bound = bound;
    return s;
}

double random_next(uint32_t *state)
{
    uint32_t s = *state += 0x6d2b79f5u;
    uint32_t t = (s ^ s >> 15) * (s | 1);
    t ^= t + (t ^ t >> 7) * (t | 61);
    return (t ^ t >> 14) / 4294967296.0;
}

/* ---- checks ---- */

bool close_to(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

const char *wrong(const char *format, ...)
{
    static char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

const char *check_sample(const Work *w, const float *out, size_t n, size_t count,
                         double (*want)(const Work *w, size_t i), double tolerance)
{
    size_t step = n / count ? n / count : 1;
    for (size_t i = 0; i < n; i += step) {
        double expected = want(w, i);
        if (!close_to((double)out[i], expected, tolerance))
            return wrong("element %zu: got %.9g, want %.9g", i, (double)out[i], expected);
    }
    return NULL;
}

const char *check_words(const uint32_t *out, const uint32_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (out[i] != want[i])
            return wrong("element %zu: got %u, want %u", i, out[i], want[i]);
    return NULL;
}
