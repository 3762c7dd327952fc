// SPDX-License-Identifier: Apache-2.0
/*
 * solve_table_fuzz.c - tables of numbers: every text is one or an error, and its numbers are
 * finite.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <weft/solve.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weft_context *ctx;
    if (!ctx)
        ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    weft_solve_table *t = weft_solve_table_read(ctx, (const char *)data, size, NULL);
    uint64_t cells = (uint64_t)weft_solve_table_rows(t) * weft_solve_table_columns(t);
    for (uint64_t i = 0; i < cells; i++)
        if (!isfinite(weft_solve_table_data(t)[i]))
            abort();
    for (uint32_t i = 0; i < weft_solve_table_columns(t); i++)
        if (!weft_solve_table_names(t)[i][0])
            abort();
    if (!t && weft_context_error(ctx)->kind == WEFT_ERROR_NONE)
        abort();
    weft_context_error_clear(ctx);
    weft_solve_table_release(t);
    return 0;
}
