/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integer.c - benchmarks on integers.
 */
#include "kernels/kernels.h"
#include "native/native.h"

#include <string.h>

/* ---- histogram ---- */

static void histogram_make(Work *w)
{
    size_t n = w->size[0];
    uint32_t seed = 11;
    uint32_t *value = work_array(w, n * sizeof *value);
    uint32_t *want = work_extra(w, 256 * sizeof *want);
    work_array(w, 256 * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        double x = 256 * random_next(&seed);
        value[i] = (uint32_t)(x * random_next(&seed));
        want[value[i]]++;
    }
    work_step(w, STEP_CLEAR)->to = 1;
    work_run(w, NULL, 256, 1, 0);
    w->out = 1;
    w->bytes = 4.0 * (double)n;
}

static void histogram_native(const Work *w)
{
    native_histogram(w->array[1].data, w->array[0].data, w->size[0]);
}

static const char *histogram_check(const Work *w, const void *out)
{
    return check_words(out, w->extra, 256);
}

const Bench bench_histogram = {
    .name = "histogram", .set = "common", .sizes = {{NULL, 1 << 22, 1 << 12}},
    .make = histogram_make, .native = histogram_native, .check = histogram_check,
};

/* ---- hashes ---- */

static void hash_make(Work *w)
{
    uint32_t n = w->size[0], seed = 51;
    uint32_t *key = work_array(w, 4 * (size_t)n * sizeof *key);
    for (size_t i = 0; i < 4 * (size_t)n; i++)
        key[i] = (uint32_t)(4294967296.0 * random_next(&seed));
    work_array(w, n * sizeof(uint32_t));
    work_run(w, NULL, n / 256, 1, 0);
    w->out = 1;
    w->bytes = 20.0 * n;
}

static void hash_native(const Work *w)
{
    native_hash(w->array[1].data, w->array[0].data, w->size[0]);
}

static uint32_t rotate(uint32_t x, uint32_t by)
{
    return x << by | x >> (32 - by);
}

/* As the kernel has it, with its constants by their digits. */
static uint32_t hash_want(const uint32_t k[4])
{
    static const uint32_t seed[4] = {0x24234428u, 0x85ebca77u, 0, 0x61c8864fu};
    static const uint32_t turn[4] = {1, 7, 12, 18};
    uint32_t h = 16;
    for (int i = 0; i < 4; i++)
        h += rotate(rotate(seed[i] + k[i] * 0x85ebca77u, 13) * 0x9e3779b1u, turn[i]);
    for (int i = 0; i < 4; i++) {
        h = rotate(h + (h ^ k[0]) * 0xc2b2ae3du, 17) * 0x165667b1u;
        h ^= h >> 15;
    }
    h = (h ^ h >> 15) * 0x85ebca77u;
    h = (h ^ h >> 13) * 0xc2b2ae3du;
    return h ^ h >> 16;
}

static const char *hash_check(const Work *w, const void *out)
{
    const uint32_t *key = w->array[0].data, *hash = out;
    for (size_t i = 0; i < w->size[0]; i++)
        if (hash[i] != hash_want(key + 4 * i))
            return wrong("key %zu: got %u, want %u", i, hash[i], hash_want(key + 4 * i));
    return NULL;
}

const Bench bench_hash = {
    .name = "hash", .set = "more", .sizes = {{NULL, 1 << 20, 1 << 10}},
    .make = hash_make, .native = hash_native, .check = hash_check,
};

/* ---- sorting ---- */

enum { STAGES, KEYS, UNSORTED };    /* arrays */

#define STAGE_SIZE  256u            /* bytes from one to the next: an offset's alignment */
#define STAGE_BYTES 8u
#define NEAR        512u            /* keys of a workgroup                        */

static void sort_stage(Work *w, const char *entry, uint32_t groups, uint32_t run,
                       uint32_t apart)
{
    Step *s = work_run(w, entry, groups, 1, 1 << STAGES | 1 << KEYS);
    s->offset = (w->nsteps - 1) * STAGE_SIZE;
    s->size = STAGE_BYTES;
    uint32_t *stage = (uint32_t *)w->array[STAGES].data + s->offset / sizeof *stage;
    stage[0] = run;
    stage[1] = apart;
}

static void sort_make(Work *w)
{
    uint32_t n = w->size[0], seed = 52;
    work_array(w, MAX_STEPS * STAGE_SIZE);
    w->array[STAGES].is_uniform = true;
    work_array(w, n * sizeof(uint32_t));
    uint32_t *key = work_array(w, n * sizeof *key);
    for (uint32_t i = 0; i < n; i++)
        key[i] = (uint32_t)(4294967296.0 * random_next(&seed));
    Step *copy = work_step(w, STEP_COPY);
    copy->from = UNSORTED;
    copy->to = KEYS;
    work_run(w, "blocks", n / NEAR, 1, 1 << KEYS);
    for (uint32_t run = 2 * NEAR; run <= n; run *= 2) {
        for (uint32_t apart = run / 2; apart >= NEAR; apart /= 2)
            sort_stage(w, "step", n / NEAR, run, apart);
        sort_stage(w, "merge", n / NEAR, run, 0);
    }
    w->out = KEYS;
}

static void sort_native(const Work *w)
{
    memcpy(w->array[KEYS].data, w->array[UNSORTED].data, w->array[KEYS].size);
    native_sort(w->array[KEYS].data, w->size[0]);
}

/* In order, and with the sums that the keys had: none is lost, none is new. */
static const char *sort_check(const Work *w, const void *out)
{
    const uint32_t *had = w->array[UNSORTED].data, *got = out;
    uint64_t sum = 0, squares = 0;
    for (uint32_t i = 0; i < w->size[0]; i++) {
        if (i && got[i] < got[i - 1])
            return wrong("element %u: %u after %u", i, got[i], got[i - 1]);
        sum += (uint64_t)got[i] - had[i];
        squares += (uint64_t)got[i] * got[i] - (uint64_t)had[i] * had[i];
    }
    return sum || squares ? "the elements are not those that were to be sorted" : NULL;
}

const Bench bench_sort = {
    .name = "sort", .set = "more", .sizes = {{NULL, 1 << 18, 1 << 11}},
    .make = sort_make, .native = sort_native, .check = sort_check,
};
