/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_fuzz.c - any bytes as a safetensors file, an index, a npy file, an archive, a
 * manifest.
 *
 * The first byte chooses the format. What is accepted is read whole; nothing may be read
 * outside of the file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/store.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST ((uint64_t)1 << 22)        /* bytes of a tensor that is read              */

static const char *const names[] = {
    "x.safetensors", "x.safetensors.index.json", "x.npy", "x.npz", "models/m.json",
};

static const char *folder_of_run(void)
{
    static char folder[] = "/tmp/weft-fuzz-XXXXXX";
    static bool made;
    if (!made) {
        char path[100];
        made = mkdtemp(folder) != NULL;
        snprintf(path, sizeof path, "%s/models", folder);
        mkdir(path, 0700);
    }
    return folder;
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

static void read_all(weft_store *s)
{
    weft_store_entry e;
    for (uint32_t i = 0; weft_store_entry_get(&e, s, i); i++) {
        uint64_t count = 1, bytes;
        for (uint32_t k = 0; k < e.rank; k++)
            count = e.shape[k] && count > MOST / e.shape[k] ? MOST + 1 : count * e.shape[k];
        bytes = count <= MOST ? weft_dtype_bytes(e.dtype, count) : MOST + 1;
        if (e.dtype == WEFT_DTYPE_NONE || bytes > MOST)
            continue;
        void *out = malloc(bytes + 1);
        (void)weft_store_read(out, bytes, s, e.name);
        free(out);
    }
    for (uint32_t i = 0; weft_store_metadata_key(s, i); i++)
        if (!weft_store_metadata(s, weft_store_metadata_key(s, i)))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weft_context *ctx;
    char path[200];
    if (size == 0)
        return 0;
    if (!ctx)
        ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    uint32_t kind = data[0] % (sizeof names / sizeof *names);
    snprintf(path, sizeof path, "%s/%s", folder_of_run(), names[kind]);
    write_file(path, data + 1, size - 1);
    if (kind == 4)
        snprintf(path, sizeof path, "%s", folder_of_run());
    weft_store *s = weft_store_open(ctx, &(weft_store_desc){
        .path = path, .model = kind == 4 ? "m" : NULL, .verify = true});
    read_all(s);
    if (!s && !weft_context_error(ctx)->kind)
        abort();                            /* refused without a reason */
    weft_store_release(s);
    weft_context_error_clear(ctx);
    return 0;
}
