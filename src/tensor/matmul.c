// SPDX-License-Identifier: Apache-2.0
/*
 * matmul.c - products of matrices: shapes, and which kernel computes them.
 *
 * in     tensors of numbers
 * out    pending tensors; plans of kernels/matmul*.wgsl
 * knows  what each kernel costs for which sizes and strides
 * not    products with quantized matrices (quant_matmul.c)
 *
 *   flat    many small matrices: an invocation an element, numbered over all of them
 *   dot     a matrix whose rows run along k, times a few vectors
 *   stream  a few vectors times a matrix whose rows run across k: memory is read in order
 *   direct  lanes along N; columns of b side by side
 *   packed  the same, after b was copied to panels of a few columns
 *   tiled   tiles in workgroup memory, for GPUs
 */
#include "tensor/matmul_priv.h"

#include <string.h>

#define FEW_DOT     8u              /* vectors of one pass over a matrix                    */
#define FEW_STREAM  4u
#define MANY        65536u          /* elements of a matrix that such a pass is for         */
#define SMALL       64u             /* elements of matrices that are computed flat ...      */
#define MANY_SMALL  8u              /* ... if there are so many                             */
#define CACHE_BYTES (UINT64_C(1) << 20)     /* of b that stays close without being packed   */
#define PAGE_BYTES  4096u           /* rows that far apart collide in caches                */
#define LINE_BYTES  64u             /* of a cache: vectors that begin elsewhere read two    */
#define GROUP_CAP   65535u
#define STREAM_CELLS 4096u          /* accumulators of a workgroup: 16 KiB                  */
#define STREAM_DEPTH 64u            /* rows that a workgroup sums                           */

/* ---- sizes ---- */

/* Whether the axes of t before the last two, in the shape of the result, are like one axis that
 * continues the rows. */
static bool rows_continue(const weft_tensor *t, const weft_tensor *result)
{
    if (t->rank != result->rank)
        return false;
    int64_t next = t->strides[t->rank - 2] * (int64_t)t->shape[t->rank - 2];
    for (uint32_t d = t->rank - 2; d-- > 0;) {
        if (t->shape[d] != result->shape[d] || (t->shape[d] > 1 && t->strides[d] != next))
            return false;
        next *= (int64_t)t->shape[d];
    }
    return true;
}

static bool is_one_matrix(const weft_tensor *t)
{
    for (uint32_t d = 0; d + 2 < t->rank; d++)
        if (t->shape[d] > 1)
            return false;
    return true;
}

Product product_of(const weft_tensor *t)
{
    const weft_tensor *a = t->inputs[0], *b = t->inputs[1];
    Product p = {.batch = 1, .m = t->shape[t->rank - 2], .n = t->shape[t->rank - 1],
                 .k = a->shape[a->rank - 1]};
    for (uint32_t d = 0; d + 2 < t->rank; d++)
        p.batch *= t->shape[d];
    /* One matrix b for all: the batches of a are more rows. */
    if (p.batch > 1 && is_one_matrix(b) && rows_continue(a, t)) {
        p.m *= p.batch;
        p.batch = 1;
    }
    p.a_row = a->strides[a->rank - 2];
    p.a_column = a->strides[a->rank - 1];
    p.b_row = b->strides[b->rank - 2];
    p.b_column = b->strides[b->rank - 1];
    return p;
}

static uint32_t matmul_hook(const weft_tensor *t, uint64_t size[3])
{
    Product p = product_of(t);
    size[0] = p.batch;
    size[1] = p.m;
    size[2] = p.n;
    return 3;
}

const char *product_start(LibraryPlan *p, const Product *s, uint32_t input)
{
    const LibraryInput *in = &p->in[input];
    const weft_tensor  *t = p->node;
    Text     text = {.arena = p->arena};
    uint64_t inner = 1;
    text_printf(&text, "%uu", (uint32_t)in->offset);
    for (uint32_t d = t->rank - 2; s->batch > 1 && d-- > 0;) {
        uint32_t back = t->rank - d;                /* axes count from the last */
        bool     there = back <= in->rank && in->shape[in->rank - back] > 1;
        int64_t  stride = there ? in->strides[in->rank - back] : 0;
        if (stride)
            text_printf(&text, " + (batch / %lluu %% %lluu) * %uu", (unsigned long long)inner,
                        (unsigned long long)t->shape[d], (uint32_t)stride);
        inner *= t->shape[d];
    }
    return text.data;
}

/* ---- choice ---- */

static bool is_cpu(const LibraryPlan *p)
{
    return strcmp(weft_context_device(p->ctx)->backend, "cpu") == 0;
}

/* Processor cycles, roughly: 32 multiplications a cycle; columns of b that are far apart, or
 * rows that leave the cache, collide there or begin inside a line, slow the loop down; a copy
 * costs once. */
static bool packing_pays(const Product *s, weft_dtype b, bool one_b)
{
    double  work = (double)s->batch * (double)s->m * (double)s->n * (double)s->k / 32;
    int64_t row_bytes = s->b_row * 4;
    bool    apart = s->b_column != 1 && s->n > 1;
    bool    far = s->k * s->n * 4 > CACHE_BYTES || (row_bytes % PAGE_BYTES == 0 && s->k > 64);
    bool    narrow = b != WEFT_F32 && b != WEFT_I32 && b != WEFT_U32 && b != WEFT_F64;
    bool    crosses = row_bytes % LINE_BYTES != 0 && s->n >= 32;
    double  slow = apart ? 3.5 : narrow ? 2 : far ? 1.6 : crosses ? 1.3 : 1;
    double  copies = (double)s->k * (double)s->n * (one_b ? 1 : (double)s->batch);
    return work * (slow - 1) > copies * (apart ? 2.5 : 1);
}

typedef enum Form { FORM_FLAT, FORM_DOT, FORM_STREAM, FORM_DIRECT, FORM_PACKED,
                    FORM_TILED } Form;

/* A few vectors times a large matrix: the side with many lines must be read in order. */
static bool few_form(Form *form, const Product *s)
{
    bool     few_rows = s->m <= s->n;
    uint64_t few = few_rows ? s->m : s->n, many = few_rows ? s->n : s->m;
    int64_t  along = few_rows ? s->b_row : s->a_column;     /* k of the matrix              */
    int64_t  across = few_rows ? s->b_column : s->a_row;
    if (many * s->k < MANY || many < 32 || s->k < 32 || many > GROUP_CAP * 64u)
        return false;
    if (along == 1 && few <= FEW_DOT) {
        *form = FORM_DOT;
        return true;
    }
    if (across == 1 && few <= FEW_STREAM) {
        *form = FORM_STREAM;
        return true;
    }
    return false;
}

static Form choose(LibraryPlan *p, const Product *s)
{
    Form form;
    bool one_b = is_one_matrix(p->node->inputs[1]);
    if (s->batch > GROUP_CAP || s->k == 0
        || (s->m * s->n <= SMALL && s->batch >= MANY_SMALL)
        || (s->m + 3) / 4 > (uint64_t)GROUP_CAP * (s->batch > 1 ? 1 : GROUP_CAP)
        || (s->n + 15) / 16 > GROUP_CAP)
        return FORM_FLAT;
    if (few_form(&form, s))
        return form;
    if (!is_cpu(p) && s->m >= 32 && s->n >= 32 && (s->m + 63) / 64 <= GROUP_CAP)
        return FORM_TILED;
    if (packing_pays(s, p->in[1].dtype, one_b))
        return FORM_PACKED;
    /* Columns that are not side by side are read one by one. */
    return s->b_column == 1 || s->n == 1 ? FORM_DIRECT : FORM_FLAT;
}

/* ---- plans ---- */

static bool plan_flat(LibraryPlan *p, const Product *s)
{
    uint64_t groups = (p->node->count + 255) / 256;
    return library_kernel(p, &(LibraryKernel){
        .name = "matmul_flat",
        .numbers = {{"M", s->m}, {"N", s->n}, {"K", s->k}, {"COUNT", p->node->count},
                    {"ROW", GROUP_CAP * 256u}, {"A_ROW", s->a_row},
                    {"A_COLUMN", s->a_column}, {"B_ROW", s->b_row},
                    {"B_COLUMN", s->b_column}},
        .params = {"A_START", product_start(p, s, 0),
                   "B_START", product_start(p, s, 1)},
        .bindings = {{"a", USE_INPUT, 0, NULL}, {"b", USE_INPUT, 1, NULL},
                     {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(groups, (uint64_t)GROUP_CAP),
                   (uint32_t)((groups + GROUP_CAP - 1) / GROUP_CAP), 1},
        .finish = true });
}

/* The size of a workgroup that wastes fewest elements, no wider than there are columns. */
static void choose_block(uint32_t *wide, uint32_t *tall, const Product *s)
{
    static const uint32_t blocks[][2] = {{64, 4}, {32, 8}, {16, 16}};
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < COUNTOF(blocks); i++) {
        uint64_t w = blocks[i][0], h = blocks[i][1];
        uint64_t all = (s->n + w - 1) / w * w * ((s->m + h - 1) / h * h);
        all += w == 16 ? all : 0;   /* a single vector of 16 lanes shares few loads */
        if (all >= least || (w > s->n && w > 16))
            continue;
        least = all;
        *wide = (uint32_t)w;
        *tall = (uint32_t)h;
    }
}

static bool plan_pack(LibraryPlan *p, const Product *s, const Panels *to)
{
    bool     apart = s->b_column != 1;      /* walk along what is side by side */
    uint32_t deep = (uint32_t)((s->k + 15) / 16), across = (uint32_t)((s->n + 15) / 16);
    return library_kernel(p, &(LibraryKernel){
        .name = "matmul_pack",
        .numbers = {{"K", s->k}, {"N", s->n}, {"WIDE", to->wide},
                    {"PANELS", (s->n + to->wide - 1) / to->wide}, {"B_ROW", s->b_row},
                    {"B_COLUMN", s->b_column}},
        .params = {"B_START", product_start(p, s, 1),
                   "ALONG_K", apart ? "x" : "y", "ALONG_N", apart ? "y" : "x"},
        .bindings = {{"b", USE_INPUT, 1, NULL},
                     {"panels", USE_TEMP_WRITE, to->temp, library_type(p)}},
        .groups = {apart ? deep : across, apart ? across : deep, (uint32_t)to->batches} });
}

void product_panels(Panels *out, LibraryPlan *p, const Product *s, uint64_t batches)
{
    out->batches = batches;
    out->wide = 64;
    out->tall = 4;
    choose_block(&out->wide, &out->tall, s);
    uint64_t words = batches * ((s->n + out->wide - 1) / out->wide) * s->k * out->wide;
    out->temp = library_temp(p, p->node->dtype == WEFT_F64 ? 2 * words : words);
}

/* Which columns a block begins at, which rows it reads, and what it stores. */
static void lanes_edges(const char **params, LibraryPlan *p, const Product *s, uint32_t wide,
                        bool all_rows, bool packed)
{
    bool cut = s->n % wide != 0, narrow = !packed && s->n < wide;
    const char *n = library_u32(p, s->n), *w = library_u32(p, wide);
    const char *block = arena_printf(p->arena, "group.y * %s", w);
    bool earlier = cut && !packed && !narrow;
    const char *first = earlier ? arena_printf(p->arena, "min(%s, %s)", block,
                                               library_u32(p, s->n - wide)) : block;
    const char *new_columns = earlier ? arena_printf(p->arena, "column >= %s", block)
                              : arena_printf(p->arena, "column < %s", n);
    const char *rows = arena_printf(p->arena, "row < %s", library_u32(p, s->m));
    const char *all[] = {
        "FIRST", first, "BARRIER", (cut || !all_rows) && !narrow ? "workgroupBarrier();" : "",
        "IF_NARROW", narrow ? arena_printf(p->arena, "if column < %s", n) : "",
        "ROW_READ", all_rows ? "row"
                    : arena_printf(p->arena, "min(row, %s)", library_u32(p, s->m - 1)),
        "B_FIRST", packed ? arena_printf(p->arena, "group.y * %s", library_u32(p, s->k * wide))
                          : "first",
        "STORES", all_rows ? new_columns
                           : arena_printf(p->arena, "%s && %s", rows, new_columns)};
    memcpy(params, all, sizeof all);
}

bool product_lanes(LibraryPlan *p, const Product *s, const Panels *packed)
{
    uint32_t wide = 64, tall = 4;
    choose_block(&wide, &tall, s);
    uint64_t panels = (s->n + wide - 1) / wide, rows = (s->m + tall - 1) / tall;
    bool     deep = rows > GROUP_CAP, is_float = dtype_is_float((weft_dtype)p->node->dtype);
    const char *t = library_type(p), *b_row = library_u32(p, packed ? wide : (uint64_t)s->b_row);
    const char *a_at = arena_printf(p->arena, "%s(a_at(a_row + k * %s))", t,
                                    library_u32(p, (uint64_t)s->a_column));
    const char *b_at = arena_printf(p->arena, "%s(b_at(b_column + k * %s))", t, b_row);
    const char *start = !packed ? product_start(p, s, 1) : packed->batches == 1 ? "0u"
                        : arena_printf(p->arena, "batch * %lluu",
                                       (unsigned long long)(panels * s->k * wide));
    LibraryKernel k = {
        .name = "matmul",
        .numbers = {{"M", s->m}, {"N", s->n}, {"K", s->k}, {"WIDE", wide}, {"TALL", tall},
                    {"A_ROW", s->a_row}},
        .params = {"BATCH", deep ? "0u" : "group.z",
                   "ROW_BLOCK", deep ? "(group.z * 65535u + group.x)" : "group.x",
                   "A_START", product_start(p, s, 0), "B_START", start,
                   "FMA", arena_printf(p->arena, is_float ? "fma(%s, %s, acc)"
                                                          : "acc + %s * %s", a_at, b_at)},
        .bindings = {{"a", USE_INPUT, 0, NULL},
                     {"b", packed ? USE_TEMP_READ : USE_INPUT, packed ? packed->temp : 1, t},
                     {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(rows, (uint64_t)GROUP_CAP), (uint32_t)panels,
                   deep ? (uint32_t)((rows + GROUP_CAP - 1) / GROUP_CAP) : (uint32_t)s->batch},
        .finish = true };
    lanes_edges(&k.params[10], p, s, wide, s->m % tall == 0 && !deep, packed != NULL);
    return library_kernel(p, &k);
}

static bool plan_packed(LibraryPlan *p, const Product *s)
{
    Panels   panels;
    uint64_t batches = is_one_matrix(p->node->inputs[1]) ? 1 : s->batch;
    product_panels(&panels, p, s, batches);
    return plan_pack(p, s, &panels) && product_lanes(p, s, &panels);
}

/* The two sides of a product with few rows, or few columns. */
typedef struct Few {
    bool        rows;               /* the few vectors are rows of a                        */
    uint64_t    few, many;
    int64_t     line, along;        /* strides of the matrix: to the next line, along k     */
    int64_t     few_line, few_along;
    uint32_t    many_input;
    const char *row, *column;       /* of the result, from `f` and `line`                   */
} Few;

static Few few_of(const Product *s)
{
    if (s->m <= s->n)
        return (Few){true, s->m, s->n, s->b_column, s->b_row, s->a_row, s->a_column, 1, "f",
                     "line"};
    return (Few){false, s->n, s->m, s->a_row, s->a_column, s->b_column, s->b_row, 0, "line", "f"};
}

static bool plan_dot(LibraryPlan *p, const Product *s)
{
    Few  w = few_of(s);
    bool deep = w.many > GROUP_CAP;
    const char *tail = s->k % 64 == 0 ? "" : arena_printf(p->arena, "if k < %s",
                                                          library_u32(p, s->k));
    return library_kernel(p, &(LibraryKernel){
        .name = "matmul_dot",
        .numbers = {{"M", s->m}, {"N", s->n}, {"K", s->k}, {"FEW", w.few}, {"PARTS", w.few * 64},
                    {"LINES", w.many}, {"MANY_LINE", w.line},
                    {"FEW_LINE", w.few_line}, {"FEW_STEP", w.few_along}},
        .params = {"LINE", deep ? "group.y * 65535u + group.x" : "group.x",
                   "MANY", w.rows ? "b" : "a", "FEW_NAME", w.rows ? "a" : "b",
                   "MANY_START", product_start(p, s, w.many_input),
                   "FEW_START", product_start(p, s, 1 - w.many_input), "IF_TAIL", tail,
                   "ROW", w.row, "COLUMN", w.column},
        .bindings = {{"a", USE_INPUT, 0, NULL}, {"b", USE_INPUT, 1, NULL},
                     {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(w.many, (uint64_t)GROUP_CAP),
                   (uint32_t)((w.many + GROUP_CAP - 1) / GROUP_CAP), (uint32_t)s->batch},
        .finish = true });
}

static bool plan_parts(LibraryPlan *p, const Product *s, const Few *w, uint64_t parts,
                       uint32_t temp)
{
    return library_kernel(p, &(LibraryKernel){
        .name = "matmul_parts",
        .numbers = {{"M", s->m}, {"N", s->n}, {"FEW", w->few}, {"LINES", w->many},
                    {"PARTS", parts}},
        .params = {"ROW", w->row, "COLUMN", w->column},
        .bindings = {{"parts", USE_TEMP_READ, temp, library_type(p)}, {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)((w->many + 63) / 64), (uint32_t)w->few, (uint32_t)s->batch},
        .finish = true });
}

static bool plan_stream(LibraryPlan *p, const Product *s)
{
    Few      w = few_of(s);
    bool     wide = p->node->dtype == WEFT_F64;
    uint64_t cells = wide ? STREAM_CELLS / 2 : STREAM_CELLS;
    uint64_t block = MIN_OF(cells / w.few / 256 * 256, (w.many + 255) / 256 * 256);
    uint64_t depth = MAX_OF(STREAM_DEPTH, (s->k + 127) / 128), parts = (s->k + depth - 1) / depth;
    uint32_t temp = library_temp(p, s->batch * parts * w.few * w.many * (wide ? 2 : 1));
    return library_kernel(p, &(LibraryKernel){
        .name = "matmul_stream",
        .numbers = {{"K", s->k}, {"FEW", w.few}, {"LINES", w.many}, {"PARTS", parts},
                    {"BLOCK", block}, {"CELLS", block * w.few}, {"DEPTH", depth},
                    {"MANY_STEP", w.along}, {"FEW_LINE", w.few_line},
                    {"FEW_STEP", w.few_along}},
        .params = {"MANY", w.rows ? "b" : "a", "FEW_NAME", w.rows ? "a" : "b",
                   "MANY_START", product_start(p, s, w.many_input),
                   "FEW_START", product_start(p, s, 1 - w.many_input)},
        .bindings = {{"a", USE_INPUT, 0, NULL}, {"b", USE_INPUT, 1, NULL},
                     {"parts", USE_TEMP_WRITE, temp, library_type(p)}},
        .groups = {(uint32_t)((w.many + block - 1) / block), (uint32_t)parts,
                   (uint32_t)s->batch} })
           && plan_parts(p, s, &w, parts, temp);
}

static bool plan_tiled(LibraryPlan *p, const Product *s)
{
    bool a_along = s->a_column == 1, b_along = s->b_column == 1;    /* what lies side by side */
    return library_kernel(p, &(LibraryKernel){
        .name = "matmul_tile",
        .numbers = {{"M", s->m}, {"N", s->n}, {"K", s->k}, {"A_ROW", s->a_row},
                    {"A_COLUMN", s->a_column}, {"B_ROW", s->b_row},
                    {"B_COLUMN", s->b_column}},
        .params = {"A_START", product_start(p, s, 0),
                   "B_START", product_start(p, s, 1), "A_TILE_K", a_along ? "i % 16u" : "i / 64u",
                   "A_TILE_ROW", a_along ? "i / 16u" : "i % 64u",
                   "B_TILE_K", b_along ? "i / 64u" : "i % 16u",
                   "B_TILE_COLUMN", b_along ? "i % 64u" : "i / 16u"},
        .bindings = {{"a", USE_INPUT, 0, NULL}, {"b", USE_INPUT, 1, NULL},
                     {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)((s->n + 63) / 64), (uint32_t)((s->m + 63) / 64),
                   (uint32_t)s->batch},
        .finish = true });
}

static bool matmul_plan(LibraryPlan *p)
{
    Product s = product_of(p->node);
    switch (choose(p, &s)) {
    case FORM_FLAT:   return plan_flat(p, &s);
    case FORM_DOT:    return plan_dot(p, &s);
    case FORM_STREAM: return plan_stream(p, &s);
    case FORM_DIRECT: return product_lanes(p, &s, NULL);
    case FORM_PACKED: return plan_packed(p, &s);
    case FORM_TILED:  return plan_tiled(p, &s);
    }
    return false;
}

static const TensorOp op_matmul = {.name = "matmul", .kind = OP_LIBRARY, .plan = matmul_plan,
                                   .hook = matmul_hook};

/* ---- the operator ---- */

static weft_tensor *matmul_2d(weft_tensor *a, weft_tensor *b)
{
    uint64_t   shape[MAX_RANK], m = a->shape[a->rank - 2], k = a->shape[a->rank - 1];
    uint64_t   n = b->shape[b->rank - 1];
    uint32_t   rank;
    weft_dtype d = tensor_promote(a, b);
    if (k != b->shape[b->rank - 2]
        || !shape_broadcast(&rank, shape, a->rank - 2, a->shape, b->rank - 2, b->shape)) {
        context_fail(a->ctx, WEFT_ERROR_SHAPE, "matmul: dimension mismatch between %s and %s",
                     tensor_text(a), tensor_text(b));
        return NULL;
    }
    shape[rank++] = m;
    shape[rank++] = n;
    weft_dtype direct = tensor_stores_direct(a->ctx, d) && d != WEFT_I64 ? d
                        : dtype_is_float(d) ? WEFT_F32 : WEFT_I32;
    weft_tensor *t = tensor_node(a->ctx, &(NodeDesc){
        .op = &op_matmul, .dtype = direct, .rank = rank, .shape = shape,
        .inputs = (weft_tensor *const[]){a, b}, .input_count = 2 });
    weft_tensor *out = tensor_as(t, d);
    weft_tensor_release(t);
    return out;
}

weft_tensor *weft_tensor_matmul(weft_tensor *a, weft_tensor *b)
{
    weft_context *ctx = TENSOR_ARGS("matmul", a, b);
    if (!ctx)
        return NULL;
    if (a->rank == 0 || b->rank == 0 || dtype_is_block((weft_dtype)a->dtype)
        || dtype_is_block((weft_dtype)b->dtype)) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "matmul: %s and %s are not matrices", tensor_text(a),
                     tensor_text(b));
        return NULL;
    }
    weft_tensor *row = a->rank == 1 ? weft_tensor_unsqueeze(a, 0) : weft_tensor_retain(a);
    weft_tensor *column = b->rank == 1 ? weft_tensor_unsqueeze(b, 1) : weft_tensor_retain(b);
    weft_tensor *y = row && column ? matmul_2d(row, column) : NULL, *out = y;
    if (y && b->rank == 1) {
        out = weft_tensor_squeeze(y, -1);
        weft_tensor_release(y);
        y = out;
    }
    if (y && a->rank == 1) {
        out = weft_tensor_squeeze(y, b->rank == 1 ? -1 : -2);
        weft_tensor_release(y);
    }
    weft_tensor_release(row);
    weft_tensor_release(column);
    return out;
}
