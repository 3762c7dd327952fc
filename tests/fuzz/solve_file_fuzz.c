// SPDX-License-Identifier: Apache-2.0
/*
 * solve_file_fuzz.c - BAL and g2o files: every text is a problem or an error, and a problem can be
 * evaluated.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <weft/solve.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weft_context *ctx;
    if (!ctx)
        ctx = weft_context_create(&(weft_context_desc){.threads = 1});
    weft_solve_file_info info;
    weft_solve_file *f = weft_solve_file_read(ctx, (const char *)data, size, NULL);
    if (f && weft_solve_file_get_info(&info, f) && info.parameter_count < 1000 &&
        info.observations + info.edges < 64)
        weft_solve(NULL, weft_solve_file_x(f), weft_solve_file_problem(f),
                   &(weft_solve_options){.max_iterations = 2, .threads = 1});
    weft_solve_file_release(f);
    if (!f && weft_context_error(ctx)->kind == WEFT_ERROR_NONE)
        abort();
    weft_context_error_clear(ctx);
    return 0;
}
