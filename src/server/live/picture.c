// SPDX-License-Identifier: Apache-2.0
/*
 * picture.c - vectors go to their process; its map and projection become messages.
 *
 * in     batches; answers of the process
 * out    additions; som_update
 * knows  what the process answers
 * not    processes
 */
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

/* ---- additions ---- */

static void on_added(Live *l, EngineCall *call, const EngineAnswer *a)
{
    Space *s = call->space;
    Unpack u = a->data;
    bool   lost = a->kind == WEFT_ERROR_DEVICE_LOST;
    s->coming -= MIN_OF(call->coming, s->coming);
    if (a->kind == WEFT_ERROR_NONE && call->number > s->cleared_seq) {
        uint64_t count = unpack_u64(&u);
        /* while it is fed again, the index has fewer than there are */
        s->count = s->feed ? MAX_OF(count, s->count) : count;
        s->indexed_seq = call->number;
        s->changed = true;
        if (call->receipt)
            call->receipt->total = s->count;
    }
    /* What was lost with the process is kept, and comes again. */
    if (lost && call->number > s->cleared_seq)
        s->count += call->coming;
    bool ok = a->kind == WEFT_ERROR_NONE || lost;
    if (!ok)
        log_event(l->desc.log, LOG_ERROR, "vectors", a->message, "weft.tenant", s->tenant, NULL);
    receipt_end(l, call->receipt, ok ? WEFT_ERROR_NONE : a->kind, a->message);
    if (s->feed)
        keep_feed_more(l, s);
}

/* `coming`: how many of the rows do not count yet. */
static void add(Live *l, Space *s, const Batch *b, bool learn, uint64_t coming, Receipt *r)
{
    Pack p = {0};
    pack_u32(&p, b->dimension);
    pack_u32(&p, b->count);
    pack_u32(&p, learn);
    pack_text(&p, b->labels ? b->labels : "");
    pack_bytes(&p, b->ids, (uint64_t)b->count * sizeof *b->ids);
    pack_bytes(&p, b->data, (uint64_t)b->count * b->dimension * sizeof *b->data);
    if (p.failed) {
        pack_fini(&p);
        receipt_end(l, r, WEFT_ERROR_MEMORY, "out of memory");
        return;
    }
    s->coming += coming;
    engine_call(l->engine, &(EngineCall){.op = ENGINE_ADD, .space = s, .data = p, .receipt = r,
                                         .number = b->seq, .coming = coming, .ordered = true,
                                         .done = on_added});
}

void engine_feed(Live *l, Space *s, const Batch *b, bool learn)
{
    add(l, s, b, learn, 0, NULL);
}

void engine_ready(Live *l, Space *s)
{
    uint32_t generation = engine_generation(l->engine);
    if (s->fed == generation)
        return;
    s->fed = generation;
    s->showing = false;
    s->indexed_seq = 0;
    s->fed_seq = s->batch_seq;
    keep_feed(l, s);
}

void engine_add(Live *l, Space *s, const Batch *b, Receipt *r)
{
    if (s->feed) {                      /* it comes at the end of what is kept */
        s->count += b->count;
        receipt_end(l, r, WEFT_ERROR_NONE, "");
    } else {
        Event *e = space_event(s, b->seq);
        if (e)
            e->fed = s->fed;
        add(l, s, b, true, b->count, r);
    }
}

/* ---- pictures ---- */

static void put_doubles(Text *out, const char *const *names, const double *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s\"%s\":%.6g", i ? "," : "", names[i], values[i]);
}

static void put_map(Text *out, Unpack *u)
{
    static const char *const names[] = {"quantisation_error", "topographic_error",
                                        "explained_variance"};
    uint32_t       shape[4];
    double         quality[3];
    uint64_t       umatrix_size, hits_size;
    for (int i = 0; i < 4; i++)
        shape[i] = unpack_u32(u);
    for (int i = 0; i < 3; i++) {
        const void *d = unpack_raw(u, sizeof(double));
        quality[i] = 0;
        if (d)
            memcpy(&quality[i], d, sizeof quality[i]);
    }
    const uint8_t  *umatrix = unpack_bytes(u, &umatrix_size), *hits = unpack_bytes(u, &hits_size);
    const uint32_t *units = (const uint32_t *)(const void *)hits;
    text_printf(out, ",\"width\":%u,\"height\":%u,\"grid\":\"%s\",\"toroidal\":%s,\"quality\":{",
                shape[0], shape[1], shape[2] ? "square" : "hexagonal",
                shape[3] ? "true" : "false");
    put_doubles(out, names, quality, 3);
    text_add(out, STR("},\"umatrix\":"));
    put_numbers(out, (const float *)(const void *)umatrix, umatrix_size / 4);
    text_add(out, STR(",\"hits\":["));
    for (uint64_t i = 0; i < hits_size / 4; i++)
        text_printf(out, "%s%u", i ? "," : "", units[i]);
    text_char(out, ']');
}

static void put_projection(Text *out, Unpack *u, uint32_t dimension)
{
    uint64_t       count = unpack_u64(u), share_size, axes_size, mean_size;
    const uint8_t *share = unpack_bytes(u, &share_size), *axes = unpack_bytes(u, &axes_size);
    const uint8_t *mean = unpack_bytes(u, &mean_size);
    text_printf(out, ",\"projection\":{\"count\":%llu,\"share\":", (unsigned long long)count);
    put_numbers(out, (const float *)(const void *)share, share_size / 4);
    text_add(out, STR(",\"axes\":["));
    for (uint64_t i = 0; dimension && i < axes_size / 4 / dimension; i++) {
        text_add(out, i ? STR(",") : STR(""));
        put_numbers(out, (const float *)(const void *)axes + i * dimension, dimension);
    }
    text_add(out, STR("],\"mean\":"));
    put_numbers(out, (const float *)(const void *)mean, mean_size / 4);
    text_char(out, '}');
}

void picture_put(Live *l, Text *out, Unpack *u)
{
    uint64_t count = unpack_u64(u);
    uint32_t dimension = unpack_u32(u), lists = unpack_u32(u);
    const void *d = unpack_raw(u, sizeof(double));
    double      recall = 1;
    if (d)
        memcpy(&recall, d, sizeof recall);
    text_printf(out, "\"count\":%llu,\"dimension\":%u,\"normalised\":%s,"
                "\"index\":{\"lists\":%u,\"recall\":%.4g}", (unsigned long long)count, dimension,
                l->no_zeros ? "true" : "false", lists, recall);
    put_map(out, u);
    put_projection(out, u, dimension);
    text_add(out, STR(",\"timestamp\":"));
    put_time(out, live_now());
}

static void on_shown(Live *l, EngineCall *call, const EngineAnswer *a)
{
    Space *s = call->space;
    Unpack u = a->data;
    s->showing = false;
    if (a->kind != WEFT_ERROR_NONE || !s->dimension)
        return;
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_add(&text, STR("{\"type\":\"som_update\","));
    picture_put(l, &text, &u);
    text_char(&text, '}');
    if (!u.failed) {
        send_text(l, s, CHANNEL_SOM, text.data, text.len, NULL);
        free(s->som);
        s->som = strndup(text.data, text.len);
    }
    arena_fini(&arena);
}

void engine_refresh(Live *l, Space *s, uint64_t now)
{
    if (!s->loaded || !s->dimension)
        return;
    engine_ready(l, s);
    if (s->feed)
        keep_feed_more(l, s);
    if (!s->changed || s->showing || !s->listeners[CHANNEL_SOM]
        || now - s->shown_ns < l->desc.config->vectors_update)
        return;
    s->changed = false;
    s->showing = true;
    s->shown_ns = now;
    engine_call(l->engine, &(EngineCall){.op = ENGINE_SHOW, .space = s, .done = on_shown});
}
