// SPDX-License-Identifier: Apache-2.0
/*
 * pool_io.c - messages to and from one worker process. What comes from a worker is not
 * trusted: it runs other people's code.
 *
 * in     jobs; bytes on sockets that do not block
 * out    answers for the pool's owner
 * knows  wire.h
 * not    which worker gets which job (pool.c)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/worker/pool_priv.h"

/* ---- sending ---- */

static void watch(Pool *p, Worker *w, bool writes)
{
    struct epoll_event event = {.events = EPOLLIN | (writes ? (uint32_t)EPOLLOUT : 0),
                                .data.u32 = w->index};
    epoll_ctl(p->epoll, EPOLL_CTL_MOD, w->fd, &event);
}

/* Keeps what the socket did not take. */
static bool keep_rest(Pool *p, Worker *w, const struct iovec *parts, int count, size_t sent)
{
    size_t total = 0;
    for (int i = 0; i < count; i++)
        total += parts[i].iov_len;
    if (sent >= total)
        return true;
    w->pending = malloc(total - sent);
    if (!w->pending)
        return false;
    w->pending_size = total - sent;
    w->pending_at = 0;
    uint8_t *to = w->pending;
    for (int i = 0; i < count; i++) {
        size_t skip = MIN_OF(sent, parts[i].iov_len);
        memcpy(to, (char *)parts[i].iov_base + skip, parts[i].iov_len - skip);
        to += parts[i].iov_len - skip;
        sent -= skip;
    }
    watch(p, w, true);
    return true;
}

bool worker_send(Pool *p, Worker *w, const PoolJob *job)
{
    WireHead head = {WIRE_MAGIC, job->kind, w->number, job->head_size + job->tail_size};
    struct iovec parts[3] = {
        {&head, sizeof head},
        {(void *)(uintptr_t)job->head, job->head_size},
        {(void *)(uintptr_t)job->tail, job->tail_size},
    };
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    ssize_t n = sendmsg(w->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    return keep_rest(p, w, parts, 3, n > 0 ? (size_t)n : 0);
}

bool worker_flush(Pool *p, Worker *w)
{
    while (w->pending_at < w->pending_size) {
        ssize_t n = send(w->fd, w->pending + w->pending_at, w->pending_size - w->pending_at,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        w->pending_at += (size_t)n;
    }
    free(w->pending);
    w->pending = NULL;
    w->pending_size = w->pending_at = 0;
    watch(p, w, false);
    return true;
}

/* ---- receiving ---- */

static bool greet(Pool *p, Worker *w, Unpack *u)
{
    uint32_t    protections = unpack_u32(u);
    const char *device = unpack_text(u, sizeof p->figures.device - 1);
    const void *profile = unpack_raw(u, 2 * sizeof(double));
    double      figures[2];
    if (u->failed || w->state == DEVICE_READY || w->state == DEVICE_BUSY)
        return false;
    if (clock_ns() >= w->deadline)
        return true;                    /* too late: check_deadlines() ends it        */
    memcpy(figures, profile, sizeof figures);
    strcpy(p->figures.device, device);
    if (figures[0] > 0) {
        p->figures.bandwidth = figures[0];
        p->figures.arithmetic = figures[1];
    }
    p->figures.protections = protections;
    *p->figures.fault = '\0';
    p->failures = 0;
    p->not_before = 0;
    w->deadline = CLOCK_NEVER;
    w->since = clock_ns();
    worker_step(p, w, EVENT_OPENED);
    return true;
}

static bool read_answer(Unpack *u, WireKind kind, PoolAnswer *a)
{
    if (kind == WIRE_FAILED) {
        a->kind = (weft_error_kind)unpack_u32(u);
        a->message = unpack_text(u, WIRE_MAX_ERROR);
        return !u->failed && a->kind > WEFT_ERROR_NONE && a->kind < WEFT_ERROR_KIND_COUNT;
    }
    if (kind == WIRE_DONE) {
        const void *done = unpack_raw(u, sizeof a->done);
        if (!done)
            return false;
        memcpy(&a->done, done, sizeof a->done);
        a->outputs = u->data + u->at;
        a->outputs_size = u->size - u->at;
        return true;
    }
    if (kind == WIRE_CHECKED || kind == WIRE_PROBED) {
        a->report = unpack_text(u, UINT32_MAX);
        return !u->failed;
    }
    return false;
}

/* A worker says why it has no device; it ends then. */
static bool give_up(Pool *p, Unpack *u)
{
    PoolAnswer a = {0};
    if (read_answer(u, WIRE_FAILED, &a))
        snprintf(p->figures.fault, sizeof p->figures.fault, "%s", a.message);
    return false;
}

/* A whole message is there. */
static bool take_message(Pool *p, Worker *w, const uint8_t *payload)
{
    Unpack u = {.data = payload, .size = w->head.size};
    if (w->head.kind == WIRE_HELLO)
        return greet(p, w, &u);
    if (w->head.kind == WIRE_FAILED && w->state != DEVICE_BUSY && w->state != DEVICE_READY)
        return give_up(p, &u);
    PoolAnswer answer = {.message = ""};
    if (w->state != DEVICE_BUSY || w->head.job != w->number
        || !read_answer(&u, (WireKind)w->head.kind, &answer))
        return false;
    void *job = w->job;
    w->job = NULL;
    worker_step(p, w, EVENT_NO_WORK);
    w->since = clock_ns();
    w->deadline = CLOCK_NEVER;
    p->figures.busy--;
    p->desc.on_answer(p->desc.user, job, &answer);
    return answer.kind != WEFT_ERROR_DEVICE_LOST;
}

static bool begin_payload(Worker *w)
{
    uint64_t limit = w->state == DEVICE_BUSY ? w->answer_limit : 4096;
    if (w->head.magic != WIRE_MAGIC || w->head.size > limit)
        return false;
    w->payload = malloc(w->head.size + 1);
    w->payload_at = 0;
    return w->payload != NULL;
}

static bool end_message(Pool *p, Worker *w)
{
    uint8_t *payload = w->payload;      /* the owner may end the worker meanwhile */
    w->payload = NULL;
    w->head_at = 0;
    bool ok = take_message(p, w, payload);
    free(payload);
    return ok;
}

bool worker_receive(Pool *p, Worker *w)
{
    for (;;) {
        bool    in_head = w->head_at < sizeof w->head;
        char   *to = in_head ? (char *)&w->head + w->head_at : (char *)w->payload + w->payload_at;
        size_t  want = in_head ? sizeof w->head - w->head_at : w->head.size - w->payload_at;
        ssize_t n = want ? recv(w->fd, to, want, MSG_DONTWAIT) : 0;
        if (want && n <= 0)
            return n < 0 && (errno == EAGAIN || errno == EINTR);
        if (in_head) {
            w->head_at += (size_t)n;
            if (w->head_at < sizeof w->head)
                continue;
            if (!begin_payload(w))
                return false;
        } else {
            w->payload_at += (size_t)n;
        }
        if (w->payload_at == w->head.size) {
            if (!end_message(p, w))
                return false;
            if (!worker_is_alive(w))
                return true;
        }
    }
}
