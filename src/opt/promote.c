// SPDX-License-Identifier: Apache-2.0
/*
 * promote.c - variables of one invocation become values.
 *
 * in     an Ir whose FUNCTION and PRIVATE variables are memory
 * out    the same Ir: each part that is only reached through constant indices is
 *        a value; parts that are indexed at run time become variables of their
 *        own
 * knows  how values cross constructs (ir.h)
 * not    which of the parameters and results it adds are needed: all variables
 *        that a construct writes get one; simplify.c and prune.c drop the rest
 *
 * A variable is a tree of parts (Part). One walk over the places finds the parts
 * that are indexed at run time, a second collects what each construct writes, a
 * third replaces loads and stores, with the current value of each part at hand.
 */
#include "opt/opt_priv.h"

/* Arrays longer than this stay memory even if every index is constant. */
#define MAX_ELEMENTS 64u

typedef struct Part Part;
struct Part {
    const MemType *type;
    Part   **parts;                 /* members or elements, made on demand       */
    bool     indexed;               /* at run time: stays memory                 */
    IrVar   *var;                   /* the outermost such part has its own       */
    bool     is_cell;               /* a scalar or vector that becomes a value   */
    uint32_t cell;
};

/* What one construct writes. */
typedef struct Writes {
    VEC(uint32_t) cells;
} Writes;

typedef struct Promote {
    Ir      *ir;
    Arena   *arena;
    Part   **roots;                 /* [vars] NULL: not such a variable          */
    Part   **at;                    /* [next_id] of a place: the part it means,
                                       NULL: chosen at run time                  */
    Writes **writes;                /* [next_id] of a construct                  */
    Inst   **forward;               /* [next_id] what replaces a load            */
    uint32_t ids;                   /* next_id when the tables were made         */
    VEC(Part *) cells;
    Inst   **now;                   /* [cells] the value at this point           */
    uint32_t *stamp;                /* [cells] for collecting each once          */
    uint32_t  stamps;
} Promote;

static bool is_own(const IrVar *var)
{
    return var->space == IRSPACE_FUNCTION || var->space == IRSPACE_PRIVATE;
}

static bool is_place(const Inst *inst)
{
    return inst->type.kind == SCALAR_PLACE;
}

/* ---- parts ---- */

static Part *part_new(Promote *p, const MemType *type)
{
    Part *part = ARENA_NEW(p->arena, Part);
    part->type = type;
    return part;
}

static uint64_t part_count(const MemType *type)
{
    return type->kind == MEM_STRUCT ? type->structure.count : type->array.count;
}

static Part *part_child(Promote *p, Part *part, uint32_t i)
{
    const MemType *type = part->type;
    if (!part->parts)
        part->parts = ARENA_ARRAY(p->arena, Part *, part_count(type));
    if (!part->parts[i])
        part->parts[i] = part_new(p, type->kind == MEM_STRUCT
                                         ? type->structure.fields[i].type
                                         : type->array.of);
    return part->parts[i];
}

/* ---- first walk: what is indexed at run time ---- */

static bool is_constant_index(const Inst *elem, const MemType *array)
{
    const Inst *index = elem->args[1];
    return index->op == IR_CONST && index->constant.bits[0] < array->array.count &&
           array->array.count <= MAX_ELEMENTS;
}

static void find_elem(Promote *p, const Inst *inst, Part *of)
{
    if (of->type->kind == MEM_VALUE) {
        p->at[inst->id] = of;               /* a component: the vector is the part */
    } else if (is_constant_index(inst, of->type)) {
        p->at[inst->id] = part_child(p, of, inst->args[1]->constant.bits[0]);
    } else {
        of->indexed = true;
    }
}

static void find_place(Promote *p, const Inst *inst)
{
    if (inst->op == IR_VAR) {
        p->at[inst->id] = p->roots[inst->var->id];
        return;
    }
    Part *of = p->at[inst->args[0]->id];
    if (!of)
        return;
    if (inst->op == IR_FIELD)
        p->at[inst->id] = part_child(p, of, inst->index);
    else if (inst->op == IR_ELEM)
        find_elem(p, inst, of);
    else
        BUG("a view of a variable of one invocation");
}

static void find_region(Promote *p, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (is_place(inst))
            find_place(p, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                find_region(p, inst->flow.regions[i]);
    }
}

/* Gives each part that is used a cell or, if it is indexed, a variable. */
static void settle(Promote *p, Part *part, const IrVar *var)
{
    if (part->indexed) {
        part->var = ir_var_new(p->ir, var->space, var->name, part->type);
    } else if (part->type->kind == MEM_VALUE) {
        part->is_cell = true;
        part->cell = p->cells.len;
        VEC_PUSH(p->arena, &p->cells, part);
    } else if (part->parts) {
        for (uint64_t i = 0; i < part_count(part->type); i++)
            if (part->parts[i])
                settle(p, part->parts[i], var);
    }
}

static void settle_all(Promote *p, uint32_t nvars)
{
    for (uint32_t i = 0; i < nvars; i++)
        if (p->roots[i])
            settle(p, p->roots[i], p->ir->vars.data[i]);
}

/* ---- second walk: what each construct writes ---- */

static const Part *cell_of(const Promote *p, const Inst *place)
{
    const Part *part = place->id < p->ids ? p->at[place->id] : NULL;
    return part && part->is_cell ? part : NULL;
}

static void collect(Promote *p, const Region *region, Writes *into);

static void collect_construct(Promote *p, const Inst *inst, Writes *into)
{
    Writes *own = ARENA_NEW(p->arena, Writes);
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        collect(p, inst->flow.regions[i], own);
    uint32_t mark = ++p->stamps, kept = 0;
    for (uint32_t i = 0; i < own->cells.len; i++) {
        uint32_t cell = own->cells.data[i];
        if (p->stamp[cell] == mark)
            continue;
        p->stamp[cell] = mark;
        own->cells.data[kept++] = cell;
        VEC_PUSH(p->arena, &into->cells, cell);
    }
    own->cells.len = kept;
    p->writes[inst->id] = own;
}

static void collect(Promote *p, const Region *region, Writes *into)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        const Part *part = inst->op == IR_STORE ? cell_of(p, inst->args[0]) : NULL;
        if (part)
            VEC_PUSH(p->arena, &into->cells, part->cell);
        if (ir_op_is_construct((IrOp)inst->op))
            collect_construct(p, inst, into);
    }
}

/* ---- third walk: values instead of memory ---- */

static void walk(Promote *p, Region *region);

static Inst *resolved(const Promote *p, Inst *inst)
{
    while (inst->id < p->ids && p->forward[inst->id])
        inst = p->forward[inst->id];
    return inst;
}

static IrType cell_type(const Promote *p, uint32_t cell)
{
    return p->cells.data[cell]->type->value.type;
}

static void load_cell(Promote *p, Inst *inst, const Part *part)
{
    const Inst *place = inst->args[0];
    Inst *value = p->now[part->cell];
    if (place->mem != part->type) {         /* one component */
        IrCursor c = {p->ir, inst->region, inst, inst->span};
        Inst *index = resolved(p, place->args[1]);
        value = ir_op_as(&c, IR_EXTRACT_AT, inst->type, 2, (Inst *[]){value, index});
    }
    p->forward[inst->id] = value;
    ir_remove(inst);
}

static void store_cell(Promote *p, Inst *inst, const Part *part)
{
    const Inst *place = inst->args[0];
    Inst *value = inst->args[1];
    if (place->mem != part->type) {
        IrCursor c = {p->ir, inst->region, inst, inst->span};
        Inst *index = resolved(p, place->args[1]), *old = p->now[part->cell];
        value = ir_op_as(&c, IR_INSERT_AT, old->type, 3, (Inst *[]){old, value, index});
    }
    p->now[part->cell] = value;
    ir_remove(inst);
}

/* A place inside a part that has a variable of its own starts there. */
static void rebase(Promote *p, Inst *inst)
{
    const Inst *of = inst->args[0];
    const Part *part = of->id < p->ids ? p->at[of->id] : NULL;
    if (!part || !part->var)
        return;
    IrCursor c = {p->ir, inst->region, inst, inst->span};
    inst->args[0] = ir_place_var(&c, part->var);
}

static Inst **current(const Promote *p, const Writes *w)
{
    Inst **values = ARENA_ARRAY(p->arena, Inst *, w->cells.len + 1);
    for (uint32_t i = 0; i < w->cells.len; i++)
        values[i] = p->now[w->cells.data[i]];
    return values;
}

static void restore(Promote *p, const Writes *w, Inst *const *values)
{
    for (uint32_t i = 0; i < w->cells.len; i++)
        p->now[w->cells.data[i]] = values[i];
}

/* The values of what `construct` writes travel with an instruction that leaves it. */
static void add_current(Promote *p, Inst *leave, const Inst *construct)
{
    const Writes *w = p->writes[construct->id];
    for (uint32_t i = 0; i < w->cells.len; i++)
        ir_add_arg(p->ir, leave, p->now[w->cells.data[i]]);
}

/* cond, results, next: both lists grow. */
static void grow_break_if(Promote *p, Inst *leave, const Inst *loop)
{
    const Writes *w = p->writes[loop->id];
    uint32_t old_results = loop->flow.nresults - w->cells.len;
    uint32_t old_next = leave->nargs - 1 - old_results, n = 0;
    Inst **args = ARENA_ARRAY(p->ir->arena, Inst *, leave->nargs + 2 * w->cells.len);
    for (uint32_t i = 0; i < 1 + old_results; i++)
        args[n++] = leave->args[i];
    for (uint32_t i = 0; i < w->cells.len; i++)
        args[n++] = p->now[w->cells.data[i]];
    for (uint32_t i = 0; i < old_next; i++)
        args[n++] = leave->args[1 + old_results + i];
    for (uint32_t i = 0; i < w->cells.len; i++)
        args[n++] = p->now[w->cells.data[i]];
    leave->args = args;
    leave->nargs = n;
}

static void walk_leave(Promote *p, Inst *inst)
{
    const Inst *owner = inst->region->owner;
    switch (inst->op) {
    case IR_YIELD: case IR_NEXT: add_current(p, inst, owner); break;
    case IR_BREAK: case IR_CONTINUE: add_current(p, inst, inst->target); break;
    case IR_BREAK_IF: grow_break_if(p, inst, owner); break;
    default: break;
    }
}

/* New parameters of a region for everything in `w`; they are the values inside. */
static void take_params(Promote *p, Region *region, const Writes *w)
{
    for (uint32_t i = 0; i < w->cells.len; i++) {
        uint32_t cell = w->cells.data[i];
        p->now[cell] = ir_param(p->ir, region, cell_type(p, cell));
    }
}

static void walk_construct(Promote *p, Inst *inst)
{
    const Writes *w = p->writes[inst->id];
    Inst **before = current(p, w);
    Inst **results = ARENA_ARRAY(p->arena, Inst *, w->cells.len + 1);
    for (uint32_t i = 0; i < w->cells.len; i++)
        results[i] = ir_result(p->ir, inst, cell_type(p, w->cells.data[i]));
    if (inst->op == IR_LOOP)
        for (uint32_t i = 0; i < w->cells.len; i++)
            ir_add_arg(p->ir, inst, before[i]);
    for (uint32_t i = 0; i < inst->flow.nregions; i++) {
        restore(p, w, before);
        if (inst->op == IR_LOOP)
            take_params(p, inst->flow.regions[i], w);
        walk(p, inst->flow.regions[i]);
    }
    restore(p, w, results);
}

static void walk_inst(Promote *p, Inst *inst)
{
    for (uint32_t i = 0; i < inst->nargs; i++)
        inst->args[i] = resolved(p, inst->args[i]);
    const Part *part = inst->op == IR_LOAD || inst->op == IR_STORE
                           ? cell_of(p, inst->args[0]) : NULL;
    if (part && inst->op == IR_LOAD)
        load_cell(p, inst, part);
    else if (part)
        store_cell(p, inst, part);
    else if (is_place(inst) && inst->op != IR_VAR && inst->id < p->ids)
        rebase(p, inst);
    else if (ir_op_is_construct((IrOp)inst->op))
        walk_construct(p, inst);
    else if (ir_op_ends_region((IrOp)inst->op))
        walk_leave(p, inst);
}

static void walk(Promote *p, Region *region)
{
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        walk_inst(p, inst);
    }
}

/* ---- the pass ---- */

/* Before anything is stored every part is zero. */
static void start_values(Promote *p)
{
    Region *body = p->ir->body;
    IrCursor c = {p->ir, body, body->first, {0, 0}};
    p->now = ARENA_ARRAY(p->arena, Inst *, p->cells.len + 1);
    for (uint32_t i = 0; i < p->cells.len; i++)
        p->now[i] = ir_const(&c, cell_type(p, i), (IrConstant){{0}});
}

void opt_promote(Ir *ir)
{
    uint32_t nvars = ir->vars.len, ids = ir->next_id;
    Promote p = {.ir = ir, .arena = ir->arena, .ids = ids};
    p.roots = ARENA_ARRAY(p.arena, Part *, nvars + 1);
    p.at = ARENA_ARRAY(p.arena, Part *, ids);
    p.writes = ARENA_ARRAY(p.arena, Writes *, ids);
    p.forward = ARENA_ARRAY(p.arena, Inst *, ids);
    for (uint32_t i = 0; i < nvars; i++)
        if (is_own(ir->vars.data[i]))
            p.roots[i] = part_new(&p, ir->vars.data[i]->type);
    find_region(&p, ir->body);
    settle_all(&p, nvars);
    p.stamp = ARENA_ARRAY(p.arena, uint32_t, p.cells.len + 1);
    Writes all = {0};
    collect(&p, ir->body, &all);
    start_values(&p);
    walk(&p, ir->body);
}
