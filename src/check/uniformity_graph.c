// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_graph.c - the graph of uniformity analysis.
 *
 * in     nodes and edges, as the walk over a function finds them
 * out    which ends a node reaches, shortest ways to trouble; each question costs
 *        time and memory linear in the graph
 * knows  graphs
 * not    WGSL
 */
#include "check/uniformity_priv.h"

/* ---- building ---- */

void graph_begin(Graph *g, uint32_t ends)
{
    g->nodes.len = 0;
    g->edges.len = 0;
    for (uint32_t i = 0; i < NODE_ANY + ends; i++)
        graph_node(g, STORY_NONE, NULL);
}

NodeId graph_node(Graph *g, NodeKind kind, const void *at)
{
    Node node = {.kind = (uint8_t)kind, .at = at};
    VEC_PUSH(g->arena, &g->nodes, node);
    return g->nodes.len - 1;
}

void graph_edge(Graph *g, NodeId from, NodeId to)
{
    BUG_IF(from == NODE_NONE || to == NODE_NONE, "an edge without an end");
    if (from == to)
        return;
    Edge edge = {.to = to, .next = g->nodes.data[from].edges};
    VEC_PUSH(g->arena, &g->edges, edge);
    g->nodes.data[from].edges = g->edges.len;
    if (to == NODE_ANY)
        g->nodes.data[from].any = true;
}

bool graph_has_edge(const Graph *g, NodeId from, NodeId to)
{
    uint32_t edge = g->nodes.data[from].edges;
    for (int i = 0; edge && i < 3; i++) {
        if (g->edges.data[edge - 1].to == to)
            return true;
        edge = g->edges.data[edge - 1].next;
    }
    return false;
}

void *graph_array(Graph *g, GraphArray which, size_t count, size_t size)
{
    if (g->arrays[which].size < count * size) {
        size_t wanted = MAX_OF(count, g->arrays[which].size / size * 2);
        g->arrays[which].data = arena_alloc_array(g->arena, wanted, size);
        g->arrays[which].size = wanted * size;
        return g->arrays[which].data;
    }
    if (count)
        memset(g->arrays[which].data, 0, count * size);
    return g->arrays[which].data;
}

static uint32_t *array_u32(Graph *g, GraphArray which, size_t count)
{
    return graph_array(g, which, count, sizeof(uint32_t));
}

/* ---- what reaches what ---- */

/* The search of Tarjan for strongly connected components, with its own stack. */
typedef struct Search {
    const Graph *g;
    Components  *out;
    uint32_t    *index, *low;       /* [nodes] 0: not seen yet            */
    NodeId      *stack;             /* nodes whose component is still open */
    NodeId      *frame;             /* the way from the first node        */
    uint32_t    *frame_edge;        /* next edge + 1 to follow            */
    uint32_t     nstack, nframes, count;
} Search;

static void search_enter(Search *s, NodeId node)
{
    s->index[node] = s->low[node] = ++s->count;
    s->stack[s->nstack++] = node;
    s->frame[s->nframes] = node;
    s->frame_edge[s->nframes++] = s->g->nodes.data[node].edges;
}

static void search_leave(Search *s)
{
    NodeId node = s->frame[--s->nframes];
    if (s->low[node] == s->index[node]) {
        NodeId member = NODE_NONE;
        s->out->count++;
        do {
            member = s->stack[--s->nstack];
            s->out->of[member] = s->out->count;
            s->out->order[s->out->reached++] = member;
        } while (member != node);
    }
    if (s->nframes > 0) {
        NodeId outer = s->frame[s->nframes - 1];
        s->low[outer] = MIN_OF(s->low[outer], s->low[node]);
    }
}

static void search_from(Search *s, NodeId node)
{
    if (s->index[node])
        return;
    search_enter(s, node);
    while (s->nframes > 0) {
        uint32_t *edge = &s->frame_edge[s->nframes - 1];
        if (!*edge) {
            search_leave(s);
            continue;
        }
        NodeId from = s->frame[s->nframes - 1];
        NodeId to = s->g->edges.data[*edge - 1].to;
        *edge = s->g->edges.data[*edge - 1].next;
        if (!s->index[to])
            search_enter(s, to);
        else if (!s->out->of[to])
            s->low[from] = MIN_OF(s->low[from], s->index[to]);
    }
}

Components graph_components(Graph *g, const NodeId *from, uint32_t nfrom)
{
    uint32_t n = g->nodes.len;
    Components out = {
        .of = array_u32(g, ARRAY_COMPONENT, n),
        .order = array_u32(g, ARRAY_ORDER, n),
    };
    Search search = {
        .g = g,
        .out = &out,
        .index = array_u32(g, ARRAY_INDEX, n),
        .low = array_u32(g, ARRAY_LOW, n),
        .stack = array_u32(g, ARRAY_STACK, n),
        .frame = array_u32(g, ARRAY_FRAME, n),
        .frame_edge = array_u32(g, ARRAY_FRAME_EDGE, n),
    };
    for (uint32_t i = 0; i < nfrom; i++)
        search_from(&search, from[i]);
    return out;
}

const uint64_t *graph_reach(Graph *g, const Components *c, uint32_t nends,
                            uint32_t word)
{
    uint64_t *masks = graph_array(g, ARRAY_MASK, (size_t)c->count + 1, sizeof *masks);
    for (uint32_t i = 0; i < c->reached; i++) {
        NodeId node = c->order[i];
        uint64_t mask = 0;
        if (END_BIT(node) < nends && END_BIT(node) / 64 == word)
            mask = (uint64_t)1 << END_BIT(node) % 64;
        for (uint32_t e = g->nodes.data[node].edges; e; e = g->edges.data[e - 1].next)
            mask |= masks[c->of[g->edges.data[e - 1].to]];
        masks[c->of[node]] |= mask;
    }
    return masks;
}

/* ---- shortest ways ---- */

/* The nodes with an edge to n are in[first_in[n], first_in[n + 1]). */
static void incoming(Graph *g, uint32_t **first_in, NodeId **in)
{
    uint32_t n = g->nodes.len;
    uint32_t *first = array_u32(g, ARRAY_FIRST_IN, (size_t)n + 2);
    *in = array_u32(g, ARRAY_IN, g->edges.len);
    for (uint32_t i = 0; i < g->edges.len; i++)
        first[g->edges.data[i].to + 2]++;
    for (uint32_t i = 2; i < n + 2; i++)
        first[i] += first[i - 1];
    /* Counting up first[to + 1] leaves it at the start of to + 1. */
    for (NodeId from = 0; from < n; from++)
        for (uint32_t e = g->nodes.data[from].edges; e; e = g->edges.data[e - 1].next)
            (*in)[first[g->edges.data[e - 1].to + 1]++] = from;
    *first_in = first;
}

Ways graph_ways(Graph *g, bool wide)
{
    uint32_t n = g->nodes.len, head = 0, tail = 0;
    Ways ways = {
        .next = array_u32(g, wide ? ARRAY_WAY_WIDE : ARRAY_WAY, n),
        .last = array_u32(g, wide ? ARRAY_LAST_WIDE : ARRAY_LAST, n),
    };
    NodeId *queue = array_u32(g, ARRAY_QUEUE, n);
    uint32_t *first_in = NULL;
    NodeId *in = NULL;

    incoming(g, &first_in, &in);
    queue[tail++] = NODE_ANY;
    if (wide)
        queue[tail++] = NODE_WIDE;
    while (head < tail) {
        NodeId to = queue[head++];
        for (uint32_t i = first_in[to]; i < first_in[to + 1]; i++) {
            NodeId from = in[i];
            if (ways.next[from])
                continue;
            ways.next[from] = to;
            ways.last[from] = to <= NODE_WIDE ? from : ways.last[to];
            queue[tail++] = from;
        }
    }
    return ways;
}
