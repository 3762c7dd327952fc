// SPDX-License-Identifier: Apache-2.0
/*
 * eliminate.c - derivatives of sinks by sources, by vertex elimination.
 *
 * The linearised graph has a vertex for each active node and an edge with the partial
 * derivative for each argument. Eliminating a vertex multiplies every edge into it with every
 * edge out of it; when only sources and sinks are left, the edges are the derivatives. From the
 * outputs backwards this is reverse mode, from the inputs onwards forward mode; taking the
 * vertex with the fewest products next is often cheaper than both (Markowitz).
 *
 * in     nodes, seeds of sinks and sources
 * out    nodes of the derivatives, in the same pool
 * knows  derive_priv.h
 * not    costs of whole programs: program.c tries the orders and compares
 */
#include "grad/derive_priv.h"

#include <string.h>

typedef struct Edge {
    uint32_t from, to;              /* vertices                                             */
    uint32_t next_in, next_out;     /* lists, by index + 1                                  */
    Weight   weight;
    bool     dead;
} Edge;

typedef struct Linear {
    Nodes    *n;
    Arena    *arena;
    VEC(Edge) edges;
    uint32_t *in, *out;             /* [vertices] first edge + 1                            */
    uint32_t *in_count, *out_count; /* [vertices] live edges                                */
    uint32_t *table;                /* edges by (from, to), index + 1                       */
    uint32_t  table_cap, table_used;
    uint32_t  nodes, vertices;      /* vertices: nodes, then sinks, then sources            */
} Linear;

static uint32_t edge_hash(uint32_t from, uint32_t to)
{
    uint64_t h = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static void table_put(Linear *l, uint32_t edge)
{
    uint32_t mask = l->table_cap - 1;
    uint32_t at = edge_hash(l->edges.data[edge].from, l->edges.data[edge].to) & mask;
    while (l->table[at] != 0)
        at = (at + 1) & mask;
    l->table[at] = edge + 1;
    l->table_used++;
}

static void table_grow(Linear *l)
{
    l->table_cap = l->table_cap ? l->table_cap * 2 : 256;
    l->table = ARENA_ARRAY(l->arena, uint32_t, l->table_cap);
    l->table_used = 0;
    for (uint32_t e = 0; e < l->edges.len; e++)
        if (!l->edges.data[e].dead)
            table_put(l, e);
}

static Edge *find_edge(Linear *l, uint32_t from, uint32_t to)
{
    uint32_t mask = l->table_cap - 1;
    if (l->table_cap == 0)
        return NULL;
    for (uint32_t at = edge_hash(from, to) & mask; l->table[at] != 0; at = (at + 1) & mask) {
        Edge *e = &l->edges.data[l->table[at] - 1];
        if (e->from == from && e->to == to && !e->dead)
            return e;
    }
    return NULL;
}

static void add_edge(Linear *l, uint32_t from, uint32_t to, Weight weight)
{
    Edge *have = find_edge(l, from, to);
    if (have) {
        have->weight = weight_add(l->n, have->weight, weight);
        return;
    }
    if ((l->table_used + 1) * 2 > l->table_cap)
        table_grow(l);
    Edge e = {from, to, l->in[to], l->out[from], weight, false};
    VEC_PUSH(l->arena, &l->edges, e);
    l->in[to] = l->out[from] = l->edges.len;
    l->in_count[to]++;
    l->out_count[from]++;
    table_put(l, l->edges.len - 1);
}

/* ---- the linearised graph ---- */

/* Whether derivatives pass from a node to its argument i. */
static bool carries(const Node *node, uint32_t i)
{
    switch (node->op) {
    case OP_SIGN: case OP_FLOOR: case OP_CEIL: case OP_TRUNC:
    case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
        return false;
    case OP_SELECT: return i != 0;
    case OP_GIVEN:  return i % 2 == 1;
    default:        return true;
    }
}

/* Nodes whose derivatives the sinks need. */
static bool *find_needed(Linear *l, const Elimination *what)
{
    bool *needed = ARENA_ARRAY(l->arena, bool, l->nodes + 1);
    for (uint32_t i = 0; i < what->sink_first[what->sinks]; i++)
        needed[what->sink_seeds[i].node] = true;
    for (uint32_t id = l->nodes; id-- > 0;)
        for (uint32_t i = 0; needed[id] && i < nodes_get(l->n, id)->count; i++)
            if (carries(nodes_get(l->n, id), i))
                needed[nodes_args(l->n, id)[i]] = true;
    return needed;
}

static void add_node_edges(Linear *l, uint32_t id)
{
    for (uint32_t i = 0; i < nodes_get(l->n, id)->count; i++) {
        uint32_t arg = nodes_args(l->n, id)[i];
        Weight w;
        if (carries(nodes_get(l->n, id), i) &&
            (nodes_get(l->n, arg)->flags & NODE_ACTIVE) && derive_partial(&w, l->n, id, i))
            add_edge(l, arg, id, w);
    }
}

static void linearise(Linear *l, Nodes *n, Arena *arena, const Elimination *what)
{
    *l = (Linear){.n = n, .arena = arena, .nodes = n->nodes.len};
    l->vertices = l->nodes + what->sinks + what->sources;
    l->in = ARENA_ARRAY(arena, uint32_t, l->vertices);
    l->out = ARENA_ARRAY(arena, uint32_t, l->vertices);
    l->in_count = ARENA_ARRAY(arena, uint32_t, l->vertices);
    l->out_count = ARENA_ARRAY(arena, uint32_t, l->vertices);
    const bool *needed = find_needed(l, what);
    for (uint32_t id = 0; id < l->nodes; id++)
        if (needed[id] && (nodes_get(n, id)->flags & NODE_ACTIVE))
            add_node_edges(l, id);
    for (uint32_t s = 0; s < what->sinks; s++)
        for (uint32_t i = what->sink_first[s]; i < what->sink_first[s + 1]; i++)
            if (nodes_get(n, what->sink_seeds[i].node)->flags & NODE_ACTIVE)
                add_edge(l, what->sink_seeds[i].node, l->nodes + s,
                         weight_factor(what->sink_seeds[i].weight));
    for (uint32_t s = 0; s < what->sources; s++)
        for (uint32_t i = what->source_first[s]; i < what->source_first[s + 1]; i++)
            if (needed[what->source_seeds[i].node])
                add_edge(l, l->nodes + what->sinks + s, what->source_seeds[i].node,
                         weight_factor(what->source_seeds[i].weight));
}

/* ---- elimination ---- */

static void remove_edge(Linear *l, Edge *e)
{
    e->dead = true;
    l->in_count[e->to]--;
    l->out_count[e->from]--;
}

static void eliminate_vertex(Linear *l, uint32_t v)
{
    for (uint32_t o = l->out[v]; o != 0; o = l->edges.data[o - 1].next_out) {
        if (l->edges.data[o - 1].dead)
            continue;
        for (uint32_t i = l->in[v]; i != 0; i = l->edges.data[i - 1].next_in) {
            if (l->edges.data[i - 1].dead)
                continue;
            const Edge *outer = &l->edges.data[o - 1], *inner = &l->edges.data[i - 1];
            Weight w = weight_mul(l->n, outer->weight, inner->weight);
            if (!nodes_is(l->n, w.node, 0) || w.kind != PARTIAL_FACTOR)
                add_edge(l, inner->from, outer->to, w);
        }
    }
    for (uint32_t o = l->out[v]; o != 0; o = l->edges.data[o - 1].next_out)
        if (!l->edges.data[o - 1].dead)
            remove_edge(l, &l->edges.data[o - 1]);
    for (uint32_t i = l->in[v]; i != 0; i = l->edges.data[i - 1].next_in)
        if (!l->edges.data[i - 1].dead)
            remove_edge(l, &l->edges.data[i - 1]);
    l->in[v] = l->out[v] = 0;
}

/* Products that eliminating v takes now. Products of uniform weights are computed once for
 * many instances and count little; factors of 1 and -1 count nothing. */
static uint64_t vertex_cost(const Linear *l, uint32_t v)
{
    uint64_t in[2] = {0, 0}, out[2] = {0, 0};       /* varying, uniform */
    for (uint32_t i = l->in[v]; i != 0; i = l->edges.data[i - 1].next_in) {
        const Edge *e = &l->edges.data[i - 1];
        if (!e->dead)
            in[(nodes_get(l->n, e->weight.node)->flags & NODE_UNIFORM) != 0]++;
    }
    for (uint32_t o = l->out[v]; o != 0; o = l->edges.data[o - 1].next_out) {
        const Edge *e = &l->edges.data[o - 1];
        if (!e->dead)
            out[(nodes_get(l->n, e->weight.node)->flags & NODE_UNIFORM) != 0]++;
    }
    return 16 * ((in[0] + in[1]) * (out[0] + out[1]) - in[1] * out[1]) + in[1] * out[1];
}

/* A heap of vertices by cost; entries that are out of date are pushed again when met. */
typedef struct Candidate { uint64_t cost; uint32_t vertex; } Candidate;
typedef VEC(Candidate) Heap;

static bool before(Candidate a, Candidate b)
{
    return a.cost != b.cost ? a.cost < b.cost : a.vertex > b.vertex;
}

static void heap_push(Arena *arena, Heap *h, Candidate c)
{
    VEC_PUSH(arena, h, c);
    uint32_t at = h->len - 1;
    while (at > 0 && before(c, h->data[(at - 1) / 2])) {
        h->data[at] = h->data[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->data[at] = c;
}

static Candidate heap_pop(Heap *h)
{
    Candidate top = h->data[0], last = h->data[--h->len];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= h->len)
            break;
        if (child + 1 < h->len && before(h->data[child + 1], h->data[child]))
            child++;
        if (!before(h->data[child], last))
            break;
        h->data[at] = h->data[child];
        at = child;
    }
    if (h->len > 0)
        h->data[at] = last;
    return top;
}

static void eliminate_mixed(Linear *l)
{
    Heap heap = {0};
    for (uint32_t v = 0; v < l->nodes; v++)
        if (l->in_count[v] > 0 || l->out_count[v] > 0)
            heap_push(l->arena, &heap, (Candidate){vertex_cost(l, v), v});
    while (heap.len > 0) {
        Candidate c = heap_pop(&heap);
        uint64_t now = vertex_cost(l, c.vertex);
        if (now > c.cost)
            heap_push(l->arena, &heap, (Candidate){now, c.vertex});
        else
            eliminate_vertex(l, c.vertex);
    }
}

void grad_eliminate(uint32_t *result, Nodes *n, const Elimination *what, EliminationOrder order)
{
    Arena arena;
    Linear l;
    arena_init(&arena, 0);
    linearise(&l, n, &arena, what);
    if (order == ELIMINATE_MIXED)
        eliminate_mixed(&l);
    else if (order == ELIMINATE_FORWARD)
        for (uint32_t v = 0; v < l.nodes; v++)
            eliminate_vertex(&l, v);
    else
        for (uint32_t v = l.nodes; v-- > 0;)
            eliminate_vertex(&l, v);
    for (uint32_t s = 0; s < what->sinks; s++)
        for (uint32_t i = 0; i < what->sources; i++) {
            Edge *e = find_edge(&l, l.nodes + what->sinks + i, l.nodes + s);
            result[(size_t)s * what->sources + i] = e ? weight_node(n, e->weight) : NODE_NONE;
        }
    arena_fini(&arena);
}
