// SPDX-License-Identifier: Apache-2.0
/*
 * folder.c - the folder of the disk cache.
 *
 * in     numbers and bytes
 * out    a file for each number
 * knows  files
 * not    what is in them: readers check that
 *
 * The files hold code that will be run, so the folder must belong to the user and
 * be closed to others. Files are written aside and renamed, so readers and other
 * processes see whole files or none.
 */
#include "compile/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE  (256u << 20)
#define SUFFIX    ".weft"
#define UNSEEN_SHARE 64             /* of the limit                                */

uint64_t bytes_hash(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t h = 0x9e3779b97f4a7c15u ^ size;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; size; size--)
        h = (h ^ *at++) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

/* ---- the folder ---- */

/* $XDG_CACHE_HOME/weft or $HOME/.cache/weft; NULL: neither is set. */
static char *default_folder(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool use_base = base && base[0] == '/';
    if (!use_base && !(home && home[0] == '/'))
        return NULL;
    const char *root = use_base ? base : home, *tail = use_base ? "/weft" : "/.cache/weft";
    size_t size = strlen(root) + strlen(tail) + 1;
    char *folder = malloc(size);
    if (folder)
        snprintf(folder, size, "%s%s", root, tail);
    return folder;
}

static void make_folders(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    mkdir(path, 0700);
}

static bool is_ours(const struct stat *info)
{
    return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void folder_init(CacheFolder *d, const char *folder, uint64_t limit)
{
    struct stat info;
    *d = (CacheFolder){.limit = limit, .unseen = limit / UNSEEN_SHARE};
    char *path = folder ? strdup(folder) : default_folder();
    if (!path)
        return;
    make_folders(path);
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode) || !is_ours(&info)) {
        free(path);
        return;
    }
    d->path = path;
}

void folder_fini(CacheFolder *d)
{
    free(d->path);
    *d = (CacheFolder){0};
}

/* ---- reading ---- */

static void *read_whole(const char *path, size_t *size)
{
    struct stat info;
    uint8_t *bytes = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return NULL;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && is_ours(&info) &&
        info.st_size > 0 && info.st_size <= (off_t)MAX_FILE)
        bytes = malloc((size_t)info.st_size);
    size_t got = 0;
    while (bytes && got < (size_t)info.st_size) {
        ssize_t n = read(file, bytes + got, (size_t)info.st_size - got);
        if (n <= 0) {
            free(bytes);
            bytes = NULL;
        } else {
            got += (size_t)n;
        }
    }
    close(file);
    *size = got;
    return bytes;
}

static char *file_path(const CacheFolder *d, uint64_t hash, const char *tail)
{
    size_t size = strlen(d->path) + strlen(tail) + 32;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%016llx%s", d->path, (unsigned long long)hash, tail);
    return path;
}

void *folder_read(const CacheFolder *d, uint64_t name, size_t *size)
{
    char *path = d->path ? file_path(d, name, SUFFIX) : NULL;
    void *bytes = path ? read_whole(path, size) : NULL;
    free(path);
    return bytes;
}

/* ---- writing ---- */

static bool write_whole(const char *path, const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(file, bytes + done, size - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return close(file) == 0 && done == size;
}

/* ---- the limit ---- */

typedef struct CacheFile {
    char    name[32];
    off_t   size;
    int64_t time;                   /* ns                                          */
} CacheFile;

static int older_first(const void *x, const void *y)
{
    const CacheFile *a = x, *b = y;
    return (a->time > b->time) - (a->time < b->time);
}

static CacheFile *list_files(const CacheFolder *d, int folder, size_t *count, uint64_t *total)
{
    CacheFile *list = NULL;
    size_t n = 0, room = 0;
    DIR *dir = opendir(d->path);
    *total = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat info;
        size_t len = strlen(entry->d_name);
        if (len >= sizeof list->name || len < sizeof SUFFIX || !strstr(entry->d_name, SUFFIX) ||
            fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (n == room) {
            room = room ? room * 2 : 64;
            CacheFile *grown = realloc(list, room * sizeof *list);
            if (!grown)
                break;
            list = grown;
        }
        memcpy(list[n].name, entry->d_name, len + 1);
        list[n].size = info.st_size;
        list[n++].time = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
        *total += (uint64_t)info.st_size;
    }
    if (dir)
        closedir(dir);
    *count = n;
    return list;
}

/* The oldest files go until three quarters of the limit are left. */
static void keep_limit(const CacheFolder *d)
{
    size_t count = 0;
    uint64_t total = 0;
    int folder = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    CacheFile *list = list_files(d, folder, &count, &total);
    if (total > d->limit) {
        qsort(list, count, sizeof *list, older_first);
        for (size_t i = 0; i < count && total > d->limit / 4 * 3; i++) {
            unlinkat(folder, list[i].name, 0);
            total -= (uint64_t)list[i].size;
        }
    }
    free(list);
    close(folder);
}

/* Counting takes time for each file: the first writer does it, and then each writer that
 * completes a share of the limit that is not counted yet. */
static bool must_count(CacheFolder *d, size_t written)
{
    uint64_t unseen = atomic_fetch_add(&d->unseen, written) + written;
    return unseen > d->limit / UNSEEN_SHARE &&
           atomic_compare_exchange_strong(&d->unseen, &unseen, 0);
}

void folder_write(CacheFolder *d, uint64_t name, const void *bytes, size_t size)
{
    char tail[48];
    if (!d->path || size > MAX_FILE)
        return;
    snprintf(tail, sizeof tail, ".%ld.%p.new", (long)getpid(), bytes);
    char *aside = file_path(d, name, tail), *path = file_path(d, name, SUFFIX);
    if (aside && path && write_whole(aside, bytes, size) && rename(aside, path) == 0) {
        if (must_count(d, size))
            keep_limit(d);
    } else if (aside) {
        unlink(aside);
    }
    free(aside);
    free(path);
}
