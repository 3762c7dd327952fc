/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/irtext.c - kernels written down as IR.
 */
#include "support/test.h"

#include "support/irtext.h"

Ir *irtext_read(Arena *a, const char *text)
{
    Diag diag = {.arena = a};
    Ir *ir = ir_read(a, str_of(text), &diag);
    if (!ir) {
        LineTable lines;
        line_table_init(&lines, a, str_of(text));
        const Diagnostic *d = &diag.list.data[0];
        Place p = line_table_place(&lines, d->span);
        fail_msg("line %u: %s", p.line, d->message);
    }
    return ir;
}

const char *irtext_print(const Ir *ir)
{
    Text t = {.arena = ir->arena};
    ir_print(&t, ir);
    return t.data;
}

const char *irtext_body(const Ir *ir)
{
    return strstr(irtext_print(ir), "\n{\n") + 1;
}

/* ---- finding ---- */

typedef struct Search {
    bool     by_id;
    uint32_t wanted;                    /* an id or an operation                   */
    const Inst *found;                  /* the first                               */
    uint32_t count;
} Search;

static void look(Search *s, const Inst *inst)
{
    if ((s->by_id ? inst->id : inst->op) != s->wanted)
        return;
    if (s->count++ == 0)
        s->found = inst;
}

static void look_at_list(Search *s, Inst *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        look(s, list[i]);
}

static void search(Search *s, const Region *region)
{
    look_at_list(s, region->params, region->nparams);
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        look(s, inst);
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            search(s, inst->flow.regions[i]);
        look_at_list(s, inst->flow.results, inst->flow.nresults);
    }
}

const Inst *irtext_inst(const Ir *ir, uint32_t id)
{
    Search s = {.by_id = true, .wanted = id};
    search(&s, ir->body);
    if (s.count != 1)
        fail_msg("%u instructions %%%u", s.count, id);
    return s.found;
}

const Inst *irtext_find(const Ir *ir, IrOp op)
{
    Search s = {.wanted = op};
    search(&s, ir->body);
    return s.found;
}

uint32_t irtext_count(const Ir *ir, IrOp op)
{
    Search s = {.wanted = op};
    search(&s, ir->body);
    return s.count;
}
