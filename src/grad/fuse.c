// SPDX-License-Identifier: Apache-2.0
/*
 * fuse.c - products and sums become fused multiply-adds; divisions by what neighbouring
 * instances share become products with its reciprocal, which is computed once.
 *
 * in     a program whose live nodes are marked
 * out    the same program with FMA, FNMA and FMS where a product has one user, which adds
 * knows  program_priv.h
 * not    whether the device gains by it: the caller decides
 */
#include "grad/program_priv.h"

#include <string.h>

typedef struct Fuse {
    Program  *p;
    Nodes     out;
    uint32_t *uses;                 /* [nodes] by live nodes and entries                    */
    uint32_t *map;                  /* [nodes] in `out`                                     */
} Fuse;

static void count_uses(Fuse *f)
{
    const Nodes *n = &f->p->nodes;
    for (uint32_t id = 0; id < n->nodes.len; id++)
        for (uint32_t i = 0; f->p->live[id] && i < nodes_get(n, id)->count; i++)
            f->uses[nodes_args(n, id)[i]]++;
    for (uint32_t e = 0; e < f->p->entries.len; e++)
        f->uses[f->p->entries.data[e]] += 2;
}

/* A product that its only user `by` can absorb. Hoisted products stay hoisted. */
static bool fusible(const Fuse *f, uint32_t id, uint32_t by)
{
    const Node *m = nodes_get(&f->p->nodes, id), *user = nodes_get(&f->p->nodes, by);
    return m->op == OP_MUL && f->uses[id] == 1 && m->name == 0 &&
           (m->flags & NODE_UNIFORM) == (user->flags & NODE_UNIFORM);
}

/* Reciprocals that are made here may be in the program already: quotients are shared. */
static uint32_t push(Fuse *f, Op op, const uint32_t *args, uint32_t count, const Node *like)
{
    uint32_t id = op == OP_DIV ? nodes_share(&f->out, op, args, count, like->slot)
                               : nodes_make(&f->out, op, args, count, like->slot);
    f->out.nodes.data[id].flags = like->flags;
    return id;
}

static uint32_t multiply_add(Fuse *f, Op op, uint32_t product, uint32_t addend, const Node *like)
{
    const uint32_t *ab = nodes_args(&f->p->nodes, product);
    return push(f, op, (uint32_t[]){f->map[ab[0]], f->map[ab[1]], addend}, 3, like);
}

static uint32_t copy(Fuse *f, uint32_t id)
{
    const Node *node = nodes_get(&f->p->nodes, id);
    const uint32_t *args = nodes_args(&f->p->nodes, id);
    uint32_t mapped[2 * SUM_TERMS + 1];
    for (uint32_t i = 0; i < node->count; i++)
        mapped[i] = f->map[args[i]];
    return push(f, (Op)node->op, mapped, node->count, node);
}

static bool absorbed(const Fuse *f, uint32_t id, uint32_t by)
{
    const uint32_t *args = nodes_args(&f->p->nodes, by);
    const Node *user = nodes_get(&f->p->nodes, by);
    if (!fusible(f, id, by))
        return false;
    switch (user->op) {
    case OP_ADD:
    case OP_SUB: return args[0] == id ? !fusible(f, args[1], by) : args[0] != id;
    case OP_SUM: return args[0] != id;
    default:     return false;
    }
}

static uint32_t fuse_sum(Fuse *f, uint32_t id, const Node *node)
{
    const uint32_t *args = nodes_args(&f->p->nodes, id);
    uint32_t total = f->map[args[0]];
    for (uint32_t i = 1; i < node->count; i++)
        total = absorbed(f, args[i], id)
                    ? multiply_add(f, OP_FMA, args[i], total, node)
                    : push(f, OP_ADD, (uint32_t[]){total, f->map[args[i]]}, 2, node);
    return total;
}

/* Constants stay divisors: what they divide is exact more often than a product. */
static bool has_shared_divisor(const Fuse *f, const Node *node, const uint32_t *args)
{
    if (node->op != OP_DIV || (node->flags & NODE_UNIFORM))
        return false;
    const Node *divisor = nodes_get(&f->p->nodes, args[1]);
    return (divisor->flags & NODE_UNIFORM) && divisor->op != OP_CONST;
}

static uint32_t multiply_by_reciprocal(Fuse *f, const uint32_t *args, const Node *like)
{
    uint32_t one = nodes_const(&f->out, 1);
    uint32_t reciprocal = nodes_share(&f->out, OP_DIV,
                                      (uint32_t[]){one, f->map[args[1]]}, 2, 0);
    f->out.nodes.data[reciprocal].flags |= NODE_UNIFORM;
    return push(f, OP_MUL, (uint32_t[]){f->map[args[0]], reciprocal}, 2, like);
}

static uint32_t fuse_node(Fuse *f, uint32_t id)
{
    const Node *node = nodes_get(&f->p->nodes, id);
    const uint32_t *args = nodes_args(&f->p->nodes, id);
    if (node->op == OP_SUM)
        return fuse_sum(f, id, node);
    if (has_shared_divisor(f, node, args))
        return multiply_by_reciprocal(f, args, node);
    if (node->op != OP_ADD && node->op != OP_SUB)
        return copy(f, id);
    if (absorbed(f, args[1], id))
        return multiply_add(f, node->op == OP_ADD ? OP_FMA : OP_FNMA, args[1], f->map[args[0]],
                            node);
    if (absorbed(f, args[0], id))
        return multiply_add(f, node->op == OP_ADD ? OP_FMA : OP_FMS, args[0], f->map[args[1]],
                            node);
    return copy(f, id);
}

/* The only user of each product, to know before it is copied whether it is absorbed. */
static uint32_t *find_users(Fuse *f)
{
    const Nodes *n = &f->p->nodes;
    uint32_t *user = ARENA_ARRAY(&f->p->arena, uint32_t, n->nodes.len + 1);
    for (uint32_t id = 0; id < n->nodes.len; id++)
        for (uint32_t i = 0; f->p->live[id] && i < nodes_get(n, id)->count; i++)
            user[nodes_args(n, id)[i]] = id;
    return user;
}

void grad_program_fuse(Program *p)
{
    const Nodes *n = &p->nodes;
    Fuse f = {.p = p, .uses = ARENA_ARRAY(&p->arena, uint32_t, n->nodes.len + 1),
              .map = ARENA_ARRAY(&p->arena, uint32_t, n->nodes.len + 1)};
    nodes_init(&f.out, &p->arena, false);
    f.out.input_flags = p->input_flags;
    count_uses(&f);
    const uint32_t *user = find_users(&f);
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        if (!p->live[id] || (node->op == OP_MUL && f.uses[id] == 1 && absorbed(&f, id, user[id])))
            continue;
        if (node->op == OP_GIVEN) {
            f.map[id] = f.map[nodes_args(n, id)[0]];
            continue;
        }
        f.map[id] = node->count == 0 ? nodes_leaf(&f.out, (Op)node->op, node->slot)
                                     : fuse_node(&f, id);
        if (f.out.nodes.data[f.map[id]].name == 0)
            f.out.nodes.data[f.map[id]].name = node->name;
    }
    for (uint32_t e = 0; e < p->entries.len; e++)
        p->entries.data[e] = f.map[p->entries.data[e]];
    p->nodes = f.out;
    grad_program_mark(p);
}
