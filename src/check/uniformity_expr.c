// SPDX-License-Identifier: Apache-2.0
/*
 * uniformity_expr.c - uniformity of expressions, memory views and calls.
 *
 * in     a typed expression and the node of the control flow it is evaluated in
 * out    the node of its value; requirements of the calls in it
 * knows  WGSL 15.2.4 (pointers), 15.2.7 (calls), 15.2.8 (expressions)
 * not    statements, diagnostics
 *
 * Where the specification's tables speak of the memory behind a pointer argument
 * after a call, requirements ask about that memory before it: that is what the
 * callee reads.
 */
#include "check/uniformity_priv.h"

/* ---- values ---- */

NodeId uniform_both(Uniform *u, NodeId cf, NodeId a, NodeId b)
{
    if (a == b || b == cf || u->graph.nodes.data[a].any)
        return a;
    if (a == cf || u->graph.nodes.data[b].any)
        return b;
    NodeId both = graph_node(&u->graph, STORY_NONE, NULL);
    graph_edge(&u->graph, both, a);
    graph_edge(&u->graph, both, b);
    return both;
}

/* A value that was computed before, where it is used. */
static NodeId under(Uniform *u, NodeId cf, NodeId value)
{
    const Node *node = &u->graph.nodes.data[value];
    if (value == NODE_START)
        return cf;
    if (cf == NODE_START || node->any || graph_has_edge(&u->graph, value, cf))
        return value;
    return uniform_both(u, NODE_START, value, cf);
}

NodeId uniform_decides(Uniform *u, NodeId cf, NodeKind kind, const Expr *e,
                       NodeId value)
{
    if (value == cf)
        return cf;
    NodeId decides = graph_node(&u->graph, kind, e);
    graph_edge(&u->graph, decides, value);
    return decides;
}

bool uniform_is_early(const Expr *e)
{
    return e->stage == EVAL_OVERRIDE || (e->stage == EVAL_CONST && e->value);
}

static bool is_logical(BinOp op)
{
    return op == BINOP_LOGICAL_AND || op == BINOP_LOGICAL_OR;
}

/* The left operands may be very many: they are walked with a stack. */
static NodeId binary(Uniform *u, NodeId cf, const Expr *e)
{
    uint32_t base = u->spine.len;
    while (e->kind == EXPR_BINARY && !uniform_is_early(e)) {
        VEC_PUSH(u->arena, &u->spine, e);
        e = e->binary.lhs;
    }
    NodeId value = uniform_expr(u, cf, e);
    while (u->spine.len > base) {
        e = u->spine.data[--u->spine.len];
        if (is_logical(e->binary.op)) {
            NodeId right = uniform_decides(u, cf, STORY_LEFT, e->binary.lhs, value);
            value = uniform_expr(u, right, e->binary.rhs);
        } else
            value = uniform_both(u, cf, value, uniform_expr(u, cf, e->binary.rhs));
    }
    return value;
}

static NodeId name(Uniform *u, NodeId cf, const Expr *e)
{
    const Decl *decl = e->name.decl;
    if (!decl || (decl->kind != DECL_LET && decl->kind != DECL_PARAM))
        return cf;
    if (e->type->kind == TYPE_POINTER)
        return uniform_view(u, cf, e).address;
    return under(u, cf, value_get(u, decl));
}

static bool is_view(const Expr *e)
{
    return e->type->kind == TYPE_REFERENCE || e->type->kind == TYPE_POINTER;
}

NodeId uniform_expr(Uniform *u, NodeId cf, const Expr *e)
{
    if (uniform_is_early(e))
        return cf;
    switch (e->kind) {
    case EXPR_NAME:
        return name(u, cf, e);
    case EXPR_CALL:
        return is_view(e) ? uniform_view(u, cf, e).address : uniform_call(u, cf, e);
    case EXPR_MEMBER:
        return is_view(e) ? uniform_view(u, cf, e).address
                          : uniform_expr(u, cf, e->member.of);
    case EXPR_INDEX: {
        if (is_view(e))
            return uniform_view(u, cf, e).address;
        NodeId of = uniform_expr(u, cf, e->index.of);
        return uniform_both(u, cf, of, uniform_expr(u, cf, e->index.at));
    }
    case EXPR_UNARY:
        return is_view(e) ? uniform_view(u, cf, e).address
                          : uniform_expr(u, cf, e->unary.of);
    case EXPR_BINARY:
        return binary(u, cf, e);
    case EXPR_LOAD:
        return uniform_load(u, cf, e, uniform_view(u, cf, e->load.of));
    default:
        return cf;
    }
}

/* ---- memory ---- */

/* bufferView and the like: the view comes out of the first argument. */
static View view_call(Uniform *u, NodeId cf, const Expr *e)
{
    BUG_IF(e->call.kind != CALL_BUILTIN || e->call.nargs == 0, "no call gives memory");
    View view = uniform_view(u, cf, e->call.args[0]);
    for (uint32_t i = 1; i < e->call.nargs; i++) {
        NodeId arg = uniform_expr(u, cf, e->call.args[i]);
        view.address = uniform_both(u, cf, view.address, arg);
    }
    view.full = false;
    return view;
}

View uniform_view(Uniform *u, NodeId cf, const Expr *e)
{
    View view = {0};
    switch (e->kind) {
    case EXPR_NAME:
        if (e->name.decl->kind == DECL_VAR)
            return (View){.root = e->name.decl, .address = cf, .full = true};
        view = value_local(u, e->name.decl)->view;
        view.address = under(u, cf, view.address);
        return view;
    case EXPR_MEMBER:
        view = uniform_view(u, cf, e->member.of);
        view.full = false;
        return view;
    case EXPR_INDEX: {
        view = uniform_view(u, cf, e->index.of);
        NodeId at = uniform_expr(u, cf, e->index.at);
        view.address = uniform_both(u, cf, view.address, at);
        view.full = false;
        return view;
    }
    case EXPR_UNARY:
        return uniform_view(u, cf, e->unary.of);
    case EXPR_CALL:
        return view_call(u, cf, e);
    default:
        BUG("a %s is not a memory view", expr_kind_name(e->kind));
    }
}

NodeId uniform_load(Uniform *u, NodeId cf, const Expr *at, View view)
{
    if (value_is_tracked(view.root)) {
        NodeId value = under(u, cf, value_get(u, view.root));
        return uniform_both(u, cf, value, view.address);
    }
    if (!value_is_shared(view.root))
        return view.address;
    NodeId read = graph_node(&u->graph, STORY_READ, at);
    graph_edge(&u->graph, read, NODE_ANY);
    return read;
}

/* ---- requirements ---- */

static void require(Uniform *u, NodeId node, Need need)
{
    bool granted = node == NODE_START && u->fn->fn.info->stage != STAGE_NONE;
    if (granted || need.severity == SEVERITY_OFF)
        return;
    need.function = u->fn;
    VEC_PUSH(u->arena, &u->requirements, ((Requirement){.node = node, .need = need}));
}

/* What calling a builtin with these flags asks for; false: nothing. */
static bool builtin_need(const Uniform *u, uint32_t flags, Need *need)
{
    if (flags & BUILTIN_SYNC) {
        need->rule = NEED_WORKGROUP;
        need->severity = SEVERITY_ERROR;
    } else if (flags & BUILTIN_DERIVATIVE) {
        need->rule = NEED_DERIVATIVE;
        need->severity = u->filters.severity[RULE_derivative_uniformity];
    } else if (flags & BUILTIN_SUBGROUP_OP) {
        need->rule = NEED_SUBGROUP;
        need->severity = u->filters.severity[RULE_subgroup_uniformity];
    } else
        return false;
    return true;
}

/* ---- calls of builtins ---- */

/* May the result differ between invocations that give the same arguments? */
static bool builtin_differs(const Expr *e, uint32_t flags)
{
    if (e->call.builtin == BUILTIN_textureLoad) {
        const Type *texture = e->call.args[0]->type;
        if (texture->kind == TYPE_REFERENCE)
            texture = texture->pointer.of;
        return texture->kind == TYPE_TEXTURE && texture->texture.kind == TEXTURE_STORAGE
            && texture->texture.access == ACCESS_READ_WRITE;
    }
    return flags & BUILTIN_NONUNIFORM;
}

static NodeId builtin_result(Uniform *u, const Expr *e, uint32_t flags, NodeId args)
{
    if (!builtin_differs(e, flags))
        return args;
    NodeId result = graph_node(&u->graph, STORY_BUILTIN, e);
    if (u->narrow && (flags & BUILTIN_SUBGROUP_UNIFORM)) {
        graph_edge(&u->graph, result, args);
        graph_edge(&u->graph, result, NODE_WIDE);
    } else
        graph_edge(&u->graph, result, NODE_ANY);
    return result;
}

static NodeId builtin_call(Uniform *u, NodeId cf, const Expr *e)
{
    uint32_t flags = builtin_flags(e->call.builtin);
    NodeId args = cf, last = cf;
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        last = uniform_expr(u, cf, e->call.args[i]);
        args = uniform_both(u, cf, args, last);
    }

    Need need = {.call = e};
    if (builtin_need(u, flags, &need)) {
        require(u, cf, need);
        need.arg = e->call.nargs ? e->call.args[e->call.nargs - 1] : NULL;
        if (flags & BUILTIN_UNIFORM_ARG)
            require(u, last, need);
    }
    if (flags & BUILTIN_UNIFORM_RESULT)
        return cf;
    return builtin_result(u, e, flags, args);
}

/* ---- calls of the user's functions ---- */

static void call_args(Uniform *u, NodeId cf, const Expr *e)
{
    uint32_t base = u->args.len;
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        const Expr *arg = e->call.args[i];
        CallArg a = {0};
        if (arg->type->kind == TYPE_POINTER) {
            a.view = uniform_view(u, cf, arg);
            a.value = a.view.address;
        } else
            a.value = uniform_expr(u, cf, arg);
        VEC_PUSH(u->arena, &u->args, a);
    }
    /* Read once all arguments are evaluated: calls in them may write. */
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        CallArg *a = &u->args.data[base + i];
        if (a->view.root && value_is_tracked(a->view.root))
            a->contents = uniform_load(u, cf, e->call.args[i], a->view);
    }
}

/* What stands at the caller's for an end of the callee. */
static NodeId call_end(const Uniform *u, NodeId cf, uint32_t base, NodeId end)
{
    if (end < NODE_START)
        return end;
    if (end == NODE_START)
        return cf;
    uint32_t param = (end - NODE_FIRST_PARAM) / 2;
    const CallArg *arg = &u->args.data[base + param];
    return end == PARAM_CONTENTS(param) ? arg->contents : arg->value;
}

static void call_needs(Uniform *u, NodeId cf, const Expr *e, uint32_t base)
{
    const Need **needs = e->call.function->fn.info->uniformity->needs;
    uint32_t nends = END_BIT(PARAM_VALUE(e->call.nargs));
    if (!needs)
        return;
    for (uint32_t bit = END_BIT(NODE_START); bit < nends; bit++) {
        for (uint32_t rule = 0; rule < NEED_COUNT; rule++) {
            const Need *inner = needs[bit * NEED_COUNT + rule];
            if (!inner)
                continue;
            NodeId end = END_NODE(bit);
            Need need = {.rule = inner->rule, .severity = inner->severity,
                         .call = e, .inner = inner};
            if (end >= NODE_FIRST_PARAM) {
                uint32_t param = (end - NODE_FIRST_PARAM) / 2;
                need.arg = e->call.args[param];
                need.contents = end == PARAM_CONTENTS(param);
            }
            require(u, call_end(u, cf, base, end), need);
        }
    }
}

/* A node for what depends on the ends in the mask. */
static NodeId call_depends(Uniform *u, NodeId cf, const Expr *e, uint32_t base,
                           NodeKind kind, const uint64_t *mask)
{
    NodeId node = graph_node(&u->graph, kind, e);
    uint32_t nends = END_BIT(PARAM_VALUE(e->call.nargs));
    graph_edge(&u->graph, node, cf);
    for (uint32_t bit = 0; bit < nends; bit++) {
        if (bit % 64 == 0 && mask[bit / 64] == 0) {
            bit += 63;
            continue;
        }
        if (!(mask[bit / 64] >> bit % 64 & 1))
            continue;
        NodeId on = call_end(u, cf, base, END_NODE(bit));
        if (on != cf)
            graph_edge(&u->graph, node, on);
    }
    return node;
}

/* What the memory behind pointer arguments holds after the call. */
static void call_writes(Uniform *u, NodeId cf, const Expr *e, uint32_t base)
{
    const struct Uniformity *callee = e->call.function->fn.info->uniformity;
    for (uint32_t i = 0; i < e->call.nargs; i++) {
        const uint64_t *after = callee->params[i].after;
        const CallArg arg = u->args.data[base + i];
        if (!after || !arg.view.root)
            continue;
        NodeId written = call_depends(u, cf, e, base, STORY_WRITTEN, after);
        u->graph.nodes.data[written].param = (uint16_t)i;
        if (!arg.view.full) {
            graph_edge(&u->graph, written, value_get(u, arg.view.root));
            graph_edge(&u->graph, written, arg.view.address);
        }
        value_set(u, arg.view.root, written);
    }
}

static NodeId function_call(Uniform *u, NodeId cf, const Expr *e)
{
    const struct Uniformity *callee = e->call.function->fn.info->uniformity;
    BUG_IF(!callee, "a function is analysed before its callee");
    uint32_t base = u->args.len;
    NodeId result = cf;
    call_args(u, cf, e);
    call_needs(u, cf, e, base);
    if (callee->result)
        result = call_depends(u, cf, e, base, STORY_CALL, callee->result);
    call_writes(u, cf, e, base);
    u->args.len = base;
    return result;
}

NodeId uniform_call(Uniform *u, NodeId cf, const Expr *e)
{
    if (uniform_is_early(e))
        return cf;
    if (e->call.kind == CALL_FUNCTION)
        return function_call(u, cf, e);
    if (e->call.kind == CALL_BUILTIN)
        return builtin_call(u, cf, e);
    NodeId value = cf;
    for (uint32_t i = 0; i < e->call.nargs; i++)
        value = uniform_both(u, cf, value, uniform_expr(u, cf, e->call.args[i]));
    return value;
}
