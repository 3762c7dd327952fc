// SPDX-License-Identifier: Apache-2.0
/*
 * gradients.c - conjugate gradients on the device, preconditioned by the inverses of the diagonal
 * blocks.
 *
 * in     rows, damping, right-hand sides
 * out    approximate solutions
 * knows  kernels/conjugate_gradient.wgsl, weft/context.h
 * not    factorisations: memory grows with the Jacobian alone
 */
#include "solve/linear_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

#define CHECK_EVERY 8u              /* iterations between looks at the residual             */

/* Bindings of the kernel, by number. */
typedef enum Slot {
    SLOT_ROWS, SLOT_COLUMNS, SLOT_VALUES, SLOT_LIST_START, SLOT_LIST, SLOT_DAMPING, SLOT_BLOCKS,
    SLOT_INVERSE, SLOT_DIRECTION, SLOT_IMAGE, SLOT_SOLUTION, SLOT_RESIDUAL, SLOT_CONDITIONED,
    SLOT_PRODUCT, SLOT_PARTIAL, SLOT_SCALARS, SLOT_COUNT
} Slot;

typedef enum Stage {
    STAGE_ROWS, STAGE_COLUMNS, STAGE_STEP, STAGE_ADVANCE, STAGE_PRECONDITION, STAGE_TURN_LENGTH,
    STAGE_TURN, STAGE_COUNT
} Stage;

static const char *const entries[STAGE_COUNT] = {
    "multiply_rows", "multiply_columns", "step_length", "advance", "precondition", "turn_length",
    "turn",
};

struct Gradients {
    const Normal  *n;
    weft_context  *ctx;
    bool           f64;
    weft_pipeline *stages[STAGE_COUNT];
    weft_buffer   *buffers[SLOT_COUNT];
    double        *inverse;         /* of the diagonal blocks                               */
    uint64_t       inverse_size;
    void          *staging;         /* numbers in the precision of the device               */
    uint32_t       groups;
};

extern const EmbeddedKernel solve_kernels[];

/* ---- structure ---- */

static bool make_stages(Gradients *g)
{
    Arena arena;
    arena_init(&arena, 0);
    const char *text = context_kernel_text(
        &arena, context_kernel_find(solve_kernels, "conjugate_gradient"), "REAL",
        g->f64 ? "f64" : "f32", "ENABLE", g->f64 ? "enable weft_f64;" : "", NULL);
    bool ok = text != NULL;
    for (int i = 0; ok && i < STAGE_COUNT; i++) {
        g->stages[i] = weft_pipeline_create(g->ctx, &(weft_pipeline_desc){
            .wgsl = text, .entry = entries[i], .label = entries[i]});
        ok = g->stages[i] != NULL;
    }
    arena_fini(&arena);
    return ok;
}

static bool put(Gradients *g, Slot slot, const void *data, uint64_t size)
{
    g->buffers[slot] = weft_buffer_create(g->ctx, &(weft_buffer_desc){
        .size = MAX_OF(size, (uint64_t)16), .data = data, .data_size = data ? size : 0,
        .label = "conjugate gradients"});
    return g->buffers[slot] != NULL;
}

/* The entries of each column of J: counted, then placed. */
static void transpose(const Rows *r, uint32_t *start, uint32_t (*list)[2], uint32_t dims)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < r->count; i++) {
            const Instance *in = &r->instances[i];
            for (uint32_t k = 0; k < in->outputs * in->width; k++) {
                uint32_t column = r->columns[in->column + k % in->width];
                if (pass == 0) {
                    start[column + 2]++;
                    continue;
                }
                uint32_t at = start[column + 1]++;
                list[at][0] = (uint32_t)(in->residual + k / in->width);
                list[at][1] = (uint32_t)(in->value + k);
            }
        }
        for (uint32_t c = 0; pass == 0 && c < dims; c++)
            start[c + 2] += start[c + 1];
    }
}

static void fill_rows(const Rows *r, uint32_t (*rows)[4])
{
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t o = 0; o < r->instances[i].outputs; o++) {
            const Instance *in = &r->instances[i];
            const uint32_t row[4] = {(uint32_t)(in->value + (uint64_t)o * in->width),
                                     (uint32_t)in->column, in->width, 0};
            memcpy(rows[in->residual + o], row, sizeof row);
        }
}

static bool put_structure(Gradients *g)
{
    const Rows *r = g->n->rows;
    uint32_t dims = g->n->m.dims;
    uint64_t m = r->residual_count, nnz = r->value_count;
    if (nnz >= UINT32_MAX || m >= UINT32_MAX || r->column_count >= UINT32_MAX)
        return context_fail(g->ctx, WEFT_ERROR_UNSUPPORTED,
                            "%s: more than 2^32 entries of a Jacobian", r->p->label);
    uint32_t (*rows)[4] = malloc((m + 1) * sizeof *rows);
    uint32_t *start = calloc(dims + 2ull, sizeof *start);
    uint32_t (*list)[2] = malloc((nnz + 1) * sizeof *list);
    bool ok = rows && start && list;
    if (ok) {
        transpose(r, start, list, dims);
        fill_rows(r, rows);
    }
    ok = ok && put(g, SLOT_ROWS, rows, m * 16) &&
         put(g, SLOT_COLUMNS, r->columns, r->column_count * 4) &&
         put(g, SLOT_LIST_START, start, (dims + 1ull) * 4) && put(g, SLOT_LIST, list, nnz * 8);
    free(rows);
    free(start);
    free(list);
    return ok;
}

static bool put_blocks(Gradients *g)
{
    const BlockMatrix *m = &g->n->m;
    uint32_t (*blocks)[4] = malloc((m->dims + 1ull) * sizeof *blocks);
    if (!blocks)
        return false;
    for (uint32_t b = 0; b < m->block_count; b++) {
        uint32_t size = block_size(m, b);
        for (uint32_t i = 0; i < size; i++) {
            const uint32_t block[4] = {(uint32_t)(g->inverse_size + (uint64_t)i * size),
                                       m->first[b], size, 0};
            memcpy(blocks[m->first[b] + i], block, sizeof block);
        }
        g->inverse_size += (uint64_t)size * size;
    }
    bool ok = g->inverse_size < UINT32_MAX && put(g, SLOT_BLOCKS, blocks, m->dims * 16ull);
    free(blocks);
    g->inverse = ok ? malloc((g->inverse_size + 1) * sizeof *g->inverse) : NULL;
    return g->inverse != NULL;
}

static bool put_vectors(Gradients *g)
{
    const Rows *r = g->n->rows;
    uint64_t real = g->f64 ? 8 : 4, dims = g->n->m.dims * real;
    static const Slot vectors[] = {SLOT_DAMPING, SLOT_DIRECTION, SLOT_IMAGE, SLOT_SOLUTION,
                                   SLOT_RESIDUAL, SLOT_CONDITIONED};
    bool ok = put(g, SLOT_VALUES, NULL, r->value_count * real) &&
              put(g, SLOT_PRODUCT, NULL, r->residual_count * real) &&
              put(g, SLOT_INVERSE, NULL, g->inverse_size * real) &&
              put(g, SLOT_PARTIAL, NULL, 2ull * g->groups * real) &&
              put(g, SLOT_SCALARS, NULL, 4 * real);
    for (size_t i = 0; ok && i < COUNTOF(vectors); i++)
        ok = put(g, vectors[i], NULL, dims);
    uint64_t most = MAX_OF(r->value_count, g->inverse_size);
    g->staging = malloc((MAX_OF(most, (uint64_t)g->n->m.dims) + 4) * real);
    return ok && g->staging;
}

Gradients *gradients_make(const Normal *n)
{
    weft_context *ctx = n->rows->p->ctx;
    const weft_device_info *device = weft_context_device(ctx);
    Gradients *g = calloc(1, sizeof *g);
    if (!g || !context_need_device(ctx)) {
        free(g);
        return NULL;
    }
    g->n = n;
    g->ctx = weft_context_retain(ctx);
    g->f64 = device->f64 && device->library && strcmp(device->library, "weft") == 0;
    g->groups = (n->m.dims + 63) / 64;
    if (make_stages(g) && put_structure(g) && put_blocks(g) && put_vectors(g))
        return g;
    gradients_release(g);
    return NULL;
}

void gradients_release(Gradients *g)
{
    if (!g)
        return;
    for (int i = 0; i < STAGE_COUNT; i++)
        weft_pipeline_release(g->stages[i]);
    for (int i = 0; i < SLOT_COUNT; i++)
        weft_buffer_release(g->buffers[i]);
    free(g->inverse);
    free(g->staging);
    weft_context_release(g->ctx);
    free(g);
}

/* ---- numbers ---- */

static bool write(Gradients *g, Slot slot, const double *from, uint64_t count)
{
    if (g->f64)
        return weft_buffer_write(g->buffers[slot], 0, from, count * 8);
    float *narrow = g->staging;
    for (uint64_t i = 0; i < count; i++)
        narrow[i] = (float)from[i];
    return weft_buffer_write(g->buffers[slot], 0, narrow, count * 4);
}

static bool read(Gradients *g, double *to, Slot slot, uint64_t count)
{
    if (g->f64)
        return weft_buffer_read(to, g->buffers[slot], 0, count * 8);
    float *narrow = g->staging;
    if (!weft_buffer_read(narrow, g->buffers[slot], 0, count * 4))
        return false;
    for (uint64_t i = 0; i < count; i++)
        to[i] = narrow[i];
    return true;
}

/* The inverse of a small positive matrix in place, by its Cholesky factor. */
static bool invert(double *a, uint32_t n, double *factor, double *scratch)
{
    size_t row = dense_row(n);
    for (uint32_t i = 0; i < n; i++)
        memcpy(factor + i * row, a + (size_t)i * n, n * sizeof *a);
    if (!dense_cholesky(factor, n, n, row, scratch, NULL))
        return false;
    for (uint32_t c = 0; c < n; c++) {
        double *column = scratch;
        memset(column, 0, n * sizeof *column);
        column[c] = 1;
        dense_forward(factor, n, row, column);
        dense_backward(factor, n, row, column);
        for (uint32_t i = 0; i < n; i++)
            a[(size_t)i * n + c] = column[i];
    }
    return true;
}

static bool invert_blocks(Gradients *g, const double *damping)
{
    const BlockMatrix *m = &g->n->m;
    uint32_t largest = 0;
    for (uint32_t b = 0; b < m->block_count; b++)
        largest = MAX_OF(largest, block_size(m, b));
    double *factor = calloc((largest + 1ull) * dense_row(largest), sizeof *factor);
    double *scratch = malloc(dense_scratch(largest) * sizeof *scratch), *to = g->inverse;
    bool ok = factor && scratch;
    for (uint32_t b = 0; ok && b < m->block_count; b++) {
        uint32_t size = block_size(m, b);
        memcpy(to, m->values + m->at[m->row_start[b]], (size_t)size * size * sizeof *to);
        for (uint32_t i = 0; damping && i < size; i++)
            to[(size_t)i * size + i] += damping[m->first[b] + i];
        ok = invert(to, size, factor, scratch);
        to += (size_t)size * size;
    }
    free(factor);
    free(scratch);
    return ok;
}

bool gradients_factor(Gradients *g, const double *damping)
{
    return invert_blocks(g, damping) &&
           write(g, SLOT_VALUES, g->n->rows->values, g->n->rows->value_count) &&
           write(g, SLOT_INVERSE, g->inverse, g->inverse_size) &&
           write(g, SLOT_DAMPING, damping, g->n->m.dims);
}

/* ---- iterations ---- */

static bool run(Gradients *g, Stage stage)
{
    weft_pipeline *p = g->stages[stage];
    weft_binding bindings[SLOT_COUNT] = {0};
    uint32_t count = weft_pipeline_binding_count(p), groups = 1;
    for (uint32_t i = 0; i < count; i++)
        bindings[i].buffer = g->buffers[weft_pipeline_binding_get(p, i)->binding];
    if (stage == STAGE_ROWS)
        groups = (uint32_t)((g->n->rows->residual_count + 63) / 64);
    else if (stage != STAGE_STEP && stage != STAGE_TURN_LENGTH)
        groups = g->groups;
    uint32_t across = 32768, lines = (groups + across - 1) / across;
    return weft_context_dispatch(g->ctx, &(weft_dispatch){
        .pipeline = p, .bindings = bindings, .binding_count = count,
        .groups = {lines > 1 ? across : groups, lines, 1}});
}

static bool begin(Gradients *g, const double *right)
{
    uint32_t n = g->n->m.dims;
    double *zero = calloc(n + 4ull, sizeof *zero);
    bool ok = zero && write(g, SLOT_RESIDUAL, right, n) && write(g, SLOT_SOLUTION, zero, n) &&
              write(g, SLOT_DIRECTION, zero, n) && write(g, SLOT_SCALARS, zero, 4);
    free(zero);
    return ok && run(g, STAGE_PRECONDITION) && run(g, STAGE_TURN_LENGTH) && run(g, STAGE_TURN);
}

bool gradients_solve(Gradients *g, double *x, double tolerance, uint32_t *iterations,
                     uint32_t most)
{
    uint32_t n = g->n->m.dims;
    double target = tolerance * vector_norm(x, n), scalars[4];
    *iterations = 0;
    if (!begin(g, x))
        return false;
    for (bool go = target > 0; go;) {
        uint32_t end = MIN_OF(*iterations + CHECK_EVERY, most);
        bool ok = true;
        for (; ok && *iterations < end; ++*iterations)
            for (int stage = 0; ok && stage < STAGE_COUNT; stage++)
                ok = run(g, (Stage)stage);
        if (!ok || !read(g, scalars, SLOT_SCALARS, 4))
            return false;
        go = sqrt(scalars[3]) > target && *iterations < most && scalars[0] > 0;
    }
    return read(g, x, SLOT_SOLUTION, n);
}
