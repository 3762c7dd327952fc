// SPDX-License-Identifier: Apache-2.0
/*
 * emit.c - a program becomes a WGSL kernel that reads as if a person had written it: a comment
 * for each output, statements of emit_text.c.
 *
 * in     a program, the layout of its buffers, a dialect
 * out    WGSL
 * knows  context/writer.h, emit_priv.h
 * not    devices, buffers, where the instances come from
 */
#include "grad/emit_text_priv.h"

#include <string.h>

/* ---- declarations ---- */

static void bind(Emit *e, KernelBinding which, WriterAccess access, const char *name,
                 const char *type)
{
    uint32_t number = 0;
    for (int i = 0; i < BINDING_COUNT; i++)
        number += e->out->bound[i];
    e->out->bound[which] = true;
    writer_binding(&e->w, 0, number, access, name, type);
}

/* Whether a kernel reads members of a block, or of the direction that belongs to it. */
static bool uses_block(const Emit *e, uint32_t b)
{
    const weft_grad_graph *g = e->p->graph;
    const GradBlock *block = &g->blocks.data[b];
    uint32_t column = 0;
    for (uint32_t i = 0; i < b; i++)
        column += g->blocks.data[i].fixed ? 0 : g->blocks.data[i].size;
    for (uint32_t id = 0; id < e->p->nodes.nodes.len; id++) {
        const Node *node = nodes_get(&e->p->nodes, id);
        if (e->p->live[id] &&
            ((node->op == OP_INPUT && node->slot - block->first < block->size) ||
             (node->op == OP_TANGENT && !block->fixed && node->slot - column < block->size)))
            return true;
    }
    return false;
}

/* The block that a workgroup has in common. */
static uint32_t common_block(const Emit *e)
{
    return e->spec->mode == KERNEL_SHARED ? e->p->spec.uniform : NODE_NONE;
}

static bool uses_index(const Emit *e)
{
    for (uint32_t b = 0; b < e->p->graph->blocks.len; b++)
        if (b != common_block(e) && uses_block(e, b))
            return true;
    return false;
}

static uint32_t instance_entries(const Emit *e)
{
    return e->p->first[PART_SUMS];
}

static uint32_t summed_entries(const Emit *e)
{
    return e->p->entries.len - e->p->first[PART_SUMS];
}

static void declare_blocked(Emit *e, const char *reals)
{
    const char *rows = arena_printf(e->arena, "array<vec4<%s>>", e->real);
    bool inputs = emit_uses_leaf(e, OP_INPUT), tangent = emit_uses_leaf(e, OP_TANGENT);
    if (inputs)
        bind(e, BINDING_PARAMETERS, WRITER_READ, "parameters", rows);
    if (uses_index(e))
        bind(e, BINDING_INDEX, WRITER_READ, "index", "array<u32>");
    if (e->spec->mode == KERNEL_SHARED)
        bind(e, BINDING_SHARED, WRITER_READ, "shared_rows", "array<u32>");
    if (e->spec->mode == KERNEL_RUNS && e->spec->uneven)
        bind(e, BINDING_LENGTHS, WRITER_READ, "lengths", "array<u32>");
    if (emit_uses_leaf(e, OP_DATA))
        bind(e, BINDING_DATA, WRITER_READ, "data", reals);
    if (emit_uses_leaf(e, OP_WEIGHT))
        bind(e, BINDING_WEIGHTS, WRITER_READ, "weights", reals);
    if (tangent)
        bind(e, BINDING_TANGENT, WRITER_READ, "tangent", rows);
    if (instance_entries(e) > 0)
        bind(e, BINDING_RESULTS, WRITER_READ_WRITE, "results", reals);
    if (summed_entries(e) > 0)
        bind(e, BINDING_SUMS, WRITER_READ_WRITE, "sums",
             e->spec->sums_f64 ? "array<f64>" : reals);
}

/* Arrays of structures, or structures of arrays: one buffer of inputs, in which data, weights
 * and directions follow the parameters; one of outputs. */
static void declare_plain(Emit *e, const char *reals)
{
    if (emit_uses_leaf(e, OP_INPUT) || emit_uses_leaf(e, OP_DATA) || emit_uses_leaf(e, OP_WEIGHT) ||
        emit_uses_leaf(e, OP_TANGENT))
        bind(e, BINDING_PARAMETERS, WRITER_READ, "inputs", reals);
    bind(e, BINDING_RESULTS, WRITER_READ_WRITE, "outputs", reals);
}

static void emit_head(Emit *e)
{
    const weft_grad_graph *g = e->p->graph;
    Text outputs = {.arena = e->arena};
    for (uint32_t o = 0; o < g->outputs.len && o < 8; o++)
        text_printf(&outputs, "%s%s", o ? ", " : "", g->outputs.data[o].name);
    writer_comment(&e->w, "%s: %s%s", g->label, outputs.data, g->outputs.len > 8 ? ", ..." : "");
    if (e->spec->dialect == WEFT_GRAD_WGSL_F64 || e->spec->sums_f64)
        writer_enable(&e->w, "weft_f64");
    const char *reals = arena_printf(e->arena, "array<%s>", e->real);
    if (e->spec->layout == WEFT_GRAD_AUTO)
        declare_blocked(e, reals);
    else
        declare_plain(e, reals);
    if (emit_uses_specials(e))
        writer_specials(&e->w);
    emit_customs(e);
    writer_blank(&e->w);
}

/* ---- array of structures, structure of arrays ---- */

static uint32_t plain_width(const weft_grad_graph *g, bool weights, bool tangent)
{
    return g->inputs + g->data.len + (weights ? g->outputs.len : 0) + (tangent ? g->active : 0);
}

static void load_plain(Emit *e, bool weights, bool tangent)
{
    const weft_grad_graph *g = e->p->graph;
    const Nodes *n = &e->p->nodes;
    uint32_t width = plain_width(g, weights, tangent);
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        if (!e->p->live[id] || node->op < OP_INPUT || node->op > OP_TANGENT)
            continue;
        uint32_t at = (uint32_t)node->slot + (node->op == OP_INPUT ? 0 : g->inputs) +
                      (node->op > OP_DATA ? g->data.len : 0) +
                      (node->op == OP_TANGENT && weights ? g->outputs.len : 0);
        if (!e->names[id])
            e->names[id] = emit_unique(e, arena_printf(e->arena, "%s_%u", node->op == OP_WEIGHT ?
                                                  "weight" : "direction", (uint32_t)node->slot));
        if (e->spec->layout == WEFT_GRAD_AOS)
            writer_line(&e->w, width == 1 ? "let %s = inputs[idx];"
                                          : "let %s = inputs[idx * %u + %u];",
                        e->names[id], width, at);
        else
            writer_line(&e->w, "let %s = inputs[%u * count + idx];", e->names[id], at);
    }
}

static void store_plain(Emit *e)
{
    uint32_t entries = e->p->entries.len;
    for (uint32_t i = 0; i < entries; i++) {
        const char *value = emit_operand(e, e->p->entries.data[i]);
        if (e->spec->layout == WEFT_GRAD_SOA)
            writer_line(&e->w, "outputs[%u * count + idx] = %s;  // %s", i, value,
                        e->p->comments.data[i]);
        else if (entries == 1)
            writer_line(&e->w, "outputs[idx] = %s;  // %s", value, e->p->comments.data[i]);
        else
            writer_line(&e->w, "outputs[idx * %u + %u] = %s;  // %s", entries, i, value,
                        e->p->comments.data[i]);
    }
}

static void emit_plain(Emit *e)
{
    writer_line(&e->w, "@compute @workgroup_size(%u)", EMIT_GROUP);
    writer_open(&e->w, "fn main(@builtin(global_invocation_id) global_id: vec3<u32>)");
    writer_line(&e->w, e->spec->large ? "let idx = global_id.y * %uu + global_id.x;"
                                      : "let idx = global_id.x;", EMIT_STRIDE);
    if (e->spec->layout == WEFT_GRAD_SOA || e->spec->large)
        writer_line(&e->w, "let count = arrayLength(&outputs) / %uu;", e->p->entries.len);
    if (e->spec->large) {
        writer_open(&e->w, "if idx >= count");
        writer_line(&e->w, "return;");
        writer_close(&e->w);
    }
    e->out->weights = emit_uses_leaf(e, OP_WEIGHT);
    e->out->tangent = emit_uses_leaf(e, OP_TANGENT);
    load_plain(e, e->out->weights, e->out->tangent);
    emit_statements(e, false);
    store_plain(e);
    writer_close(&e->w);
}

/* ---- blocks of 16 ---- */

/* `owner` is the name of a position: "at" or "run". */
static void emit_base(Emit *e, const char *name, const char *owner, uint32_t entries)
{
    writer_line(&e->w, "let %s = %s / %uu * %uu + %s %% %uu;", name, owner, EMIT_LANES,
                entries * EMIT_LANES, owner, EMIT_LANES);
}

/* Numbers of an instance or owner: data[base + 16 slot]. */
static void load_numbers(Emit *e, Op op, const char *array, const char *owner, uint32_t width)
{
    const Nodes *n = &e->p->nodes;
    const char *base = NULL;
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        if (!e->p->live[id] || node->op != op)
            continue;
        if (!base) {
            base = emit_unique(e, arena_printf(e->arena, "%s_at", array));
            emit_base(e, base, owner, width);
        }
        if (!e->names[id])
            e->names[id] = emit_unique(e, arena_printf(e->arena, "weight_%u",
                                                       (uint32_t)node->slot));
        writer_line(&e->w, "let %s = %s[%s + %uu];", e->names[id], array, base,
                    (uint32_t)node->slot * EMIT_LANES);
    }
}

/* Live leaves of `op` whose slots are in [first, first + size), by row of four. */
static void load_rows(Emit *e, Op op, const char *array, const char *row, uint32_t first,
                      uint32_t size)
{
    const Nodes *n = &e->p->nodes;
    uint32_t *leaf = ARENA_ARRAY(e->arena, uint32_t, size + 1);
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        if (e->p->live[id] && node->op == op && node->slot - first < size)
            leaf[node->slot - first] = id + 1;
    }
    for (uint32_t r = 0; r < size; r += 4) {
        const char *name = NULL;
        for (uint32_t i = r; i < MIN_OF(r + 4, size); i++) {
            if (leaf[i] == 0)
                continue;
            if (!name) {
                name = emit_unique(e, arena_printf(e->arena, "%s_%u", row, r / 4));
                writer_line(&e->w, r == 0 ? "let %s = %s[%s];" : "let %s = %s[%s + %uu];", name,
                            array, row, r / 4);
            }
            if (!e->names[leaf[i] - 1])
                e->names[leaf[i] - 1] =
                    emit_unique(e, arena_printf(e->arena, "direction_%u", first + i));
            writer_line(&e->w, "let %s = %s.%c;", e->names[leaf[i] - 1], name, "xyzw"[i - r]);
        }
    }
}

static void load_block(Emit *e, uint32_t b, const char *row)
{
    const GradBlock *block = &e->p->graph->blocks.data[b];
    load_rows(e, OP_INPUT, "parameters", row, block->first, block->size);
    if (!e->out->bound[BINDING_TANGENT] || block->fixed)
        return;
    uint32_t column = 0;
    for (uint32_t i = 0; i < b; i++)
        column += e->p->graph->blocks.data[i].fixed ? 0 : e->p->graph->blocks.data[i].size;
    load_rows(e, OP_TANGENT, "tangent", row, column, block->size);
}

static void load_blocks(Emit *e, const char *owner)
{
    const weft_grad_graph *g = e->p->graph;
    if (!e->out->bound[BINDING_INDEX])
        return;
    emit_base(e, "index_at", owner, g->blocks.len);
    for (uint32_t b = 0; b < g->blocks.len; b++) {
        if (b == common_block(e) || !uses_block(e, b))
            continue;
        const char *row = emit_unique(e, arena_printf(e->arena, "%s_row", g->blocks.data[b].name));
        writer_line(&e->w, "let %s = index[index_at + %uu];", row, b * EMIT_LANES);
        load_block(e, b, row);
    }
}

static void store(Emit *e, const char *array, const char *owner, uint32_t from, uint32_t to)
{
    const char *base = emit_unique(e, arena_printf(e->arena, "%s_at", array));
    if (from == to)
        return;
    emit_base(e, base, owner, to - from);
    for (uint32_t i = from; i < to; i++) {
        const char *value = emit_operand(e, e->p->entries.data[i]);
        if (strcmp(array, "sums") == 0 && e->spec->sums_f64)
            value = arena_printf(e->arena, "f64(%s)", value);
        writer_line(&e->w, "%s[%s + %uu] = %s;  // %s", array, base, (i - from) * EMIT_LANES,
                    value, e->p->comments.data[i]);
    }
}

static void emit_position(Emit *e, const char *name)
{
    writer_line(&e->w, e->spec->large ? "let %s = global_id.y * %uu + global_id.x;"
                                      : "let %s = global_id.x;", name, EMIT_STRIDE);
}

static void emit_blocked(Emit *e)
{
    bool shared = e->spec->mode == KERNEL_SHARED;
    uint32_t sums = e->p->first[PART_SUMS];
    emit_position(e, "at");
    if (shared) {
        const char *name = e->p->graph->blocks.data[e->p->spec.uniform].name;
        const char *row = emit_unique(e, arena_printf(e->arena, "%s_row", name));
        writer_comment(&e->w, "the same for the whole workgroup");
        writer_line(&e->w, e->spec->large
                               ? "let %s = shared_rows[group_id.y * %uu + group_id.x];"
                               : "let %s = shared_rows[group_id.x];",
                    row, EMIT_STRIDE / EMIT_GROUP);
        load_block(e, e->p->spec.uniform, row);
        emit_statements(e, true);
        writer_comment(&e->w, "different in each instance");
    }
    load_blocks(e, "at");
    load_numbers(e, OP_DATA, "data", "at", e->p->graph->data.len);
    load_numbers(e, OP_WEIGHT, "weights", "at", e->p->graph->outputs.len);
    emit_statements(e, false);
    store(e, "results", "at", 0, sums);
    store(e, "sums", "at", sums, e->p->entries.len);
}

/* ---- runs: a loop over the instances of one combination of blocks ---- */

static void emit_runs(Emit *e)
{
    uint32_t sums = e->p->first[PART_SUMS], entries = e->p->entries.len;
    const char *sum_type = e->spec->sums_f64 ? "f64" : e->real;
    emit_position(e, "run");
    load_blocks(e, "run");
    emit_statements(e, true);
    for (uint32_t i = sums; i < entries; i++)
        writer_line(&e->w, "var sum_%u = %s(0);", i - sums, sum_type);
    if (e->spec->uneven)
        writer_line(&e->w, "let length = lengths[run];");
    writer_open(&e->w, e->spec->uneven
                           ? "for (var step = 0u; step < length; step++)"
                           : "for (var step = 0u; step < %uu; step++)", e->spec->run);
    writer_line(&e->w, "let at = (run / %uu * %uu + step) * %uu + run %% %uu;", EMIT_LANES,
                e->spec->run, EMIT_LANES, EMIT_LANES);
    load_numbers(e, OP_DATA, "data", "at", e->p->graph->data.len);
    load_numbers(e, OP_WEIGHT, "weights", "at", e->p->graph->outputs.len);
    emit_statements(e, false);
    store(e, "results", "at", 0, sums);
    for (uint32_t i = sums; i < entries; i++)
        writer_line(&e->w, e->spec->sums_f64 ? "sum_%u += f64(%s);  // %s"
                                             : "sum_%u += %s;  // %s", i - sums,
                    emit_operand(e, e->p->entries.data[i]), e->p->comments.data[i]);
    writer_close(&e->w);
    if (entries > sums)
        emit_base(e, "sums_at", "run", entries - sums);
    for (uint32_t i = sums; i < entries; i++)
        writer_line(&e->w, "sums[sums_at + %uu] = sum_%u;", (i - sums) * EMIT_LANES, i - sums);
}

static void emit_auto(Emit *e)
{
    bool group = e->spec->mode == KERNEL_SHARED;
    writer_line(&e->w, "@compute @workgroup_size(%u)", EMIT_GROUP);
    writer_open(&e->w, "fn main(@builtin(global_invocation_id) global_id: vec3<u32>%s)",
                group ? ", @builtin(workgroup_id) group_id: vec3<u32>" : "");
    if (e->spec->mode == KERNEL_RUNS)
        emit_runs(e);
    else
        emit_blocked(e);
    writer_close(&e->w);
}

void grad_emit(Kernel *out, Arena *arena, const Program *p, const KernelSpec *spec)
{
    bool f32 = spec->dialect == WEFT_GRAD_WGSL_F32;
    Emit e = {.arena = arena, .p = p, .spec = spec, .out = out, .real = f32 ? "f32" : "f64",
              .type = f32 ? WRITER_F32 : WRITER_F64};
    *out = (Kernel){0};
    writer_init(&e.w, arena);
    emit_init_names(&e);
    emit_find_uses(&e);
    emit_head(&e);
    if (spec->layout == WEFT_GRAD_AUTO)
        emit_auto(&e);
    else
        emit_plain(&e);
    out->text = writer_text(&e.w);
}
