// SPDX-License-Identifier: Apache-2.0
/*
 * fuse_text.c - the parts of a kernel that all generated kernels share: indices, loads,
 * conversions, values, the module around them.
 *
 * in     a Group with values
 * out    WGSL
 * knows  how element types are stored, the templates of elementwise operators
 * not    how invocations are distributed (fuse.c, fuse_reduce.c)
 */
#include "tensor/plan_priv.h"

#include <math.h>
#include <string.h>

/* ---- types ---- */

uint32_t store_pack(const TensorState *s, weft_dtype dtype)
{
    switch (dtype) {
    case WEFT_BOOL: case WEFT_I8: case WEFT_U8: return 4;
    case WEFT_BF16: return 2;
    case WEFT_F16:  return s->f16 ? 1 : 2;
    default:        return 1;
    }
}

const char *store_type(const TensorState *s, weft_dtype dtype)
{
    if (store_pack(s, dtype) > 1 || dtype_is_block(dtype))
        return "u32";
    switch (dtype) {
    case WEFT_F16: return "f16";
    case WEFT_F64: return "f64";
    case WEFT_I32: return "i32";
    case WEFT_U32: return "u32";
    case WEFT_I64: return "vec2u";
    default:       return "f32";
    }
}

static WriterType literal_type(Compute c)
{
    switch (c) {
    case COMPUTE_F64: return WRITER_F64;
    case COMPUTE_I32: return WRITER_I32;
    case COMPUTE_U32: return WRITER_U32;
    default:          return WRITER_F32;
    }
}

/* The nearest value that an integer type has. */
static double clamp_to(weft_dtype dtype, double v)
{
    double low, high;
    switch (dtype) {
    case WEFT_I8:  low = -128; high = 127; break;
    case WEFT_U8:  low = 0; high = 255; break;
    case WEFT_U32: low = 0; high = 4294967295.0; break;
    default:       low = -2147483648.0; high = 2147483647.0; break;
    }
    return isnan(v) ? 0 : trunc(v < low ? low : v > high ? high : v);
}

const char *fuse_literal(Fuse *e, weft_dtype dtype, double value)
{
    Compute c = dtype_compute(dtype);
    if (c == COMPUTE_BOOL)
        return value != 0 ? "true" : "false";
    if (c == COMPUTE_I32 || c == COMPUTE_U32)
        return writer_literal(e->arena, literal_type(c), clamp_to(dtype, value));
    if (c == COMPUTE_F32)
        value = (double)(float)value;
    e->g->specials |= !isfinite(value);
    return writer_literal(e->arena, literal_type(c), value);
}

/* ---- conversions ---- */

static const char *to_integer(Fuse *e, const char *text, Compute from, weft_dtype to)
{
    bool        u = dtype_compute(to) == COMPUTE_U32;
    const char *name = u ? "u32" : "i32";
    if (from == COMPUTE_F64) {
        text = arena_printf(e->arena, "f32(%s)", text);
        from = COMPUTE_F32;
    }
    if (from == COMPUTE_F32) {
        if (to == WEFT_I8)
            text = arena_printf(e->arena, "clip_f32(%s, -128.0, 127.0)", text);
        if (to == WEFT_U8)
            text = arena_printf(e->arena, "clip_f32(%s, 0.0, 255.0)", text);
        return arena_printf(e->arena, "%s_of_f32(%s)", name, text);
    }
    if (from == COMPUTE_BOOL)
        return arena_printf(e->arena, "select(0%s, 1%s, %s)", u ? "u" : "", u ? "u" : "", text);
    if (from != dtype_compute(to))
        text = arena_printf(e->arena, "%s(%s)", name, text);
    if (to == WEFT_I8)
        return arena_printf(e->arena, "((%s) << 24u) >> 24u", text);
    if (to == WEFT_U8)
        return arena_printf(e->arena, "(%s) & 0xffu", text);
    return text;
}

static const char *to_float(Fuse *e, const char *text, Compute from, weft_dtype to)
{
    Compute     c = dtype_compute(to);
    const char *name = compute_text(c);
    if (from == COMPUTE_BOOL)
        return arena_printf(e->arena, "select(%s(0.0), %s(1.0), %s)", name, name, text);
    if (from != c)
        text = arena_printf(e->arena, "%s(%s)", name, text);
    if (to == WEFT_BF16)
        return arena_printf(e->arena, "round_bf16(%s)", text);
    if (to != WEFT_F16)
        return text;
    if (!e->g->graph->s->f16)
        return arena_printf(e->arena, "round_f16(%s)", text);
    e->g->uses_f16 = true;
    return arena_printf(e->arena, "f32(f16(%s))", text);
}

const char *fuse_convert(Fuse *e, const char *text, weft_dtype from, weft_dtype to)
{
    Compute c = dtype_compute(from);
    if (from == to)
        return text;
    if (to == WEFT_BOOL && c == COMPUTE_BOOL)
        return text;
    if (to == WEFT_BOOL)
        return arena_printf(e->arena, "(%s) != %s", text,
                            c == COMPUTE_U32 ? "0u" : c == COMPUTE_I32 ? "0" : "0.0");
    return dtype_is_float(to) ? to_float(e, text, c, to) : to_integer(e, text, c, to);
}

const char *fuse_stored(Fuse *e, const char *text, weft_dtype dtype)
{
    bool direct = store_pack(e->g->graph->s, dtype) == 1;
    switch (dtype) {
    case WEFT_I64:  return arena_printf(e->arena, "i64_of_i32(%s)", text);
    case WEFT_F16:  return direct ? arena_printf(e->arena, "f16(%s)", text)
                                  : arena_printf(e->arena, "pack2x16float(vec2f(%s, 0.0))", text);
    case WEFT_BF16: return arena_printf(e->arena, "bits_bf16(%s)", text);
    case WEFT_I8:   return arena_printf(e->arena, "u32(%s) & 0xffu", text);
    case WEFT_BOOL: return arena_printf(e->arena, "select(0u, 1u, %s)", text);
    default:        return text;
    }
}

/* Element `index` of quantized blocks: the scale is the first two bytes of a block of 32. */
static const char *load_block(Fuse *e, weft_dtype dtype, const char *bind, const char *index)
{
    uint32_t    n = e->next++;
    const char *i = arena_printf(e->arena, "i%u", n);
    writer_line(e->w, "let %s = %s;", i, index);
    if (dtype == WEFT_I4 || dtype == WEFT_U4)
        return arena_printf(e->arena, "%s4_at(%s[%s >> 3u], %s)", dtype == WEFT_I4 ? "i" : "u",
                            bind, i, i);
    bool q8 = dtype == WEFT_Q8_0;
    writer_line(e->w, "let b%u = %s / 32u * %uu;", n, i, q8 ? 34 : 18);
    writer_line(e->w, "let a%u = b%u + 2u + %s %% %uu;", n, n, i, q8 ? 32 : 16);
    const char *scale = arena_printf(e->arena, "half_at(%s[b%u >> 2u], b%u >> 1u)", bind, n, n);
    if (q8)
        return arena_printf(e->arena, "%s * f32(i8_at(%s[a%u >> 2u], a%u))", scale, bind, n, n);
    return arena_printf(e->arena, "%s * (f32((u8_at(%s[a%u >> 2u], a%u) >> ((%s & 16u) >> 2u)) & "
                        "15u) - 8.0)", scale, bind, n, n, i);
}

const char *fuse_load(Fuse *e, weft_dtype dtype, const char *bind, const char *index)
{
    const TensorState *s = e->g->graph->s;
    uint32_t           pack = store_pack(s, dtype);
    if (dtype_is_block(dtype))
        return load_block(e, dtype, bind, index);
    if (pack == 1 && dtype == WEFT_F16)
        return arena_printf(e->arena, "f32(%s[%s])", bind, index);
    if (pack == 1 && dtype == WEFT_I64)
        return arena_printf(e->arena, "i32_of_i64(%s[%s])", bind, index);
    if (pack == 1)
        return arena_printf(e->arena, "%s[%s]", bind, index);
    const char *i = arena_printf(e->arena, "i%u", e->next++);
    writer_line(e->w, "let %s = %s;", i, index);
    const char *word = arena_printf(e->arena, "%s[%s >> %uu]", bind, i, pack == 4 ? 2u : 1u);
    switch (dtype) {
    case WEFT_BF16: return arena_printf(e->arena, "bf16_at(%s, %s)", word, i);
    case WEFT_F16:  return arena_printf(e->arena, "half_at(%s, %s)", word, i);
    case WEFT_I8:   return arena_printf(e->arena, "i8_at(%s, %s)", word, i);
    case WEFT_BOOL: return arena_printf(e->arena, "u8_at(%s, %s) != 0u", word, i);
    default:        return arena_printf(e->arena, "u8_at(%s, %s)", word, i);
    }
}

/* ---- indices ---- */

static bool is_flat(const Fuse *e, const Access *a)
{
    int64_t contiguous[MAX_RANK];
    if (!e->flat)
        return false;
    shape_contiguous(contiguous, e->g->rank, e->g->size);
    for (uint32_t d = 0; d < e->g->rank; d++)
        if (a->stride[d] != contiguous[d] && e->g->size[d] > 1)
            return false;
    return true;
}

static void index_term(Text *t, const char *axis, int64_t stride)
{
    uint64_t size = (uint64_t)(stride < 0 ? -stride : stride);
    text_printf(t, "%s", stride < 0 ? " - " : t->len ? " + " : "");
    if (size == 1)
        text_printf(t, "%s", axis);
    else
        text_printf(t, "%s * %lluu", axis, (unsigned long long)size);
}

const char *fuse_index(Fuse *e, const Access *a)
{
    Text t = {.arena = e->arena};
    bool negative = false;
    for (uint32_t d = 0; d < e->g->rank; d++)
        negative |= a->stride[d] < 0;
    if (a->offset || negative)
        text_printf(&t, "%lluu", (unsigned long long)(uint32_t)a->offset);
    if (is_flat(e, a)) {
        index_term(&t, e->flat, 1);
        return t.data;
    }
    for (uint32_t d = 0; d < e->g->rank; d++)
        if (a->stride[d] && strcmp(e->axis[d], "0u") != 0)
            index_term(&t, e->axis[d], a->stride[d]);
    return t.len ? t.data : "0u";
}

static const char *bind_index(Fuse *e, const Access *a, const Bind *b)
{
    Access at = *a;
    at.offset -= b->offset;
    return fuse_index(e, &at);
}

/* ---- values ---- */

static const char *fresh(Fuse *e, const char *text)
{
    const char *name = arena_printf(e->arena, "v%u", e->next++);
    writer_line(e->w, "let %s = %s;", name, text);
    return name;
}

static const char *scalar_text(Fuse *e, const Value *v, weft_dtype as)
{
    if (v->args[0] == UINT32_MAX)
        return fuse_literal(e, v->of->weak ? as : v->dtype, v->of->attr.f[0]);
    const char *text = arena_printf(e->arena, "scalars.s%u", v->args[0]);
    return v->of->weak || dtype_compute(v->dtype) == COMPUTE_BOOL
               ? fuse_convert(e, text, WEFT_F32, as) : text;
}

/* Operand k of an operation as the type that the operation computes in. */
static const char *operand(Fuse *e, const Value *v, uint32_t k)
{
    const Value *arg = &e->g->values[v->args[k]];
    weft_dtype   as = v->of->op == &op_where && k == 2 ? WEFT_BOOL : (weft_dtype)v->of->arg_dtype;
    if (v->of->op == &op_cast)
        as = v->dtype;
    if (arg->kind == VALUE_SCALAR && arg->of->weak)
        return scalar_text(e, arg, as);
    const char *text = fuse_convert(e, arg->name, arg->dtype, as);
    bool plain = strpbrk(text, " ") == NULL;
    return plain || v->of->op == &op_cast ? text : arena_printf(e->arena, "(%s)", text);
}

static const char *template_of(const TensorOp *op, Compute c)
{
    switch (c) {
    case COMPUTE_I32:  return op->i;
    case COMPUTE_U32:  return op->u;
    case COMPUTE_BOOL: return op->b;
    default:           return op->f;
    }
}

/* WGSL evaluates an operation on literals when it is compiled, and refuses 1.0 / 0.0. */
static bool has_literals_alone(const Fuse *e, const Value *v)
{
    for (uint32_t k = 0; k < v->of->input_count; k++) {
        const Value *arg = &e->g->values[v->args[k]];
        if (arg->kind != VALUE_SCALAR || arg->args[0] != UINT32_MAX)
            return false;
    }
    return v->of->input_count > 0;
}

static const char *op_text(Fuse *e, const Value *v)
{
    const weft_tensor *t = v->of;
    Compute     c = dtype_compute((weft_dtype)t->arg_dtype);
    const char *args[3] = {NULL};
    Text        out = {.arena = e->arena};
    for (uint32_t k = 0; k < t->input_count; k++)
        args[k] = operand(e, v, k);
    if (has_literals_alone(e, v))
        args[0] = fresh(e, args[0]);
    const char *p = template_of(t->op, c);
    BUG_IF(!p, "%s has no expression for %s", t->op->name, compute_text(c));
    for (; *p; p++) {
        if (*p != '$') {
            text_char(&out, *p);
            continue;
        }
        p++;
        if (*p == 'T')
            text_printf(&out, "%s", compute_text(c));
        else if (*p >= 'p')
            text_printf(&out, "%s", fuse_literal(e, (weft_dtype)t->arg_dtype,
                                                 t->attr.f[*p - 'p']));
        else
            text_printf(&out, "%s", args[*p - 'a']);
    }
    return out.data;
}

/* The type of an operation's expression before it is rounded to the result's type. */
static weft_dtype raw_type(const weft_tensor *t)
{
    if (t->op == &op_cast || t->dtype == WEFT_BOOL)
        return (weft_dtype)t->dtype;
    if (t->op == &op_copy || t->op == &op_where)
        return (weft_dtype)t->arg_dtype;
    switch (dtype_compute((weft_dtype)t->arg_dtype)) {
    case COMPUTE_F64: return WEFT_F64;
    case COMPUTE_I32: return WEFT_I32;
    case COMPUTE_U32: return WEFT_U32;
    default:          return WEFT_F32;
    }
}

typedef struct IndexedBoth {
    Fuse  *e;
    Value *v;
} IndexedBoth;

static void fuse_indexed(Fuse *e, Value *v)
{
    const weft_tensor *t = v->of;
    const char        *coord[MAX_RANK];
    v->name = arena_printf(e->arena, "v%u", e->next++);
    writer_line(e->w, "var %s : %s;", v->name, compute_text(dtype_compute(v->dtype)));
    for (uint32_t j = 0; j < t->rank; j++) {
        coord[j] = fuse_index(e, &v->coord[j]);
        if (strpbrk(coord[j], " ")) {
            const char *name = arena_printf(e->arena, "i%u", e->next++);
            writer_line(e->w, "let %s = %s;", name, coord[j]);
            coord[j] = name;
        }
    }
    IndexedBoth both = {e, v};
    IndexedWrite x = {.w = e->w, .arena = e->arena, .node = t, .coord = coord, .out = v->name,
                      .group = &both};
    t->op->write(&x);
    if (v->dtype == WEFT_F16 || v->dtype == WEFT_BF16 || v->dtype == WEFT_I8
        || v->dtype == WEFT_U8) {
        weft_dtype raw = dtype_is_float(v->dtype) ? WEFT_F32
                         : v->dtype == WEFT_I8 ? WEFT_I32 : WEFT_U32;
        writer_line(e->w, "%s = %s;", v->name, fuse_convert(e, v->name, raw, v->dtype));
    }
}

const char *indexed_load(IndexedWrite *x, uint32_t k, const char *const *at)
{
    IndexedBoth       *both = x->group;
    Fuse              *e = both->e;
    const weft_tensor *in = x->node->inputs[k];
    const Bind        *b = &e->g->binds[both->v->binds[k]];
    Text               t = {.arena = e->arena};
    int64_t            offset = in->offset - b->offset;
    bool               negative = false;
    for (uint32_t j = 0; j < in->rank; j++)
        negative |= in->strides[j] < 0;
    if (offset || negative)
        text_printf(&t, "%lluu", (unsigned long long)(uint32_t)offset);
    for (uint32_t j = 0; j < in->rank; j++)
        if (in->shape[j] > 1 && in->strides[j])
            index_term(&t, strpbrk(at[j], " ") ? arena_printf(e->arena, "(%s)", at[j]) : at[j],
                       in->strides[j]);
    return fuse_load(e, b->dtype, b->name, t.len ? t.data : "0u");
}

const char *indexed_literal(IndexedWrite *x, double value)
{
    IndexedBoth *both = x->group;
    return fuse_literal(both->e, (weft_dtype)x->node->dtype, value);
}

const char *indexed_linear(IndexedWrite *x)
{
    IndexedBoth *both = x->group;
    return fuse_index(both->e, &both->v->access);
}

static void fuse_value(Fuse *e, Value *v)
{
    switch (v->kind) {
    case VALUE_LOAD: {
        const Bind *b = &e->g->binds[v->bind];
        v->name = fresh(e, fuse_load(e, b->dtype, b->name, bind_index(e, &v->access, b)));
        break;
    }
    case VALUE_SCALAR:
        v->name = scalar_text(e, v, v->dtype);
        break;
    case VALUE_OP:
        v->name = fresh(e, fuse_convert(e, op_text(e, v), raw_type(v->of), v->dtype));
        break;
    case VALUE_INDEXED:
        fuse_indexed(e, v);
        break;
    case VALUE_CORE:                /* named by the emitter of the core */
        break;
    }
}

void fuse_values(Fuse *e, bool pre)
{
    for (uint32_t i = 0; i < e->g->value_count; i++)
        if (e->g->values[i].pre == pre)
            fuse_value(e, &e->g->values[i]);
}

/* ---- the module ---- */

const char *group_title(const Group *g)
{
    Text t = {.arena = g->arena};
    const weft_tensor *root = g->graph->nodes[g->root];
    text_printf(&t, "%s %s =", weft_dtype_name((weft_dtype)root->dtype),
                shape_text(root->rank, root->shape));
    for (uint32_t i = 0; i < g->value_count; i++)
        if (g->values[i].kind != VALUE_LOAD && g->values[i].kind != VALUE_SCALAR)
            text_printf(&t, " %s", g->values[i].of->op->name);
    return t.data;
}

const char *fuse_scalar_type(const Group *g, uint32_t i)
{
    Compute c = dtype_compute((weft_dtype)g->graph->nodes[g->scalars[i]]->dtype);
    return c == COMPUTE_BOOL ? "f32" : compute_text(c);
}

static void write_scalars(Fuse *e, Writer *m, uint32_t binding)
{
    if (e->g->scalar_count == 0)
        return;
    writer_open(m, "struct Scalars");
    for (uint32_t i = 0; i < e->g->scalar_count; i++)
        writer_line(m, "s%u : %s,", i, fuse_scalar_type(e->g, i));
    writer_close(m);
    writer_binding(m, 0, binding, WRITER_UNIFORM, "scalars", "Scalars");
}

const char *fuse_module(Fuse *e, const char *title, const char *declarations, const char *body,
                        const Slot *outs, const char *const *out_types, uint32_t out_count,
                        Slot **slots, uint32_t *slot_count)
{
    const Group *g = e->g;
    Writer       m;
    uint32_t     n = 0;
    *slots = ARENA_ARRAY(e->arena, Slot, g->bind_count + out_count + 1);
    writer_init(&m, e->arena);
    writer_comment(&m, "%s", title);
    if (g->uses_f16)
        writer_enable(&m, "f16");
    if (g->uses_f64)
        writer_enable(&m, "weft_f64");
    writer_blank(&m);
    for (uint32_t i = 0; i < g->bind_count; i++, n++) {
        (*slots)[n] = g->binds[i].slot;
        writer_binding(&m, 0, n, WRITER_READ, g->binds[i].name,
                       arena_printf(e->arena, "array<%s>",
                                    store_type(g->graph->s, g->binds[i].dtype)));
    }
    for (uint32_t i = 0; i < out_count; i++, n++) {
        (*slots)[n] = outs[i];
        writer_binding(&m, 0, n, WRITER_READ_WRITE, arena_printf(e->arena, "y%u", i),
                       arena_printf(e->arena, "array<%s>", out_types[i]));
    }
    if (g->scalar_count)
        (*slots)[n] = (Slot){.kind = SLOT_SCALARS};
    write_scalars(e, &m, n);
    *slot_count = n + (g->scalar_count > 0);
    writer_blank(&m);
    if (g->specials)
        writer_specials(&m);
    helpers_write(&m, e->arena, body);
    if (declarations)
        writer_line(&m, "%s", declarations);
    writer_line(&m, "%s", body);
    return writer_text(&m);
}
