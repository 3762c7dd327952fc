// SPDX-License-Identifier: Apache-2.0
/*
 * models.c - the server's side of models: processes, requests, pieces.
 *
 * in     requests
 * out    pieces, as the process of the model sends them
 * knows  a process that dies takes its requests with it and is started again
 * not    what is in requests and pieces
 */
#define _GNU_SOURCE
#include "server/models/models.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/worker/spawn.h"
#include "server/worker/wire.h"

#define MAX_PIECE (64u << 20)           /* of a message, in both directions               */

typedef struct Piece Piece;
struct Piece {
    Piece *next;
    char  *text;
    bool   last;
};

typedef struct Host Host;

struct ModelRequest {
    ModelRequest *next;                 /* of its host                                    */
    Host         *host;                 /* NULL: it has ended                             */
    Models       *models;
    uint32_t      refs;
    uint64_t      id, since;
    char         *tenant;               /* malloc'ed                                      */
    bool          ended, begun;
    Piece        *first, **last;
    void        (*wake)(void *user);    /* NULL after its release                         */
    void         *user;
};

/* A message to a process. */
typedef struct Outgoing Outgoing;
struct Outgoing {
    Outgoing *next;
    WireKind  kind;
    uint64_t  id;
    Pack      bytes;
};

/* A model and its process. Messages are sent by a thread: the process reads them between two
 * steps, and other threads must not wait until it does. */
struct Host {
    Models       *models;
    ModelFigures  figures;
    const char   *path;
    pthread_t     thread, sender;
    bool          runs, sends;
    pid_t         pid;
    int           fd;                   /* -1: no process                                 */
    uint32_t      active;
    ModelRequest *requests;
    pthread_mutex_t sending;            /* of the next, and of fd                         */
    pthread_cond_t  to_send, sent;
    Outgoing     *first, **last;
    bool          busy;                 /* the sender writes to fd                        */
    bool          ends;
};

struct Models {
    ModelsDesc      desc;
    pthread_mutex_t lock;               /* of requests and figures                        */
    pthread_cond_t  change;
    Host            hosts[MODELS_MAX];
    uint32_t        count;
    uint64_t        ids;
    bool            closing;
};

/* ---- requests ---- */

static void unref(ModelRequest *r)
{
    if (--r->refs)
        return;
    for (Piece *p = r->first, *next; p; p = next) {
        next = p->next;
        free(p->text);
        free(p);
    }
    free(r->tenant);
    free(r);
}

static void unlink_request(ModelRequest *r)
{
    if (!r->host)
        return;
    ModelRequest **at = &r->host->requests;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    r->host->active--;
    metrics_add(r->models->desc.metrics, METRIC_MODEL_ACTIVE, 0, -1);
    r->host = NULL;
    unref(r);
}

/* With the lock. Takes over the text. The call back may not call models/. */
static void add_piece(ModelRequest *r, char *text, bool last)
{
    Piece *p = calloc(1, sizeof *p);
    if (!p || !text) {
        free(p);
        free(text);
        return;
    }
    *p = (Piece){.text = text, .last = last};
    *r->last = p;
    r->last = &p->next;
    if (!r->begun)
        metrics_time(r->models->desc.metrics, METRIC_FIRST_TOKEN, clock_ns() - r->since);
    r->begun = true;
    r->ended = r->ended || last;
    if (r->wake)
        r->wake(r->user);
}

/* ---- messages to the process ---- */

static void outgoing_free(Outgoing *o)
{
    pack_fini(&o->bytes);
    free(o);
}

static void drop_outgoing(Host *h)
{
    while (h->first) {
        Outgoing *o = h->first;
        h->first = o->next;
        outgoing_free(o);
    }
    h->last = &h->first;
}

/* A request that has not been sent yet is taken back instead of being cancelled. */
static bool take_back(Host *h, uint64_t id)
{
    for (Outgoing **at = &h->first; *at; at = &(*at)->next) {
        Outgoing *o = *at;
        if (o->id != id || o->kind != WIRE_RUN)
            continue;
        *at = o->next;
        if (h->last == &o->next)
            h->last = at;
        outgoing_free(o);
        return true;
    }
    return false;
}

/* A dead process is noticed by its thread, not here. */
static void send_message(Host *h, WireKind kind, uint64_t id, const char *text)
{
    WireHead  head = {WIRE_MAGIC, kind, id, strlen(text)};
    Outgoing *o = calloc(1, sizeof *o);
    if (!o)
        return;
    o->kind = kind;
    o->id = id;
    pack_raw(&o->bytes, &head, sizeof head);
    pack_raw(&o->bytes, text, head.size);
    pthread_mutex_lock(&h->sending);
    if (h->fd < 0 || o->bytes.failed || (kind == WIRE_CANCEL && take_back(h, id))) {
        outgoing_free(o);
    } else {
        *h->last = o;
        h->last = &o->next;
        pthread_cond_signal(&h->to_send);
    }
    pthread_mutex_unlock(&h->sending);
}

static void write_whole(int fd, const Pack *bytes)
{
    for (size_t at = 0; at < bytes->size;) {
        ssize_t n = send(fd, bytes->data + at, bytes->size - at, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return;
        at += n > 0 ? (size_t)n : 0;
    }
}

static void *sender_main(void *user)
{
    Host *h = user;
    pthread_mutex_lock(&h->sending);
    for (;;) {
        while (!h->first && !h->ends)
            pthread_cond_wait(&h->to_send, &h->sending);
        if (h->ends)
            break;
        Outgoing *o = h->first;
        int       fd = h->fd;
        h->first = o->next;
        if (!h->first)
            h->last = &h->first;
        h->busy = true;
        pthread_mutex_unlock(&h->sending);
        if (fd >= 0)
            write_whole(fd, &o->bytes);
        outgoing_free(o);
        pthread_mutex_lock(&h->sending);
        h->busy = false;
        pthread_cond_broadcast(&h->sent);
    }
    drop_outgoing(h);
    pthread_mutex_unlock(&h->sending);
    return NULL;
}

/* ---- submitting ---- */

static Host *find_host(Models *m, const char *name)
{
    if ((!name || !*name) && m->count == 1)
        return &m->hosts[0];
    for (uint32_t i = 0; name && i < m->count; i++)
        if (strcmp(m->hosts[i].figures.name, name) == 0)
            return &m->hosts[i];
    return NULL;
}

/* A tenant that has no request here finds a place even where others have taken all. */
static bool is_full(const Models *m, const Host *h, const char *tenant)
{
    uint64_t most = m->desc.config->models_waiting + m->desc.config->models_parallel;
    bool     has = false;
    for (const ModelRequest *r = h->requests; r && !has; r = r->next)
        has = strcmp(r->tenant, tenant) == 0;
    return h->active >= most && (has || h->active >= 2 * most);
}

static bool may_submit(Models *m, Host *h, const ModelSubmit *s, weft_error_kind *kind, char *why,
                       size_t size)
{
    if (!m->count) {
        *kind = WEFT_ERROR_UNSUPPORTED;
        snprintf(why, size, "no language model is served; models.files lists them");
    } else if (!h) {
        *kind = WEFT_ERROR_NOT_FOUND;
        snprintf(why, size, "there is no model '%.80s'", s->model ? s->model : "");
    } else if (!h->figures.ready) {
        *kind = WEFT_ERROR_DEVICE_LOST;
        snprintf(why, size, "the model is being loaded: %.200s", h->figures.detail);
    } else if (strlen(s->json) > MAX_PIECE) {
        *kind = WEFT_ERROR_QUOTA;
        snprintf(why, size, "the request is larger than %u bytes", MAX_PIECE);
    } else if (is_full(m, h, s->tenant)) {
        *kind = WEFT_ERROR_QUOTA;
        snprintf(why, size, "too many requests wait for the model");
    } else {
        return true;
    }
    return false;
}

ModelRequest *models_submit(Models *m, const ModelSubmit *s, weft_error_kind *kind, char *why,
                            size_t size)
{
    ModelRequest *r = calloc(1, sizeof *r);
    pthread_mutex_lock(&m->lock);
    Host *h = find_host(m, s->model);
    char *tenant = strdup(s->tenant);
    if (!r || !tenant || !may_submit(m, h, s, kind, why, size)) {
        pthread_mutex_unlock(&m->lock);
        free(tenant);
        free(r);
        return NULL;
    }
    *r = (ModelRequest){.next = h->requests, .host = h, .models = m, .refs = 2, .id = ++m->ids,
                        .since = clock_ns(), .tenant = tenant, .wake = s->wake,
                        .user = s->user};
    r->last = &r->first;
    h->requests = r;
    h->active++;
    metrics_add(m->desc.metrics, METRIC_MODEL_ACTIVE, 0, 1);
    pthread_mutex_unlock(&m->lock);
    send_message(h, WIRE_RUN, r->id, s->json);
    return r;
}

char *models_next(ModelRequest *r, bool *ended)
{
    Models *m = r->models;
    pthread_mutex_lock(&m->lock);
    Piece *p = r->first;
    char  *text = p ? p->text : NULL;
    *ended = p && p->last;
    if (p) {
        r->first = p->next;
        if (!r->first)
            r->last = &r->first;
        free(p);
    }
    pthread_mutex_unlock(&m->lock);
    return text;
}

void models_release(ModelRequest *r)
{
    if (!r)
        return;
    Models *m = r->models;
    pthread_mutex_lock(&m->lock);
    Host    *h = r->ended ? NULL : r->host;
    uint64_t id = r->id;
    r->wake = NULL;
    if (h) {
        unlink_request(r);
        metrics_add(m->desc.metrics, METRIC_MODEL_REQUESTS, 2, 1);
    }
    unref(r);
    pthread_mutex_unlock(&m->lock);
    if (h)
        send_message(h, WIRE_CANCEL, id, "");
}

/* ---- pieces ---- */

static void count_tokens(Models *m, const char *text)
{
    json_t *piece = json_loads(text, 0, NULL);
    bool    failed = json_object_get(piece, "error") != NULL;
    metrics_add(m->desc.metrics, METRIC_MODEL_REQUESTS, failed ? 1 : 0, 1);
    metrics_add(m->desc.metrics, METRIC_MODEL_TOKENS, 0,
                json_integer_value(json_object_get(piece, "prompt_tokens")));
    metrics_add(m->desc.metrics, METRIC_MODEL_TOKENS, 1,
                json_integer_value(json_object_get(piece, "completion_tokens")));
    json_decref(piece);
}

static void take_piece(Host *h, uint64_t id, char *text, bool last)
{
    Models *m = h->models;
    pthread_mutex_lock(&m->lock);
    ModelRequest *r = h->requests;
    while (r && r->id != id)
        r = r->next;
    if (r && last)
        count_tokens(m, text);
    if (r)
        add_piece(r, text, last);
    else
        free(text);
    if (r && last)
        unlink_request(r);
    pthread_mutex_unlock(&m->lock);
}

static void take_hello(Host *h, const char *text)
{
    json_t *hello = json_loads(text, 0, NULL);
    pthread_mutex_lock(&h->models->lock);
    h->figures.ready = true;
    h->figures.generates = json_is_true(json_object_get(hello, "generates"));
    h->figures.context = (uint32_t)json_integer_value(json_object_get(hello, "context"));
    h->figures.embedding = (uint32_t)json_integer_value(json_object_get(hello, "embedding"));
    snprintf(h->figures.detail, sizeof h->figures.detail, "%s %s on %s",
             json_string_value(json_object_get(hello, "architecture")),
             json_string_value(json_object_get(hello, "type")),
             json_string_value(json_object_get(hello, "device")));
    pthread_mutex_unlock(&h->models->lock);
    log_event(h->models->desc.log, LOG_INFO, "model-ready", h->figures.detail, "weft.model",
              h->figures.name, NULL);
    json_decref(hello);
}

/* A message of the process; false: it is to be ended. What it sends is not trusted. */
static bool take_message(Host *h, const WireHead *head, char *text)
{
    if (head->kind == WIRE_HELLO) {
        take_hello(h, text);
        free(text);
        return true;
    }
    if (head->job == 0) {               /* it could not begin */
        json_t *piece = json_loads(text, 0, NULL), *e = json_object_get(piece, "error");
        pthread_mutex_lock(&h->models->lock);
        snprintf(h->figures.detail, sizeof h->figures.detail, "%s",
                 json_string_value(json_object_get(e, "message"))
                 ? json_string_value(json_object_get(e, "message")) : "it does not start");
        pthread_mutex_unlock(&h->models->lock);
        log_event(h->models->desc.log, LOG_ERROR, "model-failed", h->figures.detail,
                  "weft.model", h->figures.name, NULL);
        json_decref(piece);
        free(text);
        return false;
    }
    take_piece(h, head->job, text, head->kind == WIRE_PIECE_LAST);
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

static void serve(Host *h)
{
    WireHead head;
    while (read_all(h->fd, &head, sizeof head) && head.magic == WIRE_MAGIC
           && head.size <= MAX_PIECE) {
        char *text = malloc(head.size + 1);
        if (!text || !read_all(h->fd, text, head.size)) {
            free(text);
            return;
        }
        text[head.size] = '\0';
        if (!take_message(h, &head, text))
            return;
    }
}

/* ---- processes ---- */

static bool start(Host *h)
{
    const Config *c = h->models->desc.config;
    char threads[32], parallel[32], context[32], model[4200];
    snprintf(threads, sizeof threads, "--threads=%u", (unsigned)c->models_threads);
    snprintf(parallel, sizeof parallel, "--parallel=%u", (unsigned)c->models_parallel);
    snprintf(context, sizeof context, "--context=%u", (unsigned)c->models_context);
    snprintf(model, sizeof model, "--model=%.4096s", h->path);
    const char *argv[] = {"weft", "worker", SPAWN_FD, model, threads, parallel, context,
                          c->sec_sandbox ? "--sandbox" : "--no-sandbox", NULL};
    pid_t pid;
    int   fd = spawn_process(h->models->desc.program, argv, &pid);
    pthread_mutex_lock(&h->models->lock);
    pthread_mutex_lock(&h->sending);
    h->fd = h->models->closing ? -1 : fd;
    h->pid = h->fd >= 0 ? pid : 0;
    pthread_mutex_unlock(&h->sending);
    bool ok = h->fd >= 0;
    pthread_mutex_unlock(&h->models->lock);
    if (!ok && fd >= 0) {
        close(fd);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return ok;
}

static void end(Host *h)
{
    Models *m = h->models;
    kill(h->pid, SIGKILL);
    waitpid(h->pid, NULL, 0);
    pthread_mutex_lock(&m->lock);
    pthread_mutex_lock(&h->sending);
    drop_outgoing(h);
    while (h->busy)                     /* its process is dead: it does not wait for it */
        pthread_cond_wait(&h->sent, &h->sending);
    close(h->fd);
    h->fd = -1;
    pthread_mutex_unlock(&h->sending);
    h->figures.ready = false;
    while (h->requests) {
        ModelRequest *r = h->requests;
        add_piece(r, strdup("{\"error\":{\"kind\":14,\"message\":\"the model's process "
                            "died\"}}"), true);
        metrics_add(m->desc.metrics, METRIC_MODEL_REQUESTS, 1, 1);
        unlink_request(r);
    }
    pthread_mutex_unlock(&m->lock);
}

static void *host_main(void *user)
{
    Host    *h = user;
    Models  *m = h->models;
    uint64_t pause = NS_PER_S / 4;
    while (!m->closing) {
        bool was_ready = false;
        if (start(h)) {
            serve(h);
            was_ready = h->figures.ready;
            end(h);
        }
        pause = was_ready ? NS_PER_S / 4 : MIN_OF(pause * 2, 30 * (uint64_t)NS_PER_S);
        pthread_mutex_lock(&m->lock);
        uint64_t until = clock_ns() + pause;
        while (!m->closing && clock_wait(&m->change, &m->lock, until))
            ;
        pthread_mutex_unlock(&m->lock);
    }
    return NULL;
}

/* ---- opening ---- */

static void name_host(Host *h)
{
    const char *slash = strrchr(h->path, '/'), *base = slash ? slash + 1 : h->path;
    size_t      length = strlen(base);
    if (length > 5 && strcmp(base + length - 5, ".gguf") == 0)
        length -= 5;
    snprintf(h->figures.name, sizeof h->figures.name, "%.*s", (int)MIN_OF(length, 90), base);
    snprintf(h->figures.detail, sizeof h->figures.detail, "its process starts");
    h->figures.created = (int64_t)time(NULL);
}

Models *models_open(const ModelsDesc *desc, char *why, size_t size)
{
    Models           *m = calloc(1, sizeof *m);
    const ConfigList *files = &desc->config->models_files;
    if (!m) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    m->desc = *desc;
    pthread_mutex_init(&m->lock, NULL);
    clock_cond_init(&m->change);
    for (uint32_t i = 0; i < files->count && i < MODELS_MAX; i++) {
        Host *h = &m->hosts[m->count++];
        *h = (Host){.models = m, .path = files->items[i], .fd = -1};
        h->last = &h->first;
        pthread_mutex_init(&h->sending, NULL);
        pthread_cond_init(&h->to_send, NULL);
        pthread_cond_init(&h->sent, NULL);
        name_host(h);
        if (access(h->path, R_OK) != 0) {
            snprintf(why, size, "models.files: %.200s: %s", h->path, strerror(errno));
            models_close(m);
            return NULL;
        }
        h->sends = pthread_create(&h->sender, NULL, sender_main, h) == 0;
        h->runs = h->sends && pthread_create(&h->thread, NULL, host_main, h) == 0;
    }
    return m;
}

static void close_host(Host *h)
{
    if (h->runs)
        pthread_join(h->thread, NULL);
    pthread_mutex_lock(&h->sending);
    h->ends = true;
    pthread_cond_signal(&h->to_send);
    pthread_mutex_unlock(&h->sending);
    if (h->sends)
        pthread_join(h->sender, NULL);
    pthread_mutex_destroy(&h->sending);
    pthread_cond_destroy(&h->to_send);
    pthread_cond_destroy(&h->sent);
}

void models_close(Models *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->closing = true;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->hosts[i].fd >= 0)
            shutdown(m->hosts[i].fd, SHUT_RDWR);
    pthread_cond_broadcast(&m->change);
    pthread_mutex_unlock(&m->lock);
    for (uint32_t i = 0; i < m->count; i++)
        close_host(&m->hosts[i]);
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->change);
    free(m);
}

uint32_t models_list(Models *m, ModelFigures *out, uint32_t room)
{
    pthread_mutex_lock(&m->lock);
    uint32_t n = MIN_OF(m->count, room);
    for (uint32_t i = 0; i < n; i++)
        out[i] = m->hosts[i].figures;
    pthread_mutex_unlock(&m->lock);
    return n;
}
