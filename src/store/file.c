// SPDX-License-Identifier: Apache-2.0
/*
 * file.c - files of the store: mapped to read, replaced in one step, locked.
 *
 * in     paths
 * out    bytes; new files that are complete when they get their name
 * knows  POSIX: rename() is atomic, fsync() of file and folder makes it last
 * not    formats
 */
#include "store/file_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PART ((uint64_t)64 << 20)       /* bytes of one system call                    */

static bool fail_errno(weft_context *ctx, const char *path, const char *what)
{
    const char     *names[] = {path, NULL};
    weft_error_kind kind = errno == ENOENT ? WEFT_ERROR_NOT_FOUND
                         : errno == EACCES || errno == EPERM ? WEFT_ERROR_DENIED
                         : WEFT_ERROR_IO;
    return context_fail_names(ctx, kind, names, "%s: %s: %s", path, what, strerror(errno));
}

/* ---- reading ---- */

static bool map_contents(Mapping *m, weft_context *ctx, const char *path, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return fail_errno(ctx, path, "cannot read");
    if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return fail_errno(ctx, path, "is not a file");
    }
    m->size = (uint64_t)st.st_size;
    m->data = (const uint8_t *)"";
    if (m->size == 0)
        return true;
    void *at = mmap(NULL, (size_t)m->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return fail_errno(ctx, path, "cannot map");
    m->data = at;
    return true;
}

Mapping *mapping_open(weft_context *ctx, const char *path)
{
    Mapping *m = calloc(1, sizeof *m);
    int      fd = open(path, O_RDONLY | O_CLOEXEC);
    bool     ok = fd >= 0 && m ? map_contents(m, ctx, path, fd) : false;
    if (fd < 0)
        fail_errno(ctx, path, "cannot open");
    else if (!m)
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a mapping");
    if (fd >= 0)
        close(fd);
    if (!ok) {
        free(m);
        return NULL;
    }
    m->refs = 1;
    return m;
}

Mapping *mapping_retain(Mapping *m)
{
    if (m)
        m->refs++;
    return m;
}

void mapping_release(Mapping *m)
{
    if (!m || --m->refs)
        return;
    if (m->size) {
        void *at;
        memcpy(&at, &m->data, sizeof at);
        munmap(at, (size_t)m->size);
    }
    free(m);
}

/* ---- writing ---- */

static atomic_uint next_temporary;

/* ".name.PID-N.tmp" beside the file. */
static char *temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t      folder = slash ? (size_t)(slash - path) + 1 : 0, size = strlen(path) + 64;
    char       *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.%s.%ld-%u.tmp", (int)folder, path, path + folder,
                 (long)getpid(), atomic_fetch_add(&next_temporary, 1));
    return name;
}

bool file_begin(OutFile *f, weft_context *ctx, const char *path)
{
    *f = (OutFile){.ctx = ctx, .fd = -1, .path = strdup(path), .temporary = temporary_name(path)};
    if (!f->path || !f->temporary) {
        file_abandon(f);
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a path");
    }
    f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (f->fd >= 0)
        return true;
    fail_errno(ctx, path, "cannot write");
    file_abandon(f);
    return false;
}

bool file_write(OutFile *f, const void *data, uint64_t size)
{
    const char *at = data;
    for (uint64_t left = size; left;) {
        ssize_t done = write(f->fd, at, (size_t)MIN_OF(left, PART));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail_errno(f->ctx, f->path, "cannot write");
        at += done;
        left -= (uint64_t)done;
    }
    f->size += size;
    return true;
}

bool file_write_from(OutFile *f, int from, uint64_t offset, uint64_t size)
{
    char *part = malloc((size_t)MIN_OF(size + 1, (uint64_t)1 << 20));
    bool  ok = part || context_fail(f->ctx, WEFT_ERROR_MEMORY, "no memory for a copy");
    while (ok && size) {
        ssize_t got = pread(from, part, (size_t)MIN_OF(size, (uint64_t)1 << 20), (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        ok = got > 0 ? file_write(f, part, (uint64_t)got)
                     : fail_errno(f->ctx, f->path, "cannot copy");
        offset += ok ? (uint64_t)got : 0;
        size -= ok ? (uint64_t)got : 0;
    }
    free(part);
    return ok;
}

/* The folder of a path, malloc'ed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static bool finish(OutFile *f)
{
    if (fsync(f->fd) != 0)
        return fail_errno(f->ctx, f->path, "cannot write");
    int fd = f->fd;
    f->fd = -1;
    return close(fd) == 0 || fail_errno(f->ctx, f->path, "cannot write");
}

bool file_replace(OutFile *f)
{
    char *folder = folder_of(f->path);
    bool  ok = folder && finish(f);
    if (ok && rename(f->temporary, f->path) != 0)
        ok = fail_errno(f->ctx, f->path, "cannot replace");
    if (ok) {
        free(f->temporary);
        f->temporary = NULL;
        ok = folder_sync(f->ctx, folder);
    }
    free(folder);
    file_abandon(f);
    return ok;
}

bool file_keep(OutFile *f, char **path)
{
    bool ok = finish(f);
    if (ok) {
        *path = f->temporary;
        f->temporary = NULL;
    }
    file_abandon(f);
    return ok;
}

void file_abandon(OutFile *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->temporary)
        unlink(f->temporary);
    free(f->temporary);
    free(f->path);
    *f = (OutFile){.fd = -1};
}

int spool_open(weft_context *ctx, const char *path)
{
    char *name = temporary_name(path);
    int   fd = name ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        fail_errno(ctx, path, "cannot write beside it");
    else
        unlink(name);
    free(name);
    return fd;
}

bool spool_append(weft_context *ctx, int fd, uint64_t at, const void *data, uint64_t size)
{
    const char *bytes = data;
    while (size) {
        ssize_t done = pwrite(fd, bytes, (size_t)MIN_OF(size, PART), (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail_errno(ctx, "a temporary file", "cannot write");
        bytes += done;
        at += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return true;
}

bool spool_read(weft_context *ctx, int fd, uint64_t at, void *out, uint64_t size)
{
    char *bytes = out;
    while (size) {
        ssize_t got = pread(fd, bytes, (size_t)MIN_OF(size, PART), (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail_errno(ctx, "a temporary file", "cannot read");
        bytes += got;
        at += (uint64_t)got;
        size -= (uint64_t)got;
    }
    return true;
}

void spool_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* ---- folders ---- */

bool folder_make(weft_context *ctx, const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST || fail_errno(ctx, path, "cannot make");
}

bool folder_sync(weft_context *ctx, const char *path)
{
    int  fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems cannot sync folders: what they do is not known to fail. */
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    if (!ok)
        fail_errno(ctx, path, "cannot sync");
    if (fd >= 0)
        close(fd);
    return ok;
}

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool path_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_move(weft_context *ctx, const char *from, const char *to)
{
    return rename(from, to) == 0 || fail_errno(ctx, to, "cannot replace");
}

bool file_remove(weft_context *ctx, const char *path)
{
    return unlink(path) == 0 || errno == ENOENT || fail_errno(ctx, path, "cannot remove");
}

void file_touch(const char *path)
{
    (void)!utimensat(AT_FDCWD, path, NULL, 0);
}

static int compare_info(const void *left, const void *right)
{
    return strcmp(((const FileInfo *)left)->name, ((const FileInfo *)right)->name);
}

bool folder_list(FileList *out, Arena *arena, weft_context *ctx, const char *path, bool folders)
{
    DIR *dir = opendir(path);
    *out = (FileList){0};
    if (!dir)
        return errno == ENOENT || fail_errno(ctx, path, "cannot list");
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0
            || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0
            || !(folders ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode)))
            continue;
        FileInfo info = {.name = arena_printf(arena, "%s", e->d_name),
                         .size = (uint64_t)st.st_size, .changed = (int64_t)st.st_mtime};
        VEC_PUSH(arena, out, info);
    }
    closedir(dir);
    if (out->len)
        qsort(out->data, out->len, sizeof *out->data, compare_info);
    return true;
}

int file_lock(weft_context *ctx, const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    while (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        if (errno == EINTR)
            continue;
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        fail_errno(ctx, path, "cannot lock");
    return fd;
}

void file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

int64_t file_now(void)
{
    return (int64_t)time(NULL);
}

bool file_maker_is_gone(const char *name)
{
    const char *end = strrchr(name, '-'), *at = end;
    while (at && at > name && at[-1] != '.')
        at--;
    long pid = at ? strtol(at, NULL, 10) : 0;
    return pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}
