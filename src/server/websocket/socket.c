// SPDX-License-Identifier: Apache-2.0
/*
 * socket.c - one WebSocket connection: reading, the queue of frames, writing, pings, closing.
 *
 * in     bytes of a client; frames
 * out    messages for its protocol; bytes
 * knows  wslay, which parses and answers control frames
 * not    the loop, other sockets
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/websocket/websocket_priv.h"

#define MAX_QUEUED (8u << 20)           /* bytes, for socket_send()                       */
#define MAX_FRAMES 65536u               /* in a queue                                     */
#define MAX_TURN   (256u << 10)         /* bytes read in a turn: others wait, too         */
#define WRITE_PARTS 64

/* ---- the queue ---- */

static bool queue_push(Socket *k, Frame *f)
{
    if (k->count == k->room) {
        uint32_t room = k->room ? k->room * 2 : 8;
        Frame  **queue = k->count < MAX_FRAMES ? malloc(room * sizeof *queue) : NULL;
        if (!queue)
            return false;
        for (uint32_t i = 0; i < k->count; i++)
            queue[i] = k->queue[(k->head + i) & (k->room - 1)];
        free(k->queue);
        k->queue = queue;
        k->head = 0;
        k->room = room;
    }
    k->queue[(k->head + k->count++) & (k->room - 1)] = f;
    k->queued += f->size;
    sockets_mark_dirty(k->sockets, k);
    return true;
}

static void queue_pop(Socket *k)
{
    Frame *f = k->queue[k->head];
    k->head = (k->head + 1) & (k->room - 1);
    k->count--;
    k->queued -= f->size;
    k->sent = 0;
    frame_release(f);
}

/* Control frames that wslay has ready go before what is queued next. */
static void send_control(Socket *k)
{
    if (k->context && wslay_event_want_write(k->context) && wslay_event_send(k->context) != 0)
        sockets_kill(k->sockets, k);
}

bool socket_offer(Socket *k, Frame *frame)
{
    send_control(k);
    uint64_t limit = sockets_desc(k->sockets)->max_queue;
    if (k->dead || (k->count && k->queued + frame->size > limit)) {
        k->refused = true;
        return false;
    }
    if (!queue_push(k, frame)) {
        k->refused = true;
        return false;
    }
    frame_retain(frame);
    metrics_add(sockets_desc(k->sockets)->metrics, METRIC_MESSAGES, 1, 1);
    return true;
}

void socket_want_drain(Socket *k)
{
    k->refused = true;
    sockets_mark_dirty(k->sockets, k);
}

bool socket_send(Socket *k, bool text, const void *data, size_t size)
{
    send_control(k);
    Frame *f = k->queued > MAX_QUEUED ? NULL
             : text ? frame_text(data, size) : frame_binary(NULL, 0, data, size);
    if (!f || !queue_push(k, f)) {
        frame_release(f);
        sockets_kill(k->sockets, k);
        return false;
    }
    metrics_add(sockets_desc(k->sockets)->metrics, METRIC_MESSAGES, 1, 1);
    return true;
}

/* ---- writing ---- */

/* One write of all that waits. Returns false when the kernel takes no more. */
static bool write_some(Socket *k)
{
    struct iovec  parts[WRITE_PARTS];
    struct msghdr message = {.msg_iov = parts};
    for (uint32_t i = 0; i < k->count && i < WRITE_PARTS; i++) {
        Frame *f = k->queue[(k->head + i) & (k->room - 1)];
        size_t skip = i == 0 ? k->sent : 0;
        parts[i] = (struct iovec){f->bytes + skip, f->size - skip};
        message.msg_iovlen++;
    }
    ssize_t n = sendmsg(k->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) {
        if (errno != EAGAIN && errno != EINTR)
            sockets_kill(k->sockets, k);
        return false;
    }
    for (size_t left = (size_t)n; left;) {
        size_t rest = k->queue[k->head]->size - k->sent;
        if (left < rest) {
            k->sent += left;
            return false;               /* the kernel's buffer is full */
        }
        left -= rest;
        queue_pop(k);
    }
    return true;
}

static void watch(Socket *k)
{
    bool     reads = wslay_event_want_read(k->context);
    uint32_t wanted = (reads ? (uint32_t)EPOLLIN : 0) | (k->count ? (uint32_t)EPOLLOUT : 0);
    if (!reads && k->count == 0)
        sockets_kill(k->sockets, k);    /* the closing handshake is complete */
    if (k->dead || wanted == k->watched)
        return;
    struct epoll_event event = {.events = wanted, .data.ptr = k};
    epoll_ctl(sockets_epoll(k->sockets), k->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, k->fd,
              &event);
    k->watched = wanted;
}

/* wslay writes control frames: pongs, and its part of the closing handshake. */
static ssize_t on_send(wslay_event_context_ptr context, const uint8_t *bytes, size_t size,
                       int flags, void *user)
{
    Socket *k = user;
    Frame  *f = frame_raw(bytes, size);
    (void)flags;
    if (f && k->queued <= MAX_QUEUED && queue_push(k, f))
        return (ssize_t)size;
    frame_release(f);
    wslay_event_set_error(context, WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

void socket_flush(Socket *k)
{
    send_control(k);
    while (!k->dead && k->count && write_some(k))
        ;
    if (!k->dead && k->count == 0 && k->refused) {
        k->refused = false;
        if (k->protocol->on_drain)
            k->protocol->on_drain(k->protocol->user, k);
    }
    if (!k->dead)
        watch(k);
}

/* ---- reading ---- */

static ssize_t on_recv(wslay_event_context_ptr context, uint8_t *to, size_t room, int flags,
                       void *user)
{
    Socket *k = user;
    (void)flags;
    if (k->extra_at < k->extra_size) {
        size_t n = MIN_OF(room, k->extra_size - k->extra_at);
        memcpy(to, k->extra + k->extra_at, n);
        k->extra_at += n;
        return (ssize_t)n;
    }
    ssize_t n = k->turn < MAX_TURN ? recv(k->fd, to, room, MSG_DONTWAIT) : -1;
    if (n > 0) {
        k->turn += (size_t)n;
        return n;
    }
    bool later = k->turn >= MAX_TURN || (n < 0 && (errno == EAGAIN || errno == EINTR));
    wslay_event_set_error(context, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static void deliver(Socket *k, bool text, const void *data, size_t size)
{
    metrics_add(sockets_desc(k->sockets)->metrics, METRIC_MESSAGES, 0, 1);
    k->protocol->on_message(k->protocol->user, k, text, data, size);
}

static void deliver_compressed(Socket *k, bool text, const void *data, size_t size)
{
    bool     large;
    size_t   plain_size;
    uint8_t *plain = frame_inflate(data, size, sockets_desc(k->sockets)->max_message,
                                   &plain_size, &large);
    if (plain)
        deliver(k, text, plain, plain_size);
    else
        socket_close(k, large ? WSLAY_CODE_MESSAGE_TOO_BIG : WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA,
                     large ? "message too large" : "malformed compression");
    free(plain);
}

static void on_message(wslay_event_context_ptr context,
                       const struct wslay_event_on_msg_recv_arg *arg, void *user)
{
    Socket *k = user;
    (void)context;
    k->heard_ns = clock_ns();
    if (wslay_is_ctrl_frame(arg->opcode) || k->dead)
        return;
    bool text = arg->opcode == WSLAY_TEXT_FRAME;
    if (wslay_get_rsv1(arg->rsv))
        deliver_compressed(k, text, arg->msg, arg->msg_length);
    else
        deliver(k, text, arg->msg, arg->msg_length);
}

void socket_read(Socket *k)
{
    k->turn = 0;
    if (wslay_event_recv(k->context) != 0)
        sockets_kill(k->sockets, k);
    sockets_mark_dirty(k->sockets, k);
}

/* ---- life ---- */

void socket_begin(Socket *k)
{
    static const struct wslay_event_callbacks callbacks = {
        .recv_callback = on_recv, .send_callback = on_send, .on_msg_recv_callback = on_message};
    k->heard_ns = k->pinged_ns = clock_ns();
    if (wslay_event_context_server_init(&k->context, &callbacks, k) != 0) {
        k->context = NULL;
        sockets_kill(k->sockets, k);
        return;
    }
    wslay_event_config_set_max_recv_msg_length(k->context,
                                               sockets_desc(k->sockets)->max_message);
    if (k->deflate)
        wslay_event_config_set_allowed_rsv_bits(k->context, 4);
    k->opened = true;
    if (k->protocol->on_open)
        k->protocol->on_open(k->protocol->user, k);
    socket_read(k);
}

void socket_close(Socket *k, uint16_t code, const char *reason)
{
    size_t size = MIN_OF(strlen(reason), 120);
    if (k->dead || !k->context)
        return;
    wslay_event_queue_close(k->context, code, (const uint8_t *)reason, size);
    sockets_mark_dirty(k->sockets, k);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Pings, clients that do not answer them, sessions that have ended. */
void socket_tick(Socket *k, uint64_t now)
{
    struct wslay_event_msg ping = {.opcode = WSLAY_PING};
    uint64_t interval = sockets_desc(k->sockets)->ping;
    if (now - k->heard_ns > 2 * interval + NS_PER_S) {
        sockets_kill(k->sockets, k);
    } else if (k->expires && now_ms() > k->expires) {
        socket_close(k, WSLAY_CODE_POLICY_VIOLATION, "session ended");
        k->expires = 0;
    } else if (now - k->pinged_ns > interval) {
        k->pinged_ns = now;
        if (wslay_event_queue_msg(k->context, &ping) == 0)
            sockets_mark_dirty(k->sockets, k);
    }
}

void socket_end(Socket *k)
{
    if (k->opened && k->protocol->on_close)
        k->protocol->on_close(k->protocol->user, k);
    epoll_ctl(sockets_epoll(k->sockets), EPOLL_CTL_DEL, k->fd, NULL);
    if (k->context)
        wslay_event_context_free(k->context);
    k->close(k->handle);
    metrics_add(sockets_desc(k->sockets)->metrics, METRIC_SOCKETS, 0, -1);
    while (k->count)
        queue_pop(k);
    free(k->queue);
    free(k->extra);
    free(k);
}

/* ---- for protocols ---- */

const char *socket_tenant(const Socket *k)
{
    return k->tenant;
}

uint32_t socket_scopes(const Socket *k)
{
    return k->scopes;
}

bool socket_deflates(const Socket *k)
{
    return k->deflate;
}

void socket_set_user(Socket *k, void *user)
{
    k->user = user;
}

void *socket_user(const Socket *k)
{
    return k->user;
}
