// SPDX-License-Identifier: Apache-2.0
/*
 * vectors.c - trains a map, or searches beside a C loop with OpenMP.
 *
 *     vectors som batch|online ROWS DIM WIDTH HEIGHT EPOCHS FILE [OUT]
 *     vectors search ROWS DIM FILE [TURNS]
 *
 * in     FILE: ROWS x DIM numbers (f32, little-endian, no head)
 * out    "som SECONDS": an epoch, from rows in memory to weights in memory; OUT gets the weights
 *        before the training and after it.
 *        "search WEFT_MS C_MS RATIO": one query, the ten nearest by cosine, median of the turns
 * knows  weft/vectors.h alone
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/vectors.h>

enum { TOP = 10, MAX_TURNS = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *why)
{
    fprintf(stderr, "vectors: %s\n", why);
    exit(1);
}

static void need(bool ok, weft_context *ctx)
{
    if (!ok)
        die(weft_context_error(ctx)->message);
}

static float *read_rows(const char *path, size_t numbers)
{
    FILE  *f = fopen(path, "rb");
    float *rows = malloc(numbers * sizeof *rows);
    if (!f || !rows || fread(rows, sizeof *rows, numbers, f) != numbers)
        die("the file has fewer numbers");
    fclose(f);
    return rows;
}

/* ---- maps ---- */

static void write_weights(FILE *f, const float *weights, size_t count)
{
    if (f && fwrite(weights, sizeof *weights, count, f) != count)
        die("the weights cannot be written");
}

static void som(char **a, const char *out)
{
    uint32_t rows = (uint32_t)atoi(a[1]), dim = (uint32_t)atoi(a[2]), width = (uint32_t)atoi(a[3]);
    uint32_t height = (uint32_t)atoi(a[4]), epochs = (uint32_t)atoi(a[5]);
    float   *data = read_rows(a[6], (size_t)rows * dim);
    float   *weights = calloc((size_t)width * height * dim, sizeof *weights);
    weft_context     *ctx = weft_context_create(NULL);
    weft_vectors_rows all = {.data = data, .count = rows};
    weft_vectors_training t = {.epochs = epochs, .online = strcmp(a[0], "online") == 0};
    size_t count = (size_t)width * height * dim;
    FILE  *f = out ? fopen(out, "wb") : NULL;
    double best = INFINITY;
    if (!ctx || !weights || (out && !f))
        die("no memory, or OUT cannot be written");
    for (int turn = 0; turn < 3; turn++) {
        weft_vectors_map *map = weft_vectors_map_create(ctx, &(weft_vectors_map_desc){
            .dimension = dim, .width = width, .height = height});
        weft_vectors_training first = {.epochs = 1, .radius_start = 0.5 * width,
                                       .radius_end = 0.5 * width};
        need(weft_vectors_map_train(map, &all, &first)              /* chooses the first units */
             && weft_vectors_map_weights(weights, map), ctx);
        if (turn == 0)
            write_weights(f, weights, count);
        double start = now();
        need(weft_vectors_map_train(map, &all, &t) && weft_vectors_map_weights(weights, map), ctx);
        best = fmin(best, (now() - start) / epochs);
        if (turn == 0)
            write_weights(f, weights, count);
        weft_vectors_map_release(map);
    }
    printf("som %.6f\n", best);
    if (f && fclose(f) != 0)
        die("the weights cannot be written");
    weft_context_release(ctx);
    free(weights);
    free(data);
}

/* ---- searches ---- */

typedef struct Found {
    float    score;
    uint64_t id;
} Found;

static void keep(Found best[TOP], float score, uint64_t id)
{
    int at = TOP - 1;
    if (score <= best[at].score)
        return;
    for (; at > 0 && best[at - 1].score < score; at--)
        best[at] = best[at - 1];
    best[at] = (Found){score, id};
}

/* What one would write: rows of length 1, a table of the best for each thread. */
static void search_c(Found out[TOP], const float *rows, const float *query, size_t count,
                     size_t dim)
{
    for (int i = 0; i < TOP; i++)
        out[i] = (Found){-INFINITY, 0};
#pragma omp parallel
    {
        Found mine[TOP];
        for (int i = 0; i < TOP; i++)
            mine[i] = (Found){-INFINITY, 0};
#pragma omp for schedule(static)
        for (size_t r = 0; r < count; r++) {
            float sum = 0;
            for (size_t d = 0; d < dim; d++)
                sum += rows[r * dim + d] * query[d];
            keep(mine, sum, r);
        }
#pragma omp critical
        for (int i = 0; i < TOP; i++)
            keep(out, mine[i].score, mine[i].id);
    }
}

static int by_value(const void *x, const void *y)
{
    double d = *(const double *)x - *(const double *)y;
    return d < 0 ? -1 : d > 0;
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

static void normalise(float *rows, size_t count, size_t dim)
{
    for (size_t r = 0; r < count; r++) {
        double sum = 0;
        for (size_t d = 0; d < dim; d++)
            sum += (double)rows[r * dim + d] * rows[r * dim + d];
        for (size_t d = 0; d < dim; d++)
            rows[r * dim + d] = (float)(rows[r * dim + d] / sqrt(sum > 0 ? sum : 1));
    }
}

static void compare(const weft_vectors_match *w, const Found *c)
{
    for (int i = 0; i < TOP; i++)
        if (fabs((double)w[i].score - (double)c[i].score) > 1e-4)
            die("Weft and C found other vectors");
}

static void search(size_t count, size_t dim, const char *path, int turns)
{
    static double weft[MAX_TURNS], c[MAX_TURNS], ratio[MAX_TURNS];
    float        *rows = read_rows(path, count * dim);
    weft_context *ctx = weft_context_create(NULL);
    weft_vectors_index *index = weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
        .dimension = (uint32_t)dim, .list_threshold = UINT64_MAX});
    normalise(rows, count, dim);
    need(weft_vectors_index_insert(index, &(weft_vectors_rows){.data = rows, .count = count},
                                   NULL), ctx);
    for (int i = -3; i < turns; i++) {  /* the first are not counted */
        const float       *query = rows + (size_t)(i + 3) * 7919 % count * dim;
        weft_vectors_match found[TOP];
        Found              want[TOP];
        double             start = now();
        need(weft_vectors_index_search(found, index, &(weft_vectors_rows){
            .data = query, .count = 1}, &(weft_vectors_search){.count = TOP, .exact = true}), ctx);
        double middle = now();
        search_c(want, rows, query, count, dim);
        double end = now();
        compare(found, want);
        if (i < 0)
            continue;
        weft[i] = middle - start;
        c[i] = end - middle;
        ratio[i] = weft[i] / c[i];
    }
    double w = median(weft, turns), plain = median(c, turns);
    printf("search %.3f %.3f %.3f\n", w * 1e3, plain * 1e3, median(ratio, turns));
    weft_vectors_index_release(index);
    weft_context_release(ctx);
    free(rows);
}

int main(int argc, char **argv)
{
    if (argc >= 9 && strcmp(argv[1], "som") == 0) {
        som(argv + 2, argc > 9 ? argv[9] : NULL);
    } else if (argc >= 5 && strcmp(argv[1], "search") == 0) {
        int turns = argc > 5 ? atoi(argv[5]) : 31;
        search((size_t)atol(argv[2]), (size_t)atol(argv[3]), argv[4],
               turns < 1 ? 1 : turns > MAX_TURNS ? MAX_TURNS : turns);
    } else {
        fprintf(stderr, "usage: vectors som batch|online ROWS DIM WIDTH HEIGHT EPOCHS FILE [OUT]\n"
                "       vectors search ROWS DIM FILE [TURNS]\n");
        return 2;
    }
    return 0;
}
