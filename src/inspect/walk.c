// SPDX-License-Identifier: Apache-2.0
/*
 * walk.c - accesses, operations and branches of a kernel, with how often they happen.
 *
 * in     an IR with steps and rounds
 * out    Inspect.accesses, the sums of operations and bytes, branches
 * not    what is good or bad about them (hints.c)
 */
#include "inspect/inspect_priv.h"

#define BINDING_ALIGN 256u              /* that any binding has                    */

typedef struct Around {
    Symbol   times;                     /* that this place is come to              */
    bool     conditional, divergent;
    uint32_t depth;                     /* of loops                                */
} Around;

uint32_t inspect_scalar_bytes(IrType type)
{
    return type.kind == SCALAR_F16 ? 2 : type.kind == SCALAR_F64 ? 8 : 4;
}

static uint32_t value_bytes(IrType type)
{
    return inspect_scalar_bytes(type) * type.width;
}

/* ---- accesses ---- */

static uint32_t lowest_bit(uint64_t n)
{
    return n && (n & (0 - n)) < BINDING_ALIGN ? (uint32_t)(n & (0 - n)) : BINDING_ALIGN;
}

static uint32_t place_align(const Inspect *n, const Inst *place)
{
    uint32_t align = BINDING_ALIGN;
    for (; place->op != IR_VAR; place = place->args[0]) {
        const MemType *of = place->args[0]->mem;
        if (place->op == IR_FIELD) {
            align = MIN_OF(align, lowest_bit(of->structure.fields[place->index].offset));
            continue;
        }
        uint64_t bytes = place->op == IR_VIEW ? 1
                         : of->kind == MEM_ARRAY ? of->array.stride : of->value.stride;
        align = MIN_OF(align, lowest_bit(bytes * n->facts->of[place->args[1]->id].align));
    }
    return align;
}

static bool place_in_bounds(const Inspect *n, const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op == IR_ELEM && !place->in_bounds && !n->facts->of[place->id].in_bounds)
            return false;
    return true;
}

static void set_pattern(Inspect *n, weft_kernel_access *a, const Inst *place)
{
    Step step = step_of_place(n, place, 0);
    bool known = step.kind == STEP_AFFINE && symbol_is_number(&step.by);
    a->stride = known ? (int64_t)symbol_value(&step.by, NULL, 0, 1) : 0;
    a->stride_text = step.kind == STEP_AFFINE ? symbol_text(&n->symbols, &step.by) : "0";
    a->pattern = step.kind == STEP_NONE      ? WEFT_PATTERN_UNIFORM
                 : step.kind == STEP_VARYING ? WEFT_PATTERN_GATHERED
                 : known && (a->stride == a->bytes || a->stride == -(int64_t)a->bytes)
                     ? WEFT_PATTERN_CONTIGUOUS : WEFT_PATTERN_STRIDED;
}

static weft_kernel_space space_of(const IrVar *var)
{
    switch (var->space) {
    case IRSPACE_STORAGE: return WEFT_KERNEL_STORAGE;
    case IRSPACE_WORKGROUP: return WEFT_KERNEL_WORKGROUP;
    case IRSPACE_UNIFORM: case IRSPACE_IMMEDIATE: return WEFT_KERNEL_UNIFORM;
    default: return WEFT_KERNEL_PRIVATE;
    }
}

/* Invocations along an axis of the workgroup that load the same bytes at a time. */
static uint32_t sharers_along(Inspect *n, const Inst *place, uint32_t axis)
{
    uint32_t size = n->ir->workgroup_size[axis];
    Step     step = step_of_place(n, place, axis);
    if (step.kind != STEP_NONE)
        return 1;
    return step.period && step.period < size ? step.period : size;
}

static double sharers(Inspect *n, const Inst *place)
{
    uint32_t row = sharers_along(n, place, 0);
    return row < n->ir->workgroup_size[0] ? row : (double)row * sharers_along(n, place, 1);
}

/* Bytes from memory: what a row or a whole workgroup shares is brought once for it. `changes`:
 * a write that needs what was there. */
static void add_bytes(Inspect *n, const weft_kernel_access *a, const Inst *place,
                      const Symbol *times, bool changes)
{
    if (a->space != WEFT_KERNEL_STORAGE)
        return;
    Symbol bytes = symbol_scale(times, a->write ? a->bytes : a->bytes / sharers(n, place));
    Symbol *to = a->write ? &n->written : &n->read;
    *to = symbol_add(to, &bytes);
    if (changes)
        n->read = symbol_add(&n->read, &bytes);
}

static bool is_write(const Inst *inst)
{
    return inst->op == IR_STORE || (inst->op == IR_ATOMIC && inst->atomic != ATOMIC_LOAD);
}

static void note_guards(Inspect *n)
{
    extent_note_store(n);
    for (uint32_t axis = 0; axis < 3; axis++) {
        bool any = false;
        for (uint32_t i = 0; i < n->guards.len && !any; i++)
            any = extent_is_limit(n, &n->guards.data[i], axis);
        n->writes_limited[axis] &= any;
    }
}

static void add_access(Inspect *n, const Inst *inst, const Around *at)
{
    const Inst  *place = inst->args[0];
    const IrVar *var = ir_place_root(place);
    if (var->space == IRSPACE_CONSTANT)
        return;
    IrType type = inst->op == IR_LOAD ? inst->type
                  : inst->op == IR_STORE ? inst->args[1]->type : IR_I32;
    weft_kernel_access a = {
        .variable = arena_printf(&n->arena, "%.*s", STR_ARG(var->name)),
        .space = space_of(var), .group = var->group, .binding = var->binding,
        .write = is_write(inst), .atomic = inst->op == IR_ATOMIC,
        .bytes = value_bytes(type), .align = place_align(n, place),
        .in_bounds = place_in_bounds(n, place), .conditional = at->conditional,
        .divergent = at->divergent, .loop_depth = at->depth,
        .times = inspect_count(n, &at->times),
    };
    inspect_place(n, inst->span, &a.line, &a.column);
    set_pattern(n, &a, place);
    add_bytes(n, &a, place, &at->times, a.write && inst->op == IR_ATOMIC
                                        && inst->atomic != ATOMIC_STORE);
    VEC_PUSH(&n->arena, &n->accesses, a);
    VEC_PUSH(&n->arena, &n->access_insts, inst);
    VEC_PUSH(&n->arena, &n->times, at->times);
    bool shared = a.space == WEFT_KERNEL_STORAGE || a.space == WEFT_KERNEL_WORKGROUP;
    if (a.write && shared)
        note_guards(n);
    n->info.atomics += a.atomic;
}

/* ---- operations ---- */

static void add_operation(Inspect *n, const Inst *inst, const Around *at)
{
    Symbol *to = NULL;
    double  count = inst->type.width;
    IrOp    op = (IrOp)inst->op;
    if (op >= IR_RSQRT && op <= IR_FREXP_EXP)
        to = &n->functions;
    else if ((op >= IR_FADD && op <= IR_SQRT) || (op >= IR_FEQ && op <= IR_FLE))
        to = &n->floats;
    else if ((op >= IR_IADD && op <= IR_DOT4U8) || (op >= IR_IEQ && op <= IR_ULE) ||
             (op >= IR_AND && op <= IR_NOT && inst->type.kind == SCALAR_I32))
        to = &n->integers;
    if (!to)
        return;
    if (op == IR_FMA)
        count *= 2;
    if (op == IR_DOT4I8 || op == IR_DOT4U8)
        count *= 8;
    Symbol all = symbol_scale(&at->times, count);
    *to = symbol_add(to, &all);
}

/* ---- flow ---- */

static void walk_region(Inspect *n, const Region *region, const Around *at);

static bool leaves(const Region *region)
{
    return region->last && region->last->op != IR_YIELD;
}

/* The way out of a loop: what follows in its body happens once a round. */
static bool is_loop_exit(const Inst *inst)
{
    const Region *out = inst->flow.regions[leaves(inst->flow.regions[0]) ? 0 : 1];
    return out->last->op == IR_BREAK && out->last->target->op == IR_LOOP;
}

static void push_guard(Inspect *n, const Inst *condition, bool holds)
{
    Guard g = {condition, step_is_border(n, condition, 0), holds};
    VEC_PUSH(&n->arena, &n->guards, g);
}

static bool is_divergent(Inspect *n, const Inst *condition)
{
    return step_of(n, condition, 0).kind != STEP_NONE && !step_is_border(n, condition, 0);
}

static void walk_if(Inspect *n, const Inst *inst, Around *at)
{
    bool     divergent = is_divergent(n, inst->args[0]);
    bool     border = step_is_border(n, inst->args[0], 0);
    Around   inside = *at;
    uint32_t mark = n->guards.len;
    n->info.branches++;
    n->info.divergent_branches += divergent;
    inside.divergent |= divergent;
    inside.conditional |= !border;
    for (uint32_t i = 0; i < 2; i++) {
        push_guard(n, inst->args[0], i == 0);
        walk_region(n, inst->flow.regions[i], &inside);
        n->guards.len = mark;
    }
    if (leaves(inst->flow.regions[0]) != leaves(inst->flow.regions[1])) {
        push_guard(n, inst->args[0], !leaves(inst->flow.regions[0]));
        at->divergent |= divergent;
        at->conditional |= !border && !is_loop_exit(inst);
    }
}

static void walk_loop(Inspect *n, const Inst *inst, const Around *at)
{
    Around   inside = *at;
    uint32_t mark = n->guards.len;
    Symbol   rounds = expr_rounds(n, inst);
    inside.times = symbol_multiply(&n->symbols, &at->times, &rounds);
    inside.depth++;
    walk_region(n, inst->flow.regions[0], &inside);
    walk_region(n, inst->flow.regions[1], &inside);
    n->guards.len = mark;
}

static void walk_switch(Inspect *n, const Inst *inst, const Around *at)
{
    bool   divergent = inst->op == IR_SWITCH && step_of(n, inst->args[0], 0).kind != STEP_NONE;
    Around inside = *at;
    n->info.branches += inst->op == IR_SWITCH;
    n->info.divergent_branches += divergent;
    inside.divergent |= divergent;
    inside.conditional |= inst->op == IR_SWITCH;
    for (uint32_t i = 0; i < inst->flow.nregions; i++) {
        uint32_t mark = n->guards.len;
        walk_region(n, inst->flow.regions[i], &inside);
        n->guards.len = mark;
    }
}

static void walk_inst(Inspect *n, const Inst *inst, Around *at)
{
    double weight = symbol_value(&at->times, NULL, 0, 1000);
    n->work += weight;
    n->divergent_work += at->divergent ? weight : 0;
    switch (inst->op) {
    case IR_LOAD: case IR_STORE: case IR_ATOMIC: add_access(n, inst, at); break;
    case IR_BARRIER: n->info.barriers++; break;
    case IR_IF: walk_if(n, inst, at); break;
    case IR_LOOP: walk_loop(n, inst, at); break;
    case IR_SWITCH: case IR_BLOCK: walk_switch(n, inst, at); break;
    default: add_operation(n, inst, at); break;
    }
}

static void walk_region(Inspect *n, const Region *region, const Around *around)
{
    Around at = *around;
    for (const Inst *inst = region->first; inst; inst = inst->next)
        walk_inst(n, inst, &at);
}

void walk_run(Inspect *n)
{
    Around at = {.times = symbol_number(1)};
    n->writes_limited[0] = n->writes_limited[1] = n->writes_limited[2] = true;
    walk_region(n, n->ir->body, &at);
    n->info.divergence = n->work > 0 ? n->divergent_work / n->work : 0;
}
