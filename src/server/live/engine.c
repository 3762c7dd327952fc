// SPDX-License-Identifier: Apache-2.0
/*
 * engine.c - the process that indexes, maps and projects vectors, from the server's side.
 *
 * in     calls of the hub
 * out    answers, as tasks of the hub
 * knows  a process that dies is started again, and is fed from the store
 * not    what calls and answers contain
 *
 * Two threads: one starts the process and reads, one writes, so that neither side waits for the
 * other with a full socket. New vectors wait here until the process has few of them; everything
 * else overtakes them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/live/live_priv.h"
#include "server/worker/spawn.h"
#include "server/worker/wire.h"

#define MAX_ANSWER  (256u << 20)
#define MAX_FLYING  2u                  /* calls in order that the process has             */

typedef struct Pending Pending;
struct Pending {
    Pending   *next;
    EngineCall call;
    uint64_t   id;
    size_t     bytes;
};

typedef struct Line {
    Pending *first, **last;
} Line;

struct Engine {
    Live           *live;
    pthread_t       reader, writer;
    bool            reads, writes;
    pthread_mutex_t lock;
    pthread_cond_t  change;
    Line            urgent, normal, flying;
    uint32_t        flying_ordered;
    size_t          bytes;
    uint64_t        ids;
    uint32_t        generation;
    int             fd;                 /* -1: no process                                 */
    pid_t           pid;
    bool            wanted, ready, closing;
};

/* ---- lines ---- */

static void line_add(Line *line, Pending *p)
{
    p->next = NULL;
    *line->last = p;
    line->last = &p->next;
}

static Pending *line_take(Line *line, Pending **at)
{
    Pending *p = *at;
    if (!p)
        return NULL;
    *at = p->next;
    if (line->last == &p->next)
        line->last = at;
    return p;
}

static void pending_free(Live *l, void *pending)
{
    Pending *p = pending;
    receipt_end(l, p->call.receipt, WEFT_ERROR_DEVICE_LOST, "the server ends");
    pack_fini(&p->call.data);
    asker_drop(&p->call.asker);
    free(p);
}

/* ---- answers ---- */

static void task_answer(Live *l, Task *t)
{
    Pending     *p = t->extra;
    EngineAnswer a = {.kind = (weft_error_kind)t->id, .message = t->name,
                      .data = {.data = t->data.data, .size = t->data.size}};
    if (p->call.done)
        p->call.done(l, &p->call, &a);
    p->call.receipt = NULL;
}

/* Hands an answer to the hub; the bytes are copied. */
static void answer(Engine *e, Pending *p, weft_error_kind kind, const char *message,
                   const void *data, size_t size)
{
    Task *t = task_new(task_answer, p->call.space ? p->call.space->tenant : "", size);
    if (!t) {
        pending_free(e->live, p);
        return;
    }
    t->id = kind;
    snprintf(t->name, sizeof t->name, "%s", message);
    if (data)
        pack_raw(&t->data, data, size);
    t->extra = p;
    t->free_extra = pending_free;
    hub_push(e->live, t, true);
}

/* With the lock: takes all calls out of a line. */
static void take_all(Engine *e, Line *from, Line *to)
{
    for (Pending *p; (p = line_take(from, &from->first));) {
        e->bytes -= p->bytes;
        line_add(to, p);
    }
}

static void fail_all(Engine *e, Line *failed)
{
    for (Pending *p; (p = line_take(failed, &failed->first));)
        answer(e, p, WEFT_ERROR_DEVICE_LOST, "the process of the vectors died: try again", NULL,
               0);
}

/* ---- reading ---- */

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

static void take_answer(Engine *e, const WireHead *head, const uint8_t *data)
{
    pthread_mutex_lock(&e->lock);
    Pending **at = &e->flying.first;
    while (*at && (*at)->id != head->job)
        at = &(*at)->next;
    Pending *p = line_take(&e->flying, at);
    if (p) {
        e->flying_ordered -= p->call.ordered;
        e->bytes -= p->bytes;
        pthread_cond_broadcast(&e->change);
    }
    pthread_mutex_unlock(&e->lock);
    if (!p)
        return;
    Unpack u = {.data = data, .size = head->size};
    if (head->kind == WIRE_FAILED) {
        weft_error_kind kind = (weft_error_kind)unpack_u32(&u);
        const char     *message = unpack_text(&u, 4096);
        answer(e, p, kind ? kind : WEFT_ERROR_INTERNAL, message, NULL, 0);
    } else {
        answer(e, p, WEFT_ERROR_NONE, "", data, head->size);
    }
}

static void serve(Engine *e)
{
    WireHead head;
    while (read_all(e->fd, &head, sizeof head) && head.magic == WIRE_MAGIC
           && head.size <= MAX_ANSWER) {
        uint8_t *data = malloc(head.size + 1);
        if (!data || !read_all(e->fd, data, head.size)) {
            free(data);
            return;
        }
        if (head.kind == WIRE_HELLO) {
            pthread_mutex_lock(&e->lock);
            e->ready = true;
            pthread_cond_broadcast(&e->change);
            pthread_mutex_unlock(&e->lock);
        } else {
            take_answer(e, &head, data);
        }
        free(data);
    }
}

/* ---- writing ---- */

static bool send_all(int fd, const void *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = send(fd, (const char *)from + at, size - at, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool send_call(int fd, EngineOp op, uint64_t id, const Space *s, const Pack *data)
{
    Pack     start = {0};
    pack_u32(&start, op);
    pack_text(&start, s ? s->tenant : "");
    static const uint8_t zeros[8] = {0};
    pack_raw(&start, zeros, (8 - start.size % 8) % 8);
    WireHead head = {WIRE_MAGIC, WIRE_RUN, id, start.size + data->size};
    bool     ok = !start.failed && send_all(fd, &head, sizeof head)
               && send_all(fd, start.data, start.size) && send_all(fd, data->data, data->size);
    pack_fini(&start);
    return ok;
}

static Pending *next_to_send(Engine *e)
{
    Pending *p = NULL;
    while (!e->closing && !p) {
        if (e->ready)
            p = line_take(&e->urgent, &e->urgent.first);
        if (!p && e->ready && e->flying_ordered < MAX_FLYING)
            p = line_take(&e->normal, &e->normal.first);
        if (!p)
            pthread_cond_wait(&e->change, &e->lock);
    }
    return p;
}

static void *writer_main(void *user)
{
    Engine *e = user;
    pthread_mutex_lock(&e->lock);
    for (Pending *p; (p = next_to_send(e));) {
        line_add(&e->flying, p);
        e->flying_ordered += p->call.ordered;
        int         fd = dup(e->fd);    /* the reader may close its own */
        uint64_t    id = p->id;
        EngineOp    op = p->call.op;
        const Space *s = p->call.space;
        Pack        data = p->call.data;
        p->call.data = (Pack){0};
        pthread_mutex_unlock(&e->lock);
        bool ok = fd >= 0 && send_call(fd, op, id, s, &data);
        if (!ok && fd >= 0)
            shutdown(fd, SHUT_RDWR);    /* the reader notices */
        if (fd >= 0)
            close(fd);
        pack_fini(&data);
        pthread_mutex_lock(&e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* ---- the process ---- */

static EngineSetup setup_of(const Config *c)
{
    return (EngineSetup){
        .metric = strcmp(c->vectors_metric, "dot") == 0 ? 1
                : strcmp(c->vectors_metric, "euclidean") == 0 ? 2 : 0,
        .width = (uint32_t)c->vectors_width, .height = (uint32_t)c->vectors_height,
        .grid = strcmp(c->vectors_grid, "square") == 0, .toroidal = c->vectors_toroidal,
        .capacity = c->vectors_max, .steps = c->vectors_steps};
}

static bool start(Engine *e)
{
    const Config *c = e->live->desc.config;
    char          threads[32];
    snprintf(threads, sizeof threads, "--threads=%u", (unsigned)c->vectors_threads);
    const char *argv[] = {"weft", "worker", SPAWN_FD, "--vectors", threads,
                          c->sec_sandbox ? "--sandbox" : "--no-sandbox", NULL};
    pid_t       pid;
    int         fd = spawn_process(NULL, argv, &pid);
    EngineSetup setup = setup_of(c);
    Pack        p = {0};
    if (fd < 0)
        return false;
    pack_raw(&p, &setup, sizeof setup);
    bool sent = send_call(fd, ENGINE_SETUP, 0, NULL, &p);
    pack_fini(&p);
    pthread_mutex_lock(&e->lock);
    e->fd = fd;
    e->pid = pid;
    bool closing = e->closing;
    pthread_mutex_unlock(&e->lock);
    return sent && !closing;
}

static void end(Engine *e)
{
    pthread_mutex_lock(&e->lock);
    int   fd = e->fd;
    pid_t pid = e->pid;
    e->fd = -1;
    e->pid = 0;
    e->ready = false;
    e->flying_ordered = 0;
    e->generation++;                    /* what is called from now on is for the next one */
    Line failed = {.first = NULL};
    failed.last = &failed.first;
    take_all(e, &e->flying, &failed);
    take_all(e, &e->urgent, &failed);
    take_all(e, &e->normal, &failed);   /* vectors are fed again from the store */
    pthread_mutex_unlock(&e->lock);
    if (fd >= 0) {
        close(fd);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    fail_all(e, &failed);
}

static void *reader_main(void *user)
{
    Engine  *e = user;
    uint64_t pause = NS_PER_S / 4;
    pthread_mutex_lock(&e->lock);
    while (!e->closing) {
        while (!e->wanted && !e->closing)
            pthread_cond_wait(&e->change, &e->lock);
        pthread_mutex_unlock(&e->lock);
        bool was_ready = false;
        if (start(e)) {
            serve(e);
            was_ready = e->ready;
        }
        end(e);
        pthread_mutex_lock(&e->lock);
        if (e->closing)
            break;
        log_event(e->live->desc.log, LOG_ERROR, "vectors", "their process died", NULL);
        pause = was_ready ? NS_PER_S / 4 : MIN_OF(pause * 2, 30 * (uint64_t)NS_PER_S);
        uint64_t until = clock_ns() + pause;
        while (!e->closing && clock_wait(&e->change, &e->lock, until))
            ;
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* ---- for the hub ---- */

Engine *engine_start(Live *l)
{
    Engine *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->live = l;
    e->fd = -1;
    e->generation = 1;
    e->urgent.last = &e->urgent.first;
    e->normal.last = &e->normal.first;
    e->flying.last = &e->flying.first;
    pthread_mutex_init(&e->lock, NULL);
    clock_cond_init(&e->change);
    e->reads = pthread_create(&e->reader, NULL, reader_main, e) == 0;
    e->writes = e->reads && pthread_create(&e->writer, NULL, writer_main, e) == 0;
    if (e->writes)
        return e;
    engine_close(e);
    return NULL;
}

void engine_close(Engine *e)
{
    if (!e)
        return;
    pthread_mutex_lock(&e->lock);
    e->closing = true;
    if (e->fd >= 0)
        shutdown(e->fd, SHUT_RDWR);
    pthread_cond_broadcast(&e->change);
    pthread_mutex_unlock(&e->lock);
    if (e->writes)
        pthread_join(e->writer, NULL);
    if (e->reads)
        pthread_join(e->reader, NULL);
    fail_all(e, &e->urgent);
    fail_all(e, &e->normal);
    fail_all(e, &e->flying);
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->change);
    free(e);
}

void engine_call(Engine *e, const EngineCall *call)
{
    Pending *p = calloc(1, sizeof *p);
    if (!p)
        return;
    p->call = *call;
    p->bytes = sizeof *p + call->data.size;
    pthread_mutex_lock(&e->lock);
    p->id = ++e->ids;
    e->bytes += p->bytes;
    e->wanted = true;
    line_add(call->ordered ? &e->normal : &e->urgent, p);
    pthread_cond_broadcast(&e->change);
    pthread_mutex_unlock(&e->lock);
}

size_t engine_backlog(Engine *e)
{
    pthread_mutex_lock(&e->lock);
    size_t bytes = e->bytes;
    pthread_mutex_unlock(&e->lock);
    return bytes;
}

uint32_t engine_generation(Engine *e)
{
    pthread_mutex_lock(&e->lock);
    uint32_t generation = e->generation;
    pthread_mutex_unlock(&e->lock);
    return generation;
}
