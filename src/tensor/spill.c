// SPDX-License-Identifier: Apache-2.0
/*
 * spill.c - files that hold tensors which left the device.
 *
 * in     bytes and a folder
 * out    files of mode 0600, removed with their tensor
 * knows  POSIX
 * not    tensors, devices
 */
#include "tensor/spill_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *spill_write(weft_context *ctx, const char *dir, const void *data, uint64_t bytes)
{
    size_t size = strlen(dir) + sizeof "/weft-tensor-XXXXXX";
    char  *path = malloc(size);
    int    fd = -1;
    if (!path) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the name of a spill file");
        return NULL;
    }
    snprintf(path, size, "%s/weft-tensor-XXXXXX", dir);
    fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    bool  ok = file && fwrite(data, 1, bytes, file) == bytes;
    int   why = errno;
    if (file && fclose(file) != 0)
        ok = false;
    else if (!file && fd >= 0)
        close(fd);
    if (ok)
        return path;
    context_fail(ctx, WEFT_ERROR_IO, "cannot write a tensor to '%s': %s", path, strerror(why));
    if (fd >= 0)
        unlink(path);
    free(path);
    return NULL;
}

void *spill_read(weft_context *ctx, const char *path, uint64_t bytes)
{
    FILE *file = fopen(path, "rb");
    void *data = malloc(bytes ? bytes : 1);
    if (!file || !data || fread(data, 1, bytes, file) != bytes) {
        context_fail(ctx, WEFT_ERROR_IO, "cannot read a tensor back from '%s': %s", path,
                     file ? "it is shorter than it was" : strerror(errno));
        free(data);
        data = NULL;
    }
    if (file)
        fclose(file);
    return data;
}

void spill_remove(const char *path)
{
    unlink(path);
}
