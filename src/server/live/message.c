// SPDX-License-Identifier: Apache-2.0
/*
 * message.c - vectors as messages: JSON, binary, and back.
 *
 * in     batches; texts; what clients send
 * out    frames, each form made once for all clients that need it; vectors
 * knows  JSON, the head of binary messages
 * not    clients, the order of messages
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/live/live_priv.h"

#define MAX_NUMBER 1e15f                /* weft/vectors.h                                 */
#define MAX_ID     (UINT64_C(1) << 53)  /* exact in JSON                                  */
#define WRONG_IDS  "ids: whole numbers from 0 to 2^53"
#define DEFLATE_FROM 256u               /* bytes: shorter texts gain nothing              */

static const char *const names[] = {
#define CHANNEL(id, name) name,
#include "server/live/channels.def"
#undef CHANNEL
};

const char *channel_name(Channel c)
{
    return names[c];
}

bool channel_find(const char *name, Channel *out)
{
    for (uint32_t i = 0; name && i < COUNTOF(names); i++)
        if (strcmp(names[i], name) == 0) {
            *out = (Channel)i;
            return true;
        }
    return false;
}

/* ---- JSON ---- */

void put_time(Text *out, int64_t when)
{
    time_t    seconds = (time_t)(when / 1000);
    struct tm utc;
    char      text[32];
    gmtime_r(&seconds, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    text_printf(out, "\"%s.%03dZ\"", text, (int)(when % 1000));
}

/* The shorter of 7 and 9 digits that reads back as the same number. */
static void put_number(Text *out, float f)
{
    char text[32];
    int  n = snprintf(text, sizeof text, "%.7g", (double)f);
    if (strtof(text, NULL) != f)
        n = snprintf(text, sizeof text, "%.9g", (double)f);
    text_add(out, (Str){text, (uint32_t)n});
}

void put_numbers(Text *out, const float *data, uint64_t count)
{
    text_char(out, '[');
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            text_char(out, ',');
        if (isfinite(data[i]))
            put_number(out, data[i]);
        else
            text_add(out, STR("null"));
    }
    text_char(out, ']');
}

void put_ids(Text *out, const uint64_t *ids, uint64_t count)
{
    text_char(out, '[');
    for (uint64_t i = 0; i < count; i++)
        text_printf(out, "%s%llu", i ? "," : "", (unsigned long long)ids[i]);
    text_char(out, ']');
}

void put_batch(Text *out, const Batch *b)
{
    text_printf(out, "\"seq\":%llu,\"count\":%u,\"dimension\":%u,\"timestamp\":",
                (unsigned long long)b->seq, b->count, b->dimension);
    put_time(out, b->when);
    text_add(out, STR(",\"ids\":"));
    put_ids(out, b->ids, b->count);
    if (b->labels) {
        text_add(out, STR(",\"labels\":"));
        text_add(out, str_of(b->labels));
    }
    text_add(out, STR(",\"vectors\":["));
    for (uint32_t i = 0; i < b->count; i++) {
        if (i)
            text_char(out, ',');
        put_numbers(out, b->data + (size_t)i * b->dimension, b->dimension);
    }
    text_char(out, ']');
}

/* ---- frames ---- */

void frames_release(Frames *f)
{
    for (uint32_t i = 0; i < FORM_COUNT; i++)
        frame_release(f->form[i]);
    frame_release(f->announce);
    *f = (Frames){.dimension = 0};
}

Frames frames_of_text(const char *text, size_t size, uint32_t needed)
{
    Frames f = {.dimension = 0};
    if (needed & 1u << FORM_DEFLATED && size >= DEFLATE_FROM)
        f.form[FORM_DEFLATED] = frame_deflated(text, size);
    if (needed & ~(1u << FORM_DEFLATED) || !f.form[FORM_DEFLATED])
        f.form[FORM_TEXT] = frame_text(text, size);
    return f;
}

typedef struct Head {
    uint64_t id, first;
    uint32_t dimension, count, dtype, flags;
} Head;
_Static_assert(sizeof(Head) == HEAD_SIZE, "the head of binary messages");

static bool in_sequence(const Batch *b)
{
    for (uint32_t i = 1; i < b->count; i++)
        if (b->ids[i] != b->ids[0] + i)
            return false;
    return true;
}

/* Head, ids unless they count up from the first, numbers, labels. */
static Frame *headed_frame(const Batch *b)
{
    bool   plain = in_sequence(b);
    size_t ids = plain ? 0 : (size_t)b->count * 8, labels = b->labels ? strlen(b->labels) : 0;
    size_t numbers = (size_t)b->count * b->dimension * sizeof(float);
    Head   head = {b->seq, b->count ? b->ids[0] : 0, b->dimension, b->count, 1,
                   (plain ? 0 : HEAD_IDS) | (labels ? HEAD_LABELS : 0)};
    Frame *f = NULL;
    if (!ids && !labels)
        return frame_binary(&head, sizeof head, b->data, numbers);
    uint8_t *rest = malloc(ids + numbers + labels + 1);
    if (rest) {
        memcpy(rest, b->ids, ids);
        memcpy(rest + ids, b->data, numbers);
        if (labels)
            memcpy(rest + ids + numbers, b->labels, labels);
        f = frame_binary(&head, sizeof head, rest, ids + numbers + labels);
    }
    free(rest);
    return f;
}

Frames frames_of_batch(const Batch *b, uint32_t needed)
{
    Frames f = {.dimension = 0};
    if (needed & (1u << FORM_TEXT | 1u << FORM_DEFLATED)) {
        Arena arena;
        arena_init(&arena, 0);
        Text text = {.arena = &arena};
        text_add(&text, STR("{\"type\":\"vector_batch\","));
        put_batch(&text, b);
        text_char(&text, '}');
        f = frames_of_text(text.data, text.len, needed);
        arena_fini(&arena);
    }
    if (needed & 1u << FORM_BINARY) {
        char announce[160];
        int  n = snprintf(announce, sizeof announce, "{\"type\":\"vector_stream\",\"dimension\":%u,"
                          "\"dtype\":\"f32\",\"seq\":%llu}", b->dimension,
                          (unsigned long long)b->seq);
        f.announce = frame_text(announce, (size_t)n);
        f.form[FORM_BINARY] = frame_binary(NULL, 0, b->data,
            (size_t)b->count * b->dimension * sizeof(float));
    }
    if (needed & 1u << FORM_HEADED)
        f.form[FORM_HEADED] = headed_frame(b);
    f.dimension = b->dimension;
    return f;
}

/* ---- reading ---- */

static const char *read_labels(Arena *arena, const json_t *labels, size_t count, LiveVectors *out)
{
    if (!json_is_array(labels) || json_array_size(labels) != count)
        return "labels: a list with a text for each vector";
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(labels, i);
        if ((!json_is_string(item) && !json_is_null(item)) || json_string_length(item) > 1024)
            return "labels: texts of at most 1,024 bytes, or null";
    }
    char *text = json_dumps(labels, JSON_COMPACT);
    out->labels = text ? arena_copy(arena, text, strlen(text) + 1) : NULL;
    free(text);
    return NULL;
}

static const char *read_headed(Arena *arena, const uint8_t *data, size_t size, LiveVectors *out)
{
    Head head;
    if (size < sizeof head)
        return "a binary message begins with a head of 32 bytes";
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    size -= sizeof head;
    if (head.dtype != 1)
        return "head: dtype must be 1, which is f32";
    if (!head.dimension || !head.count || head.flags & ~(HEAD_IDS | HEAD_LABELS))
        return "head: dimension and count must not be 0, and flags at most 3";
    size_t ids = head.flags & HEAD_IDS ? (size_t)head.count * 8 : 0;
    size_t row = (size_t)head.dimension * sizeof(float);
    if (ids > size || (size - ids) / row < head.count)
        return "the message is shorter than its head says";
    size_t numbers = row * head.count, labels = size - ids - numbers;
    if (labels && !(head.flags & HEAD_LABELS))
        return "the message is longer than its head says";
    *out = (LiveVectors){.dimension = head.dimension,
                         .numbers = (uint64_t)head.count * head.dimension};
    out->ids = ids ? arena_copy(arena, data, ids) : NULL;
    for (uint32_t i = 0; ids && i < head.count; i++)
        if (out->ids[i] > MAX_ID)
            return WRONG_IDS;
    out->data = arena_copy(arena, data + ids, numbers);
    if (labels) {
        json_t     *list = json_loadb((const char *)data + ids + numbers, labels, 0, NULL);
        const char *why = read_labels(arena, list, head.count, out);
        json_decref(list);
        return why;
    }
    return NULL;
}

const char *binary_read(Arena *arena, const void *data, size_t size, bool headed,
                        uint32_t dimension, LiveVectors *out)
{
    if (headed)
        return read_headed(arena, data, size, out);
    if (!dimension)
        return "announce the dimension of binary messages first: "
               "{\"type\":\"vector_stream\",\"dimension\":384}";
    if (!size || size % (dimension * sizeof(float)))
        return "the message is not a whole number of vectors of the announced dimension";
    *out = (LiveVectors){.dimension = dimension, .numbers = size / sizeof(float)};
    out->data = arena_copy(arena, data, size);
    return NULL;
}

static const char *read_row(const json_t *row, float *to)
{
    size_t  i;
    json_t *item;
    json_array_foreach(row, i, item) {
        if (!json_is_number(item))
            return "vectors: an item is not a number";
        to[i] = (float)json_number_value(item);
    }
    return NULL;
}

static const char *read_rows(Arena *arena, const json_t *rows, LiveVectors *out)
{
    size_t count = json_array_size(rows), width = json_array_size(json_array_get(rows, 0));
    if (!json_is_array(rows) || !count || !width)
        return "vectors: a list of lists of numbers, at least one";
    float *data = ARENA_ARRAY(arena, float, count * width);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i);
        if (json_array_size(row) != width)
            return arena_printf(arena, "vectors: row %zu has %zu numbers, the first has %zu", i,
                                json_array_size(row), width);
        const char *why = read_row(row, data + i * width);
        if (why)
            return why;
    }
    out->data = data;
    out->numbers = count * width;
    out->dimension = (uint32_t)width;
    return NULL;
}

static const char *read_ids(Arena *arena, const json_t *ids, size_t count, LiveVectors *out)
{
    uint64_t *list = ARENA_ARRAY(arena, uint64_t, count);
    if (!json_is_array(ids) || json_array_size(ids) != count)
        return "ids: a list with a number for each vector";
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(ids, i);
        if (!json_is_integer(item) || json_integer_value(item) < 0
            || (uint64_t)json_integer_value(item) > MAX_ID)
            return WRONG_IDS;
        list[i] = (uint64_t)json_integer_value(item);
    }
    out->ids = list;
    return NULL;
}

const char *live_vectors_read(Arena *arena, const void *json, LiveVectors *out)
{
    const json_t *root = json;
    *out = (LiveVectors){.dimension = 0};
    const json_t *ids = json_object_get(root, "ids"), *labels = json_object_get(root, "labels");
    const json_t *rows = json_object_get(root, "vectors");
    const char   *why = read_rows(arena, rows, out);
    size_t        count = json_array_size(rows);
    if (!why && ids)
        why = read_ids(arena, ids, count, out);
    if (!why && labels)
        why = read_labels(arena, labels, count, out);
    return why;
}

const char *vectors_fault(const float *data, uint64_t numbers, uint32_t dimension,
                          bool no_zeros, uint64_t *row)
{
    for (uint64_t i = 0; i < numbers; i += dimension) {
        float largest = 0;
        *row = i / dimension;
        for (uint32_t k = 0; k < dimension; k++) {
            float f = fabsf(data[i + k]);
            if (!(f <= MAX_NUMBER))
                return isfinite(f) ? "has a number above 1e15"
                                   : "has a number that is not finite";
            largest = f > largest ? f : largest;
        }
        if (no_zeros && largest < 1e-15f)
            return "is zero: it has no direction";
    }
    return NULL;
}
