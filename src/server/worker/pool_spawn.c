// SPDX-License-Identifier: Apache-2.0
/*
 * pool_spawn.c - starts worker processes and ends them.
 *
 * in     a free place of the pool
 * out    a process with a socket to it; or none
 * knows  epoll
 * not    messages (pool_io.c)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/worker/pool_priv.h"
#include "server/worker/spawn.h"

/* Our end of the socket to a new process; -1: none. */
static int spawn(Pool *p, pid_t *pid)
{
    char threads[32], space[40];
    snprintf(threads, sizeof threads, "--threads=%u", p->desc.threads);
    snprintf(space, sizeof space, "--address-space=%llu",
             (unsigned long long)p->desc.address_space);
    const char *argv[] = {"weft", "worker", SPAWN_FD, threads, space,
                          p->desc.sandboxed ? "--sandbox" : "--no-sandbox",
                          p->desc.gpu ? "--gpu" : "--kernel",
                          p->desc.profile && !p->profiled ? "--profile" : NULL, NULL};
    return spawn_process(p->desc.program, argv, pid);
}

void worker_step(Pool *p, Worker *w, StateEvent event)
{
    State from = w->state;
    w->state = state_next(from, event);
    if (p->desc.on_change)
        p->desc.on_change(p->desc.user, w->index, w->pid, from, event, w->state);
}

bool worker_spawn(Pool *p, Worker *w)
{
    pid_t pid = 0;
    int   fd = spawn(p, &pid);
    *w = (Worker){.index = w->index, .state = w->state, .fd = fd, .pid = pid,
                  .deadline = CLOCK_NEVER};
    if (fd < 0)
        return false;
    fcntl(w->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = w->index};
    epoll_ctl(p->epoll, EPOLL_CTL_ADD, w->fd, &event);
    w->since = clock_ns();
    w->deadline = w->since + p->desc.start_timeout;
    p->profiled = true;
    p->figures.started++;
    worker_step(p, w, EVENT_SPAWN);
    return true;
}

void worker_end(Pool *p, Worker *w, StateEvent event)
{
    if (!worker_is_alive(w))
        return;
    BUG_IF(w->pid <= 0, "a worker without a process");
    kill(w->pid, SIGKILL);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    epoll_ctl(p->epoll, EPOLL_CTL_DEL, w->fd, NULL);
    close(w->fd);
    free(w->pending);
    free(w->payload);
    *w = (Worker){.index = w->index, .pid = w->pid, .state = w->state, .fd = -1};
    worker_step(p, w, event);
}
