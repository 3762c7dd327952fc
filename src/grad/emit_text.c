// SPDX-License-Identifier: Apache-2.0
/*
 * emit_text.c - the statements of a program as WGSL: names from the graph, one statement for each
 * node.
 *
 * in     a program, a precision
 * out    statements and declarations, in a writer
 * knows  context/writer.h, ops.def
 * not    buffers, layouts, where instances come from
 */
#include "grad/emit_text_priv.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

static bool take(Emit *e, const char *name)
{
    uint32_t h = 2166136261u, mask = e->taken_cap - 1;
    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    for (h &= mask; e->taken[h]; h = (h + 1) & mask)
        if (strcmp(e->taken[h], name) == 0)
            return false;
    e->taken[h] = name;
    return true;
}

const char *emit_unique(Emit *e, const char *wish)
{
    const char *name = wish;
    for (uint32_t i = 2; !take(e, name); i++)
        name = arena_printf(e->arena, "%s_%u", wish, i);
    return name;
}

static const char *next_name(Emit *e)
{
    const char *name;
    do
        name = arena_printf(e->arena, "v%u", e->numbered++);
    while (!take(e, name));
    return name;
}

static const char *own_name(Emit *e, const char *wish)
{
    bool clash = e->prefix && strncmp(wish, e->prefix, strlen(e->prefix)) == 0;
    return clash ? arena_printf(e->arena, "v_%s", wish) : wish;
}

void emit_init_names(Emit *e)
{
    static const char *const fixed[] = {
        "inputs", "outputs", "index", "data", "weights", "tangent", "results", "sums", "main",
        "parameters", "shared_rows", "lengths", "idx", "global_id", "group_id", "at", "step",
        "count", "instance", "real", "length", "run", "lane", "f32", "f64", "u32",
        "infinity_bits", "nan_bits",
    };
    const Nodes *n = &e->p->nodes;
    e->names = ARENA_ARRAY(e->arena, const char *, n->nodes.len + 1);
    e->taken_cap = 256;
    while (e->taken_cap < 4 * n->nodes.len)
        e->taken_cap *= 2;
    e->taken = ARENA_ARRAY(e->arena, const char *, e->taken_cap);
    for (uint32_t i = 0; i < COUNTOF(fixed); i++)
        take(e, fixed[i]);
    for (uint32_t i = 0; i < e->p->graph->customs.len; i++)
        take(e, e->p->graph->customs.data[i].name);
    for (uint32_t id = 0; id < n->nodes.len; id++)
        if (e->p->live[id] && nodes_get(n, id)->name != 0 && nodes_get(n, id)->op != OP_CONST)
            e->names[id] = emit_unique(e, own_name(e, e->p->graph->names.data[
                                                          nodes_get(n, id)->name]));
}

/* Other operands of a statement are f32, so that a literal needs no suffix for it. */
const char *emit_literal(Emit *e, double value)
{
    if (e->type == WRITER_F32)
        value = (float)value;
    const char *text = writer_literal(e->arena, e->type, value);
    size_t length = strlen(text);
    bool decimal = text[length - 1] == 'f' && strchr(text, 'x') == NULL && isfinite(value);
    return e->type == WRITER_F32 && decimal
               ? arena_printf(e->arena, "%.*s", (int)(length - 1), text) : text;
}

/* A node as an operand. */
const char *emit_operand(Emit *e, uint32_t id)
{
    id = grad_program_value(&e->p->nodes, id);
    const Node *node = nodes_get(&e->p->nodes, id);
    if (node->op == OP_CONST)
        return emit_literal(e, node->value);
    if (node->op == OP_TINY)
        return emit_literal(e, e->type == WRITER_F64 ? TINY_F64 : TINY_F32);
    BUG_IF(!e->names[id], "node %u (%s) is used before its statement", id,
           grad_op_info[node->op].name);
    return e->names[id];
}

/* ---- statements ---- */

static const char *expand(Emit *e, const char *pattern, const uint32_t *args)
{
    Text t = {.arena = e->arena};
    for (const char *c = pattern; *c; c++) {
        if (*c != '$') {
            text_char(&t, *c);
            continue;
        }
        const char *arg = emit_operand(e, args[*++c - '1']);
        bool clash = arg[0] == '-' && t.len > 0 && t.data[t.len - 1] == '-';
        text_printf(&t, clash ? "(%s)" : "%s", arg);
    }
    return t.data;
}

static const char *condition(Emit *e, uint32_t id)
{
    id = grad_program_value(&e->p->nodes, id);
    const Node *node = nodes_get(&e->p->nodes, id);
    if (op_is_comparison((Op)node->op))
        return expand(e, grad_op_info[node->op].wgsl, nodes_args(&e->p->nodes, id));
    return arena_printf(e->arena, "%s != %s", emit_operand(e, id), emit_literal(e, 0));
}

static const char *call(Emit *e, const char *function, const uint32_t *args, uint32_t count)
{
    Text t = {.arena = e->arena};
    text_printf(&t, "%s(", function);
    for (uint32_t i = 0; i < count; i++)
        text_printf(&t, "%s%s", i ? ", " : "", emit_operand(e, args[i]));
    text_char(&t, ')');
    return t.data;
}

static bool is_number(const Emit *e, uint32_t id)
{
    const Node *node = nodes_get(&e->p->nodes, grad_program_value(&e->p->nodes, id));
    return node->op == OP_TINY || (node->op == OP_CONST && !isnan(node->value));
}

/*
 * The smaller or larger of two, NaN if one of them is: min() and max() of WGSL may give the
 * other one. A comparison with NaN is false, so the first operand needs no test of its own;
 * constants come second, and need none either.
 */
static const char *extreme(Emit *e, Op op, const uint32_t *args)
{
    bool swap = is_number(e, args[0]);
    uint32_t second = args[swap ? 0 : 1];
    const char *a = emit_operand(e, args[swap ? 1 : 0]), *b = emit_operand(e, second);
    const char *test = op == OP_MIN ? arena_printf(e->arena, "%s < %s", b, a)
                                    : arena_printf(e->arena, "%s < %s", a, b);
    if (!is_number(e, second))
        test = arena_printf(e->arena, "%s || %s != %s", test, b, b);
    return arena_printf(e->arena, "select(%s, %s, %s)", a, b, test);
}

static const char *expression(Emit *e, uint32_t id)
{
    const Node *node = nodes_get(&e->p->nodes, id);
    const uint32_t *args = nodes_args(&e->p->nodes, id);
    Text t = {.arena = e->arena};
    switch (node->op) {
    case OP_SELECT:
        return arena_printf(e->arena, "select(%s, %s, %s)", emit_operand(e, args[2]),
                            emit_operand(e, args[1]), condition(e, args[0]));
    case OP_MIN: case OP_MAX:
        return extreme(e, (Op)node->op, args);
    case OP_SUM:
        for (uint32_t i = 0; i < node->count; i++)
            text_printf(&t, "%s%s", i ? " + " : "", emit_operand(e, args[i]));
        return t.data;
    case OP_CUSTOM:
        return call(e, e->p->graph->customs.data[node->slot].name, args, node->count);
    case OP_PARTIAL:
        return call(e, arena_printf(e->arena, "%s_d%u",
                                    e->p->graph->customs.data[node->slot / CUSTOM_ARITY].name,
                                    (uint32_t)(node->slot % CUSTOM_ARITY)), args, node->count);
    default:
        if (op_is_comparison((Op)node->op))
            return arena_printf(e->arena, "select(%s, %s, %s)", emit_literal(e, 0),
                                emit_literal(e, 1), condition(e, id));
        return expand(e, grad_op_info[node->op].wgsl, args);
    }
}

/* Comparisons that only decide selects stand in these. */
void emit_find_uses(Emit *e)
{
    const Nodes *n = &e->p->nodes;
    e->value_used = ARENA_ARRAY(e->arena, bool, n->nodes.len + 1);
    for (uint32_t i = 0; i < e->p->entries.len; i++)
        e->value_used[grad_program_value(n, e->p->entries.data[i])] = true;
    for (uint32_t id = 0; id < n->nodes.len; id++)
        for (uint32_t i = 0; e->p->live[id] && i < nodes_get(n, id)->count; i++)
            if (nodes_get(n, id)->op != OP_GIVEN && !(nodes_get(n, id)->op == OP_SELECT && i == 0))
                e->value_used[grad_program_value(n, nodes_args(n, id)[i])] = true;
}

static bool hoisted(const Emit *e, uint32_t id)
{
    return e->spec->mode != KERNEL_PLAIN && (nodes_get(&e->p->nodes, id)->flags & NODE_UNIFORM);
}

void emit_statements(Emit *e, bool uniform)
{
    const Nodes *n = &e->p->nodes;
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        if (!e->p->live[id] || node->count == 0 || node->op == OP_GIVEN ||
            hoisted(e, id) != uniform || (op_is_comparison((Op)node->op) && !e->value_used[id]))
            continue;
        const char *value = expression(e, id);
        if (!e->names[id])
            e->names[id] = next_name(e);
        writer_line(&e->w, "let %s = %s;", e->names[id], value);
    }
}

/* ---- declarations ---- */

bool emit_uses_leaf(const Emit *e, Op op)
{
    for (uint32_t id = 0; id < e->p->nodes.nodes.len; id++)
        if (e->p->live[id] && nodes_get(&e->p->nodes, id)->op == op)
            return true;
    return false;
}

void emit_customs(Emit *e)
{
    const weft_grad_graph *g = e->p->graph;
    if (g->customs.len > 0) {
        writer_blank(&e->w);
        writer_line(&e->w, "alias real = %s;", e->real);
    }
    for (uint32_t c = 0; c < g->customs.len; c++) {
        const GradCustom *custom = &g->customs.data[c];
        for (int d = -1; d < (int)custom->arity; d++) {
            Text args = {.arena = e->arena};
            for (uint32_t i = 0; i < custom->arity; i++)
                text_printf(&args, "%s%c : real", i ? ", " : "", 'a' + (int)i);
            const char *suffix = d < 0 ? "" : arena_printf(e->arena, "_d%d", d);
            writer_blank(&e->w);
            writer_open(&e->w, "fn %s%s(%s) -> real", custom->name, suffix, args.data);
            writer_line(&e->w, "%s", d < 0 ? custom->value : custom->partials[d]);
            writer_close(&e->w);
        }
    }
}

bool emit_uses_specials(const Emit *e)
{
    for (uint32_t id = 0; id < e->p->nodes.nodes.len; id++) {
        const Node *node = nodes_get(&e->p->nodes, id);
        if (e->p->live[id] && node->op == OP_CONST &&
            !isfinite(e->type == WRITER_F32 ? (float)node->value : node->value))
            return true;
    }
    return false;
}
