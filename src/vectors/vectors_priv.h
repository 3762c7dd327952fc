// SPDX-License-Identifier: Apache-2.0
/*
 * vectors_priv.h - what index, map and projection share: kernels, rows on the device, units.
 *
 * knows  weft/vectors.h, context/context.h
 * not    which of the three uses it
 *
 * Blocks     16 vectors, component by component: [dim][16]. A lane of a kernel is a vector, so
 *            that the lanes of a component are side by side in memory.
 */
#ifndef WEFT_VECTORS_PRIV_H
#define WEFT_VECTORS_PRIV_H

#include <weft/vectors.h>

#include "context/context.h"

#define BLOCK     16u                   /* vectors of a block                             */
#define TILE      8u                    /* rows that a kernel takes at a time             */
#define ONLINE_GROUP 32u                /* rows that online training takes at a time      */
#define GROUPS    32768u                /* workgroups along one axis                      */
#define CHUNK_ROWS  32768u
#define CHUNK_BYTES (32u << 20)         /* of rows on the device at a time                */

/* ---- kernels (kernels.c) ---- */

/*     kind              file            override  */
#define VECTORS_KERNELS(X)                          \
    X(CHECK_ROWS,        "check_rows",   "NORMALISE") \
    X(PREPARE_ROWS,      "prepare_rows", NULL)      \
    X(STORE_ROWS,        "store_rows",   NULL)      \
    X(LOAD_ROWS,         "load_rows",    NULL)      \
    X(SCAN_ONE_DOT,      "scan_one",     NULL)      \
    X(SCAN_ONE_APART,    "scan_one",     NULL)      \
    X(SCAN_DOT,          "scan",         NULL)      \
    X(SCAN_APART,        "scan",         NULL)      \
    X(MAXIMA,            "maxima",       NULL)      \
    X(SELECT,            "select",       "SQUARED") \
    X(BEST,              "best",         NULL)      \
    X(DISTANCES,         "distances",    NULL)      \
    X(SUM_MEMBERS,       "sum_members",  NULL)      \
    X(TAKE_MEANS,        "take_means",   NULL)      \
    X(BIAS,              "bias",         NULL)      \
    X(INFLUENCES,        "influences",   NULL)      \
    X(SMOOTH,            "smooth",       NULL)      \
    X(ONLINE_ORDER,      "online_order", NULL)      \
    X(ONLINE_GRAM,       "online_gram",  NULL)      \
    X(ONLINE_SCORES,     "online_scores", NULL)     \
    X(ONLINE_STEPS,      "online_steps", NULL)      \
    X(ONLINE_MOVE,       "online_move",  NULL)      \
    X(UMATRIX,           "umatrix",      NULL)      \
    X(SUM_COLUMNS,       "sum_columns",  NULL)      \
    X(COVARIANCE,        "covariance",   NULL)      \
    X(MULTIPLY,          "multiply",     NULL)      \
    X(DIAGONAL,          "diagonal",     NULL)      \
    X(PROJECT,           "project",      NULL)

typedef enum KernelKind {
#define X(kind, file, override) KERNEL_##kind,
    VECTORS_KERNELS(X)
#undef X
    KERNEL_KIND_COUNT
} KernelKind;

/* The pipeline of a kernel on this context, made once. `on` is the value of the override of
 * its row. NULL after an error. */
weft_pipeline *vectors_kernel(weft_context *ctx, KernelKind kind, bool on);

/* Records a dispatch: buffers in the order of their bindings, ended by NULL, then uniform
 * values; `groups` of x, y and z. */
typedef struct KernelRun {
    weft_pipeline *pipeline;
    weft_buffer   *buffers[7];
    const void    *params;
    uint32_t       params_size;
    uint32_t       groups[3];
} KernelRun;
bool vectors_run(weft_context *ctx, const KernelRun *run);
/* Workgroups for so many, in x and y of at most GROUPS each. */
void vectors_groups(uint32_t out[2], uint64_t count);

/* ---- memory ---- */

weft_buffer *device_bytes(weft_context *ctx, uint64_t bytes, const char *label);
weft_buffer *device_copy(weft_context *ctx, const void *data, uint64_t bytes, const char *label);
weft_buffer *device_ones(weft_context *ctx, uint64_t count);         /* f32               */
/* malloc for sizes from outside; fails with WEFT_ERROR_MEMORY. */
void *host_array(weft_context *ctx, uint64_t count, size_t size);

/* ---- rows (rows.c) ---- */

/* Goes over rows in chunks that fit the device. */
typedef struct RowReader {
    weft_context *ctx;                  /* where the buffers are                          */
    const char   *label;
    const float  *data;
    weft_tensor  *tensor;               /* f32, contiguous; with `memory`                 */
    weft_tensor_memory memory;
    uint64_t      count, at;
    uint32_t      dim, chunk;
    bool          normalise;
    weft_buffer  *raw;                  /* [chunk + TILE][dim]: the rows as they come     */
    weft_buffer  *scale;                /* [chunk]                                        */
    weft_buffer  *fault;                /* [chunk]                                        */
    uint32_t     *faults;               /* [chunk]                                        */
    uint64_t      first;                /* of the chunk                                   */
    uint32_t      rows;                 /* of the chunk                                   */
} RowReader;

typedef struct RowsDesc {
    const weft_vectors_rows *rows;
    uint32_t                 dim;
    bool                     normalise;
    const char              *label;
} RowsDesc;

/* `owner` is the context of a tensor among the rows, `ctx` the one that computes. */
bool rows_open(RowReader *r, weft_context *ctx, weft_context *owner, const RowsDesc *desc);
void rows_close(RowReader *r);
/* The next chunk in r->raw, with its factors in r->scale, checked. False at the end, or after
 * an error. */
bool rows_next(RowReader *r);
/* out[rows][dim] = raw * scale - centre */
bool rows_prepare(const RowReader *r, weft_buffer *out, weft_buffer *centre);
/* out = rows - centre, for rows[count][dim] on the device */
bool rows_shift(weft_context *ctx, weft_buffer *out, weft_buffer *rows, weft_buffer *centre,
                uint32_t count, uint32_t dim);
/* A buffer for prepared rows of a chunk, with a tile to spare. */
weft_buffer *rows_buffer(const RowReader *r, const char *label);

/* ---- units: the centres of clusters, the units of a map (units.c) ---- */

typedef struct Units {
    uint32_t     count, dim, blocks;
    weft_buffer *weights;               /* [blocks][dim][16]                              */
    weft_buffer *bias;                  /* [blocks][16]: -|w|^2 / 2                       */
    weft_buffer *sums;                  /* [count][dim]                                   */
    weft_buffer *hits;                  /* [count] f32                                    */
    uint64_t    *counts;                /* [count]: hits of this pass                     */
    uint32_t    *start;                 /* [count + 1]                                    */
} Units;

bool units_init(Units *u, weft_context *ctx, uint32_t count, uint32_t dim);
void units_fini(Units *u);
/* rows[count][dim] to weights, and back. */
bool units_set(Units *u, weft_context *ctx, const float *rows);
bool units_get(float *out, const Units *u, weft_context *ctx);
/* After the weights have changed. */
bool units_update_bias(Units *u, weft_context *ctx);
/* nearest[rows][2] of prepared rows. */
bool units_best(const Units *u, weft_context *ctx, weft_buffer *nearest, weft_buffer *rows,
                uint32_t row_count);
/* A pass over all rows: begins, takes a chunk with what units_best() found (in memory, too),
 * ends with sums and hits on the device. */
bool units_begin_pass(Units *u, weft_context *ctx);
bool units_add(Units *u, weft_context *ctx, weft_buffer *rows, const uint32_t *nearest,
               uint32_t row_count);
bool units_end_pass(Units *u, weft_context *ctx);
/* Weights become the means of their rows. */
bool units_take_means(Units *u, weft_context *ctx);

/* ---- columns (columns.c) ---- */

/* Adds the columns of rows[count][dim] on the device to sums[dim]. */
bool columns_add(double *sums, weft_context *ctx, weft_buffer *rows, uint32_t count, uint32_t dim);

/* ---- small matrices, in double, row by row (small.c) ---- */

#define SMALL_MAX 32u

/* Eigenvalues of the symmetric a[n][n] in falling order, eigenvectors in the rows of v[n][n];
 * a is destroyed. n is at most SMALL_MAX. */
void small_eigen(double *values, double *v, double *a, uint32_t n);
/* The rotation (or reflection) nearest to m[n][n]: the orthogonal factor of its polar form. */
void small_nearest_rotation(double *r, const double *m, uint32_t n);
/* Makes the rows of a[rows][columns] orthonormal; rows that depend on others become random
 * directions. */
void small_orthonormalise(double *a, uint32_t rows, uint32_t columns, uint64_t *random);

/* ---- states as bytes, little-endian (state.c) ---- */

typedef struct StateWriter {
    uint8_t *at, *end;
} StateWriter;

typedef struct StateReader {
    const uint8_t *at, *end;
    bool           failed;              /* something was beyond the end                   */
} StateReader;

void     state_put_u32(StateWriter *w, uint32_t v);
void     state_put_u64(StateWriter *w, uint64_t v);
void     state_put_f64(StateWriter *w, double v);
void     state_put_floats(StateWriter *w, const float *v, uint64_t count);
uint32_t state_get_u32(StateReader *r);
uint64_t state_get_u64(StateReader *r);
double   state_get_f64(StateReader *r);
/* False, and failed, if there are fewer, or one is not finite. */
bool     state_get_floats(StateReader *r, float *out, uint64_t count);

/* ---- projection: for the first units of a map ---- */

/* Merges rows[count][dim] of the projection's context, with a tile to spare, into mean and
 * covariance. */
bool projection_merge(weft_vectors_projection *p, weft_buffer *rows, uint32_t count);
/* Finds the axes anew. */
bool projection_settle(weft_vectors_projection *p);

/* ---- random numbers ---- */

/* SplitMix64. */
uint64_t random_next(uint64_t *state);
double   random_unit(uint64_t *state);  /* from 0 up to 1                                 */

#endif
