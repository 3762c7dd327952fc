// SPDX-License-Identifier: Apache-2.0
/*
 * gguf_file.c - the contents of a file, mapped or read.
 *
 * in     a path
 * out    bytes
 * knows  the operating system, as no other file of this folder does
 * not    GGUF
 */
#define _DEFAULT_SOURCE                 /* madvise()                                   */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context/context.h"
#include "model/gguf_priv.h"

static bool fail_errno(weft_context *ctx, const char *path, const char *what)
{
    const char *names[] = {path, NULL};
    return context_fail_names(ctx, errno == ENOENT ? WEFT_ERROR_NOT_FOUND : WEFT_ERROR_IO, names,
                              "%s: %s: %s", path, what, strerror(errno));
}

static bool map_contents(GgufPart *part, weft_context *ctx, const char *path, int fd)
{
    void *at = mmap(NULL, (size_t)part->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return fail_errno(ctx, path, "cannot map");
    part->data = part->mapped = at;
    return true;
}

static bool read_contents(GgufPart *part, weft_context *ctx, const char *path, int fd,
                          weft_progress progress, void *user)
{
    uint8_t *data = malloc((size_t)part->size);
    if (!data)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "%s: no memory for %llu bytes", path,
                            (unsigned long long)part->size);
    part->data = part->owned = data;
    for (uint64_t done = 0; done < part->size;) {
        uint64_t left = part->size - done;
        ssize_t  got = read(fd, data + done, (size_t)MIN_OF(left, 16u << 20));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(ctx, path, "cannot read");
        if (got == 0)
            return context_fail(ctx, WEFT_ERROR_IO, "%s: became shorter while it was read", path);
        done += (uint64_t)got;
        if (progress && !progress(user, done, part->size))
            return context_fail(ctx, WEFT_ERROR_CANCELLED, "%s: reading was cancelled", path);
    }
    return true;
}

bool gguf_file_open(GgufPart *part, weft_context *ctx, const char *path, bool copy,
                    weft_progress progress, void *user)
{
    struct stat info;
    bool        ok = false;
    int         fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(ctx, path, "cannot open");
    if (fstat(fd, &info) != 0)
        fail_errno(ctx, path, "cannot tell its size");
    else if (!S_ISREG(info.st_mode))
        context_fail(ctx, WEFT_ERROR_IO, "%s: not a regular file", path);
    else if (info.st_size == 0)
        context_fail(ctx, WEFT_ERROR_FORMAT, "%s: magic: the file is empty", path);
    else {
        part->size = (uint64_t)info.st_size;
        ok = copy ? read_contents(part, ctx, path, fd, progress, user)
                  : map_contents(part, ctx, path, fd);
    }
    close(fd);
    return ok;
}

void gguf_file_close(GgufPart *part)
{
    if (part->mapped)
        munmap(part->mapped, (size_t)part->size);
    free(part->owned);
    part->mapped = part->owned = NULL;
    part->data = NULL;
}

void gguf_file_forget(const GgufPart *part, uint64_t offset, uint64_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t first = (offset + page - 1) / page * page, end = (offset + size) / page * page;
    if (part->mapped && first < end)
        madvise((uint8_t *)part->mapped + first, (size_t)(end - first), MADV_DONTNEED);
}
