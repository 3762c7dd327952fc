/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.c - a store on the command line, for the tests in Python.
 *
 *   store_tool list PATH         a line for each tensor: name, type, shape, elements in hex
 *   store_tool copy FROM TO      all tensors and metadata of one store into another
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/store.h>

static weft_context *ctx;

static int fail(void)
{
    fprintf(stderr, "%s: %s\n", weft_error_kind_name(weft_context_error(ctx)->kind),
            weft_context_error(ctx)->message);
    return 1;
}

/* The elements, malloc'ed; NULL with the error set. */
static uint8_t *load(weft_store *s, const weft_store_entry *e, uint64_t *bytes)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < e->rank; i++)
        count *= e->shape[i];
    *bytes = weft_dtype_bytes(e->dtype, count);
    uint8_t *data = malloc(*bytes + 1);
    if (data && weft_store_read(data, *bytes, s, e->name))
        return data;
    free(data);
    return NULL;
}

static int list(weft_store *s)
{
    weft_store_entry e;
    for (uint32_t i = 0; weft_store_entry_get(&e, s, i); i++) {
        uint64_t bytes;
        uint8_t *data = load(s, &e, &bytes);
        if (!data)
            return fail();
        printf("%s\t%s\t", e.name, weft_dtype_name(e.dtype));
        for (uint32_t k = 0; k < e.rank; k++)
            printf("%s%llu", k ? "," : "", (unsigned long long)e.shape[k]);
        printf("\t");
        for (uint64_t k = 0; k < bytes; k++)
            printf("%02x", data[k]);
        printf("\n");
        free(data);
    }
    return 0;
}

static int copy(weft_store *from, const char *path)
{
    weft_store_entry e;
    const char *key;
    weft_store *to = weft_store_open(ctx, &(weft_store_desc){
        .path = path, .model = "copy", .write = true, .replace = true, .shard_size = 100});
    for (uint32_t i = 0; to && weft_store_entry_get(&e, from, i); i++) {
        weft_store_data d = {.dtype = e.dtype, .rank = e.rank};
        memcpy(d.shape, e.shape, sizeof d.shape);
        uint8_t *data = load(from, &e, &d.bytes);
        d.data = data;
        bool ok = data && weft_store_put_data(to, e.name, &d);
        free(data);
        if (!ok)
            return fail();
    }
    for (uint32_t i = 0; to && (key = weft_store_metadata_key(from, i)); i++)
        if (!weft_store_set_metadata(to, key, weft_store_metadata(from, key)))
            return fail();
    bool ok = weft_store_commit(to);
    weft_store_release(to);
    return ok ? 0 : fail();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    weft_store *s = weft_store_open(ctx, &(weft_store_desc){.path = argv[2], .verify = true,
                                                            .model = "copy"});
    int status = !s ? fail() : strcmp(argv[1], "list") == 0 ? list(s)
               : argc > 3 ? copy(s, argv[3]) : 2;
    weft_store_release(s);
    weft_context_release(ctx);
    return status;
}
