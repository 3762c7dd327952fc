// SPDX-License-Identifier: Apache-2.0
/*
 * solve_formula_fuzz.c - formulas: every text is one or an error, and one can be evaluated.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(weft_context *ctx, const weft_solve_formula *f)
{
    uint32_t count = weft_solve_formula_name_count(f);
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node *nodes = calloc(count + 1, sizeof *nodes);
    double *numbers = calloc(count + 1, sizeof *numbers), value;
    for (uint32_t i = 0; i < count; i++) {
        weft_grad_input(&nodes[i], g, weft_solve_formula_name(f, i), 1);
        numbers[i] = 0.5 + i;
    }
    weft_grad_output(g, weft_solve_formula_node(g, f, nodes), "value");
    double *jacobian = calloc(count + 1, sizeof *jacobian);
    weft_grad_graph_evaluate(&value, jacobian, g, numbers, NULL);
    free(jacobian);
    free(numbers);
    free(nodes);
    weft_grad_graph_release(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weft_context *ctx;
    if (!ctx)
        ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    weft_solve_formula *f = weft_solve_formula_create(ctx, text);
    if (f)
        evaluate(ctx, f);
    else if (weft_context_error(ctx)->kind == WEFT_ERROR_NONE)
        abort();
    weft_context_error_clear(ctx);
    weft_solve_formula_release(f);
    free(text);
    return 0;
}
