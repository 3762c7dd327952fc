// SPDX-License-Identifier: Apache-2.0
/*
 * websocket_priv.h - what the files of websocket/ share.
 */
#ifndef WEFT_SERVER_WEBSOCKET_PRIV_H
#define WEFT_SERVER_WEBSOCKET_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <wslay/wslay.h>

#include "server/websocket/websocket.h"

struct Frame {
    atomic_uint refs;
    uint32_t    size;
    uint8_t     bytes[];                /* on the wire: head and payload                  */
};

/* Bytes that are frames already. */
Frame *frame_raw(const void *bytes, size_t size);
/* Decompresses a message of a client: malloc'ed, at most `limit` bytes. NULL: malformed, too
 * large (*large) or no memory. */
uint8_t *frame_inflate(const void *data, size_t size, size_t limit, size_t *out_size,
                       bool *large);

struct Socket {
    Socket   *next;                     /* in the list of the loop, or of new ones        */
    Socket   *next_dirty;               /* with output that was not tried yet             */
    Sockets  *sockets;
    int       fd;
    void     *handle, *user;
    void    (*close)(void *handle);
    wslay_event_context_ptr context;    /* reads; its own answers go into the queue       */
    const SocketProtocol *protocol;
    char      tenant[65];
    uint32_t  scopes;
    uint8_t  *extra;                    /* malloc'ed                                      */
    size_t    extra_size, extra_at;
    int64_t   expires;
    uint64_t  heard_ns, pinged_ns;
    uint32_t  watched;                  /* events that epoll looks for                    */
    bool      dead, dirty, opened, deflate, refused;
    size_t    turn;                     /* bytes read in this turn of the loop            */
    /* frames that wait: a ring */
    Frame   **queue;
    uint32_t  head, count, room;        /* room is a power of two, or 0                   */
    size_t    sent;                     /* of the first frame                             */
    size_t    queued;                   /* bytes of all, with what was sent of the first  */
};

/* ---- one socket (socket.c) ---- */

void socket_begin(Socket *k);
/* Reads as much as a turn allows. */
void socket_read(Socket *k);
/* Writes as much as the kernel takes, and watches for what is left. */
void socket_flush(Socket *k);
void socket_tick(Socket *k, uint64_t now);
void socket_end(Socket *k);

/* ---- the loop (websocket.c) ---- */

int            sockets_epoll(const Sockets *s);
const SocketsDesc *sockets_desc(const Sockets *s);
/* The socket ends at the end of this turn. */
void           sockets_kill(Sockets *s, Socket *k);
/* The socket has output: it is written at the end of this turn. */
void           sockets_mark_dirty(Sockets *s, Socket *k);

#endif
