// SPDX-License-Identifier: Apache-2.0
/*
 * decode.c - batches of tokens through a model.
 *
 * in     a plan of a batch
 * out    the cache grown by it; logits or hidden states of the rows that are wanted
 * knows  how batches are cut into what the scratch buffers hold
 * not    the layers (forward.c)
 */
#include "model/runtime/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

double seconds_now(void)
{
    return (double)clock_ns() / NS_PER_S;
}

/* ---- one part of a batch: to the devices ---- */

/* What the kernels read of each token, all in one allocation. */
typedef struct Upload {
    uint32_t *ids, *positions, *cells, *spots;
} Upload;

static void fill_upload(const Upload *u, weft_model_session *s, const Item *items, uint32_t rows)
{
    bool sees_all = s->model->params.arch->traits & TRAIT_BIDIRECTIONAL;
    for (uint32_t i = 0; i < rows; i++) {
        const Item *it = &items[i];
        Sequence   *q = &s->sequences[it->sequence];
        q->tokens[it->cell] = it->token;
        q->places[it->cell] = it->position;
        q->length = it->cell + 1;
        q->next = it->position + 1;
        u->ids[i] = (uint32_t)it->token;
        u->positions[i] = it->position;
        u->cells[2 * i] = it->sequence;
        u->cells[2 * i + 1] = it->cell;
    }
    for (uint32_t i = 0; i < rows; i++) {
        const Item *it = &items[i];
        uint32_t length = s->sequences[it->sequence].length;
        uint32_t spot[] = {it->sequence, it->position, sees_all ? length : it->cell + 1, 0};
        memcpy(u->spots + 4 * i, spot, sizeof spot);
    }
}

static bool write_words(weft_buffer *to, const uint32_t *words, size_t count)
{
    return weft_buffer_write(to, 0, words, count * 4);
}

static bool write_places(weft_model_session *s, const Item *items, uint32_t rows)
{
    bool ok = true;
    for (uint32_t i = 0, n; i < rows && ok; i += n) {
        for (n = 1; i + n < rows && items[i + n].sequence == items[i].sequence;)
            n++;                        /* neighbours have neighbouring cells */
        ok = session_write_places(s, items[i].sequence, items[i].cell);
    }
    return ok;
}

static bool upload(weft_model_session *s, const Item *items, uint32_t rows)
{
    uint32_t *w = malloc((size_t)rows * 8 * sizeof *w);
    if (!w)
        return context_fail(s->model->ctx, WEFT_ERROR_MEMORY, "no memory for a batch");
    Upload u = {w, w + rows, w + 2 * rows, w + 4 * rows};
    fill_upload(&u, s, items, rows);
    bool ok = write_words(s->scratch[0].ids, u.ids, rows) &&
              write_words(s->scratch[0].positions, u.positions, rows) &&
              write_places(s, items, rows) && rope_tables(s, u.positions, rows);
    for (uint32_t i = 0; i < s->model->nstages && ok; i++)
        ok = write_words(s->scratch[i].cells, u.cells, 2 * (size_t)rows) &&
             write_words(s->scratch[i].spots, u.spots, 4 * (size_t)rows);
    free(w);
    return ok;
}

/* ---- one part of a batch: the results ---- */

static const Matrix *head_of(const weft_model *m)
{
    return m->weights.tied ? &m->weights.embedding : &m->weights.head;
}

/* Room for the logits of `rows` outputs of a decode. */
static bool reserve_logits(weft_model_session *s, uint32_t rows)
{
    rows = (rows + MOST_TILE - 1) / MOST_TILE * MOST_TILE;
    if (rows <= s->logit_rows)
        return true;
    weft_buffer_release(s->scratch[0].logits);
    s->scratch[0].logits = weft_buffer_create(s->model->stages[0].ctx, &(weft_buffer_desc){
        .size = (uint64_t)rows * head_of(s->model)->stride * 4, .label = "logits"});
    s->logit_rows = s->scratch[0].logits ? rows : 0;
    return s->scratch[0].logits != NULL;
}

static bool record_logits(Batch *b, uint32_t count)
{
    weft_model_session *s = b->s;
    const weft_model   *m = s->model;
    const Matrix *head = head_of(m);
    if (!reserve_logits(s, count))
        return false;
    b->op = OP_HEAD;
    b->rows = count;
    ops_prepare(b, head, b->t->picked, m->params.embedding, 0);
    ops_multiply(b, b->t->logits, head);
    if (m->weights.head_bias)
        ops_add(b, b->t->logits, m->params.vocabulary, head->stride, 0, NULL, 0,
                m->weights.head_bias);
    if (m->params.logit_cap > 0)
        ops_cap(b, b->t->logits, count * head->stride, m->params.logit_cap);
    return !b->failed;
}

/* Records what is wanted of a part, and says what to read. */
static bool record_results(Readback *out, Batch *b, weft_buffer *rows, const Item *items)
{
    weft_model_session *s = b->s;
    const weft_model   *m = s->model;
    uint32_t wanted[MOST_BATCH], count = 0, n = m->params.embedding;
    for (uint32_t i = 0; i < b->rows; i++)
        if (items[i].output)
            wanted[count++] = i;
    *out = (Readback){0};
    if (count == 0)
        return weft_context_submit(m->stages[0].ctx);
    if (!write_words(b->t->rows, wanted, count))
        return false;
    b->op = OP_HEAD;
    ops_pick(b, b->t->picked, rows, b->t->rows, n, count);
    if (!tensors_share_rows(&s->shared_hidden, s->model, "hidden", b->t->picked, count, n, n))
        return false;
    if (s->want_hidden || !m->weights.out_norm) {
        *out = (Readback){b->t->picked, count, n, n, true};
        return !b->failed;
    }
    if (!record_logits(b, count) ||
        !tensors_share_rows(&s->shared_logits, s->model, "logits", b->t->logits, count,
                            head_of(m)->stride, m->params.vocabulary))
        return false;
    *out = (Readback){b->t->logits, count, head_of(m)->stride, m->params.vocabulary, false};
    return true;
}

/* ---- parts of a batch ---- */

bool decode_begin(Decode *d, weft_model_session *s, const weft_model_batch *batch)
{
    *d = (Decode){.s = s, .start = seconds_now()};
    if (!plan_init(&d->plan, s, batch))
        return false;
    s->has_logits = s->has_hidden = false;
    s->outputs = 0;
    return true;
}

bool decode_is_done(const Decode *d)
{
    return d->at == d->plan.count;
}

bool decode_record(Decode *d, Readback *out)
{
    weft_model_session *s = d->s;
    size_t left = d->plan.count - d->at;
    d->rows = left < s->desc.batch ? (uint32_t)left : s->desc.batch;
    const Item *items = d->plan.items + d->at;
    Batch b = {.s = s, .stage = s->model->stages, .t = s->scratch, .rows = d->rows,
               .i8 = s->desc.activations == WEFT_MODEL_PRECISION_INT8};
    if (__atomic_load_n(&s->cancelled, __ATOMIC_ACQUIRE))
        return context_fail(s->model->ctx, WEFT_ERROR_CANCELLED, "the session was cancelled");
    if (!upload(s, items, d->rows))
        return model_fail(s->model);
    weft_buffer *done = forward_run(&b);
    return (done && record_results(out, &b, done, items)) || model_fail(s->model);
}

/* Room for `rows` more rows of n floats after those of the parts before. */
static float *more_rows(Decode *d, const Readback *r)
{
    weft_model_session *s = d->s;
    float **rows = r->hidden ? &s->hidden : &s->logits;
    size_t *room = r->hidden ? &s->hidden_room : &s->logits_room;
    size_t  need = (size_t)(d->outputs + r->rows) * r->n;
    if (need > *room) {
        float *more = realloc(*rows, need * sizeof *more);
        if (!more) {
            context_fail(s->model->ctx, WEFT_ERROR_MEMORY, "no memory for %u rows", r->rows);
            return NULL;
        }
        *rows = more;
        *room = need;
    }
    return *rows + (size_t)d->outputs * r->n;
}

bool decode_take(Decode *d, const Readback *r, const float *data)
{
    if (r->rows) {
        float *to = more_rows(d, r);
        if (!to)
            return false;
        for (uint32_t i = 0; i < r->rows; i++)
            memcpy(to + (size_t)i * r->n, data + (size_t)i * r->stride, r->n * sizeof *to);
        d->outputs += r->rows;
    }
    d->at += d->rows;
    return true;
}

/* On an error sequences are as they were: what was written beyond their ends is not seen. */
static void restore(weft_model_session *s, const Saved *saved)
{
    for (uint32_t i = 0; i < s->desc.sequences; i++) {
        s->sequences[i].length = saved[i].length;
        s->sequences[i].next = saved[i].next;
    }
}

void decode_end(Decode *d, bool ok)
{
    weft_model_session *s = d->s;
    double   seconds = seconds_now() - d->start;
    uint64_t ns = (uint64_t)(seconds * NS_PER_S);
    if (!ok)
        restore(s, d->plan.saved);
    s->outputs = ok ? d->outputs : 0;
    s->has_hidden = ok && (s->want_hidden || !s->model->weights.out_norm);
    s->has_logits = ok && !s->has_hidden;
    if (d->plan.count > 1) {
        s->timings.prompt_seconds += seconds;
        s->timings.prompt_tokens += d->plan.count;
        context_count(s->model->ctx, "model.prompt_ns", "ns", ns);
        context_count(s->model->ctx, "model.prompt_tokens", "count", d->plan.count);
    } else {
        s->timings.decode_seconds += seconds;
        s->timings.decode_tokens += d->plan.count;
        context_count(s->model->ctx, "model.decode_ns", "ns", ns);
        context_count(s->model->ctx, "model.decode_tokens", "count", d->plan.count);
    }
    plan_fini(&d->plan);
}

/* ---- waiting for the device ---- */

static bool read_part(Decode *d, const Readback *r)
{
    uint64_t bytes = readback_bytes(r);
    if (bytes == 0)
        return decode_take(d, r, NULL);
    float *data = malloc(bytes);
    if (!data)
        return context_fail(d->s->model->ctx, WEFT_ERROR_MEMORY, "no memory for %u rows", r->rows);
    bool ok = weft_buffer_read(data, r->buffer, 0, bytes) ? decode_take(d, r, data)
                                                          : model_fail(d->s->model);
    free(data);
    return ok;
}

bool decode_batch(weft_model_session *s, const weft_model_batch *batch, size_t *rows)
{
    Decode   d;
    Readback r;
    if (!decode_begin(&d, s, batch))
        return false;
    bool ok = true;
    while (ok && !decode_is_done(&d))
        ok = decode_record(&d, &r) && read_part(&d, &r);
    decode_end(&d, ok);
    if (rows)
        *rows = s->outputs;
    return ok;
}

/* ---- the call ---- */

bool decode_check(weft_model_session *s, const weft_model_batch *batch)
{
    weft_context *ctx = s->model->ctx;
    if (weft_context_error(ctx)->kind)
        return false;
    if (!batch || (batch->count && !batch->tokens))
        return context_fail(ctx, WEFT_ERROR_INVALID, "no batch was given");
    if (!s->model->info.generates)
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                            "models of the architecture '%s' have no logits",
                            s->model->info.architecture);
    __atomic_store_n(&s->cancelled, 0, __ATOMIC_RELEASE);
    s->want_hidden = false;
    return true;
}

bool weft_model_session_decode(float *logits, size_t *rows, weft_model_session *s,
                               const weft_model_batch *batch)
{
    size_t room = rows ? *rows : 0, found = 0;
    if (!s || !decode_check(s, batch) || !decode_batch(s, batch, &found))
        return false;
    if (rows)
        *rows = found;
    if (logits && room < found)
        return context_fail(s->model->ctx, WEFT_ERROR_INVALID,
                            "there is room for %zu rows of logits, and %zu were asked for", room,
                            found);
    if (logits)
        memcpy(logits, s->logits, found * s->model->params.vocabulary * sizeof *logits);
    return true;
}

const float *weft_model_session_logits(weft_model_session *s, size_t row)
{
    return s && s->has_logits && row < s->outputs
               ? s->logits + row * s->model->params.vocabulary : NULL;
}

const float *weft_model_session_hidden(weft_model_session *s, size_t row)
{
    return s && s->has_hidden && row < s->outputs
               ? s->hidden + row * s->model->params.embedding : NULL;
}
