// SPDX-License-Identifier: Apache-2.0
/*
 * runs.c - loads of words that lie side by side in each lane, all at once.
 *
 * in     loads of one region, such as x[8*i], x[8*i + 1], ... or s[i].a, s[i].b, ...
 * out    rows of up to four words, one for each lane, turned in registers, where the
 *        first of the loads is
 * why    lanes far from each other load one by one; a row is one load for several
 * knows  which instructions may write between two loads
 * not    how rows are turned (rows.c)
 */
#include "emit/llvm/place_priv.h"

#include <stdlib.h>

#define MOST       4u               /* words of a run                             */
#define MAX_OPEN   256u             /* loads that are looked at together          */
#define MAX_STORES 32u              /* and stores                                 */

typedef struct Run {
    Spot     spots[MOST];           /* one word after the other                   */
    uint32_t n, first;              /* first: in the order of the text            */
    bool     taken;
} Run;

typedef struct Survey {
    Emit    *e;
    Spot     open[MAX_OPEN];        /* loads that may be made where the first is  */
    uint32_t n;
    const Inst *stores[MAX_STORES]; /* since the first                            */
    uint32_t nstores;
    uint32_t *order, count;         /* of loads, by id                            */
} Survey;

/* ---- what belongs together ---- */

static bool is_word_of_lanes(const Emit *e, const Inst *load)
{
    ScalarKind kind = (ScalarKind)load->type.kind;
    IrSpace    space = ir_place_root(load->args[0])->space;
    return load->type.width == 1 && (kind == SCALAR_F32 || kind == SCALAR_I32) &&
           shape_of(e, load) == SHAPE_VARYING &&
           (space == IRSPACE_STORAGE || space == IRSPACE_UNIFORM || space == IRSPACE_WORKGROUP);
}

static int compare_kinds(const Spot *x, const Spot *y)
{
    int by = spot_compare(x, y);
    return by ? by : (int)x->access->type.kind - (int)y->access->type.kind;
}

static int compare(const void *a, const void *b)
{
    const Spot *x = a, *y = b;
    int by = compare_kinds(x, y);
    by = by ? by : (x->at > y->at) - (x->at < y->at);
    return by ? by : (x->access->id > y->access->id) - (x->access->id < y->access->id);
}

/* Instructions have numbers, but not in their order. */
static bool comes_before(const Survey *s, const Inst *x, const Inst *y)
{
    return s->order[x->id] < s->order[y->id];
}

static void add_run(Survey *s, const Spot *spots, uint32_t n)
{
    Emit *e = s->e;
    Run  *r = ARENA_NEW(e->arena, Run);
    *r = (Run){.n = n};
    for (uint32_t i = 0; i < n; i++) {
        r->spots[i] = spots[i];
        if (comes_before(s, spots[i].access, r->spots[r->first].access))
            r->first = i;
        e->runs[spots[i].access->id] = r;
    }
}

/* No load waits any longer: runs are made of those that are there. */
static void close_all(Survey *s)
{
    qsort(s->open, s->n, sizeof s->open[0], compare);
    for (uint32_t i = 0, n; i < s->n; i += n) {
        for (n = 1; n < MOST && i + n < s->n; n++)
            if (compare_kinds(&s->open[i], &s->open[i + n]) ||
                s->open[i + n].at != s->open[i].at + 4 * (int64_t)n)
                break;
        if (n > 1)
            add_run(s, &s->open[i], n);
    }
    s->n = s->nstores = 0;
}

/* May the store write to what the load reads? Not if that is another word of the same. */
static bool writes_to(const Inst *store, const Spot *load)
{
    Spot    at;
    int64_t size = (int64_t)store->args[0]->mem->size;
    if (ir_place_root(store->args[0]) != ir_place_root(load->parent))
        return false;
    return !spot_find(&at, store) || spot_compare(&at, load) ||
           (load->at < at.at + size && at.at < load->at + 4);
}

static bool writes_to_open(const Survey *s, const Inst *store)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (writes_to(store, &s->open[i]))
            return true;
    return false;
}

/* May it write to what a load that waits reads? */
static bool disturbs(const Survey *s, const Inst *inst)
{
    IrEffect effect = ir_op_effect((IrOp)inst->op);
    if (effect <= EFFECT_READ)
        return false;
    return inst->op != IR_STORE || writes_to_open(s, inst);
}

/* A load does not go past a store to what it reads. */
static void add_load(Survey *s, const Inst *load)
{
    Spot spot;
    if (!is_word_of_lanes(s->e, load) || !spot_find(&spot, load))
        return;
    bool past = s->n == MAX_OPEN;
    for (uint32_t i = 0; i < s->nstores; i++)
        past |= writes_to(s->stores[i], &spot);
    if (past)
        close_all(s);
    s->order[load->id] = s->count++;
    s->open[s->n++] = spot;
}

static void add_store(Survey *s, const Inst *store)
{
    if (s->nstores == MAX_STORES)
        close_all(s);
    s->stores[s->nstores++] = store;
}

static void survey_region(Survey *s, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (disturbs(s, inst))
            close_all(s);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey_region(s, inst->flow.regions[i]);
        else if (inst->op == IR_LOAD)
            add_load(s, inst);
        else if (inst->op == IR_STORE)
            add_store(s, inst);
    }
    close_all(s);
}

void runs_survey(Emit *e)
{
    e->runs = ARENA_ARRAY(e->arena, Run *, e->ir->next_id);
    if (e->lanes < MOST)
        return;
    Survey *s = ARENA_NEW(e->arena, Survey);
    *s = (Survey){.e = e, .order = ARENA_ARRAY(e->arena, uint32_t, e->ir->next_id)};
    survey_region(s, e->ir->body);
}

/* ---- loads ---- */

bool runs_have(Emit *e, const Inst *load)
{
    Run *r = e->runs[load->id];
    if (r && r->spots[r->first].access == load)
        r->taken = false;
    return r && r->taken;
}

/* Lanes beside each other, or nearly so, have faster ways. */
static bool suits(const Emit *e, const Run *r, const Address *a)
{
    if (e->strip || a->shape == ADDRESS_UNIFORM || a->viewed)
        return false;
    if (a->shape == ADDRESS_SCATTERED)
        return !memory_may_follow(e, a, 1);
    int64_t words = a->lane_stride / 4;
    return a->lane_stride % 4 == 0 && (words < 0 || words > 4 || (words > 2 && r->n > 2));
}

static bool is_proved(const Emit *e, const Run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const Inst *place = r->spots[i].access->args[0];
        for (; place->op != IR_VAR; place = place->args[0]) {
            bool checked = place->op == IR_ELEM && !spot_is_fixed(place);
            if (checked && !e->facts->of[place->id].in_bounds)
                return false;
        }
    }
    return true;
}

/* Of word i, from that of the first in the text, which may be the only one whose index
 * is there already. */
static Address address_in(Emit *e, const Run *r, const Address *first, uint32_t i)
{
    const Spot *from = &r->spots[r->first], *to = &r->spots[i];
    Address a = *first;
    a.terms = ARENA_ARRAY(e->arena, Term, a.nterms);
    for (uint32_t k = 0; k < a.nterms; k++)
        a.terms[k] = first->terms[k];
    a.terms[a.nterms - 1].plus += to->plus - from->plus;
    a.offset += to->inside - (uint64_t)from->inside;
    return a;
}

/* i1: all words of all lanes are in bounds; NULL: they are. */
static LlvmValue fits(Emit *e, const Address *low, const Address *high)
{
    bool lanes = low->shape == ADDRESS_SCATTERED;
    LlvmValue x = lanes ? address_fits_lanes(e, low) : address_fits(e, low, false);
    LlvmValue y = lanes ? address_fits_lanes(e, high) : address_fits(e, high, false);
    LlvmValue both = x && y ? LLVMBuildAnd(e->builder, x, y, "") : x ? x : y;
    return both && lanes ? mask_all(e, both) : both;
}

static void load_rows(Emit *e, const Run *r, const Address *low, LlvmType type, LlvmValue *out)
{
    Address a = *low;
    a.viewed = true;                            /* there may be no fourth word */
    rows_load(e, &a, type, r->n, address_pointers(e, low), out);
}

static void load_in_turn(Emit *e, const Run *r, const Address *first, LlvmType type,
                         LlvmValue *out)
{
    for (uint32_t i = 0; i < r->n; i++) {
        Address     a = address_in(e, r, first, i);
        LaneAddress lanes = address_lanes(e, &a, true);
        lanes_load_in_turn(e, &a, &lanes, type, 1, &out[i]);
    }
}

static void load_checked(Emit *e, const Run *r, const Address *first, const Address *low,
                         LlvmValue fit, LlvmValue *out)
{
    LlvmType  type = scalar_type(e, (ScalarKind)r->spots[0].access->type.kind);
    LlvmValue x[MOST], y[MOST];
    LlvmBlock inside = block_new(e, "inside"), outside = block_new(e, "outside");
    LlvmBlock after = block_new(e, "loaded");
    jump_if(e, fit, inside, outside);
    block_start(e, inside);
    load_rows(e, r, low, type, x);
    inside = LLVMGetInsertBlock(e->builder);
    jump(e, after);
    block_start(e, outside);
    load_in_turn(e, r, first, type, y);
    outside = LLVMGetInsertBlock(e->builder);
    jump(e, after);
    block_start(e, after);
    for (uint32_t i = 0; i < r->n; i++) {
        out[i] = LLVMBuildPhi(e->builder, lane_type(e, type), "");
        LLVMAddIncoming(out[i], (LlvmValue[]){x[i], y[i]}, (LlvmBlock[]){inside, outside}, 2);
    }
}

bool runs_load(Emit *e, const Inst *load, const Address *a)
{
    LlvmValue v[MOST];
    Run *r = e->runs[load->id];
    if (!r || r->spots[r->first].access != load || !suits(e, r, a))
        return false;
    Address   first = address_of(e, load->args[0], e->mask || !is_proved(e, r));
    Address   low = address_in(e, r, &first, 0), high = address_in(e, r, &first, r->n - 1);
    LlvmValue fit = fits(e, &low, &high);
    if (fit)
        load_checked(e, r, &first, &low, fit, v);
    else
        load_rows(e, r, &low, scalar_type(e, (ScalarKind)load->type.kind), v);
    for (uint32_t i = 0; i < r->n; i++)
        set_value(e, r->spots[i].access, 0, v[i]);
    r->taken = true;
    return true;
}
