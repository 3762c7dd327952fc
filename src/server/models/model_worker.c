// SPDX-License-Identifier: Apache-2.0
/*
 * model_worker.c - the process that runs one language model for many tenants.
 *
 * in     requests on one socket: {"kind": "generate" | "embed" | "tokenize", ...}
 * out    pieces and ends on the same socket
 * knows  continuous batching: every step computes the next token of all sequences that
 *        have one, and a part of the prompts of those that have not
 * not    HTTP, files after the start, the network
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "server/models/model_priv.h"
#include "server/worker/sandbox.h"

#define MAX_PARTS   64u
#define MAX_REQUEST (64u << 20)

/* ---- messages ---- */

static bool write_all(int fd, const void *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = send(fd, (const char *)from + at, size - at, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool read_all(int fd, void *to, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, (char *)to + at, size - at);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

void reply_send(Worker *w, uint64_t id, WireKind kind, json_t *body)
{
    char    *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    WireHead head = {WIRE_MAGIC, kind, id, text ? strlen(text) : 0};
    Pack     whole = {0};
    pack_raw(&whole, &head, sizeof head);
    pack_raw(&whole, text, head.size);
    if (whole.failed || !write_all(w->fd, whole.data, whole.size))
        w->broken = true;
    pack_fini(&whole);
    free(text);
    json_decref(body);
}

void reply_fail(Worker *w, uint64_t id, weft_error_kind kind, const char *message)
{
    reply_send(w, id, WIRE_PIECE_LAST, json_pack("{s:{s:i, s:s}}", "error", "kind", (int)kind,
                                                  "message", message));
}

void reply_fault(Worker *w, uint64_t id)
{
    const weft_error *e = weft_context_error(w->ctx);
    reply_fail(w, id, e->kind ? e->kind : WEFT_ERROR_INTERNAL,
                e->kind ? e->message : "the model failed");
    weft_context_error_clear(w->ctx);
}

/* ---- requests that end at once ---- */

static void tokenize(Worker *w, uint64_t id, const json_t *request)
{
    weft_model_tokenizer *t = weft_model_tokenizer_of(w->model);
    json_t     *text = json_object_get(request, "text"), *out = json_array();
    size_t      size = json_string_length(text), count = weft_model_tokenize_bound(t, size);
    weft_token *tokens = malloc(MAX_OF(count, 1) * sizeof *tokens);
    uint32_t    flags = json_is_true(json_object_get(request, "special"))
                      ? WEFT_MODEL_TOKENIZE_SPECIAL : 0;
    if (!json_is_true(json_object_get(request, "affixes")))
        flags |= WEFT_MODEL_TOKENIZE_NO_AFFIXES;
    bool ok = tokens && weft_model_tokenize(tokens, &count, t, json_string_value(text), size,
                                            flags);
    for (size_t i = 0; ok && i < count; i++)
        json_array_append_new(out, json_integer(tokens[i]));
    free(tokens);
    if (ok)
        reply_send(w, id, WIRE_PIECE_LAST, json_pack("{s:o}", "tokens", out));
    else {
        json_decref(out);
        reply_fault(w, id);
    }
}

/* ---- requests ---- */

static void remove_request(json_t *list, uint64_t id)
{
    for (size_t i = json_array_size(list); i-- > 0;)
        if ((uint64_t)json_integer_value(json_object_get(json_array_get(list, i), "id")) == id)
            json_array_remove(list, i);
}

static void cancel(Worker *w, uint64_t id)
{
    for (uint32_t i = 0; i < w->parallel; i++)
        if (w->slots[i].busy && w->slots[i].id == id)
            slot_end(w, &w->slots[i]);
    remove_request(w->waiting, id);
    remove_request(w->embedding, id);
}

static void take_request(Worker *w, uint64_t id, json_t *request)
{
    const char *kind = json_string_value(json_object_get(request, "kind"));
    if (!kind)
        reply_fail(w, id, WEFT_ERROR_FORMAT, "the message is damaged");
    else if (strcmp(kind, "embed") == 0)
        embed_begin(w, id, request);
    else if (strcmp(kind, "tokenize") == 0)
        tokenize(w, id, request);
    else if (!w->info.generates)
        reply_fail(w, id, WEFT_ERROR_UNSUPPORTED, "this model only embeds");
    else {
        json_object_set_new(request, "id", json_integer((json_int_t)id));
        json_array_append(w->waiting, request);
    }
}

/* Reads one message; false: the server has gone. */
static bool receive(Worker *w)
{
    WireHead head;
    if (!read_all(w->fd, &head, sizeof head) || head.magic != WIRE_MAGIC
        || head.size > MAX_REQUEST)
        return false;
    char *text = malloc(head.size + 1);
    bool  ok = text && read_all(w->fd, text, head.size);
    if (ok && head.kind == WIRE_CANCEL) {
        cancel(w, head.job);
    } else if (ok && head.kind == WIRE_PROBE) {
        char report[1024];
        text[head.size] = '\0';
        sandbox_attempt((pid_t)strtol(text, NULL, 10), report, sizeof report);
        reply_send(w, head.job, WIRE_PIECE_LAST, json_pack("{s:s}", "report", report));
    } else if (ok) {
        json_t *request = json_loadb(text, head.size, 0, NULL);
        take_request(w, head.job, request);
        json_decref(request);
    }
    free(text);
    return ok;
}

/* Messages that are there; waits for one if there is nothing else to do. */
static bool receive_all(Worker *w, bool idle)
{
    struct pollfd p = {.fd = w->fd, .events = POLLIN};
    while (poll(&p, 1, idle ? -1 : 0) > 0) {
        if (!receive(w))
            return false;
        idle = idle && json_array_size(w->waiting) == 0 && json_array_size(w->embedding) == 0;
    }
    return !w->broken;
}

/* The oldest request of the tenant that has the fewest slots. */
static size_t next_waiting(const Worker *w)
{
    size_t   best = 0, i;
    uint32_t least = UINT32_MAX;
    json_t  *request;
    json_array_foreach(w->waiting, i, request) {
        const char *tenant = json_string_value(json_object_get(request, "tenant"));
        uint32_t    n = slots_of(w, tenant ? tenant : "");
        if (n < least) {
            least = n;
            best = i;
        }
    }
    return best;
}

static void admit(Worker *w)
{
    while (json_array_size(w->waiting)) {
        size_t  at = next_waiting(w);
        json_t *next = json_array_get(w->waiting, at);
        if (!slot_begin(w, (uint64_t)json_integer_value(json_object_get(next, "id")), next))
            return;
        json_array_remove(w->waiting, at);
    }
}

/* ---- steps ---- */

typedef struct Step {
    weft_token *tokens;                 /* [count]                                        */
    uint32_t   *sequences, *rows;       /* rows: the slot of each row of logits           */
    bool       *outputs;
    size_t      count, row_count;
} Step;

static void add_tokens(Worker *w, Step *step, uint32_t slot, size_t count)
{
    Slot *s = &w->slots[slot];
    for (size_t i = 0; i < count; i++) {
        bool last = s->cached + 1 == s->count;
        step->tokens[step->count] = s->tokens[s->cached++];
        step->sequences[step->count] = slot;
        step->outputs[step->count++] = last;
        if (last)
            step->rows[step->row_count++] = slot;
    }
}

/* Sequences that answer go first; what is left of the step is for prompts. */
static void plan(Worker *w, Step *step)
{
    for (uint32_t i = 0; i < w->parallel; i++)
        if (w->slots[i].busy && w->slots[i].cached + 1 == w->slots[i].count)
            add_tokens(w, step, i, 1);
    size_t left = STEP_TOKENS;
    for (uint32_t i = 0; i < w->parallel && left; i++) {
        Slot *s = &w->slots[i];
        if (!s->busy || s->cached + 1 >= s->count)
            continue;
        size_t n = MIN_OF(s->count - s->cached, left);
        add_tokens(w, step, i, n);
        left -= n;
    }
}

static void give_up(Worker *w, const Step *step)
{
    char message[512];
    snprintf(message, sizeof message, "%s", weft_context_error(w->ctx)->message);
    weft_context_error_clear(w->ctx);
    for (size_t i = 0; i < step->count; i++) {
        Slot *s = &w->slots[step->sequences[i]];
        if (s->busy)
            reply_fail(w, s->id, WEFT_ERROR_DEVICE_LOST, message);
        slot_end(w, s);
        s->cached = 0;
        weft_model_session_trim(w->session, step->sequences[i], 0, UINT32_MAX);
    }
}

static void run_step(Worker *w)
{
    weft_token tokens[STEP_TOKENS + 256];
    uint32_t   sequences[STEP_TOKENS + 256], rows[256];
    bool       outputs[STEP_TOKENS + 256];
    Step       step = {tokens, sequences, rows, outputs, 0, 0};
    plan(w, &step);
    if (step.count == 0)
        return;
    size_t found = step.row_count;
    if (!weft_model_session_decode(w->logits, &found, w->session, &(weft_model_batch){
            .tokens = tokens, .count = step.count, .sequences = sequences,
            .outputs = outputs})) {
        give_up(w, &step);
        return;
    }
    for (size_t i = 0; i < found; i++)
        slot_advance(w, &w->slots[rows[i]], w->logits + i * w->info.vocabulary);
}

/* ---- start ---- */

typedef struct Files {
    const void *data[MAX_PARTS];
    size_t      size[MAX_PARTS];
    uint32_t    count;
} Files;

static bool map_file(Files *f, const char *path)
{
    struct stat st;
    int         fd = f->count < MAX_PARTS ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size <= 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
        return false;
    f->data[f->count] = data;
    f->size[f->count++] = (size_t)st.st_size;
    return true;
}

/* The file, or all parts of NAME-00001-of-00003.gguf: later no file can be opened. */
static bool map_files(Files *f, const char *path)
{
    unsigned    part = 0, parts = 0;
    size_t      length = strlen(path);
    const char *tail = length > 20 ? path + length - 20 : "";
    if (!map_file(f, path))
        return false;
    if (sscanf(tail, "-%5u-of-%5u.gguf", &part, &parts) != 2 || part != 1)
        return true;
    for (part = 2; part <= parts; part++) {
        char other[4096];
        snprintf(other, sizeof other, "%.*s-%05u-of-%05u.gguf", (int)(length - 20), path, part,
                 parts);
        if (!map_file(f, other))
            return false;
    }
    return true;
}

static bool open_model(Worker *w, const ModelWorkerDesc *desc, const Files *f)
{
    w->ctx = weft_context_create(&(weft_context_desc){.adapter = "cpu", .no_cache = true,
                                                      .threads = desc->threads});
    weft_gguf *file = weft_gguf_create(w->ctx, &(weft_gguf_desc){
        .data = f->data[0], .size = f->size[0], .parts = f->data + 1,
        .part_sizes = f->size + 1, .part_count = f->count - 1});
    w->model = file ? weft_model_create(w->ctx, &(weft_model_desc){.file = file}) : NULL;
    weft_gguf_release(file);
    if (!w->model || !weft_model_info_get(&w->info, w->model))
        return false;
    w->parallel = MIN_OF(MAX_OF(desc->parallel, 1), 256);
    w->session = w->info.generates ? weft_model_session_create(w->model,
        &(weft_model_session_desc){.sequences = w->parallel, .context = desc->context,
                                   .no_prefix_reuse = true}) : NULL;
    w->embeds = weft_model_session_create(w->model, &(weft_model_session_desc){
        .context = desc->context ? desc->context : MIN_OF(w->info.context, 512)});
    weft_model_session_desc resolved = {.context = 0};
    weft_model_session_desc_get(&resolved, w->session ? w->session : w->embeds);
    w->context = resolved.context;
    w->slots = calloc(w->parallel, sizeof *w->slots);
    w->logits = malloc((size_t)w->parallel * w->info.vocabulary * sizeof *w->logits);
    w->waiting = json_array();
    w->embedding = json_array();
    return (w->session || !w->info.generates) && w->embeds && w->slots && w->logits;
}

/* Every kernel is compiled before the sandbox closes, and the first answer comes fast. */
static void warm_up(Worker *w)
{
    weft_token token = 0;
    size_t     rows = 1;
    if (w->session)
        weft_model_session_decode(w->logits, &rows, w->session, &(weft_model_batch){
            .tokens = &token, .count = 1});
    if (w->session)
        weft_model_session_clear(w->session);
    weft_context_error_clear(w->ctx);
}

static void say_hello(Worker *w, uint32_t protections)
{
    reply_send(w, 0, WIRE_HELLO, json_pack(
        "{s:i, s:b, s:i, s:i, s:s, s:s, s:s}", "protections", (int)protections, "generates",
        w->info.generates, "context", (int)w->context, "embedding", (int)w->info.embedding,
        "architecture", w->info.architecture, "type", w->info.type, "device", w->info.device));
}

int model_worker_main(const ModelWorkerDesc *desc)
{
    pid_t    server = getppid();
    Worker   worker = {.fd = desc->fd}, *w = &worker;
    Files    files = {.count = 0};
    uint32_t protections = 0;
    close_range((unsigned)desc->fd + 1, ~0u, 0);
    bool found = map_files(&files, desc->path);
    if (desc->sandboxed)
        protections = sandbox_begin(0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != server)
        return 1;
    if (!found) {
        reply_fail(w, 0, WEFT_ERROR_IO, "the file cannot be read");
        return 1;
    }
    if (!open_model(w, desc, &files)) {
        reply_fault(w, 0);
        return 1;
    }
    warm_up(w);
    if (desc->sandboxed)
        protections |= sandbox_close();
    say_hello(w, protections);
    for (bool active = false; receive_all(w, !active);) {
        admit(w);
        run_step(w);
        embed_step(w);
        active = json_array_size(w->waiting) > 0 || json_array_size(w->embedding) > 0;
        for (uint32_t i = 0; i < w->parallel; i++)
            active = active || w->slots[i].busy;
    }
    _exit(0);                           /* nothing here needs an orderly end */
}
