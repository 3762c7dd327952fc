// SPDX-License-Identifier: Apache-2.0
/*
 * sort.c - order of elements along an axis: sort, argsort, topk, unique.
 *
 * in     a tensor and an axis
 * out    positions in order (kernels/sort*.wgsl, topk.wgsl); values are gathered by them
 *
 * Numbers of 32 bits and less are compared as unsigned keys of the same order, NaN last, -0 equal
 * to 0. Equal elements keep their order.
 *
 *   line    up to 2,048 elements: a workgroup sorts a line in its memory
 *   radix   longer lines: four passes over the bytes of the keys
 *   merge   longer lines of f64, which has no bits in WGSL: sorted blocks are merged
 */
#include <string.h>

#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

#define LINE_MOST   2048u
#define LINE_F64    1024u
#define CHUNK       1024u           /* elements that one invocation counts and moves        */
#define GROUP_CAP   65535u
#define TOP_MOST    256u            /* elements that topk.wgsl finds                        */
#define TOP_ROOM    1024u           /* candidates that it sorts                             */

/* attr.i: descending, k (0: all) */
enum { DESCENDING, FIRST_K };

typedef struct Lines {
    uint64_t    lines, n;
    const char *key, *key_of;       /* type of a key, its functions                         */
    const char *start;              /* of line `outer`                                      */
    LibraryNumber step, offset;
} Lines;

/* ---- keys ---- */

static const char *key_functions(LibraryPlan *p, weft_dtype d, bool descending)
{
    static const char *const of_f32 = "fn key_of(v : f32) -> u32 {\n"
                                      "  let b = bitcast<u32>(v);\n"
                                      "  if (b & 0x7fffffffu) > 0x7f800000u {\n"
                                      "    return 0xffffffffu;\n"
                                      "  }\n"
                                      "  let zero = (b << 1u) == 0u;\n"
                                      "  let ordered = select(select(b | 0x80000000u, "
                                      "~b, b >= 0x80000000u), 0x80000000u, zero);\n"
                                      "  return ";
    const char *other = descending ? "~" : "", *text;
    switch (dtype_compute(d)) {
    case COMPUTE_F64:
        return arena_printf(p->arena, "fn key_of(v : f64) -> f64 {\n  return v;\n}\n"
                            "fn earlier(a : f64, b : f64) -> bool {\n"
                            "  return a %s b || (b != b && a == a);\n}\n", descending ? ">" : "<");
    case COMPUTE_I32:
        text = arena_printf(p->arena, "fn key_of(v : i32) -> u32 {\n"
                            "  return %s(bitcast<u32>(v) ^ 0x80000000u);\n}\n", other);
        break;
    case COMPUTE_U32:
        text = arena_printf(p->arena, "fn key_of(v : u32) -> u32 {\n  return %sv;\n}\n", other);
        break;
    case COMPUTE_BOOL:
        text = arena_printf(p->arena, "fn key_of(v : bool) -> u32 {\n"
                            "  return select(%s);\n}\n", descending ? "1u, 0u, v" : "0u, 1u, v");
        break;
    default:
        text = arena_printf(p->arena, "%s%sordered;\n}\n", of_f32, other);
        break;
    }
    return arena_printf(p->arena, "%sfn earlier(a : u32, b : u32) -> bool {\n  return a < b;\n}\n",
                        text);
}

static Lines lines_of(LibraryPlan *p)
{
    const LibraryInput *x = &p->in[0];
    uint64_t n = x->shape[x->rank - 1], lines = 1;
    for (uint32_t d = 0; d + 1 < x->rank; d++)
        lines *= x->shape[d];
    return (Lines){lines, n, x->dtype == WEFT_F64 ? "f64" : "u32",
                   key_functions(p, x->dtype, p->node->attr.i[DESCENDING] != 0),
                   library_axes_start(p, x, 0, x->rank - 1, "outer"),
                   {"STEP", (uint64_t)x->strides[x->rank - 1]}, {"START", (uint64_t)x->offset}};
}

static void grid_of_lines(uint32_t *low, uint32_t *high, uint64_t lines)
{
    *low = (uint32_t)MIN_OF(lines, (uint64_t)GROUP_CAP);
    *high = (uint32_t)((lines + GROUP_CAP - 1) / GROUP_CAP);
}

/* ---- short lines ---- */

/* Sorts blocks of `size` elements; to the result, or to `temp` as u32. */
static bool plan_blocks(LibraryPlan *p, const Lines *l, uint64_t size, bool last, uint32_t temp)
{
    uint64_t    wide = MIN_OF(MAX_OF(size / 2, 1u), 256u);
    const char *store = last ? "y[line * N + i] = finish(line * N + i, i32(places[i]));"
                             : "runs[line * N + first + i] = places[i];";
    LibraryKernel k = {
        .name = "sort_line",
        .numbers = {{"N", l->n}, {"LINES", l->lines}, {"SIZE", size}, {"WIDE", wide}, l->step,
                    l->offset},
        .params = {"KEY", l->key, "KEY_OF", l->key_of, "LINE_START", l->start,
                   "STORE", store},
        .bindings = {{"x", USE_INPUT, 0, NULL},
                     {last ? "y" : "runs", last ? USE_OUTPUT : USE_TEMP_WRITE, temp, "u32"}},
        .finish = last};
    k.groups[0] = (uint32_t)((l->n + size - 1) / size);
    grid_of_lines(&k.groups[1], &k.groups[2], l->lines);
    return library_kernel(p, &k);
}

static bool plan_places(LibraryPlan *p, uint32_t temp, uint64_t each, uint64_t second)
{
    LibraryKernel k = {.name = "sort_places",
                       .numbers = {{"COUNT", p->node->count}, {"EACH", each}, {"SECOND", second}},
                       .bindings = {{"sorted", USE_TEMP_READ, temp, "u32"},
                                    {"y", USE_OUTPUT, 0, NULL}},
                       .finish = true};
    library_flat(k.groups, p->node->count);
    return library_kernel(p, &k);
}

/* ---- merging ---- */

static bool plan_merge(LibraryPlan *p, const Lines *l)
{
    uint32_t runs = library_temp(p, p->node->count), merged = library_temp(p, p->node->count);
    if (!plan_blocks(p, l, LINE_F64, false, runs))
        return false;
    for (uint64_t run = LINE_F64; run < l->n; run *= 2) {
        LibraryKernel k = {
            .name = "sort_merge",
            .numbers = {{"N", l->n}, {"COUNT", p->node->count}, {"RUN", run}, l->step, l->offset},
            .params = {"KEY", l->key, "KEY_OF", l->key_of, "LINE_START", l->start},
            .bindings = {{"x", USE_INPUT, 0, NULL}, {"runs", USE_TEMP_READ, runs, "u32"},
                         {"merged", USE_TEMP_WRITE, merged, "u32"}}};
        library_flat(k.groups, p->node->count);
        if (!library_kernel(p, &k))
            return false;
        uint32_t swap = runs;
        runs = merged;
        merged = swap;
    }
    return plan_places(p, runs, 1, 0);
}

/* ---- radix sort ---- */

static bool plan_digit(LibraryPlan *p, const Lines *l, uint32_t from, uint32_t to, uint32_t counts,
                       uint32_t digit)
{
    uint64_t    chunks = (l->n + CHUNK - 1) / CHUNK;
    const char *shift = arena_printf(p->arena, "%uu", digit * 8);
    LibraryKernel count = {
        .name = "sort_count",
        .numbers = {{"N", l->n}, {"LINES", l->lines}, {"CHUNKS", chunks}, {"LENGTH", CHUNK}},
        .params = {"SHIFT", shift},
        .bindings = {{"pairs", USE_TEMP_READ, from, "u32"},
                     {"counts", USE_TEMP_WRITE, counts, "u32"}}};
    count.groups[0] = (uint32_t)((chunks + 63) / 64);
    grid_of_lines(&count.groups[1], &count.groups[2], l->lines);
    LibraryKernel scan = {.name = "sort_scan",
                          .numbers = {{"LINES", l->lines}, {"CHUNKS", chunks}},
                          .bindings = {{"counts", USE_TEMP_WRITE, counts, "u32"}},
                          .groups = {1, 1, 1}};
    grid_of_lines(&scan.groups[0], &scan.groups[1], l->lines);
    LibraryKernel move = count;
    move.name = "sort_move";
    move.bindings[2] = (LibraryBinding){"moved", USE_TEMP_WRITE, to, "u32"};
    return library_kernel(p, &count) && library_kernel(p, &scan) && library_kernel(p, &move);
}

static bool plan_radix(LibraryPlan *p, const Lines *l)
{
    uint64_t chunks = (l->n + CHUNK - 1) / CHUNK;
    uint32_t from = library_temp(p, 2 * p->node->count), to = library_temp(p, 2 * p->node->count);
    uint32_t counts = library_temp(p, l->lines * 256 * chunks);
    LibraryKernel keys = {
        .name = "sort_keys",
        .numbers = {{"N", l->n}, {"COUNT", p->node->count}, l->step, l->offset},
        .params = {"KEY_OF", l->key_of, "LINE_START", l->start},
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"pairs", USE_TEMP_WRITE, from, "u32"}}};
    library_flat(keys.groups, p->node->count);
    if (!library_kernel(p, &keys))
        return false;
    for (uint32_t digit = 0; digit < 4; digit += 2)
        if (!plan_digit(p, l, from, to, counts, digit)
            || !plan_digit(p, l, to, from, counts, digit + 1))
            return false;
    return plan_places(p, from, 2, 1);
}

/* ---- the first k ---- */

static bool plan_top(LibraryPlan *p, const Lines *l)
{
    uint64_t k = (uint64_t)p->node->attr.i[FIRST_K], segments = k <= 64 ? 256 : 512, bit = 1;
    while (bit * 2 < l->n)
        bit *= 2;
    LibraryKernel top = {
        .name = "topk",
        .numbers = {{"N", l->n}, {"LINES", l->lines}, {"K", k}, {"SEGMENTS", segments},
                    {"ROOM", k <= 64 ? TOP_ROOM / 2 : TOP_ROOM}, {"PLACE_BIT", bit}, l->step,
                    l->offset},
        .params = {"KEY_OF", l->key_of, "LINE_START", l->start},
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"y", USE_OUTPUT, 0, NULL}},
        .groups = {1, 1, 1},
        .finish = true};
    grid_of_lines(&top.groups[0], &top.groups[1], l->lines);
    return library_kernel(p, &top);
}

static bool sort_plan(LibraryPlan *p)
{
    Lines    l = lines_of(p);
    bool     wide = p->in[0].dtype == WEFT_F64;
    uint64_t size = 1;
    if (p->node->attr.i[FIRST_K])
        return plan_top(p, &l);
    while (size < l.n)
        size *= 2;
    if (size <= (wide ? LINE_F64 : LINE_MOST))
        return plan_blocks(p, &l, size, true, 0);
    return wide ? plan_merge(p, &l) : plan_radix(p, &l);
}

static uint32_t sort_hook(const weft_tensor *t, uint64_t size[3])
{
    size[0] = t->count;
    return 1;
}

static const TensorOp op_argsort = {.name = "argsort", .kind = OP_LIBRARY, .plan = sort_plan,
                                    .hook = sort_hook};
static const TensorOp op_topk = {.name = "topk", .kind = OP_LIBRARY, .plan = sort_plan,
                                 .hook = sort_hook};

/* ---- the operators ---- */

/* Positions along the last axis of x, all or the first k. */
static weft_tensor *order_node(weft_tensor *x, bool descending, uint64_t k)
{
    uint64_t shape[MAX_RANK];
    memcpy(shape, x->shape, sizeof shape);
    if (k)
        shape[x->rank - 1] = k;
    return tensor_node(x->ctx, &(NodeDesc){
        .op = k ? &op_topk : &op_argsort, .dtype = WEFT_I32, .rank = x->rank, .shape = shape,
        .inputs = &x, .input_count = 1, .attr.i = {descending, (int64_t)k} });
}

static bool sortable(const weft_tensor *x, uint32_t axis, const char *what)
{
    if (dtype_is_block((weft_dtype)x->dtype))
        return context_fail(x->ctx, WEFT_ERROR_TYPE, "%s: %s must be dequantized first", what,
                            tensor_text(x));
    if (x->shape[axis] > INT32_MAX || x->count > UINT32_MAX / 2)
        return context_fail(x->ctx, WEFT_ERROR_UNSUPPORTED, "%s: %s has too many elements", what,
                            tensor_text(x));
    return true;
}

/* Positions along `axis`: computed along the last axis of a view. */
static weft_tensor *order(weft_tensor *x, uint32_t axis, bool descending, uint64_t k)
{
    Temps        t = {0};
    int          last = (int)x->rank - 1;
    weft_tensor *turned = compose_temp(&t, weft_tensor_transpose(x, (int)axis, last));
    weft_tensor *y = turned ? compose_temp(&t, order_node(turned, descending, k)) : NULL;
    if (y && (int)axis != last)
        y = compose_temp(&t, weft_tensor_transpose(y, (int)axis, last));
    return compose_end(&t, y);
}

static weft_tensor *one_element(weft_tensor *x)
{
    return weft_tensor_zeros(x->ctx, WEFT_I32, x->rank, x->shape);
}

weft_tensor *weft_tensor_argsort(weft_tensor *x, int axis, bool descending)
{
    uint32_t k;
    if (!TENSOR_ARGS("argsort", x) || !tensor_axis(&k, x, axis, "argsort")
        || !sortable(x, k, "argsort"))
        return NULL;
    return x->count == 0 || x->shape[k] == 1 ? one_element(x) : order(x, k, descending, 0);
}

weft_tensor *weft_tensor_sort(weft_tensor *x, int axis, bool descending)
{
    Temps t = {0};
    weft_tensor *at = compose_temp(&t, weft_tensor_argsort(x, axis, descending));
    return compose_end(&t, at ? compose_temp(&t, weft_tensor_gather(x, at, axis)) : NULL);
}

bool weft_tensor_topk(weft_tensor **values, weft_tensor **indices, weft_tensor *x, uint64_t k,
                      int axis, bool smallest)
{
    Temps         t = {0};
    uint32_t      a;
    weft_context *ctx = TENSOR_ARGS("topk", x);
    if (!ctx || !tensor_axis(&a, x, axis, "topk") || !sortable(x, a, "topk"))
        return false;
    if (k > x->shape[a])
        return context_fail(ctx, WEFT_ERROR_SHAPE, "topk: %llu elements of axis %u of %s",
                            (unsigned long long)k, a, tensor_text(x));
    bool few = k > 0 && k <= TOP_MOST && x->dtype != WEFT_F64 && x->shape[a] >= 4 * TOP_ROOM;
    weft_tensor *at;
    if (few) {
        at = compose_temp(&t, order(x, a, !smallest, k));
    } else {
        weft_tensor *all = compose_temp(&t, weft_tensor_argsort(x, axis, !smallest));
        at = all ? compose_temp(&t, weft_tensor_narrow(all, axis, 0, k)) : NULL;
    }
    weft_tensor *v = at ? compose_temp(&t, weft_tensor_gather(x, at, axis)) : NULL;
    if (v && values)
        *values = weft_tensor_retain(v);
    if (v && indices)
        *indices = weft_tensor_retain(at);
    compose_end(&t, NULL);
    return v != NULL;
}

/* ---- different elements ---- */

/* Number of the different element at each place of a sorted line, from 0 on. */
static weft_tensor *numbers_of(Temps *t, weft_tensor *sorted)
{
    weft_context *ctx = weft_tensor_context(sorted);
    uint64_t      n = weft_tensor_count(sorted);
    weft_tensor  *zero = compose_temp(t, weft_tensor_zeros(ctx, WEFT_I32, 1, (uint64_t[]){1}));
    if (n == 1)
        return zero;
    weft_tensor *a = compose_temp(t, weft_tensor_narrow(sorted, 0, 0, n - 1));
    weft_tensor *b = compose_temp(t, weft_tensor_narrow(sorted, 0, 1, n - 1));
    weft_tensor *new = compose_temp(t, weft_tensor_not_equal(a, b));
    if (dtype_is_float(weft_tensor_dtype(sorted))) {    /* one NaN stands for all */
        weft_tensor *same = compose_temp(t, weft_tensor_is_nan(a));
        new = compose_temp(t, weft_tensor_logical_and(new, compose_temp(t,
                  weft_tensor_logical_not(same))));
    }
    new = compose_temp(t, weft_tensor_cast(new, WEFT_I32));
    weft_tensor *all = compose_temp(t, weft_tensor_concat((weft_tensor *const[]){zero, new}, 2, 0));
    return compose_temp(t, weft_tensor_cumsum(all, 0, NULL));
}

static void unique_results(weft_unique *out, Temps *t, weft_tensor *flat, weft_tensor *at,
                           weft_tensor *number, uint64_t count)
{
    weft_context *ctx = weft_tensor_context(flat);
    uint64_t      n = weft_tensor_count(flat);
    weft_tensor  *none = compose_temp(t, weft_tensor_full(ctx, WEFT_I32, 1, &count, (double)n));
    weft_tensor  *zeros = compose_temp(t, weft_tensor_zeros(ctx, WEFT_I32, 1, &count));
    weft_tensor  *ones = compose_temp(t, weft_tensor_ones(ctx, WEFT_I32, 1, &n));
    weft_tensor  *places = compose_temp(t, weft_tensor_zeros(ctx, WEFT_I32, 1, &n));
    out->indices = weft_tensor_scatter(none, number, at, 0, WEFT_SCATTER_MIN);
    out->values = weft_tensor_take(flat, out->indices, 0);
    out->counts = weft_tensor_scatter(zeros, number, ones, 0, WEFT_SCATTER_ADD);
    out->inverse = weft_tensor_scatter(places, at, number, 0, WEFT_SCATTER_SET);
}

bool weft_tensor_unique(weft_unique *out, weft_tensor *x)
{
    Temps         t = {0};
    double        last = -1;
    weft_context *ctx = TENSOR_ARGS("unique", x);
    if (!ctx)
        return false;
    if (!out || dtype_is_block((weft_dtype)x->dtype))
        return context_fail(ctx, out ? WEFT_ERROR_TYPE : WEFT_ERROR_INVALID,
                            "unique: no place for the result, or %s is quantized", tensor_text(x));
    weft_tensor *flat = compose_temp(&t, weft_tensor_reshape(x, 1, (uint64_t[]){WEFT_INFER}));
    weft_tensor *at = flat ? compose_temp(&t, weft_tensor_argsort(flat, 0, false)) : NULL;
    weft_unique  u = {NULL, NULL, NULL, NULL};
    if (at && x->count == 0) {
        u = (weft_unique){weft_tensor_copy(flat), weft_tensor_retain(at), weft_tensor_retain(at),
                          weft_tensor_retain(at)};
    } else if (at) {
        weft_tensor *sorted = compose_temp(&t, weft_tensor_take(flat, at, 0));
        weft_tensor *number = sorted ? numbers_of(&t, sorted) : NULL;
        weft_tensor *end = number ? compose_temp(&t, weft_tensor_select(number, 0, -1)) : NULL;
        if (end && weft_tensor_eval((weft_tensor *const[]){at, number}, 2)
            && weft_tensor_item(&last, end))
            unique_results(&u, &t, flat, at, number, (uint64_t)last + 1);
    }
    compose_end(&t, NULL);
    bool ok = u.values && u.indices && u.inverse && u.counts;
    if (ok)
        *out = u;
    else
        weft_unique_release(&u);
    return ok;
}

void weft_unique_release(weft_unique *u)
{
    if (!u)
        return;
    weft_tensor_release(u->values);
    weft_tensor_release(u->indices);
    weft_tensor_release(u->inverse);
    weft_tensor_release(u->counts);
    *u = (weft_unique){NULL, NULL, NULL, NULL};
}
