// SPDX-License-Identifier: Apache-2.0
/*
 * columns.c - sums of columns.
 *
 * in     rows on the device
 * out    sums in double, chunk by chunk
 * knows  kernels/sum_columns.wgsl
 */
#include <stdlib.h>

#include "vectors/vectors_priv.h"

bool columns_add(double *sums, weft_context *ctx, weft_buffer *rows, uint32_t count, uint32_t dim)
{
    struct { uint32_t rows, dim; } p = {count, dim};
    float       *part = host_array(ctx, dim, sizeof *part);
    weft_buffer *out = device_bytes(ctx, dim * 4ull, "sums of columns");
    bool ok = part && out && vectors_run(ctx, &(KernelRun){
        .pipeline = vectors_kernel(ctx, KERNEL_SUM_COLUMNS, false), .buffers = {rows, out},
        .params = &p, .params_size = sizeof p, .groups = {(dim + 15) / 16}})
        && weft_buffer_read(part, out, 0, dim * 4ull);
    for (uint32_t i = 0; ok && i < dim; i++)
        sums[i] += part[i];
    weft_buffer_release(out);
    free(part);
    return ok;
}
