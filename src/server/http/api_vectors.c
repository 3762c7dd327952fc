// SPDX-License-Identifier: Apache-2.0
/*
 * api_vectors.c - vectors over HTTP: ingest, search, the map.
 *
 * in     requests
 * out    answers of live/, when they have come
 * knows  JSON and binary bodies
 * not    what is done with vectors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http_priv.h"
#include "store/npy.h"

#define MAX_VIEW   16384u
#define MAX_IDS    100000u

/* ---- waiting ---- */

static void wait_call(Request *r)
{
    weft_error_kind kind;
    const char     *text;
    atomic_store(&r->woken, false);
    if (!live_call_ended(r->call, &kind, &text)) {
        request_sleep(r, wait_call);
        return;
    }
    if (kind != WEFT_ERROR_NONE) {
        bool later = kind == WEFT_ERROR_DEVICE_LOST || kind == WEFT_ERROR_IO;
        answer_error(r, later ? 503 : 0, kind, "%s", text);
        return;
    }
    Text out = {.arena = &r->arena};
    text_add(&out, str_of(text));
    text_char(&out, '\n');
    answer_json(r, 200, &out);
}

static void call(Request *r, LiveRequest *what)
{
    what->tenant = r->who.tenant;
    what->wake = request_wake;
    what->user = r;
    atomic_store(&r->woken, false);
    r->call = live_call(r->http->desc.live, what);
    if (r->call)
        wait_call(r);
    else
        answer_error(r, 0, WEFT_ERROR_MEMORY, "out of memory");
}

/* A number of the query; false after an answer. */
static bool query_number(Request *r, const char *name, uint64_t most, uint64_t *out)
{
    const char *text = request_query(r, name);
    if (!text || (units_count(text, out) && *out <= most))
        return true;
    answer_error(r, 400, WEFT_ERROR_INVALID, "%s: a whole number from 0 to %llu", name,
                 (unsigned long long)most);
    return false;
}

/* ---- ingest ---- */

static const char *rows_of_json(Request *r, json_t *root, LiveVectors *v)
{
    const char *key, *why;
    json_t     *value;
    json_object_foreach(root, key, value)
        if (strcmp(key, "vectors") != 0 && strcmp(key, "labels") != 0 && strcmp(key, "ids") != 0)
            return arena_printf(&r->arena, "unknown field '%.100s'", key);
    why = live_vectors_read(&r->arena, root, v);
    return why;
}

/* A file of NumPy: rows of f32, or one. */
static const char *rows_of_npy(Request *r, LiveVectors *v)
{
    Npy         npy;
    const char *why = NULL;
    if (!npy_open(&npy, &r->arena, r->body, r->body_size, &why))
        return why;
    if (npy.kind != 'f' || npy.item != 4 || npy.swapped || npy.fortran || npy.ndims < 1
        || npy.ndims > 2 || !npy.count || npy.dims[npy.ndims - 1] > UINT32_MAX)
        return "an .npy file of vectors has the type '<f4', rows in C order and two dimensions";
    *v = (LiveVectors){.numbers = npy.count, .dimension = (uint32_t)npy.dims[npy.ndims - 1],
                       .data = arena_copy(&r->arena, npy.data, npy.count * sizeof(float))};
    return NULL;
}

static const char *rows_of_bytes(Request *r, uint64_t dimension, LiveVectors *v)
{
    if (!r->body_size || r->body_size % 4)
        return "the body is not a list of f32 numbers, 4 bytes each";
    *v = (LiveVectors){.numbers = r->body_size / 4, .dimension = (uint32_t)dimension,
                       .data = (const float *)(const void *)r->body};
    return NULL;
}

void api_vectors_add(Request *r)
{
    const char *type = request_header(r, "Content-Type"), *why;
    LiveVectors v = {.dimension = 0};
    uint64_t    dimension = 0;
    json_t     *root = NULL;
    if (!query_number(r, "dimension", 4096, &dimension))
        return;
    if (type && strncasecmp(type, "application/octet-stream", 24) == 0) {
        why = rows_of_bytes(r, dimension, &v);
    } else if (type && strncasecmp(type, "application/x-npy", 17) == 0) {
        why = r->body_size ? rows_of_npy(r, &v) : "the body is empty";
    } else {
        if (!(root = body_json(r, r->body, r->body_size)))
            return;
        why = rows_of_json(r, root, &v);
    }
    if (why)
        answer_error(r, 400, WEFT_ERROR_INVALID, "%s", why);
    else
        call(r, &(LiveRequest){.ask = LIVE_INGEST, .vectors = v});
    json_decref(root);
}

/* ---- asking ---- */

void api_vectors_list(Request *r)
{
    uint64_t limit = 100, since = 0;
    if (query_number(r, "limit", 10000, &limit) && query_number(r, "since", INT64_MAX, &since))
        call(r, &(LiveRequest){.ask = LIVE_LIST, .limit = limit, .since = since});
}

void api_vectors_clear(Request *r)
{
    guard_audit(r, "vectors-clear", true, "", "");
    call(r, &(LiveRequest){.ask = LIVE_CLEAR});
}

/* "0.5,1,-2" as numbers of the arena; 0: they are none. */
static uint64_t list_numbers(Request *r, const char *text, const float **out)
{
    float   *numbers = ARENA_ARRAY(&r->arena, float, strlen(text) / 2 + 1);
    uint64_t count = 0;
    for (const char *at = text;;) {
        char *end;
        numbers[count++] = strtof(at, &end);
        if (end == at || (*end && *end != ','))
            return 0;
        if (!*end)
            break;
        at = end + 1;
    }
    *out = numbers;
    return count;
}

void api_vectors_search(Request *r)
{
    const char *id = request_query(r, "id"), *label = request_query(r, "label");
    const char *vector = request_query(r, "vector"), *exact = request_query(r, "exact");
    LiveRequest what = {.ask = LIVE_SEARCH, .limit = 10, .text = label,
                        .exact = exact && strcmp(exact, "true") == 0};
    if (!query_number(r, "count", 4096, &what.limit)
        || !query_number(r, "id", INT64_MAX, &what.id))
        return;
    if (!id + !label + !vector != 2) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "give one of id, label and vector");
        return;
    }
    if (vector && !(what.vectors.numbers = list_numbers(r, vector, &what.vectors.data))) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "vector: numbers with commas between");
        return;
    }
    what.vectors.dimension = (uint32_t)what.vectors.numbers;
    call(r, &what);
}

/* One vector in a list of JSON; its length, 0: it is none. */
static uint64_t json_numbers(Request *r, const json_t *list, const float **out)
{
    size_t  n = json_array_size(list);
    float  *numbers = ARENA_ARRAY(&r->arena, float, n + 1);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_number(item))
            return 0;
        numbers[i] = (float)json_number_value(item);
    }
    *out = numbers;
    return n;
}

void api_vectors_find(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    if (!root)
        return;
    json_t     *id = json_object_get(root, "id"), *count = json_object_get(root, "count");
    LiveRequest what = {.ask = LIVE_SEARCH, .limit = 10,
                        .id = (uint64_t)json_integer_value(id),
                        .text = json_string_value(json_object_get(root, "label")),
                        .exact = json_is_true(json_object_get(root, "exact"))};
    what.vectors.numbers = json_numbers(r, json_object_get(root, "vector"), &what.vectors.data);
    what.vectors.dimension = (uint32_t)what.vectors.numbers;
    if (count)
        what.limit = (uint64_t)json_integer_value(count);
    if (!json_is_integer(id) + !what.text + !what.vectors.numbers != 2
        || json_integer_value(id) < 0)
        answer_error(r, 400, WEFT_ERROR_INVALID, "give one of id, label and vector, a list of "
                     "numbers");
    else if (what.limit < 1 || what.limit > 4096)
        answer_error(r, 400, WEFT_ERROR_INVALID, "count: a whole number from 1 to 4096");
    else
        call(r, &what);
    json_decref(root);
}

void api_vectors_places(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size), *ids = json_object_get(root, "ids");
    size_t  n = json_array_size(ids);
    if (!root)
        return;
    uint64_t *list = ARENA_ARRAY(&r->arena, uint64_t, MIN_OF(n, MAX_IDS) + 1);
    bool      ok = n && n <= MAX_IDS;
    for (size_t i = 0; ok && i < n; i++) {
        const json_t *item = json_array_get(ids, i);
        ok = json_is_integer(item) && json_integer_value(item) >= 0;
        list[i] = (uint64_t)json_integer_value(item);
    }
    if (ok)
        call(r, &(LiveRequest){.ask = LIVE_PLACES, .vectors.ids = list, .limit = n});
    else
        answer_error(r, 400, WEFT_ERROR_INVALID, "ids: a list of 1 to %u ids", MAX_IDS);
    json_decref(root);
}

void api_vectors_map(Request *r)
{
    uint64_t    component = UINT32_MAX;
    const char *weights = request_query(r, "weights");
    bool        all = weights && strcmp(weights, "true") == 0;
    if (!query_number(r, "component", 65535, &component))
        return;
    call(r, &(LiveRequest){.ask = all || request_query(r, "component") ? LIVE_PLANE : LIVE_MAP,
                           .limit = component});
}

void api_vectors_view(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    char   *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    if (root && (!text || strlen(text) > MAX_VIEW))
        answer_error(r, 400, WEFT_ERROR_INVALID, "a view has at most 16 KiB");
    else if (root)
        call(r, &(LiveRequest){.ask = LIVE_VIEW, .text = text});
    free(text);
    json_decref(root);
}

/* ---- for live/ ---- */

void http_show_job(Text *out, const JobRecord *job, bool with_outputs)
{
    show_job(out, job, 0, with_outputs);
}

bool http_submit(void *http, const LiveSubmit *s, char id[STORE_ID_SIZE], weft_error_kind *kind,
                 char *why, size_t size)
{
    Http     *h = http;
    Arena     arena;
    SpecFault fault = {.kind = WEFT_ERROR_FORMAT, .message = "the job is not JSON"};
    Pack      packed = {0};
    bool      existed = false;
    Job      *job = NULL;
    JobView   view;
    arena_init(&arena, 0);
    json_t  *root = json_loadb(s->json, s->size, 0, NULL);
    JobSpec *spec = ARENA_NEW(&arena, JobSpec);
    if (root && spec_parse(&arena, h->config, false, root, NULL, 0, spec, &fault)) {
        job_spec_pack(&packed, spec);
        job = jobs_submit(h->desc.jobs, &(JobSubmit){
            .tenant = s->tenant, .origin = s->origin, .subject = "live", .trace = "",
            .idem = "", .spec = &packed, .parsed = spec}, &existed, kind, why, size);
    } else {
        *kind = fault.kind;
        snprintf(why, size, "%s", fault.message);
    }
    if (job) {
        job_view(h->desc.jobs, job, &view);
        strcpy(id, view.record.id);
        job_release(h->desc.jobs, job);
    }
    pack_fini(&packed);
    json_decref(root);
    arena_fini(&arena);
    return job != NULL;
}
