// SPDX-License-Identifier: Apache-2.0
/*
 * platform.c - the operating system, for the context layer.
 *
 * knows  POSIX
 * not    webgpu.h beyond the type of a function
 */
#include "context/platform_priv.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* ---- environment, time ---- */

const char *platform_env(const char *name)
{
    return getenv(name);
}

uint64_t platform_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

void platform_sleep(uint64_t ns)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(ns / NS_PER_S),
                                 .tv_nsec = (long)(ns % NS_PER_S)}, NULL);
}

/* ---- libraries ---- */

void *platform_library_open(const char *path, const char **why)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        *why = dlerror();
    return handle;
}

WGPUProc platform_library_symbol(void *handle, const char *name)
{
    WGPUProc proc = NULL;
    void    *symbol = dlsym(handle, name);
    if (symbol)
        memcpy(&proc, &symbol, sizeof proc);
    return proc;
}

/* ---- locks ---- */

void lock_init(Lock *l)
{
    pthread_mutex_init(&l->mutex, NULL);
}

void lock_fini(Lock *l)
{
    pthread_mutex_destroy(&l->mutex);
}

void lock_take(Lock *l)
{
    pthread_mutex_lock(&l->mutex);
}

void lock_give(Lock *l)
{
    pthread_mutex_unlock(&l->mutex);
}

/* ---- files ---- */

bool platform_cache_folder(char *out, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (base && *base == '/')
        n = snprintf(out, size, "%s", base);
    else if (home && *home)
        n = snprintf(out, size, "%s/.cache", home);
    if (n < 0 || (size_t)n + sizeof "/weft" > size)
        return false;
    mkdir(out, 0700);
    strcat(out, "/weft");
    mkdir(out, 0700);
    return access(out, W_OK) == 0;
}

char *platform_read_file(const char *path, size_t limit)
{
    struct stat st;
    char  *text = NULL;
    FILE  *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= limit)
        text = malloc((size_t)st.st_size + 1);
    if (text)
        text[fread(text, 1, (size_t)st.st_size, file)] = '\0';
    fclose(file);
    return text;
}

bool platform_replace_file(const char *path, const char *text, size_t size)
{
    char temporary[4096];
    int  n = snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof temporary)
        return false;
    FILE *file = fopen(temporary, "wbe");
    if (!file)
        return false;
    bool ok = fwrite(text, 1, size, file) == size;
    ok = fclose(file) == 0 && ok;
    ok = ok && rename(temporary, path) == 0;
    if (!ok)
        unlink(temporary);
    return ok;
}

int platform_lock_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void platform_unlock_file(int lock)
{
    if (lock >= 0)
        close(lock);
}
