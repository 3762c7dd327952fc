// SPDX-License-Identifier: Apache-2.0
/*
 * hints.c - what would make a kernel faster, with the reason and the expected gain.
 *
 * in     accesses, operations, branches
 * out    Inspect.hints, the largest gain first
 *
 * Gains are rough: how much more memory a cache line brings than is used, how many
 * invocations of a vector idle. They order the hints, no more.
 */
#include "inspect/inspect_priv.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_LINE  64
#define BANKS       128                 /* bytes after which banks of workgroup memory repeat */
#define FEW         32u                 /* invocations that fill one vector of any device */

static void add(Inspect *n, const char *id, uint32_t line, uint32_t column, double gain,
                const char *message, const char *reason)
{
    for (uint32_t i = 0; i < n->hints.len; i++)
        if (strcmp(n->hints.data[i].id, id) == 0 && n->hints.data[i].line == line)
            return;
    weft_kernel_hint h = {id, line, column, message, reason, gain};
    VEC_PUSH(&n->arena, &n->hints, h);
}

/* ---- memory ---- */

static bool is_global(const weft_kernel_access *a)
{
    return a->space == WEFT_KERNEL_STORAGE;
}

/* Share of a cache line that a row of neighbours uses. */
static double line_waste(const weft_kernel_access *a)
{
    double stride = a->stride ? (double)llabs(a->stride) : CACHE_LINE;
    double waste = (stride < CACHE_LINE ? stride : CACHE_LINE) / a->bytes;
    return waste < 1 ? 1 : waste;
}

static bool is_contiguous_along_y(Inspect *n, const Inst *inst, uint32_t bytes)
{
    Step y = step_of_place(n, inst->args[0], 1);
    return y.kind == STEP_AFFINE && symbol_is_number(&y.by) &&
           symbol_value(&y.by, NULL, 0, 1) == (double)bytes;
}

static void strided(Inspect *n, const weft_kernel_access *a, const Inst *inst)
{
    Arena *arena = &n->arena;
    if (!is_global(a) || a->pattern != WEFT_PATTERN_STRIDED)
        return;
    const char *reason = arena_printf(arena, "neighbours %s '%s' %s bytes apart",
                                      a->write ? "store to" : "load", a->variable, a->stride_text);
    if (is_contiguous_along_y(n, inst, a->bytes) && rewrite_swap_pays(n))
        add(n, "swap-axes", a->line, a->column, line_waste(a),
            "exchange x and y of the invocations: along y the accesses are contiguous", reason);
    else if (line_waste(a) > 2)
        add(n, "strided", a->line, a->column, line_waste(a) / 2,
            arena_printf(arena, "lay out '%s' so that neighbours find their values side by side",
                         a->variable), reason);
}

static void gathered(Inspect *n, const weft_kernel_access *a)
{
    if (is_global(a) && a->pattern == WEFT_PATTERN_GATHERED && a->loop_depth > 0 && !a->atomic)
        add(n, "gather", a->line, a->column, 2,
            arena_printf(&n->arena, "sort or tile the work so that neighbours read nearby "
                                    "elements of '%s'", a->variable),
            "the index differs between neighbours in no regular way");
}

static bool is_word(const Inst *load)
{
    return load->type.width == 1;
}

/* Words one beside the other that one invocation loads: a[4 * i], a[4 * i + 1], ... */
static void vectors(Inspect *n, uint32_t first)
{
    const weft_kernel_access *a = &n->accesses.data[first];
    uint32_t together = 1;
    for (uint32_t i = first + 1; i < n->accesses.len; i++) {
        const weft_kernel_access *b = &n->accesses.data[i];
        together += strcmp(a->variable, b->variable) == 0 && !b->write &&
                    b->stride == a->stride && b->bytes == a->bytes && b->line - a->line < 4;
    }
    bool apart = a->stride == 4 * (int64_t)a->bytes || a->stride == 2 * (int64_t)a->bytes;
    if (is_global(a) && !a->write && a->pattern == WEFT_PATTERN_STRIDED && apart &&
        is_word(n->access_insts.data[first]) &&
        together * a->bytes == (uint64_t)a->stride)
        add(n, "vec4-loads", a->line, a->column, 1.5,
            arena_printf(&n->arena, "declare '%s' as an array of vec%u and load one vector",
                         a->variable, together),
            arena_printf(&n->arena, "each invocation loads %u words that are side by side",
                         together));
}

static void banks(Inspect *n, const weft_kernel_access *a)
{
    if (a->space == WEFT_KERNEL_WORKGROUP && a->pattern == WEFT_PATTERN_STRIDED && a->stride &&
        llabs(a->stride) % BANKS == 0)
        add(n, "bank-conflict", a->line, a->column, 4,
            arena_printf(&n->arena, "make the rows of '%s' one element longer", a->variable),
            arena_printf(&n->arena, "neighbours access workgroup memory %lld bytes apart, which is "
                         "one bank on most GPUs", (long long)a->stride));
}

static void contended(Inspect *n, const weft_kernel_access *a)
{
    if (is_global(a) && a->atomic && a->write && a->pattern == WEFT_PATTERN_UNIFORM &&
        !a->divergent)
        add(n, "atomic-contention", a->line, a->column, 8,
            "add up in workgroup memory first, then once for the workgroup",
            arena_printf(&n->arena, "all invocations update the same element of '%s'",
                         a->variable));
}

/* ---- the kernel as a whole ---- */

static void small_workgroups(Inspect *n)
{
    const uint32_t *size = n->ir->workgroup_size;
    uint64_t all = (uint64_t)size[0] * size[1] * size[2];
    uint32_t line, column;
    inspect_place(n, n->entry->span, &line, &column);
    if (all < FEW)
        add(n, "small-workgroup", line, column, (double)FEW / (double)all,
            "give the workgroup 64 invocations or more",
            arena_printf(&n->arena, "a workgroup has %llu invocation%s: most lanes of a vector "
                         "unit idle", (unsigned long long)all, all > 1 ? "s" : ""));
    else if (size[0] < 16 && size[1] > 1)
        add(n, "narrow-rows", line, column, 1.5, "make the workgroup 16 wide or wider",
            arena_printf(&n->arena, "rows of %u invocations fill a part of a cache line", size[0]));
}

static void divergent(Inspect *n)
{
    uint32_t line, column;
    inspect_place(n, n->entry->span, &line, &column);
    if (n->info.divergence > 0.3)
        add(n, "divergence", line, column, 1 + n->info.divergence,
            "let neighbours take the same branch: sort the work, or compute both ways and select",
            arena_printf(&n->arena, "%.0f %% of the work is in branches that neighbours take "
                         "differently", 100 * n->info.divergence));
}

static void divisions(Inspect *n, const Region *region, uint32_t depth)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        bool divides = inst->op == IR_UDIV || inst->op == IR_UREM || inst->op == IR_SDIV ||
                       inst->op == IR_SREM;
        if (divides && depth > 0 && inst->args[1]->op != IR_CONST) {
            uint32_t line, column;
            inspect_place(n, inst->span, &line, &column);
            add(n, "division", line, column, 1.3,
                "make the divisor an override constant, or count along instead",
                "an integer division by a value that is not constant is inside a loop");
        }
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                divisions(n, inst->flow.regions[i], depth + (inst->op == IR_LOOP));
    }
}

static int by_gain(const void *x, const void *y)
{
    const weft_kernel_hint *a = x, *b = y;
    if (a->gain != b->gain)
        return a->gain < b->gain ? 1 : -1;
    return a->line < b->line ? -1 : a->line > b->line;
}

void hints_run(Inspect *n)
{
    for (uint32_t i = 0; i < n->accesses.len; i++) {
        const weft_kernel_access *a = &n->accesses.data[i];
        strided(n, a, n->access_insts.data[i]);
        gathered(n, a);
        vectors(n, i);
        banks(n, a);
        contended(n, a);
    }
    small_workgroups(n);
    divergent(n);
    divisions(n, n->ir->body, 0);
    if (n->hints.len)
        qsort(n->hints.data, n->hints.len, sizeof *n->hints.data, by_gain);
}
