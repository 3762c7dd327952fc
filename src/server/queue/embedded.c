// SPDX-License-Identifier: Apache-2.0
/*
 * embedded.c - the queue in memory: a heap for each tenant and runner; tenants take turns.
 *
 * in     jobs
 * out    the next one
 * not    durability
 */
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "server/queue/queue.h"

typedef struct Entry {
    void    *job;
    int      priority;
    uint64_t order;                     /* of arrival                                     */
} Entry;

/* The waiting jobs of one tenant for one runner. */
typedef struct Line {
    struct Line *next;                  /* in the ring of turns                           */
    char        *tenant, *runner;
    Entry       *heap;
    size_t       count, room;
} Line;

struct Queue {
    Line    *lines;                     /* the one whose turn is next comes first         */
    uint64_t arrivals;
    size_t   depth;
};

static Queue *queue_open(void)
{
    return calloc(1, sizeof(Queue));
}

static void line_free(Line *l)
{
    if (l) {
        free(l->tenant);
        free(l->runner);
        free(l->heap);
    }
    free(l);
}

static void queue_close(Queue *q)
{
    while (q && q->lines) {
        Line *l = q->lines;
        q->lines = l->next;
        line_free(l);
    }
    free(q);
}

/* ---- heaps ---- */

static bool before(const Entry *a, const Entry *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->order < b->order;
}

static void swap(Entry *a, Entry *b)
{
    Entry t = *a;
    *a = *b;
    *b = t;
}

static void sift_up(Line *l, size_t i)
{
    for (; i && before(&l->heap[i], &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&l->heap[i], &l->heap[(i - 1) / 2]);
}

static void sift_down(Line *l, size_t i)
{
    for (;;) {
        size_t best = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < l->count; child++)
            if (before(&l->heap[child], &l->heap[best]))
                best = child;
        if (best == i)
            return;
        swap(&l->heap[i], &l->heap[best]);
        i = best;
    }
}

static void take_out(Line *l, size_t i)
{
    l->heap[i] = l->heap[--l->count];
    if (i < l->count) {
        sift_down(l, i);
        sift_up(l, i);
    }
}

/* ---- lines ---- */

static Line **line_find(Queue *q, const char *tenant, const char *runner)
{
    Line **at = &q->lines;
    while (*at && (strcmp((*at)->tenant, tenant) || strcmp((*at)->runner, runner)))
        at = &(*at)->next;
    return at;
}

static Line *line_make(Queue *q, const char *tenant, const char *runner)
{
    Line **at = line_find(q, tenant, runner);
    if (*at)
        return *at;
    Line *l = calloc(1, sizeof *l);
    if (l) {
        l->tenant = strdup(tenant);
        l->runner = strdup(runner);
    }
    if (!l || !l->tenant || !l->runner) {
        line_free(l);
        return NULL;
    }
    *at = l;
    return l;
}

static bool push(Queue *q, const QueueItem *item)
{
    Line *l = line_make(q, item->tenant, item->runner);
    if (!l)
        return false;
    if (l->count == l->room) {
        size_t room = MAX_OF(l->room * 2, 16);
        Entry *heap = realloc(l->heap, room * sizeof *heap);
        if (!heap)
            return false;
        l->heap = heap;
        l->room = room;
    }
    l->heap[l->count] = (Entry){item->job, item->priority, q->arrivals++};
    sift_up(l, l->count++);
    q->depth++;
    return true;
}

/* An emptied line goes; one with more jobs moves to the end of the ring. */
static void turn(Queue *q, Line **at)
{
    Line *l = *at;
    *at = l->next;
    l->next = NULL;
    if (l->count == 0) {
        line_free(l);
        return;
    }
    Line **end = &q->lines;
    while (*end)
        end = &(*end)->next;
    *end = l;
}

static void *take(Queue *q, const char *runner, bool (*ready)(void *, const char *), void *user)
{
    for (Line **at = &q->lines; *at; at = &(*at)->next) {
        Line *l = *at;
        if (strcmp(l->runner, runner) || (ready && !ready(user, l->tenant)))
            continue;
        void *job = l->heap[0].job;
        take_out(l, 0);
        q->depth--;
        turn(q, at);
        return job;
    }
    return NULL;
}

static bool remove_job(Queue *q, void *job, const char *tenant, const char *runner)
{
    Line **at = line_find(q, tenant, runner);
    for (size_t i = 0; *at && i < (*at)->count; i++) {
        if ((*at)->heap[i].job != job)
            continue;
        take_out(*at, i);
        q->depth--;
        if ((*at)->count == 0)
            turn(q, at);
        return true;
    }
    return false;
}

static size_t depth(const Queue *q)
{
    return q->depth;
}

static const QueueBackend embedded = {
    .name = "embedded", .open = queue_open, .close = queue_close, .push = push, .take = take,
    .remove = remove_job, .depth = depth,
};

const QueueBackend *queue_backend(const char *name)
{
    return strcmp(name, embedded.name) == 0 ? &embedded : NULL;
}
