// SPDX-License-Identifier: Apache-2.0
/*
 * websocket.c - the loop over WebSocket connections.
 *
 * in     upgraded sockets, work of other threads
 * out    turns: what can be read is read, posted work runs, then all that waits is written
 * knows  epoll
 * not    frames (socket.c), what messages mean
 *
 * Writing comes last in a turn, so that messages which became ready together leave together.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/websocket/websocket_priv.h"

#define MAX_PROTOCOLS 8u

/* Something to do on the loop's thread. */
typedef struct Work Work;
struct Work {
    Work  *next;
    void (*run)(void *user);
    void  *user;
};

struct Sockets {
    SocketsDesc     desc;
    SocketProtocol  protocols[MAX_PROTOCOLS];
    pthread_t       thread;
    pthread_mutex_t lock;
    Socket         *fresh;              /* added by other threads                         */
    Work           *work, **last_work;
    bool            awake;              /* the loop has been told already                 */
    Socket         *all, *dirty;
    int             epoll, wake;
    bool            stopping, stopped;
    bool            any_dead;
};

/* ---- protocols ---- */

static void echo(void *user, Socket *socket, bool text, const void *data, size_t size)
{
    (void)user;
    socket_send(socket, text, data, size);
}

static void ignore(void *user, Socket *socket, bool text, const void *data, size_t size)
{
    (void)user;
    (void)socket;
    (void)text;
    (void)data;
    (void)size;
}

static const SocketProtocol echo_protocol = {.name = "weft.echo", .on_message = echo};
static const SocketProtocol silent_protocol = {.name = "", .on_message = ignore};

static const SocketProtocol *find_protocol(const Sockets *s, const char *name)
{
    for (uint32_t i = 0; i < s->desc.protocol_count; i++)
        if (strcmp(s->protocols[i].name, name) == 0)
            return &s->protocols[i];
    return strcmp(name, echo_protocol.name) == 0 ? &echo_protocol : &silent_protocol;
}

int sockets_epoll(const Sockets *s)
{
    return s->epoll;
}

const SocketsDesc *sockets_desc(const Sockets *s)
{
    return &s->desc;
}

/* ---- the thread ---- */

void sockets_kill(Sockets *s, Socket *k)
{
    k->dead = true;
    s->any_dead = true;
}

void sockets_mark_dirty(Sockets *s, Socket *k)
{
    if (k->dirty)
        return;
    k->dirty = true;
    k->next_dirty = s->dirty;
    s->dirty = k;
}

/* New sockets, and posted work in its order. */
static void take_posted(Sockets *s)
{
    pthread_mutex_lock(&s->lock);
    Socket *fresh = s->fresh;
    Work   *work = s->work;
    s->fresh = NULL;
    s->work = NULL;
    s->last_work = &s->work;
    s->awake = false;
    pthread_mutex_unlock(&s->lock);
    for (Socket *next; fresh; fresh = next) {
        next = fresh->next;
        fresh->next = s->all;
        s->all = fresh;
        socket_begin(fresh);
        sockets_mark_dirty(s, fresh);
    }
    for (Work *next; work; work = next) {
        next = work->next;
        work->run(work->user);
        free(work);
    }
}

static void flush_dirty(Sockets *s)
{
    /* on_drain may queue more for the same socket: then it comes once more */
    while (s->dirty) {
        Socket *k = s->dirty;
        s->dirty = k->next_dirty;
        k->dirty = false;
        if (!k->dead)
            socket_flush(k);
    }
}

/* Dead sockets are looked for only if one has died. */
static void remove_dead(Sockets *s)
{
    if (!s->any_dead)
        return;
    s->any_dead = false;
    for (Socket **at = &s->all; *at;) {
        Socket *k = *at;
        if (!k->dead) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        socket_end(k);
    }
}

static void tick(Sockets *s, uint64_t now)
{
    for (Socket *k = s->all; k; k = k->next)
        if (!k->dead)
            socket_tick(k, now);
    if (s->desc.on_tick)
        s->desc.on_tick(s->desc.user);
}

static void say_goodbye(Sockets *s)
{
    for (Socket *k = s->all; k; k = k->next)
        socket_close(k, WSLAY_CODE_GOING_AWAY, "");
    flush_dirty(s);
    for (Socket *k = s->all; k; k = k->next)
        sockets_kill(s, k);
    remove_dead(s);
}

static void handle_events(Sockets *s, const struct epoll_event *events, int n)
{
    for (int i = 0; i < n; i++) {
        Socket  *k = events[i].data.ptr;
        uint64_t count;
        if (!k) {
            if (read(s->wake, &count, sizeof count) < 0)
                continue;
        } else if (!k->dead && events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
            socket_read(k);
        } else if (!k->dead) {
            sockets_mark_dirty(s, k);
        }
    }
}

static void *thread_main(void *user)
{
    Sockets *s = user;
    struct epoll_event events[256];
    uint64_t ticked = clock_ns();
    for (;;) {
        int n = epoll_wait(s->epoll, events, (int)COUNTOF(events), 1000);
        pthread_mutex_lock(&s->lock);
        bool stop = s->stopping;
        pthread_mutex_unlock(&s->lock);
        if (stop)
            break;
        handle_events(s, events, n);
        take_posted(s);
        uint64_t now = clock_ns();
        if (now - ticked > NS_PER_S) {
            ticked = now;
            tick(s, now);
        }
        flush_dirty(s);
        remove_dead(s);
    }
    take_posted(s);
    say_goodbye(s);
    pthread_mutex_lock(&s->lock);
    s->stopped = true;
    pthread_mutex_unlock(&s->lock);
    take_posted(s);                     /* what came during the goodbyes */
    say_goodbye(s);
    return NULL;
}

/* ---- from other threads ---- */

static void wake(Sockets *s)
{
    uint64_t one = 1;
    ssize_t  n = write(s->wake, &one, sizeof one);
    (void)n;
}

Sockets *sockets_open(const SocketsDesc *desc)
{
    Sockets *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->desc = *desc;
    s->last_work = &s->work;
    if (s->desc.max_queue == 0)
        s->desc.max_queue = 1u << 20;
    s->desc.protocol_count = MIN_OF(desc->protocol_count, MAX_PROTOCOLS);
    for (uint32_t i = 0; i < s->desc.protocol_count; i++)
        s->protocols[i] = desc->protocols[i];
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&s->lock, NULL);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (s->epoll < 0 || s->wake < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->wake, &event) != 0
        || pthread_create(&s->thread, NULL, thread_main, s) != 0) {
        close(s->epoll);
        close(s->wake);
        free(s);
        return NULL;
    }
    return s;
}

void sockets_close(Sockets *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_mutex_unlock(&s->lock);
    wake(s);
    pthread_join(s->thread, NULL);
    close(s->epoll);
    close(s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

bool sockets_post(Sockets *s, void (*run)(void *user), void *user)
{
    Work *w = malloc(sizeof *w);
    if (!w)
        return false;
    *w = (Work){.run = run, .user = user};
    pthread_mutex_lock(&s->lock);
    bool open = !s->stopped, asleep = open && !s->awake;
    if (open) {
        *s->last_work = w;
        s->last_work = &w->next;
        s->awake = true;
    }
    pthread_mutex_unlock(&s->lock);
    if (asleep)
        wake(s);
    if (!open)
        free(w);
    return open;
}

void sockets_add(Sockets *s, const SocketDesc *d)
{
    Socket *k = calloc(1, sizeof *k);
    if (k && d->extra_size)
        k->extra = malloc(d->extra_size);
    if (!k || (d->extra_size && !k->extra)) {
        free(k);
        d->close(d->handle);
        return;
    }
    k->sockets = s;
    k->fd = d->fd;
    k->handle = d->handle;
    k->close = d->close;
    k->expires = d->expires;
    k->deflate = d->deflate;
    k->scopes = d->scopes;
    k->protocol = find_protocol(s, d->protocol);
    strncpy(k->tenant, d->tenant, sizeof k->tenant - 1);
    if (d->extra_size)
        memcpy(k->extra, d->extra, d->extra_size);
    k->extra_size = d->extra_size;
    int one = 1;                        /* what leaves together is in one write already */
    setsockopt(k->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(k->fd, F_SETFL, fcntl(k->fd, F_GETFL) | O_NONBLOCK);
    metrics_add(s->desc.metrics, METRIC_SOCKETS, 0, 1);
    pthread_mutex_lock(&s->lock);
    bool open = !s->stopped, asleep = !s->awake;
    if (open) {
        k->next = s->fresh;
        s->fresh = k;
        s->awake = true;
    }
    pthread_mutex_unlock(&s->lock);
    if (open && asleep)
        wake(s);
    if (!open)
        socket_end(k);
}
