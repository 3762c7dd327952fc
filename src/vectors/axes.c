// SPDX-License-Identifier: Apache-2.0
/*
 * axes.c - the axes of a projection: subspace iteration from the last ones, then alignment.
 *
 * in     a covariance on the device, the previous axes
 * out    new axes, the variance along each
 * knows  kernels/multiply.wgsl, diagonal.wgsl; small.c factorises
 * not    rows
 *
 * An iteration multiplies the basis with the covariance on the device. The K x dim result comes
 * back: Ritz values and orthogonalisation are small and want double.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/projection_priv.h"

#define MAX_ITERATIONS 100
#define TOLERANCE      1e-6             /* change of a Ritz value, of the largest         */

typedef struct Iteration {
    weft_vectors_projection *p;
    uint32_t     rows, dim;
    weft_buffer *from, *to;             /* [rows, rounded up][dim]                        */
    float       *numbers;               /* [rows][dim]                                    */
    double      *product;               /* [rows][dim]: basis x covariance                */
    double      *turned;                /* [rows][dim]                                    */
    double       ritz[SMALL_MAX], last[SMALL_MAX];
} Iteration;

static bool multiply(Iteration *it)
{
    weft_vectors_projection *p = it->p;
    uint64_t count = (uint64_t)it->rows * it->dim;
    struct { uint32_t k, n; } k = {it->dim, it->dim};
    for (uint64_t i = 0; i < count; i++)
        it->numbers[i] = (float)p->basis[i];
    if (!weft_buffer_write(it->from, 0, it->numbers, count * 4)
        || !vectors_run(p->ctx, &(KernelRun){
            .pipeline = vectors_kernel(p->ctx, KERNEL_MULTIPLY, false),
            .buffers = {it->from, p->covariance, it->to}, .params = &k, .params_size = sizeof k,
            .groups = {(it->dim + 15) / 16, (it->rows + TILE - 1) / TILE}})
        || !weft_buffer_read(it->numbers, it->to, 0, count * 4))
        return false;
    for (uint64_t i = 0; i < count; i++)
        it->product[i] = it->numbers[i];
    return true;
}

/* out = t[rows][rows] x in[rows][dim] */
static void combine(double *out, const double *t, const double *in, uint32_t rows, uint32_t dim)
{
    memset(out, 0, (size_t)rows * dim * sizeof *out);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < rows; k++)
            for (uint32_t d = 0; d < dim; d++)
                out[(size_t)i * dim + d] += t[i * rows + k] * in[(size_t)k * dim + d];
}

/* Rayleigh-Ritz: turns basis and product so that basis C basis' is diagonal. */
static void ritz(Iteration *it)
{
    double   s[SMALL_MAX * SMALL_MAX], v[SMALL_MAX * SMALL_MAX];
    uint32_t n = it->rows, dim = it->dim;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            double sum = 0;
            for (uint32_t d = 0; d < dim; d++)
                sum += it->p->basis[(size_t)i * dim + d] * it->product[(size_t)k * dim + d];
            s[i * n + k] = sum;
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            s[i * n + k] = s[k * n + i] = (s[i * n + k] + s[k * n + i]) / 2;
    small_eigen(it->ritz, v, s, n);
    combine(it->turned, v, it->p->basis, n, dim);
    memcpy(it->p->basis, it->turned, (size_t)n * dim * sizeof *it->turned);
    combine(it->turned, v, it->product, n, dim);
    memcpy(it->product, it->turned, (size_t)n * dim * sizeof *it->turned);
}

static bool converged(const Iteration *it)
{
    double largest = fabs(it->ritz[0]);
    for (uint32_t i = 0; i < it->p->desc.components; i++)
        if (fabs(it->ritz[i] - it->last[i]) > TOLERANCE * largest)
            return false;
    return true;
}

static bool iterate(Iteration *it)
{
    weft_vectors_projection *p = it->p;
    if (!p->has_basis)
        small_orthonormalise(p->basis, it->rows, it->dim, &p->random);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        if (!multiply(it))
            return false;
        ritz(it);
        if (i > 0 && converged(it))
            break;
        memcpy(it->last, it->ritz, sizeof it->last);
        memcpy(p->basis, it->product, (size_t)it->rows * it->dim * sizeof *p->basis);
        small_orthonormalise(p->basis, it->rows, it->dim, &p->random);
    }
    p->has_basis = true;
    return true;
}

/* ---- alignment ---- */

/* r[n][n]: how the axes come from the principal directions. */
static void align(double *r, const weft_vectors_projection *p)
{
    uint32_t n = p->desc.components, dim = p->desc.dimension;
    double   m[SMALL_MAX * SMALL_MAX] = {0};
    memset(r, 0, (size_t)n * n * sizeof *r);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            m[i * n + k] = 0;
            for (uint32_t d = 0; d < dim; d++)
                m[i * n + k] += p->axes[(size_t)i * dim + d] * p->basis[(size_t)k * dim + d];
        }
    if (p->has_axes && p->desc.align == WEFT_VECTORS_ROTATE) {
        small_nearest_rotation(r, m, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t largest = 0;
        for (uint32_t d = 0; d < dim; d++)
            if (fabs(p->basis[(size_t)i * dim + d]) > fabs(p->basis[(size_t)i * dim + largest]))
                largest = d;
        double sign = p->has_axes ? m[i * n + i] : p->basis[(size_t)i * dim + largest];
        r[i * n + i] = sign < 0 ? -1 : 1;
    }
}

static bool set_axes(weft_vectors_projection *p, const double *values)
{
    uint32_t n = p->desc.components, dim = p->desc.dimension;
    double   r[SMALL_MAX * SMALL_MAX];
    align(r, p);
    for (uint32_t i = 0; i < n; i++) {
        p->variance[i] = 0;
        for (uint32_t k = 0; k < n; k++)
            p->variance[i] += r[i * n + k] * r[i * n + k] * fmax(values[k], 0);
        for (uint32_t d = 0; d < dim; d++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += r[i * n + k] * p->basis[(size_t)k * dim + d];
            p->axes[(size_t)i * dim + d] = (float)sum;
        }
    }
    p->has_axes = true;
    return weft_buffer_write(p->axes_buffer, 0, p->axes, (uint64_t)n * dim * 4);
}

static bool measure_total(weft_vectors_projection *p)
{
    uint32_t     dim = p->desc.dimension;
    float       *diagonal = host_array(p->ctx, dim, sizeof *diagonal);
    weft_buffer *b = weft_buffer_create(p->ctx, &(weft_buffer_desc){
        .size = dim * 4ull, .label = "variances"});
    bool ok = diagonal && b && vectors_run(p->ctx, &(KernelRun){
        .pipeline = vectors_kernel(p->ctx, KERNEL_DIAGONAL, false),
        .buffers = {p->covariance, b}, .groups = {(dim + 63) / 64}})
        && weft_buffer_read(diagonal, b, 0, dim * 4ull);
    p->total = 0;
    for (uint32_t i = 0; ok && i < dim; i++)
        p->total += diagonal[i];
    weft_buffer_release(b);
    free(diagonal);
    return ok;
}

bool projection_settle(weft_vectors_projection *p)
{
    Iteration it = {.p = p, .rows = p->basis_rows, .dim = p->desc.dimension};
    uint64_t  count = (uint64_t)it.rows * it.dim;
    uint64_t  padded = (it.rows + TILE - 1ull) / TILE * TILE * it.dim * 4;
    it.from = device_bytes(p->ctx, padded, "basis");
    it.to = device_bytes(p->ctx, padded, "basis times covariance");
    it.numbers = host_array(p->ctx, count, sizeof *it.numbers);
    it.product = host_array(p->ctx, count, sizeof *it.product);
    it.turned = host_array(p->ctx, count, sizeof *it.turned);
    bool ok = it.from && it.to && it.numbers && it.product && it.turned && iterate(&it)
           && measure_total(p) && set_axes(p, it.ritz);
    weft_buffer_release(it.from);
    weft_buffer_release(it.to);
    free(it.numbers);
    free(it.product);
    free(it.turned);
    return ok;
}
