// SPDX-License-Identifier: Apache-2.0
/*
 * untile.c - copies in workgroup memory that the CPU needs not.
 *
 * in     an Ir whose workgroup variables are tiles: between two barriers, each
 *        invocation copies one element from memory that is not written, and others
 *        read it after the barrier
 * out    the same with reads of the memory itself, at the index that the invocation
 *        had which copied the element; without the tiles and the barriers
 * why    a CPU has caches. What a tile costs are the copies, and values that wait in
 *        memory at each barrier
 * knows  how to find the invocation that wrote an element
 *
 * All tiles of a kernel go, or none: barriers that remain cost what all of them did.
 * The reads are made beside the old ones first, and facts about them decide. Loops that
 * need most registers for themselves gain nothing if values stay in registers around
 * them, too.
 *
 * All stores to a tile are in one region. A barrier follows there, so that all invocations
 * come to them (WGSL 15.2, uniformity), and every read comes after that barrier, in the
 * same region or inside of it: in the same round of any loop around both. What the index
 * of the copied element is made from is there, too, and the same for all invocations but
 * for their local ids.
 */
#include "analysis/analysis.h"
#include "opt/opt_priv.h"

#define MAX_READS  64u
#define MAX_TERMS  8u               /* of an index                                */
#define MAX_DIMS   4u               /* of a tile                                  */
#define MAX_DEPTH  12u              /* of expressions that are looked into        */
#define MAX_NUMBER (1u << 24)       /* in an index                                */
#define MAX_ALIVE  8u               /* vector registers that loops fill: half of them */

typedef VEC(Inst *) InstList;

typedef struct Tile {
    InstList stores, reads;         /* in the order of the text                   */
} Tile;

/* The element that a place of a tile names: indices, outermost first, and the component
 * of it, if it is a vector of which one is meant. */
typedef struct Element {
    Inst    *index[MAX_DIMS];
    uint32_t count;
    Inst    *component;             /* ELEM, or NULL                              */
} Element;

typedef struct Limit {
    const Inst *value;
    uint32_t    below;
} Limit;

typedef struct Untile {
    Ir       *ir;
    Tile     *tiles;                /* [vars]                                     */
    bool     *is_loaded, *is_stored; /* [vars]                                    */
    bool      has_stored;           /* storage, so far                            */
    InstList  barriers;
    uint32_t  nreads;
    /* What must hold of the new reads. */
    InstList  shared;               /* the same for all invocations               */
    VEC(Limit) limits;
    InstList  made;                 /* for the reads of all tiles, in their order */
} Untile;

/* ---- what the kernel does ---- */

/* False: it is nothing for us. */
static bool survey_access(Untile *s, Inst *inst)
{
    const IrVar *var = ir_place_root(inst->args[0]);
    Tile *tile = &s->tiles[var->id];
    if (var->space == IRSPACE_STORAGE) {
        s->is_loaded[var->id] |= inst->op == IR_LOAD;
        s->is_stored[var->id] |= inst->op == IR_STORE;
        s->has_stored |= inst->op == IR_STORE;
        return !s->is_loaded[var->id] || !s->is_stored[var->id];
    }
    if (var->space != IRSPACE_WORKGROUP)
        return true;
    if (inst->op == IR_STORE) {
        VEC_PUSH(s->ir->arena, &tile->stores, inst);
        return inst->region == tile->stores.data[0]->region;
    }
    VEC_PUSH(s->ir->arena, &tile->reads, inst);
    return ++s->nreads <= MAX_READS;
}

/* What is stored before a barrier may be ordered by it. */
static bool survey_barrier(Untile *s, Inst *inst)
{
    VEC_PUSH(s->ir->arena, &s->barriers, inst);
    return inst->barrier == BARRIER_WORKGROUP && !s->has_stored;
}

static bool survey(Untile *s, const Region *region);

static bool survey_construct(Untile *s, const Inst *inst)
{
    uint32_t barriers = s->barriers.len;
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        if (!survey(s, inst->flow.regions[i]))
            return false;
    return inst->op != IR_LOOP || s->barriers.len == barriers || !s->has_stored;
}

static bool survey(Untile *s, const Region *region)
{
    bool ok = true;
    for (Inst *inst = region->first; inst && ok; inst = inst->next) {
        if (inst->op == IR_LOAD || inst->op == IR_STORE)
            ok = survey_access(s, inst);
        else if (inst->op == IR_BARRIER)
            ok = survey_barrier(s, inst);
        else if (ir_op_is_construct((IrOp)inst->op))
            ok = survey_construct(s, inst);
        else
            ok = inst->op != IR_ATOMIC && inst->op != IR_SUBGROUP;
    }
    return ok;
}

/* ---- who reads what ---- */

/* The instruction of `region` that `inst` is, or is inside of; NULL: none. */
static const Inst *part_of(const Region *region, const Inst *inst)
{
    while (inst && inst->region != region)
        inst = inst->region->owner;
    return inst;
}

/* The store that a read comes after, with a barrier between; NULL: there is none, or the
 * last one may be another. */
static Inst *store_before(const Tile *tile, const Inst *read)
{
    bool barrier = false;
    Inst *store = NULL;
    const Inst *at = tile->stores.len ? part_of(tile->stores.data[0]->region, read) : NULL;
    for (const Inst *inst = at; inst && !store; inst = inst->prev) {
        barrier |= inst->op == IR_BARRIER;
        for (uint32_t i = 0; i < tile->stores.len; i++)
            if (inst == tile->stores.data[i])
                store = tile->stores.data[i];
    }
    return barrier ? store : NULL;
}

static bool element_of(Inst *place, Element *out)
{
    *out = (Element){.count = 0};
    if (place->op == IR_ELEM && place->args[0]->mem->kind == MEM_VALUE) {
        out->component = place;
        place = place->args[0];
    }
    uint32_t n = 0;
    for (const Inst *at = place; at->op != IR_VAR; at = at->args[0], n++)
        if (at->op != IR_ELEM || n == MAX_DIMS)
            return false;
    out->count = n;
    for (; place->op != IR_VAR; place = place->args[0])
        out->index[--n] = place->args[1];
    return out->count > 0;
}

/* ---- indices as sums ---- */

typedef struct Term {
    Inst    *value;
    uint32_t times;
} Term;

typedef struct Sum {
    Term     terms[MAX_TERMS];
    uint32_t count;
    uint32_t constant;
} Sum;

/* A number that v is multiplied by, and what it multiplies; 0: it is no such thing. */
static uint32_t factor_of(const Inst *v, Inst **of)
{
    for (uint32_t i = 0; v->op == IR_IMUL && i < 2; i++)
        if (v->args[i]->op == IR_CONST) {
            *of = v->args[1 - i];
            return v->args[i]->constant.bits[0];
        }
    if (v->op != IR_SHL || v->args[1]->op != IR_CONST)
        return 0;
    *of = v->args[0];
    return 1u << (v->args[1]->constant.bits[0] & 31);
}

static bool add_terms(Sum *s, Inst *v, uint32_t times, uint32_t depth)
{
    if (v->op == IR_CONST) {
        uint64_t constant = s->constant + (uint64_t)v->constant.bits[0] * times;
        s->constant = (uint32_t)constant;
        return constant <= MAX_NUMBER;
    }
    if (v->op == IR_IADD && depth)
        return add_terms(s, v->args[0], times, depth - 1) &&
               add_terms(s, v->args[1], times, depth - 1);
    Inst    *of = NULL;
    uint64_t factor = depth ? (uint64_t)factor_of(v, &of) * times : 0;
    if (factor)
        return factor <= MAX_NUMBER && add_terms(s, of, (uint32_t)factor, depth - 1);
    if (s->count == MAX_TERMS)
        return false;
    s->terms[s->count++] = (Term){v, times};
    return true;
}

/* ---- which invocation ---- */

/* How an index is made from local ids: id[axis] * times[axis], all added up. */
typedef struct Form {
    uint32_t times[3];
} Form;

static bool form_add(const Ir *ir, Form *f, uint32_t axis, uint64_t times)
{
    if (ir->workgroup_size[axis] == 1)
        return true;
    bool first = f->times[axis] == 0;
    f->times[axis] = (uint32_t)times;
    return first && times * ir->workgroup_size[axis] <= MAX_NUMBER;
}

/* Is each number made by one set of ids alone? */
static bool form_is_unique(const Ir *ir, const Form *f)
{
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint64_t reach = (uint64_t)f->times[i] * ir->workgroup_size[i];
            if (i != k && f->times[i] && f->times[k] && f->times[i] <= f->times[k] &&
                reach > f->times[k])
                return false;
        }
    return true;
}

static bool form_of(const Ir *ir, Inst *index, Form *out)
{
    const uint32_t *size = ir->workgroup_size;
    Sum sum = {.count = 0};
    *out = (Form){{0, 0, 0}};
    if (!add_terms(&sum, index, 1, MAX_DEPTH) || sum.constant)
        return false;
    for (uint32_t i = 0; i < sum.count; i++) {
        const Inst *id = sum.terms[i].value;
        uint64_t times = sum.terms[i].times;
        if (id->op != IR_INPUT || id->input > INPUT_LOCAL_INDEX)
            return false;
        bool ok = id->input != INPUT_LOCAL_INDEX
                      ? form_add(ir, out, id->input - INPUT_LOCAL_ID_X, times)
                      : form_add(ir, out, 0, times) && form_add(ir, out, 1, times * size[0]) &&
                            form_add(ir, out, 2, times * size[0] * size[1]);
        if (!ok)
            return false;
    }
    return form_is_unique(ir, out);
}

/* The axis whose steps a multiple of `times` is made of, the largest ones; 3: none. */
static uint32_t axis_for(const Form *f, uint32_t times)
{
    uint32_t best = 3;
    for (uint32_t i = 0; i < 3; i++)
        if (f->times[i] && times % f->times[i] == 0 &&
            (best == 3 || f->times[i] > f->times[best]))
            best = i;
    return best;
}

/* The local ids of an invocation, as values; NULL: not found yet. */
typedef struct Who {
    Inst *id[3];
    Inst *index;                    /* made when it is asked for                  */
} Who;

static void who_add(Who *w, IrCursor *c, uint32_t axis, Inst *value, uint32_t times)
{
    if (times != 1)
        value = ir_op2(c, IR_IMUL, value, ir_i32(c, times));
    w->id[axis] = w->id[axis] ? ir_op2(c, IR_IADD, w->id[axis], value) : value;
}

/* Who has written at `index`, where the index of writers has this form? The answer is
 * right if each id is below the size of the workgroup. */
static bool find_writer(Who *w, IrCursor *c, const Form *f, Inst *index)
{
    Sum sum = {.count = 0};
    if (!add_terms(&sum, index, 1, MAX_DEPTH))
        return false;
    for (uint32_t i = 0; i < sum.count; i++) {
        uint32_t axis = axis_for(f, sum.terms[i].times);
        if (axis == 3)
            return false;
        who_add(w, c, axis, sum.terms[i].value, sum.terms[i].times / f->times[axis]);
    }
    for (uint32_t left = sum.constant; left;) {
        uint32_t axis = 3;
        for (uint32_t i = 0; i < 3; i++)
            if (f->times[i] && f->times[i] <= left &&
                (axis == 3 || f->times[i] > f->times[axis]))
                axis = i;
        if (axis == 3)
            return false;
        who_add(w, c, axis, ir_i32(c, left / f->times[axis]), 1);
        left %= f->times[axis];
    }
    for (uint32_t i = 0; i < 3; i++)
        if (f->times[i] && !w->id[i])
            w->id[i] = ir_i32(c, 0);
    return true;
}

/* Each axis must be in the index of one dimension, so that every invocation has an
 * element of its own. */
static bool find_writers(Untile *s, Who *w, IrCursor *c, const Element *written,
                         const Element *read)
{
    *w = (Who){{NULL, NULL, NULL}, NULL};
    for (uint32_t i = 0; i < written->count; i++) {
        Form f;
        if (!form_of(s->ir, written->index[i], &f))
            return false;
        for (uint32_t axis = 0; axis < 3; axis++)
            if (f.times[axis] && w->id[axis])
                return false;
        if (!find_writer(w, c, &f, read->index[i]))
            return false;
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (s->ir->workgroup_size[axis] == 1)
            w->id[axis] = ir_i32(c, 0);
        if (!w->id[axis])
            return false;
        /* The range of what is made here is that of the value here. */
        Inst *here = ir_op2(c, IR_UMIN, w->id[axis], ir_i32(c, UINT32_MAX));
        Limit limit = {here, s->ir->workgroup_size[axis]};
        VEC_PUSH(s->ir->arena, &s->limits, limit);
    }
    return true;
}

/* ---- the same for another invocation ---- */

static bool is_own(const Inst *v, uint32_t depth)
{
    if (v->op == IR_INPUT)
        return v->input <= INPUT_LOCAL_INDEX;
    if (depth == 0 || v->op == IR_PARAM || v->op == IR_RESULT ||
        ir_op_effect((IrOp)v->op) != EFFECT_PURE)
        return false;
    for (uint32_t i = 0; i < v->nargs; i++)
        if (is_own(v->args[i], depth - 1))
            return true;
    return false;
}

static Inst *local_index(const Ir *ir, Who *w, IrCursor *c)
{
    const uint32_t *size = ir->workgroup_size;
    if (!w->index) {
        Inst *rows = ir_op2(c, IR_IMUL, w->id[2], ir_i32(c, size[1]));
        rows = ir_op2(c, IR_IADD, rows, w->id[1]);
        rows = ir_op2(c, IR_IMUL, rows, ir_i32(c, size[0]));
        w->index = ir_op2(c, IR_IADD, rows, w->id[0]);
    }
    return w->index;
}

/* v as `who` has it. */
static Inst *value_for(Untile *s, Copy *p, IrCursor *c, Who *w, Inst *v)
{
    if (copy_of(p, v) != v)
        return copy_of(p, v);
    if (!is_own(v, MAX_DEPTH)) {
        VEC_PUSH(s->ir->arena, &s->shared, v);
        return v;
    }
    if (v->op == IR_INPUT)
        return v->input == INPUT_LOCAL_INDEX ? local_index(s->ir, w, c)
                                             : w->id[v->input - INPUT_LOCAL_ID_X];
    for (uint32_t i = 0; i < v->nargs; i++)
        p->map[v->args[i]->id] = value_for(s, p, c, w, v->args[i]);
    return copy_inst(p, c, v);
}

/* NULL: an index of it may be out of bounds, or it is no plain place. */
static Inst *place_for(Untile *s, Copy *p, IrCursor *c, Who *w, Inst *place)
{
    if (place->op == IR_VAR)
        return place;
    Inst *base = place->op == IR_VIEW ? NULL : place_for(s, p, c, w, place->args[0]);
    if (!base)
        return NULL;
    if (place->op == IR_FIELD)
        return ir_place_field(c, base, place->index);
    Inst *index = value_for(s, p, c, w, place->args[1]);
    if (!place->in_bounds && index->op != IR_CONST)
        return NULL;
    Inst *made = ir_place_elem(c, base, index);
    made->in_bounds = place->in_bounds;
    return made;
}

/* ---- tiles ---- */

/* Makes a load of what was copied to where `read` reads. */
static bool make_read(Untile *s, const Tile *tile, Inst *read)
{
    Inst    *store = store_before(tile, read);
    IrCursor c = {s->ir, read->region, read, read->span};
    Element  written, wanted;
    Who      who;
    if (!store || !element_of(store->args[0], &written) || written.component ||
        !element_of(read->args[0], &wanted) || written.count != wanted.count ||
        !find_writers(s, &who, &c, &written, &wanted))
        return false;
    Copy  p = copy_new(s->ir);
    Inst *place = place_for(s, &p, &c, &who, store->args[1]->args[0]);
    if (!place)
        return false;
    if (wanted.component) {
        bool in_bounds = wanted.component->in_bounds;
        place = ir_place_elem(&c, place, wanted.component->args[1]);
        place->in_bounds = in_bounds;
    }
    Inst *load = ir_load(&c, place);
    VEC_PUSH(s->ir->arena, &s->made, load);
    return true;
}

/* Does it store what it has just loaded from memory that stays as it is? */
static bool copies(const Inst *store)
{
    const Inst *value = store->args[1];
    return value->op == IR_LOAD && ir_var_is_read_only(ir_place_root(value->args[0]));
}

static bool make_reads(Untile *s)
{
    for (uint32_t i = 0; i < s->ir->vars.len; i++) {
        const Tile *tile = &s->tiles[i];
        for (uint32_t k = 0; k < tile->stores.len; k++)
            if (!copies(tile->stores.data[k]))
                return false;
        for (uint32_t k = 0; k < tile->reads.len; k++)
            if (!make_read(s, tile, tile->reads.data[k]))
                return false;
    }
    return true;
}

/* ---- is it right, and good? ---- */

/* One number for all lanes, or one beside the other, the same for each row of the
 * workgroup: else much is read that is far away, where a tile is near. */
static bool is_orderly(const Facts *f, const Inst *load)
{
    for (const Inst *at = load->args[0]; at->op != IR_VAR; at = at->args[0]) {
        if (at->op != IR_ELEM)
            continue;
        const Fact *index = &f->of[at->args[1]->id];
        bool beside = f->ir->workgroup_size[0] == f->lanes &&
                      index->shape == SHAPE_AFFINE && index->stride == 1 &&
                      at->mem->kind == MEM_VALUE && at->args[0]->mem->kind == MEM_ARRAY;
        if (index->shape > SHAPE_GROUP && !beside)
            return false;
    }
    return true;
}

/* An index past the end would be that of another element. */
static bool is_in_bounds(const Facts *f, const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (!f->of[place->id].in_bounds)
            return false;
    return true;
}

static bool stores_hold(const Untile *s, const Facts *f)
{
    for (uint32_t i = 0; i < s->ir->vars.len; i++)
        for (uint32_t k = 0; k < s->tiles[i].stores.len; k++)
            if (!is_in_bounds(f, s->tiles[i].stores.data[k]->args[0]))
                return false;
    return true;
}

static bool holds(const Untile *s, const Facts *f)
{
    for (uint32_t i = 0; i < s->shared.len; i++)
        if (f->of[s->shared.data[i]->id].shape != SHAPE_WORKGROUP)
            return false;
    for (uint32_t i = 0; i < s->limits.len; i++)
        if (f->of[s->limits.data[i].value->id].high >= s->limits.data[i].below)
            return false;
    for (uint32_t i = 0; i < s->made.len; i++)
        if (!is_orderly(f, s->made.data[i]))
            return false;
    return stores_hold(s, f) &&
           analysis_registers(s->ir->arena, f, s->ir->body->first, NULL) <= MAX_ALIVE;
}

/* ---- the change ---- */

/* Other variables keep their order. */
static void drop_tiles(Ir *ir)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ir->vars.len; i++)
        if (ir->vars.data[i]->space != IRSPACE_WORKGROUP) {
            ir->vars.data[i]->id = n;
            ir->vars.data[n++] = ir->vars.data[i];
        }
    ir->vars.len = n;
}

static void read_past_tiles(Untile *s)
{
    Forward  forward;
    uint32_t n = 0;
    forward_init(&forward, s->ir);
    for (uint32_t i = 0; i < s->ir->vars.len; i++) {
        const Tile *tile = &s->tiles[i];
        for (uint32_t k = 0; k < tile->reads.len; k++) {
            forward_set(&forward, tile->reads.data[k], s->made.data[n++]);
            ir_remove(tile->reads.data[k]);
        }
        for (uint32_t k = 0; k < tile->stores.len; k++)
            ir_remove(tile->stores.data[k]);
    }
    for (uint32_t i = 0; i < s->barriers.len; i++)
        ir_remove(s->barriers.data[i]);
    forward_region(&forward, s->ir->body);
}

static bool has_tiles(const Ir *ir)
{
    for (uint32_t i = 0; i < ir->vars.len; i++)
        if (ir->vars.data[i]->space == IRSPACE_WORKGROUP)
            return true;
    return false;
}

void opt_untile(Ir *ir, uint32_t lanes, uint32_t native)
{
    Untile s = {.ir = ir};
    if (!has_tiles(ir))
        return;
    s.tiles = ARENA_ARRAY(ir->arena, Tile, ir->vars.len);
    s.is_loaded = ARENA_ARRAY(ir->arena, bool, ir->vars.len);
    s.is_stored = ARENA_ARRAY(ir->arena, bool, ir->vars.len);
    if (!survey(&s, ir->body))
        return;
    bool good = make_reads(&s) && holds(&s, analysis_run(ir->arena, ir, lanes, native));
    if (good)
        read_past_tiles(&s);
    opt_prune(ir);
    if (good)
        drop_tiles(ir);
}
