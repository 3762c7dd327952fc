// SPDX-License-Identifier: Apache-2.0
/*
 * sync_shim.c - preloaded into a server: every wait for the disk adds the name of its file to
 * the file $WEFT_SYNC_LOG, $WEFT_SYNC_SECONDS later. For settings_test.py.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int fdatasync(int fd)
{
    char        link[64], name[4096] = "";
    const char *path = getenv("WEFT_SYNC_LOG"), *seconds = getenv("WEFT_SYNC_SECONDS");
    if (seconds)
        sleep((unsigned)atoi(seconds));
    int         log = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 2);
    if (log >= 0 && length > 0) {
        name[length] = '\n';
        if (write(log, name, (size_t)length + 1) < 0)
            abort();
    }
    if (log >= 0)
        close(log);
    return (int)syscall(SYS_fdatasync, fd);
}
