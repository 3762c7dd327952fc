// SPDX-License-Identifier: Apache-2.0
/*
 * plan.c - decides which nodes of a graph become one kernel.
 *
 * in     a Graph
 * out    a Plan: steps in order, the buffers they need, why fusion stopped where it did
 * knows  the kinds of operators, limits of the device
 * not    WGSL (fuse*.c), buffers (eval.c)
 *
 * Consumers are visited before producers. A node joins the group of its consumers if all of
 * them are in one group and that group can compute it; else it is put into memory and starts a
 * group. What turns out to be impossible while a group is built goes into memory in the next
 * attempt.
 */
#include "tensor/plan_priv.h"

#include <string.h>

#define NONE        UINT32_MAX
#define GROUP_NODES 48              /* most nodes of one kernel                             */
#define CHEAP       4               /* cost below which a broadcast value is recomputed     */
#define MANY_TIMES  4               /* ... or that often                                    */

typedef enum Side { SIDE_NONE, SIDE_POST, SIDE_PRE, SIDE_MIXED } Side;

typedef struct NodeInfo {
    uint32_t    group;              /* of all consumers; NONE: no consumer yet              */
    Side        side;
    bool        root, several, memory;
    bool        forced;             /* by an earlier attempt                                */
    const char *why;                /* it is in memory                                      */
    uint32_t    last_step;          /* that reads it                                        */
} NodeInfo;

typedef struct Assign {
    Planner  *p;
    Graph    *g;
    NodeInfo *info;
    VEC(Group *) groups;            /* the last is computed first                           */
} Assign;

/* ---- assignment ---- */

static Group *group_new(Assign *a, uint32_t node)
{
    Group *g = ARENA_NEW(a->p->arena, Group);
    g->graph = a->g;
    g->arena = a->p->arena;
    g->id = a->groups.len;
    g->root = node;
    g->core = -1;
    g->node_count = 1;
    g->outputs = ARENA_ARRAY(g->arena, uint32_t, 8);
    g->outputs[g->output_count++] = node;
    VEC_PUSH(g->arena, &a->groups, g);
    return g;
}

static bool is_core(const weft_tensor *t)
{
    return t->op->kind == OP_REDUCE || t->op->kind == OP_LIBRARY;
}

/* How many elements a group computes on one side of its core. */
static uint64_t side_count(const Assign *a, const Group *g, Side side)
{
    const weft_tensor *of = a->g->nodes[g->root];
    if (side == SIDE_PRE)
        of = a->g->nodes[g->core]->inputs[0];
    return of->count;
}

/* Why a core cannot join the group of its consumers; NULL: it can. */
static const char *core_fault(const Assign *a, const weft_tensor *t, const Group *g,
                              const NodeInfo *n)
{
    const weft_tensor *root = a->g->nodes[g->root];
    if (n->side != SIDE_POST)
        return "a kernel reduces once";
    if (g->core >= 0)
        return "a kernel has one product or reduction";
    if (t->count != root->count)
        return "its consumer has another size";
    if (t->op->kind == OP_LIBRARY && !t->op->hook)
        return "the operator has no epilogue";
    if (t->op->kind == OP_LIBRARY && store_pack(a->g->s, (weft_dtype)root->dtype) > 1)
        return "the result is stored packed";
    return NULL;
}

/* Why node i must be in memory; NULL: it can be computed inside the group of its consumers. */
static const char *memory_reason(const Assign *a, uint32_t i)
{
    const NodeInfo    *n = &a->info[i];
    const weft_tensor *t = a->g->nodes[i];
    if (n->forced)
        return n->why;
    if (n->group == NONE)
        return "it is asked for";
    if (a->g->s->no_fusion && t->op != &op_scalar)
        return "fusion is off";
    if (n->memory)
        return "its consumer reads it from memory";
    if (n->several)
        return "several kernels read it";
    if (n->side == SIDE_MIXED)
        return "it is needed before and after a reduction";
    if (t->seen)
        return "it was computed inside another kernel before";
    const Group *g = a->groups.data[n->group];
    if (g->node_count >= GROUP_NODES)
        return "the kernel is large enough";
    if (is_core(t))
        return n->root ? "it is asked for" : core_fault(a, t, g, n);
    if (t->op->cost >= CHEAP && t->count
        && side_count(a, g, n->side) / t->count >= MANY_TIMES)
        return "computing it once is cheaper than for every repetition";
    if (n->root && (n->side != SIDE_POST || g->output_count >= 4
                    || t->count != a->g->nodes[g->root]->count
                    || store_pack(a->g->s, (weft_dtype)t->dtype) > 1
                    || store_pack(a->g->s, (weft_dtype)a->g->nodes[g->root]->dtype) > 1
                    || (g->core >= 0)))
        return "it is asked for";
    return NULL;
}

/* Scalars and sequences without inputs are written into every kernel that needs them. */
static bool is_everywhere(const Assign *a, uint32_t i)
{
    const weft_tensor *t = a->g->nodes[i];
    return t->input_count == 0 && t->op->kind != OP_LIBRARY && !a->info[i].forced
           && !a->info[i].memory && (!a->g->s->no_fusion || t->op == &op_scalar);
}

static void use(Assign *a, const weft_tensor *x, uint32_t group, Side side, bool memory)
{
    if (!tensor_is_pending(x))
        return;
    NodeInfo *n = &a->info[tensor_root(x)->mark_index];
    if (n->group != NONE && n->group != group)
        n->several = true;
    n->group = group;
    n->side = n->side == SIDE_NONE || n->side == side ? side : SIDE_MIXED;
    n->memory |= memory || x->dtype != tensor_root(x)->dtype;   /* reinterpreted bits */
}

static void use_inputs(Assign *a, uint32_t i, Group *g, Side side)
{
    const weft_tensor *t = a->g->nodes[i];
    bool memory = t->op->kind == OP_LIBRARY || t->op->kind == OP_INDEXED;
    if (g->core == (int64_t)i)
        side = SIDE_PRE;
    for (uint32_t k = 0; k < t->input_count; k++)
        use(a, t->inputs[k], g->id, side, memory);
}

static void assign_node(Assign *a, uint32_t i)
{
    NodeInfo          *n = &a->info[i];
    const weft_tensor *t = a->g->nodes[i];
    bool               wanted = n->root || n->forced || n->memory || n->group == NONE;
    if (is_everywhere(a, i) && !wanted) {
        a->g->group_of[i] = 0;      /* any: it has no inputs to load */
        return;
    }
    const char *why = memory_reason(a, i);
    if (is_everywhere(a, i) && n->root)
        why = "it is asked for";
    if (why) {
        n->why = why;
        a->g->group_of[i] = NONE;
        Group *g = group_new(a, i);
        if (is_core(t))
            g->core = i;
        use_inputs(a, i, g, SIDE_POST);
        return;
    }
    Group *g = a->groups.data[n->group];
    a->g->group_of[i] = g->id;
    g->node_count++;
    if (n->root)
        g->outputs[g->output_count++] = i;
    if (is_core(t))
        g->core = i;
    use_inputs(a, i, g, n->side);
}

static void assign_all(Assign *a)
{
    a->groups.len = 0;
    for (uint32_t i = 0; i < a->g->node_count; i++) {
        NodeInfo *n = &a->info[i];
        *n = (NodeInfo){.group = NONE, .forced = n->forced, .why = n->forced ? n->why : NULL};
    }
    for (uint32_t i = 0; i < a->g->root_count; i++)
        if (tensor_is_pending(a->g->roots[i]))
            a->info[tensor_root(a->g->roots[i])->mark_index].root = true;
    for (uint32_t i = a->g->node_count; i-- > 0;)
        assign_node(a, i);
}

/* Assigns and builds until every group can be built: each failure puts one node into memory. */
static void settle_groups(Assign *a)
{
    for (bool again = true; again;) {
        again = false;
        assign_all(a);
        for (uint32_t i = 0; i < a->groups.len && !again; i++) {
            Group *g = a->groups.data[i];
            if (group_build(g))
                continue;
            /* The result of the group cannot be read in the order of its product or sum: then
             * that is put into memory. */
            uint32_t blame = g->blame == g->root && g->core >= 0 ? (uint32_t)g->core : g->blame;
            NodeInfo *n = &a->info[blame];
            BUG_IF(n->forced || a->g->group_of[blame] == NONE,
                   "a node in memory cannot be part of a group");
            n->forced = true;
            n->why = g->why;
            again = true;
        }
    }
}

/* ---- steps ---- */

static void output_add(Planner *p, uint32_t node, bool zeroed)
{
    VEC_PUSH(p->arena, &p->outputs,
             ((PlanOutput){.node = node, .zeroed = zeroed, .step = p->steps.len}));
}

bool planner_step(Planner *p, const Group *g, const char *label, const char *text,
                  const Slot *slots, uint32_t slot_count, const uint32_t groups[3])
{
    Step s = {.label = label, .text = text, .slot_count = slot_count,
              .groups = {groups[0], groups[1], groups[2]}, .scalar_count = g->scalar_count};
    s.slots = arena_copy(p->arena, slots, slot_count * sizeof *slots);
    s.scalars = arena_copy(p->arena, g->scalars, g->scalar_count * sizeof *g->scalars);
    if (!parts_step(p, &s))
        return false;
    VEC_PUSH(p->arena, &p->steps, s);
    return true;
}

static bool group_emit(Assign *a, Group *g)
{
    Planner           *p = a->p;
    const weft_tensor *root = a->g->nodes[g->root];
    bool direct = store_pack(a->g->s, (weft_dtype)root->dtype) == 1;
    bool reduce = g->core >= 0 && a->g->nodes[g->core]->op->kind == OP_REDUCE;
    for (uint32_t i = 0; i < g->output_count; i++)
        output_add(p, g->outputs[i], reduce && !direct);
    if (root->count == 0)
        return true;
    if (g->core < 0)
        return fuse_elementwise(p, g);
    return reduce ? fuse_reduce(p, g) : fuse_library(p, g);
}

/* Nodes that are no longer read after a step give their memory back there. */
static void find_frees(Assign *a)
{
    Planner *p = a->p;
    for (uint32_t s = 0; s < p->steps.len; s++)
        for (uint32_t k = 0; k < p->steps.data[s].slot_count; k++)
            if (p->steps.data[s].slots[k].kind == SLOT_NODE)
                a->info[p->steps.data[s].slots[k].index].last_step = s;
    for (uint32_t s = 0; s < p->steps.len; s++) {
        VEC(uint32_t) dead = {0};
        for (uint32_t i = 0; i < p->outputs.len; i++) {
            uint32_t node = p->outputs.data[i].node;
            if (!a->info[node].root && a->info[node].last_step == s)
                VEC_PUSH(p->arena, &dead, node);
        }
        p->steps.data[s].frees = dead.data;
        p->steps.data[s].free_count = dead.len;
    }
}

/* The same for temporaries: products each have one of the size of their matrix. */
static void find_last_uses(Planner *p)
{
    bool *later = ARENA_ARRAY(p->arena, bool, p->temps.len + 1);
    for (uint32_t s = p->steps.len; s-- > 0;) {
        const Step *step = &p->steps.data[s];
        for (uint32_t k = 0; k < step->slot_count; k++)
            if (step->slots[k].kind == SLOT_TEMP)
                step->slots[k].last = !later[step->slots[k].index];
        for (uint32_t k = 0; k < step->slot_count; k++)
            if (step->slots[k].kind == SLOT_TEMP)
                later[step->slots[k].index] = true;
    }
}

static void write_notes(Assign *a)
{
    for (uint32_t i = a->groups.len; i-- > 0;) {
        const Group *g = a->groups.data[i];
        const weft_tensor *t = a->g->nodes[g->root];
        text_printf(&a->p->notes, "  %s %s is written to memory: %s\n", t->op->name,
                    tensor_text(t), a->info[g->root].why);
    }
}

typedef struct MakeWork {
    Graph *graph;
    Plan  *plan;
    bool   ok;
} MakeWork;

static void make_work(void *user)
{
    MakeWork *w = user;
    Plan     *plan = w->plan;
    Planner   p = {.graph = w->graph, .plan = plan, .arena = &plan->arena,
                   .notes = {.arena = &plan->arena}};
    Assign    a = {.p = &p, .g = w->graph};
    a.info = ARENA_ARRAY(p.arena, NodeInfo, w->graph->node_count + 1);
    w->graph->group_of = ARENA_ARRAY(p.arena, uint32_t, w->graph->node_count + 1);
    settle_groups(&a);
    w->ok = true;
    for (uint32_t i = a.groups.len; i-- > 0 && w->ok;)
        w->ok = group_emit(&a, a.groups.data[i]);
    find_frees(&a);
    find_last_uses(&p);
    write_notes(&a);
    text_char(&p.notes, '\0');
    plan->steps = p.steps.data;
    plan->step_count = p.steps.len;
    plan->outputs = p.outputs.data;
    plan->output_count = p.outputs.len;
    plan->temps = p.temps.data;
    plan->temp_count = p.temps.len;
    plan->notes = p.notes.data;
    plan->key = arena_copy(p.arena, w->graph->key, w->graph->key_len * sizeof *w->graph->key);
    plan->key_len = w->graph->key_len;
    plan->hash = w->graph->hash;
}

bool plan_fill(Plan *plan, Graph *g)
{
    MakeWork w = {.graph = g, .plan = plan};
    if (!arena_try(&plan->arena, make_work, &w))
        return context_fail(g->s->ctx, WEFT_ERROR_MEMORY, "no memory to plan an evaluation");
    return w.ok;
}
