/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/interp.c - memory, control flow and invocations of the interpreter.
 *
 * in     see interp.h
 * out    what the kernel leaves in the buffers
 * knows  the structure of the IR: as regions know their owners, an invocation's
 *        place in the kernel is one instruction, and nothing has to nest
 */
#include "support/interp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define POISON 0xcdu                    /* FUNCTION memory before it is written  */

typedef struct Memory {
    uint8_t *data;
    uint32_t size;
} Memory;

/* The values a UNIFORM has had in a workgroup, one for each time it was executed. */
typedef VEC(InterpCell) Promised;

typedef struct Invocation {
    const Inst *at;                     /* next instruction; NULL: has returned   */
    InterpCell *cells;                  /* [ir->next_id]                          */
    uint32_t   *promises;               /* [ir->next_id] times a UNIFORM was executed */
    Memory     *own;                    /* [ir->vars.len] FUNCTION, PRIVATE       */
    uint32_t    index;                  /* local                                  */
} Invocation;

typedef struct Interp {
    const InterpDesc *desc;
    const Ir   *ir;
    Arena      *arena;
    Memory     *shared;                 /* [ir->vars.len] the other variables     */
    Promised   *promised;               /* [ir->next_id]                          */
    Invocation *invocations;
    uint32_t    count;
    uint32_t    groups[3], group[3];
    uint32_t    subgroup_size;
    uint64_t    steps;
    const char *failure;
    jmp_buf     escape;
} Interp;

static NORETURN void fail(Interp *in, const Inst *at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

static void fail(Interp *in, const Inst *at, const char *fmt, ...)
{
    char message[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    in->failure = arena_printf(in->arena, "%s at byte %u (instruction %u, %s)", message,
                               at ? at->span.start : 0, at ? at->id : 0,
                               at ? ir_op_name((IrOp)at->op) : "none");
    longjmp(in->escape, 1);
}

/* ---- places: a variable, the bytes from `offset` to `end` of it ---- */

typedef struct Spot {
    uint32_t offset, end, var, valid;
} Spot;

static Spot spot_of(const InterpCell *c)
{
    return (Spot){c->u[0], c->u[1], c->u[2], c->u[3]};
}

static InterpCell cell_of(Spot s)
{
    return (InterpCell){{s.offset, s.end, s.var, s.valid}};
}

static Memory *memory_of(Interp *in, Invocation *inv, uint32_t var)
{
    IrSpace space = in->ir->vars.data[var]->space;
    bool own = space == IRSPACE_FUNCTION || space == IRSPACE_PRIVATE;
    return own ? &inv->own[var] : &in->shared[var];
}

static Spot part(Spot s, uint64_t offset, uint64_t size)
{
    if (!s.valid || offset + size > s.end || offset < s.offset)
        s.valid = 0;
    s.offset = (uint32_t)offset;
    return s;
}

static Spot element(Interp *in, const Inst *inst, Spot s, uint32_t index)
{
    const MemType *mem = inst->args[0]->mem;
    uint64_t count, stride;
    if (mem->kind == MEM_ARRAY) {
        stride = mem->array.stride;
        count = mem->array.count;
        if (count == 0)
            count = (s.end - s.offset) / stride;
    } else {
        stride = mem->value.stride;
        count = mem->value.type.width;
    }
    if (index >= count) {
        if (inst->in_bounds && s.valid)
            fail(in, inst, "index %u is not in bounds", index);
        s.valid = 0;
        return s;
    }
    return part(s, s.offset + index * stride, inst->mem->size);
}

static Spot view(Interp *in, const Inst *inst, Spot s, uint32_t offset)
{
    const MemType *base = inst->args[0]->mem;
    if (base->size)                     /* a buffer of known size */
        s.end = (uint32_t)MIN_OF(s.end, s.offset + base->size);
    Spot shown = part(s, (uint64_t)s.offset + offset, inst->mem->size);
    if (s.valid && (!shown.valid || offset % inst->mem->align))
        fail(in, inst, "a view at byte %u of %u", offset, s.end - s.offset);
    return shown;
}

static Spot place(Interp *in, Invocation *inv, const Inst *inst,
                  const InterpCell *const *args)
{
    Spot s = {0};
    if (inst->op == IR_VAR) {
        uint32_t id = inst->var->id;
        return (Spot){0, memory_of(in, inv, id)->size, id, 1};
    }
    s = spot_of(args[0]);
    switch (inst->op) {
    case IR_FIELD:
        return part(s, (uint64_t)s.offset
                           + inst->args[0]->mem->structure.fields[inst->index].offset,
                    inst->mem->size);
    case IR_ELEM: return element(in, inst, s, args[1]->u[0]);
    default:      return view(in, inst, s, args[1]->u[0]);
    }
}

/* ---- loads and stores ---- */

static void load(Interp *in, Invocation *inv, const MemType *mem, Spot s, InterpCell *out)
{
    Memory *memory = memory_of(in, inv, s.var);
    *out = (InterpCell){{0}};
    for (uint32_t i = 0; s.valid && i < mem->value.type.width; i++) {
        uint32_t at = s.offset + i * mem->value.stride;
        bool half = mem->value.type.kind == SCALAR_F16;
        memcpy(&out->u[i], memory->data + at, half ? 2 : 4);
        if (mem->value.type.kind == SCALAR_F64)
            memcpy(&out->u[4 + i], memory->data + at + 4, 4);
        if (mem->value.type.kind == SCALAR_BOOL)
            out->u[i] = out->u[i] != 0;
    }
}

static void store(Interp *in, Invocation *inv, const MemType *mem, Spot s,
                  const InterpCell *value)
{
    Memory *memory = memory_of(in, inv, s.var);
    for (uint32_t i = 0; s.valid && i < mem->value.type.width; i++) {
        uint32_t at = s.offset + i * mem->value.stride;
        bool half = mem->value.type.kind == SCALAR_F16;
        memcpy(memory->data + at, &value->u[i], half ? 2 : 4);
        if (mem->value.type.kind == SCALAR_F64)
            memcpy(memory->data + at + 4, &value->u[4 + i], 4);
    }
}

static uint32_t atomic_result(IrAtomic op, uint32_t old, uint32_t comparand, uint32_t v)
{
    int32_t s = (int32_t)old, t = (int32_t)v;
    switch (op) {
    case ATOMIC_STORE:
    case ATOMIC_EXCHANGE:         return v;
    case ATOMIC_ADD:              return old + v;
    case ATOMIC_SUB:              return old - v;
    case ATOMIC_SMIN:             return t < s ? v : old;
    case ATOMIC_SMAX:             return t > s ? v : old;
    case ATOMIC_UMIN:             return v < old ? v : old;
    case ATOMIC_UMAX:             return v > old ? v : old;
    case ATOMIC_AND:              return old & v;
    case ATOMIC_OR:               return old | v;
    case ATOMIC_XOR:              return old ^ v;
    case ATOMIC_COMPARE_EXCHANGE: return old == comparand ? v : old;
    default:                      return old;
    }
}

static void atomic(Interp *in, Invocation *inv, const Inst *inst,
                   const InterpCell *const *args, InterpCell *out)
{
    const MemType *mem = inst->args[0]->mem;
    Spot s = spot_of(args[0]);
    load(in, inv, mem, s, out);
    uint32_t last = inst->nargs > 1 ? args[inst->nargs - 1]->u[0] : 0;
    InterpCell next = {{atomic_result(inst->atomic, out->u[0],
                                      inst->nargs > 2 ? args[1]->u[0] : 0, last)}};
    store(in, inv, mem, s, &next);
}

static uint32_t length(const MemType *mem, Spot s)
{
    uint32_t bytes = s.end > s.offset ? s.end - s.offset : 0;
    if (mem->kind == MEM_ARRAY)
        return bytes / mem->array.stride;
    return mem->size ? (uint32_t)MIN_OF(mem->size, bytes) : bytes;
}

/* ---- inputs ---- */

static uint32_t input(const Interp *in, const Invocation *inv, IrInput which)
{
    const uint32_t *size = in->ir->workgroup_size;
    uint32_t i = inv->index;
    switch (which) {
    case INPUT_LOCAL_ID_X:     return i % size[0];
    case INPUT_LOCAL_ID_Y:     return i / size[0] % size[1];
    case INPUT_LOCAL_ID_Z:     return i / size[0] / size[1];
    case INPUT_LOCAL_INDEX:    return i;
    case INPUT_WORKGROUP_ID_X:
    case INPUT_WORKGROUP_ID_Y:
    case INPUT_WORKGROUP_ID_Z: return in->group[which - INPUT_WORKGROUP_ID_X];
    case INPUT_NUM_WORKGROUPS_X:
    case INPUT_NUM_WORKGROUPS_Y:
    case INPUT_NUM_WORKGROUPS_Z: return in->groups[which - INPUT_NUM_WORKGROUPS_X];
    case INPUT_SUBGROUP_LANE:  return i % in->subgroup_size;
    case INPUT_SUBGROUP_SIZE:  return in->subgroup_size;
    case INPUT_SUBGROUP_ID:    return i / in->subgroup_size;
    case INPUT_NUM_SUBGROUPS:
        return (in->count + in->subgroup_size - 1) / in->subgroup_size;
    default:                   return 0;
    }
}

/* ---- control flow ---- */

/* Operands from `first` on to the parameters or results `to`, all at once. */
static void pass(Invocation *inv, const Inst *from, uint32_t first, Inst *const *to,
                 uint32_t count)
{
    InterpCell few[16];
    InterpCell *values = few;
    BUG_IF(first + count > from->nargs, "too few values for a region");
    if (count > COUNTOF(few))
        values = calloc(count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = inv->cells[from->args[first + i]->id];
    for (uint32_t i = 0; i < count; i++)
        inv->cells[to[i]->id] = values[i];
    if (values != few)
        free(values);
}

static void leave(Invocation *inv, const Inst *from, uint32_t first, const Inst *construct)
{
    pass(inv, from, first, construct->flow.results, construct->flow.nresults);
    inv->at = construct->next;
}

static void enter(Invocation *inv, const Inst *from, uint32_t first, const Region *region)
{
    pass(inv, from, first, region->params, region->nparams);
    inv->at = region->first;
}

static void break_if(Invocation *inv, const Inst *inst, bool done)
{
    const Inst *loop = inst->region->owner;
    if (done)
        leave(inv, inst, 1, loop);
    else
        enter(inv, inst, 1 + loop->flow.nresults, loop->flow.regions[0]);
}

static const Region *chosen_case(const Inst *inst, uint32_t selector)
{
    const IrCases *cases = &inst->flow.cases;
    for (uint32_t i = 0; i < cases->count; i++)
        if (cases->values[i] == selector)
            return inst->flow.regions[cases->regions[i]];
    return inst->flow.regions[inst->flow.nregions - 1];
}

static void flow(Interp *in, Invocation *inv, const Inst *inst,
                 const InterpCell *const *args)
{
    switch (inst->op) {
    case IR_IF:
        inv->at = inst->flow.regions[args[0]->u[0] ? 0 : 1]->first;
        break;
    case IR_SWITCH:   inv->at = chosen_case(inst, args[0]->u[0])->first;          break;
    case IR_LOOP:     enter(inv, inst, 0, inst->flow.regions[0]);                 break;
    case IR_BLOCK:    inv->at = inst->flow.regions[0]->first;                     break;
    case IR_YIELD:    leave(inv, inst, 0, inst->region->owner);                   break;
    case IR_BREAK:    leave(inv, inst, 0, inst->target);                          break;
    case IR_BREAK_IF: break_if(inv, inst, args[0]->u[0] != 0);                    break;
    case IR_CONTINUE: enter(inv, inst, 0, inst->target->flow.regions[1]);         break;
    case IR_NEXT:     enter(inv, inst, 0, inst->region->owner->flow.regions[0]);  break;
    case IR_RETURN:   inv->at = NULL;                                             break;
    default:          fail(in, inst, "this cannot be reached");
    }
}

/* ---- one invocation ---- */

static void collect_args(Invocation *inv, const Inst *inst, const InterpCell **args,
                         uint32_t most)
{
    for (uint32_t i = 0; i < inst->nargs && i < most; i++)
        args[i] = &inv->cells[inst->args[i]->id];
}

/* All invocations see the same each time, or the promise is broken. */
static void check_promise(Interp *in, Invocation *inv, const Inst *inst)
{
    Promised *known = &in->promised[inst->id];
    const InterpCell *value = &inv->cells[inst->id];
    uint32_t time = inv->promises[inst->id]++;
    if (time == known->len)
        VEC_PUSH(in->arena, known, *value);
    else if (memcmp(&known->data[time], value, sizeof *value) != 0)
        fail(in, inst, "invocation %u breaks a promise of uniformity", inv->index);
}

static void execute(Interp *in, Invocation *inv, const Inst *inst)
{
    const InterpCell *args[4] = {0};
    InterpCell *out = &inv->cells[inst->id];
    collect_args(inv, inst, args, COUNTOF(args));
    inv->at = inst->next;
    switch (inst->op) {
    case IR_INPUT:
        *out = (InterpCell){{input(in, inv, inst->input)}};
        return;
    case IR_VAR: case IR_FIELD: case IR_ELEM: case IR_VIEW:
        *out = cell_of(place(in, inv, inst, args));
        return;
    case IR_LENGTH:
        *out = (InterpCell){{length(inst->args[0]->mem, spot_of(args[0]))}};
        return;
    case IR_LOAD:
        load(in, inv, inst->args[0]->mem, spot_of(args[0]), out);
        return;
    case IR_STORE:
        store(in, inv, inst->args[0]->mem, spot_of(args[0]), args[1]);
        return;
    case IR_ATOMIC:
        atomic(in, inv, inst, args, out);
        return;
    default:
        break;
    }
    if (ir_op_effect((IrOp)inst->op) == EFFECT_FLOW)
        flow(in, inv, inst, args);
    else if (!interp_pure(inst, args, out))
        fail(in, inst, "no meaning is known");
    if (inst->op == IR_UNIFORM)
        check_promise(in, inv, inst);
}

static bool waits(const Invocation *inv)
{
    return inv->at && (inv->at->op == IR_BARRIER || inv->at->op == IR_SUBGROUP);
}

/* Until it returns, or waits for others. */
static void run_invocation(Interp *in, Invocation *inv)
{
    uint64_t most = in->desc->max_steps ? in->desc->max_steps : 100000000;
    while (inv->at && !waits(inv)) {
        if (++in->steps > most)
            fail(in, inv->at, "more than %llu steps", (unsigned long long)most);
        execute(in, inv, inv->at);
    }
}

/* ---- subgroups ---- */

typedef struct Lanes {                  /* those of a subgroup at one instruction */
    Invocation *at[128];                /* by lane; NULL: not here                */
    uint32_t    size;
} Lanes;

static uint64_t combine(IrSubgroup op, uint8_t kind, uint64_t x, uint64_t y)
{
    int32_t s = (int32_t)(uint32_t)x, t = (int32_t)(uint32_t)y;
    double a = kind == SCALAR_I32 ? 0 : interp_to_double(kind, x);
    double b = kind == SCALAR_I32 ? 0 : interp_to_double(kind, y);
    switch (op) {
    case SUBGROUP_ADD: case SUBGROUP_EXCLUSIVE_ADD: case SUBGROUP_INCLUSIVE_ADD:
        return kind == SCALAR_I32 ? (uint32_t)(x + y) : interp_from_double(kind, a + b);
    case SUBGROUP_MUL: case SUBGROUP_EXCLUSIVE_MUL: case SUBGROUP_INCLUSIVE_MUL:
        return kind == SCALAR_I32 ? (uint32_t)(x * y) : interp_from_double(kind, a * b);
    case SUBGROUP_MIN:  return b < a ? y : x;
    case SUBGROUP_MAX:  return a < b ? y : x;
    case SUBGROUP_SMIN: return t < s ? y : x;
    case SUBGROUP_SMAX: return s < t ? y : x;
    case SUBGROUP_UMIN: return y < x ? y : x;
    case SUBGROUP_UMAX: return x < y ? y : x;
    case SUBGROUP_AND:  return x & y;
    case SUBGROUP_OR:   return x | y;
    default:            return x ^ y;
    }
}

static const InterpCell *operand(const Invocation *inv, const Inst *inst, uint32_t i)
{
    return &inv->cells[inst->args[i]->id];
}

/* Over the lanes below `lane`; also its own if `inclusive`; all of them if lane is
 * the size. */
static void reduce(const Lanes *lanes, const Inst *inst, uint32_t lane, bool inclusive,
                   InterpCell *out)
{
    bool is_mul = inst->subgroup == SUBGROUP_EXCLUSIVE_MUL;
    uint8_t kind = inst->type.kind;
    uint64_t neutral = kind == SCALAR_I32 ? is_mul : interp_from_double(kind, is_mul);
    bool first = true;
    for (uint32_t c = 0; c < 4; c++)
        interp_set(out, c, neutral);
    for (uint32_t k = 0; k < lanes->size; k++) {
        if (!lanes->at[k] || k > lane || (k == lane && !inclusive))
            continue;
        const InterpCell *x = operand(lanes->at[k], inst, 0);
        for (uint32_t c = 0; c < inst->type.width; c++)
            interp_set(out, c, first ? interp_bits(x, c)
                                     : combine(inst->subgroup, kind, interp_bits(out, c),
                                               interp_bits(x, c)));
        first = false;
    }
}

static void vote(const Lanes *lanes, const Inst *inst, InterpCell *out)
{
    uint32_t yes = 0, all = 0;
    *out = (InterpCell){{0}};
    for (uint32_t k = 0; k < lanes->size; k++) {
        if (!lanes->at[k])
            continue;
        uint32_t x = operand(lanes->at[k], inst, 0)->u[0] != 0;
        all++;
        yes += x;
        if (inst->subgroup == SUBGROUP_BALLOT)
            out->u[k / 32] |= x << k % 32;
    }
    if (inst->subgroup != SUBGROUP_BALLOT)
        out->u[0] = inst->subgroup == SUBGROUP_ALL ? yes == all : yes > 0;
}

static uint32_t first_lane(const Lanes *lanes)
{
    uint32_t k = 0;
    while (!lanes->at[k])
        k++;
    return k;
}

/* The lane that `lane` reads from; one that is not there gives its own value. */
static uint32_t source_lane(const Lanes *lanes, const Inst *inst, uint32_t lane)
{
    uint32_t i = inst->nargs > 1 ? operand(lanes->at[lane], inst, 1)->u[0] : 0;
    switch (inst->subgroup) {
    case SUBGROUP_BROADCAST:
    case SUBGROUP_SHUFFLE:         return i;
    case SUBGROUP_BROADCAST_FIRST: return first_lane(lanes);
    case SUBGROUP_SHUFFLE_UP:      return lane - i;
    case SUBGROUP_SHUFFLE_DOWN:    return lane + i;
    case SUBGROUP_SHUFFLE_XOR:     return lane ^ i;
    case QUAD_BROADCAST:           return (lane & ~3u) + (i & 3);
    case QUAD_SWAP_X:              return lane ^ 1;
    case QUAD_SWAP_Y:              return lane ^ 2;
    default:                       return lane ^ 3;
    }
}

static void subgroup_lane(const Lanes *lanes, const Inst *inst, uint32_t lane,
                          InterpCell *out)
{
    switch (inst->subgroup) {
    case SUBGROUP_ALL: case SUBGROUP_ANY: case SUBGROUP_BALLOT:
        vote(lanes, inst, out);
        return;
    case SUBGROUP_ELECT:
        *out = (InterpCell){{lane == first_lane(lanes)}};
        return;
    case SUBGROUP_EXCLUSIVE_ADD: case SUBGROUP_EXCLUSIVE_MUL:
        reduce(lanes, inst, lane, false, out);
        return;
    case SUBGROUP_INCLUSIVE_ADD: case SUBGROUP_INCLUSIVE_MUL:
        reduce(lanes, inst, lane, true, out);
        return;
    default:
        break;
    }
    if (inst->subgroup <= SUBGROUP_XOR) {
        reduce(lanes, inst, lanes->size, true, out);
        return;
    }
    uint32_t from = source_lane(lanes, inst, lane);
    bool there = from < lanes->size && lanes->at[from];
    *out = *operand(lanes->at[there ? from : lane], inst, 0);
}

/* Lets the lanes that wait at one subgroup operation go on together. False: none
 * waits there. */
static bool run_subgroup(Interp *in, uint32_t first)
{
    Lanes lanes = {.size = in->subgroup_size};
    InterpCell results[128];
    const Inst *inst = NULL;
    for (uint32_t k = 0; k < lanes.size && first + k < in->count; k++) {
        Invocation *inv = &in->invocations[first + k];
        if (!inv->at || inv->at->op != IR_SUBGROUP || (inst && inv->at != inst))
            continue;
        inst = inv->at;
        lanes.at[k] = inv;
    }
    for (uint32_t k = 0; inst && k < lanes.size; k++)
        if (lanes.at[k])
            subgroup_lane(&lanes, inst, k, &results[k]);
    for (uint32_t k = 0; inst && k < lanes.size; k++) {
        if (!lanes.at[k])
            continue;
        lanes.at[k]->cells[inst->id] = results[k];
        lanes.at[k]->at = inst->next;
    }
    return inst != NULL;
}

/* ---- a workgroup ---- */

static bool all_returned(const Interp *in)
{
    for (uint32_t i = 0; i < in->count; i++)
        if (in->invocations[i].at)
            return false;
    return true;
}

/* All wait: at one and the same barrier, or something is wrong. */
static void pass_barrier(Interp *in)
{
    const Inst *barrier = in->invocations[0].at;
    for (uint32_t i = 0; i < in->count; i++) {
        Invocation *inv = &in->invocations[i];
        if (inv->at != barrier)
            fail(in, barrier, "invocation %u does not come to the barrier of the others", i);
        inv->at = inv->at->next;
    }
}

static void run_workgroup(Interp *in)
{
    while (!all_returned(in)) {
        bool together = false;
        for (uint32_t i = 0; i < in->count; i++) {
            uint32_t k = in->desc->backwards ? in->count - 1 - i : i;
            run_invocation(in, &in->invocations[k]);
        }
        for (uint32_t i = 0; i < in->count; i += in->subgroup_size)
            together |= run_subgroup(in, i);
        if (!together && !all_returned(in))
            pass_barrier(in);
    }
}

/* ---- memory of a dispatch ---- */

static Memory memory_new(Interp *in, uint64_t size)
{
    if (size > (1u << 28))
        fail(in, NULL, "a variable of %llu bytes", (unsigned long long)size);
    return (Memory){arena_alloc(in->arena, size ? (size_t)size : 1), (uint32_t)size};
}

static Memory binding_memory(Interp *in, const IrVar *var)
{
    for (uint32_t i = 0; i < in->desc->nbuffers; i++) {
        const InterpBuffer *b = &in->desc->buffers[i];
        if (b->group == var->group && b->binding == var->binding)
            return (Memory){b->data, b->size};
    }
    fail(in, NULL, "no buffer for '%.*s'", STR_ARG(var->name));
}

static void shared_memory(Interp *in)
{
    for (uint32_t i = 0; i < in->ir->vars.len; i++) {
        const IrVar *var = in->ir->vars.data[i];
        Memory *m = &in->shared[i];
        switch (var->space) {
        case IRSPACE_WORKGROUP:
            *m = memory_new(in, var->type->size);
            break;
        case IRSPACE_CONSTANT:
            *m = memory_new(in, var->type->size);
            if (var->data)
                memcpy(m->data, var->data, m->size);
            break;
        case IRSPACE_UNIFORM:
        case IRSPACE_STORAGE:
            *m = binding_memory(in, var);
            break;
        case IRSPACE_IMMEDIATE:
            *m = memory_new(in, var->type->size);
            memcpy(m->data, in->desc->immediates,
                   MIN_OF(m->size, in->desc->immediate_size));
            break;
        default:
            break;
        }
    }
}

static void own_memory(Interp *in, Invocation *inv)
{
    inv->cells = ARENA_ARRAY(in->arena, InterpCell, in->ir->next_id);
    inv->promises = ARENA_ARRAY(in->arena, uint32_t, in->ir->next_id);
    inv->own = ARENA_ARRAY(in->arena, Memory, in->ir->vars.len);
    for (uint32_t i = 0; i < in->ir->vars.len; i++) {
        const IrVar *var = in->ir->vars.data[i];
        if (var->space == IRSPACE_FUNCTION || var->space == IRSPACE_PRIVATE)
            inv->own[i] = memory_new(in, var->type->size);
    }
}

static void start_workgroup(Interp *in)
{
    for (uint32_t i = 0; i < in->ir->vars.len; i++)
        if (in->ir->vars.data[i]->space == IRSPACE_WORKGROUP)
            memset(in->shared[i].data, 0, in->shared[i].size);
    in->promised = ARENA_ARRAY(in->arena, Promised, in->ir->next_id);
    for (uint32_t k = 0; k < in->count; k++) {
        Invocation *inv = &in->invocations[k];
        memset(inv->promises, 0, in->ir->next_id * sizeof *inv->promises);
        inv->at = in->ir->body->first;
        inv->index = k;
        for (uint32_t i = 0; i < in->ir->vars.len; i++) {
            bool zero = in->ir->vars.data[i]->space == IRSPACE_PRIVATE;
            if (inv->own[i].data)
                memset(inv->own[i].data, zero ? 0 : POISON, inv->own[i].size);
        }
    }
}

static void prepare(Interp *in)
{
    const uint32_t *size = in->ir->workgroup_size;
    in->count = size[0] * size[1] * size[2];
    in->subgroup_size = in->desc->subgroup_size ? in->desc->subgroup_size : 8;
    for (int i = 0; i < 3; i++)
        in->groups[i] = in->desc->num_workgroups[i] ? in->desc->num_workgroups[i] : 1;
    in->shared = ARENA_ARRAY(in->arena, Memory, in->ir->vars.len);
    in->invocations = ARENA_ARRAY(in->arena, Invocation, in->count);
    shared_memory(in);
    for (uint32_t i = 0; i < in->count; i++)
        own_memory(in, &in->invocations[i]);
}

static void run(Interp *in)
{
    prepare(in);
    uint32_t *g = in->group;
    for (g[2] = 0; g[2] < in->groups[2]; g[2]++) {
        for (g[1] = 0; g[1] < in->groups[1]; g[1]++) {
            for (g[0] = 0; g[0] < in->groups[0]; g[0]++) {
                start_workgroup(in);
                run_workgroup(in);
            }
        }
    }
}

const char *interp_run(Arena *arena, const InterpDesc *desc)
{
    Interp *const in = ARENA_NEW(arena, Interp);
    in->desc = desc;
    in->ir = desc->ir;
    in->arena = arena;
    if (!setjmp(in->escape))
        run(in);
    return in->failure;
}
