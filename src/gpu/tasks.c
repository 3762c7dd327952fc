// SPDX-License-Identifier: Apache-2.0
/*
 * tasks.c - threads that do what is asked of them, in the order it was asked.
 *
 * in     tasks: a function and the memory it is in
 * out    each is run once
 * not    what they do
 *
 * A thread is started when a task comes and no other is free to take it. One of
 * the tasks may end the list itself (the last reference to an instance goes
 * while one of its threads runs a callback): Worker.gone tells that thread.
 */
#include <signal.h>
#include <stdlib.h>

#include "base/fork.h"
#include "gpu/gpu_priv.h"

struct Worker {
    Worker   *next;
    pthread_t thread;
    Tasks    *tasks;
    bool      gone;                 /* the list is no more; only its own thread looks */
};

void tasks_init(Tasks *t, uint32_t max)
{
    *t = (Tasks){.max = max, .generation = fork_generation()};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->more, NULL);
}

/* The next task; NULL: the list is closing. */
static Task *next_task(Tasks *t)
{
    pthread_mutex_lock(&t->lock);
    t->idle++;
    while (!t->first && !t->closing)
        pthread_cond_wait(&t->more, &t->lock);
    t->idle--;
    Task *task = t->first;
    if (task) {
        t->pending--;
        t->first = task->next;
        if (!t->first)
            t->last = NULL;
    }
    pthread_mutex_unlock(&t->lock);
    return task;
}

static void *work(void *context)
{
    Worker *w = context;
    Task   *task;
    while (!w->gone && (task = next_task(w->tasks)))
        task->run(task);
    if (w->gone)
        free(w);
    return NULL;
}

/* Starts a thread, without the program's signals. With the lock. */
static bool start(Tasks *t)
{
    Worker *w = calloc(1, sizeof *w);
    if (!w)
        return false;
    w->tasks = t;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&w->thread, NULL, work, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok) {
        free(w);
        return false;
    }
    w->next = t->workers;
    t->workers = w;
    t->count++;
    return true;
}

bool tasks_start(Tasks *t)
{
    if (fork_is_stale(t->generation))
        return false;
    pthread_mutex_lock(&t->lock);
    bool ok = t->count > 0 || start(t);
    pthread_mutex_unlock(&t->lock);
    return ok;
}

bool tasks_add(Tasks *t, Task *task)
{
    if (fork_is_stale(t->generation))
        return false;
    pthread_mutex_lock(&t->lock);
    /* Who was woken for an earlier task may still count as idle. */
    if (t->pending >= t->idle && t->count < t->max)
        start(t);
    bool ok = t->count > 0;
    if (ok) {
        t->pending++;
        task->next = NULL;
        if (t->last)
            t->last->next = task;
        else
            t->first = task;
        t->last = task;
        pthread_cond_signal(&t->more);
    }
    pthread_mutex_unlock(&t->lock);
    return ok;
}

static void end_worker(Worker *w)
{
    if (pthread_equal(w->thread, pthread_self())) {
        pthread_detach(w->thread);
        w->gone = true;
        return;
    }
    pthread_join(w->thread, NULL);
    free(w);
}

void tasks_fini(Tasks *t)
{
    if (fork_is_stale(t->generation))
        return;                     /* its threads are the parent's */
    pthread_mutex_lock(&t->lock);
    BUG_IF(t->first, "tasks are left over");
    t->closing = true;
    Worker *workers = t->workers;
    pthread_cond_broadcast(&t->more);
    pthread_mutex_unlock(&t->lock);
    while (workers) {
        Worker *w = workers;
        workers = w->next;
        end_worker(w);
    }
    pthread_cond_destroy(&t->more);
    pthread_mutex_destroy(&t->lock);
}
