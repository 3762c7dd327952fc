// SPDX-License-Identifier: Apache-2.0
/*
 * spawn.c - starts a worker process with a socket to it.
 *
 * in     a command line
 * out    a process; our end of its socket
 * knows  posix_spawn
 */
#define _GNU_SOURCE
#include "server/worker/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/macro.h"

#define WORKER_FD 3

/* What a worker may know of the environment: where sanitizers write, libraries, drivers. */
static const char *const passed_on[] = {
    "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS=",
    "VK_DRIVER_FILES=", "VK_ICD_FILENAMES=", "VK_LOADER_DRIVERS_SELECT=",
};

static void make_environment(const char **out, size_t room)
{
    size_t n = 0;
    for (char **at = environ; *at && n + 3 < room; at++)
        for (size_t i = 0; i < COUNTOF(passed_on); i++)
            if (strncmp(*at, passed_on[i], strlen(passed_on[i])) == 0)
                out[n++] = *at;
    out[n++] = "WEFT_LOG=off";
    out[n++] = "MESA_SHADER_CACHE_DISABLE=true";
    out[n] = NULL;
}

static int spawn(const char *program, const char *const *argv, pid_t *pid, int fd)
{
    const char *env[16];
    make_environment(env, COUNTOF(env));
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          attr;
    sigset_t                   none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fd, WORKER_FD);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int failed = posix_spawn(pid, program ? program : "/proc/self/exe", &files, &attr,
                             (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

int spawn_process(const char *program, const char *const *argv, pid_t *pid)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    /* dup2() of a descriptor to itself would keep its close-on-exec flag. */
    if (pair[1] == WORKER_FD)
        fcntl(pair[1], F_SETFD, 0);
    int failed = spawn(program, argv, pid, pair[1]);
    close(pair[1]);
    if (failed) {
        close(pair[0]);
        return -1;
    }
    return pair[0];
}
