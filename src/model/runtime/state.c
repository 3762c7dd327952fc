// SPDX-License-Identifier: Apache-2.0
/*
 * state.c - the cache of a session as a file.
 *
 * in     a session, a path
 * out    tokens, positions, keys and values of every sequence; the same read back
 * knows  files
 *
 * The file starts with what it was made for. A file of another model, of another type of
 * cache, or one that is damaged is refused before anything changes.
 */
#include "model/runtime/runtime_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC   0x53465457u             /* "WTFS"                                  */
#define VERSION 2u

typedef struct Head {
    uint32_t magic, version;
    uint64_t model;                     /* of its sizes, types and first weights   */
    uint32_t cache, sequences, layers, kv_heads, key_size, value_size;
} Head;

/* FNV-1a over what tells models apart. */
static uint64_t fingerprint(const weft_model *m)
{
    uint64_t h = 14695981039346656037u;
    weft_gguf_info info = {0};
    weft_gguf_info_get(&info, m->file);
    const weft_gguf_tensor *e = weft_gguf_tensor_find(m->file, "token_embd.weight");
    const uint8_t *data = e ? weft_gguf_data(m->file, e) : NULL;
    uint64_t facts[] = {info.size, info.tensor_size, info.elements, m->params.vocabulary};
    for (size_t i = 0; i < sizeof facts; i++)
        h = (h ^ ((const uint8_t *)facts)[i]) * 1099511628211u;
    for (uint64_t i = 0; data && i < e->size && i < 65536; i++)
        h = (h ^ data[i]) * 1099511628211u;
    return h;
}

static Head head_of(const weft_model_session *s)
{
    const Params *p = &s->model->params;
    return (Head){MAGIC, VERSION, fingerprint(s->model), s->cache, s->desc.sequences,
                  p->layers, p->kv_heads, p->key_size, p->value_size};
}

/* One of the buffers of a layer: rows of `words` for each head and cell. */
typedef struct Piece {
    weft_buffer *buffer;
    uint64_t     at;                    /* words before it in the buffer           */
    uint32_t     words;                 /* of one cell of one head; 0: none        */
    bool         by_word;               /* [cells / CELL_RUN][words][CELL_RUN], in files
                                           [words][cells]; else [cells][words]     */
} Piece;

enum { PIECES = 4 };

static void pieces_of(Piece out[PIECES], const weft_model_session *s, uint32_t layer)
{
    const Params *p = &s->model->params;
    out[0] = (Piece){s->keys[layer], 0, cache_words(s->cache, p->key_size), true};
    out[1] = (Piece){s->values[layer], 0, cache_words(s->cache, p->value_size), false};
    out[2] = (Piece){s->scales[layer], 0, cache_scales(s->cache, p->key_size), true};
    out[3] = (Piece){s->scales[layer], s->value_scales, cache_scales(s->cache, p->value_size),
                     false};
}

typedef struct Cache {
    weft_model_session *s;
    FILE     *file;
    uint32_t *words;                    /* one piece                               */
    uint32_t *row;                      /* one word of each cell                   */
} Cache;

static bool words_move(FILE *file, uint32_t *words, size_t count, bool write)
{
    return (write ? fwrite(words, 4, count, file) : fread(words, 4, count, file)) == count;
}

/* Word `index` of `count` cells of a head that starts at `head`. */
static bool row_move(Cache *c, uint32_t *head, const Piece *piece, uint32_t index, uint32_t count,
                     bool write)
{
    uint32_t *first = head + (uint64_t)index * CELL_RUN;
    uint64_t  step = (uint64_t)piece->words * CELL_RUN;
    for (uint32_t i = 0; i < count && write; i++)
        c->row[i] = first[i / CELL_RUN * step + i % CELL_RUN];
    if (!words_move(c->file, c->row, count, write))
        return false;
    for (uint32_t i = 0; i < count && !write; i++)
        first[i / CELL_RUN * step + i % CELL_RUN] = c->row[i];
    return true;
}

/* The cells of a sequence that are in use. */
static bool cells_move(Cache *c, uint32_t sequence, const Piece *piece, bool write)
{
    const weft_model_session *s = c->s;
    uint32_t heads = s->model->params.kv_heads, length = s->sequences[sequence].length;
    for (uint32_t h = 0; h < heads; h++) {
        uint32_t *head = c->words + ((uint64_t)sequence * heads + h) * piece->words * s->cells;
        bool ok = piece->by_word || words_move(c->file, head, (size_t)length * piece->words, write);
        for (uint32_t i = 0; i < piece->words && piece->by_word && ok; i++)
            ok = row_move(c, head, piece, i, length, write);
        if (!ok)
            return false;
    }
    return true;
}

static bool piece_move(Cache *c, const Piece *piece, bool write)
{
    uint64_t bytes = (uint64_t)c->s->desc.sequences * c->s->model->params.kv_heads *
                     c->s->cells * piece->words * 4;
    if (bytes == 0)
        return true;
    if (write && !weft_buffer_read(c->words, piece->buffer, piece->at * 4, bytes))
        return model_fail(c->s->model);
    for (uint32_t i = 0; i < c->s->desc.sequences; i++)
        if (!cells_move(c, i, piece, write))
            return false;
    return write || weft_buffer_write(piece->buffer, piece->at * 4, c->words, bytes) ||
           model_fail(c->s->model);
}

static bool layers_move(weft_model_session *s, FILE *f, bool write)
{
    const Params *p = &s->model->params;
    uint32_t larger = p->key_size > p->value_size ? p->key_size : p->value_size;
    Cache c = {.s = s, .file = f};
    c.words = calloc((uint64_t)s->desc.sequences * p->kv_heads * s->cells * larger, 4);
    c.row = calloc(s->cells, 4);
    bool ok = c.words && c.row;
    for (uint32_t i = 0; i < p->layers && ok; i++) {
        Piece pieces[PIECES];
        pieces_of(pieces, s, i);
        for (int k = 0; k < PIECES && ok; k++)
            ok = piece_move(&c, &pieces[k], write);
    }
    free(c.words);
    free(c.row);
    return ok;
}

static bool sequence_move(Sequence *q, FILE *f, bool write, uint32_t context)
{
    uint32_t sizes[] = {q->length, q->next};
    size_t n = write ? fwrite(sizes, 4, 2, f) : fread(sizes, 4, 2, f);
    if (n != 2 || sizes[0] > context)
        return false;
    q->length = sizes[0];
    q->next = sizes[1];
    n = write ? fwrite(q->tokens, 4, q->length, f) : fread(q->tokens, 4, q->length, f);
    n += write ? fwrite(q->places, 4, q->length, f) : fread(q->places, 4, q->length, f);
    return n == 2 * (size_t)q->length;
}

bool weft_model_session_save(weft_model_session *s, const char *path)
{
    if (!s || weft_context_error(s->model->ctx)->kind)
        return false;
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (!f)
        return context_fail(s->model->ctx, WEFT_ERROR_IO, "cannot write '%s'", path ? path : "");
    Head head = head_of(s);
    bool ok = fwrite(&head, sizeof head, 1, f) == 1;
    for (uint32_t i = 0; i < s->desc.sequences && ok; i++)
        ok = sequence_move(&s->sequences[i], f, true, s->desc.context);
    ok = ok && layers_move(s, f, true);
    ok = fclose(f) == 0 && ok;
    if (!ok)
        remove(path);
    return ok || context_fail(s->model->ctx, WEFT_ERROR_IO, "cannot write '%s'", path);
}

static bool load_sequences(weft_model_session *s, FILE *f)
{
    bool ok = true;
    for (uint32_t i = 0; i < s->desc.sequences && ok; i++)
        ok = sequence_move(&s->sequences[i], f, false, s->desc.context);
    ok = ok && layers_move(s, f, false);
    if (!ok) {
        weft_model_session_clear(s);
        return false;
    }
    for (uint32_t i = 0; i < s->desc.sequences && ok; i++)
        ok = session_write_places(s, i, 0) || model_fail(s->model);
    return ok;
}

/* The size that a file of these sequences must have. */
static bool has_all(const weft_model_session *s, FILE *f)
{
    const Params *p = &s->model->params;
    uint64_t words = cache_words(s->cache, p->key_size) + cache_words(s->cache, p->value_size) +
                     cache_scales(s->cache, p->key_size) + cache_scales(s->cache, p->value_size);
    uint64_t cell = (uint64_t)p->layers * p->kv_heads * words * 4;
    uint64_t need = sizeof(Head), at = sizeof(Head);
    for (uint32_t i = 0; i < s->desc.sequences; i++) {
        uint32_t sizes[2];
        if (fseek(f, (long)at, SEEK_SET) || fread(sizes, 4, 2, f) != 2 ||
            sizes[0] > s->desc.context)
            return false;
        at += 8 + 8 * (uint64_t)sizes[0];
        need += 8 + sizes[0] * (8 + cell);
    }
    return fseek(f, 0, SEEK_END) == 0 && (uint64_t)ftell(f) == need &&
           fseek(f, sizeof(Head), SEEK_SET) == 0;
}

bool weft_model_session_load(weft_model_session *s, const char *path)
{
    if (!s || weft_context_error(s->model->ctx)->kind)
        return false;
    weft_context *ctx = s->model->ctx;
    FILE *f = path ? fopen(path, "rb") : NULL;
    Head  head, own = head_of(s);
    bool  ok = false;
    if (!f)
        return context_fail(ctx, WEFT_ERROR_IO, "cannot read '%s'", path ? path : "");
    if (fread(&head, sizeof head, 1, f) != 1 || head.magic != MAGIC || head.version != VERSION)
        context_fail(ctx, WEFT_ERROR_FORMAT, "'%s' is not a saved session", path);
    else if (memcmp(&head, &own, sizeof head) != 0)
        context_fail(ctx, WEFT_ERROR_INVALID,
                     "'%s' was saved for another model, type of cache or number of sequences",
                     path);
    else if (!has_all(s, f))
        context_fail(ctx, WEFT_ERROR_FORMAT,
                     "'%s' is damaged, or its sequences are longer than the context", path);
    else
        ok = load_sequences(s, f) || context_fail(ctx, WEFT_ERROR_IO, "cannot read '%s'", path);
    fclose(f);
    return ok;
}
