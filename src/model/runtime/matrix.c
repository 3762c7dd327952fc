// SPDX-License-Identifier: Apache-2.0
/*
 * matrix.c - matrices and vectors of weights in device memory.
 *
 * in     tensors of a file
 * out    buffers: matrices repacked, in parts that fit a binding; vectors as f32
 * knows  limits of bindings
 * not    what a tensor is for (weights.c)
 */
#include "model/gguf.h"
#include "model/runtime/runtime_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGING ((uint64_t)4 << 20)     /* bytes of weights repacked at a time     */

static bool progress(Loader *l, uint64_t bytes)
{
    l->done += bytes;
    if (l->progress && !l->progress(l->user, l->done, l->total))
        return context_fail(l->ctx, WEFT_ERROR_CANCELLED, "loading the model was cancelled");
    return true;
}

/* One block of memory for all that is loaded: fresh memory is slow. */
static void *loader_room(Loader *l, uint64_t bytes)
{
    if (bytes > l->room_size) {
        free(l->room);
        l->room = malloc(bytes);
        l->room_size = l->room ? bytes : 0;
    }
    return l->room;
}

/* ---- a part: rows of tensors that lie one below the other ---- */

typedef struct Source {
    const weft_gguf_tensor *tensor;
    const uint8_t *data;
    uint64_t       row_bytes;
    uint64_t       rows;                /* of one expert, or of the whole tensor   */
    uint64_t       start;               /* where they begin; a multiple of 16      */
} Source;

/* Tensors of one format: the same rows of each expert lie together. */
typedef struct PartJob {
    Loader     *l;
    MatrixPart *part;
    uint32_t    k;
    Source      sources[3];
    uint32_t    nsources;
    uint64_t    padded;                 /* rows of one expert of all of them       */
    uint64_t    total;                  /* rows of all experts                     */
    float       unit;                   /* what scales are multiplied with         */
} PartJob;

/* With `memory` the buffer is mapped there. */
static weft_buffer *words_buffer(const PartJob *j, uint64_t words, uint32_t **memory)
{
    void *mapped = NULL;
    j->l->device_bytes += words * 4;
    if (j->l->measure || words == 0)
        return NULL;
    if (!memory)
        return weft_buffer_create(j->l->ctx, &(weft_buffer_desc){
            .size = words * 4, .uninitialized = true, .label = j->part->name});
    weft_buffer *b = context_mapped_buffer(j->l->ctx, words * 4, &mapped);
    *memory = mapped;
    return b;
}

static bool part_buffers(const PartJob *j, RowWords n, RepackJob *mapped)
{
    MatrixPart *p = j->part;
    uint64_t rows = p->rows;
    p->weights = words_buffer(j, rows * n.weights, mapped ? &mapped->weights : NULL);
    p->scales = words_buffer(j, rows * n.scales, mapped ? &mapped->scales : NULL);
    p->least = words_buffer(j, rows * n.least, mapped ? &mapped->least : NULL);
    return j->l->measure || (p->weights && (p->scales || !n.scales) && (p->least || !n.least));
}

/* Rows of different experts or tensors are never in one group. */
static void group_rows(RepackJob *job, const PartJob *j, uint64_t group)
{
    uint64_t first = j->part->begin + group * 16;
    uint64_t expert = first / j->padded, at = first % j->padded;
    uint32_t i = j->nsources - 1;
    while (at < j->sources[i].start)
        i--;
    const Source *s = &j->sources[i];
    job->type = s->tensor->type;
    for (uint32_t lane = 0; lane < 16; lane++) {
        uint64_t row = at - s->start + lane;
        job->rows[lane] = row < s->rows ? s->data + (expert * s->rows + row) * s->row_bytes : NULL;
    }
}

/* A share of the groups: every `step`th from `start` on. */
typedef struct Share {
    const PartJob *j;
    RepackJob      job;
    RowWords       n;
    uint64_t       first, count;
    uint32_t       start, step;
} Share;

static void repack_share(void *context)
{
    Share    *s = context;
    RepackJob job = s->job;
    for (uint64_t g = s->start; g < s->count; g += s->step) {
        group_rows(&job, s->j, s->first + g);
        job.weights = s->job.weights + g * 16 * s->n.weights;
        job.scales = s->job.scales + g * 16 * s->n.scales;
        job.least = s->job.least + g * 16 * s->n.least;
        repack_group(&job);
    }
}

/* Repacks `count` groups of 16 rows from `first` on, on all cores. */
static void repack_groups(const PartJob *j, const RepackJob *job, RowWords n, uint64_t first,
                          uint64_t count)
{
    Share    shares[WORKERS_MOST];
    void    *contexts[WORKERS_MOST];
    uint32_t threads = workers_count();
    for (uint32_t i = 0; i < threads; i++) {
        shares[i] = (Share){j, *job, n, first, count, i, threads};
        shares[i].job.scratch = job->scratch + (uint64_t)i * (j->k + 256);
        contexts[i] = &shares[i];
    }
    workers_run(repack_share, contexts, threads);
}

static bool write_groups(const PartJob *j, const RepackJob *job, RowWords n, uint64_t first,
                         uint64_t count)
{
    uint32_t *weights = job->weights, *scales = job->scales, *least = job->least;
    const MatrixPart *p = j->part;
    uint64_t at = first * 16 * 4, rows = count * 16 * 4;
    bool ok = weft_buffer_write(p->weights, at * n.weights, weights, rows * n.weights);
    ok = ok && (!n.scales || weft_buffer_write(p->scales, at * n.scales, scales, rows * n.scales));
    return ok && (!n.least || weft_buffer_write(p->least, at * n.least, least, rows * n.least));
}

static uint64_t file_bytes(const PartJob *j, uint64_t rows)
{
    return rows * j->sources[0].row_bytes;
}

static bool part_fill(const PartJob *j)
{
    RowWords n = repack_words(j->part->format, j->k);
    uint64_t all = n.weights + n.scales + n.least, groups = j->part->rows / 16;
    uint64_t at_once = STAGING / (all * 64) ? STAGING / (all * 64) : 1;
    uint64_t floats = (j->k + 256ull) * workers_count();
    uint32_t *words = loader_room(j->l, (at_once * all * 16 + floats) * 4);
    if (!words)
        return context_fail(j->l->ctx, WEFT_ERROR_MEMORY, "no memory to load '%s'", j->part->name);
    RepackJob job = {
        .format = j->part->format, .k = j->k, .unit = j->unit, .weights = words,
        .scales = words + at_once * 16 * n.weights,
        .least = words + at_once * 16 * (n.weights + n.scales),
        .scratch = (float *)(words + at_once * 16 * all),
    };
    for (uint64_t g = 0; g < groups; g += at_once) {
        uint64_t count = groups - g < at_once ? groups - g : at_once;
        repack_groups(j, &job, n, g, count);
        if (!write_groups(j, &job, n, g, count) || !progress(j->l, file_bytes(j, count * 16)))
            return false;
    }
    return true;
}

/* The same into mapped buffers. */
static bool part_fill_mapped(const PartJob *j, RepackJob job)
{
    RowWords n = repack_words(j->part->format, j->k);
    uint64_t groups = j->part->rows / 16, at_once = STAGING / (n.weights * 64 + 64) + 1;
    bool     ok = true;
    job.format = j->part->format;
    job.k = j->k;
    job.unit = j->unit;
    job.scratch = loader_room(j->l, (j->k + 256ull) * workers_count() * sizeof(float));
    if (!job.scratch)
        ok = context_fail(j->l->ctx, WEFT_ERROR_MEMORY, "no memory to load '%s'", j->part->name);
    for (uint64_t g = 0; g < groups && ok; g += at_once) {
        uint64_t  count = groups - g < at_once ? groups - g : at_once;
        RepackJob here = job;
        here.weights += g * 16 * n.weights;
        here.scales += g * 16 * n.scales;
        here.least += g * 16 * n.least;
        repack_groups(j, &here, n, g, count);
        ok = progress(j->l, file_bytes(j, count * 16));
    }
    weft_buffer *all[] = {j->part->weights, j->part->scales, j->part->least};
    for (size_t i = 0; i < COUNTOF(all); i++)
        if (all[i])
            context_unmap(all[i]);
    return ok;
}

/* On the CPU device the mapped memory is the buffer's own. */
static bool maps_buffers(weft_context *ctx)
{
    return strcmp(weft_context_device(ctx)->backend, "cpu") == 0;
}

static bool part_make(const PartJob *j)
{
    RepackJob mapped = {0};
    RowWords  n = repack_words(j->part->format, j->k);
    bool      maps = !j->l->measure && maps_buffers(j->l->ctx);
    if (!part_buffers(j, n, maps ? &mapped : NULL))
        return false;
    return j->l->measure || (maps ? part_fill_mapped(j, mapped) : part_fill(j));
}

/* ---- tensors in parts that fit bindings ---- */

static uint64_t most_rows(const Loader *l, WeightFormat format, uint32_t k)
{
    const weft_device_info *d = weft_context_device(l->ctx);
    uint64_t limit = d->limits.maxStorageBufferBindingSize, buffer = d->limits.maxBufferSize;
    uint64_t bytes = (limit < buffer ? limit : buffer) & ~(uint64_t)255;
    uint64_t rows = bytes / ((uint64_t)repack_words(format, k).weights * 4) / 16 * 16;
    return rows < (uint64_t)65535 * 16 ? rows : (uint64_t)65535 * 16;
}

bool matrix_scale(float *out, weft_context *ctx, const weft_gguf *file, const weft_gguf_tensor *t)
{
    char   name[128];
    size_t len = strlen(t->name);
    static const char end[] = ".weight";
    *out = 1;
    if (len < sizeof end || len >= sizeof name || strcmp(t->name + len - (sizeof end - 1), end))
        return true;
    snprintf(name, sizeof name, "%.*s.scale", (int)(len - (sizeof end - 1)), t->name);
    const weft_gguf_tensor *scale = weft_gguf_tensor_find(file, name);
    if (!scale)
        return true;
    for (uint64_t i = 0; i < scale->elements; i++) {    /* one for each expert */
        float one;
        if (!weft_gguf_read(&one, file, scale, i, 1))
            return false;
        if (!isfinite(one))
            return context_fail(ctx, WEFT_ERROR_FORMAT, "a number of '%s' is not finite", name);
        if (i && one != *out)
            return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                                "the numbers of '%s' are not all the same", name);
        *out = one;
    }
    return true;
}

/* Adds a part to the matrix, perhaps only half made: it is released with the matrix. */
static bool add_part(Matrix *m, PartJob *job, MatrixPart part)
{
    Loader *l = job->l;
    job->part = &part;
    bool ok = part_make(job);
    MatrixPart *parts = ARENA_ARRAY(l->arena, MatrixPart, m->nparts + 1);
    for (uint32_t i = 0; i < m->nparts; i++)
        parts[i] = m->parts[i];
    parts[m->nparts++] = part;
    m->parts = parts;
    return ok;
}

static bool add_parts(Matrix *m, PartJob *job, float scale)
{
    WeightFormat format = repack_format(job->sources[0].tensor->type);
    uint64_t most = most_rows(job->l, format, m->k);
    if (most == 0)
        return context_fail(job->l->ctx, WEFT_ERROR_UNSUPPORTED,
                            "a row of '%s' does not fit a binding of this device",
                            job->sources[0].tensor->name);
    for (uint64_t begin = 0; begin < job->total; begin += most) {
        uint64_t rows = job->total - begin < most ? job->total - begin : most;
        MatrixPart part = {
            .name = job->sources[0].tensor->name, .format = format, .begin = begin,
            .first = m->stride + (m->experts ? 0 : (uint32_t)begin), .rows = (uint32_t)rows,
            .expert_rows = m->experts ? (uint32_t)job->padded : 0, .unit = scale / job->unit,
        };
        if (!add_part(m, job, part))
            return false;
    }
    for (uint32_t i = 0; i < job->nsources && !job->l->measure; i++)
        gguf_forget(job->l->file, job->sources[i].tensor);
    m->stride += (uint32_t)job->padded;
    return true;
}

/* ---- tensors one below the other ---- */

static bool check_tensor(const Matrix *m, const Loader *l, const weft_gguf_tensor *t)
{
    if (t->shape[0] != m->k)
        return context_fail(l->ctx, WEFT_ERROR_FORMAT, "rows of '%s' are not %u long", t->name,
                            m->k);
    if (repack_format(t->type) == FORMAT_COUNT || t->elements == 0)
        return context_fail(l->ctx, WEFT_ERROR_UNSUPPORTED,
                            "'%s' has the type %s, which cannot be run", t->name,
                            weft_gguf_type_name(t->type));
    if (!l->measure && !weft_gguf_data(l->file, t))
        return context_fail(l->ctx, WEFT_ERROR_FORMAT, "the data of '%s' cannot be read", t->name);
    return true;
}

/* Adds a tensor to a job of others of its format. */
static void add_source(Matrix *m, PartJob *job, const weft_gguf_tensor *t)
{
    uint64_t all = t->shape[1] * t->shape[2] * t->shape[3];
    Source s = {
        .tensor = t, .data = job->l->measure ? NULL : weft_gguf_data(job->l->file, t),
        .row_bytes = m->k / weft_gguf_type_elements(t->type) * weft_gguf_type_bytes(t->type),
        .rows = m->experts ? t->shape[1] : all, .start = job->padded,
    };
    float unit = job->l->measure ? 1 : repack_unit(t->type, s.data, all, m->k);
    job->unit = job->nsources == 0 || unit < job->unit ? unit : job->unit;
    job->sources[job->nsources++] = s;
    job->padded += (s.rows + 15) / 16 * 16;
    job->total = job->padded * (m->experts ? m->experts : 1);
    m->starts[m->ntensors] = m->stride + (uint32_t)s.start;
    m->tensors[m->ntensors++] = t;
    m->rows += (uint32_t)s.rows;
}

bool matrix_load(Matrix *out, Loader *l, const weft_gguf_tensor *const *tensors, uint32_t count,
                 uint32_t experts)
{
    Matrix m = {.k = (uint32_t)tensors[0]->shape[0], .experts = experts};
    m.padded_k = (m.k + 31) / 32 * 32;
    bool ok = true;
    for (uint32_t i = 0; i < count && ok;) {
        PartJob job = {.l = l, .k = m.k};
        float   scale = 1, other = 1;
        ok = check_tensor(&m, l, tensors[i]) &&
             (l->measure || matrix_scale(&scale, l->ctx, l->file, tensors[i]));
        while (ok && i < count && repack_format(tensors[i]->type) ==
                                      repack_format(tensors[i - job.nsources]->type)) {
            ok = check_tensor(&m, l, tensors[i]) &&
                 (l->measure || matrix_scale(&other, l->ctx, l->file, tensors[i]));
            if (!ok || (!l->measure && other != scale))
                break;
            add_source(&m, &job, tensors[i++]);
        }
        ok = ok && add_parts(&m, &job, scale);
    }
    *out = m;                           /* what was made is released with it */
    return ok;
}

void matrix_release(Matrix *m)
{
    for (uint32_t i = 0; i < m->nparts; i++) {
        weft_buffer_release(m->parts[i].weights);
        weft_buffer_release(m->parts[i].scales);
        weft_buffer_release(m->parts[i].least);
    }
    *m = (Matrix){0};
}

/* ---- vectors ---- */

bool vector_load(weft_buffer **out, Loader *l, const weft_gguf_tensor *t)
{
    l->device_bytes += t->elements * 4;
    if (l->measure)
        return true;
    float *values = malloc((t->elements + 1) * sizeof *values);
    bool   ok = values && weft_gguf_read(values, l->file, t, 0, t->elements);
    if (!values)
        context_fail(l->ctx, WEFT_ERROR_MEMORY, "no memory to load '%s'", t->name);
    if (ok)
        *out = weft_buffer_create(l->ctx, &(weft_buffer_desc){
            .data = values, .data_size = t->elements * sizeof *values, .label = t->name});
    free(values);
    return ok && *out && progress(l, t->size);
}
