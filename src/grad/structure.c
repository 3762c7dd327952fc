// SPDX-License-Identifier: Apache-2.0
/*
 * structure.c - what solvers ask a batch: blocks, pattern of the Jacobian, normal matrix, views.
 *
 * in     a batch
 * out    its structure, in terms of the user's inputs and parameters
 * knows  batch_priv.h
 * not    numbers
 */
#include "grad/batch_priv.h"

#include <stdlib.h>
#include <string.h>

bool weft_grad_batch_get_info(weft_grad_batch_info *out, const weft_grad_batch *b)
{
    *out = (weft_grad_batch_info){0};
    if (!b)
        return false;
    *out = (weft_grad_batch_info){
        .count = b->count, .outputs = b->outputs, .inputs = b->input_count,
        .blocks = b->block_count, .parameter_count = b->parameter_count,
        .immediate = b->path == BATCH_IMMEDIATE, .reason = b->reason};
    for (uint32_t i = 0; i < b->part_count; i++) {
        out->groups += b->parts[i].layout.groups;
        for (uint32_t k = 0; k < b->parts[i].kernel_count; k++) {
            const Program *p = &b->parts[i].kernels[k].kernel->program;
            if (p->pattern)
                out->entries = p->first[PART_TANGENT] - p->first[PART_JACOBIAN];
        }
    }
    return true;
}

bool weft_grad_batch_block(weft_grad_block *out, const weft_grad_batch *b, uint32_t block)
{
    *out = (weft_grad_block){0};
    if (!b)
        return false;
    if (block >= b->block_count)
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: there is no block %u, only %u",
                            b->label, block, b->block_count);
    const GradBlock *from = &b->blocks[block];
    *out = (weft_grad_block){from->name, from->first, from->size, from->fixed};
    return true;
}

const uint32_t *weft_grad_batch_index(const weft_grad_batch *b)
{
    return b ? b->index : NULL;
}

/* ---- the pattern of the Jacobian ---- */

/* Of the kernel that computes it, if there is one: its constants are left out there. */
static const Program *jacobian_program(weft_grad_batch *b)
{
    for (uint32_t i = 0; i < b->part_count; i++)
        for (uint32_t k = 0; k < b->parts[i].kernel_count; k++)
            if (b->parts[i].kernels[k].kernel->program.pattern)
                return &b->parts[i].kernels[k].kernel->program;
    return NULL;
}

static void fill_pattern(weft_grad_batch *b, const Program *p)
{
    for (uint32_t i = 0; i < b->outputs * b->input_count; i++)
        b->pattern[i] = (weft_grad_entry){-1, 0};
    for (uint32_t o = 0; o < b->outputs; o++)
        for (uint32_t c = 0; c < p->columns; c++)
            b->pattern[(size_t)o * b->input_count + b->column[c]] =
                p->pattern[(size_t)o * p->columns + c];
}

const weft_grad_entry *weft_grad_batch_pattern(weft_grad_batch *b)
{
    if (!b)
        return NULL;
    if (b->pattern)
        return b->pattern;
    b->pattern = calloc((size_t)b->outputs * b->input_count + 1, sizeof *b->pattern);
    if (!b->pattern) {
        context_fail(b->ctx, WEFT_ERROR_MEMORY, "%s: no memory for the pattern", b->label);
        return NULL;
    }
    const Program *p = jacobian_program(b);
    Program own;
    if (!p)
        grad_program_make(&own, b->canon.graph, &(ProgramSpec){
            .products = WEFT_GRAD_JACOBIAN,
            .uniform = b->part_count ? b->parts[0].layout.shared : NODE_NONE});
    fill_pattern(b, p ? p : &own);
    if (!p)
        grad_program_fini(&own);
    return b->pattern;
}

/* ---- the normal matrix ---- */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t drop_repetitions(uint64_t *keys, size_t count)
{
    size_t kept = 0;
    qsort(keys, count, sizeof *keys, compare_u64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            keys[kept++] = keys[i];
    return kept;
}

/* Parameters that two inputs of one instance connect, as row and column. Instances with the
 * blocks of their predecessor add nothing. Repetitions are dropped whenever the list is full. */
static uint64_t *normal_keys(weft_grad_batch *b, size_t *count)
{
    uint32_t columns = b->canon.graph->active, blocks = b->canon.graph->blocks.len;
    size_t pairs = (size_t)columns * (columns + 1) / 2, cap = pairs * 64 + 4096;
    uint64_t *keys = malloc(cap * sizeof *keys);
    uint32_t *parameter = malloc((columns + 1u) * sizeof *parameter);
    *count = 0;
    for (uint32_t i = 0; keys && parameter && i < b->count; i++) {
        const uint32_t *index = b->canon_index + (size_t)i * blocks;
        if (i > 0 && memcmp(index, index - blocks, blocks * sizeof *index) == 0)
            continue;
        if (*count + pairs > cap) {
            *count = drop_repetitions(keys, *count);
            if (*count + pairs > cap / 2) {
                uint64_t *more = realloc(keys, 2 * cap * sizeof *keys);
                if (!more) {
                    free(keys);
                    keys = NULL;
                    break;
                }
                keys = more;
                cap *= 2;
            }
        }
        for (uint32_t c = 0; c < columns; c++)
            parameter[c] = batch_parameter(b, i, c);
        for (uint32_t r = 0; r < columns; r++)
            for (uint32_t c = r; c < columns; c++)
                keys[(*count)++] = (uint64_t)MIN_OF(parameter[r], parameter[c]) << 32 |
                                   MAX_OF(parameter[r], parameter[c]);
    }
    if (keys)
        *count = drop_repetitions(keys, *count);
    free(parameter);
    return keys;
}

bool weft_grad_batch_normal(weft_grad_normal *out, weft_grad_batch *b)
{
    *out = (weft_grad_normal){0};
    if (!b)
        return false;
    if (!b->normal_ready) {
        size_t count = 0;
        uint64_t *keys = normal_keys(b, &count);
        uint64_t *rows = calloc(b->parameter_count + 2ull, sizeof *rows);
        uint32_t *columns = malloc((count + 1) * sizeof *columns);
        if (!keys || !rows || !columns) {
            free(keys);
            free(rows);
            free(columns);
            return context_fail(b->ctx, WEFT_ERROR_MEMORY,
                                "%s: no memory for the normal matrix", b->label);
        }
        for (size_t i = 0; i < count; i++) {
            columns[i] = (uint32_t)keys[i];
            rows[(keys[i] >> 32) + 1]++;
        }
        for (uint32_t p = 0; p < b->parameter_count; p++)
            rows[p + 1] += rows[p];
        free(keys);
        b->normal = (weft_grad_normal){count, rows, columns};
        b->normal_ready = true;
    }
    *out = b->normal;
    return true;
}

uint64_t batch_normal_entry(const weft_grad_batch *b, uint32_t row, uint32_t column)
{
    uint64_t low = b->normal.row_start[row], high = b->normal.row_start[row + 1];
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (b->normal.columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- results on the device ---- */

bool weft_grad_batch_view(weft_grad_view *out, weft_grad_batch *b, weft_grad_product product)
{
    static const struct { weft_grad_product product; ProgramPart part; } parts[] = {
        {WEFT_GRAD_VALUES, PART_VALUES},     {WEFT_GRAD_JACOBIAN, PART_JACOBIAN},
        {WEFT_GRAD_TANGENT, PART_TANGENT},   {WEFT_GRAD_GRADIENT, PART_GRADIENT},
        {WEFT_GRAD_NORMAL, PART_NORMAL},
    };
    *out = (weft_grad_view){0};
    if (!b)
        return false;
    const Part *part = b->part_count == 1 ? &b->parts[0] : NULL;
    const PartKernel *k = part ? part->last : NULL;
    if (!k || !(k->products & product))
        return context_fail(b->ctx, WEFT_ERROR_NOT_FOUND,
                            "%s: the last evaluation left no such result on one device", b->label);
    const Program *p = &k->kernel->program;
    for (size_t i = 0; i < COUNTOF(parts); i++) {
        if (parts[i].product != product)
            continue;
        bool summed = parts[i].part >= PART_SUMS && b->layout == WEFT_GRAD_AUTO;
        uint32_t base = summed ? p->first[PART_SUMS] : 0;
        uint32_t end = summed || b->layout != WEFT_GRAD_AUTO ? p->entries.len : p->first[PART_SUMS];
        bool runs = summed && part->layout.mode == KERNEL_RUNS;
        *out = (weft_grad_view){
            .buffer = summed ? k->sums : k->results, .f64 = summed ? part->sums_f64 : part->f64,
            .layout = b->layout, .entries = end - base, .first = p->first[parts[i].part] - base,
            .slots = runs ? part->layout.owners : part->layout.slots,
            .position = runs ? NULL : part->layout.position};
    }
    return out->buffer != NULL;
}
