// SPDX-License-Identifier: Apache-2.0
/*
 * fuse_reduce.c - reduction kernels: prologue, accumulation, epilogue.
 *
 * in     a built Group whose core is a reduction
 * out    one step, or two: long reductions with few results are split into parts
 *
 *   row     the last axis is reduced: a workgroup for each result, lanes along the axis, a
 *           tree at the end
 *   lane    an invocation for each result, lanes along the last axis that is kept; where memory
 *           is not read in the order of the results (windows), a row of them is a workgroup row,
 *           so that no lane divides
 */
#include "tensor/plan_priv.h"
#include "tensor/reduce_priv.h"

#include <math.h>
#include <string.h>

#define ROW_SIZE    64u             /* invocations of a row                                 */
#define ROW_MIN     32u             /* shorter axes are left to single invocations          */
#define LANE_SIZE   256u
#define LANE_ROW    12u             /* results of a row, at least                           */
#define GROUP_CAP   32768u
#define FEW         256u            /* workgroups that occupy the device ...                */
#define LANES_WANTED (UINT64_C(1) << 18)    /* ... and invocations                          */
#define PART_MIN    4096u           /* elements of a piece of a row                         */
#define PART_ROWS   64u             /* steps of a lane in a piece                           */
#define PARTS       256u

typedef struct Reduce {
    Planner   *p;
    Group     *g;
    ReduceKind kind;
    weft_dtype in, acc, out;        /* pre-value, accumulator, result of the core           */
    bool       arg;
    uint64_t   length;              /* elements of each reduction                           */
    uint64_t   parts, chunk;        /* of a split one: pieces, and elements of a piece      */
    bool       partial;             /* this kernel makes the pieces                         */
} Reduce;

/* ---- what a reduction does ---- */

static weft_dtype acc_type(ReduceKind kind, weft_dtype in, weft_dtype out)
{
    weft_dtype d = kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN ? in : out;
    switch (dtype_compute(d)) {
    case COMPUTE_F64:  return WEFT_F64;
    case COMPUTE_I32:  return WEFT_I32;
    case COMPUTE_U32:  return WEFT_U32;
    case COMPUTE_BOOL: return kind == REDUCE_ANY || kind == REDUCE_ALL ? WEFT_BOOL : WEFT_U32;
    default:           return WEFT_F32;
    }
}

static double lowest(weft_dtype d)
{
    return dtype_is_float(d) ? -(double)INFINITY : d == WEFT_U32 ? 0 : -2147483648.0;
}

static double highest(weft_dtype d)
{
    return dtype_is_float(d) ? (double)INFINITY : d == WEFT_U32 ? 4294967295.0 : 2147483647.0;
}

static const char *identity(Fuse *e, const Reduce *r)
{
    switch (r->kind) {
    case REDUCE_PROD: return fuse_literal(e, r->acc, 1);
    case REDUCE_MAX: case REDUCE_ARGMAX: return fuse_literal(e, r->acc, lowest(r->acc));
    case REDUCE_MIN: case REDUCE_ARGMIN: return fuse_literal(e, r->acc, highest(r->acc));
    case REDUCE_ANY: return "false";
    case REDUCE_ALL: return "true";
    default: return fuse_literal(e, r->acc, 0);
    }
}

/* acc combined with v, both of the accumulator's type. */
static const char *combine(Fuse *e, const Reduce *r, const char *acc, const char *v)
{
    bool        f = dtype_is_float(r->acc);
    const char *t = compute_text(dtype_compute(r->acc));
    switch (r->kind) {
    case REDUCE_PROD: return arena_printf(e->arena, "%s * %s", acc, v);
    case REDUCE_MAX:
        return f ? arena_printf(e->arena, "max_%s(%s, %s)", t, v, acc)
                 : arena_printf(e->arena, "max(%s, %s)", v, acc);
    case REDUCE_MIN:
        return f ? arena_printf(e->arena, "min_%s(%s, %s)", t, v, acc)
                 : arena_printf(e->arena, "min(%s, %s)", v, acc);
    case REDUCE_ANY: return arena_printf(e->arena, "%s || %s", acc, v);
    case REDUCE_ALL: return arena_printf(e->arena, "%s && %s", acc, v);
    default: return arena_printf(e->arena, "%s + %s", acc, v);
    }
}

/* Whether (v, at) is better than (best, where): the first of equal ones; NaN is best. */
static const char *better(Fuse *e, const Reduce *r, const char *v, const char *at,
                          const char *best, const char *where)
{
    const char *op = r->kind == REDUCE_ARGMAX ? ">" : "<";
    const char *t = compute_text(dtype_compute(r->acc));
    if (!dtype_is_float(r->acc))
        return arena_printf(e->arena, "%s %s %s || (%s == %s && %s < %s)", v, op, best, v, best,
                            at, where);
    return arena_printf(e->arena,
                        "select(%s %s %s || (%s == %s && %s < %s), !is_nan_%s(%s) || %s < %s, "
                        "is_nan_%s(%s))",
                        v, op, best, v, best, at, where, t, best, at, where, t, v);
}

/* The core's value from the accumulator. */
static const char *finished(Fuse *e, const Reduce *r, const char *acc)
{
    if (r->arg)
        return "i32(place)";
    if (r->kind == REDUCE_MEAN)
        acc = arena_printf(e->arena, "%s / %s", acc,
                           fuse_literal(e, r->acc, (double)r->length));
    return fuse_convert(e, acc, r->acc, r->out);
}

/* ---- pieces of kernels ---- */

static void declare_acc(Fuse *e, const Reduce *r)
{
    writer_line(e->w, "var acc = %s;", identity(e, r));
    if (r->arg)
        writer_line(e->w, "var place = 0xffffffffu;");
}

/* One element: the prologue, then its accumulation. */
static void accumulate(Fuse *e, const Reduce *r, const char *position)
{
    fuse_values(e, true);
    const Value *v = &e->g->values[e->g->core_arg];
    const char  *x = fuse_convert(e, v->name, v->dtype, r->acc);
    if (!r->arg) {
        writer_line(e->w, "acc = %s;", combine(e, r, "acc", x));
        return;
    }
    writer_open(e->w, "if %s", better(e, r, x, position, "acc", "place"));
    writer_line(e->w, "acc = %s;", x);
    writer_line(e->w, "place = %s;", position);
    writer_close(e->w);
}

/* Opens loops over the reduced axes except `lanes`, whose coordinate is known. */
static uint32_t open_loops(Fuse *e, int lanes)
{
    Group   *g = e->g;
    uint32_t open = 0;
    for (uint32_t d = 0; d < g->rank; d++) {
        if (!(g->reduced >> d & 1) || (int)d == lanes)
            continue;
        e->axis[d] = arena_printf(e->arena, "k%u", d);
        writer_open(e->w, "for (var k%u = 0u; k%u < %lluu; k%u++)", d, d,
                    (unsigned long long)g->size[d], d);
        open++;
    }
    return open;
}

static void close_all(Fuse *e, uint32_t count)
{
    while (count-- > 0)
        writer_close(e->w);
}

/* Coordinates of the kept axes, except `apart`, from the number of a result over them. */
static void split_kept(Fuse *e, const char *result, int apart)
{
    Group      *g = e->g;
    const char *rest = result;
    int         first = -1;
    for (uint32_t d = g->rank; d-- > 0;)
        if (!(g->reduced >> d & 1) && (int)d != apart)
            first = (int)d;
    for (uint32_t d = g->rank; d-- > 0;) {
        if (g->reduced >> d & 1 || (int)d == apart)
            continue;
        if ((int)d == first) {
            e->axis[d] = rest;
            continue;
        }
        e->axis[d] = arena_printf(e->arena, "c%u", d);
        writer_line(e->w, "let c%u = %s %% %lluu;", d, rest, (unsigned long long)g->size[d]);
        writer_line(e->w, "let r%u = %s / %lluu;", d, rest, (unsigned long long)g->size[d]);
        rest = arena_printf(e->arena, "r%u", d);
    }
}

/* Epilogue and store of result number `o`. */
static void finish(Fuse *e, const Reduce *r)
{
    if (r->partial) {
        writer_line(e->w, "y0[slot] = acc;");
        return;
    }
    Group   *g = e->g;
    uint32_t pack = store_pack(g->graph->s,
                               (weft_dtype)g->graph->nodes[g->root]->dtype);
    const char *core = arena_printf(e->arena, "v%u", e->next++);
    writer_line(e->w, "let %s = %s;", core, finished(e, r, "acc"));
    for (uint32_t i = 0; i < g->value_count; i++)
        if (g->values[i].kind == VALUE_CORE)
            g->values[i].name = core;
    fuse_values(e, false);
    const Value *v = &g->values[g->out_value[0]];
    const char  *stored = fuse_stored(e, v->name, v->dtype);
    if (pack == 1)
        writer_line(e->w, "y0[o] = %s;", stored);
    else
        writer_line(e->w, "atomicOr(&y0[o / %uu], (%s) << (o %% %uu * %uu));", pack, stored,
                    pack, 32 / pack);
}

static void grid(uint32_t groups[3], uint64_t count)
{
    groups[0] = (uint32_t)MIN_OF(count, (uint64_t)GROUP_CAP);
    groups[1] = (uint32_t)((count + GROUP_CAP - 1) / GROUP_CAP);
    groups[2] = 1;
}

/* ---- the two shapes ---- */

/* The tree over the accumulators of a workgroup; the result is in `acc` of every invocation. */
static void tree(Fuse *e, const Reduce *r)
{
    writer_line(e->w, "part[index] = %s;", r->acc == WEFT_BOOL ? "select(0u, 1u, acc)" : "acc");
    if (r->arg)
        writer_line(e->w, "part_at[index] = place;");
    writer_line(e->w, "workgroupBarrier();");
    writer_open(e->w, "for (var half = %uu; half > 0u; half >>= 1u)", ROW_SIZE / 2);
    writer_open(e->w, "if index < half");
    if (r->arg) {
        writer_line(e->w, "let other = part[index + half];");
        writer_line(e->w, "let other_at = part_at[index + half];");
        writer_open(e->w, "if %s", better(e, r, "other", "other_at", "part[index]",
                                          "part_at[index]"));
        writer_line(e->w, "part[index] = other;");
        writer_line(e->w, "part_at[index] = other_at;");
        writer_close(e->w);
    } else if (r->acc == WEFT_BOOL) {
        writer_line(e->w, "part[index] %s= part[index + half];",
                    r->kind == REDUCE_ANY ? "|" : "&");
    } else {
        writer_line(e->w, "part[index] = %s;",
                    combine(e, r, "part[index]", "part[index + half]"));
    }
    writer_close(e->w);
    writer_line(e->w, "workgroupBarrier();");
    writer_close(e->w);
}

static const char *tree_memory(Fuse *e, const Reduce *r)
{
    const char *t = r->acc == WEFT_BOOL ? "u32" : compute_text(dtype_compute(r->acc));
    const char *text = arena_printf(e->arena, "var<workgroup> part : array<%s, %u>;\n", t,
                                    ROW_SIZE);
    if (r->arg)
        text = arena_printf(e->arena, "%svar<workgroup> part_at : array<u32, %u>;\n", text,
                            ROW_SIZE);
    return text;
}

static void row_begin(Fuse *e, uint64_t slots)
{
    writer_begin_main(e->w, ROW_SIZE, 1, 1, WRITER_GROUP | WRITER_INDEX);
    writer_line(e->w, "let slot = group.y * %uu + group.x;", GROUP_CAP);
    writer_open(e->w, "if slot >= %lluu", (unsigned long long)slots);
    writer_line(e->w, "return;");
    writer_close(e->w);
}

/* The loop of a row: every lane makes as many steps, so that it stays one of vectors. */
static uint32_t open_row(Fuse *e, const Reduce *r, uint32_t last)
{
    uint64_t n = e->g->size[last];
    const char *end = arena_printf(e->arena, "%lluu", (unsigned long long)n);
    if (r->parts > 1) {
        writer_line(e->w, "let first = piece * %lluu;", (unsigned long long)r->chunk);
        writer_line(e->w, "let end = min(first + %lluu, %s);", (unsigned long long)r->chunk, end);
        end = "end";
    }
    writer_open(e->w, "for (var at = %s; at < %s; at += %uu)", r->parts > 1 ? "first" : "0u", end,
                ROW_SIZE);
    writer_line(e->w, "let k = at + index;");
    if (n % ROW_SIZE == 0)
        return 1;
    writer_open(e->w, "if k < %s", end);
    return 2;
}

/* Tree, then the first invocation finishes the result. */
static void row_end(Fuse *e, const Reduce *r)
{
    tree(e, r);
    writer_open(e->w, "if index == 0u");
    if (r->acc == WEFT_BOOL)
        writer_line(e->w, "acc = part[0] != 0u;");
    else
        writer_line(e->w, "acc = part[0];");
    if (r->arg)
        writer_line(e->w, "place = part_at[0];");
    finish(e, r);
    writer_close(e->w);
    writer_end_main(e->w);
}

static const char *fuse_row(Fuse *e, const Reduce *r, uint64_t results, uint32_t groups[3])
{
    Group   *g = e->g;
    uint32_t last = g->rank - 1;
    row_begin(e, results * r->parts);
    if (r->parts > 1) {
        writer_line(e->w, "let piece = slot %% %lluu;", (unsigned long long)r->parts);
        writer_line(e->w, "let o = slot / %lluu;", (unsigned long long)r->parts);
        results *= r->parts;
    } else {
        writer_line(e->w, "let o = slot;");
    }
    split_kept(e, "o", -1);
    declare_acc(e, r);
    uint32_t open = open_loops(e, (int)last);
    open += open_row(e, r, last);
    e->axis[last] = "k";
    accumulate(e, r, "k");
    close_all(e, open);
    row_end(e, r);
    grid(groups, results);
    return tree_memory(e, r);
}

static void lane_begin(Fuse *e, uint64_t slots)
{
    writer_begin_main(e->w, LANE_SIZE, 1, 1, WRITER_ID);
    writer_line(e->w, "let slot = id.y * %uu + id.x;", GROUP_CAP * LANE_SIZE);
    writer_open(e->w, "if slot < %lluu", (unsigned long long)slots);
}

/* Loops over the reduced axes; of a split reduction the first has the bounds of the piece. */
static uint32_t open_lane(Fuse *e, const Reduce *r)
{
    Group   *g = e->g;
    uint32_t first = 0;
    if (r->parts <= 1)
        return open_loops(e, -1);
    while (!(g->reduced >> first & 1))
        first++;
    e->axis[first] = "k";
    writer_line(e->w, "let first = piece * %lluu;", (unsigned long long)r->chunk);
    writer_line(e->w, "let end = min(first + %lluu, %lluu);", (unsigned long long)r->chunk,
                (unsigned long long)g->size[first]);
    writer_open(e->w, "for (var k = first; k < end; k++)");
    return 1 + open_loops(e, (int)first);
}

/* The last axis that is kept if there are others before it, and it is long enough for a row of
 * lanes; else -1. */
static int lane_row(const Group *g, const Reduce *r)
{
    int      last = -1;
    uint32_t kept = 0;
    for (uint32_t d = 0; d < g->rank; d++) {
        if (g->reduced >> d & 1)
            continue;
        last = (int)d;
        kept++;
    }
    return kept > 1 && r->parts <= 1 && g->size[last] >= LANE_ROW ? last : -1;
}

/* Begins the kernel with x along axis `last` of the results and y over the axes before it. */
static void lane_rows_begin(Fuse *e, int last, uint64_t results, uint32_t groups[3])
{
    Group   *g = e->g;
    uint64_t wide = g->size[last], rows = results / wide;
    uint32_t size = fuse_row_width(wide), high = LANE_SIZE / size;
    writer_begin_main(e->w, size, high, 1, WRITER_ID);
    writer_line(e->w, "let row = id.z * %uu + id.y;", GROUP_CAP * high);
    writer_open(e->w, "if id.x < %lluu && row < %lluu", (unsigned long long)wide,
                (unsigned long long)rows);
    split_kept(e, "row", last);
    e->axis[last] = "id.x";
    writer_line(e->w, "let o = row * %lluu + id.x;", (unsigned long long)wide);
    uint64_t tall = (rows + high - 1) / high;
    groups[0] = (uint32_t)((wide + size - 1) / size);
    groups[1] = (uint32_t)MIN_OF(tall, (uint64_t)GROUP_CAP);
    groups[2] = (uint32_t)((tall + GROUP_CAP - 1) / GROUP_CAP);
}

/* The same with results numbered through. */
static void lane_flat_begin(Fuse *e, const Reduce *r, uint64_t results, uint32_t groups[3])
{
    lane_begin(e, results * r->parts);
    if (r->parts > 1) {
        writer_line(e->w, "let piece = slot / %lluu;", (unsigned long long)results);
        writer_line(e->w, "let o = slot %% %lluu;", (unsigned long long)results);
        results *= r->parts;
    } else {
        writer_line(e->w, "let o = slot;");
    }
    split_kept(e, "o", -1);
    grid(groups, (results + LANE_SIZE - 1) / LANE_SIZE);
}

static void fuse_lane(Fuse *e, const Reduce *r, uint64_t results, uint32_t groups[3])
{
    Group *g = e->g;
    int    last = lane_row(g, r);
    if (last >= 0)
        lane_rows_begin(e, last, results, groups);
    else
        lane_flat_begin(e, r, results, groups);
    declare_acc(e, r);
    uint32_t open = open_lane(e, r);
    const char *position = "0u";
    for (uint32_t d = 0; d < g->rank; d++)
        if (g->reduced >> d & 1)
            position = e->axis[d];
    accumulate(e, r, position);
    close_all(e, open);
    finish(e, r);
    writer_close(e->w);
    writer_end_main(e->w);
}

/* ---- long reductions ---- */

/* How many pieces: enough to occupy the device, none too short. */
static void choose_parts(Reduce *r, bool row, uint64_t results, uint64_t axis)
{
    r->parts = 1;
    r->chunk = axis;
    if (r->arg || r->acc == WEFT_BOOL || results == 0)
        return;
    uint64_t want = row ? FEW / results : LANES_WANTED / results;
    uint64_t most = axis / (row ? PART_MIN : PART_ROWS);
    r->parts = MIN_OF(MIN_OF(want, most), PARTS);
    if (r->parts < 2) {
        r->parts = 1;
        return;
    }
    r->chunk = (axis + r->parts - 1) / r->parts;
    if (row)
        r->chunk = (r->chunk + ROW_SIZE - 1) / ROW_SIZE * ROW_SIZE;
    r->parts = (axis + r->chunk - 1) / r->chunk;
}

/* The second kernel: combines the pieces and finishes. Rows have their pieces side by side,
 * lanes one after the other. */
static const char *combine_pieces(Fuse *e, const Reduce *r, bool row, uint64_t results,
                                  uint32_t groups[3])
{
    const char *piece;
    if (row)
        row_begin(e, results);
    else
        lane_begin(e, results);
    writer_line(e->w, "let o = slot;");
    split_kept(e, "o", -1);
    declare_acc(e, r);
    writer_open(e->w, "for (var k = %s; k < %lluu; k += %uu)", row ? "index" : "0u",
                (unsigned long long)r->parts, row ? ROW_SIZE : 1u);
    piece = row ? arena_printf(e->arena, "pieces[o * %lluu + k]", (unsigned long long)r->parts)
                : arena_printf(e->arena, "pieces[k * %lluu + o]", (unsigned long long)results);
    writer_line(e->w, "acc = %s;", combine(e, r, "acc", piece));
    writer_close(e->w);
    if (row) {
        row_end(e, r);
        grid(groups, results);
        return tree_memory(e, r);
    }
    finish(e, r);
    writer_close(e->w);
    writer_end_main(e->w);
    grid(groups, (results + LANE_SIZE - 1) / LANE_SIZE);
    return NULL;
}

static uint64_t count_axes(const Group *g, bool reduced)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < g->rank; d++)
        if ((g->reduced >> d & 1) == reduced)
            n *= g->size[d];
    return n;
}

/* Where a kernel's values go. */
typedef struct Target {
    Slot        slot;
    const char *type;
} Target;

/* Bindings that only one of the two kernels of a split reduction reads. */
static void keep_binds(Group *g, bool pre)
{
    bool used[MAX_BINDS] = {false};
    uint32_t kept = 0, moved[MAX_BINDS] = {0};
    for (uint32_t i = 0; i < g->value_count; i++) {
        const Value *v = &g->values[i];
        if (v->pre == pre && v->kind == VALUE_LOAD)
            used[v->bind] = true;
        for (uint32_t k = 0; v->pre == pre && v->kind == VALUE_INDEXED && k < v->of->input_count;
             k++)
            used[v->binds[k]] = true;
    }
    for (uint32_t i = 0; i < g->bind_count; i++) {
        moved[i] = kept;
        if (used[i])
            g->binds[kept++] = g->binds[i];
    }
    g->bind_count = kept;
    for (uint32_t i = 0; i < g->value_count; i++) {
        Value *v = &g->values[i];
        if (v->pre != pre)
            continue;
        if (v->kind == VALUE_LOAD)
            v->bind = moved[v->bind];
        for (uint32_t k = 0; v->kind == VALUE_INDEXED && k < v->of->input_count; k++)
            v->binds[k] = moved[v->binds[k]];
    }
}

static bool add_step(const Reduce *r, Fuse *e, const char *title, const char *memory,
                     const Target *to, const uint32_t groups[3])
{
    Slot    *slots;
    uint32_t slot_count;
    const char *text = fuse_module(e, title, memory, writer_text(e->w), &to->slot, &to->type, 1,
                                   &slots, &slot_count);
    return planner_step(r->p, r->g, title, text, slots, slot_count, groups);
}

static Target result_target(const Reduce *r)
{
    const TensorState *s = r->p->graph->s;
    weft_dtype d = (weft_dtype)r->p->graph->nodes[r->g->root]->dtype;
    return (Target){{.kind = SLOT_NODE, .index = r->g->root},
                    store_pack(s, d) > 1 ? "atomic<u32>" : store_type(s, d)};
}

static bool fuse_one(const Reduce *r, bool row, const char *title)
{
    Writer   body;
    uint32_t groups[3] = {1, 1, 1};
    uint64_t results = count_axes(r->g, false);
    writer_init(&body, r->p->arena);
    Fuse   e = {.p = r->p, .g = r->g, .arena = r->p->arena, .w = &body};
    Target to = result_target(r);
    const char *memory = NULL;
    if (row)
        memory = fuse_row(&e, r, results, groups);
    else
        fuse_lane(&e, r, results, groups);
    return add_step(r, &e, title, memory, &to, groups);
}

static bool fuse_split(Reduce *r, bool row, const char *title)
{
    Planner *p = r->p;
    Group   *g = r->g;
    uint64_t results = count_axes(g, false);
    uint32_t groups[3] = {1, 1, 1};
    Bind     binds[MAX_BINDS];
    uint32_t bind_count = g->bind_count;
    Writer   first, second;
    memcpy(binds, g->binds, sizeof binds);
    Target pieces = {{.kind = SLOT_TEMP, .index = p->temps.len},
                     compute_text(dtype_compute(r->acc))};
    VEC_PUSH(p->arena, &p->temps, results * r->parts * (r->acc == WEFT_F64 ? 8 : 4));
    writer_init(&first, p->arena);
    Fuse e = {.p = p, .g = g, .arena = p->arena, .w = &first};
    const char *memory = NULL;
    r->partial = true;
    keep_binds(g, true);
    if (row)
        memory = fuse_row(&e, r, results, groups);
    else
        fuse_lane(&e, r, results, groups);
    if (!add_step(r, &e, arena_printf(p->arena, "%s, pieces", title), memory, &pieces, groups))
        return false;
    r->partial = false;
    memcpy(g->binds, binds, sizeof binds);
    g->bind_count = bind_count;
    keep_binds(g, false);
    BUG_IF(g->bind_count == MAX_BINDS, "no binding is left for the pieces of a reduction");
    g->binds[g->bind_count++] = (Bind){.slot = pieces.slot, .dtype = r->acc, .name = "pieces"};
    writer_init(&second, p->arena);
    e = (Fuse){.p = p, .g = g, .arena = p->arena, .w = &second};
    memory = combine_pieces(&e, r, row, results, groups);
    Target to = result_target(r);
    return add_step(r, &e, title, memory, &to, groups);
}

bool fuse_reduce(Planner *p, Group *g)
{
    const weft_tensor *core = p->graph->nodes[g->core];
    Reduce r = {.p = p, .g = g, .kind = (ReduceKind)core->attr.i[0],
                .in = g->values[g->core_arg].dtype, .out = (weft_dtype)core->dtype};
    r.arg = r.kind == REDUCE_ARGMAX || r.kind == REDUCE_ARGMIN;
    r.acc = acc_type(r.kind, r.in, r.out);
    const char *title = group_title(g);
    group_collapse(g);
    r.length = count_axes(g, true);
    bool row = g->rank && g->reduced >> (g->rank - 1) & 1 && g->size[g->rank - 1] >= ROW_MIN;
    uint32_t split = row ? g->rank - 1 : 0;
    while (!row && split < g->rank && !(g->reduced >> split & 1))
        split++;
    choose_parts(&r, row, count_axes(g, false), split < g->rank ? g->size[split] : 0);
    return r.parts > 1 ? fuse_split(&r, row, title) : fuse_one(&r, row, title);
}
