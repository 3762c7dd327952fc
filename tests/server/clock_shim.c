// SPDX-License-Identifier: Apache-2.0
/*
 * clock_shim.c - for LD_PRELOAD: shifts the wall clock of a process, as an operator or a
 * time server may. The shift, in seconds, is in the file that WEFT_CLOCK_SHIFT names.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock != CLOCK_REALTIME || status != 0)
        return status;
    const char *path = getenv("WEFT_CLOCK_SHIFT");
    int         fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char        text[32] = "";
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
        now->tv_sec += atoll(text);
    if (fd >= 0)
        close(fd);
    return status;
}
