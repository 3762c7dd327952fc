// SPDX-License-Identifier: Apache-2.0
/*
 * return.c - where a function returns, and what becomes of it.
 *
 * in     the body of a function that is inlined
 * out    the form it can take; for those that return from `if`s alone, their IFs:
 *        what follows an `if` goes into the one way through it that does not return
 * why    an IF with results can become a selection; lanes that leave a BLOCK early
 *        have to be remembered
 * not    loops and switches that return: call.c makes a BLOCK of their function
 */
#include "check/behavior.h"
#include "lower/lower_priv.h"

/* IFs inside each other, for those that follow each other in the text. */
#define MAX_TREE 16u

/* ---- which form ---- */

static bool block_returns(const Block *b);

static bool if_returns(const Stmt *s)
{
    for (uint32_t i = 0; i < s->if_.nclauses; i++)
        if (block_returns(s->if_.clauses[i].block))
            return true;
    return block_returns(s->if_.otherwise);
}

static bool switch_returns(const Stmt *s)
{
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        if (block_returns(s->switch_.clauses[i].block))
            return true;
    return false;
}

/* Is there a `return` in it? */
static bool returns(const Stmt *s)
{
    switch (s->kind) {
    case STMT_RETURN: return true;
    case STMT_BLOCK:  return block_returns(s->block);
    case STMT_IF:     return if_returns(s);
    case STMT_SWITCH: return switch_returns(s);
    case STMT_LOOP:   return block_returns(s->loop.body);
    case STMT_FOR:    return block_returns(s->for_.body);
    case STMT_WHILE:  return block_returns(s->while_.body);
    default:          return false;
    }
}

static bool block_returns(const Block *b)
{
    for (uint32_t i = 0; b && i < b->len; i++)
        if (returns(b->stmts[i]))
            return true;
    return false;
}

/* Is a `return` at the very end the only one? */
static bool returns_last(const Block *b)
{
    for (uint32_t i = 0; i < b->len; i++) {
        const Stmt *s = b->stmts[i];
        bool last = i + 1 == b->len;
        if (last && s->kind == STMT_BLOCK)
            return returns_last(s->block);
        if (returns(s))
            return last && s->kind == STMT_RETURN;
    }
    return true;
}

static bool falls_through(const Block *b)
{
    for (uint32_t i = 0; b && i < b->len; i++)
        if (!(b->stmts[i]->behavior & BEHAVIOR_NEXT))
            return false;
    return true;
}

static bool is_tree(const Block *b, uint32_t *depth);

/* At most one way through the `if` may fall out of it. */
static bool is_tree_if(const Stmt *s, uint32_t *depth)
{
    uint32_t falls = falls_through(s->if_.otherwise);
    *depth += s->if_.nclauses;
    if (*depth > MAX_TREE)
        return false;
    for (uint32_t i = 0; i < s->if_.nclauses; i++) {
        falls += falls_through(s->if_.clauses[i].block);
        if (!is_tree(s->if_.clauses[i].block, depth))
            return false;
    }
    return falls <= 1 && is_tree(s->if_.otherwise, depth);
}

static bool is_tree(const Block *b, uint32_t *depth)
{
    for (uint32_t i = 0; b && i < b->len; i++) {
        const Stmt *s = b->stmts[i];
        if (!returns(s))
            continue;
        if (s->kind == STMT_RETURN)
            return true;
        if (s->kind != STMT_BLOCK && s->kind != STMT_IF)
            return false;
        if (s->kind == STMT_BLOCK ? !is_tree(s->block, depth) : !is_tree_if(s, depth))
            return false;
    }
    return true;
}

ReturnForm lower_return_form(Lower *l, const Decl *fn)
{
    uint8_t *known = &l->forms[fn->index];
    uint32_t depth = 0;
    if (*known == RETURNS_UNKNOWN)
        *known = returns_last(fn->fn.body)     ? RETURNS_LAST
               : is_tree(fn->fn.body, &depth)  ? RETURNS_IN_TREE
                                               : RETURNS_ANYWHERE;
    return (ReturnForm)*known;
}

/* ---- results of constructs ---- */

void lower_results(Lower *l, Inst *construct, const MemType *mem)
{
    if (mem->kind == MEM_VALUE) {
        ir_result(l->ir, construct, mem->value.type);
        return;
    }
    for (uint64_t i = 0; i < lower_part_count(mem); i++)
        lower_results(l, construct, lower_part(mem, i));
}

Val lower_results_val(Lower *l, const Inst *construct)
{
    if (!construct->flow.nresults)
        return (Val){0};
    return val_many(l->arena, construct->flow.results, construct->flow.nresults);
}

/* ---- the tree ---- */

/* Statements that are still to come: those of a block, then others. */
typedef struct Rest {
    const Block *block;
    uint32_t     at;
    const struct Rest *then;        /* NULL: the end of the function              */
} Rest;

typedef struct Returned {
    bool returned;                  /* false: the end was reached                 */
    Val  val;
} Returned;

static Returned tree_if(Lower *l, Frame *f, const Stmt *s, uint32_t clause,
                        const Rest *then);

static Returned tree(Lower *l, Frame *f, Rest rest)
{
    for (;;) {
        if (!rest.block || rest.at == rest.block->len) {
            if (!rest.then)
                return (Returned){0};
            rest = *rest.then;
            continue;
        }
        const Stmt *s = rest.block->stmts[rest.at++];
        if (!returns(s)) {
            lower_stmt(l, s);
            continue;
        }
        if (s->kind == STMT_RETURN)
            return (Returned){true, lower_returned(l, s->return_.value)};
        const Rest *then = arena_copy(l->arena, &rest, sizeof rest);
        if (s->kind == STMT_IF)
            return tree_if(l, f, s, 0, then);
        rest = (Rest){s->block, 0, then};
    }
}

/* One way through an IF: a region of its own. */
static void tree_region(Lower *l, Frame *f, Region *region, const Stmt *s,
                        uint32_t clause, bool then_way, const Rest *then)
{
    Saved saved = lower_region_enter(l, region);
    Returned r = then_way ? tree(l, f, (Rest){s->if_.clauses[clause].block, 0, then})
                          : tree_if(l, f, s, clause + 1, then);
    if (!r.returned && f->fn->type->kind != TYPE_VOID)     /* after an endless loop */
        ir_leave(&l->c, IR_UNREACHABLE, NULL, 0, NULL);
    else
        ir_leave(&l->c, IR_YIELD, NULL, r.val.n, r.val.n == 1 ? &r.val.inst : r.val.many);
    lower_region_leave(l, saved);
}

static Returned tree_branch(Lower *l, Frame *f, const Stmt *s, uint32_t clause,
                            const Rest *then)
{
    Inst *i = ir_if(&l->c, lower_scalar(l, s->if_.clauses[clause].condition));
    if (f->fn->type->kind != TYPE_VOID && !f->result.inst)
        lower_results(l, i, lower_mem(l, f->fn->type));
    tree_region(l, f, i->flow.regions[0], s, clause, true, then);
    tree_region(l, f, i->flow.regions[1], s, clause, false, then);
    return (Returned){true, lower_results_val(l, i)};
}

/* The clauses of an `if` from `clause` on, and what follows. */
static Returned tree_if(Lower *l, Frame *f, const Stmt *s, uint32_t clause,
                        const Rest *then)
{
    if (clause == s->if_.nclauses)
        return tree(l, f, (Rest){s->if_.otherwise, 0, then});
    const IfClause *c = &s->if_.clauses[clause];
    const Value *known = lower_constant(l, c->condition);
    if (known && known->boolean)
        return tree(l, f, (Rest){c->block, 0, then});
    if (known)
        return tree_if(l, f, s, clause + 1, then);
    Span outer = lower_enter(l, s->span);
    Returned r = tree_branch(l, f, s, clause, then);
    lower_leave(l, outer);
    return r;
}

Val lower_tree(Lower *l, Frame *f)
{
    Returned r = tree(l, f, (Rest){f->fn->fn.body, 0, NULL});
    return f->result.inst ? f->result : r.val;
}
