// SPDX-License-Identifier: Apache-2.0
/*
 * registers.c - how many values of 32 bits are alive at a time.
 *
 * in     an IR
 * out    an estimate: the largest number of components alive at any instruction
 *
 * Instructions are numbered in the order of the text. A value lives from its definition to
 * its last use; one that a loop uses but did not make lives to the end of the loop.
 */
#include "inspect/inspect_priv.h"

typedef struct Life {
    uint32_t from, to, width;
} Life;

typedef struct Walk {
    Inspect  *n;
    Life     *lives;                    /* [next_id]                               */
    uint32_t *loop_from, *loop_to;      /* [next_id] of LOOP                       */
    uint32_t  at;
} Walk;

static void define(Walk *w, const Inst *v)
{
    bool counts = v->type.width && v->type.kind != SCALAR_PLACE && v->op != IR_CONST;
    uint32_t words = v->type.kind == SCALAR_F64 ? 2 : 1;
    w->lives[v->id] = (Life){w->at, w->at, counts ? words * v->type.width : 0};
}

static void number(Walk *w, const Region *region)
{
    for (uint32_t i = 0; i < region->nparams; i++)
        define(w, region->params[i]);
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        w->at++;
        define(w, inst);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        w->loop_from[inst->id] = w->at;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            number(w, inst->flow.regions[i]);
        w->loop_to[inst->id] = ++w->at;
        for (uint32_t i = 0; i < inst->flow.nresults; i++)
            define(w, inst->flow.results[i]);
    }
}

/* The end of the outermost loop around a use that the value was made before. */
static uint32_t last_use(const Walk *w, const Inst *v, const Inst *user, uint32_t at)
{
    uint32_t last = at;
    for (const Region *r = user->region; r && r->owner; r = r->owner->region)
        if (r->owner->op == IR_LOOP && w->lives[v->id].from < w->loop_from[r->owner->id])
            last = w->loop_to[r->owner->id];
    return last;
}

static void use(Walk *w, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        uint32_t at = w->lives[inst->id].from;
        for (uint32_t i = 0; i < inst->nargs; i++) {
            Life *life = &w->lives[inst->args[i]->id];
            uint32_t last = last_use(w, inst->args[i], inst, at);
            life->to = MAX_OF(life->to, last);
        }
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                use(w, inst->flow.regions[i]);
    }
}

uint32_t registers_estimate(Inspect *n)
{
    uint32_t ids = n->ir->next_id, alive = 0, most = 0;
    Walk w = {.n = n};
    w.lives = ARENA_ARRAY(&n->arena, Life, ids);
    w.loop_from = ARENA_ARRAY(&n->arena, uint32_t, ids);
    w.loop_to = ARENA_ARRAY(&n->arena, uint32_t, ids);
    number(&w, n->ir->body);
    use(&w, n->ir->body);
    int32_t *change = ARENA_ARRAY(&n->arena, int32_t, w.at + 2);
    for (uint32_t i = 0; i < ids; i++) {
        change[w.lives[i].from] += (int32_t)w.lives[i].width;
        change[w.lives[i].to + 1] -= (int32_t)w.lives[i].width;
    }
    for (uint32_t i = 0; i <= w.at; i++) {
        alive = (uint32_t)((int32_t)alive + change[i]);
        most = MAX_OF(most, alive);
    }
    return most;
}
