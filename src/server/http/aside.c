// SPDX-License-Identifier: Apache-2.0
/*
 * aside.c - requests that take long are handled on threads of their own, so that the one
 * thread that talks to all clients goes on: large bodies, large results, waits for the disk.
 *
 * in     requests whose connection sleeps meanwhile
 * out    the same, with an answer, or asleep until something wakes them
 * knows  libmicrohttpd takes answers on its own thread alone: they are kept until then
 * not    what the handlers do
 */
#include "server/http/http_priv.h"

void request_aside(Request *r, void (*work)(Request *r))
{
    Http *h = r->http;
    pthread_mutex_lock(&h->lock);
    bool ends = h->asides_end;
    if (!ends) {
        r->work = work;
        r->aside = true;
        r->sleeps = false;
        r->again = NULL;
        r->next_aside = NULL;
        atomic_store(&r->woken, false);
        atomic_store(&r->slept, true);
        MHD_suspend_connection(r->connection);
        *h->last_aside = r;
        h->last_aside = &r->next_aside;
        pthread_cond_signal(&h->more_asides);
    }
    pthread_mutex_unlock(&h->lock);
    if (ends)
        answer_error(r, 503, WEFT_ERROR_DEVICE_LOST, "the server is shutting down");
}

/* With the lock held: once it wakes, the other thread may end the request, for which it needs
 * the lock. */
static void finish(Http *h, Request *r)
{
    r->aside = false;
    atomic_store(&r->suspended, true);
    if (!r->sleeps || atomic_load(&r->woken) || atomic_load(&h->closing))
        request_wake(r);
}

static void *thread_main(void *user)
{
    Http *h = user;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (!h->first_aside && !h->asides_end)
            pthread_cond_wait(&h->more_asides, &h->lock);
        Request *r = h->first_aside;
        if (!r)
            break;
        h->first_aside = r->next_aside;
        if (!h->first_aside)
            h->last_aside = &h->first_aside;
        pthread_mutex_unlock(&h->lock);
        r->work(r);
        pthread_mutex_lock(&h->lock);
        finish(h, r);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

bool asides_open(Http *h)
{
    h->last_aside = &h->first_aside;
    pthread_cond_init(&h->more_asides, NULL);
    while (h->aside_count < HTTP_ASIDES
           && pthread_create(&h->asides[h->aside_count], NULL, thread_main, h) == 0)
        h->aside_count++;
    return h->aside_count == HTTP_ASIDES;
}

/* Those that wait are handled before. */
void asides_close(Http *h)
{
    pthread_mutex_lock(&h->lock);
    h->asides_end = true;
    pthread_cond_broadcast(&h->more_asides);
    pthread_mutex_unlock(&h->lock);
    for (uint32_t i = 0; i < h->aside_count; i++)
        pthread_join(h->asides[i], NULL);
    pthread_cond_destroy(&h->more_asides);
}
