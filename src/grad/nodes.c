// SPDX-License-Identifier: Apache-2.0
/*
 * nodes.c - the array of nodes and its hash table.
 *
 * in     operators and arguments
 * out    node ids; equal nodes are found again in pools with rules, constants and leaves in all
 * knows  nodes.h
 * not    what operators mean (simplify.c, value.c, derive.c)
 */
#include "grad/nodes.h"

#include <math.h>
#include <string.h>

const OpInfo grad_op_info[OP_COUNT] = {
#define GRAD_OP(name, args, cost, risky, wgsl) {#name, args, cost, risky, wgsl},
#include "grad/ops.def"
#undef GRAD_OP
};

void nodes_init(Nodes *n, Arena *arena, bool rules)
{
    *n = (Nodes){.arena = arena, .rules = rules};
}

void nodes_copy(Nodes *to, const Nodes *from, Arena *arena)
{
    *to = *from;
    to->arena = arena;
    to->nodes.cap = to->nodes.len + to->nodes.len / 2 + 16;
    to->nodes.data = ARENA_ARRAY(arena, Node, to->nodes.cap);
    memcpy(to->nodes.data, from->nodes.data, from->nodes.len * sizeof(Node));
    to->args.cap = to->args.len + to->args.len / 2 + 16;
    to->args.data = ARENA_ARRAY(arena, uint32_t, to->args.cap);
    if (from->args.len > 0)
        memcpy(to->args.data, from->args.data, from->args.len * sizeof(uint32_t));
    to->table = arena_copy(arena, from->table, from->table_cap * sizeof(uint32_t));
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static bool commutes(Op op)
{
    return op == OP_ADD || op == OP_MUL || op == OP_MIN || op == OP_MAX || op == OP_EQ ||
           op == OP_NE;
}

static uint64_t hash_of(Op op, const uint32_t *args, uint32_t count, uint64_t slot)
{
    uint64_t h = mix(mix(0x5851f42d4c957f2du, op), slot);
    if (commutes(op))
        return mix(mix(h, MIN_OF(args[0], args[1])), MAX_OF(args[0], args[1]));
    for (uint32_t i = 0; i < count; i++)
        h = mix(h, args[i]);
    return h;
}

static bool same(const Nodes *n, uint32_t id, Op op, const uint32_t *args, uint32_t count,
                 uint64_t slot)
{
    const Node *node = nodes_get(n, id);
    if (node->op != op || node->count != count || node->slot != slot)
        return false;
    const uint32_t *have = nodes_args(n, id);
    if (commutes(op) && have[0] == args[1] && have[1] == args[0])
        return true;
    return count == 0 || memcmp(have, args, count * sizeof *args) == 0;
}

static void table_put(Nodes *n, uint64_t hash, uint32_t id)
{
    uint32_t mask = n->table_cap - 1, at = (uint32_t)hash & mask;
    while (n->table[at] != 0)
        at = (at + 1) & mask;
    n->table[at] = id + 1;
}

static void table_grow(Nodes *n)
{
    n->table_cap = n->table_cap ? n->table_cap * 2 : 64;
    while ((n->nodes.len + 1) * 2 > n->table_cap)
        n->table_cap *= 2;
    n->table = ARENA_ARRAY(n->arena, uint32_t, n->table_cap);
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        table_put(n, hash_of((Op)node->op, nodes_args(n, id), node->count, node->slot), id);
    }
}

static uint8_t flags_of(const Nodes *n, Op op, const uint32_t *args, uint32_t count, uint64_t slot)
{
    if (op == OP_INPUT)
        return n->input_flags ? n->input_flags[slot] : 0;
    if (op == OP_CONST && !isfinite((Node){.slot = slot}.value))
        return NODE_UNIFORM | NODE_RISKY;
    if (op == OP_CONST || op == OP_TINY)
        return NODE_UNIFORM;
    if (op == OP_TANGENT)
        return 0;
    if (count == 0)
        return n->data_flags;
    uint8_t any = 0, all = NODE_UNIFORM;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t f = nodes_get(n, args[i])->flags;
        any |= f & (NODE_RISKY | NODE_ACTIVE);
        all &= f;
    }
    if (op_is_comparison(op))
        any = 0;
    /* max(x, positive constant) keeps roots of it finite, unless x is not. */
    bool safe = (op == OP_SQRT || op == OP_RSQRT) && nodes_get(n, args[0])->op == OP_MAX &&
                nodes_get(n, nodes_args(n, args[0])[1])->op == OP_CONST &&
                nodes_get(n, nodes_args(n, args[0])[1])->value > 0;
    if (grad_op_info[op].risky && !safe)
        any |= NODE_RISKY;
    return any | all;
}

static uint32_t append(Nodes *n, Op op, const uint32_t *args, uint32_t count, uint64_t slot)
{
    BUG_IF(n->nodes.len >= UINT32_MAX / 2 || count > UINT16_MAX, "a graph beyond its limit");
    Node node = {.op = (uint8_t)op, .count = (uint16_t)count, .first = n->args.len, .slot = slot};
    node.flags = flags_of(n, op, args, count, slot);
    for (uint32_t i = 0; i < count; i++)
        VEC_PUSH(n->arena, &n->args, args[i]);
    VEC_PUSH(n->arena, &n->nodes, node);
    return n->nodes.len - 1;
}

static uint32_t intern(Nodes *n, Op op, const uint32_t *args, uint32_t count, uint64_t slot)
{
    if ((n->nodes.len + 1) * 2 > n->table_cap)
        table_grow(n);
    uint64_t hash = hash_of(op, args, count, slot);
    uint32_t mask = n->table_cap - 1;
    for (uint32_t at = (uint32_t)hash & mask; n->table[at] != 0; at = (at + 1) & mask)
        if (same(n, n->table[at] - 1, op, args, count, slot))
            return n->table[at] - 1;
    uint32_t id = append(n, op, args, count, slot);
    table_put(n, hash, id);
    return id;
}

uint32_t nodes_const(Nodes *n, double value)
{
    Node node = {.value = value};
    return intern(n, OP_CONST, NULL, 0, node.slot);
}

uint32_t nodes_leaf(Nodes *n, Op op, uint64_t slot)
{
    return intern(n, op, NULL, 0, slot);
}

uint32_t nodes_make(Nodes *n, Op op, const uint32_t *args, uint32_t count, uint64_t slot)
{
    if (n->rules) {
        uint32_t known = grad_simplify(n, op, args, count);
        if (known != NODE_NONE)
            return known;
        return intern(n, op, args, count, slot);
    }
    return append(n, op, args, count, slot);
}

uint32_t nodes_share(Nodes *n, Op op, const uint32_t *args, uint32_t count, uint64_t slot)
{
    return intern(n, op, args, count, slot);
}

uint32_t nodes_1(Nodes *n, Op op, uint32_t a)
{
    return nodes_make(n, op, &a, 1, 0);
}

uint32_t nodes_2(Nodes *n, Op op, uint32_t a, uint32_t b)
{
    return nodes_make(n, op, (uint32_t[]){a, b}, 2, 0);
}

uint32_t nodes_3(Nodes *n, Op op, uint32_t a, uint32_t b, uint32_t c)
{
    return nodes_make(n, op, (uint32_t[]){a, b, c}, 3, 0);
}

/* Terms are added in groups, and the groups likewise: short statements, and rounding errors
 * that grow with the logarithm of the count. */
uint32_t nodes_sum(Nodes *n, const uint32_t *terms, uint32_t count)
{
    if (count == 0)
        return nodes_const(n, 0);
    if (count == 1)
        return terms[0];
    if (count == 2)
        return nodes_2(n, OP_ADD, terms[0], terms[1]);
    if (count <= SUM_TERMS)
        return nodes_make(n, OP_SUM, terms, count, 0);
    VEC(uint32_t) groups = {0};
    for (uint32_t at = 0; at < count; at += SUM_TERMS)
        VEC_PUSH(n->arena, &groups, nodes_sum(n, terms + at, MIN_OF(count - at, SUM_TERMS)));
    return nodes_sum(n, groups.data, groups.len);
}
