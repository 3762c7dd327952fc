// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_report.c - what is not uniform, told along the way that leads there.
 *
 * in     a requirement that is not met, and the shortest way from it to something
 *        that may differ between invocations
 * out    a diagnostic at the call of the builtin, with notes: through which calls
 *        it is reached, which conditions decide, how values flowed, and where the
 *        difference comes from
 * knows  the nodes of uniformity_priv.h
 * not    how they were found
 */
#include "check/behavior.h"
#include "check/uniformity_priv.h"

#define MAX_STEPS  4                    /* notes on the way, besides its origin */
#define MAX_LEVELS 4                    /* calls between the function and the builtin */

/* ---- names ---- */

static Str decl_name(const Decl *decl)
{
    return ident_text(decl->ident);
}

static const char *call_name(const Expr *call)
{
    return builtin_name(call->call.builtin);
}

/* ---- where differences come from ---- */

static void note_input(Diag *d, Diagnostic *on, const Decl *param)
{
    const IoAttrs *io = param->var.io;
    if (param->type->kind == TYPE_STRUCT)
        diag_note(d, on, param->ident.span,
                  "'%.*s' holds inputs that differ between invocations; as a whole "
                  "it counts as different", STR_ARG(decl_name(param)));
    else if (io && io->builtin == IO_workgroup_index)
        diag_note(d, on, param->ident.span, "WGSL does not count 'workgroup_index' as "
                  "uniform; 'workgroup_id' is");
    else if (io && io->builtin)
        diag_note(d, on, param->ident.span, "'%s' differs between invocations",
                  io_builtin_name(io->builtin));
    else
        diag_note(d, on, param->ident.span, "the input '%.*s' differs between invocations",
                  STR_ARG(decl_name(param)));
}

static void note_read(Diag *d, Diagnostic *on, const Expr *read)
{
    const Expr *view = read->kind == EXPR_LOAD ? read->load.of : read;
    const Decl *root = expr_root(view);
    AddressSpace space = root->kind == DECL_PARAM ? root->type->pointer.space
                                                  : root->var.space;
    const char *what = root->kind == DECL_PARAM ? "through" : "from";
    if (space == SPACE_PRIVATE)
        diag_note(d, on, read->span,
                  "each invocation has its own '%.*s': what is read may differ",
                  STR_ARG(decl_name(root)));
    else
        diag_note(d, on, read->span,
                  "other invocations may write to %s: reading %s '%.*s' may give "
                  "different values",
                  space == SPACE_WORKGROUP ? "workgroup memory"
                                           : "a read_write storage buffer",
                  what, STR_ARG(decl_name(root)));
}

static void note_builtin(Diag *d, Diagnostic *on, const Expr *call)
{
    if (call->call.builtin == BUILTIN_textureLoad)
        diag_note(d, on, call->span, "other invocations may write to a read_write "
                  "storage texture: reading it may give different values");
    else
        diag_note(d, on, call->span, "the result of '%s' may differ between invocations",
                  call_name(call));
}

/* What the callee left as the origin of a difference; NULL: none. */
static const Node *callee_origin(const Node *node)
{
    const struct Uniformity *callee = NULL;
    if (node->kind == STORY_CALL || node->kind == STORY_WRITTEN)
        callee = node->expr->call.function->fn.info->uniformity;
    if (!callee)
        return NULL;
    return node->kind == STORY_CALL ? callee->origin
                                    : callee->params[node->param].origin;
}

const Node *report_origin(Uniform *u, NodeId from, const Ways *ways)
{
    const Node *last = &u->graph.nodes.data[ways->last[from]];
    const Node *inner = callee_origin(last);
    return inner ? inner : arena_copy(u->arena, last, sizeof *last);
}

/* ---- the way there ---- */

/* What invocations may do in a statement instead of going on. */
static const char *taken(const Stmt *merge)
{
    if (merge->behavior & BEHAVIOR_RETURN)
        return "return";
    return merge->behavior & BEHAVIOR_BREAK ? "break" : "continue";
}

static void note_condition(Diag *d, Diagnostic *on, const Expr *e, const Stmt *merge)
{
    if (merge)
        diag_note(d, on, e->span, "this may differ between invocations, and then only "
                  "some take the '%s'", taken(merge));
    else
        diag_note(d, on, e->span, "this may differ between invocations, and decides "
                  "which of them go on");
}

static void note_assign(Diag *d, Diagnostic *on, const Stmt *s, bool flow)
{
    const Expr *lhs = s->kind == STMT_ASSIGN     ? s->assign.lhs
                      : s->kind == STMT_COMPOUND ? s->compound.lhs
                                                 : s->increment.lhs;
    diag_note(d, on, lhs->span,
              flow ? "'%.*s' is assigned here, and not all invocations may come here"
                   : "'%.*s' is assigned here",
              STR_ARG(decl_name(expr_root(lhs))));
}

static bool is_flow(const Node *node)
{
    return node->kind == STORY_CONDITION || node->kind == STORY_LEFT
        || node->kind == STORY_MERGE || node->kind == STORY_LOOP;
}

/* One step of the way, if it has something to tell. */
static bool note_step(Uniform *u, Diagnostic *on, const Node *node, const Node *next,
                      const Stmt *merge, bool first)
{
    Diag *d = u->c->diag;
    switch ((NodeKind)node->kind) {
    case STORY_LEFT:
        if (first)
            diag_note(d, on, node->expr->span, "this may differ between invocations, "
                      "and decides whether the right side is evaluated");
        return first;
    case STORY_CONDITION:
        note_condition(d, on, node->expr, merge);
        return true;
    case STORY_LET:
    case STORY_INIT:
        diag_note(d, on, node->decl->ident.span, "'%.*s' gets its value here",
                  STR_ARG(decl_name(node->decl)));
        return true;
    case STORY_ASSIGN:
        note_assign(d, on, node->stmt, is_flow(next));
        return true;
    case STORY_CALL:
        diag_note(d, on, node->expr->span, "the result of '%.*s' may differ between "
                  "invocations", STR_ARG(decl_name(node->expr->call.function)));
        return true;
    case STORY_WRITTEN:
        diag_note(d, on, node->expr->call.args[node->param]->span,
                  "'%.*s' may leave values here that differ between invocations",
                  STR_ARG(decl_name(node->expr->call.function)));
        return true;
    default:
        return false;
    }
}

static void note_origin(Uniform *u, Diagnostic *on, const Node *node)
{
    Diag *d = u->c->diag;
    switch ((NodeKind)node->kind) {
    case STORY_INPUT:
        note_input(d, on, node->decl);
        break;
    case STORY_READ:
        note_read(d, on, node->expr);
        break;
    case STORY_BUILTIN:
        note_builtin(d, on, node->expr);
        break;
    default:
        break;
    }
}

static void note_way(Uniform *u, Diagnostic *on, NodeId from, const Ways *ways)
{
    const Node *nodes = u->graph.nodes.data, *last = &nodes[ways->last[from]];
    const Stmt *merge = NULL;
    uint32_t told = 0;
    for (NodeId at = from; at > NODE_WIDE && told < MAX_STEPS; at = ways->next[at]) {
        const Node *node = &nodes[at];
        if (note_step(u, on, node, &nodes[ways->next[at]], merge, told == 0)) {
            told++;
            merge = NULL;
        }
        if (node->kind == STORY_MERGE)
            merge = node->stmt;
    }
    const Node *inner = callee_origin(last);
    note_origin(u, on, inner ? inner : last);
}

/* ---- the calls down to the builtin ---- */

static Str param_name(const Need *need)
{
    const Expr *call = need->call;
    for (uint32_t i = 0; i < call->call.nargs; i++)
        if (call->call.args[i] == need->arg)
            return decl_name(call->call.function->fn.params[i]);
    return (Str){0};
}

/* `need` is of a call of one of the user's functions. */
static void note_level(Uniform *u, Diagnostic *on, const Need *need)
{
    Diag *d = u->c->diag;
    Str callee = decl_name(need->call->call.function);
    if (!need->arg) {
        diag_note(d, on, need->call->span, "'%.*s' is called here, from '%.*s'",
                  STR_ARG(callee), STR_ARG(decl_name(need->function)));
        return;
    }
    Str param = param_name(need);
    if (need->inner->condition)
        diag_note(d, on, need->inner->condition->span,
                  need->contents ? "this depends on what '%.*s' points to"
                                 : "this depends on '%.*s'", STR_ARG(param));
    diag_note(d, on, need->arg->span,
              need->contents ? "'%.*s' of '%.*s' points to this"
                             : "'%.*s' of '%.*s' gets this value",
              STR_ARG(param), STR_ARG(callee));
}

/* From the builtin's caller up; of long chains, those next to the function. */
static void note_levels(Uniform *u, Diagnostic *on, const Need *need)
{
    const Need *levels[MAX_LEVELS];
    uint32_t n = 0;
    for (; need->inner && n < MAX_LEVELS; need = need->inner)
        levels[n++] = need;
    while (n > 0)
        note_level(u, on, levels[--n]);
}

/* ---- the diagnostic ---- */

static Diagnostic *add(Uniform *u, const Need *need)
{
    static const struct {
        DiagId      id;
        const char *why;            /* ... it must be called in uniform control flow */
        const char *where;          /* ... an argument must be the same           */
    } rules[NEED_COUNT] = {
        [NEED_WORKGROUP] = {
            DIAG_workgroup_uniformity,
            "all invocations of the workgroup have to come here together",
            "all invocations of the workgroup",
        },
        [NEED_DERIVATIVE] = {
            DIAG_derivative_uniformity,
            "it needs values of neighbouring invocations, and some may not come here",
            "neighbouring invocations",
        },
        [NEED_SUBGROUP] = {
            DIAG_subgroup_uniformity,
            "all invocations of the subgroup have to come here together",
            "all invocations of the subgroup",
        },
    };
    const char *name = call_name(need->call);
    DiagId id = rules[need->rule].id;
    if (need->arg)
        return diag_add_as(u->c->diag, need->severity, id, need->arg->span,
                           "this argument of '%s' must be the same in %s", name,
                           rules[need->rule].where);
    return diag_add_as(u->c->diag, need->severity, id, need->call->span,
                       "'%s' must be called in uniform control flow: %s", name,
                       rules[need->rule].why);
}

void report_requirement(Uniform *u, const Requirement *r, const Ways *ways)
{
    const Need *need = &r->need;
    while (need->inner)
        need = need->inner;
    Diagnostic *on = add(u, need);
    note_levels(u, on, &r->need);
    note_way(u, on, r->node, ways);
}
