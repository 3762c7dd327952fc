// SPDX-License-Identifier: Apache-2.0
/*
 * evaluate.c - one evaluation of a batch on devices: uploads, dispatches, reads.
 *
 * in     parameters, the results that are wanted
 * out    recorded and submitted work; results in the caller's arrays, at once or by callbacks
 * knows  batch_priv.h, weft/context.h
 * not    where results belong in the caller's arrays (unpack.c)
 */
#include "grad/batch_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* ---- kernels of a part ---- */

static KernelSpec kernel_spec(const weft_grad_batch *b, const Part *part)
{
    const weft_device_info *device = weft_context_device(part->ctx);
    const Layout *l = &part->layout;
    uint32_t invocations = l->mode == KERNEL_RUNS ? l->owners : l->slots;
    bool naga = device->library && strcmp(device->library, "weft") != 0;
    return (KernelSpec){
        .dialect = !part->f64 ? WEFT_GRAD_WGSL_F32
                              : naga ? WEFT_GRAD_NAGA_F64 : WEFT_GRAD_WGSL_F64,
        .layout = b->layout, .mode = l->mode, .run = l->run, .uneven = l->uneven,
        .large = invocations / EMIT_GROUP > 65535,
        .sums_f64 = part->sums_f64 && !part->f64};
}

static weft_buffer *make_buffer(weft_context *ctx, uint64_t size, const void *data,
                                const char *label)
{
    return weft_buffer_create(ctx, &(weft_buffer_desc){
        .size = MAX_OF(size, (uint64_t)32), .data = data, .data_size = data ? size : 0,
        .uninitialized = !data, .label = label});
}

static bool make_results(const weft_grad_batch *b, Part *part, PartKernel *k)
{
    const Program *p = &k->kernel->program;
    uint64_t real = part->f64 ? 8 : 4, sum = part->sums_f64 ? 8 : 4;
    uint64_t results = p->first[PART_SUMS], sums = p->entries.len - results;
    if (b->layout != WEFT_GRAD_AUTO) {
        results = p->entries.len;
        sums = 0;
    }
    if (results > 0)
        k->results = make_buffer(part->ctx, results * part->layout.slots * real, NULL, "results");
    if (sums > 0)
        k->sums = make_buffer(part->ctx, sums * part->layout.owners * sum, NULL, "contributions");
    return (results == 0 || k->results) && (sums == 0 || k->sums);
}

static ProgramSpec program_spec(const Part *part, uint32_t products, weft_grad_weights weights)
{
    return (ProgramSpec){products, weights, part->layout.shared, part->f64};
}

bool part_kernel_known(const weft_grad_batch *b, const Part *part, uint32_t products,
                       weft_grad_weights weights)
{
    KernelSpec how = kernel_spec(b, part);
    ProgramSpec what = program_spec(part, products, weights);
    return grad_kernel_known(part->ctx, &b->canon, &what, &how);
}

PartKernel *part_kernel(weft_grad_batch *b, Part *part, uint32_t products,
                        weft_grad_weights weights)
{
    for (uint32_t i = 0; i < part->kernel_count; i++)
        if (part->kernels[i].products == products && part->kernels[i].weights == weights)
            return &part->kernels[i];
    if (part->kernel_count == PART_KERNELS) {
        context_fail(b->ctx, WEFT_ERROR_UNSUPPORTED,
                     "%s: more than %d different sets of products", b->label, PART_KERNELS);
        return NULL;
    }
    KernelSpec how = kernel_spec(b, part);
    ProgramSpec what = program_spec(part, products, weights);
    PartKernel k = {.products = products, .weights = weights};
    k.kernel = grad_kernel_get(part->ctx, &b->canon, &what, &how);
    if (!k.kernel)
        return NULL;
    if (!make_results(b, part, &k)) {
        weft_buffer_release(k.results);
        weft_buffer_release(k.sums);
        grad_kernel_release(k.kernel);
        return NULL;
    }
    part->kernels[part->kernel_count] = k;
    return &part->kernels[part->kernel_count++];
}

/* ---- uploads ---- */

static void *staging(Part *part, size_t size)
{
    if (size > part->staging_size) {
        void *more = realloc(part->staging, size);
        if (!more) {
            context_fail(part->ctx, WEFT_ERROR_MEMORY, "no memory for %zu bytes", size);
            return NULL;
        }
        part->staging = more;
        part->staging_size = size;
    }
    return part->staging;
}

static void put(const Part *part, void *to, uint64_t at, double value)
{
    if (part->f64)
        ((double *)to)[at] = value;
    else
        ((float *)to)[at] = (float)value;
}

static bool write_reals(Part *part, weft_buffer **buffer, const void *data, uint64_t count,
                        const char *label)
{
    uint64_t size = count * (part->f64 ? 8 : 4);
    if (!*buffer)
        *buffer = make_buffer(part->ctx, size, NULL, label);
    context_count(part->ctx, "grad.upload_bytes", "bytes", size);
    return *buffer && weft_buffer_write(*buffer, 0, data, size);
}

/* A vector over the parameters as rows. */
static bool upload_rows(Part *part, weft_buffer **buffer, const double *x, const char *label)
{
    const Layout *l = &part->layout;
    size_t real = part->f64 ? 8 : 4, count = (size_t)l->rows * 4;
    void *rows = staging(part, count * real);
    if (!rows)
        return false;
    memset(rows, 0, count * real);
    for (uint32_t i = 0; i < l->block_count; i++) {
        const LayoutBlock *block = &l->blocks[i];
        if (part->f64)
            memcpy((double *)rows + (size_t)block->row * 4, x + block->offset, block->size * 8);
        else
            for (uint32_t k = 0; k < block->size; k++)
                ((float *)rows)[(size_t)block->row * 4 + k] = (float)x[block->offset + k];
    }
    return write_reals(part, buffer, rows, count, label);
}

/* Numbers of each instance, [count][width], by position. */
static bool upload_numbers(Part *part, weft_buffer **buffer, const double *numbers,
                           uint32_t width, const char *label)
{
    const Layout *l = &part->layout;
    size_t count = (size_t)l->slots * width, real = part->f64 ? 8 : 4;
    void *out = staging(part, count * real);
    if (!out)
        return false;
    memset(out, 0, count * real);
    for (uint32_t i = 0; i < part->count; i++)
        for (uint32_t d = 0; d < width; d++)
            put(part, out, layout_element(layout_position(l, i), width, d),
                numbers[(size_t)i * width + d]);
    return write_reals(part, buffer, out, count, label);
}

bool part_data_upload(weft_grad_batch *b, Part *part)
{
    uint32_t width = b->canon.graph->data.len;
    if (part->data_current || width == 0 || b->layout != WEFT_GRAD_AUTO)
        return true;
    part->data_current = upload_numbers(part, &part->data, b->data + (size_t)part->begin * width,
                                        width, "data");
    return part->data_current;
}

static bool upload_fixed(weft_grad_batch *b, Part *part)
{
    const Layout *l = &part->layout;
    uint64_t index = (uint64_t)l->owners * b->canon.graph->blocks.len * 4;
    if (!part->index && !(part->index = make_buffer(part->ctx, index, index >= 32 ? l->index
                                                    : NULL, "index")))
        return false;
    if (l->shared_rows && !part->shared) {
        part->shared = make_buffer(part->ctx, MAX_OF(l->slots / EMIT_GROUP, 8u) * 4ull, NULL,
                                   "shared rows");
        if (!part->shared || !weft_buffer_write(part->shared, 0, l->shared_rows,
                                                l->slots / EMIT_GROUP * 4ull))
            return false;
    }
    if (l->lengths && !part->lengths &&
        !(part->lengths = make_buffer(part->ctx, l->owners * 4ull, l->lengths, "lengths")))
        return false;
    return part_data_upload(b, part);
}

/* One instance of the layouts SOA and AOS: inputs, data, weights, direction. */
static void gather_instance(const weft_grad_batch *b, const Part *part, double *out,
                            uint32_t instance, const weft_grad_evaluation *e, const bool *bound)
{
    const weft_grad_graph *c = b->canon.graph;
    size_t i = (size_t)part->begin + instance;
    for (uint32_t k = 0; k < c->blocks.len; k++)
        memcpy(out + c->blocks.data[k].first, e->x + b->canon_index[i * c->blocks.len + k],
               c->blocks.data[k].size * sizeof *out);
    out += c->inputs;
    for (uint32_t d = 0; d < c->data.len; d++)
        *out++ = b->data[i * c->data.len + d];
    for (uint32_t o = 0; bound[0] && o < c->outputs.len; o++)
        *out++ = e->weights[i * c->outputs.len + o];
    for (uint32_t k = 0; bound[1] && k < c->active; k++)
        *out++ = e->tangent[batch_parameter(b, (uint32_t)i, k)];
}

static bool upload_plain(weft_grad_batch *b, Part *part, const PartKernel *k,
                         const weft_grad_evaluation *e)
{
    const weft_grad_graph *c = b->canon.graph;
    bool bound[2] = {k->kernel->text.weights, k->kernel->text.tangent};
    uint32_t width = c->inputs + c->data.len + (bound[0] ? c->outputs.len : 0) +
                     (bound[1] ? c->active : 0);
    size_t count = (size_t)part->layout.slots * width, real = part->f64 ? 8 : 4;
    double *one = malloc((width + 1u) * sizeof *one);
    void *out = staging(part, count * real + 1);
    if (one && out)
        memset(out, 0, count * real);
    for (uint32_t i = 0; one && out && i < part->count; i++) {
        gather_instance(b, part, one, i, e, bound);
        for (uint32_t w = 0; w < width; w++)
            put(part, out, b->layout == WEFT_GRAD_AOS ? (uint64_t)i * width + w
                                                      : (uint64_t)w * part->layout.slots + i,
                one[w]);
    }
    free(one);
    /* a kernel with another width has another buffer size */
    weft_buffer_release(part->parameters);
    part->parameters = NULL;
    return one && out && write_reals(part, &part->parameters, out, count, "inputs");
}

static bool upload(weft_grad_batch *b, Part *part, const PartKernel *k,
                   const weft_grad_evaluation *e)
{
    const bool *bound = k->kernel->text.bound;
    uint32_t outputs = b->canon.graph->outputs.len;
    if (b->layout != WEFT_GRAD_AUTO)
        return upload_plain(b, part, k, e);
    return upload_fixed(b, part) &&
           (!bound[BINDING_PARAMETERS] || upload_rows(part, &part->parameters, e->x,
                                                      "parameters")) &&
           (!bound[BINDING_TANGENT] || upload_rows(part, &part->tangent, e->tangent, "tangent")) &&
           (!bound[BINDING_WEIGHTS] ||
            upload_numbers(part, &part->weights, e->weights + (size_t)part->begin * outputs,
                           outputs, "weights"));
}

/* ---- dispatches ---- */

static bool dispatch(const Part *part, const PartKernel *k)
{
    const Layout *l = &part->layout;
    weft_buffer *buffers[BINDING_COUNT] = {
        [BINDING_PARAMETERS] = part->parameters, [BINDING_INDEX] = part->index,
        [BINDING_SHARED] = part->shared, [BINDING_LENGTHS] = part->lengths,
        [BINDING_DATA] = part->data, [BINDING_WEIGHTS] = part->weights,
        [BINDING_TANGENT] = part->tangent, [BINDING_RESULTS] = k->results,
        [BINDING_SUMS] = k->sums};
    weft_binding bindings[BINDING_COUNT] = {0};
    uint32_t count = 0;
    if (k->kernel->program.entries.len == 0)
        return true;
    for (int i = 0; i < BINDING_COUNT; i++)
        if (k->kernel->text.bound[i])
            bindings[count++].buffer = buffers[i];
    uint32_t groups = (l->mode == KERNEL_RUNS ? l->owners : l->slots) / EMIT_GROUP;
    uint32_t across = EMIT_STRIDE / EMIT_GROUP, rows = (groups + across - 1) / across;
    context_count(part->ctx, "grad.dispatches", "count", 1);
    context_count(part->ctx, "grad.instances", "count", part->count);
    bool large = k->kernel->how.large;
    return weft_context_dispatch(part->ctx, &(weft_dispatch){
        .pipeline = k->kernel->pipeline, .bindings = bindings, .binding_count = count,
        .groups = {large ? across : groups, large ? rows : 1, 1}});
}

static bool device_sums(const weft_grad_batch *b, const Part *part)
{
    return b->precision != WEFT_GRAD_MIXED || part->sums_f64;
}

/* Sums that the caller wants on the host. */
static bool run_sums(weft_grad_batch *b, Part *part, PartKernel *k, const weft_grad_evaluation *e)
{
    weft_buffer *from = b->layout == WEFT_GRAD_AUTO ? k->sums : k->results;
    bool wide = part->sums_f64, device = device_sums(b, part);
    if (e->gradient && (!part_plan_gradient(b, part, k) ||
                        (device && !sums_run(&k->gradient, part->ctx, from, wide))))
        return false;
    if (e->normal && (!part_plan_normal(b, part, k) ||
                      (device && !sums_run(&k->normal, part->ctx, from, wide))))
        return false;
    return !e->cost || (part_plan_cost(b, part, k) &&
                        (!device || sums_run(&k->cost, part->ctx, from, wide)));
}

static bool start(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    uint32_t products = batch_products(e);
    for (uint32_t i = 0; i < b->part_count; i++) {
        Part *part = &b->parts[i];
        PartKernel *k = part_kernel(b, part, products, e->weighting);
        uint64_t begin = clock_ns();
        if (!k || !upload(b, part, k, e))
            return false;
        context_count(part->ctx, "grad.upload_ns", "ns", clock_ns() - begin);
        begin = clock_ns();
        if (!dispatch(part, k) || !run_sums(b, part, k, e) || !weft_context_submit(part->ctx))
            return false;
        context_count(part->ctx, "grad.run_ns", "ns", clock_ns() - begin);
        part->last = k;
    }
    return true;
}

/* ---- reads ---- */

typedef enum ReadKind {
    READ_RESULTS, READ_GRADIENT, READ_NORMAL, READ_COST, READ_ALL_SUMS
} ReadKind;

typedef struct Read {
    weft_grad_batch *b;
    Part            *part;
    ReadKind         kind;
    weft_buffer     *buffer;
    uint64_t         size;
    const weft_grad_evaluation *e;
} Read;

#define READS 4u                    /* most of one part                                     */

static void to_double(double *out, const void *data, uint64_t count, bool f64)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = f64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static bool add_sums(const Read *r, Sums *s, ReadKind kind, const void *data, bool summed)
{
    double *sums = malloc((s->targets + 1u) * sizeof *sums);
    bool ok = sums != NULL;
    if (ok && summed)
        to_double(sums, data, s->targets, r->part->sums_f64);
    else if (ok)
        ok = sums_host(sums, s, data, r->part->sums_f64);
    if (ok && kind == READ_GRADIENT)
        part_add_gradient(r->b, r->part->last, r->e->gradient, sums);
    else if (ok && kind == READ_NORMAL)
        part_add_normal(r->b, r->part->last, r->e->normal, sums);
    else if (ok && s->targets > 0)
        *r->e->cost += sums[0];
    free(sums);
    return ok || context_fail(r->b->ctx, WEFT_ERROR_MEMORY, "%s: no memory for sums", r->b->label);
}

static bool deliver(const Read *r, const void *data)
{
    PartKernel *k = r->part->last;
    const weft_grad_evaluation *e = r->e;
    context_count(r->part->ctx, "grad.download_bytes", "bytes", r->size);
    switch (r->kind) {
    case READ_RESULTS:  part_unpack(r->b, r->part, k, e, data); return true;
    case READ_GRADIENT: return add_sums(r, &k->gradient, READ_GRADIENT, data, true);
    case READ_NORMAL:   return add_sums(r, &k->normal, READ_NORMAL, data, true);
    case READ_COST:     return add_sums(r, &k->cost, READ_COST, data, true);
    case READ_ALL_SUMS:
        return (!e->gradient || add_sums(r, &k->gradient, READ_GRADIENT, data, false)) &&
               (!e->normal || add_sums(r, &k->normal, READ_NORMAL, data, false)) &&
               (!e->cost || add_sums(r, &k->cost, READ_COST, data, false));
    }
    return false;
}

/* The reads of one part, at most READS. */
static uint32_t plan_reads(Read *reads, weft_grad_batch *b, Part *part,
                           const weft_grad_evaluation *e)
{
    PartKernel *k = part->last;
    uint32_t count = 0;
    uint64_t sum = part->sums_f64 ? 8 : 4;
    Read base = {.b = b, .part = part, .e = e};
#define ADD(KIND, BUFFER, SIZE)                                                              \
    do {                                                                                     \
        reads[count] = base;                                                                 \
        reads[count].kind = (KIND);                                                          \
        reads[count].buffer = (BUFFER);                                                      \
        reads[count++].size = (SIZE);                                                        \
    } while (0)
    /* Without a buffer all derivatives are constants. */
    if ((e->values || e->jacobian || e->directional) && !k->results)
        part_unpack(b, part, k, e, NULL);
    else if (e->values || e->jacobian || e->directional)
        ADD(READ_RESULTS, k->results, weft_buffer_size(k->results));
    if (!device_sums(b, part) && (e->gradient || e->normal || e->cost)) {
        weft_buffer *all = k->sums ? k->sums : k->results;
        ADD(READ_ALL_SUMS, all, weft_buffer_size(all));
        return count;
    }
    if (e->gradient && k->gradient.targets > 0)
        ADD(READ_GRADIENT, sums_result(&k->gradient), k->gradient.targets * sum);
    if (e->normal && k->normal.targets > 0)
        ADD(READ_NORMAL, sums_result(&k->normal), k->normal.targets * sum);
    if (e->cost && k->cost.targets > 0)
        ADD(READ_COST, sums_result(&k->cost), k->cost.targets * sum);
#undef ADD
    return count;
}

static bool clear_results(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    weft_grad_normal normal;
    if (e->gradient)
        memset(e->gradient, 0, b->parameter_count * sizeof *e->gradient);
    if (e->cost)
        *e->cost = 0;
    if (e->normal) {
        if (!weft_grad_batch_normal(&normal, b))
            return false;
        memset(e->normal, 0, normal.entries * sizeof *e->normal);
    }
    return true;
}

/* The results of all parts, waiting for each. */
static bool read_parts(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    for (uint32_t i = 0; i < b->part_count; i++) {
        Part *part = &b->parts[i];
        Read reads[READS];
        uint32_t count = plan_reads(reads, b, part, e);
        uint64_t begin = clock_ns();
        for (uint32_t r = 0; r < count; r++) {
            void *data = staging(part, reads[r].size);
            if (!data || !weft_buffer_read(data, reads[r].buffer, 0, reads[r].size) ||
                !deliver(&reads[r], data))
                return false;
        }
        if (count == 0 && !weft_context_wait(part->ctx))
            return false;
        context_count(part->ctx, "grad.download_ns", "ns", clock_ns() - begin);
    }
    return true;
}

bool batch_dispatch(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    return start(b, e) && clear_results(b, e) && read_parts(b, e);
}

/* ---- later ---- */

typedef struct Later {
    weft_grad_batch     *b;         /* a reference                                          */
    weft_grad_evaluation e;
    weft_done_callback   callback;
    void                *user;
    bool                 ok;        /* of results that were there at once                   */
    bool                 read;      /* results of several parts must be read                */
    Read                 reads[READS];
    uint32_t             count;
    weft_buffer         *together;  /* all reads one after the other                        */
} Later;

static void finish(Later *later, bool ok)
{
    weft_grad_batch *b = later->b;
    b->busy = false;
    if (later->callback)
        later->callback(later->user, ok);
    weft_buffer_release(later->together);
    free(later);
    weft_grad_batch_release(b);
}

static void on_read(void *user, bool ok, const void *data, uint64_t size)
{
    Later *later = user;
    const char *at = data;
    (void)size;
    for (uint32_t i = 0; ok && i < later->count; i++) {
        ok = deliver(&later->reads[i], at);
        at += later->reads[i].size;
    }
    finish(later, ok);
}

static void on_done(void *user, bool ok)
{
    Later *later = user;
    finish(later, ok && later->ok && (!later->read || read_parts(later->b, &later->e)));
}

/* One read for all results of the only part: one future. */
static WGPUFuture read_together(Later *later)
{
    weft_context *ctx = later->b->ctx;
    uint64_t size = 0, at = 0;
    for (uint32_t i = 0; i < later->count; i++)
        size += later->reads[i].size;
    later->together = make_buffer(ctx, size, NULL, "results to read");
    bool ok = later->together != NULL;
    for (uint32_t i = 0; ok && i < later->count; i++) {
        ok = weft_buffer_copy(later->together, at, later->reads[i].buffer, 0, later->reads[i].size);
        at += later->reads[i].size;
    }
    if (ok)
        return weft_buffer_read_async(later->together, 0, size, on_read, later);
    finish(later, false);
    return (WGPUFuture){0};
}

static WGPUFuture start_reads(Later *later)
{
    weft_grad_batch *b = later->b;
    if (b->path != BATCH_IMMEDIATE && b->part_count == 1)
        later->count = plan_reads(later->reads, b, &b->parts[0], &later->e);
    else
        later->read = b->path != BATCH_IMMEDIATE && b->count > 0;
    b->busy = true;
    if (later->count > 0)
        return read_together(later);
    if (weft_context_device(b->ctx))
        return weft_context_done_async(b->ctx, on_done, later);
    on_done(later, true);
    return (WGPUFuture){0};
}

/* ---- public ---- */

uint32_t batch_products(const weft_grad_evaluation *e)
{
    uint32_t products = e->products & 31u;
    products |= e->values ? WEFT_GRAD_VALUES : 0u;
    products |= e->jacobian ? WEFT_GRAD_JACOBIAN : 0u;
    products |= e->gradient ? WEFT_GRAD_GRADIENT : 0u;
    products |= e->normal ? WEFT_GRAD_NORMAL : 0u;
    products |= e->directional ? WEFT_GRAD_TANGENT : 0u;
    products |= e->cost ? PRODUCT_COST : 0u;
    if (products & WEFT_GRAD_NORMAL)
        products |= WEFT_GRAD_GRADIENT;
    return products;
}

static bool check(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    if (!b)
        return false;
    if (!e || (!e->x && b->parameter_count > 0))
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: the parameters are NULL", b->label);
    if (b->busy)
        return context_fail(b->ctx, WEFT_ERROR_INVALID,
                            "%s: an asynchronous evaluation is under way", b->label);
    if ((uint32_t)e->weighting > WEFT_GRAD_GIVEN || e->products & ~31u)
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: unknown weighting or products",
                            b->label);
    uint32_t products = batch_products(e);
    if (products == 0)
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: nothing to compute: set a result or "
                            "products", b->label);
    if (e->weighting == WEFT_GRAD_GIVEN && !e->weights && b->count > 0 &&
        products & (WEFT_GRAD_GRADIENT | PRODUCT_COST))
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: the weights are NULL", b->label);
    if (products & WEFT_GRAD_TANGENT && !e->tangent && b->parameter_count > 0)
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: the tangent is NULL", b->label);
    return true;
}

bool weft_grad_batch_evaluate(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    if (!check(b, e) || !batch_decide(b, e))
        return false;
    context_count(b->ctx, "grad.evaluations", "count", 1);
    if (b->count == 0)
        return clear_results(b, e);
    return b->path == BATCH_IMMEDIATE ? clear_results(b, e) && batch_immediate(b, e)
                                      : batch_dispatch(b, e);
}

static bool evaluate_or_start(weft_grad_batch *b, const weft_grad_evaluation *e)
{
    context_count(b->ctx, "grad.evaluations", "count", 1);
    if (b->count == 0)
        return clear_results(b, e);
    if (b->path == BATCH_IMMEDIATE)
        return clear_results(b, e) && batch_immediate(b, e);
    return start(b, e) && clear_results(b, e);
}

WGPUFuture weft_grad_batch_evaluate_async(weft_grad_batch *b, const weft_grad_evaluation *e,
                                          weft_done_callback callback, void *user)
{
    Later *later = check(b, e) && batch_decide(b, e) ? calloc(1, sizeof *later) : NULL;
    if (!later || !evaluate_or_start(b, e)) {
        free(later);
        if (callback)
            callback(user, false);
        return (WGPUFuture){0};
    }
    *later = (Later){.b = weft_grad_batch_retain(b), .e = *e, .callback = callback, .user = user,
                     .ok = true};
    return start_reads(later);
}

bool weft_grad_batch_prepare(weft_grad_batch *b, uint32_t products, weft_grad_weights weights)
{
    if (!b)
        return false;
    if (products & ~31u || (uint32_t)weights > WEFT_GRAD_GIVEN || products == 0)
        return context_fail(b->ctx, WEFT_ERROR_INVALID, "%s: unknown products or weights",
                            b->label);
    if (products & WEFT_GRAD_NORMAL)
        products |= WEFT_GRAD_GRADIENT;
    if (b->count == 0)
        return true;
    if (!batch_settle(b, products, weights))
        return false;
    if (b->path == BATCH_IMMEDIATE)
        return true;
    for (uint32_t i = 0; i < b->part_count; i++)
        if (!part_kernel(b, &b->parts[i], products, weights))
            return false;
    return true;
}
