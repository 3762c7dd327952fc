// SPDX-License-Identifier: Apache-2.0
/*
 * websocket.h - WebSocket connections (RFC 6455, 7692) on upgraded sockets, in one epoll loop.
 *
 * in     sockets that HTTP has upgraded
 * out    messages for a protocol; frames of it to clients
 * knows  wslay, epoll, zlib
 * not    HTTP, what the messages mean
 *
 * Frames     a server's frames are the same bytes for every client: a message is framed, and
 *            compressed, once, and queues hold references. What is queued when the loop has
 *            done its other work leaves in one write.
 * Threads    sockets_add(), sockets_post() and all of frames from any; protocols are called on
 *            the loop's thread, and everything else about sockets is for that thread.
 */
#ifndef WEFT_SERVER_WEBSOCKET_H
#define WEFT_SERVER_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/metrics/metrics.h"

typedef struct Sockets Sockets;
typedef struct Socket  Socket;
typedef struct Frame   Frame;

/* ---- frames (frame.c) ---- */

/* NULL: no memory. One reference for the caller. */
Frame *frame_text(const char *text, size_t size);
/* head and data, one after the other. */
Frame *frame_binary(const void *head, size_t head_size, const void *data, size_t size);
/* A text compressed without context takeover, for clients that agreed to permessage-deflate. */
Frame *frame_deflated(const char *text, size_t size);
Frame *frame_retain(Frame *frame);
void   frame_release(Frame *frame);         /* NULL: nothing                              */
size_t frame_size(const Frame *frame);

/* ---- protocols ---- */

/* What a subprotocol does with messages. All but on_message may be NULL. */
typedef struct SocketProtocol {
    const char *name;                   /* "": without one                                */
    void      (*on_open)(void *user, Socket *socket);
    void      (*on_message)(void *user, Socket *socket, bool text, const void *data,
                            size_t size);
    void      (*on_drain)(void *user, Socket *socket);  /* a queue that refused is empty  */
    void      (*on_close)(void *user, Socket *socket);
    void       *user;
} SocketProtocol;

typedef struct SocketsDesc {
    Metrics *metrics;
    uint64_t max_message;               /* bytes                                          */
    uint64_t max_queue;                 /* bytes that wait for one client                 */
    uint64_t ping;                      /* nanoseconds between pings                      */
    const SocketProtocol *protocols;    /* [protocol_count] beside weft.echo; copied      */
    uint32_t protocol_count;
    void   (*on_tick)(void *user);      /* each second on the loop's thread; may be NULL  */
    void    *user;
} SocketsDesc;

typedef struct SocketDesc {
    int         fd;
    const char *extra;                  /* bytes that came with the request               */
    size_t      extra_size;
    const char *protocol, *tenant;
    bool        deflate;                /* the extension was agreed on                    */
    int64_t     expires;                /* the session's end, ms since 1970; 0: none      */
    uint32_t    scopes;                 /* for the protocol                               */
    void       *handle;                 /* for close                                      */
    void      (*close)(void *handle);
} SocketDesc;

Sockets *sockets_open(const SocketsDesc *desc);
/* Says goodbye to every client (1001) and ends the loop. What was posted before has run. */
void     sockets_close(Sockets *s);
/* Takes the socket over; closes it if it cannot. */
void     sockets_add(Sockets *s, const SocketDesc *desc);
/* Runs work(user) on the loop's thread, in the order of the calls. False: no memory, or the
 * loop has ended; work is then not called. */
bool     sockets_post(Sockets *s, void (*work)(void *user), void *user);

/* ---- sockets, on the loop's thread ---- */

/* Copies a message into the queue. False: the client is too slow, and is closed. */
bool socket_send(Socket *socket, bool text, const void *data, size_t size);
/* Queues a frame, retaining it. False: the queue is full (it holds max_queue bytes, or this
 * frame would pass that); on_drain is then called once it is empty. */
bool socket_offer(Socket *socket, Frame *frame);
/* on_drain is called once the queue is empty, full or not. */
void socket_want_drain(Socket *socket);
/* The closing handshake with a code and a reason, after what is queued. */
void socket_close(Socket *socket, uint16_t code, const char *reason);
const char *socket_tenant(const Socket *socket);
uint32_t    socket_scopes(const Socket *socket);
bool        socket_deflates(const Socket *socket);
void        socket_set_user(Socket *socket, void *user);    /* of the protocol            */
void       *socket_user(const Socket *socket);

/* ---- handshakes ---- */

/* Sec-WebSocket-Accept for a key. */
void websocket_accept(const char *key, char out[32]);
/* Does one of the offers in Sec-WebSocket-Extensions (NULL: none) suit us? Then this is the
 * answer, else NULL. */
const char *websocket_extension(const char *offers);

#endif
