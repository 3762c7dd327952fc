// SPDX-License-Identifier: Apache-2.0
/*
 * platform.c - the operating system, for the pool.
 *
 * knows  POSIX: fork, pipes, threads
 * not    devices
 */
#include "pool/platform_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"

#define CHILD_MOST ((size_t)1 << 20)    /* bytes that a child may send                 */

/* ---- threads ---- */

void platform_pause(uint64_t ns)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(ns / NS_PER_S),
                                 .tv_nsec = (long)(ns % NS_PER_S)}, NULL);
}

bool platform_thread_start(pthread_t *out, void *(*main)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(out, NULL, main, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* ---- processes ---- */

void child_send(ChildPipe *to, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    while (size) {
        ssize_t n = write(to->fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(3);
        bytes += n;
        size -= (size_t)n;
    }
}

/* What the program does about signals and prints is not what a probe should do. */
static void prepare_child(uint32_t seconds)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGTERM,
                                  SIGINT, SIGHUP, SIGPIPE, SIGALRM, SIGSYS};
    sigset_t none;
    for (size_t i = 0; i < COUNTOF(signals); i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    alarm(seconds);
}

bool child_start(Child *out, void (*work)(ChildPipe *to, void *argument), void *argument,
                 uint32_t seconds)
{
    int ends[2];
    *out = (Child){.pipe = -1, .ended = true};
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        ChildPipe to = {ends[1]};
        close(ends[0]);
        prepare_child(seconds);
        work(&to, argument);
        _exit(0);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    *out = (Child){.pid = pid, .pipe = ends[0]};
    return true;
}

/* False: no more will come. */
static bool receive(Child *c)
{
    if (c->capacity - c->size < 4096) {
        size_t   capacity = c->capacity ? c->capacity * 2 : 16384;
        uint8_t *data = capacity <= CHILD_MOST ? realloc(c->data, capacity) : NULL;
        if (!data)
            return false;
        c->data = data;
        c->capacity = capacity;
    }
    ssize_t n = read(c->pipe, c->data + c->size, c->capacity - c->size);
    if (n > 0)
        c->size += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

/* A program that ignores SIGCHLD, or reaps every child, leaves no status. */
static void reap(Child *c)
{
    int   status = 0;
    pid_t got;
    do
        got = waitpid((pid_t)c->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    c->ended = true;
    if (got == (pid_t)c->pid && WIFSIGNALED(status))
        c->signal = WTERMSIG(status);
    else if (got == (pid_t)c->pid && WIFEXITED(status))
        c->status = WEXITSTATUS(status);
}

bool child_finish(Child *c, uint64_t until)
{
    bool more = c->pipe >= 0, in_time = true;
    while (more) {
        uint64_t      now = clock_ns();
        struct pollfd p = {.fd = c->pipe, .events = POLLIN};
        int           ms = now >= until ? 0 : (int)MIN_OF((until - now) / 1000000 + 1, 1000);
        int           n = poll(&p, 1, ms);
        if (n > 0)
            more = receive(c);
        else if (now >= until)
            more = in_time = false;
    }
    if (c->pipe >= 0)
        close(c->pipe);
    c->pipe = -1;
    if (!c->ended) {
        if (!in_time)
            kill((pid_t)c->pid, SIGKILL);
        reap(c);
    }
    return in_time;
}

void child_fini(Child *c)
{
    child_finish(c, 0);
    free(c->data);
    *c = (Child){.pipe = -1, .ended = true};
}
