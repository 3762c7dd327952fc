// SPDX-License-Identifier: Apache-2.0
/*
 * linalg.c - factorizations and linear equations of matrices [..., N, N].
 *
 * in     tensors of f32 or f64 (others are computed as f32)
 * out    pending tensors; kernels/cholesky.wgsl, lu*.wgsl, triangular_solve.wgsl, qr.wgsl, a
 *        workgroup or an invocation for each matrix or column
 *
 * Matrices without a solution give NaN or infinities, not an error: results are not known when the
 * call returns.
 */
#include <string.h>

#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

#define GROUP_CAP 65535u
#define MOST_SIZE 32768u            /* rows and columns: N * N must fit 32 bits             */

/* ---- plans ---- */

static uint64_t batches(const LibraryInput *a)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d + 2 < a->rank; d++)
        n *= a->shape[d];
    return n;
}

static uint64_t words(LibraryPlan *p, uint64_t count)
{
    return p->node->dtype == WEFT_F64 ? 2 * count : count;
}

/* The matrix kernels of input 0 have these in common. */
static LibraryKernel matrix_kernel(LibraryPlan *p, const char *name)
{
    const LibraryInput *a = &p->in[0];
    uint64_t      batch = batches(a);
    LibraryKernel k = {
        .name = name,
        .numbers = {{"BATCH", batch}, {"START", a->offset}, {"ROW", a->strides[a->rank - 2]},
                    {"COLUMN", a->strides[a->rank - 1]}, {"N", a->shape[a->rank - 1]}},
        .params = {"BATCH_START", library_axes_start(p, a, 0, a->rank - 2, "outer")},
        .bindings = {{"a", USE_INPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(batch, (uint64_t)GROUP_CAP),
                   (uint32_t)((batch + GROUP_CAP - 1) / GROUP_CAP), 1}};
    return k;
}

static bool cholesky_plan(LibraryPlan *p)
{
    LibraryKernel k = matrix_kernel(p, "cholesky");
    k.bindings[1] = (LibraryBinding){"y", USE_OUTPUT, 0, NULL};
    return library_kernel(p, &k);
}

typedef struct Factors {
    uint32_t lu, rows, signs;       /* temporaries                                          */
} Factors;

static bool plan_lu(LibraryPlan *p, Factors *f)
{
    uint64_t n = p->in[0].shape[p->in[0].rank - 1], batch = batches(&p->in[0]);
    *f = (Factors){library_temp(p, words(p, batch * n * n)), library_temp(p, batch * n),
                   library_temp(p, words(p, batch))};
    LibraryKernel k = matrix_kernel(p, "lu");
    k.bindings[1] = (LibraryBinding){"lu", USE_TEMP_WRITE, f->lu, library_type(p)};
    k.bindings[2] = (LibraryBinding){"rows", USE_TEMP_WRITE, f->rows, "u32"};
    k.bindings[3] = (LibraryBinding){"signs", USE_TEMP_WRITE, f->signs, library_type(p)};
    return library_kernel(p, &k);
}

static bool det_plan(LibraryPlan *p)
{
    Factors  f;
    uint64_t batch = batches(&p->in[0]), groups = (batch + 63) / 64;
    return plan_lu(p, &f) && library_kernel(p, &(LibraryKernel){
        .name = "lu_det",
        .numbers = {{"BATCH", batch}, {"N", p->in[0].shape[p->in[0].rank - 1]}},
        .bindings = {{"lu", USE_TEMP_READ, f.lu, library_type(p)},
                     {"signs", USE_TEMP_READ, f.signs, library_type(p)},
                     {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(groups, (uint64_t)GROUP_CAP),
                   (uint32_t)((groups + GROUP_CAP - 1) / GROUP_CAP), 1} });
}

/* Columns of b, 64 a workgroup. */
static void column_groups(uint32_t groups[3], uint64_t columns, uint64_t batch)
{
    groups[0] = (uint32_t)((columns + 63) / 64);
    groups[1] = (uint32_t)MIN_OF(batch, (uint64_t)GROUP_CAP);
    groups[2] = (uint32_t)((batch + GROUP_CAP - 1) / GROUP_CAP);
}

static bool solve_plan(LibraryPlan *p)
{
    const LibraryInput *b = &p->in[1];
    Factors       f;
    uint64_t      m = b->shape[b->rank - 1], batch = batches(&p->in[0]);
    if (!plan_lu(p, &f))
        return false;
    LibraryKernel k = {
        .name = "lu_solve",
        .numbers = {{"BATCH", batch}, {"N", b->shape[b->rank - 2]}, {"M", m}, {"START", b->offset},
                    {"ROW", b->strides[b->rank - 2]}, {"COLUMN", b->strides[b->rank - 1]}},
        .params = {"BATCH_START", library_axes_start(p, b, 0, b->rank - 2, "outer")},
        .bindings = {{"lu", USE_TEMP_READ, f.lu, library_type(p)},
                     {"rows", USE_TEMP_READ, f.rows, "u32"}, {"b", USE_INPUT, 1, NULL},
                     {"y", USE_OUTPUT, 0, NULL}}};
    column_groups(k.groups, m, batch);
    return library_kernel(p, &k);
}

/* attr.i: upper, unit */
static bool triangular_plan(LibraryPlan *p)
{
    const LibraryInput *a = &p->in[0], *b = &p->in[1];
    uint64_t      m = b->shape[b->rank - 1], batch = batches(a);
    bool          upper = p->node->attr.i[0] != 0, unit = p->node->attr.i[1] != 0;
    const char   *divided = arena_printf(p->arena, " / a_at(a_start + i * %s)",
                                         library_u32(p, a->strides[a->rank - 2]
                                                            + a->strides[a->rank - 1]));
    LibraryKernel k = {
        .name = "triangular_solve",
        .numbers = {{"BATCH", batch}, {"N", a->shape[a->rank - 1]}, {"M", m},
                    {"A_START", a->offset}, {"A_ROW", a->strides[a->rank - 2]},
                    {"A_COLUMN", a->strides[a->rank - 1]}, {"B_START", b->offset},
                    {"B_ROW", b->strides[b->rank - 2]}, {"B_COLUMN", b->strides[b->rank - 1]}},
        .params = {"A_BATCH", library_axes_start(p, a, 0, a->rank - 2, "outer"),
                   "B_BATCH", library_axes_start(p, b, 0, b->rank - 2, "outer"),
                   "ORDER", upper ? "N - 1u - step" : "step",
                   "BEFORE", upper ? "N - 1u - done" : "done", "DIVIDED", unit ? "" : divided},
        .bindings = {{"a", USE_INPUT, 0, NULL}, {"b", USE_INPUT, 1, NULL},
                     {"y", USE_OUTPUT, 0, NULL}}};
    column_groups(k.groups, m, batch);
    return library_kernel(p, &k);
}

static bool qr_plan(LibraryPlan *p)
{
    const LibraryInput *a = &p->in[0];
    uint64_t      m = a->shape[a->rank - 2], n = a->shape[a->rank - 1], batch = batches(a);
    uint32_t      work = library_temp(p, words(p, batch * m * n));
    uint32_t      vectors = library_temp(p, words(p, batch * MIN_OF(m, n) * m));
    LibraryKernel k = matrix_kernel(p, "qr");
    k.numbers[5] = (LibraryNumber){"M", m};
    k.numbers[6] = (LibraryNumber){"K", MIN_OF(m, n)};
    k.bindings[1] = (LibraryBinding){"work", USE_TEMP_WRITE, work, library_type(p)};
    k.bindings[2] = (LibraryBinding){"vectors", USE_TEMP_WRITE, vectors, library_type(p)};
    k.bindings[3] = (LibraryBinding){"y", USE_OUTPUT, 0, NULL};
    return library_kernel(p, &k);
}

static const TensorOp op_cholesky = {.name = "cholesky", .kind = OP_LIBRARY,
                                     .plan = cholesky_plan};
static const TensorOp op_det = {.name = "det", .kind = OP_LIBRARY, .plan = det_plan};
static const TensorOp op_solve = {.name = "solve", .kind = OP_LIBRARY, .plan = solve_plan};
static const TensorOp op_triangular = {.name = "triangular_solve", .kind = OP_LIBRARY,
                                       .plan = triangular_plan};
static const TensorOp op_qr = {.name = "qr", .kind = OP_LIBRARY, .plan = qr_plan};

/* ---- arguments ---- */

static bool is_matrix(const weft_tensor *a, bool square, const char *what)
{
    if (dtype_is_block((weft_dtype)a->dtype))
        return context_fail(a->ctx, WEFT_ERROR_TYPE, "%s: %s must be dequantized first", what,
                            tensor_text(a));
    bool fits = a->rank >= 2 && a->shape[a->rank - 1] <= MOST_SIZE
                && a->shape[a->rank - 2] <= MOST_SIZE
                && (!square || a->shape[a->rank - 1] == a->shape[a->rank - 2])
                && a->count < UINT32_MAX;
    if (!fits)
        return context_fail(a->ctx, WEFT_ERROR_SHAPE, "%s: %s is no %smatrix of at most %u rows",
                            what, tensor_text(a), square ? "square " : "", MOST_SIZE);
    return true;
}

static weft_tensor *as_float(Temps *t, weft_tensor *x)
{
    bool direct = x->dtype == WEFT_F32 || x->dtype == WEFT_F64;
    return direct ? x : compose_temp(t, weft_tensor_cast(x, WEFT_F32));
}

static weft_tensor *matrix_node(Temps *t, const TensorOp *op, weft_tensor *a, weft_tensor *b,
                                uint32_t rank, const uint64_t *shape, const OpAttr *attr)
{
    weft_dtype d = a->dtype == WEFT_F64 || (b && b->dtype == WEFT_F64) ? WEFT_F64 : WEFT_F32;
    a = tensor_as(a, d);
    compose_temp(t, a);
    if (b)
        b = compose_temp(t, tensor_as(b, d));
    if (!a)
        return NULL;
    return compose_temp(t, tensor_node(a->ctx, &(NodeDesc){
        .op = op, .dtype = d, .rank = rank, .shape = shape,
        .inputs = (weft_tensor *const[]){a, b}, .input_count = b ? 2 : 1,
        .attr = attr ? *attr : (OpAttr){{0}, {0}} }));
}

/* a and b with the same batches, b as columns; *vector: it was one. */
static bool equations(Temps *t, weft_tensor **a, weft_tensor **b, bool *vector, const char *what)
{
    uint64_t batch[MAX_RANK], full[MAX_RANK];
    uint32_t rank;
    if (!is_matrix(*a, true, what))
        return false;
    *vector = (*b)->rank == 1;
    weft_tensor *x = as_float(t, *a), *y = as_float(t, *b);
    if (*vector && y)
        y = compose_temp(t, weft_tensor_unsqueeze(y, 1));
    if (!x || !y || !is_matrix(y, false, what))
        return false;
    uint64_t n = x->shape[x->rank - 1];
    if (y->shape[y->rank - 2] != n
        || !shape_broadcast(&rank, batch, x->rank - 2, x->shape, y->rank - 2, y->shape)
        || rank + 2 > MAX_RANK)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "%s: %s and %s do not fit", what,
                            tensor_text(*a), tensor_text(*b));
    memcpy(full, batch, sizeof full);
    full[rank] = full[rank + 1] = n;
    *a = compose_temp(t, weft_tensor_expand(x, rank + 2, full));
    full[rank + 1] = y->shape[y->rank - 1];
    *b = compose_temp(t, weft_tensor_expand(y, rank + 2, full));
    return *a && *b;
}

static weft_tensor *solved(Temps *t, const TensorOp *op, weft_tensor *a, weft_tensor *b,
                           const OpAttr *attr)
{
    bool vector;
    if (!equations(t, &a, &b, &vector, op->name))
        return NULL;
    weft_tensor *y = matrix_node(t, op, a, b, b->rank, b->shape, attr);
    return y && vector ? compose_temp(t, weft_tensor_squeeze(y, -1)) : y;
}

/* ---- the operators ---- */

weft_tensor *weft_tensor_cholesky(weft_tensor *a, bool upper)
{
    Temps t = {0};
    if (!TENSOR_ARGS("cholesky", a) || !is_matrix(a, true, "cholesky"))
        return NULL;
    weft_tensor *x = as_float(&t, a);
    /* The triangle that is asked for is the one that is read. */
    if (x && !upper)
        x = compose_temp(&t, weft_tensor_transpose(x, -1, -2));
    weft_tensor *y = x ? matrix_node(&t, &op_cholesky, x, NULL, x->rank, x->shape, NULL) : NULL;
    if (y && !upper)
        y = compose_temp(&t, weft_tensor_transpose(y, -1, -2));
    return compose_end(&t, y);
}

weft_tensor *weft_tensor_triangular_solve(weft_tensor *a, weft_tensor *b,
                                          const weft_triangular *options)
{
    Temps t = {0};
    if (!TENSOR_ARGS("triangular_solve", a, b))
        return NULL;
    OpAttr attr = {{0}, {options && options->upper, options && options->unit}};
    return compose_end(&t, solved(&t, &op_triangular, a, b, &attr));
}

weft_tensor *weft_tensor_solve(weft_tensor *a, weft_tensor *b)
{
    Temps t = {0};
    return TENSOR_ARGS("solve", a, b) ? compose_end(&t, solved(&t, &op_solve, a, b, NULL)) : NULL;
}

weft_tensor *weft_tensor_inv(weft_tensor *a)
{
    Temps t = {0};
    if (!TENSOR_ARGS("inv", a) || !is_matrix(a, true, "inv"))
        return NULL;
    uint64_t     n = a->shape[a->rank - 1];
    weft_dtype   d = a->dtype == WEFT_F64 ? WEFT_F64 : WEFT_F32;
    weft_tensor *one = compose_temp(&t, weft_tensor_eye(a->ctx, d, n, n, 0));
    return compose_end(&t, one ? solved(&t, &op_solve, a, one, NULL) : NULL);
}

weft_tensor *weft_tensor_det(weft_tensor *a)
{
    Temps t = {0};
    if (!TENSOR_ARGS("det", a) || !is_matrix(a, true, "det"))
        return NULL;
    weft_tensor *x = as_float(&t, a);
    if (x && x->shape[x->rank - 1] == 0)    /* the empty product */
        return compose_end(&t, compose_temp(&t, weft_tensor_ones(
            x->ctx, (weft_dtype)x->dtype, x->rank - 2, x->shape)));
    return compose_end(&t, x ? matrix_node(&t, &op_det, x, NULL, x->rank - 2, x->shape, NULL)
                             : NULL);
}

bool weft_tensor_qr(weft_tensor **q, weft_tensor **r, weft_tensor *a)
{
    Temps t = {0};
    if (!TENSOR_ARGS("qr", a) || !is_matrix(a, false, "qr"))
        return false;
    uint32_t     rank = a->rank;
    uint64_t     m = a->shape[rank - 2], n = a->shape[rank - 1], k = MIN_OF(m, n);
    uint64_t     shape[MAX_RANK];
    weft_tensor *x = as_float(&t, a);
    memcpy(shape, a->shape, sizeof shape);
    shape[rank - 2] = m * k + k * n;
    weft_tensor *y = x ? matrix_node(&t, &op_qr, x, NULL, rank - 1, shape, NULL) : NULL;
    weft_tensor *left = y ? compose_temp(&t, weft_tensor_narrow(y, -1, 0, m * k)) : NULL;
    weft_tensor *right = y ? compose_temp(&t, weft_tensor_narrow(y, -1, m * k, k * n)) : NULL;
    shape[rank - 2] = m;
    shape[rank - 1] = k;
    left = left ? compose_temp(&t, weft_tensor_reshape(left, rank, shape)) : NULL;
    shape[rank - 2] = k;
    shape[rank - 1] = n;
    right = right ? compose_temp(&t, weft_tensor_reshape(right, rank, shape)) : NULL;
    bool ok = left && right;
    if (ok && q)
        *q = weft_tensor_retain(left);
    if (ok && r)
        *r = weft_tensor_retain(right);
    compose_end(&t, NULL);
    return ok;
}
