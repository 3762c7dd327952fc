// SPDX-License-Identifier: Apache-2.0
/*
 * abandoned.c - closes connections whose client has gone in the middle of a request.
 *
 * in     the list of requests, once a second
 * out    sockets that are shut down, which libmicrohttpd notices
 * knows  libmicrohttpd reads a socket until it has less than it asked for: an end that comes
 *        together with the last bytes is seen only when server.idle_timeout is over
 * not    requests that have arrived: their clients may close their half
 */
#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "server/http/http_priv.h"

#define PATIENCE_NS NS_PER_S

static bool is_abandoned(const Request *r, uint64_t now)
{
    char byte;
    if (!atomic_load(&r->arriving) || now - r->begun_ns < PATIENCE_NS)
        return false;
    ssize_t n = recv(r->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno == ECONNRESET);
}

void http_tick(Http *h)
{
    uint64_t now = clock_ns();
    /* A request leaves the list before its socket is closed. */
    pthread_mutex_lock(&h->lock);
    for (Request *r = h->requests; r; r = r->after)
        if (is_abandoned(r, now))
            shutdown(r->fd, SHUT_RDWR);
    pthread_mutex_unlock(&h->lock);
}
