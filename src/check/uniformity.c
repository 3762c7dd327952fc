// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity.c - uniformity analysis of a function (WGSL 15.2.3).
 *
 * in     a typed function with behaviours, in a module without errors; its
 *        callees have been analysed
 * out    FnInfo.uniformity, for callers; diagnostics
 * knows  which inputs of entry points are uniform
 * not    the rules for statements and expressions (uniformity_stmt.c, _expr.c)
 *
 * Each requirement is judged by itself, and what callers must keep is noted for
 * each rule with the highest severity: so an error stays an error, and warnings
 * are not hidden behind errors that a caller does not cause.
 */
#include "check/behavior.h"
#include "check/uniformity_priv.h"

#define MAX_REPORTS 20                  /* of a severity, a function */

/* ---- setting up ---- */

/* Every call that needs uniform control flow is for some stages only. */
static bool module_needs_analysis(const ModuleInfo *info)
{
    for (uint32_t i = 0; i < info->functions.len; i++)
        if (info->functions.data[i]->fn.info->stage_uses.len > 0)
            return true;
    return false;
}

static Uniform *state_get(Checker *c)
{
    if (!c->uniform) {
        c->uniform = ARENA_NEW(c->arena, Uniform);
        *c->uniform = (Uniform){
            .c = c,
            .arena = c->arena,
            .idle = !module_needs_analysis(c->info),
            .narrow = feature_language(c, LANGUAGE_subgroup_uniformity),
            .graph = {.arena = c->arena},
        };
    }
    return c->uniform;
}

/* ---- parameters ---- */

/* Where an input of an entry point leads: NODE_START if it is uniform. */
static NodeId input_end(const Uniform *u, const IoAttrs *io)
{
    switch (io ? io->builtin : IO_NO_BUILTIN) {
    case IO_workgroup_id:
    case IO_num_workgroups:
    case IO_num_subgroups:
        return NODE_START;
    case IO_subgroup_size:
        return u->fn->fn.info->stage == STAGE_COMPUTE ? NODE_START : NODE_ANY;
    case IO_subgroup_id:
        return u->narrow ? NODE_WIDE : NODE_ANY;
    default:
        return NODE_ANY;
    }
}

static NodeId input(Uniform *u, const Decl *param)
{
    NodeId end = NODE_START;
    if (param->type->kind == TYPE_STRUCT) {
        const Decl *structure = param->type->structure.decl;
        for (uint32_t i = 0; i < structure->structure.nmembers; i++)
            end = MIN_OF(end, input_end(u, structure->structure.members[i].io));
    } else
        end = input_end(u, param->var.io);
    if (end == NODE_START)
        return end;
    NodeId node = graph_node(&u->graph, STORY_INPUT, param);
    graph_edge(&u->graph, node, NODE_START);
    graph_edge(&u->graph, node, end);
    return node;
}
_Static_assert(NODE_ANY < NODE_WIDE && NODE_WIDE < NODE_START, "the worst is least");

static NodeId leading_to(Uniform *u, NodeId end)
{
    NodeId node = graph_node(&u->graph, STORY_NONE, NULL);
    graph_edge(&u->graph, node, NODE_START);
    graph_edge(&u->graph, node, end);
    return node;
}

static void parameter(Uniform *u, uint32_t i)
{
    const Decl *param = u->fn->fn.params[i];
    if (u->fn->fn.info->stage != STAGE_NONE) {
        value_declare(u, param, input(u, param));
        return;
    }
    NodeId value = leading_to(u, PARAM_VALUE(i));
    if (param->type->kind == TYPE_POINTER)
        value_local(u, param)->view = (View){.root = param, .address = value,
                                             .full = true};
    if (value_is_function_pointer(param->type))
        value = leading_to(u, PARAM_CONTENTS(i));
    value_declare(u, param, value);
}

/* ---- the walk ---- */

static uint32_t end_count(const Uniform *u)
{
    return END_BIT(PARAM_VALUE(u->fn->fn.nparams));
}

static void walk(Uniform *u, const Decl *fn)
{
    uint32_t behavior = 0;
    u->fn = fn;
    graph_begin(&u->graph, end_count(u));
    values_begin(u);
    u->requirements.len = 0;
    u->result = NODE_NONE;
    if (fn->type->kind != TYPE_VOID)
        u->result = graph_node(&u->graph, STORY_NONE, NULL);
    for (uint32_t i = 0; i < fn->fn.nparams; i++)
        parameter(u, i);
    changes_find(u, fn->fn.body);

    u->filters = feature_filters(u->c, u->c->module_filters, fn->attrs);
    uint32_t back = target_open(u, false);
    uniform_block(u, NODE_START, fn->fn.body, &behavior);
    if (behavior & BEHAVIOR_NEXT)
        target_jump(u, back);
    target_close(u, back);
}

/* ---- judging ---- */

/* What the questions are asked about: requirements, the result, and what pointer
 * parameters hold at the end; in this order. */
static Components components(Uniform *u)
{
    uint32_t n = 0;
    NodeId *from = graph_array(&u->graph, ARRAY_SOURCE,
                               (size_t)u->requirements.len + u->fn->fn.nparams + 1,
                               sizeof *from);
    for (uint32_t i = 0; i < u->requirements.len; i++)
        from[n++] = u->requirements.data[i].node;
    if (u->result)
        from[n++] = u->result;
    for (uint32_t i = 0; i < u->fn->fn.nparams; i++)
        if (value_is_function_pointer(u->fn->fn.params[i]->type))
            from[n++] = value_get(u, u->fn->fn.params[i]);
    return graph_components(&u->graph, from, n);
}

/* Ways to trouble, found when they are first asked for. */
static const Ways *ways_get(Uniform *u, bool wide)
{
    Ways *ways = &u->ways[wide];
    if (!ways->next)
        *ways = graph_ways(&u->graph, wide);
    return ways;
}

/* Does it ask about the whole workgroup, not only about the subgroup? */
static bool asks_wide(const Uniform *u, const Requirement *r)
{
    return r->need.rule != NEED_SUBGROUP || !u->narrow;
}

static bool is_met(const Uniform *u, const Requirement *r, uint64_t reach)
{
    const uint64_t any = (uint64_t)1 << END_BIT(NODE_ANY);
    const uint64_t wide = (uint64_t)1 << END_BIT(NODE_WIDE);
    return !(reach & (asks_wide(u, r) ? any | wide : any));
}

/* Reports requirements that are not met; they are none for callers. Where control
 * flow fails a call, every argument does too: that is not said again. */
static void judge(Uniform *u, const Components *c, const uint64_t *reach)
{
    Need failed[NEED_COUNT] = {0};
    uint32_t reports[SEVERITY_ERROR + 1] = {0};
    for (uint32_t i = 0; i < u->requirements.len; i++) {
        Requirement *r = &u->requirements.data[i];
        const Need need = r->need;
        if (is_met(u, r, reach[c->of[r->node]]))
            continue;
        const Need *flow = &failed[need.rule];
        bool said = need.arg && need.call == flow->call && need.severity <= flow->severity;
        if (!said && reports[need.severity]++ < MAX_REPORTS)
            report_requirement(u, r, ways_get(u, asks_wide(u, r)));
        if (!need.arg)
            failed[need.rule] = need;
        r->need.severity = SEVERITY_OFF;
    }
}

/* ---- for callers ---- */

static const Node *origin(Uniform *u, NodeId node, uint64_t reach)
{
    const uint64_t trouble = (uint64_t)1 << END_BIT(NODE_ANY)
                           | (uint64_t)1 << END_BIT(NODE_WIDE);
    return reach & trouble ? report_origin(u, node, ways_get(u, true)) : NULL;
}

static struct Uniformity *effects_new(Uniform *u, uint32_t words)
{
    const Decl *fn = u->fn;
    struct Uniformity *out = ARENA_NEW(u->arena, struct Uniformity);
    out->params = ARENA_ARRAY(u->arena, ParamEffect, fn->fn.nparams);
    if (u->result)
        out->result = ARENA_ARRAY(u->arena, uint64_t, words);
    for (uint32_t i = 0; i < fn->fn.nparams; i++)
        if (value_is_function_pointer(fn->fn.params[i]->type))
            out->params[i].after = ARENA_ARRAY(u->arena, uint64_t, words);
    return out;
}

/* Notes one word of the ends that the result and memory behind pointers depend on. */
static void effects(Uniform *u, const Components *c, uint32_t word,
                    const uint64_t *reach, struct Uniformity *out)
{
    if (out->result) {
        out->result[word] = reach[c->of[u->result]];
        if (word == 0)
            out->origin = origin(u, u->result, out->result[0]);
    }
    for (uint32_t i = 0; i < u->fn->fn.nparams; i++) {
        ParamEffect *param = &out->params[i];
        if (!param->after)
            continue;
        NodeId value = value_get(u, u->fn->fn.params[i]);
        param->after[word] = reach[c->of[value]];
        if (word == 0)
            param->origin = origin(u, value, param->after[0]);
    }
}

/* A breadth-first search from requirements of one rule. */
typedef struct Spread {
    uint32_t *from;                 /* [nodes] requirement + 1; 0: not reached    */
    NodeId   *condition;            /* [nodes] first condition on the way         */
    NodeId   *queue;
    uint32_t  head, tail;
} Spread;

static void spread_to(Uniform *u, Spread *s, NodeId node, uint32_t from,
                      NodeId condition)
{
    if (s->from[node])
        return;
    if (!condition && u->graph.nodes.data[node].kind == STORY_CONDITION)
        condition = node;
    s->from[node] = from;
    s->condition[node] = condition;
    s->queue[s->tail++] = node;
}

/* The most severe first: who comes first to an end stays. */
static void spread(Uniform *u, Spread *s, NeedRule rule, Severity severity)
{
    const Graph *g = &u->graph;
    for (uint32_t i = 0; i < u->requirements.len; i++) {
        const Requirement *r = &u->requirements.data[i];
        if (r->need.rule == rule && r->need.severity == severity)
            spread_to(u, s, r->node, i + 1, NODE_NONE);
    }
    while (s->head < s->tail) {
        NodeId node = s->queue[s->head++];
        for (uint32_t e = g->nodes.data[node].edges; e; e = g->edges.data[e - 1].next)
            spread_to(u, s, g->edges.data[e - 1].to, s->from[node], s->condition[node]);
    }
}

static void needs_of_rule(Uniform *u, NeedRule rule, const Need **needs)
{
    uint32_t n = u->graph.nodes.len;
    Spread s = {
        .from = graph_array(&u->graph, ARRAY_FROM, n, sizeof *s.from),
        .condition = graph_array(&u->graph, ARRAY_CONDITION, n, sizeof *s.condition),
        .queue = graph_array(&u->graph, ARRAY_QUEUE, n, sizeof *s.queue),
    };
    spread(u, &s, rule, SEVERITY_ERROR);
    spread(u, &s, rule, SEVERITY_WARNING);
    spread(u, &s, rule, SEVERITY_INFO);
    for (uint32_t bit = END_BIT(NODE_START); bit < end_count(u); bit++) {
        NodeId end = END_NODE(bit);
        if (!s.from[end])
            continue;
        Need *need = ARENA_NEW(u->arena, Need);
        *need = u->requirements.data[s.from[end] - 1].need;
        if (s.condition[end])
            need->condition = u->graph.nodes.data[s.condition[end]].expr;
        needs[bit * NEED_COUNT + rule] = need;
    }
}

static void needs(Uniform *u, struct Uniformity *out)
{
    bool asked[NEED_COUNT] = {0};
    for (uint32_t i = 0; i < u->requirements.len; i++) {
        const Need *need = &u->requirements.data[i].need;
        asked[need->rule] |= need->severity != SEVERITY_OFF;
    }
    for (uint32_t rule = 0; rule < NEED_COUNT; rule++) {
        if (!asked[rule])
            continue;
        if (!out->needs)
            out->needs = ARENA_ARRAY(u->arena, const Need *,
                                     (size_t)end_count(u) * NEED_COUNT);
        needs_of_rule(u, rule, out->needs);
    }
}

/* ---- one function ---- */

static void conclude(Uniform *u)
{
    FnInfo *info = u->fn->fn.info;
    bool has_callers = info->stage == STAGE_NONE;
    u->ways[0] = u->ways[1] = (Ways){0};
    if (!has_callers && u->requirements.len == 0)
        return;
    Components c = components(u);
    uint32_t nends = end_count(u), words = (nends + 63) / 64;
    const uint64_t *reach = graph_reach(&u->graph, &c, nends, 0);
    judge(u, &c, reach);
    if (!has_callers)
        return;

    struct Uniformity *out = effects_new(u, words);
    effects(u, &c, 0, reach, out);
    for (uint32_t word = 1; word < words; word++)
        effects(u, &c, word, graph_reach(&u->graph, &c, nends, word), out);
    needs(u, out);
    info->uniformity = out;
}

void uniformity_function(Checker *c, Decl *fn)
{
    Uniform *u = state_get(c);
    if (u->idle)
        return;
    walk(u, fn);
    conclude(u);
}
